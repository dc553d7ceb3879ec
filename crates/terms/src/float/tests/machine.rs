//! The operations of `float` and `double` against those of the machine.

use crate::{FloatFormat, RoundingMode, TermId, TermStore};
use bolide_base::Integer;
use bolide_testing::Dice;

const SINGLE: FloatFormat = FloatFormat::SINGLE;
const DOUBLE: FloatFormat = FloatFormat::DOUBLE;

/// Numbers at the edges, and any.
fn double(dice: &mut Dice) -> f64 {
    let special = [
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        f64::from_bits((1 << 52) - 1),
        f64::INFINITY,
        f64::NAN,
        f64::from(f32::MAX),
        f64::from(f32::MIN_POSITIVE),
        2147483648.0,
        9007199254740993.0,
    ];
    let any = |dice: &mut Dice| (dice.roll(1 << 32) as u64) << 32 | dice.roll(1 << 32) as u64;
    let value = match dice.roll(4) {
        0 => special[dice.roll(special.len())],
        // Of the size of one, with few digits or many.
        1 => f64::from_bits(
            (1000 + dice.roll(60) as u64) << 52 | any(dice) >> 12 & !((1 << dice.roll(52)) - 1),
        ),
        _ => f64::from_bits(any(dice)),
    };
    if dice.chance(50) { -value } else { value }
}

fn single(dice: &mut Dice) -> f32 {
    match dice.roll(3) {
        0 => double(dice) as f32,
        1 => f32::from_bits((100 + dice.roll(60) as u32) << 23 | dice.roll(1 << 23) as u32),
        _ => f32::from_bits(dice.roll(1 << 32) as u32),
    }
}

fn pattern(value: f64) -> u64 {
    if value.is_nan() { 0x7ff8 << 48 } else { value.to_bits() }
}

fn narrow(value: f32) -> u64 {
    u64::from(if value.is_nan() { 0x7fc0 << 16 } else { value.to_bits() })
}

struct Folder {
    store: TermStore,
    nearest: TermId,
}

impl Folder {
    fn new() -> Folder {
        let mut store = TermStore::new();
        let nearest = store.mk_rounding_mode(RoundingMode::NearestEven);
        Folder { store, nearest }
    }

    fn assert(&self, found: TermId, right: u64, what: &str) {
        assert_eq!(self.store.bv_number(found), Some(Integer::from(right)), "{what}");
    }
}

#[test]
fn arithmetic_is_that_of_the_machine() {
    let mut dice = Dice::new(1);
    for _ in 0..400 {
        let (x, y, z) = (double(&mut dice), double(&mut dice), double(&mut dice));
        let mut f = Folder::new();
        let (s, r) = (&mut f.store, f.nearest);
        let [a, b, c] = [x, y, z].map(|v| s.mk_bv(v.to_bits(), 64));
        let pairs = [
            (s.mk_float_add(DOUBLE, r, a, b), x + y),
            (s.mk_float_sub(DOUBLE, r, a, b), x - y),
            (s.mk_float_mul(DOUBLE, r, a, b), x * y),
            (s.mk_float_div(DOUBLE, r, a, b), x / y),
            (s.mk_float_sqrt(DOUBLE, r, a), x.sqrt()),
            (s.mk_float_fma(DOUBLE, r, [a, b, c]), x.mul_add(y, z)),
            (s.mk_float_round_to_integral(DOUBLE, r, a), x.round_ties_even()),
            (s.mk_float_whole(DOUBLE, RoundingMode::NearestAway, a), x.round()),
            (s.mk_float_whole(DOUBLE, RoundingMode::TowardNegative, a), x.floor()),
            (s.mk_float_whole(DOUBLE, RoundingMode::TowardPositive, a), x.ceil()),
            (s.mk_float_whole(DOUBLE, RoundingMode::TowardZero, a), x.trunc()),
        ];
        for (index, (found, right)) in pairs.into_iter().enumerate() {
            f.assert(found, pattern(right), &format!("{index}: {x:e} {y:e} {z:e}"));
        }
    }
}

#[test]
fn single_arithmetic_is_that_of_the_machine() {
    let mut dice = Dice::new(2);
    for _ in 0..600 {
        let (x, y, z) = (single(&mut dice), single(&mut dice), single(&mut dice));
        let mut f = Folder::new();
        let (s, r) = (&mut f.store, f.nearest);
        let [a, b, c] = [x, y, z].map(|v| s.mk_bv(v.to_bits(), 32));
        let pairs = [
            (s.mk_float_add(SINGLE, r, a, b), x + y),
            (s.mk_float_sub(SINGLE, r, a, b), x - y),
            (s.mk_float_mul(SINGLE, r, a, b), x * y),
            (s.mk_float_div(SINGLE, r, a, b), x / y),
            (s.mk_float_sqrt(SINGLE, r, a), x.sqrt()),
            (s.mk_float_fma(SINGLE, r, [a, b, c]), x.mul_add(y, z)),
            (s.mk_float_fmod(SINGLE, a, b), x % y),
        ];
        for (index, (found, right)) in pairs.into_iter().enumerate() {
            f.assert(found, narrow(right), &format!("{index}: {x:e} {y:e} {z:e}"));
        }
        let (s, truth) = (&mut f.store, |t: TermId| t == TermId::TRUE);
        assert_eq!(truth(s.mk_float_lt(SINGLE, a, b)), x < y, "{x:e} < {y:e}");
        assert_eq!(truth(s.mk_float_le(SINGLE, a, b)), x <= y, "{x:e} <= {y:e}");
        assert_eq!(truth(s.mk_float_eq(SINGLE, a, b)), x == y, "{x:e} == {y:e}");
    }
}

#[test]
fn conversions_are_those_of_the_machine() {
    let mut dice = Dice::new(3);
    for _ in 0..600 {
        let (x, y) = (double(&mut dice), single(&mut dice));
        let n = (x.to_bits() as i64) >> dice.roll(64);
        let mut f = Folder::new();
        let (s, r) = (&mut f.store, f.nearest);
        let [a, bits] = [x.to_bits(), n as u64].map(|v| s.mk_bv(v, 64));
        let b = s.mk_bv(y.to_bits(), 32);
        let doubles = [
            (s.mk_float_convert(SINGLE, DOUBLE, r, b), f64::from(y)),
            (s.mk_float_from_bv(DOUBLE, r, bits, true), n as f64),
            (s.mk_float_from_bv(DOUBLE, r, bits, false), n as u64 as f64),
        ];
        let singles = [
            (s.mk_float_convert(DOUBLE, SINGLE, r, a), x as f32),
            (s.mk_float_from_bv(SINGLE, r, bits, true), n as f32),
            (s.mk_float_from_bv(SINGLE, r, bits, false), n as u64 as f32),
        ];
        // There and back through the format of x87, which has more of everything.
        let wide = s.mk_float_convert(DOUBLE, FloatFormat::EXTENDED, r, a);
        let stored = s.mk_float_to_x87(wide);
        let loaded = s.mk_float_from_x87(stored);
        let again = s.mk_float_convert(FloatFormat::EXTENDED, DOUBLE, r, loaded);
        let zero = s.mk_rounding_mode(RoundingMode::TowardZero);
        let (int, in_int) = s.mk_float_to_bv(DOUBLE, zero, a, 32, true);
        let (long, in_long) = s.mk_float_to_bv(DOUBLE, zero, a, 64, false);
        let what = format!("{x:e} {y:e} {n}");
        for (found, right) in doubles {
            f.assert(found, pattern(right), &what);
        }
        for (found, right) in singles {
            f.assert(found, narrow(right), &what);
        }
        f.assert(again, pattern(x), &what);
        let t = x.trunc();
        assert_eq!(in_int == TermId::TRUE, (-2147483648.0..=2147483647.0).contains(&t), "{what}");
        assert_eq!(in_long == TermId::TRUE, t > -1.0 && t < 18446744073709551616.0, "{what}");
        if in_int == TermId::TRUE {
            f.assert(int, u64::from(x as i32 as u32), &what);
        }
        if in_long == TermId::TRUE {
            f.assert(long, x as u64, &what);
        }
    }
}
