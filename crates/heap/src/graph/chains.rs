//! Elements taken out of chains.
//!
//! A chain of at least one element has one element, which becomes a region, or more: then the first or the last one becomes a
//! region beside a chain of the others. A chain that may be empty is that too: then what pointed to its ends points to
//! what lies behind or before it. What is optional has no more than one.
//!
//! The element at an end of a tree is its root, or the one that holds the gap. The rest are two trees, for each of the two places where the gap may
//! be: one with a gap, and one without.

use super::{Address, Chain, End, Graph, Links, Node, NodeId, NumberId, Value};
use bolide_base::HashMap;

impl Graph {
    /// The graphs for all lengths of a chain, in which the element at one end is a region. Together they have the states
    /// of this one.
    pub fn unfold(&self, id: NodeId, end: End) -> Vec<Graph> {
        let Some((node, chain)) = self.nodes.get(&id).and_then(|n| Some((n, n.chain?))) else {
            return vec![self.clone()];
        };
        let mut found = Vec::new();
        if chain.least == 0 {
            found.push(self.without(id, node, &chain));
        }
        if let Some(fork) = chain.links.fork {
            found.extend(self.parted(id, end, chain, fork));
            return found;
        }
        if chain.least <= 1 {
            let mut one = self.clone();
            let element = one.copied(id, false);
            one.redirect(id, None, element);
            one.remove(id);
            if let Some(node) = one.nodes.get_mut(&element) {
                node.cells.remove(&Links::NOWHERE);
            }
            found.push(one);
        }
        if chain.links.are_nowhere() {
            return found;
        }
        let mut more = self.clone();
        let element = more.copied(id, false);
        more.redirect(id, Some(end), element);
        more.detach(id, end, element, chain);
        found.push(more);
        found
    }

    /// The tree is an element at that end and two more trees.
    fn parted(&self, id: NodeId, end: End, chain: Chain, fork: i64) -> Vec<Graph> {
        let Links { next, prev, head, word, .. } = chain.links;
        // Where the gap holds null and nobody asks who holds it, each place will do.
        let is_asked = self
            .values()
            .any(|value| matches!(value, Value::Address(a) if a.node == id && a.end == End::Last));
        let is_null = self.nodes[&id].get(next, word) == super::ZERO;
        let sides = if is_null && !is_asked { 1 } else { 2 };
        let both = [(next, fork), (fork, next)];
        let part = |&(side, other): &(i64, i64)| {
            let mut graph = self.clone();
            let element = graph.copied(id, false);
            graph.redirect(id, Some(end), element);
            let gap = graph.nodes[&id].get(next, word);
            let sibling = graph.copied(id, true);
            let to = |node: NodeId, end: End| Value::Address(Address::at(node, end, head));
            let parent = to(element, End::First);
            if let Some(node) = graph.nodes.get_mut(&sibling) {
                node.chain = Some(Chain { least: 0, ..chain });
                node.set(next, word, super::ZERO);
                prev.into_iter().for_each(|prev| node.set(prev, word, parent));
            }
            let (below, rest, above) = match end {
                End::Last => (gap, parent, Some(to(id, End::Last))),
                _ => (to(id, End::First), gap, None),
            };
            if let Some(node) = graph.nodes.get_mut(&element) {
                node.set(side, word, below);
                node.set(other, word, to(sibling, End::First));
                prev.zip(above).into_iter().for_each(|(prev, above)| node.set(prev, word, above));
            }
            if let Some(node) = graph.nodes.get_mut(&id) {
                node.chain = Some(Chain { least: 0, ..chain });
                node.set(next, word, rest);
                if end != End::Last {
                    prev.into_iter().for_each(|prev| node.set(prev, word, parent));
                }
            }
            graph
        };
        both.iter().take(sides).map(part).collect()
    }

    /// The chain is empty.
    fn without(&self, id: NodeId, node: &Node, chain: &Chain) -> Graph {
        let mut graph = self.clone();
        let links = chain.links;
        // A list that leads back to itself has an element.
        let link = |offset: i64| match node.get(offset, links.word) {
            Value::Address(address) if address.node == id => Value::Any,
            value => value,
        };
        let behind = link(links.next);
        let before = links.prev.map_or(Value::Any, link);
        graph.replace(|value| match value {
            Value::Address(address) if address.node == id => {
                let to = if address.end == End::First { behind } else { before };
                moved(to, address, links.head)
            }
            value => value,
        });
        graph.remove(id);
        graph
    }

    /// A new chain that says the same as this one, or a region with what it says of each element. The links are those of the chain.
    fn copied(&mut self, id: NodeId, whole: bool) -> NodeId {
        let owned = self.owned(id);
        let mut nodes: HashMap<NodeId, NodeId> = HashMap::default();
        let mut template = self.nodes[&id].clone();
        let links: Vec<i64> = template.chain.iter().flat_map(|c| c.links.places()).collect();
        template.chain = template.chain.filter(|_| whole);
        let up = template.owner;
        let element = self.add(template);
        let (up, each) = if whole { (Some(element), End::Each) } else { (up, End::First) };
        for &old in &owned {
            let copy = self.nodes[&old].clone();
            let new = self.add(copy);
            nodes.insert(old, new);
        }
        let mut numbers: HashMap<NumberId, Value> = HashMap::default();
        let all: Vec<_> = self.numbers.iter().map(|(id, number)| (*id, *number)).collect();
        for (old, number) in all {
            let Some(owner) = number.owner else { continue };
            if owner == id || nodes.contains_key(&owner) {
                let owner = if owner == id { up } else { nodes.get(&owner).copied() };
                let new = self.number(number.low, number.high, owner);
                if let Value::Number(new) = new
                    && let Some(entry) = self.numbers.get_mut(&new)
                {
                    entry.nonzero = number.nonzero;
                }
                numbers.insert(old, new);
            }
        }
        for copy in nodes.values().copied().chain([element]) {
            let Some(node) = self.nodes.get_mut(&copy) else { continue };
            for (offset, cell) in &mut node.cells {
                if copy == element && links.contains(offset) {
                    continue;
                }
                cell.value = match cell.value {
                    Value::Number(id) => numbers.get(&id).copied().unwrap_or(cell.value),
                    Value::Address(a) if a.node == id && a.end == End::Each => {
                        Value::Address(Address { node: element, end: each, ..a })
                    }
                    Value::Address(a) => match nodes.get(&a.node) {
                        Some(&node) => Value::Address(Address { node, ..a }),
                        None => cell.value,
                    },
                    value => value,
                };
            }
            if copy != element {
                node.owner = match node.owner {
                    Some(owner) if owner == id => up,
                    Some(owner) => nodes.get(&owner).copied(),
                    None => None,
                };
            }
        }
        element
    }

    /// Lets pointers to an end of the chain, or to both, point to a region.
    fn redirect(&mut self, id: NodeId, end: Option<End>, element: NodeId) {
        self.replace(|value| match value {
            Value::Address(a)
                if a.node == id && a.end != End::Each && end.is_none_or(|end| a.end == end) =>
            {
                Value::Address(Address { node: element, end: End::First, ..a })
            }
            value => value,
        });
    }

    /// Puts an element that was taken out at one end beside the rest.
    fn detach(&mut self, id: NodeId, end: End, element: NodeId, chain: Chain) {
        let links = chain.links;
        let to = |node: NodeId, end: End| Value::Address(Address::at(node, end, links.head));
        let (outer, inner) = match end {
            End::Last => (links.prev, Some(links.next)),
            _ => (Some(links.next), links.prev),
        };
        let rest = to(id, end);
        if let (Some(offset), Some(node)) = (outer, self.nodes.get_mut(&element)) {
            node.set(offset, links.word, rest);
        }
        if let Some(node) = self.nodes.get_mut(&id) {
            if let Some(offset) = inner {
                node.set(offset, links.word, to(element, End::First));
            }
            node.chain = Some(Chain { least: chain.least.saturating_sub(1).max(1), ..chain });
        }
    }

    /// Removes a node and what it owns.
    pub(crate) fn remove(&mut self, id: NodeId) {
        for owned in self.owned(id) {
            self.nodes.remove(&owned);
        }
        self.nodes.remove(&id);
    }
}

/// Where a pointer to an end of an empty chain points.
fn moved(to: Value, pointer: Address, head: i64) -> Value {
    let (low, high) = (i128::from(pointer.low - head), i128::from(pointer.high - head));
    match to {
        Value::Address(to) => to.moved(low, high).map_or(Value::Any, Value::Address),
        to if low == 0 && high == 0 => to,
        _ => Value::Any,
    }
}
