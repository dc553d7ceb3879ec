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
use super::rules::{Abstraction, Rules};
use crate::system::Derivation;
use bolide_base::{HashMap, NoAnswer};
use bolide_smt::discharge::{Decided, decide, model_of};
use bolide_smt::interpolate::{Options, tree_interpolants};
use bolide_smt::split::Split;
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

/// Decides whether a trace is a derivation.
pub(super) fn check(
    rules: &mut Rules<'_>,
    abstraction: &Abstraction,
    trace: &Trace,
) -> Result<Checked, NoAnswer> {
    let flat = flatten(rules, trace);
    let found = match known_interpolants(rules, abstraction, trace, &flat)? {
        Some(found) => found,
        None => match interpolants(rules, &flat.formulas, &flat.parents)? {
            Ok(found) => found,
            Err(model) => return derivation(rules, trace, &flat, &model).map(Checked::Feasible),
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
    rules: &mut Rules<'_>,
    formulas: &[TermId],
    parents: &[usize],
) -> Result<Result<Vec<TermId>, Model>, NoAnswer> {
    let proof = match decide(rules.store, formulas, rules.budget)? {
        Decided::Sat(model) => return Ok(Err(model)),
        Decided::Unsat(proof) => proof,
    };
    let options = Options { budget: rules.budget.clone(), ..Options::default() };
    let found = tree_interpolants(rules.store, &proof, formulas, parents, &options)
        .map_err(|why| NoAnswer::solver(format!("a refuted trace has {why}")))?;
    Ok(Ok(found))
}

/// Interpolants in the interface predicates that there are, and in the halves of equalities among them.
/// Heuristic: what refuted a trace before refutes the next round of a loop, where the prover would find
/// something new to say of each.
fn known_interpolants(
    rules: &mut Rules<'_>,
    abstraction: &Abstraction,
    trace: &Trace,
    flat: &Flattened,
) -> Result<Option<Vec<TermId>>, NoAnswer> {
    let mut atoms = vec![Vec::new(); trace.nodes.len()];
    for (node, (number, _)) in trace.nodes.iter().enumerate() {
        let Some(relation) = rules.clauses[*number].defines() else { continue };
        let formal = &rules.system.relations[relation].parameters;
        for &known in abstraction.interface.get(&relation).into_iter().flatten() {
            for atom in [vec![known], rules.store.halves(known)].concat() {
                let said = rules.store.replace_all(atom, formal, &flat.parameters[node]);
                atoms[node].push(said);
            }
        }
    }
    if atoms.iter().all(Vec::is_empty) {
        return Ok(None);
    }
    let split = Split::new(rules.store, &flat.formulas, &flat.parents, &atoms);
    let found = interpolants(rules, &split.formulas, &flat.parents)?.ok();
    Ok(found.map(|found| found.into_iter().map(|i| split.meaning(rules.store, i)).collect()))
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
