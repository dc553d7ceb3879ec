//! Interpolants of any sequence of formulas by projection, without a proof.
//!
//! The same as for traces, with formulas in the place of statements. Backward:
//! the interpolant before a formula says that the formula implies the
//! interpolant after it, for all values of the symbols that do not occur before.
//! Forward: the interpolant after a formula says that the formula and the
//! interpolant before it hold, for some values of the symbols that do not occur
//! any more. An equation that defines a symbol makes either exact by
//! substitution, so for path formulas backward needs no more elimination than
//! weakest preconditions do. Symbols that are functions cannot be eliminated.
//!
//! A tree is worked off from its leaves: a node with the interpolants of its
//! children against everything outside of its subtree is a sequence of two; its
//! interpolant then takes the place of the subtree.

use super::{Direction, Verdict, exists, forall};
use crate::interpolate::{
    NoInterpolant, PartitionTree, Refutation, recheck_sequence, recheck_tree, refute, simplify,
};
use bolide_base::{Budget, HashMap, HashSet};
use bolide_terms::{Op, TermId, TermStore};

/// No larger formulas than this.
const SIZE: usize = 20_000;

/// Interpolants for the sequence, in the given direction or else in the other.
pub fn project_sequence(
    store: &mut TermStore,
    formulas: &[TermId],
    direction: Direction,
    budget: &Budget,
) -> Result<Verdict, NoInterpolant> {
    let Some(needed) = needed_conjuncts(store, formulas, budget)? else {
        return Ok(Verdict::Feasible);
    };
    let mut reasons = Vec::new();
    for direction in [direction, direction.opposite()] {
        let attempt = match direction {
            Direction::Backward => backward(store, &needed, budget),
            Direction::Forward => forward(store, &needed, budget),
        };
        let checked = attempt.and_then(|interpolants| {
            recheck_sequence(store, formulas, &interpolants, budget)
                .map_err(|flaw| NoInterpolant::new(flaw.reason))?;
            Ok(interpolants)
        });
        match checked {
            Ok(interpolants) => return Ok(Verdict::Infeasible(interpolants)),
            Err(why) => reasons.push(format!("{direction:?}: {}", why.reason)),
        }
    }
    Err(NoInterpolant::new(reasons.join("; ")))
}

/// Interpolants for the tree in which `parents[i]` is the parent of formula
/// `i` and the root names itself: one for each formula, the root's is `false`.
pub fn project_tree(
    store: &mut TermStore,
    formulas: &[TermId],
    parents: &[usize],
    budget: &Budget,
) -> Result<Verdict, NoInterpolant> {
    let tree = PartitionTree::new(parents)?;
    let mut order: Vec<usize> = (0..formulas.len()).collect();
    order.sort_unstable_by_key(|&node| tree.position(node));
    let Some(root) = order.pop() else {
        return Err(NoInterpolant::new("there are no formulas"));
    };
    let mut interpolants = vec![TermId::FALSE; formulas.len()];
    // The formulas that are not yet in a finished subtree, and the interpolants
    // of those that are.
    let mut open: Vec<Vec<TermId>> = formulas.iter().map(|&formula| vec![formula]).collect();
    for node in order {
        let inside = store.mk_and(&open[node]);
        let others = open.iter().enumerate().filter(|(other, _)| *other != node);
        let outside: Vec<TermId> = others.flat_map(|(_, members)| members).copied().collect();
        let outside = store.mk_and(&outside);
        match project_sequence(store, &[inside, outside], Direction::Backward, budget)? {
            Verdict::Feasible => return Ok(Verdict::Feasible),
            Verdict::Infeasible(points) => interpolants[node] = points[1],
        }
        open[node].clear();
        open[parents[node]].push(interpolants[node]);
    }
    if formulas.len() == 1 && matches!(refute(store, &[formulas[root]], budget), Refutation::Sat) {
        return Ok(Verdict::Feasible);
    }
    recheck_tree(store, formulas, parents, &interpolants, budget)
        .map_err(|flaw| NoInterpolant::new(flaw.reason))?;
    Ok(Verdict::Infeasible(interpolants))
}

/// The formulas without the conjuncts that the contradiction does not need;
/// none if there is no contradiction.
fn needed_conjuncts(
    store: &mut TermStore,
    formulas: &[TermId],
    budget: &Budget,
) -> Result<Option<Vec<TermId>>, NoInterpolant> {
    let mut conjuncts = Vec::new();
    let mut owner = Vec::new();
    for (number, &formula) in formulas.iter().enumerate() {
        let members =
            if store.op(formula) == Op::And { store.args(formula) } else { &[formula][..] };
        conjuncts.extend_from_slice(members);
        owner.resize(conjuncts.len(), number);
    }
    match refute(store, &conjuncts, budget) {
        Refutation::Sat => Ok(None),
        Refutation::Unknown(reason) => {
            Err(NoInterpolant::new(format!("the problem could not be decided: {reason}")))
        }
        Refutation::Unsat(core) => {
            let mut kept: Vec<Vec<TermId>> = vec![Vec::new(); formulas.len()];
            for number in core {
                kept[owner[number]].push(conjuncts[number]);
            }
            Ok(Some(kept.iter().map(|members| store.mk_and(members)).collect()))
        }
    }
}

fn backward(
    store: &mut TermStore,
    formulas: &[TermId],
    budget: &Budget,
) -> Result<Vec<TermId>, NoInterpolant> {
    // Where each constant occurs first.
    let mut first: HashMap<TermId, usize> = HashMap::default();
    for (number, &formula) in formulas.iter().enumerate() {
        for constant in store.constants(formula) {
            first.entry(constant).or_insert(number);
        }
    }
    let mut points = vec![TermId::FALSE];
    for (number, &formula) in formulas.iter().enumerate().skip(1).rev() {
        let after = *points.last().expect("never empty");
        let not = store.mk_not(formula);
        let goal = store.mk_or(&[not, after]);
        let local = |constant: &TermId| first.get(constant).is_none_or(|&at| at >= number);
        let before = eliminate(store, goal, local, forall, budget)?;
        points.push(before);
    }
    // The formulas contradict each other, so what comes first holds anyway; the
    // recheck makes sure.
    points.push(TermId::TRUE);
    points.reverse();
    Ok(points)
}

fn forward(
    store: &mut TermStore,
    formulas: &[TermId],
    budget: &Budget,
) -> Result<Vec<TermId>, NoInterpolant> {
    // Where each constant occurs last.
    let mut last: HashMap<TermId, usize> = HashMap::default();
    for (number, &formula) in formulas.iter().enumerate() {
        for constant in store.constants(formula) {
            last.insert(constant, number);
        }
    }
    let mut points = vec![TermId::TRUE];
    let all_but_last = formulas.len().saturating_sub(1);
    for (number, &formula) in formulas.iter().enumerate().take(all_but_last) {
        let before = *points.last().expect("never empty");
        let both = store.mk_and(&[before, formula]);
        let local = |constant: &TermId| last.get(constant).is_none_or(|&at| at <= number);
        let after = eliminate(store, both, local, exists, budget)?;
        points.push(after);
    }
    points.push(TermId::FALSE);
    Ok(points)
}

/// Eliminates the constants that are local, in whatever order succeeds.
fn eliminate(
    store: &mut TermStore,
    formula: TermId,
    local: impl Fn(&TermId) -> bool,
    quantify: fn(&mut TermStore, TermId, TermId) -> Option<TermId>,
    budget: &Budget,
) -> Result<TermId, NoInterpolant> {
    let mut result = simplify(store, formula);
    loop {
        budget.poll()?;
        if store.dag_size(result) > SIZE {
            return Err(NoInterpolant::new("a projection grows too large"));
        }
        let open: Vec<TermId> = store.constants(result).into_iter().filter(&local).collect();
        if open.is_empty() {
            return Ok(result);
        }
        let mut failed = HashSet::default();
        // The youngest first: they are the ones that are defined by the others.
        for &constant in open.iter().rev() {
            match quantify(store, constant, result) {
                Some(without) => {
                    result = simplify(store, without);
                    break;
                }
                None => {
                    failed.insert(constant);
                }
            }
        }
        if failed.len() == open.len() {
            return Err(NoInterpolant::new("a quantifier could not be eliminated"));
        }
    }
}
