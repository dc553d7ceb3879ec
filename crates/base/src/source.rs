//! Source texts and positions in them.
//!
//! All texts that one run reads lie one after another in a single space of
//! byte offsets, so that a [`Span`] is eight bytes and needs no file id. The
//! [`SourceMap`] finds the text, the line and the column again, and follows the
//! line markers of preprocessed files (`# 12 "file.c"`, `#line 12 "file.c"`)
//! back to the file that a person wrote.

/// A range of bytes in the space of a [`SourceMap`]; `start <= end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

impl Span {
    /// The span of what was not written by anybody (offset 0 belongs to no text).
    pub const NONE: Span = Span { start: 0, end: 0 };

    /// The bytes from `start` up to `end`.
    pub fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end);
        Span { start, end }
    }

    /// The smallest span that holds both; `NONE` is neutral.
    pub fn to(self, other: Span) -> Span {
        if self == Span::NONE {
            return other;
        }
        if other == Span::NONE {
            return self;
        }
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// Whether this is [`Span::NONE`].
    pub fn is_none(self) -> bool {
        self == Span::NONE
    }
}

/// Where a byte lies for a person: file, line and column, both from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The file's name as the user or the line marker gave it.
    pub file: String,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// From `offset` on, lines are counted from `line` in the file `file`.
#[derive(Clone, Debug)]
struct LineMarker {
    offset: u32,
    physical_line: u32,
    line: u32,
    file: u32,
}

/// One text that was read.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// Its name as the user gave it.
    pub name: String,
    /// What it says.
    pub text: String,
    /// Offset of its first byte.
    pub start: u32,
    /// Offsets of the line starts, relative to `start`; sorted, begins with 0.
    line_starts: Vec<u32>,
    /// Sorted by offset.
    markers: Vec<LineMarker>,
}

/// All texts of a run.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    texts: Vec<SourceText>,
    marker_files: Vec<String>,
    /// The position of each name in `marker_files`.
    marker_ids: crate::HashMap<String, u32>,
}

impl SourceMap {
    /// A map without texts.
    pub fn new() -> Self {
        SourceMap::default()
    }

    /// Adds a text and returns the offset of its first byte. `None` when the
    /// space of offsets (4 GiB) is full.
    pub fn add(&mut self, name: impl Into<String>, text: String) -> Option<u32> {
        let start = self.texts.last().map_or(1, |t| t.start + t.text.len() as u32 + 1);
        u32::try_from(start as u64 + text.len() as u64 + 1).ok()?;
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1),
        );
        self.texts.push(SourceText {
            name: name.into(),
            text,
            start,
            line_starts,
            markers: Vec::new(),
        });
        Some(start)
    }

    /// Records that the line after the one holding `offset` is line `line` of
    /// `file` (a line marker). Markers of a text must come in order.
    pub fn add_line_marker(&mut self, offset: u32, line: u32, file: &str) {
        let file_id = match self.marker_ids.get(file) {
            Some(&id) => id,
            None => {
                let id = self.marker_files.len() as u32;
                self.marker_files.push(file.to_owned());
                self.marker_ids.insert(file.to_owned(), id);
                id
            }
        };
        let Some(text) = self.text_index(offset).map(|i| &mut self.texts[i]) else { return };
        let relative = offset - text.start;
        let physical = text.line_starts.partition_point(|&s| s <= relative) as u32;
        let next_start =
            text.line_starts.get(physical as usize).copied().unwrap_or(text.text.len() as u32);
        text.markers.push(LineMarker {
            offset: text.start + next_start,
            physical_line: physical,
            line,
            file: file_id,
        });
    }

    /// All texts in the order in which they were added.
    pub fn texts(&self) -> &[SourceText] {
        &self.texts
    }

    fn text_index(&self, offset: u32) -> Option<usize> {
        let i = self.texts.partition_point(|t| t.start <= offset).checked_sub(1)?;
        (offset <= self.texts[i].start + self.texts[i].text.len() as u32).then_some(i)
    }

    /// The text that holds `offset`.
    pub fn text_at(&self, offset: u32) -> Option<&SourceText> {
        self.text_index(offset).map(|i| &self.texts[i])
    }

    /// What a span covers.
    pub fn snippet(&self, span: Span) -> &str {
        self.text_at(span.start)
            .and_then(|t| {
                t.text.get((span.start - t.start) as usize..(span.end - t.start) as usize)
            })
            .unwrap_or("")
    }

    /// The whole line that holds `offset`, without its end.
    pub fn line_text(&self, offset: u32) -> &str {
        let Some(text) = self.text_at(offset) else { return "" };
        let at = (offset - text.start) as usize;
        // On bytes: an offset need not be the start of a character.
        let bytes = text.text.as_bytes();
        let start = bytes[..at].iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let end = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |i| at + i);
        &text.text[start..end]
    }

    /// File, line and column as a person knows them: through line markers.
    pub fn position(&self, offset: u32) -> Option<Position> {
        let text = self.text_at(offset)?;
        let (line, column) = text.physical(offset);
        let marker = text.markers.partition_point(|m| m.offset <= offset).checked_sub(1);
        Some(match marker.map(|i| &text.markers[i]) {
            Some(m) => Position {
                file: self.marker_files[m.file as usize].clone(),
                line: m.line + (line - 1).saturating_sub(m.physical_line),
                column,
            },
            None => Position { file: text.name.clone(), line, column },
        })
    }

    /// Line and column in the text that was read, markers ignored.
    pub fn physical_position(&self, offset: u32) -> Option<Position> {
        let text = self.text_at(offset)?;
        let (line, column) = text.physical(offset);
        Some(Position { file: text.name.clone(), line, column })
    }
}

impl SourceText {
    /// Whether line markers say that it was made of other files.
    pub fn has_line_markers(&self) -> bool {
        !self.markers.is_empty()
    }

    fn physical(&self, offset: u32) -> (u32, u32) {
        let relative = offset - self.start;
        let line = self.line_starts.partition_point(|&s| s <= relative);
        (line as u32, relative - self.line_starts[line - 1] + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_follow_line_markers() {
        let mut map = SourceMap::new();
        let a = map.add("a.i", "int x;\n# 10 \"b.h\"\nint y;\n\nint z;\n".into()).unwrap();
        map.add_line_marker(a + 7, 10, "b.h");
        let c = map.add("c.c", "int w;".into()).unwrap();
        let at = |o| map.position(o).unwrap().to_string();
        assert_eq!(at(a + 4), "a.i:1:5");
        assert_eq!(at(a + 18), "b.h:10:1");
        assert_eq!(at(a + 30), "b.h:12:5");
        assert_eq!(at(c + 4), "c.c:1:5");
        assert_eq!(map.snippet(Span::new(c, c + 3)), "int");
        assert_eq!(map.position(0), None);
    }
}
