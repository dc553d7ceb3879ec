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

use super::automaton::Situation;
use super::{MacroId, TraceAbstraction};
use bolide_reachability::verdict::Reason;
use bolide_terms::TermId;
use bolide_terms::evaluate::holds;

impl TraceAbstraction<'_, '_> {
    /// The step of the automaton of a predicate abstraction.
    pub(super) fn bitvector_step(
        &mut self,
        index: usize,
        predicates: &[TermId],
        situation: &Situation,
    ) -> Result<MacroId, Reason> {
        let (letter, automaton) = (situation.letter, &self.automata[index]);
        let (from, caller) =
            (automaton.formula(situation.from), automaton.formula(situation.caller));
        let is_return = matches!(self.alphabet.letter(letter), super::alphabet::Letter::Return(_));
        let (before, exit) = if is_return { (caller, from) } else { (from, caller) };
        let (program, calls, store) = (&*self.program, &self.calls, &mut *self.store);
        let premise = self.alphabet.premise(program, calls, store, letter, before, exit);
        if situation.last {
            let reachable = self.prover.model(store, premise)?.is_some();
            return Ok(if reachable { MacroId::TRUE } else { MacroId::FALSE });
        }
        let said: Vec<TermId> = predicates
            .iter()
            .map(|&p| self.alphabet.said(program, calls, store, letter, p))
            .collect();
        let mut members = Vec::new();
        let mut rest = vec![premise];
        loop {
            let query = store.mk_and(&rest);
            let Some(model) = self.prover.model(store, query)? else { break };
            let bits: Vec<bool> = said.iter().map(|&s| holds(store, &model, s)).collect();
            let literals: Vec<TermId> = said
                .iter()
                .zip(&bits)
                .map(|(&s, &bit)| if bit { s } else { store.mk_not(s) })
                .collect();
            let found = store.mk_and(&literals);
            rest.push(store.mk_not(found));
            let state = self.automata[index].bitvector(store, predicates, bits);
            if members.contains(&state) {
                return Err(Reason::Solver("a model does not evaluate as the solver does".into()));
            }
            members.push(state);
        }
        Ok(self.automata[index].intern(store, members))
    }
}
