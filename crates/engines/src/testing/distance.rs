//! How far it is to an error: edges on the shortest way through the functions of a program. A call may be
//! entered or passed, and the end of a function leads to wherever it is called.

use bolide_base::arena::Id;
use bolide_cfa::analysis::CallGraph;
use bolide_cfa::{LocId, Program};
use std::collections::VecDeque;

/// By location; the largest number where there is no way.
pub(super) fn to_errors(program: &Program) -> Vec<u32> {
    let calls = CallGraph::new(program);
    let mut before: Vec<Vec<LocId>> = vec![Vec::new(); program.locations.len()];
    for edge in program.edges.values() {
        before[edge.to.index()].push(edge.from);
        for &callee in calls.called(&edge.op) {
            if let Some(body) = program.functions[callee].body {
                before[body.entry.index()].push(edge.from);
                before[edge.to.index()].push(body.exit);
            }
        }
    }
    let mut distances = vec![u32::MAX; program.locations.len()];
    let mut queue: VecDeque<LocId> =
        program.locations.iter().filter(|(_, l)| l.error.is_some()).map(|(id, _)| id).collect();
    for error in &queue {
        distances[error.index()] = 0;
    }
    while let Some(location) = queue.pop_front() {
        let next = distances[location.index()] + 1;
        for &earlier in &before[location.index()] {
            if distances[earlier.index()] == u32::MAX {
                distances[earlier.index()] = next;
                queue.push_back(earlier);
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_entered_and_passed() {
        let text = r#"
program LP64
entry main
check C0 unreach-call "x"
function f()
  entry L3 exit L5
  L6: error C0
  L3 -> L4 : skip
  L4 -> L5 : skip
  L4 -> L6 : skip
function main() -> result : i32
  entry L0 exit L2
  L0 -> L1 : call f()
  L1 -> L2 : skip
"#;
        let program = bolide_cfa::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let found = to_errors(&program);
        let entry = program.functions[program.entry].body.expect("main has a body").entry;
        assert_eq!(found[entry.index()], 3);
        assert_eq!(found.iter().filter(|&&distance| distance == u32::MAX).count(), 3);
    }
}
