//! Invariants that can be read: a short one stands where it holds, a long one is folded and has a line for each
//! of its parts.

use crate::account::Note;
use bolide_cfa::render::escape;
use std::fmt::Write;

/// An invariant of more characters is folded.
const SHORT: usize = 100;

/// What holds behind its heading; a long one is folded, with a line for each part.
pub fn folded(note: &Note, head: String) -> String {
    if note.text.chars().count() <= SHORT {
        return format!("{head}: <code>{}</code>", escape(&note.text));
    }
    let parts = conjuncts(&note.text);
    let many =
        if parts.len() == 1 { "one part".to_owned() } else { format!("{} parts", parts.len()) };
    let mut out = format!("<details><summary>{head}: {many}</summary><ul>");
    for part in parts {
        let _ = write!(out, "<li><code>{}</code></li>", escape(part));
    }
    out + "</ul></details>"
}

/// The parts of a conjunction; `&&` inside of parentheses belongs to a part.
fn conjuncts(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0i32, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '&' if depth == 0 && text[at..].starts_with("&& ") => {
                parts.push(text[start..at].trim());
                start = at + 2;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}
