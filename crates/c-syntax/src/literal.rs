//! Values of numbers, character constants and string literals.

use crate::ast::{ArithmeticKind, Encoding, IntegerFormat};
use crate::bytes::raw_byte;

/// A number's value.
#[derive(Debug, PartialEq)]
pub(crate) enum Number<'t> {
    Integer {
        value: u64,
        format: IntegerFormat,
        /// It does not fit 64 bits; `value` is what remains of it.
        is_truncated: bool,
    },
    Float {
        text: &'t str,
        suffix: ArithmeticKind,
        is_imaginary: bool,
    },
}

/// Reads a preprocessing number; the error says what is wrong with it.
pub(crate) fn number(text: &str) -> Result<Number<'_>, String> {
    let bytes = text.as_bytes();
    let (radix, digits_start) = match bytes {
        [b'0', b'x' | b'X', ..] => (16, 2),
        [b'0', b'b' | b'B', ..] => (2, 2),
        [b'0', ..] => (8, 0),
        _ => (10, 0),
    };
    let is_digit = |b: u8| if radix == 16 { b.is_ascii_hexdigit() } else { b.is_ascii_digit() };
    let digits_from =
        |at: usize| at + bytes[at..].iter().position(|&b| !is_digit(b)).unwrap_or(text.len() - at);
    let mut end = digits_from(digits_start);
    let mut is_float = false;
    if bytes.get(end) == Some(&b'.') && radix != 2 {
        is_float = true;
        end = digits_from(end + 1);
    }
    let exponent_letters: &[u8] = if radix == 16 { b"pP" } else { b"eE" };
    if bytes.get(end).is_some_and(|b| exponent_letters.contains(b)) {
        is_float = true;
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let from = end + 1 + sign;
        let digits = bytes.get(from..).unwrap_or(&[]);
        let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
        if count == 0 {
            return Err("exponent has no digits".to_owned());
        }
        end = from + count;
    } else if is_float && radix == 16 {
        return Err("hexadecimal floating constant needs an exponent".to_owned());
    }
    let (digits, suffix) = (&text[..end], &text[end..]);
    if is_float {
        if !bytes[digits_start..end]
            .iter()
            .take_while(|b| !matches!(b, b'p' | b'P'))
            .any(|&b| is_digit(b))
        {
            return Err("floating constant has no digits".to_owned());
        }
        let (suffix, is_imaginary) = float_suffix(suffix)
            .ok_or_else(|| format!("invalid suffix `{suffix}` on floating constant"))?;
        return Ok(Number::Float { text: digits, suffix, is_imaginary });
    }
    let digits = &bytes[digits_start..end];
    if digits.is_empty() {
        return Err(format!("invalid number `{text}`"));
    }
    let (mut value, mut is_truncated) = (0u64, false);
    for &byte in digits {
        let digit = u64::from((byte as char).to_digit(16).unwrap_or(0));
        if digit >= radix {
            let name = if radix == 8 { "octal" } else { "binary" };
            return Err(format!("invalid digit `{}` in {name} constant", byte as char));
        }
        let wide = u128::from(value) * u128::from(radix) + u128::from(digit);
        value = wide as u64;
        is_truncated |= wide > u128::from(u64::MAX);
    }
    let mut format = integer_suffix(suffix)
        .ok_or_else(|| format!("invalid suffix `{suffix}` on integer constant"))?;
    format.is_decimal = radix == 10;
    Ok(Number::Integer { value, format, is_truncated })
}

fn integer_suffix(suffix: &str) -> Option<IntegerFormat> {
    let mut format = IntegerFormat::default();
    let mut rest = suffix.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'u' | b'U' if !format.is_unsigned => format.is_unsigned = true,
            b'i' | b'I' | b'j' | b'J' if !format.is_imaginary => format.is_imaginary = true,
            b'l' | b'L' if format.longs == 0 => {
                format.longs = 1;
                if rest.first() == Some(first) {
                    format.longs = 2;
                    rest = &rest[1..];
                }
            }
            _ => return None,
        }
    }
    Some(format)
}

fn float_suffix(suffix: &str) -> Option<(ArithmeticKind, bool)> {
    let lower = suffix.to_ascii_lowercase();
    let imaginary = lower.strip_prefix(['i', 'j']).or(lower.strip_suffix(['i', 'j']));
    let kind = match imaginary.unwrap_or(&lower) {
        "" | "d" => ArithmeticKind::Double,
        "f" => ArithmeticKind::Float,
        "l" => ArithmeticKind::LongDouble,
        "f16" => ArithmeticKind::Float16,
        "f32" => ArithmeticKind::Float32,
        "f64" => ArithmeticKind::Float64,
        "f128" | "q" => ArithmeticKind::Float128,
        "f32x" => ArithmeticKind::Float32x,
        "f64x" | "w" => ArithmeticKind::Float64x,
        "df" => ArithmeticKind::Decimal32,
        "dd" => ArithmeticKind::Decimal64,
        "dl" => ArithmeticKind::Decimal128,
        _ => return None,
    };
    Some((kind, imaginary.is_some()))
}

/// The prefix of a quoted literal and what stands between the quotes.
pub(crate) fn split_quoted(text: &str) -> (Encoding, &str) {
    let quote = text.find(['"', '\'']).unwrap_or(0);
    let encoding = match &text[..quote] {
        "L" => Encoding::Wide,
        "u" => Encoding::Utf16,
        "U" => Encoding::Utf32,
        "u8" => Encoding::Utf8,
        _ => Encoding::Plain,
    };
    (encoding, text.get(quote + 1..text.len() - 1).unwrap_or(""))
}

/// Decodes what stands between quotes and appends its elements.
pub(crate) fn decode(body: &str, encoding: Encoding, units: &mut Vec<u32>) -> Result<(), String> {
    let mut rest = body.chars();
    while let Some(c) = rest.next() {
        if let Some(byte) = raw_byte(c) {
            if !matches!(encoding, Encoding::Plain | Encoding::Utf8) {
                return Err("a byte that is not UTF-8 in a wide literal".to_owned());
            }
            units.push(u32::from(byte));
            continue;
        }
        if c != '\\' {
            push_character(c, encoding, units);
            continue;
        }
        let Some(escape) = rest.next() else { break };
        let value = match escape {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            '\\' | '\'' | '"' | '?' | '(' | '{' | '[' | '%' => escape as u32,
            '\n' => continue,
            '\r' if rest.as_str().starts_with('\n') => {
                rest.next();
                continue;
            }
            '0'..='7' => {
                let mut value = escape.to_digit(8).unwrap_or(0);
                for _ in 0..2 {
                    let Some(digit) = rest.clone().next().and_then(|c| c.to_digit(8)) else {
                        break;
                    };
                    value = value * 8 + digit;
                    rest.next();
                }
                truncate(value, encoding)
            }
            'x' => {
                let (mut value, mut count) = (0u32, 0);
                while let Some(digit) = rest.clone().next().and_then(|c| c.to_digit(16)) {
                    value = value.wrapping_mul(16).wrapping_add(digit);
                    count += 1;
                    rest.next();
                }
                if count == 0 {
                    return Err("`\\x` without hexadecimal digits".to_owned());
                }
                truncate(value, encoding)
            }
            'u' | 'U' => {
                let length = if escape == 'u' { 4 } else { 8 };
                let digits = rest.as_str().get(..length).unwrap_or("");
                let Some(c) = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32) else {
                    return Err(format!("incomplete or invalid universal character `\\{escape}`"));
                };
                rest = rest.as_str()[length..].chars();
                push_character(c, encoding, units);
                continue;
            }
            // gcc warns and takes the character itself.
            other => {
                push_character(other, encoding, units);
                continue;
            }
        };
        units.push(value);
    }
    Ok(())
}

fn truncate(value: u32, encoding: Encoding) -> u32 {
    value & u32::MAX >> (32 - 8 * u32::from(encoding.bytes()))
}

fn push_character(c: char, encoding: Encoding, units: &mut Vec<u32>) {
    match encoding {
        Encoding::Plain | Encoding::Utf8 => {
            units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from));
        }
        Encoding::Utf16 => units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u as u32)),
        Encoding::Utf32 | Encoding::Wide => units.push(c as u32),
    }
}

/// The value of a character constant out of its elements, as gcc packs them.
pub(crate) fn character(units: &[u32], encoding: Encoding) -> Option<i64> {
    let &last = units.last()?;
    Some(match encoding {
        Encoding::Plain if units.len() == 1 => i64::from(last as u8 as i8),
        Encoding::Plain => {
            i64::from(units.iter().fold(0u32, |value, unit| value << 8 | unit) as i32)
        }
        Encoding::Wide => i64::from(last as i32),
        Encoding::Utf8 | Encoding::Utf16 | Encoding::Utf32 => i64::from(last),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn numbers() {
        let mut out = String::new();
        for text in [
            "0",
            "10",
            "017",
            "0x1F",
            "0b101",
            "1u",
            "1LLu",
            "1lL",
            "18446744073709551615",
            "18446744073709551616",
            "1i",
            "08",
            "0b2",
            "0x",
            "1.5",
            "1.",
            ".5",
            "1e5",
            "1e",
            "0x1.8p3",
            "0x1.8",
            "0x.P1",
            "1.0fi",
            "1.0if",
            "1.f128",
            "1.x",
            "09.5",
            "1.5DL",
        ] {
            out += &format!("{text}: {:?}\n", number(text));
        }
        expect![[r#"
            0: Ok(Integer { value: 0, format: IntegerFormat { is_decimal: false, is_unsigned: false, longs: 0, is_imaginary: false }, is_truncated: false })
            10: Ok(Integer { value: 10, format: IntegerFormat { is_decimal: true, is_unsigned: false, longs: 0, is_imaginary: false }, is_truncated: false })
            017: Ok(Integer { value: 15, format: IntegerFormat { is_decimal: false, is_unsigned: false, longs: 0, is_imaginary: false }, is_truncated: false })
            0x1F: Ok(Integer { value: 31, format: IntegerFormat { is_decimal: false, is_unsigned: false, longs: 0, is_imaginary: false }, is_truncated: false })
            0b101: Ok(Integer { value: 5, format: IntegerFormat { is_decimal: false, is_unsigned: false, longs: 0, is_imaginary: false }, is_truncated: false })
            1u: Ok(Integer { value: 1, format: IntegerFormat { is_decimal: true, is_unsigned: true, longs: 0, is_imaginary: false }, is_truncated: false })
            1LLu: Ok(Integer { value: 1, format: IntegerFormat { is_decimal: true, is_unsigned: true, longs: 2, is_imaginary: false }, is_truncated: false })
            1lL: Err("invalid suffix `lL` on integer constant")
            18446744073709551615: Ok(Integer { value: 18446744073709551615, format: IntegerFormat { is_decimal: true, is_unsigned: false, longs: 0, is_imaginary: false }, is_truncated: false })
            18446744073709551616: Ok(Integer { value: 0, format: IntegerFormat { is_decimal: true, is_unsigned: false, longs: 0, is_imaginary: false }, is_truncated: true })
            1i: Ok(Integer { value: 1, format: IntegerFormat { is_decimal: true, is_unsigned: false, longs: 0, is_imaginary: true }, is_truncated: false })
            08: Err("invalid digit `8` in octal constant")
            0b2: Err("invalid digit `2` in binary constant")
            0x: Err("invalid number `0x`")
            1.5: Ok(Float { text: "1.5", suffix: Double, is_imaginary: false })
            1.: Ok(Float { text: "1.", suffix: Double, is_imaginary: false })
            .5: Ok(Float { text: ".5", suffix: Double, is_imaginary: false })
            1e5: Ok(Float { text: "1e5", suffix: Double, is_imaginary: false })
            1e: Err("exponent has no digits")
            0x1.8p3: Ok(Float { text: "0x1.8p3", suffix: Double, is_imaginary: false })
            0x1.8: Err("hexadecimal floating constant needs an exponent")
            0x.P1: Err("floating constant has no digits")
            1.0fi: Ok(Float { text: "1.0", suffix: Float, is_imaginary: true })
            1.0if: Ok(Float { text: "1.0", suffix: Float, is_imaginary: true })
            1.f128: Ok(Float { text: "1.", suffix: Float128, is_imaginary: false })
            1.x: Err("invalid suffix `x` on floating constant")
            09.5: Ok(Float { text: "09.5", suffix: Double, is_imaginary: false })
            1.5DL: Ok(Float { text: "1.5", suffix: Decimal128, is_imaginary: false })
        "#]].assert_eq(&out);
    }

    fn units(literal: &str) -> Result<Vec<u32>, String> {
        let (encoding, body) = split_quoted(literal);
        let mut units = Vec::new();
        decode(body, encoding, &mut units).map(|()| units)
    }

    #[test]
    fn strings() {
        assert_eq!(units(r#""a\n\0\x41\1012""#), Ok(vec![97, 10, 0, 0x41, 65, 50]));
        assert_eq!(units("\"é\\u00e9\""), Ok(vec![0xc3, 0xa9, 0xc3, 0xa9]));
        assert_eq!(units("L\"é\""), Ok(vec![0xe9]));
        assert_eq!(units("u\"\u{1f600}\""), Ok(vec![0xd83d, 0xde00]));
        assert_eq!(units("\"a\\\nb\""), Ok(vec![97, 98]));
        assert_eq!(units(r#""\xfff""#), Ok(vec![0xff]));
        assert!(units(r#""\xg""#).is_err());
        assert!(units(r#""\u12""#).is_err());
        assert!(units("\"\\u12é\"").is_err());
    }

    #[test]
    fn characters() {
        let value = |literal: &str| character(&units(literal).unwrap(), split_quoted(literal).0);
        assert_eq!(value("'a'"), Some(97));
        assert_eq!(value(r"'\xff'"), Some(-1));
        assert_eq!(value("'ab'"), Some(0x6162));
        assert_eq!(value(r"'\377\377\377\377'"), Some(-1));
        assert_eq!(value(r"L'\xffffffff'"), Some(-1));
        assert_eq!(value(r"U'\xffffffff'"), Some(0xffff_ffff));
        assert_eq!(value("''"), None);
    }
}
