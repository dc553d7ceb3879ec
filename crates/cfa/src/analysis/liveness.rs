//! Which variables are live where: whose value may still be read.
//!
//! The classical backward analysis, made to scale: sets are kept only where
//! paths branch or join (key locations) and only for variables that some
//! stretch between such places reads before writing; temporaries of a single statement never enter a
//! set. Between functions: a call reads its arguments and the
//! globals that the callee may read; at a function's exit its result is live
//! and those globals that are live after one of its calls. A global that a function does not touch, nor
//! what it calls, is live in all of it or nowhere: that is one bit for the function, so that large
//! programs do not need a bit for each global at each location.
//!
//! At the end of the run and at error locations nothing is live. The condition
//! [`crate::Expr::Leaked`] looks at all pointers there are, so a program that has it
//! keeps all variables of pointer type alive everywhere.

use super::mod_ref::Globals;
use super::uses::{Walker, variables_read};
use super::{BitSet, CallGraph, Flow, ModRef};
use crate::program::{EdgeId, FunctionId, LocId, Program, VarId};
use crate::types::Type;
use bolide_base::HashMap;
use bolide_base::arena::Id;
use std::collections::BTreeSet;

/// Live variables at all locations.
#[derive(Clone, Debug)]
pub struct Liveness {
    /// By location, for key locations only: numbers of live variables.
    live: HashMap<LocId, BitSet>,
    /// By function: the variables that have numbers.
    numbered: Vec<Vec<VarId>>,
    /// By variable: all numbered positions differ between functions, so a map.
    number: Vec<HashMap<VarId, u32>>,
    /// Reads of each edge, calls included.
    reads: Vec<Vec<VarId>>,
    /// By function: the globals that it does not touch and that are live at its exit, by their numbers.
    passed: Vec<BitSet>,
    globals: Globals,
    leak_checked: bool,
}

/// A straight stretch between two key locations: what it reads before writing it, and what it writes.
struct Stretch<V> {
    from: usize,
    to: usize,
    gen_: Vec<V>,
    kill: Vec<V>,
}

impl Liveness {
    /// Solves all functions, with the analyses that this takes.
    pub fn of(program: &Program) -> Liveness {
        let (flow, calls) = (Flow::new(program), CallGraph::new(program));
        Liveness::new(program, &flow, &calls, &ModRef::new(program, &calls))
    }

    /// Solves all functions, callers before callees.
    pub fn new(program: &Program, flow: &Flow, calls: &CallGraph, effects: &ModRef) -> Liveness {
        let mut walker = Walker::new();
        let leak_checked = program.checks_leaks();
        let reads = program
            .edges
            .values()
            .map(|edge| {
                let mut vars = variables_read(program, &mut walker, &edge.op);
                for &f in calls.called(&edge.op) {
                    vars.extend(effects.globals_read(f));
                }
                vars
            })
            .collect();
        let n = program.functions.len();
        let mut result = Liveness {
            live: HashMap::default(),
            numbered: vec![Vec::new(); n],
            number: vec![HashMap::default(); n],
            reads,
            passed: vec![BitSet::default(); n],
            globals: effects.globals().clone(),
            leak_checked,
        };
        let mut at_exit: Vec<BitSet> = vec![BitSet::default(); n];
        for component in calls.bottom_up().iter().rev() {
            for &f in component {
                if calls.is_recursive(f) {
                    at_exit[f.index()].extend(0..result.globals.all().len());
                }
                if f == program.entry && !calls.is_recursive(f) {
                    at_exit[f.index()] = BitSet::default();
                }
                let mut passed = std::mem::take(&mut at_exit[f.index()]);
                let touched: Vec<VarId> = effects.globals_touched(f).collect();
                let position = |v: &VarId| result.globals.number(*v);
                let live_and_touched: Vec<VarId> = touched
                    .iter()
                    .copied()
                    .filter(|v| position(v).is_some_and(|n| passed.contains(n)))
                    .collect();
                touched.iter().filter_map(position).for_each(|n| passed.remove(n));
                result.passed[f.index()] = passed;
                result.solve(program, flow, f, &live_and_touched);
                result.tell_callees(program, flow, (f, &touched), calls, &mut at_exit);
            }
        }
        result
    }

    /// What is live after a call is live at the callee's exit.
    fn tell_callees(
        &self,
        program: &Program,
        flow: &Flow,
        (f, touched): (FunctionId, &[VarId]),
        calls: &CallGraph,
        at_exit: &mut [BitSet],
    ) {
        self.sweep(program, flow, f, |site, is_live| {
            let targets = calls.called(&program.edges[site].op);
            if targets.is_empty() {
                return;
            }
            let mut live = self.passed[f.index()].clone();
            live.extend(
                touched.iter().filter(|v| is_live(**v)).filter_map(|v| self.globals.number(*v)),
            );
            for target in targets {
                at_exit[target.index()].union_with(&live);
            }
        });
    }

    /// Whether it is a global that the function does not touch and that is live at its exit.
    fn passes(&self, f: usize, var: VarId) -> bool {
        self.globals.number(var).is_some_and(|number| self.passed[f].contains(number))
    }

    fn solve(&mut self, program: &Program, flow: &Flow, f: FunctionId, at_exit: &[VarId]) {
        let order = flow.order(f);
        let Some(body) = program.functions[f].body else { return };
        let keys: Vec<LocId> = order.iter().copied().filter(|&l| is_key(program, l)).collect();
        let index: HashMap<LocId, usize> = keys.iter().enumerate().map(|(i, &l)| (l, i)).collect();
        // Pass 1: number the variables that some stretch reads before writing.
        let stretches = self.stretches(program, &keys, &index);
        let mut numbered: Vec<VarId> = at_exit.to_vec();
        numbered.extend(program.functions[f].result);
        numbered.extend(stretches.iter().flat_map(|stretch| &stretch.gen_));
        numbered.sort_unstable();
        numbered.dedup();
        let number: HashMap<VarId, u32> =
            numbered.iter().enumerate().map(|(i, &v)| (v, i as u32)).collect();
        let translate =
            |vars: &[VarId]| vars.iter().filter_map(|v| number.get(v).copied()).collect();
        let mut outgoing: Vec<Vec<Stretch<u32>>> = keys.iter().map(|_| Vec::new()).collect();
        let mut incoming: Vec<Vec<usize>> = vec![Vec::new(); keys.len()];
        for Stretch { from, to, gen_, kill } in stretches {
            incoming[to].push(from);
            let (gen_, kill) = (translate(&gen_), translate(&kill));
            outgoing[from].push(Stretch { from, to, gen_, kill });
        }
        // Pass 2: the least solution.
        let mut live: Vec<BitSet> = keys.iter().map(|_| BitSet::new(numbered.len())).collect();
        if let Some(&exit) = index.get(&body.exit) {
            for var in at_exit.iter().chain(&program.functions[f].result) {
                live[exit].insert(number[var] as usize);
            }
        }
        least_solution(&mut live, &outgoing, &incoming);
        for (key, set) in keys.into_iter().zip(live) {
            self.live.insert(key, set);
        }
        self.numbered[f.index()] = numbered;
        self.number[f.index()] = number;
    }

    /// The stretches from each key location to the next.
    fn stretches(
        &self,
        program: &Program,
        keys: &[LocId],
        index: &HashMap<LocId, usize>,
    ) -> Vec<Stretch<VarId>> {
        let mut stretches = Vec::new();
        let mut written: HashMap<VarId, usize> = HashMap::default();
        for (from, &key) in keys.iter().enumerate() {
            for &first in &program.locations[key].outgoing {
                let round = stretches.len();
                let (mut gen_, mut kill) = (Vec::new(), Vec::new());
                let mut edge = first;
                let to = loop {
                    for &var in &self.reads[edge.index()] {
                        if written.get(&var) != Some(&round) {
                            gen_.push(var);
                        }
                    }
                    if let Some(var) = program.edges[edge].op.target()
                        && written.insert(var, round) != Some(round)
                    {
                        kill.push(var);
                    }
                    let to = program.edges[edge].to;
                    match index.get(&to) {
                        Some(&to) => break to,
                        None => edge = program.locations[to].outgoing[0],
                    }
                };
                stretches.push(Stretch { from, to, gen_, kill });
            }
        }
        stretches
    }

    /// The edges from a location that is not key up to the next key location.
    fn stretch_from(&self, program: &Program, loc: LocId) -> (Vec<EdgeId>, LocId) {
        let (mut edges, mut at) = (Vec::new(), loc);
        while !self.live.contains_key(&at) {
            let Some(&edge) = program.locations[at].outgoing.first() else { break };
            edges.push(edge);
            at = program.edges[edge].to;
        }
        (edges, at)
    }

    /// The variables that are live at a reached location, ascending. Costs the
    /// length of the straight stretch that follows; use
    /// [`sweep`](Self::sweep) to see all locations.
    pub fn live_at(&self, program: &Program, loc: LocId) -> Vec<VarId> {
        let (edges, end) = self.stretch_from(program, loc);
        let f = program.locations[loc].function.index();
        let mut set: BTreeVars = match self.live.get(&end) {
            Some(bits) => bits.iter().map(|number| self.numbered[f][number]).collect(),
            None => BTreeVars::new(),
        };
        // Required: nothing in the function reads or writes these.
        set.extend(self.passed[f].iter().map(|number| self.globals.all()[number]));
        for &edge in edges.iter().rev() {
            if let Some(var) = program.edges[edge].op.target() {
                set.remove(&var);
            }
            set.extend(&self.reads[edge.index()]);
        }
        if self.leak_checked {
            set.extend(program.variables.iter().filter_map(|(var, variable)| {
                let visible = variable.function.is_none_or(|g| g.index() == f);
                (visible && variable.ty == Type::Pointer).then_some(var)
            }));
        }
        set.into_iter().collect()
    }

    /// Whether a variable is live at a reached location.
    pub fn is_live(&self, program: &Program, loc: LocId, var: VarId) -> bool {
        self.leak_checked && program.variables[var].ty == Type::Pointer
            || self.may_be_read(program, loc, var)
    }

    /// Whether a variable may be read from a reached location on, looking for leaks apart.
    pub fn may_be_read(&self, program: &Program, loc: LocId, var: VarId) -> bool {
        let mut at = loc;
        while !self.live.contains_key(&at) {
            let Some(&edge) = program.locations[at].outgoing.first() else { return false };
            if self.reads[edge.index()].contains(&var) {
                return true;
            }
            if program.edges[edge].op.target() == Some(var) {
                return false;
            }
            at = program.edges[edge].to;
        }
        let f = program.locations[loc].function.index();
        match self.number[f].get(&var) {
            Some(&number) => self.live[&at].contains(number as usize),
            None => self.passes(f, var),
        }
    }

    /// Calls `visit` for each edge of a function between reached locations,
    /// with the question whether a variable is live after it. Edges of one
    /// straight stretch come last to first.
    pub fn sweep(
        &self,
        program: &Program,
        flow: &Flow,
        f: FunctionId,
        mut visit: impl FnMut(EdgeId, &dyn Fn(VarId) -> bool),
    ) {
        for &key in flow.order(f) {
            if !self.live.contains_key(&key) {
                continue;
            }
            for &first in &program.locations[key].outgoing {
                let (mut edges, end) = self.stretch_from(program, program.edges[first].to);
                edges.insert(0, first);
                let base = self.live.get(&end);
                let mut overlay: HashMap<VarId, bool> = HashMap::default();
                for &edge in edges.iter().rev() {
                    visit(edge, &|var| {
                        (self.leak_checked && program.variables[var].ty == Type::Pointer)
                            || overlay.get(&var).copied().unwrap_or_else(|| {
                                match self.number[f.index()].get(&var) {
                                    Some(&n) => base.is_some_and(|set| set.contains(n as usize)),
                                    None => self.passes(f.index(), var),
                                }
                            })
                    });
                    if let Some(var) = program.edges[edge].op.target() {
                        overlay.insert(var, false);
                    }
                    for &var in &self.reads[edge.index()] {
                        overlay.insert(var, true);
                    }
                }
            }
        }
    }
}

/// Adds what is live by a worklist that starts at the end.
fn least_solution(live: &mut [BitSet], outgoing: &[Vec<Stretch<u32>>], incoming: &[Vec<usize>]) {
    let mut pending: BTreeSet<usize> = (0..live.len()).collect();
    while let Some(key) = pending.pop_last() {
        let mut set = std::mem::take(&mut live[key]);
        let mut changed = false;
        for stretch in &outgoing[key] {
            debug_assert_eq!(stretch.from, key);
            let mut through =
                if stretch.to == key { set.clone() } else { live[stretch.to].clone() };
            stretch.kill.iter().for_each(|&v| through.remove(v as usize));
            stretch.gen_.iter().for_each(|&v| {
                through.insert(v as usize);
            });
            changed |= set.union_with(&through);
        }
        live[key] = set;
        if changed {
            pending.extend(&incoming[key]);
        }
    }
}

type BTreeVars = BTreeSet<VarId>;

/// Whether paths branch, join, begin or end here.
pub(crate) fn is_key(program: &Program, loc: LocId) -> bool {
    let location = &program.locations[loc];
    let body = program.functions[location.function].body;
    location.outgoing.len() != 1
        || location.incoming.len() != 1
        || body.is_some_and(|b| b.entry == loc || b.exit == loc)
}
