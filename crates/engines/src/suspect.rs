//! Takes the way to an error that tables of values suggest.
//!
//! Running a program with sets of values ([`tables`](bolide_cfa::analysis::ranges::tables)) ends at errors as well as at invariants: where rows
//! reach one, a way is found back to the start. One question, about that path alone, says whether it can be taken with
//! all else that the program computes; then it is executed like any other suspicion. Protocols and event-condition-action systems
//! fail after some dozen rounds that depend on each other, which is far for a search that
//! unrolls, and improbable for inputs that are guessed.

use crate::task::Task;
use crate::workbench::Workbench;
use bolide_reachability::counterexample;
use bolide_reachability::path_formula::{Copies, Ssa};
use bolide_reachability::verdict::Reason;
use bolide_verdict::Conclusion;

/// Whether the way can be taken.
pub fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    follow(task, bench).unwrap_or_else(Conclusion::Unknown)
}

fn follow(task: &Task<'_>, bench: &mut Workbench<'_>) -> Result<Conclusion, Reason> {
    let nowhere = |why: &str| Err(Reason::NoProgress(why.into()));
    let Some(way) = &task.tables.way else {
        return nowhere("tables of values show no way to an error");
    };
    let mut blocks = bench.blocks(true);
    let (store, cfa) = (&mut bench.store, blocks.program);
    let (mut copies, mut ssa) = (Copies::default(), Ssa::start());
    let mut formulas = vec![copies.at(store, &blocks.slots, &ssa, blocks.initial())];
    let mut steps = Vec::new();
    for (depth, &edge) in way.iter().enumerate() {
        bench.prover.poll()?;
        let (from, to) = (cfa.edges[edge].from, cfa.edges[edge].to);
        let transitions = blocks.transitions(store, from);
        let Some(transition) = transitions.iter().find(|transition| transition.to == to) else {
            return nowhere("the way that tables suggest leads through no block");
        };
        let step = copies.step(store, &blocks.slots, &ssa, transition, depth);
        formulas.push(step.formula);
        ssa = step.after;
        steps.push(step.instance);
    }
    let path = store.mk_and(&formulas);
    match bench.prover.model(store, path)? {
        Some(model) => counterexample::read_off(cfa, store, &steps, &model).map(Conclusion::path),
        None => nowhere("the way that tables suggest cannot be taken"),
    }
}
