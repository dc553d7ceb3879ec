//! Division, shifts and bit operations on mathematical integers.
//!
//! In two's complement, the lowest `k` bits of any integer are its remainder
//! modulo `2^k` (never negative), and an arithmetic shift right by `k` is its
//! quotient by `2^k` rounded down; SMT-LIB's `mod` and `div` are exactly that.
//! So operations with constants are exact, whatever the sign.
//!
//! Of two unknown values they are functions of which little is known, until the machine's operations
//! are asked for ([`Slots::exact`](super::Slots)): then they are those of bit-vectors, with conversions around them ([`machine`]).
//! Of values of few bits they are at once.

use super::evaluator::{
    Evaluator, Interval, Symbolic, UNBOUNDED, power_of_two, product_interval, type_interval,
};
use bolide_base::Integer;
use bolide_cfa::{BinaryOp, IntType};
use bolide_terms::{Op, SortId, TermId, TermStore};

/// Heuristic: for values of so many bits nobody has to ask for the machine's operations.
const FEW_BITS: u32 = 8;

/// A constant that splits into more runs of ones than this is not expanded.
const RUNS: usize = 6;

/// What the machine computes from the patterns of two values.
fn machine(ev: &mut Evaluator<'_>, op: BinaryOp, x: TermId, y: TermId, ty: IntType) -> Symbolic {
    let width = u32::from(ty.bits);
    let (a, b) = (ev.store.mk_int_to_bv(width, x), ev.store.mk_int_to_bv(width, y));
    let store = &mut *ev.store;
    let bits = match (op, ty.signed) {
        (BinaryOp::Add, _) => store.mk_bv_add(&[a, b]),
        (BinaryOp::Sub, _) => store.mk_bv_sub(a, b),
        (BinaryOp::Mul, _) => store.mk_bv_mul(&[a, b]),
        (BinaryOp::Div, true) => store.mk_bv_sdiv(a, b),
        (BinaryOp::Div, false) => store.mk_bv_udiv(a, b),
        (BinaryOp::Rem, true) => store.mk_bv_srem(a, b),
        (BinaryOp::Rem, false) => store.mk_bv_urem(a, b),
        (BinaryOp::BitAnd, _) => store.mk_bv_and(&[a, b]),
        (BinaryOp::BitOr, _) => store.mk_bv_or(&[a, b]),
        (BinaryOp::BitXor, _) => store.mk_bv_xor(&[a, b]),
        (BinaryOp::Shl | BinaryOp::Shr, signed) => {
            let amount = shift_amount(store, b, ty);
            match (op, signed) {
                (BinaryOp::Shl, _) => store.mk_bv_shl(a, amount),
                (_, true) => store.mk_bv_ashr(a, amount),
                (_, false) => store.mk_bv_lshr(a, amount),
            }
        }
    };
    Symbolic::Int(ev.store.mk_bv_to_int(bits, ty.signed), type_interval(ty))
}

/// The machine looks at the lowest bits of an amount only.
fn shift_amount(store: &mut TermStore, amount: TermId, ty: IntType) -> TermId {
    let width = u32::from(ty.bits);
    let mask = bolide_cfa::value::shift_amount(u128::MAX, ty.bits);
    let mask = store.mk_bv(i64::from(mask), width);
    store.mk_bv_and(&[amount, mask])
}

/// The number, where intervals leave one only: products with it are linear.
fn decided(ev: &mut Evaluator<'_>, value: TermId, interval: Interval) -> TermId {
    match interval {
        (Some(low), Some(high)) if low == high => ev.store.mk_int(Integer::from(low)),
        _ => value,
    }
}

/// A product of two unknown values.
pub fn multiply(
    ev: &mut Evaluator<'_>,
    (x, i): (TermId, Interval),
    (y, j): (TermId, Interval),
    ty: IntType,
) -> Symbolic {
    let interval = product_interval(i, j);
    let (x, y) = (decided(ev, x, i), decided(ev, y, j));
    let known = ev.store.number(x).is_some() || ev.store.number(y).is_some();
    if ev.is_exact() && !known {
        return machine(ev, BinaryOp::Mul, x, y, ty);
    }
    let product = ev.store.mk_mul(&[x, y]);
    ev.wrapped(product, interval, ty)
}

/// Whether a product of two unknown values overflows, as the machine sees it; none where numbers say it.
pub fn product_overflows(
    ev: &mut Evaluator<'_>,
    x: TermId,
    y: TermId,
    ty: IntType,
) -> Option<TermId> {
    if !ev.is_exact() || ev.store.number(x).is_some() || ev.store.number(y).is_some() {
        return None;
    }
    let [a, b] = [x, y].map(|value| ev.store.mk_int_to_bv(u32::from(ty.bits), value));
    Some(ev.store.mk_bv_mul_overflows(a, b, ty.signed))
}

/// C's `/` and `%`: the quotient is rounded towards zero.
pub fn divide(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    (x, i): (TermId, Interval),
    (y, j): (TermId, Interval),
    ty: IntType,
) -> Symbolic {
    let zero = ev.store.mk_int(0);
    let y = decided(ev, y, j);
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
            // Required: nearer to zero than the dividend, also where that is negative.
            let divisor = ev.store.number(y).and_then(|n| n.to_integer()?.to_i128());
            let divided = |v: Option<i128>| v?.checked_div(divisor?);
            return Symbolic::Int(quotient, (divided(i.0), divided(i.1)));
        }
        let product = ev.store.mk_mul(&[quotient, y]);
        let remainder = ev.store.mk_sub(x, product);
        // Smaller than the divisor, and of the dividend's sign.
        let largest = ev.store.number(y).and_then(|n| n.to_integer()?.to_i128()).map(|n| n - 1);
        let interval = match i.0.is_some_and(|low| low >= 0) {
            true => (Some(0), largest),
            false => (largest.map(|n| -n), largest),
        };
        return Symbolic::Int(remainder, interval);
    }
    if ev.slots.exact.all {
        return machine(ev, op, x, y, ty);
    }
    if ev.is_exact() {
        return defined(ev, op, (x, i), y, ty);
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

/// `/` and `%` by an unknown divisor as arithmetic has them, so that products with the quotient are known: by magnitude, since
/// what arithmetic rounds down C rounds towards zero.
fn defined(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    (x, i): (TermId, Interval),
    y: TermId,
    ty: IntType,
) -> Symbolic {
    let store = &mut *ev.store;
    let divided = |store: &mut TermStore, x| match op {
        BinaryOp::Div => store.mk_div(x, y),
        _ => store.mk_mod(x, y),
    };
    let up = divided(store, x);
    if i.0.is_some_and(|low| low >= 0) {
        return Symbolic::Int(up, if ty.signed { UNBOUNDED } else { type_interval(ty) });
    }
    let (zero, minus) = (store.mk_int(0), store.mk_neg(x));
    let down = divided(store, minus);
    let (sign, down) = (store.mk_ge(x, zero), store.mk_neg(down));
    Symbolic::Int(store.mk_ite(sign, up, down), UNBOUNDED)
}

/// `<<` and `>>`.
pub fn shift(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    (x, i): (TermId, Interval),
    amount: TermId,
    ty: IntType,
) -> Symbolic {
    let constant =
        ev.store.number(amount).and_then(|n| u32::try_from(n.to_integer()?.to_i128()?).ok());
    match constant {
        Some(n) if n < u32::from(ty.bits) => shift_by(ev, op, (x, i), n, ty),
        _ if ev.is_exact() => machine(ev, op, x, amount, ty),
        _ => {
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

/// A shift by a constant that is smaller than the width.
fn shift_by(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    (x, i): (TermId, Interval),
    n: u32,
    ty: IntType,
) -> Symbolic {
    let power = power_of_two(ev.store, n);
    if op == BinaryOp::Shl {
        let product = ev.store.mk_mul(&[x, power]);
        let scale = |v: Option<i128>| v?.checked_mul(1i128.checked_shl(n)?);
        // Signed or not: gcc defines what C does not.
        ev.wrap(product, (scale(i.0), scale(i.1)), ty)
    } else {
        let quotient = ev.store.mk_div(x, power);
        Symbolic::Int(quotient, (i.0.map(|v| v >> n), i.1.map(|v| v >> n)))
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
            let (_, high) = super::evaluator::type_bounds(ev.store, ty);
            ev.store.mk_gt(product, high)
        }
        _ if ev.is_exact() => {
            let shifted = machine(ev, BinaryOp::Shl, x, amount, ty).int(ev.store);
            let back = machine(ev, BinaryOp::Shr, shifted, amount, ty).int(ev.store);
            ev.store.mk_neq(back, x)
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
        _ if x == y => Some(x),
        _ if ones(ev.store, x, i) & ones(ev.store, y, j) == 0 => Some(ev.store.mk_int(0)),
        (None, Some(mask)) => and_constant(ev, x, mask, ty),
        (Some(mask), None) => and_constant(ev, y, mask, ty),
        _ => None,
    };
    if exact.is_none() && (ev.is_exact() || few_bits(i, j)) {
        return machine(ev, op, x, y, ty);
    }
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
        // With a value that is not negative, the conjunction is between 0 and it.
        let mask = [i, j].into_iter().filter(|k| k.0.is_some_and(|low| low >= 0));
        let mask = mask.filter_map(|k| k.1).min();
        let interval = match (op, mask) {
            (BinaryOp::BitAnd, Some(m)) => (Some(0), Some(m)),
            // No bits above those of both.
            (_, Some(_)) if let (Some(0..), Some(a), Some(0..), Some(b)) = (i.0, i.1, j.0, j.1) => {
                (Some(0), Some(((1u128 << (128 - (a | b).leading_zeros())) - 1) as i128))
            }
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

/// Whether one of two values is known to have few bits: then the machine's operation is cheap.
fn few_bits(i: Interval, j: Interval) -> bool {
    let few = |interval: Interval| match interval {
        (Some(low), Some(high)) => low >= 0 && high < 1 << FEW_BITS,
        _ => false,
    };
    few(i) || few(j)
}

/// The pattern of an integer constant in the type's width.
fn constant_of(ev: &Evaluator<'_>, term: TermId) -> Option<i128> {
    ev.store.number(term)?.to_integer()?.to_i128()
}

/// The bits that may be one in a value of an interval, in two's complement; the highest stands for all above.
fn ones(store: &TermStore, term: TermId, interval: Interval) -> u128 {
    let below = match interval {
        (Some(0..), Some(high)) => lowest(128 - high.leading_zeros()),
        _ => u128::MAX,
    };
    below & ones_of(store, term, NESTING)
}

/// Heuristic: how deep terms are looked into.
const NESTING: u32 = 8;

fn ones_of(store: &TermStore, term: TermId, depth: u32) -> u128 {
    let number = |term| store.number(term)?.to_integer()?.to_i128();
    if let Some(number) = number(term) {
        return number as u128;
    }
    let Some(depth) = depth.checked_sub(1) else { return u128::MAX };
    let power = |term| number(term).filter(|n| n.count_ones() == 1 && *n > 0);
    let args = store.args(term);
    match store.op(term) {
        Op::Mod if let Some(power) = power(args[1]) => {
            (power - 1) as u128 & ones_of(store, args[0], depth)
        }
        Op::Ite => ones_of(store, args[1], depth) | ones_of(store, args[2], depth),
        Op::Add | Op::Mul => ones_of_sum(store, term, depth),
        _ => u128::MAX,
    }
}

/// Of summands that have no bit in common; one that is taken away from what it is a part of removes its bits.
fn ones_of_sum(store: &TermStore, sum: TermId, depth: u32) -> u128 {
    let form = store.linear_form(sum);
    let Some(constant) = form.constant.to_integer().and_then(|c| c.to_i128()) else {
        return u128::MAX;
    };
    let mut removed: Vec<(TermId, u128)> = Vec::new();
    let mut summands = Vec::new();
    for (leaf, coefficient) in &form.terms {
        let Some(coefficient) = coefficient.to_integer().and_then(|c| c.to_i128()) else {
            return u128::MAX;
        };
        match part_of(store, *leaf) {
            Some((whole, low, bits)) if coefficient == -(1 << low) => removed.push((whole, bits)),
            // Heuristic: what a mask leaves stays in its place. Sums of what was shifted, as in
            // rotations, are better said by the machine's operations.
            Some((_, low, bits)) if coefficient == 1 << low && low > 0 => {
                summands.push((None, bits));
            }
            _ if coefficient == 1 => summands.push((Some(*leaf), ones_of(store, *leaf, depth))),
            _ => return u128::MAX,
        }
    }
    let mut all = constant as u128;
    for (leaf, bits) in summands {
        let mut without = 0;
        for (_, part) in removed.extract_if(.., |(whole, _)| Some(*whole) == leaf) {
            if without & part != 0 {
                return u128::MAX;
            }
            without |= part;
        }
        let bits = bits & !without;
        if all & bits != 0 {
            return u128::MAX;
        }
        all |= bits;
    }
    if removed.is_empty() { all } else { u128::MAX }
}

/// Some neighbouring bits of a whole: that, the lowest of them and which they are.
fn part_of(store: &TermStore, part: TermId) -> Option<(TermId, u32, u128)> {
    let number = |term| store.number(term)?.to_integer()?.to_i128();
    let power = |term| number(term).filter(|n| n.count_ones() == 1 && *n > 0);
    let Op::Mod = store.op(part) else { return None };
    let (inner, modulus) = (store.args(part)[0], power(store.args(part)[1])?);
    let (whole, low) = match store.op(inner) {
        Op::Div => (store.args(inner)[0], power(store.args(inner)[1])?.trailing_zeros()),
        _ => (inner, 0),
    };
    let bits = ((modulus - 1) as u128).checked_shl(low)?;
    (bits >> low == (modulus - 1) as u128).then_some((whole, low, bits))
}

fn lowest(bits: u32) -> u128 {
    if bits >= 128 { u128::MAX } else { (1 << bits) - 1 }
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
        let rest = masked(ev.store, x, full & !mask)?;
        return Some(ev.store.mk_sub(x, rest));
    }
    masked(ev.store, x, mask)
}

/// `x & mask` for a mask that is not negative; none where it has many runs of ones.
pub fn masked(store: &mut TermStore, x: TermId, mask: i128) -> Option<TermId> {
    let mut sum = Vec::new();
    let mut rest = mask as u128;
    while rest != 0 {
        let low = rest.trailing_zeros();
        let length = (rest >> low).trailing_ones();
        if sum.len() == RUNS {
            return None;
        }
        let power = power_of_two(store, low);
        let quotient = store.mk_div(x, power);
        let modulus = power_of_two(store, length);
        let bits = store.mk_mod(quotient, modulus);
        sum.push(store.mk_mul(&[bits, power]));
        let run = if length == 128 { u128::MAX } else { (1u128 << length) - 1 };
        rest &= !(run << low);
    }
    if sum.is_empty() {
        return Some(store.mk_int(Integer::from(0)));
    }
    Some(store.mk_add(&sum))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::{Environment, Slot, Slots};
    use bolide_base::{Budget, HashMap, Span};
    use bolide_cfa::value::{self, Value};
    use bolide_cfa::{Expr, Program, Target, Type, Variable, VariableKind};
    use bolide_smt::solver::{Answer, Config, Solver};
    use bolide_terms::TermStore;

    /// The formula of `x op y` admits the interpreter's result and, where it is to be
    /// exact, no other, for values at the ends of the type and between.
    fn check(op: BinaryOp, ty: IntType, constant: Option<i128>, bound: Option<i128>, exact: bool) {
        let mut program = Program::new(Target::LP64);
        let mut variable = |name: &str| {
            let variable = Variable {
                name: name.into(),
                ty: Type::Int(ty),
                function: None,
                kind: VariableKind::Global,
                initial: None,
                span: Span::NONE,
                scope: Span::NONE,
            };
            program.variables.push(variable)
        };
        let (x, y) = (variable("x"), variable("y"));
        let left = program.read(x);
        let right = match constant {
            None => program.read(y),
            Some(value) => program.exprs.int(value, ty),
        };
        let root = program.expr(Expr::Binary(op, left, right));
        let mut store = TermStore::new();
        let mut slots = Slots::new(&program, &mut store);
        slots.exact.all = exact;
        let range = if bound.is_some() { (Some(0), bound) } else { UNBOUNDED };
        let intervals = |e| if e == left || e == right { range } else { UNBOUNDED };
        let mut ev = Evaluator::new(&program, &slots, &mut store, &intervals, "test!");
        let result = ev.evaluate(&Environment::initial(&slots), root);
        let facts = std::mem::take(&mut ev.facts);
        let result = result.int(&mut store);
        let constants = [x, y].map(|v| slots.constant(slots.find(Slot::Value(v)).unwrap()));
        let mut values = vec![0, 1, 2, 3, 5, 7, ty.max(), ty.max() - 1, ty.min(), ty.min() + 1];
        values.extend([ty.max() / 3, ty.max() / 2 + 1, ty.min() / 2]);
        values.retain(|&v| bound.is_none_or(|bound| (0..=bound).contains(&v)));
        let amounts: Vec<i128> = (0..i128::from(ty.bits)).collect();
        let is_shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let others = match constant {
            Some(value) => vec![value],
            None if is_shift => amounts,
            None => values.clone(),
        };
        for &a in &values {
            for &b in &others {
                let int = |v: i128| Value::Int { bits: ty.truncate(v as u128), ty };
                if ty.signed && value::undefined(op, int(a), int(b)) != Ok(false) && is_shift {
                    continue;
                }
                let Ok(Value::Int { bits, .. }) = value::binary(op, int(a), int(b)) else {
                    continue;
                };
                let numbers = [a, b].map(|v| store.mk_int(Integer::from(v)));
                let map: HashMap<TermId, TermId> = constants.into_iter().zip(numbers).collect();
                let expected = store.mk_int(Integer::from(ty.value(bits)));
                let agrees = store.mk_eq(result, expected);
                let differs = store.mk_not(agrees);
                for (claim, answer) in [(agrees, Answer::Sat), (differs, Answer::Unsat)] {
                    let mut solver = Solver::new(Config::default());
                    for &fact in facts.iter().chain([&claim]) {
                        let fact = store.substitute(fact, &map);
                        solver.assert(&mut store, fact, 0);
                    }
                    let found = solver.check(&mut store, &[], &Budget::unlimited());
                    assert_eq!(found, answer, "{a} {op:?} {b} as {ty:?} is {:?}", ty.value(bits));
                }
            }
        }
    }

    const TYPES: [IntType; 5] = [
        IntType::signed(8),
        IntType::unsigned(8),
        IntType::signed(32),
        IntType::unsigned(32),
        IntType::unsigned(64),
    ];
    const BITWISE: [BinaryOp; 3] = [BinaryOp::BitAnd, BinaryOp::BitOr, BinaryOp::BitXor];

    #[test]
    fn bit_by_bit_is_what_the_interpreter_computes() {
        for ty in TYPES {
            for op in BITWISE.into_iter().chain([BinaryOp::Shl, BinaryOp::Shr]) {
                check(op, ty, None, None, true);
            }
        }
    }

    #[test]
    fn division_as_arithmetic_has_it_is_that_of_the_interpreter() {
        let program = Program::new(Target::LP64);
        let mut store = TermStore::new();
        let slots = Slots::new(&program, &mut store);
        let none = |_| UNBOUNDED;
        let mut ev = Evaluator::new(&program, &slots, &mut store, &none, "test!");
        for ty in TYPES {
            let mut values = vec![1, 2, 3, 7, ty.max(), ty.max() - 1];
            values.extend([-1, -2, -7, ty.min() + 1].into_iter().filter(|_| ty.signed));
            for op in [BinaryOp::Div, BinaryOp::Rem] {
                for (a, b) in values.iter().flat_map(|&a| values.iter().map(move |&b| (a, b))) {
                    let int = |v: i128| Value::Int { bits: ty.truncate(v as u128), ty };
                    let Ok(Value::Int { bits, .. }) = value::binary(op, int(a), int(b)) else {
                        continue;
                    };
                    let [x, y] = [a, b].map(|v| ev.store.mk_int(Integer::from(v)));
                    let interval = if a < 0 { UNBOUNDED } else { (Some(0), None) };
                    let result = defined(&mut ev, op, (x, interval), y, ty).int(ev.store);
                    assert_eq!(constant_of(&ev, result), Some(ty.value(bits)), "{a} {op:?} {b}");
                }
            }
        }
    }

    #[test]
    fn parts_without_a_common_bit_are_sums() {
        let ty = IntType::unsigned(32);
        let mut program = Program::new(Target::LP64);
        let kind = VariableKind::Global;
        let [x, y] = ["x", "y"]
            .map(|name| program.variables.push(Variable::new(name, Type::Int(ty), None, kind)));
        let [x, y] = [x, y].map(|var| program.read(var));
        let mut masked = |e, mask: u32| {
            let mask = program.exprs.int(i128::from(mask), ty);
            program.expr(Expr::Binary(BinaryOp::BitAnd, e, mask))
        };
        let cases = [
            (masked(x, 0xf0), masked(y, !0xf0), true),
            (masked(x, 0xf0), masked(y, !0x70), false),
            (masked(x, 0x0ff0_0ff0), masked(y, 0xf00f_f00f), true),
            (masked(x, 0xffff), masked(y, 0x8000), false),
        ];
        for (a, b, apart) in cases {
            let both = program.expr(Expr::Binary(BinaryOp::BitOr, a, b));
            let mut store = TermStore::new();
            let slots = Slots::new(&program, &mut store);
            let unsigned = |_| type_interval(ty);
            let mut ev = Evaluator::new(&program, &slots, &mut store, &unsigned, "test!");
            let env = Environment::initial(&slots);
            let [a, b, both] = [a, b, both].map(|e| ev.evaluate(&env, e).int(ev.store));
            let sum = store.mk_add(&[a, b]);
            assert_eq!(sum == both, apart, "{}", store.smtlib(both));
        }
    }

    #[test]
    fn few_bits_are_exact_unasked() {
        for ty in TYPES {
            for op in BITWISE {
                check(op, ty, None, Some(100), false);
            }
        }
    }

    #[test]
    fn constants_are_exact_unasked() {
        for ty in TYPES {
            for op in BITWISE {
                for mask in [0, 1, 7, 8, 0x5a, ty.max(), ty.max() - 1, ty.min()] {
                    check(op, ty, Some(mask), None, false);
                }
            }
            for op in [BinaryOp::Shl, BinaryOp::Shr] {
                for amount in [0, 1, 3, i128::from(ty.bits) - 1] {
                    check(op, ty, Some(amount), None, false);
                }
            }
        }
    }
}
