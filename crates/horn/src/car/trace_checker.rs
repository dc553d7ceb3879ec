//! ETC: the Explicating Trace Checker (section 6).
//!
//! The trace is flattened: every node has variables of its own, and parameters
//! that its parent binds to the terms of the call. If the constraint has a
//! model, the trace is a derivation. Otherwise a tree interpolant along the
//! trace is a hygienic proof: the formula of a node speaks of its parameters
//! only, and each step `interpolants of the callees and constraint imply
//! interpolant of the node` is true in the theory and over the variables of one
//! rule. Its atoms are interface predicates; the implication, said of the
//! rule's own terms, is the explicated clause.
//!
//! Of many proofs that one is taken whose predicates most likely refute the next trace as well: one in the predicates that there
//! are, or else one in a [restriction language](restricted), so that a loop is not refuted round by round.

use super::boolean::Trace;
use super::rules::{Abstraction, Rules};
use crate::system::{Derivation, RelationId};
use bolide_base::{Budget, HashMap, NoAnswer};
use bolide_smt::discharge::{self, model_of};
use bolide_smt::interpolate::{Options, tree_interpolants};
use bolide_smt::restricted::{self, Decided, Joint, Language, STATES, Tree};
use bolide_smt::vocabulary::Vocabulary;
use bolide_terms::{Evaluator, Model, Op, SortId, TermId, TermStore};
use std::collections::BTreeSet;

/// Heuristic: what all questions but the one about a trace may cost together, in polls.
const ATTEMPTS: u64 = 2_000;

pub(super) enum Checked {
    /// The trace is a derivation.
    Feasible(Derivation),
    /// It is none. For each node its clause, what is said of the relation of the head, and the
    /// explicated clause.
    Refuted(Vec<(usize, TermId, TermId)>),
}

/// A trace over variables of its own.
#[derive(Clone)]
struct Flattened {
    /// For each node the constants that its parent binds.
    parameters: Vec<Vec<TermId>>,
    /// For each node its constraint.
    formulas: Vec<TermId>,
    /// For each node the variables of its clause.
    renamings: Vec<HashMap<TermId, TermId>>,
    parents: Vec<usize>,
}

/// Decides whether a trace is a derivation.
pub(super) fn check(
    rules: &mut Rules<'_>,
    abstraction: &Abstraction,
    vocabulary: &mut Vocabulary,
    trace: &Trace,
) -> Result<Checked, NoAnswer> {
    let flat = flatten(rules, trace);
    let known = known_atoms(rules, abstraction, vocabulary.language(), trace);
    let limited = rules.budget.child_for("attempts", ATTEMPTS);
    let found = match flat.in_known(rules, trace, &known, &limited)? {
        Some(found) => found,
        None => match interpolants(rules.store, &flat.formulas, &flat.parents, rules.budget)? {
            Decided::Refuted(given) => {
                let better =
                    flat.in_language(rules, vocabulary, trace, &known, &given, &limited)?;
                better.unwrap_or(given)
            }
            Decided::Model(model) => {
                return derivation(rules, trace, &flat, &model).map(Checked::Feasible);
            }
            Decided::Open => return Err(NoAnswer::solver("a trace is not decided")),
        },
    };
    // Each interpolant over the parameters of its relation.
    let mut said = found;
    for (node, (number, children)) in trace.nodes.iter().enumerate() {
        if let Some(relation) = rules.clauses[*number].defines() {
            let formal = &rules.system.relations[relation].parameters;
            said[node] = rules.store.replace_all(said[node], &flat.parameters[node], formal);
        }
        if children.is_empty()
            && let Some(stated) = stated_equality(rules, *number, said[node])?
        {
            said[node] = stated;
        }
    }
    let mut steps = Vec::new();
    for (node, (number, children)) in trace.nodes.iter().enumerate() {
        let mut premises = rules.premises(*number);
        let clause = rules.clauses[*number].clone();
        for (atom, &child) in clause.body.iter().zip(children) {
            premises.push(rules.instantiate(said[child], atom));
        }
        let conclusion = match &clause.head {
            Some(head) => rules.instantiate(said[node], head),
            None => TermId::FALSE,
        };
        let premise = rules.store.mk_and(&premises);
        steps.push((*number, said[node], rules.store.mk_implies(premise, conclusion)));
    }
    Ok(Checked::Refuted(steps))
}

/// Interpolants of a tree, or its model.
fn interpolants(
    store: &mut TermStore,
    formulas: &[TermId],
    parents: &[usize],
    budget: &Budget,
) -> Result<Decided, NoAnswer> {
    let proof = match discharge::decide(store, formulas, budget)? {
        discharge::Decided::Sat(model) => return Ok(Decided::Model(model)),
        discharge::Decided::Unsat(proof) => proof,
    };
    let options = Options { budget: budget.clone(), ..Options::default() };
    let found = tree_interpolants(store, &proof, formulas, parents, &options)
        .map_err(|why| NoAnswer::solver(format!("a refuted trace has {why}")))?;
    Ok(Decided::Refuted(found))
}

/// The interface predicates of the relations on a trace, the halves of equalities among them, and bounds of types.
fn known_atoms(
    rules: &mut Rules<'_>,
    abstraction: &Abstraction,
    language: &Language,
    trace: &Trace,
) -> Vec<TermId> {
    let defined = trace.nodes.iter().filter_map(|(number, _)| rules.clauses[*number].defines());
    let defined: Vec<RelationId> = defined.collect();
    let parameters = |r: &RelationId| &rules.system.relations[*r].parameters;
    let few = defined.iter().map(|r| parameters(r).len()).sum::<usize>() <= STATES;
    let mut atoms = Vec::new();
    for relation in defined.into_iter().collect::<BTreeSet<_>>() {
        for &atom in abstraction.interface.get(&relation).into_iter().flatten() {
            atoms.push(atom);
            atoms.extend(rules.store.halves(atom));
        }
        for &parameter in &rules.system.relations[relation].parameters {
            if few && language.restricts() && rules.store.sort(parameter) == SortId::INT {
                atoms.extend(language.bounds(rules.store, parameter));
            }
        }
    }
    atoms
}

impl Flattened {
    /// How far nodes are from the root.
    fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.parents.len()];
        // A parent comes behind its children.
        for node in (0..self.parents.len()).rev() {
            if self.parents[node] != node {
                depths[node] = depths[self.parents[node]] + 1;
            }
        }
        depths
    }

    fn height(&self) -> usize {
        self.depths().into_iter().max().unwrap_or(0)
    }

    /// The trace without what is known of nodes far from the root.
    /// Heuristic: what does not speak of the beginning of a trace holds of more traces.
    fn down_to(&self, depth: usize) -> Flattened {
        let mut part = self.clone();
        for (formula, far) in part.formulas.iter_mut().zip(self.depths()) {
            if far > depth {
                *formula = TermId::TRUE;
            }
        }
        part
    }

    /// The parameters of relations along the trace.
    fn joints(&self, rules: &Rules<'_>, trace: &Trace) -> Vec<Joint> {
        let joint = |((number, _), actual): (&(usize, _), &Vec<TermId>)| {
            let Some(relation) = rules.clauses[*number].defines() else { return Joint::default() };
            let formal = &rules.system.relations[relation].parameters;
            let plain = |&p: &TermId| [SortId::INT, SortId::BOOL].contains(&rules.store.sort(p));
            Joint {
                copies: formal.iter().copied().zip(actual.iter().copied()).collect(),
                variables: formal.iter().copied().filter(plain).collect(),
            }
        };
        trace.nodes.iter().zip(&self.parameters).map(joint).collect()
    }

    /// Interpolants in the predicates that are known.
    /// Heuristic: what refuted a trace before refutes the next round of a loop, where the prover would find
    /// something new to say of each.
    fn in_known(
        &self,
        rules: &mut Rules<'_>,
        trace: &Trace,
        known: &[TermId],
        limited: &Budget,
    ) -> Result<Option<Vec<TermId>>, NoAnswer> {
        let (joints, budget) = (self.joints(rules, trace), rules.budget);
        let tree = Tree { formulas: &self.formulas, parents: &self.parents, joints };
        restricted::in_atoms(rules.store, &tree, known, |store, formulas| {
            self.attempt(store, formulas, limited, budget)
        })
    }

    /// Interpolants in the language of the shortest end of a refuted trace that has some; the language grows until there are some. None
    /// where that takes too long.
    fn in_language(
        &self,
        rules: &mut Rules<'_>,
        vocabulary: &mut Vocabulary,
        trace: &Trace,
        known: &[TermId],
        given: &[TermId],
        limited: &Budget,
    ) -> Result<Option<Vec<TermId>>, NoAnswer> {
        while vocabulary.language().restricts() {
            let mut depth = 1;
            while depth <= self.height() {
                let part = self.down_to(depth);
                if let Some(found) = part.in_known(rules, trace, known, limited)? {
                    return Ok(Some(found));
                }
                let answer = part.attempt(rules.store, &part.formulas, limited, rules.budget)?;
                if let Decided::Refuted(given) = answer
                    && let Some(found) =
                        part.restricted(rules, vocabulary, trace, known, &given, limited)?
                {
                    return Ok(Some(found));
                }
                depth *= 2;
            }
            let found = self.restricted(rules, vocabulary, trace, known, given, limited)?;
            if found.is_some() || limited.poll().is_err() {
                return Ok(found);
            }
            vocabulary.raise();
        }
        Ok(None)
    }

    /// Interpolants in the language, if there are some: those given, or others.
    fn restricted(
        &self,
        rules: &mut Rules<'_>,
        vocabulary: &mut Vocabulary,
        trace: &Trace,
        known: &[TermId],
        given: &[TermId],
        limited: &Budget,
    ) -> Result<Option<Vec<TermId>>, NoAnswer> {
        let mut facts = Vec::new();
        for (node, (number, _)) in trace.nodes.iter().enumerate() {
            if let Some(relation) = rules.clauses[*number].defines() {
                let formal = &rules.system.relations[relation].parameters;
                facts.push(rules.store.replace_all(given[node], &self.parameters[node], formal));
            }
        }
        if facts.iter().all(|&fact| vocabulary.language().contains(rules.store, fact)) {
            return Ok(Some(given.to_vec()));
        }
        let (joints, budget) = (self.joints(rules, trace), rules.budget);
        let tree = Tree { formulas: &self.formulas, parents: &self.parents, joints };
        let said = (known, &facts[..]);
        restricted::interpolants(rules.store, vocabulary, &tree, said, |store, formulas| {
            self.attempt(store, formulas, limited, budget)
        })
    }

    /// A question that need not be answered: about formulas in the place of those of the trace.
    fn attempt(
        &self,
        store: &mut TermStore,
        formulas: &[TermId],
        limited: &Budget,
        budget: &Budget,
    ) -> Result<Decided, NoAnswer> {
        match interpolants(store, formulas, &self.parents, limited) {
            Err(NoAnswer::Solver(_) | NoAnswer::Exhausted(_)) => {
                budget.poll()?;
                Ok(Decided::Open)
            }
            answer => answer,
        }
    }
}

fn flatten(rules: &mut Rules<'_>, trace: &Trace) -> Flattened {
    let Rules { store, system, clauses, invariants, .. } = rules;
    let mut parameters: Vec<Vec<TermId>> = Vec::new();
    for (clause, _) in &trace.nodes {
        let formal = clauses[*clause].defines().map(|r| &system.relations[r].parameters);
        let fresh = |&p: &TermId| store.mk_fresh_const("p", store.sort(p));
        parameters.push(formal.into_iter().flatten().map(fresh).collect());
    }
    let mut flat = Flattened {
        parameters,
        formulas: Vec::new(),
        renamings: Vec::new(),
        parents: (0..trace.nodes.len()).collect(),
    };
    for (node, (number, children)) in trace.nodes.iter().enumerate() {
        // The clause as it was read has all variables; calls bind those of its body.
        let (clause, renaming) = system.clauses[*number].rename_apart(store);
        let mut parts = system.premises(store, invariants, &clause);
        if let Some(head) = &clause.head {
            parts.extend(store.mk_eqs(&flat.parameters[node], &head.arguments));
        }
        for (atom, &child) in clause.body.iter().zip(children) {
            flat.parents[child] = node;
            parts.extend(store.mk_eqs(&flat.parameters[child], &atom.arguments));
        }
        flat.formulas.push(store.mk_and(&parts));
        flat.renamings.push(renaming);
    }
    flat
}

/// The trace with the values of a model.
fn derivation(
    rules: &Rules<'_>,
    trace: &Trace,
    flat: &Flattened,
    model: &Model,
) -> Result<Derivation, NoAnswer> {
    let mut evaluator = Evaluator::new(rules.store, model);
    let mut derivation = Derivation::default();
    for ((number, children), renaming) in trace.nodes.iter().zip(&flat.renamings) {
        let clause = &rules.system.clauses[*number];
        let renamed = |variable| renaming[&variable];
        let premises = children.clone();
        let step = clause.step(*number, rules.store, renamed, &mut evaluator, premises)?;
        derivation.steps.push(step);
    }
    Ok(derivation)
}

/// An equality between arrays that a rule without calls states itself and that implies the
/// interpolant.
/// Heuristic: it says as much about other elements, which the next trace will ask about.
fn stated_equality(
    rules: &mut Rules<'_>,
    number: usize,
    interpolant: TermId,
) -> Result<Option<TermId>, NoAnswer> {
    let clause = &rules.clauses[number];
    let Some(head) = &clause.head else { return Ok(None) };
    let formal = &rules.system.relations[head.relation].parameters;
    let store = &mut *rules.store;
    for conjunct in store.conjuncts(clause.constraint) {
        let is_equality = store.op(conjunct) == Op::Eq
            && store.array_sorts(store.sort(store.arg(conjunct, 0))).is_some();
        if !is_equality {
            continue;
        }
        let stated = rules.system.generalise(store, conjunct, head);
        if store.constants(stated).iter().any(|c| !formal.contains(c)) {
            continue;
        }
        let negated = store.mk_not(interpolant);
        if model_of(store, &[stated, negated], rules.budget) == Ok(None) {
            return Ok(Some(stated));
        }
        rules.budget.poll()?;
    }
    Ok(None)
}
