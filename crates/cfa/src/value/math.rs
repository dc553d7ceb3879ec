//! Functions of `<math.h>` whose result the standard fixes to the last bit: they are exact or
//! round once. Others (`sin`, `pow`) differ from library to library and are not here.

use super::Value;
use super::float::{self, Parts};
use crate::expr::MathFn;
use crate::types::{FloatKind, IntType};
use rustc_apfloat::{ExpInt, Float};

/// Applies a function; none for arguments of other types.
pub fn apply(function: MathFn, arguments: &[Value]) -> Option<Value> {
    if let MathFn::Directed(op) = function {
        return super::directed::apply(op, arguments);
    }
    let Some(&Value::Float { kind, .. }) = arguments.first() else { return None };
    float::in_format!(kind, T => typed::<T>(function, arguments, kind))
}

fn typed<T: Float>(function: MathFn, arguments: &[Value], kind: FloatKind) -> Option<Value> {
    let bits = |at: usize| match arguments.get(at) {
        Some(Value::Float { bits, kind: other }) if *other == kind => Some(*bits),
        _ => None,
    };
    let x = bits(0)?;
    let floats = (0..arguments.len()).filter_map(bits);
    if function == MathFn::Exponent {
        let int = |v: i32| Some(Value::int(i128::from(v), IntType::signed(32)));
        return match float::parts(x, kind) {
            Parts::Nan { .. } | Parts::Finite { significand: 0, .. } => int(i32::MIN),
            Parts::Infinite { .. } => int(i32::MAX),
            Parts::Finite { .. } => int(T::from_bits(x).ilogb()),
        };
    }
    if let Some(nan) = floats.into_iter().find(|&b| float::is_nan(b, kind)) {
        return Some(Value::Float { bits: float::quiet(nan, kind), kind });
    }
    let a = T::from_bits(x);
    let value = match function {
        MathFn::Modulo => a.c_fmod(T::from_bits(bits(1)?)).value,
        MathFn::Remainder => a.ieee_rem(T::from_bits(bits(1)?)).value,
        MathFn::MultiplyAdd => a.mul_add(T::from_bits(bits(1)?), T::from_bits(bits(2)?)).value,
        MathFn::Scale => {
            // Beyond this all is zero or infinite, in every format.
            let by = arguments.get(1)?.as_int()?.clamp(-40_000, 40_000);
            a.scalbn(by as ExpInt)
        }
        MathFn::NextAfter => {
            let b = T::from_bits(bits(1)?);
            match a.partial_cmp(&b) {
                Some(std::cmp::Ordering::Less) => a.next_up().value,
                Some(std::cmp::Ordering::Greater) => a.next_down().value,
                _ => b,
            }
        }
        MathFn::Exponent | MathFn::Directed(_) => return None,
    };
    let bits = if value.is_nan() { float::default_nan(kind) } else { value.to_bits() };
    Some(Value::Float { bits, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_those_of_the_machine() {
        let double = |v: f64| Value::Float { bits: u128::from(v.to_bits()), kind: FloatKind::F64 };
        let of = |f, arguments: &[Value]| match apply(f, arguments) {
            Some(Value::Float { bits, .. }) => f64::from_bits(bits as u64),
            other => panic!("{other:?} is no float"),
        };
        let two = |f, a: f64, b: f64| of(f, &[double(a), double(b)]);
        assert_eq!(two(MathFn::Modulo, 5.5, -2.0), 1.5);
        assert_eq!(two(MathFn::Modulo, 1e300, 3.0), 1e300 % 3.0);
        assert_eq!(two(MathFn::Remainder, 5.5, 2.0), -0.5);
        assert!(two(MathFn::Modulo, 1.0, 0.0).is_nan());
        assert_eq!(two(MathFn::NextAfter, 0.0, -1.0), -f64::from_bits(1));
        let third = [double(0.1), double(10.0), double(-1.0)];
        assert_eq!(of(MathFn::MultiplyAdd, &third), 0.1f64.mul_add(10.0, -1.0));
        let by = Value::int(-1070, IntType::signed(32));
        assert_eq!(of(MathFn::Scale, &[double(3.0), by]), 3.0 * f64::from_bits(16));
        let one = |v| apply(MathFn::Exponent, &[double(v)]).and_then(|v| v.as_int());
        assert_eq!(one(f64::from_bits(1)), Some(-1074));
        assert_eq!(one(0.0), Some(i128::from(i32::MIN)));
    }
}
