//! The program `Rational` of constraint-logic-queries (Figure 1): with swapped
//! arguments an error, corrected two iterations and the abstraction of section 4.

use bolide_base::Budget;
use bolide_horn::system::{Interpretation, System, Verdict};
use bolide_horn::{audit, car, read, show};
use bolide_terms::TermStore;

fn rational(store: &mut TermStore, first: &str, second: &str) -> System {
    let text = format!(
        "(set-logic HORN)
(define-sort A () (Array Int Int))
(declare-fun TRat (Int Int A A A A A A Int) Bool)
(declare-fun Etrunc (Int A A) Bool)
(declare-fun TreadInt (Int) Bool)
(declare-fun Eloop (Int Int A A) Bool)
(declare-fun Emain () Bool)
(assert (forall ((x Int) (y Int) (n A) (d A) (h A) (n1 A) (d1 A) (h1 A) (this Int))
  (=> (and (= (select h this) 0) (= h1 (store h this 1)) (= n1 (store n this x)) (= d1 (store d this y)))
    (TRat x y n d h n1 d1 h1 this))))
(assert (forall ((this Int) (n A) (d A)) (=> (= (select d this) 0) (Etrunc this n d))))
(assert (forall ((r Int)) (=> true (TreadInt r))))
(assert (forall ((this Int) (i Int) (n A) (d A))
  (=> (and (< i 100000) (or (Etrunc this n d) (Eloop this (+ i 1) n d))) (Eloop this i n d))))
(assert (forall ((x Int) (y Int) (n A) (d A) (h A) (n1 A) (d1 A) (h1 A) (this Int))
  (=> (and (TreadInt x) (TreadInt y) (not (= y 0)) (TRat {first} {second} n d h n1 d1 h1 this) (Eloop this 0 n1 d1))
    Emain)))
(assert (=> Emain false))
"
    );
    read::read(store, &text).unwrap().system
}

#[test]
fn swapped_arguments_are_an_error() {
    let mut store = TermStore::new();
    let system = rational(&mut store, "y", "x");
    let found = car::decide(&mut store, &system, Interpretation::new(), &Budget::unlimited());
    let Verdict::Unsat(derivation) = found.verdict else { panic!("{:?}", found.verdict) };
    audit::derivation(&store, &system, &derivation).unwrap();
    // The derivation names the error: truncation fails in the loop of main.
    let shown = show::derivation(&store, &system, &derivation);
    for name in ["Etrunc", "Eloop", "TRat", "Emain", "false"] {
        assert!(shown.contains(name), "{shown}");
    }
}

#[test]
fn the_fixed_program_needs_two_iterations() {
    let mut store = TermStore::new();
    let system = rational(&mut store, "x", "y");
    let budget = Budget::unlimited();
    let found = car::decide(&mut store, &system, Interpretation::new(), &budget);
    let Verdict::Sat(solution) = found.verdict else { panic!("{:?}", found.verdict) };
    audit::interpretation(&mut store, &system, &solution, &budget).unwrap();
    assert_eq!(found.iterations, 2);
    let mut predicates = String::new();
    for (id, relation) in system.relations.iter() {
        for &predicate in found.abstraction.interface.get(&id).into_iter().flatten() {
            predicates += &format!("{}: {}\n", relation.name, store.infix(predicate));
        }
    }
    expect_test::expect![[r#"
        TRat: TRat@6 = TRat@3[TRat@8 := TRat@1]
        Etrunc: Etrunc@2[Etrunc@0] = 0
        Eloop: Eloop@3[Eloop@0] = 0
    "#]]
    .assert_eq(&predicates);
}

#[test]
fn systems_are_printed_and_read_again() {
    for (first, second, is_sat) in [("x", "y", true), ("y", "x", false)] {
        let mut store = TermStore::new();
        let system = rational(&mut store, first, second);
        let rules = show::rules(&mut store, &system);
        assert!(rules.contains("relation Eloop (Int Int (Array Int Int) (Array Int Int))"));
        assert_eq!(rules.matches("\nrule").count(), system.clauses.len() - 1, "{rules}");
        assert!(rules.ends_with("query:\n  Emain\n"), "{rules}");
        let printed = show::smtlib(&mut store, &system);
        let mut other = TermStore::new();
        let again = read::read(&mut other, &printed).unwrap().system;
        assert_eq!(again.clauses.len(), system.clauses.len());
        // What was read means the same.
        let found = car::decide(&mut other, &again, Interpretation::new(), &Budget::unlimited());
        match found.verdict {
            Verdict::Sat(_) => assert!(is_sat, "{printed}"),
            Verdict::Unsat(_) => assert!(!is_sat, "{printed}"),
            Verdict::Unknown(why) => panic!("{why}"),
        }
    }
}
