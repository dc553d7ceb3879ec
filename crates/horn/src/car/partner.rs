//! What the engine tells its partner, and what it makes of what it is told.
//!
//! Told are interface predicates. A lemma of the partner's frames becomes an
//! invariant if it is inductive together with others ([`make_inductive`]);
//! otherwise its atoms become interface predicates, with an explicated clause for each rule
//! that the solver says preserves it: the Boolean level knows of a predicate only what such
//! clauses say.

use super::Car;
use super::rules::Rules;
use crate::exchange::Kind;
use crate::system::RelationId;
use bolide_base::{HashMap, NoAnswer};
use bolide_smt::discharge::model_of;
use bolide_smt::houdini::{Effort, make_inductive};
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
        let Rules { store, system, invariants, budget, .. } = &mut self.rules;
        let mut candidates: HashMap<RelationId, Vec<TermId>> = HashMap::default();
        for (relation, formula, kind) in desk.collect(store) {
            self.told += 1;
            match kind {
                Kind::Invariant => {
                    invariants.strengthen(store, relation, formula);
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
            smallest(store, list, LEMMAS);
        }
        let mut kept = candidates.clone();
        let implications = system.implications(store, invariants);
        let mut effort = Effort { budget, questions: u64::MAX };
        make_inductive(store, &implications, &mut kept, &mut effort)?;
        for relation in system.relations.ids() {
            let kept = kept.get(&relation).cloned().unwrap_or_default();
            let mut open = candidates.remove(&relation).unwrap_or_default();
            open.retain(|formula| !kept.contains(formula));
            let Rules { store, invariants, .. } = &mut self.rules;
            let kept = store.mk_and(&kept);
            invariants.strengthen(store, relation, kept);
            smallest(store, &mut open, PREDICATES);
            for formula in open {
                self.adopt(relation, formula)?;
            }
        }
        Ok(())
    }

    /// Makes interface predicates of a formula, and explicated clauses.
    fn adopt(&mut self, relation: RelationId, formula: TermId) -> Result<(), NoAnswer> {
        let rules = &mut self.rules;
        self.abstraction.add_predicates(rules.store, relation, formula);
        for number in 0..rules.clauses.len() {
            let clause = rules.clauses[number].clone();
            let Some(head) = clause.head.as_ref().filter(|head| head.relation == relation) else {
                continue;
            };
            let mut premises = rules.premises(number);
            for atom in clause.body.iter().filter(|atom| atom.relation == relation) {
                premises.push(rules.instantiate(formula, atom));
            }
            let premise = rules.store.mk_and(&premises);
            let conclusion = rules.instantiate(formula, head);
            let negated = rules.store.mk_not(conclusion);
            // Required: an explicated clause is true in the theory.
            if model_of(rules.store, &[premise, negated], rules.budget) == Ok(None) {
                let explicated = rules.store.mk_implies(premise, conclusion);
                self.abstraction.add_explicated(number, explicated);
            }
            rules.budget.poll()?;
        }
        Ok(())
    }

    /// Tells the interface predicates that are new.
    pub(super) fn tell(&mut self) {
        let Some(desk) = &mut self.desk else { return };
        let Rules { store, system, .. } = &self.rules;
        for relation in system.relations.ids() {
            for &predicate in self.abstraction.interface.get(&relation).into_iter().flatten() {
                if store.dag_size(predicate) <= SIZE && self.published.insert((relation, predicate))
                {
                    desk.publish(store, relation, predicate, Kind::Candidate);
                }
            }
        }
    }
}

fn smallest(store: &TermStore, list: &mut Vec<TermId>, count: usize) {
    list.sort_by_key(|&formula| (store.dag_size(formula), formula));
    list.truncate(count);
}
