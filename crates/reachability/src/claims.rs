//! What others claim of a program, as candidates for invariants.
//!
//! Somebody who checks a witness writes its invariants into the program: where one does not
//! hold, an error location is reached. Such a check right at a loop head is a
//! formula over the state there: the invariant holds exactly where none of the paths that
//! refute it can be run. So the front end reads the expressions of a witness, whatever they
//! are, and the engines get them back as formulas.
//!
//! Each path is a candidate of its own ([`Fact::Claim`]): those that refute `a && b && c` say
//! `a`, `a` implies `b`, and so on, so that one false conjunct does not take
//! the others with it. Candidates are checked like all others before anybody uses them
//! ([`templates`](crate::templates)); where all of a witness's invariants are inductive, they all survive.
//!
//! Limit: paths within one block only, and not those that depend on inputs.

use crate::block::BlockProgram;
use crate::facts::Fact;
use bolide_base::{HashMap, HashSet};
use bolide_cfa::{CheckId, EdgeId, LocId};
use std::collections::VecDeque;

/// Heuristic: the claims at a loop head are few; what comes later belongs to other places.
const PATHS: usize = 64;

/// Steps of the search, as paths that end nowhere cost time too.
const STEPS: usize = 10_000;

/// The claims that are refuted within the block of a cut point, shortest paths first.
pub fn claims(program: &BlockProgram<'_>, head: LocId, claims: &HashSet<CheckId>) -> Vec<Fact> {
    let Some(block) = program.blocks.starting(head) else { return Vec::new() };
    let block = program.blocks.get(block);
    let edges = &program.program.edges;
    let is_claim = |at: LocId| {
        program.program.locations[at].error.is_some_and(|check| claims.contains(&check))
    };
    // The part of the block from which a refuted claim can be reached.
    let mut useful: HashSet<LocId> = block.ends.iter().copied().filter(|&l| is_claim(l)).collect();
    if useful.is_empty() {
        return Vec::new();
    }
    let mut from: HashMap<LocId, Vec<EdgeId>> = HashMap::default();
    // Edges are in topological order.
    for &id in block.edges.iter().rev() {
        let edge = &edges[id];
        if useful.contains(&edge.to) {
            useful.insert(edge.from);
            from.entry(edge.from).or_default().push(id);
        }
    }
    let mut found = Vec::new();
    let mut waiting: VecDeque<Vec<EdgeId>> = VecDeque::from([Vec::new()]);
    let mut steps = 0;
    while let Some(path) = waiting.pop_front() {
        let at = path.last().map_or(head, |&id| edges[id].to);
        if is_claim(at) {
            found.push(Fact::Claim(path));
            if found.len() == PATHS {
                break;
            }
            continue;
        }
        // A block may come back to its head, and ends there.
        if at == head && !path.is_empty() {
            continue;
        }
        for &id in from.get(&at).map_or(&[][..], |list| list).iter().rev() {
            steps += 1;
            if steps > STEPS {
                return found;
            }
            let mut longer = path.clone();
            longer.push(id);
            waiting.push_back(longer);
        }
    }
    found
}
