//! Whether a verdict `true` says less than it seems.
//!
//! A program in which nothing is checked is safe, and so is one that never
//! gets to its end because its assumptions contradict each other. The first
//! is seen by counting checks. For the second the end of the program becomes
//! an error location, and the engines are asked whether it can be reached.

use crate::frontend::Loaded;
use bolide_base::{Budget, Span};
use bolide_cfa::{Check, EdgeId, Op, Property};
use bolide_engines::choose::{self, Options, Verdict};

/// Why the verdict is vacuous; none when it is not, or when nobody knows.
pub fn vacuous(loaded: &Loaded, budget: &Budget) -> Option<String> {
    let program = &loaded.lowered.program;
    let checked = program.locations.values().any(|location| location.error.is_some());
    if !checked {
        return Some("there is nothing to check in what the entry function reaches".into());
    }
    let mut ending = program.clone();
    let check = ending.checks.push(Check {
        property: Property::UnreachCall,
        description: "the end is reached".into(),
        span: Span::NONE,
    });
    let entry = ending.entry;
    let ends: Vec<EdgeId> = ending
        .edges
        .iter()
        .filter(|(_, edge)| match edge.op {
            Op::Halt { .. } => true,
            Op::Call { .. } => ending.locations[edge.from].function == entry,
            _ => false,
        })
        .map(|(id, _)| id)
        .collect();
    if ends.is_empty() {
        return None;
    }
    for location in ending.locations.values_mut() {
        location.error = None;
    }
    for edge in ends {
        let end = ending.edges[edge].to;
        // An exit of a function must stay one.
        if ending.functions.values().all(|f| f.body.is_none_or(|b| b.exit != end)) {
            ending.locations[end].error = Some(check);
            let leaving = std::mem::take(&mut ending.locations[end].outgoing);
            for gone in leaving {
                let to = ending.edges[gone].to;
                ending.locations[to].incoming.retain(|&e| e != gone);
            }
        }
    }
    let report = choose::verify(&ending, &Options::default(), budget);
    matches!(report.verdict, Verdict::True { .. }).then(|| {
        "no execution comes to its end: assumptions contradict each other, or it never ends".into()
    })
}
