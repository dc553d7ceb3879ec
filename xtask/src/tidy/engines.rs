//! No engine knows another engine, and the audit knows none.

use super::cycles;
use super::source::{Crate, without_strings, words};

/// Modules of the crate `engines` that belong to all: the choice, the workbench, pictures, tests.
/// Every other one is an engine.
const SHARED: [&str; 4] = ["choose", "picture", "testing", "workbench"];

/// Checks the modules of `engines`, and the names in `verdict`.
pub fn check(crates: &[Crate], found: &mut Vec<String>) {
    let Some(engines) = crates.iter().find(|k| k.name == "engines") else { return };
    let is_engine = |module: &[String]| !module.is_empty() && !SHARED.contains(&module[0].as_str());
    let uses = cycles::uses(engines);
    for (from, to) in uses.iter().flat_map(|(from, all)| all.iter().map(move |to| (from, to))) {
        if is_engine(from) && is_engine(to) && from[0] != to[0] {
            let (from, to) = (from.join("::"), to.join("::"));
            found.push(format!("engines: {from} uses {to}: no engine knows another engine"));
        }
    }
    let names: Vec<&String> = uses.keys().filter(|m| is_engine(m)).map(|m| &m[0]).collect();
    let audit = crates.iter().filter(|k| k.name == "verdict").flat_map(|k| &k.files);
    for file in audit {
        let code = without_strings(file.product());
        let mut named: Vec<&str> = code
            .match_indices("::")
            .filter_map(|(at, _)| words(&code[..at]).next_back())
            .filter(|word| names.iter().any(|name| name == word))
            .collect();
        named.dedup();
        for name in named {
            found.push(format!("{}: names the engine {name}: the audit knows none", file.shown));
        }
    }
}
