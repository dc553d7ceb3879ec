//! Invariants that can be read: a short one stands where it holds, a long one is folded and has a line for each
//! of its parts.

use crate::account::Note;
use crate::acsl::{parts, summary};
use bolide_cfa::render::escape;
use std::fmt::Write;

/// What holds behind its heading; a long one is folded, with a line for each part.
pub fn folded(note: &Note, head: String) -> String {
    let Some(many) = summary(&note.text) else {
        return format!("{head}: <code>{}</code>", escape(&note.text));
    };
    let mut out = format!("<details><summary>{head}: {many}</summary><ul>");
    for part in parts(&note.text).1 {
        let _ = write!(out, "<li><code>{}</code></li>", escape(part));
    }
    out + "</ul></details>"
}
