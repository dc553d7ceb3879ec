//! Dominators and postdominators.
//!
//! The algorithm is that of Lengauer and Tarjan (1979) with path compression;
//! the iterative scheme of Cooper, Harvey and Kennedy is simpler but quadratic
//! on a long function with many jumps to one place, which is what checks of a
//! property look like.

use super::graph::DepthFirst;

/// The dominator tree of a graph given by adjacency lists.
#[derive(Clone, Debug)]
pub struct DominatorTree {
    /// By vertex; none for the root and for vertices that it does not reach.
    pub immediate: Vec<Option<usize>>,
    /// By vertex: interval in the preorder of the tree; `(1, 0)` when not reached.
    pub interval: Vec<(u32, u32)>,
    /// By vertex: distance from the root of the tree.
    pub depth: Vec<u32>,
}

impl DominatorTree {
    /// Builds the tree.
    pub fn new(successors: &[Vec<usize>], root: usize) -> DominatorTree {
        let mut tree = DepthFirst::new(successors.len());
        let walk = tree.walk(root, |v, n| successors[v].get(n).copied());
        let (vertex, parent) = (walk.preorder, walk.parents);
        let n = vertex.len();
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (v, &at) in vertex.iter().enumerate() {
            for &w in &successors[at] {
                predecessors[tree.interval[w].0 as usize].push(v);
            }
        }
        let mut semi: Vec<usize> = (0..n).collect();
        let mut label: Vec<usize> = (0..n).collect();
        let mut ancestor = vec![NONE; n];
        let mut bucket: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut dom = vec![0; n];
        let mut path = Vec::new();
        for w in (1..n).rev() {
            for &v in &predecessors[w] {
                let u = evaluate(v, &mut ancestor, &mut label, &semi, &mut path);
                semi[w] = semi[w].min(semi[u]);
            }
            bucket[semi[w]].push(w);
            ancestor[w] = parent[w];
            for v in std::mem::take(&mut bucket[parent[w]]) {
                let u = evaluate(v, &mut ancestor, &mut label, &semi, &mut path);
                dom[v] = if semi[u] < semi[v] { u } else { parent[w] };
            }
        }
        let mut tree = DominatorTree {
            immediate: vec![None; successors.len()],
            interval: vec![(1, 0); successors.len()],
            depth: vec![0; successors.len()],
        };
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        for w in 1..n {
            if dom[w] != semi[w] {
                dom[w] = dom[dom[w]];
            }
            children[dom[w]].push(w);
            tree.immediate[vertex[w]] = Some(vertex[dom[w]]);
            // Dominators have smaller numbers, so their depth is known.
            tree.depth[vertex[w]] = tree.depth[vertex[dom[w]]] + 1;
        }
        let mut below = DepthFirst::new(n);
        below.walk(0, |v, next| children[v].get(next).copied());
        for (v, &at) in vertex.iter().enumerate() {
            tree.interval[at] = below.interval[v];
        }
        tree
    }
}

const NONE: usize = usize::MAX;

/// The vertex with least semidominator on the forest path above `v`;
/// compresses the path.
fn evaluate(
    v: usize,
    ancestor: &mut [usize],
    label: &mut [usize],
    semi: &[usize],
    path: &mut Vec<usize>,
) -> usize {
    if ancestor[v] == NONE {
        return v;
    }
    let mut at = v;
    while ancestor[ancestor[at]] != NONE {
        path.push(at);
        at = ancestor[at];
    }
    while let Some(below) = path.pop() {
        let above = ancestor[below];
        if semi[label[above]] < semi[label[below]] {
            label[below] = label[above];
        }
        ancestor[below] = ancestor[above];
    }
    label[v]
}
