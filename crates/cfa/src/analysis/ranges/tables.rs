//! Which values go together: tables for variables that have few.
//!
//! Protocols, schedulers and drivers keep their state in variables that are
//! given constants or copies of each other (`state`, `flag`, `pc`). What holds of
//! them is a table: the combinations of values that occur. An interval says too
//! little about them, and refinement finds the rows one path at a time.
//!
//! Here the program is run with such variables known or unknown and everything
//! else unknown, all branches that may be taken, until nothing new arrives where paths join: the
//! explicit-value analysis of Beyer and Löwe, "Explicit-state software
//! model checking based on CEGAR and interpolation" (FASE 2013), without the
//! refinement. Where too many combinations arrive, variables that decide little are
//! no longer tracked, and it begins again.
//!
//! Limits. Variables that are computed with are not tracked, nor memory; there
//! must be no calls. What is found holds of every execution, as ranges do, but
//! nobody relies on that: invariants are proved by those who use them.

use super::evaluate::{State, assume, initial, range_of, set};
use super::interval::Interval;
use crate::analysis::{Flow, Liveness, Loops};
use crate::expr::{Expr, ExprId};
use crate::program::{EdgeId, LocId, Op, Program, VarId};
use crate::types::{IntType, Type};
use bolide_base::{Budget, HashMap, HashSet};
use std::collections::{BTreeMap, BTreeSet};

/// The combinations of values that some variables may have at a location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// The columns.
    pub variables: Vec<VarId>,
    /// The rows: the value of each variable, or none where it may be any.
    pub rows: Vec<Vec<Option<i128>>>,
}

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Known values in a table, all rows together.
    pub cells: usize,
    /// Combinations of values that may arrive at any location.
    pub states: usize,
    /// Edges that are passed, all attempts together.
    pub steps: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { cells: 640, states: 400, steps: 150_000 }
    }
}

/// Heuristic: a variable with more constants than this is no state.
const VALUES: usize = 64;

/// Heuristic: this part of the variables that differ is given up at a time.
const GIVEN_UP: usize = 6;

/// Tables for the loop heads of a program without calls; none where nothing is known.
pub fn tables(program: &Program, limits: Limits, budget: &Budget) -> BTreeMap<LocId, Table> {
    let calls = |op: &Op| matches!(op, Op::Call { .. } | Op::CallIndirect { .. });
    let none = BTreeMap::new();
    let mut tracked = enumerated(program);
    if tracked.is_empty() || program.edges.values().any(|edge| calls(&edge.op)) {
        return none;
    }
    let flow = Flow::new(program);
    let loops = Loops::new(program, &flow);
    let liveness = Liveness::of(program);
    let mut steps = 0;
    while !tracked.is_empty() && steps < limits.steps {
        let mut runs = Runs {
            program,
            loops: &loops,
            liveness: &liveness,
            tracked: tracked.keys().copied().collect(),
            live: HashMap::default(),
            arrived: HashMap::default(),
            cells: HashMap::default(),
            pending: Vec::new(),
            limits,
            steps: &mut steps,
        };
        match runs.all(budget) {
            Some(Ok(())) => return runs.at_heads(),
            Some(Err(crowded)) => {
                let given_up = least_decisive(&tracked, &runs.arrived[&crowded]);
                if given_up.is_empty() {
                    return none;
                }
                tracked.retain(|var, _| !given_up.contains(var));
            }
            None => return none,
        }
    }
    none
}

/// What is known of tracked variables, sorted.
type Valuation = Vec<(VarId, i128)>;

/// The variables to give up where too many valuations arrive: among those that differ there, a few
/// with the least weight.
fn least_decisive(weights: &BTreeMap<VarId, usize>, arrived: &HashSet<Valuation>) -> Vec<VarId> {
    let mut first: Option<&Valuation> = None;
    let mut differing: BTreeSet<VarId> = BTreeSet::new();
    for valuation in arrived {
        let Some(other) = first else {
            first = Some(valuation);
            continue;
        };
        let unlike = |a: &Valuation, b: &Valuation| -> Vec<VarId> {
            a.iter().filter(|entry| b.binary_search(entry).is_err()).map(|entry| entry.0).collect()
        };
        differing.extend(unlike(valuation, other));
        differing.extend(unlike(other, valuation));
    }
    let mut differing: Vec<VarId> = differing.into_iter().collect();
    differing.sort_by_key(|var| (weights[var], std::cmp::Reverse(*var)));
    differing.truncate(differing.len().div_ceil(GIVEN_UP));
    differing
}

/// All runs of a program, as far as tracked variables tell them apart.
struct Runs<'a> {
    program: &'a Program,
    loops: &'a Loops,
    liveness: &'a Liveness,
    tracked: BTreeSet<VarId>,
    /// Tracked variables that are live where paths join.
    live: HashMap<LocId, Vec<VarId>>,
    /// What arrived where paths join.
    arrived: HashMap<LocId, HashSet<Valuation>>,
    /// How many values are known in it.
    cells: HashMap<LocId, usize>,
    pending: Vec<(LocId, Valuation)>,
    limits: Limits,
    steps: &'a mut usize,
}

impl Runs<'_> {
    /// Until nothing new arrives anywhere; an error names a location where too
    /// much does. None when the effort is used up.
    fn all(&mut self, budget: &Budget) -> Option<Result<(), LocId>> {
        let program = self.program;
        let entry = program.functions[program.entry].body?.entry;
        self.arrive(entry, &self.initial());
        while let Some((at, valuation)) = self.pending.pop() {
            budget.poll().ok()?;
            let mut state = State::default();
            for &(var, value) in &valuation {
                set(program, &mut state, var, Interval::exactly(value));
            }
            let mut branches: Vec<(EdgeId, State)> =
                program.locations[at].outgoing.iter().map(|&e| (e, state.clone())).collect();
            while let Some((edge, mut state)) = branches.pop() {
                *self.steps += 1;
                if *self.steps >= self.limits.steps {
                    return None;
                }
                if !self.step(&mut state, edge) {
                    continue;
                }
                let to = program.edges[edge].to;
                if self.is_join(to) {
                    if !self.arrive(to, &state) {
                        return Some(Err(to));
                    }
                    continue;
                }
                let outgoing = &program.locations[to].outgoing;
                branches.extend(outgoing.iter().map(|&e| (e, state.clone())));
            }
        }
        Some(Ok(()))
    }

    fn initial(&self) -> State {
        let mut state = State::default();
        for &var in &self.tracked {
            let variable = &self.program.variables[var];
            if variable.initial.is_none() && variable.function.is_some() {
                continue;
            }
            let range = initial(self.program, var);
            set(self.program, &mut state, var, range);
        }
        state
    }

    fn is_join(&self, loc: LocId) -> bool {
        self.program.locations[loc].incoming.len() != 1 || self.loops.is_head(loc)
    }

    /// Passes an edge; false when that is impossible.
    fn step(&self, state: &mut State, edge: EdgeId) -> bool {
        let program = self.program;
        match &program.edges[edge].op {
            Op::Assume(condition) => return assume(program, state, *condition),
            Op::Assign { target, value } if self.tracked.contains(target) => {
                let range = range_of(program, state, *value);
                set(program, state, *target, range);
            }
            Op::Halt { .. } => return false,
            op => {
                if let Some(target) = op.target() {
                    state.remove(&target);
                }
            }
        }
        true
    }

    /// Notes what is known where paths join; false when that is too much.
    fn arrive(&mut self, at: LocId, state: &State) -> bool {
        let (program, tracked, liveness) = (self.program, &self.tracked, self.liveness);
        let live = self.live.entry(at).or_insert_with(|| {
            let all = liveness.live_at(program, at);
            all.into_iter().filter(|var| tracked.contains(var)).collect()
        });
        let value = |var: &VarId| Some((*var, state.get(var)?.value()?));
        let valuation: Valuation = live.iter().filter_map(value).collect();
        let arrived = self.arrived.entry(at).or_default();
        if arrived.insert(valuation.clone()) {
            let cells = self.cells.entry(at).or_default();
            *cells += valuation.len();
            let crowded = self.loops.is_head(at) && *cells > self.limits.cells;
            self.pending.push((at, valuation));
            return !crowded && arrived.len() <= self.limits.states;
        }
        true
    }

    fn at_heads(&self) -> BTreeMap<LocId, Table> {
        let heads = self.arrived.iter().filter(|(at, _)| self.loops.is_head(**at));
        heads.filter_map(|(&at, arrived)| Some((at, table(arrived)?))).collect()
    }
}

/// A table of what arrived; none if anything goes.
fn table(arrived: &HashSet<Valuation>) -> Option<Table> {
    let mut all: Vec<&Valuation> = arrived.iter().collect();
    all.sort_unstable();
    // What is said with fewer conditions says it of more.
    let within = |a: &Valuation, b: &Valuation| a.iter().all(|e| b.binary_search(e).is_ok());
    let minimal: Vec<&Valuation> = all
        .iter()
        .copied()
        .filter(|v| !all.iter().any(|other| other.len() < v.len() && within(other, v)))
        .collect();
    if minimal.iter().any(|v| v.is_empty()) {
        return None;
    }
    let variables: BTreeSet<VarId> = minimal.iter().flat_map(|v| v.iter().map(|e| e.0)).collect();
    let variables: Vec<VarId> = variables.into_iter().collect();
    let rows = minimal
        .into_iter()
        .map(|valuation| {
            let value = |var: &VarId| {
                let position = valuation.binary_search_by_key(var, |entry| entry.0);
                position.ok().map(|i| valuation[i].1)
            };
            variables.iter().map(value).collect()
        })
        .collect();
    Some(Table { variables, rows })
}

/// Variables that are given constants, copies of each other or inputs, and that some
/// condition mentions, with a weight: how often, and of how many values.
fn enumerated(program: &Program) -> BTreeMap<VarId, usize> {
    let mut assigned: BTreeMap<VarId, Assigned> = BTreeMap::new();
    let mut mentioned: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut walker = crate::analysis::uses::Walker::new();
    for edge in program.edges.values() {
        if let Op::Assume(condition) = edge.op {
            walker.walk(&program.exprs, &[condition], |_, expr| {
                if let Expr::Var(var) = expr {
                    *mentioned.entry(*var).or_default() += 1;
                }
            });
        }
        if let (Some(target), Op::Assign { value, .. }) = (edge.op.target(), &edge.op) {
            assigned.entry(target).or_default().add(program, target, *value);
        }
    }
    // What is copied into a variable decides as much as that variable.
    let mut weights: BTreeMap<VarId, usize> = BTreeMap::new();
    let mut pending: Vec<(VarId, usize)> = mentioned
        .iter()
        .map(|(&var, &count)| (var, count + assigned.get(&var).map_or(0, |a| a.values.len())))
        .collect();
    while let Some((var, weight)) = pending.pop() {
        let known = weights.entry(var).or_default();
        if *known < weight {
            *known = weight;
            let copies = assigned.get(&var).map(|a| &a.copies);
            pending.extend(copies.into_iter().flatten().map(|&copied| (copied, weight)));
        }
    }
    weights.retain(|var, _| {
        let is_integer = matches!(program.variables[*var].ty, Type::Int(ty) if ty.bits < 128);
        let few = |a: &Assigned| !a.computed && a.values.len() <= VALUES;
        is_integer && assigned.get(var).is_none_or(few)
    });
    weights
}

/// What is assigned to a variable.
#[derive(Default)]
struct Assigned {
    values: BTreeSet<i128>,
    copies: BTreeSet<VarId>,
    computed: bool,
}

impl Assigned {
    fn add(&mut self, program: &Program, target: VarId, value: ExprId) {
        let exprs = &program.exprs;
        let is_condition = program.variables[target].ty == Type::Int(IntType::BOOL);
        let mut pending = vec![value];
        while let Some(e) = pending.pop() {
            match exprs.get(e) {
                Expr::Int { .. } => self.values.extend(exprs.as_int(e)),
                Expr::Var(var) => {
                    self.copies.insert(*var);
                }
                Expr::Cast(Type::Int(_), a) if exprs.type_of(*a) != Type::BOOL => pending.push(*a),
                Expr::Ite(_, a, b) => pending.extend([*a, *b]),
                Expr::Load(_) => {}
                _ => self.computed |= !is_condition && exprs.type_of(e) != Type::BOOL,
            }
        }
    }
}
