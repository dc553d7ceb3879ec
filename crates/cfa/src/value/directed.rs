//! Operations on floats that round as the program chose with `fesetround`.
//!
//! What is not a number comes from the operation that rounds to the nearest, whose rules are
//! the machine's ([`super::float`]); all others are `rustc_apfloat`'s in the direction that is asked for. The library has
//! no roots: the nearest one is moved to its neighbour where its square lies on the wrong side.

use super::Value;
use super::float::{self, in_format};
use crate::expr::{BinaryOp, Directed, FloatFn};
use crate::types::FloatKind;
use rustc_apfloat::{Float, FloatConvert, Round};

/// The direction that `<fenv.h>` of x86 gives this number.
fn direction(number: i128) -> Option<Round> {
    Some(match number {
        0 => Round::NearestTiesToEven,
        0x400 => Round::TowardNegative,
        0x800 => Round::TowardPositive,
        0xc00 => Round::TowardZero,
        _ => return None,
    })
}

/// Applies an operation to a direction and operands; none for arguments of other types.
pub fn apply(op: Directed, arguments: &[Value]) -> Option<Value> {
    let (number, operands) = arguments.split_first()?;
    let round = direction(number.as_int()?)?;
    let &last = operands.last()?;
    if let Directed::To(kind) = op {
        return Some(Value::Float { bits: converted(last, kind, round)?, kind });
    }
    let Value::Float { kind, .. } = last else { return None };
    let is_operand = |v: &Value| matches!(v, Value::Float { kind: other, .. } if *other == kind);
    if !operands.iter().all(is_operand) {
        return None;
    }
    let bits: Vec<u128> = operands.iter().map(|v| v.bits()).collect();
    let nearest = nearest(op, &bits, kind)?;
    let bits = match float::is_nan(nearest, kind) {
        true => nearest,
        false => in_format!(kind, T => typed::<T>(op, &bits, nearest, round)?),
    };
    Some(Value::Float { bits, kind })
}

/// What rounding to the nearest gives.
fn nearest(op: Directed, bits: &[u128], kind: FloatKind) -> Option<u128> {
    let binary = match (op, bits) {
        (Directed::Add, _) => BinaryOp::Add,
        (Directed::Sub, _) => BinaryOp::Sub,
        (Directed::Mul, _) => BinaryOp::Mul,
        (Directed::Div, _) => BinaryOp::Div,
        (Directed::Sqrt, &[x]) => return Some(float::function(FloatFn::Sqrt, x, kind)),
        (Directed::Whole, &[x]) => return Some(float::function(FloatFn::RoundEven, x, kind)),
        (Directed::MultiplyAdd, &[x, y, z]) => {
            let nan = bits.iter().find(|&&bits| float::is_nan(bits, kind));
            let sum = in_format!(kind, T => multiplied::<T>([x, y, z], Round::NearestTiesToEven));
            return Some(match nan {
                Some(&nan) => float::quiet(nan, kind),
                None if float::is_nan(sum, kind) => float::default_nan(kind),
                None => sum,
            });
        }
        _ => return None,
    };
    let &[x, y] = bits else { return None };
    Some(float::arithmetic(binary, x, y, kind))
}

fn multiplied<T: Float>(bits: [u128; 3], round: Round) -> u128 {
    let [x, y, z] = bits.map(T::from_bits);
    x.mul_add_r(y, z, round).value.to_bits()
}

fn typed<T: Float>(op: Directed, bits: &[u128], nearest: u128, round: Round) -> Option<u128> {
    let at = |i: usize| bits.get(i).map(|&bits| T::from_bits(bits));
    let x = at(0)?;
    let value = match op {
        Directed::Add => x.add_r(at(1)?, round).value,
        Directed::Sub => x.sub_r(at(1)?, round).value,
        Directed::Mul => x.mul_r(at(1)?, round).value,
        Directed::Div => x.div_r(at(1)?, round).value,
        Directed::MultiplyAdd => x.mul_add_r(at(1)?, at(2)?, round).value,
        Directed::Whole => x.round_to_integral(round).value,
        Directed::Sqrt => root(x, T::from_bits(nearest), round),
        Directed::To(_) => return None,
    };
    Some(value.to_bits())
}

/// The root in a direction, from the nearest one.
fn root<T: Float>(x: T, nearest: T, round: Round) -> T {
    // Rounded away from zero: a difference too small for the format keeps its sign.
    let above = nearest.mul_add_r(nearest, -x, Round::TowardPositive).value > T::ZERO;
    let below = nearest.mul_add_r(nearest, -x, Round::TowardNegative).value < T::ZERO;
    match round {
        Round::TowardNegative | Round::TowardZero if above => nearest.next_down().value,
        Round::TowardPositive if below => nearest.next_up().value,
        _ => nearest,
    }
}

/// A number of another type in this format.
fn converted(value: Value, to: FloatKind, round: Round) -> Option<u128> {
    fn of_float<A: Float + FloatConvert<B>, B: Float>(bits: u128, round: Round) -> u128 {
        A::from_bits(bits).convert_r(round, &mut false).value.to_bits()
    }
    match value {
        Value::Float { bits, kind } if kind == to || float::is_nan(bits, kind) => {
            Some(float::convert(bits, kind, to))
        }
        Value::Float { bits, kind } => {
            Some(in_format!(kind, A => in_format!(to, B => of_float::<A, B>(bits, round))))
        }
        Value::Int { bits, ty } if ty.signed => {
            Some(in_format!(to, T => T::from_i128_r(ty.value(bits), round).value.to_bits()))
        }
        Value::Int { bits, .. } => {
            Some(in_format!(to, T => T::from_u128_r(bits, round).value.to_bits()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::IntType;

    const DOWN: i128 = 0x400;
    const UP: i128 = 0x800;

    fn of(op: Directed, mode: i128, operands: &[f64]) -> f64 {
        let mut arguments = vec![Value::int(mode, IntType::signed(32))];
        let kind = FloatKind::F64;
        arguments.extend(operands.iter().map(|x| Value::Float { bits: x.to_bits().into(), kind }));
        f64::from_bits(apply(op, &arguments).unwrap().bits() as u64)
    }

    #[test]
    fn results_lie_on_the_side_that_is_asked_for() {
        for (x, y) in [(0.1, 0.2), (1.0, 3.0), (-7.3, 1e-300), (1e308, 1e308), (5e-324, 0.3)] {
            for op in [Directed::Add, Directed::Sub, Directed::Mul, Directed::Div] {
                let [low, high, cut, nearest] =
                    [DOWN, UP, 0xc00, 0].map(|mode| of(op, mode, &[x, y]));
                assert!(low == high || low.next_up() == high, "{op:?} {x} {y}: {low} {high}");
                assert_eq!(cut, if high > 0.0 { low } else { high }, "{op:?} {x} {y}");
                assert!(nearest == low || nearest == high, "{op:?} {x} {y}");
            }
        }
        assert!(of(Directed::Sub, DOWN, &[1.0, 1.0]).is_sign_negative());
        assert_eq!(of(Directed::Mul, DOWN, &[1e308, 10.0]), f64::MAX);
        assert!(of(Directed::Div, UP, &[0.0, 0.0]).is_nan());
    }

    #[test]
    fn roots_and_whole_numbers() {
        for x in [2.0, 3.0, 4.0, 1e-320, 5e-324, f64::MAX] {
            let [low, high] = [DOWN, UP].map(|mode| of(Directed::Sqrt, mode, &[x]));
            let exact = low == high;
            assert_eq!(exact, [4.0, 5e-324].contains(&x), "{x}");
            assert!(exact || low.next_up() == high, "{x}: {low} {high}");
        }
        assert_eq!(of(Directed::Sqrt, UP, &[f64::INFINITY]), f64::INFINITY);
        assert_eq!(of(Directed::Whole, UP, &[12.1]), 13.0);
        assert_eq!(of(Directed::Whole, DOWN, &[-12.1]), -13.0);
        assert_eq!(of(Directed::Whole, 0xc00, &[-12.9]), -12.0);
    }

    #[test]
    fn conversions_round_once() {
        let to = |mode: i128, value| {
            let arguments = [Value::int(mode, IntType::signed(32)), value];
            f32::from_bits(apply(Directed::To(FloatKind::F32), &arguments).unwrap().bits() as u32)
        };
        let int = |n: i128| Value::int(n, IntType::signed(32));
        assert_eq!(to(UP, int(33_554_433)), 33_554_436.0);
        assert_eq!(to(UP, int(-33_554_433)), -33_554_432.0);
        assert_eq!(to(DOWN, int(-33_554_433)), -33_554_436.0);
        let large = Value::Float { bits: 1e300f64.to_bits().into(), kind: FloatKind::F64 };
        assert_eq!(to(DOWN, large), f32::MAX);
        assert_eq!(to(UP, large), f32::INFINITY);
    }
}
