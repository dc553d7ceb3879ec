//! Whole programs without annotations.
//!
//! First the program is executed on a few inputs and unwound a little
//! ([`unwinding`]): what has few runs is decided there. Then the analysis looks
//! for invariants. A path to an error that the heap logic does not exclude comes
//! with inputs; the interpreter tries them on the original program.

use super::analysis::{AbstractCounterexample, Analysis, Outcome};
use super::audit;
use super::certificate::Certificate;
use super::program::view::{self, View};
use super::unwinding::{self, Limits, Unwound};
use crate::choose::{Finding, Invariant, Statistics, Task, Verdict};
use crate::testing::{self, Tested};
use bolide_base::Budget;
use bolide_cfa::transform::Mapped;
use bolide_cfa::value::Value;
use bolide_cfa::{CheckId, EdgeId, LocId};
use bolide_heap::{Certainty, Undecided};
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_verdict::replay::{self, Violation};

/// A first look: short runs only.
const GLANCE: testing::Options =
    testing::Options { runs: 60, steps_of_run: 20_000, steps: 300_000 };

/// A tree of paths larger than this is left to the analysis.
const TREE: Limits = Limits { visits: 12, checks: 1500, instances: 60_000 };

/// Decides a task, as far as the heap logic goes.
pub fn verify(task: &Task<'_>, budget: &Budget) -> Finding {
    if let Tested::Violation(violation) = testing::test(task.programs.original, GLANCE, budget) {
        let statistics = Statistics::default();
        return Finding { verdict: Verdict::False(violation), statistics };
    }
    let explored = match &task.programs.inlined {
        Ok(explored) => match explored.is_faithful() {
            Ok(()) => &explored.mapped,
            Err(reason) => return Finding::unknown(reason),
        },
        Err(why) => return Finding::unknown(Reason::Unsupported(why.to_string())),
    };
    let program = &explored.program;
    let mut statistics = Statistics {
        explored: (program.locations.len(), program.edges.len()),
        ..Statistics::default()
    };
    let view = match view::view(program, program.entry) {
        Ok(view) => view,
        Err(why) => {
            let reason = Reason::Unsupported(format!("by the engine shape: {why}"));
            return Finding { verdict: Verdict::Unknown(reason), statistics };
        }
    };
    if let Some(verdict) = unwound(task, explored, &view, budget) {
        return Finding { verdict, statistics };
    }
    let mut analysis = Analysis::new(&view, &[], &task.options.shape, budget);
    let outcome = analysis.run();
    statistics.figures = analysis.statistics().figures();
    if task.options.pictures {
        analysis.draw(program, &mut statistics.picture);
    }
    let verdict = match outcome {
        Outcome::Proved(heaps) => {
            let invariants = heaps.show(&view.signature, view.bound);
            audited(explored, Certificate::Heaps(heaps), invariants, budget)
        }
        Outcome::Suspected(suspicion) => suspected(task, explored, &view, &suspicion, budget),
        Outcome::Unknown(reason) => Verdict::Unknown(reason),
    };
    Finding { verdict, statistics }
}

/// The verdict of a certificate.
fn audited(
    explored: &Mapped,
    certificate: Certificate,
    invariants: Vec<(LocId, String)>,
    budget: &Budget,
) -> Verdict {
    let ours = |(location, text)| {
        let location = explored.locations[location]?;
        Some(Invariant { location, text, c: "1".into() })
    };
    match audit::program(&explored.program, &certificate, budget) {
        Ok(obligations) => Verdict::True {
            invariants: invariants.into_iter().filter_map(ours).collect(),
            contracts: Vec::new(),
            obligations: obligations as usize,
        },
        Err(reason) => Verdict::Unknown(reason),
    }
}

/// A verdict from the tree of all paths, if that is small.
fn unwound(task: &Task<'_>, explored: &Mapped, view: &View, budget: &Budget) -> Option<Verdict> {
    let program = &explored.program;
    match unwinding::unwind(program, view, TREE, budget) {
        Ok(Unwound::Safe(tree)) => {
            Some(audited(explored, Certificate::Paths(tree), Vec::new(), budget))
        }
        Ok(Unwound::Unbounded) | Err(Undecided::Prover(_)) => None,
        Ok(Unwound::Reaches { steps, choices }) => {
            let check = view.errors[&view.steps[*steps.last()?].to];
            let path = steps.iter().filter_map(|&s| view.steps[s].edge).collect();
            let violation = replayed(task, explored, path, choices, check, budget)?;
            Some(Verdict::False(Box::new(violation)))
        }
        Err(Undecided::Exhausted(what)) => Some(Verdict::Unknown(Reason::Exhausted(what))),
    }
}

fn replayed(
    task: &Task<'_>,
    explored: &Mapped,
    path: Vec<EdgeId>,
    choices: Vec<(EdgeId, Value)>,
    check: CheckId,
    budget: &Budget,
) -> Option<Violation> {
    let counterexample = Counterexample { path, choices, check };
    replay::replay(task.programs.original, explored, &counterexample, budget).ok()
}

fn suspected(
    task: &Task<'_>,
    explored: &Mapped,
    view: &View,
    suspicion: &AbstractCounterexample,
    budget: &Budget,
) -> Verdict {
    let program = &explored.program;
    let steps: Vec<usize> = suspicion.paths.iter().flat_map(|p| p.steps.iter().copied()).collect();
    let check = suspicion.paths.last().and_then(|p| view.errors.get(&p.to)).copied();
    if let (true, Some(check)) = (suspicion.feasible, check) {
        let choices = unwinding::choices(program, view, &steps, &suspicion.values);
        let path = steps.iter().filter_map(|&s| view.steps[s].edge).collect();
        if let Some(violation) = replayed(task, explored, path, choices, check, budget) {
            return Verdict::False(Box::new(violation));
        }
    }
    let options = testing::Options::default();
    if let Tested::Violation(violation) = testing::test(task.programs.original, options, budget) {
        return Verdict::False(violation);
    }
    let what = check.map(|check| program.checks[check].description.clone()).unwrap_or_default();
    let how = if suspicion.feasible { "may" } else { "is not excluded to" };
    let why = match suspicion.certainty {
        Certainty::NoRefutation(why) if suspicion.feasible => format!(" (not decided: {why})"),
        _ => String::new(),
    };
    Verdict::Unknown(Reason::NotReplayed(format!("{how} happen: {what}{why}")))
}
