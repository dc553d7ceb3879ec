//! Programs with few runs: all of them, executed symbolically.
//!
//! A program whose loops are bounded by constants has a finite tree of paths.
//! When every edge that leaves the tree is refuted and no leaf is an error, the tree
//! itself is a proof: no abstraction, no predicates. It is the abstract reachability tree of
//! chapter 4 with the strongest postcondition as its post. On the way short
//! paths to errors show up, with the inputs that lead there.
//!
//! One session goes down a path; where more than one way is open, the others
//! wait and are executed again from the start. Paths are visited in the order in
//! which they were left open, so that short ones come first.

use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::types::Type;
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, LocId, Op, Program};
use bolide_heap::program::aliases::Aliases;
use bolide_heap::program::execution::{Execution, Way};
use bolide_heap::program::uses::asked_reachability;
use bolide_heap::program::view::{Command, View};
use bolide_heap::{Session, Symbol, Undecided};
use bolide_verdict::certificate::PathTree;
use std::collections::{BTreeMap, VecDeque};

/// What became of the tree.
#[derive(Clone, Debug)]
pub enum Unwound {
    /// It is finite and has no error.
    Safe(PathTree),
    /// The heap logic does not exclude a path to an error.
    Reaches {
        /// The steps of the view.
        steps: Vec<usize>,
        /// Inputs on the way.
        choices: Vec<(EdgeId, Value)>,
    },
    /// It is too large.
    Unbounded,
}

/// How large a tree may become.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Visits of one location on one path.
    pub visits: usize,
    /// Questions to the prover in all.
    pub checks: u64,
    /// Instances in all: a measure of the work that questions make.
    pub instances: u64,
}

/// Unwinds the program.
///
/// # Errors
/// When the budget is exhausted.
pub fn unwind(
    program: &Program,
    view: &View,
    limits: Limits,
    budget: &Budget,
) -> Result<Unwound, Undecided> {
    let reach = asked_reachability(view);
    let symbols: HashSet<Symbol> = view.signature.variables.iter().map(|(s, _)| s).collect();
    let mut tree = PathTree { nodes: vec![BTreeMap::new()] };
    let mut open: VecDeque<(Vec<usize>, usize)> = VecDeque::from([(Vec::new(), 0)]);
    let mut work = Work::default();
    while let Some((mut steps, mut node)) = open.pop_front() {
        let mut visits: HashMap<LocId, usize> = HashMap::default();
        let mut execution =
            Execution::new(view, &reach, &symbols, &Aliases::default(), Session::new(false));
        execution.assume(&view.initial);
        for &step in &steps {
            execution.run(&view.steps[step].commands);
            *visits.entry(view.steps[step].to).or_default() += 1;
        }
        loop {
            let here = steps.last().map_or(view.entry, |&s| view.steps[s].to);
            let ways = match ways(view, here, &mut execution, &mut work, budget)? {
                Ok(ways) => ways,
                Err((step, values)) => {
                    steps.push(step);
                    let choices = choices(program, view, &steps, &values);
                    return Ok(Unwound::Reaches { steps, choices });
                }
            };
            if work.checks > limits.checks || work.instances > limits.instances {
                return Ok(Unwound::Unbounded);
            }
            let mut next = None;
            for (step, way) in ways {
                let child = tree.nodes.len();
                tree.nodes.push(BTreeMap::new());
                tree.nodes[node].insert(step, child);
                match next {
                    None => next = Some((step, way, child)),
                    Some(_) => open.push_back(([&steps[..], &[step]].concat(), child)),
                }
            }
            let Some((step, way, child)) = next else { break };
            execution.take(way, &view.steps[step].commands);
            steps.push(step);
            node = child;
            let visited = visits.entry(view.steps[step].to).or_default();
            *visited += 1;
            if *visited > limits.visits {
                return Ok(Unwound::Unbounded);
            }
        }
    }
    Ok(Unwound::Safe(tree))
}

/// What was done so far.
#[derive(Default)]
struct Work {
    checks: u64,
    instances: u64,
}

/// A step to an error, with values of what may have any value on the way.
type Error = (usize, Vec<Option<i128>>);

/// The steps that are not refuted, or one of them that leads to an error.
fn ways(
    view: &View,
    here: LocId,
    execution: &mut Execution<'_>,
    work: &mut Work,
    budget: &Budget,
) -> Result<Result<Vec<(usize, Way)>, Error>, Undecided> {
    budget.poll().map_err(Undecided::Exhausted)?;
    let mut ways = Vec::new();
    for &step in view.outgoing.get(&here).map_or(&[][..], Vec::as_slice) {
        let before = execution.session.statistics.instances;
        let way = execution.way(&view.steps[step].commands);
        let is_error = view.errors.contains_key(&view.steps[step].to);
        // Heuristic: nobody asks whether a path that has no more conditions can be executed.
        if way.asks || is_error {
            let model = execution.session.check_assuming(&[way.condition], budget);
            work.checks += 1;
            work.instances += execution.session.statistics.instances - before;
            let model = match model {
                Ok(None) => continue,
                Ok(model) => model,
                Err(Undecided::Prover(_)) => None,
                Err(why) => return Err(why),
            };
            if is_error {
                let values = model.map(|m| execution.chosen_values(&m)).unwrap_or_default();
                return Ok(Err((step, values)));
            }
        }
        ways.push((step, way));
    }
    Ok(Ok(ways))
}

/// The inputs along the steps, from the values of the variables that were given any.
pub fn choices(
    program: &Program,
    view: &View,
    steps: &[usize],
    values: &[Option<i128>],
) -> Vec<(EdgeId, Value)> {
    let mut values = values.iter();
    let mut found = Vec::new();
    for &step in steps {
        let step = &view.steps[step];
        let asked = step.edge.and_then(|edge| match program.edges[edge].op {
            Op::Nondet { target, .. } => Some((edge, target)),
            Op::External { result: Some(target), .. } => Some((edge, target)),
            _ => None,
        });
        for command in &step.commands {
            let Command::Havoc(symbol, _) = command else { continue };
            let Some(value) = values.next() else { return found };
            if let Some((edge, target)) = asked
                && view.variables.get(&target) == Some(symbol)
                && let Type::Int(int) = program.variables[target].ty
                && let Some(value) = value
            {
                found.push((edge, Value::int(*value, int)));
            }
        }
    }
    found
}
