//! In which intervals floats may lie: guesses at loop heads, and what lemmas are worth stating.
//!
//! Forward iteration with widening to constants of the program and powers of ten (Cousot and Cousot, POPL 1977). Nobody relies on
//! the result, so it may hope: where nothing is known of a variable, it lies between the constants that the program
//! compares it with. The encoding states of each operation what it gives for operands in these intervals
//! (true whatever they are), [`float_guesses`](crate::float_guesses) says that variables lie in them at loop heads, and the
//! solver shows which do. So a loop over floats is proved without a circuit, and a wrong guess costs time only.
//!
//! A function of an input that intervals do not bound well enough, because a variable occurs in it twice, is bounded on pieces
//! of the input: those where the iteration reaches an error are halved until it reaches none in any (branch and
//! bound; Moore, Interval Analysis, 1966). Then the encoding says the same of each operation on each piece, and the
//! solver distinguishes the cases. Where some piece stays open, nothing is said of any.

use crate::encode::Interval;
use crate::float_interval::{FloatInterval, has_ranks, infinity, rank};
use bolide_base::HashMap;
use bolide_cfa::analysis::Loops;
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::value::{self, Value};
use bolide_cfa::{
    BinaryOp, CompareOp, Expr, ExprId, FloatKind, LocId, MathFn, Op, OutputKind, Program, Type,
    UnaryOp, VarId,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// Heuristic: so often an interval grows to what arrives, and so often after that to the next threshold.
const JOINS: u32 = 3;
const WIDENINGS: u32 = 10;

/// Heuristic: larger programs get no intervals of floats.
const EDGES: usize = 20_000;

/// Heuristic: and programs of which each location is visited so often.
const STEPS: usize = 100;

/// Heuristic: programs up to this size get pieces, so many, each input halved so often.
const SMALL: usize = 500;
const PIECES: usize = 256;
const HALVINGS: usize = 24;

/// Heuristic: so deep conditions are evaluated.
const DEPTH: usize = 6;

/// What is known of variables, as far as that is more than [`FloatRanges::hoped`].
type State = BTreeMap<VarId, FloatInterval>;

/// The range of an integer expression at a location.
pub type Integers<'a> = &'a dyn Fn(LocId, ExprId) -> Interval;

/// What is known where, and what was computed from it.
#[derive(Default)]
struct Part {
    states: HashMap<LocId, State>,
    known: RefCell<HashMap<(LocId, ExprId), Option<FloatInterval>>>,
}

impl From<HashMap<LocId, State>> for Part {
    fn from(states: HashMap<LocId, State>) -> Part {
        Part { states, ..Part::default() }
    }
}

/// Intervals of floats at all locations.
#[derive(Default)]
pub struct FloatRanges {
    /// For all inputs.
    whole: Part,
    /// For inputs of which each lies in a piece of its interval; the pieces cover it.
    pieces: Vec<Part>,
    /// Between which constants the program compares a variable with it may lie.
    hoped: BTreeMap<VarId, FloatInterval>,
}

fn kind_of(ty: Type) -> Option<FloatKind> {
    match ty {
        Type::Float(kind) if has_ranks(kind) => Some(kind),
        _ => None,
    }
}

impl FloatRanges {
    /// Analyses the program.
    pub fn new(program: &Program, loops: &Loops, integers: Integers<'_>) -> FloatRanges {
        let mut ranges = FloatRanges::default();
        let floats = program.variables.values().any(|v| kind_of(v.ty).is_some());
        if floats && program.edges.len() <= EDGES {
            let constants = ranges.compared(program);
            let inputs = State::new();
            let hoped = &ranges.hoped;
            let mut analysis = Analysis { program, loops, integers, constants, hoped, inputs };
            let states = analysis.run();
            let pieces = analysis.pieces(&states);
            ranges.whole = Part::from(states);
            ranges.pieces = pieces.into_iter().map(Part::from).collect();
        }
        ranges
    }

    /// The interval of an expression at a location.
    pub fn at(
        &self,
        program: &Program,
        at: LocId,
        expr: ExprId,
        integers: Integers<'_>,
    ) -> Option<FloatInterval> {
        self.of_part(&self.whole, program, at, expr, integers)
    }

    /// The interval of an expression at a location on each piece of the inputs.
    pub fn on_pieces(
        &self,
        program: &Program,
        at: LocId,
        expr: ExprId,
        integers: Integers<'_>,
    ) -> Vec<Option<FloatInterval>> {
        let of = |part| self.of_part(part, program, at, expr, integers);
        self.pieces.iter().map(of).collect()
    }

    fn of_part(
        &self,
        part: &Part,
        program: &Program,
        at: LocId,
        expr: ExprId,
        integers: Integers<'_>,
    ) -> Option<FloatInterval> {
        kind_of(program.exprs.type_of(expr))?;
        if let Some(known) = part.known.borrow().get(&(at, expr)) {
            return *known;
        }
        let state = part.states.get(&at)?;
        let found = evaluate(program, &self.hoped, state, expr, &|e| integers(at, e));
        let mut known = part.known.borrow_mut();
        known.extend(found.iter().map(|(&e, &interval)| ((at, e), interval)));
        found[&expr]
    }

    /// In which intervals variables may lie at a location, narrow ones first.
    pub fn of_variables(&self, at: LocId) -> Vec<(VarId, FloatInterval)> {
        let Some(state) = self.whole.states.get(&at) else { return Vec::new() };
        let known = state.iter().chain(&self.hoped);
        let mut all: Vec<(VarId, FloatInterval)> = known.map(|(&v, &i)| (v, i)).collect();
        all.sort_by_key(|(var, interval)| (*var, interval.hi - interval.lo));
        all.dedup();
        all
    }

    /// Notes which constants variables are compared with; all constants, as doubles.
    fn compared(&mut self, program: &Program) -> BTreeSet<u64> {
        let mut walker = Walker::new();
        let mut constants = BTreeSet::new();
        let mut bounds: BTreeMap<(VarId, bool), FloatInterval> = BTreeMap::new();
        let exprs = &program.exprs;
        for edge in program.edges.values() {
            walker.walk(exprs, &edge.op.operands(), |_, expr| {
                if let Expr::Float { bits, kind } = *expr {
                    let float = Value::Float { bits, kind };
                    let double = value::cast(Type::Float(FloatKind::F64), float, program.target);
                    constants.insert(double.bits() as u64);
                }
                let Expr::Compare(op, a, b) = *expr else { return };
                for (variable, constant, below) in [(a, b, true), (b, a, false)] {
                    let variable = match *exprs.get(variable) {
                        Expr::Cast(Type::Float(_), inner) => inner,
                        _ => variable,
                    };
                    let Expr::Var(var) = *exprs.get(variable) else { continue };
                    let Some(kind) = kind_of(program.variables[var].ty) else { continue };
                    let Some(float) = Value::of(exprs.get(constant)) else { continue };
                    let float = value::cast(Type::Float(kind), float, program.target);
                    let Some(bound) = FloatInterval::exactly(float) else { continue };
                    for side in [true, false] {
                        if matches!(op, CompareOp::Eq | CompareOp::Ne) || side == below {
                            let known = bounds.entry((var, side)).or_insert(bound);
                            *known = known.join(bound);
                        }
                    }
                }
            });
        }
        for (&(var, _), &bound) in &bounds {
            let side = |below| bounds.get(&(var, below));
            let all = FloatInterval::all(bound.kind);
            let hi = side(true).map_or(all.hi, |upper| upper.hi);
            let lo = side(false).map_or(all.lo, |lower| lower.lo);
            if lo <= hi {
                self.hoped.insert(var, FloatInterval { lo, hi, ..bound });
            }
        }
        constants
    }
}

fn of_variable(hoped: &State, state: &State, var: VarId) -> Option<FloatInterval> {
    state.get(&var).or_else(|| hoped.get(&var)).copied()
}

/// The intervals of an expression and its parts.
fn evaluate(
    program: &Program,
    hoped: &State,
    state: &State,
    root: ExprId,
    integers: &dyn Fn(ExprId) -> Interval,
) -> HashMap<ExprId, Option<FloatInterval>> {
    let (exprs, target) = (&program.exprs, program.target);
    let mut done: HashMap<ExprId, Option<FloatInterval>> = HashMap::default();
    for id in Walker::new().bottom_up(exprs, &[root]) {
        let Some(kind) = kind_of(exprs.type_of(id)) else { continue };
        let of = |e: &ExprId| done.get(e).copied().flatten();
        let interval = match exprs.get(id) {
            Expr::Float { bits, kind } => {
                FloatInterval::exactly(Value::Float { bits: *bits, kind: *kind })
            }
            Expr::Var(var) => of_variable(hoped, state, *var),
            Expr::Unary(UnaryOp::Neg, a) => of(a).map(FloatInterval::negated),
            Expr::Binary(BinaryOp::Mul, a, b) if a == b => of(a).map(FloatInterval::squared),
            Expr::Binary(op, a, b) => of(a).zip(of(b)).and_then(|(a, b)| a.binary(*op, b)),
            Expr::FloatFn(f, a) => of(a).and_then(|a| a.function(*f)),
            Expr::Ite(_, a, b) => of(a).zip(of(b)).map(|(a, b)| a.join(b)),
            Expr::Cast(_, a) => match exprs.type_of(*a) {
                Type::Int(ty) => match integers(*a) {
                    (Some(lo), Some(hi)) => FloatInterval::of_integers((lo, hi), ty, kind, target),
                    _ => None,
                },
                _ => of(a).and_then(|a| a.converted(kind, target)),
            },
            _ => None,
        };
        done.insert(id, interval);
    }
    done.entry(root).or_insert(None);
    done
}

struct Analysis<'a> {
    program: &'a Program,
    loops: &'a Loops,
    integers: Integers<'a>,
    /// The bits of doubles.
    constants: BTreeSet<u64>,
    hoped: &'a State,
    /// Where variables lie that get a value of which nothing is known; with any, what cannot be is not reached.
    inputs: State,
}

impl Analysis<'_> {
    fn run(&self) -> HashMap<LocId, State> {
        let mut states: HashMap<LocId, State> = HashMap::default();
        let thresholds = self.thresholds();
        let mut visits: HashMap<LocId, u32> = HashMap::default();
        let mut pending: BTreeSet<LocId> = BTreeSet::new();
        for (function, definition) in self.program.functions.iter() {
            let Some(body) = definition.body else { continue };
            let state = if function == self.program.entry { self.initial() } else { State::new() };
            states.insert(body.entry, state);
            pending.insert(body.entry);
        }
        let mut steps = STEPS * self.program.edges.len();
        while let Some(at) = pending.pop_first() {
            let Some(fewer) = steps.checked_sub(1) else {
                return HashMap::default();
            };
            steps = fewer;
            for &edge in &self.program.locations[at].outgoing {
                let mut state = states[&at].clone();
                if !self.step(&mut state, at, &self.program.edges[edge].op) {
                    continue;
                }
                let to = self.program.edges[edge].to;
                let Some(old) = states.get_mut(&to) else {
                    states.insert(to, state);
                    pending.insert(to);
                    continue;
                };
                let visits = visits.entry(to).or_insert(0);
                let is_head = self.loops.is_head(to);
                let mut changed = false;
                old.retain(|var, interval| {
                    let new = state.get(var).copied();
                    if new.is_some_and(|new| interval.includes(new)) {
                        return true;
                    }
                    changed = true;
                    let Some(new) = new else { return false };
                    let joined = interval.join(new);
                    *interval = match *visits {
                        n if !is_head || n < JOINS => joined,
                        n if n < JOINS + WIDENINGS => widen(*interval, joined, &thresholds),
                        _ => return false,
                    };
                    *interval != FloatInterval::all(interval.kind)
                });
                if changed {
                    *visits += 1;
                    pending.insert(to);
                }
            }
        }
        states
    }

    /// What is known where on pieces of the inputs on which no error is reached; none if there are errors all the same, or if
    /// no error is reached on the whole.
    fn pieces(&mut self, whole: &HashMap<LocId, State>) -> Vec<HashMap<LocId, State>> {
        let mut found = Vec::new();
        if self.program.edges.len() > SMALL {
            return found;
        }
        let mut pending = vec![(self.unknown_inputs(whole), 0)];
        while let Some((inputs, depth)) = pending.pop() {
            self.inputs = inputs;
            let Some(&split) = self.inputs.keys().nth(depth % self.inputs.len().max(1)) else {
                return Vec::new();
            };
            let states = self.run();
            let reached = |(at, _): &(LocId, _)| states.contains_key(at);
            let mut errors = self.program.locations.iter().filter(|(_, l)| l.error.is_some());
            if !states.is_empty() && !errors.any(|l| reached(&l)) {
                found.push(states);
                continue;
            }
            let interval = self.inputs[&split];
            let deep = depth >= HALVINGS * self.inputs.len();
            let open = deep || found.len() + pending.len() >= PIECES;
            if open || interval.lo == interval.hi {
                return Vec::new();
            }
            let middle = interval.middle();
            let halves = [
                FloatInterval { lo: middle + 1, ..interval },
                FloatInterval { hi: middle, ..interval },
            ];
            for half in halves {
                let mut inputs = self.inputs.clone();
                inputs.insert(split, half);
                pending.push((inputs, depth + 1));
            }
        }
        if found.len() == 1 { Vec::new() } else { found }
    }

    /// Variables that get a value of which nothing is known, once, and are then compared with constants.
    fn unknown_inputs(&self, whole: &HashMap<LocId, State>) -> State {
        let mut inputs = State::new();
        for edge in self.program.edges.values().filter(|e| self.loops.innermost(e.from).is_none()) {
            let (Some(target), Some(state)) = (edge.op.target(), whole.get(&edge.from)) else {
                continue;
            };
            let Some(&hoped) = self.hoped.get(&target) else { continue };
            let unknown = match edge.op {
                Op::Assign { value, .. } => self.interval(state, edge.from, value).is_none(),
                _ => matches!(edge.op, Op::Nondet { .. }),
            };
            if unknown && !hoped.has_infinity() {
                inputs.insert(target, hoped);
            }
        }
        inputs
    }

    /// Ranks at which widening stops, by format.
    fn thresholds(&self) -> HashMap<FloatKind, BTreeSet<i128>> {
        let powers = (-6..=38).map(|n| 10f64.powi(n).to_bits());
        let all: BTreeSet<u64> = powers.chain(self.constants.iter().copied()).collect();
        let of = |kind| {
            let rank = |&bits: &u64| {
                let double = Value::Float { bits: u128::from(bits), kind: FloatKind::F64 };
                rank(value::cast(Type::Float(kind), double, self.program.target))
            };
            let ranks = all.iter().filter_map(rank).flat_map(|rank| [rank, -rank]);
            (kind, ranks.collect())
        };
        [FloatKind::F32, FloatKind::F64].map(of).into_iter().collect()
    }

    /// Globals at the start of the run.
    fn initial(&self) -> State {
        let mut state = State::new();
        for (var, variable) in self.program.variables.iter() {
            let Some(kind) = kind_of(variable.ty).filter(|_| variable.function.is_none()) else {
                continue;
            };
            let float = match variable.initial {
                Some(initial) => Value::of(self.program.exprs.get(initial)),
                None => Some(Value::zero(Type::Float(kind))),
            };
            state.extend(float.and_then(FloatInterval::exactly).map(|interval| (var, interval)));
        }
        state
    }

    fn interval(&self, state: &State, at: LocId, e: ExprId) -> Option<FloatInterval> {
        evaluate(self.program, self.hoped, state, e, &|e| (self.integers)(at, e))[&e]
    }

    /// The state after an operation; whether there is one.
    fn step(&self, state: &mut State, at: LocId, op: &Op) -> bool {
        match op {
            Op::Assume(condition) => {
                self.assume(state, at, *condition);
                return self.inputs.is_empty() || self.possible(state, at, *condition, true, DEPTH);
            }
            Op::Assign { target, value }
                if kind_of(self.program.variables[*target].ty).is_some() =>
            {
                match self.interval(state, at, *value) {
                    Some(interval) => state.insert(*target, interval),
                    None => state.remove(target),
                };
            }
            Op::Output {
                kind: OutputKind::Math(MathFn::Modulo),
                arguments,
                result: Some(target),
            } => {
                let known: Option<Vec<FloatInterval>> =
                    arguments.iter().map(|&a| self.interval(state, at, a)).collect();
                state.remove(target);
                if let Some([a, b]) = known.as_deref() {
                    state.extend(a.modulo(*b).map(|interval| (*target, interval)));
                }
            }
            Op::Call { .. } | Op::CallIndirect { .. } => {
                state.retain(|var, _| self.program.variables[*var].function.is_some());
            }
            _ => {}
        }
        let is_computed = matches!(
            op,
            Op::Assign { .. } | Op::Output { kind: OutputKind::Math(MathFn::Modulo), .. }
        );
        if let (Some(target), false) = (op.target(), is_computed) {
            state.remove(&target);
        }
        if let Some(target) = op.target().filter(|target| !state.contains_key(target)) {
            state.extend(self.inputs.get(&target).map(|&piece| (target, piece)));
        }
        true
    }

    /// Whether a condition may have a truth value.
    fn possible(&self, state: &State, at: LocId, id: ExprId, wanted: bool, depth: usize) -> bool {
        let exprs = &self.program.exprs;
        let Some(depth) = depth.checked_sub(1) else { return true };
        let may = |id, wanted| self.possible(state, at, id, wanted, depth);
        match *exprs.get(id) {
            Expr::Int { bits, .. } => (bits != 0) == wanted,
            Expr::Unary(UnaryOp::Not, a) => may(a, !wanted),
            Expr::Ite(c, a, b) => {
                (may(c, true) && may(a, wanted)) || (may(c, false) && may(b, wanted))
            }
            Expr::Compare(op, a, b) => {
                if let Some((inner, truth)) = exprs.as_test(op, a, b) {
                    return may(inner, truth == wanted);
                }
                let [Some(x), Some(y)] = [a, b].map(|e| self.interval(state, at, e)) else {
                    return true;
                };
                let (less, differ) = match op {
                    CompareOp::Lt => return if wanted { x.lo < y.hi } else { x.hi >= y.lo },
                    CompareOp::Le => return if wanted { x.lo <= y.hi } else { x.hi > y.lo },
                    CompareOp::Eq => (!wanted, x.lo != x.hi || x != y),
                    CompareOp::Ne => (wanted, x.lo != x.hi || x != y),
                };
                if less { differ } else { x.meet(y).is_some() }
            }
            _ => true,
        }
    }

    /// Restricts the state to where the condition holds.
    fn assume(&self, state: &mut State, at: LocId, condition: ExprId) {
        let exprs = &self.program.exprs;
        let mut stack = vec![(condition, true)];
        while let Some((id, wanted)) = stack.pop() {
            match *exprs.get(id) {
                Expr::Unary(UnaryOp::Not, a) => stack.push((a, !wanted)),
                Expr::Binary(BinaryOp::BitAnd, a, b) if wanted => {
                    stack.extend([(a, true), (b, true)]);
                }
                Expr::Binary(BinaryOp::BitOr, a, b) if !wanted => {
                    stack.extend([(a, false), (b, false)]);
                }
                // `c && a`, and `c || b`.
                Expr::Ite(c, a, b) if wanted && exprs.as_int(b) == Some(0) => {
                    stack.extend([(c, true), (a, true)]);
                }
                Expr::Ite(c, a, b) if !wanted && exprs.as_int(a) == Some(1) => {
                    stack.extend([(c, false), (b, false)]);
                }
                Expr::Compare(op, a, b) => match exprs.as_test(op, a, b) {
                    Some((inner, truth)) => stack.push((inner, truth == wanted)),
                    None => self.compare(state, at, (op, a, b), wanted),
                },
                _ => {}
            }
        }
    }

    fn compare(
        &self,
        state: &mut State,
        at: LocId,
        (op, a, b): (CompareOp, ExprId, ExprId),
        wanted: bool,
    ) {
        let Some(kind) = kind_of(self.program.exprs.type_of(a)) else { return };
        let known = [a, b].map(|e| self.interval(state, at, e));
        // With NaN a comparison and its negation fail both.
        let (op, sides) = match (wanted, known) {
            (true, [x, y]) => (op, [(a, x), (b, y)]),
            (false, [Some(x), Some(y)]) => {
                let sides = [(a, Some(x)), (b, Some(y))];
                match op {
                    CompareOp::Lt => (CompareOp::Le, [sides[1], sides[0]]),
                    CompareOp::Le => (CompareOp::Lt, [sides[1], sides[0]]),
                    CompareOp::Ne => (CompareOp::Eq, sides),
                    CompareOp::Eq => return,
                }
            }
            _ => return,
        };
        let [x, y] = sides.map(|(_, known)| known.unwrap_or(FloatInterval::all(kind)));
        let step = i128::from(op == CompareOp::Lt);
        let (upper, lower) = (
            FloatInterval { lo: -infinity(kind), hi: y.hi - step, kind },
            FloatInterval { lo: x.lo + step, hi: infinity(kind), kind },
        );
        let (new_x, new_y) = match op {
            CompareOp::Lt | CompareOp::Le => (x.meet(upper), y.meet(lower)),
            CompareOp::Eq => (x.meet(y), x.meet(y)),
            CompareOp::Ne => return,
        };
        for ((side, _), interval) in sides.into_iter().zip([new_x, new_y]) {
            let Some(interval) = interval else { continue };
            match *self.program.exprs.get(side) {
                Expr::Var(var) => drop(state.insert(var, interval)),
                Expr::Cast(_, inner) => self.restrict(state, inner, interval),
                _ => {}
            }
        }
    }

    /// A float of a narrower format whose value lies in an interval.
    fn restrict(&self, state: &mut State, inner: ExprId, interval: FloatInterval) {
        let Expr::Var(var) = *self.program.exprs.get(inner) else { return };
        let Some(kind) = kind_of(self.program.variables[var].ty) else { return };
        let Some(near) = interval.converted(kind, self.program.target) else { return };
        // Rounding may have moved a bound inwards.
        let around = FloatInterval { lo: near.lo - 1, hi: near.hi + 1, kind };
        let Some(around) = around.meet(FloatInterval::all(kind)) else { return };
        let known = of_variable(self.hoped, state, var).unwrap_or(around);
        state.extend(known.meet(around).map(|interval| (var, interval)));
    }
}

/// From one interval to another that includes it: bounds that moved go to the next threshold.
fn widen(
    old: FloatInterval,
    new: FloatInterval,
    thresholds: &HashMap<FloatKind, BTreeSet<i128>>,
) -> FloatInterval {
    let (all, list) = (FloatInterval::all(old.kind), &thresholds[&old.kind]);
    let below = || list.range(..=new.lo).next_back().copied().unwrap_or(all.lo);
    let above = || list.range(new.hi..).next().copied().unwrap_or(all.hi);
    let lo = if new.lo < old.lo { below() } else { new.lo };
    let hi = if new.hi > old.hi { above() } else { new.hi };
    FloatInterval { lo, hi, ..old }
}
