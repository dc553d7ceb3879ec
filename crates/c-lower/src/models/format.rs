//! Formats of the printf family: what each conversion does with its argument, and how long the
//! text can be.

use bolide_cfa::Target;
use bolide_cfa::format::{Length, Number, Print};

/// What becomes of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Its value is printed, or is a width.
    Value,
    /// Up to the terminating zero.
    Text,
    /// At most so many characters.
    Prefix(u64),
    /// At most as many characters as the argument before says.
    PrefixOfArgument,
    /// The number of characters so far is stored through it: bits, and where its conversion
    /// begins in the format.
    Count(u8, usize),
}

/// A format, read.
#[derive(PartialEq, Eq, Debug)]
pub struct Format {
    /// One for each argument.
    pub uses: Vec<Use>,
    /// The least number of characters, without those of [`Use::Text`].
    pub least: u64,
    /// The greatest, without those of [`Use::Text`]; none where there is no bound.
    pub most: Option<u64>,
}

/// Reads a format.
pub fn read(format: &[u8], target: Target) -> Format {
    let mut result = Format { uses: Vec::new(), least: 0, most: Some(0) };
    let mut rest = format;
    while let [first, behind @ ..] = rest {
        let begin = format.len() - rest.len();
        rest = behind;
        if *first != b'%' {
            result.add(1, Some(1));
            continue;
        }
        let directive = Print::read(&mut rest);
        for number in [Some(directive.width), directive.precision] {
            result.uses.extend((number == Some(Number::Argument)).then_some(Use::Value));
        }
        let bits = directive.length.bits(target);
        match directive.letter {
            b'%' => result.add(1, Some(1)),
            b'n' => result.uses.push(Use::Count(bits, begin)),
            _ => {
                result.uses.push(directive.argument());
                let (least, most) = directive.bounds(bits);
                let width = match directive.width {
                    Number::Argument => None,
                    Number::Literal(width) => Some(width as u64),
                };
                let least = least.max(width.unwrap_or(0));
                result.add(least, most.and_then(|most| Some(most.max(width?))));
            }
        }
    }
    result
}

/// What a conversion does.
trait Meaning {
    fn is_text(&self) -> bool;
    fn argument(&self) -> Use;
    fn bounds(&self, bits: u8) -> (u64, Option<u64>);
}

impl Meaning for Print<'_> {
    fn is_text(&self) -> bool {
        self.letter == b's' && self.length == Length::Int
    }

    /// What becomes of the argument.
    fn argument(&self) -> Use {
        match self.precision {
            _ if !self.is_text() => Use::Value,
            Some(Number::Argument) => Use::PrefixOfArgument,
            Some(Number::Literal(limit)) => Use::Prefix(limit as u64),
            None => Use::Text,
        }
    }

    /// The least and the greatest number of characters, before they are padded to the width.
    fn bounds(&self, bits: u8) -> (u64, Option<u64>) {
        let counted = self.precision == Some(Number::Argument);
        let exact = match self.precision {
            Some(Number::Literal(exact)) => Some(exact as u64),
            _ => None,
        };
        if self.is_text() {
            // Of a whole text nobody knows how much is padded.
            let is_padded = exact.is_none() && self.width != Number::Literal(0);
            return (0, exact.or(Some(0)).filter(|_| !counted && !is_padded));
        }
        let base = match self.letter {
            b'd' | b'i' | b'u' => 10,
            b'x' | b'X' => 16,
            b'o' => 8,
            b'c' if self.length == Length::Int => return (1, Some(1)),
            b'p' => return (3, Some(19).filter(|_| self.precision.is_none())),
            _ => return (0, None),
        };
        let digits = match (bits, base) {
            (8, 10) => 3,
            (16, 10) => 5,
            (32, 10) => 10,
            (_, 10) => 20,
            (bits, 16) => u64::from(bits) / 4,
            (bits, _) => u64::from(bits).div_ceil(3),
        };
        // A sign, or `0x`.
        let prefix = if base == 10 { 1 } else { 2 * u64::from(self.flags.contains(&b'#')) };
        let most = digits.max(exact.unwrap_or(0)) + prefix;
        (u64::from(exact != Some(0)), Some(most).filter(|_| !counted))
    }
}

impl Format {
    fn add(&mut self, least: u64, most: Option<u64>) {
        self.least += least;
        self.most = self.most.and_then(|m| m.checked_add(most?));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, uses: &[Use], least: u64, most: Option<u64>) {
        let expected = Format { uses: uses.to_vec(), least, most };
        assert_eq!(read(format.as_bytes(), Target::LP64), expected, "{format}");
    }

    #[test]
    fn conversions_say_what_arguments_are_for() {
        use Use::*;
        check("%d%%%s %-5.3s", &[Value, Text, Prefix(3)], 8, Some(18));
        let widths = [Value, Value, Value, PrefixOfArgument, Value, Value];
        check("%*d %.*s%ls%lu", &widths, 3, None);
        check("ab%n%hhn", &[Count(32, 2), Count(8, 4)], 2, Some(2));
    }

    #[test]
    fn lengths_have_bounds() {
        check("%x", &[Use::Value], 1, Some(8));
        check("%#lx", &[Use::Value], 1, Some(18));
        check("%5c|", &[Use::Value], 6, Some(6));
        check("%f", &[Use::Value], 0, None);
        check("%3s", &[Use::Text], 3, None);
    }
}
