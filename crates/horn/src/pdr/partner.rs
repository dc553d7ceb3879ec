//! What the engine tells its partner, and what it makes of what it is told.
//!
//! Invariants join the constraint of every clause that uses the relation.
//! Candidates (interface predicates of abstraction refinement) and their
//! negations are tried as lemmas: each is added at the highest level that it
//! is inductive up to. Told are the lemmas that have reached the top level,
//! since those are the ones that may be inductive.

use super::frames::{ALWAYS, Pdr};
use crate::exchange::Kind;
use crate::system::RelationId;
use bolide_base::NoAnswer;
use bolide_terms::TermId;

// Heuristic: larger formulas are neither told nor tried.
const SIZE: usize = 60;

impl Pdr<'_> {
    /// Takes in what was told since the last time.
    pub(super) fn listen(&mut self, top: u32) -> Result<(), NoAnswer> {
        let Some(desk) = &mut self.desk else { return Ok(()) };
        for (relation, formula, kind) in desk.collect(self.store) {
            self.budget.poll()?;
            self.statistics.told += 1;
            match kind {
                Kind::Invariant => self.add_invariant(relation, formula),
                Kind::Candidate if self.store.dag_size(formula) <= SIZE => {
                    let negated = self.store.mk_not(formula);
                    for claim in [formula, negated] {
                        self.try_lemma(relation, claim, top)?;
                    }
                }
                Kind::Candidate => {}
            }
        }
        Ok(())
    }

    fn add_invariant(&mut self, relation: RelationId, formula: TermId) {
        if self.invariants.strengthen(self.store, relation, formula) {
            let state = self.relations.get_mut(&relation).expect("every relation has a state");
            state.events.push((formula, ALWAYS));
        }
    }

    /// Adds the claim as a lemma at the highest level where it is one.
    fn try_lemma(&mut self, relation: RelationId, claim: TermId, top: u32) -> Result<(), NoAnswer> {
        for part in self.store.conjuncts(claim) {
            let literals = self.store.disjuncts(part);
            let mut cube: Vec<TermId> =
                literals.into_iter().map(|l| self.store.mk_not(l)).collect();
            cube.sort_unstable();
            let known = &self.relations[&relation].lemmas;
            if known.iter().any(|lemma| lemma.cube == cube) {
                continue;
            }
            let mut reached = 0;
            while reached < top && self.is_blocked(relation, &cube, reached, true)?.is_some() {
                reached += 1;
            }
            if reached > 0 {
                self.add_lemma(relation, cube, reached);
            }
        }
        Ok(())
    }

    /// Tells the lemmas that hold at the level and above.
    pub(super) fn tell(&mut self, level: u32) {
        let Some(desk) = &mut self.desk else { return };
        for relation in self.system.relations.ids() {
            for lemma in &self.relations[&relation].lemmas {
                let small = self.store.dag_size(lemma.formula) <= SIZE;
                if lemma.level >= level && small && self.told.insert((relation, lemma.formula)) {
                    desk.publish(self.store, relation, lemma.formula, Kind::Candidate);
                }
            }
        }
    }
}
