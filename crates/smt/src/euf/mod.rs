//! Equality with uninterpreted functions: congruence closure with explanations.
//!
//! The structure is an e-graph. Every term the theory looks at is a [`Node`];
//! nodes that must be equal are in one class. Two ideas carry it:
//!
//! - *Congruence closure* as Downey, Sethi and Tarjan describe it: a table maps
//!   the signature of an application (its symbol and the classes of its
//!   arguments) to one application with that signature; merging two classes
//!   rewrites the signatures of the applications above the smaller one, and
//!   applications that meet in the table are merged in turn.
//! - *Proof-producing congruence closure* (Nieuwenhuis and Oliveras 2005): each
//!   class is spanned by a tree of edges, each edge with its reason. The path
//!   between two nodes of a class never changes as long as both stay in it, so
//!   an explanation may be asked for as late as conflict analysis needs it and
//!   still only mentions what was known when the equality came about (see
//!   [`explain`]).
//!
//! Equality atoms and predicates are nodes as well. A true literal merges its
//! node with the node *true*, a false one with *false*. An equality atom whose
//! sides are in one class is merged with true, one whose sides hold different
//! interpreted constants with false, and since atoms take part in congruence a
//! disequality between two classes is found through the table: the atom between
//! any two of their members is congruent to one that is false. So a conflict is
//! always two different interpreted constants in one class, and a propagation
//! is always a node arriving in the class of true or false.
//!
//! Going back restores classes from a trail and leaves the direction of proof
//! edges alone, which does not matter for paths. Nodes may be created at any
//! level; going back below that level takes them out of the table and puts them
//! in again at the level reached, where a congruence may already hold.
//!
//! Left out: arguments are not curried, so a signature is as long as the
//! application.

mod explain;
mod node;
#[cfg(test)]
mod tests;

use std::hash::Hasher;

use node::{Justification, Scratch};
pub use node::{Link, Node, Symbol, Tag};

#[derive(Clone, Debug)]
struct NodeData {
    symbol: Symbol,
    arguments_start: u32,
    arguments_len: u32,
    /// Representative of the class.
    root: Node,
    /// Next member of the class, in a ring.
    next: Node,
    /// At a representative: how many members.
    size: u32,
    /// At a representative: the interpreted constant in the class.
    constant: Node,
    /// At a representative: applications with an argument in the class.
    parents: Vec<Node>,
    /// The tree that explains the class.
    edge: Node,
    justification: Justification,
    /// The signature table is chained through the nodes.
    chain: Node,
    hash: u32,
    in_table: bool,
    /// The caller wants to know when this node becomes true or false.
    watched: bool,
    inserted: bool,
}

#[derive(Clone, Copy, Debug)]
enum Undo {
    Inserted(Node),
    TableRemoved(Node),
    TableInserted(Node),
    Merged { child: Node, from: Node, to: Node, parents_len: u32, constant: Node },
}

/// Two nodes that cannot be equal became equal by `justification`.
#[derive(Clone, Copy, Debug)]
struct Conflict {
    left: Node,
    right: Node,
    justification: Justification,
}

/// Congruence closure over a growing set of nodes.
#[derive(Clone, Debug)]
pub struct Egraph {
    nodes: Vec<NodeData>,
    arguments: Vec<Node>,
    buckets: Vec<Node>,
    table_len: usize,
    trail: Vec<Undo>,
    levels: Vec<usize>,
    pending: Vec<(Node, Node, Justification)>,
    /// Nodes that went out of the table when their level was left.
    reinsert: Vec<Node>,
    conflict: Option<Conflict>,
    propagated: Vec<(Node, bool)>,
    explanation: Scratch,
}

impl Default for Egraph {
    fn default() -> Self {
        Egraph::new()
    }
}

impl Egraph {
    /// The node *true*.
    pub const TRUE: Node = Node(0);
    /// The node *false*.
    pub const FALSE: Node = Node(1);

    /// An e-graph that holds true and false only.
    pub fn new() -> Self {
        let mut egraph = Egraph {
            nodes: Vec::new(),
            arguments: Vec::new(),
            buckets: vec![Node::NONE; 64],
            table_len: 0,
            trail: Vec::new(),
            levels: Vec::new(),
            pending: Vec::new(),
            reinsert: Vec::new(),
            conflict: None,
            propagated: Vec::new(),
            explanation: Scratch::default(),
        };
        egraph.add_constant();
        egraph.add_constant();
        egraph
    }

    // Stating the problem.

    /// A node without arguments.
    pub fn add_leaf(&mut self) -> Node {
        self.add(Symbol::LEAF, &[])
    }

    /// An interpreted constant: different from all other interpreted constants.
    pub fn add_constant(&mut self) -> Node {
        let node = self.add(Symbol::LEAF, &[]);
        self.nodes[node.index()].constant = node;
        node
    }

    /// The application of `symbol` to `arguments`. Arguments of an
    /// [`Symbol::EQUALITY`] are two.
    pub fn add(&mut self, symbol: Symbol, arguments: &[Node]) -> Node {
        let node = Node(self.nodes.len() as u32);
        let start = self.arguments.len() as u32;
        self.arguments.extend_from_slice(arguments);
        self.nodes.push(NodeData {
            symbol,
            arguments_start: start,
            arguments_len: arguments.len() as u32,
            root: node,
            next: node,
            size: 1,
            constant: Node::NONE,
            parents: Vec::new(),
            edge: Node::NONE,
            justification: Justification::Congruence,
            chain: Node::NONE,
            hash: 0,
            in_table: false,
            watched: false,
            inserted: false,
        });
        if !arguments.is_empty() {
            self.reinsert.push(node);
        }
        node
    }

    /// Reports the node from now on in [`Egraph::propagated`] when it becomes
    /// true or false.
    pub fn watch(&mut self, node: Node) {
        self.nodes[node.index()].watched = true;
        if let Some(value) = self.truth(node) {
            self.propagated.push((node, value));
        }
    }

    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The literal of `node` got `value`.
    pub fn assert_literal(&mut self, node: Node, value: bool, tag: Tag) {
        let constant = if value { Self::TRUE } else { Self::FALSE };
        self.pending.push((node, constant, Justification::Asserted(tag)));
        if value && self.symbol(node) == Symbol::EQUALITY {
            let &[left, right] = self.arguments(node) else { unreachable!("equality of two") };
            self.pending.push((left, right, Justification::Asserted(tag)));
        }
    }

    // Solving.

    /// Closes under congruence. False when two different constants became
    /// equal; then [`Egraph::explain_conflict`] says why.
    pub fn close(&mut self) -> bool {
        if self.conflict.is_some() {
            return false;
        }
        loop {
            while let Some(node) = self.reinsert.pop() {
                self.insert(node);
            }
            // A stack would do as well; the order of a queue gives shorter
            // explanations since equalities known first are used first.
            let mut next = 0;
            while next < self.pending.len() {
                let (left, right, justification) = self.pending[next];
                next += 1;
                if !self.merge(left, right, justification) {
                    self.pending.clear();
                    return false;
                }
            }
            self.pending.clear();
            if self.reinsert.is_empty() {
                return true;
            }
        }
    }

    /// Starts a level that [`Egraph::backtrack`] can return to.
    pub fn push_level(&mut self) {
        self.levels.push(self.trail.len());
    }

    /// Returns to the state in which `level` levels were open.
    pub fn backtrack(&mut self, level: usize) {
        self.pending.clear();
        self.conflict = None;
        self.propagated.clear();
        if level < self.levels.len() {
            let mark = self.levels[level];
            self.levels.truncate(level);
            while self.trail.len() > mark {
                let undo = self.trail.pop().expect("trail is longer than the mark");
                self.undo(undo);
            }
        }
    }

    /// Forgets all nodes from `len` on.
    ///
    /// Required: none of them has been part of a merge, nor of a call to
    /// [`Egraph::close`], at a level that is still open.
    pub fn truncate(&mut self, len: usize) {
        self.reinsert.retain(|node| node.index() < len);
        if let Some(data) = self.nodes.get(len) {
            self.arguments.truncate(data.arguments_start as usize);
        }
        self.nodes.truncate(len);
    }

    // Reading the answer.

    /// Watched nodes that became true or false; the caller clears the list.
    pub fn propagated(&mut self) -> &mut Vec<(Node, bool)> {
        &mut self.propagated
    }

    /// The representative of the class of `node`.
    pub fn root(&self, node: Node) -> Node {
        self.nodes[node.index()].root
    }

    /// Whether the nodes are known to be equal.
    pub fn are_equal(&self, left: Node, right: Node) -> bool {
        self.root(left) == self.root(right)
    }

    /// The interpreted constant equal to `node`.
    pub fn constant(&self, node: Node) -> Option<Node> {
        self.nodes[self.root(node).index()].constant.some()
    }

    /// Whether the node is known to be true or false.
    pub fn truth(&self, node: Node) -> Option<bool> {
        match self.constant(node)? {
            Self::TRUE => Some(true),
            Self::FALSE => Some(false),
            _ => None,
        }
    }

    /// The applications with an argument in the class of `node`; one may occur
    /// more than once.
    pub fn parents(&self, node: Node) -> &[Node] {
        &self.nodes[self.root(node).index()].parents
    }

    /// The symbol of an application; leaves share one of their own.
    pub fn symbol(&self, node: Node) -> Symbol {
        self.nodes[node.index()].symbol
    }

    /// The arguments of an application.
    pub fn arguments(&self, node: Node) -> &[Node] {
        let data = &self.nodes[node.index()];
        let start = data.arguments_start as usize;
        &self.arguments[start..start + data.arguments_len as usize]
    }

    // Merging.

    fn insert(&mut self, node: Node) {
        debug_assert!(!self.nodes[node.index()].inserted);
        self.nodes[node.index()].inserted = true;
        for i in 0..self.nodes[node.index()].arguments_len as usize {
            let argument = self.arguments[self.nodes[node.index()].arguments_start as usize + i];
            let root = self.root(argument);
            self.nodes[root.index()].parents.push(node);
        }
        self.trail.push(Undo::Inserted(node));
        self.lookup(node);
    }

    /// Puts an application into the table, or finds what it is equal to.
    fn lookup(&mut self, node: Node) {
        if self.nodes[node.index()].in_table {
            return;
        }
        if self.symbol(node) == Symbol::EQUALITY && self.evaluate_equality(node) {
            return;
        }
        let hash = self.hash(node);
        let mut candidate = self.buckets[hash as usize & (self.buckets.len() - 1)];
        while let Some(other) = candidate.some() {
            let data = &self.nodes[other.index()];
            if data.hash == hash
                && let Some(justification) = self.same_signature(node, other)
            {
                if self.root(other) != self.root(node) {
                    self.pending.push((node, other, justification));
                }
                return;
            }
            candidate = data.chain;
        }
        self.nodes[node.index()].hash = hash;
        self.table_insert(node);
        self.trail.push(Undo::TableInserted(node));
    }

    /// Merges an equality atom with true or false if its sides say so. True if
    /// there is nothing more to find out about it.
    fn evaluate_equality(&mut self, atom: Node) -> bool {
        let &[left, right] = self.arguments(atom) else { unreachable!("equality of two") };
        let (l, r) = (self.root(left), self.root(right));
        if l == r {
            self.pending.push((atom, Self::TRUE, Justification::Reflexive));
            return true;
        }
        let (cl, cr) = (self.nodes[l.index()].constant, self.nodes[r.index()].constant);
        if cl != Node::NONE && cr != Node::NONE && cl != cr {
            self.pending.push((atom, Self::FALSE, Justification::Distinct));
        }
        false
    }

    fn merge(&mut self, left: Node, right: Node, justification: Justification) -> bool {
        let (mut from, mut to) = (left, right);
        let (mut child, mut root) = (self.root(left), self.root(right));
        if child == root {
            return true;
        }
        if self.nodes[child.index()].size > self.nodes[root.index()].size {
            std::mem::swap(&mut from, &mut to);
            std::mem::swap(&mut child, &mut root);
        }
        let child_constant = self.nodes[child.index()].constant;
        let root_constant = self.nodes[root.index()].constant;
        if child_constant != Node::NONE && root_constant != Node::NONE {
            self.conflict = Some(Conflict { left, right, justification });
            return false;
        }
        if child_constant.0 <= 1 {
            self.report_truth(root, child_constant == Self::TRUE);
        } else if root_constant.0 <= 1 {
            self.report_truth(child, root_constant == Self::TRUE);
        }

        self.reroot(from);
        self.nodes[from.index()].edge = to;
        self.nodes[from.index()].justification = justification;

        // The list is taken out so that the table can be changed meanwhile.
        let moved = std::mem::take(&mut self.nodes[child.index()].parents);
        for &parent in &moved {
            if self.nodes[parent.index()].in_table {
                self.table_remove(parent);
                self.trail.push(Undo::TableRemoved(parent));
            }
        }
        let parents_len = self.nodes[root.index()].parents.len() as u32;
        self.trail.push(Undo::Merged { child, from, to, parents_len, constant: root_constant });
        let mut member = child;
        loop {
            self.nodes[member.index()].root = root;
            member = self.nodes[member.index()].next;
            if member == child {
                break;
            }
        }
        self.swap_rings(child, root);
        self.nodes[root.index()].size += self.nodes[child.index()].size;
        if child_constant != Node::NONE {
            self.nodes[root.index()].constant = child_constant;
            for i in 0..parents_len as usize {
                let parent = self.nodes[root.index()].parents[i];
                if self.symbol(parent) == Symbol::EQUALITY {
                    self.evaluate_equality(parent);
                }
            }
        }
        self.nodes[root.index()].parents.extend_from_slice(&moved);
        for &parent in &moved {
            self.lookup(parent);
        }
        self.nodes[child.index()].parents = moved;
        true
    }

    fn swap_rings(&mut self, a: Node, b: Node) {
        let next = self.nodes[a.index()].next;
        self.nodes[a.index()].next = self.nodes[b.index()].next;
        self.nodes[b.index()].next = next;
    }

    fn report_truth(&mut self, class: Node, value: bool) {
        let mut member = class;
        loop {
            let data = &self.nodes[member.index()];
            if data.watched {
                self.propagated.push((member, value));
            }
            member = data.next;
            if member == class {
                break;
            }
        }
    }

    /// Turns the edges from `node` to the root of its tree around.
    fn reroot(&mut self, node: Node) {
        let mut current = node;
        let mut previous = Node::NONE;
        let mut justification = Justification::Congruence;
        while current != Node::NONE {
            let data = &mut self.nodes[current.index()];
            let next = std::mem::replace(&mut data.edge, previous);
            let old = std::mem::replace(&mut data.justification, justification);
            (previous, justification, current) = (current, old, next);
        }
    }

    fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Inserted(node) => {
                for i in (0..self.nodes[node.index()].arguments_len as usize).rev() {
                    let start = self.nodes[node.index()].arguments_start as usize;
                    let root = self.root(self.arguments[start + i]);
                    let popped = self.nodes[root.index()].parents.pop();
                    debug_assert_eq!(popped, Some(node));
                }
                self.nodes[node.index()].inserted = false;
                self.reinsert.push(node);
            }
            Undo::TableInserted(node) => self.table_remove(node),
            Undo::TableRemoved(node) => self.table_insert_again(node),
            Undo::Merged { child, from, to, parents_len, constant } => {
                let root = self.nodes[child.index()].root;
                self.nodes[root.index()].parents.truncate(parents_len as usize);
                self.nodes[root.index()].constant = constant;
                self.nodes[root.index()].size -= self.nodes[child.index()].size;
                self.swap_rings(child, root);
                let mut member = child;
                loop {
                    self.nodes[member.index()].root = child;
                    member = self.nodes[member.index()].next;
                    if member == child {
                        break;
                    }
                }
                // The edge may have been turned around since.
                if self.nodes[from.index()].edge == to {
                    self.nodes[from.index()].edge = Node::NONE;
                } else {
                    debug_assert_eq!(self.nodes[to.index()].edge, from);
                    self.nodes[to.index()].edge = Node::NONE;
                }
            }
        }
    }

    // The signature table: chains threaded through the nodes, so that neither
    // insertion nor removal allocates.

    fn hash_signature(symbol: Symbol, roots: impl Iterator<Item = Node>) -> u32 {
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write_u32(symbol.0);
        for root in roots {
            hasher.write_u32(root.0);
        }
        let hash = hasher.finish();
        (hash ^ (hash >> 32)) as u32
    }

    fn hash(&self, node: Node) -> u32 {
        let symbol = self.symbol(node);
        let arguments = self.arguments(node);
        if symbol == Symbol::EQUALITY {
            let (l, r) = (self.root(arguments[0]), self.root(arguments[1]));
            Self::hash_signature(symbol, [l.min(r), l.max(r)].into_iter())
        } else {
            Self::hash_signature(symbol, arguments.iter().map(|&a| self.root(a)))
        }
    }

    fn same_signature(&self, a: Node, b: Node) -> Option<Justification> {
        if self.symbol(a) != self.symbol(b) {
            return None;
        }
        let (left, right) = (self.arguments(a), self.arguments(b));
        if left.len() != right.len() {
            return None;
        }
        if left.iter().zip(right).all(|(&l, &r)| self.are_equal(l, r)) {
            return Some(Justification::Congruence);
        }
        let swapped = self.symbol(a) == Symbol::EQUALITY
            && self.are_equal(left[0], right[1])
            && self.are_equal(left[1], right[0]);
        swapped.then_some(Justification::SwappedCongruence)
    }

    fn table_insert(&mut self, node: Node) {
        if self.table_len >= self.buckets.len() {
            self.grow_table();
        }
        let bucket = self.nodes[node.index()].hash as usize & (self.buckets.len() - 1);
        self.nodes[node.index()].chain = self.buckets[bucket];
        self.nodes[node.index()].in_table = true;
        self.buckets[bucket] = node;
        self.table_len += 1;
    }

    /// Insertion while going back: the hash belongs to the classes restored.
    fn table_insert_again(&mut self, node: Node) {
        let hash = self.hash(node);
        self.nodes[node.index()].hash = hash;
        self.table_insert(node);
    }

    fn table_remove(&mut self, node: Node) {
        let bucket = self.nodes[node.index()].hash as usize & (self.buckets.len() - 1);
        let chain = self.nodes[node.index()].chain;
        let mut position = self.buckets[bucket];
        if position == node {
            self.buckets[bucket] = chain;
        } else {
            while self.nodes[position.index()].chain != node {
                position = self.nodes[position.index()].chain;
            }
            self.nodes[position.index()].chain = chain;
        }
        self.nodes[node.index()].in_table = false;
        self.table_len -= 1;
    }

    fn grow_table(&mut self) {
        let size = self.buckets.len() * 2;
        self.buckets.clear();
        self.buckets.resize(size, Node::NONE);
        for i in 0..self.nodes.len() {
            if self.nodes[i].in_table {
                let bucket = self.nodes[i].hash as usize & (size - 1);
                self.nodes[i].chain = self.buckets[bucket];
                self.buckets[bucket] = Node(i as u32);
            }
        }
    }
}
