//! The audit: nobody's word is taken for a verdict.
//!
//! A certificate is an invariant for each cut point. It is accepted when every
//! obligation is unsatisfiable and the proof of that passes the independent
//! checker: the initial states satisfy the invariant of the entry; each
//! transition leads from the invariant of its source into the invariant of its target;
//! error locations have the invariant `false`. The obligations are built from
//! the program anew, cut point by cut point, by solvers that share nothing with
//! the search.
//!
//! A counterexample is accepted when the interpreter, given the values it
//! chose, runs the original program into the violation: see [`replay`].

use crate::block::BlockProgram;
use crate::verdict::{Certificate, Reason};
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::{EdgeId, LocId, Op, Program};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::{TermId, TermStore};

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Audited {
    /// Obligations discharged, each with a checked proof.
    pub obligations: usize,
}

/// Proofs of obligations that somebody kept.
pub trait KnownProofs {
    /// Whether there is a proof that these contradict each other, which the
    /// checker accepted just now.
    fn refuted(&mut self, store: &mut TermStore, conjuncts: &[TermId]) -> bool;
}

/// Nobody kept any.
pub struct NoProofs;

impl KnownProofs for NoProofs {
    fn refuted(&mut self, _: &mut TermStore, _: &[TermId]) -> bool {
        false
    }
}

/// Checks that a certificate is inductive and excludes all errors.
pub fn certificate(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    certificate: &Certificate,
    budget: &Budget,
) -> Result<Audited, Reason> {
    certificate_with(program, store, certificate, budget, &mut NoProofs)
}

/// As [`certificate`]; where a proof of an obligation is known already, it is
/// checked and no new one is looked for.
pub fn certificate_with(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    certificate: &Certificate,
    budget: &Budget,
    known: &mut dyn KnownProofs,
) -> Result<Audited, Reason> {
    blocks_are_complete(program)?;
    // Required: the steps below know nothing of what happens inside a call.
    let edges = &program.program.edges;
    if edges.values().any(|e| matches!(e.op, Op::Call { .. } | Op::CallIndirect { .. })) {
        return crate::contracts::certificate(program, store, certificate, budget, known);
    }
    let mut audited = Audited::default();
    let invariant = |store: &TermStore, location: LocId, program: &BlockProgram<'_>| {
        if program.program.locations[location].error.is_some() {
            return store.mk_false();
        }
        certificate.invariants.get(&location).copied().unwrap_or(store.mk_false())
    };
    let entry = program.entry();
    let at_entry = invariant(store, entry, program);
    let not_entry = store.mk_not(at_entry);
    let initial = program.initial();
    discharge(store, &[initial, not_entry], budget, known, || "the initial states".into())?;
    audited.obligations += 1;

    let mut sources: Vec<LocId> = certificate.invariants.keys().copied().collect();
    sources.sort_unstable();
    for from in sources {
        let before = invariant(store, from, program);
        if before == store.mk_false() {
            continue;
        }
        for transition in program.transitions(store, from).iter() {
            let after = invariant(store, transition.to, program);
            // The invariant of the target, said of the new values.
            let renaming: HashMap<TermId, TermId> = transition
                .outputs
                .iter()
                .map(|&(slot, value)| (program.slots.constant(slot), value))
                .collect();
            let after = store.substitute(after, &renaming);
            let goal = store.mk_not(after);
            discharge(store, &[before, transition.formula, goal], budget, known, || {
                format!("the step from location {from:?} to {:?}", transition.to)
            })?;
            audited.obligations += 1;
        }
    }
    Ok(audited)
}

/// The blocks must not lose an edge: from every cut point, whatever can be run
/// to another cut point must be in its block. Found here by a search of our own.
pub(crate) fn blocks_are_complete(program: &BlockProgram<'_>) -> Result<(), Reason> {
    let (cfa, blocks) = (program.program, &program.blocks);
    let missing = |what: String| Err(Reason::NotCertified(what));
    // Locations from which a cut point can be reached, backwards from all of them.
    let mut useful: HashSet<LocId> = cfa.locations.ids().filter(|&l| blocks.is_cut(l)).collect();
    let mut pending: Vec<LocId> = useful.iter().copied().collect();
    while let Some(at) = pending.pop() {
        for &edge in &cfa.locations[at].incoming {
            if useful.insert(cfa.edges[edge].from) {
                pending.push(cfa.edges[edge].from);
            }
        }
    }
    for (location, description) in cfa.locations.iter() {
        if description.error.is_some()
            && !description.incoming.is_empty()
            && !blocks.is_cut(location)
        {
            return missing(format!("the error location {location:?} is no cut point"));
        }
    }
    let reached = reached_locations(cfa);
    for head in cfa.locations.ids().filter(|l| blocks.is_cut(*l) && reached.contains(l)) {
        let block: HashSet<EdgeId> = blocks
            .starting(head)
            .map(|id| blocks.get(id).edges.iter().copied().collect())
            .unwrap_or_default();
        let mut seen: HashSet<LocId> = std::iter::once(head).collect();
        let mut pending = vec![head];
        while let Some(at) = pending.pop() {
            for &edge in &cfa.locations[at].outgoing {
                let to = cfa.edges[edge].to;
                if !useful.contains(&to) {
                    continue;
                }
                if !block.contains(&edge) {
                    return missing(format!("the block at {head:?} lacks the edge {edge:?}"));
                }
                if !blocks.is_cut(to) && seen.insert(to) {
                    pending.push(to);
                }
            }
        }
    }
    Ok(())
}

/// Locations that the graph of the entry and of called functions reaches.
fn reached_locations(cfa: &Program) -> HashSet<LocId> {
    let mut seen: HashSet<LocId> = HashSet::default();
    let mut pending: Vec<LocId> =
        cfa.functions.values().filter_map(|f| Some(f.body?.entry)).collect();
    seen.extend(&pending);
    while let Some(at) = pending.pop() {
        for &edge in &cfa.locations[at].outgoing {
            if seen.insert(cfa.edges[edge].to) {
                pending.push(cfa.edges[edge].to);
            }
        }
    }
    seen
}

/// One obligation: the conjunction must be unsatisfiable, with a proof that
/// the checker accepts.
pub(crate) fn discharge(
    store: &mut TermStore,
    conjuncts: &[TermId],
    budget: &Budget,
    known: &mut dyn KnownProofs,
    what: impl Fn() -> String,
) -> Result<(), Reason> {
    budget.poll()?;
    if known.refuted(store, conjuncts) {
        return Ok(());
    }
    let mut solver = Solver::new(Config { proofs: true });
    for &conjunct in conjuncts {
        solver.assert(store, conjunct, 0);
    }
    match solver.check(store, &[], budget) {
        Answer::Unsat => {}
        Answer::Sat => return Err(Reason::NotCertified(format!("{} fails", what()))),
        Answer::Unknown(why) => {
            budget.poll()?;
            return Err(Reason::NotCertified(format!("{} is undecided: {why}", what())));
        }
    }
    let Some(proof) = solver.proof(store) else {
        return Err(Reason::NotCertified(format!("{} has no proof", what())));
    };
    // Required: the checker knows the obligation, not what the solver made of it.
    bolide_proof::check_refutation(store, &proof, |formula, _| conjuncts.contains(&formula))
        .map_err(|error| Reason::NotCertified(format!("the proof of {}: {error}", what())))
}
