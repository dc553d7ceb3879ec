//! Whether a tree has all paths of a program, none of which ends in an error.
//!
//! At every node of the tree, each step of the program leads to a child or is refuted: its conditions
//! contradict those of the path. So no run leaves the tree, and the tree is finite.
//! Required for that: children come later than their parents.

use super::refused::{refused, undecided};
use crate::certificate::PathTree;
use bolide_base::{Budget, HashSet};
use bolide_heap::program::aliases::Aliases;
use bolide_heap::program::execution::Execution;
use bolide_heap::program::uses;
use bolide_heap::program::view::View;
use bolide_heap::{Session, Symbol};
use bolide_reachability::verdict::Reason;

/// How many steps were refuted.
///
/// # Errors
/// When a path leaves the tree or leads to an error, or that is not decided.
pub fn check(view: &View, tree: &PathTree, budget: &Budget) -> Result<u64, Reason> {
    if view.errors.contains_key(&view.entry) {
        return Err(refused("the entry is an error location"));
    }
    let reach = uses::asked_reachability(view);
    let symbols: HashSet<Symbol> = view.signature.variables.iter().map(|(s, _)| s).collect();
    let none = Aliases::default();
    let mut refuted = 0;
    // Nodes by the steps that lead to them. A session goes on to the first child, the others wait.
    let mut open: Vec<(Vec<usize>, usize)> = vec![(Vec::new(), 0)];
    while let Some((mut steps, mut node)) = open.pop() {
        let mut execution = Execution::new(view, &reach, &symbols, &none, Session::new(true));
        execution.assume(&view.initial);
        for &step in &steps {
            execution.run(&view.steps[step].commands);
        }
        loop {
            budget.poll().map_err(Reason::Exhausted)?;
            let ways = tree.nodes.get(node).ok_or_else(|| refused("a path without an end"))?;
            let here = steps.last().map_or(view.entry, |&s| view.steps[s].to);
            let outgoing = view.outgoing.get(&here).map_or(&[][..], Vec::as_slice);
            for &step in outgoing.iter().filter(|step| !ways.contains_key(step)) {
                let condition = execution.way(&view.steps[step].commands).condition;
                if !execution.session.refutes(&[condition], budget).map_err(undecided)? {
                    return Err(refused("a path that leaves the tree of all paths"));
                }
                refuted += 1;
            }
            let mut next = None;
            for &step in outgoing {
                let Some(&child) = ways.get(&step) else { continue };
                if view.errors.contains_key(&view.steps[step].to) {
                    return Err(refused("a path to an error in the tree of all paths"));
                }
                if child <= node {
                    return Err(refused("a path that leads back in the tree of all paths"));
                }
                match next {
                    None => next = Some((step, child)),
                    Some(_) => open.push(([&steps[..], &[step]].concat(), child)),
                }
            }
            let Some((step, child)) = next else { break };
            execution.run(&view.steps[step].commands);
            steps.push(step);
            node = child;
        }
    }
    Ok(refuted)
}
