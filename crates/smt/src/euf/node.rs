//! Nodes, symbols, and why nodes are equal.

/// A term as the e-graph sees it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Node(pub u32);

impl Node {
    pub(super) const NONE: Node = Node(u32::MAX);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn some(self) -> Option<Node> {
        (self != Node::NONE).then_some(self)
    }
}

/// The function symbol of an application. Symbols are compared, never looked
/// into; the caller numbers them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub u32);

impl Symbol {
    /// A node that is not an application.
    pub(super) const LEAF: Symbol = Symbol(u32::MAX);
    /// Equality, whose arguments may be swapped.
    pub const EQUALITY: Symbol = Symbol(u32::MAX - 1);
}

/// What the caller asserted: a literal in the caller's own coding.
pub type Tag = u32;

/// Why two nodes were merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Justification {
    /// The caller said so.
    Asserted(Tag),
    /// Both are applications of one symbol to equal arguments.
    Congruence,
    /// Both are equality atoms, and each side of one equals the other side of
    /// the other. Remembered, since the sides may also come to match straight
    /// later, and an explanation must not use what was not known yet.
    SwappedCongruence,
    /// The equality atom (the first node) has both sides in one class.
    Reflexive,
    /// The sides of the equality atom (the first node) equal different constants.
    Distinct,
}

/// Working memory, kept between explanations.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// For each node the last explanation that expanded the edge above it.
    pub(super) expanded: Vec<u32>,
    /// For each node the last search that came through on the left side.
    pub(super) visited: Vec<u32>,
    pub(super) stamp: u32,
    pub(super) search: u32,
    pub(super) work: Vec<(Node, Node)>,
    /// Whether `links` are wanted.
    pub(super) linking: bool,
    pub(super) links: Vec<Link>,
}

/// Two asserted equalities, one after the other, on a path that explains a
/// conflict: `from = middle` by the first literal, `middle = to` by the second.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// One end.
    pub from: Node,
    /// The other end.
    pub to: Node,
    /// The two literals.
    pub tags: [Tag; 2],
}
