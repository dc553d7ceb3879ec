//! The program `Rational` of constraint-logic-queries (Figure 1): with swapped
//! arguments an error, corrected two iterations and the abstraction of section 4.

use bolide_base::Budget;
use bolide_horn::system::{Interpretation, Verdict};
use bolide_horn::{audit, car, show, text};
use bolide_terms::TermStore;

fn rational(first: &str, second: &str) -> String {
    format!(
        "relation TRat (Int Int (Array Int Int) (Array Int Int) (Array Int Int) (Array Int Int) (Array Int Int) (Array Int Int) Int)
relation Etrunc (Int (Array Int Int) (Array Int Int))
relation TreadInt (Int)
relation Eloop (Int Int (Array Int Int) (Array Int Int))
relation Emain ()
rule (x Int) (y Int) (n (Array Int Int)) (d (Array Int Int)) (h (Array Int Int)) (n1 (Array Int Int)) (d1 (Array Int Int)) (h1 (Array Int Int)) (this Int):
  (TRat x y n d h n1 d1 h1 this) :-
    (and (= (select h this) 0) (= h1 (store h this 1)) (= n1 (store n this x)) (= d1 (store d this y)))
rule (this Int) (n (Array Int Int)) (d (Array Int Int)):
  (Etrunc this n d) :- (= (select d this) 0)
rule (r Int): (TreadInt r) :- true
rule (this Int) (i Int) (n (Array Int Int)) (d (Array Int Int)):
  (Eloop this i n d) :- (and (< i 100000) (or (Etrunc this n d) (Eloop this (+ i 1) n d)))
rule (x Int) (y Int) (n (Array Int Int)) (d (Array Int Int)) (h (Array Int Int)) (n1 (Array Int Int)) (d1 (Array Int Int)) (h1 (Array Int Int)) (this Int):
  Emain :- (and (TreadInt x) (TreadInt y) (not (= y 0))
    (TRat {first} {second} n d h n1 d1 h1 this) (Eloop this 0 n1 d1))
query: Emain
"
    )
}

#[test]
fn swapped_arguments_are_an_error() {
    let mut store = TermStore::new();
    let system = text::parse(&mut store, &rational("y", "x")).unwrap();
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
    let system = text::parse(&mut store, &rational("x", "y")).unwrap();
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
fn rules_are_printed_and_read_again() {
    for (first, second, is_sat) in [("x", "y", true), ("y", "x", false)] {
        let mut store = TermStore::new();
        let system = text::parse(&mut store, &rational(first, second)).unwrap();
        let printed = text::print(&mut store, &system);
        let mut other = TermStore::new();
        let again = text::parse(&mut other, &printed).unwrap();
        assert_eq!(again.clauses.len(), system.clauses.len());
        let twice = text::print(&mut other, &again);
        assert_eq!(twice.lines().count(), printed.lines().count(), "{printed}\n{twice}");
        // What was read means the same.
        let found = car::decide(&mut other, &again, Interpretation::new(), &Budget::unlimited());
        match found.verdict {
            Verdict::Sat(_) => assert!(is_sat, "{printed}"),
            Verdict::Unsat(_) => assert!(!is_sat, "{printed}"),
            Verdict::Unknown(why) => panic!("{why}"),
        }
    }
}
