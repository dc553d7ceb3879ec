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

use super::aliases::Aliases;
use super::execute::Execution;
use super::predicates::asked_reachability;
use super::view::{Command, View};
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::types::Type;
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, LocId, Op, Program};
use bolide_heap::{Session, Symbol, Undecided};
use bolide_terms::TermId;
use std::collections::VecDeque;

/// What became of the tree.
#[derive(Clone, Debug)]
pub enum Unwound {
    /// It is finite and has no error; so many edges were refuted.
    Safe(u64),
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
    proofs: bool,
    budget: &Budget,
) -> Result<Unwound, Undecided> {
    let reach = asked_reachability(view);
    let symbols: HashSet<Symbol> = view.signature.variables.iter().map(|(s, _)| s).collect();
    let mut open: VecDeque<Vec<usize>> = VecDeque::from([Vec::new()]);
    let (mut refuted, mut checks, mut instances) = (0, 0, 0);
    while let Some(mut steps) = open.pop_front() {
        let mut visits: HashMap<LocId, usize> = HashMap::default();
        let mut execution =
            Execution::new(view, &reach, &symbols, &Aliases::default(), Session::new(proofs));
        execution.assume(&view.initial);
        for &step in &steps {
            execution.run(&view.steps[step].commands);
            *visits.entry(view.steps[step].to).or_default() += 1;
        }
        let mut here = steps.last().map_or(view.entry, |&s| view.steps[s].to);
        loop {
            budget.poll().map_err(Undecided::Exhausted)?;
            let outgoing = view.outgoing.get(&here).map_or(&[][..], Vec::as_slice);
            let mut ways: Vec<Way> = Vec::new();
            for &step in outgoing {
                let before = execution.session.statistics;
                let way = Way::new(&mut execution, view, step);
                let model = match way.asks {
                    true => execution.session.check_assuming(&[way.condition], budget),
                    // Required: an error is only passed by where it is refuted.
                    false if view.errors.contains_key(&view.steps[step].to) => {
                        execution.session.check(budget)
                    }
                    false => {
                        ways.push(way);
                        continue;
                    }
                };
                let after = execution.session.statistics;
                checks += 1;
                instances += after.instances - before.instances;
                let model = match model {
                    Ok(None) => {
                        refuted += 1;
                        continue;
                    }
                    Ok(model) => model,
                    Err(Undecided::Prover(_)) => None,
                    Err(why) => return Err(why),
                };
                if view.errors.contains_key(&view.steps[step].to) {
                    steps.push(step);
                    let values = model.map(|m| execution.chosen_values(&m)).unwrap_or_default();
                    let choices = choices(program, view, &steps, &values);
                    return Ok(Unwound::Reaches { steps, choices });
                }
                ways.push(way);
            }
            for way in ways.iter().skip(1) {
                let mut other = steps.clone();
                other.push(way.step);
                open.push_back(other);
            }
            if checks > limits.checks || instances > limits.instances {
                return Ok(Unwound::Unbounded);
            }
            let Some(way) = ways.into_iter().next() else { break };
            let step = way.step;
            way.take(&mut execution, view);
            steps.push(step);
            here = view.steps[step].to;
            let visited = visits.entry(here).or_default();
            *visited += 1;
            if *visited > limits.visits {
                return Ok(Unwound::Unbounded);
            }
        }
    }
    Ok(Unwound::Safe(refuted))
}

/// A way on.
struct Way {
    step: usize,
    /// Whether there is a condition.
    asks: bool,
    condition: TermId,
    state: std::rc::Rc<bolide_heap::State>,
    chosen: Vec<(Symbol, TermId)>,
}

impl Way {
    /// What a step asks; the execution stays where it is.
    fn new(execution: &mut Execution<'_>, view: &View, step: usize) -> Way {
        let (state, chosen) = (execution.state.clone(), execution.chosen.clone());
        let mut conditions = Vec::new();
        let mut asks = false;
        for command in &view.steps[step].commands {
            match command {
                Command::Assume(formula) => {
                    let here = execution.state.clone();
                    conditions.push(execution.session.define(&here, &[], formula));
                    asks = true;
                }
                Command::Havoc(..) => execution.step(command),
                // Conditions stand before everything else in a step.
                _ => break,
            }
        }
        let condition = execution.session.store.mk_and(&conditions);
        let after = std::mem::replace(&mut execution.state, state);
        let chosen = std::mem::replace(&mut execution.chosen, chosen);
        Way { step, asks, condition, state: after, chosen }
    }

    fn take(self, execution: &mut Execution<'_>, view: &View) {
        execution.session.assert(self.condition);
        execution.state = self.state;
        execution.chosen = self.chosen;
        let commands = view.steps[self.step].commands.iter();
        let rest = commands.skip_while(|c| matches!(c, Command::Assume(_) | Command::Havoc(..)));
        for command in rest {
            execution.step(command);
        }
    }
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
