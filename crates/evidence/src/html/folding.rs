//! Invariants that can be read: a short one stands where it holds, a long one is folded and has a line for each
//! of its parts.

use crate::account::Note;
use crate::acsl::parts;
use bolide_cfa::render::escape;
use std::fmt::Write;

/// An invariant of more characters is folded.
const SHORT: usize = 100;

/// What holds behind its heading; a long one is folded, with a line for each part.
pub fn folded(note: &Note, head: String) -> String {
    if note.text.chars().count() <= SHORT {
        return format!("{head}: <code>{}</code>", escape(&note.text));
    }
    let (sign, parts) = parts(&note.text);
    let many = match (parts.len(), sign) {
        (1, _) => "one part".to_owned(),
        (count, "||") => format!("one of {count} cases"),
        (count, _) => format!("{count} parts"),
    };
    let mut out = format!("<details><summary>{head}: {many}</summary><ul>");
    for part in parts {
        let _ = write!(out, "<li><code>{}</code></li>", escape(part));
    }
    out + "</ul></details>"
}
