//! Symbolic memory graphs: sets of heaps as pictures.
//!
//! After Dudka, Peringer and Vojnar, *Byte-Precise Verification of Low-Level List Manipulation* (2013; their tool is
//! called Predator). Where the [logic](crate::session) says what holds of all objects, a graph draws them:
//! a node is an object with the values of its cells, and a *chain* is a node that stands for a list of objects
//! that look alike. No question about a graph needs a prover.
//!
//! **What a graph means.** A state of the program belongs to a graph when its objects can be given to the nodes:
//! - a region is one object, of its kind and size, alive or not; two nodes are never the same object;
//! - a chain is a list of at least [`Chain::least`] live objects `e1 ... ek` of such a size. Element `ei` holds at
//!   [`Links::next`] a pointer to byte [`Links::head`] of the next one, the last one what the node's cell says; with
//!   [`Links::prev`] likewise backwards. All other cells of the node are about each element;
//! - a pointer to the [first](End::First) or [last](End::Last) element of an empty chain is what lies behind or before the
//!   chain, moved by as many bytes as the pointer was off the head;
//! - a chain with a [fork](Links::fork) is a *tree*: each element holds at [`Links::next`] and at the fork a pointer to byte [`Links::head`] of a child,
//!   or null, and no element has two parents; with [`Links::prev`] each child leads back to its parent, and the first element, the root, to what the
//!   node's cell says. One of the places of null is the *gap*: it holds what the node's cell at [`Links::next`] says, and
//!   the last element is the one that holds it. Without elements the pointer to the tree is the gap;
//! - a chain whose links are [nowhere](Links::NOWHERE) is an *optional* object: there is at most one element, and the cell there says
//!   what a pointer to it is where there is none;
//! - a node that has an [owner](Node::owner) is there once for each element of that chain: lists of lists;
//! - a [number](Number) is one integer wherever it occurs; with an owner, one for each element;
//! - cells that are not listed, and [`Value::Any`], hold anything;
//! - every live heap object belongs to a node, unless the graph says that some may be [lost](Graph::lost).
//!
//! | in the paper | here |
//! |---|---|
//! | symbolic memory graphs, section 2 | this file |
//! | symbolic execution, materialisation, 3 | [`values`], [`steps`], [`chains`] |
//! | join, abstraction, entailment, 4 | [`matching`] decides; what to try is for the search |
//!
//! Differences: one kind of chain for singly and doubly linked lists, for [`trees`], and for what may be missing. Nothing is
//! joined by a procedure of its own: a more general graph is proposed, and [`matching`] says whether it is one.
//!
//! Required: [`steps`] gives at least the states that the step leads to, and [`matching`] says yes only if every state of the
//! one graph belongs to the other. The audit rests on both, and compares them with executions of states made from what is
//! said above: whoever changes the meaning changes it there too.

mod chains;
pub mod matching;
mod start;
pub mod steps;
pub mod trees;
mod values;

use bolide_base::HashSet;
use bolide_cfa::types::Type;
use bolide_cfa::{ObjectId, RegionId, VarId};
use std::collections::BTreeMap;

/// A node of one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

/// A number of one graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NumberId(u32);

/// What a variable or a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// Anything.
    Any,
    /// An integer; as a pointer, only zero: null.
    Known(i128),
    /// An integer of which only bounds are known.
    Number(NumberId),
    /// A pointer.
    Address(Address),
}

/// Null, and the integer.
pub const ZERO: Value = Value::Known(0);

/// Which element of a chain; regions have a first one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// The first one.
    First,
    /// The last one.
    Last,
    /// From a node that a chain owns: the element that it is there for.
    Each,
}

/// A pointer: into which object, and between which offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// The object, or a chain of them.
    pub node: NodeId,
    /// Which one of a chain.
    pub end: End,
    /// The least offset.
    pub low: i64,
    /// The greatest.
    pub high: i64,
}

impl Address {
    /// A certain byte of a node.
    pub fn at(node: NodeId, end: End, offset: i64) -> Address {
        Address { node, end, low: offset, high: offset }
    }

    /// The offset, if there is one only.
    pub fn offset(self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    /// So many bytes further; none where that leaves all bounds.
    pub(crate) fn moved(self, low: i128, high: i128) -> Option<Address> {
        let (low, high) = (i128::from(self.low) + low, i128::from(self.high) + high);
        let fits = |n: i128| i64::try_from(n).ok().filter(|n| n.unsigned_abs() < 1 << 62);
        Some(Address { low: fits(low)?, high: fits(high)?, ..self })
    }
}

/// An integer between bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// The least value.
    pub low: i128,
    /// The greatest.
    pub high: i128,
    /// It is not zero.
    pub nonzero: bool,
    /// There is one for each element of this chain.
    pub owner: Option<NodeId>,
}

/// Where an object lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// Made by `malloc`.
    Heap,
    /// A local variable.
    Stack,
    /// A static object.
    Static,
    /// A static object that must not be written.
    Constant,
}

/// The links of a list, or of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Links {
    /// Where the pointer to the next element is.
    pub next: i64,
    /// Where the pointer to a second child is, in a tree.
    pub fork: Option<i64>,
    /// Where the pointer to the element before is.
    pub prev: Option<i64>,
    /// Where in an element these pointers point to.
    pub head: i64,
    /// The size of a pointer.
    pub word: i64,
}

impl Links {
    /// The next element of what is optional. No object has bytes there.
    pub const NOWHERE: i64 = -16;

    /// Whether there is at most one element.
    pub fn are_nowhere(&self) -> bool {
        self.next == Self::NOWHERE
    }

    /// Where the pointers are.
    pub fn places(&self) -> impl Iterator<Item = i64> {
        [Some(self.next), self.fork, self.prev].into_iter().flatten()
    }
}

/// What makes a node stand for a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chain {
    /// The fewest elements.
    pub least: u32,
    /// How they hang together.
    pub links: Links,
}

/// What some bytes of an object hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cell {
    /// How many bytes.
    pub size: i64,
    /// Never `Any`.
    pub value: Value,
}

/// An object or a chain of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The fewest bytes and the most.
    pub size: (i64, i64),
    /// Where it lies.
    pub place: Place,
    /// Not freed. What is not alive has no cells.
    pub alive: bool,
    /// By offset; no two overlap.
    pub cells: BTreeMap<i64, Cell>,
    /// Stretches of zero bytes, sorted, apart from each other and from the cells.
    pub zeros: Vec<(i64, i64)>,
    /// It is a list.
    pub chain: Option<Chain>,
    /// There is one for each element of this chain.
    pub owner: Option<NodeId>,
    /// Where its making says that it lies, which tells objects of the same size apart that are for something else. It says nothing of states.
    pub region: Option<RegionId>,
}

/// A set of states of a program without calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Those that are not listed hold anything.
    pub variables: BTreeMap<VarId, Value>,
    /// Objects.
    pub nodes: BTreeMap<NodeId, Node>,
    /// Integers.
    pub numbers: BTreeMap<NumberId, Number>,
    /// The nodes of static objects.
    pub statics: BTreeMap<ObjectId, NodeId>,
    /// There may be live heap objects that nothing leads to and that have no node.
    pub lost: bool,
    /// For names.
    made: u32,
}

impl Graph {
    /// Adds a node.
    pub fn add(&mut self, node: Node) -> NodeId {
        self.made += 1;
        let id = NodeId(self.made);
        self.nodes.insert(id, node);
        id
    }

    /// An integer between bounds, one for each element of the owner if there is one.
    pub fn number(&mut self, low: i128, high: i128, owner: Option<NodeId>) -> Value {
        if low == high {
            return Value::Known(low);
        }
        self.made += 1;
        let id = NumberId(self.made);
        self.numbers.insert(id, Number { low, high, nonzero: false, owner });
        Value::Number(id)
    }

    /// Any value of a type.
    pub fn any(&mut self, ty: Type) -> Value {
        match ty {
            Type::Int(int) if int.bits < 128 => self.number(int.min(), int.max(), None),
            _ => Value::Any,
        }
    }

    /// The bounds of an integer.
    pub fn bounds(&self, value: Value) -> Option<(i128, i128)> {
        match value {
            Value::Known(n) => Some((n, n)),
            Value::Number(id) => self.numbers.get(&id).map(|n| (n.low, n.high)),
            Value::Any | Value::Address(_) => None,
        }
    }

    /// What variables and cells hold.
    pub fn values(&self) -> impl Iterator<Item = Value> + '_ {
        let cells = self.nodes.values().flat_map(|node| node.cells.values());
        self.variables.values().copied().chain(cells.map(|cell| cell.value))
    }

    /// Replaces all values.
    pub(crate) fn replace(&mut self, map: impl Fn(Value) -> Value) {
        for value in self.variables.values_mut() {
            *value = map(*value);
        }
        self.variables.retain(|_, value| *value != Value::Any);
        for node in self.nodes.values_mut() {
            for cell in node.cells.values_mut() {
                cell.value = map(cell.value);
            }
            node.cells.retain(|_, cell| cell.value != Value::Any);
        }
    }

    /// Lets a number be a value.
    pub(crate) fn substitute(&mut self, id: NumberId, by: Value) {
        self.replace(|value| if value == Value::Number(id) { by } else { value });
        self.numbers.remove(&id);
    }

    /// The nodes that a node owns, and those that these own.
    pub fn owned(&self, by: NodeId) -> Vec<NodeId> {
        let mut found = vec![by];
        let mut at = 0;
        while at < found.len() {
            let owner = found[at];
            let of = |(id, node): (&NodeId, &Node)| (node.owner == Some(owner)).then_some(*id);
            found.extend(self.nodes.iter().filter_map(of));
            at += 1;
        }
        found.remove(0);
        found
    }

    /// The nodes to some element of which some values may lead.
    pub fn named(&self, from: impl IntoIterator<Item = Value>) -> HashSet<NodeId> {
        let mut named = HashSet::default();
        let mut open: Vec<Value> = from.into_iter().collect();
        while let Some(value) = open.pop() {
            if let Value::Address(address) = value
                && let Some(node) = self.nodes.get(&address.node)
                && named.insert(address.node)
            {
                open.extend(node.cells.values().map(|cell| cell.value));
            }
        }
        named
    }

    /// The nodes to every element of which some values lead for certain.
    pub fn reached(&self, from: impl IntoIterator<Item = Value>) -> HashSet<NodeId> {
        let (mut whole, mut seen) = (HashSet::default(), HashSet::default());
        let mut open: Vec<Value> = from.into_iter().collect();
        while let Some(value) = open.pop() {
            let Value::Address(address) = value else { continue };
            let Some(node) = self.nodes.get(&address.node) else { continue };
            if !seen.insert((address.node, address.end)) {
                continue;
            }
            let Some(Chain { least, links }) = node.chain else {
                whole.insert(address.node);
                open.extend(node.cells.values().map(|cell| cell.value));
                continue;
            };
            // Required: the last element of a list that is linked one way leads to no other, and an element
            // that something of its own leads back to is one of many.
            let all = links.prev.is_some() || address.end == End::First;
            if !all {
                continue;
            }
            whole.insert(address.node);
            // Required: an empty list leads only on; what its elements own is not there then.
            // Required: nor does an object lead to what is in its place where it is missing.
            let next = Some(links.next).filter(|_| !links.are_nowhere());
            let on = if address.end == End::Last { links.prev } else { next };
            let is_owned = |value: Value| match value {
                Value::Address(to) => {
                    self.nodes.get(&to.node).is_some_and(|n| n.owner == Some(address.node))
                }
                _ => false,
            };
            let counts = |at: i64, value: Value| least > 0 || Some(at) == on || is_owned(value);
            let cells = node.cells.iter().filter(|(at, cell)| counts(**at, cell.value));
            open.extend(cells.map(|(_, cell)| cell.value));
        }
        whole
    }

    /// Forgets objects and numbers that nothing leads to.
    pub fn collect(&mut self) {
        let statics =
            self.statics.values().map(|&id| Value::Address(Address::at(id, End::First, 0)));
        let roots: Vec<Value> = self.variables.values().copied().chain(statics).collect();
        let reached = self.named(roots);
        let is_lost = |(id, node): (&NodeId, &Node)| {
            !reached.contains(id) && node.alive && node.place == Place::Heap
        };
        self.lost |= self.nodes.iter().any(is_lost);
        self.nodes.retain(|id, _| reached.contains(id));
        let number = |value: Value| match value {
            Value::Number(id) => Some(id),
            _ => None,
        };
        let used: HashSet<NumberId> = self.values().filter_map(number).collect();
        self.numbers.retain(|id, _| used.contains(id));
    }
}

impl Node {
    /// An object in which nothing was written yet.
    pub fn region(place: Place, size: (i64, i64)) -> Node {
        Node {
            size,
            place,
            alive: true,
            cells: BTreeMap::new(),
            zeros: Vec::new(),
            chain: None,
            owner: None,
            region: None,
        }
    }

    /// What a cell of exactly these bytes holds; `Any` where nothing is known of it.
    pub fn get(&self, offset: i64, size: i64) -> Value {
        if let Some(cell) = self.cells.get(&offset).filter(|cell| cell.size == size) {
            return cell.value;
        }
        let inside = |&(from, to): &(i64, i64)| from <= offset && offset + size <= to;
        if self.zeros.iter().any(inside) { ZERO } else { Value::Any }
    }

    /// Forgets what some bytes hold.
    pub fn forget(&mut self, from: i64, to: i64) {
        self.cells.retain(|&offset, cell| offset >= to || offset + cell.size <= from);
        let mut left = Vec::new();
        for &(a, b) in &self.zeros {
            left.extend([(a, b.min(from)), (a.max(to), b)].into_iter().filter(|(a, b)| a < b));
        }
        self.zeros = left;
    }

    /// Writes a cell.
    pub fn set(&mut self, offset: i64, size: i64, value: Value) {
        self.forget(offset, offset + size);
        if value != Value::Any {
            self.cells.insert(offset, Cell { size, value });
        }
    }

    /// Makes some bytes zero.
    pub fn clear(&mut self, from: i64, to: i64) {
        self.forget(from, to);
        self.zeros.push((from, to));
        self.zeros.sort_unstable();
        let mut joined: Vec<(i64, i64)> = Vec::new();
        for &(a, b) in &self.zeros {
            match joined.last_mut() {
                Some(last) if last.1 == a => last.1 = b,
                _ => joined.push((a, b)),
            }
        }
        self.zeros = joined;
    }

    /// Whether some bytes lie in it for certain, whatever its size.
    pub(crate) fn holds(&self, low: i64, high: i64, bytes: i128) -> bool {
        low >= 0 && i128::from(high) + bytes <= i128::from(self.size.0)
    }
}
