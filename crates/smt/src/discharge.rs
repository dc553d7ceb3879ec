//! Obligations: solve, prove, check.
//!
//! An obligation is a conjunction that must have no model. It is discharged when a fresh
//! solver refutes it and the independent checker accepts the proof. The checker is told
//! the conjunction, not what the solver made of it: so nothing stands between an
//! obligation and its check, and the solver needs nobody's trust.

use crate::solver::{Answer, Config, Solver};
use bolide_base::{Budget, NoAnswer};
use bolide_proof::{Partition, Proof};
use bolide_terms::{Model, TermId, TermStore};

/// What there is to say about a conjunction.
pub enum Decided {
    /// It has this model.
    Sat(Model),
    /// It has none, by this proof.
    Unsat(Proof),
}

/// Decides the conjunction by a fresh solver; each formula is a partition of the proof.
pub fn decide(
    store: &mut TermStore,
    formulas: &[TermId],
    budget: &Budget,
) -> Result<Decided, NoAnswer> {
    let mut solver = Solver::new(Config { proofs: true });
    for (partition, &formula) in formulas.iter().enumerate() {
        solver.assert(store, formula, partition as Partition);
    }
    match solver.check(store, &[], budget) {
        Answer::Sat => Ok(Decided::Sat(solver.take_model().expect("a satisfiable check has one"))),
        Answer::Unsat => match solver.proof(store) {
            Some(proof) => Ok(Decided::Unsat(proof)),
            None => Err(NoAnswer::solver("the solver has no proof")),
        },
        Answer::Unknown(why) => Err(why),
    }
}

/// A model of the conjunction, if it has one; nobody asks for a proof.
pub fn model_of(
    store: &mut TermStore,
    formulas: &[TermId],
    budget: &Budget,
) -> Result<Option<Model>, NoAnswer> {
    let mut solver = Solver::default();
    for &formula in formulas {
        solver.assert(store, formula, 0);
    }
    match solver.check(store, &[], budget) {
        Answer::Sat => Ok(solver.take_model()),
        Answer::Unsat => Ok(None),
        Answer::Unknown(why) => Err(why),
    }
}

/// Refutes the conjunction, with a proof that the checker accepted. `what` it is about is said
/// where that fails.
pub fn discharge(
    store: &mut TermStore,
    conjuncts: &[TermId],
    budget: &Budget,
    what: impl Fn() -> String,
) -> Result<Proof, NoAnswer> {
    budget.poll()?;
    let failed = |why: String| NoAnswer::NotCertified(format!("{} {why}", what()));
    match decide(store, conjuncts, budget) {
        Ok(Decided::Unsat(proof)) => {
            accepted(store, proof, |formula, _| conjuncts.contains(&formula), what)
        }
        Ok(Decided::Sat(_)) => Err(failed("fails".to_owned())),
        Err(limit @ NoAnswer::Exhausted(_)) => Err(limit),
        Err(why) => Err(failed(format!("is undecided: {}", why.detail()))),
    }
}

/// The proof, if the checker accepts it as one of what was `given`.
pub fn accepted(
    store: &TermStore,
    proof: Proof,
    given: impl Fn(TermId, Partition) -> bool,
    what: impl Fn() -> String,
) -> Result<Proof, NoAnswer> {
    match bolide_proof::check_refutation(store, &proof, given) {
        Ok(_) => Ok(proof),
        Err(why) => Err(NoAnswer::NotCertified(format!("the proof of {}: {why}", what()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_base::Exhausted;
    use bolide_terms::SortId;

    #[test]
    fn what_has_no_model_is_discharged_and_nothing_else() {
        let mut store = TermStore::new();
        let (x, three) = (store.mk_const("x", SortId::INT), store.mk_int(3));
        let (less, more) = (store.mk_lt(x, three), store.mk_gt(x, three));
        let budget = Budget::unlimited();
        let mut of = |all: &[TermId]| discharge(&mut store, all, &budget, || "it".to_owned());
        assert!(of(&[less, more]).is_ok());
        assert_eq!(of(&[less]), Err(NoAnswer::NotCertified("it fails".to_owned())));
        budget.stop(Exhausted::Memory);
        assert_eq!(of(&[less, more]), Err(NoAnswer::Exhausted(Exhausted::Memory)));
    }

    #[test]
    fn a_proof_from_something_else_is_refused() {
        let mut store = TermStore::new();
        let (x, three) = (store.mk_const("x", SortId::INT), store.mk_int(3));
        let (less, more) = (store.mk_lt(x, three), store.mk_gt(x, three));
        let mut solver = Solver::new(Config { proofs: true });
        solver.assert(&mut store, less, 0);
        solver.assert(&mut store, more, 0);
        assert_eq!(solver.check(&mut store, &[], &Budget::unlimited()), Answer::Unsat);
        let given = |formula, _| formula == less;
        let proof = solver.proof(&store).expect("proofs are on");
        let checked = accepted(&store, proof, given, || "it".to_owned());
        assert!(matches!(checked, Err(NoAnswer::NotCertified(_))), "{checked:?}");
    }
}
