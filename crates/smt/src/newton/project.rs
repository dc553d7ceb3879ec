//! Interpolants of any sequence of formulas by projection, without a proof.
//!
//! Projections of sequences and trees of formulas. Backward:
//! the interpolant before a formula says that the formula implies the
//! interpolant after it, for all values of the symbols that do not occur before.
//! Forward: the interpolant after a formula says that the formula and the
//! interpolant before it hold, for some values of the symbols that do not occur
//! any more. An equation that defines a symbol makes either exact by
//! substitution, so for path formulas backward needs no more elimination than
//! weakest preconditions do. Symbols that are functions cannot be eliminated.
//!
//! Where elimination fails, exactness is given up: a symbol that the formulas before do know is
//! left in, and of the rest what mentions the symbol is dropped, such that the
//! result gets stronger (backward) or weaker (forward). Whether that was too much
//! the recheck of the sequence tells.
//!
//! A tree is worked off from its leaves, each cut as a sequence of two.

use super::eliminate::{push_negation, split_literal};
use super::{Direction, exists};
use crate::interpolate::{
    NoInterpolant, from_the_leaves, needed_conjuncts, recheck_sequence, recheck_tree, refute,
    simplify,
};
use bolide_base::{Budget, HashMap};
use bolide_terms::{Op, TermId, TermStore};

/// No larger formulas than this.
const SIZE: usize = 20_000;

/// Interpolants for the sequence, in the given direction or else in the other: one more than there
/// are formulas, from `true` to `false`. None if the formulas have a model.
pub fn project_sequence(
    store: &mut TermStore,
    formulas: &[TermId],
    direction: Direction,
    budget: &Budget,
) -> Result<Option<Vec<TermId>>, NoInterpolant> {
    let Some(needed) = needed_conjuncts(store, formulas, budget)? else {
        return Ok(None);
    };
    let mut reasons = Vec::new();
    for direction in [direction, direction.opposite()] {
        let mut exact = true;
        let attempt = project(store, direction, formulas, &needed, &mut exact, budget);
        let checked = attempt.and_then(|interpolants| {
            let rechecked = recheck_sequence(store, formulas, &interpolants, budget);
            rechecked.map_err(|flaw| match exact {
                true => NoInterpolant::new(flaw.detail()),
                false => NoInterpolant::new("a quantifier could not be eliminated"),
            })?;
            Ok(interpolants)
        });
        match checked {
            Ok(interpolants) => return Ok(Some(interpolants)),
            Err(why) => reasons.push(format!("{direction:?}: {}", why.reason)),
        }
    }
    Err(NoInterpolant::new(reasons.join("; ")))
}

/// Interpolants for the tree in which `parents[i]` is the parent of formula
/// `i` and the root names itself: one for each formula, the root's is `false`. None if the formulas
/// have a model.
pub fn project_tree(
    store: &mut TermStore,
    formulas: &[TermId],
    parents: &[usize],
    budget: &Budget,
) -> Result<Option<Vec<TermId>>, NoInterpolant> {
    if formulas.len() == 1 && refute(store, formulas, budget) == Ok(None) {
        return Ok(None);
    }
    let found = from_the_leaves(store, formulas, parents, |store, inside, outside| {
        let points = project_sequence(store, &[inside, outside], Direction::Backward, budget)?;
        Ok(points.map(|points| points[1]))
    })?;
    let Some(interpolants) = found else {
        return Ok(None);
    };
    recheck_tree(store, formulas, parents, &interpolants, budget)
        .map_err(|flaw| NoInterpolant::new(flaw.detail()))?;
    Ok(Some(interpolants))
}

/// Where each constant occurs first and last.
fn occurrences(store: &TermStore, formulas: &[TermId]) -> HashMap<TermId, (usize, usize)> {
    let mut found: HashMap<TermId, (usize, usize)> = HashMap::default();
    for (number, &formula) in formulas.iter().enumerate() {
        for constant in store.constants(formula) {
            found.entry(constant).or_insert((number, number)).1 = number;
        }
    }
    found
}

/// The interpolants of the sequence `all` from what is `needed` of it.
fn project(
    store: &mut TermStore,
    direction: Direction,
    all: &[TermId],
    needed: &[TermId],
    exact: &mut bool,
    budget: &Budget,
) -> Result<Vec<TermId>, NoInterpolant> {
    let (known, known_needed) = (occurrences(store, all), occurrences(store, needed));
    let count = needed.len().saturating_sub(1);
    let backward = direction == Direction::Backward;
    let order: Vec<usize> =
        if backward { (1..=count).rev().collect() } else { (0..count).collect() };
    // Backward the negations: `forall x: goal` is `not exists x: not goal`. The formulas
    // contradict each other, so what comes first, or last, holds anyway; the recheck makes sure.
    let mut points = vec![TermId::TRUE];
    for number in order {
        let before = *points.last().expect("never empty");
        let both = store.mk_and(&[before, needed[number]]);
        // Whether the formulas on the other side do not know the constant.
        let gone = |known: &HashMap<TermId, (usize, usize)>, constant: &TermId| {
            let beyond = |&(first, last): &(usize, usize)| {
                if backward { first >= number } else { last <= number }
            };
            known.get(constant).is_none_or(beyond)
        };
        points.push(eliminate(
            store,
            both,
            |constant| gone(&known_needed, constant),
            |constant| gone(&known, constant),
            exact,
            budget,
        )?);
    }
    points.push(TermId::FALSE);
    if backward {
        points.reverse();
        points = points.into_iter().map(|point| store.mk_not(point)).collect();
    }
    Ok(points)
}

/// `exists` over the constants that are to go, in whatever order succeeds. Those that
/// must go do, if need be at the price of a weaker result, which then is not exact.
fn eliminate(
    store: &mut TermStore,
    formula: TermId,
    shall_go: impl Fn(&TermId) -> bool,
    must_go: impl Fn(&TermId) -> bool,
    exact: &mut bool,
    budget: &Budget,
) -> Result<TermId, NoInterpolant> {
    let mut result = simplify(store, formula);
    loop {
        budget.poll()?;
        if store.dag_size(result) > SIZE {
            return Err(NoInterpolant::new("a projection grows too large"));
        }
        let open: Vec<TermId> = store.constants(result).into_iter().filter(&shall_go).collect();
        // The youngest first: they are the ones that are defined by the others.
        let without = open.iter().rev().find_map(|&constant| exists(store, constant, result));
        if let Some(without) = without {
            result = simplify(store, without);
            continue;
        }
        let stuck: Vec<TermId> = open.into_iter().filter(&must_go).collect();
        if stuck.is_empty() {
            return Ok(result);
        }
        if matches!(refute(store, &[result], budget), Ok(Some(_))) {
            return Ok(TermId::FALSE);
        }
        *exact = false;
        result = weaken(store, &stuck, result);
        result = simplify(store, result);
    }
}

/// No more literals than this are split into cases before they are dropped.
const SPLITS: usize = 200;

/// The formula with `true` for every literal that mentions one of the constants.
/// Whether a read meets a write is often known without them, so cases come first.
fn weaken(store: &mut TermStore, constants: &[TermId], formula: TermId) -> TermId {
    let mentions = |store: &TermStore, formula: TermId| {
        constants.iter().any(|&constant| store.occurs(constant, formula))
    };
    if !mentions(store, formula) {
        return formula;
    }
    // From the leaves, by explicit stack: a formula is left when its parts are known.
    let mut splits = SPLITS;
    let mut done: HashMap<TermId, TermId> = HashMap::default();
    // What a literal was split into.
    let mut cases: HashMap<TermId, TermId> = HashMap::default();
    let mut work = vec![formula];
    while let Some(&next) = work.last() {
        if done.contains_key(&next) {
            work.pop();
            continue;
        }
        let pushed = push_negation(store, next);
        let op = store.op(pushed);
        let parts = match op {
            Op::And | Op::Or if mentions(store, pushed) => store.args(pushed).to_vec(),
            _ if !mentions(store, pushed) => {
                done.insert(next, pushed);
                continue;
            }
            _ => {
                let split = match cases.get(&next) {
                    Some(&split) => Some(split),
                    None if splits == 0 => None,
                    None => split_literal(store, pushed),
                };
                match split {
                    None => {
                        done.insert(next, TermId::TRUE);
                    }
                    Some(split) => {
                        if let Some(&weak) = done.get(&split) {
                            done.insert(next, weak);
                        } else {
                            splits = splits.saturating_sub(1);
                            cases.insert(next, split);
                            work.push(split);
                        }
                    }
                }
                continue;
            }
        };
        let before = work.len();
        work.extend(parts.iter().filter(|part| !done.contains_key(part)));
        if work.len() == before {
            let parts: Vec<TermId> = parts.iter().map(|part| done[part]).collect();
            done.insert(next, store.mk_junction(op, &parts));
        }
    }
    done[&formula]
}
