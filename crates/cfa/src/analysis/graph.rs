//! Graphs of numbered vertices: depth-first walks, what can be reached, and strongly connected components.

use bolide_base::HashSet;
use std::hash::Hash;

/// Depth-first trees over vertices; several walks may share one, if they meet no common vertex.
#[derive(Clone, Debug)]
pub struct DepthFirst {
    /// By vertex: its number in the preorder of its walk, and the greatest one in its subtree; `(1, 0)`
    /// when it was not reached.
    pub interval: Vec<(u32, u32)>,
}

/// What one walk found.
pub struct Walk {
    /// The vertices by number.
    pub preorder: Vec<usize>,
    /// The number of the vertex from which each was reached, by number; 0 for the root.
    pub parents: Vec<usize>,
    /// The vertices in the order in which they were left.
    pub postorder: Vec<usize>,
}

impl DepthFirst {
    const UNSEEN: (u32, u32) = (1, 0);

    /// Nothing was reached yet.
    pub fn new(vertices: usize) -> DepthFirst {
        DepthFirst { interval: vec![Self::UNSEEN; vertices] }
    }

    /// Walks from a root; `successor` gives those of a vertex one by one.
    pub fn walk(&mut self, root: usize, successor: impl Fn(usize, usize) -> Option<usize>) -> Walk {
        let mut walk = Walk { preorder: vec![root], parents: vec![0], postorder: Vec::new() };
        let mut stack = vec![(root, 0)];
        self.interval[root] = (0, 0);
        while let Some((vertex, next)) = stack.last_mut() {
            let here = *vertex;
            let to = successor(here, *next);
            *next += 1;
            match to {
                Some(to) if self.interval[to] == Self::UNSEEN => {
                    let number = walk.preorder.len() as u32;
                    walk.parents.push(self.interval[here].0 as usize);
                    walk.preorder.push(to);
                    self.interval[to] = (number, number);
                    stack.push((to, 0));
                }
                Some(_) => {}
                None => {
                    self.interval[here].1 = walk.preorder.len() as u32 - 1;
                    walk.postorder.push(here);
                    stack.pop();
                }
            }
        }
        walk
    }

    /// Whether `a` is an ancestor of `b` (or `b`) in the tree of their walk.
    pub fn is_ancestor(&self, a: usize, b: usize) -> bool {
        let ((first, last), (number, _)) = (self.interval[a], self.interval[b]);
        first <= number && number <= last
    }
}

/// All that can be reached from somewhere in any number of steps.
pub fn reached<T: Copy + Eq + Hash, I: IntoIterator<Item = T>>(
    start: impl IntoIterator<Item = T>,
    mut next: impl FnMut(T) -> I,
) -> HashSet<T> {
    let mut seen = HashSet::default();
    let mut pending: Vec<T> = start.into_iter().collect();
    while let Some(at) = pending.pop() {
        if seen.insert(at) {
            pending.extend(next(at));
        }
    }
    seen
}

/// The strongly connected components of a graph by adjacency lists, each
/// sorted, successors before predecessors (Tarjan 1972).
pub fn components(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let n = successors.len();
    let mut index = vec![usize::MAX; n];
    let mut low = vec![0; n];
    let mut on_stack = vec![false; n];
    let (mut clock, mut stack, mut result) = (0, Vec::new(), Vec::new());
    for root in 0..n {
        if index[root] != usize::MAX {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some((v, next)) = calls.last_mut() {
            let v = *v;
            if *next == 0 {
                index[v] = clock;
                low[v] = clock;
                clock += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = successors[v].get(*next) {
                *next += 1;
                if index[w] == usize::MAX {
                    calls.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(above, _)) = calls.last() {
                low[above] = low[above].min(low[v]);
            }
            if low[v] == index[v] {
                let start = stack.iter().rposition(|&x| x == v).expect("v is on the stack");
                let mut component = stack.split_off(start);
                for &member in &component {
                    on_stack[member] = false;
                }
                component.sort_unstable();
                result.push(component);
            }
        }
    }
    result
}
