//! The audit: nobody's word is taken for a verdict.
//!
//! A certificate is an invariant for each cut point. It is accepted when every
//! obligation is unsatisfiable and the proof of that passes the independent
//! checker: the initial states satisfy the invariant of the entry; each
//! transition leads from the invariant of its source into the invariant of its target;
//! error locations have the invariant `false`. The obligations are built from
//! the program anew, cut point by cut point, by solvers that share nothing with
//! the search.
//!
//! A counterexample is accepted when the interpreter, given the values it
//! chose, runs the original program into the violation: see [`replay`].

use crate::block::BlockProgram;
use crate::verdict::{Certificate, Reason};
use bolide_base::{Budget, HashMap};
use bolide_cfa::{LocId, Op};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::{TermId, TermStore};

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// Obligations discharged, each with a checked proof.
    pub obligations: usize,
}

/// Checks that a certificate is inductive and excludes all errors.
pub fn certificate(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Audited, Reason> {
    // Required: the steps below know nothing of what happens inside a call.
    let edges = &program.program.edges;
    if edges.values().any(|e| matches!(e.op, Op::Call { .. } | Op::CallIndirect { .. })) {
        return crate::contracts::certificate(program, store, certificate, budget);
    }
    let mut audited = Audited::default();
    let invariant = |store: &TermStore, location: LocId, program: &BlockProgram<'_>| {
        if program.program.locations[location].error.is_some() {
            return store.mk_false();
        }
        certificate.invariants.get(&location).copied().unwrap_or(store.mk_false())
    };
    let entry = program.entry();
    let at_entry = invariant(store, entry, program);
    let not_entry = store.mk_not(at_entry);
    let initial = program.initial();
    discharge(store, &[initial, not_entry], budget, || "the initial states".into())?;
    audited.obligations += 1;

    let mut sources: Vec<LocId> = certificate.invariants.keys().copied().collect();
    sources.sort_unstable();
    for from in sources {
        let before = invariant(store, from, program);
        if before == store.mk_false() {
            continue;
        }
        for transition in program.transitions(store, from).iter() {
            let after = invariant(store, transition.to, program);
            // The invariant of the target, said of the new values.
            let renaming: HashMap<TermId, TermId> = transition
                .outputs
                .iter()
                .map(|&(slot, value)| (program.slots.constant(slot), value))
                .collect();
            let after = store.substitute(after, &renaming);
            let goal = store.mk_not(after);
            discharge(store, &[before, transition.formula, goal], budget, || {
                format!("the step from location {from:?} to {:?}", transition.to)
            })?;
            audited.obligations += 1;
        }
    }
    Ok(audited)
}

/// One obligation: the conjunction must be unsatisfiable, with a proof that
/// the checker accepts.
pub(crate) fn discharge(
    store: &mut TermStore,
    conjuncts: &[TermId],
    budget: &Budget,
    what: impl Fn() -> String,
) -> Result<(), Reason> {
    budget.poll()?;
    let mut solver = Solver::new(Config { proofs: true });
    for &conjunct in conjuncts {
        solver.assert(store, conjunct, 0);
    }
    match solver.check(store, &[], budget) {
        Answer::Unsat => {}
        Answer::Sat => return Err(Reason::NotCertified(format!("{} fails", what()))),
        Answer::Unknown(why) => {
            budget.poll()?;
            return Err(Reason::NotCertified(format!("{} is undecided: {why}", what())));
        }
    }
    let Some(proof) = solver.proof(store) else {
        return Err(Reason::NotCertified(format!("{} has no proof", what())));
    };
    // Required: the checker knows the obligation, not what the solver made of it.
    bolide_proof::check_refutation(store, &proof, |formula, _| conjuncts.contains(&formula))
        .map_err(|error| Reason::NotCertified(format!("the proof of {}: {error}", what())))
}
