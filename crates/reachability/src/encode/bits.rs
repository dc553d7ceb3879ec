//! Division, shifts and bit operations on mathematical integers.
//!
//! In two's complement, the lowest `k` bits of any integer are its remainder
//! modulo `2^k` (never negative), and an arithmetic shift right by `k` is its
//! quotient by `2^k` rounded down; SMT-LIB's `mod` and `div` are exactly that.
//! So operations with constants are exact, whatever the sign.

use super::expressions::{Evaluator, Interval, Symbolic, UNBOUNDED, power_of_two, type_interval};
use bolide_base::Integer;
use bolide_cfa::{BinaryOp, IntType, Type};
use bolide_terms::{SortId, TermId};

/// A constant that splits into more runs of ones than this is not expanded.
const RUNS: usize = 6;

/// C's `/` and `%`: the quotient is rounded towards zero.
pub fn divide(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    (x, i): (TermId, Interval),
    (y, _): (TermId, Interval),
    ty: IntType,
) -> Symbolic {
    let zero = ev.store.mk_int(0);
    let divisor = ev.store.number(y).map(|n| n.is_positive());
    if let Some(true) = divisor {
        let quotient = if i.0.is_some_and(|low| low >= 0) {
            ev.store.mk_div(x, y)
        } else {
            let up = ev.store.mk_div(x, y);
            let minus = ev.store.mk_neg(x);
            let down = ev.store.mk_div(minus, y);
            let down = ev.store.mk_neg(down);
            let sign = ev.store.mk_ge(x, zero);
            ev.store.mk_ite(sign, up, down)
        };
        if op == BinaryOp::Div {
            let interval = if i.0.is_some_and(|low| low >= 0) { (Some(0), i.1) } else { i };
            return Symbolic::Int(quotient, interval);
        }
        let product = ev.store.mk_mul(&[quotient, y]);
        let remainder = ev.store.mk_sub(x, product);
        return Symbolic::Int(remainder, UNBOUNDED);
    }
    // Not exact: the quotient is no larger than the dividend, the remainder
    // smaller than the divisor and of the dividend's sign.
    let name = format!("{op:?}.{}{}", if ty.signed { "s" } else { "u" }, ty.bits);
    let result = ev.apply(&name, &[x, y], SortId::INT);
    let abs_x = ev.store.mk_abs(x);
    let abs_y = ev.store.mk_abs(y);
    let abs_r = ev.store.mk_abs(result);
    let y_is_zero = ev.store.mk_eq(y, zero);
    let mut facts = vec![ev.store.mk_le(abs_r, abs_x)];
    let x_positive = ev.store.mk_ge(x, zero);
    let r_positive = ev.store.mk_ge(result, zero);
    if op == BinaryOp::Rem {
        facts.push(ev.store.mk_lt(abs_r, abs_y));
        let r_negative = ev.store.mk_le(result, zero);
        facts.push(ev.store.mk_ite(x_positive, r_positive, r_negative));
    } else {
        let y_positive = ev.store.mk_ge(y, zero);
        let both = ev.store.mk_and(&[x_positive, y_positive]);
        facts.push(ev.store.mk_implies(both, r_positive));
    }
    let facts = ev.store.mk_and(&facts);
    let guarded = ev.store.mk_or(&[y_is_zero, facts]);
    ev.facts.push(guarded);
    Symbolic::Int(result, if ty.signed { UNBOUNDED } else { type_interval(ty) })
}

/// `<<` and `>>`.
pub fn shift(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    (x, i): (TermId, Interval),
    amount: TermId,
    ty: IntType,
    amount_ty: Type,
) -> Symbolic {
    let constant =
        ev.store.number(amount).and_then(|n| u32::try_from(n.to_integer()?.to_i128()?).ok());
    match constant {
        Some(n) if n < u32::from(ty.bits) => {
            let power = power_of_two(ev.store, n);
            if op == BinaryOp::Shl {
                let product = ev.store.mk_mul(&[x, power]);
                let scale = |v: Option<i128>| v?.checked_mul(1i128.checked_shl(n)?);
                ev.wrapped(product, (scale(i.0), scale(i.1)), ty)
            } else {
                let quotient = ev.store.mk_div(x, power);
                Symbolic::Int(quotient, (i.0.map(|v| v >> n), i.1.map(|v| v >> n)))
            }
        }
        _ => {
            let _ = amount_ty;
            let name = format!("{op:?}.{}{}", if ty.signed { "s" } else { "u" }, ty.bits);
            let result = ev.apply(&name, &[x, amount], SortId::INT);
            ev.assume_in_type(result, ty);
            if op == BinaryOp::Shr && i.0.is_some_and(|low| low >= 0) {
                let bound = ev.store.mk_le(result, x);
                ev.facts.push(bound);
            }
            Symbolic::Int(result, type_interval(ty))
        }
    }
}

/// Whether a left shift of a signed value is undefined.
pub fn shift_overflows(ev: &mut Evaluator<'_>, x: TermId, amount: TermId, ty: IntType) -> TermId {
    let zero = ev.store.mk_int(0);
    let width = ev.store.mk_int(i64::from(ty.bits));
    let negative_amount = ev.store.mk_lt(amount, zero);
    let too_much = ev.store.mk_ge(amount, width);
    let negative = ev.store.mk_lt(x, zero);
    let lost = match ev
        .store
        .number(amount)
        .and_then(|n| u32::try_from(n.to_integer()?.to_i128()?).ok())
    {
        Some(n) if n < u32::from(ty.bits) => {
            let power = power_of_two(ev.store, n);
            let product = ev.store.mk_mul(&[x, power]);
            let (_, high) = super::expressions::type_bounds(ev.store, ty);
            ev.store.mk_gt(product, high)
        }
        _ => ev.apply(&format!("shl-loses.{}", ty.bits), &[x, amount], SortId::BOOL),
    };
    ev.store.mk_or(&[negative_amount, too_much, negative, lost])
}

/// `&`, `|` and `^`.
pub fn bitwise(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    (x, i): (TermId, Interval),
    (y, j): (TermId, Interval),
    ty: IntType,
    known: Interval,
) -> Symbolic {
    let exact = match (constant_of(ev, x), constant_of(ev, y)) {
        (None, Some(mask)) => and_constant(ev, x, mask, ty),
        (Some(mask), None) => and_constant(ev, y, mask, ty),
        _ => None,
    };
    if let Some(and) = exact {
        let sum = ev.store.mk_add(&[x, y]);
        let value = match op {
            BinaryOp::BitAnd => and,
            BinaryOp::BitOr => ev.store.mk_sub(sum, and),
            _ => {
                let minus_and = ev.store.mk_sub(sum, and);
                ev.store.mk_sub(minus_and, and)
            }
        };
        // With a mask that is not negative, the conjunction is between 0 and it.
        let mask = j.0.filter(|_| j.0 == j.1).or(i.0.filter(|_| i.0 == i.1));
        let interval = match (op, mask) {
            (BinaryOp::BitAnd, Some(m)) if m >= 0 => (Some(0), Some(m)),
            _ if !ty.signed => type_interval(ty),
            _ => UNBOUNDED,
        };
        return Symbolic::Int(value, interval);
    }
    let name = format!("{op:?}.{}", ty.bits);
    let (a, b) = if x <= y { (x, y) } else { (y, x) };
    let result = ev.apply(&name, &[a, b], SortId::INT);
    ev.assume_in_type(result, ty);
    let nonnegative = |i: Interval| i.0.is_some_and(|low| low >= 0);
    let zero = ev.store.mk_int(0);
    let mut facts = Vec::new();
    match op {
        BinaryOp::BitAnd => {
            for (value, interval) in [(x, i), (y, j)] {
                if nonnegative(interval) {
                    facts.push(ev.store.mk_le(result, value));
                    facts.push(ev.store.mk_ge(result, zero));
                }
            }
        }
        _ if nonnegative(i) && nonnegative(j) => {
            let sum = ev.store.mk_add(&[x, y]);
            facts.push(ev.store.mk_le(result, sum));
            facts.push(ev.store.mk_ge(result, zero));
            if op == BinaryOp::BitOr {
                facts.push(ev.store.mk_ge(result, x));
                facts.push(ev.store.mk_ge(result, y));
            }
        }
        _ => {}
    }
    // Equal operands: x & x = x | x = x, x ^ x = 0.
    let same = ev.store.mk_eq(x, y);
    let expected = if op == BinaryOp::BitXor { zero } else { x };
    let agrees = ev.store.mk_eq(result, expected);
    facts.push(ev.store.mk_implies(same, agrees));
    ev.facts.extend(facts);
    let interval = if known == UNBOUNDED { type_interval(ty) } else { known };
    Symbolic::Int(result, interval)
}

/// The pattern of an integer constant in the type's width.
fn constant_of(ev: &Evaluator<'_>, term: TermId) -> Option<i128> {
    ev.store.number(term)?.to_integer()?.to_i128()
}

/// `x & mask`, exact: the mask's runs of ones one after another.
fn and_constant(ev: &mut Evaluator<'_>, x: TermId, mask: i128, ty: IntType) -> Option<TermId> {
    // A negative mask has ones all the way up: x & m = x - (x & ~m).
    if mask < 0 {
        let rest = and_constant(ev, x, !mask, ty)?;
        return Some(ev.store.mk_sub(x, rest));
    }
    // On unsigned values, bits above the width are zero: a mask that is mostly
    // ones is better said by its complement.
    let full = IntType::unsigned(ty.bits).max();
    if !ty.signed && ty.bits < 128 && mask.count_ones() > u32::from(ty.bits) / 2 {
        let rest = and_runs(ev, x, full & !mask)?;
        return Some(ev.store.mk_sub(x, rest));
    }
    and_runs(ev, x, mask)
}

fn and_runs(ev: &mut Evaluator<'_>, x: TermId, mask: i128) -> Option<TermId> {
    let mut sum = Vec::new();
    let mut rest = mask as u128;
    while rest != 0 {
        let low = rest.trailing_zeros();
        let length = (rest >> low).trailing_ones();
        if sum.len() == RUNS {
            return None;
        }
        let power = power_of_two(ev.store, low);
        let quotient = ev.store.mk_div(x, power);
        let modulus = power_of_two(ev.store, length);
        let bits = ev.store.mk_mod(quotient, modulus);
        sum.push(ev.store.mk_mul(&[bits, power]));
        let run = if length == 128 { u128::MAX } else { (1u128 << length) - 1 };
        rest &= !(run << low);
    }
    if sum.is_empty() {
        return Some(ev.store.mk_int(Integer::from(0)));
    }
    Some(ev.store.mk_add(&sum))
}
