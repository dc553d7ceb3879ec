//! Executing the program before reasoning about it.
//!
//! Many violations lie at the end of a run that hardly depends on the inputs:
//! after a loop of a thousand rounds, deep in a recursion, behind a
//! computation with floats. A solver would unroll all of it; the interpreter
//! just runs there. So before an engine starts, the program is executed on a
//! few vectors of inputs: all zero, all one, extreme values, small and arbitrary pseudo-random
//! numbers, constants of the program. What it finds is a violation by construction.
//!
//! Deterministic: the pseudo-random numbers have fixed seeds. The effort is
//! bounded in steps, not in time.

use bolide_base::Budget;
use bolide_cfa::interpreter::{Choices, Config, Interpreter, Outcome, Request, Trace};
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, Expr, IntType, LocId, Program, Type};
use bolide_reachability::replay::Violation;

/// How much to try.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Runs with different inputs.
    pub runs: u64,
    /// Steps of one run.
    pub steps_of_run: u64,
    /// Steps of all runs together.
    pub steps: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { runs: 120, steps_of_run: 2_000_000, steps: 6_000_000 }
    }
}

/// Executes the program on several vectors of inputs; the first violation ends it.
pub fn test(program: &Program, options: Options, budget: &Budget) -> Option<Violation> {
    let tester = Tester { interpreter: Interpreter::new(program), constants: constants(program) };
    match tester.round(options, 0, budget, &mut 0) {
        Round::Violation(violation) => Some(*violation),
        Round::Finished | Round::Nothing | Round::Unasked => None,
    }
}

/// Goes on for as long as the budget lets it, with more runs and longer ones.
/// Counts them.
pub fn search(program: &Program, budget: &Budget, runs: &mut u64) -> Option<Violation> {
    let tester = Tester { interpreter: Interpreter::new(program), constants: constants(program) };
    let mut alone = false;
    for round in 0..ROUNDS {
        let mut options = Options {
            runs: 500 << round,
            steps_of_run: 8_000_000 << (3 * round),
            steps: 60_000_000 << (3 * round),
        };
        if alone {
            (options.steps_of_run, options.steps) = (u64::MAX, u64::MAX);
        }
        match tester.round(options, u64::from(round) + 1, budget, runs) {
            Round::Violation(violation) => return Some(*violation),
            Round::Finished => return None,
            Round::Nothing => {}
            Round::Unasked if alone => return None,
            // There is one run only: it gets all the time there is.
            Round::Unasked => alone = true,
        }
    }
    None
}

/// Each round has eight times the steps of the one before.
const ROUNDS: u32 = 5;

struct Tester<'p> {
    interpreter: Interpreter<'p>,
    constants: Vec<i128>,
}

/// What came of some runs.
enum Round {
    Violation(Box<Violation>),
    /// More runs will not show anything else.
    Finished,
    Nothing,
    /// The program asked for nothing and did not come to its end.
    Unasked,
}

impl Tester<'_> {
    fn round(&self, options: Options, seed: u64, budget: &Budget, runs: &mut u64) -> Round {
        let mut left = options.steps;
        for run in 0..options.runs {
            let config = Config {
                step_limit: options.steps_of_run.min(left),
                trace: Trace::Last(1 << 16),
                budget: budget.clone(),
                depth_limit: 20_000,
                memory_limit: 1 << 28,
                ..Config::default()
            };
            let random = Random(run + 1 + (seed << 32));
            let mut guess = Guess { run, random, constants: &self.constants };
            let result = self.interpreter.run(&mut guess, &config);
            *runs += 1;
            left = left.saturating_sub(result.steps + 50);
            match result.outcome {
                Outcome::Violation(check) => {
                    return Round::Violation(Box::new(Violation { check, run: result }));
                }
                Outcome::Exhausted(_) if budget.poll().is_err() => return Round::Finished,
                Outcome::StepLimit if result.inputs.is_empty() && !result.used_unknown => {
                    return Round::Unasked;
                }
                // No input was asked for: every run is the same.
                _ if run == 0 && result.inputs.is_empty() && !result.used_unknown => {
                    return Round::Finished;
                }
                _ if left == 0 => return Round::Nothing,
                _ => {}
            }
        }
        Round::Nothing
    }
}

/// Integer constants of the program and their neighbours.
fn constants(program: &Program) -> Vec<i128> {
    let mut found = Vec::new();
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    for edge in program.edges.values() {
        for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
            if let Expr::Int { bits, ty } = program.exprs.get(id)
                && ty.bits > 1
            {
                let value = ty.value(*bits);
                found.extend([value, value.saturating_add(1), value.saturating_sub(1)]);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(4096);
    found
}

/// Numbers that repeat from run to run (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        let mut x = self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        self.0 = self.0.wrapping_add(x | 1);
        x
    }
}

/// One way to answer the program's questions.
struct Guess<'a> {
    run: u64,
    random: Random,
    constants: &'a [i128],
}

impl Guess<'_> {
    fn int(&mut self, ty: IntType) -> i128 {
        match self.run {
            0 => 0,
            1 => 1,
            2 => ty.max(),
            3 => ty.min(),
            4 => -1,
            run => match run % 5 {
                0 => i128::from(self.random.next() % 4),
                1 => i128::from(self.random.next() % 32) - 8,
                2 if !self.constants.is_empty() => {
                    let index = self.random.next() % self.constants.len() as u64;
                    self.constants[index as usize]
                }
                3 => i128::from(self.random.next() % 2),
                _ => i128::from(self.random.next() as i64),
            },
        }
    }
}

impl Choices for Guess<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        Some(match request.ty {
            Type::Int(ty) => {
                let value = self.int(ty);
                Value::Int { bits: ty.truncate(value as u128), ty }
            }
            // Floats: small whole numbers, made by the interpreter's own conversion.
            Type::Float(_) => {
                let value = self.int(IntType::signed(32));
                bolide_cfa::interpreter::Input::Int(value).to_value(request.ty)
            }
            Type::Pointer => Value::zero(request.ty),
        })
    }

    fn edge(&mut self, _: LocId, enabled: &[EdgeId]) -> usize {
        (self.random.next() % enabled.len() as u64) as usize
    }
}
