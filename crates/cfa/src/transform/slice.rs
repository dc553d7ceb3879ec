//! The cone of influence of the error locations.
//!
//! What cannot influence whether an error location is reached is removed:
//! Weiser's slicing (ICSE 1981) on the whole program, with control dependence
//! (Ferrante, Ottenstein, Warren 1987) flow-sensitive and data dependence
//! flow-insensitive: a variable or region matters or not, in the whole program.
//! A branch matters when something that matters depends on its outcome; one that
//! does not is replaced by a step to where its ways meet again.
//!
//! A slice must not reach an error that the program does not reach. So all
//! that may keep control from going on counts as a branch whose other way ends:
//! an `assume` without its opposite, a call of a function that may not return, and every loop, or
//! every one that does not count ([`Loops::DropCounted`]).

use super::Mapped;
use super::compact::compact;
use crate::analysis::dominators::DominatorTree;
use crate::analysis::graph::reached;
use crate::analysis::uses::Walker;
use crate::analysis::{self, BitSet, CallGraph, Flow};
use crate::expr::{Expr, ExprId};
use crate::program::*;
use crate::types::Type;
use bolide_base::arena::Id;

/// What to do with loops that nothing depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Loops {
    /// Keep them if something that matters comes after: they may run forever.
    #[default]
    Keep,
    /// As `Keep`, but those that surely end are removed.
    DropCounted,
}

/// Whose contents may matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    All,
    /// Regions whose accesses all have one type. A load from others yields any value.
    Typed,
}

/// Removes what has no influence on error locations.
pub fn slice(mapped: &mut Mapped, loops: Loops) {
    slice_for(mapped, loops, Memory::All);
}

/// Removes what has no influence on error locations where loads from regions without
/// a type of their own yield any value, as in formulas: writing to these does nothing.
/// None if nothing is written to them.
pub fn slice_for_formulas(mapped: &Mapped) -> Option<Mapped> {
    let program = &mapped.program;
    let untyped = |region: RegionId| program.regions[region].cell.is_none();
    let writes = |op: &Op| match op {
        Op::Store { access, .. } => untyped(access.region),
        Op::Copy { to_region: region, .. } | Op::Fill { region, .. } => untyped(*region),
        _ => false,
    };
    program.edges.values().any(|edge| writes(&edge.op)).then(|| {
        let mut sliced = mapped.clone();
        slice_for(&mut sliced, Loops::DropCounted, Memory::Typed);
        sliced
    })
}

fn slice_for(mapped: &mut Mapped, loops: Loops, memory: Memory) {
    compact(mapped, &BitSet::default());
    let program = &mapped.program;
    let calls = CallGraph::new(program);
    let flow = Flow::new(program);
    let nesting = analysis::Loops::new(program, &flow);
    let mut slicer = Slicer::new(program, &calls, &flow, &nesting, loops, memory);
    for (loc, location) in program.locations.iter() {
        if location.error.is_some() {
            slicer.target(loc);
        }
    }
    slicer.run();
    let Slicer { graphs, edges: relevant, branches, variables, .. } = slicer;
    // Rewrite: irrelevant steps do nothing, irrelevant branches go to where
    // their ways meet.
    let mut removed = BitSet::new(program.edges.len());
    let mut skips: Vec<(EdgeId, LocId)> = Vec::new();
    for f in program.functions.ids() {
        let order = flow.order(f);
        for (position, &loc) in order.iter().enumerate() {
            let outgoing = &program.locations[loc].outgoing;
            if outgoing.is_empty() {
                continue;
            }
            let is_branch = outgoing.len() > 1;
            if is_branch && !branches.contains(loc.index()) {
                for &e in &outgoing[1..] {
                    removed.insert(e.index());
                }
                match graphs[f.index()].meeting_point(position) {
                    Some(meet) => skips.push((outgoing[0], order[meet])),
                    None => {
                        removed.insert(outgoing[0].index());
                    }
                }
            } else {
                for &e in outgoing {
                    let keep = match program.edges[e].op {
                        // The outcome of a relevant branch.
                        Op::Assume(_) => branches.contains(loc.index()),
                        Op::Halt { .. } => true,
                        _ => relevant.contains(e.index()),
                    };
                    if !keep {
                        skips.push((e, program.edges[e].to));
                    }
                }
            }
        }
    }
    for (e, to) in skips {
        let old_to = mapped.program.edges[e].to;
        mapped.program.edges[e].op = Op::Skip;
        if old_to != to {
            mapped.program.edges[e].to = to;
            mapped.edges[e].clear();
            mapped.program.locations[to].incoming.push(e);
            mapped.program.locations[old_to].incoming.retain(|&other| other != e);
        }
    }
    forget_arguments(&mut mapped.program, &variables);
    compact(mapped, &removed);
}

/// Arguments for parameters that do not matter become zero, results that do
/// not matter are dropped, and with which status the run ends is nothing to errors.
fn forget_arguments(program: &mut Program, variables: &BitSet) {
    for e in program.edges.ids() {
        if let Op::Halt { status } = &mut program.edges[e].op {
            *status = None;
        }
        let Op::Call { function, mut arguments, result } = program.edges[e].op.clone() else {
            continue;
        };
        for (position, argument) in arguments.iter_mut().enumerate() {
            let parameter = program.functions[function].parameters[position];
            if !variables.contains(parameter.index()) {
                *argument = program.exprs.zero(program.variables[parameter].ty);
            }
        }
        let result = result.filter(|var| variables.contains(var.index()));
        program.edges[e].op = Op::Call { function, arguments, result };
    }
}

/// The graph of a function turned around, with a virtual vertex where all
/// ways end, and what depends on which branch.
struct ControlGraph {
    tree: DominatorTree,
    /// Edges `branch -> successor` sorted by the successor's place in the
    /// preorder of the postdominator tree.
    edges: Vec<(u32, usize)>,
    /// A tree of minima over the depths of the branches' meeting points; an
    /// edge whose branch was found counts as infinitely deep.
    depths: MinTree,
    end: usize,
}

impl ControlGraph {
    fn new(program: &Program, flow: &Flow, order: &[LocId], stops: impl Fn(LocId) -> bool) -> Self {
        let n = order.len();
        let end = n;
        let mut forward: Vec<Vec<usize>> = order
            .iter()
            .map(|&loc| {
                let location = &program.locations[loc];
                let mut list: Vec<usize> = location
                    .outgoing
                    .iter()
                    .filter_map(|&e| flow.position(program.edges[e].to))
                    .collect();
                if list.is_empty() || location.error.is_some() || stops(loc) {
                    list.push(end);
                }
                list.sort_unstable();
                list.dedup();
                list
            })
            .collect();
        forward.push(Vec::new());
        // Every vertex must reach the end: cut cycles without a way out.
        let mut backward = reverse(&forward);
        let mut reaches = BitSet::new(n + 1);
        let mut pending = Vec::new();
        for v in (0..=n).rev() {
            // First from the end itself; then the last in reverse postorder
            // lies deepest in a cycle.
            if reaches.contains(v) {
                continue;
            }
            if v != end {
                forward[v].push(end);
                backward[end].push(v);
            }
            pending.push(v);
            while let Some(v) = pending.pop() {
                if reaches.insert(v) {
                    pending.extend(&backward[v]);
                }
            }
        }
        let tree = DominatorTree::new(&backward, end);
        let mut edges: Vec<(u32, usize)> = Vec::new();
        for (a, successors) in forward.iter().enumerate().take(n) {
            if successors.len() > 1 {
                edges.extend(successors.iter().map(|&b| (tree.interval[b].0, a)));
            }
        }
        edges.sort_unstable();
        let depths = edges
            .iter()
            .map(|&(_, a)| tree.immediate[a].map_or(0, |meet| tree.depth[meet]))
            .collect();
        ControlGraph { tree, edges, depths: MinTree::new(depths), end }
    }

    /// Where all ways from a vertex meet; none when only at the end.
    fn meeting_point(&self, position: usize) -> Option<usize> {
        self.tree.immediate[position].filter(|&meet| meet != self.end)
    }

    /// The branches on which a vertex depends and that were not found before.
    fn dependences(&mut self, position: usize) -> Vec<usize> {
        // The vertex depends on `a` when it lies on the way in the tree from a successor of
        // `a` up to, but not including, where the ways of `a` meet.
        let (first, last) = self.tree.interval[position];
        let lo = self.edges.partition_point(|&(at, _)| at < first);
        let hi = self.edges.partition_point(|&(at, _)| at <= last);
        let depth = self.tree.depth[position];
        let mut found = Vec::new();
        while let Some(index) = self.depths.below(lo, hi, depth) {
            self.depths.set(index, u32::MAX);
            found.push(self.edges[index].1);
        }
        found
    }
}

fn reverse(forward: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut backward = vec![Vec::new(); forward.len()];
    for (v, list) in forward.iter().enumerate() {
        for &w in list {
            backward[w].push(v);
        }
    }
    backward
}

/// Finds elements below a bound in a range.
struct MinTree {
    size: usize,
    minima: Vec<u32>,
}

impl MinTree {
    fn new(values: Vec<u32>) -> MinTree {
        let size = values.len().next_power_of_two();
        let mut minima = vec![u32::MAX; 2 * size];
        minima[size..size + values.len()].copy_from_slice(&values);
        for i in (1..size).rev() {
            minima[i] = minima[2 * i].min(minima[2 * i + 1]);
        }
        MinTree { size, minima }
    }

    fn set(&mut self, index: usize, value: u32) {
        let mut i = self.size + index;
        self.minima[i] = value;
        while i > 1 {
            i /= 2;
            self.minima[i] = self.minima[2 * i].min(self.minima[2 * i + 1]);
        }
    }

    /// Some index from `lo` up to `hi` whose element is below `bound`.
    fn below(&self, lo: usize, hi: usize, bound: u32) -> Option<usize> {
        let (mut a, mut b) = (lo + self.size, hi + self.size);
        let mut candidates = Vec::new();
        while a < b {
            if a % 2 == 1 {
                candidates.push(a);
                a += 1;
            }
            if b % 2 == 1 {
                b -= 1;
                candidates.push(b);
            }
            a /= 2;
            b /= 2;
        }
        let mut at = candidates.into_iter().find(|&c| self.minima[c] < bound)?;
        while at < self.size {
            at = if self.minima[2 * at] < bound { 2 * at } else { 2 * at + 1 };
        }
        Some(at - self.size)
    }
}

struct Slicer<'a> {
    program: &'a Program,
    calls: &'a CallGraph,
    flow: &'a Flow,
    /// By function.
    graphs: Vec<ControlGraph>,
    /// By function: calls of it.
    sites: Vec<Vec<EdgeId>>,
    may_not_return: BitSet,
    /// Relevant edges (other than branches).
    edges: BitSet,
    /// Relevant branches, by location.
    branches: BitSet,
    functions: BitSet,
    variables: BitSet,
    regions: BitSet,
    /// Regions whose objects' lifetimes matter.
    lifetimes: BitSet,
    targets: BitSet,
    writers: Writers,
    /// By variable: for parameters, their function and position.
    parameter: Vec<Option<(FunctionId, usize)>>,
    pending: Vec<Work>,
    walker: Walker,
}

/// The edges on whose doing something depends.
struct Writers {
    /// By variable: edges that write it.
    variables: Vec<Vec<EdgeId>>,
    /// By region: edges that write its contents.
    contents: Vec<Vec<EdgeId>>,
    /// By region: edges that make its objects, or end their lives.
    lifetimes: Vec<Vec<EdgeId>>,
}

impl Writers {
    fn new(program: &Program, memory: Memory) -> Writers {
        let mut writers = Writers {
            variables: vec![Vec::new(); program.variables.len()],
            contents: vec![Vec::new(); program.regions.len()],
            lifetimes: vec![Vec::new(); program.regions.len()],
        };
        let mut walker = Walker::new();
        // What is reachable depends on pointers in memory of all kinds.
        let all = memory == Memory::All || program.checks_leaks();
        for (id, edge) in program.edges.iter() {
            if let Some(var) = edge.op.target() {
                writers.variables[var.index()].push(id);
            }
            let (_, writes) = analysis::uses::regions_touched(program, &mut walker, &edge.op);
            for region in writes {
                let (lifetime, contents) = match edge.op {
                    Op::Alloc { zeroed, .. } => (true, zeroed),
                    Op::Free { .. } | Op::EndLifetime { .. } => (true, false),
                    Op::Store { .. } | Op::Copy { .. } | Op::Fill { .. } => {
                        let is_typed = program.regions[region].cell.is_some();
                        (false, all || is_typed)
                    }
                    _ => (false, true),
                };
                if lifetime {
                    writers.lifetimes[region.index()].push(id);
                }
                if contents {
                    writers.contents[region.index()].push(id);
                }
            }
        }
        writers
    }
}

enum Work {
    Target(LocId),
    Expressions(Vec<ExprId>),
    Variable(VarId),
    Region(RegionId),
    Lifetime(RegionId),
}

impl<'a> Slicer<'a> {
    fn new(
        program: &'a Program,
        calls: &'a CallGraph,
        flow: &'a Flow,
        nesting: &analysis::Loops,
        loops: Loops,
        memory: Memory,
    ) -> Self {
        let n = program.functions.len();
        let endless = endless(program, flow, nesting, loops);
        let sites = calls.callers(program);
        let may_not_return = may_not_return(program, calls, flow, &endless, &sites);
        let graphs = program
            .functions
            .ids()
            .map(|f| {
                ControlGraph::new(program, flow, flow.order(f), |loc| {
                    endless.contains(loc.index())
                        || blocks(program, loc)
                        || program.locations[loc].outgoing.iter().any(|&e| {
                            calls
                                .called(&program.edges[e].op)
                                .iter()
                                .any(|f| may_not_return.contains(f.index()))
                        })
                })
            })
            .collect();
        let mut parameter = vec![None; program.variables.len()];
        for (f, function) in program.functions.iter() {
            for (position, var) in function.parameters.iter().enumerate() {
                parameter[var.index()] = Some((f, position));
            }
        }
        Slicer {
            program,
            calls,
            flow,
            graphs,
            sites,
            may_not_return,
            edges: BitSet::new(program.edges.len()),
            branches: BitSet::new(program.locations.len()),
            functions: BitSet::new(n),
            variables: BitSet::new(program.variables.len()),
            regions: BitSet::new(program.regions.len()),
            lifetimes: BitSet::new(program.regions.len()),
            targets: BitSet::new(program.locations.len()),
            writers: Writers::new(program, memory),
            parameter,
            pending: Vec::new(),
            walker: Walker::new(),
        }
    }

    /// Whether control reaches this location matters.
    fn target(&mut self, loc: LocId) {
        if self.flow.is_reached(loc) && self.targets.insert(loc.index()) {
            self.pending.push(Work::Target(loc));
        }
    }

    fn run(&mut self) {
        while let Some(work) = self.pending.pop() {
            match work {
                Work::Target(loc) => self.on_target(loc),
                Work::Expressions(roots) => self.on_expressions(&roots),
                Work::Variable(var) => self.on_variable(var),
                Work::Region(region) => self.on_region(region, |w| &mut w.contents),
                Work::Lifetime(region) => self.on_region(region, |w| &mut w.lifetimes),
            }
        }
    }

    fn on_region(&mut self, region: RegionId, of: impl Fn(&mut Writers) -> &mut Vec<Vec<EdgeId>>) {
        // All of memory overlaps each region.
        let overlapping = match region {
            RegionId::ALL => self.program.regions.ids().collect(),
            region => vec![RegionId::ALL, region],
        };
        for region in overlapping {
            for e in std::mem::take(&mut of(&mut self.writers)[region.index()]) {
                self.edge(e);
            }
        }
    }

    fn on_target(&mut self, loc: LocId) {
        let f = self.program.locations[loc].function;
        if self.functions.insert(f.index()) {
            // The function must be called.
            for site in self.sites[f.index()].clone() {
                self.edge(site);
            }
        }
        let position = self.flow.position(loc).expect("targets are reached");
        for branch in self.graphs[f.index()].dependences(position) {
            self.branch(self.flow.order(f)[branch]);
        }
    }

    /// Which way is taken from a location matters.
    fn branch(&mut self, at: LocId) {
        if !self.branches.insert(at.index()) {
            return;
        }
        self.target(at);
        for &e in &self.program.locations[at].outgoing {
            let op = &self.program.edges[e].op;
            if let Op::Assume(condition) = op {
                self.pending.push(Work::Expressions(vec![*condition]));
            }
            let called = self.calls.called(op);
            let indirect = matches!(op, Op::CallIndirect { .. });
            if indirect || called.iter().any(|f| self.may_not_return.contains(f.index())) {
                called.iter().for_each(|&f| self.returns(f));
                self.edge(e);
            }
        }
    }

    /// Whether a function comes back matters.
    fn returns(&mut self, f: FunctionId) {
        if let Some(body) = self.program.functions[f].body {
            self.target(body.exit);
        }
    }

    fn on_expressions(&mut self, roots: &[ExprId]) {
        let mut walker = std::mem::take(&mut self.walker);
        let mut work = Vec::new();
        walker.walk(&self.program.exprs, roots, |_, expr| match *expr {
            Expr::Var(var) => work.push(Work::Variable(var)),
            Expr::Load(access) => work.push(Work::Region(access.region)),
            Expr::Valid { region, .. } | Expr::Freeable { region, .. } => {
                work.push(Work::Lifetime(region));
            }
            Expr::ObjectSize(_) | Expr::HeapInUse => work.push(Work::Lifetime(RegionId::ALL)),
            Expr::Leaked => {
                // Reachability from pointers: all of memory and all pointers.
                work.push(Work::Lifetime(RegionId::ALL));
                work.push(Work::Region(RegionId::ALL));
                for (var, variable) in self.program.variables.iter() {
                    if variable.ty == Type::Pointer {
                        work.push(Work::Variable(var));
                    }
                }
            }
            _ => {}
        });
        self.walker = walker;
        for item in work {
            let fresh = match &item {
                Work::Variable(var) => self.variables.insert(var.index()),
                Work::Region(region) => self.regions.insert(region.index()),
                Work::Lifetime(region) => self.lifetimes.insert(region.index()),
                _ => true,
            };
            if fresh {
                self.pending.push(item);
            }
        }
    }

    fn on_variable(&mut self, var: VarId) {
        for e in std::mem::take(&mut self.writers.variables[var.index()]) {
            self.edge(e);
            // The value comes from the callee's result.
            for &f in self.calls.called(&self.program.edges[e].op) {
                if let Some(result) = self.program.functions[f].result
                    && self.variables.insert(result.index())
                {
                    self.pending.push(Work::Variable(result));
                }
            }
        }
        if let Some((f, position)) = self.parameter[var.index()] {
            for site in self.sites[f.index()].clone() {
                let op = &self.program.edges[site].op;
                let (Op::Call { arguments, .. } | Op::CallIndirect { arguments, .. }) = op else {
                    continue;
                };
                if let Some(&argument) = arguments.get(position) {
                    self.edge(site);
                    self.pending.push(Work::Expressions(vec![argument]));
                }
            }
        }
    }

    /// An edge is kept: control must reach it and its operands matter.
    fn edge(&mut self, e: EdgeId) {
        if !self.edges.insert(e.index()) {
            return;
        }
        let edge = &self.program.edges[e];
        self.target(edge.from);
        // Required: a step that is itself one of several ways is only taken where that way is.
        if self.program.locations[edge.from].outgoing.len() > 1 {
            self.branch(edge.from);
        }
        match &edge.op {
            // Arguments matter only where the parameter does.
            Op::Call { .. } | Op::Assume(_) => {}
            Op::Copy { from_region, .. } => {
                self.pending.push(Work::Expressions(edge.op.operands()));
                if self.regions.insert(from_region.index()) {
                    self.pending.push(Work::Region(*from_region));
                }
            }
            op => self.pending.push(Work::Expressions(op.operands())),
        }
    }
}

/// Whether control may be unable to leave the location: it has conditions
/// that do not cover all cases.
fn blocks(program: &Program, loc: LocId) -> bool {
    let conditions: Vec<ExprId> = program.locations[loc]
        .outgoing
        .iter()
        .filter_map(|&e| match program.edges[e].op {
            Op::Assume(condition) => Some(condition),
            _ => None,
        })
        .collect();
    let all = conditions.len() == program.locations[loc].outgoing.len();
    match conditions[..] {
        _ if !all || conditions.is_empty() => false,
        [a, b] => !program.exprs.are_opposite(a, b),
        _ => true,
    }
}

/// Heads of loops that may run forever, as far as that is to count.
fn endless(program: &Program, flow: &Flow, nesting: &analysis::Loops, loops: Loops) -> BitSet {
    let mut found = BitSet::new(program.locations.len());
    for (id, of) in nesting.iter() {
        let ends = match loops {
            Loops::Keep => false,
            Loops::DropCounted => analysis::counted::surely_ends(program, flow, nesting, id),
        };
        if !ends {
            found.insert(of.head.index());
        }
    }
    found
}

/// Functions that may not come back: they can end the run, block, reach an
/// error, or loop; or call such a function.
fn may_not_return(
    program: &Program,
    calls: &CallGraph,
    flow: &Flow,
    endless: &BitSet,
    sites: &[Vec<EdgeId>],
) -> BitSet {
    let mut pending = Vec::new();
    for (f, function) in program.functions.iter() {
        let Some(body) = function.body else { continue };
        let stops = flow.order(f).iter().any(|&loc| {
            let location = &program.locations[loc];
            (location.outgoing.is_empty() && loc != body.exit)
                || location.error.is_some()
                || blocks(program, loc)
                || endless.contains(loc.index())
        });
        if stops || !flow.is_reached(body.exit) {
            pending.push(f);
        }
    }
    // Recursion may be infinite as loops may.
    pending.extend(program.functions.ids().filter(|&f| calls.is_recursive(f)));
    let caller = |&site: &EdgeId| program.locations[program.edges[site].from].function;
    let found = reached(pending, |f| sites[f.index()].iter().map(caller));
    found.into_iter().map(|f| f.index()).collect()
}
