//! Float constants: reading them from source and computing with them exactly
//! as the machine does (round to nearest, ties to even).

use bolide_cfa::{BinaryOp, CompareOp, FloatKind, FloatTest, IntType};
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// Runs `$body` with the type alias `F` bound to the format of `$kind`.
macro_rules! with_format {
    ($kind:expr, $F:ident, $body:expr) => {
        match $kind {
            FloatKind::F32 => {
                type $F = Single;
                $body
            }
            FloatKind::F64 => {
                type $F = Double;
                $body
            }
            FloatKind::F80 => {
                type $F = X87DoubleExtended;
                $body
            }
            FloatKind::F128 => {
                type $F = Quad;
                $body
            }
        }
    };
}

/// Reads `1.5e-3`, `.5`, `1.` or `0x1.8p3`.
pub fn parse(text: &str, kind: FloatKind) -> Option<u128> {
    let text: String = text.chars().filter(|&c| c != '\'').collect();
    with_format!(
        kind,
        F,
        F::from_str_r(&text, Round::NearestTiesToEven).ok().map(|v| v.value.to_bits())
    )
}

/// The pattern of an integer.
pub fn from_int(bits: u128, ty: IntType, kind: FloatKind) -> u128 {
    with_format!(kind, F, {
        if ty.signed {
            F::from_i128_r(ty.value(bits), Round::NearestTiesToEven).value.to_bits()
        } else {
            F::from_u128_r(bits, Round::NearestTiesToEven).value.to_bits()
        }
    })
}

/// Towards zero; none when the value does not fit (undefined in C).
pub fn to_int(bits: u128, kind: FloatKind, ty: IntType) -> Option<u128> {
    let mut exact = false;
    with_format!(kind, F, {
        let value = F::from_bits(bits);
        let width = usize::from(ty.bits);
        let status = if ty.signed {
            let r = value.to_i128_r(width, Round::TowardZero, &mut exact);
            (r.status, r.value as u128)
        } else {
            let r = value.to_u128_r(width, Round::TowardZero, &mut exact);
            (r.status, r.value)
        };
        (!status.0.contains(rustc_apfloat::Status::INVALID_OP)).then(|| ty.truncate(status.1))
    })
}

fn widen<F: Float + FloatConvert<Quad>>(bits: u128) -> Quad {
    let mut lost = false;
    F::from_bits(bits).convert_r(Round::NearestTiesToEven, &mut lost).value
}

/// Converts between formats. Required: one rounding only; going through the
/// widest format, which holds all others exactly, is that.
pub fn convert(bits: u128, from: FloatKind, to: FloatKind) -> u128 {
    let quad = with_format!(from, F, widen::<F>(bits));
    let mut lost = false;
    with_format!(to, F, {
        let r: F = quad.convert_r(Round::NearestTiesToEven, &mut lost).value;
        r.to_bits()
    })
}

/// Sum, difference, product or quotient.
pub fn binary(op: BinaryOp, a: u128, b: u128, kind: FloatKind) -> Option<u128> {
    with_format!(kind, F, {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        let r = match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => a / b,
            _ => return None,
        };
        Some(r.value.to_bits())
    })
}

/// Minus.
pub fn negate(a: u128, kind: FloatKind) -> u128 {
    with_format!(kind, F, (-F::from_bits(a)).to_bits())
}

/// Compares as IEEE says.
pub fn compare(op: CompareOp, a: u128, b: u128, kind: FloatKind) -> bool {
    let order = with_format!(kind, F, F::from_bits(a).partial_cmp(&F::from_bits(b)));
    match op {
        CompareOp::Eq => order == Some(Ordering::Equal),
        CompareOp::Ne => order != Some(Ordering::Equal),
        CompareOp::Lt => order == Some(Ordering::Less),
        CompareOp::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
    }
}

/// Whether the value is plus or minus zero.
pub fn is_zero(a: u128, kind: FloatKind) -> bool {
    with_format!(kind, F, F::from_bits(a).is_zero())
}

/// Infinity and quiet not-a-number, for the builtins of these names.
pub fn infinity(kind: FloatKind) -> u128 {
    with_format!(kind, F, F::INFINITY.to_bits())
}

/// A quiet not-a-number.
pub fn nan(kind: FloatKind) -> u128 {
    with_format!(kind, F, F::NAN.to_bits())
}

/// The result of a test.
pub fn test(test: FloatTest, a: u128, kind: FloatKind) -> bool {
    with_format!(kind, F, {
        let a = F::from_bits(a);
        match test {
            FloatTest::IsNan => a.is_nan(),
            FloatTest::IsInfinite => a.is_infinite(),
            FloatTest::IsFinite => a.is_finite(),
            FloatTest::IsNormal => a.is_normal(),
            FloatTest::SignBit => a.is_negative(),
        }
    })
}
