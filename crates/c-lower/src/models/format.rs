//! Formats of the printf family: what each conversion does with its argument, and how long the
//! text can be.

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
pub fn read(format: &[u8], pointer_bits: u8) -> Format {
    let mut result = Format { uses: Vec::new(), least: 0, most: Some(0) };
    let mut at = 0;
    let peek = |at: usize| format.get(at).copied().unwrap_or(0);
    let number = |at: &mut usize| {
        let mut n = 0u64;
        while peek(*at).is_ascii_digit() {
            n = n.saturating_mul(10).saturating_add(u64::from(peek(*at) - b'0'));
            *at += 1;
        }
        n
    };
    while at < format.len() {
        let begin = at;
        at += 1;
        if format[begin] != b'%' {
            result.add(1, Some(1));
            continue;
        }
        let mut alternate = false;
        while matches!(peek(at), b'-' | b'+' | b' ' | b'#' | b'0' | b'\'') {
            alternate |= peek(at) == b'#';
            at += 1;
        }
        // Unknown widths and precisions come as arguments.
        let (mut width, mut precision, mut counted) = (Some(0), None, false);
        if peek(at) == b'*' {
            at += 1;
            result.uses.push(Use::Value);
            width = None;
        } else {
            width = width.map(|_| number(&mut at));
        }
        if peek(at) == b'.' {
            at += 1;
            if peek(at) == b'*' {
                at += 1;
                result.uses.push(Use::Value);
                counted = true;
            } else {
                precision = Some(number(&mut at));
            }
        }
        let start = at;
        while matches!(peek(at), b'h' | b'l' | b'L' | b'j' | b'z' | b't' | b'q') {
            at += 1;
        }
        let length = &format[start..at];
        let bits = match length {
            b"hh" => 8,
            b"h" => 16,
            b"l" | b"z" | b"t" => pointer_bits,
            b"ll" | b"q" | b"j" | b"L" => 64,
            _ => 32,
        };
        let conversion = peek(at);
        at += 1;
        let digits = |base: u64| match (bits, base) {
            (8, 10) => 3,
            (16, 10) => 5,
            (32, 10) => 10,
            (_, 10) => 20,
            (bits, 16) => u64::from(bits) / 4,
            (bits, _) => u64::from(bits).div_ceil(3),
        };
        let (least, most) = match conversion {
            b'%' => {
                result.add(1, Some(1));
                continue;
            }
            b'n' => {
                result.uses.push(Use::Count(bits, begin));
                continue;
            }
            b's' if length.is_empty() => {
                result.uses.push(match precision {
                    _ if counted => Use::PrefixOfArgument,
                    Some(limit) => Use::Prefix(limit),
                    None => Use::Text,
                });
                match (precision, width) {
                    (None, Some(0)) if !counted => (0, Some(0)),
                    _ if counted => (0, None),
                    (None, _) => (0, None),
                    (Some(limit), _) => (0, Some(limit)),
                }
            }
            _ => {
                result.uses.push(Use::Value);
                let exact = precision.unwrap_or(0);
                match conversion {
                    b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => {
                        let base = match conversion {
                            b'x' | b'X' => 16,
                            b'o' => 8,
                            _ => 10,
                        };
                        let prefix = if base == 10 {
                            1
                        } else if alternate {
                            2
                        } else {
                            0
                        };
                        let most = digits(base).max(exact) + prefix;
                        (u64::from(precision != Some(0)), Some(most).filter(|_| !counted))
                    }
                    b'c' if length.is_empty() => (1, Some(1)),
                    b'p' => (3, Some(19).filter(|_| precision.is_none() && !counted)),
                    _ => (0, None),
                }
            }
        };
        let least = least.max(width.unwrap_or(0));
        result.add(least, most.and_then(|most| Some(most.max(width?))));
    }
    result
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
        assert_eq!(read(format.as_bytes(), 64), expected, "{format}");
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
