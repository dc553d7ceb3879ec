//! Deep counterexamples without their whole trace.
//!
//! A violation behind a hundred nested calls or rounds has a trace through all of them, and
//! refinement would come to it after as many infeasible shorter ones. So now and then the program is
//! executed with inputs that an infeasible trace suggests; only a run that arrives
//! at a violation counts. The inputs are those of a model of the trace in which each finished
//! call is replaced by what the background knows of it (where it knows what a function computes,
//! that trace is often feasible), or else of the longest part of it from the start
//! that a few queries show to be feasible.
//!
//! A heuristic, tried when the number of refinements is a power of two. Inputs of which
//! the model does not speak are taken to be zero.

use super::error_trace::ErrorTrace;
use super::views::{Sets, Views};
use bolide_base::HashMap;
use bolide_cfa::interpreter::{Choices, Config, Interpreter, Outcome, Request, Trace};
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, LocId};
use bolide_reachability::arg::{Graph, NodeId};
use bolide_reachability::counterexample;
use bolide_reachability::nested_path::Piece;
use bolide_reachability::path_formula::Step;
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_terms::Model;
use std::collections::VecDeque;

/// Fewer refinements are no reason to look for another way.
const AFTER: u64 = 4;

/// Parts of a trace that are asked for a model.
const QUERIES: usize = 4;

/// Edges of an execution.
const STEPS: u64 = 500_000;

/// A counterexample that the trace to an error suggests, after so many refinements.
pub fn shortcut(
    views: &mut Views<'_, '_>,
    difference: &Graph<Sets>,
    error: NodeId,
    refinements: u64,
) -> Result<Option<Counterexample>, Reason> {
    if refinements < AFTER || !refinements.is_power_of_two() {
        return Ok(None);
    }
    let background = |views: &mut Views<'_, '_>, exit: &Sets| views.background(exit);
    let Some(trace) = ErrorTrace::to(views, difference, error, 0, background) else {
        return Ok(None);
    };
    let path = trace.path(views);
    let mut length = path.formulas.len();
    for _ in 0..QUERIES {
        let query = views.store.mk_and(&path.formulas[..length]);
        match views.prover.model(views.store, query) {
            Ok(Some(model)) => {
                let is_block = |p: &&Piece| matches!(p, Piece::Block(_));
                let blocks = trace.pieces[..length].iter().filter(is_block).count();
                return Ok(execute(views, &path.steps[..blocks], &model));
            }
            Ok(None) | Err(Reason::Solver(_)) => {}
            Err(other) => return Err(other),
        }
        // The last step alone first: loops that go on for long leave too early.
        length = if length == path.formulas.len() { length - 1 } else { length / 2 };
    }
    Ok(None)
}

/// Executes the program with the inputs of a model of these steps.
fn execute(views: &mut Views<'_, '_>, steps: &[Step], model: &Model) -> Option<Counterexample> {
    let program = views.program.program;
    let steps = steps.iter().map(|step| &step.instance);
    let read = counterexample::choices_of_path(program, views.store, steps, model);
    let (_, choices) = read.ok()?;
    let mut inputs = Suggested::default();
    for (edge, value) in choices {
        inputs.values.entry(edge).or_default().push_back(value);
    }
    let config = Config {
        step_limit: STEPS,
        memory_limit: 1 << 26,
        trace: Trace::All,
        budget: views.prover.budget().clone(),
        ..Config::default()
    };
    let run = Interpreter::new(program).run(&mut inputs, &config);
    match run.outcome {
        Outcome::Violation(check) if !run.used_unknown => {
            Some(Counterexample { path: run.trace, choices: inputs.given, check })
        }
        _ => None,
    }
}

/// The values that a model suggests, in the order in which each edge asks, then zeros.
#[derive(Default)]
struct Suggested {
    values: HashMap<EdgeId, VecDeque<Value>>,
    given: Vec<(EdgeId, Value)>,
}

impl Choices for Suggested {
    fn value(&mut self, request: &Request<'_>) -> Option<Value> {
        let said = self.values.get_mut(&request.edge).and_then(VecDeque::pop_front);
        let value = said.unwrap_or_else(|| Value::zero(request.ty));
        if request.place.is_none() {
            self.given.push((request.edge, value));
        }
        Some(value)
    }

    fn edge(&mut self, _: LocId, _: &[EdgeId]) -> usize {
        0
    }
}
