//! Counterexamples executed: the interpreter runs the original program with
//! the values that the solver chose, and must arrive at the violation.
//!
//! What the engine's model says is tried first; where that does not lead
//! there, the path is solved once more for memory that nothing wrote and pointers
//! out of nowhere ([`concretize`]), and inputs that fill memory are
//! chosen for what is read there ([`filled`](crate::filled)).

use crate::concretize::{Nowhere, concretize};
use crate::filled::Filled;
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::interpreter::{
    Choices, Config, Interpreter, MemoryPlace, Observer, Outcome, Request, Run, Trace, environment,
};
use bolide_cfa::transform::{Mapped, VariableOrigin};
use bolide_cfa::value::Value;
use bolide_cfa::{CheckId, EdgeId, LocId, Op, Program, Type};
use bolide_reachability::verdict::{Counterexample, Reason};
use std::collections::VecDeque;

/// Steps that a replay may take: counterexamples are short, but the program
/// may do more than the path shows where the explored program was simplified.
const STEP_LIMIT: u64 = 20_000_000;

/// Objects of the environment from here on are those that the counterexample
/// does not speak of.
const OTHERS: u64 = 512;

/// A violation that really happened.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What was violated, in the original program.
    pub check: CheckId,
    /// The run of the original program.
    pub run: Run,
}

/// The values of a counterexample, by the edge of the original program that
/// asks for them, in the order of asking; and what memory holds that nothing wrote.
struct Chosen<'a> {
    original: &'a Program,
    values: HashMap<EdgeId, VecDeque<Value>>,
    memory: HashMap<MemoryPlace, Value>,
    /// What should be read at locations of the original program where `memory` does not say it: the place of a
    /// pointer that was a number in between is not known. By location, since the conditions of all its
    /// edges read.
    reads: HashMap<LocId, VecDeque<Value>>,
    /// Where pointers lead of which nothing is said: the next object of the
    /// environment; none for null.
    nowhere: Option<u64>,
}

impl<'a> Chosen<'a> {
    fn new(original: &'a Program, values: HashMap<EdgeId, VecDeque<Value>>) -> Chosen<'a> {
        let (memory, reads) = Default::default();
        Chosen { original, values, memory, reads, nowhere: None }
    }

    /// The value where the counterexample says nothing: it does not depend on it.
    fn unsaid(&mut self, request: &Request<'_>) -> Value {
        if request.ty == Type::Pointer
            && let Some(next) = &mut self.nowhere
            && let Some(pointer) = environment::pointer(*next, 0)
        {
            *next += 1;
            return Value::Pointer(pointer);
        }
        Value::zero(request.ty)
    }
}

impl Choices for Chosen<'_> {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let said = match request.place {
            Some(place) => {
                let fits = |value: &Value| match (value.ty(), request.ty) {
                    // Memory holds bits: the sign is the reader's affair.
                    (Type::Int(_), Type::Int(_)) => true,
                    (is, asked) => is == asked,
                };
                let held = self.memory.get(&place).copied().filter(fits);
                held.or_else(|| {
                    let wanted = self.reads.get_mut(&self.original.edges[request.edge].from)?;
                    let position = wanted.iter().position(fits)?;
                    wanted.remove(position)
                })
            }
            None => self.values.get_mut(&request.edge).and_then(VecDeque::pop_front),
        };
        Some(said.unwrap_or_else(|| self.unsaid(request)))
    }

    fn edge(&mut self, _: LocId, _: &[EdgeId]) -> usize {
        0
    }
}

/// Executes a run once more: whoever says that it happened is not believed.
pub fn repeat(
    original: &Program,
    violation: &Violation,
    budget: &Budget,
) -> Result<Violation, Reason> {
    let Some(mut answers) = violation.run.answers.repeat() else {
        return Err(Reason::NotReplayed("the run asks too often to be repeated".into()));
    };
    let config = Config {
        step_limit: violation.run.steps,
        trace: Trace::Last(1 << 16),
        budget: budget.clone(),
        ..Config::default()
    };
    judge(Interpreter::new(original).run(&mut answers, &config))
}

/// Runs the original program on the values of a counterexample of the explored one.
pub fn replay(
    original: &Program,
    explored: &Mapped,
    counterexample: &Counterexample,
    budget: &Budget,
) -> Result<Violation, Reason> {
    replay_until(original, explored, counterexample, budget, &mut None)
}

/// As [`replay`]; where no run arrives at a violation, `left` is how far the best of them
/// followed the path: the position of the first edge that it did not take.
pub fn replay_until(
    original: &Program,
    explored: &Mapped,
    counterexample: &Counterexample,
    budget: &Budget,
    left: &mut Option<usize>,
) -> Result<Violation, Reason> {
    let edges = counterexample.path.iter().chain(counterexample.choices.iter().map(|(e, _)| e));
    if edges.into_iter().any(|&edge| explored.program.edges.get(edge).is_none()) {
        return Err(Reason::NotReplayed("the program has no such path".into()));
    }
    let mut execute = |chosen: Chosen<'_>, filled: &mut Filled<'_>| {
        let run = run(chosen, budget, filled);
        let taken: HashSet<EdgeId> = run.trace.iter().copied().collect();
        let missed = counterexample.path.iter().position(|&edge| {
            let old = &explored.edges[edge];
            !old.is_empty() && !old.iter().any(|e| taken.contains(e))
        });
        *left = (*left).max(missed);
        judge(run)
    };
    let values = by_edge(original, explored, &counterexample.choices);
    let first = execute(Chosen::new(original, values), &mut Filled::new(original));
    if !matches!(first, Err(Reason::NotReplayed(_))) {
        return first;
    }
    // Required: where memory safety is asked for, a pointer out of nowhere is a
    // violation, not a way to more memory.
    let outside = original.checks.values().all(|check| !check.property.is_about_memory());
    let ways =
        if outside { &[Nowhere::WhereNeeded, Nowhere::Outside][..] } else { &[Nowhere::Null][..] };
    let mut answer = first;
    for &nowhere in ways {
        if !matches!(answer, Err(Reason::NotReplayed(_))) {
            break;
        }
        let Some(concrete) = concretize(explored, &counterexample.path, nowhere, budget) else {
            continue;
        };
        let mut values = by_edge(original, explored, &concrete.choices);
        let mut reads: HashMap<LocId, VecDeque<Value>> = HashMap::default();
        for &(edge, value) in &concrete.reads {
            for &old in &explored.edges[edge] {
                reads.entry(original.edges[old].from).or_default().push_back(value);
            }
        }
        let nowhere = (nowhere == Nowhere::Outside).then_some(OTHERS);
        for _ in 0..FILLINGS {
            let (memory, reads) = (concrete.memory.clone(), reads.clone());
            let chosen = Chosen { memory, reads, nowhere, ..Chosen::new(original, values.clone()) };
            let mut filled = Filled::new(original);
            answer = execute(chosen, &mut filled);
            let failed = matches!(answer, Err(Reason::NotReplayed(_)));
            if !failed || !filled.choose(&concrete.memory, &mut values) {
                break;
            }
        }
    }
    answer
}

/// Rounds of choosing inputs that fill memory: with other inputs a run goes elsewhere and may fill more.
const FILLINGS: usize = 4;

/// The values in the order in which each edge of the original program asks.
fn by_edge(
    original: &Program,
    explored: &Mapped,
    choices: &[(EdgeId, Value)],
) -> HashMap<EdgeId, VecDeque<Value>> {
    let mut values: HashMap<EdgeId, VecDeque<Value>> = HashMap::default();
    for &(edge, value) in choices {
        // An edge may stand for several old ones, dead choices among them.
        let asked = |old: &&EdgeId| same_question(explored, edge, &original.edges[**old].op);
        let asks = explored.edges[edge].iter().find(asked);
        if let Some(&old) = asks {
            values.entry(old).or_default().push_back(value);
        }
    }
    values
}

fn run<O: Observer>(mut chosen: Chosen<'_>, budget: &Budget, observer: &mut O) -> Run {
    let config = Config {
        step_limit: STEP_LIMIT,
        trace: Trace::Last(1 << 16),
        budget: budget.clone(),
        ..Config::default()
    };
    Interpreter::new(chosen.original).run_observed(&mut chosen, &config, observer)
}

/// Whether a run is a violation.
fn judge(run: Run) -> Result<Violation, Reason> {
    match &run.outcome {
        &Outcome::Violation(check) => Ok(Violation { check, run }),
        Outcome::Exhausted(what) => Err(Reason::Exhausted(*what)),
        other => Err(Reason::NotReplayed(ended(other))),
    }
}

/// Whether an edge of the explored program asks what the old operation asked.
fn same_question(explored: &Mapped, edge: EdgeId, old: &Op) -> bool {
    let new = &explored.program.edges[edge].op;
    let same_source = match (new, old) {
        (Op::Nondet { source: a, .. }, Op::Nondet { source: b, .. }) => a == b,
        (Op::External { .. }, Op::External { .. }) => true,
        _ => false,
    };
    let same_target = match (new.target(), old.target()) {
        (Some(new), Some(old)) => match explored.variables[new] {
            VariableOrigin::Variable(origin) => origin == old,
            // A promoted object or a temporary: the source has to do.
            _ => true,
        },
        _ => true,
    };
    same_source && same_target
}

fn ended(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Finished { .. } => "the program ended without a violation".into(),
        Outcome::Blocked => "an assumption of the program failed".into(),
        Outcome::Undefined { reason, .. } => format!("undefined behaviour: {reason}"),
        Outcome::StepLimit => "the run takes too many steps".into(),
        Outcome::OutOfMemory => "the program asks for more memory than a run may have".into(),
        other => format!("{other:?}"),
    }
}
