//! Formats of the printf and scanf families, taken apart into conversions.
//!
//! What a conversion does is said elsewhere: the interpreter prints and scans, lowering bounds the text and says
//! what is stored.

use crate::types::Target;

/// A width or precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// As it is written; zero without digits.
    Literal(usize),
    /// It comes as an argument: `*`.
    Argument,
}

/// What a letter such as `l` says of the type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Length {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    LongDouble,
}

impl Length {
    /// The width of an integer.
    pub fn bits(self, target: Target) -> u8 {
        match self {
            Length::Char => 8,
            Length::Short => 16,
            Length::Int => 32,
            Length::Long => target.pointer_bits,
            Length::LongLong | Length::LongDouble => 64,
        }
    }

    fn read(rest: &mut &[u8]) -> Length {
        let (length, used) = match rest {
            [b'h', b'h', ..] => (Length::Char, 2),
            [b'h', ..] => (Length::Short, 1),
            [b'l', b'l', ..] => (Length::LongLong, 2),
            [b'l' | b'z' | b't', ..] => (Length::Long, 1),
            [b'j' | b'q', ..] => (Length::LongLong, 1),
            [b'L', ..] => (Length::LongDouble, 1),
            _ => (Length::Int, 0),
        };
        *rest = &rest[used..];
        length
    }
}

/// A conversion of the printf family: what stands behind a `%`.
#[derive(Clone, Copy, Debug)]
pub struct Print<'f> {
    /// `-`, `+` and the like.
    pub flags: &'f [u8],
    /// The least width.
    pub width: Number,
    /// What stands behind a point.
    pub precision: Option<Number>,
    /// Of the argument.
    pub length: Length,
    /// The letter; 0 where the format ends before it.
    pub letter: u8,
}

impl<'f> Print<'f> {
    /// Takes a conversion off the front of what is left of a format.
    pub fn read(rest: &mut &'f [u8]) -> Self {
        let flags = take(rest, |c| b"-+ #0'".contains(&c));
        let width = number(rest);
        let precision = eat(rest, b'.').then(|| number(rest));
        let length = Length::read(rest);
        let letter = rest.split_off_first().copied().unwrap_or(0);
        Print { flags, width, precision, length, letter }
    }
}

/// A conversion of the scanf family: what stands behind a `%`.
#[derive(Clone, Copy, Debug)]
pub struct Scan<'f> {
    /// `*`: nothing is stored.
    pub suppressed: bool,
    /// The most characters that it takes.
    pub width: Option<usize>,
    /// Of what is stored.
    pub length: Length,
    /// The letter; 0 where the format ends before it.
    pub letter: u8,
    /// What stands between `[` and `]`.
    pub set: &'f [u8],
}

impl<'f> Scan<'f> {
    /// Takes a conversion off the front of what is left of a format; none where a set has no end.
    pub fn read(rest: &mut &'f [u8]) -> Option<Self> {
        let suppressed = eat(rest, b'*');
        let width = digits(rest);
        let length = Length::read(rest);
        let letter = rest.split_off_first().copied().unwrap_or(0);
        let mut set: &[u8] = &[];
        if letter == b'[' {
            // A bracket right at the start belongs to the set.
            let start = usize::from(rest.first() == Some(&b'^')) + 1;
            let end = start + rest.get(start..)?.iter().position(|&c| c == b']')?;
            (set, *rest) = (&rest[..end], &rest[end + 1..]);
        }
        Some(Scan { suppressed, width: Some(width).filter(|&n| n != 0), length, letter, set })
    }
}

/// Takes the bytes off the front that the test allows.
fn take<'f>(rest: &mut &'f [u8], allowed: impl Fn(u8) -> bool) -> &'f [u8] {
    let count = rest.iter().take_while(|&&c| allowed(c)).count();
    let (taken, behind) = rest.split_at(count);
    *rest = behind;
    taken
}

fn eat(rest: &mut &[u8], byte: u8) -> bool {
    let found = rest.first() == Some(&byte);
    *rest = &rest[usize::from(found)..];
    found
}

fn digits(rest: &mut &[u8]) -> usize {
    let join = |n: usize, &d: &u8| n.saturating_mul(10).saturating_add(usize::from(d - b'0'));
    take(rest, |c| c.is_ascii_digit()).iter().fold(0, join)
}

fn number(rest: &mut &[u8]) -> Number {
    if eat(rest, b'*') { Number::Argument } else { Number::Literal(digits(rest)) }
}
