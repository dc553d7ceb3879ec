//! Operations that round in the direction that the program has chosen.
//!
//! The direction is a value like others, so one formula serves a loop over all directions. Without circuits
//! what holds of every direction is known ([`relate`]): results are monotonic and keep what needs no rounding.

use super::evaluator::{Evaluator, Symbolic, UNBOUNDED};
use super::floats::{converted, format, opaque_float, pattern, rounded, value};
use super::ranks::{is_number, number, rank};
use super::rounding::{relate, relate_function};
use crate::float_interval::has_ranks;
use bolide_cfa::{BinaryOp, Directed, FloatFn, FloatKind, Type};
use bolide_terms::{RoundingMode, TermId};

/// The directions by their numbers in `<fenv.h>` of x86; all others are towards zero, which is the last one.
const DIRECTIONS: [(i128, RoundingMode); 3] = [
    (0, RoundingMode::NearestEven),
    (0x400, RoundingMode::TowardNegative),
    (0x800, RoundingMode::TowardPositive),
];

/// An operation of a direction and operands, the last one of this type.
pub fn directed(
    ev: &mut Evaluator<'_>,
    op: Directed,
    arguments: &[Symbolic],
    last: Type,
) -> Option<Symbolic> {
    let (&direction, operands) = arguments.split_first()?;
    let kind = match (op, last) {
        (Directed::To(kind), _) | (_, Type::Float(kind)) => kind,
        _ => return None,
    };
    let binary = match op {
        Directed::Add => Some(BinaryOp::Add),
        Directed::Sub => Some(BinaryOp::Sub),
        Directed::Mul => Some(BinaryOp::Mul),
        Directed::Div => Some(BinaryOp::Div),
        _ => None,
    };
    if !ev.is_exact() {
        let name = format!("{op:?}.{last:?}");
        let result = opaque_float(ev, &name, arguments, kind);
        if has_ranks(kind) {
            bound_by_ends(ev, &name, arguments, result, kind);
        }
        match (op, operands) {
            _ if !has_ranks(kind) => {}
            (Directed::Sqrt, &[a]) => relate_function(ev, FloatFn::Sqrt, a, result, kind),
            (Directed::Whole, &[a]) => relate_function(ev, FloatFn::RoundEven, a, result, kind),
            (_, &[a, b]) => relate(ev, binary?, [a, b], result, kind),
            _ => {}
        }
        return Some(result);
    }
    let mode = mode(ev, direction);
    let result = match (op, operands) {
        (_, &[a, b]) => return Some(rounded(ev, binary?, mode, [a, b], kind)),
        (Directed::To(_), &[a]) => return Some(converted(ev, mode, a, last, kind)),
        (Directed::MultiplyAdd, &[a, b, c]) => {
            let operands = [a, b, c].map(|operand| value(ev, kind, operand));
            ev.store.mk_float_fma(format(kind), mode, operands)
        }
        (Directed::Sqrt, &[a]) => {
            let x = value(ev, kind, a);
            ev.store.mk_float_sqrt(format(kind), mode, x)
        }
        (Directed::Whole, &[a]) => {
            let x = value(ev, kind, a);
            ev.store.mk_float_round_to_integral(format(kind), mode, x)
        }
        _ => return None,
    };
    Some(pattern(ev, kind, result))
}

/// States that a result lies between those that are rounded down and up.
fn bound_by_ends(
    ev: &mut Evaluator<'_>,
    name: &str,
    arguments: &[Symbolic],
    result: Symbolic,
    kind: FloatKind,
) {
    let [low, high] = [0x400, 0x800].map(|direction| {
        let mut arguments = arguments.to_vec();
        arguments[0] = Symbolic::Int(number(ev, direction), UNBOUNDED);
        opaque_float(ev, name, &arguments, kind)
    });
    let [x, y, z] = [low, result, high].map(|float| rank(ev, float, kind));
    let [a, b, c] = [low, result, high].map(|float| is_number(ev, float, kind));
    let ordered = [ev.store.mk_le(x, y), ev.store.mk_le(y, z)];
    let ordered = ev.store.mk_and(&ordered);
    let ordered = ev.store.mk_implies(b, ordered);
    let same = [ev.store.mk_iff(a, b), ev.store.mk_iff(b, c)];
    ev.facts.extend([ordered, same[0], same[1]]);
}

/// The direction that a number names, as formulas have it.
fn mode(ev: &mut Evaluator<'_>, direction: Symbolic) -> TermId {
    let named = direction.int(ev.store);
    let cut = ev.store.mk_rounding_mode(RoundingMode::TowardZero);
    DIRECTIONS.into_iter().fold(cut, |other, (name, mode)| {
        let name = number(ev, name);
        let (is, mode) = (ev.store.mk_eq(named, name), ev.store.mk_rounding_mode(mode));
        ev.store.mk_ite(is, mode, other)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::Slots;
    use bolide_base::{HashMap, Integer};
    use bolide_cfa::value::{Value, math};
    use bolide_cfa::{IntType, MathFn, Program, Target};
    use bolide_terms::TermStore;

    const ALL: [i128; 4] = [0, 0x400, 0x800, 0xc00];

    /// With circuits the results are the interpreter's; without them what is said of them is true.
    fn check(op: Directed, operands: &[Value], exact: bool) {
        let program = Program::new(Target::LP64);
        let mut store = TermStore::new();
        let mut slots = Slots::new(&program, &mut store);
        slots.exact.all = exact;
        let none = |_| UNBOUNDED;
        let mut ev = Evaluator::new(&program, &slots, &mut store, &none, "test!");
        let mut known: HashMap<TermId, TermId> = HashMap::default();
        for direction in ALL {
            let mut arguments = vec![Value::int(direction, IntType::signed(32))];
            arguments.extend(operands);
            let expected = math::apply(MathFn::Directed(op), &arguments).unwrap();
            let mut terms = Vec::new();
            for value in &arguments {
                let number =
                    value.as_int().map_or_else(|| Integer::from(value.bits()), Integer::from);
                terms.push(Symbolic::Int(ev.store.mk_int(number), UNBOUNDED));
            }
            let last = operands[operands.len() - 1].ty();
            let result = directed(&mut ev, op, &terms, last).unwrap().int(ev.store);
            let bits = ev.store.mk_int(Integer::from(expected.bits()));
            if exact && crate::float_interval::rank(expected).is_some() {
                assert_eq!(result, bits, "{op:?} {direction:#x} of {operands:x?}: {expected:x?}");
            }
            known.insert(result, bits);
        }
        let facts = std::mem::take(&mut ev.facts);
        for fact in facts.into_iter().filter(|_| !exact) {
            assert_eq!(store.substitute(fact, &known), TermId::TRUE, "{op:?} of {operands:x?}");
        }
    }

    #[test]
    fn results_are_those_of_the_interpreter() {
        let double = |x: f64| Value::Float { bits: x.to_bits().into(), kind: FloatKind::F64 };
        let numbers = [0.1, -0.2, 3.0, 1e308, -1e-308, 5e-324, 0.0, -0.0, f64::INFINITY, 12.5];
        for exact in [true, false] {
            for (i, x) in numbers.map(double).into_iter().enumerate() {
                check(Directed::Sqrt, &[x], exact);
                check(Directed::Whole, &[x], exact);
                check(Directed::To(FloatKind::F32), &[x], exact);
                let n = Value::int(33_554_433 * (i as i128 - 4), IntType::signed(64));
                check(Directed::To(FloatKind::F32), &[n], exact);
                for y in numbers.map(double) {
                    for op in [Directed::Add, Directed::Sub, Directed::Mul, Directed::Div] {
                        check(op, &[x, y], exact);
                    }
                    check(Directed::MultiplyAdd, &[x, y, double(0.1)], exact);
                }
            }
        }
    }
}
