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

use super::difference::{Arrival, NodeId};
use super::{LIMIT, TraceAbstraction};
use bolide_base::HashMap;
use bolide_cfa::interpreter::{Choices, Config, Interpreter, Outcome, Request, Trace};
use bolide_cfa::value::Value;
use bolide_cfa::{EdgeId, LocId};
use bolide_reachability::counterexample;
use bolide_reachability::nested_path::{NestedPath, Piece};
use bolide_reachability::path_formula::Step;
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_terms::{Model, TermId};
use std::collections::VecDeque;

/// Fewer refinements are no reason to look for another way.
const AFTER: u64 = 4;

/// Parts of a trace that are asked for a model.
const QUERIES: usize = 4;

/// Edges of an execution.
const STEPS: u64 = 500_000;

/// A trace in which finished calls are summarised.
pub(super) struct Summarised {
    pub(super) pieces: Vec<Piece>,
    /// What the background knows after each piece.
    pub(super) known: Vec<TermId>,
    /// The summaries.
    pub(super) exits: Vec<TermId>,
}

impl TraceAbstraction<'_, '_> {
    /// A counterexample that the trace to an error suggests.
    pub(super) fn shortcut(&mut self, error: NodeId) -> Result<Option<Counterexample>, Reason> {
        let refinements = self.statistics.refinements;
        if refinements < AFTER || !refinements.is_power_of_two() {
            return Ok(None);
        }
        let Some(trace) = self.summarise(error, |engine, exit| {
            engine.automata[0].formula(engine.difference.node(exit).sets[0])
        }) else {
            return Ok(None);
        };
        let (program, store) = (&*self.program, &mut *self.store);
        let path = NestedPath::new(program, &self.calls, store, &trace.pieces, |k| trace.known[k]);
        let mut length = path.formulas.len();
        for _ in 0..QUERIES {
            let query = self.store.mk_and(&path.formulas[..length]);
            match self.prover.model(self.store, query) {
                Ok(Some(model)) => {
                    let is_block = |p: &&Piece| matches!(p, Piece::Block(_));
                    let blocks = trace.pieces[..length].iter().filter(is_block).count();
                    return Ok(self.execute(&path.steps[..blocks], &model));
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
    fn execute(&mut self, steps: &[Step], model: &Model) -> Option<Counterexample> {
        let program = self.program.program;
        let read = counterexample::choices_of_path(program, self.store, steps, model);
        let (_, choices) = read.ok()?;
        let mut inputs = Suggested::default();
        for (edge, value) in choices {
            inputs.values.entry(edge).or_default().push_back(value);
        }
        let config = Config {
            step_limit: STEPS,
            memory_limit: 1 << 26,
            trace: Trace::All,
            budget: self.prover.budget().clone(),
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

    /// The trace to an error with `summary` of its exit in place of each call that returned;
    /// none when it is still too long.
    pub(super) fn summarise(
        &mut self,
        error: NodeId,
        mut summary: impl FnMut(&mut Self, NodeId) -> TermId,
    ) -> Option<Summarised> {
        let mut trace = Summarised { pieces: Vec::new(), known: Vec::new(), exits: Vec::new() };
        let mut at = Some(error);
        while let Some(id) = at {
            if trace.pieces.len() >= LIMIT {
                return None;
            }
            let node = self.difference.node(id);
            trace.known.push(self.automata[0].formula(node.sets[0]));
            let (piece, before) = match node.arrival.clone() {
                Arrival::Start => (Piece::Start, None),
                Arrival::Block(from, transition, _) => (Piece::Block(transition), Some(from)),
                Arrival::Call(from, site) => (Piece::Call { site, returns: false }, Some(from)),
                Arrival::Return(from, site, exit) => {
                    let exit = summary(self, exit);
                    trace.exits.push(exit);
                    (Piece::Summary { site, exit }, Some(from))
                }
            };
            trace.pieces.push(piece);
            at = before;
        }
        trace.pieces.reverse();
        trace.known.reverse();
        Some(trace)
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
