//! Other runs through the same blocks, where one cannot be executed.
//!
//! Formulas let memory that they do not follow hold anything, so a counterexample
//! may want to read what was never written there: its [`replay`](mod@crate::replay) leaves the
//! path at some edge. A large block has many ways through it, and another one may be
//! real. So the blocks of the path are solved again without the edge
//! at which the replay left, until a run arrives at the violation or there is no other way.
//!
//! Heuristic: an edge is excluded whatever comes before it, so real runs may be excluded too.
//! Nothing is concluded from finding none.

use crate::prepared::Explored;
use crate::replay::{self, Violation};
use bolide_base::Budget;
use bolide_cfa::analysis::BlockOptions;
use bolide_cfa::{EdgeId, LocId, Program};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::counterexample;
use bolide_reachability::encode::Exactness;
use bolide_reachability::path_formula::{Copies, Ssa, Step};
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::{TermId, TermStore};

/// Heuristic: so many runs are tried.
const RUNS: usize = 40;

/// Executes a counterexample of an explored program, or others through the same blocks.
pub fn replay(
    original: &Program,
    explored: &Explored,
    exact: &Exactness,
    counterexample: &Counterexample,
    budget: &Budget,
) -> Result<Violation, Reason> {
    let mapped = &explored.mapped;
    let mut left = None;
    let first = replay::replay_until(original, mapped, counterexample, budget, &mut left);
    let (Err(Reason::NotReplayed(_)), Some(mut position)) = (&first, left) else { return first };
    let store = &mut TermStore::new();
    let cuts = BlockOptions { calls: true, single: false };
    let mut blocks = BlockProgram::new(&mapped.program, store, cuts, explored.intervals());
    blocks.slots.exact = exact.clone();
    let Some((steps, initial)) = steps(&mut blocks, store, &counterexample.path) else {
        return first;
    };
    let mut solver = Solver::new(Config::default());
    solver.assert(store, initial, 0);
    for step in &steps {
        solver.assert(store, step.formula, 0);
    }
    let mut tried = counterexample.clone();
    for _ in 1..RUNS {
        let Some(excluded) = taken(store, &steps, &tried.path, position) else { break };
        let otherwise = store.mk_not(excluded);
        solver.assert(store, otherwise, 0);
        if solver.check(store, &[], budget) != Answer::Sat {
            break;
        }
        let Some(model) = solver.take_model() else { break };
        let instances = steps.iter().map(|step| &step.instance);
        match counterexample::read_off(blocks.program, store, instances, &model) {
            Ok(other) => tried = other,
            Err(_) => break,
        }
        let mut left = None;
        let answer = replay::replay_until(original, mapped, &tried, budget, &mut left);
        match (answer, left) {
            (Err(Reason::NotReplayed(_)), Some(next)) => position = next,
            (Err(Reason::NotReplayed(_)), None) => break,
            (answer, _) => return answer,
        }
    }
    budget.poll()?;
    first
}

/// The blocks of a path as steps, and the initial states; none where it goes through calls.
fn steps(
    blocks: &mut BlockProgram<'_>,
    store: &mut TermStore,
    path: &[EdgeId],
) -> Option<(Vec<Step>, TermId)> {
    let mut copies = Copies::default();
    let start = Ssa::start();
    let initial = copies.at(store, &blocks.slots, &start, blocks.initial());
    let mut found: Vec<Step> = Vec::new();
    let mut from: LocId = blocks.entry();
    for &edge in path {
        let edge = &blocks.program.edges[edge];
        let transitions = blocks.transitions(store, from);
        if let Some(transition) = transitions.iter().find(|t| t.to == edge.to) {
            let before = found.last().map_or(&start, |step| &step.after).clone();
            let depth = found.len();
            found.push(copies.step(store, &blocks.slots, &before, transition, depth));
            from = edge.to;
        }
    }
    let last = path.last().map(|&edge| blocks.program.edges[edge].to);
    (last == Some(from)).then_some((found, initial))
}

/// That the edge at a position of the path is taken, over the copies of its step.
fn taken(
    store: &mut TermStore,
    steps: &[Step],
    path: &[EdgeId],
    position: usize,
) -> Option<TermId> {
    let mut end = 0;
    let mut edges = path.iter();
    for step in steps {
        // A step takes as many edges as lead to its end.
        let length = edges.by_ref().position(|&e| step.instance.transition.ends_with(e))? + 1;
        end += length;
        if position < end {
            let condition = step.instance.transition.taken(path[position])?;
            return Some(step.instance.term(store, condition));
        }
    }
    None
}
