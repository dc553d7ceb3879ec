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
//! A program that depends on no input has one run only: where the interpreter brings it to its end, that is
//! a proof. The plain run finds it; the audit executes it once more and keeps track of what is determined
//! (`bolide_cfa::interpreter::Interpreter::run_determined`). Short runs are looked at here that way too: where there are
//! others, these are executed.
//!
//! Deterministic: the pseudo-random numbers have fixed seeds. The effort is
//! bounded in steps, not in time.

use bolide_base::arena::Id;
use bolide_base::{Budget, HashSet};
use bolide_cfa::interpreter::{
    Choices, Config, Interpreter, Observer, Outcome, Request, Trace, View,
};
use bolide_cfa::value::{self, Value};
use bolide_cfa::{EdgeId, Expr, FloatKind, IntType, LocId, Program, Type};
use bolide_verdict::replay::Violation;

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
}

impl Default for Options {
    fn default() -> Self {
        Options { runs: 120, steps_of_run: 2_000_000, steps: 6_000_000, alone: false }
    }
}

impl Options {
    /// One run of so many steps, of a program that seems to have no other.
    pub fn one_run(steps: u64) -> Self {
        Options { runs: 1, steps_of_run: steps, steps, alone: true }
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
        Round::Finished | Round::Nothing => Tested::Nothing,
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
        };
        if alone {
            (options.steps_of_run, options.steps) = (u64::MAX, u64::MAX);
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
    interpreter: Interpreter<'p>,
    constants: Constants,
    /// How often a run took an edge, at most, rounded down to a power of two.
    coverage: Vec<u8>,
    /// Inputs of runs that went where none had been before.
    kept: Vec<Vec<i128>>,
}

/// Inputs of one run that are remembered.
const REMEMBERED: usize = 2000;

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
            interpreter: Interpreter::new(program),
            constants: Constants::of(program),
            coverage: vec![0; program.edges.len()],
            kept: Vec::new(),
        }
    }

    fn round(&mut self, options: Options, seed: u64, budget: &Budget, runs: &mut u64) -> Round {
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
            let mut random = Random(run + 1 + (seed << 32));
            let given = self.start_from(run, &mut random);
            let policy = Policy::of(run, &mut random);
            let constants = &self.constants;
            let steady = constants.steady(run);
            let answered = Vec::new();
            let mut guess = Guess { policy, random, constants, steady, given, answered };
            let mut taken = Taken { times: vec![0; self.coverage.len()] };
            let result = self.interpreter.run_observed(&mut guess, &config, &mut taken);
            *runs += 1;
            let answered = guess.answered;
            if self.covers_more(&taken) && !answered.is_empty() {
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
}

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

    /// Takes note of what a run covers; says whether any of it is new.
    fn covers_more(&mut self, taken: &Taken) -> bool {
        let mut more = false;
        for (known, &times) in self.coverage.iter_mut().zip(&taken.times) {
            let magnitude = (u32::BITS - times.leading_zeros()) as u8;
            // Heuristic: beyond sixteen times, once more is nothing new.
            if magnitude.min(5) > *known {
                *known = magnitude.min(5);
                more = true;
            }
        }
        more
    }
}

/// Counts the edges of a run.
struct Taken {
    times: Vec<u32>,
}

impl Observer for Taken {
    fn step(&mut self, edge: EdgeId, _: &View<'_>) {
        let times = &mut self.times[edge.index()];
        *times = times.saturating_add(1);
    }

    fn is_watching(&self) -> bool {
        false
    }
}

/// What the program compares with and computes from.
struct Constants {
    /// Integers and their neighbours.
    ints: Vec<i128>,
    /// Floats, in their order, and what is special among them.
    floats: Vec<f64>,
}

impl Constants {
    fn of(program: &Program) -> Constants {
        let (mut ints, mut floats) = (Vec::new(), vec![0.0]);
        let mut walker = bolide_cfa::analysis::uses::Walker::new();
        for edge in program.edges.values() {
            for id in walker.bottom_up(&program.exprs, &edge.op.operands()) {
                match *program.exprs.get(id) {
                    Expr::Int { bits, ty } if ty.bits > 1 => {
                        let value = ty.value(bits);
                        ints.extend([value, value.saturating_add(1), value.saturating_sub(1)]);
                    }
                    Expr::Float { bits, kind } => {
                        let bits = value::float::convert(bits, kind, FloatKind::F64);
                        floats.push(f64::from_bits(bits as u64));
                    }
                    _ => {}
                }
            }
        }
        ints.sort_unstable();
        ints.dedup();
        ints.truncate(4096);
        floats.sort_unstable_by(f64::total_cmp);
        floats.dedup();
        floats.truncate(4096);
        Constants { ints, floats }
    }

    /// One float after the other, each for a run that begins anew and one that does not.
    fn steady(&self, run: u64) -> f64 {
        self.floats[(run / (2 * Policy::KINDS)) as usize % self.floats.len()]
    }

    /// Whether every second coin begins anew: it says steady floats.
    fn begins_anew(&self, run: u64) -> bool {
        self.floats.len() > 1 && run % (2 * Policy::KINDS) == Policy::COIN
    }

    /// A float of the program or one of its neighbours, one between two of them, or a special one.
    fn float(&self, random: &mut Random, kind: FloatKind) -> u128 {
        let float = self.floats[random.below(self.floats.len())];
        let other = self.floats[random.below(self.floats.len())];
        let chosen = match random.next() % 8 {
            0 => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX][random.below(4)],
            1..4 => float,
            _ => float + (other - float) * (random.next() % 1024) as f64 / 1024.0,
        };
        let bits = value::float::convert(u128::from(chosen.to_bits()), FloatKind::F64, kind);
        match random.next() % 4 {
            0 => bits.saturating_add(1),
            1 => bits.saturating_sub(1),
            _ => bits,
        }
    }
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

impl Random {
    /// A position in something of this length, which is not empty.
    fn below(&mut self, length: usize) -> usize {
        (self.next() % length.max(1) as u64) as usize
    }
}

/// How the numbers of a run are chosen.
#[derive(Clone, Copy, Debug)]
enum Policy {
    Always(i128),
    Largest,
    Smallest,
    /// From zero to below.
    Below(u64),
    /// Around zero.
    Around,
    /// Out of the program.
    Constants,
    /// One so often out of sixteen times, else zero.
    Coin(u64),
    Anything,
    /// Each number after another of the above.
    Any,
}

impl Policy {
    /// So many runs are the same in all rounds.
    const FIXED: u64 = 5;

    /// So many others take turns.
    const KINDS: u64 = 6;

    /// Which of them is the coin.
    const COIN: u64 = 3;

    fn of(run: u64, random: &mut Random) -> Policy {
        match run {
            0 => Policy::Always(0),
            1 => Policy::Always(1),
            2 => Policy::Largest,
            3 => Policy::Smallest,
            4 => Policy::Always(-1),
            run => match run % Policy::KINDS {
                0 => Policy::Below(4),
                1 => Policy::Around,
                2 => Policy::Constants,
                Policy::COIN => Policy::Coin([8, 14, 2, 15, 12][random.below(5)]),
                4 => Policy::Any,
                _ => Policy::Anything,
            },
        }
    }

    fn int(self, random: &mut Random, constants: &[i128], ty: IntType) -> i128 {
        match self {
            Policy::Always(value) => value,
            Policy::Largest => ty.max(),
            Policy::Smallest => ty.min(),
            Policy::Below(limit) => i128::from(random.next() % limit),
            Policy::Around => i128::from(random.next() % 32) - 8,
            Policy::Constants if constants.is_empty() => i128::from(random.next() % 16),
            Policy::Constants => constants[random.below(constants.len())],
            Policy::Coin(weight) => i128::from(random.next() % 16 < weight),
            Policy::Anything => i128::from(random.next() as i64),
            Policy::Any => match random.next() % 6 {
                0 => Policy::Around.int(random, constants, ty),
                1 => Policy::Anything.int(random, constants, ty),
                2 | 3 => Policy::Coin(8).int(random, constants, ty),
                _ => Policy::Constants.int(random, constants, ty),
            },
        }
    }
}

/// One way to answer the program's questions.
struct Guess<'a> {
    policy: Policy,
    random: Random,
    constants: &'a Constants,
    /// A float of the program: what adds up reaches its bound when every input is at its own.
    steady: f64,
    /// The first answers; of a float its bits.
    given: Vec<i128>,
    /// The answers so far.
    answered: Vec<i128>,
}

impl Guess<'_> {
    fn answer(&mut self, new: impl FnOnce(&mut Self) -> i128) -> i128 {
        let value = match self.given.get(self.answered.len()) {
            Some(&value) => value,
            None => new(self),
        };
        if self.answered.len() < REMEMBERED {
            self.answered.push(value);
        }
        value
    }

    fn int(&mut self, ty: IntType) -> i128 {
        self.policy.int(&mut self.random, &self.constants.ints, ty)
    }

    /// The bits of a float: a small whole number, what the constants suggest, or always the same one of them.
    fn float(&mut self, kind: FloatKind) -> i128 {
        let bits = match self.policy {
            Policy::Constants | Policy::Any | Policy::Anything => {
                self.constants.float(&mut self.random, kind)
            }
            Policy::Coin(_) => {
                let bits = u128::from(self.steady.to_bits());
                value::float::convert(bits, FloatKind::F64, kind)
            }
            _ => {
                let whole = self.int(IntType::signed(32));
                value::float::from_int(whole as u128, IntType::signed(128), kind)
            }
        };
        bits as i128
    }
}

impl Choices for Guess<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        Some(match request.ty {
            Type::Int(ty) => {
                let value = self.answer(|guess| guess.int(ty));
                Value::Int { bits: ty.truncate(value as u128), ty }
            }
            Type::Float(kind) => {
                // Wider formats have patterns that are no floats.
                let narrow = if kind == FloatKind::F32 { kind } else { FloatKind::F64 };
                let bits = self.answer(|guess| guess.float(narrow)) as u128;
                let bits = Value::from_bits(Type::Float(narrow), bits).bits();
                Value::Float { bits: value::float::convert(bits, narrow, kind), kind }
            }
            Type::Pointer => Value::zero(request.ty),
        })
    }

    fn edge(&mut self, _: LocId, enabled: &[EdgeId]) -> usize {
        (self.random.next() % enabled.len() as u64) as usize
    }
}
