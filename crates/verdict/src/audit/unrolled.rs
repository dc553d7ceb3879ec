//! Whether runs are as short as is claimed, and whether a property is k-inductive.
//!
//! *No run has more rounds.* The unrolling of the program with that many rounds has one
//! formula: that an error is reached, or the bound exceeded. It is refuted. So every run stays
//! within the bound (the first step beyond it would be a model), and none within the bound fails. These are the unwinding
//! assertions of Clarke, Kroening and Lerda (TACAS 2004).
//!
//! *k-induction*, after Sheeran, Singh and Stålmarck (FMCAD 2000), with auxiliary invariants as Beyer, Dangl and
//! Wendler have them (CAV 2015). Three things are proved of a program without calls:
//!
//! 1. the facts hold at cut points, whatever happens at errors ([`invariants::facts`](super::invariants));
//! 2. no run of at most `k` blocks from the start ends in an error;
//! 3. no run of exactly `k` blocks from a cut point at which the facts hold, through others where they hold,
//!    ends in an error.
//!
//! A run that ends in an error after more than `k` blocks would have a last part of `k` blocks, which
//! starts at a cut point that something leads to, in a state in which the facts hold: it contradicts the
//! third. That no block before the last ends in an error is part of being a run: errors are ends.
//!
//! The unrolling is made anew here, from blocks that were cut and encoded here.

use super::invariants;
use super::known::Terms;
use super::refused::refused;
use crate::prepared::Intervals;
use bolide_base::Budget;
use bolide_cfa::{LocId, Program};
use bolide_reachability::calls::Calls;
use bolide_reachability::encode::Exactness;
use bolide_reachability::unrolling::{Measure, Start, Unroller};
use bolide_reachability::verdict::{Annotation, Reason};
use bolide_smt::discharge::discharge;
use bolide_terms::TermStore;

/// Whether no run has more rounds, and none fails: how many obligations were discharged.
///
/// # Errors
/// When that is not so, or was not decided.
pub fn check(
    program: &Program,
    intervals: Intervals<'_>,
    rounds: u32,
    exact: &Exactness,
    budget: &Budget,
) -> Result<usize, Reason> {
    let store = &mut TermStore::new();
    let mut blocks = invariants::blocks(program, intervals, store, exact)?;
    let calls = Calls::new(&blocks, store).map_err(Reason::Unsupported)?;
    let mut unroller = Unroller::new(&mut blocks, &calls);
    let unrolled = unroller.unroll(store, Start::Program, Measure::Rounds, rounds, budget)?;
    let (error, beyond) = (unrolled.error(store), unrolled.beyond(store));
    let either = store.mk_or(&[error, beyond]);
    discharge(store, &[either], budget, || format!("the program of {rounds} rounds"))?;
    Ok(1)
}

/// Whether no run of `k` blocks fails, from the start or from where the facts hold: how many obligations were
/// discharged.
///
/// # Errors
/// When that is not so, or was not decided.
pub fn induction(
    program: &Program,
    intervals: Intervals<'_>,
    (k, facts): (u32, &Annotation),
    terms: &mut Terms<'_>,
    budget: &Budget,
) -> Result<usize, Reason> {
    if k == 0 {
        return Err(refused("a run of no blocks says nothing"));
    }
    let invariants::Facts { mut blocks, mut store, facts, mut obligations } =
        invariants::facts(program, intervals, facts, terms, budget)?;
    // Required: there are none.
    let (store, calls) = (&mut store, Calls::default());
    let base = Unroller::new(&mut blocks, &calls).unroll(
        store,
        Start::Program,
        // A run of k blocks has at most k rounds.
        Measure::Rounds,
        k,
        budget,
    )?;
    let error = base.error(store);
    discharge(store, &[error], budget, || format!("the first {k} blocks"))?;
    obligations += 1;
    blocks.assume_invariants(&facts);
    let led_to = |l: &LocId| !program.locations[*l].incoming.is_empty();
    let mut starts: Vec<LocId> = facts.keys().copied().filter(led_to).collect();
    starts.sort_unstable();
    let mut unroller = Unroller::new(&mut blocks, &calls);
    for start in starts {
        let from = Start::Anywhere(start);
        let unrolled = unroller.unroll(store, from, Measure::Blocks, k, budget)?;
        let error = unrolled.error_after(store, k);
        discharge(store, &[error], budget, || format!("{k} blocks from {start:?}"))?;
        obligations += 1;
    }
    Ok(obligations)
}
