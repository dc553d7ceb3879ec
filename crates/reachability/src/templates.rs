//! Invariants from templates, kept only where they are inductive.
//!
//! Refinement learns from one path at a time and may unroll a loop for ever on
//! facts that a simple template states at once. So before (or beside) the
//! search, candidates are guessed for each loop head: bounds of variables by
//! constants of the program, comparisons of two variables, remainders, what the program
//! compares ([`guards`](crate::guards)), and what executions suggest
//! ([`samples`](crate::samples)). The
//! strongest inductive conjunction of them is found by deletion (Flanagan and Leino, Houdini, FME
//! 2001): start with all; as long as some transition leads from
//! states that satisfy all to one that does not, drop what fails there.
//!
//! Each dropped candidate is false in a real successor of states that satisfy what is
//! left, so the result is the greatest inductive subset, whatever the order. It
//! is a heuristic for the search only: certificates contain it and are audited like all else.

use crate::block::{BlockProgram, Transition};
use crate::encode::Slot;
use crate::guards::{self, Phased};
use crate::prover::Prover;
use crate::samples::{self, Linear, Samples};
use crate::verdict::Reason;
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet, Integer};
use bolide_cfa::{BinaryOp, Expr, IntType, LocId, Op, Type, VarId};
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
    /// At most so many questions to the solver; beyond, there are no invariants.
    pub questions: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { variables: 16, constants: 12, candidates: 400, questions: 400 }
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
    let heads: HashMap<LocId, Vec<VarId>> = locations
        .iter()
        .filter(|&&l| program.is_loop_head(l))
        .map(|&l| (l, integer_variables(program, l, options.variables)))
        .collect();
    let samples = samples::collect(program.program, &heads, prover.budget());
    let mut candidates: HashMap<LocId, Vec<TermId>> = HashMap::default();
    for &location in &locations {
        if let Some(variables) = heads.get(&location) {
            let seen = &samples[&location];
            let found = guess(program, store, location, variables, seen, &constants, options);
            if !found.is_empty() {
                candidates.insert(location, found);
            }
        }
    }
    if candidates.is_empty() {
        return Ok(candidates);
    }
    let limit = prover.statistics.models + options.questions;
    if !delete_until_inductive(program, store, prover, &locations, &mut candidates, limit)? {
        return Ok(HashMap::default());
    }
    candidates.retain(|_, list| !list.is_empty());
    for &location in &locations {
        if let Some(list) = candidates.get_mut(&location) {
            prune(store, prover, list)?;
        }
    }
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

/// Deletes until what is left is inductive; false when that takes too long.
fn delete_until_inductive(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    locations: &[LocId],
    candidates: &mut HashMap<LocId, Vec<TermId>>,
    limit: u64,
) -> Result<bool, Reason> {
    let mut pending: Vec<LocId> = locations.iter().rev().copied().collect();
    let mut waiting: HashSet<LocId> = locations.iter().copied().collect();
    while let Some(from) = pending.pop() {
        waiting.remove(&from);
        for transition in program.transitions(store, from).iter() {
            let to = transition.to;
            if !candidates.contains_key(&to) {
                continue;
            }
            if prover.statistics.models > limit {
                return Ok(false);
            }
            if delete_failing(program, store, prover, transition, candidates)? {
                // What holds at `to` became weaker: its successors are checked again.
                if waiting.insert(to) {
                    pending.push(to);
                }
            }
        }
    }
    Ok(true)
}

/// Drops what the rest implies: readers and the solver are thankful for it.
fn prune(store: &mut TermStore, prover: &mut Prover, list: &mut Vec<TermId>) -> Result<(), Reason> {
    // Equalities say most; then what was found first.
    list.sort_by_key(|&c| (store.op(c) != bolide_terms::Op::Eq, c.index()));
    let mut kept: Vec<TermId> = Vec::new();
    for &candidate in list.iter() {
        let known = store.mk_and(&kept);
        if !prover.entails(store, known, candidate)? {
            kept.push(candidate);
        }
    }
    // A later bound may imply an earlier one.
    let mut position = 0;
    while position < kept.len() {
        let candidate = kept.remove(position);
        let known = store.mk_and(&kept);
        if !prover.entails(store, known, candidate)? {
            kept.insert(position, candidate);
            position += 1;
        }
    }
    *list = kept;
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
        let answer = match prover.model(store, query) {
            Err(Reason::Solver(_)) => {
                keep_decided(store, prover, premise, &mut left)?;
                break;
            }
            other => other?,
        };
        match answer {
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

/// Where the question about all candidates is undecided: keeps those whose
/// own question is decided in their favour.
fn keep_decided(
    store: &mut TermStore,
    prover: &mut Prover,
    premise: TermId,
    left: &mut Vec<(TermId, TermId)>,
) -> Result<(), Reason> {
    let mut kept = Vec::new();
    for &(candidate, after) in left.iter() {
        let violated = store.mk_not(after);
        let query = store.mk_and(&[premise, violated]);
        match prover.model(store, query) {
            Ok(None) => kept.push((candidate, after)),
            Ok(Some(_)) | Err(Reason::Solver(_)) => {}
            Err(reason) => return Err(reason),
        }
    }
    *left = kept;
    Ok(())
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

/// Integer variables that matter at a location, at most `limit` of them.
fn integer_variables(program: &BlockProgram<'_>, location: LocId, limit: usize) -> Vec<VarId> {
    program
        .slots
        .ids()
        .filter(|&slot| program.matters(slot, location))
        .filter_map(|slot| match program.slots.slot(slot) {
            Slot::Value(var) => Some(var),
            _ => None,
        })
        .filter(|&var| {
            matches!(program.program.variables[var].ty, Type::Int(ty) if ty != IntType::BOOL)
        })
        .take(limit)
        .collect()
}

/// Candidates for one location: what the samples suggest, and templates that
/// no sample contradicts.
fn guess(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    location: LocId,
    variables: &[VarId],
    samples: &Samples,
    constants: &[Integer],
    options: Options,
) -> Vec<TermId> {
    let constant_of = |var: VarId| {
        let slot = program.slots.find(Slot::Value(var)).expect("an integer variable has a slot");
        program.slots.constant(slot)
    };
    let mut found = Vec::new();
    for fact in samples.facts() {
        found.push(linear_fact(store, &fact, &constant_of));
    }
    for slot in program.slots.ids() {
        let constant = program.slots.constant(slot);
        if store.sort(constant) == SortId::BOOL && program.matters(slot, location) {
            found.push(constant);
            found.push(store.mk_not(constant));
        }
    }
    let mut add = |store: &mut TermStore, terms: Vec<(VarId, i64)>, constant: i128, equality| {
        let fact = Linear { terms, constant, equality };
        if samples.satisfy(&fact) {
            found.push(linear_fact(store, &fact, &constant_of));
        }
    };
    for &x in variables {
        // Whatever else is lost, a value stays in its type.
        if let Type::Int(ty) = program.program.variables[x].ty
            && ty.bits < 128
        {
            add(store, vec![(x, 1)], -ty.max(), false);
            add(store, vec![(x, -1)], ty.min(), false);
        }
        for c in constants.iter().filter_map(Integer::to_i128) {
            add(store, vec![(x, 1)], -c, true);
            add(store, vec![(x, 1)], -c, false);
            add(store, vec![(x, -1)], c, false);
        }
    }
    for (i, &x) in variables.iter().enumerate() {
        for &y in &variables[i + 1..] {
            add(store, vec![(x, 1), (y, -1)], 0, true);
            add(store, vec![(x, 1), (y, -1)], 0, false);
            add(store, vec![(x, -1), (y, 1)], 0, false);
        }
    }
    let atoms = guards::atoms(program.program, variables);
    for fact in atoms.iter().flat_map(guards::bounds) {
        add(store, fact.terms, fact.constant, fact.equality);
    }
    // Heuristic: remainders matter to programs that compute them.
    let moduli: &[i128] = if computes_remainders(program) { &[2, 3, 4] } else { &[] };
    for (i, &x) in variables.iter().enumerate() {
        for &modulus in moduli {
            // The remainder that all samples have.
            let mut rests = samples.values.iter().map(|s| s[i].rem_euclid(modulus));
            let Some(rest) = rests.next() else { continue };
            if rests.all(|r| r == rest) {
                let m = store.mk_int(Integer::from(modulus));
                let remainder = store.mk_mod(constant_of(x), m);
                let rest = store.mk_int(Integer::from(rest));
                found.push(store.mk_eq(remainder, rest));
            }
        }
    }
    let congruent = |store: &mut TermStore, var: VarId, modulus: i128, rest: i128| {
        let modulus = store.mk_int(Integer::from(modulus));
        let remainder = store.mk_mod(constant_of(var), modulus);
        let rest = store.mk_int(Integer::from(rest));
        store.mk_eq(remainder, rest)
    };
    for (outside, fact) in guards::phases(&atoms, samples, !moduli.is_empty()) {
        let outside = linear_fact(store, &outside, &constant_of);
        let fact = match fact {
            Phased::Linear(fact) => linear_fact(store, &fact, &constant_of),
            Phased::Remainder(var, modulus, rest) => congruent(store, var, modulus, rest),
        };
        found.push(store.mk_or(&[outside, fact]));
    }
    for (x, k, divisor) in guards::multiples(samples) {
        let value = store.mk_int(Integer::from(divisor));
        let other = store.mk_eq(constant_of(k), value);
        let other = store.mk_not(other);
        let multiple = congruent(store, x, divisor, 0);
        found.push(store.mk_or(&[other, multiple]));
    }
    let mut seen = HashSet::default();
    found.retain(|&c| c != TermId::TRUE && c != TermId::FALSE && seen.insert(c));
    // Heuristic: what the samples suggest comes first.
    found.truncate(options.candidates);
    found.sort_by_key(|c| c.index());
    found
}

/// Whether the program has `%` or `&`.
fn computes_remainders(program: &BlockProgram<'_>) -> bool {
    let exprs = &program.program.exprs;
    let mut walker = bolide_cfa::analysis::uses::Walker::new();
    program.program.edges.values().any(|edge| {
        walker.bottom_up(exprs, &edge.op.operands()).into_iter().any(|id| {
            matches!(exprs.get(id), Expr::Binary(BinaryOp::Rem | BinaryOp::BitAnd, a, _)
                if exprs.type_of(*a) != Type::BOOL)
        })
    })
}

/// A linear fact as a formula over state constants.
fn linear_fact(
    store: &mut TermStore,
    fact: &Linear,
    constant_of: &dyn Fn(VarId) -> TermId,
) -> TermId {
    let mut sum = vec![store.mk_int(Integer::from(fact.constant))];
    for &(var, coefficient) in &fact.terms {
        let coefficient = store.mk_int(coefficient);
        sum.push(store.mk_mul(&[coefficient, constant_of(var)]));
    }
    let sum = store.mk_add(&sum);
    let zero = store.mk_int(0);
    if fact.equality { store.mk_eq(sum, zero) } else { store.mk_le(sum, zero) }
}
