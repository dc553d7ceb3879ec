//! Dependency arrows between crates point down, and each is used.

use super::source::{Crate, words};
use std::collections::BTreeSet;

/// Who may use whom. A crate that is not listed may not exist.
const ARROWS: [(&str, &[&str]); 18] = [
    ("base", &[]),
    ("terms", &["base"]),
    ("sat", &["base"]),
    ("proof", &["base", "terms"]),
    ("smt", &["base", "terms", "sat", "proof"]),
    ("c-syntax", &["base"]),
    ("cfa", &["base"]),
    ("c-lower", &["base", "c-syntax", "cfa"]),
    ("reachability", &["base", "terms", "proof", "smt", "cfa"]),
    ("horn", &["base", "terms", "proof", "smt"]),
    ("heap", &["base", "terms", "proof", "smt", "cfa"]),
    ("verdict", &["base", "terms", "smt", "cfa", "reachability", "heap"]),
    ("engines", &["base", "terms", "smt", "cfa", "reachability", "verdict", "horn", "heap"]),
    ("evidence", &["base", "cfa", "reachability", "verdict"]),
    (
        "api",
        &[
            "base", "terms", "smt", "c-syntax", "cfa", "c-lower", "verdict", "engines", "evidence",
            "horn",
        ],
    ),
    (
        "cli",
        &[
            "api",
            "base",
            "terms",
            "smt",
            "c-syntax",
            "cfa",
            "c-lower",
            "reachability",
            "verdict",
            "engines",
            "evidence",
            "horn",
            "heap",
        ],
    ),
    ("testing", &[]),
    (
        "xtask",
        &[
            "base", "terms", "proof", "sat", "smt", "c-syntax", "cfa", "c-lower", "horn", "heap",
            "testing",
        ],
    ),
];

/// Checks the crates that a crate names.
pub fn check(krate: &Crate, found: &mut Vec<String>) {
    let name = krate.name.as_str();
    let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        found.push(format!("{name}: the house has no such crate (xtask/src/tidy/arrows.rs)"));
        return;
    };
    for (section, dependency) in dependencies(&krate.manifest) {
        if section == "dependencies"
            && let Some(used) = dependency.strip_prefix("bolide-")
            && !allowed.contains(&used)
        {
            found.push(format!("{name} uses {used}: that arrow is not on the wall"));
        }
    }
}

/// Checks that what a crate names is used in it.
pub fn check_used(krate: &Crate, found: &mut Vec<String>) {
    let files = krate.files.iter().chain(&krate.outside);
    let used: BTreeSet<&str> = files.flat_map(|file| words(&file.code)).collect();
    for (_, dependency) in dependencies(&krate.manifest) {
        if !used.contains(dependency.replace('-', "_").as_str()) {
            found.push(format!("{}: the dependency `{dependency}` is not used", krate.name));
        }
    }
}

/// The dependencies of a manifest, each with the kind of its section.
fn dependencies(manifest: &str) -> Vec<(&str, &str)> {
    let mut section = "";
    let mut list = Vec::new();
    for line in manifest.lines() {
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']');
        } else if section.ends_with("dependencies")
            && let Some(name) = line.split(['.', ' ', '=']).next().filter(|n| !n.is_empty())
            && !name.starts_with('#')
        {
            list.push((section, name));
        }
    }
    list
}
