//! What is known of operations on floats that round, without their circuits.
//!
//! Rounding is monotonic and keeps what needs none, so the order of results follows from that of exact ones: operands
//! in intervals give a result in an interval ([`bound`]), a sum with a positive number is no less than the other one, a
//! product with a fraction no larger ([`relate`]). Differences of different numbers are not zero, as there are subnormal floats.
//! All is linear in ranks ([`ranks`](super::ranks)) and true of any operands.

use super::evaluator::{Evaluator, Interval, Sum, Symbolic, UNBOUNDED};
use super::ranks::{between, is_number, lies_in, number, rank};
use crate::float_interval::{FloatInterval, has_ranks, infinity, least_normal, rank as rank_of};
use bolide_cfa::value::Value;
use bolide_cfa::{BinaryOp, FloatFn, FloatKind, Type};
use bolide_terms::TermId;

/// States in which interval a result lies where its operands lie in theirs.
pub fn bound(
    ev: &mut Evaluator<'_>,
    operands: &[(Symbolic, Option<FloatInterval>)],
    result: Symbolic,
    interval: Option<FloatInterval>,
) {
    let Some(interval) = interval else { return };
    let mut cases = vec![lies_in(ev, result, interval)];
    for &(operand, known) in operands {
        let Some(known) = known else { return };
        let inside = lies_in(ev, operand, known);
        cases.push(ev.store.mk_not(inside));
    }
    let lemma = ev.store.mk_or(&cases);
    ev.facts.push(lemma);
}

/// What is hoped of a float.
pub fn hoped(range: Interval, kind: FloatKind) -> Option<FloatInterval> {
    let (lo, hi) = (range.0?, range.1?);
    has_ranks(kind).then_some(FloatInterval { kind, lo, hi })
}

/// States what is known of a number in another format.
pub fn bound_converted(
    ev: &mut Evaluator<'_>,
    (a, i): (Symbolic, Interval),
    from: Type,
    result: Symbolic,
    to: FloatKind,
) {
    match from {
        Type::Float(FloatKind::F32) if to == FloatKind::F64 => widened(ev, a, result),
        Type::Float(kind) => {
            let i = hoped(i, kind);
            let interval = i.and_then(|i| i.converted(to, ev.program.target));
            bound(ev, &[(a, i)], result, interval);
        }
        Type::Int(ty) => {
            let (Some(lo), Some(hi)) = i else { return };
            let interval = FloatInterval::of_integers((lo, hi), ty, to, ev.program.target);
            let Some(interval) = interval else { return };
            let value = a.int(ev.store);
            let (inside, bounded) = (between(ev, lo, value, hi), lies_in(ev, result, interval));
            let lemma = ev.store.mk_implies(inside, bounded);
            ev.facts.push(lemma);
        }
        Type::Pointer => {}
    }
}

/// States that a double is the same number as a float, exactly but for floats that are not normal: of those
/// only the order.
fn widened(ev: &mut Evaluator<'_>, float: Symbolic, double: Symbolic) {
    use FloatKind::{F32, F64};
    let (x, y) = (rank(ev, float, F32), rank(ev, double, F64));
    let zero = ev.store.mk_int(0);
    // The fraction gets more bits below, the exponent another bias.
    let shift = 52 - 23;
    let (factor, bias) = (number(ev, 1 << shift), number(ev, (1023 - 127) << 52));
    let scaled = ev.store.mk_mul(&[factor, x]);
    let least = least_normal(F32);
    let (above, below) = (ev.store.mk_add(&[scaled, bias]), ev.store.mk_sub(scaled, bias));
    let tiny = (least << shift) + ((1023 - 127) << 52) - 1;
    let cases = [
        (infinity(F32), infinity(F32), None, (infinity(F64), infinity(F64))),
        (least, infinity(F32) - 1, Some(above), (0, infinity(F64))),
        (1, least - 1, None, (1, tiny)),
        (0, 0, Some(zero), (0, 0)),
        (1 - least, -1, None, (-tiny, -1)),
        (1 - infinity(F32), -least, Some(below), (-infinity(F64), 0)),
        (-infinity(F32), -infinity(F32), None, (-infinity(F64), -infinity(F64))),
    ];
    for (lo, hi, exact, (low, high)) in cases {
        let inside = between(ev, lo, x, hi);
        let result = match exact {
            Some(exact) => ev.store.mk_eq(y, exact),
            None => between(ev, low, y, high),
        };
        let lemma = ev.store.mk_implies(inside, result);
        ev.facts.push(lemma);
    }
    let (number, other) = (is_number(ev, float, F32), is_number(ev, double, F64));
    let lemma = ev.store.mk_iff(number, other);
    ev.facts.push(lemma);
}

/// The rank of one.
fn one(kind: FloatKind) -> i128 {
    let bits = if kind == FloatKind::F32 { 1f32.to_bits().into() } else { 1f64.to_bits().into() };
    rank_of(Value::Float { bits, kind }).unwrap_or(0)
}

fn magnitude(ev: &mut Evaluator<'_>, rank: TermId) -> TermId {
    let zero = ev.store.mk_int(0);
    let (negative, negated) = (ev.store.mk_lt(rank, zero), ev.store.mk_neg(rank));
    ev.store.mk_ite(negative, negated, rank)
}

/// States implications that hold where some conditions do.
fn state(ev: &mut Evaluator<'_>, conditions: &[TermId], implications: &[(TermId, TermId)]) {
    let all: Vec<TermId> =
        implications.iter().map(|&(premise, then)| ev.store.mk_implies(premise, then)).collect();
    let (all, conditions) = (ev.store.mk_and(&all), ev.store.mk_and(conditions));
    let lemma = ev.store.mk_implies(conditions, all);
    ev.facts.push(lemma);
}

/// States how the result of `+`, `-`, `*` or `/` lies to its operands, whatever the direction of rounding.
pub fn relate(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    [a, b]: [Symbolic; 2],
    result: Symbolic,
    kind: FloatKind,
) {
    let [x, y, z] = [a, b, result].map(|float| rank(ev, float, kind));
    let numbers = [a, b, result].map(|float| is_number(ev, float, kind));
    let (zero, one, top) = (ev.store.mk_int(0), number(ev, one(kind)), infinity(kind));
    let [finite_x, finite_y] = [x, y].map(|rank| between(ev, 1 - top, rank, top - 1));
    let [u, v, w] = [x, y, z].map(|rank| magnitude(ev, rank));
    let mut le = |a, b| ev.store.mk_le(a, b);
    let implications = match op {
        BinaryOp::Add => vec![
            (le(zero, y), le(x, z)),
            (le(y, zero), le(z, x)),
            (le(zero, x), le(y, z)),
            (le(x, zero), le(z, y)),
        ],
        BinaryOp::Sub => vec![
            (le(zero, y), le(z, x)),
            (le(y, zero), le(x, z)),
            (le(x, y), le(z, zero)),
            (le(y, x), le(zero, z)),
            (le(z, zero), le(x, y)),
            (le(zero, z), le(y, x)),
        ],
        BinaryOp::Mul => vec![
            (le(v, one), le(w, u)),
            (le(one, v), le(u, w)),
            (le(u, one), le(w, v)),
            (le(one, u), le(v, w)),
        ],
        BinaryOp::Div => vec![
            (le(v, one), le(u, w)),
            (le(one, v), le(w, u)),
            (le(u, v), le(w, one)),
            (le(v, u), le(one, w)),
        ],
        _ => return,
    };
    let nonzero = ev.store.mk_neq(y, zero);
    let mut conditions = numbers.to_vec();
    let mut defined = vec![finite_x, finite_y];
    if op == BinaryOp::Div {
        conditions.push(nonzero);
        defined.push(nonzero);
    }
    state(ev, &conditions, &implications);
    let defined = ev.store.mk_and(&defined);
    state(ev, &[], &[(defined, numbers[2])]);
    if matches!(op, BinaryOp::Mul | BinaryOp::Div) {
        // Signs; a zero has either.
        for (low_x, low_y) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut side = |low, rank| {
                if low { ev.store.mk_le(zero, rank) } else { ev.store.mk_le(rank, zero) }
            };
            let (sign_x, sign_y, sign_z) =
                (side(low_x, x), side(low_y, y), side(low_x == low_y, z));
            let both = ev.store.mk_and(&[sign_x, sign_y]);
            state(ev, &conditions, &[(both, sign_z)]);
        }
    }
}

/// States how a sum lies to others of the same expression that differ in one operand.
pub fn compare_sums(
    ev: &mut Evaluator<'_>,
    op: BinaryOp,
    operands: [Symbolic; 2],
    result: Symbolic,
    kind: FloatKind,
) {
    if !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
        return;
    }
    let operands = operands.map(|operand| operand.int(ev.store));
    let sum = Sum { op, kind, operands, result: result.int(ev.store) };
    for other in ev.sums.clone() {
        if (other.op, other.kind) != (sum.op, sum.kind) || other.result == sum.result {
            continue;
        }
        for place in [0, 1] {
            if other.operands[1 - place] != sum.operands[1 - place] {
                continue;
            }
            let floats = [sum.operands[place], other.operands[place], sum.result, other.result];
            let floats = floats.map(|pattern| Symbolic::Int(pattern, UNBOUNDED));
            let numbers = floats.map(|float| is_number(ev, float, sum.kind));
            let [x, y, mut z, mut w] = floats.map(|float| rank(ev, float, sum.kind));
            if sum.op == BinaryOp::Sub && place == 1 {
                (z, w) = (w, z);
            }
            let orders = [(x, y, z, w), (y, x, w, z)]
                .map(|(x, y, z, w)| (ev.store.mk_le(x, y), ev.store.mk_le(z, w)));
            state(ev, &numbers, &orders);
        }
    }
    ev.sums.push(sum);
}

/// States how the result of a function lies to its operand.
pub fn relate_function(
    ev: &mut Evaluator<'_>,
    f: FloatFn,
    a: Symbolic,
    result: Symbolic,
    kind: FloatKind,
) {
    let [x, z] = [a, result].map(|float| rank(ev, float, kind));
    let numbers = [a, result].map(|float| is_number(ev, float, kind));
    let (zero, one) = (ev.store.mk_int(0), number(ev, one(kind)));
    let positive = ev.store.mk_le(zero, x);
    let mut le = |a, b| ev.store.mk_le(a, b);
    let (more, implications) = match f {
        FloatFn::Floor => (numbers[0], vec![(le(x, x), le(z, x))]),
        FloatFn::Ceil => (numbers[0], vec![(le(x, x), le(x, z))]),
        FloatFn::Trunc => (numbers[0], vec![(le(zero, x), le(z, x)), (le(x, zero), le(x, z))]),
        FloatFn::Sqrt => {
            let large = vec![(le(one, x), le(z, x)), (le(one, x), le(one, z))];
            let small = [(le(x, one), le(x, z)), (le(x, one), le(z, one))];
            (positive, [large, small.to_vec()].concat())
        }
        _ => (numbers[0], Vec::new()),
    };
    let sign = [(positive, le(zero, z)), (le(x, zero), le(z, zero))];
    state(ev, &numbers, &[implications, sign.to_vec()].concat());
    let defined = ev.store.mk_and(&[numbers[0], more]);
    state(ev, &[], &[(defined, numbers[1])]);
}
