//! The questions of the engines.

use bolide_base::Budget;
use bolide_smt::entailment::{Entailment, Verdict};
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
    assert_eq!(entailment.entails(&mut store, premise, conclusion, &budget), Verdict::Holds);
    assert_eq!(entailment.entails(&mut store, premise, conclusion, &budget), Verdict::Holds);
    assert_eq!(entailment.entails(&mut store, premise, less, &budget), Verdict::Holds);
    assert_eq!(entailment.entails(&mut store, conclusion, premise, &budget), Verdict::Fails);
    let statistics = entailment.statistics();
    assert_eq!((statistics.by_syntax, statistics.by_memory), (1, 1));
    // The counterexample to x < z => x < y and y < z also refutes this.
    let before = entailment.statistics().by_solver;
    let five = store.mk_int(5);
    let sum = store.mk_add(&[x, five]);
    let other = store.mk_eq(sum, z);
    let negative = store.mk_not(other);
    let either = entailment.entails(&mut store, conclusion, other, &budget);
    let or = entailment.entails(&mut store, conclusion, negative, &budget);
    assert_eq!((either, or), (Verdict::Fails, Verdict::Fails));
    assert!(entailment.statistics().by_solver <= before + 1);
}
