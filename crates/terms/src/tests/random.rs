//! Random terms against a reference semantics that knows nothing of the term
//! store: the constructors must preserve meaning.

use super::read_term;
use crate::smtlib::Context;
use crate::{Model, SortId, TermId, TermStore, Value, evaluate};
use bolide_base::{HashMap, Integer, Rational};
use bolide_testing::Dice;

const INTS: [&str; 3] = ["x", "y", "z"];
const WORDS: [&str; 2] = ["u", "w"];
const WIDTH: u32 = 4;

/// SMT-LIB text together with the value under the assignment, computed
/// directly.
#[derive(Clone)]
struct Case<T> {
    text: String,
    value: T,
}

fn case<T>(text: String, value: T) -> Case<T> {
    Case { text, value }
}

struct Generator {
    dice: Dice,
    ints: [i128; 3],
    bools: [bool; 2],
    words: [u64; 2],
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut int = || dice.roll(21) as i128 - 10;
        let ints = [int(), int(), int()];
        let bools = [dice.roll(2) == 1, dice.roll(2) == 1];
        let words = [dice.roll(16) as u64, dice.roll(16) as u64];
        Generator { dice, ints, bools, words }
    }

    fn int(&mut self, depth: u32) -> Case<i128> {
        if depth == 0 || self.dice.roll(5) == 0 {
            if self.dice.roll(2) == 0 {
                let n = self.dice.roll(13) as i128 - 6;
                let text = if n < 0 { format!("(- {})", -n) } else { n.to_string() };
                return case(text, n);
            }
            let i = self.dice.roll(3);
            return case(INTS[i].to_owned(), self.ints[i]);
        }
        let a = self.int(depth - 1);
        match self.dice.roll(9) {
            0 | 1 => {
                let b = self.int(depth - 1);
                case(format!("(+ {} {})", a.text, b.text), a.value + b.value)
            }
            2 | 3 => {
                let b = self.int(depth - 1);
                case(format!("(- {} {})", a.text, b.text), a.value - b.value)
            }
            4 => {
                let k = self.dice.roll(9) as i128 - 4;
                let number = if k < 0 { format!("(- {})", -k) } else { k.to_string() };
                case(format!("(* {number} {})", a.text), k * a.value)
            }
            5 => {
                let b = self.int(depth.saturating_sub(2));
                case(format!("(* {} {})", a.text, b.text), a.value.saturating_mul(b.value))
            }
            6 => {
                let k = [-6i128, -4, -3, -2, -1, 1, 2, 3, 4, 6, 8, 12][self.dice.roll(12)];
                let number = if k < 0 { format!("(- {})", -k) } else { k.to_string() };
                if self.dice.roll(2) == 0 {
                    case(format!("(div {} {number})", a.text), a.value.div_euclid(k))
                } else {
                    case(format!("(mod {} {number})", a.text), a.value.rem_euclid(k))
                }
            }
            7 => {
                let (c, b) = (self.bool(depth - 1), self.int(depth - 1));
                let value = if c.value { a.value } else { b.value };
                case(format!("(ite {} {} {})", c.text, a.text, b.text), value)
            }
            _ => case(format!("(abs {})", a.text), a.value.abs()),
        }
    }

    fn word(&mut self, depth: u32) -> Case<u64> {
        let mask = (1u64 << WIDTH) - 1;
        if depth == 0 || self.dice.roll(5) == 0 {
            if self.dice.roll(3) == 0 {
                let n = self.dice.roll(16) as u64;
                return case(format!("#b{n:04b}"), n);
            }
            let i = self.dice.roll(2);
            return case(WORDS[i].to_owned(), self.words[i]);
        }
        let signed = |n: u64| if n & 8 != 0 { n as i64 - 16 } else { n as i64 };
        let a = self.word(depth - 1);
        let (x, s) = (a.value, signed(a.value));
        match self.dice.roll(8) {
            0 => {
                let inner = a.text;
                let n = self.dice.roll(6) as u32;
                match self.dice.roll(6) {
                    0 => case(format!("(bvnot {inner})"), !x & mask),
                    1 => case(format!("(bvneg {inner})"), x.wrapping_neg() & mask),
                    2 => {
                        let value = (x << (n % 4) | x >> (4 - n % 4)) & mask;
                        case(format!("((_ rotate_left {n}) {inner})"), value)
                    }
                    3 => {
                        let value = (x >> (n % 4) | x << (4 - n % 4)) & mask;
                        case(format!("((_ rotate_right {n}) {inner})"), value)
                    }
                    4 => {
                        let text = format!(
                            "((_ extract {} {}) ((_ sign_extend {n}) {inner}))",
                            n.min(3) + 3,
                            n.min(3)
                        );
                        let low = n.min(3);
                        case(text, (s >> low) as u64 & mask)
                    }
                    _ => {
                        let text = format!(
                            "((_ extract 5 2) (concat ((_ extract 2 0) {inner}) ((_ zero_extend 1) {inner})))"
                        );
                        let wide = (x & 7) << 5 | x;
                        case(text, wide >> 2 & mask)
                    }
                }
            }
            1 => {
                let (c, b) = (self.bool(depth - 1), self.word(depth - 1));
                let value = if c.value { x } else { b.value };
                case(format!("(ite {} {} {})", c.text, a.text, b.text), value)
            }
            _ => {
                let b = self.word(depth - 1);
                let (y, t) = (b.value, signed(b.value));
                let shift = |n: u64| if n < 4 { n as u32 } else { 4 };
                let (name, value) = match self.dice.roll(17) {
                    0 => ("bvand", x & y),
                    1 => ("bvor", x | y),
                    2 => ("bvxor", x ^ y),
                    3 => ("bvadd", x + y),
                    4 => ("bvsub", x.wrapping_sub(y)),
                    5 => ("bvmul", x * y),
                    6 => ("bvudiv", x.checked_div(y).unwrap_or(mask)),
                    7 => ("bvurem", x.checked_rem(y).unwrap_or(x)),
                    8 => ("bvshl", x << shift(y)),
                    9 => ("bvlshr", x >> shift(y)),
                    10 => ("bvashr", (s >> shift(y)) as u64),
                    11 => (
                        "bvsdiv",
                        if t == 0 { if s < 0 { 1 } else { mask } } else { (s / t) as u64 },
                    ),
                    12 => ("bvsrem", if t == 0 { x } else { (s % t) as u64 }),
                    13 => {
                        let m = if t == 0 { s } else { ((s % t) + t) % t };
                        ("bvsmod", m as u64)
                    }
                    14 => ("bvnand", !(x & y)),
                    15 => ("bvnor", !(x | y)),
                    _ => ("bvxnor", !(x ^ y)),
                };
                case(format!("({name} {} {})", a.text, b.text), value & mask)
            }
        }
    }

    fn bool(&mut self, depth: u32) -> Case<bool> {
        if depth == 0 {
            let i = self.dice.roll(2);
            return case(["p", "q"][i].to_owned(), self.bools[i]);
        }
        match self.dice.roll(10) {
            0 => {
                let a = self.bool(depth - 1);
                case(format!("(not {})", a.text), !a.value)
            }
            1..=3 => {
                let (a, b) = (self.bool(depth - 1), self.bool(depth - 1));
                let (name, value) = match self.dice.roll(6) {
                    0 => ("and", a.value && b.value),
                    1 => ("or", a.value || b.value),
                    2 => ("xor", a.value != b.value),
                    3 => ("=>", !a.value || b.value),
                    4 => ("=", a.value == b.value),
                    _ => ("distinct", a.value != b.value),
                };
                case(format!("({name} {} {})", a.text, b.text), value)
            }
            4 => {
                let (a, b, c) = (self.bool(depth - 1), self.bool(depth - 1), self.bool(depth - 1));
                let value = if a.value { b.value } else { c.value };
                case(format!("(ite {} {} {})", a.text, b.text, c.text), value)
            }
            5 | 6 => {
                let (a, b) = (self.word(depth - 1), self.word(depth - 1));
                let signed = |n: u64| if n & 8 != 0 { n as i64 - 16 } else { n as i64 };
                let (x, y, s, t) = (a.value, b.value, signed(a.value), signed(b.value));
                let (name, value) = match self.dice.roll(9) {
                    0 => ("bvult", x < y),
                    1 => ("bvule", x <= y),
                    2 => ("bvugt", x > y),
                    3 => ("bvuge", x >= y),
                    4 => ("bvslt", s < t),
                    5 => ("bvsle", s <= t),
                    6 => ("bvsgt", s > t),
                    7 => ("bvsge", s >= t),
                    _ => ("=", x == y),
                };
                case(format!("({name} {} {})", a.text, b.text), value)
            }
            _ => {
                let (a, b) = (self.int(depth - 1), self.int(depth - 1));
                let (x, y) = (a.value, b.value);
                let (name, value) = match self.dice.roll(6) {
                    0 => ("<=", x <= y),
                    1 => ("<", x < y),
                    2 => (">=", x >= y),
                    3 => (">", x > y),
                    4 => ("=", x == y),
                    _ => ("distinct", x != y),
                };
                // Half of them over the reals: the same values, other atoms.
                if self.dice.roll(2) == 0 {
                    let k = self.dice.roll(3) as u64 + 1;
                    let scale = |t: &str| format!("(/ (to_real {t}) {k}.0)");
                    return case(format!("({name} {} {})", scale(&a.text), scale(&b.text)), value);
                }
                case(format!("({name} {} {})", a.text, b.text), value)
            }
        }
    }
}

fn declare(store: &mut TermStore, context: &mut Context) {
    let word = store.mk_bv_sort(WIDTH);
    let sorted = INTS
        .iter()
        .map(|n| (*n, SortId::INT))
        .chain(WORDS.iter().map(|n| (*n, word)))
        .chain([("p", SortId::BOOL), ("q", SortId::BOOL)]);
    for (name, sort) in sorted {
        let function = store.declare_fn(name, &[], sort);
        context.define(name, crate::smtlib::context::Symbol::Function(function)).unwrap();
    }
}

fn assignment(store: &mut TermStore, generator: &Generator) -> Vec<(TermId, Value)> {
    let word = store.mk_bv_sort(WIDTH);
    let mut result = Vec::new();
    for (name, &n) in INTS.iter().zip(&generator.ints) {
        result.push((store.mk_const(name, SortId::INT), Value::Int(Integer::from(n))));
    }
    for (name, &n) in WORDS.iter().zip(&generator.words) {
        result.push((store.mk_const(name, word), Value::BitVec(Integer::from(n), WIDTH)));
    }
    for (name, &b) in ["p", "q"].iter().zip(&generator.bools) {
        result.push((store.mk_const(name, SortId::BOOL), Value::Bool(b)));
    }
    result
}

fn check(seed: u64) {
    let mut generator = Generator::new(seed);
    let depth = 2 + (seed % 5) as u32;
    let (text, expected) = match seed % 3 {
        0 => {
            let c = generator.bool(depth);
            (c.text, Value::Bool(c.value))
        }
        1 => {
            let c = generator.int(depth);
            (c.text, Value::Int(Integer::from(c.value)))
        }
        _ => {
            let c = generator.word(depth);
            (c.text, Value::BitVec(Integer::from(c.value), WIDTH))
        }
    };
    let mut store = TermStore::new();
    let mut context = Context::new();
    declare(&mut store, &mut context);
    let term = read_term(&mut store, &mut context, &text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let mut model = Model::new();
    let mut map = HashMap::default();
    for (constant, value) in assignment(&mut store, &generator) {
        model.set_constant(store.function_of(constant).unwrap(), value.clone());
        let value = store.mk_value(&value);
        map.insert(constant, value);
    }
    let value = evaluate(&store, &model, term);
    let normal = store.smtlib(term);
    assert_eq!(value, Ok(expected.clone()), "seed {seed}: {text}\n became {normal}");
    // Values in place of the constants: everything folds to the value.
    let folded = store.substitute(term, &map);
    assert_eq!(folded, store.mk_value(&expected), "seed {seed}: {text}\n became {normal}");
    // The normal form is one.
    let rebuilt = store.rewrite(term, |store, t, args| {
        let (op, sort) = (store.op(t), store.sort(t));
        Some(store.rebuild(op, sort, args))
    });
    assert_eq!(rebuilt, term, "seed {seed}: {normal}\n rebuilt {}", store.smtlib(rebuilt));
    let again = read_term(&mut store, &mut context, &normal).unwrap();
    assert_eq!(again, term, "seed {seed}: {normal}");
    assert!(!store.infix(term).is_empty());
}

#[test]
fn constructors_preserve_meaning() {
    (1..6000).for_each(check);
}

#[test]
fn rational_numbers_survive_printing() {
    let mut store = TermStore::new();
    let mut context = Context::new();
    for (n, d) in [(1, 3), (-1, 3), (5, 1), (-5, 1), (0, 1)] {
        let number = store.mk_real(Rational::new(n, d));
        let text = store.smtlib(number);
        assert_eq!(read_term(&mut store, &mut context, &text), Ok(number), "{text}");
    }
}
