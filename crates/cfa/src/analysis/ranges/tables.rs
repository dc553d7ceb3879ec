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

use super::columns::{Column, Sum, columns};
use super::diagrams::Set;
use super::interval::Interval;
use super::runs::{Runs, by_variable};
use super::way::way;
use crate::analysis::{Flow, Liveness, Loops};
use crate::program::{EdgeId, LocId, Op, Program};
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
    /// Nodes of all diagrams of an attempt, where the program is small.
    pub nodes: usize,
    /// And so many more for each of its edges.
    pub nodes_for_edge: usize,
    /// Edges that are passed in an attempt.
    pub steps: usize,
    /// How often it begins again with fewer columns.
    pub attempts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { table: 2_000, nodes: 60_000, nodes_for_edge: 30, steps: 400_000, attempts: 4 }
    }
}

/// What running a program with sets of rows shows.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// At loop heads where something is known.
    pub at_heads: BTreeMap<LocId, Table>,
    /// A way to an error as far as columns tell, if there is one: nobody has taken it yet.
    pub way: Option<Vec<EdgeId>>,
}

/// Runs a program without calls.
pub fn tables(program: &Program, limits: Limits, budget: &Budget) -> Tables {
    let calls = |op: &Op| matches!(op, Op::Call { .. } | Op::CallIndirect { .. });
    if program.edges.values().any(|edge| calls(&edge.op)) {
        return Tables::default();
    }
    let flow = Flow::new(program);
    let loops = Loops::new(program, &flow);
    // Heuristic: where nothing is repeated, one question about all paths says more.
    if !program.locations.ids().any(|location| loops.is_head(location)) {
        return Tables::default();
    }
    let liveness = Liveness::of(program);
    let mut tracked = columns(program);
    for _ in 0..limits.attempts {
        if tracked.is_empty() {
            break;
        }
        tracked = order(program, &flow, tracked);
        let nodes = limits.nodes + limits.nodes_for_edge * program.edges.len();
        let effort = (nodes, limits.steps);
        let mut runs = Runs::new(program, (&flow, &loops), &liveness, &tracked, effort);
        match runs.all(budget).and_then(|()| at_heads(&runs, limits.table)) {
            Some(at_heads) => return Tables { at_heads, way: way(&mut runs) },
            None if budget.poll().is_err() => break,
            None => tracked = fewer(tracked),
        }
    }
    Tables::default()
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

/// The tables of the loop heads; none where one is too large.
fn at_heads(runs: &Runs<'_>, most_nodes: usize) -> Option<BTreeMap<LocId, Table>> {
    let mut found = BTreeMap::new();
    for (&at, &rows) in &runs.arrived {
        if runs.is_head(at) && rows != Set::ALL {
            found.insert(at, table(runs, rows, most_nodes)?);
        }
    }
    Some(found)
}

fn table(runs: &Runs<'_>, rows: Set, most_nodes: usize) -> Option<Table> {
    let order = runs.diagrams.nodes_of(rows, most_nodes)?;
    let mut places: HashMap<Set, Leads> = HashMap::default();
    places.insert(Set::EMPTY, Leads::Nowhere);
    places.insert(Set::ALL, Leads::Everywhere);
    let mut used: BTreeMap<usize, usize> = BTreeMap::new();
    let mut nodes: Vec<Node> = Vec::new();
    for &set in &order {
        let (column, children) = runs.diagrams.ask(set)?;
        let count = used.len();
        let mut answers: Vec<(Interval, Leads)> = Vec::new();
        for (&class, child) in runs.columns[column].classes.iter().zip(children) {
            match answers.last_mut() {
                Some((values, leads)) if *leads == places[child] => *values = values.join(class),
                _ => answers.push((class, places[child])),
            }
        }
        places.insert(set, Leads::To(nodes.len()));
        nodes.push(Node { column: *used.entry(column).or_insert(count), answers });
    }
    let mut columns: Vec<Sum> = vec![Vec::new(); used.len()];
    for (column, place) in used {
        columns[place] = runs.columns[column].sum.clone();
    }
    Some(Table { columns, nodes })
}
