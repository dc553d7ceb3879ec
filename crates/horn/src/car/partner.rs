//! What the engine tells its partner, and what it makes of what it is told.
//!
//! Told are interface predicates. A lemma of the partner's frames becomes an
//! invariant if it is inductive together with others ([`make_inductive`]);
//! otherwise its atoms become interface predicates, with an explicated clause for each rule
//! that the solver says preserves it: the Boolean level knows of a predicate only what such
//! clauses say.

use super::Car;
use crate::exchange::Kind;
use crate::system::RelationId;
use bolide_base::{HashMap, NoAnswer};
use bolide_smt::houdini::{Effort, make_inductive};
use bolide_smt::solver::{Answer, Solver};
use bolide_terms::{TermId, TermStore};

// Heuristic: at most so many lemmas of one relation are looked at in one iteration, and so many
// of them become interface predicates, the smallest first.
const LEMMAS: usize = 40;
const PREDICATES: usize = 4;
/// Larger predicates are not told.
const SIZE: usize = 40;

impl Car<'_> {
    /// Takes in what was told since the last iteration.
    pub(super) fn listen(&mut self) -> Result<(), NoAnswer> {
        let Some(desk) = &mut self.desk else { return Ok(()) };
        let mut candidates: HashMap<RelationId, Vec<TermId>> = HashMap::default();
        for (relation, formula, kind) in desk.collect(self.store) {
            self.told += 1;
            match kind {
                Kind::Invariant => {
                    let known = self.invariants.get(relation);
                    self.invariants.set(relation, self.store.mk_and(&[known, formula]));
                }
                Kind::Candidate => {
                    if self.published.insert((relation, formula)) {
                        candidates.entry(relation).or_default().push(formula);
                    }
                }
            }
        }
        if candidates.is_empty() {
            return Ok(());
        }
        for list in candidates.values_mut() {
            smallest(self.store, list, LEMMAS);
        }
        let mut kept = candidates.clone();
        let implications = self.system.implications(self.store, &self.invariants);
        let mut effort = Effort { budget: self.budget, questions: u64::MAX };
        make_inductive(self.store, &implications, &mut kept, &mut effort)?;
        for relation in self.system.relations.ids() {
            let kept = kept.get(&relation).cloned().unwrap_or_default();
            let mut open = candidates.remove(&relation).unwrap_or_default();
            open.retain(|formula| !kept.contains(formula));
            let mut parts = vec![self.invariants.get(relation)];
            parts.extend(kept);
            self.invariants.set(relation, self.store.mk_and(&parts));
            smallest(self.store, &mut open, PREDICATES);
            for formula in open {
                self.adopt(relation, formula)?;
            }
        }
        Ok(())
    }

    /// Makes interface predicates of a formula, and explicated clauses.
    fn adopt(&mut self, relation: RelationId, formula: TermId) -> Result<(), NoAnswer> {
        self.abstraction.add_predicates(self.store, relation, formula);
        for number in 0..self.clauses.len() {
            let clause = self.clauses[number].clone();
            let Some(head) = clause.head.as_ref().filter(|head| head.relation == relation) else {
                continue;
            };
            let mut premises = vec![clause.constraint];
            for atom in &clause.body {
                premises.push(self.system.instance(self.store, &self.invariants, atom));
                if atom.relation == relation {
                    premises.push(self.system.instantiate(self.store, formula, atom));
                }
            }
            let premise = self.store.mk_and(&premises);
            let conclusion = self.system.instantiate(self.store, formula, head);
            let negated = self.store.mk_not(conclusion);
            let mut solver = Solver::default();
            solver.assert(self.store, premise, 0);
            solver.assert(self.store, negated, 0);
            // Required: an explicated clause is true in the theory.
            if solver.check(self.store, &[], self.budget) == Answer::Unsat {
                let explicated = self.store.mk_implies(premise, conclusion);
                self.abstraction.add_explicated(number, explicated);
            }
            self.budget.poll()?;
        }
        Ok(())
    }

    /// Tells the interface predicates that are new.
    pub(super) fn tell(&mut self) {
        let Some(desk) = &mut self.desk else { return };
        for relation in self.system.relations.ids() {
            for &predicate in self.abstraction.interface.get(&relation).into_iter().flatten() {
                if self.store.dag_size(predicate) <= SIZE
                    && self.published.insert((relation, predicate))
                {
                    desk.publish(self.store, relation, predicate, Kind::Candidate);
                }
            }
        }
    }
}

fn smallest(store: &TermStore, list: &mut Vec<TermId>, count: usize) {
    list.sort_by_key(|&formula| (store.dag_size(formula), formula));
    list.truncate(count);
}
