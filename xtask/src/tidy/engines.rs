//! No engine knows another engine. (That the audit knows none is an arrow between crates.)

use super::cycles;
use super::source::Crate;

/// Modules of the crate `engines` that belong to all: the choice, the task, the workbench, pictures, executions, first
/// predicates, ways to an error that somebody suggests.
/// Every other one is an engine.
const SHARED: [&str; 7] =
    ["choose", "first_predicates", "picture", "suspect", "task", "testing", "workbench"];

/// Checks the modules of `engines`.
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
}
