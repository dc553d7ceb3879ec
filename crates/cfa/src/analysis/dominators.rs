//! Dominators and postdominators.
//!
//! The algorithm is that of Lengauer and Tarjan (1979) with path compression;
//! the iterative scheme of Cooper, Harvey and Kennedy is simpler but quadratic
//! on a long function with many jumps to one place, which is what checks of a
//! property look like.

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
        let Numbered { number, vertex, parent } = Numbered::depth_first(successors, root);
        let n = vertex.len();
        let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (v, &at) in vertex.iter().enumerate() {
            for &w in &successors[at] {
                predecessors[number[w]].push(v);
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
        tree.number(&children, &vertex);
        tree
    }

    /// Finds the intervals of vertices in the preorder of the tree.
    fn number(&mut self, children: &[Vec<usize>], vertex: &[usize]) {
        let mut clock = 0;
        let mut stack = vec![(0, 0)];
        self.interval[vertex[0]].0 = 0;
        while let Some((v, next)) = stack.last_mut() {
            let here = *v;
            let child = children[here].get(*next).copied();
            *next += 1;
            match child {
                Some(child) => {
                    clock += 1;
                    self.interval[vertex[child]].0 = clock;
                    stack.push((child, 0));
                }
                None => {
                    self.interval[vertex[here]].1 = clock;
                    stack.pop();
                }
            }
        }
    }
}

const NONE: usize = usize::MAX;

/// Depth-first numbers; the arrays of the algorithm are indexed by them.
struct Numbered {
    number: Vec<usize>,
    vertex: Vec<usize>,
    parent: Vec<usize>,
}

impl Numbered {
    fn depth_first(successors: &[Vec<usize>], root: usize) -> Numbered {
        let mut number = vec![NONE; successors.len()];
        let (mut vertex, mut parent) = (vec![root], vec![0]);
        number[root] = 0;
        let mut stack = vec![(root, 0)];
        while let Some((v, next)) = stack.last_mut() {
            let here = *v;
            let Some(&w) = successors[here].get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            if number[w] == NONE {
                number[w] = vertex.len();
                vertex.push(w);
                parent.push(number[here]);
                stack.push((w, 0));
            }
        }
        Numbered { number, vertex, parent }
    }
}

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
