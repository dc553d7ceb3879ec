//! k-induction: failures are never further away than `k` blocks from where nothing is wrong.
//!
//! The step: from any state at any cut point, in which the guessed facts hold there, and through cut points at
//! which they hold, no run of exactly `k` blocks ends in an error. With the base, that no run from the
//! start of the program fails within `k` rounds, no run fails at all. That a run did not fail before is part of it: errors are ends.
//! What the facts are is for others to say (`Task::facts`); with none, the property must be inductive by itself.
//!
//! Heuristic: the effort is bounded, since most programs are not k-inductive for any small `k`, and where
//! a step fails the next is tried first from the cut point from which it failed.

use super::session::Session;
use bolide_base::Budget;
use bolide_cfa::LocId;
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::Calls;
use bolide_reachability::implications::{self, Step};
use bolide_reachability::unrolling::{Measure, Start, Unroller};
use bolide_reachability::verdict::{Annotation, Reason};
use bolide_terms::TermStore;
use bolide_verdict::Certificate;
use std::collections::BTreeSet;

/// Polls of one attempt.
const EFFORT: u64 = 500_000;

/// No larger `k` is tried.
const BLOCKS: u32 = 34;

/// The step, for one `k` after the other.
pub struct Induction<'a, 'p> {
    unroller: Unroller<'a, 'p>,
    facts: Annotation,
    starts: Vec<LocId>,
    /// The last that was tried.
    pub k: u32,
}

impl<'a, 'p> Induction<'a, 'p> {
    /// For a program whose blocks assume the facts.
    pub fn new(
        program: &'a mut BlockProgram<'p>,
        calls: &'a Calls,
        store: &mut TermStore,
        facts: Annotation,
    ) -> Self {
        let steps = implications::steps(program, calls, store);
        let starts: BTreeSet<LocId> = steps.iter().map(Step::to).collect();
        let starts = starts.into_iter().collect();
        Induction { unroller: Unroller::new(program, calls), facts, starts, k: 0 }
    }

    /// Whether failures are never further away than `k` blocks; none also where that was not decided.
    pub fn prove(
        &mut self,
        store: &mut TermStore,
        k: u32,
        budget: &Budget,
    ) -> Result<Option<Certificate>, Reason> {
        if k > BLOCKS {
            return Ok(None);
        }
        self.k = k;
        let mut session = Session::new(&budget.child_for("induction", EFFORT));
        for position in 0..self.starts.len() {
            let holds = self.holds_from(store, self.starts[position], &mut session);
            budget.poll()?;
            if !matches!(holds, Ok(true)) {
                self.starts.swap(0, position);
                return Ok(None);
            }
        }
        Ok(Some(Certificate::Induction { k, facts: self.facts.clone() }))
    }

    /// The step from one cut point.
    fn holds_from(
        &mut self,
        store: &mut TermStore,
        start: LocId,
        session: &mut Session,
    ) -> Result<bool, Reason> {
        let (from, measure) = (Start::Anywhere(start), Measure::Blocks);
        let unrolled = self.unroller.unroll(store, from, measure, self.k, &session.budget)?;
        let error = unrolled.error_after(store, self.k);
        Ok(session.model(store, error)?.is_none())
    }
}
