//! Whole programs without annotations.
//!
//! First the program is executed on a few inputs and unwound a little
//! ([`unwinding`]): what has few runs is decided there. Before that it is executed on [memory graphs](graphs), which need no
//! prover. Then the analysis looks for invariants. A path to an error that the heap logic does not exclude comes
//! with inputs; the interpreter tries them on the original program.

use super::analysis::{AbstractCounterexample, Analysis, Outcome};
use super::graphs::{self, Attempt, Failure};
use super::unwinding::{self, Limits, Unwound};
use crate::suspect;
use crate::task::Task;
use crate::testing::{self, Tested};
use crate::workbench::Workbench;
use bolide_base::Budget;
use bolide_cfa::transform::Mapped;
use bolide_cfa::value::Value;
use bolide_cfa::{CheckId, EdgeId};
use bolide_heap::program::view::{self, View};
use bolide_heap::{Certainty, Undecided};
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_verdict::replay;
use bolide_verdict::{Certificate, Conclusion};

/// A first look: short runs only.
const GLANCE: testing::Options =
    testing::Options { runs: 60, steps_of_run: 20_000, steps: 300_000, alone: false, led: 0 };

/// A tree of paths larger than this is left to the analysis.
const TREE: Limits = Limits { visits: 12, checks: 1500, instances: 60_000 };

/// Polls for one path that memory graphs suggest.
const SUSPICION: u64 = 100_000;

/// Decides a task, as far as the heap logic goes.
pub fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    let budget = &bench.budget();
    if let Some(run) = executed(task, GLANCE, budget) {
        return run;
    }
    let explored = match explored(task, bench) {
        Ok(explored) => explored,
        Err(reason) => return Conclusion::Unknown(reason),
    };
    let program = &explored.program;
    let failure = match on_graphs(task, explored, bench, graphs::ATTEMPTS) {
        Ok(conclusion) => return conclusion,
        Err(failure) => failure,
    };
    let view = match view::view(program, program.entry) {
        Ok(view) => view,
        Err(why) => {
            let why = format!("by the engine shape: {why}; by memory graphs: {failure}");
            return Conclusion::Unknown(Reason::Unsupported(why));
        }
    };
    if let Some(conclusion) = unwound(task, explored, &view, budget) {
        return conclusion;
    }
    let mut analysis = Analysis::new(&view, &[], &task.orders.shape, budget);
    let outcome = analysis.run();
    bench.statistics.figures = analysis.statistics().figures();
    if bench.statistics.picture.wanted {
        analysis.draw(program, &mut bench.statistics.picture);
    }
    match outcome {
        Outcome::Proved(heaps) => Conclusion::Safe(Certificate::Heaps(heaps)),
        Outcome::Suspected(suspicion) => suspected(task, explored, &view, &suspicion, budget),
        Outcome::Unknown(reason) => Conclusion::Unknown(reason),
    }
}

/// Decides a task where memory graphs do so with little effort.
pub fn glance(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    match explored(task, bench) {
        Ok(explored) => {
            on_graphs(task, explored, bench, graphs::GLANCE).unwrap_or_else(|failure| {
                Conclusion::Unknown(Reason::NoProgress(format!("by memory graphs: {failure}")))
            })
        }
        Err(reason) => Conclusion::Unknown(reason),
    }
}

/// The program, without calls.
fn explored<'t>(task: &'t Task<'_>, bench: &mut Workbench<'_>) -> Result<&'t Mapped, Reason> {
    let inlined = task.programs.inlined.as_ref();
    let explored = inlined.map_err(|why| Reason::Unsupported(why.to_string()))?;
    explored.is_faithful()?;
    let program = &explored.mapped.program;
    bench.statistics.explored = (program.locations.len(), program.edges.len());
    Ok(&explored.mapped)
}

/// What memory graphs prove. They are no part of the thesis, and not what is drawn.
fn on_graphs(
    task: &Task<'_>,
    explored: &Mapped,
    bench: &mut Workbench<'_>,
    attempts: &[Attempt],
) -> Result<Conclusion, Failure> {
    let budget = &bench.budget();
    if !task.orders.guess || task.orders.shape.wants_heaps() {
        return Err(Failure::Many);
    }
    match graphs::prove(&explored.program, attempts, budget) {
        Ok(graphs) => {
            let count = graphs.places.values().map(|all| all.len() as u64).sum();
            bench.statistics.figures = vec![("graphs", count)];
            bench.statistics.part = Some(graphs::PART);
            Ok(Conclusion::Safe(Certificate::Graphs(graphs)))
        }
        Err(Failure::Exhausted(what)) => Ok(Conclusion::Unknown(Reason::Exhausted(what))),
        // Formulas may be about another program than this one, without what they do not follow.
        Err(Failure::Suspected(way)) if task.programs.followed.is_none() => {
            let limited = budget.child_for("a suspicion", SUSPICION);
            let path = suspect::follow(bench, &way, &limited);
            let run = path
                .and_then(|path| replay::replay(task.programs.original, explored, &path, budget));
            run.map(|run| Conclusion::run(Box::new(run))).map_err(|_| Failure::Suspected(way))
        }
        Err(failure) => Err(failure),
    }
}

/// A violation that an execution with guessed inputs shows.
fn executed(task: &Task<'_>, options: testing::Options, budget: &Budget) -> Option<Conclusion> {
    if !task.orders.guess {
        return None;
    }
    match testing::test(task.programs.original, options, budget) {
        Tested::Violation(violation) => Some(Conclusion::run(violation)),
        _ => None,
    }
}

/// What the tree of all paths says, if that is small.
fn unwound(task: &Task<'_>, explored: &Mapped, view: &View, budget: &Budget) -> Option<Conclusion> {
    match unwinding::unwind(&explored.program, view, TREE, budget) {
        Ok(Unwound::Safe(tree)) => Some(Conclusion::Safe(Certificate::Paths(tree))),
        Ok(Unwound::Unbounded) | Err(Undecided::Prover(_)) => None,
        Ok(Unwound::Reaches { steps, choices }) => {
            let check = view.errors[&view.steps[*steps.last()?].to];
            replayed(task, explored, view, &steps, choices, check, budget)
        }
        Err(Undecided::Exhausted(what)) => Some(Conclusion::Unknown(Reason::Exhausted(what))),
    }
}

/// A path to an error that can be executed. (The paths of others are not through this program, nor would these
/// say what memory holds.)
fn replayed(
    task: &Task<'_>,
    explored: &Mapped,
    view: &View,
    steps: &[usize],
    choices: Vec<(EdgeId, Value)>,
    check: CheckId,
    budget: &Budget,
) -> Option<Conclusion> {
    let path = steps.iter().filter_map(|&s| view.steps[s].edge).collect();
    let counterexample = Counterexample { path, choices, check };
    let found = replay::replay(task.programs.original, explored, &counterexample, budget).ok()?;
    Some(Conclusion::run(Box::new(found)))
}

fn suspected(
    task: &Task<'_>,
    explored: &Mapped,
    view: &View,
    suspicion: &AbstractCounterexample,
    budget: &Budget,
) -> Conclusion {
    let program = &explored.program;
    let steps: Vec<usize> = suspicion.paths.iter().flat_map(|p| p.steps.iter().copied()).collect();
    let check = suspicion.paths.last().and_then(|p| view.errors.get(&p.to)).copied();
    if let (true, Some(check)) = (suspicion.feasible, check) {
        let choices = unwinding::choices(program, view, &steps, &suspicion.values);
        let found = replayed(task, explored, view, &steps, choices, check, budget);
        if let Some(conclusion) = found {
            return conclusion;
        }
    }
    if let Some(run) = executed(task, testing::Options::default(), budget) {
        return run;
    }
    let what = check.map(|check| program.checks[check].description.clone()).unwrap_or_default();
    let how = if suspicion.feasible { "may" } else { "is not excluded to" };
    let why = match suspicion.certainty {
        Certainty::NoRefutation(why) if suspicion.feasible => format!(" (not decided: {why})"),
        _ => String::new(),
    };
    Conclusion::Unknown(Reason::NotReplayed(format!("{how} happen: {what}{why}")))
}
