//! Cut points and the blocks between them, for large-block encoding.
//!
//! After Beyer, Cimatti, Griggio, Keremoglu and Sebastiani, "Software model
//! checking via large-block encoding" (FMCAD 2009): abstraction happens at cut
//! points only; what lies between two of them is one loop-free formula. A
//! block is all that one cut point reaches without passing another; its edges
//! are in topological order, so that a path formula is built in one pass.
//!
//! Cut points are function entries and exits, loop heads and error locations,
//! with [`BlockOptions::calls`] also both ends of every call, so that a call is
//! a block of its own. [`BlockOptions::single`] makes every location a cut
//! point. Edges that lead to no cut point (towards `abort`) are left out.
//!
//! A location that several cut points reach belongs to several blocks. Where
//! that would make the blocks together much larger than the program, such
//! locations become cut points themselves; adding cut points is always sound.

use super::BitSet;
use super::flow::{Flow, Loops};
use crate::program::{EdgeId, FunctionId, LocId, Op, Program};
use bolide_base::arena::Id;
use bolide_base::{Arena, define_id};

define_id!(
    /// A block of a program.
    pub struct BlockId
);

/// Where to cut besides function ends, loop heads and error locations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockOptions {
    /// Before and after calls of functions with a body.
    pub calls: bool,
    /// Everywhere.
    pub single: bool,
}

impl Default for BlockOptions {
    fn default() -> Self {
        BlockOptions { calls: true, single: false }
    }
}

/// What one cut point reaches without passing another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The cut point where the block starts.
    pub head: LocId,
    /// Its edges in topological order of their sources.
    pub edges: Vec<EdgeId>,
    /// The cut points where it ends, in order of the function's flow.
    pub ends: Vec<LocId>,
}

/// Cut points and blocks of all functions.
#[derive(Clone, Debug)]
pub struct Blocks {
    cut: BitSet,
    blocks: Arena<BlockId, Block>,
    /// By location: the block that starts there.
    starting: Vec<Option<BlockId>>,
}

impl Blocks {
    /// Cuts the program.
    pub fn new(program: &Program, flow: &Flow, loops: &Loops, options: BlockOptions) -> Blocks {
        let mut blocks = Blocks {
            cut: cut_points(program, flow, loops, options),
            blocks: Arena::new(),
            starting: vec![None; program.locations.len()],
        };
        let mut marks = vec![u32::MAX; program.locations.len()];
        for function in program.functions.ids() {
            blocks.one_function(program, flow, function, &mut marks);
        }
        blocks
    }

    fn one_function(
        &mut self,
        program: &Program,
        flow: &Flow,
        function: FunctionId,
        marks: &mut [u32],
    ) {
        let order = flow.order(function);
        let useful = self.leads_to_cut(program, order);
        let within = |blocks: &Self, marks: &mut [u32], mut room: usize| {
            let heads = order.iter().filter(|l| blocks.cut.contains(l.index()));
            let block = |&l| blocks.block_at(program, flow, l, &useful, marks, &mut room);
            heads.map(block).collect::<Option<Vec<Block>>>()
        };
        // Heuristic: duplicated tails are fine while they are few.
        let found = within(self, marks, 4 * order.len() + 1000).or_else(|| {
            self.cut_shared(program, flow, order, &useful);
            // Required: the marks of the first attempt mean nothing now.
            marks.fill(u32::MAX);
            within(self, marks, usize::MAX)
        });
        for block in found.into_iter().flatten() {
            if !block.edges.is_empty() {
                let head = block.head.index();
                self.starting[head] = Some(self.blocks.push(block));
            }
        }
    }

    /// Locations from which a cut point can be reached (cut points included).
    fn leads_to_cut(&self, program: &Program, order: &[LocId]) -> BitSet {
        let mut useful = BitSet::new(program.locations.len());
        for &loc in order.iter().rev() {
            let leads = self.cut.contains(loc.index())
                || program.locations[loc]
                    .outgoing
                    .iter()
                    .map(|&e| program.edges[e].to.index())
                    // Edges back lead to loop heads, which are not visited yet.
                    .any(|to| useful.contains(to) || self.cut.contains(to));
            if leads {
                useful.insert(loc.index());
            }
        }
        useful
    }

    /// The block of one head; none when there is no room left.
    fn block_at(
        &self,
        program: &Program,
        flow: &Flow,
        head: LocId,
        useful: &BitSet,
        marks: &mut [u32],
        room: &mut usize,
    ) -> Option<Block> {
        let mark = head.index() as u32;
        let (mut inner, mut ends, mut pending) = (vec![head], Vec::new(), vec![head]);
        // The head itself may be an end: a loop's block comes back to it.
        let mut head_is_end = false;
        while let Some(loc) = pending.pop() {
            for &edge in &program.locations[loc].outgoing {
                let to = program.edges[edge].to;
                if to == head {
                    head_is_end = true;
                } else if useful.contains(to.index()) && marks[to.index()] != mark {
                    marks[to.index()] = mark;
                    if self.cut.contains(to.index()) {
                        ends.push(to);
                    } else {
                        inner.push(to);
                        pending.push(to);
                    }
                }
            }
            if inner.len() > *room {
                return None;
            }
        }
        *room -= inner.len();
        if head_is_end {
            ends.push(head);
        }
        // Required: all edges back end in cut points, so that reverse
        // postorder is a topological order of what is inside.
        inner.sort_unstable_by_key(|&l| flow.position(l));
        ends.sort_unstable_by_key(|&l| flow.position(l));
        let edges = inner
            .iter()
            .flat_map(|&l| program.locations[l].outgoing.iter().copied())
            .filter(|&e| useful.contains(program.edges[e].to.index()))
            .collect();
        Some(Block { head, edges, ends })
    }

    /// Makes every location that several cut points reach a cut point, so that
    /// each location is inside of one block only. Required: not those that lead to no cut point, since what is
    /// useful was found before.
    fn cut_shared(&mut self, program: &Program, flow: &Flow, order: &[LocId], useful: &BitSet) {
        let mut owner: Vec<Option<LocId>> = vec![None; order.len()];
        for (position, &loc) in order.iter().enumerate() {
            if self.cut.contains(loc.index()) {
                owner[position] = Some(loc);
                continue;
            }
            if !useful.contains(loc.index()) {
                continue;
            }
            let mut owners = program.locations[loc]
                .incoming
                .iter()
                .filter_map(|&e| flow.position(program.edges[e].from).and_then(|from| owner[from]));
            let first = owners.next();
            let shared = owners.any(|o| Some(o) != first);
            owner[position] = if shared {
                self.cut.insert(loc.index());
                Some(loc)
            } else {
                first
            };
        }
    }

    /// Whether the location is a cut point.
    pub fn is_cut(&self, loc: LocId) -> bool {
        self.cut.contains(loc.index())
    }

    /// All blocks: by function, then in order of flow of their heads.
    pub fn iter(&self) -> impl Iterator<Item = (BlockId, &Block)> {
        self.blocks.iter()
    }

    /// A block.
    pub fn get(&self, id: BlockId) -> &Block {
        &self.blocks[id]
    }

    /// The block that starts at a cut point; none where nothing leaves it.
    pub fn starting(&self, head: LocId) -> Option<BlockId> {
        self.starting[head.index()]
    }
}

/// The cut points that the module's introduction names.
pub fn cut_points(program: &Program, flow: &Flow, loops: &Loops, options: BlockOptions) -> BitSet {
    let mut cut = BitSet::new(program.locations.len());
    for (loc, location) in program.locations.iter() {
        if flow.is_reached(loc)
            && (options.single || loops.is_head(loc) || location.error.is_some())
        {
            cut.insert(loc.index());
        }
    }
    for function in program.functions.values() {
        if let Some(body) = function.body {
            cut.insert(body.entry.index());
            cut.insert(body.exit.index());
        }
    }
    if options.calls {
        for edge in program.edges.values() {
            if matches!(edge.op, Op::Call { .. } | Op::CallIndirect { .. })
                && flow.is_reached(edge.from)
            {
                cut.insert(edge.from.index());
                cut.insert(edge.to.index());
            }
        }
    }
    cut
}
