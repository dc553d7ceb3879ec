//! The questions of the engines.

use bolide_base::Budget;
use bolide_smt::entailment::Entailment;
use bolide_terms::{SortId, TermStore};

#[test]
fn entailment_remembers() {
    let mut store = TermStore::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| store.mk_const(name, SortId::INT));
    let mut entailment = Entailment::new();
    let budget = Budget::unlimited();
    let less = store.mk_lt(x, y);
    let less_too = store.mk_lt(y, z);
    let premise = store.mk_and(&[less, less_too]);
    let conclusion = store.mk_lt(x, z);
    assert_eq!(entailment.entails(&mut store, premise, conclusion, &budget), Ok(true));
    assert_eq!(entailment.entails(&mut store, premise, conclusion, &budget), Ok(true));
    assert_eq!(entailment.entails(&mut store, premise, less, &budget), Ok(true));
    assert_eq!(entailment.entails(&mut store, conclusion, premise, &budget), Ok(false));
    // Of these, one was plain to see and one remembered.
    assert_eq!(entailment.calls(), 2);
    // The counterexample to x < z => x < y and y < z also refutes this.
    let before = entailment.calls();
    let five = store.mk_int(5);
    let sum = store.mk_add(&[x, five]);
    let other = store.mk_eq(sum, z);
    let negative = store.mk_not(other);
    let either = entailment.entails(&mut store, conclusion, other, &budget);
    let or = entailment.entails(&mut store, conclusion, negative, &budget);
    assert_eq!((either, or), (Ok(false), Ok(false)));
    assert!(entailment.calls() <= before + 1);
}
