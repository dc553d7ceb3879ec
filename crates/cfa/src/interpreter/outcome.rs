//! What a run is given and what it leaves: its limits, how it ended and why, and what it consumed.

use super::choices::{Answers, Birth, MemoryPlace};
use crate::program::{CheckId, EdgeId, FunctionId};
use crate::value::{self, Value};
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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// An error location was reached.
    Violation(CheckId),
    /// The program ended; with its exit status unless it aborted.
    Finished {
        /// What `main` returned or `exit` was given.
        status: Option<i32>,
    },
    /// No edge was enabled: an assumption failed.
    #[default]
    Blocked,
    /// Undefined behaviour that no check caught.
    Undefined {
        /// What is undefined.
        reason: Reason,
        /// Where; none while static memory is initialised.
        edge: Option<EdgeId>,
    },
    /// [`Choices`](super::Choices) had no more inputs.
    OutOfInputs,
    /// [`Config::step_limit`] was reached.
    StepLimit,
    /// The budget was exhausted.
    Exhausted(Exhausted),
    /// The program wants more memory than [`Config::memory_limit`].
    OutOfMemory,
    /// [`run_determined`](super::Interpreter::run_determined): what comes next depends on something that the language leaves open.
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

/// A value that was asked of [`Choices`](super::Choices).
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
#[derive(Clone, Debug, Default)]
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
    /// What [`Choices`](super::Choices) answered, so that the run can be repeated.
    pub answers: Answers,
    /// When the run ends by its step limit and leaks are looked for: a heap object that nothing leads to.
    pub lost: Option<Birth>,
    /// Where signed arithmetic first overflowed, or something was shifted by too much.
    pub overflow: Option<EdgeId>,
}
