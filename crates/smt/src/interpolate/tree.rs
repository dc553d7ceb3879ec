//! The tree of partitions and its cuts.
//!
//! The formulas of an interpolation problem are the nodes of a tree; a sequence
//! is a tree that is a chain. The cut of a node separates A, the formulas of
//! its subtree, from B, all others. Nodes are renumbered in postorder, so that
//! a subtree is an interval of *positions* and "is this partition on the A side
//! of that cut" is two comparisons. The root has no cut: its interpolant is
//! `false` by definition.

use super::failure::{Found, NoInterpolant};
use bolide_terms::{TermId, TermStore};

/// One side of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    A,
    B,
}

impl Side {
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// A tree of partitions, with cuts numbered by postorder position.
#[derive(Clone, Debug)]
pub(crate) struct PartitionTree {
    /// For each partition its postorder position.
    position: Vec<u32>,
    /// For each position the partition that stands there.
    partition: Vec<u32>,
    /// For each position the first position of its subtree.
    first: Vec<u32>,
}

impl PartitionTree {
    /// The chain of `partitions` formulas.
    pub fn sequence(partitions: usize) -> Self {
        let n = partitions as u32;
        PartitionTree {
            position: (0..n).collect(),
            partition: (0..n).collect(),
            first: vec![0; partitions],
        }
    }

    /// The tree in which `parents[i]` is the parent of partition `i`; the root
    /// names itself.
    pub fn new(parents: &[usize]) -> Result<Self, NoInterpolant> {
        let n = parents.len();
        let malformed =
            |why: &str| Err(NoInterpolant::new(format!("not a tree of partitions: {why}")));
        let mut children: Vec<Vec<u32>> = vec![Vec::new(); n];
        let mut root = None;
        for (node, &parent) in parents.iter().enumerate() {
            if parent >= n {
                return malformed("a parent is out of range");
            }
            if parent == node {
                if root.replace(node).is_some() {
                    return malformed("there are two roots");
                }
            } else {
                children[parent].push(node as u32);
            }
        }
        let Some(root) = root else {
            return malformed("there is no root");
        };
        let mut tree = PartitionTree {
            position: vec![u32::MAX; n],
            partition: Vec::with_capacity(n),
            first: Vec::with_capacity(n),
        };
        // Each entry: a node, how many children are done, the first position of its subtree.
        let mut stack = vec![(root, 0usize, 0u32)];
        while let Some((node, done, first)) = stack.pop() {
            if let Some(&child) = children[node].get(done) {
                stack.push((node, done + 1, first));
                stack.push((child as usize, 0, tree.partition.len() as u32));
            } else {
                tree.position[node] = tree.partition.len() as u32;
                tree.partition.push(node as u32);
                tree.first.push(first);
            }
        }
        if tree.partition.len() != n {
            return malformed("it has a cycle");
        }
        Ok(tree)
    }

    /// How many partitions there are.
    pub fn partitions(&self) -> usize {
        self.partition.len()
    }

    /// How many cuts there are: all nodes but the root.
    pub fn cuts(&self) -> u32 {
        (self.partition.len() as u32).saturating_sub(1)
    }

    /// The cut below partition `partition` (not to be asked of the root).
    pub fn position(&self, partition: usize) -> u32 {
        self.position[partition]
    }

    /// The positions of the partitions on the A side of `cut`.
    pub fn subtree(&self, cut: u32) -> std::ops::RangeInclusive<u32> {
        self.first[cut as usize]..=cut
    }

    /// Whether the tree is a chain, so that the A sides grow from cut to cut.
    pub fn is_sequence(&self) -> bool {
        self.first.iter().all(|&first| first == 0)
    }

    /// The side of `cut` on which the partition at `position` is.
    pub fn side(&self, position: u32, cut: u32) -> Side {
        if self.in_subtree(position, cut) { Side::A } else { Side::B }
    }

    /// Whether the partition at `position` is on the A side of `cut`.
    pub fn in_subtree(&self, position: u32, cut: u32) -> bool {
        position <= cut && self.first[cut as usize] <= position
    }
}

/// Interpolants of a tree, worked off from its leaves: a node with the interpolants of its
/// children against everything outside of its subtree is a problem of two formulas, which
/// `between` solves; its interpolant then takes the place of the subtree. None where `between` says
/// so: there is a model.
pub(crate) fn from_the_leaves(
    store: &mut TermStore,
    formulas: &[TermId],
    parents: &[usize],
    mut between: impl FnMut(&mut TermStore, TermId, TermId) -> Found<Option<TermId>>,
) -> Found<Option<Vec<TermId>>> {
    let tree = PartitionTree::new(parents)?;
    let mut interpolants = vec![TermId::FALSE; formulas.len()];
    // The formulas that are not yet in a finished subtree, and the interpolants
    // of those that are.
    let mut open: Vec<Vec<TermId>> = formulas.iter().map(|&formula| vec![formula]).collect();
    for position in 0..tree.cuts() {
        let node = tree.partition[position as usize] as usize;
        let inside = store.mk_and(&open[node]);
        let others = open.iter().enumerate().filter(|(other, _)| *other != node);
        let outside: Vec<TermId> = others.flat_map(|(_, members)| members).copied().collect();
        let outside = store.mk_and(&outside);
        match between(store, inside, outside)? {
            None => return Ok(None),
            Some(interpolant) => interpolants[node] = interpolant,
        }
        open[node].clear();
        open[parents[node]].push(interpolants[node]);
    }
    Ok(Some(interpolants))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subtree_is_an_interval_of_positions() {
        //        4
        //      /   \
        //     2     3
        //    / \
        //   0   1
        let tree = PartitionTree::new(&[2, 2, 4, 4, 4]).unwrap();
        assert_eq!(tree.cuts(), 4);
        assert!(!tree.is_sequence());
        let below = |node: usize| {
            let cut = tree.position(node);
            (0..5).filter(|&p| tree.in_subtree(tree.position(p), cut)).collect::<Vec<_>>()
        };
        assert_eq!(below(0), [0]);
        assert_eq!(below(2), [0, 1, 2]);
        assert_eq!(below(3), [3]);
        assert_eq!(below(4), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_chain_is_a_sequence_in_any_numbering() {
        let tree = PartitionTree::new(&[0, 0, 1]).unwrap();
        assert!(tree.is_sequence());
        assert_eq!((tree.position(2), tree.position(1), tree.position(0)), (0, 1, 2));
        assert!(PartitionTree::sequence(3).is_sequence());
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        for parents in [&[1usize, 0][..], &[0, 1], &[0, 7], &[0, 2, 1]] {
            assert!(PartitionTree::new(parents).is_err(), "{parents:?}");
        }
    }
}
