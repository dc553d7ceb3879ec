//! Memory graphs: elements taken out of chains, and when one graph has the states of another.

use bolide_base::arena::Id;
use bolide_cfa::VarId;
use bolide_heap::graph::matching::includes;
use bolide_heap::graph::{Address, Chain, End, Graph, Links, Node, NodeId, Place, Value, ZERO};

const ONE_WAY: Links = Links { next: 0, fork: None, prev: None, head: 0, word: 8 };
const BOTH_WAYS: Links = Links { next: 0, fork: None, prev: Some(8), head: 0, word: 8 };

fn variable() -> VarId {
    VarId::from_index(0)
}

fn to(node: NodeId) -> Value {
    Value::Address(Address::at(node, End::First, 0))
}

/// A variable that points to a list of nodes with these data.
fn list(data: &[i128]) -> Graph {
    let mut graph = Graph::default();
    let mut next = ZERO;
    for &n in data.iter().rev() {
        let mut node = Node::region(Place::Heap, (24, 24));
        node.set(0, 8, next);
        node.set(16, 4, Value::Known(n));
        next = to(graph.add(node));
    }
    graph.variables.insert(variable(), next);
    graph
}

/// A variable that points to a chain of at least so many nodes, with data between bounds.
fn chain(least: u32, low: i128, high: i128, links: Links) -> Graph {
    let mut graph = Graph::default();
    let mut node = Node::region(Place::Heap, (24, 24));
    node.chain = Some(Chain { least, links });
    node.set(0, 8, ZERO);
    if links.prev.is_some() {
        node.set(8, 8, ZERO);
    }
    let id = graph.add(node);
    let value = graph.number(low, high, Some(id));
    graph.nodes.get_mut(&id).expect("it was added").set(16, 4, value);
    graph.variables.insert(variable(), to(id));
    graph
}

#[test]
fn a_chain_has_the_lists_that_are_long_enough() {
    for length in 0..5usize {
        let data: Vec<i128> = (0..length as i128).collect();
        for least in 0..5u32 {
            let large = chain(least, 0, 9, ONE_WAY);
            assert_eq!(includes(&large, &list(&data)), length >= least as usize);
        }
    }
    assert!(!includes(&chain(1, 1, 9, ONE_WAY), &list(&[3, 0])), "0 is no datum");
    assert!(!includes(&chain(1, 0, 9, BOTH_WAYS), &list(&[3, 4])), "nothing points back");
    assert!(!includes(&list(&[3, 4]), &chain(2, 3, 4, ONE_WAY)));
}

#[test]
fn one_number_is_not_one_for_each_element() {
    let mut same = chain(1, 0, 9, ONE_WAY);
    let id = *same.nodes.keys().next().expect("there is a chain");
    let shared = same.number(0, 9, None);
    same.nodes.get_mut(&id).expect("it is there").set(16, 4, shared);
    let own = chain(1, 0, 9, ONE_WAY);
    assert!(includes(&own, &same));
    assert!(!includes(&same, &own));
    assert!(includes(&same, &list(&[4, 4])));
    assert!(!includes(&same, &list(&[4, 5])));
}

#[test]
fn lost_objects_are_told() {
    let mut lost = list(&[1]);
    lost.variables.clear();
    let empty = Graph::default();
    assert!(!includes(&empty, &lost));
    let mut forgetful = empty.clone();
    forgetful.lost = true;
    assert!(includes(&forgetful, &lost));
    assert!(!includes(&empty, &forgetful));
    lost.collect();
    assert!(lost.lost && lost.nodes.is_empty());
}

#[test]
fn elements_taken_out_are_those_of_the_chain() {
    for links in [ONE_WAY, BOTH_WAYS] {
        for least in 0..3u32 {
            let whole = chain(least, 0, 9, links);
            let id = *whole.nodes.keys().next().expect("there is a chain");
            for end in [End::First, End::Last] {
                let cases = whole.unfold(id, end);
                assert_eq!(cases.len(), 3 - least as usize);
                for case in &cases {
                    assert!(includes(&whole, case), "{case:?}");
                }
                // All lists of the chain are in some case.
                for length in least as usize..5 {
                    if links == ONE_WAY {
                        let data: Vec<i128> = (0..length as i128).collect();
                        let small = list(&data);
                        assert!(cases.iter().any(|case| includes(case, &small)), "{length}");
                    }
                }
            }
        }
    }
}

#[test]
fn what_lies_behind_an_empty_chain_is_pointed_to() {
    // A pointer four bytes into the first element; behind the chain another object.
    let mut graph = chain(0, 0, 9, ONE_WAY);
    let id = *graph.nodes.keys().next().expect("there is a chain");
    let other = graph.add(Node::region(Place::Stack, (16, 16)));
    let behind = Value::Address(Address::at(other, End::First, 0));
    graph.nodes.get_mut(&id).expect("it is there").set(0, 8, behind);
    graph.variables.insert(variable(), Value::Address(Address::at(id, End::First, 4)));
    let empty = &graph.unfold(id, End::First)[0];
    let expected = Value::Address(Address::at(other, End::First, 4));
    assert_eq!(empty.variables[&variable()], expected);
    assert_eq!(empty.nodes.len(), 1);
}

#[test]
fn a_list_that_may_be_empty_leads_to_nothing_that_its_elements_point_to() {
    for least in 0..2u32 {
        let mut graph = chain(least, 0, 9, ONE_WAY);
        let id = *graph.nodes.keys().next().expect("there is a chain");
        let shared = graph.add(Node::region(Place::Heap, (8, 8)));
        graph.nodes.get_mut(&id).expect("it is there").set(8, 8, to(shared));
        let reached = graph.reached([to(id)]);
        assert!(reached.contains(&id));
        assert_eq!(reached.contains(&shared), least > 0);
        let last = Value::Address(Address::at(id, End::Last, 0));
        assert!(!graph.reached([last]).contains(&id), "nothing leads back");
    }
}

/// Where only the last element of a list that is linked one way is known, the others are lost, whatever the elements own.
#[test]
fn the_last_element_leads_to_no_other() {
    for (links, whole) in [(ONE_WAY, false), (BOTH_WAYS, true)] {
        let mut graph = chain(2, 0, 9, links);
        let id = *graph.nodes.keys().next().expect("it was added");
        let mut own = Node::region(Place::Heap, (8, 8));
        own.owner = Some(id);
        own.set(0, 8, Value::Address(Address::at(id, End::Each, 0)));
        let own = graph.add(own);
        let node = graph.nodes.get_mut(&id).expect("it was added");
        node.size = (32, 32);
        node.set(24, 8, to(own));
        let last = Value::Address(Address::at(id, End::Last, 0));
        assert_eq!(graph.reached([last]).contains(&id), whole);
        assert_eq!(graph.reached([last]).contains(&own), whole);
        assert!(graph.reached([to(id)]).contains(&own));
    }
}

/// The pointer to the end of a list that may be empty is the last element of a longer one only if the links say so.
#[test]
fn the_end_of_an_empty_list_may_be_anything() {
    let end = VarId::from_index(1);
    for links in [ONE_WAY, BOTH_WAYS] {
        let mut large = chain(1, 0, 9, links);
        let id = *large.nodes.keys().next().expect("it was added");
        large.variables.insert(end, Value::Address(Address::at(id, End::Last, 0)));
        // An element, and then a list that may be empty.
        let mut small = chain(0, 0, 9, links);
        let rest = *small.nodes.keys().next().expect("it was added");
        let mut first = Node::region(Place::Heap, (24, 24));
        first.set(0, 8, to(rest));
        first.set(16, 4, Value::Known(5));
        if links.prev.is_some() {
            first.set(8, 8, ZERO);
        }
        let first = small.add(first);
        if links.prev.is_some() {
            small.nodes.get_mut(&rest).expect("it was added").set(8, 8, to(first));
        }
        small.variables.insert(variable(), to(first));
        assert!(includes(&chain(1, 0, 9, links), &small));
        small.variables.insert(end, Value::Address(Address::at(rest, End::Last, 0)));
        assert_eq!(includes(&large, &small), links.prev.is_some());
    }
}

const TREE: Links = Links { next: 0, fork: Some(8), prev: None, head: 0, word: 8 };
const PARENTS: Links = Links { next: 0, fork: Some(8), prev: Some(16), head: 0, word: 8 };

/// The shapes of trees with so many nodes: for each, what is on the left and on the right.
#[derive(Clone, Debug)]
struct Shape(Vec<Option<Shape>>);

fn shapes(count: usize) -> Vec<Option<Shape>> {
    if count == 0 {
        return vec![None];
    }
    let mut all = Vec::new();
    for left in 0..count {
        for a in shapes(left) {
            for b in shapes(count - 1 - left) {
                all.push(Some(Shape(vec![a.clone(), b])));
            }
        }
    }
    all
}

/// Where a tree is being built: what the places of null hold, and all of these places.
struct Builder {
    graph: Graph,
    links: Links,
    /// Node and offset.
    ends: Vec<(NodeId, i64)>,
}

impl Builder {
    fn tree(&mut self, shape: Option<&Shape>, parent: Value) -> Value {
        let Some(Shape(children)) = shape else { return ZERO };
        let id = self.graph.add(Node::region(Place::Heap, (32, 32)));
        for (at, child) in [0, 8].into_iter().zip(children) {
            let value = self.tree(child.as_ref(), to(id));
            if value == ZERO {
                self.ends.push((id, at));
            }
            let node = self.graph.nodes.get_mut(&id).expect("it was added");
            node.set(at, 8, value);
        }
        let node = self.graph.nodes.get_mut(&id).expect("it was added");
        if self.links.prev.is_some() {
            node.set(16, 8, parent);
        }
        node.set(24, 4, Value::Known(3));
        to(id)
    }
}

/// A variable that points to such a tree, and one that points to what is in the gap, at each place where that can be.
fn trees(shape: Option<&Shape>, links: Links) -> Vec<Graph> {
    let mut builder = Builder { graph: Graph::default(), links, ends: Vec::new() };
    let root = builder.tree(shape, ZERO);
    let mut all = Vec::new();
    for gap in builder.ends.iter().copied().map(Some).chain(shape.is_none().then_some(None)) {
        let mut graph = builder.graph.clone();
        let behind = graph.add(Node::region(Place::Stack, (8, 8)));
        graph.variables.insert(VarId::from_index(1), to(behind));
        graph.variables.insert(variable(), if gap.is_none() { to(behind) } else { root });
        if let Some((node, at)) = gap {
            graph.nodes.get_mut(&node).expect("it was added").set(at, 8, to(behind));
            graph.variables.insert(VarId::from_index(2), to(node));
        } else {
            graph.variables.insert(VarId::from_index(2), ZERO);
        }
        all.push(graph);
    }
    all
}

/// A variable that points to a tree with a gap, one that points to what is there, and one that points to the last element.
fn gapped(least: u32, links: Links, last: bool) -> (Graph, NodeId) {
    let mut graph = Graph::default();
    let behind = graph.add(Node::region(Place::Stack, (8, 8)));
    let mut node = Node::region(Place::Heap, (32, 32));
    node.chain = Some(Chain { least, links });
    node.set(0, 8, to(behind));
    if links.prev.is_some() {
        node.set(16, 8, ZERO);
    }
    node.set(24, 4, Value::Known(3));
    let id = graph.add(node);
    graph.variables.insert(variable(), to(id));
    graph.variables.insert(VarId::from_index(1), to(behind));
    if last {
        let last = Value::Address(Address::at(id, End::Last, 0));
        graph.variables.insert(VarId::from_index(2), last);
    }
    (graph, id)
}

#[test]
fn a_tree_has_all_trees_with_a_gap() {
    for links in [TREE, PARENTS] {
        for count in 0..5usize {
            for shape in shapes(count) {
                for small in trees(shape.as_ref(), links) {
                    for least in 0..2u32 {
                        let (large, _) = gapped(least, links, false);
                        assert_eq!(includes(&large, &small), count >= least as usize, "{small:?}");
                        let (large, _) = gapped(least, links, count > 0 || links.prev.is_some());
                        assert_eq!(includes(&large, &small), count >= least as usize, "{small:?}");
                    }
                    assert!(!includes(&small, &gapped(0, links, false).0));
                }
            }
        }
    }
}

#[test]
fn what_is_no_tree_is_none() {
    for links in [TREE, PARENTS] {
        let (large, _) = gapped(1, links, false);
        for shape in shapes(3) {
            let small = trees(shape.as_ref(), links).remove(0);
            let heap: Vec<NodeId> = small
                .nodes
                .iter()
                .filter(|(_, n)| n.place == Place::Heap)
                .map(|(id, _)| *id)
                .collect();
            assert!(includes(&large, &small));
            for &id in &heap {
                let spoiled = |change: &dyn Fn(&mut Node)| {
                    let mut spoiled = small.clone();
                    change(spoiled.nodes.get_mut(&id).expect("it is there"));
                    assert!(!includes(&large, &spoiled), "{spoiled:?}");
                };
                spoiled(&|node| node.set(24, 4, Value::Known(4)));
                spoiled(&|node| node.place = Place::Stack);
                spoiled(&|node| node.size = (40, 40));
                // An element with two parents, and one that leads to its own start.
                for &other in &heap {
                    for at in [0, 8] {
                        if small.nodes[&id].get(at, 8) != to(other) {
                            spoiled(&|node| node.set(at, 8, to(other)));
                        }
                    }
                    let up = small.nodes[&id].get(16, 8);
                    if links.prev.is_some() && up != to(other) {
                        spoiled(&|node| node.set(16, 8, to(other)));
                    }
                }
            }
        }
    }
}

#[test]
fn parts_of_trees_are_those_of_the_tree() {
    for links in [TREE, PARENTS] {
        for least in 0..2u32 {
            for end in [End::First, End::Last] {
                // Nothing tells who holds the gap of a tree without links to parents, if it is empty.
                let asked = links.prev.is_some() || end == End::Last;
                if asked && links.prev.is_none() && least == 0 {
                    continue;
                }
                let (whole, id) = gapped(least, links, asked);
                let cases = whole.unfold(id, end);
                for case in &cases {
                    assert!(includes(&whole, case), "{case:?}");
                }
                for count in least as usize..5 {
                    for shape in shapes(count) {
                        for small in trees(shape.as_ref(), links) {
                            let has = |case: &Graph| includes(case, &small);
                            assert!(cases.iter().any(has), "{end:?} {small:?}");
                        }
                    }
                }
            }
        }
    }
}

/// A list is a tree whose elements have one child, whichever; not if the other place is not null.
#[test]
fn a_list_may_be_a_tree() {
    for (next, other) in [(0, 8), (8, 0)] {
        let (large, _) = gapped(1, PARENTS, false);
        let list = |value: Value, prev: Option<i64>| {
            let (mut small, id) = gapped(1, PARENTS, false);
            let links = Links { next, fork: None, prev, head: 0, word: 8 };
            let node = small.nodes.get_mut(&id).expect("it was added");
            let behind = node.get(0, 8);
            node.chain = Some(Chain { least: 2, links });
            node.set(next, 8, behind);
            node.set(other, 8, value);
            includes(&large, &small)
        };
        assert!(list(ZERO, Some(16)));
        assert!(!list(Value::Known(8), Some(16)));
        assert!(!list(ZERO, None), "nothing says that all lead back");
    }
}
