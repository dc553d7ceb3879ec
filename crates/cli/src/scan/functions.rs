//! The functions of a file, and a print of each function's content.
//!
//! The print of a function is the hash of everything in its file that is no
//! function, and of the functions whose names occur in it, or in those, and so
//! on. So a change elsewhere in the file leaves it as it is. Lines are no part of it, neither in the marks that the preprocessor leaves
//! wherever a macro of the system (`NULL`) is used nor as what `assert` tells its handler: a
//! second print tells whether the functions are still where they were.

use super::files::ProjectFile;
use crate::frontend;
use bolide_api::preprocess::Preprocessor;
use bolide_base::{HashMap, HashSet, Severity, SourceMap, Span};
use bolide_c_syntax::annotation::{self, Clause};
use bolide_c_syntax::ast::{
    FunctionDefinition, ItemKind, ParametersKind, StorageClass, TranslationUnit,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

/// A function that a file defines.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Other files can call it.
    pub is_external: bool,
    /// Names in it, and in the functions of the file that it leads to, that the file does not
    /// define.
    pub mentions: BTreeSet<String>,
    /// It has no parameters.
    pub takes_nothing: bool,
    /// Where others cannot call it: the functions of the file that lead to it and that they can call.
    pub callers: Vec<String>,
    /// It promises something.
    pub has_contract: bool,
    /// Where it begins.
    pub line: u32,
    /// Hash of what it is made of.
    pub content: String,
    /// Hash of where that stands.
    pub position: String,
}

/// Names and lines of the functions that a file defines, preprocessed by the usual compiler. It may be the text of
/// another file, by which it calls itself.
pub fn names(file: &Path, called: &str) -> Result<Vec<(String, u32)>, String> {
    let preprocessor = Preprocessor { command: "cc".into(), ..Default::default() };
    let file = ProjectFile { file: file.to_owned(), flags: Vec::new(), preprocessor };
    Ok(functions_called(&file, called)?.into_iter().map(|f| (f.name, f.line)).collect())
}

/// The functions that stand in a file itself, not in its headers.
pub fn functions(file: &ProjectFile) -> Result<Vec<Function>, String> {
    functions_called(file, &file.file.display().to_string())
}

fn functions_called(file: &ProjectFile, called: &str) -> Result<Vec<Function>, String> {
    let text = frontend::read(&file.file, &file.preprocessor)?;
    let mut sources = SourceMap::new();
    let name = file.file.display().to_string();
    let start = sources.add(name, text).ok_or("the file is too large")?;
    let parsed =
        bolide_c_syntax::parse(&mut sources, start, &bolide_c_syntax::ParseOptions::default());
    if let Some(error) = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        return Err(error.render_plain(&sources).trim_end().to_owned());
    }
    Ok(prints(&parsed.unit, &sources, called))
}

fn prints(unit: &TranslationUnit, sources: &SourceMap, file: &str) -> Vec<Function> {
    let mut rest = Sha256::new();
    let mut bodies: Vec<(String, Span)> = Vec::new();
    let mut is_external: Vec<bool> = Vec::new();
    let mut takes_nothing: Vec<bool> = Vec::new();
    let annotated = annotated(unit);
    let mut index: HashMap<String, usize> = HashMap::default();
    for item in &unit.items {
        let function = match &item.kind {
            ItemKind::Function(id) => Some(&unit.functions[*id]),
            _ => None,
        };
        match function.and_then(|f| Some((f, unit.name(f.declarator.name?)))) {
            Some((definition, name)) => {
                index.insert(name.to_owned(), bodies.len());
                bodies.push((name.to_owned(), definition.span));
                let storage = definition.specifiers.storage.map(|(class, _)| class);
                takes_nothing.push(has_no_parameters(unit, definition));
                is_external.push(storage != Some(StorageClass::Static));
            }
            None => rest.update(without_lines(sources.snippet(item.span), true).as_bytes()),
        }
    }
    let rest = format!("{:x}", rest.finalize());
    let words: Vec<BTreeSet<&str>> = bodies
        .iter()
        .map(|(_, span)| {
            let word = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$');
            sources.snippet(*span).split(word).filter(|w| !w.is_empty()).collect()
        })
        .collect();
    let mentions: Vec<BTreeSet<usize>> = words
        .iter()
        .map(|words| words.iter().filter_map(|w| index.get(*w).copied()).collect())
        .collect();
    let own_handler = index.contains_key(HANDLER);
    let reached: Vec<BTreeSet<usize>> = (0..bodies.len()).map(|f| reached(&mentions, f)).collect();
    let mut found = Vec::new();
    for (own, (name, span)) in bodies.iter().enumerate() {
        let Some(place) = sources.position(span.start) else { continue };
        // A header that defines functions for others to call is part of the file that includes it.
        let is_of_project =
            is_external[own] && !place.file.starts_with('/') && !place.file.starts_with('<');
        if place.file != file && !is_of_project {
            continue;
        }
        let leads = |f: &usize| is_external[*f] && *f != own && reached[*f].contains(&own);
        let callers = (0..bodies.len()).filter(leads).map(|f| bodies[f].0.clone());
        let callers = if is_external[own] { Vec::new() } else { callers.collect() };
        let reached = &reached[own];
        let (mut content, mut position) = (Sha256::new(), Sha256::new());
        content.update(rest.as_bytes());
        for &f in reached {
            content.update(without_lines(sources.snippet(bodies[f].1), own_handler).as_bytes());
            if let Some(place) = sources.position(bodies[f].1.start) {
                position.update(place.to_string().as_bytes());
            }
        }
        let elsewhere = reached.iter().flat_map(|&f| &words[f]);
        let elsewhere = elsewhere.filter(|w| !index.contains_key(**w));
        found.push(Function {
            name: name.clone(),
            is_external: is_external[own],
            mentions: elsewhere.map(|w| (*w).to_owned()).collect(),
            takes_nothing: takes_nothing[own],
            callers,
            has_contract: annotated.contains(span),
            line: place.line,
            content: format!("{:x}", content.finalize()),
            position: format!("{:x}", position.finalize()),
        });
    }
    found
}

/// Whether a function is declared to have no parameters.
fn has_no_parameters(unit: &TranslationUnit, definition: &FunctionDefinition) -> bool {
    match definition.parameters().map(|id| &unit.params[id].kind) {
        Some(ParametersKind::Prototype { parameters, is_variadic }) => {
            parameters.is_empty() && !is_variadic
        }
        _ => false,
    }
}

/// The functions that one leads to, with itself.
fn reached(mentions: &[BTreeSet<usize>], own: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::from([own]);
    let mut stack = vec![own];
    while let Some(f) = stack.pop() {
        stack.extend(mentions[f].iter().copied().filter(|&g| reached.insert(g)));
    }
    reached
}

/// What a failing `assert` calls: with the text, the file and the line.
const HANDLER: &str = "__assert_fail";

/// A text without what only says where it stands. A handler that the file itself defines may use the line.
fn without_lines(text: &str, own_handler: bool) -> String {
    let is_mark = |line: &&str| {
        let number = line.trim_start().strip_prefix("# ");
        number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let text: String = text.lines().filter(|line| !is_mark(line)).flat_map(|l| [l, "\n"]).collect();
    if own_handler {
        return text;
    }
    let mut parts = text.split(HANDLER);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out += HANDLER;
        out += &without_line_argument(part).unwrap_or_else(|| part.to_owned());
    }
    out
}

/// `("x > 0", "file.c", 12, f)` without the 12: the first number that is an argument by itself.
fn without_line_argument(call: &str) -> Option<String> {
    let mut is_quoted = false;
    let mut before = '(';
    let mut characters = call.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' if is_quoted => drop(characters.next()),
            '"' => is_quoted = !is_quoted,
            _ if is_quoted || character.is_whitespace() => continue,
            ';' => return None,
            _ if character.is_ascii_digit() && before == ',' => {
                let number = call[at..].trim_start_matches(|c: char| c.is_ascii_digit());
                let is_argument = number.trim_start().starts_with(',');
                return is_argument.then(|| format!("{}{number}", &call[..at]));
            }
            _ => {}
        }
        before = character;
    }
    None
}

/// The functions that an annotation with a promise stands before.
fn annotated(unit: &TranslationUnit) -> HashSet<Span> {
    let mut found = HashSet::default();
    for comment in &unit.annotations {
        let Ok(clauses) = annotation::parse(&comment.text, comment.span) else { continue };
        let promises = clauses
            .iter()
            .any(|c| matches!(c, Clause::Requires(..) | Clause::Ensures(..) | Clause::Assigns(..)));
        let next = unit.items.iter().find(|item| item.span.start >= comment.span.end);
        if let (true, Some(ItemKind::Function(id))) = (promises, next.map(|item| &item.kind)) {
            found.insert(unit.functions[*id].span);
        }
    }
    let owners: HashSet<u32> = unit
        .contracts
        .clauses
        .iter()
        .filter(|c| c.kind.is_of_function())
        .map(|c| c.owner)
        .collect();
    let defined = unit.items.iter().filter(|item| owners.contains(&item.span.start));
    found.extend(defined.filter_map(|item| match item.kind {
        ItemKind::Function(id) => Some(unit.functions[id].span),
        _ => None,
    }));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prints_of(text: &str) -> Vec<(String, String, String)> {
        let mut sources = SourceMap::new();
        let start = sources.add("a.c", text.into()).unwrap();
        let options = bolide_c_syntax::ParseOptions::default();
        let parsed = bolide_c_syntax::parse(&mut sources, start, &options);
        let found = prints(&parsed.unit, &sources, "a.c");
        found.into_iter().map(|f| (f.name, f.content, f.position)).collect()
    }

    #[test]
    fn a_print_changes_with_what_the_function_uses_only() {
        let before = prints_of(
            "int g;\nint f(void) { return g; }\nint h(void) { return f(); }\nint k(void) { return 1; }\n",
        );
        let after = prints_of(
            "int g;\nint f(void) { return g + 1; }\nint h(void) { return f(); }\nint k(void) { return 1; }\n",
        );
        let same: Vec<bool> = before.iter().zip(&after).map(|(a, b)| a.1 == b.1).collect();
        assert_eq!(same, [false, false, true]);
        // A line more moves everything behind it and changes nothing.
        let moved = prints_of(
            "int g;\n\nint f(void) { return g; }\nint h(void) { return f(); }\nint k(void) { return 1; }\n",
        );
        assert!(before.iter().zip(&moved).all(|(a, b)| a.1 == b.1 && a.2 != b.2));
        // As the preprocessor leaves `assert(p != NULL)`.
        let asserting = |line: u32, handler: &str| {
            prints_of(&format!(
                "{handler}void f(int *p) {{\n  if (p !=\n# {line} \"a.c\" 3 4\n ((void*)0)) ; else __assert_fail (\"p != 1, 2\", \"a.c\", {line}, \"f\");\n}}\n"
            ))
        };
        assert_eq!(asserting(3, "").last().unwrap().1, asserting(33, "").last().unwrap().1);
        let own = "void __assert_fail(char *a, char *b, int line, char *c) { }\n";
        assert_ne!(asserting(3, own).last().unwrap().1, asserting(33, own).last().unwrap().1);
        // What is no function concerns all.
        let global = prints_of(
            "int g = 1;\nint f(void) { return g; }\nint h(void) { return f(); }\nint k(void) { return 1; }\n",
        );
        assert!(before.iter().zip(&global).all(|(a, b)| a.1 != b.1));
    }
}
