//! Runs engines on a program and judges what they conclude. The only place
//! that names them all.
//!
//! | step | here |
//! |---|---|
//! | the program is executed on a few inputs, not for long | [`testing`] |
//! | it is simplified, and inlined where that can be done | [`task`](crate::task) |
//! | engines that can take it are put in order, with reasons | [`table`] |
//! | memory that is allocated on the heap is drawn, as long as that takes no time | [`shape::graphs`](crate::shape::graphs) |
//! | it is run with sets of values, and the way to an error that they show is tried | [`suspect`](crate::suspect) |
//! | of a small program, facts are guessed and the first engine is tried, for a moment; most are proved here | [`Task::guess`] |
//! | the program is executed on more inputs, and longer | [`testing`] |
//! | facts at loop heads are guessed, once for all engines; beside them where that takes long | [`Task::guess`] |
//! | they run side by side or one after the other | [`portfolio`] |
//! | where a run cannot be executed that is one in formulas only, all again with operations that are the machine's | [`decide`] |
//! | what they conclude is audited or executed | [`bolide_verdict::judge`](bolide_verdict::judge()) |
//! | what rests on something that nobody modelled does not count | [`foundation`] |
//!
//! An engine is a row of [`ENGINES`]: a name, for which programs it is worth
//! running, and a function from a prepared [`Task`] and a workbench to a conclusion. Engines that run side by side share
//! nothing but the prepared program, which nobody changes.
//!
//! Repeatable: with one thread (or one engine) everything is; with several,
//! which engine is first depends on time, the verdict does not, as every verdict is audited. Should
//! two engines contradict each other nobody is believed.

mod portfolio;
mod report;
mod table;

pub use report::{EngineRun, Report};
pub use table::{ENGINES, Engine, Rank, engine};

use crate::counts::{Count, Counts};
use crate::task::{Features, Orders, Task};
use crate::testing::{self, Tested};
use bolide_base::Budget;
use bolide_base::budget::Phase;
use bolide_cfa::Program;
use bolide_reachability::encode::{Exactness, Inexact};
use bolide_reachability::verdict::Reason;
use bolide_terms::TermStore;
use bolide_verdict::audit::{self, NoProofs, Terms};
use bolide_verdict::foundation::{self, Record};
use bolide_verdict::{Certificate, Conclusion, Verdict, judge};

/// What to do.
#[derive(Clone)]
pub struct Options {
    /// Which engine; without one they are chosen by the features of the program, several side by side.
    pub engine: Option<&'static Engine>,
    /// How many engines may run side by side when the choice is free.
    pub threads: usize,
    /// Whether the program may be executed to find violations when the choice is free.
    pub executions: bool,
    /// What engines are told.
    pub orders: Orders,
    /// What the front end knows.
    pub record: Record,
}

impl Default for Options {
    fn default() -> Self {
        let (orders, record) = Default::default();
        Options { engine: None, threads: 1, executions: true, orders, record }
    }
}

/// How the verdict of an execution is signed.
pub const EXECUTION: &str = "execution";

/// How often single operations are made exact before all are. Heuristic: each time the search begins again.
const REFINEMENTS: usize = 8;

/// How long another violation is looked for, in polls. Heuristic: some seconds.
const ANOTHER: u64 = 2_000_000;

/// Heuristic: a way that tables suggest is one path, and not worth more than this.
const SUSPICION: u64 = 100_000;

/// Heuristic: about as long as executions take that come next, in polls, if a program has not more statements: one
/// question about a large block takes seconds.
const TRY: u64 = 20_000;
const SMALL: u64 = 800;

/// Heuristic: facts that take longer are guessed beside the engines.
const GUESSING: u64 = 300_000;

/// Verifies a program as lowering made it. A verdict that rests on unmodelled meaning is none.
pub fn verify(original: &Program, options: &Options, budget: &Budget) -> Report {
    let mut report = decide(original, options, budget);
    let Some(reason) = foundation::objection(original, &options.record, &report.verdict) else {
        return report;
    };
    let violated = report.verdict.violated();
    report.verdict = Verdict::Unknown(reason);
    let Some(check) = violated else { return report };
    // An invariant that somebody claims is about the numbers of the engines; that an execution violates it
    // after signed overflow says nothing. That an engine does says more.
    if options.orders.claimed.contains(&check) {
        if !options.executions {
            return report;
        }
        let options = Options { executions: false, ..options.clone() };
        return verify(original, &options, budget);
    }
    if let Some(found) = another_violation(original, options, budget) {
        report.verdict = found.verdict;
        report.winner = found.winner;
        report.runs.extend(found.runs);
    }
    report
}

/// After a violation that shows nothing: one that does.
fn another_violation(original: &Program, options: &Options, budget: &Budget) -> Option<Report> {
    let program = foundation::without_unfounded(original)?;
    let budget = budget.child_for("another violation", ANOTHER);
    let report = decide(&program, options, &budget);
    let stands = report.verdict.violated().is_some()
        && foundation::objection(original, &options.record, &report.verdict).is_none();
    stands.then_some(report)
}

/// Whether an error location can be reached, whatever that rests on.
pub fn decide(original: &Program, options: &Options, budget: &Budget) -> Report {
    let mut one_long_run = false;
    let executions = options.executions && options.orders.guess;
    if options.engine.is_none() && executions {
        match execute(original, testing::Options::few(), budget) {
            Executed::Decided(verdict) => return executed(verdict),
            Executed::Endless => one_long_run = true,
            Executed::Nothing => {}
        }
    }
    let mut task = Task::new(original, &options.orders, budget.progress());
    if task.has_no_checks() {
        let nothing = Conclusion::Safe(Certificate::NothingToCheck);
        let (store, known) = (&mut TermStore::new(), &mut NoProofs);
        let mut terms = Terms::new(store, Exactness::default(), known);
        let verdict = judge(&task.programs, &nothing, &mut terms, budget);
        return shortly(verdict, "simplification", "no engine: nothing can be violated");
    }
    let unexecuted = !executions;
    let features = Features { one_long_run, unexecuted, ..task.features() };
    let (mut engines, chosen) = table::choose(options.engine, &features);
    if let Some(report) = glance(&task, options, &engines, budget) {
        return report;
    }
    let guesses = options.orders.guess && engines.iter().any(|engine| engine.wants_facts);
    let tries = options.engine.is_none() && executions && !one_long_run;
    let is_small = features.counts.get(Count::Edges) <= SMALL;
    if guesses {
        task.tables = task.tabulate(budget);
        if options.engine.is_none() && executions && task.tables.way.is_some() {
            let report = portfolio::briefly(&task, &table::SUSPECT, SUSPICION, true, budget);
            if report.verdict.violated().is_some() {
                return Report { chosen: "the way that tables of values suggest".into(), ..report };
            }
        }
        if tries
            && is_small
            && let Some(report) = attempt(&mut task, engines[0], budget)
        {
            return Report { counts: features.counts, ..report };
        }
    }
    if tries
        && let Executed::Decided(verdict) = execute(original, testing::Options::default(), budget)
    {
        return executed(verdict);
    }
    if guesses && task.guessed.get().is_none() {
        guess(&mut task, options, &mut engines, budget);
    }
    let (mut report, inexact) = portfolio::run(&task, &engines, options.threads, chosen, budget);
    let missing = match report.verdict {
        Verdict::Unknown(_) => task.missing(),
        _ => Vec::new(),
    };
    if matches!(report.verdict, Verdict::Unknown(Reason::NotReplayed(_))) {
        report = refine(task, options, &features, (report, inexact), budget);
    }
    Report { missing, counts: features.counts, ..report }
}

/// The encoding is refined where it says more than the program can do: operations, then bytes, on demand.
fn refine(
    mut task: Task<'_>,
    options: &Options,
    features: &Features,
    (mut report, mut inexact): (Report, Inexact),
    budget: &Budget,
) -> Report {
    for round in 1.. {
        if !matches!(report.verdict, Verdict::Unknown(Reason::NotReplayed(_)))
            || budget.poll().is_err()
        {
            break;
        }
        if round > REFINEMENTS {
            inexact = Inexact::default();
        }
        let Some(finer) = task.refined(&inexact, budget.progress()) else { break };
        task = finer;
        let exact = task.orders.exact.all;
        let (mut engines, chosen) =
            table::choose(options.engine, &Features { exact, ..features.clone() });
        // What could not be proved before may be now.
        if options.orders.guess && engines.iter().any(|engine| engine.wants_facts) {
            task.tables = task.tabulate(budget);
            guess(&mut task, options, &mut engines, budget);
        }
        let exact = &task.orders.exact;
        let which = match exact.all {
            true => "all operations".into(),
            false if exact.operations.is_empty() => "some memory".into(),
            false if exact.operations.len() == 1 => "one operation".into(),
            false => format!("{} operations", exact.operations.len()),
        };
        let chosen = format!("{}; again, with {which} as the machine's: {chosen}", report.chosen);
        let (again, found) = portfolio::run(&task, &engines, options.threads, chosen, budget);
        let runs = [report.runs, again.runs.clone()].concat();
        report = Report { runs, ..again };
        inexact = found;
    }
    report
}

/// What the first engine decides with little effort. Facts that were found stay.
fn attempt(task: &mut Task<'_>, first: &'static Engine, budget: &Budget) -> Option<Report> {
    let found = task.guess(&budget.child_for("guesses", TRY)).ok()?;
    task.guessed = found.into();
    let report = portfolio::briefly(task, first, TRY / first.pace, false, budget);
    let chosen = format!("{}: a first attempt", first.name);
    report.verdict.is_decided().then_some(Report { chosen, ..report })
}

/// What memory graphs decide with little effort, where memory is allocated on the heap.
fn glance(
    task: &Task<'_>,
    options: &Options,
    engines: &[&'static Engine],
    budget: &Budget,
) -> Option<Report> {
    let is_chosen = engines.iter().any(|engine| engine.name == table::GLANCE.name);
    if options.engine.is_some() || !is_chosen {
        return None;
    }
    let (report, _) = portfolio::run(task, &[&table::GLANCE], 1, String::new(), budget);
    let chosen = "a glance at memory graphs".into();
    report.verdict.is_decided().then_some(Report { chosen, ..report })
}

/// Guesses facts. Where that takes long and no engine was asked for, these begin without, and one more goes on
/// guessing beside them.
fn guess(
    task: &mut Task<'_>,
    options: &Options,
    engines: &mut Vec<&'static Engine>,
    budget: &Budget,
) {
    let limited = match options.engine {
        Some(_) => budget.clone(),
        None => budget.child_for("guesses", GUESSING),
    };
    match task.guess(&limited) {
        Err(Reason::Exhausted(_)) if options.engine.is_none() => engines.insert(0, &table::LATE),
        found => task.guessed = found.unwrap_or_default().into(),
    }
}

/// What a few executions showed.
enum Executed {
    Decided(Verdict),
    /// There is one run, and it is long.
    Endless,
    Nothing,
}

fn execute(original: &Program, options: testing::Options, budget: &Budget) -> Executed {
    budget.progress().enter(Phase::Executing);
    let mut tested = testing::test(original, options, budget);
    if matches!(tested, Tested::Endless) {
        // Heuristic: a second is less than what the engines need for a long run.
        tested = testing::test(original, testing::Options::one_run(20_000_000), budget);
    }
    match tested {
        Tested::Violation(violation) => Executed::Decided(Verdict::False(violation)),
        Tested::OnlyRun => match audit::only_run(original, budget) {
            Ok(()) => Executed::Decided(Verdict::True {
                invariants: Vec::new(),
                contracts: Vec::new(),
                obligations: 0,
            }),
            Err(Reason::Exhausted(_)) => Executed::Endless,
            Err(_) => Executed::Nothing,
        },
        Tested::Endless => Executed::Endless,
        Tested::Nothing => Executed::Nothing,
    }
}

fn executed(verdict: Verdict) -> Report {
    shortly(verdict, EXECUTION, "executing the program")
}

/// What was decided before any engine ran.
fn shortly(verdict: Verdict, winner: &'static str, chosen: &str) -> Report {
    Report {
        verdict,
        chosen: chosen.into(),
        winner: Some(winner),
        runs: Vec::new(),
        missing: Vec::new(),
        counts: Counts::default(),
    }
}
