//! `printf`, as glibc formats in the C locale.
//!
//! Floats are printed from their exact decimal expansion, and rounded half to even, as glibc does in the default
//! rounding mode; all formats up to quadruple precision. `%n` takes its argument; the
//! store is a step of its own. Not supported: wide characters and strings, positional arguments (`%1$d`).

use super::outcome::{Fault, Reason};
use crate::format::{Length, Number, Print};
use crate::types::{FloatKind, IntType, Target, Type};
use crate::value::float::{self, Parts};
use crate::value::{self, Pointer, Value};
use bolide_base::Integer;

/// Reads a string of the program, at most so many bytes.
pub(super) type ReadString<'a> = &'a dyn Fn(Pointer, Option<usize>) -> Result<Vec<u8>, Fault>;

#[derive(Clone, Copy)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// Formats `arguments` (promoted as C promotes variadic arguments).
pub(super) fn format(
    format: &[u8],
    arguments: &[Value],
    target: Target,
    read_string: ReadString<'_>,
) -> Result<Vec<u8>, Reason> {
    let mut out = Vec::new();
    let mut arguments = arguments.iter().copied();
    let mut rest = format;
    while let Some(&c) = rest.split_off_first() {
        if c == b'%' {
            let conversion = Print::read(&mut rest);
            let mut next =
                || arguments.next().ok_or_else(|| Reason::Format("too few arguments".into()));
            let spec = Spec::of(&conversion, &mut next)?;
            convert(&mut out, spec, &conversion, &mut next, target, read_string)?;
        } else {
            out.push(c);
        }
    }
    Ok(out)
}

/// Gives the next argument.
type Next<'a> = &'a mut dyn FnMut() -> Result<Value, Reason>;

impl Spec {
    /// What the flags say, and the numbers, which may come as arguments.
    fn of(conversion: &Print<'_>, next: Next<'_>) -> Result<Spec, Reason> {
        const MOST: usize = 1 << 24;
        let has = |flag: u8| conversion.flags.contains(&flag);
        let mut left = has(b'-');
        let width = match conversion.width {
            Number::Literal(width) => width,
            Number::Argument => {
                let width = next()?.as_int().unwrap_or(0);
                left |= width < 0;
                width.unsigned_abs() as usize
            }
        };
        let precision = match conversion.precision {
            Some(Number::Argument) => usize::try_from(next()?.as_int().unwrap_or(0)).ok(),
            Some(Number::Literal(precision)) => Some(precision),
            None => None,
        };
        if width > MOST || precision.is_some_and(|p| p > MOST) {
            return Err(Reason::Format("the width is too large".into()));
        }
        let (plus, space, alternate, zero) = (has(b'+'), has(b' '), has(b'#'), has(b'0'));
        Ok(Spec { left, plus, space, alternate, zero, width, precision })
    }
}

/// Writes one argument.
fn convert(
    out: &mut Vec<u8>,
    spec: Spec,
    &Print { length, letter: conversion, .. }: &Print<'_>,
    next: Next<'_>,
    target: Target,
    read_string: ReadString<'_>,
) -> Result<(), Reason> {
    let mut integer_argument = |signed: bool| {
        let ty = IntType { bits: length.bits(target), signed };
        Ok(value::cast(Type::Int(ty), next()?, target))
    };
    match conversion {
        b'%' => out.push(b'%'),
        b'd' | b'i' => {
            let v = integer_argument(true)?.as_int().unwrap_or(0);
            integer(out, spec, sign(spec, v < 0), v.unsigned_abs().to_string());
        }
        b'u' | b'x' | b'X' | b'o' => {
            let v = integer_argument(false)?.bits();
            let (digits, prefix) = match conversion {
                b'u' => (v.to_string(), ""),
                b'x' => (format!("{v:x}"), "0x"),
                b'X' => (format!("{v:X}"), "0X"),
                _ => (format!("{v:o}"), ""),
            };
            let mut spec = spec;
            if conversion == b'o' && spec.alternate && v != 0 {
                spec.precision = Some(spec.precision.unwrap_or(0).max(digits.len() + 1));
            } else if conversion == b'o' && spec.alternate {
                spec.precision = Some(spec.precision.unwrap_or(1).max(1));
            }
            let prefix = if spec.alternate && v != 0 { prefix } else { "" };
            integer(out, spec, prefix, digits);
        }
        b'c' if length == Length::Int => pad(out, spec, &[next()?.bits() as u8]),
        b's' if length == Length::Int => {
            let Value::Pointer(p) = value::cast(Type::Pointer, next()?, target) else {
                return Err(Reason::Format("no string".into()));
            };
            if p.address == 0 {
                let shown = spec.precision.is_none_or(|p| p >= 6);
                pad(out, spec, if shown { b"(null)" } else { b"" });
            } else {
                let text = read_string(p, spec.precision).map_err(Reason::Memory)?;
                pad(out, spec, &text);
            }
        }
        b'p' => match next()?.bits() {
            0 => pad(out, spec, b"(nil)"),
            address => {
                let prefix = sign(spec, false).to_owned() + "0x";
                integer(out, spec, &prefix, format!("{address:x}"));
            }
        },
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let Value::Float { bits, kind } = next()? else {
                return Err(Reason::Format("no floating-point argument".into()));
            };
            floating(out, spec, bits, kind, conversion);
        }
        // What it stores is a step of its own.
        b'n' => {
            next()?;
        }
        0 => return Err(Reason::Format("the format ends within a conversion".into())),
        other => return Err(Reason::Format(format!("conversion `%{}`", char::from(other)))),
    }
    Ok(())
}

fn sign(spec: Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn pad(out: &mut Vec<u8>, spec: Spec, text: &[u8]) {
    let fill = spec.width.saturating_sub(text.len());
    if !spec.left {
        out.resize(out.len() + fill, b' ');
    }
    out.extend_from_slice(text);
    if spec.left {
        out.resize(out.len() + fill, b' ');
    }
}

fn integer(out: &mut Vec<u8>, spec: Spec, prefix: &str, digits: String) {
    let mut digits =
        if digits == "0" && spec.precision == Some(0) { String::new() } else { digits };
    let mut least = spec.precision.unwrap_or(1);
    if spec.zero && !spec.left && spec.precision.is_none() {
        least = least.max(spec.width.saturating_sub(prefix.len()));
    }
    if digits.len() < least {
        digits = "0".repeat(least - digits.len()) + &digits;
    }
    pad(out, spec, (prefix.to_owned() + &digits).as_bytes());
}

fn floating(out: &mut Vec<u8>, spec: Spec, bits: u128, kind: FloatKind, conversion: u8) {
    let upper = conversion.is_ascii_uppercase();
    let case = |s: String| if upper { s.to_ascii_uppercase() } else { s };
    let (negative, body) = match float::parts(bits, kind) {
        Parts::Nan { negative } => (negative, Err("nan")),
        Parts::Infinite { negative } => (negative, Err("inf")),
        Parts::Finite { negative, significand, exponent } => {
            let exact = || Decimal::exact(significand, exponent);
            let precision = spec.precision.unwrap_or(6);
            let body = match conversion.to_ascii_lowercase() {
                b'a' => hexadecimal(spec, significand, exponent, kind),
                b'f' => exact().fixed(precision, spec.alternate),
                b'e' => exact().scientific(precision, spec.alternate),
                _ => exact().general(precision, spec.alternate),
            };
            (negative, Ok(body))
        }
    };
    let sign = sign(spec, negative);
    match body {
        Err(word) => pad(out, spec, case(sign.to_owned() + word).as_bytes()),
        Ok(body) => {
            let (prefix, body) = match body.strip_prefix("0x") {
                Some(rest) if conversion.eq_ignore_ascii_case(&b'a') => {
                    (sign.to_owned() + "0x", rest.to_owned())
                }
                _ => (sign.to_owned(), body),
            };
            let fill = if spec.zero && !spec.left {
                spec.width.saturating_sub(prefix.len() + body.len())
            } else {
                0
            };
            pad(out, spec, case(prefix + &"0".repeat(fill) + &body).as_bytes());
        }
    }
}

/// A decimal number `0.d1 d2 d3 ... * 10^point`, exact.
struct Decimal {
    /// Without leading zeros; empty for zero.
    digits: Vec<u8>,
    point: i64,
}

impl Decimal {
    /// The expansion of `significand * 2^exponent`.
    fn exact(significand: u128, exponent: i32) -> Decimal {
        // Drop factors of two first: fewer digits to compute.
        let zeros = if significand == 0 { 0 } else { significand.trailing_zeros() };
        let drop = zeros.min((-exponent).max(0) as u32);
        let (rest, exponent) = (Integer::from(significand >> drop), exponent + drop as i32);
        // Times 2^e, or times 5^-e with the point moved.
        let digits = match exponent {
            0.. => rest.shl(exponent as u32),
            _ => &rest * &Integer::from(5u32).pow(exponent.unsigned_abs()),
        };
        let text = digits.to_string();
        let text = text.trim_start_matches('0');
        let point = text.len() as i64 - i64::from((-exponent).max(0));
        Decimal { digits: text.bytes().map(|b| b - b'0').collect(), point }
    }

    /// Keeps `count` digits, rounding half to even; zeros are appended.
    fn round(&self, count: i64) -> Decimal {
        let mut digits = self.digits.clone();
        let mut point = self.point;
        if count < 0 {
            return Decimal { digits: Vec::new(), point };
        }
        let n = count as usize;
        if n < digits.len() {
            let next = digits[n];
            let sticky = digits[n + 1..].iter().any(|&d| d != 0);
            let odd = n > 0 && digits[n - 1] % 2 == 1;
            digits.truncate(n);
            if next > 5 || next == 5 && (sticky || odd) {
                let mut i = n;
                loop {
                    if i == 0 {
                        digits.insert(0, 1);
                        point += 1;
                        break;
                    }
                    i -= 1;
                    if digits[i] < 9 {
                        digits[i] += 1;
                        break;
                    }
                    digits[i] = 0;
                }
            }
        }
        Decimal { digits, point }
    }

    fn digit(&self, i: i64) -> char {
        let d = usize::try_from(i).ok().and_then(|i| self.digits.get(i));
        char::from(b'0' + d.copied().unwrap_or(0))
    }

    fn fixed(&self, precision: usize, point_always: bool) -> String {
        let rounded = if self.digits.is_empty() {
            Decimal { digits: Vec::new(), point: 0 }
        } else {
            self.round(self.point + precision as i64)
        };
        let mut text = String::new();
        if rounded.point <= 0 {
            text.push('0');
        }
        for i in 0..rounded.point {
            text.push(rounded.digit(i));
        }
        if precision > 0 || point_always {
            text.push('.');
        }
        for i in 0..precision as i64 {
            text.push(rounded.digit(rounded.point + i));
        }
        text
    }

    fn scientific(&self, precision: usize, point_always: bool) -> String {
        let rounded = self.round(precision as i64 + 1);
        let exponent = if self.digits.is_empty() { 0 } else { rounded.point - 1 };
        let mut text = String::from(rounded.digit(0));
        if precision > 0 || point_always {
            text.push('.');
        }
        for i in 1..=precision as i64 {
            text.push(rounded.digit(i));
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        text + &format!("e{sign}{:02}", exponent.abs())
    }

    fn general(&self, precision: usize, alternate: bool) -> String {
        let precision = precision.max(1) as i64;
        let exponent = if self.digits.is_empty() { 0 } else { self.round(precision).point - 1 };
        let fixed = (-4..precision).contains(&exponent);
        let text = if fixed {
            self.fixed((precision - 1 - exponent) as usize, alternate)
        } else {
            self.scientific((precision - 1) as usize, alternate)
        };
        if alternate {
            return text;
        }
        let (mantissa, tail) = match text.find('e') {
            Some(i) => text.split_at(i),
            None => (text.as_str(), ""),
        };
        let mantissa = if mantissa.contains('.') {
            mantissa.trim_end_matches('0').trim_end_matches('.')
        } else {
            mantissa
        };
        mantissa.to_owned() + tail
    }
}

/// `%a`: one hexadecimal digit before the point, which is 1 for binary32, 64
/// and 128 and the top four bits of the significand for the extended format.
fn hexadecimal(spec: Spec, significand: u128, exponent: i32, kind: FloatKind) -> String {
    // Bits behind the point.
    let fraction = match kind {
        FloatKind::F32 | FloatKind::F64 => 52,
        FloatKind::F80 => 60,
        FloatKind::F128 => 112,
    };
    // glibc prints floats promoted to double.
    let (mut s, mut e) = (significand, exponent);
    if kind == FloatKind::F32 && s != 0 {
        let lift = s.leading_zeros() as i32 - (127 - 52);
        s <<= lift;
        e -= lift;
    }
    let mut power = if s == 0 { 0 } else { e + fraction };
    let mut digits = fraction as usize / 4;
    if let Some(precision) = spec.precision
        && precision < digits
    {
        let cut = 4 * (digits - precision) as u32;
        let (rest, half) = (s & ((1 << cut) - 1), 1u128 << (cut - 1));
        s >>= cut;
        if rest > half || rest == half && s & 1 == 1 {
            s += 1;
        }
        digits = precision;
        if kind == FloatKind::F80 && s >> (4 * digits) > 0xf {
            s >>= 4;
            power += 4;
        }
    }
    let lead = s >> (4 * digits);
    let tail = s & ((1u128 << (4 * digits)) - 1);
    let mut tail = if digits == 0 { String::new() } else { format!("{tail:0digits$x}") };
    match spec.precision {
        Some(precision) => tail += &"0".repeat(precision.saturating_sub(digits)),
        None => tail.truncate(tail.trim_end_matches('0').len()),
    }
    let point = if tail.is_empty() && !spec.alternate { "" } else { "." };
    let sign = if power < 0 { '-' } else { '+' };
    format!("0x{lead:x}{point}{tail}p{sign}{}", power.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, arguments: &[Value], expected: &str) {
        let none = |_: Pointer, _: Option<usize>| Ok(b"hello".to_vec());
        let out = format(text.as_bytes(), arguments, Target::LP64, &none).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{text}");
    }

    fn int(v: i128) -> Value {
        Value::int(v, IntType::signed(32))
    }

    fn double(v: f64) -> Value {
        Value::Float { bits: u128::from(v.to_bits()), kind: FloatKind::F64 }
    }

    #[test]
    fn integers() {
        check(
            "%d|%5d|%-5d|%05d|%+d|% d",
            &[int(-3), int(7), int(7), int(-7), int(7), int(7)],
            "-3|    7|7    |-0007|+7| 7",
        );
        check(
            "%.3d|%8.3d|%.0d|%08.3d",
            &[int(5), int(-5), int(0), int(5)],
            "005|    -005||     005",
        );
        check(
            "%u %x %X %#x %o %#o %#x",
            &[int(-1), int(255), int(255), int(255), int(8), int(8), int(0)],
            "4294967295 ff FF 0xff 10 010 0",
        );
        check("%hhd %hd %hhu", &[int(300), int(70000), int(-1)], "44 4464 255");
        let long = Value::int(-(1 << 40), IntType::signed(64));
        check(
            "%ld %lld %zu",
            &[long, long, long],
            "-1099511627776 -1099511627776 18446742974197923840",
        );
        check(
            "%*d|%-*d|%.*d|%*d",
            &[int(4), int(1), int(4), int(1), int(2), int(1), int(-3), int(1)],
            "   1|1   |01|1  ",
        );
        check("%c%c%%|%3c|", &[int(65), int(66), int(67)], "AB%|  C|");
        check(
            "%p %10p|",
            &[Value::Pointer(Pointer::NULL), Value::from_bits(Type::Pointer, 4096)],
            "(nil)     0x1000|",
        );
    }

    #[test]
    fn floats() {
        let f = |text: &str, v: f64, expected: &str| check(text, &[double(v)], expected);
        f("%f", 1.5, "1.500000");
        f("%.0f", 0.5, "0");
        f("%.0f", 1.5, "2");
        f("%.0f", 2.5, "2");
        f("%#.0f", 2.5, "2.");
        f("%.2f", 0.125, "0.12");
        f("%.3f", 9.9996, "10.000");
        f("%.1f", 0.04, "0.0");
        f("%.1f", 0.06, "0.1");
        f("%10.2f|", -1234.567, "  -1234.57|");
        f("%010.2f", -1234.567, "-001234.57");
        f("%f", 1e22, "10000000000000000000000.000000");
        f("%.20f", 0.1, "0.10000000000000000555");
        f("%e", 12345.678, "1.234568e+04");
        f("%.0e", 0.00096, "1e-03");
        f("%E", 1e-300, "1.000000E-300");
        f("%e", 0.0, "0.000000e+00");
        f("%g", 100000.0, "100000");
        f("%g", 1e6, "1e+06");
        f("%g", 999999.5, "1e+06");
        f("%g", 0.0001, "0.0001");
        f("%g", 0.00001234, "1.234e-05");
        f("%#g", 1.0, "1.00000");
        f("%g", 0.0, "0");
        f("%.17g", 0.1, "0.10000000000000001");
        f("%f %%", f64::NAN, "nan %");
        f("%F", f64::NEG_INFINITY, "-INF");
        f("%05.1f", f64::INFINITY, "  inf");
        f("%a", 1.5, "0x1.8p+0");
        f("%a", 0.0, "0x0p+0");
        f("%.0a", 1.5, "0x2p+0");
        f("%.3a", 0.1, "0x1.99ap-4");
        f("%A", 255.0, "0X1.FEP+7");
        f("%a", f64::from_bits(1), "0x0.0000000000001p-1022");
        f("%g", 5e-324, "4.94066e-324");
    }

    #[test]
    fn long_doubles() {
        let x = |text: &str| {
            let bits = float::parse(text, FloatKind::F80).unwrap();
            Value::Float { bits, kind: FloatKind::F80 }
        };
        check("%Lf", &[x("0.1")], "0.100000");
        check("%.25Lf", &[x("0.1")], "0.1000000000000000000013553");
        check("%La", &[x("1.0")], "0x8p-3");
        check("%La", &[x("0.1")], "0xc.ccccccccccccccdp-7");
        check("%Lg", &[x("1e4000")], "1e+4000");
    }
}
