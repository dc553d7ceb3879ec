//! Functions of `<math.h>` that are exact or round once.
//!
//! The next float is the next rank, whoever asks, and bounds of remainders are bounds of ranks. The others are circuits, where the machine's operations are asked for ([`Slots::exact`](super::Slots)):
//! to scale by a power of two and to read an exponent, a float is seen in a format with room for all exponents, where each is normal.

use super::evaluator::{Evaluator, Symbolic, pattern_interval, type_interval};
use super::floats::{compare, format, nearest, opaque_float, pattern, value};
use super::ranks::{is_number, lies_in, number, rank};
use crate::float_interval::{FloatInterval, has_ranks, sign_bit};
use bolide_cfa::{CompareOp, FloatKind, IntType, MathFn, Type};
use bolide_terms::{FloatFormat, TermId};

/// Bits of an exponent that has room for those of doubles, and for [`FARTHEST`] more.
const EXPONENT: u32 = 15;

/// A double that is scaled by more than this is zero or infinite.
const FARTHEST: i128 = 2200;

/// A function of floats of a kind; none where no circuit says it.
pub fn math(
    ev: &mut Evaluator<'_>,
    f: MathFn,
    arguments: &[Symbolic],
    kind: Type,
) -> Option<Symbolic> {
    // Remainders have a step for each exponent: of the wider kinds these are too many.
    let Type::Float(kind) = kind else { return None };
    if !has_ranks(kind) {
        return None;
    }
    if let (MathFn::NextAfter, &[a, b]) = (f, arguments) {
        return Some(next_after(ev, a, b, kind));
    }
    if !ev.is_exact() {
        return match (f, arguments) {
            (MathFn::Modulo, &[a, b]) => Some(modulo(ev, a, b, kind)),
            _ => None,
        };
    }
    if let (MathFn::Scale, &[a, by]) = (f, arguments) {
        return Some(scale(ev, a, by, kind));
    }
    let x: Vec<TermId> = arguments.iter().map(|&a| value(ev, kind, a)).collect();
    let (format, store) = (format(kind), &mut *ev.store);
    let result = match (f, &x[..]) {
        (MathFn::Modulo, &[a, b]) => store.mk_float_fmod(format, a, b),
        (MathFn::Remainder, &[a, b]) => store.mk_float_rem(format, a, b),
        (MathFn::MultiplyAdd, &[a, b, c]) => {
            let mode = nearest(store);
            store.mk_float_fma(format, mode, [a, b, c])
        }
        (MathFn::Exponent, &[a]) => return Some(exponent(ev, a, kind)),
        _ => return None,
    };
    Some(pattern(ev, kind, result))
}

/// `fmod`, of which the sign and bounds are said: it is exact, has the sign of `a`, and is less than both; `a` itself if that is
/// less than `b`.
fn modulo(ev: &mut Evaluator<'_>, a: Symbolic, b: Symbolic, kind: FloatKind) -> Symbolic {
    let result = opaque_float(ev, "fmod", &[a, b], kind);
    let finite = lies_in(ev, a, FloatInterval::finite(kind));
    let [x, y, r] = [a, b, result].map(|float| rank(ev, float, kind));
    let numbers = [b, result].map(|float| is_number(ev, float, kind));
    let store = &mut *ev.store;
    let zero = store.mk_int(0);
    let divides = store.mk_neq(y, zero);
    let known = store.mk_and(&[finite, numbers[0], divides]);
    let (up, down) = (store.mk_ge(x, zero), store.mk_le(x, zero));
    let [above, below] = [store.mk_ge(r, zero), store.mk_le(r, zero)];
    let [no_more, no_less] = [store.mk_le(r, x), store.mk_ge(r, x)];
    let (positive, negative) = (store.mk_and(&[above, no_more]), store.mk_and(&[below, no_less]));
    let sizes = [x, y, r].map(|rank| store.mk_abs(rank));
    let (smaller, less) = (store.mk_lt(sizes[0], sizes[1]), store.mk_lt(sizes[2], sizes[1]));
    let (result_is, a) = (result.int(store), a.int(store));
    let same = store.mk_eq(result_is, a);
    let said = [
        numbers[1],
        less,
        store.mk_implies(up, positive),
        store.mk_implies(down, negative),
        store.mk_implies(smaller, same),
    ];
    let said = store.mk_and(&said);
    let lemma = store.mk_implies(known, said);
    ev.facts.push(lemma);
    result
}

/// The float next to `a` in the direction of `b`; `b` where both are equal.
fn next_after(ev: &mut Evaluator<'_>, a: Symbolic, b: Symbolic, kind: FloatKind) -> Symbolic {
    let upwards = compare(ev, CompareOp::Lt, a, b, kind);
    let downwards = compare(ev, CompareOp::Lt, b, a, kind);
    let (x, one, zero) = (rank(ev, a, kind), number(ev, 1), number(ev, 0));
    let sign = number(ev, sign_bit(kind));
    // The float above the greatest negative one is the negative zero.
    let negative = ev.store.mk_lt(x, zero);
    let up = ev.store.mk_add(&[x, one]);
    let minus_up = ev.store.mk_sub(sign, up);
    let up = ev.store.mk_ite(negative, minus_up, up);
    let positive = ev.store.mk_lt(zero, x);
    let down = ev.store.mk_sub(x, one);
    let minus_down = ev.store.mk_sub(sign, down);
    let down = ev.store.mk_ite(positive, down, minus_down);
    let nan = ev.any(Type::Float(kind));
    let some_number = is_number(ev, nan, kind);
    let not_a_number = ev.store.mk_not(some_number);
    ev.facts.push(not_a_number);
    let [a_is, b_is] = [a, b].map(|operand| is_number(ev, operand, kind));
    let numbers = ev.store.mk_and(&[a_is, b_is]);
    let (b, nan) = (b.int(ev.store), nan.int(ev.store));
    let result = ev.store.mk_ite(downwards, down, b);
    let result = ev.store.mk_ite(upwards, up, result);
    Symbolic::Int(ev.store.mk_ite(numbers, result, nan), pattern_interval(kind))
}

/// The format with the same significand and room for all exponents.
fn roomy(kind: FloatKind) -> FloatFormat {
    FloatFormat { exponent: EXPONENT, ..format(kind) }
}

/// The exponent of a float in the format with room, biased, and the bits around it.
fn parts(ev: &mut Evaluator<'_>, a: TermId, kind: FloatKind) -> (TermId, TermId, TermId, TermId) {
    let (wide, store) = (roomy(kind), &mut *ev.store);
    let mode = nearest(store);
    let a = store.mk_float_convert(format(kind), wide, mode, a);
    let fraction = wide.significand - 1;
    let exponent = store.mk_bv_extract(fraction + EXPONENT - 1, fraction, a);
    let sign = store.mk_bv_extract(fraction + EXPONENT, fraction + EXPONENT, a);
    let rest = store.mk_bv_extract(fraction - 1, 0, a);
    (a, sign, exponent, rest)
}

/// `a * 2^by`, rounded once.
fn scale(ev: &mut Evaluator<'_>, a: Symbolic, by: Symbolic, kind: FloatKind) -> Symbolic {
    let by = by.int(ev.store);
    let (least, most) = (number(ev, -FARTHEST), number(ev, FARTHEST));
    let (low, high) = (ev.store.mk_lt(by, least), ev.store.mk_lt(most, by));
    let by = ev.store.mk_ite(high, most, by);
    let by = ev.store.mk_ite(low, least, by);
    let by = ev.store.mk_int_to_bv(EXPONENT, by);
    let x = value(ev, kind, a);
    let (a, sign, exponent, rest) = parts(ev, x, kind);
    let (wide, store) = (roomy(kind), &mut *ev.store);
    let moved = store.mk_bv_add(&[exponent, by]);
    let scaled = store.mk_bv_concat(&[sign, moved, rest]);
    let fixed = [
        store.mk_float_is_zero(wide, a),
        store.mk_float_is_infinite(wide, a),
        store.mk_float_is_nan(wide, a),
    ];
    let fixed = store.mk_or(&fixed);
    let result = store.mk_ite(fixed, a, scaled);
    let mode = nearest(store);
    let result = store.mk_float_convert(wide, format(kind), mode, result);
    pattern(ev, kind, result)
}

/// `ilogb`, with the numbers of glibc for what has no exponent.
fn exponent(ev: &mut Evaluator<'_>, a: TermId, kind: FloatKind) -> Symbolic {
    let (a, _, exponent, _) = parts(ev, a, kind);
    let (wide, int) = (roomy(kind), IntType::signed(32));
    let biased = ev.store.mk_bv_to_int(exponent, false);
    let bias = number(ev, (1 << (EXPONENT - 1)) - 1);
    let (least, most) = (number(ev, int.min()), number(ev, int.max()));
    let store = &mut *ev.store;
    let none = [store.mk_float_is_zero(wide, a), store.mk_float_is_nan(wide, a)];
    let (none, infinite) = (store.mk_or(&none), store.mk_float_is_infinite(wide, a));
    let result = store.mk_sub(biased, bias);
    let result = store.mk_ite(infinite, most, result);
    Symbolic::Int(store.mk_ite(none, least, result), type_interval(int))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{Slots, UNBOUNDED};
    use bolide_base::{HashMap, Integer};
    use bolide_cfa::value::{Value, math};
    use bolide_cfa::{Program, Target};
    use bolide_terms::TermStore;

    /// Floats around which something changes.
    fn floats(kind: FloatKind) -> Vec<Value> {
        let doubles = [
            0.0,
            1.0,
            1.5,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::from_bits(1),
            f64::from_bits(0x000f_ffff_ffff_ffff),
            f64::from_bits(0x7fef_ffff_ffff_fffe),
            f64::INFINITY,
            f64::NAN,
            1e-40,
            3e38,
            1.1754942e-38,
            0.1,
        ];
        let signed = doubles.into_iter().flat_map(|x| [x, -x]);
        signed
            .map(|x| Value::Float { bits: u128::from(x.to_bits()), kind: FloatKind::F64 })
            .map(|x| bolide_cfa::value::cast(Type::Float(kind), x, Target::LP64))
            .collect()
    }

    fn check(f: MathFn, arguments: &[Value], kind: FloatKind, exact: bool) {
        let program = Program::new(Target::LP64);
        let mut store = TermStore::new();
        let mut slots = Slots::new(&program, &mut store);
        slots.exact.all = exact;
        let expected = math::apply(f, arguments).unwrap();
        let none = |_| UNBOUNDED;
        let mut ev = Evaluator::new(&program, &slots, &mut store, &none, "test!");
        let terms: Vec<Symbolic> = arguments
            .iter()
            .map(|&v| match v.as_int() {
                Some(n) => Symbolic::Int(number(&mut ev, n), UNBOUNDED),
                None => Symbolic::Int(ev.store.mk_int(Integer::from(v.bits())), UNBOUNDED),
            })
            .collect();
        let result = super::math(&mut ev, f, &terms, Type::Float(kind)).unwrap();
        let result = result.int(ev.store);
        let known = ev.store.number(result).map(|n| n.numerator());
        let what = format!("{f:?} of {arguments:x?} is {expected:x?}, not {known:?}");
        match expected.as_int() {
            Some(n) => assert_eq!(known, Some(Integer::from(n)), "{what}"),
            None if crate::float_interval::rank(expected).is_none() => {
                // Any NaN, or one of them.
                let open = known.is_none_or(|bits| {
                    let bits = bits.to_i128().unwrap().unsigned_abs();
                    crate::float_interval::rank(Value::Float { bits, kind }).is_none()
                });
                assert!(open, "{what}");
            }
            None => assert_eq!(known, Some(Integer::from(expected.bits())), "{what}"),
        }
    }

    /// What is said of an inexact result is true of the interpreter's.
    fn admits(f: MathFn, arguments: &[Value], kind: FloatKind) {
        let program = Program::new(Target::LP64);
        let mut store = TermStore::new();
        let slots = Slots::new(&program, &mut store);
        let none = |_| UNBOUNDED;
        let mut ev = Evaluator::new(&program, &slots, &mut store, &none, "test!");
        let terms: Vec<Symbolic> = arguments
            .iter()
            .map(|v| Symbolic::Int(ev.store.mk_int(Integer::from(v.bits())), UNBOUNDED))
            .collect();
        let result = super::math(&mut ev, f, &terms, Type::Float(kind)).unwrap().int(ev.store);
        let facts = std::mem::take(&mut ev.facts);
        let expected = math::apply(f, arguments).unwrap();
        let bits = store.mk_int(Integer::from(expected.bits()));
        let map = HashMap::from_iter([(result, bits)]);
        for fact in facts {
            let said = store.substitute(fact, &map);
            assert_eq!(said, bolide_terms::TermId::TRUE, "{f:?} of {arguments:x?}: {expected:x?}");
        }
    }

    #[test]
    fn results_are_those_of_the_interpreter() {
        for kind in [FloatKind::F32, FloatKind::F64] {
            let all = floats(kind);
            for &a in &all {
                check(MathFn::Exponent, &[a], kind, true);
                let powers = [
                    0,
                    1,
                    -1,
                    52,
                    -52,
                    1022,
                    -1022,
                    2098,
                    -2098,
                    -1074,
                    -149,
                    i128::from(i32::MIN),
                    1 << 20,
                ];
                for by in powers {
                    check(MathFn::Scale, &[a, Value::int(by, IntType::signed(32))], kind, true);
                }
                for &b in &all {
                    check(MathFn::NextAfter, &[a, b], kind, true);
                    check(MathFn::NextAfter, &[a, b], kind, false);
                    admits(MathFn::Modulo, &[a, b], kind);
                }
            }
        }
    }
}
