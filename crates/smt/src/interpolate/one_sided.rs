//! Interpolants over arrays from instances of axioms that are over one side each.
//!
//! A proof over arrays may use an instance that joins terms of both sides, say the read over
//! write `x = a or store(m, x, y)[a] = m[a]` where only A knows `x` and only B knows `a`. Neither
//! side can say it, so such a proof has no interpolant. But another proof has: each side
//! instantiates the axioms with terms that it knows, and what the sides know together is enlarged by
//! terms over shared symbols until that suffices (the way of Totla and Wies, *Complete
//! instantiation-based interpolation*, POPL 2013, for local theory extensions). Then nothing of
//! arrays is left, and the instances of A and those of B are interpolated as formulas over
//! functions without meaning and arithmetic ([`scan`](super::scan)), which never fails for want of
//! a common language: equalities between terms of both sides are split there.
//!
//! *abstractions-from-proofs* says that McCarthy's theory has no interpolants without quantifiers:
//! A is `n = store(m, x, y)`, B says that `m` and `n` differ at two places. With a name for *some*
//! index at which two arrays differ it has (Bruttomesso, Ghilardi and Ranise, *Quantifier-free
//! interpolation of a theory of arrays*, 2012): `n = store(m, d, n[d])` for `d = diff(m, n)`. So the
//! paper needs memory without arrays for its Theorem 1, and we do not; the price is the
//! operator `diff` in interpolants. The solver knows its axiom, and so do models and the checker of
//! proofs.
//!
//! Which instances are asserted a model of those so far says, and what both sides know grows by one
//! step whenever it violates none ([`instances`](super::instances)). The interpolant is a
//! conjunction or disjunction of literals if it can be ([`consequences`](super::consequences)); else
//! it is read off the proof, after everything was left out that the contradiction does not need.
//!
//! Sequences and trees are worked off from their leaves (`tree`): an interpolant takes the place of
//! its subtree, so each cut is a problem of two sides.
//!
//! Limits: arrays over finite index sorts, where counting elements may be the reason of a
//! contradiction, and constant arrays over uninterpreted indices, where no number names a place.

use super::consequences::literal_interpolant;
use super::failure::{Found, NoInterpolant};
use super::instances::Instances;
use super::recheck::{needed_conjuncts, refute};
use super::scan::{Options, interpolate_sequence};
use super::simplify::simplify;
use super::tree::from_the_leaves;
use super::uninterpreted::Uninterpreted;
use crate::solver::{Answer, Config, Solver};
use bolide_base::Budget;
use bolide_terms::{Op, TermId, TermStore};

/// How often the search for literals polls its budget.
const LITERAL_POLLS: u64 = 50_000;

/// Interpolants of a tree of formulas that contradict each other, as
/// [`interpolate_tree`](super::interpolate_tree) describes them. None if the formulas have a model.
pub(super) fn one_sided_interpolants(
    store: &mut TermStore,
    formulas: &[TermId],
    parents: &[usize],
    options: &Options,
) -> Found<Option<Vec<TermId>>> {
    let Some(needed) = needed_conjuncts(store, formulas, &options.budget)? else {
        return Ok(None);
    };
    from_the_leaves(store, &needed, parents, |store, inside, outside| {
        interpolant(store, [inside, outside], options).map(Some)
    })
}

/// The interpolant between two formulas.
fn interpolant(store: &mut TermStore, formulas: [TermId; 2], options: &Options) -> Found<TermId> {
    let quantified = |&term: &TermId| matches!(store.op(term), Op::Forall | Op::Exists);
    if store.subterms(&formulas).iter().any(quantified) {
        return Err(NoInterpolant::new("quantifiers are not interpolated"));
    }
    let mut arrays = Uninterpreted::default();
    let mut instances = Instances::new(store, formulas);
    let budget = &options.budget;
    let contradiction = contradictory_core(store, formulas, &mut instances, &mut arrays, budget)?;
    let atoms = shared_atoms(store, &instances, &contradiction, &arrays);
    // Heuristic: so much effort for a small interpolant and no more.
    let effort = budget.child_for("literals", LITERAL_POLLS);
    if let Ok(Some(found)) = literal_interpolant(store, formulas, &atoms, &effort) {
        return Ok(found);
    }
    budget.poll()?;
    let contradiction = minimal_core(store, contradiction, budget)?;
    let found = from_proof(store, &contradiction, options)?;
    let restored = arrays.restore(store, found);
    Ok(if options.simplify { simplify(store, restored) } else { restored })
}

/// The interpolant of translated formulas from their proof.
fn from_proof(
    store: &mut TermStore,
    formulas: &[(usize, TermId)],
    options: &Options,
) -> Found<TermId> {
    let mut solver = Solver::new(Config { proofs: true });
    for &(side, formula) in formulas {
        solver.assert(store, formula, side as u32);
    }
    match solver.check(store, &[], &options.budget) {
        Answer::Unsat => {}
        Answer::Unknown(why) => return Err(NoInterpolant::new(why.to_string())),
        Answer::Sat => unreachable!("a core has no model"),
    }
    let proof = solver.proof(store).expect("proofs are on");
    let points = interpolate_sequence(store, &proof, 2, options)?;
    Ok(points[1])
}

/// The atoms of translated formulas that both sides know, with arrays.
fn shared_atoms(
    store: &mut TermStore,
    instances: &Instances,
    formulas: &[(usize, TermId)],
    arrays: &Uninterpreted,
) -> Vec<TermId> {
    let mut atoms = instances.linked().to_vec();
    for &(_, formula) in formulas {
        let restored = arrays.restore(store, formula);
        atoms.extend(store.atoms(restored));
    }
    atoms.sort_unstable();
    atoms.dedup();
    atoms.retain(|&atom| instances.is_shared(store, atom));
    atoms
}

/// The formulas and instances, translated, that contradict each other.
fn contradictory_core(
    store: &mut TermStore,
    formulas: [TermId; 2],
    instances: &mut Instances,
    arrays: &mut Uninterpreted,
    budget: &Budget,
) -> Found<Vec<(usize, TermId)>> {
    let mut solver = Solver::default();
    let mut asserted: Vec<(usize, TermId)> = Vec::new();
    let mut new: Vec<(usize, TermId)> = Vec::new();
    for (side, formula) in formulas.into_iter().enumerate() {
        new.extend(store.conjuncts(formula).into_iter().map(|conjunct| (side, conjunct)));
    }
    loop {
        for (side, formula) in new {
            let translated = arrays.translate(store, formula);
            solver.assert(store, translated, 0);
            asserted.push((side, translated));
        }
        match solver.check(store, &[], budget) {
            Answer::Unsat => break,
            Answer::Unknown(why) => return Err(NoInterpolant::new(why.to_string())),
            Answer::Sat => {}
        }
        let model = solver.take_model().expect("a satisfiable check has one");
        new = loop {
            budget.poll()?;
            let violated = instances.violated(store, arrays, &model);
            if !violated.is_empty() {
                break violated;
            }
            if !instances.enlarge(store, arrays, &model) {
                let reason = "the array axioms of each side alone do not contradict each other";
                return Err(NoInterpolant::new(reason));
            }
        };
    }
    let translated: Vec<TermId> = asserted.iter().map(|&(_, formula)| formula).collect();
    match refute(store, &translated, budget) {
        Ok(Some(core)) => Ok(core.into_iter().map(|number| asserted[number]).collect()),
        _ => Ok(asserted),
    }
}

/// Those of the formulas that are needed for the contradiction: leaving one out gives a model.
fn minimal_core(
    store: &mut TermStore,
    mut formulas: Vec<(usize, TermId)>,
    budget: &Budget,
) -> Found<Vec<(usize, TermId)>> {
    // The last so many are known to be needed.
    let mut needed = 0;
    while needed < formulas.len() {
        budget.poll()?;
        let kept: Vec<TermId> = formulas[1..].iter().map(|&(_, formula)| formula).collect();
        match refute(store, &kept, budget) {
            Ok(Some(core)) => formulas = core.iter().map(|number| formulas[number + 1]).collect(),
            _ => {
                formulas.rotate_left(1);
                needed += 1;
            }
        }
    }
    Ok(formulas)
}
