//! Source bytes that are not UTF-8.
//!
//! Texts are strings, but a C file is bytes. A byte that belongs to no character becomes one of
//! 128 private characters, which literals turn back into that byte. What was one of these
//! characters from the start is taken apart in the same way, so nothing is lost.

/// The private character of the byte 0 would be this one.
const FIRST: u32 = 0x10_ff00;

/// The text of a file, without the byte order mark that may stand in front.
pub fn text_of_bytes(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match raw_byte(c) {
                None => text.push(c),
                Some(_) => text.extend(c.encode_utf8(&mut [0; 4]).bytes().map(private)),
            }
        }
        text.extend(chunk.invalid().iter().copied().map(private));
    }
    text
}

fn private(byte: u8) -> char {
    char::from_u32(FIRST + u32::from(byte)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The byte that a private character stands for.
pub(crate) fn raw_byte(c: char) -> Option<u8> {
    let byte = u32::from(c).checked_sub(FIRST)?;
    u8::try_from(byte).ok().filter(|byte| *byte >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost() {
        let restored = |bytes: &[u8]| -> Vec<u8> {
            let text = text_of_bytes(bytes);
            let mut back = Vec::new();
            for c in text.chars() {
                match raw_byte(c) {
                    Some(byte) => back.push(byte),
                    None => back.extend(c.encode_utf8(&mut [0; 4]).bytes()),
                }
            }
            back
        };
        for bytes in [&b"plain"[..], "\u{e9}".as_bytes(), b"\xe9\xff", "\u{10ffe9}".as_bytes()] {
            assert_eq!(restored(bytes), bytes);
        }
        assert_eq!(text_of_bytes(b"\xef\xbb\xbfint"), "int");
    }
}
