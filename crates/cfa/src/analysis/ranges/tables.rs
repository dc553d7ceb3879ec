//! Which values go together: tables for variables that have few.
//!
//! Protocols, schedulers and drivers keep their state in variables that are
//! given constants or copies of each other (`state`, `flag`, `pc`), or that are counted or compared with each
//! other. What holds of them is a table: the combinations of values that occur. An interval says too
//! little about them, refinement finds the rows one path at a time, and with n components there are
//! more rows than anybody can write down one by one.
//!
//! So the program is run with sets of rows, as decision diagrams ([`diagrams`](super::diagrams)): all that the
//! [columns](super::columns) tell apart is known, everything else is unknown, all branches that may be taken are,
//! until nothing new arrives where paths join. This is how Bebop runs a Boolean program (Ball and
//! Rajamani, SPIN 2000), whose predicates are here the classes of columns, all found
//! beforehand and without a prover, since a step moves a column by a constant, copies another one, or makes it unknown.
//!
//! The order of columns decides how large diagrams get: what is mentioned in
//! neighbouring statements should be neighbours ([`order`], after FORCE by Aloul, Markov and Sakallah, GLSVLSI
//! 2003). Where they get too large even so, numbers and then what is mentioned least is no longer tracked, and it begins again.
//!
//! Limits. Memory is not tracked; there must be no calls. What is found holds of every execution, as ranges do, but
//! nobody relies on that: invariants are proved by those who use them.

use super::columns::{Column, Sum, as_condition, before, columns, comparison, linear};
use super::diagrams::{Change, Classes, Diagrams, Set};
use super::evaluate::initial;
use super::interval::Interval;
use crate::analysis::{Flow, Liveness, Loops};
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::program::{EdgeId, LocId, Op, Program, VarId};
use crate::types::Type;
use bolide_base::{Budget, HashMap};
use std::collections::{BTreeMap, BTreeSet};

/// The combinations of values that some sums may have at a location: a decision diagram.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// What is asked for, at most once on each way down.
    pub columns: Vec<Sum>,
    /// Children before their parents; the last is where one begins.
    pub nodes: Vec<Node>,
}

/// A question: in which interval does a column lie?
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// Which column.
    pub column: usize,
    /// All its values, in ascending order, and where each leads.
    pub answers: Vec<(Interval, Leads)>,
}

/// Where an answer leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leads {
    /// There is no such row.
    Nowhere,
    /// All rows that begin like this are there.
    Everywhere,
    /// To the next question.
    To(usize),
}

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Nodes of a table.
    pub table: usize,
    /// Nodes of all diagrams of an attempt.
    pub nodes: usize,
    /// Edges that are passed in an attempt.
    pub steps: usize,
    /// How often it begins again with fewer columns.
    pub attempts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { table: 2_000, nodes: 250_000, steps: 400_000, attempts: 5 }
    }
}

/// Tables for the loop heads of a program without calls; none where nothing is known.
pub fn tables(program: &Program, limits: Limits, budget: &Budget) -> BTreeMap<LocId, Table> {
    let calls = |op: &Op| matches!(op, Op::Call { .. } | Op::CallIndirect { .. });
    if program.edges.values().any(|edge| calls(&edge.op)) {
        return BTreeMap::new();
    }
    let flow = Flow::new(program);
    let loops = Loops::new(program, &flow);
    let liveness = Liveness::of(program);
    let mut tracked = columns(program);
    for _ in 0..limits.attempts {
        if tracked.is_empty() {
            break;
        }
        tracked = order(program, &flow, tracked);
        let mut runs = Runs::new(program, &flow, &loops, &liveness, &tracked, limits);
        match runs.all(budget).and_then(|()| runs.at_heads()) {
            Some(tables) => return tables,
            None if budget.poll().is_err() => break,
            None => tracked = fewer(tracked),
        }
    }
    BTreeMap::new()
}

/// Without numbers, or else without a third of the columns, those that decide least.
fn fewer(mut columns: Vec<Column>) -> Vec<Column> {
    if columns.iter().any(|column| column.numeric) {
        columns.retain(|column| !column.numeric);
        return columns;
    }
    let mut weights: Vec<(usize, Sum)> =
        columns.iter().map(|column| (column.weight, column.sum.clone())).collect();
    weights.sort();
    weights.truncate(columns.len().div_ceil(3));
    columns.retain(|column| !weights.iter().any(|(_, sum)| *sum == column.sum));
    columns
}

/// Columns by variable.
fn by_variable(columns: &[Column]) -> HashMap<VarId, Vec<usize>> {
    let mut found: HashMap<VarId, Vec<usize>> = HashMap::default();
    for (id, column) in columns.iter().enumerate() {
        for &(var, _) in &column.sum {
            found.entry(var).or_default().push(id);
        }
    }
    found
}

/// The columns in an order in which those that stand in neighbouring statements are near each other: each goes
/// to the middle of the neighbourhoods it is in, again and again.
fn order(program: &Program, flow: &Flow, columns: Vec<Column>) -> Vec<Column> {
    let of_variable = by_variable(&columns);
    let mut walker = crate::analysis::uses::Walker::new();
    let mut of_edge = |edge: EdgeId| -> Vec<usize> {
        let op = &program.edges[edge].op;
        let mut variables = walker.variables(&program.exprs, &op.operands());
        variables.extend(op.target());
        let found = variables.iter().filter_map(|var| of_variable.get(var)).flatten();
        found.copied().collect()
    };
    let mut places: Vec<BTreeSet<usize>> = Vec::new();
    for &loc in flow.order(program.entry) {
        let here = &program.locations[loc];
        let edges = here.incoming.iter().chain(&here.outgoing);
        let near: BTreeSet<usize> = edges.flat_map(|&edge| of_edge(edge)).collect();
        // Heuristic: where everything meets, nothing is near.
        if (2..=12).contains(&near.len()) {
            places.push(near);
        }
    }
    let mut position: Vec<usize> = (0..columns.len()).collect();
    for _ in 0..60 {
        let mut pulled: Vec<(i64, i64)> = vec![(0, 0); columns.len()];
        for place in &places {
            let middle: usize = place.iter().map(|&c| 1000 * position[c]).sum();
            for &column in place {
                pulled[column].0 += (middle / place.len()) as i64;
                pulled[column].1 += 1;
            }
        }
        let target = |c: usize| match pulled[c] {
            (_, 0) => 1000 * position[c] as i64,
            (sum, count) => sum / count,
        };
        let mut by_target: Vec<usize> = (0..columns.len()).collect();
        by_target.sort_by_key(|&c| (target(c), position[c]));
        let before = position.clone();
        for (at, &column) in by_target.iter().enumerate() {
            position[column] = at;
        }
        if before == position {
            break;
        }
    }
    let mut ordered: Vec<(usize, Column)> = position.into_iter().zip(columns).collect();
    ordered.sort_by_key(|(at, _)| *at);
    ordered.into_iter().map(|(_, column)| column).collect()
}

/// What an assignment does to one column.
#[derive(Clone)]
enum Effect {
    /// Changes it by what it was itself, which may be nothing.
    Change(u32),
    /// Makes it depend on another column: for each class of that, a choice of this class and a change.
    Copy(Vec<(u32, u32)>),
}

/// All runs of a program, as far as columns tell them apart.
struct Runs<'a> {
    program: &'a Program,
    flow: &'a Flow,
    loops: &'a Loops,
    liveness: &'a Liveness,
    columns: &'a [Column],
    of_variable: HashMap<VarId, Vec<usize>>,
    of_sum: HashMap<Sum, usize>,
    diagrams: Diagrams,
    /// What an assignment does to the columns of its target.
    effects: HashMap<(VarId, ExprId), Vec<Effect>>,
    /// Which change keeps the rows that satisfy a comparison, or its negation.
    filters: HashMap<(ExprId, bool), Option<u32>>,
    /// Which columns are forgotten where paths join.
    dead: HashMap<LocId, u32>,
    /// What arrived where paths join.
    arrived: HashMap<LocId, Set>,
    /// And of it, what has not gone on yet, by position in the order of the graph.
    pending: BTreeMap<usize, Set>,
    limits: Limits,
    steps: usize,
}

/// How deep conditions are looked into.
const DEPTH: usize = 24;

impl<'a> Runs<'a> {
    fn new(
        program: &'a Program,
        flow: &'a Flow,
        loops: &'a Loops,
        liveness: &'a Liveness,
        columns: &'a [Column],
        limits: Limits,
    ) -> Runs<'a> {
        Runs {
            program,
            flow,
            loops,
            liveness,
            columns,
            of_variable: by_variable(columns),
            of_sum: columns.iter().enumerate().map(|(id, c)| (c.sum.clone(), id)).collect(),
            diagrams: Diagrams::new(limits.nodes),
            effects: HashMap::default(),
            filters: HashMap::default(),
            dead: HashMap::default(),
            arrived: HashMap::default(),
            pending: BTreeMap::new(),
            limits,
            steps: 0,
        }
    }

    /// Until nothing new arrives anywhere; none when the effort is used up.
    fn all(&mut self, budget: &Budget) -> Option<()> {
        let program = self.program;
        let entry = program.functions[program.entry].body?.entry;
        let start = self.initial();
        self.arrive(entry, start);
        while let Some((at, rows)) = self.pending.pop_first() {
            let at = self.flow.order(program.entry)[at];
            let leaving = |at: LocId, rows| {
                program.locations[at].outgoing.iter().map(move |&edge| (edge, rows))
            };
            let mut branches: Vec<(EdgeId, Set)> = leaving(at, rows).collect();
            while let Some((edge, rows)) = branches.pop() {
                budget.poll().ok()?;
                self.steps += 1;
                let rows = self.step(rows, edge);
                if self.diagrams.is_full() || self.steps > self.limits.steps {
                    return None;
                }
                let to = program.edges[edge].to;
                if rows == Set::EMPTY {
                    continue;
                }
                if program.locations[to].incoming.len() != 1 || self.loops.is_head(to) {
                    self.arrive(to, rows);
                } else {
                    branches.extend(leaving(to, rows));
                }
            }
        }
        Some(())
    }

    /// Globals have their initial values.
    fn initial(&mut self) -> Set {
        let program = self.program;
        let mut rows = Set::ALL;
        for (id, column) in self.columns.iter().enumerate() {
            let mut value = Some(0);
            for &(var, coefficient) in &column.sum {
                let variable = &program.variables[var];
                let known = variable.initial.is_some() || variable.function.is_none();
                let start = known.then(|| initial(program, var).value()).flatten();
                value = value.zip(start).map(|(sum, start)| sum + start * i128::from(coefficient));
            }
            if let Some(value) = value {
                rows = self.set(rows, id, column.meeting(Interval::exactly(value)));
            }
        }
        rows
    }

    /// A column gets these classes, whatever it had.
    fn set(&mut self, rows: Set, column: usize, classes: Classes) -> Set {
        let to = vec![classes; self.columns[column].classes.len()];
        let change = self.diagrams.number(Change { column, to });
        self.diagrams.change(rows, change)
    }

    /// Notes what arrives where paths join, and that what is new of it is to go on.
    fn arrive(&mut self, at: LocId, rows: Set) {
        let (program, liveness, columns) = (self.program, self.liveness, self.columns);
        let Some(position) = self.flow.position(at) else { return };
        let diagrams = &mut self.diagrams;
        let dead = *self.dead.entry(at).or_insert_with(|| {
            let live: BTreeSet<VarId> = liveness.live_at(program, at).into_iter().collect();
            let is_dead = |c: &Column| c.sum.iter().any(|(var, _)| !live.contains(var));
            diagrams.number_of_forgotten(columns.iter().map(is_dead).collect())
        });
        let rows = diagrams.forget(rows, dead);
        let arrived = self.arrived.entry(at).or_insert(Set::EMPTY);
        let new = diagrams.without(rows, *arrived);
        if new == Set::EMPTY {
            return;
        }
        *arrived = diagrams.union(*arrived, rows);
        let waiting = self.pending.entry(position).or_insert(Set::EMPTY);
        *waiting = diagrams.union(*waiting, new);
    }

    /// The rows after an edge.
    fn step(&mut self, rows: Set, edge: EdgeId) -> Set {
        let program = self.program;
        match &program.edges[edge].op {
            Op::Assume(condition) => self.assume(rows, *condition, true, DEPTH),
            Op::Assign { target, value } if self.of_variable.contains_key(target) => {
                self.assign(rows, *target, *value, DEPTH)
            }
            Op::Halt { .. } => Set::EMPTY,
            op => match op.target() {
                Some(target) => self.unknown(rows, target),
                None => rows,
            },
        }
    }

    /// A variable gets any value.
    fn unknown(&mut self, rows: Set, target: VarId) -> Set {
        let ids = self.of_variable.get(&target).cloned().unwrap_or_default();
        ids.into_iter().fold(rows, |rows, id| {
            let all = self.columns[id].meeting(Interval::ANY);
            self.set(rows, id, all)
        })
    }

    /// The rows in which a condition may have this truth value. As deep as conditions are looked into.
    fn assume(&mut self, rows: Set, condition: ExprId, wanted: bool, depth: usize) -> Set {
        let exprs = &self.program.exprs;
        if rows == Set::EMPTY || depth == 0 {
            return rows;
        }
        let depth = depth - 1;
        let (a, b, both) = match *exprs.get(condition) {
            Expr::Int { .. } => {
                let holds = exprs.as_int(condition) != Some(0);
                return if holds == wanted { rows } else { Set::EMPTY };
            }
            Expr::Unary(UnaryOp::Not, a) => return self.assume(rows, a, !wanted, depth),
            Expr::Binary(BinaryOp::BitAnd, a, b) if exprs.type_of(condition) == Type::BOOL => {
                (a, b, wanted)
            }
            Expr::Binary(BinaryOp::BitOr, a, b) if exprs.type_of(condition) == Type::BOOL => {
                (a, b, !wanted)
            }
            Expr::Ite(c, a, b) if exprs.type_of(condition) == Type::BOOL => {
                let (yes, no) = self.decide(rows, c, depth);
                let (yes, no) =
                    (self.assume(yes, a, wanted, depth), self.assume(no, b, wanted, depth));
                return self.diagrams.union(yes, no);
            }
            Expr::Compare(op, a, b) => match exprs.as_test(op, a, b) {
                Some((inner, truth)) => return self.assume(rows, inner, truth == wanted, depth),
                None => return self.compare(rows, condition, wanted),
            },
            _ => return self.compare(rows, condition, wanted),
        };
        if both {
            let rows = self.assume(rows, a, wanted, depth);
            self.assume(rows, b, wanted, depth)
        } else {
            let (a, b) = (self.assume(rows, a, wanted, depth), self.assume(rows, b, wanted, depth));
            self.diagrams.union(a, b)
        }
    }

    /// The rows in which a condition may hold, and those in which it may not.
    fn decide(&mut self, rows: Set, condition: ExprId, depth: usize) -> (Set, Set) {
        let yes = self.assume(rows, condition, true, depth);
        (yes, self.assume(rows, condition, false, depth))
    }

    /// The rows in which a comparison may have this truth value.
    fn compare(&mut self, rows: Set, condition: ExprId, wanted: bool) -> Set {
        let filter = match self.filters.get(&(condition, wanted)) {
            Some(&known) => known,
            None => {
                let filter = self.filter(condition, wanted);
                self.filters.insert((condition, wanted), filter);
                filter
            }
        };
        filter.map_or(rows, |filter| self.diagrams.change(rows, filter))
    }

    fn filter(&mut self, condition: ExprId, wanted: bool) -> Option<u32> {
        let comparison = comparison(self.program, condition)?;
        let column = *self.of_sum.get(&comparison.left.sum)?;
        let kept = |(i, &class): (usize, &Interval)| match comparison.holds(class) {
            Some(holds) if holds != wanted => 0,
            _ => 1 << i,
        };
        let to = self.columns[column].classes.iter().enumerate().map(kept).collect();
        Some(self.diagrams.number(Change { column, to }))
    }

    /// The rows after an assignment. As deep as conditions are looked into.
    fn assign(&mut self, rows: Set, target: VarId, value: ExprId, depth: usize) -> Set {
        if rows == Set::EMPTY {
            return rows;
        }
        if depth > 0 {
            if let Expr::Ite(c, a, b) = *self.program.exprs.get(value) {
                let (yes, no) = self.decide(rows, c, depth - 1);
                let yes = self.assign(yes, target, a, depth - 1);
                let no = self.assign(no, target, b, depth - 1);
                return self.diagrams.union(yes, no);
            }
            if let Some(condition) = as_condition(self.program, value) {
                let (yes, no) = self.decide(rows, condition, depth - 1);
                let (yes, no) = (self.number(yes, target, 1), self.number(no, target, 0));
                return self.diagrams.union(yes, no);
            }
        }
        let effects = match self.effects.get(&(target, value)) {
            Some(known) => known.clone(),
            None => {
                let effects = self.effects_of(target, value);
                self.effects.insert((target, value), effects.clone());
                effects
            }
        };
        effects.into_iter().fold(rows, |rows, effect| match effect {
            Effect::Change(change) => self.diagrams.change(rows, change),
            Effect::Copy(cases) => cases.into_iter().fold(Set::EMPTY, |all, (choice, change)| {
                let case = self.diagrams.change(rows, choice);
                let case = self.diagrams.change(case, change);
                self.diagrams.union(all, case)
            }),
        })
    }

    /// A variable gets a constant; what is compared with others is unknown.
    fn number(&mut self, rows: Set, target: VarId, value: i128) -> Set {
        let rows = self.unknown(rows, target);
        match self.of_sum.get(&vec![(target, 1)]).copied() {
            Some(id) => self.set(rows, id, self.columns[id].meeting(Interval::exactly(value))),
            None => rows,
        }
    }

    fn effects_of(&mut self, target: VarId, value: ExprId) -> Vec<Effect> {
        let value = linear(self.program, value);
        let mut effects = Vec::new();
        for column in self.of_variable.get(&target).cloned().unwrap_or_default() {
            let here = &self.columns[column];
            let all = here.meeting(Interval::ANY);
            let source = value.as_ref().and_then(|value| before(&here.sum, target, value));
            let from = source.as_ref().and_then(|source| self.of_sum.get(&source.sum)).copied();
            let after = |class: Interval| match source.as_ref().and_then(|s| s.values(class)) {
                Some(values) => here.meeting(values),
                None => all,
            };
            let width = here.classes.len();
            effects.push(match (&source, from) {
                (Some(source), _) if source.sum.is_empty() => {
                    let to = vec![after(Interval::exactly(0)); width];
                    Effect::Change(self.diagrams.number(Change { column, to }))
                }
                (Some(_), Some(from)) if from == column => {
                    let to = here.classes.iter().map(|&class| after(class)).collect();
                    Effect::Change(self.diagrams.number(Change { column, to }))
                }
                // Required: the other column is what it was before, so the target is not in it.
                (Some(_), Some(from)) if self.columns[from].sum.iter().all(|t| t.0 != target) => {
                    let classes = &self.columns[from].classes;
                    let mut cases = Vec::new();
                    for (i, &class) in classes.iter().enumerate() {
                        let mut only = vec![0; classes.len()];
                        only[i] = 1 << i;
                        let choice = Change { column: from, to: only };
                        let change = Change { column, to: vec![after(class); width] };
                        let choice = self.diagrams.number(choice);
                        cases.push((choice, self.diagrams.number(change)));
                    }
                    Effect::Copy(cases)
                }
                _ => Effect::Change(self.diagrams.number(Change { column, to: vec![all; width] })),
            });
        }
        effects
    }

    /// The tables of the loop heads; none where one is too large.
    fn at_heads(&self) -> Option<BTreeMap<LocId, Table>> {
        let mut found = BTreeMap::new();
        for (&at, &rows) in &self.arrived {
            if self.loops.is_head(at) && rows != Set::ALL {
                found.insert(at, self.table(rows)?);
            }
        }
        Some(found)
    }

    fn table(&self, rows: Set) -> Option<Table> {
        let order = self.diagrams.nodes_of(rows, self.limits.table)?;
        let mut places: HashMap<Set, Leads> = HashMap::default();
        places.insert(Set::EMPTY, Leads::Nowhere);
        places.insert(Set::ALL, Leads::Everywhere);
        let mut used: BTreeMap<usize, usize> = BTreeMap::new();
        let mut nodes: Vec<Node> = Vec::new();
        for &set in &order {
            let (column, children) = self.diagrams.ask(set)?;
            let count = used.len();
            let mut answers: Vec<(Interval, Leads)> = Vec::new();
            for (&class, child) in self.columns[column].classes.iter().zip(children) {
                match answers.last_mut() {
                    Some((values, leads)) if *leads == places[child] => {
                        *values = values.join(class)
                    }
                    _ => answers.push((class, places[child])),
                }
            }
            places.insert(set, Leads::To(nodes.len()));
            nodes.push(Node { column: *used.entry(column).or_insert(count), answers });
        }
        let mut columns: Vec<Sum> = vec![Vec::new(); used.len()];
        for (column, place) in used {
            columns[place] = self.columns[column].sum.clone();
        }
        Some(Table { columns, nodes })
    }
}
