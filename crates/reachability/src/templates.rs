//! Invariants from templates, kept only where they are inductive.
//!
//! Refinement learns from one path at a time and may unroll a loop for ever on
//! facts that a simple template states at once. So before (or beside) the
//! search, candidates are guessed for each loop head: bounds of variables by
//! constants of the program, comparisons of two variables, parities. The
//! strongest inductive conjunction of them is found by deletion (Flanagan and Leino, Houdini, FME
//! 2001): start with all; as long as some transition leads from
//! states that satisfy all to one that does not, drop what fails there.
//!
//! Each dropped candidate is false in a real successor of states that satisfy what is
//! left, so the result is the greatest inductive subset, whatever the order. It
//! is a heuristic for the search only: certificates contain it and are audited like all else.

use crate::block::{BlockProgram, Transition};
use crate::encode::Slot;
use crate::prover::Prover;
use crate::verdict::Reason;
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet, Integer};
use bolide_cfa::{Expr, LocId, Op, Type};
use bolide_terms::evaluate::holds;
use bolide_terms::{SortId, TermId, TermStore};
use std::rc::Rc;

/// How many candidates to try.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// At most so many variables at one location.
    pub variables: usize,
    /// At most so many constants for bounds.
    pub constants: usize,
    /// At most so many candidates at one location.
    pub candidates: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { variables: 16, constants: 12, candidates: 400 }
    }
}

/// The strongest inductive conjunction of template candidates at each loop
/// head; locations without an entry have the invariant true.
pub fn inductive_invariants(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: Options,
) -> Result<HashMap<LocId, Vec<TermId>>, Reason> {
    let locations = cut_points(program, store);
    let constants = interesting_constants(program, options.constants);
    let mut candidates: HashMap<LocId, Vec<TermId>> = HashMap::default();
    for &location in &locations {
        if program.is_loop_head(location) {
            let found = guess(program, store, location, &constants, options);
            if !found.is_empty() {
                candidates.insert(location, found);
            }
        }
    }
    if candidates.is_empty() {
        return Ok(candidates);
    }
    delete_until_inductive(program, store, prover, &locations, &mut candidates)?;
    candidates.retain(|_, list| !list.is_empty());
    Ok(candidates)
}

/// All cut points that can be reached from the entry, in order of discovery.
fn cut_points(program: &mut BlockProgram<'_>, store: &mut TermStore) -> Vec<LocId> {
    let mut found = vec![program.entry()];
    let mut seen: HashSet<LocId> = found.iter().copied().collect();
    let mut next = 0;
    while next < found.len() {
        for transition in program.transitions(store, found[next]).iter() {
            if seen.insert(transition.to) {
                found.push(transition.to);
            }
        }
        next += 1;
    }
    found
}

fn delete_until_inductive(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    locations: &[LocId],
    candidates: &mut HashMap<LocId, Vec<TermId>>,
) -> Result<(), Reason> {
    let mut pending: Vec<LocId> = locations.iter().rev().copied().collect();
    let mut waiting: HashSet<LocId> = locations.iter().copied().collect();
    while let Some(from) = pending.pop() {
        waiting.remove(&from);
        for transition in program.transitions(store, from).iter() {
            let to = transition.to;
            if !candidates.contains_key(&to) {
                continue;
            }
            if delete_failing(program, store, prover, transition, candidates)? {
                // What holds at `to` became weaker: its successors are checked again.
                if waiting.insert(to) {
                    pending.push(to);
                }
            }
        }
    }
    Ok(())
}

/// Drops candidates that fail after one transition; says whether any did.
fn delete_failing(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    transition: &Rc<Transition>,
    candidates: &mut HashMap<LocId, Vec<TermId>>,
) -> Result<bool, Reason> {
    let mut premise = vec![transition.formula];
    if transition.from == program.entry() {
        premise.push(program.initial());
    }
    if let Some(list) = candidates.get(&transition.from) {
        premise.extend(list);
    }
    let renaming: HashMap<TermId, TermId> = transition
        .outputs
        .iter()
        .map(|&(slot, value)| (program.slots.constant(slot), value))
        .collect();
    let mut left: Vec<(TermId, TermId)> =
        candidates[&transition.to].iter().map(|&c| (c, store.substitute(c, &renaming))).collect();
    let before = left.len();
    let premise = store.mk_and(&premise);
    loop {
        let after: Vec<TermId> = left.iter().map(|&(_, after)| after).collect();
        let all = store.mk_and(&after);
        let violated = store.mk_not(all);
        let query = store.mk_and(&[premise, violated]);
        match prover.model(store, query)? {
            None => break,
            Some(model) => {
                let count = left.len();
                left.retain(|&(_, after)| holds(store, &model, after));
                if left.len() == count {
                    // The model does not show which one fails: give up on all.
                    left.clear();
                }
            }
        }
    }
    let dropped = left.len() < before;
    if dropped {
        // A loop's own block uses its candidates as premise too: with fewer of
        // them it must be looked at again, which the caller sees to.
        candidates.insert(transition.to, left.into_iter().map(|(c, _)| c).collect());
    }
    Ok(dropped)
}

/// Constants that occur in comparisons and assignments, near zero first.
fn interesting_constants(program: &BlockProgram<'_>, limit: usize) -> Vec<Integer> {
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    let mut found: Vec<i128> = vec![0, 1, -1];
    for edge in program.program.edges.values() {
        if !matches!(edge.op, Op::Assume(_) | Op::Assign { .. } | Op::Store { .. }) {
            continue;
        }
        for id in walker.bottom_up(&program.program.exprs, &edge.op.operands()) {
            if let Expr::Int { bits, ty } = program.program.exprs.get(id)
                && ty.bits > 1
                && ty.bits < 128
            {
                found.push(ty.value(*bits));
            }
        }
    }
    for variable in program.program.variables.values() {
        if let Some(initial) = variable.initial {
            found.extend(program.program.exprs.as_int(initial));
        }
    }
    found.sort_by_key(|&c| (c.unsigned_abs(), c < 0));
    found.dedup();
    found.truncate(limit);
    found.into_iter().map(Integer::from).collect()
}

fn guess(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    location: LocId,
    constants: &[Integer],
    options: Options,
) -> Vec<TermId> {
    let mut integers = Vec::new();
    let mut found = Vec::new();
    for slot in program.slots.ids() {
        let Slot::Value(var) = program.slots.slot(slot) else { continue };
        if !program.matters(slot, location) {
            continue;
        }
        let constant = program.slots.constant(slot);
        let ty = program.program.variables[var].ty;
        if store.sort(constant) == SortId::BOOL {
            found.push(constant);
            found.push(store.mk_not(constant));
        } else if matches!(ty, Type::Int(_)) && integers.len() < options.variables {
            integers.push(constant);
        }
    }
    for &x in &integers {
        for c in constants {
            let c = store.mk_int(c.clone());
            found.push(store.mk_eq(x, c));
            found.push(store.mk_le(x, c));
            found.push(store.mk_ge(x, c));
        }
        let two = store.mk_int(2);
        let remainder = store.mk_mod(x, two);
        for parity in 0..2 {
            let parity = store.mk_int(parity);
            found.push(store.mk_eq(remainder, parity));
        }
    }
    for (i, &x) in integers.iter().enumerate() {
        for &y in &integers[i + 1..] {
            found.push(store.mk_eq(x, y));
            found.push(store.mk_le(x, y));
            found.push(store.mk_ge(x, y));
        }
    }
    let mut seen = HashSet::default();
    found.retain(|&c| c != TermId::TRUE && c != TermId::FALSE && seen.insert(c));
    // Heuristic: short and early guesses first.
    found.truncate(options.candidates);
    found.sort_by_key(|c| c.index());
    found
}
