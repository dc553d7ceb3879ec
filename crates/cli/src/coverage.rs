//! Which lines and branches the executions under a proof come to.
//!
//! A harness that assumes too much proves little, and nothing in the verdict shows it: vacuity only sees the case in which nothing is left.
//! So each statement, and each way out of a condition, of the functions that the entry leads to is looked for by executing the
//! program; for those that no run took the engines are asked. A way that they find is a run, which mostly takes others too. What they prove
//! unreachable is told by its place; so is what nobody knows when the time is up.

use crate::frontend::Loaded;
use bolide_base::Budget;
use bolide_cfa::analysis::CallGraph;
use bolide_cfa::{Check, EdgeId, Program, Property, Role};
use bolide_engines::choose::{self, Options};
use bolide_engines::testing;
use bolide_verdict::Verdict;
use std::collections::BTreeMap;

/// At most so many places are named.
const NAMED: usize = 8;

/// Polls that one question to the engines may take.
const EFFORT: u64 = 200_000;

/// A line, or a condition that holds or does not; in the order in which people read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    file: String,
    line: u32,
    condition: Option<bool>,
}

impl Item {
    fn in_words(&self) -> String {
        let Item { file, line, condition } = self;
        match condition {
            None => format!("{file}:{line}"),
            Some(true) => format!("{file}:{line} (the condition holds)"),
            Some(false) => format!("{file}:{line} (the condition does not hold)"),
        }
    }
}

/// What the executions come to.
#[derive(Debug, Default)]
pub struct Coverage {
    lines: [usize; 2],
    branches: [usize; 2],
    never: Vec<String>,
    open: Vec<String>,
}

impl Coverage {
    /// For people, on one line.
    pub fn in_words(&self) -> String {
        let [lines, of_lines] = self.lines;
        let [branches, of_branches] = self.branches;
        let mut words =
            format!("{lines} of {of_lines} lines, {branches} of {of_branches} branches");
        for (what, places) in [("never", &self.never), ("perhaps never", &self.open)] {
            if places.is_empty() {
                continue;
            }
            let named = &places[..places.len().min(NAMED)];
            words += &format!("; {what}: {}", named.join(", "));
            if places.len() > NAMED {
                words += &format!(" and {} more", places.len() - NAMED);
            }
        }
        words
    }
}

/// What the executions of a program come to, as far as the budget lets one see.
pub fn coverage(loaded: &Loaded, budget: &Budget) -> Coverage {
    let program = &loaded.lowered.program;
    let items = items(loaded);
    let mut taken = testing::taken(program, budget);
    let mut coverage = Coverage::default();
    // What stands last is most often behind what stands before.
    for (item, edges) in items.iter().rev() {
        let is_taken = edges.iter().any(|edge| taken.contains(edge));
        if !is_taken && budget.poll().is_ok() {
            match question(program, edges, budget) {
                Verdict::False(violation) => taken.extend(violation.run.trace.iter().copied()),
                Verdict::True { .. } => {
                    coverage.never.push(item.in_words());
                    continue;
                }
                Verdict::Unknown(_) => {}
            }
        }
        if !edges.iter().any(|edge| taken.contains(edge)) {
            coverage.open.push(item.in_words());
        }
    }
    for places in [&mut coverage.never, &mut coverage.open] {
        places.reverse();
    }
    for (item, edges) in &items {
        let reached = edges.iter().any(|edge| taken.contains(edge));
        let of =
            if item.condition.is_some() { &mut coverage.branches } else { &mut coverage.lines };
        of[0] += usize::from(reached);
        of[1] += 1;
    }
    coverage
}

/// The lines and branches of all functions that the entry leads to, with their edges.
fn items(loaded: &Loaded) -> BTreeMap<Item, Vec<EdgeId>> {
    let program = &loaded.lowered.program;
    let calls = CallGraph::new(program);
    let mut items: BTreeMap<Item, Vec<EdgeId>> = BTreeMap::new();
    for (id, edge) in program.edges.iter() {
        let condition = match edge.origin.role {
            Role::Statement | Role::Return | Role::Call => None,
            Role::Branch { taken } => Some(taken),
            Role::Implicit | Role::Check | Role::Declaration => continue,
        };
        let function = program.locations[edge.from].function;
        if program.locations[edge.to].error.is_some() || !calls.is_reachable(function) {
            continue;
        }
        if let Some(at) = loaded.sources.position(edge.origin.span.start) {
            let item = Item { file: at.file, line: at.line, condition };
            items.entry(item).or_default().push(id);
        }
    }
    items
}

/// Whether an execution takes one of the edges.
fn question(program: &Program, edges: &[EdgeId], budget: &Budget) -> Verdict {
    let mut marked = program.clone();
    let check = marked.checks.push(Check {
        property: Property::UnreachCall,
        description: "the line is reached".into(),
        span: bolide_base::Span::NONE,
    });
    for location in marked.locations.values_mut() {
        location.error = None;
    }
    for &edge in edges {
        // Required: an end of its own, for others may lead to the same place.
        let function = marked.locations[marked.edges[edge].from].function;
        let end = marked.add_location(function);
        let before = std::mem::replace(&mut marked.edges[edge].to, end);
        marked.locations[before].incoming.retain(|&e| e != edge);
        marked.locations[end].incoming.push(edge);
        marked.locations[end].error = Some(check);
    }
    choose::decide(&marked, &Options::default(), &budget.child_for("coverage", EFFORT)).verdict
}
