//! The shape of each function's graph: orders and loops.
//!
//! Loops are found as Havlak
//! (1997) extends Tarjan's interval finding to irreducible graphs: a loop head
//! is the target of an edge that goes back to an ancestor in the depth-first
//! tree. Every cycle has such an edge, so cutting at the heads leaves no
//! cycle, reducible or not.

use super::BitSet;
use super::graph::DepthFirst;
use crate::program::{FunctionId, LocId, Program};
use bolide_base::arena::Id;
use bolide_base::{Arena, define_id};

const NONE: u32 = u32::MAX;

/// Depth-first orders of all functions.
#[derive(Clone, Debug)]
pub struct Flow {
    /// By function: locations that its entry reaches, in reverse postorder.
    orders: Vec<Vec<LocId>>,
    /// By location: position in its function's reverse postorder.
    position: Vec<u32>,
    /// The depth-first trees of all functions, over locations.
    tree: DepthFirst,
}

impl Flow {
    /// Walks all functions with a body.
    pub fn new(program: &Program) -> Flow {
        let n = program.locations.len();
        let mut flow = Flow {
            orders: vec![Vec::new(); program.functions.len()],
            position: vec![NONE; n],
            tree: DepthFirst::new(n),
        };
        for (id, function) in program.functions.iter() {
            let Some(body) = function.body else { continue };
            let walk = flow.tree.walk(body.entry.index(), |loc, n| {
                let edge = program.locations[LocId::from_index(loc)].outgoing.get(n)?;
                Some(program.edges[*edge].to.index())
            });
            let order = walk.postorder.into_iter().rev().map(LocId::from_index);
            flow.orders[id.index()] = order.collect();
            for (position, loc) in flow.orders[id.index()].iter().enumerate() {
                flow.position[loc.index()] = position as u32;
            }
        }
        flow
    }

    /// The locations that the function's entry reaches within the function, in
    /// reverse postorder: sources before targets except along edges back.
    pub fn order(&self, function: FunctionId) -> &[LocId] {
        &self.orders[function.index()]
    }

    /// The position of a location in [`order`](Self::order); none when its function's entry does not reach it.
    pub fn position(&self, loc: LocId) -> Option<usize> {
        let position = self.position[loc.index()];
        (position != NONE).then_some(position as usize)
    }

    /// Whether the function's entry reaches the location.
    pub fn is_reached(&self, loc: LocId) -> bool {
        self.position[loc.index()] != NONE
    }
}

define_id!(
    /// A loop of some function.
    pub struct LoopId
);

/// A loop: a head and what can come back to it without leaving the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where the loop is cut.
    pub head: LocId,
    /// The loop around it.
    pub parent: Option<LoopId>,
    /// 1 for outermost loops.
    pub depth: u32,
    /// Control can also enter elsewhere than at the head.
    pub irreducible: bool,
}

/// The loops of all functions and how they nest.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Arena<LoopId, Loop>,
    /// By location: the innermost loop that contains it (its own for a head).
    innermost: Vec<Option<LoopId>>,
    heads: BitSet,
}

impl Loops {
    /// Finds all loops.
    pub fn new(program: &Program, flow: &Flow) -> Loops {
        let n = program.locations.len();
        let mut loops =
            Loops { loops: Arena::new(), innermost: vec![None; n], heads: BitSet::new(n) };
        for function in program.functions.ids() {
            loops.one_function(program, flow, flow.order(function));
        }
        loops
    }

    fn one_function(&mut self, program: &Program, flow: &Flow, order: &[LocId]) {
        let n = order.len();
        let number = |loc: LocId| flow.tree.interval[loc.index()].0 as usize;
        let mut vertex = order.to_vec();
        for &loc in order {
            vertex[number(loc)] = loc;
        }
        // Predecessors that do not come back from within the subtree; entries
        // into irreducible loops are passed on to the loop's head.
        let mut forward: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut back: Vec<Vec<usize>> = vec![Vec::new(); n];
        for &loc in order {
            for &edge in &program.locations[loc].incoming {
                let from = program.edges[edge].from;
                if flow.is_reached(from) {
                    // An edge to an ancestor goes back; its target is a loop head.
                    let list = if flow.tree.is_ancestor(loc.index(), from.index()) {
                        &mut back
                    } else {
                        &mut forward
                    };
                    list[number(loc)].push(number(from));
                }
            }
        }
        let mut leader: Vec<usize> = (0..n).collect();
        let mut header: Vec<Option<usize>> = vec![None; n];
        let mut irreducible = vec![false; n];
        let mut in_body = vec![usize::MAX; n];
        for w in (0..n).rev() {
            if back[w].is_empty() {
                continue;
            }
            let mut body = Vec::new();
            let mut pending: Vec<usize> = Vec::new();
            in_body[w] = w;
            for v in std::mem::take(&mut back[w]) {
                let v = find(&mut leader, v);
                if in_body[v] != w {
                    in_body[v] = w;
                    pending.push(v);
                }
            }
            while let Some(x) = pending.pop() {
                body.push(x);
                for position in 0..forward[x].len() {
                    let y = find(&mut leader, forward[x][position]);
                    if !flow.tree.is_ancestor(vertex[w].index(), vertex[y].index()) {
                        irreducible[w] = true;
                        forward[w].push(y);
                    } else if in_body[y] != w {
                        in_body[y] = w;
                        pending.push(y);
                    }
                }
            }
            self.heads.insert(vertex[w].index());
            for x in body {
                header[x] = Some(w);
                leader[x] = w;
            }
        }
        // Preorder visits enclosing heads before inner ones.
        let mut loop_of = vec![None; n];
        for w in 0..n {
            let parent = header[w].and_then(|h| loop_of[h]);
            loop_of[w] = if self.heads.contains(vertex[w].index()) {
                let depth = parent.map_or(1, |p: LoopId| self.loops[p].depth + 1);
                let irreducible = irreducible[w];
                Some(self.loops.push(Loop { head: vertex[w], parent, depth, irreducible }))
            } else {
                parent
            };
            self.innermost[vertex[w].index()] = loop_of[w];
        }
    }

    /// Whether a loop is cut here.
    pub fn is_head(&self, loc: LocId) -> bool {
        self.heads.contains(loc.index())
    }

    /// All loops, outer before inner within a function.
    pub fn iter(&self) -> impl Iterator<Item = (LoopId, &Loop)> {
        self.loops.iter()
    }

    /// A loop.
    pub fn get(&self, id: LoopId) -> &Loop {
        &self.loops[id]
    }

    /// The innermost loop around a location (its own for a head).
    pub fn innermost(&self, loc: LocId) -> Option<LoopId> {
        self.innermost[loc.index()]
    }

    /// Number of loops around the location.
    pub fn depth(&self, loc: LocId) -> u32 {
        self.innermost(loc).map_or(0, |id| self.loops[id].depth)
    }

    /// The locations of a loop, in reverse postorder.
    pub fn body(&self, program: &Program, flow: &Flow, id: LoopId) -> Vec<LocId> {
        let order = flow.order(program.locations[self.loops[id].head].function);
        order.iter().copied().filter(|&loc| self.contains(id, loc)).collect()
    }

    /// Whether the loop contains the location.
    pub fn contains(&self, outer: LoopId, loc: LocId) -> bool {
        let mut at = self.innermost(loc);
        while let Some(id) = at {
            if id == outer {
                return true;
            }
            at = self.loops[id].parent;
        }
        false
    }
}

fn find(leader: &mut [usize], start: usize) -> usize {
    let mut root = start;
    while leader[root] != root {
        root = leader[root];
    }
    let mut at = start;
    while leader[at] != root {
        at = std::mem::replace(&mut leader[at], root);
    }
    root
}
