//! Graphs made larger: lists become chains, and two graphs one.
//!
//! All of this is guessing. A candidate is drawn, a loose [matching](bolide_heap::graph::matching) says what numbers and lengths it is short of,
//! these are put in, and a strict one says whether it will do.

use bolide_base::HashSet;
use bolide_cfa::types::Type;
use bolide_cfa::{Expr, Program};
use bolide_heap::graph::matching::{Slack, Slot, includes, loosely};
use bolide_heap::graph::{Address, Chain, End, Graph, Links, Node, NodeId, Place, Value, ZERO};
use std::collections::BTreeMap;

/// How numbers are given up, less of them first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Data {
    /// Objects that hold different constants stay apart.
    Kept,
    /// Only bounds are kept, but what the last object of a list holds stays apart: it may be the mark that a loop stops at.
    Marked,
    /// Only bounds are kept.
    Bounded,
}

/// The numbers that bounds grow to: those of the program, and none.
pub struct Bounds {
    all: Vec<i128>,
    /// What happens to those in objects.
    pub data: Data,
}

impl Bounds {
    /// The constants of a program and their neighbours.
    pub fn of(program: &Program, data: Data) -> Bounds {
        let mut all = vec![0, 1, -1];
        for e in program.exprs.ids() {
            if let Expr::Int { bits, ty } = *program.exprs.get(e)
                && ty.bits < 128
            {
                let n = ty.value(bits);
                all.extend([n - 1, n, n + 1]);
            }
        }
        all.sort_unstable();
        all.dedup();
        Bounds { all, data }
    }

    fn widened(&self, (low, high): (i128, i128)) -> (i128, i128) {
        let below = self.all.iter().rev().find(|n| **n <= low).copied();
        let above = self.all.iter().find(|n| **n >= high).copied();
        (below.unwrap_or(-(1 << 63)), above.unwrap_or(1 << 64))
    }
}

/// A graph that has the states of both, if they differ in numbers and lengths only. While graphs are few, variables that hold
/// different constants keep them apart, where data is kept.
pub fn generalised(
    program: &Program,
    [a, b]: [&Graph; 2],
    (data, few): (Data, bool),
    widen: Option<&Bounds>,
) -> Option<Graph> {
    [(a, b), (b, a)].into_iter().find_map(|(large, small)| {
        let slack = short_of(large, small, data)?;
        if data == Data::Kept && few && tells_apart(large, &slack) {
            return None;
        }
        let mut candidate = large.clone();
        apply(&mut candidate, &slack, Some(program), widen);
        (includes(&candidate, small) && includes(&candidate, large)).then_some(candidate)
    })
}

/// What a graph is short of. Where data may be given up, that is the second choice: a list does not go on in another one
/// then, for nothing but its data.
fn short_of(large: &Graph, small: &Graph, data: Data) -> Option<Slack> {
    let other = || (data != Data::Kept).then(|| loosely(large, small, false)).flatten();
    loosely(large, small, true).or_else(other)
}

/// Whether variables have no value in common, or a list is empty.
fn tells_apart(graph: &Graph, slack: &Slack) -> bool {
    let top = |id: &NodeId| graph.nodes.get(id).is_some_and(|node| node.owner.is_none());
    let empty = slack.lengths.iter().any(|(id, length)| *length == 0 && top(id));
    empty
        || slack.numbers.iter().any(|(slot, bounds)| {
            let Slot::Variable(var) = slot else { return false };
            let own = graph.variables.get(var).and_then(|value| graph.bounds(*value));
            own.zip(*bounds).is_some_and(|((a, b), (c, d))| b < c || d < a)
        })
}

/// Puts in what a graph was short of.
fn apply(graph: &mut Graph, slack: &Slack, program: Option<&Program>, widen: Option<&Bounds>) {
    graph.lost |= slack.lost;
    for &(id, length) in &slack.lengths {
        if let Some(chain) = graph.nodes.get_mut(&id).and_then(|node| node.chain.as_mut()) {
            chain.least = chain.least.min(length);
        }
    }
    for &(id, from, to) in &slack.zeros {
        if let Some(node) = graph.nodes.get_mut(&id) {
            node.forget(from, to);
        }
    }
    for &(id, head, word, instead) in &slack.optional {
        make_optional(
            graph,
            id,
            Links { next: Links::NOWHERE, fork: None, prev: None, head, word },
            instead,
        );
    }
    let mut slots: BTreeMap<Slot, Option<(i128, i128)>> = BTreeMap::new();
    for &(slot, bounds) in &slack.numbers {
        let own = slots.entry(slot).or_insert_with(|| {
            let value = match slot {
                Slot::Variable(var) => graph.variables.get(&var).copied(),
                Slot::Cell(id, offset, size) => graph.nodes.get(&id).map(|n| n.get(offset, size)),
            };
            graph.bounds(value.unwrap_or(Value::Any))
        });
        let hull = |(a, b): (i128, i128), (c, d): (i128, i128)| {
            let grown = (a.min(c), b.max(d));
            match widen {
                Some(bounds) if grown != (a, b) => {
                    let (low, high) = bounds.widened(grown);
                    (if c < a { low } else { a }, if d > b { high } else { b })
                }
                _ => grown,
            }
        };
        *own = own.zip(bounds).map(|(own, new)| hull(own, new));
    }
    for (slot, bounds) in slots {
        match slot {
            Slot::Variable(var) => {
                let ty = program.map(|program| program.variables[var].ty);
                let clamped = bounds.map(|(low, high)| match ty {
                    Some(Type::Int(int)) => (low.max(int.min()), high.min(int.max())),
                    _ => (low, high),
                });
                let value = clamped.map_or(Value::Any, |(low, high)| graph.number(low, high, None));
                if value == Value::Any {
                    graph.variables.remove(&var);
                } else {
                    graph.variables.insert(var, value);
                }
            }
            Slot::Cell(id, offset, size) => {
                let Some(node) = graph.nodes.get(&id) else { continue };
                let owner = if node.chain.is_some() { Some(id) } else { node.owner };
                let value = bounds.map_or(Value::Any, |(low, high)| graph.number(low, high, owner));
                if let Some(node) = graph.nodes.get_mut(&id) {
                    node.set(offset, size, value);
                }
            }
        }
    }
}

/// Lets an object that each element of a chain has be missing, with what only it leads to.
fn make_optional(graph: &mut Graph, id: NodeId, links: Links, instead: Value) {
    let Some(owner) = graph.nodes.get(&id).filter(|n| n.chain.is_none()).and_then(|n| n.owner)
    else {
        return;
    };
    let mut inside = private(graph, id, links);
    inside.retain(|other| graph.nodes[other].owner == Some(owner));
    for (other, node) in &mut graph.nodes {
        if *other == id {
            node.chain = Some(Chain { least: 0, links });
            node.set(links.next, links.word, instead);
        } else if inside.contains(other) {
            node.owner = Some(id);
        } else {
            continue;
        }
        for cell in node.cells.values_mut() {
            if let Value::Address(to) = &mut cell.value
                && to.node == id
            {
                to.end = End::Each;
            }
        }
    }
}

/// The graph with two nodes folded into one chain; none where none can be.
pub fn paired(graph: &Graph, data: Data) -> Option<Graph> {
    let candidates = candidates(graph);
    candidates.into_iter().find_map(|(a, b, links)| pair(graph, a, b, links, data))
}

/// Whether it is a heap object of certain size, or a list of them, that nothing owns.
pub(super) fn is_listed(node: &Node) -> bool {
    let optional = node.chain.is_some_and(|chain| chain.links.are_nowhere());
    let on_its_own = node.place == Place::Heap && node.owner.is_none() && !optional;
    node.alive && on_its_own && node.size.0 == node.size.1
}

/// Pairs of nodes of which the one may come before the other in a list. Small objects first: lists in lists.
fn candidates(graph: &Graph) -> Vec<(NodeId, NodeId, Links)> {
    let named: HashSet<NodeId> = graph.variables.values().filter_map(target).collect();
    let mut found = Vec::new();
    for (&a, first) in graph.nodes.iter().filter(|(_, node)| is_listed(node)) {
        for (&next, cell) in &first.cells {
            let Value::Address(to) = cell.value else { continue };
            let (b, Some(head), End::First) = (to.node, to.offset(), to.end) else { continue };
            let Some(second) = graph.nodes.get(&b).filter(|node| is_listed(node)) else { continue };
            if a == b || second.size != first.size || named.contains(&b) && second.chain.is_none() {
                continue;
            }
            // Heuristic: the next one goes on as this one does, to the end or to the same place in another.
            let goes_on = match second.get(next, cell.size) {
                Value::Known(0) => true,
                Value::Address(on) => on.node != a || on.offset() == Some(head),
                _ => false,
            };
            if !goes_on {
                continue;
            }
            let end = if first.chain.is_some() { End::Last } else { End::First };
            let back = Value::Address(Address::at(a, end, head));
            let prevs = second.cells.iter().filter(|(_, c)| c.value == back).map(|(at, _)| *at);
            for prev in prevs.map(Some).chain([None]) {
                if prev == Some(next) {
                    continue;
                }
                let links = Links { next, fork: None, prev, head, word: cell.size };
                let alike = |node: &Node| node.chain.is_none_or(|chain| chain.links == links);
                if alike(first) && alike(second) {
                    found.push((a, b, links));
                }
            }
        }
    }
    found.sort_by_key(|(a, b, _)| (graph.owned(*a).len() + graph.owned(*b).len(), *a, *b));
    found
}

pub(super) fn target(value: &Value) -> Option<NodeId> {
    match value {
        Value::Address(address) => Some(address.node),
        _ => None,
    }
}

/// Two nodes as one chain.
fn pair(graph: &Graph, a: NodeId, b: NodeId, links: Links, data: Data) -> Option<Graph> {
    let (first, last) = (&graph.nodes[&a], &graph.nodes[&b]);
    if data == Data::Kept
        && (is_unfinished(first, last, links) || is_unfinished(last, first, links))
    {
        return None;
    }
    let is_last = last.chain.is_none() && last.get(links.next, links.word) == ZERO;
    let data = if data == Data::Marked && is_last { Data::Kept } else { data };
    // The element that says what each looks like: the one with more to it is tried first.
    let mut patterns = [a, b];
    patterns.sort_by_key(|id| (graph.nodes[id].chain.is_none(), *id));
    patterns.into_iter().find_map(|pattern| {
        let candidate = drawn(graph, a, b, links, pattern)?;
        fitted(candidate, graph, data)
    })
}

/// A candidate with what it is short of, if it has the states of the graph then.
pub(super) fn fitted(mut candidate: Graph, graph: &Graph, data: Data) -> Option<Graph> {
    let slack = short_of(&candidate, graph, data)?;
    apply(&mut candidate, &slack, None, None);
    candidate.collect();
    includes(&candidate, graph).then_some(candidate)
}

/// Whether an object has no value yet where another one has a pointer.
fn is_unfinished(node: &Node, other: &Node, links: Links) -> bool {
    let is_pointer = |value: Value| value == ZERO || matches!(value, Value::Address(_));
    node.chain.is_none()
        && other.cells.iter().any(|(&at, cell)| {
            let is_link = at == links.next || Some(at) == links.prev;
            let counts = !is_link && cell.size == links.word && is_pointer(cell.value);
            counts && node.get(at, cell.size) == Value::Any
        })
}

/// Of the two ways to see a list that is linked both ways, the one whose next link comes first in memory: graphs that differ in
/// nothing else are one.
fn oriented(graph: &mut Graph, id: NodeId) {
    let Some(chain) = graph.nodes.get_mut(&id).and_then(|node| node.chain.as_mut()) else { return };
    let Some(prev) = chain.links.prev.filter(|prev| *prev < chain.links.next) else { return };
    chain.links = Links { next: prev, prev: Some(chain.links.next), ..chain.links };
    let cells = graph.nodes.values_mut().flat_map(|node| node.cells.values_mut());
    for value in graph.variables.values_mut().chain(cells.map(|cell| &mut cell.value)) {
        if let Value::Address(to) = value
            && to.node == id
        {
            to.end = match to.end {
                End::First => End::Last,
                End::Last => End::First,
                End::Each => End::Each,
            };
        }
    }
}

/// What only a node leads to, beside its links.
pub(super) fn private(graph: &Graph, id: NodeId, links: Links) -> HashSet<NodeId> {
    let mut without = graph.clone();
    let node = &graph.nodes[&id];
    let inner = node.cells.iter().filter(|(at, _)| !links.places().any(|place| place == **at));
    let inner: Vec<i64> = inner.map(|(at, _)| *at).collect();
    let values: Vec<Value> = inner.iter().map(|at| node.cells[at].value).collect();
    if let Some(node) = without.nodes.get_mut(&id) {
        node.cells.retain(|at, _| !inner.contains(at));
    }
    let statics = without.statics.values().map(|&n| Value::Address(Address::at(n, End::First, 0)));
    let roots: Vec<Value> = without.variables.values().copied().chain(statics).collect();
    let mut outside = without.named(roots);
    outside.insert(id);
    let owned: HashSet<NodeId> = graph.owned(id).into_iter().collect();
    let below = without.named(values).into_iter().filter(|n| !outside.contains(n));
    below.filter(|n| !owned.contains(n)).collect()
}

/// The candidate: one chain in the place of two nodes, whose elements look like one of them.
fn drawn(graph: &Graph, a: NodeId, b: NodeId, links: Links, pattern: NodeId) -> Option<Graph> {
    let (first, second) = (&graph.nodes[&a], &graph.nodes[&b]);
    let other = if pattern == a { b } else { a };
    let (below, absorbed) = (private(graph, pattern, links), private(graph, other, links));
    if below.contains(&other) || absorbed.contains(&pattern) {
        return None;
    }
    let mut new = graph.clone();
    let mut node = graph.nodes[&pattern].clone();
    let length = |node: &Node| node.chain.map_or(1, |chain| chain.least);
    node.chain = Some(Chain { least: length(first) + length(second), links });
    for link in [Some(links.next), links.prev].into_iter().flatten() {
        node.forget(link, link + links.word);
    }
    let behind = second.get(links.next, links.word);
    let before = links.prev.map(|prev| first.get(prev, links.word));
    let chain = new.add(node);
    let mut inside: HashSet<NodeId> = below;
    let owned = graph.owned(pattern);
    for &id in &inside {
        if let Some(node) = new.nodes.get_mut(&id)
            && node.owner.is_none()
        {
            node.owner = Some(chain);
        }
    }
    for &id in &owned {
        if let Some(node) = new.nodes.get_mut(&id)
            && node.owner == Some(pattern)
        {
            node.owner = Some(chain);
        }
    }
    for number in new.numbers.values_mut().filter(|number| number.owner == Some(pattern)) {
        number.owner = Some(chain);
    }
    inside.extend(owned);
    for id in absorbed.iter().chain(&graph.owned(other)).chain([&other, &pattern]) {
        new.nodes.remove(id);
    }
    redirected(&mut new, (a, b, chain), pattern, &inside)?;
    let node = new.nodes.get_mut(&chain)?;
    let outer = |value: Value| match value {
        // A list that leads back to itself.
        Value::Address(to) if to.node == a && to.end == End::First => {
            Value::Address(Address { node: chain, ..to })
        }
        Value::Address(to) if to.node == b => {
            Value::Address(Address { node: chain, end: End::Last, ..to })
        }
        value => value,
    };
    node.set(links.next, links.word, outer(behind));
    if let (Some(prev), Some(before)) = (links.prev, before) {
        node.set(prev, links.word, outer(before));
    }
    oriented(&mut new, chain);
    Some(new)
}

/// Lets all pointers to the two nodes point to the chain; none where one points into the middle of it.
fn redirected(
    new: &mut Graph,
    (a, b, chain): (NodeId, NodeId, NodeId),
    pattern: NodeId,
    inside: &HashSet<NodeId>,
) -> Option<()> {
    let mut fits = true;
    let mut map = |value: Value, own: bool| match value {
        Value::Address(to) if to.node == pattern && own => {
            Value::Address(Address { node: chain, end: End::Each, ..to })
        }
        Value::Address(to) if to.node == a => {
            fits &= to.end == End::First;
            Value::Address(Address { node: chain, end: End::First, ..to })
        }
        Value::Address(to) if to.node == b => {
            Value::Address(Address { node: chain, end: End::Last, ..to })
        }
        value => value,
    };
    let mut variables = std::mem::take(&mut new.variables);
    variables.values_mut().for_each(|value| *value = map(*value, false));
    new.variables = variables;
    for (id, node) in &mut new.nodes {
        let own = *id == chain || inside.contains(id);
        for cell in node.cells.values_mut() {
            cell.value = map(cell.value, own);
        }
    }
    fits.then_some(())
}
