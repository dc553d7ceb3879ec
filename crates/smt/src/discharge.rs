//! Obligations: solve, prove, check.
//!
//! An obligation is a conjunction that must have no model. It is discharged when a fresh
//! solver refutes it and the independent checker accepts the proof. The checker is told
//! the conjunction, not what the solver made of it: so nothing stands between an
//! obligation and its check, and the solver needs nobody's trust.

use crate::solver::{Answer, Config, Solver};
use bolide_base::{Budget, NoAnswer};
use bolide_proof::{Partition, Proof};
use bolide_terms::{TermId, TermStore};

/// Refutes the conjunction, with a proof that the checker accepted. `what` it is about is said
/// where that fails.
pub fn discharge(
    store: &mut TermStore,
    conjuncts: &[TermId],
    budget: &Budget,
    what: impl Fn() -> String,
) -> Result<Proof, NoAnswer> {
    budget.poll()?;
    let mut solver = Solver::new(Config { proofs: true });
    for &conjunct in conjuncts {
        solver.assert(store, conjunct, 0);
    }
    match solver.check(store, &[], budget) {
        Answer::Unsat => {}
        Answer::Sat => return Err(NoAnswer::NotCertified(format!("{} fails", what()))),
        Answer::Unknown(limit @ NoAnswer::Exhausted(_)) => return Err(limit),
        Answer::Unknown(why) => {
            let why = why.detail();
            return Err(NoAnswer::NotCertified(format!("{} is undecided: {why}", what())));
        }
    }
    checked_proof(store, &mut solver, |formula, _| conjuncts.contains(&formula), what)
}

/// The proof of the last refutation of a solver, if the checker accepts it as one of what was `given`.
pub fn checked_proof(
    store: &TermStore,
    solver: &mut Solver,
    given: impl Fn(TermId, Partition) -> bool,
    what: impl Fn() -> String,
) -> Result<Proof, NoAnswer> {
    let refused = |why: String| NoAnswer::NotCertified(format!("the proof of {}: {why}", what()));
    let proof = solver.proof(store).ok_or_else(|| refused("there is none".to_owned()))?;
    bolide_proof::check_refutation(store, &proof, given).map_err(|why| refused(why.to_string()))?;
    Ok(proof)
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
        let checked = checked_proof(&store, &mut solver, given, || "it".to_owned());
        assert!(matches!(checked, Err(NoAnswer::NotCertified(_))), "{checked:?}");
    }
}
