//! Graphs made larger: trees.
//!
//! As for [lists](super::fold), a candidate is drawn and matching says whether it will do. An object with pointers to two others that look like it
//! is taken for the root of a tree, and so is what hangs together with a tree that is there already. The tree is as large as it can be without
//! the objects that variables point to: what lies between two of these is a tree with a gap.

use super::fold::{Data, fitted, is_listed, private, target};
use bolide_base::HashSet;
use bolide_heap::graph::trees::Tree;
use bolide_heap::graph::{Address, Chain, End, Graph, Links, Node, NodeId, Value, ZERO};

/// Whether some object looks like one of a tree.
pub fn are_likely(graph: &Graph) -> bool {
    roots(graph).next().is_some()
}

/// The graph with one tree more, or a larger one; none where there is none.
pub fn planted(graph: &Graph, data: Data) -> Option<Graph> {
    let named: HashSet<NodeId> = graph.variables.values().filter_map(target).collect();
    roots(graph).find_map(|(root, links)| {
        let start = Value::Address(Address::at(root, End::First, links.head));
        let first = &graph.nodes[&root];
        let wanted = |id: NodeId, node: &Node| {
            (id == root || !named.contains(&id)) && are_alike(node, first)
        };
        let tree = Tree::all(graph, links, start, None, wanted).into_iter().next()?;
        // Heuristic: that an object with a name is the parent of another one is kept.
        let holder = tree.holder.as_ref().and_then(target).filter(|_| tree.gap != ZERO);
        let is_named = |id: NodeId| graph.nodes[&id].chain.is_none() && named.contains(&id);
        if tree.members.len() < 2 || holder.is_some_and(is_named) {
            return None;
        }
        let mut patterns: Vec<NodeId> = tree.members.iter().map(|(id, _)| *id).collect();
        // The element that says what each looks like: the one with more to it is tried first.
        patterns.sort_by_key(|id| (graph.nodes[id].chain.is_none(), *id));
        patterns.truncate(3);
        patterns.into_iter().find_map(|pattern| {
            let candidate = drawn(graph, &tree, links, pattern)?;
            fitted(candidate, graph, data)
        })
    })
}

/// What may be roots of trees, with which links.
fn roots(graph: &Graph) -> impl Iterator<Item = (NodeId, Links)> + '_ {
    let links = |node: &Node| node.chain.map(|chain| chain.links).filter(|l| l.fork.is_some());
    let listed = graph.nodes.iter().filter(|(_, node)| is_listed(node));
    listed.flat_map(move |(&id, node)| {
        let mut all: Vec<Links> =
            graph.nodes.values().filter(|other| are_alike(other, node)).filter_map(links).collect();
        all.sort_unstable();
        all.dedup();
        match node.chain {
            Some(chain) => all.retain(|links| *links == chain.links || chain.links.fork.is_none()),
            None if all.is_empty() => all.extend(forks(graph, id, node)),
            None => {}
        }
        all.into_iter().map(move |links| (id, links))
    })
}

/// Whether an object may be in a tree with another one.
fn are_alike(node: &Node, other: &Node) -> bool {
    is_listed(node) && (node.size, node.region) == (other.size, other.region)
}

/// The links by which an object may have two children.
fn forks(graph: &Graph, id: NodeId, node: &Node) -> Vec<Links> {
    let child = |value: Value| match value {
        Value::Address(to) if to.node != id && to.end == End::First => {
            let child = graph.nodes.get(&to.node)?;
            are_alike(child, node).then_some((to, child))
        }
        _ => None,
    };
    let mut found = Vec::new();
    for (&next, one) in &node.cells {
        let Some((first, left)) = child(one.value) else { continue };
        for (&fork, other) in node.cells.range(next + 1..) {
            let Some((second, right)) = child(other.value) else { continue };
            let (Some(head), true) = (first.offset(), first.offset() == second.offset()) else {
                continue;
            };
            // A child that leads back by one of these links is an element of a list that is linked both ways.
            let back = Value::Address(Address::at(id, End::First, head));
            let leads = |child: &Node, at: i64| child.get(at, one.size) == back;
            let is_back = |child: &Node| leads(child, next) || leads(child, fork);
            if first.node == second.node || is_back(left) || is_back(right) {
                continue;
            }
            let up = left.cells.keys().copied().find(|&at| leads(left, at) && leads(right, at));
            let links = Links { next, fork: Some(fork), prev: up, head, word: one.size };
            found.push(links);
            if up.is_some() {
                found.push(Links { prev: None, ..links });
            }
        }
    }
    found
}

/// The candidate: one chain in the place of the tree, whose elements look like one of them.
fn drawn(graph: &Graph, tree: &Tree, links: Links, pattern: NodeId) -> Option<Graph> {
    let mut new = graph.clone();
    let members: Vec<NodeId> = tree.members.iter().map(|(id, _)| *id).collect();
    let mut node = graph.nodes[&pattern].clone();
    // The links are those of all the pattern stands for.
    let own: Vec<i64> = node.chain.iter().flat_map(|chain| chain.links.places()).collect();
    let is_there = |id: &NodeId| graph.nodes[id].chain.is_none_or(|chain| chain.least > 0);
    node.chain = Some(Chain { least: u32::from(members.iter().any(is_there)), links });
    for place in links.places().chain(own) {
        node.forget(place, place + links.word);
    }
    let chain = new.add(node);
    let mut inside: HashSet<NodeId> = HashSet::default();
    for &member in &members {
        let mut below = private(graph, member, links);
        if below.iter().any(|id| members.contains(id)) {
            return None;
        }
        below.extend(graph.owned(member));
        if member != pattern {
            new.nodes.retain(|id, _| !below.contains(id));
            continue;
        }
        for id in &below {
            let node = new.nodes.get_mut(id)?;
            if node.owner.is_none() || node.owner == Some(pattern) {
                node.owner = Some(chain);
            }
        }
        inside = below;
    }
    for number in new.numbers.values_mut().filter(|number| number.owner == Some(pattern)) {
        number.owner = Some(chain);
    }
    let to = |value: Value, own: bool| match value {
        Value::Address(to) if to.node == pattern && own => {
            Value::Address(Address { node: chain, end: End::Each, ..to })
        }
        // The root, and the element that holds the gap.
        Value::Address(a) => {
            let is = |end: Option<Value>| matches!(end, Some(Value::Address(e)) if (e.node, e.end) == (a.node, a.end));
            match () {
                () if is(Some(tree.root)) => {
                    Value::Address(Address { node: chain, end: End::First, ..a })
                }
                () if is(tree.holder) => {
                    Value::Address(Address { node: chain, end: End::Last, ..a })
                }
                () => value,
            }
        }
        value => value,
    };
    new.variables.values_mut().for_each(|value| *value = to(*value, false));
    for (id, node) in &mut new.nodes {
        let own = *id == chain || inside.contains(id);
        node.cells.values_mut().for_each(|cell| cell.value = to(cell.value, own));
    }
    let first = members.first()?;
    let before = links.prev.map(|prev| (prev, graph.nodes[first].get(prev, links.word)));
    for id in &members {
        new.nodes.remove(id);
    }
    let node = new.nodes.get_mut(&chain)?;
    for (at, value) in [Some((links.next, tree.gap)), before].into_iter().flatten() {
        node.set(at, links.word, to(value, false));
    }
    // Nothing else may lead to an element.
    let is_known = |value: Value| target(&value).is_none_or(|id| new.nodes.contains_key(&id));
    let whole = new.values().all(is_known);
    whole.then_some(new)
}
