//! Trees in memory graphs: what is one.
//!
//! A tree of a graph gets a part of another one: all nodes that are like its elements, from the root on, until null, another
//! node or one that is taken. Regions are elements, trees with the same links are many, and so are lists: trees in which every element
//! has one child at most. At most one of the pointers that lead out is not null: the gap. An element that the tree does not get, with all that
//! is below it, may be in the gap too.

use super::{Address, End, Graph, Links, Node, NodeId, Value, ZERO};

/// Nodes that hang together as a tree.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The pointer to the root, or what is in its place.
    pub root: Value,
    /// Each with the pointer to its parent; parents first.
    pub members: Vec<(NodeId, Option<Value>)>,
    /// What the gap holds.
    pub gap: Value,
    /// Which element holds it; none where there is no element.
    pub holder: Option<Value>,
}

/// A place of a tree: what is there, which element holds it, and by number the place to which the pointer to that is.
#[derive(Clone, Copy)]
struct Slot {
    value: Value,
    holder: Option<Value>,
    above: Option<usize>,
    /// The element that is there.
    member: Option<NodeId>,
}

impl Tree {
    /// The trees with these links from a pointer on, of nodes that are wanted. At most one of the places that lead out of one is not null;
    /// where all are, this element holds the gap, if it can. The largest tree first; then, with the gap at an element, those without it and what is
    /// below it; without any element at last.
    pub fn all(
        graph: &Graph,
        links: Links,
        root: Value,
        holder: Option<Value>,
        is_wanted: impl Fn(NodeId, &Node) -> bool,
    ) -> Vec<Tree> {
        let slots = slots(graph, links, root, is_wanted);
        let is_below = |top: usize, mut at: usize| loop {
            match slots[at].above {
                _ if at == top => return true,
                Some(above) => at = above,
                None => return false,
            }
        };
        let leaves = || (0..slots.len()).filter(|&at| slots[at].member.is_none());
        let open: Vec<usize> = leaves().filter(|&at| slots[at].value != ZERO).collect();
        let asked = || leaves().find(|&at| holder.is_some() && slots[at].holder == holder);
        let whole = match open[..] {
            [] => asked().or_else(|| leaves().next()),
            [at] => Some(at),
            _ => None,
        };
        let cuts = (0..slots.len()).filter(|&at| slots[at].member.is_some());
        let closed = cuts.filter(|&cut| open.iter().all(|&leaf| is_below(cut, leaf)));
        let mut all: Vec<Tree> = whole
            .into_iter()
            .chain(closed)
            .map(|gap| {
                let left = (0..slots.len()).filter(|&at| !is_below(gap, at));
                let member = |at: usize| Some((slots[at].member?, slots[at].holder));
                let Slot { value, holder, .. } = slots[gap];
                Tree { root, members: left.filter_map(member).collect(), gap: value, holder }
            })
            .collect();
        all.sort_by_key(|tree| std::cmp::Reverse(tree.members.len()));
        all
    }

    /// The pointer to the root of the tree in which something is, up from a pointer to an element.
    pub fn root_above(
        graph: &Graph,
        links: Links,
        element: Value,
        is_wanted: impl Fn(NodeId, &Node) -> bool,
    ) -> Option<Value> {
        let (prev, mut at, mut root) = (links.prev?, element, None);
        for _ in 0..=graph.nodes.len() {
            let Value::Address(to) = at else { break };
            let Some(node) = graph.nodes.get(&to.node).filter(|n| is_wanted(to.node, n)) else {
                break;
            };
            let (first, last) = entry_and_end(node, links)?;
            if to.end != last || to.offset() != Some(links.head) {
                break;
            }
            root = Some(Value::Address(Address { end: first, ..to }));
            at = node.get(prev, links.word);
        }
        root
    }
}

/// All places from a pointer on, parents before children.
fn slots(
    graph: &Graph,
    links: Links,
    root: Value,
    is_wanted: impl Fn(NodeId, &Node) -> bool,
) -> Vec<Slot> {
    let mut slots: Vec<Slot> = Vec::new();
    let mut open = vec![Slot { value: root, holder: None, above: None, member: None }];
    while let Some(mut slot) = open.pop() {
        let is_new = |id: NodeId| slots.iter().all(|slot| slot.member != Some(id));
        if let Value::Address(to) = slot.value
            && to.offset() == Some(links.head)
            && is_new(to.node)
            && let Some(node) = graph.nodes.get(&to.node).filter(|node| is_wanted(to.node, node))
            && let Some(exits) = exits(node, to.node, to.end, links)
        {
            slot.member = Some(to.node);
            let above = Some(slots.len());
            let below = exits.into_iter().rev();
            open.extend(below.map(|(value, from)| Slot {
                value,
                holder: Some(from),
                above,
                member: None,
            }));
        }
        slots.push(slot);
    }
    slots
}

/// At which end of a node a tree is entered, and at which it is left: none where it is no part of such a tree.
fn entry_and_end(node: &Node, links: Links) -> Option<(End, End)> {
    let Some(own) = node.chain.map(|chain| chain.links) else {
        return Some((End::First, End::First));
    };
    if own == links {
        return Some((End::First, End::Last));
    }
    let children = [Some(links.next), links.fork];
    let (down, up, ends) = match own.prev {
        _ if children.contains(&Some(own.next)) => (own.next, own.prev, (End::First, End::Last)),
        // The same list, seen from its other end.
        Some(down) if children.contains(&Some(down)) => {
            (down, Some(own.next), (End::Last, End::First))
        }
        _ => return None,
    };
    let other = children.into_iter().flatten().find(|at| *at != down)?;
    let alike = (own.head, own.word, own.fork) == (links.head, links.word, None);
    let alone = node.get(other, links.word) == ZERO;
    (alike && alone && (links.prev.is_none() || up == links.prev)).then_some(ends)
}

/// What leads out of the elements that a node stands for, each with the pointer to the element that leads there.
fn exits(node: &Node, id: NodeId, end: End, links: Links) -> Option<Vec<(Value, Value)>> {
    let (first, last) = entry_and_end(node, links)?;
    let from = Value::Address(Address::at(id, last, links.head));
    let held = |at: i64| (node.get(at, links.word), from);
    let exits = match node.chain.map(|chain| chain.links) {
        None => [Some(links.next), links.fork].into_iter().flatten().map(held).collect(),
        Some(own) if own == links => vec![held(links.next)],
        // Required: a list has its end at the one place of the two that is a link.
        Some(own) if first == End::First => vec![held(own.next)],
        Some(own) => vec![held(own.prev?)],
    };
    (end == first).then_some(exits)
}
