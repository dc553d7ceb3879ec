//! Whether something is a memory graph of a program at all.
//!
//! The steps on graphs and their matching take for granted what the [fields](bolide_heap::graph) promise: names that
//! exist, cells that do not overlap, owners that are chains around what they own. A certificate is data from outside, so that
//! is looked at first.

use bolide_cfa::{Program, VariableKind};
use bolide_heap::graph::{Chain, End, Graph, Links, Node, NodeId, Place, Value};
use std::collections::BTreeSet;

/// Whether it keeps every promise.
pub fn is_graph_of(program: &Program, graph: &Graph) -> bool {
    let entry = program.entry;
    let variables = graph.variables.iter().all(|(&var, &value)| {
        let known = program.variables.get(var);
        let here = |kind, function| kind == VariableKind::Global || function == Some(entry);
        known.is_some_and(|v| here(v.kind, v.function)) && is_in_scope(graph, value, None)
    });
    let nodes: BTreeSet<NodeId> = graph.statics.values().copied().collect();
    let statics = graph.statics.iter().all(|(&object, id)| {
        let (Some(object), Some(node)) = (program.objects.get(object), graph.nodes.get(id)) else {
            return false;
        };
        let place = if object.constant { Place::Constant } else { Place::Static };
        let size = object.size as i64;
        (node.place, node.size, node.alive) == (place, (size, size), true)
            && node.chain.is_none()
            && node.owner.is_none()
    });
    let numbers = graph.numbers.values().all(|number| {
        let owner = number.owner.is_none_or(|owner| around(graph, Some(owner)).is_some());
        number.low <= number.high && owner
    });
    variables
        && statics
        && nodes.len() == graph.statics.len()
        && numbers
        && graph.nodes.iter().all(|(id, node)| is_node(graph, *id, node))
}

/// The chains that something with this owner is in, the innermost first; none when one is none, or is in itself.
fn around(graph: &Graph, mut owner: Option<NodeId>) -> Option<Vec<NodeId>> {
    let mut found = Vec::new();
    while let Some(chain) = owner {
        let node = graph.nodes.get(&chain)?;
        if node.chain.is_none() || found.contains(&chain) {
            return None;
        }
        found.push(chain);
        owner = node.owner;
    }
    Some(found)
}

/// Whether what a value names is there, seen from what this chain owns.
fn is_in_scope(graph: &Graph, value: Value, from: Option<NodeId>) -> bool {
    let Some(chains) = around(graph, from) else { return false };
    match value {
        Value::Any | Value::Known(_) => true,
        Value::Number(id) => {
            let number = graph.numbers.get(&id);
            number.is_some_and(|n| n.owner.is_none_or(|owner| chains.contains(&owner)))
        }
        Value::Address(to) => graph.nodes.get(&to.node).is_some_and(|node| {
            let end = match to.end {
                End::Each => chains.contains(&to.node),
                End::First => true,
                End::Last => node.chain.is_some(),
            };
            let owner = node.owner.is_none_or(|owner| chains.contains(&owner));
            end && owner && to.low <= to.high
        }),
    }
}

fn is_node(graph: &Graph, id: NodeId, node: &Node) -> bool {
    if around(graph, node.owner).is_none_or(|chains| chains.contains(&id)) {
        return false;
    }
    let inner = node.chain.map_or(node.owner, |_| Some(id));
    let links = node.chain.map(|chain| chain.links);
    let is_link = |at: i64| links.is_some_and(|l| l.places().any(|link| link == at));
    let values = node.cells.iter().all(|(&at, cell)| {
        let from = if is_link(at) { node.owner } else { inner };
        cell.value != Value::Any && is_in_scope(graph, cell.value, from)
    });
    let mut taken: Vec<(i64, i64)> = node.zeros.clone();
    taken.extend(node.cells.iter().map(|(&at, cell)| (at, at.saturating_add(cell.size))));
    taken.sort_unstable();
    let apart = taken.windows(2).all(|two| two[0].1 <= two[1].0);
    let optional = node.chain.filter(|chain| chain.links.are_nowhere());
    let nowhere = |from: i64, to: i64| {
        optional.is_some_and(|c| (from, to) == (Links::NOWHERE, Links::NOWHERE + c.links.word))
    };
    let sound = taken.iter().all(|&(from, to)| from < to && (0 <= from || nowhere(from, to)));
    let alone = |c: Chain| {
        c.least == 0 && (c.links.prev, c.links.fork) == (None, None) && c.links.word <= 16
    };
    let chain = optional.is_none_or(alone)
        && links.is_none_or(|l| {
            let ends = l.places().filter(|_| optional.is_none());
            let inside = |at: i64| at >= 0 && at.saturating_add(l.word) <= node.size.0;
            let whole = |at: i64| {
                // A link is a cell of its own, or nothing is known of it. What is at the fork the cell of the other link says.
                let overlaps = taken.iter().filter(|&&(a, b)| a < at + l.word && at < b);
                overlaps.clone().all(|&(a, b)| {
                    let own = (a, b) == (at, at + l.word) && node.cells.contains_key(&a);
                    own && l.fork != Some(at)
                })
            };
            let places: Vec<i64> = l.places().collect();
            let apart = |(i, at): (usize, &i64)| {
                places[..i].iter().all(|other| at.abs_diff(*other) >= l.word.unsigned_abs())
            };
            let between = places.iter().enumerate().all(apart);
            node.alive
                && l.word > 0
                && between
                && ends.into_iter().all(|at| inside(at) && whole(at))
        });
    let dead = node.alive || taken.is_empty();
    0 <= node.size.0 && node.size.0 <= node.size.1 && values && apart && sound && chain && dead
}
