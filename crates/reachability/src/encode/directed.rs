//! Operations that round in the direction that the program has chosen.
//!
//! The direction is a value like others, so one formula serves a loop over all directions. Without circuits
//! what holds of every direction is known ([`relate`]): results are monotonic and keep what needs no rounding.

use super::evaluator::{Evaluator, Symbolic};
use super::floats::{converted, format, opaque_float, pattern, rounded, value};
use super::ranks::number;
use super::rounding::{relate, relate_function};
use crate::float_interval::has_ranks;
use bolide_cfa::{BinaryOp, Directed, FloatFn, Type};
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
        let result = opaque_float(ev, &format!("{op:?}.{last:?}"), arguments, kind);
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
