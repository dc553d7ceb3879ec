//! Counterexamples executed: the interpreter runs the original program with
//! the values that the solver chose, and must arrive at the violation.

use crate::verdict::{Counterexample, Reason};
use bolide_base::{Budget, HashMap};
use bolide_cfa::interpreter::{Choices, Config, Interpreter, Outcome, Request, Run, Trace};
use bolide_cfa::transform::{Mapped, VariableOrigin};
use bolide_cfa::value::Value;
use bolide_cfa::{CheckId, EdgeId, LocId, Op, Program};
use std::collections::VecDeque;

/// Steps that a replay may take: counterexamples are short, but the program
/// may do more than the path shows where the explored program was simplified.
const STEP_LIMIT: u64 = 20_000_000;

/// A violation that really happened.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What was violated, in the original program.
    pub check: CheckId,
    /// The run of the original program.
    pub run: Run,
}

/// The values of a counterexample, by the edge of the original program that
/// asks for them, in the order of asking.
struct Chosen {
    values: HashMap<EdgeId, VecDeque<Value>>,
}

impl Choices for Chosen {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let queue = self.values.get_mut(&request.edge);
        Some(queue.and_then(VecDeque::pop_front).unwrap_or(Value::zero(request.ty)))
    }

    fn edge(&mut self, _: LocId, _: &[EdgeId]) -> usize {
        0
    }
}

/// Runs the original program on the values of a counterexample of the explored one.
pub fn replay(
    original: &Program,
    explored: &Mapped,
    counterexample: &Counterexample,
    budget: &Budget,
) -> Result<Violation, Reason> {
    let mut values: HashMap<EdgeId, VecDeque<Value>> = HashMap::default();
    for &(edge, value) in &counterexample.choices {
        // An edge may stand for several old ones, dead choices among them.
        let asked = |old: &&EdgeId| same_question(explored, edge, &original.edges[**old].op);
        let asks = explored.edges[edge].iter().find(asked);
        if let Some(&old) = asks {
            values.entry(old).or_default().push_back(value);
        }
    }
    let config = Config {
        step_limit: STEP_LIMIT,
        trace: Trace::Last(1 << 16),
        budget: budget.clone(),
        ..Config::default()
    };
    let run = Interpreter::new(original).run(&mut Chosen { values }, &config);
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
        other => format!("{other:?}"),
    }
}
