//! The interpreter: runs a program concretely, as gcc's binary would.
//!
//! Every counterexample is confirmed here before it is reported, so this
//! module, with [`crate::value`], is the definition of what a program does.
//! It runs any [`Program`], before and after the transforms.
//!
//! - **Steps.** From a location the edge is taken whose `Assume` holds; where
//!   several edges are enabled, [`Choices`] decides. Edges are tried in order;
//!   a condition that cannot be evaluated after another edge was found enabled
//!   counts as not enabled.
//! - **Values** that the program does not determine come from [`Choices`]:
//!   inputs, variables and memory that were never written, results of
//!   functions without a body. Memory that was read once keeps its value. A
//!   function without a body changes no memory here, which is one of the
//!   behaviours it may have.
//! - **Undefined behaviour** that no check caught ends the run as
//!   [`Outcome::Undefined`]: division by zero, accesses outside live objects,
//!   writes to constants, invalid frees, calls of what is no function. Signed
//!   overflow and shifts by too much do what the machine does, but are remembered: an error location
//!   that is reached later is no violation.
//! - **Memory** is described in `memory.rs`, the code that expressions are
//!   compiled to in `compile.rs`.
//! - `Leaked` looks for heap objects that cannot be reached from global
//!   variables, parameters and locals of live frames, and live static and
//!   stack memory. Temporaries and results of lowering count only where they may
//!   still be read: else they hold stale copies that no program could name. An object whose
//!   address became a number is never lost.
//!
//! Calls use a stack of frames of our own, so that recursion of the program is
//! bounded by [`Config::depth_limit`] and not by our stack.

mod choices;
mod code;
mod compile;
mod determined;
mod eval;
mod execute;
mod memory;
mod output;
mod printf;
mod scanf;
mod slot;

pub use choices::{
    Answers, Birth, Choices, Input, Inputs, MemoryPlace, Repeat, Request, Source, environment,
};
pub use execute::View;

use crate::program::{CheckId, EdgeId, FunctionId, Program, VarId};
use crate::value::{self, Pointer, Value};
use bolide_base::{Budget, Exhausted};

/// Why an access to memory is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// Through the null pointer.
    Null,
    /// No object lives at the address.
    NoObject,
    /// The object's life has ended.
    Dead,
    /// Outside the bounds of its object.
    OutOfBounds,
    /// A write to a constant or a string literal.
    ReadOnly,
    /// A function is no data.
    Function,
    /// Freed what was not allocated, or not at its start.
    NotAllocated,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Fault::Null => "access through a null pointer",
            Fault::NoObject => "access to an address where no object lives",
            Fault::Dead => "access to an object whose life has ended",
            Fault::OutOfBounds => "access outside the bounds of an object",
            Fault::ReadOnly => "write to a constant",
            Fault::Function => "access to a function as data",
            Fault::NotAllocated => "free of memory that was not allocated",
        })
    }
}

/// Why the program has no defined next state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An operator has no result.
    Value(value::Undefined),
    /// An access to memory.
    Memory(Fault),
    /// A call through a pointer that is no function's address.
    NotAFunction,
    /// A call with the wrong number of arguments.
    Arguments,
    /// A call of a function without a body as if it had one.
    NoBody(FunctionId),
    /// A format string that `printf` does not define (or that we do not support).
    Format(String),
    /// More calls are open than [`Config::depth_limit`] allows.
    StackOverflow,
    /// An error location was reached, but signed arithmetic had overflowed before.
    Overflow,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Value(v) => v.fmt(f),
            Reason::Memory(m) => m.fmt(f),
            Reason::NotAFunction => f.write_str("call through a pointer that is no function"),
            Reason::Arguments => f.write_str("call with the wrong number of arguments"),
            Reason::NoBody(_) => f.write_str("call of a function without a body"),
            Reason::Format(what) => write!(f, "unsupported or undefined output format: {what}"),
            Reason::StackOverflow => f.write_str("too many nested calls"),
            Reason::Overflow => f.write_str("signed overflow before the violation"),
        }
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// An error location was reached.
    Violation(CheckId),
    /// The program ended; with its exit status unless it aborted.
    Finished {
        /// What `main` returned or `exit` was given.
        status: Option<i32>,
    },
    /// No edge was enabled: an assumption failed.
    Blocked,
    /// Undefined behaviour that no check caught.
    Undefined {
        /// What is undefined.
        reason: Reason,
        /// Where; none while static memory is initialised.
        edge: Option<EdgeId>,
    },
    /// [`Choices`] had no more inputs.
    OutOfInputs,
    /// [`Config::step_limit`] was reached.
    StepLimit,
    /// The budget was exhausted.
    Exhausted(Exhausted),
    /// The program wants more memory than [`Config::memory_limit`].
    OutOfMemory,
    /// [`Interpreter::run_determined`]: what comes next depends on something that the language leaves open.
    Undetermined(EdgeId),
}

/// Which edges a run remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Trace {
    /// None.
    #[default]
    Off,
    /// At least the last so many, at most twice as many.
    Last(usize),
    /// All.
    All,
}

/// Limits of a run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Edges that may be taken.
    pub step_limit: u64,
    /// Calls that may be open at once.
    pub depth_limit: usize,
    /// Bytes that live objects may have together.
    pub memory_limit: u64,
    /// Bytes of output that are kept; more is dropped.
    pub output_limit: usize,
    /// Edges to remember.
    pub trace: Trace,
    /// Comparisons of pointers that C leaves open come out as the addresses do not say. (Addresses are
    /// never used again here.)
    pub turns_open: bool,
    /// Stops the run from outside.
    pub budget: Budget,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            step_limit: u64::MAX,
            depth_limit: 200_000,
            memory_limit: 1 << 30,
            output_limit: 1 << 26,
            trace: Trace::Off,
            turns_open: false,
            budget: Budget::unlimited(),
        }
    }
}

/// A value that was asked of [`Choices`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consumed {
    /// The edge that asked.
    pub edge: EdgeId,
    /// The function that the program called, or whose value it is in other words.
    pub name: String,
    /// What it got.
    pub value: Value,
}

/// What happened.
#[derive(Clone, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// Edges that were taken, as [`Config::trace`] says.
    pub trace: Vec<EdgeId>,
    /// Inputs in the order in which the program asked for them.
    pub inputs: Vec<Consumed>,
    /// What was read from memory of the environment before it was written.
    pub outside: Vec<(MemoryPlace, Value)>,
    /// Other values that neither the program nor an input fixed, in order, as many as are remembered: of library
    /// functions, functions without a body, variables and memory that were not initialised.
    pub unfixed: Vec<Consumed>,
    /// What was read from objects that the program made before it was written; the first reads only.
    pub unwritten: Vec<(MemoryPlace, Value)>,
    /// What was written to standard output.
    pub stdout: Vec<u8>,
    /// How many edges were taken.
    pub steps: u64,
    /// Whether the program used a value that nothing determines: memory or a
    /// variable that was never written, or an unmodelled result.
    pub used_unknown: bool,
    /// The first comparison of pointers that C leaves open.
    pub open: Option<EdgeId>,
    /// What [`Choices`] answered, so that the run can be repeated.
    pub answers: Answers,
    /// When the run ends by its step limit and leaks are looked for: a heap object that nothing leads to.
    pub lost: Option<Birth>,
    /// Where signed arithmetic first overflowed, or something was shifted by too much.
    pub overflow: Option<EdgeId>,
}

/// Watches a run. All methods do nothing unless they are overridden.
pub trait Observer {
    /// The edge is about to be executed (its `Assume`, if it is one, holds).
    fn step(&mut self, edge: EdgeId, view: &View<'_>) {
        let _ = (edge, view);
    }

    /// A variable of the current frame, or a global, got a value.
    fn assigned(&mut self, edge: EdgeId, variable: VarId, value: Value) {
        let _ = (edge, variable, value);
    }

    /// A value was written to memory.
    fn stored(&mut self, edge: EdgeId, pointer: Pointer, value: Value) {
        let _ = (edge, pointer, value);
    }

    /// The life of the object that the pointer points to has ended.
    fn released(&mut self, edge: EdgeId, pointer: Pointer) {
        let _ = (edge, pointer);
    }

    /// A function was entered, with these arguments.
    fn entered(&mut self, function: FunctionId, arguments: &[Value]) {
        let _ = (function, arguments);
    }

    /// A function was left.
    fn left(&mut self, function: FunctionId, result: Option<Value>) {
        let _ = (function, result);
    }

    /// Whether [`entered`](Self::entered) and the like are worth preparing.
    fn is_watching(&self) -> bool {
        true
    }
}

/// Watches nothing.
impl Observer for () {
    fn is_watching(&self) -> bool {
        false
    }
}

/// A program compiled for running; runs share nothing else.
pub struct Interpreter<'a> {
    program: &'a Program,
    compiled: compile::Compiled,
}

impl<'a> Interpreter<'a> {
    /// Compiles the program.
    pub fn new(program: &'a Program) -> Self {
        Interpreter { program, compiled: compile::compile(program) }
    }

    /// Runs from the entry until the program ends or a limit is reached.
    pub fn run(&self, choices: &mut dyn Choices, config: &Config) -> Run {
        self.run_observed(choices, config, &mut ())
    }

    /// Runs under observation.
    pub fn run_observed<O: Observer>(
        &self,
        choices: &mut dyn Choices,
        config: &Config,
        observer: &mut O,
    ) -> Run {
        execute::execute(self.program, &self.compiled, choices, config, observer, false)
    }

    /// Runs as long as every run of the program takes the same edges: one that comes to its end this
    /// way is the only run there is.
    pub fn run_determined(&self, config: &Config) -> Run {
        let nobody = &mut Inputs::new(Vec::new());
        execute::execute(self.program, &self.compiled, nobody, config, &mut (), true)
    }
}

/// Runs a program; see [`Interpreter::run`].
pub fn run(program: &Program, choices: &mut dyn Choices, config: &Config) -> Run {
    Interpreter::new(program).run(choices, config)
}
