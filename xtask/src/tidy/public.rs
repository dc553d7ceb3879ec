//! What is public has a user.
//!
//! The compiler warns of what nobody uses only inside of one crate. Across crates words are
//! counted: a public item whose name occurs once in all code of the workspace, where it is
//! defined, is for nobody.

use super::source::{Crate, words};
use std::collections::HashMap;

/// Kinds of items that are looked at.
const KINDS: [&str; 8] = ["fn", "struct", "enum", "const", "static", "trait", "type", "mod"];

/// Names the items.
pub fn check(crates: &[Crate], found: &mut Vec<String>) {
    let mut count: HashMap<&str, usize> = HashMap::new();
    for file in crates.iter().flat_map(|k| k.files.iter().chain(&k.outside)) {
        for word in words(&file.code) {
            *count.entry(word).or_default() += 1;
        }
    }
    for file in crates.iter().flat_map(|k| &k.files) {
        for (number, line) in file.product().lines().enumerate() {
            if let Some(name) = public_item(line)
                && count.get(name) == Some(&1)
            {
                let place = format!("{}:{}", file.shown, number + 1);
                found.push(format!("{place}: `{name}` is public and nobody uses it"));
            }
        }
    }
}

/// The name of the public item that a line begins.
fn public_item(line: &str) -> Option<&str> {
    let mut words = words(line.trim_start().strip_prefix("pub ")?);
    let kind = words.find(|w| !matches!(*w, "unsafe" | "async" | "extern"))?;
    if !KINDS.contains(&kind) {
        return None;
    }
    // `const fn f` is a function.
    words.find(|w| *w != "fn" && *w != "mut")
}
