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

use super::boolean::Trace;
use super::rules::Rules;
use crate::system::Derivation;
use bolide_base::{HashMap, NoAnswer};
use bolide_smt::discharge::{Decided, decide, model_of};
use bolide_smt::interpolate::{Options, tree_interpolants};
use bolide_terms::{Evaluator, Model, Op, TermId};

pub(super) enum Checked {
    /// The trace is a derivation.
    Feasible(Derivation),
    /// It is none. For each node its clause, what is said of the relation of the head, and the
    /// explicated clause.
    Refuted(Vec<(usize, TermId, TermId)>),
}

/// A trace over variables of its own.
struct Flattened {
    /// For each node the constants that its parent binds.
    parameters: Vec<Vec<TermId>>,
    /// For each node its constraint.
    formulas: Vec<TermId>,
    /// For each node the variables of its clause.
    renamings: Vec<HashMap<TermId, TermId>>,
    parents: Vec<usize>,
}

pub(super) fn check(rules: &mut Rules<'_>, trace: &Trace) -> Result<Checked, NoAnswer> {
    let flat = flatten(rules, trace);
    let proof = match decide(rules.store, &flat.formulas, rules.budget)? {
        Decided::Sat(model) => {
            return derivation(rules, trace, &flat, &model).map(Checked::Feasible);
        }
        Decided::Unsat(proof) => proof,
    };
    let options = Options { budget: rules.budget.clone(), ..Options::default() };
    let interpolants =
        tree_interpolants(rules.store, &proof, &flat.formulas, &flat.parents, &options)
            .map_err(|why| NoAnswer::solver(format!("a refuted trace has {why}")))?;
    // Each interpolant over the parameters of its relation.
    let mut said = interpolants;
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
