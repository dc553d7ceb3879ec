//! The points-to graph: nodes joined by union-find with offsets.
//!
//! A [`Cell`] is a node and an offset in bytes. Nodes are joined by weighted
//! union-find: each knows by how much its origin is shifted against its
//! parent's, so that joining "`p` points 8 bytes into A" with "`p` points to the start of B"
//! places B at offset 8 of the common node without loss. Joining a
//! node with itself at another offset says that cells at that distance are the
//! same: the node gets that distance as its *period*, the greatest common divisor
//! of all such. An array of structs accessed at `base + i * 12 + 4` gets the
//! period 12 and keeps its fields apart; period 1 is a collapsed node.
//!
//! The fields of a node are disjoint byte ranges (taken modulo the period).
//! Accesses that overlap without being equal join their fields, so that two
//! accesses in different fields never touch a common byte. A field knows what
//! the pointers stored in it point to (one cell, as usual in
//! unification-based analyses) and which types it was accessed with.

use crate::program::{EdgeId, FunctionId, ObjectId};
use crate::types::Type;
use bolide_base::arena::Id;
use bolide_base::define_id;
use bolide_base::integer::gcd_u64;
use std::collections::BTreeMap;

define_id!(
    /// A node of the graph; several may have been joined into one.
    pub struct NodeId
);

/// A place in memory: a node and an offset in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// The node.
    pub node: NodeId,
    /// Bytes from the node's origin.
    pub offset: i64,
}

impl Cell {
    /// The cell `bytes` further on.
    pub fn moved(self, bytes: i64) -> Cell {
        Cell { offset: self.offset.wrapping_add(bytes), ..self }
    }
}

/// What lives in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// A static object.
    Static(ObjectId),
    /// All objects that an allocation makes.
    Site(EdgeId),
}

/// How a field was accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Always as this type, the whole of it.
    One(Type),
    /// In several ways, or as a bit-field.
    Mixed,
}

/// A byte range of a node; its start is the key in [`Node::fields`].
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Number of bytes.
    pub size: i64,
    /// How it was accessed.
    pub shape: Shape,
    /// Some access was volatile.
    pub volatile: bool,
    /// An edge of the program accesses it (not only an initial value).
    pub accessed: bool,
    /// What the pointers stored here point to.
    pub content: Option<Cell>,
}

/// The common parameters and result of functions that one pointer may call.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// What the parameters point to.
    pub parameters: Vec<Option<Cell>>,
    /// What the result points to.
    pub result: Option<Cell>,
}

/// A set of memory that the analysis does not tell apart but by offset.
#[derive(Clone, Debug, Default)]
pub struct Node {
    /// Cells at this distance are the same; 0 when all differ.
    pub period: u64,
    /// Disjoint fields by start; starts lie below the period if there is one.
    pub fields: BTreeMap<i64, Field>,
    /// What lives here, with the offset of its first byte.
    pub places: Vec<(Place, i64)>,
    /// Functions whose address points here.
    pub functions: Vec<FunctionId>,
    /// For nodes with functions or calls.
    pub signature: Option<Signature>,
    /// Memory that external code may know, or that was pointed to from nowhere.
    pub universal: bool,
    /// Output operations read strings from here.
    pub printed: bool,
    /// Pointers to here may also point to what nobody knows, but are not followed then.
    pub unknown: bool,
}

/// The graph.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// By node: parent and the shift of its origin there; own id for roots.
    links: Vec<(u32, i64)>,
    nodes: Vec<Node>,
    pending: Vec<(Cell, Cell)>,
    /// Whether something was joined since the flag was last cleared.
    pub changed: bool,
}

impl Graph {
    /// A new node without anything.
    pub fn fresh(&mut self) -> Cell {
        let id = self.nodes.len();
        self.links.push((id as u32, 0));
        self.nodes.push(Node::default());
        Cell { node: NodeId::from_index(id), offset: 0 }
    }

    /// The root node of a cell and the canonical offset there.
    pub fn find(&mut self, cell: Cell) -> Cell {
        let mut path = Vec::new();
        let (mut at, mut shift) = (cell.node.index(), 0i64);
        while self.links[at].0 as usize != at {
            path.push((at, shift));
            shift = shift.wrapping_add(self.links[at].1);
            at = self.links[at].0 as usize;
        }
        for (below, before) in path {
            self.links[below] = (at as u32, shift.wrapping_sub(before));
        }
        let offset = cell.offset.wrapping_add(shift);
        Cell { node: NodeId::from_index(at), offset: reduce(offset, self.nodes[at].period) }
    }

    /// A root node.
    pub fn node(&self, root: NodeId) -> &Node {
        &self.nodes[root.index()]
    }

    /// A root node, to change.
    pub fn node_mut(&mut self, root: NodeId) -> &mut Node {
        &mut self.nodes[root.index()]
    }

    /// All root nodes, ascending.
    pub fn roots(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.nodes.len()).filter(|&i| self.links[i].0 as usize == i).map(NodeId::from_index)
    }

    /// Makes two cells one, and all that follows from it.
    pub fn unify(&mut self, a: Cell, b: Cell) {
        self.pending.push((a, b));
        self.settle();
    }

    /// Forgets offsets in the cell's node.
    pub fn collapse(&mut self, cell: Cell) {
        self.unify(cell, cell.moved(1));
    }

    /// Says that cells `stride` apart are the same.
    pub fn fold(&mut self, cell: Cell, stride: u64) {
        if stride != 0 {
            self.unify(cell, cell.moved(stride.min(i64::MAX as u64) as i64));
        }
    }

    fn settle(&mut self) {
        while let Some((a, b)) = self.pending.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            self.changed = true;
            if a.node == b.node {
                let distance = a.offset.abs_diff(b.offset);
                let period = gcd_u64(self.nodes[a.node.index()].period, distance);
                self.set_period(a.node, period);
            } else {
                self.join(a, b);
            }
        }
    }

    fn join(&mut self, a: Cell, b: Cell) {
        let weight = |n: &Node| n.fields.len() + n.places.len() + n.functions.len();
        let (small, large) =
            if weight(&self.nodes[a.node.index()]) < weight(&self.nodes[b.node.index()]) {
                (a, b)
            } else {
                (b, a)
            };
        let shift = large.offset.wrapping_sub(small.offset);
        let gone = std::mem::take(&mut self.nodes[small.node.index()]);
        self.links[small.node.index()] = (large.node.index() as u32, shift);
        let node = &mut self.nodes[large.node.index()];
        let period = gcd_u64(node.period, gone.period);
        let changed = period != node.period;
        node.universal |= gone.universal;
        node.printed |= gone.printed;
        node.unknown |= gone.unknown;
        node.places.extend(gone.places.into_iter().map(|(p, o)| (p, o.wrapping_add(shift))));
        node.functions.extend(gone.functions);
        if let Some(theirs) = gone.signature {
            let mine = node.signature.get_or_insert_default();
            if mine.parameters.len() < theirs.parameters.len() {
                mine.parameters.resize(theirs.parameters.len(), None);
            }
            let parameters = mine.parameters.iter_mut().zip(theirs.parameters);
            for (m, t) in parameters.chain([(&mut mine.result, theirs.result)]) {
                match (*m, t) {
                    (Some(m), Some(t)) => self.pending.push((m, t)),
                    (None, t) => *m = t,
                    _ => {}
                }
            }
        }
        if changed {
            self.set_period(large.node, period);
        }
        for (start, field) in gone.fields {
            self.insert(large.node, start.wrapping_add(shift), field);
        }
    }

    fn set_period(&mut self, root: NodeId, period: u64) {
        let node = &mut self.nodes[root.index()];
        if node.period == period {
            return;
        }
        node.period = period;
        for (start, field) in std::mem::take(&mut node.fields) {
            self.insert(root, start, field);
        }
    }

    /// Adds a field to a root node, joining it with those that it overlaps.
    fn insert(&mut self, root: NodeId, start: i64, field: Field) {
        let node = &mut self.nodes[root.index()];
        let (mut lo, mut hi, mut field) = (start, start.saturating_add(field.size), field);
        if node.period > 0 {
            let period = node.period.min(i64::MAX as u64) as i64;
            lo = reduce(start, node.period);
            hi = lo.saturating_add(field.size);
            if hi > period {
                // Required: a range that wraps around touches both ends.
                (lo, hi) = (0, period);
                field.shape = Shape::Mixed;
                if let Some(content) = field.content {
                    self.pending.push((content, content.moved(1)));
                }
            }
        }
        let mut overlapping: Vec<i64> = Vec::new();
        for (&at, other) in node.fields.range(..hi).rev() {
            // Fields are disjoint and sorted: the first that ends before us ends the search.
            if at.saturating_add(other.size) <= lo {
                break;
            }
            overlapping.push(at);
        }
        for at in overlapping {
            let other = node.fields.remove(&at).expect("just found");
            let exact = at == lo && other.size == hi - lo;
            if !exact || other.shape != field.shape {
                field.shape = Shape::Mixed;
            }
            field.volatile |= other.volatile;
            field.accessed |= other.accessed;
            match (field.content, other.content) {
                (Some(a), Some(b)) => self.pending.push((a, b)),
                (None, b) => field.content = b,
                _ => {}
            }
            if !exact && let Some(content) = field.content {
                // Parts of pointers may be put together: no offset is sure.
                self.pending.push((content, content.moved(1)));
            }
            lo = lo.min(at);
            hi = hi.max(at.saturating_add(other.size));
        }
        field.size = hi - lo;
        node.fields.insert(lo, field);
    }

    /// Records an access of `size` bytes at a cell.
    pub fn access(&mut self, cell: Cell, size: u64, shape: Shape, volatile: bool, accessed: bool) {
        let at = self.find(cell);
        let size = size.clamp(1, i64::MAX as u64 / 4) as i64;
        self.insert(at.node, at.offset, Field { size, shape, volatile, accessed, content: None });
        self.settle();
    }

    /// The field that holds the byte at a cell, with its start.
    pub fn field(&mut self, cell: Cell) -> Option<(NodeId, i64, Field)> {
        let at = self.find(cell);
        let (&start, field) = self.nodes[at.node.index()].fields.range(..=at.offset).next_back()?;
        (at.offset < start + field.size).then_some((at.node, start, *field))
    }

    /// What pointers stored at a cell point to. The field must exist.
    pub fn content(&mut self, cell: Cell) -> Cell {
        let (node, start, field) = self.field(cell).expect("contents of an accessed cell");
        match field.content {
            Some(content) => content,
            None => {
                let content = self.fresh();
                let field = self.nodes[node.index()].fields.get_mut(&start).expect("found above");
                field.content = Some(content);
                content
            }
        }
    }
}

fn reduce(offset: i64, period: u64) -> i64 {
    match i64::try_from(period) {
        Ok(0) | Err(_) => offset,
        Ok(period) => offset.rem_euclid(period),
    }
}
