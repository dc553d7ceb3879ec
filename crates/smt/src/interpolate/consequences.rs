//! Interpolants that are conjunctions of literals which one side implies.
//!
//! If both sides know an atom, and A implies it or its negation, then that literal is a part of an
//! interpolant, and often such literals are all of it: the Cartesian abstraction of A by the atoms
//! at hand. The same from the other end: B contradicts what is not all of the literals that
//! B implies. Where this succeeds the interpolant is as small as people write it, which a proof that
//! splits many cases never is.

use super::failure::Found;
use super::recheck::refute;
use crate::solver::{Answer, Solver};
use bolide_base::Budget;
use bolide_terms::evaluate::Evaluator;
use bolide_terms::{TermId, TermStore};

/// An interpolant of two contradictory formulas made of the atoms, which both sides know, or of
/// their negations.
pub(super) fn literal_interpolant(
    store: &mut TermStore,
    sides: [TermId; 2],
    atoms: &[TermId],
    budget: &Budget,
) -> Found<Option<TermId>> {
    let [a, b] = sides;
    if let Some(literals) = refuting_consequences(store, a, b, atoms, budget)? {
        return Ok(Some(store.mk_and(&literals)));
    }
    if let Some(literals) = refuting_consequences(store, b, a, atoms, budget)? {
        let negations: Vec<TermId> =
            literals.into_iter().map(|literal| store.mk_not(literal)).collect();
        return Ok(Some(store.mk_or(&negations)));
    }
    Ok(None)
}

/// Literals that one side implies and that contradict the other, none more than needed.
fn refuting_consequences(
    store: &mut TermStore,
    side: TermId,
    other: TermId,
    atoms: &[TermId],
    budget: &Budget,
) -> Found<Option<Vec<TermId>>> {
    let mut solver = Solver::default();
    solver.assert(store, side, 0);
    let model = match solver.check(store, &[], budget) {
        Answer::Unsat => return Ok(Some(vec![TermId::FALSE])),
        Answer::Sat => solver.take_model().expect("a satisfiable check has one"),
        Answer::Unknown(_) => return Ok(None),
    };
    let mut evaluator = Evaluator::new(store, &model);
    let holding: Vec<bool> = atoms.iter().map(|&atom| evaluator.holds(atom)).collect();
    let mut implied = Vec::new();
    for (&atom, holds) in atoms.iter().zip(holding) {
        budget.poll()?;
        let negation = store.mk_not(atom);
        let (literal, assumed) = if holds { (atom, negation) } else { (negation, atom) };
        if solver.check(store, &[assumed], budget) == Answer::Unsat {
            implied.push(literal);
        }
    }
    if !contradicts(store, &mut implied, other, budget) {
        return Ok(None);
    }
    // The largest are left out first.
    implied.sort_by_key(|&literal| std::cmp::Reverse(store.tree_size(literal)));
    let mut position = 0;
    while position < implied.len() {
        budget.poll()?;
        let mut without = implied.clone();
        without.remove(position);
        if contradicts(store, &mut without, other, budget) {
            implied = without;
        } else {
            position += 1;
        }
    }
    Ok(Some(implied))
}

/// Whether the literals contradict the formula; if so, those that do not matter are dropped.
fn contradicts(
    store: &mut TermStore,
    literals: &mut Vec<TermId>,
    formula: TermId,
    budget: &Budget,
) -> bool {
    let mut all = literals.clone();
    all.push(formula);
    match refute(store, &all, budget) {
        Ok(Some(core)) => {
            let needed = core.into_iter().filter(|&number| number < literals.len());
            *literals = needed.map(|number| literals[number]).collect();
            true
        }
        _ => false,
    }
}
