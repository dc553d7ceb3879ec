//! Runs that stop where a value is asked for that nobody has, and go on from there, more than once.
//!
//! A program that reacts to inputs is tried with many rows of them that begin alike. What they share is executed once: the state
//! of the machine is kept where the first missing input is asked for, and each continuation begins with a copy of it. Only
//! statements that do nothing else before they ask are such places. What a run remembers (its trace, inputs and
//! output) is not kept: who finds something repeats the whole run.

use super::choices::Choices;
use super::machine::{Frame, Machine, Observer};
use super::memory::Memory;
use super::outcome::{Config, Outcome, Run};
use super::slot::Slot;
use super::{Interpreter, execute};
use crate::program::{EdgeId, LocId, Op};
use crate::value::{Pointer, Provenance};
use bolide_base::{HashMap, HashSet};

/// The state of a machine that waits for a value.
#[derive(Clone)]
pub struct Pause {
    location: LocId,
    memory: Memory,
    slots: Vec<Slot>,
    base: usize,
    frames: Vec<Frame>,
    dependents: HashMap<Provenance, Vec<Pointer>>,
    births: HashMap<EdgeId, u32>,
    exposed: HashSet<Provenance>,
    /// Of the run what decides how it may end.
    run: Run,
}

impl Pause {
    /// About how many bytes it takes.
    pub fn size(&self) -> u64 {
        self.memory.used() + (self.slots.len() * size_of::<Slot>()) as u64
    }

    fn of<O>(machine: Machine<'_, O>) -> Option<Pause> {
        let edge = &machine.program.edges[machine.edge];
        let only_asks = matches!(edge.op, Op::Nondet { .. } | Op::External { .. });
        let is_only = machine.program.locations[edge.from].outgoing.len() == 1;
        if !(only_asks && is_only && machine.started) {
            return None;
        }
        let Machine { memory, slots, base, frames, dependents, births, exposed, .. } = machine;
        let Run { open, overflow, used_unknown, .. } = machine.run;
        let run = Run { open, overflow, used_unknown, ..Run::default() };
        let location = edge.from;
        Some(Pause { location, memory, slots, base, frames, dependents, births, exposed, run })
    }
}

impl Interpreter<'_> {
    /// Runs from a pause, or from the beginning. Where a value is asked for that `choices` has not, it pauses, if it can.
    /// Steps are counted from where it begins.
    pub fn go_on<O: Observer>(
        &self,
        from: Option<&Pause>,
        choices: &mut dyn Choices,
        config: &Config,
        observer: &mut O,
    ) -> (Run, Option<Pause>) {
        let mut machine =
            execute::machine(self.program, &self.compiled, choices, config, observer, false);
        let outcome = match from {
            None => execute::whole(&mut machine),
            Some(pause) => {
                let pause = pause.clone();
                machine.memory = pause.memory;
                machine.slots = pause.slots;
                machine.base = pause.base;
                machine.frames = pause.frames;
                machine.dependents = pause.dependents;
                machine.births = pause.births;
                machine.exposed = pause.exposed;
                machine.run = pause.run;
                machine.started = true;
                execute::rest(&mut machine, pause.location)
            }
        };
        let mut run = std::mem::take(&mut machine.run);
        run.outcome = outcome;
        if !matches!(run.outcome, Outcome::OutOfInputs) {
            return (run, None);
        }
        machine.run.overflow = run.overflow;
        machine.run.open = run.open;
        machine.run.used_unknown = run.used_unknown;
        (run, Pause::of(machine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interpreter::Request;
    use crate::program::Program;
    use crate::types::{IntType, Type};
    use crate::value::Value;
    use std::collections::VecDeque;

    /// These inputs, and then no more.
    struct Only(VecDeque<i128>);

    impl Choices for Only {
        fn value(&mut self, request: &Request<'_>) -> Option<Value> {
            assert_eq!(request.ty, Type::Int(IntType::signed(32)));
            self.0.pop_front().map(|value| Value::int(value, IntType::signed(32)))
        }

        fn edge(&mut self, _: LocId, _: &[EdgeId]) -> usize {
            0
        }
    }

    fn only<const N: usize>(list: [i128; N]) -> Only {
        Only(list.into())
    }

    fn program() -> Program {
        let text = r#"
program LP64
entry main
check C0 unreach-call "x"
function f(a : i32) -> r : i32
  local x : i32
  entry L5 exit L7
  L5 -> L6 : x := nondet input "x"
  L6 -> L7 : r := a + x
function main() -> result : i32
  local s : i32
  entry L0 exit L2
  L3: error C0
  L0 -> L1 : s := 0:i32
  L1 -> L4 : s := call f(s)
  L4 -> L1 : assume s < 10:i32
  L4 -> L8 : assume s >= 10:i32
  L8 -> L3 : assume s == 12:i32
  L8 -> L2 : assume s != 12:i32
"#;
        crate::text::parse(text).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn a_run_in_parts_ends_as_in_one_piece() {
        let program = program();
        let interpreter = Interpreter::new(&program);
        let config = Config::default();
        let whole = interpreter.run(&mut only([3, 4, 5]), &config);
        let (mut pause, mut steps) = (None, 0);
        for mut inputs in [Only(VecDeque::new()), only([3]), only([4])] {
            let (run, next) = interpreter.go_on(pause.as_ref(), &mut inputs, &config, &mut ());
            assert_eq!(run.outcome, Outcome::OutOfInputs);
            // The step that asked is made again.
            steps += run.steps - 1;
            pause = next;
            assert!(pause.is_some());
        }
        for (last, is_violation) in [(5, true), (6, false), (5, true)] {
            let inputs = &mut only([last]);
            let (run, _) = interpreter.go_on(pause.as_ref(), inputs, &config, &mut ());
            assert_eq!(matches!(run.outcome, Outcome::Violation(_)), is_violation);
            if is_violation {
                assert_eq!((&run.outcome, steps + run.steps), (&whole.outcome, whole.steps));
            }
        }
    }
}
