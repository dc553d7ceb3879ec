//! Runs engines on a program and audits what they conclude. The only place
//! that names them all.
//!
//! | step | here |
//! |---|---|
//! | the program is executed on a few inputs | [`testing`] |
//! | it is simplified, and inlined where that can be done | [`task`] |
//! | facts at loop heads are guessed, once for all engines | [`blocks`] |
//! | engines that can take it are put in order, with reasons | [`table`] |
//! | they run side by side or one after the other | [`portfolio`] |
//! | what they conclude is audited | [`blocks`] |
//! | invariants in the words of the original program | [`show`] |
//!
//! An engine is an entry of [`table::ENGINES`]: a name, for which programs it is worth
//! running, and a function from a prepared [`Task`] and a
//! budget to an audited [`Finding`]. Engines that run side by side share
//! nothing but the prepared program, which nobody changes: each has a term
//! store, blocks and a prover of its own.
//!
//! Repeatable: with one thread (or one engine) everything is; with several,
//! which engine is first depends on time, the verdict does not, as every verdict is audited. Should
//! two engines contradict each other nobody is believed.

mod blocks;
mod portfolio;
mod show;
mod table;
mod task;

pub use blocks::{BlockSearch, with_blocks};
pub use table::{ENGINES, Entry, Features};
pub use task::Task;

use crate::picture::Picture;
use crate::testing::{self, Tested};
use crate::{constraint_logic, predicate_abstraction, trace_abstraction};
use bolide_base::Budget;
use bolide_base::budget::Phase;
use bolide_cfa::analysis::BlockOptions;
use bolide_cfa::{CheckId, FunctionId, LocId, Program};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::Calls;
use bolide_reachability::prover;
use bolide_reachability::verdict::Reason;
use bolide_terms::TermStore;
use bolide_verdict::audit;
use bolide_verdict::replay::Violation;

/// Which engine is to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Engine {
    /// By the features of the program, several side by side.
    #[default]
    Auto,
    /// Lazy abstraction with interpolants.
    Impact,
    /// Lazy predicate abstraction.
    Predicate,
    /// Refinement of trace abstraction.
    Trace,
    /// Constraint-logic queries.
    Clp,
    /// Symbolic shape analysis.
    Shape,
    /// Nothing but executing the program, for long.
    Execution,
}

/// What to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which engine.
    pub engine: Engine,
    /// How many engines may run side by side when the choice is free.
    pub threads: usize,
    /// Every location is a cut point, as in the papers.
    pub single_blocks: bool,
    /// What the engine `predicate` is told.
    pub predicate: predicate_abstraction::Options,
    /// What the engine `trace` is told.
    pub trace: trace_abstraction::Options,
    /// Whether engines are to draw what they did.
    pub pictures: bool,
    /// Checks that stand for what somebody claims to be invariant: candidates for invariants where
    /// they stand.
    pub claimed: Vec<CheckId>,
    /// Whether `auto` may execute the program to find violations.
    pub executions: bool,
    /// What the engine `shape` is told.
    pub shape: crate::shape::Options,
    /// Whether bit operations on unknown values are taken apart into bits.
    pub exact_bits: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            engine: Engine::Auto,
            threads: 1,
            single_blocks: false,
            predicate: predicate_abstraction::Options::default(),
            trace: trace_abstraction::Options::default(),
            pictures: false,
            claimed: Vec::new(),
            executions: true,
            shape: crate::shape::Options::default(),
            exact_bits: false,
        }
    }
}

/// An invariant for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The location in the original program.
    pub location: LocId,
    /// In infix notation.
    pub text: String,
    /// What of it can be said in C, over variables visible there.
    pub c: String,
}

/// What holds of a function that was not inlined, for people: whenever it is
/// entered with the precondition, it leaves with the postcondition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionContract {
    /// The function of the original program.
    pub function: FunctionId,
    /// At its entry, in infix notation.
    pub precondition: String,
    /// At its exit, in terms of the values at its entry.
    pub postcondition: String,
}

/// An audited verdict.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No check can be violated.
    True {
        /// At loop heads.
        invariants: Vec<Invariant>,
        /// Of functions that were not inlined.
        contracts: Vec<FunctionContract>,
        /// How many proof obligations were discharged with checked proofs.
        obligations: usize,
    },
    /// A check was violated by executing the program.
    False(Box<Violation>),
    /// Neither.
    Unknown(Reason),
}

impl Verdict {
    /// A proof that is not one by invariants.
    pub fn proved_without_invariants(obligations: usize) -> Verdict {
        Verdict::True { invariants: Vec::new(), contracts: Vec::new(), obligations }
    }

    /// Whether it is `true` or `false`.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Verdict::Unknown(_))
    }
}

/// What happened on the way of one engine.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// What the solver was asked.
    pub prover: prover::Statistics,
    /// Locations and edges of the explored program.
    pub explored: (usize, usize),
    /// How far the engine came, in its own words.
    pub figures: Vec<(&'static str, u64)>,
    /// What the engine drew or tabulated, if it was asked to: file names and contents.
    pub drawings: Vec<(String, String)>,
    /// The engine's graphs and where it needed how many predicates, if it was asked to show them.
    pub picture: Picture,
}

/// What an engine found, audited, and how far it came.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// What happened on the way.
    pub statistics: Statistics,
}

impl Finding {
    /// No verdict, for a reason that was known before any work.
    pub fn unknown(reason: Reason) -> Finding {
        Finding { verdict: Verdict::Unknown(reason), statistics: Statistics::default() }
    }
}

/// What one engine did.
#[derive(Clone, Debug)]
pub struct EngineRun {
    /// Its name.
    pub engine: &'static str,
    /// How it ended: `true`, `false` or why not.
    pub outcome: String,
    /// What happened on the way.
    pub statistics: Statistics,
}

/// A verdict and how it came about.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// What was chosen, and why.
    pub chosen: String,
    /// Whose verdict it is; none for unknown.
    pub winner: Option<&'static str>,
    /// What the engines did, in the order in which they were chosen.
    pub runs: Vec<EngineRun>,
}

/// How the verdict of an execution is signed.
pub const EXECUTION: &str = "execution";

/// Verifies a program as lowering made it.
pub fn verify(original: &Program, options: &Options, budget: &Budget) -> Report {
    let mut one_long_run = false;
    if options.engine == Engine::Auto && options.executions {
        budget.progress().enter(Phase::Executing);
        let mut tested = testing::test(original, testing::Options::default(), budget);
        if matches!(tested, Tested::Endless) {
            // Heuristic: a second is less than what the engines need for a long run.
            tested = testing::test(original, testing::Options::one_run(20_000_000), budget);
        }
        match tested {
            Tested::Violation(violation) => return executed(Verdict::False(violation)),
            Tested::OnlyRun => return executed(Verdict::proved_without_invariants(0)),
            Tested::Endless => one_long_run = true,
            Tested::Nothing => {}
        }
    }
    budget.progress().enter(Phase::Simplifying);
    let mut task = Task::new(original, options);
    if task.has_no_checks() {
        let verdict = match audit::nothing_to_check(task.programs.flattest()) {
            Ok(_) => Verdict::proved_without_invariants(0),
            Err(reason) => Verdict::Unknown(reason),
        };
        return Report {
            verdict,
            chosen: "no engine: nothing can be violated".into(),
            winner: Some("simplification"),
            runs: Vec::new(),
        };
    }
    if matches!(options.engine, Engine::Auto | Engine::Impact | Engine::Predicate) {
        task.facts = blocks::guess(task.programs.flattest(), options, budget);
    }
    let features = Features { one_long_run, ..task.features() };
    let (mut entries, chosen) = table::choose(options.engine, &features);
    if !options.executions && options.engine == Engine::Auto {
        entries.retain(|entry| entry.engine != Engine::Execution);
    }
    portfolio::run(&task, &entries, chosen, budget)
}

/// What executing the program decided.
fn executed(verdict: Verdict) -> Report {
    Report {
        verdict,
        chosen: "executing the program".into(),
        winner: Some(EXECUTION),
        runs: Vec::new(),
    }
}

/// The program as Horn clauses, as the engine `clp` sees it, without arguments on which
/// nothing depends.
pub fn horn_clauses(
    original: &Program,
    options: &Options,
) -> Result<(TermStore, bolide_horn::system::System), Reason> {
    let task = Task::new(original, options);
    let explored = &task.programs.simplified;
    let mut store = TermStore::new();
    let cuts = BlockOptions { calls: true, single: options.single_blocks };
    let mut blocks =
        BlockProgram::new(&explored.mapped.program, &mut store, cuts, explored.intervals());
    blocks.slots.exact_bits = options.exact_bits;
    let calls = Calls::new(&blocks, &mut store).map_err(Reason::Unsupported)?;
    let rules = constraint_logic::rules::rules(&mut blocks, &mut store, &calls);
    let system = bolide_horn::simplify::used_arguments(&mut store, &rules.system);
    Ok((store, system))
}

/// What was violated, in the original program.
pub fn violated(verdict: &Verdict) -> Option<CheckId> {
    match verdict {
        Verdict::False(violation) => Some(violation.check),
        _ => None,
    }
}
