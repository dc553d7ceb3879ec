//! A program run with sets of rows.
//!
//! Edges change rows as far as [columns](super::columns) tell them apart; what arrives where paths join waits there, and only what
//! is new of it goes on, in the order of the graph. It is written down what went on when and what came of it, so
//! that a [way](super::way) can be found back.

use super::columns::{Column, Sum, as_condition, before, comparison, linear};
use super::diagrams::{Change, Classes, Diagrams, Set};
use super::evaluate::initial;
use super::interval::Interval;
use crate::analysis::{Flow, Liveness, Loops};
use crate::expr::{BinaryOp, Expr, ExprId, UnaryOp};
use crate::program::{EdgeId, LocId, Op, Program, VarId};
use crate::types::Type;
use bolide_base::{Budget, HashMap};
use std::collections::{BTreeMap, BTreeSet};

/// Columns by variable.
pub(super) fn by_variable(columns: &[Column]) -> HashMap<VarId, Vec<usize>> {
    let mut found: HashMap<VarId, Vec<usize>> = HashMap::default();
    for (id, column) in columns.iter().enumerate() {
        for &(var, _) in &column.sum {
            found.entry(var).or_default().push(id);
        }
    }
    found
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
pub(super) struct Runs<'a> {
    program: &'a Program,
    flow: &'a Flow,
    loops: &'a Loops,
    liveness: &'a Liveness,
    pub columns: &'a [Column],
    of_variable: HashMap<VarId, Vec<usize>>,
    of_sum: HashMap<Sum, usize>,
    pub diagrams: Diagrams,
    /// What an assignment does to the columns of its target.
    effects: HashMap<(VarId, ExprId), Vec<Effect>>,
    /// Which change keeps the rows that satisfy a comparison, or its negation.
    filters: HashMap<(ExprId, bool), Option<u32>>,
    /// Which columns are forgotten where paths join.
    dead: HashMap<LocId, u32>,
    /// What arrived where paths join.
    pub arrived: HashMap<LocId, Set>,
    /// And of it, what has not gone on yet, by position in the order of the graph.
    pending: BTreeMap<usize, Set>,
    most_steps: usize,
    /// Edges that were passed, each after what.
    passed: Vec<(EdgeId, Came)>,
    /// What went on from where paths join, in this order.
    pub gone: Vec<(LocId, Set)>,
    /// What was new where paths join, in the order in which it arrived, and how it came.
    pub arrivals: HashMap<LocId, Vec<(Set, Came)>>,
    /// The first rows at an error, and how they came.
    pub error: Option<(Set, Came)>,
}

/// How rows came to where they are.
#[derive(Clone, Copy)]
pub(super) enum Came {
    /// The run starts with them.
    Start,
    /// They went on from where paths join: a position in the list of these.
    On(usize),
    /// Along an edge: a position in the list of those that were passed.
    Along(usize),
}

/// How deep conditions are looked into.
const DEPTH: usize = 24;

impl<'a> Runs<'a> {
    /// Nothing has run yet; with the most nodes of diagrams and the most steps.
    pub fn new(
        program: &'a Program,
        (flow, loops): (&'a Flow, &'a Loops),
        liveness: &'a Liveness,
        columns: &'a [Column],
        (most_nodes, most_steps): (usize, usize),
    ) -> Runs<'a> {
        Runs {
            program,
            flow,
            loops,
            liveness,
            columns,
            of_variable: by_variable(columns),
            of_sum: columns.iter().enumerate().map(|(id, c)| (c.sum.clone(), id)).collect(),
            diagrams: Diagrams::new(most_nodes),
            effects: HashMap::default(),
            filters: HashMap::default(),
            dead: HashMap::default(),
            arrived: HashMap::default(),
            pending: BTreeMap::new(),
            most_steps,
            passed: Vec::new(),
            gone: Vec::new(),
            arrivals: HashMap::default(),
            error: None,
        }
    }

    /// Until nothing new arrives anywhere; none when the effort is used up.
    pub fn all(&mut self, budget: &Budget) -> Option<()> {
        let program = self.program;
        let entry = program.functions[program.entry].body?.entry;
        let start = self.initial();
        self.arrive(entry, start, Came::Start);
        while let Some((at, rows)) = self.pending.pop_first() {
            let at = self.flow.order(program.entry)[at];
            let on = Came::On(self.gone.len());
            self.gone.push((at, rows));
            let leaving = |at: LocId, rows, came| {
                program.locations[at].outgoing.iter().map(move |&edge| (edge, rows, came))
            };
            let mut branches: Vec<(EdgeId, Set, Came)> = leaving(at, rows, on).collect();
            while let Some((edge, rows, came)) = branches.pop() {
                budget.poll().ok()?;
                let rows = self.step(rows, edge);
                let here = Came::Along(self.passed.len());
                self.passed.push((edge, came));
                if self.diagrams.is_full() || self.passed.len() > self.most_steps {
                    return None;
                }
                let to = program.edges[edge].to;
                if rows == Set::EMPTY {
                    continue;
                }
                if program.locations[to].error.is_some() {
                    self.error.get_or_insert((rows, here));
                }
                if program.locations[to].incoming.len() != 1 || self.loops.is_head(to) {
                    self.arrive(to, rows, here);
                } else {
                    branches.extend(leaving(to, rows, here));
                }
            }
        }
        Some(())
    }

    /// The edges along which rows came, from where they last went on; none for those of the start.
    pub fn stretch(&self, mut came: Came) -> Option<(usize, Vec<EdgeId>)> {
        let mut edges = Vec::new();
        loop {
            match came {
                Came::Start => return None,
                Came::On(gone) => {
                    edges.reverse();
                    return Some((gone, edges));
                }
                Came::Along(position) => {
                    let (edge, before) = self.passed[position];
                    edges.push(edge);
                    came = before;
                }
            }
        }
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

    /// The columns that are kept where paths join.
    pub fn kept_at(&self, at: LocId) -> Vec<usize> {
        let Some(&dead) = self.dead.get(&at) else { return Vec::new() };
        (0..self.columns.len()).filter(|&c| !self.diagrams.is_forgotten(dead, c)).collect()
    }

    /// Whether a location is the head of a loop.
    pub fn is_head(&self, at: LocId) -> bool {
        self.loops.is_head(at)
    }

    /// A column gets these classes, whatever it had.
    fn set(&mut self, rows: Set, column: usize, classes: Classes) -> Set {
        let to = vec![classes; self.columns[column].classes.len()];
        let change = self.diagrams.number(Change { column, to });
        self.diagrams.change(rows, change)
    }

    /// Notes what arrives where paths join, and that what is new of it is to go on.
    fn arrive(&mut self, at: LocId, rows: Set, came: Came) {
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
        self.arrivals.entry(at).or_default().push((new, came));
        let waiting = self.pending.entry(position).or_insert(Set::EMPTY);
        *waiting = diagrams.union(*waiting, new);
    }

    /// The rows after an edge.
    pub fn step(&mut self, rows: Set, edge: EdgeId) -> Set {
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
}
