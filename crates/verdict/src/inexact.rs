//! A path that formulas allow and no run takes, compared with the machine.
//!
//! The path is encoded step by step and solved. In the model every operation has operands and a result, and the machine says
//! what the result of these operands is: the first step where the two differ shows which operations formulas do not know. They are
//! made exact, and the path is solved again, until it has no model, which is what the search lacked to see, or until its model is what
//! the machine does: then it is executed once more, with the values of this model. Where that is no run either, what the path reads
//! from memory of several types was not what had been written there: this memory is to be bytes.
//!
//! This is the refinement of counterexample-guided abstraction, for the encoding instead of the program. It stays on one path: which
//! operations that path needs is found with a few small queries, and the search begins again with all of them.

use crate::prepared::Explored;
use crate::replay::{self, Violation};
use bolide_base::{Budget, HashMap};
use bolide_cfa::analysis::BlockOptions;
use bolide_cfa::analysis::uses::Walker;
use bolide_cfa::value::{self, Value, math};
use bolide_cfa::{EdgeId, Expr, ExprId, FloatTest, Op, OutputKind, Program, Type};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::counterexample::{chosen_type, value_of};
use bolide_reachability::encode::{
    Environment, Evaluator, Exactness, Inexact, Slot, Symbolic, execute, first_free_object,
    initial_state,
};
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::evaluate::evaluate;
use bolide_terms::{Model, TermId, TermStore};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Heuristic: longer paths are not compared.
const EDGES: usize = 5_000;
/// Heuristic: what solving the path again may cost, in polls.
const EFFORT: u64 = 500_000;
/// Heuristic: a path that needs more operations than these rounds find needs all of them.
const ROUNDS: usize = 40;

/// Looks for the operations and the memory that a path of the explored program needs, and adds them to `inexact`; or finds that
/// it is a run.
///
/// # Errors
/// When no run of the path is found: most often since there is none.
pub fn compare(
    original: &Program,
    explored: &Explored,
    exact: &Exactness,
    counterexample: &Counterexample,
    inexact: &mut Inexact,
    budget: &Budget,
) -> Result<Violation, Reason> {
    let none = || Reason::NotReplayed("formulas allow a run that the machine does not".into());
    let (program, path) = (&explored.mapped.program, &counterexample.path);
    let is_strange = |e: &EdgeId| {
        let op = program.edges.get(*e).map(|edge| &edge.op);
        matches!(op, None | Some(Op::Call { .. } | Op::CallIndirect { .. }))
    };
    if path.len() > EDGES || path.iter().any(is_strange) {
        return Err(none());
    }
    let limited = budget.child_for("comparing", EFFORT);
    let mut refined = exact.clone();
    for _ in 0..ROUNDS {
        let solved = solve(explored, &refined, path, &limited);
        budget.poll()?;
        match solved {
            Solved::Unknown => break,
            Solved::Refuted => {
                inexact.operations.extend(needed(explored, exact, &refined, path, &limited));
                break;
            }
            Solved::Model(found) => {
                let (encoded, store, model) = *found;
                if let Some(finer) = refined.with(&encoded.differing(program, &store, &model)) {
                    refined = finer;
                    continue;
                }
                inexact.operations.extend(refined.operations.iter().copied());
                let choices = encoded.choices(program, &store, &model);
                let run = Counterexample { choices, ..counterexample.clone() };
                let found = replay::replay(original, &explored.mapped, &run, budget);
                if found.is_err() {
                    inexact.reads.extend(mixed_reads(explored, path));
                }
                return found;
            }
        }
    }
    Err(none())
}

/// The edges of the original program for which a path reads memory that has no one type.
fn mixed_reads(explored: &Explored, path: &[EdgeId]) -> BTreeSet<EdgeId> {
    let program = &explored.mapped.program;
    let mut walker = Walker::new();
    let mut reads_mixed = |edge: &EdgeId| {
        let operands = program.edges[*edge].op.operands();
        walker.bottom_up(&program.exprs, &operands).into_iter().any(|e| {
            matches!(program.exprs.get(e), Expr::Load(a) if program.regions[a.region].cell.is_none())
        })
    };
    let edges: BTreeSet<EdgeId> = path.iter().copied().filter(|e| reads_mixed(e)).collect();
    edges.into_iter().flat_map(|e| explored.mapped.edges[e].iter().copied()).collect()
}

/// Of the operations that were made exact to refute a path, some without which it is not.
fn needed(
    explored: &Explored,
    before: &Exactness,
    refined: &Exactness,
    path: &[EdgeId],
    budget: &Budget,
) -> BTreeSet<ExprId> {
    let mut needed = BTreeSet::clone(&refined.operations);
    for operation in refined.operations.difference(&before.operations) {
        needed.remove(operation);
        let fewer = Exactness { operations: Arc::new(needed.clone()), ..before.clone() };
        if !matches!(solve(explored, &fewer, path, budget), Solved::Refuted) {
            needed.insert(*operation);
        }
    }
    needed
}

/// What comes of solving a path.
enum Solved {
    Refuted,
    Model(Box<(Encoded, TermStore, Model)>),
    Unknown,
}

fn solve(explored: &Explored, exact: &Exactness, path: &[EdgeId], budget: &Budget) -> Solved {
    let mut store = TermStore::new();
    let encoded = Encoded::new(explored, exact, &mut store, path);
    let mut solver = Solver::new(Config::default());
    for &formula in &encoded.formulas {
        solver.assert(&mut store, formula, 0);
    }
    match solver.check(&mut store, &[], budget) {
        Answer::Unsat => Solved::Refuted,
        Answer::Sat => match solver.take_model() {
            Some(model) => Solved::Model(Box::new((encoded, store, model))),
            None => Solved::Unknown,
        },
        Answer::Unknown(_) => Solved::Unknown,
    }
}

/// A path as formulas, with the values of all that it evaluates.
struct Encoded {
    formulas: Vec<TermId>,
    steps: Vec<Step>,
}

/// One edge of it.
struct Step {
    edge: EdgeId,
    values: Vec<(ExprId, Symbolic)>,
    chosen: Option<Symbolic>,
    /// A function of `<math.h>`, with its result.
    result: Option<Symbolic>,
}

impl Encoded {
    fn new(
        explored: &Explored,
        exact: &Exactness,
        store: &mut TermStore,
        path: &[EdgeId],
    ) -> Encoded {
        let program = &explored.mapped.program;
        let cuts = BlockOptions { calls: true, single: false };
        let mut blocks = BlockProgram::new(program, store, cuts, explored.intervals());
        blocks.slots.exact = exact.clone();
        let slots = &blocks.slots;
        let mut formulas = vec![initial_state(program, slots, store, &|_| true)];
        let mut env = Environment::initial(slots);
        if let Some(next) = slots.find(Slot::NextObject) {
            env.set(next, store.mk_int(first_free_object(program)));
        }
        let (mut steps, mut rewritten) = (Vec::new(), Vec::new());
        for (number, &id) in path.iter().enumerate() {
            let edge = &program.edges[id];
            let prefix = format!("{number}!");
            let intervals = |e: ExprId| blocks.interval(edge.from, e);
            let mut ev = Evaluator::new(program, slots, store, &intervals, &prefix);
            ev.rewritten = rewritten;
            let effect = execute(&mut ev, &mut env, &edge.op);
            let values = std::mem::take(&mut ev.trail);
            rewritten = ev.rewritten;
            let result = match edge.op {
                Op::Output { kind: OutputKind::Math(_), result: Some(result), .. } => slots
                    .find(Slot::Value(result))
                    .map(|slot| Symbolic::Int(env.get(slot), (None, None))),
                _ => None,
            };
            formulas.push(effect.guard);
            steps.push(Step { edge: id, values, chosen: effect.chosen, result });
        }
        Encoded { formulas, steps }
    }

    /// The operations of the first step whose results in the model are not those of the machine.
    fn differing(&self, program: &Program, store: &TermStore, model: &Model) -> BTreeSet<ExprId> {
        let mut found = BTreeSet::new();
        for step in &self.steps {
            let mut values: HashMap<ExprId, Value> = HashMap::default();
            for &(id, symbolic) in &step.values {
                let ty = program.exprs.type_of(id);
                let Some(is) = known(store, model, symbolic, ty) else { continue };
                values.insert(id, is);
                let expr = program.exprs.get(id);
                let operand = |e: ExprId| values.get(&e).copied();
                let should = match expr {
                    Expr::Var(_) | Expr::Load(_) => None,
                    _ => value::expression(expr, operand, program.target),
                };
                if should.is_some_and(|should| !same(is, should)) {
                    found.insert(id);
                }
            }
            if let Op::Output { kind: OutputKind::Math(f), arguments, .. } =
                &program.edges[step.edge].op
                && let Some(&last) = arguments.last()
            {
                let operands: Option<Vec<Value>> =
                    arguments.iter().map(|a| values.get(a).copied()).collect();
                let should = operands.and_then(|operands| math::apply(*f, &operands));
                let is = step
                    .result
                    .zip(should)
                    .and_then(|(result, should)| known(store, model, result, should.ty()));
                if is.zip(should).is_some_and(|(is, should)| !same(is, should)) {
                    found.insert(last);
                }
            }
            if !found.is_empty() {
                break;
            }
        }
        found
    }

    /// What the inputs are in the model.
    fn choices(&self, program: &Program, store: &TermStore, model: &Model) -> Vec<(EdgeId, Value)> {
        let value = |step: &Step| {
            let ty = chosen_type(program, step.edge)?;
            let value = value_of(step.chosen?, ty, |term| evaluate(store, model, term).ok());
            Some((step.edge, value))
        };
        self.steps.iter().filter_map(value).collect()
    }
}

/// The value of what is no pointer.
fn known(store: &TermStore, model: &Model, symbolic: Symbolic, ty: Type) -> Option<Value> {
    (ty != Type::Pointer).then(|| value_of(symbolic, ty, |term| evaluate(store, model, term).ok()))
}

/// Whether two values are the same: which NaN an operation yields is not said.
fn same(a: Value, b: Value) -> bool {
    let is_nan = |value| value::float_test(FloatTest::IsNan, value) == Ok(true);
    a == b || is_nan(a) && is_nan(b)
}
