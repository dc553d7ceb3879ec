//! Executing the program before reasoning about it.
//!
//! Many violations lie at the end of a run that hardly depends on the inputs:
//! after a loop of a thousand rounds, deep in a recursion, behind a
//! computation with floats. A solver would unroll all of it; the interpreter
//! just runs there. So before an engine starts, the program is executed on a
//! few vectors of inputs: all zero, all one, extreme values, small and arbitrary pseudo-random
//! numbers, constants of the program, coins of different bias. What it finds is a violation by construction.
//!
//! Runs learn from each other as those of a fuzzer do (AFL; for proofs of its use in
//! verification see Beyer and Lemberger, "Software verification: testing vs. model checking",
//! HVC 2017): the inputs of a run that took an edge for the first time, or
//! more often than any run before by a power of two, are kept, and every
//! other run starts from inputs that were kept, changed a little.
//!
//! Beside that, states lead: every class of inputs is tried in every state that was seen ([`frontier`]).
//!
//! A program that depends on no input has one run only: where the interpreter brings it to its end, that is
//! a proof. The plain run finds it; the audit executes it once more and keeps track of what is determined
//! (`bolide_cfa::interpreter::Interpreter::run_determined`). Short runs are looked at here that way too: where there are
//! others, these are executed.
//!
//! Deterministic: the pseudo-random numbers have fixed seeds. The effort is
//! bounded in steps, not in time.

mod classes;
mod distance;
mod flips;
mod frontier;
mod guess;
mod runs;

use bolide_base::arena::Id;
use bolide_base::{Budget, HashSet};
use bolide_cfa::interpreter::{Config, Interpreter, Outcome};
use bolide_cfa::{EdgeId, IntType, Program};
use bolide_verdict::replay::Violation;
use frontier::Frontier;
use guess::{Constants, Guess, Policy, Random};
use runs::{Taken, limits};

/// How much to try.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Runs with different inputs.
    pub runs: u64,
    /// Steps of one run.
    pub steps_of_run: u64,
    /// Steps of all runs together.
    pub steps: u64,
    /// It is known that every run takes the same edges, as far as runs came yet.
    pub alone: bool,
    /// Steps of runs that states lead.
    pub led: u64,
}

impl Default for Options {
    fn default() -> Self {
        let (steps, led) = (6_000_000, 8_000_000);
        Options { runs: 120, steps_of_run: 2_000_000, steps, alone: false, led }
    }
}

impl Options {
    /// What takes no time.
    pub fn few() -> Self {
        Options { steps_of_run: 300_000, steps: 600_000, led: 0, ..Options::default() }
    }

    /// One run of so many steps, of a program that seems to have no other.
    pub fn one_run(steps: u64) -> Self {
        Options { runs: 1, steps_of_run: steps, steps, alone: true, led: 0 }
    }
}

/// What a few executions showed.
#[derive(Debug)]
pub enum Tested {
    /// A check was violated.
    Violation(Box<Violation>),
    /// There seems to be one run only, which comes to its end without a violation: the audit's question.
    OnlyRun,
    /// The program asks for no input and did not come to its end: there is one run, and it is long.
    Endless,
    /// Nothing was violated.
    Nothing,
}

/// Executes the program on several vectors of inputs; the first violation ends it.
pub fn test(program: &Program, options: Options, budget: &Budget) -> Tested {
    let mut tester = Tester::new(program);
    match tester.round(options, 0, budget, &mut 0) {
        Round::Violation(violation) => Tested::Violation(violation),
        Round::OnlyRun => Tested::OnlyRun,
        Round::Unasked => Tested::Endless,
        Round::Finished => Tested::Nothing,
        Round::Nothing => match tester.lead(options.led, budget, &mut 0) {
            Some(violation) => Tested::Violation(violation),
            None => Tested::Nothing,
        },
    }
}

/// The edges that some of a few executions took, whatever is violated on them.
pub fn taken(program: &Program, budget: &Budget) -> HashSet<EdgeId> {
    let mut harmless = program.clone();
    for location in harmless.locations.values_mut() {
        location.error = None;
    }
    let mut tester = Tester::new(&harmless);
    tester.round(Options::default(), 0, budget, &mut 0);
    let edges = program.edges.ids().zip(&tester.coverage);
    edges.filter(|(_, times)| **times > 0).map(|(edge, _)| edge).collect()
}

/// Goes on for as long as the budget lets it, with more runs and longer ones.
/// Counts them.
pub fn search(program: &Program, budget: &Budget, runs: &mut u64) -> Tested {
    let mut tester = Tester::new(program);
    let mut alone = false;
    for round in 0..ROUNDS {
        let mut options = Options {
            runs: 500 << round,
            steps_of_run: 8_000_000 << (3 * round),
            steps: 60_000_000 << (3 * round),
            alone,
            led: 60_000_000 << (3 * round),
        };
        if alone {
            (options.steps_of_run, options.steps) = (u64::MAX, u64::MAX);
        } else if let Some(violation) = tester.lead(options.led, budget, runs) {
            return Tested::Violation(violation);
        }
        match tester.round(options, u64::from(round) + 1, budget, runs) {
            Round::Violation(violation) => return Tested::Violation(violation),
            Round::OnlyRun => return Tested::OnlyRun,
            Round::Finished => return Tested::Nothing,
            Round::Nothing => {}
            Round::Unasked if alone => return Tested::Nothing,
            // There is one run only: it gets all the time there is.
            Round::Unasked => alone = true,
        }
    }
    Tested::Nothing
}

/// Each round has eight times the steps of the one before.
const ROUNDS: u32 = 5;

struct Tester<'p> {
    program: &'p Program,
    interpreter: Interpreter<'p>,
    constants: Constants,
    /// How often a run took an edge, at most, rounded down to a power of two.
    coverage: Vec<u8>,
    /// Inputs of runs that went where none had been before.
    kept: Vec<Vec<i128>>,
    /// Nothing before it is needed.
    frontier: Option<Frontier<'p>>,
}

/// What came of some runs.
enum Round {
    Violation(Box<Violation>),
    OnlyRun,
    /// More runs will not show anything else.
    Finished,
    Nothing,
    /// The program asked for nothing and did not come to its end.
    Unasked,
}

impl<'p> Tester<'p> {
    fn new(program: &'p Program) -> Tester<'p> {
        Tester {
            program,
            interpreter: Interpreter::new(program),
            constants: Constants::of(program),
            coverage: vec![0; program.edges.len()],
            kept: Vec::new(),
            frontier: None,
        }
    }

    fn round(&mut self, options: Options, seed: u64, budget: &Budget, runs: &mut u64) -> Round {
        let mut left = options.steps;
        let mut taken = Taken::of(self.coverage.len());
        for run in 0..options.runs {
            let config = limits(options.steps_of_run.min(left), budget);
            let mut random = Random(run + 1 + (seed << 32));
            let given = self.start_from(run, &mut random);
            let policy = Policy::of(run, &mut random);
            let constants = &self.constants;
            let steady = constants.steady(run);
            let answered = Vec::new();
            let mut guess = Guess { policy, random, constants, steady, given, answered };
            let result = self.interpreter.run_observed(&mut guess, &config, &mut taken);
            *runs += 1;
            let answered = guess.answered;
            if self.covers_more(&mut taken) && !answered.is_empty() {
                self.kept.push(answered);
            }
            left = left.saturating_sub(result.steps + 50);
            let unasked = result.inputs.is_empty() && !result.used_unknown;
            match result.outcome {
                Outcome::Violation(check) => {
                    return Round::Violation(Box::new(Violation { check, run: result }));
                }
                Outcome::Exhausted(_) if budget.poll().is_err() => return Round::Finished,
                Outcome::StepLimit | Outcome::Finished { .. } | Outcome::Blocked
                    if run == 0 && (options.alone && unasked || self.is_alone(&config)) =>
                {
                    return match result.outcome {
                        Outcome::StepLimit => Round::Unasked,
                        _ => Round::OnlyRun,
                    };
                }
                // No input was asked for: every run is the same.
                _ if run == 0 && unasked => return Round::Finished,
                _ if left == 0 => return Round::Nothing,
                _ => {}
            }
        }
        Round::Nothing
    }

    /// Tries inputs in the states that were seen, for so many steps.
    fn lead(&mut self, steps: u64, budget: &Budget, runs: &mut u64) -> Option<Box<Violation>> {
        let mut left = steps;
        let program = self.program;
        let mut frontier = self.frontier.take().unwrap_or_else(|| Frontier::new(program));
        let mut taken = Taken::of(self.coverage.len());
        let mut found = None;
        while left > 0
            && found.is_none()
            && let Some(attempt) = frontier.next()
        {
            let config = limits(left.min(STEPS_OF_REACTION), budget);
            let (interpreter, covered) = (&self.interpreter, &self.coverage);
            let mut reached = frontier.run(attempt, interpreter, &config, covered, &mut taken);
            let is_new = self.covers_more(&mut taken);
            frontier.take_up(&mut reached, is_new);
            let run = reached.run;
            *runs += 1;
            left = left.saturating_sub(run.steps + 50);
            match run.outcome {
                Outcome::Violation(check) => found = Some(Box::new(Violation { check, run })),
                Outcome::Exhausted(_) if budget.poll().is_err() => break,
                _ => {}
            }
        }
        self.frontier = Some(frontier);
        found
    }
}

/// Heuristic: who takes longer until the next input is no program that reacts.
const STEPS_OF_REACTION: u64 = 200_000;

impl Tester<'_> {
    /// Whether every run of the program is the one that was made with these limits: whatever it
    /// asked for, nothing depends on the answer.
    fn is_alone(&self, config: &Config) -> bool {
        let outcome = self.interpreter.run_determined(config).outcome;
        matches!(outcome, Outcome::Finished { .. } | Outcome::Blocked | Outcome::StepLimit)
    }

    /// The inputs that a run begins with: every other run takes those of an
    /// earlier one, changed.
    fn start_from(&self, run: u64, random: &mut Random) -> Vec<i128> {
        let fresh = run < Policy::FIXED || run.is_multiple_of(2) || self.constants.begins_anew(run);
        if fresh || self.kept.is_empty() {
            return Vec::new();
        }
        // Heuristic: the latest went farthest.
        let count = self.kept.len() as u64;
        let from_end = (random.next() % count).min(random.next() % count);
        let mut inputs = self.kept[(count - 1 - from_end) as usize].clone();
        match random.next() % 4 {
            // The rest is new.
            0 => inputs.truncate(random.below(inputs.len() + 1)),
            1 => {
                let at = random.below(inputs.len());
                inputs.remove(at);
            }
            2 => {
                let (from, to) = (random.below(inputs.len()), random.below(inputs.len()));
                inputs.insert(to, inputs[from]);
            }
            _ => {}
        }
        for _ in 0..random.next() % 3 {
            if !inputs.is_empty() {
                let at = random.below(inputs.len());
                inputs[at] = match random.next() % 4 {
                    0 => i128::from(inputs[at] == 0),
                    1 => inputs[at].saturating_add(1),
                    2 => inputs[at].saturating_sub(1),
                    _ => Policy::Any.int(random, &self.constants.ints, IntType::signed(32)),
                };
            }
        }
        inputs
    }

    /// Takes note of what a run covers; says whether any of it is new. The next run begins to count anew.
    fn covers_more(&mut self, taken: &mut Taken) -> bool {
        let mut more = false;
        for edge in taken.edges.drain(..) {
            let times = std::mem::take(&mut taken.times[edge.index()]);
            let magnitude = (u32::BITS - times.leading_zeros()) as u8;
            // Heuristic: beyond sixteen times, once more is nothing new.
            let known = &mut self.coverage[edge.index()];
            if magnitude.min(5) > *known {
                *known = magnitude.min(5);
                more = true;
            }
        }
        more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_seen() {
        let text = r#"
program LP64
entry main
function main() -> result : i32
  local x : i32
  entry L0 exit L3
  L0 -> L1 : x := nondet input "x"
  L1 -> L2 : assume x <= 5:i32
  L1 -> L2 : assume x > 5:i32
  L2 -> L3 : skip
"#;
        let program = bolide_cfa::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(taken(&program, &Budget::unlimited()).len(), 4);
    }
}
