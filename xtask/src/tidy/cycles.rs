//! No cycles between the modules of a crate.
//!
//! A file is a module. It uses another one by a `use` or by a path in its code; `mod` lines and
//! re-exports (`pub use`) do not count, since a parent may show what its children offer. Modules
//! inside of a file belong to it, and tests do not count. A path is followed as far as there are
//! files: what else it names (types, re-exports) belongs to the last of them.

use super::source::{Crate, without_strings};
use std::collections::{BTreeMap, BTreeSet};

/// Modules of a crate with those that they use.
pub type Uses = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

/// Names the edges of each cycle.
pub fn check(krate: &Crate, found: &mut Vec<String>) {
    let uses = uses(krate);
    for group in entangled(&uses) {
        let edges: Vec<String> = group
            .iter()
            .flat_map(|from| uses[from].intersection(&group).map(move |to| (from, to)))
            .map(|(from, to)| format!("{} -> {}", shown(from), shown(to)))
            .collect();
        found.push(format!(
            "{}: {} modules form a cycle: {}",
            krate.name,
            group.len(),
            edges.join(", ")
        ));
    }
}

/// A module for people.
fn shown(module: &[String]) -> String {
    if module.is_empty() { "the root".into() } else { module.join("::") }
}

/// Which module uses which.
pub fn uses(krate: &Crate) -> Uses {
    let files: Vec<_> = krate.files.iter().filter(|f| !f.is_test).collect();
    let mut uses: Uses = files.iter().map(|f| (f.module.clone(), BTreeSet::new())).collect();
    for file in files {
        let code = without_strings(file.product());
        let used: BTreeSet<Vec<String>> = paths(&code)
            .iter()
            .filter_map(|path| resolve(&uses, &file.module, path))
            .filter(|module| *module != file.module)
            .collect();
        uses.insert(file.module.clone(), used);
    }
    uses
}

/// All paths of a file: those of `use`, taken apart, and those in its code.
fn paths(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    let mut other = String::new();
    while let Some((at, end)) = next_use(rest) {
        let before = rest[..at].trim_end();
        let is_shown = before.ends_with("pub") || before.ends_with(')') && before.contains("pub(");
        if !is_shown {
            take_apart("", &rest[at + "use ".len()..end], &mut found);
        }
        other += &rest[..at];
        rest = &rest[end..];
    }
    other += rest;
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    for path in other.split(|c: char| !is_path(c)) {
        let path = path.trim_start_matches(':');
        if path.contains("::") {
            found.push(path.to_owned());
        }
    }
    found
}

/// Where the next `use` begins, and its semicolon.
fn next_use(code: &str) -> Option<(usize, usize)> {
    let mut from = 0;
    loop {
        let at = from + code[from..].find("use ")?;
        let is_word =
            code[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
        // Not the `use<'a>` of a bound.
        if is_word {
            return Some((at, at + code[at..].find(';')?));
        }
        from = at + 1;
    }
}

/// `a::{b, c::{d, e}}` as its paths.
fn take_apart(prefix: &str, tree: &str, found: &mut Vec<String>) {
    let mut depth = 0usize;
    let mut start = 0;
    let mut pieces = Vec::new();
    for (at, c) in tree.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                pieces.push(&tree[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&tree[start..]);
    for piece in pieces.into_iter().map(str::trim).filter(|p| !p.is_empty()) {
        match piece.split_once('{') {
            Some((head, inner)) => {
                let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
                take_apart(&format!("{prefix}{}", head.trim()), inner, found);
            }
            None => found.push(format!("{prefix}{}", piece.split(" as ").next().unwrap_or(""))),
        }
    }
}

/// The module that a path of another one leads to; none outside of the crate.
fn resolve(files: &Uses, module: &[String], path: &str) -> Option<Vec<String>> {
    let mut segments = path.split("::").peekable();
    let mut at = module.to_vec();
    match *segments.peek()? {
        "crate" => {
            at.clear();
            segments.next();
        }
        "self" => {
            segments.next();
        }
        "super" => {
            while segments.next_if_eq(&"super").is_some() {
                at.pop();
            }
        }
        first => {
            at.push(first.to_owned());
            let is_child = files.contains_key(&at);
            at.pop();
            if !is_child {
                return None;
            }
        }
    }
    for segment in segments {
        at.push(segment.to_owned());
        if !files.contains_key(&at) {
            at.pop();
            break;
        }
    }
    // A module inside of a file belongs to the file.
    while !files.contains_key(&at) {
        at.pop()?;
    }
    Some(at)
}

/// Groups of modules that all lead to each other, as far as they have several.
fn entangled(uses: &Uses) -> Vec<BTreeSet<Vec<String>>> {
    let reached: BTreeMap<_, _> = uses.keys().map(|from| (from, reachable(uses, from))).collect();
    let mut groups: Vec<BTreeSet<Vec<String>>> = Vec::new();
    for (&from, there) in &reached {
        let back = there.iter().filter(|&to| reached[to].contains(from)).cloned();
        let group: BTreeSet<Vec<String>> = back.collect();
        if !group.is_empty() && !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups
}

fn reachable(uses: &Uses, from: &[String]) -> BTreeSet<Vec<String>> {
    let mut seen = BTreeSet::new();
    let mut stack = vec![from];
    while let Some(module) = stack.pop() {
        stack
            .extend(uses[module].iter().filter(|to| seen.insert((*to).clone())).map(Vec::as_slice));
    }
    seen
}
