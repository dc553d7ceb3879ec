//! Sets of rows as decision diagrams with several values.
//!
//! A row gives each column one of its classes. A set of rows is a graph: a node asks for the class of one
//! column and has a child for each; columns are asked in one order; what does not matter is not asked; equal
//! nodes are one. After Kam, Villa, Brayton and Sangiovanni-Vincentelli, "Multi-valued decision diagrams:
//! theory and applications" (1998). Binary ones would need primed copies of columns for
//! a step; here a step that changes one column ([`Change`]) is one walk, and the rest is union and difference.
//!
//! Limits. Nodes are never given back. Where there are more than the limit the diagrams
//! are [`full`](Diagrams::is_full), all further results mean nothing, and the caller gives up.

use bolide_base::{HashMap, HashSet};

/// A set of rows: a node of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Set(u32);

impl Set {
    /// No row.
    pub const EMPTY: Set = Set(0);
    /// All rows.
    pub const ALL: Set = Set(1);
}

/// Some classes of a column, one bit each.
pub(super) type Classes = u128;

/// Most classes that a column may have.
pub(super) const MOST_CLASSES: usize = 128;

/// A step that depends on one column and changes that column: rows with class `i` get all classes of `to[i]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Change {
    pub column: usize,
    pub to: Vec<Classes>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    column: u32,
    children: Box<[Set]>,
}

/// What was done to one or two sets.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Done {
    Union(Set, Set),
    Without(Set, Set),
    Changed(u32, Set),
    Forgot(u32, Set),
}

/// All sets of an analysis.
pub(super) struct Diagrams {
    nodes: Vec<Node>,
    known: HashMap<Node, Set>,
    done: HashMap<Done, Set>,
    changes: Vec<Change>,
    change_ids: HashMap<Change, u32>,
    /// Columns that are forgotten together, by column.
    forgotten: Vec<Vec<bool>>,
    most_nodes: usize,
}

impl Diagrams {
    /// None yet.
    pub fn new(most_nodes: usize) -> Diagrams {
        let end = Node { column: u32::MAX, children: Box::new([]) };
        Diagrams {
            nodes: vec![end.clone(), end],
            known: HashMap::default(),
            done: HashMap::default(),
            changes: Vec::new(),
            change_ids: HashMap::default(),
            forgotten: Vec::new(),
            most_nodes,
        }
    }

    /// As many nodes again as there may have been so far.
    pub fn allow_as_much_again(&mut self) {
        self.most_nodes *= 2;
    }

    /// Whether there are too many nodes, so that results mean nothing.
    pub fn is_full(&self) -> bool {
        self.nodes.len() > self.most_nodes || self.done.len() > 8 * self.most_nodes
    }

    /// The column that a set asks for first and its children by class; none for the two ends.
    pub fn ask(&self, set: Set) -> Option<(usize, &[Set])> {
        let node = &self.nodes[set.0 as usize];
        (node.column != u32::MAX).then_some((node.column as usize, &node.children))
    }

    fn column(&self, set: Set) -> u32 {
        self.nodes[set.0 as usize].column
    }

    fn make(&mut self, column: u32, children: Vec<Set>) -> Set {
        if children.iter().all(|child| *child == children[0]) {
            return children[0];
        }
        let node = Node { column, children: children.into() };
        if let Some(&set) = self.known.get(&node) {
            return set;
        }
        let set = Set(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.known.insert(node, set);
        set
    }

    /// Rows of either.
    pub fn union(&mut self, a: Set, b: Set) -> Set {
        match (a, b) {
            _ if a == b || b == Set::EMPTY => return a,
            (Set::EMPTY, _) => return b,
            (Set::ALL, _) | (_, Set::ALL) => return Set::ALL,
            _ => {}
        }
        let (a, b) = (a.min(b), a.max(b));
        self.both(Done::Union(a, b), a, b, Diagrams::union)
    }

    /// Rows of the first that are not in the second.
    pub fn without(&mut self, a: Set, b: Set) -> Set {
        if a == b || a == Set::EMPTY || b == Set::ALL {
            return Set::EMPTY;
        }
        if b == Set::EMPTY {
            return a;
        }
        self.both(Done::Without(a, b), a, b, Diagrams::without)
    }

    /// An operation on two sets, class by class of the first column that either asks for. As deep as
    /// there are columns.
    fn both(
        &mut self,
        key: Done,
        a: Set,
        b: Set,
        operation: fn(&mut Diagrams, Set, Set) -> Set,
    ) -> Set {
        if let Some(&set) = self.done.get(&key) {
            return set;
        }
        if self.is_full() {
            return Set::EMPTY;
        }
        let (of_a, of_b) = (self.column(a), self.column(b));
        let column = of_a.min(of_b);
        let width = self.nodes[if of_a == column { a } else { b }.0 as usize].children.len();
        let mut children = Vec::with_capacity(width);
        for class in 0..width {
            let half = |set: Set, of: u32| match of == column {
                true => self.nodes[set.0 as usize].children[class],
                false => set,
            };
            let (a, b) = (half(a, of_a), half(b, of_b));
            children.push(operation(self, a, b));
        }
        let set = self.make(column, children);
        self.done.insert(key, set);
        set
    }

    /// A number for a change, to be used with [`change`](Self::change).
    pub fn number(&mut self, change: Change) -> u32 {
        if let Some(&id) = self.change_ids.get(&change) {
            return id;
        }
        let id = self.changes.len() as u32;
        self.changes.push(change.clone());
        self.change_ids.insert(change, id);
        id
    }

    /// The rows after a change.
    pub fn change(&mut self, set: Set, change: u32) -> Set {
        if set == Set::EMPTY {
            return set;
        }
        let key = Done::Changed(change, set);
        if let Some(&known) = self.done.get(&key) {
            return known;
        }
        if self.is_full() {
            return Set::EMPTY;
        }
        let here = self.changes[change as usize].column as u32;
        let column = self.column(set);
        let result = if column < here {
            let children = self.nodes[set.0 as usize].children.clone();
            let children = children.iter().map(|&child| self.change(child, change)).collect();
            self.make(column, children)
        } else {
            let to = self.changes[change as usize].to.clone();
            let children = match column == here {
                true => self.nodes[set.0 as usize].children.to_vec(),
                false => vec![set; to.len()],
            };
            let mut after = vec![Set::EMPTY; to.len()];
            for (class, after) in after.iter_mut().enumerate() {
                for (before, child) in children.iter().enumerate() {
                    if to[before] & (1 << class) != 0 {
                        *after = self.union(*after, *child);
                    }
                }
            }
            self.make(here, after)
        };
        self.done.insert(key, result);
        result
    }

    /// A number for columns that are forgotten together, given by column.
    pub fn number_of_forgotten(&mut self, columns: Vec<bool>) -> u32 {
        let known = self.forgotten.iter().position(|known| *known == columns);
        known.unwrap_or_else(|| {
            self.forgotten.push(columns);
            self.forgotten.len() - 1
        }) as u32
    }

    /// Whether a column is among those that are forgotten together.
    pub fn is_forgotten(&self, columns: u32, column: usize) -> bool {
        self.forgotten[columns as usize][column]
    }

    /// The rows with any class in the forgotten columns.
    pub fn forget(&mut self, set: Set, columns: u32) -> Set {
        if set == Set::EMPTY || set == Set::ALL {
            return set;
        }
        let key = Done::Forgot(columns, set);
        if let Some(&known) = self.done.get(&key) {
            return known;
        }
        if self.is_full() {
            return Set::EMPTY;
        }
        let column = self.column(set);
        let children = self.nodes[set.0 as usize].children.clone();
        let children: Vec<Set> =
            children.iter().map(|&child| self.forget(child, columns)).collect();
        let result = if self.forgotten[columns as usize][column as usize] {
            children.into_iter().fold(Set::EMPTY, |all, child| self.union(all, child))
        } else {
            self.make(column, children)
        };
        self.done.insert(key, result);
        result
    }

    /// All nodes of a set, children before parents; nothing for the two ends, and none where
    /// there are more than so many.
    pub fn nodes_of(&self, set: Set, most: usize) -> Option<Vec<Set>> {
        let mut seen: HashSet<Set> = HashSet::default();
        let mut order = Vec::new();
        let mut stack = vec![(set, false)];
        while let Some((at, left)) = stack.pop() {
            if left {
                order.push(at);
            } else if let Some((_, children)) = self.ask(at)
                && seen.insert(at)
            {
                if seen.len() > most {
                    return None;
                }
                stack.push((at, true));
                stack.extend(children.iter().map(|&child| (child, false)));
            }
        }
        Some(order)
    }
}
