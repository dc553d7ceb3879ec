//! The source: coloured, with numbers, executed lines, notes and heat.

use super::folding::folded;
use crate::account::{Account, Finding, Note, Place, SourceFile};
use bolide_cfa::render::escape;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Lines that the browser lays out together.
const CHUNK: usize = 100;
/// Height of a line in pixels; as in the style.
const LINE: usize = 19;

/// The id of a line in the document.
pub fn line_id(place: Place) -> String {
    format!("f{}L{}", place.file, place.line)
}

/// Writes all files.
pub fn source(account: &Account, out: &mut String) {
    let executed: BTreeSet<(usize, u32)> =
        account.steps.iter().map(|s| (s.place.file, s.place.line)).collect();
    let violated = match &account.finding {
        Finding::Violated { place: Some(place), .. } => Some((place.file, place.line)),
        _ => None,
    };
    let mut notes: BTreeMap<(usize, u32), Vec<&Note>> = BTreeMap::new();
    for note in &account.notes {
        notes.entry((note.place.file, note.place.line)).or_default().push(note);
    }
    let mut heat: BTreeMap<(usize, u32), u32> = BTreeMap::new();
    for (place, count) in &account.heat.1 {
        *heat.entry((place.file, place.line)).or_default() += count;
    }
    let hottest = heat.values().copied().max().unwrap_or(0);
    if hottest > 0 {
        let _ = writeln!(
            out,
            "<p class=\"soft\">Red marks beside the numbers: {} (at most {hottest}).</p>",
            escape(&account.heat.0)
        );
    }
    *out += "<div class=\"scroll\"><div class=\"src\">";
    for (file, text) in account.files.iter().enumerate() {
        if account.files.len() > 1 {
            let _ = write!(out, "<div class=\"fn\">{}</div>", escape(&text.name));
        }
        let mut lines = Lines::new(text);
        let mut number = 0u32;
        while let Some(html) = lines.next_line() {
            if (number as usize).is_multiple_of(CHUNK) {
                if number > 0 {
                    *out += "</div>";
                }
                let height = LINE * CHUNK.min(lines.left + 1);
                let _ = write!(
                    out,
                    "<div class=\"chunk\" style=\"contain-intrinsic-size:auto {height}px\">"
                );
            }
            number += 1;
            let key = (file, number);
            for note in notes.get(&key).into_iter().flatten() {
                let _ =
                    write!(out, "<div class=\"note\">{}</div>", folded(note, escape(note.kind)));
            }
            let class = match (violated == Some(key), executed.contains(&key)) {
                (true, _) => "l bad",
                (false, true) => "l ran",
                _ => "l",
            };
            let id = line_id(Place { file, line: number, column: 1 });
            let _ =
                write!(out, "<span class=\"{class}\" id=\"{id}\"><a href=\"#{id}\">{number}</a>");
            if hottest > 0 {
                match heat.get(&key) {
                    Some(&count) => {
                        let share = f64::from(count) / f64::from(hottest);
                        let _ = write!(
                            out,
                            "<i title=\"{count}\" style=\"opacity:{:.2}\"></i>",
                            0.15 + 0.85 * share
                        );
                    }
                    None => *out += "<i class=\"z\"></i>",
                }
            }
            let _ = write!(out, "{html}</span>");
        }
        if number > 0 {
            *out += "</div>\n";
        }
    }
    *out += "</div></div>\n";
}

/// The lines of a text with their colours.
struct Lines<'a> {
    file: &'a SourceFile,
    at: usize,
    piece: usize,
    done: bool,
    /// Lines that are still to come, roughly.
    left: usize,
}

impl<'a> Lines<'a> {
    fn new(file: &'a SourceFile) -> Self {
        let left = file.text.bytes().filter(|&b| b == b'\n').count();
        Lines { file, at: 0, piece: 0, done: file.text.is_empty(), left }
    }

    fn next_line(&mut self) -> Option<String> {
        if self.done {
            return None;
        }
        let text = self.file.text.as_str();
        let end = text[self.at..].find('\n').map_or(text.len(), |i| self.at + i);
        let mut out = String::new();
        let mut at = self.at;
        while let Some((range, class)) = self.file.colours.get(self.piece) {
            if range.start >= end {
                break;
            }
            // A comment may go on from the line before.
            let (start, stop) = (range.start.max(at), range.end.min(end));
            if stop > start {
                out += &escape(text.get(at..start).unwrap_or(""));
                let _ = write!(
                    out,
                    "<span class=\"{class}\">{}</span>",
                    escape(text.get(start..stop).unwrap_or(""))
                );
                at = stop;
            }
            if range.end > end {
                break;
            }
            self.piece += 1;
        }
        out += &escape(text.get(at..end).unwrap_or(""));
        self.at = end + 1;
        self.done = self.at >= text.len();
        self.left = self.left.saturating_sub(1);
        Some(out)
    }
}
