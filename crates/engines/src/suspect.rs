//! Takes a way to an error that somebody suggests.
//!
//! Running a program with sets of values ([`tables`](bolide_cfa::analysis::ranges::tables)) ends at errors as well as at invariants: where rows
//! reach one, a way is found back to the start. One question, about that path alone, says whether it can be taken with
//! all else that the program computes; then it is executed like any other suspicion. Protocols and event-condition-action systems
//! fail after some dozen rounds that depend on each other, which is far for a search that
//! unrolls, and improbable for inputs that are guessed. Memory graphs suggest ways, too.

use crate::task::Task;
use crate::workbench::Workbench;
use bolide_base::Budget;
use bolide_cfa::EdgeId;
use bolide_reachability::counterexample;
use bolide_reachability::path_formula::{Copies, Ssa};
use bolide_reachability::prover::Prover;
use bolide_reachability::verdict::{Counterexample, Reason};
use bolide_verdict::Conclusion;

/// Whether the way of the tables can be taken.
pub fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    let Some(way) = &task.tables.way else {
        let why = "tables of values show no way to an error";
        return Conclusion::Unknown(Reason::NoProgress(why.into()));
    };
    let budget = bench.budget();
    follow(bench, way, &budget).map_or_else(Conclusion::Unknown, Conclusion::path)
}

/// Whether a way through the flattest program can be taken.
///
/// # Errors
/// When it cannot, or nobody knows.
pub fn follow(
    bench: &mut Workbench<'_>,
    way: &[EdgeId],
    budget: &Budget,
) -> Result<Counterexample, Reason> {
    let nowhere = |why: &str| Err(Reason::NoProgress(why.into()));
    let mut prover = Prover::new(budget.clone());
    let mut blocks = bench.blocks(true);
    let (store, cfa) = (&mut bench.store, blocks.program);
    let (mut copies, mut ssa) = (Copies::default(), Ssa::start());
    let mut formulas = vec![copies.at(store, &blocks.slots, &ssa, blocks.initial())];
    let mut steps = Vec::new();
    for (depth, &edge) in way.iter().enumerate() {
        prover.poll()?;
        let (from, to) = (cfa.edges[edge].from, cfa.edges[edge].to);
        let transitions = blocks.transitions(store, from);
        let Some(transition) = transitions.iter().find(|transition| transition.to == to) else {
            return nowhere("the way that is suggested leads through no block");
        };
        let step = copies.step(store, &blocks.slots, &ssa, transition, depth);
        formulas.push(step.formula);
        ssa = step.after;
        steps.push(step.instance);
    }
    let path = store.mk_and(&formulas);
    match prover.model(store, path)? {
        Some(model) => counterexample::read_off(cfa, store, &steps, &model),
        None => nowhere("the way that is suggested cannot be taken"),
    }
}
