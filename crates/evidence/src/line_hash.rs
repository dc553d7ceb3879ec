//! The print of a line by which code scanning services recognise a finding in the next version of a file.
//!
//! The service's own definition (`primaryLocationLineHash`): a rolling polynomial hash over the hundred
//! characters from the beginning of the line on, spaces and tabs left out and all line ends alike, so that what
//! stands before the line and how it is indented do not matter; then a colon, and the how-manieth line of
//! the file with that hash it is. Characters are UTF-16 code units, the modulus is 2^64, and the file ends
//! with a character of its own.

use std::collections::BTreeMap;

/// How far a print looks.
const WINDOW: usize = 100;
/// The base of the polynomial.
const BASE: u64 = 37;
/// What stands behind the last character.
const END: u16 = u16::MAX;

/// The prints of all lines of a text.
pub fn line_hashes(text: &str) -> Vec<String> {
    let characters = significant(text);
    let starts = std::iter::once(0)
        .chain((1..characters.len()).filter(|&at| characters[at - 1] == u16::from(b'\n')));
    let mut seen: BTreeMap<u64, usize> = BTreeMap::new();
    let mut prints = Vec::new();
    for start in starts {
        let window = characters.iter().copied().skip(start).chain(std::iter::repeat(0));
        let hash = window.take(WINDOW).fold(0u64, |hash, character| {
            hash.wrapping_mul(BASE).wrapping_add(u64::from(character))
        });
        let count = seen.entry(hash).or_default();
        *count += 1;
        prints.push(format!("{hash:x}:{count}"));
    }
    prints
}

/// The characters that count.
fn significant(text: &str) -> Vec<u16> {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let blank = |unit: &u16| *unit == u16::from(b' ') || *unit == u16::from(b'\t');
    text.encode_utf16().filter(|unit| !blank(unit)).chain([END]).collect()
}

#[cfg(test)]
mod tests {
    use super::line_hashes;

    /// The examples of the service.
    #[test]
    fn prints_are_those_of_the_service() {
        assert_eq!(line_hashes(""), ["c129715d7a2bc9a3:1"]);
        assert_eq!(
            line_hashes(" a\nb\n  \t\tc\n d"),
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"]
        );
        assert_eq!(
            line_hashes("x = 2;\r\nx = 1;\rprint(x);\nx = 3;")[1],
            line_hashes("x=1;\nprint(x);\nx = 3;")[0]
        );
    }
}
