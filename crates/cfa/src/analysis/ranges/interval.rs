//! Intervals of integers, and the operators on them.
//!
//! Bounds are `i128`; the least and the greatest `i128` stand for minus and
//! plus infinity. Results hold for two readings of signed arithmetic at once: the one that wraps
//! (as the interpreter does) and the one on unbounded integers (as formulas
//! do). Where a signed operation provably stays in its type the readings agree; where it may not,
//! nothing is known of its result.

use crate::expr::{BinaryOp, CompareOp, UnaryOp};
use crate::types::IntType;

/// All integers from `lo` to `hi`; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The least value; `i128::MIN` for none.
    pub lo: i128,
    /// The greatest value; `i128::MAX` for none.
    pub hi: i128,
}

const INF: i128 = i128::MAX;
const NEG: i128 = i128::MIN;

impl Interval {
    /// Any integer.
    pub const ANY: Interval = Interval { lo: NEG, hi: INF };
    /// Either truth value.
    pub const EITHER: Interval = Interval { lo: 0, hi: 1 };

    /// One value.
    pub fn exactly(value: i128) -> Interval {
        Interval { lo: value, hi: value }
    }

    /// From `lo` to `hi`, if that is not empty.
    pub fn new(lo: i128, hi: i128) -> Option<Interval> {
        (lo <= hi).then_some(Interval { lo, hi })
    }

    /// A truth value, where it is known.
    pub fn truth(known: Option<bool>) -> Interval {
        known.map_or(Interval::EITHER, |b| Interval::exactly(i128::from(b)))
    }

    /// All values of a type.
    pub fn of_type(ty: IntType) -> Interval {
        // The extremes of 128 bits coincide with the infinities: wider, hence sound.
        Interval { lo: ty.min(), hi: ty.max() }
    }

    /// What a value of the type may be when nothing is known of how it was
    /// computed: unsigned values are wrapped into their type, signed ones may have overflowed.
    pub fn unknown(ty: IntType) -> Interval {
        if ty.signed { Interval::ANY } else { Interval::of_type(ty) }
    }

    /// The value, if there is one only.
    pub fn value(self) -> Option<i128> {
        (self.lo == self.hi && self.lo != INF && self.lo != NEG).then_some(self.lo)
    }

    /// Whether all values of `other` are in this interval.
    pub fn includes(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// Whether `value` is in this interval.
    pub fn contains(self, value: i128) -> bool {
        self.lo <= value && value <= self.hi
    }

    /// The least interval that includes both.
    pub fn join(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// The values in both.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        Interval::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// All values moved by a constant; infinite bounds stay.
    pub fn moved(self, by: i128) -> Interval {
        Interval { lo: add(self.lo, by), hi: add(self.hi, by) }
    }

    fn negated(self) -> Interval {
        Interval { lo: neg(self.hi), hi: neg(self.lo) }
    }
}

/// Saturating, where infinities absorb.
fn add(a: i128, b: i128) -> i128 {
    if a == INF || a == NEG {
        a
    } else if b == INF || b == NEG {
        b
    } else {
        a.saturating_add(b)
    }
}

fn neg(a: i128) -> i128 {
    match a {
        INF => NEG,
        NEG => INF,
        a => -a,
    }
}

fn mul(a: i128, b: i128) -> i128 {
    if a == 0 || b == 0 { 0 } else { a.saturating_mul(b) }
}

/// The result of an operation computed on unbounded integers, as a value of
/// the type.
fn wrapped(exact: Interval, ty: IntType) -> Interval {
    let all = Interval::of_type(ty);
    // Required: an infinite bound is no bound of the type, though for 128
    // bits it looks like one.
    let finite = exact.lo != NEG && exact.hi != INF;
    if finite && all.includes(exact) { exact } else { Interval::unknown(ty) }
}

/// A one-place operator.
pub fn unary(op: UnaryOp, a: Interval, ty: IntType) -> Interval {
    match op {
        UnaryOp::Not => Interval { lo: 1 - a.hi.min(1), hi: 1 - a.lo.max(0) },
        UnaryOp::Neg => wrapped(a.negated(), ty),
        UnaryOp::BitNot if ty.signed => a.negated().moved(-1),
        UnaryOp::BitNot if ty.bits < 128 => Interval { lo: ty.max() - a.hi, hi: ty.max() - a.lo },
        UnaryOp::BitNot => Interval::of_type(ty),
    }
}

/// A two-place operator on operands of type `ty` (for shifts: the left one).
pub fn binary(op: BinaryOp, a: Interval, b: Interval, ty: IntType) -> Interval {
    match op {
        BinaryOp::Add => wrapped(Interval { lo: add(a.lo, b.lo), hi: add(a.hi, b.hi) }, ty),
        BinaryOp::Sub => binary(BinaryOp::Add, a, b.negated(), ty),
        BinaryOp::Mul => {
            let corners = [mul(a.lo, b.lo), mul(a.lo, b.hi), mul(a.hi, b.lo), mul(a.hi, b.hi)];
            wrapped(hull(&corners), ty)
        }
        BinaryOp::Div => division(a, b, ty),
        BinaryOp::Rem => remainder(a, b, ty),
        BinaryOp::Shl => {
            let width = i128::from(ty.bits);
            if b.lo < 0 || b.hi >= width || b.hi >= 126 || a.lo < 0 {
                return Interval::unknown(ty);
            }
            let exact = Interval { lo: mul(a.lo, 1 << b.lo), hi: mul(a.hi, 1 << b.hi) };
            wrapped(exact, ty)
        }
        BinaryOp::Shr => {
            if b.lo < 0 || b.hi >= i128::from(ty.bits) {
                return Interval::unknown(ty);
            }
            let shift = |x: i128, by: i128| if x == INF || x == NEG { x } else { x >> by };
            hull(&[shift(a.lo, b.lo), shift(a.lo, b.hi), shift(a.hi, b.lo), shift(a.hi, b.hi)])
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => bitwise(op, a, b, ty),
    }
}

fn hull(corners: &[i128]) -> Interval {
    let lo = corners.iter().copied().min().expect("corners");
    let hi = corners.iter().copied().max().expect("corners");
    Interval { lo, hi }
}

fn division(a: Interval, b: Interval, ty: IntType) -> Interval {
    // A divisor of zero has no result: only the others count.
    let parts = [Interval::new(b.lo, b.hi.min(-1)), Interval::new(b.lo.max(1), b.hi)];
    if a.lo == NEG || a.hi == INF {
        return Interval::unknown(ty);
    }
    let mut result: Option<Interval> = None;
    for part in parts.into_iter().flatten() {
        let corners = [a.lo / part.lo, a.lo / part.hi, a.hi / part.lo, a.hi / part.hi];
        let mut quotient = hull(&corners);
        // Towards zero: with divisors of both small and large size, zero lies between.
        if a.contains(0) {
            quotient = quotient.join(Interval::exactly(0));
        }
        result = Some(result.map_or(quotient, |r| r.join(quotient)));
    }
    result.map_or(Interval::unknown(ty), |r| wrapped(r, ty))
}

fn remainder(a: Interval, b: Interval, ty: IntType) -> Interval {
    // The size of the remainder is below that of the divisor and at most that
    // of the dividend; its sign is the dividend's.
    let size = if b.lo == NEG || b.hi == INF {
        INF
    } else {
        b.lo.unsigned_abs().max(b.hi.unsigned_abs()).saturating_sub(1).min(INF as u128) as i128
    };
    let hi = if a.hi <= 0 { 0 } else { a.hi.min(size) };
    let lo = if a.lo >= 0 { 0 } else { a.lo.max(neg(size)) };
    if b == Interval::exactly(0) { Interval::unknown(ty) } else { Interval { lo, hi } }
}

fn bitwise(op: BinaryOp, a: Interval, b: Interval, ty: IntType) -> Interval {
    let inside = |x: Interval| Interval::of_type(ty).includes(x);
    let negative = a.lo < 0 || b.lo < 0;
    match op {
        BinaryOp::BitAnd if a.lo >= 0 || b.lo >= 0 => {
            let hi = match (a.lo >= 0, b.lo >= 0) {
                (true, true) => a.hi.min(b.hi),
                (true, false) => a.hi,
                _ => b.hi,
            };
            let lo = if ty == IntType::BOOL { a.lo.min(b.lo) } else { 0 };
            Interval { lo, hi }
        }
        _ if negative || a.hi == INF || b.hi == INF => {
            if inside(a) && inside(b) {
                Interval::of_type(ty)
            } else {
                Interval::unknown(ty)
            }
        }
        BinaryOp::BitOr => Interval { lo: a.lo.max(b.lo), hi: ones(a.hi.max(b.hi)) },
        _ => Interval { lo: 0, hi: ones(a.hi.max(b.hi)) },
    }
}

/// The least number `2^k - 1` that is not below `value`.
fn ones(value: i128) -> i128 {
    if value <= 0 { 0 } else { (u128::MAX >> (value as u128).leading_zeros()) as i128 }
}

/// A comparison, where the intervals decide it.
pub fn compare(op: CompareOp, a: Interval, b: Interval) -> Option<bool> {
    match op {
        CompareOp::Eq => match (a.value(), b.value()) {
            (Some(x), Some(y)) => Some(x == y),
            _ => a.meet(b).is_none().then_some(false),
        },
        CompareOp::Ne => compare(CompareOp::Eq, a, b).map(|equal| !equal),
        CompareOp::Lt if a.hi < b.lo => Some(true),
        CompareOp::Lt if a.lo >= b.hi && b.hi != INF => Some(false),
        CompareOp::Le if a.hi <= b.lo && a.hi != INF => Some(true),
        CompareOp::Le if a.lo > b.hi => Some(false),
        _ => None,
    }
}

/// Conversion from one integer type to another.
pub fn convert(a: Interval, from: IntType, to: IntType) -> Interval {
    let target = Interval::of_type(to);
    if to == IntType::BOOL {
        let known = if !a.contains(0) { Some(true) } else { a.value().map(|v| v != 0) };
        return Interval::truth(known);
    }
    let finite = a.lo != NEG && a.hi != INF;
    if finite && target.includes(a) {
        a
    } else if target.includes(Interval::of_type(from)) && from.bits < 128 {
        // A widening conversion changes no value, so neither one that overflowed.
        Interval::unknown(from)
    } else {
        target
    }
}

/// Widening: bounds that moved go to the next threshold, or to infinity.
pub fn widen(old: Interval, new: Interval, thresholds: &[i128]) -> Interval {
    let joined = old.join(new);
    let lo = if joined.lo < old.lo {
        let next = thresholds.partition_point(|&t| t <= joined.lo);
        if next == 0 { NEG } else { thresholds[next - 1] }
    } else {
        old.lo
    };
    let hi = if joined.hi > old.hi {
        thresholds.get(thresholds.partition_point(|&t| t < joined.hi)).copied().unwrap_or(INF)
    } else {
        old.hi
    };
    Interval { lo, hi }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{self, Value};

    /// All operators on all small intervals of 8-bit types, against the
    /// concrete semantics in both readings.
    #[test]
    fn operators_include_all_concrete_results() {
        use BinaryOp::*;
        let bounds = [-128i128, -127, -65, -8, -3, -1, 0, 1, 2, 7, 8, 63, 100, 126, 127, 200, 255];
        for ty in [IntType::signed(8), IntType::unsigned(8)] {
            let legal: Vec<i128> =
                bounds.into_iter().filter(|b| Interval::of_type(ty).contains(*b)).collect();
            let intervals: Vec<Interval> = legal
                .iter()
                .flat_map(|&lo| legal.iter().filter_map(move |&hi| Interval::new(lo, hi)))
                .collect();
            let sample = |i: Interval| legal.iter().copied().filter(move |&v| i.contains(v));
            for &a in &intervals {
                for op in [UnaryOp::Neg, UnaryOp::BitNot] {
                    let result = unary(op, a, ty);
                    for x in sample(a) {
                        let v = value::unary(op, Value::int(x, ty)).unwrap().as_int().unwrap();
                        assert!(result.contains(v), "{op:?} {a:?} has {v}, not in {result:?}");
                    }
                }
                for to in
                    [IntType::signed(8), IntType::unsigned(8), IntType::signed(16), IntType::BOOL]
                {
                    let result = convert(a, ty, to);
                    for x in sample(a) {
                        let v = value::cast(
                            to.into_type(),
                            Value::int(x, ty),
                            crate::types::Target::LP64,
                        );
                        assert!(result.contains(v.as_int().unwrap()));
                    }
                }
            }
            for (i, &a) in intervals.iter().enumerate() {
                for &b in intervals.iter().skip(i % 3).step_by(3) {
                    for op in [Add, Sub, Mul, Div, Rem, Shl, Shr, BitAnd, BitOr, BitXor] {
                        let result = binary(op, a, b, ty);
                        for x in sample(a) {
                            for y in sample(b) {
                                let run = value::binary(op, Value::int(x, ty), Value::int(y, ty));
                                let Ok(v) = run else { continue };
                                let v = v.as_int().unwrap();
                                assert!(
                                    result.contains(v),
                                    "{op:?} {a:?} {b:?}: {x}, {y} gives {v}, not in {result:?}"
                                );
                                let unbounded = match op {
                                    Add => x + y,
                                    Sub => x - y,
                                    Mul => x * y,
                                    Div => x / y,
                                    _ => continue,
                                };
                                assert!(!ty.signed || result.contains(unbounded));
                            }
                        }
                    }
                    for op in [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le] {
                        if let Some(known) = compare(op, a, b) {
                            for x in sample(a) {
                                for y in sample(b) {
                                    let (x, y) = (Value::int(x, ty), Value::int(y, ty));
                                    assert_eq!(value::compare(op, x, y), Ok(known));
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    trait IntoType {
        fn into_type(self) -> crate::types::Type;
    }
    impl IntoType for IntType {
        fn into_type(self) -> crate::types::Type {
            crate::types::Type::Int(self)
        }
    }
}
