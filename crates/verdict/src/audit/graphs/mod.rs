//! Whether symbolic memory graphs are an inductive invariant.
//!
//! The obligations: the states at the start, and those that every step leads to from a graph, belong to some graph of the place
//! where they are; where no graphs are given, the steps from there are obligations too. No step leads to an
//! error. Steps and matchings are computed anew; nothing of the search is looked at.
//!
//! That is complete, but it is the same two functions that the search calls. So there is a second check, which is not
//! complete and shares nothing with them: the program is [executed], from its start and from states made for each graph.

pub mod executed;
mod form;
pub mod meaning;
mod scope;
mod states;

use super::refused::refused;
use crate::certificate::MemoryGraphs;
use bolide_base::Budget;
use bolide_cfa::{LocId, Program};
use bolide_heap::graph::Graph;
use bolide_heap::graph::matching::includes;
use bolide_heap::graph::steps::Steps;
use bolide_reachability::verdict::Reason;
use form::is_graph_of;

/// How many steps were checked.
///
/// # Errors
/// When one leads to an error or to a state without a graph, or that is not decided.
pub fn check(program: &Program, graphs: &MemoryGraphs, budget: &Budget) -> Result<u64, Reason> {
    let checked = inductive(program, graphs, budget)?;
    executed::check(program, graphs, budget)?;
    Ok(checked)
}

/// The first check: all steps from all graphs lead into graphs. How many these were.
///
/// # Errors
/// As above.
pub fn inductive(program: &Program, graphs: &MemoryGraphs, budget: &Budget) -> Result<u64, Reason> {
    let body = program.functions[program.entry].body;
    let entry = body.ok_or_else(|| refused("the entry function has no body"))?.entry;
    let steps = Steps::new(program);
    let is_known = |at: LocId, graph: &Graph| {
        let given = graphs.places.get(&at)?;
        Some(given.iter().any(|other| includes(other, graph)))
    };
    let arrives = |at: LocId, graph: Graph, open: &mut Vec<(LocId, Graph)>| {
        if program.locations[at].error.is_some() {
            return Err(refused("a step that leads to an error"));
        }
        match is_known(at, &graph) {
            Some(true) => Ok(()),
            Some(false) => Err(refused("a step that leads out of the memory graphs")),
            None => {
                open.push((at, graph));
                Ok(())
            }
        }
    };
    let mut open: Vec<(LocId, Graph)> = Vec::new();
    for (&at, all) in &graphs.places {
        let location = program.locations.get(at);
        if location.is_none_or(|location| location.function != program.entry) {
            return Err(refused("a graph where nothing is"));
        }
        if !all.iter().all(|graph| is_graph_of(program, graph)) {
            return Err(refused("a graph that is none"));
        }
        if program.locations[at].error.is_some() && !all.is_empty() {
            return Err(refused("a graph at an error"));
        }
        open.extend(all.iter().map(|graph| (at, graph.clone())));
    }
    arrives(entry, steps.initial(), &mut open)?;
    let mut checked = 0;
    while let Some((at, graph)) = open.pop() {
        for &edge in &program.locations[at].outgoing {
            budget.poll().map_err(Reason::Exhausted)?;
            checked += 1;
            for after in steps.step(&graph, edge).map_err(Reason::Unsupported)? {
                arrives(program.edges[edge].to, after, &mut open)?;
            }
        }
    }
    Ok(checked)
}
