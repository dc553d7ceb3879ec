//! The loop of the analysis: explore, suspect, refine.

use super::abstraction::Abstraction;
use super::abstraction::prover::Count;
use super::options::Options;
use super::refinement::guess::{self, Level};
pub use super::refinement::traces::AbstractCounterexample;
use super::refinement::{self, Refined, Step, traces};
use bolide_base::budget::Phase;
use bolide_base::{Budget, HashSet};
use bolide_heap::program::view::View;
use bolide_heap::{Formula, Undecided};
use bolide_reachability::verdict::Reason;
use bolide_verdict::certificate::BooleanHeaps;

/// How far the analysis came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Applications of the abstract post.
    pub posts: u64,
    /// Refinement steps.
    pub refinements: u64,
    /// Those of them that refined the post (phase 2).
    pub refined_posts: u64,
    /// Predicates in all, and the most at one location.
    pub predicates: u64,
    /// The most predicates at one location.
    pub most_predicates: u64,
    /// Predicates of all locations together.
    pub tracked: u64,
    /// Cut points, the entry apart.
    pub locations: u64,
    /// Boolean heaps at the end.
    pub heaps: u64,
    /// The longest way on which a heap was first reached.
    pub depth: u64,
    /// Questions that an earlier answer settled.
    pub hits: u64,
    /// What was asked of the heap logic.
    pub count: Count,
    /// Refutations of the audit, each with a checked proof.
    pub obligations: u64,
}

impl Statistics {
    /// For the report.
    pub fn figures(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("posts", self.posts),
            ("refinements", self.refinements),
            ("predicates", self.predicates),
            ("at one place", self.most_predicates),
            ("tracked", self.tracked),
            ("cut points", self.locations),
            ("heaps", self.heaps),
            ("deep", self.depth),
            ("sessions", self.count.sessions),
            ("queries", self.count.checks),
            ("prover calls", self.count.rounds),
            ("instances", self.count.instances),
            ("cache hits", self.hits),
            ("refined posts", self.refined_posts),
        ]
    }
}

/// What the analysis ends with.
pub enum Outcome {
    /// Boolean heaps that exclude all errors; to be audited.
    Proved(BooleanHeaps),
    /// A path to an error that was not excluded.
    Suspected(Box<AbstractCounterexample>),
    /// Neither.
    Unknown(Reason),
}

/// A heap-level program under analysis.
pub struct Analysis<'a> {
    pub(super) abstraction: Abstraction<'a>,
    level: Level,
    /// The refinements so far.
    pub refined: Vec<Refined>,
}

/// Refinement steps before the analysis gives up.
const REFINEMENTS: usize = 40;

impl<'a> Analysis<'a> {
    /// Prepares the analysis; `given` are predicates that the specification names.
    pub fn new(
        view: &'a View,
        given: &[Formula],
        options: &Options,
        budget: &'a Budget,
    ) -> Analysis<'a> {
        let mut analysis = Analysis::unguessed(view, given, options, budget);
        guess::guess(&mut analysis.abstraction, given, analysis.level);
        analysis
    }

    /// The same with only null told apart from other objects at the start: all else has to come from refinement.
    pub fn unguessed(
        view: &'a View,
        given: &[Formula],
        options: &Options,
        budget: &'a Budget,
    ) -> Analysis<'a> {
        let reach = guess::reach_fields(view, given);
        let abstraction = Abstraction::new(view, reach, options, budget);
        Analysis { abstraction, level: Level(0), refined: Vec::new() }
    }

    /// Runs until there is a proof, a suspicion that stays, or no way on.
    pub fn run(&mut self) -> Outcome {
        match self.explore_and_refine() {
            Ok(None) => Outcome::Proved(self.abstraction.certificate()),
            Ok(Some(counterexample)) => Outcome::Suspected(Box::new(counterexample)),
            Err(Undecided::Exhausted(what)) => Outcome::Unknown(Reason::Exhausted(what)),
            Err(Undecided::Prover(why)) => Outcome::Unknown(Reason::Solver(why)),
        }
    }

    /// A suspicion that stays; none when there is a proof.
    fn explore_and_refine(&mut self) -> Result<Option<AbstractCounterexample>, Undecided> {
        let progress = self.abstraction.budget.progress();
        loop {
            progress.enter(Phase::Exploring);
            let Some(suspected) = self.abstraction.explore()? else { return Ok(None) };
            progress.enter(Phase::Refining);
            let counterexample = traces::trace(&mut self.abstraction, suspected)?;
            if counterexample.feasible || self.refined.len() >= REFINEMENTS {
                return Ok(Some(counterexample));
            }
            let refined =
                refinement::refine(&mut self.abstraction, &mut self.level, &counterexample)?;
            let Some(refined) = refined else { return Ok(Some(counterexample)) };
            self.refined.push(refined);
            progress.refined(counterexample.paths.len());
        }
    }

    /// How far it came.
    pub fn statistics(&self) -> Statistics {
        let on = &self.abstraction;
        let mut all = HashSet::default();
        let (mut most, mut tracked) = (0, 0);
        for predicates in on.tracked.predicates.values() {
            let here = predicates.state.len() + predicates.domain.len();
            most = most.max(here);
            tracked += here;
            all.extend(predicates.state.iter().chain(&predicates.domain));
        }
        let of_posts = |r: &&Refined| matches!(r.step, Step::Post(_) | Step::Pivot);
        Statistics {
            posts: on.figures.posts,
            refinements: self.refined.len() as u64,
            refined_posts: self.refined.iter().filter(of_posts).count() as u64,
            predicates: all.len() as u64,
            most_predicates: most as u64,
            tracked: tracked as u64,
            locations: on.control.cuts.len() as u64 - 1,
            depth: on.reached.depth(),
            heaps: on.reached.states.values().map(|s| s.heaps.len() as u64).sum(),
            hits: on.hits(),
            count: on.figures.count,
            obligations: 0,
        }
    }
}
