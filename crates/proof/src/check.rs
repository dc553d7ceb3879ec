//! The checker: every step recomputed, in one pass.

use bolide_base::HashSet;
use bolide_base::arena::Id;
use bolide_terms::{Op, TermId, TermStore};

use crate::bits::Network;
use crate::{Certificate, Literal, Partition, Proof, Rule, Step, StepId};
use crate::{arithmetic, congruence, ensure, tautology};

/// Which step is wrong, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejection {
    /// The first wrong step.
    pub step: StepId,
    /// What is wrong with it.
    pub reason: String,
}

impl std::fmt::Display for Rejection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "step {}: {}", self.step.index(), self.reason)
    }
}

impl std::error::Error for Rejection {}

/// Checks every step. What the proof then shows: its assertions imply its
/// last clause.
pub fn check(store: &TermStore, proof: &Proof) -> Result<(), Rejection> {
    let mut network = Network::new();
    for (index, step) in proof.steps.iter().enumerate() {
        check_step(store, &mut network, proof, index, step)
            .map_err(|reason| Rejection { step: StepId::from_index(index), reason })?;
    }
    Ok(())
}

/// Checks that the proof refutes the input: every step is right, every
/// assertion is one that `is_asserted` knows, and the last clause is empty.
pub fn check_refutation(
    store: &TermStore,
    proof: &Proof,
    is_asserted: impl Fn(TermId, Partition) -> bool,
) -> Result<(), Rejection> {
    check(store, proof)?;
    let last = proof.steps.len().saturating_sub(1);
    if proof.conclusion().is_none_or(|clause| !clause.is_empty()) {
        let reason = "the proof does not end in the empty clause".to_owned();
        return Err(Rejection { step: StepId::from_index(last), reason });
    }
    for (index, step) in proof.steps.iter().enumerate() {
        if let Rule::Assertion { formula, partition } = step.rule
            && !is_asserted(formula, partition)
        {
            let reason = "the formula was not asserted".to_owned();
            return Err(Rejection { step: StepId::from_index(index), reason });
        }
    }
    Ok(())
}

fn check_step(
    store: &TermStore,
    network: &mut Network,
    proof: &Proof,
    index: usize,
    step: &Step,
) -> Result<(), String> {
    for literal in &step.clause {
        if literal.atom.index() >= store.len() {
            return Err("an atom is not a term".into());
        }
        if !store.is_bool(literal.atom) || store.op(literal.atom) == Op::Not {
            return Err("an atom is not Boolean, or is a negation".into());
        }
    }
    match &step.rule {
        Rule::Assertion { formula, .. } => ensure(
            step.clause == [Literal::new(store, *formula)],
            "the clause is not the asserted formula",
        ),
        Rule::Tautology(rule) => tautology::check_tautology(store, network, &step.clause, rule),
        Rule::Lemma(Certificate::Farkas(coefficients)) => {
            arithmetic::check_farkas(store, &step.clause, coefficients)
        }
        Rule::Lemma(Certificate::Congruence) => congruence::check_congruence(store, &step.clause),
        Rule::Resolution { first, chain } => {
            check_resolution(proof, index, &step.clause, *first, chain)
        }
    }
}

fn check_resolution(
    proof: &Proof,
    index: usize,
    clause: &[Literal],
    first: StepId,
    chain: &[(Literal, StepId)],
) -> Result<(), String> {
    let premise = |id: StepId| {
        if id.index() < index { Ok(&proof.step(id).clause) } else { Err("uses a later step") }
    };
    let mut resolvent: HashSet<Literal> = premise(first)?.iter().copied().collect();
    for &(pivot, step) in chain {
        let other = premise(step)?;
        if !resolvent.remove(&!pivot) {
            return Err("the negated pivot does not occur in the resolvent".into());
        }
        let mut found = false;
        for &literal in other {
            if literal == pivot {
                found = true;
            } else {
                resolvent.insert(literal);
            }
        }
        if !found {
            return Err("the pivot does not occur in the premise".into());
        }
    }
    let conclusion: HashSet<Literal> = clause.iter().copied().collect();
    ensure(conclusion == resolvent, "the resolvent is another clause")
}
