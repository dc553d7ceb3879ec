//! Floating point, to the bit, as gcc computes it on x86.
//!
//! Binary32 and binary64 use the machine's arithmetic, which IEEE 754 defines
//! to the last bit; extended and quadruple precision use `rustc_apfloat`, and a
//! square root of our own, which that library lacks. Not-a-number is treated
//! by hand, because IEEE leaves its bits open and programs can print its sign:
//! an invalid operation gives the negative quiet one, an operand that is not a
//! number is passed on (the first one, quieted), as SSE does.
//!
//! Conversions of numbers outside the range of the integer type are undefined
//! in C. Here they give what the instructions that gcc selects give: the
//! "integer indefinite" value of the instruction's width, then cut.

use crate::expr::{BinaryOp, FloatFn, FloatTest};
use crate::types::{FloatKind, IntType};
use rustc_apfloat::{Float, FloatConvert, Round, Status};
use std::cmp::Ordering;

/// Evaluates an expression in which `T` is the software format of a kind.
macro_rules! in_format {
    ($kind:expr, $t:ident => $value:expr) => {
        match $kind {
            FloatKind::F32 => {
                type $t = rustc_apfloat::ieee::Single;
                $value
            }
            FloatKind::F64 => {
                type $t = rustc_apfloat::ieee::Double;
                $value
            }
            FloatKind::F80 => {
                type $t = rustc_apfloat::ieee::X87DoubleExtended;
                $value
            }
            FloatKind::F128 => {
                type $t = rustc_apfloat::ieee::Quad;
                $value
            }
        }
    };
}
pub(super) use in_format;

/// All bits that a format uses.
pub fn mask(kind: FloatKind) -> u128 {
    u128::MAX >> (128 - total_bits(kind))
}

/// All bits of a format, and those of the significand that are stored, without an integer bit.
fn widths(kind: FloatKind) -> (u32, u32) {
    match kind {
        FloatKind::F32 => (32, 23),
        FloatKind::F64 => (64, 52),
        FloatKind::F80 => (80, 63),
        FloatKind::F128 => (128, 112),
    }
}

fn total_bits(kind: FloatKind) -> u32 {
    widths(kind).0
}

fn fraction_bits(kind: FloatKind) -> u32 {
    widths(kind).1
}

fn sign_bit(kind: FloatKind) -> u128 {
    1 << (total_bits(kind) - 1)
}

/// A number taken apart: `significand * 2^exponent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Not a number.
    Nan {
        /// The sign bit.
        negative: bool,
    },
    /// Plus or minus infinity.
    Infinite {
        /// The sign bit.
        negative: bool,
    },
    /// Anything else; zero has the significand zero.
    Finite {
        /// The sign bit.
        negative: bool,
        /// At most 113 bits; not normalised for subnormal numbers.
        significand: u128,
        /// Of the lowest bit of the significand.
        exponent: i32,
    },
}

/// Takes a number apart.
pub fn parts(bits: u128, kind: FloatKind) -> Parts {
    let fraction_bits = fraction_bits(kind);
    let negative = bits & sign_bit(kind) != 0;
    let fraction = bits & ((1 << fraction_bits) - 1);
    // The extended format stores its integer bit.
    let stored = fraction_bits + u32::from(kind == FloatKind::F80);
    let exponent_mask = (1i32 << (total_bits(kind) - 1 - stored)) - 1;
    let exponent = (bits >> stored) as i32 & exponent_mask;
    let bias = exponent_mask >> 1;
    if exponent == exponent_mask {
        return if fraction == 0 { Parts::Infinite { negative } } else { Parts::Nan { negative } };
    }
    let integer_bit =
        if kind == FloatKind::F80 { (bits >> 63) & 1 } else { u128::from(exponent != 0) };
    Parts::Finite {
        negative,
        significand: fraction | integer_bit << fraction_bits,
        exponent: exponent.max(1) - bias - fraction_bits as i32,
    }
}

/// Whether it is plus or minus zero.
pub fn is_zero(bits: u128, kind: FloatKind) -> bool {
    bits & !sign_bit(kind) & mask(kind) == 0
}

pub(super) fn is_nan(bits: u128, kind: FloatKind) -> bool {
    matches!(parts(bits, kind), Parts::Nan { .. })
}

/// The result of an invalid operation on x86: negative and quiet.
pub fn default_nan(kind: FloatKind) -> u128 {
    match kind {
        FloatKind::F32 => 0xffc0_0000,
        FloatKind::F64 => 0xfff8 << 48,
        FloatKind::F80 => 0xffff_c000 << 48,
        FloatKind::F128 => 0xffff_8000 << 96,
    }
}

pub(super) fn quiet(bits: u128, kind: FloatKind) -> u128 {
    bits | 1 << (fraction_bits(kind) - 1)
}

/// Flips the sign, also of what is not a number.
pub fn negate(bits: u128, kind: FloatKind) -> u128 {
    bits ^ sign_bit(kind)
}

fn f32_of(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64_of(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

/// Sum, difference, product or quotient; other operators give the default
/// not-a-number (callers have checked the types).
pub fn arithmetic(op: BinaryOp, x: u128, y: u128, kind: FloatKind) -> u128 {
    macro_rules! apply {
        ($op:expr, $x:expr, $y:expr, $nan:expr) => {
            match $op {
                BinaryOp::Add => $x + $y,
                BinaryOp::Sub => $x - $y,
                BinaryOp::Mul => $x * $y,
                BinaryOp::Div => $x / $y,
                _ => $nan,
            }
        };
    }
    fn soft<T: Float>(op: BinaryOp, x: u128, y: u128) -> u128 {
        let (x, y) = (T::from_bits(x), T::from_bits(y));
        apply!(op, x, y, Status::OK.and(T::NAN)).value.to_bits()
    }
    // The machine's result is a number in nearly all cases: look at the
    // operands only when it is not.
    let result = match kind {
        FloatKind::F32 => u128::from(apply!(op, f32_of(x), f32_of(y), f32::NAN).to_bits()),
        FloatKind::F64 => u128::from(apply!(op, f64_of(x), f64_of(y), f64::NAN).to_bits()),
        FloatKind::F80 | FloatKind::F128 => in_format!(kind, T => soft::<T>(op, x, y)),
    };
    if !is_nan(result, kind) {
        result
    } else if is_nan(x, kind) && is_nan(y, kind) && kind == FloatKind::F80 {
        // The x87 keeps the one with the larger significand.
        let significand = |bits: u128| bits & ((1 << 62) - 1);
        quiet(if significand(y) > significand(x) { y } else { x }, kind)
    } else if is_nan(x, kind) {
        quiet(x, kind)
    } else if is_nan(y, kind) {
        quiet(y, kind)
    } else {
        default_nan(kind)
    }
}

/// How two numbers compare; none when one is not a number.
pub fn order(x: u128, y: u128, kind: FloatKind) -> Option<Ordering> {
    match kind {
        FloatKind::F32 => f32_of(x).partial_cmp(&f32_of(y)),
        FloatKind::F64 => f64_of(x).partial_cmp(&f64_of(y)),
        FloatKind::F80 | FloatKind::F128 => {
            in_format!(kind, T => T::from_bits(x).partial_cmp(&T::from_bits(y)))
        }
    }
}

/// The nearest float to an integer, halves to even.
pub fn from_int(bits: u128, ty: IntType, kind: FloatKind) -> u128 {
    fn soft<T: Float>(bits: u128, ty: IntType) -> u128 {
        if ty.signed { T::from_i128(ty.value(bits)) } else { T::from_u128(bits) }.value.to_bits()
    }
    match kind {
        FloatKind::F32 if ty.signed => u128::from((ty.value(bits) as f32).to_bits()),
        FloatKind::F32 => u128::from((bits as f32).to_bits()),
        FloatKind::F64 if ty.signed => u128::from((ty.value(bits) as f64).to_bits()),
        FloatKind::F64 => u128::from((bits as f64).to_bits()),
        FloatKind::F80 | FloatKind::F128 => in_format!(kind, T => soft::<T>(bits, ty)),
    }
}

/// The number without its fraction as a pattern of `to`.
pub fn to_int(bits: u128, kind: FloatKind, to: IntType) -> u128 {
    // What the conversion instruction can hold: gcc converts to types up to
    // `int` by the 32-bit form (16-bit from x87 for the narrow types), to
    // `unsigned` by the 64-bit form, and to `unsigned long` in two halves.
    let width = match (to.bits, to.signed) {
        (..=16, _) if kind == FloatKind::F80 => 16,
        (..=16, _) | (32, true) => 32,
        (32, false) | (64, true) => 64,
        (64, false) => 65,
        _ => 128,
    };
    let Some((negative, magnitude)) = whole(bits, kind) else {
        return to.truncate(indefinite(width));
    };
    let in_range = match width {
        // The two halves: below 2^63 as signed, from there on minus 2^63.
        65 => magnitude < 1 << 64 && (!negative || magnitude <= 1 << 63),
        128 if !to.signed => true,
        _ => magnitude < 1 << (width - 1) || negative && magnitude == 1 << (width - 1),
    };
    if !in_range {
        return to.truncate(indefinite(width));
    }
    to.truncate(if negative { magnitude.wrapping_neg() } else { magnitude })
}

/// Whether a conversion to an integer is defined: the number without its fraction has the type.
pub fn fits(bits: u128, kind: FloatKind, to: IntType) -> bool {
    whole(bits, kind).is_some_and(|(negative, magnitude)| {
        let largest = to.truncate(u128::MAX) >> u32::from(to.signed);
        if negative { magnitude <= to.min().unsigned_abs() } else { magnitude <= largest }
    })
}

/// Sign and magnitude of the number without its fraction; none where that has more than 128 bits.
fn whole(bits: u128, kind: FloatKind) -> Option<(bool, u128)> {
    let Parts::Finite { negative, significand, exponent } = parts(bits, kind) else { return None };
    let magnitude = if exponent <= -128 || significand == 0 {
        0
    } else if exponent < 0 {
        significand >> -exponent
    } else if exponent as u32 > significand.leading_zeros() {
        return None;
    } else {
        significand << exponent
    };
    Some((negative, magnitude))
}

/// What the instruction leaves when the number does not fit.
fn indefinite(width: u32) -> u128 {
    match width {
        // The second half subtracts 2^63 and flips the top bit of the
        // indefinite value: nothing is left of it.
        65 => 0,
        _ => 1 << (width - 1),
    }
}

/// The nearest number of another format, halves to even.
pub fn convert(bits: u128, from: FloatKind, to: FloatKind) -> u128 {
    fn soft<A: Float + FloatConvert<B>, B: Float>(bits: u128) -> u128 {
        A::from_bits(bits).convert(&mut false).value.to_bits()
    }
    if from == to {
        return bits;
    }
    if is_nan(bits, from) {
        // The payload moves with the top of the significand; it becomes quiet.
        let (a, b) = (fraction_bits(from), fraction_bits(to));
        let fraction = bits & ((1 << a) - 1);
        let fraction = if a > b { fraction >> (a - b) } else { fraction << (b - a) };
        let sign = if bits & sign_bit(from) != 0 { sign_bit(to) } else { 0 };
        let base = default_nan(to) & !sign_bit(to) & !((1 << b) - 1);
        return quiet(sign | base | fraction, to);
    }
    match (from, to) {
        (FloatKind::F32, FloatKind::F64) => u128::from(f64::from(f32_of(bits)).to_bits()),
        (FloatKind::F64, FloatKind::F32) => u128::from((f64_of(bits) as f32).to_bits()),
        _ => in_format!(from, A => in_format!(to, B => soft::<A, B>(bits))),
    }
}

/// Applies a function.
pub fn function(op: FloatFn, bits: u128, kind: FloatKind) -> u128 {
    if op == FloatFn::Abs {
        return bits & !sign_bit(kind);
    }
    if is_nan(bits, kind) {
        return quiet(bits, kind);
    }
    let round = match op {
        FloatFn::Abs | FloatFn::Sqrt => return square_root(bits, kind),
        FloatFn::Floor => Round::TowardNegative,
        FloatFn::Ceil => Round::TowardPositive,
        FloatFn::Trunc => Round::TowardZero,
        FloatFn::Round => Round::NearestTiesToAway,
        FloatFn::RoundEven => Round::NearestTiesToEven,
    };
    in_format!(kind, T => T::from_bits(bits).round_to_integral(round).value.to_bits())
}

fn square_root(bits: u128, kind: FloatKind) -> u128 {
    let (significand, exponent) = match parts(bits, kind) {
        Parts::Finite { significand: 0, .. }
        | Parts::Infinite { negative: false }
        | Parts::Nan { .. } => return bits,
        Parts::Finite { negative: true, .. } | Parts::Infinite { negative: true } => {
            return default_nan(kind);
        }
        Parts::Finite { significand, exponent, .. } => (significand, exponent),
    };
    match kind {
        FloatKind::F32 => u128::from(f32_of(bits).sqrt().to_bits()),
        FloatKind::F64 => u128::from(f64_of(bits).sqrt().to_bits()),
        FloatKind::F80 | FloatKind::F128 => {
            // sqrt(s * 2^e) with e even: the root of s in so many binary
            // digits that one more than the precision is known, and whether
            // anything remains (a sticky bit), so that rounding is exact.
            let lift = significand.leading_zeros();
            let mut s = significand << lift;
            let mut e = exponent - lift as i32;
            let odd = e & 1 != 0;
            if odd {
                s >>= 1;
                e += 1;
                // Required: no bit is lost; significands have at most 113 bits.
            }
            let digits = fraction_bits(kind) + 3;
            let (mut root, mut rest) = (0u128, 0u128);
            for step in 0..digits {
                let pair = if step < 64 { s >> (126 - 2 * step) & 3 } else { 0 };
                rest = rest << 2 | pair;
                let trial = root << 2 | 1;
                root <<= 1;
                if rest >= trial {
                    rest -= trial;
                    root |= 1;
                }
            }
            let sticky = root << 1 | u128::from(rest != 0);
            // root = floor(sqrt(s * 2^(2 * digits - 128))).
            scaled(sticky, e / 2 + 64 - digits as i32 - 1, kind)
        }
    }
}

/// `significand * 2^exponent`, rounded once to the format (normal results).
fn scaled(significand: u128, exponent: i32, kind: FloatKind) -> u128 {
    in_format!(kind, T => T::from_u128(significand).value.scalbn(exponent).to_bits())
}

/// Decides a test.
pub fn test(op: FloatTest, bits: u128, kind: FloatKind) -> bool {
    let parts = parts(bits, kind);
    match op {
        FloatTest::IsNan => matches!(parts, Parts::Nan { .. }),
        FloatTest::IsInfinite => matches!(parts, Parts::Infinite { .. }),
        FloatTest::IsFinite => matches!(parts, Parts::Finite { .. }),
        FloatTest::IsNormal => match parts {
            Parts::Finite { significand, .. } => significand >> fraction_bits(kind) == 1,
            _ => false,
        },
        FloatTest::SignBit => bits & sign_bit(kind) != 0,
    }
}

/// The float nearest to a decimal or hexadecimal literal (`1.5e3`, `0x1.8p3`),
/// without suffix, halves to even; none when it is not one.
pub fn parse(text: &str, kind: FloatKind) -> Option<u128> {
    let nearest = Round::NearestTiesToEven;
    in_format!(kind, T => T::from_str_r(text, nearest).ok().map(|v| v.value.to_bits()))
}

/// A decimal form for people and for the text of programs: the shortest that
/// reads back identically for binary32 and binary64, exact enough for the
/// others.
pub fn decimal(bits: u128, kind: FloatKind) -> String {
    match parts(bits, kind) {
        Parts::Nan { negative } => if negative { "-nan" } else { "nan" }.into(),
        Parts::Infinite { negative } => if negative { "-inf" } else { "inf" }.into(),
        Parts::Finite { .. } => match kind {
            FloatKind::F32 => format!("{:?}", f32_of(bits)),
            FloatKind::F64 => format!("{:?}", f64_of(bits)),
            FloatKind::F80 | FloatKind::F128 => {
                in_format!(kind, T => T::from_bits(bits).to_string())
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use FloatKind::{F32, F64, F80, F128};

    fn double(v: f64) -> u128 {
        u128::from(v.to_bits())
    }

    #[test]
    fn invalid_operations_give_the_negative_nan() {
        let (zero, inf) = (double(0.0), double(f64::INFINITY));
        assert_eq!(arithmetic(BinaryOp::Div, zero, zero, F64), default_nan(F64));
        assert_eq!(arithmetic(BinaryOp::Sub, inf, inf, F64), default_nan(F64));
        assert_eq!(function(FloatFn::Sqrt, double(-1.0), F64), default_nan(F64));
        let nan = 0x7ff8_0000_0000_1234;
        assert_eq!(arithmetic(BinaryOp::Add, zero, nan, F64), nan);
        assert_eq!(convert(nan, F64, F80), 0x7fff_c000_0000_0091_a000);
        assert_eq!(convert(default_nan(F80), F80, F32), default_nan(F32));
    }

    #[test]
    fn square_roots_are_correctly_rounded() {
        // A root of 24 or 53 bits is exact in the wider formats, and squares
        // of roots in them must come back.
        for n in [2u64, 3, 5, 10, 1 << 40, 999_999_937, u64::MAX] {
            for kind in [F80, F128] {
                let x = from_int(u128::from(n), IntType::unsigned(64), kind);
                let root = function(FloatFn::Sqrt, x, kind);
                // The two neighbours' squares lie on either side of x.
                let next = |bits: u128, up: bool| if up { bits + 1 } else { bits - 1 };
                let wide = |bits| convert(bits, kind, F128);
                let square = |bits| arithmetic(BinaryOp::Mul, wide(bits), wide(bits), F128);
                assert_ne!(
                    order(square(next(root, false)), wide(x), F128),
                    Some(Ordering::Greater),
                    "{n}"
                );
                assert_ne!(
                    order(square(next(root, true)), wide(x), F128),
                    Some(Ordering::Less),
                    "{n}"
                );
                let back = convert(root, kind, F64);
                assert_eq!(f64_of(back), (n as f64).sqrt(), "{n}");
            }
        }
        let quarter = convert(double(0.25), F64, F80);
        assert_eq!(function(FloatFn::Sqrt, quarter, F80), convert(double(0.5), F64, F80));
        let tiny = 1; // The least subnormal, 2^-16445, whose root is 2^-8222.5.
        let root = function(FloatFn::Sqrt, tiny, F80);
        assert_eq!(root >> 64, (16383 - 8223) as u128);
    }

    #[test]
    fn conversions_out_of_range_do_as_the_instructions() {
        let big = double(1e30);
        assert_eq!(to_int(big, F64, IntType::signed(32)), 0x8000_0000);
        assert_eq!(to_int(big, F64, IntType::unsigned(32)), 0);
        assert_eq!(to_int(double(-1.5), F64, IntType::unsigned(32)), 0xffff_ffff);
        assert_eq!(to_int(double(3e9), F64, IntType::unsigned(32)), 3_000_000_000);
        assert_eq!(to_int(double(1e19), F64, IntType::unsigned(64)), 10u128.pow(19));
        assert_eq!(to_int(double(300.7), F64, IntType::unsigned(8)), 44);
        assert_eq!(to_int(double(-0.99), F64, IntType::signed(32)), 0);
        assert_eq!(to_int(double(f64::NAN), F64, IntType::signed(64)), 1 << 63);
        assert_eq!(to_int(double(-2147483648.0), F64, IntType::signed(32)), 0x8000_0000);
    }

    #[test]
    fn formats_convert_with_one_rounding() {
        let x = parse("0.1", F80).unwrap();
        assert_eq!(x, 0x3ffb_cccc_cccc_cccc_cccd);
        assert_eq!(convert(x, F80, F64), double(0.1));
        assert_eq!(convert(double(0.1), F64, F32), u128::from(0.1f32.to_bits()));
        assert_eq!(convert(double(1e300), F64, F32), u128::from(f32::INFINITY.to_bits()));
        assert_eq!(
            from_int(u128::from(u64::MAX), IntType::unsigned(64), F80),
            0x403e << 64 | 0xffff_ffff_ffff_ffff
        );
        assert_eq!(decimal(double(0.1), F64), "0.1");
        assert_eq!(
            parts(double(1.5), F64),
            Parts::Finite { negative: false, significand: 3 << 51, exponent: -52 }
        );
        assert!(test(FloatTest::IsNormal, x, F80));
        assert!(!test(FloatTest::IsNormal, 1, F64));
    }

    #[test]
    fn rounding_functions() {
        let f = |op, v| f64_of(function(op, double(v), F64));
        assert_eq!(f(FloatFn::Round, 2.5), 3.0);
        assert_eq!(f(FloatFn::RoundEven, 2.5), 2.0);
        assert_eq!(f(FloatFn::Floor, -0.5), -1.0);
        assert!(f(FloatFn::Ceil, -0.5).is_sign_negative());
        assert_eq!(f(FloatFn::Trunc, -1.9), -1.0);
        assert_eq!(
            u128::from(1.5f32.to_bits()),
            function(FloatFn::Abs, u128::from((-1.5f32).to_bits()), F32)
        );
    }
}
