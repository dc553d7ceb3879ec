//! Predicate abstraction as one trace automaton (Theorem 4).
//!
//! The states of the automaton A_# are bitvectors over given predicates, its
//! transition relation is that of predicate abstraction, and every state is
//! initial and final; so A_# accepts all feasible traces, and its complement
//! A_Pred accepts infeasible ones only. What the difference needs is the deterministic view: a
//! set of bitvectors, the disjunction of which is the strongest that can be
//! said in these predicates. It is empty exactly when A_Pred accepts the trace.
//!
//! Successors are enumerated by models, all bitvectors of a set at once: the
//! post of a union is the union of the posts. Exponential in the number of predicates,
//! as predicate abstraction is; for the theorem, not for daily use.

use bolide_reachability::prover::Prover;
use bolide_reachability::verdict::Reason;
use bolide_terms::evaluate::holds;
use bolide_terms::{TermId, TermStore};

/// The bitvectors of some predicates in all models of a premise, in whose words they are `said`.
pub fn bitvectors(
    store: &mut TermStore,
    prover: &mut Prover,
    premise: TermId,
    said: &[TermId],
) -> Result<Vec<Vec<bool>>, Reason> {
    let mut found: Vec<Vec<bool>> = Vec::new();
    let mut rest = vec![premise];
    loop {
        let query = store.mk_and(&rest);
        let Some(model) = prover.model(store, query)? else { return Ok(found) };
        let bits: Vec<bool> = said.iter().map(|&s| holds(store, &model, s)).collect();
        let literals: Vec<TermId> = said
            .iter()
            .zip(&bits)
            .map(|(&s, &bit)| if bit { s } else { store.mk_not(s) })
            .collect();
        let literals = store.mk_and(&literals);
        rest.push(store.mk_not(literals));
        if found.contains(&bits) {
            return Err(Reason::Solver("a model does not evaluate as the solver does".into()));
        }
        found.push(bits);
    }
}
