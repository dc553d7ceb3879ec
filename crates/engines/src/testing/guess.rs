//! How the numbers of a run are guessed: what the program compares with and computes from, extreme values, small and
//! arbitrary pseudo-random numbers, coins of different bias. Seeds are fixed, so that runs repeat.

use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::interpreter::{Choices, Request};
use bolide_cfa::value::{self, Value};
use bolide_cfa::{EdgeId, Expr, FloatKind, IntType, LocId, Program, Type};

/// Inputs of one run that are remembered.
const REMEMBERED: usize = 2000;

/// What the program compares with and computes from.
pub(super) struct Constants {
    /// Integers and their neighbours.
    pub(super) ints: Vec<i128>,
    /// Floats, in their order, and what is special among them.
    floats: Vec<f64>,
}

impl Constants {
    pub(super) fn of(program: &Program) -> Constants {
        let (mut ints, mut floats) = (Vec::new(), vec![0.0]);
        let mut walker = Walker::new();
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
    pub(super) fn steady(&self, run: u64) -> f64 {
        self.floats[(run / (2 * Policy::KINDS)) as usize % self.floats.len()]
    }

    /// Whether every second coin begins anew: it says steady floats.
    pub(super) fn begins_anew(&self, run: u64) -> bool {
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
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
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
    pub(super) fn below(&mut self, length: usize) -> usize {
        (self.next() % length.max(1) as u64) as usize
    }
}

/// How the numbers of a run are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Policy {
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
    pub(super) const FIXED: u64 = 5;

    /// So many others take turns.
    pub(super) const KINDS: u64 = 6;

    /// Which of them is the coin.
    pub(super) const COIN: u64 = 3;

    pub(super) fn of(run: u64, random: &mut Random) -> Policy {
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

    pub(super) fn int(self, random: &mut Random, constants: &[i128], ty: IntType) -> i128 {
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
pub(super) struct Guess<'a> {
    pub(super) policy: Policy,
    pub(super) random: Random,
    pub(super) constants: &'a Constants,
    /// A float of the program: what adds up reaches its bound when every input is at its own.
    pub(super) steady: f64,
    /// The first answers; of a float its bits.
    pub(super) given: Vec<i128>,
    /// The answers so far.
    pub(super) answered: Vec<i128>,
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
