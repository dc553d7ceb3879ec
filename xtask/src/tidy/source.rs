//! The house as tidy reads it: crates, their files as modules, and texts without comments.
//!
//! A word of a comment must neither break a rule nor keep an item alive, so the rules look at
//! [`SourceFile::code`], where comments are blank. The scanner knows strings, raw strings and
//! character constants only as far as is needed to find where comments begin.

use std::path::{Path, PathBuf};

/// A crate of the workspace.
pub struct Crate {
    /// The name of its folder.
    pub name: String,
    /// Its Cargo.toml.
    pub manifest: String,
    /// What lies below `src`.
    pub files: Vec<SourceFile>,
    /// Tests, benches and examples beside `src`.
    pub outside: Vec<SourceFile>,
}

/// A file of Rust.
pub struct SourceFile {
    /// Its path below the root.
    pub shown: String,
    /// Its module path in the crate; empty for the crate's root.
    pub module: Vec<String>,
    /// As it stands.
    pub text: String,
    /// Without comments; lines stay where they are.
    pub code: String,
    /// The whole file is tests.
    pub is_test: bool,
}

impl SourceFile {
    /// Reads a file of a crate whose modules lie below `src`.
    pub fn read(root: &Path, src: &Path, path: &Path) -> SourceFile {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let inner = path.strip_prefix(src).unwrap_or(path).with_extension("");
        let mut module: Vec<String> =
            inner.components().map(|c| c.as_os_str().to_string_lossy().into_owned()).collect();
        let is_test = module.iter().any(|name| name == "tests" || name == "benches");
        if module.last().is_some_and(|name| matches!(name.as_str(), "mod" | "lib" | "main")) {
            module.pop();
        }
        let shown = path.strip_prefix(root).unwrap_or(path).display().to_string();
        let code = without_comments(&text);
        SourceFile { shown, module, text, code, is_test }
    }

    /// The code without the tests at its end; nothing in a file of tests.
    pub fn product(&self) -> &str {
        if self.is_test { "" } else { &self.code[..tests_begin(&self.code)] }
    }
}

/// Where the module of tests begins that ends a file.
fn tests_begin(code: &str) -> usize {
    let mut from = 0;
    while let Some(found) = code[from..].find("#[cfg(test)]\n") {
        let at = from + found;
        let next = code[at..].lines().nth(1).unwrap_or("");
        if (at == 0 || code[..at].ends_with('\n')) && next.contains("mod ") && next.ends_with('{') {
            return at;
        }
        from = at + 1;
    }
    code.len()
}

/// All crates below a root, `xtask` last.
pub fn crates(root: &Path) -> Vec<Crate> {
    let mut folders: Vec<PathBuf> = entries(&root.join("crates"));
    folders.push(root.join("xtask"));
    folders.retain(|path| path.join("Cargo.toml").exists());
    folders
        .into_iter()
        .map(|path| {
            let read = |folder: &str| -> Vec<SourceFile> {
                let mut files = Vec::new();
                collect(&path.join(folder), &mut files);
                let src = if folder == "src" { path.join(folder) } else { path.clone() };
                files.iter().map(|file| SourceFile::read(root, &src, file)).collect()
            };
            Crate {
                name: path.file_name().map_or("?".into(), |n| n.to_string_lossy().into_owned()),
                manifest: std::fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default(),
                files: read("src"),
                outside: ["tests", "benches", "examples"].into_iter().flat_map(read).collect(),
            }
        })
        .collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    paths
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for path in entries(folder) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

/// The words of a text: identifiers and keywords.
pub fn words(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|w| !w.is_empty())
}

/// The text with comments made blank.
pub fn without_comments(text: &str) -> String {
    scan(text, false)
}

/// The text with comments and the insides of strings made blank.
pub fn without_strings(code: &str) -> String {
    scan(code, true)
}

fn scan(text: &str, blank_strings: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let is_word = before.is_alphanumeric() || before == '_';
        let (length, is_blank) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), true)
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), true)
        } else if first == '"' {
            (quoted(rest, '"'), blank_strings)
        } else if !is_word && let Some(length) = raw_string(rest) {
            (length, blank_strings)
        } else if first == '\'' && is_character(rest) {
            (quoted(rest, '\''), blank_strings)
        } else {
            (first.len_utf8(), false)
        };
        let (piece, behind) = rest.split_at(length);
        if is_blank {
            out.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        } else {
            out += piece;
        }
        before = piece.chars().next_back().unwrap_or(' ');
        rest = behind;
    }
    out
}

/// The length of a literal that begins with its quote.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// The length of a raw string, if one begins here.
fn raw_string(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('b').unwrap_or(text).strip_prefix('r')?;
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    if !rest[hashes..].starts_with('"') {
        return None;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let begin = text.len() - rest.len() + hashes + 1;
    Some(text[begin..].find(&end).map_or(text.len(), |at| begin + at + end.len()))
}

/// Whether a quote begins a character rather than a lifetime.
fn is_character(text: &str) -> bool {
    let mut rest = text.chars().skip(1);
    match rest.next() {
        Some('\\') => true,
        Some(_) => rest.next() == Some('\''),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_end_where_they_end() {
        let text = "a \"// b\" // c\n'\"' d /* e */ f<'x>(r#\"// \"g\"#) // h";
        let code = "a \"// b\"     \n'\"' d         f<'x>(r#\"// \"g\"#)     ";
        assert_eq!(without_comments(text), code);
        assert_eq!(
            words(&without_strings(text)).collect::<Vec<_>>(),
            ["a", "d", "f", "x"],
            "{}",
            without_strings(text)
        );
    }
}
