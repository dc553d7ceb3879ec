//! Intervals of floats, and the operators on them.
//!
//! Floats of one format without NaN lie in a row: the *rank* of a float is its place in it, counted from zero, which both
//! zeros have; that of `-x` is the negated one. The patterns of the interchange formats are made so that the rank of a
//! positive float is its pattern. An interval is a range of ranks between those of the infinities, and so has no NaN.
//!
//! Rounding is monotonic: the bounds of a result are the results of bounds, rounded as the operation rounds, with no slack. Where an
//! operand in its interval could give NaN (`inf - inf`, `0 * inf`, division by an interval around zero) there
//! is no interval.

use bolide_cfa::value::{self, Value};
use bolide_cfa::{BinaryOp, FloatFn, FloatKind, FloatTest, IntType, Target, Type};

/// Floats from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatInterval {
    /// Their format, one that [`has_ranks`].
    pub kind: FloatKind,
    /// The rank of the least.
    pub lo: i128,
    /// The rank of the greatest.
    pub hi: i128,
}

/// Whether ranks of a format can be computed with here.
pub fn has_ranks(kind: FloatKind) -> bool {
    matches!(kind, FloatKind::F32 | FloatKind::F64)
}

/// The rank of infinity, above which only patterns of NaN lie.
pub fn infinity(kind: FloatKind) -> i128 {
    match kind {
        FloatKind::F32 => 0xff << 23,
        _ => 0x7ff << 52,
    }
}

/// The rank of the least positive normal float.
pub fn least_normal(kind: FloatKind) -> i128 {
    match kind {
        FloatKind::F32 => 1 << 23,
        _ => 1 << 52,
    }
}

/// The bit of the sign in a pattern.
pub fn sign_bit(kind: FloatKind) -> i128 {
    match kind {
        FloatKind::F32 => 1 << 31,
        _ => 1 << 63,
    }
}

/// The rank of a float; none of NaN.
pub fn rank(float: Value) -> Option<i128> {
    let Value::Float { bits, kind } = float else { return None };
    if !has_ranks(kind) || value::float_test(FloatTest::IsNan, float) != Ok(false) {
        return None;
    }
    let pattern = i128::try_from(bits).ok()?;
    Some(if pattern < sign_bit(kind) { pattern } else { sign_bit(kind) - pattern })
}

/// The float of a rank; of zero the positive one.
pub fn of_rank(rank: i128, kind: FloatKind) -> Value {
    let pattern = if rank < 0 { sign_bit(kind) - rank } else { rank };
    Value::Float { bits: pattern.unsigned_abs(), kind }
}

impl FloatInterval {
    /// All that is not NaN.
    pub fn all(kind: FloatKind) -> FloatInterval {
        FloatInterval { kind, lo: -infinity(kind), hi: infinity(kind) }
    }

    /// All but the infinities.
    pub fn finite(kind: FloatKind) -> FloatInterval {
        FloatInterval { kind, lo: 1 - infinity(kind), hi: infinity(kind) - 1 }
    }

    /// One float; none for NaN.
    pub fn exactly(float: Value) -> Option<FloatInterval> {
        let Type::Float(kind) = float.ty() else { return None };
        let rank = rank(float)?;
        Some(FloatInterval { kind, lo: rank, hi: rank })
    }

    /// The least interval that has both.
    pub fn join(self, other: FloatInterval) -> FloatInterval {
        FloatInterval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), ..self }
    }

    /// What both have.
    pub fn meet(self, other: FloatInterval) -> Option<FloatInterval> {
        let both = FloatInterval { lo: self.lo.max(other.lo), hi: self.hi.min(other.hi), ..self };
        (both.lo <= both.hi).then_some(both)
    }

    /// Whether all of another lies in this one.
    pub fn includes(self, other: FloatInterval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// The negated floats.
    pub fn negated(self) -> FloatInterval {
        FloatInterval { lo: -self.hi, hi: -self.lo, ..self }
    }

    fn has_zero(self) -> bool {
        self.lo <= 0 && self.hi >= 0
    }

    /// The rank of a float in the middle between the least and the greatest, of which the last is not meant.
    pub fn middle(self) -> i128 {
        let [lo, hi] = self.ends().map(|end| match self.kind {
            FloatKind::F32 => f64::from(f32::from_bits(end.bits() as u32)),
            _ => f64::from_bits(end.bits() as u64),
        });
        let middle = lo / 2.0 + hi / 2.0;
        let bits = match self.kind {
            FloatKind::F32 => u128::from((middle as f32).to_bits()),
            _ => u128::from(middle.to_bits()),
        };
        let found = rank(Value::Float { bits, kind: self.kind }).unwrap_or(self.lo);
        found.clamp(self.lo, self.hi - 1)
    }

    /// Whether one of them is infinite.
    pub fn has_infinity(self) -> bool {
        self.lo == -infinity(self.kind) || self.hi == infinity(self.kind)
    }

    fn ends(self) -> [Value; 2] {
        [of_rank(self.lo, self.kind), of_rank(self.hi, self.kind)]
    }

    /// The least interval with these floats; none with NaN among them.
    fn around(floats: impl IntoIterator<Item = Option<Value>>) -> Option<FloatInterval> {
        let mut all: Option<FloatInterval> = None;
        for float in floats {
            let one = FloatInterval::exactly(float?)?;
            all = Some(all.map_or(one, |all| all.join(one)));
        }
        all
    }

    /// The results of `+`, `-`, `*` or `/`; none where NaN may be among them.
    pub fn binary(self, op: BinaryOp, other: FloatInterval) -> Option<FloatInterval> {
        let top = infinity(self.kind);
        let nan = match op {
            BinaryOp::Add => {
                self.lo == -top && other.hi == top || self.hi == top && other.lo == -top
            }
            BinaryOp::Sub => return self.binary(BinaryOp::Add, other.negated()),
            BinaryOp::Mul => {
                self.has_zero() && other.has_infinity() || self.has_infinity() && other.has_zero()
            }
            BinaryOp::Div => other.has_zero() || self.has_infinity() && other.has_infinity(),
            _ => true,
        };
        if nan {
            return None;
        }
        let corners = self.ends().into_iter().flat_map(|a| other.ends().map(|b| (a, b)));
        FloatInterval::around(corners.map(|(a, b)| value::binary(op, a, b).ok()))
    }

    /// What `fmod` gives; it is exact.
    pub fn modulo(self, other: FloatInterval) -> Option<FloatInterval> {
        if self.has_infinity() || other.has_zero() {
            return None;
        }
        let least = other.lo.abs().max(other.hi.abs()) - 1;
        let (lo, hi) = (self.lo.max(-least).min(0), self.hi.min(least).max(0));
        Some(FloatInterval { lo, hi, ..self })
    }

    /// The products of floats with themselves, among which no NaN is.
    pub fn squared(self) -> FloatInterval {
        let (lo, hi) = (self.lo.abs().min(self.hi.abs()), self.lo.abs().max(self.hi.abs()));
        let lo = if self.has_zero() { 0 } else { lo };
        let magnitudes = FloatInterval { lo, hi, ..self };
        let square = |end| value::binary(BinaryOp::Mul, end, end).ok();
        FloatInterval::around(magnitudes.ends().map(square))
            .unwrap_or(FloatInterval::all(self.kind))
    }

    /// The results of a function.
    pub fn function(self, f: FloatFn) -> Option<FloatInterval> {
        match f {
            FloatFn::Abs if self.has_zero() => {
                Some(FloatInterval { lo: 0, hi: self.hi.max(-self.lo), ..self })
            }
            FloatFn::Sqrt if self.lo < 0 => None,
            // Monotonic, on either side of zero at least.
            _ => FloatInterval::around(self.ends().map(|end| value::float_fn(f, end).ok())),
        }
    }

    /// The same numbers in another format, rounded.
    pub fn converted(self, to: FloatKind, target: Target) -> Option<FloatInterval> {
        let cast = |end| Some(value::cast(Type::Float(to), end, target));
        FloatInterval::around(self.ends().map(cast)).filter(|_| has_ranks(to))
    }

    /// Integers from one to another as floats.
    pub fn of_integers(
        (lo, hi): (i128, i128),
        ty: IntType,
        kind: FloatKind,
        target: Target,
    ) -> Option<FloatInterval> {
        let fits = ty.bits < 128 && ty.min() <= lo && lo <= hi && hi <= ty.max();
        let cast = |end| Some(value::cast(Type::Float(kind), Value::int(end, ty), target));
        fits.then(|| FloatInterval::around([lo, hi].map(cast))).flatten()
    }

    /// As integers, towards zero; none where one of them does not fit the type.
    pub fn to_integers(self, ty: IntType, target: Target) -> Option<(i128, i128)> {
        let [lo, hi] = self.ends().map(|end| {
            let fits = value::float::fits(end.bits(), self.kind, ty) && ty.bits < 128;
            fits.then(|| value::cast(Type::Int(ty), end, target).as_int()).flatten()
        });
        Some((lo?, hi?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECIAL: [f64; 14] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.1,
        1e-310,
        -5e-324,
        f64::MAX,
        f64::MIN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        3.5,
        -1e300,
    ];

    fn bits(dice: &mut bolide_testing::Dice) -> u64 {
        (0..4).fold(0, |bits, _| bits << 16 | dice.roll(1 << 16) as u64)
    }

    fn some_float(dice: &mut bolide_testing::Dice, kind: FloatKind) -> Value {
        let double = match dice.roll(3) {
            0 => f64::from_bits(bits(dice)),
            1 => dice.roll(2000) as f64 / 7.0 - 140.0,
            _ => dice.pick(&SPECIAL),
        };
        let double = Value::Float { bits: u128::from(double.to_bits()), kind: FloatKind::F64 };
        value::cast(Type::Float(kind), double, Target::LP64)
    }

    /// An interval, and a float in it that is a bound, a zero of either sign, or any.
    fn some_interval(dice: &mut bolide_testing::Dice, kind: FloatKind) -> (FloatInterval, Value) {
        loop {
            let [a, b, c] = [0; 3].map(|_| some_float(dice, kind));
            let (Some(x), Some(y), Some(z)) = (rank(a), rank(b), rank(c)) else { continue };
            let interval = FloatInterval { kind, lo: x.min(y), hi: x.max(y) };
            return if interval.lo <= z && z <= interval.hi {
                (interval, c)
            } else {
                (interval, a)
            };
        }
    }

    fn check(interval: Option<FloatInterval>, result: Value, what: &str) {
        if let Some(interval) = interval {
            let rank = rank(result).unwrap_or_else(|| panic!("NaN: {what}"));
            assert!(interval.lo <= rank && rank <= interval.hi, "{what}: {interval:?} {rank}");
        }
    }

    #[test]
    fn results_lie_in_the_interval_of_results() {
        let mut dice = bolide_testing::Dice::new(7);
        let target = Target::LP64;
        for kind in [FloatKind::F32, FloatKind::F64] {
            let other = if kind == FloatKind::F32 { FloatKind::F64 } else { FloatKind::F32 };
            for _ in 0..40_000 {
                let ((i, a), (j, b)) =
                    (some_interval(&mut dice, kind), some_interval(&mut dice, kind));
                for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div] {
                    let result = value::binary(op, a, b).unwrap();
                    check(i.binary(op, j), result, &format!("{a:?} {op:?} {b:?}"));
                }
                let square = value::binary(BinaryOp::Mul, a, a).unwrap();
                check(Some(i.squared()), square, &format!("{a:?} squared"));
                use FloatFn::{Abs, Ceil, Floor, Round, RoundEven, Sqrt, Trunc};
                for f in [Abs, Sqrt, Floor, Ceil, Trunc, Round, RoundEven] {
                    check(i.function(f), value::float_fn(f, a).unwrap(), &format!("{f:?} {a:?}"));
                }
                let negated = value::unary(bolide_cfa::UnaryOp::Neg, a).unwrap();
                check(Some(i.negated()), negated, "negated");
                let converted = value::cast(Type::Float(other), a, target);
                check(i.converted(other, target), converted, &format!("converted {a:?}"));
                for ty in [IntType::signed(32), IntType::unsigned(8), IntType::signed(64)] {
                    if let Some((lo, hi)) = i.to_integers(ty, target) {
                        let whole = value::cast(Type::Int(ty), a, target).as_int().unwrap();
                        assert!(lo <= whole && whole <= hi, "{a:?} as {ty:?}");
                    }
                    let [m, n, k] =
                        [0; 3].map(|_| ty.value(ty.truncate(u128::from(bits(&mut dice)))));
                    let (lo, hi) = (m.min(n), m.max(n));
                    let float =
                        value::cast(Type::Float(kind), Value::int(k.clamp(lo, hi), ty), target);
                    let interval = FloatInterval::of_integers((lo, hi), ty, kind, target);
                    check(interval, float, &format!("{k} of {ty:?}"));
                }
            }
        }
    }

    #[test]
    fn bounds_are_as_near_as_can_be() {
        let double = |x: f64| Value::Float { bits: u128::from(x.to_bits()), kind: FloatKind::F64 };
        let interval = |x: f64, y: f64| FloatInterval {
            kind: FloatKind::F64,
            lo: rank(double(x)).unwrap(),
            hi: rank(double(y)).unwrap(),
        };
        let product = interval(-10_000.0, 10_000.0).binary(BinaryOp::Mul, interval(0.999, 0.999));
        assert_eq!(product, Some(interval(-0.999 * 10_000.0, 0.999 * 10_000.0)));
        let sum = interval(0.1, 0.2).binary(BinaryOp::Sub, interval(-0.3, 1.0));
        assert_eq!(sum, Some(interval(0.1 - 1.0, 0.2 + 0.3)));
        assert_eq!(interval(-1.0, 1.0).binary(BinaryOp::Div, interval(-1.0, 1.0)), None);
        let all = FloatInterval::all(FloatKind::F64);
        assert_eq!(all.binary(BinaryOp::Add, all), None);
        assert_eq!(all.binary(BinaryOp::Mul, interval(0.0, 0.0)), None);
        assert_eq!(interval(-3.0, 2.0).function(FloatFn::Abs), Some(interval(0.0, 3.0)));
    }
}
