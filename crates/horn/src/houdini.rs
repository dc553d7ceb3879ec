//! The inductive ones among candidates.
//!
//! After Flanagan and Leino (*Houdini, an annotation assistant for ESC/Java*,
//! FME 2001): all candidates are assumed of the premises; one that a clause
//! does not preserve is dropped, until all that are left are preserved by all.

use crate::system::{Interpretation, RelationId, System};
use bolide_base::{Budget, Exhausted, HashMap};
use bolide_smt::solver::{Answer, Solver};
use bolide_terms::{Evaluator, TermId, TermStore};

/// Candidates for each relation, over its parameters.
pub(crate) type Candidates = HashMap<RelationId, Vec<TermId>>;

/// The largest part of the candidates that is inductive together with the invariants, as far as
/// the solver decides.
pub(crate) fn inductive(
    store: &mut TermStore,
    system: &System,
    invariants: &Interpretation,
    mut candidates: Candidates,
    budget: &Budget,
) -> Result<Candidates, Exhausted> {
    loop {
        let mut dropped = false;
        for clause in &system.clauses {
            let Some(head) = &clause.head else { continue };
            let mut claims = candidates.get(&head.relation).cloned().unwrap_or_default();
            if claims.is_empty() {
                continue;
            }
            let mut solver = Solver::default();
            solver.assert(store, clause.constraint, 0);
            for atom in &clause.body {
                let known = system.instance(store, invariants, atom);
                solver.assert(store, known, 0);
                for candidate in candidates.get(&atom.relation).cloned().unwrap_or_default() {
                    let instance = system.instantiate(store, candidate, atom);
                    solver.assert(store, instance, 0);
                }
            }
            let before = claims.len();
            // One question about all that are left; the model says which do not hold.
            while !claims.is_empty() {
                budget.poll()?;
                let mut instances = Vec::with_capacity(claims.len());
                for &claim in &claims {
                    instances.push(system.instantiate(store, claim, head));
                }
                let all = store.mk_and(&instances);
                let negated = store.mk_not(all);
                solver.push(store);
                solver.assert(store, negated, 0);
                let answer = solver.check(store, &[], budget);
                let model = solver.take_model();
                solver.pop(store, 1);
                match (answer, model) {
                    (Answer::Unsat, _) => break,
                    (Answer::Sat, Some(model)) => {
                        let mut evaluator = Evaluator::new(store, &model);
                        let count = claims.len();
                        let mut instances = instances.iter();
                        claims.retain(|_| {
                            evaluator.holds(*instances.next().expect("one for each claim"))
                        });
                        if claims.len() == count {
                            claims.clear();
                        }
                    }
                    _ => {
                        budget.poll()?;
                        claims.clear();
                    }
                }
            }
            if claims.len() < before {
                dropped = true;
                candidates.insert(head.relation, claims);
            }
        }
        if !dropped {
            return Ok(candidates);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_step_breaks_is_dropped_and_what_rests_on_it() {
        let mut store = TermStore::new();
        let text = "(set-logic HORN)(declare-fun p (Int Int) Bool)(assert (p 0 0))
(assert (forall ((x Int) (y Int)) (=> (p x y) (p (+ x 1) (ite (<= x 5) y (- 1))))))";
        let system = crate::read::read(&mut store, text).expect("a script").system;
        let relation = system.relations.ids().next().expect("a relation");
        let parameters = system.relations[relation].parameters.clone();
        let (x, y) = (parameters[0], parameters[1]);
        let (zero, five) = (store.mk_int(0), store.mk_int(5));
        let (positive, small) = (store.mk_ge(x, zero), store.mk_le(x, five));
        // Holds as long as x is small.
        let depends = store.mk_ge(y, zero);
        let mut candidates = Candidates::default();
        candidates.insert(relation, vec![positive, small, depends]);
        let known = Interpretation::new();
        let kept = inductive(&mut store, &system, &known, candidates, &Budget::unlimited());
        assert_eq!(kept.expect("no limit")[&relation], [positive]);
    }
}
