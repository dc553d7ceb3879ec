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
mod machine;
mod memory;
mod outcome;
mod output;
mod pause;
mod printf;
mod scanf;
mod slot;

pub use choices::{
    Answers, Birth, Choices, Input, Inputs, MemoryPlace, Repeat, Request, Source, environment,
};
pub use machine::{Observer, View};
pub use outcome::{Config, Consumed, Fault, Outcome, Reason, Run, Trace};
pub use pause::Pause;

use crate::program::Program;

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
        let (program, compiled) = (self.program, &self.compiled);
        execute::execute(execute::machine(program, compiled, choices, config, observer, false))
    }

    /// Runs as long as every run of the program takes the same edges: one that comes to its end this
    /// way is the only run there is.
    pub fn run_determined(&self, config: &Config) -> Run {
        let nobody = &mut Inputs::new(Vec::new());
        let (program, compiled) = (self.program, &self.compiled);
        execute::execute(execute::machine(program, compiled, nobody, config, &mut (), true))
    }
}

/// Runs a program; see [`Interpreter::run`].
pub fn run(program: &Program, choices: &mut dyn Choices, config: &Config) -> Run {
    Interpreter::new(program).run(choices, config)
}
