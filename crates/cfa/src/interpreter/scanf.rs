//! `sscanf` and `strtod`, as glibc reads in the C locale.
//!
//! The whole text is read once for each question that the program asks about it; texts
//! are short. Not supported: `%m`, wide characters, positional arguments.

use super::outcome::Reason;
use crate::format::{Length, Scan};
use crate::types::{FloatKind, IntType, Target};
use crate::value::Value;
use crate::value::float;

/// What one conversion stores.
enum Stored {
    Number(Value),
    Text(Vec<u8>),
}

/// What a call makes of its text.
pub(super) struct Scanned {
    returned: i128,
    stored: Vec<Stored>,
}

impl Scanned {
    /// The answer to a question (see `OutputKind::Scan`).
    pub(super) fn answer(&self, which: i128, character: Option<i128>) -> Value {
        let long = |v: i128| Value::int(v, IntType::signed(64));
        let index = match which {
            -1 => return long(self.returned),
            -2 => return long(self.stored.len() as i128),
            index => usize::try_from(index).unwrap_or(usize::MAX),
        };
        match (self.stored.get(index), character) {
            (Some(Stored::Number(value)), _) => *value,
            (Some(Stored::Text(text)), Some(at)) => {
                let byte = usize::try_from(at).ok().and_then(|at| text.get(at));
                long(byte.map_or(0, |&b| i128::from(b)))
            }
            _ => long(0),
        }
    }
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn skip_space(&mut self) {
        while self.text.get(self.at).is_some_and(|b| is_space(*b)) {
            self.at += 1;
        }
    }

    fn rest(&self, width: usize) -> &[u8] {
        let rest = &self.text[self.at..];
        &rest[..rest.len().min(width)]
    }
}

fn is_space(b: u8) -> bool {
    b == b' ' || (b'\t'..=b'\r').contains(&b)
}

/// Reads `text` as `format` says.
pub(super) fn scan(text: &[u8], format: &[u8], target: Target) -> Result<Scanned, Reason> {
    let mut cursor = Cursor { text, at: 0 };
    let mut scanned = Scanned { returned: 0, stored: Vec::new() };
    let mut rest = format;
    // The end of the text before anything was stored is a failure of the input.
    let ended = |mut scanned: Scanned| {
        scanned.returned = if scanned.returned == 0 { -1 } else { scanned.returned };
        Ok(scanned)
    };
    while let [c, after @ ..] = rest {
        rest = after;
        if is_space(*c) {
            cursor.skip_space();
            continue;
        }
        let escaped = *c == b'%' && rest.first() == Some(&b'%');
        if *c != b'%' || escaped {
            if escaped {
                rest = &rest[1..];
                cursor.skip_space();
            }
            match text.get(cursor.at) {
                Some(b) if b == c => cursor.at += 1,
                Some(_) => return Ok(scanned),
                None => return ended(scanned),
            }
            continue;
        }
        let directive =
            Scan::read(&mut rest).ok_or_else(|| Reason::Format("a set without an end".into()))?;
        if directive.letter == b'n' {
            if !directive.suppressed {
                let ty = IntType::signed(directive.length.bits(target));
                scanned.stored.push(Stored::Number(Value::int(cursor.at as i128, ty)));
            }
            continue;
        }
        if !matches!(directive.letter, b'c' | b'[') {
            cursor.skip_space();
        }
        if cursor.at >= text.len() {
            return ended(scanned);
        }
        let input = cursor.rest(directive.width.unwrap_or(usize::MAX));
        let Some((stored, used)) = directive.convert(input, target)? else { return Ok(scanned) };
        cursor.at += used;
        if !directive.suppressed {
            scanned.stored.push(stored);
            scanned.returned += 1;
        }
    }
    Ok(scanned)
}

impl Scan<'_> {
    /// What the conversion makes of the text that it may take, and how much it takes; none where it fails.
    fn convert(&self, text: &[u8], target: Target) -> Result<Option<(Stored, usize)>, Reason> {
        let early = || Reason::Format("a number that ends early".into());
        let plain = self.length == Length::Int;
        let string = |n: usize| (Stored::Text(text[..n].to_vec()), n);
        Ok(match self.letter {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'p' => {
                let base = match self.letter {
                    b'd' | b'u' => 10,
                    b'i' => 0,
                    b'o' => 8,
                    _ => 16,
                };
                let signed = matches!(self.letter, b'd' | b'i');
                let bits = match self.letter {
                    b'p' => target.pointer_bits,
                    _ => self.length.bits(target),
                };
                if ends_with_prefix(text, base) {
                    return Err(early());
                }
                let long = bits.max(target.pointer_bits);
                integer(text, base, IntType { bits: long, signed }).map(|(value, used)| {
                    (Stored::Number(Value::int(value, IntType { bits, signed })), used)
                })
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let kind = match self.length {
                    Length::Long => FloatKind::F64,
                    Length::LongDouble => FloatKind::F80,
                    _ => FloatKind::F32,
                };
                let (bits, used) = float(text, kind);
                // glibc reads an exponent or a prefix before it sees that nothing follows.
                if text.get(used).is_some_and(|b| b"eEpPxXnNiI".contains(b)) {
                    return Err(early());
                }
                (used > 0).then_some((Stored::Number(Value::Float { bits, kind }), used))
            }
            b'c' if plain && self.width.unwrap_or(1) == 1 => {
                let value = Value::int(i128::from(text[0] as i8), IntType::signed(8));
                Some((Stored::Number(value), 1))
            }
            b's' if plain => {
                Some(string(text.iter().position(|&b| is_space(b)).unwrap_or(text.len())))
            }
            b'[' if plain => {
                let set = scan_set(self.set);
                let n = text.iter().position(|&b| !set[usize::from(b)]).unwrap_or(text.len());
                (n > 0).then(|| string(n))
            }
            other => return Err(Reason::Format(format!("conversion `%{}`", char::from(other)))),
        })
    }
}

/// Which bytes a set has.
fn scan_set(written: &[u8]) -> [bool; 256] {
    let (negated, mut rest) = match written {
        [b'^', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let mut set = [false; 256];
    loop {
        rest = match rest {
            [from, b'-', to, behind @ ..] => {
                set[usize::from(*from)..=usize::from(*to.max(from))].fill(true);
                behind
            }
            [byte, behind @ ..] => {
                set[usize::from(*byte)] = true;
                behind
            }
            [] => return set.map(|has| has != negated),
        };
    }
}

/// Whether nothing follows the `0x` of a number: to C that is no number, to glibc it is zero.
fn ends_with_prefix(text: &[u8], base: u32) -> bool {
    let unsigned = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let is_prefixed = matches!(unsigned, [b'0', b'x' | b'X', ..]) && (base == 16 || base == 0);
    is_prefixed && !unsigned.get(2).is_some_and(u8::is_ascii_hexdigit)
}

/// A number and how many bytes it takes, as `strtol` or `strtoul` of that type give it.
fn integer(text: &[u8], base: u32, ty: IntType) -> Option<(i128, usize)> {
    let mut at = 0;
    let negative = text.first() == Some(&b'-');
    if matches!(text.first(), Some(b'-' | b'+')) {
        at += 1;
    }
    let mut base = base;
    let prefixed = text.get(at) == Some(&b'0') && matches!(text.get(at + 1), Some(b'x' | b'X'));
    if prefixed && (base == 16 || base == 0) {
        base = 16;
        at += 2;
    } else if base == 0 {
        base = if text.get(at) == Some(&b'0') { 8 } else { 10 };
    }
    let begin = at;
    let mut value = 0i128;
    while let Some(digit) = text.get(at).and_then(|&b| char::from(b).to_digit(base)) {
        value = (value * i128::from(base) + i128::from(digit)).min(1 << 100);
        at += 1;
    }
    if at == begin {
        return None;
    }
    let (low, high) = (ty.min(), ty.max());
    let value = if negative { -value } else { value };
    let value = if ty.signed {
        value.clamp(low, high)
    } else if value.abs() > high {
        high
    } else {
        value
    };
    Some((value, at))
}

/// The pattern of the number at the start of a text, and how many bytes it takes with the spaces
/// before it; zero where there is none.
pub(super) fn float(text: &[u8], kind: FloatKind) -> (u128, usize) {
    let spaces = text.iter().position(|b| !is_space(*b)).unwrap_or(0);
    let sign = usize::from(matches!(text.get(spaces), Some(b'-' | b'+')));
    let negative = text.get(spaces) == Some(&b'-');
    let body = &text[spaces + sign..];
    let begins = |word: &[u8]| body.get(..word.len()).is_some_and(|b| b.eq_ignore_ascii_case(word));
    let digits = |from: usize, hex: bool| {
        let digit = |b: &u8| if hex { b.is_ascii_hexdigit() } else { b.is_ascii_digit() };
        body[from.min(body.len())..].iter().take_while(|b| digit(b)).count()
    };
    let known = |text: &str| float::parse(text, kind).unwrap_or_default();
    let (bits, used) = if begins(b"infinity") || begins(b"inf") {
        (known("inf"), if begins(b"infinity") { 8 } else { 3 })
    } else if begins(b"nan") {
        (known("nan"), 3)
    } else {
        let hex = begins(b"0x")
            && (digits(2, true) > 0 || body.get(2) == Some(&b'.') && digits(3, true) > 0);
        let begin = if hex { 2 } else { 0 };
        let whole = digits(begin, hex);
        let mut end = begin + whole;
        let has_point = body.get(end) == Some(&b'.');
        let fraction = if has_point { digits(end + 1, hex) } else { 0 };
        if whole + fraction == 0 {
            return (known("0"), 0);
        }
        end += usize::from(has_point) + fraction;
        let mark: &[u8] = if hex { b"pP" } else { b"eE" };
        let marked = body.get(end).is_some_and(|b| mark.contains(b));
        let signed = usize::from(matches!(body.get(end + 1), Some(b'-' | b'+')));
        let exponent = if marked { digits(end + 1 + signed, false) } else { 0 };
        if exponent > 0 {
            end += 1 + signed + exponent;
        }
        let mut number = String::from_utf8_lossy(&body[..end]).into_owned();
        if hex && exponent == 0 {
            number += "p0";
        }
        (known(&number), end)
    };
    let bits = if negative { float::negate(bits, kind) } else { bits };
    (bits, spaces + sign + used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(text: &str, format: &str) -> (i128, Vec<i128>) {
        let scanned = scan(text.as_bytes(), format.as_bytes(), Target::LP64)
            .unwrap_or_else(|_| panic!("{format} is supported"));
        let count = scanned.stored.len() as i128;
        let values = (0..count).map(|i| scanned.answer(i, Some(0)).as_int().unwrap_or(-7));
        (scanned.returned, values.collect())
    }

    #[test]
    fn conversions_read_and_fail_as_in_glibc() {
        assert_eq!(ask("12 34", "%d%d"), (2, vec![12, 34]));
        assert_eq!(ask("12,34", "%d,%x%n"), (2, vec![12, 0x34, 5]));
        assert_eq!(ask("", "%d"), (-1, vec![]));
        assert_eq!(ask("x", "%d"), (0, vec![]));
        assert_eq!(ask("123", "%2d%d"), (2, vec![12, 3]));
        assert_eq!(ask("99999999999999999999", "%d"), (1, vec![-1]));
        assert_eq!(ask("ab cd", "%*s %s"), (1, vec![99]));
        assert_eq!(ask("abc-", "%[a-c]%c"), (2, vec![97, 45]));
        assert_eq!(ask("0x1f 010", "%i %i"), (2, vec![31, 8]));
    }

    #[test]
    fn floats_end_where_strtod_ends() {
        let read = |text: &str| {
            let (bits, used) = float(text.as_bytes(), FloatKind::F64);
            (f64::from_bits(bits as u64), used)
        };
        assert_eq!(read(" -1.5e3x"), (-1500.0, 7));
        assert_eq!(read("1e"), (1.0, 1));
        assert_eq!(read("0x1.8p1"), (3.0, 7));
        assert_eq!(read("0x"), (0.0, 1));
        assert_eq!(read(".5"), (0.5, 2));
        assert_eq!(read("-."), (0.0, 0));
        assert!(read("INFinit").0.is_infinite());
    }
}
