//! The fixpoint iteration.

use super::evaluate::{Evaluator, State, assume, default, initial, lookup, range_of, set};
use super::interval::{Interval, widen};
use crate::analysis::liveness::is_key;
use crate::analysis::uses::{Walker, variables_read};
use crate::analysis::{BitSet, CallGraph, Flow, Liveness, Loops, ModRef};
use crate::expr::Expr;
use crate::program::{EdgeId, FunctionId, LocId, Op, Program, VarId};
use bolide_base::HashMap;
use bolide_base::arena::Id;
use std::collections::BTreeSet;

/// Joins before widening begins.
const DELAY: u32 = 3;
/// Widenings to thresholds before bounds go to infinity.
const THRESHOLD_STEPS: u32 = 12;
/// Rounds of narrowing.
const DESCENTS: usize = 2;

/// By location: variables that its outgoing edges read and of which something is known, sorted; and
/// the locations that some execution may reach.
pub(super) type Found = (Vec<Vec<(VarId, Interval)>>, BitSet);

struct Solver<'a> {
    program: &'a Program,
    flow: &'a Flow,
    loops: &'a Loops,
    effects: &'a ModRef,
    calls: &'a CallGraph,
    liveness: &'a Liveness,
    /// By location, for key locations that may be reached.
    states: HashMap<LocId, State>,
    visits: HashMap<LocId, u32>,
    /// By function: keys whose stretches call it.
    call_keys: Vec<BTreeSet<LocId>>,
    /// By function: constants that widening stops at, sorted.
    thresholds: Vec<Vec<i128>>,
    /// By function: callers come first.
    rank: Vec<usize>,
    pending: BTreeSet<(usize, usize, LocId)>,
    /// In a descending round: what arrives at each key location.
    arriving: Option<HashMap<LocId, State>>,
    steps: usize,
}

/// The solution; none when it would cost too much.
pub(super) fn solve(program: &Program) -> Option<Found> {
    let flow = Flow::new(program);
    let loops = Loops::new(program, &flow);
    let calls = CallGraph::new(program);
    let effects = ModRef::new(program, &calls);
    let liveness = Liveness::new(program, &flow, &calls, &effects);
    let n = program.functions.len();
    let mut rank = vec![0; n];
    for (index, component) in calls.bottom_up().iter().rev().enumerate() {
        component.iter().for_each(|f| rank[f.index()] = index);
    }
    let mut solver = Solver {
        program,
        flow: &flow,
        loops: &loops,
        effects: &effects,
        calls: &calls,
        liveness: &liveness,
        states: HashMap::default(),
        visits: HashMap::default(),
        call_keys: vec![BTreeSet::new(); n],
        thresholds: thresholds(program),
        rank,
        pending: BTreeSet::new(),
        arriving: None,
        steps: 0,
    };
    solver.start();
    let budget = 60 * program.edges.len() + 100_000;
    while let Some((_, _, key)) = solver.pending.pop_first() {
        solver.leave(key);
        if solver.steps > budget {
            return None;
        }
    }
    for _ in 0..DESCENTS {
        solver.descend();
    }
    Some(solver.record())
}

/// The constants that each function compares with or computes with, and the
/// bounds of types.
fn thresholds(program: &Program) -> Vec<Vec<i128>> {
    let mut lists: Vec<BTreeSet<i128>> = vec![BTreeSet::new(); program.functions.len()];
    let mut walker = Walker::new();
    for edge in program.edges.values() {
        let list = &mut lists[program.locations[edge.from].function.index()];
        walker.walk(&program.exprs, &edge.op.operands(), |id, expr| {
            if let (Expr::Int { .. }, Some(value)) = (expr, program.exprs.as_int(id)) {
                list.extend([value.saturating_sub(1), value, value.saturating_add(1)]);
            }
        });
    }
    lists
        .into_iter()
        .map(|mut list| {
            for bits in [8, 16, 32, 64] {
                list.extend([0, -(1i128 << (bits - 1)), (1 << (bits - 1)) - 1, (1 << bits) - 1]);
            }
            list.into_iter().collect()
        })
        .collect()
}

/// What holds in either state.
fn join(program: &Program, state: &mut State, other: &State) {
    state.retain(|var, range| {
        let Some(more) = other.get(var) else { return false };
        *range = range.join(*more);
        *range != default(program, *var)
    });
}

impl<'a> Solver<'a> {
    fn start(&mut self) {
        // Functions that may be called in unknown ways start from anything.
        let unknown_calls = self
            .program
            .edges
            .values()
            .any(|edge| matches!(edge.op, Op::CallIndirect { candidates: None, .. }));
        if unknown_calls {
            for &f in self.calls.address_taken() {
                if let Some(body) = self.program.functions[f].body {
                    self.arrive(body.entry, State::default());
                }
            }
        }
        let Some(body) = self.program.functions[self.program.entry].body else { return };
        let mut state = State::default();
        for &var in self.effects.globals().all() {
            set(self.program, &mut state, var, initial(self.program, var));
        }
        self.arrive(body.entry, state);
    }

    /// A state comes to a key location.
    fn arrive(&mut self, key: LocId, mut state: State) {
        let function = self.program.locations[key].function;
        state.retain(|&var, _| self.liveness.is_live(self.program, key, var));
        if let Some(arriving) = &mut self.arriving {
            match arriving.get_mut(&key) {
                Some(old) => join(self.program, old, &state),
                None => {
                    arriving.insert(key, state);
                }
            }
            return;
        }
        // Required for termination: every cycle of dependencies passes a loop
        // head, a function's entry, or the exit of a recursive function.
        let is_end = self.program.functions[function].body.is_some_and(|b| {
            b.entry == key || (b.exit == key && self.calls.is_recursive(function))
        });
        let changed = match self.states.get_mut(&key) {
            None => {
                self.states.insert(key, state);
                true
            }
            Some(old) => {
                let visits = self.visits.entry(key).or_insert(0);
                let widens = self.loops.is_head(key) || is_end;
                let mut changed = false;
                let before = old.len();
                old.retain(|var, range| {
                    let Some(new) = state.get(var) else { return false };
                    if range.includes(*new) {
                        return true;
                    }
                    changed = true;
                    *range = if !widens || *visits < DELAY {
                        range.join(*new)
                    } else if *visits < DELAY + THRESHOLD_STEPS {
                        widen(*range, *new, &self.thresholds[function.index()])
                    } else {
                        widen(*range, *new, &[])
                    };
                    // Unsigned values do not leave their type.
                    let all = default(self.program, *var);
                    *range = range.meet(all).unwrap_or(all);
                    *range != all
                });
                changed |= old.len() != before;
                *visits += u32::from(changed);
                changed
            }
        };
        if changed {
            let position = self.flow.position(key).unwrap_or(usize::MAX);
            self.pending.insert((self.rank[function.index()], position, key));
            // Callers wait for the exit.
            if self.program.functions[function].body.is_some_and(|b| b.exit == key) {
                for &caller in &self.call_keys[function.index()] {
                    let f = self.program.locations[caller].function;
                    let position = self.flow.position(caller).unwrap_or(usize::MAX);
                    self.pending.insert((self.rank[f.index()], position, caller));
                }
            }
        }
    }

    /// Sends a key location's state along all stretches that leave it.
    fn leave(&mut self, key: LocId) {
        let Some(state) = self.states.get(&key).cloned() else { return };
        for &first in &self.program.locations[key].outgoing {
            let mut state = state.clone();
            if let Some(to) = self.pass(&mut state, first, key, |_, _| {}) {
                self.arrive(to, state);
            }
        }
    }

    /// Follows the stretch that begins with an edge and shows the state at each location on the way;
    /// the key location where it ends, if it can be passed.
    fn pass(
        &mut self,
        state: &mut State,
        first: EdgeId,
        key: LocId,
        mut show: impl FnMut(LocId, &State),
    ) -> Option<LocId> {
        let mut edge = first;
        loop {
            self.steps += 1;
            if !self.step(state, edge, key) {
                return None;
            }
            let to = self.program.edges[edge].to;
            if is_key(self.program, to) {
                return Some(to);
            }
            show(to, state);
            edge = self.program.locations[to].outgoing[0];
        }
    }

    /// Applies an edge; false when it cannot be passed.
    fn step(&mut self, state: &mut State, edge: EdgeId, key: LocId) -> bool {
        let program = self.program;
        match &program.edges[edge].op {
            Op::Assume(condition) => return assume(program, state, *condition),
            Op::Assign { target, value } => {
                let range = range_of(program, state, *value);
                set(program, state, *target, range);
            }
            Op::Nondet { target, .. }
            | Op::External { result: Some(target), .. }
            | Op::Output { result: Some(target), .. } => {
                let range = program.variables[*target].ty.as_int().map(Interval::of_type);
                set(program, state, *target, range.unwrap_or(Interval::ANY));
            }
            Op::Call { function, arguments, result } => {
                return self.call(state, *function, arguments, *result, key);
            }
            Op::CallIndirect { candidates, arguments, result, .. } => {
                return self.call_indirect(state, candidates.as_deref(), arguments, *result, key);
            }
            Op::Halt { .. } => return true,
            op => {
                if let Some(target) = op.target() {
                    state.remove(&target);
                }
            }
        }
        true
    }

    fn call(
        &mut self,
        state: &mut State,
        function: FunctionId,
        arguments: &[crate::expr::ExprId],
        result: Option<VarId>,
        key: LocId,
    ) -> bool {
        let program = self.program;
        let definition = &program.functions[function];
        let Some(body) = definition.body else {
            if let Some(target) = result {
                state.remove(&target);
            }
            return true;
        };
        let mut inside = State::default();
        {
            let mut evaluator = Evaluator::new(program, |v| lookup(program, state, v));
            for (&parameter, &argument) in definition.parameters.iter().zip(arguments) {
                set(program, &mut inside, parameter, evaluator.range(argument));
            }
        }
        // Globals that the callee does not touch stay behind in the caller.
        for (&var, &range) in state.iter() {
            if program.variables[var].function.is_none()
                && (self.effects.reads(function, var) || self.effects.writes(function, var))
            {
                inside.insert(var, range);
            }
        }
        self.call_keys[function.index()].insert(key);
        self.arrive(body.entry, inside);
        let Some(exit) = self.states.get(&body.exit) else { return false };
        let written: Vec<VarId> = self.effects.globals_written(function).collect();
        for var in written {
            match exit.get(&var) {
                Some(range) => state.insert(var, *range),
                None => state.remove(&var),
            };
        }
        if let Some(target) = result {
            let range = match definition.result {
                Some(value) => lookup(program, exit, value),
                None => default(program, target),
            };
            set(program, state, target, range);
        }
        true
    }

    fn call_indirect(
        &mut self,
        state: &mut State,
        candidates: Option<&[FunctionId]>,
        arguments: &[crate::expr::ExprId],
        result: Option<VarId>,
        key: LocId,
    ) -> bool {
        let Some(candidates) = candidates else {
            // Anything may have been written.
            state.retain(|var, _| self.program.variables[*var].function.is_some());
            if let Some(target) = result {
                state.remove(&target);
            }
            return true;
        };
        let mut after: Option<State> = None;
        for &f in candidates {
            let mut branch = state.clone();
            // Types may differ where the program is undefined: say nothing.
            if self.call(&mut branch, f, arguments, None, key) {
                match &mut after {
                    None => after = Some(branch),
                    Some(joined) => join(self.program, joined, &branch),
                }
            }
        }
        let Some(after) = after else { return false };
        *state = after;
        if let Some(target) = result {
            state.remove(&target);
        }
        true
    }

    /// One round of narrowing: applies all edges to the present states and
    /// keeps what got smaller.
    fn descend(&mut self) {
        self.arriving = Some(HashMap::default());
        self.start();
        let mut keys: Vec<LocId> = self.states.keys().copied().collect();
        keys.sort_unstable();
        for key in keys {
            self.leave(key);
        }
        let arriving = self.arriving.take().unwrap_or_default();
        // Required: the states were closed under all edges, so what arrives
        // is included in them and again closed.
        self.states = arriving;
        self.pending.clear();
    }

    /// Keeps what outgoing edges of each location read.
    fn record(mut self) -> Found {
        let program = self.program;
        let mut known = vec![Vec::new(); program.locations.len()];
        let mut reached = BitSet::new(program.locations.len());
        let mut walker = Walker::new();
        let mut keys: Vec<LocId> = self.states.keys().copied().collect();
        keys.sort_unstable();
        let mut keep = |loc: LocId, state: &State| {
            reached.insert(loc.index());
            let mut list: Vec<(VarId, Interval)> = Vec::new();
            for &e in &program.locations[loc].outgoing {
                for var in variables_read(program, &mut walker, &program.edges[e].op) {
                    if let Some(range) = state.get(&var) {
                        list.push((var, *range));
                    }
                }
            }
            list.sort_unstable_by_key(|entry| entry.0);
            list.dedup();
            known[loc.index()] = list;
        };
        // Calls must not change states any more.
        self.arriving = Some(HashMap::default());
        for key in keys {
            let state = self.states[&key].clone();
            keep(key, &state);
            for &first in &program.locations[key].outgoing {
                self.pass(&mut state.clone(), first, key, &mut keep);
            }
        }
        (known, reached)
    }
}
