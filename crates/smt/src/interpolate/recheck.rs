//! Everything that interpolants promise, proven anew.
//!
//! A fresh solver decides each implication; nothing of the scan is used.

use super::failure::{Found, NoInterpolant};
use super::tree::PartitionTree;
use crate::solver::{Answer, Solver};
use bolide_base::{Budget, HashMap, NoAnswer};
use bolide_terms::{FunctionId, TermId, TermStore};

/// What is wrong with claimed interpolants.
fn flaw<T>(reason: impl Into<String>) -> Result<T, NoAnswer> {
    Err(NoAnswer::not_certified(reason))
}

/// Asks a fresh solver which of the formulas suffice for a contradiction; none if they have a
/// model.
pub(crate) fn refute(
    store: &mut TermStore,
    formulas: &[TermId],
    budget: &Budget,
) -> Result<Option<Vec<usize>>, NoAnswer> {
    let mut solver = Solver::default();
    match solver.check(store, formulas, budget) {
        Answer::Sat => Ok(None),
        Answer::Unknown(reason) => Err(reason),
        Answer::Unsat => {
            let core = solver.unsat_core();
            let needed = |number: &usize| core.contains(&formulas[*number]);
            Ok(Some((0..formulas.len()).filter(needed).collect()))
        }
    }
}

/// The formulas without the conjuncts that the contradiction does not need;
/// none if there is no contradiction.
pub(crate) fn needed_conjuncts(
    store: &mut TermStore,
    formulas: &[TermId],
    budget: &Budget,
) -> Found<Option<Vec<TermId>>> {
    let mut conjuncts = Vec::new();
    let mut owner = Vec::new();
    for (number, &formula) in formulas.iter().enumerate() {
        conjuncts.extend(store.conjuncts(formula));
        owner.resize(conjuncts.len(), number);
    }
    match refute(store, &conjuncts, budget) {
        Ok(None) => Ok(None),
        Err(reason) => {
            Err(NoInterpolant::new(format!("the problem could not be decided: {reason}")))
        }
        Ok(Some(core)) => {
            let mut kept: Vec<Vec<TermId>> = vec![Vec::new(); formulas.len()];
            for number in core {
                kept[owner[number]].push(conjuncts[number]);
            }
            Ok(Some(kept.iter().map(|members| store.mk_and(members)).collect()))
        }
    }
}

/// Whether the antecedents imply the consequent, for sure.
fn implies(
    store: &mut TermStore,
    antecedents: &[TermId],
    consequent: TermId,
    budget: &Budget,
) -> Result<bool, NoAnswer> {
    let mut formulas = antecedents.to_vec();
    formulas.push(store.mk_not(consequent));
    match refute(store, &formulas, budget) {
        Ok(refuted) => Ok(refuted.is_some()),
        Err(reason) => flaw(format!("an implication could not be decided: {reason}")),
    }
}

/// Checks a sequence as [`interpolate_sequence`](super::interpolate_sequence)
/// returns it: first `true`, last `false`, each with its formula implies the
/// next, only symbols that occur both before and after.
pub fn recheck_sequence(
    store: &mut TermStore,
    formulas: &[TermId],
    interpolants: &[TermId],
    budget: &Budget,
) -> Result<(), NoAnswer> {
    if interpolants.len() != formulas.len() + 1 {
        return flaw("their number does not fit the number of formulas");
    }
    if interpolants[0] != TermId::TRUE {
        return flaw("the first is not true");
    }
    let parents: Vec<usize> =
        (0..formulas.len()).map(|i| (i + 1).min(formulas.len().saturating_sub(1))).collect();
    recheck_tree(store, formulas, &parents, &interpolants[1..], budget)
}

/// Checks a tree of interpolants: the root's is `false`, those of the children
/// with a node's formula imply the node's, and only shared symbols occur.
pub fn recheck_tree(
    store: &mut TermStore,
    formulas: &[TermId],
    parents: &[usize],
    interpolants: &[TermId],
    budget: &Budget,
) -> Result<(), NoAnswer> {
    if interpolants.len() != formulas.len() || parents.len() != formulas.len() {
        return flaw("their number does not fit the number of formulas");
    }
    let tree = PartitionTree::new(parents).or_else(|why| flaw(why.reason))?;
    let mut children: Vec<Vec<TermId>> = vec![Vec::new(); formulas.len()];
    for (node, &parent) in parents.iter().enumerate() {
        if node == parent {
            if interpolants[node] != TermId::FALSE {
                return flaw("the last is not false");
            }
        } else {
            children[parent].push(interpolants[node]);
        }
    }
    // Positions at which each symbol occurs.
    let mut occurrences: HashMap<FunctionId, Vec<u32>> = HashMap::default();
    for (node, &formula) in formulas.iter().enumerate() {
        for &symbol in store.symbols(formula).iter() {
            occurrences.entry(symbol).or_default().push(tree.position(node));
        }
    }
    for node in 0..formulas.len() {
        if parents[node] != node {
            let below = tree.subtree(tree.position(node));
            for symbol in store.symbols(interpolants[node]).iter() {
                let known = occurrences.get(symbol).map_or(&[][..], Vec::as_slice);
                let a = known.iter().any(|p| below.contains(p));
                let b = known.iter().any(|p| !below.contains(p));
                if !a || !b {
                    let name = store.function_name(*symbol).to_owned();
                    return flaw(format!("number {node} mentions {name}, which is not shared"));
                }
            }
        }
        let mut antecedents = children[node].clone();
        antecedents.push(formulas[node]);
        if !implies(store, &antecedents, interpolants[node], budget)? {
            return flaw(format!("formula {node} does not lead to the interpolant after it"));
        }
    }
    Ok(())
}
