//! Lazy nested abstraction refinement (Figure 4.2 of the thesis).
//!
//! An abstract error trace that cannot be executed has two nodes that matter. The *spurious node* `r_s` is the oldest one
//! from whose abstract state the rest of the trace can be executed: there the abstraction forgot something. Its
//! predecessor is the *pivot node* `r_p`: from its abstract state the rest cannot be executed, so
//! what is needed was still known there. The search goes back from the error, one query for each node.
//!
//! * Phase 1 refines the domain: predicates from the weakest precondition of the path that leaves `r_s`, at the
//!   location of `r_s` only ([`Step::Domain`]).
//! * Phase 2, when these are known already, refines the post between the two (*Cartesian refinement*). The thesis
//!   splits the states of `r_p` by the weakest precondition of the path that leaves it, until the Cartesian post loses
//!   nothing that matters. Here the post of the paths that end at the location of `r_s` becomes the full one, which
//!   splits by itself ([`Step::Post`]), and the next time that of the paths to the locations before. Where it is that already, predicates from the weakest precondition
//!   of the path that leaves `r_p` are added there, and split its states and objects ([`Step::Pivot`]).
//!
//! Both look first at those conditions of the path that contradict the pivot's state (an unsatisfiable core), and say
//! them first of the objects that variables point to, then of any object.
//!
//! Deviations. Predicates belong to locations, not to nodes of a tree; what is removed is every heap at the refined
//! location and every heap that one of these contributed to ([`Abstraction::forget`]), the rest of the fixed point
//! stands. When both phases have nothing new, which with weakest preconditions that are not exact can happen, predicates are
//! added along the whole trace, and at last more is guessed ([`Step::Everywhere`], [`Step::Guess`]).

pub mod guess;
mod predicates;
pub mod traces;

use super::abstraction::Abstraction;
use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_heap::program::view::Command;
use bolide_heap::{Formula, Undecided};
use bolide_verdict::certificate::Predicates;
use guess::{LEVELS, Level};
use predicates::Suggestion;
use std::collections::{BTreeSet, VecDeque};
use traces::AbstractCounterexample;

/// What a refinement did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Phase 1: predicates for the spurious node.
    Domain,
    /// Phase 2, Cartesian refinement: the post to this location is not Cartesian any more.
    Post(LocId),
    /// Phase 2 where it is not: predicates for the pivot node.
    Pivot,
    /// Predicates for all nodes of the trace.
    Everywhere,
    /// More predicates of the first guess.
    Guess,
}

/// A refinement, for people and tests.
#[derive(Clone, Debug)]
pub struct Refined {
    /// Locations of the trace, from the entry to the error.
    pub trace: Vec<LocId>,
    /// The place of the spurious node in the trace; the pivot is the one before.
    pub spurious: usize,
    /// What was done.
    pub step: Step,
    /// What was added, in the annotation language, by location.
    pub added: Vec<(LocId, String)>,
}

/// What is tried, in this order: conditions that contradict the pivot's state, then all; of named objects,
/// then of any. Between them what the loops that end at the node leave behind.
const ATTEMPTS: [(Wanted, Suggestion); 5] = [
    (Wanted::Core, Suggestion::Atoms),
    (Wanted::All, Suggestion::LeftBehind),
    (Wanted::Core, Suggestion::Generalised),
    (Wanted::All, Suggestion::Atoms),
    (Wanted::All, Suggestion::Generalised),
];

/// What is tried when nothing else is left: what the path asks of values that it chooses. Measured: earlier, it costs
/// Client.createMove a quarter of its time.
const LAST: [(Wanted, Suggestion); 1] = [(Wanted::All, Suggestion::AnyValue)];

/// Which conditions of a path count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// Those that contradict the pivot's state, if they do.
    Core,
    /// All.
    All,
}

struct Refinement<'r, 'a> {
    on: &'r mut Abstraction<'a>,
    level: &'r mut Level,
}

/// Adds predicates that tell a spurious trace apart, and removes the heaps that this concerns; what it did, or none when
/// there are no more. `level` says how much was guessed.
///
/// # Errors
/// When the budget is exhausted or the prover gives up.
pub fn refine(
    on: &mut Abstraction<'_>,
    level: &mut Level,
    trace: &AbstractCounterexample,
) -> Result<Option<Refined>, Undecided> {
    let Some(refined) = Refinement { on, level }.refine(trace)? else { return Ok(None) };
    let mut changed: HashSet<LocId> = refined.added.iter().map(|(cut, _)| *cut).collect();
    if let Step::Post(location) = refined.step {
        changed.insert(location);
    }
    on.forget(changed);
    Ok(Some(refined))
}

impl Refinement<'_, '_> {
    /// Adds predicates that tell the spurious trace apart; what it did, or none when there are no more.
    fn refine(&mut self, trace: &AbstractCounterexample) -> Result<Option<Refined>, Undecided> {
        let commands: Vec<Vec<Command>> =
            trace.paths.iter().map(|path| self.on.commands(&path.steps)).collect();
        let before = self.on.tracked.predicates.clone();
        let spurious = self.spurious_node(trace, &commands)?;
        let step = match spurious {
            0 => None,
            spurious => self.nested(trace, &commands, spurious)?,
        };
        let step = step.or_else(|| self.guess_more());
        Ok(step.map(|step| {
            let mut places: Vec<LocId> = trace.paths.iter().map(|path| path.from).collect();
            places.extend(trace.paths.last().map(|path| path.to));
            let added = self.added_since(&before);
            Refined { trace: places, spurious, step, added }
        }))
    }

    /// The place of the spurious node: the oldest from whose state the rest of the trace can be executed.
    fn spurious_node(
        &mut self,
        trace: &AbstractCounterexample,
        commands: &[Vec<Command>],
    ) -> Result<usize, Undecided> {
        // From the last node the error is reached, from the entry it is not.
        let mut spurious = trace.paths.len() - 1;
        while spurious > 1 {
            let pivot = trace.heaps[spurious - 1];
            let rest = commands[spurious - 1..].concat();
            if !traces::is_feasible_from(self.on, pivot, rest)? {
                break;
            }
            spurious -= 1;
        }
        Ok(spurious)
    }

    /// The two phases for a spurious node, then all nodes.
    fn nested(
        &mut self,
        trace: &AbstractCounterexample,
        commands: &[Vec<Command>],
        spurious: usize,
    ) -> Result<Option<Step>, Undecided> {
        let pivot = spurious - 1;
        let rest = commands[pivot..].concat();
        let core = traces::conflict_from(self.on, trace.heaps[pivot], rest)?;
        // By the numbers of commands of the whole trace.
        let first: usize = commands[..pivot].iter().map(Vec::len).sum();
        let core: Option<BTreeSet<usize>> =
            core.map(|core| core.into_iter().map(|number| first + number).collect());
        if self.attempt(trace, commands, &[spurious], &ATTEMPTS, core.as_ref()) {
            return Ok(Some(Step::Domain));
        }
        if self.on.operator.cartesian
            && let Some(location) = self.refine_post(trace.heaps[spurious].0)
        {
            return Ok(Some(Step::Post(location)));
        }
        // Nothing is abstracted at the entry.
        if pivot > 0 && self.attempt(trace, commands, &[pivot], &ATTEMPTS, core.as_ref()) {
            return Ok(Some(Step::Pivot));
        }
        let all: Vec<usize> = (1..commands.len()).collect();
        let added = self.attempt(trace, commands, &all, &ATTEMPTS, core.as_ref())
            || self.attempt(trace, commands, &all, &LAST, core.as_ref());
        Ok(added.then_some(Step::Everywhere))
    }

    /// Makes the post of all paths to a location the full one, or, where it is that already, of those to the nearest location
    /// before it; which one that was. A heap is the join of what several paths contribute, and each
    /// of them, or of those before them, may have brought in what is spurious.
    fn refine_post(&mut self, location: LocId) -> Option<LocId> {
        let (mut seen, mut open) = (HashSet::default(), VecDeque::from([location]));
        while let Some(location) = open.pop_front() {
            if !seen.insert(location) {
                continue;
            }
            let mut refined = false;
            for cut in &self.on.control.cuts {
                for (number, path) in self.on.control.paths[cut].iter().enumerate() {
                    if path.to == location {
                        refined |= self.on.operator.precise.insert((*cut, number));
                        open.push_back(*cut);
                    }
                }
            }
            if refined {
                return Some(location);
            }
        }
        None
    }

    /// Adds what the path after each of the nodes suggests for it; false when all of that is known.
    fn attempt(
        &mut self,
        trace: &AbstractCounterexample,
        commands: &[Vec<Command>],
        nodes: &[usize],
        attempts: &[(Wanted, Suggestion)],
        core: Option<&BTreeSet<usize>>,
    ) -> bool {
        attempts.iter().any(|&(which, suggestion)| {
            let mut added = false;
            for &node in nodes {
                let first: usize = commands[..node].iter().map(Vec::len).sum();
                let wanted = |number: usize| match which {
                    Wanted::Core => core.is_some_and(|core| core.contains(&(first + number))),
                    Wanted::All => true,
                };
                let cut = trace.paths[node].from;
                let found = match suggestion {
                    Suggestion::LeftBehind => self.left_behind(cut),
                    _ => {
                        let rest = commands[node..].concat();
                        predicates::suggested(
                            self.on.view,
                            &self.on.reach,
                            &rest,
                            wanted,
                            suggestion,
                        )
                    }
                };
                added |= self.on.track(cut, found);
            }
            added
        })
    }

    /// What the paths that end at a cut point leave behind.
    fn left_behind(&self, cut: LocId) -> Vec<Formula> {
        let all = self.on.control.cuts.iter().flat_map(|from| &self.on.control.paths[from]);
        let ending = all.filter(|path| path.to == cut);
        ending
            .flat_map(|path| predicates::left_behind(self.on.view, &self.on.commands(&path.steps)))
            .collect()
    }

    fn guess_more(&mut self) -> Option<Step> {
        while self.level.0 < LEVELS {
            self.level.0 += 1;
            let before = self.on.tracked.predicates.clone();
            guess::guess(self.on, &[], *self.level);
            if before != self.on.tracked.predicates {
                return Some(Step::Guess);
            }
        }
        None
    }

    fn added_since(&self, before: &HashMap<LocId, Predicates>) -> Vec<(LocId, String)> {
        let mut added = Vec::new();
        for cut in &self.on.control.cuts {
            let Some(now) = self.on.tracked.predicates.get(cut) else { continue };
            let old = before.get(cut).map_or((0, 0), |p| (p.state.len(), p.domain.len()));
            for formula in now.state[old.0..].iter().chain(&now.domain[old.1..]) {
                added.push((*cut, self.on.view.signature.show(formula)));
            }
        }
        added
    }
}
