//! Scripts in, answers out; every answer has passed the audit.

use bolide_base::Budget;
use bolide_horn::solve::{Config, Engine, solve};
use bolide_horn::system::Verdict;
use bolide_horn::{read, show};
use bolide_terms::TermStore;
use expect_test::{Expect, expect};

fn answer(text: &str, config: impl Into<Config>) -> String {
    let mut store = TermStore::new();
    let script = match read::read(&mut store, text) {
        Ok(script) => script,
        Err(error) => return error.to_string(),
    };
    let outcome = solve(&mut store, &script.system, config, &Budget::unlimited());
    match outcome.verdict {
        Verdict::Sat(_) => "sat".into(),
        Verdict::Unsat(found) => {
            format!("unsat\n{}", show::derivation(&store, &script.system, &found))
        }
        Verdict::Unknown(why) => format!("unknown: {why}"),
    }
}

fn check(text: &str, expected: Expect) {
    let by_pdr = answer(text, Engine::Pdr);
    expected.assert_eq(&by_pdr);
    let by_car = answer(text, Engine::Car);
    assert_eq!(by_pdr.lines().next(), by_car.lines().next(), "the engines differ");
    for threads in [1, 2] {
        let by_both = answer(text, Config { threads, ..Engine::Auto.into() });
        assert_eq!(by_pdr.lines().next(), by_both.lines().next(), "{threads} threads");
    }
}

#[test]
fn with_one_thread_runs_repeat() {
    // Neither engine is done in its first turn, and each hears of the other.
    let text = "(set-logic HORN)(declare-fun p (Int Int Int) Bool)
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (= x 0) (= y 0) (= z 0)) (p x y z))))
(assert (forall ((x Int) (y Int) (z Int))
  (=> (and (p x y z) (< x 40)) (p (+ x 1) (ite (< x 20) y (+ y 1)) (ite (< y 7) z (+ z 1))))))
(assert (forall ((x Int) (y Int) (z Int)) (=> (and (p x y z) (= x 40)) (= y 20))))";
    let run = || {
        let mut store = TermStore::new();
        let script = read::read(&mut store, text).expect("a script");
        let outcome = solve(&mut store, &script.system, Engine::Auto, &Budget::unlimited());
        assert!(matches!(outcome.verdict, Verdict::Sat(_)), "{:?}", outcome.figures);
        let Verdict::Sat(found) = outcome.verdict else { unreachable!() };
        (show::model(&mut store, &script.system, &found), outcome.figures)
    };
    let first = run();
    assert_eq!(first, run());
}

const COUNTER: &str = "(set-logic HORN)(declare-fun inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 0)) (inv x y))))
(assert (forall ((x Int) (y Int)) (=> (and (inv x y) (< x 10)) (inv (+ x 1) (+ y 2)))))\n";

#[test]
fn a_counter_is_safe() {
    check(
        &format!("{COUNTER}(assert (forall ((x Int) (y Int)) (=> (inv x y) (= y (* 2 x)))))"),
        expect!["sat"],
    );
}

#[test]
fn a_counter_reaches_its_bound() {
    check(
        &format!("{COUNTER}(assert (forall ((x Int) (y Int)) (=> (inv x y) (< x 2))))"),
        expect![[r#"
            unsat
            (
              (step 0 (inv 0 0) :clause 0 :line 2)
              (step 1 (inv 1 2) :clause 1 :line 3 :premises (0))
              (step 2 (inv 2 4) :clause 1 :line 3 :premises (1))
              (step 3 false :clause 2 :line 4 :premises (2))
            )"#]],
    );
}

#[test]
fn calls_of_one_relation_twice() {
    // Non-linear: the premises are solved one after the other.
    let even = "(set-logic HORN)(declare-fun p (Int) Bool)
(assert (p 2))
(assert (forall ((x Int) (y Int)) (=> (and (p x) (p y)) (p (+ x y)))))\n";
    check(
        &format!("{even}(assert (forall ((x Int)) (=> (and (p x) (< x 2)) false)))"),
        expect!["sat"],
    );
    assert!(
        answer(
            &format!("{even}(assert (forall ((x Int)) (not (and (p x) (= x 6)))))"),
            Engine::Pdr
        )
        .starts_with("unsat")
    );
}

#[test]
fn rules_and_queries_of_the_fixedpoint_format() {
    check(
        "(declare-rel r (Int Bool))(declare-rel bad ())(declare-var x Int)(declare-var b Bool)
(rule (=> (and (= x 0) b) (r x b)))
(rule (=> (and (r x b) (not b)) bad))
(query bad)",
        expect!["sat"],
    );
}

#[test]
fn reals_and_arrays() {
    check(
        "(set-logic HORN)(declare-fun r (Real (Array Int Int)) Bool)
(assert (forall ((x Real) (a (Array Int Int))) (=> (and (> x 0.5) (= (select a 0) 1)) (r x a))))
(assert (forall ((x Real) (a (Array Int Int))) (=> (r x a) (r (/ x 2.0) (store a 1 7)))))
(assert (forall ((x Real) (a (Array Int Int)))
  (=> (and (r x a) (or (< x 0.0) (not (= (select a 0) 1)))) false)))",
        expect!["sat"],
    );
}

#[test]
fn bad_input_has_a_position_and_a_reason() {
    let check = |text: &str, expected: Expect| expected.assert_eq(&answer(text, Engine::Pdr));
    check(
        "(set-logic HORN)\n(declare-fun p (Foo) Bool)",
        expect!["2:17: the sort Foo is not declared"],
    );
    check(
        "(set-logic HORN)(declare-fun p (Int) Bool)(declare-fun y () Int)\n(assert (p y))",
        expect!["2:1: the constant y is free: quantify it, or declare it by declare-var"],
    );
    check(
        "(set-logic HORN)(declare-fun p () Bool)(declare-fun q () Bool)\n(assert (or p q))",
        expect!["2:1: this is no Horn clause: it has two heads"],
    );
    check("(set-logic QF_LIA)", expect!["1:1: the logic of Horn clauses is HORN, not QF_LIA"]);
    // Nothing is asked: everything may be true.
    check("(set-logic HORN)(declare-fun p (Int) Bool)(assert (p 1))", expect!["sat"]);
}

#[test]
fn ten_thousand_clauses() {
    // A chain in both directions.
    let mut text = String::from("(set-logic HORN)(declare-fun p0 (Int) Bool)(assert (p0 0))\n");
    for i in 1..5_000 {
        text += &format!(
            "(declare-fun p{i} (Int) Bool)(assert (forall ((x Int)) (=> (p{} x) (p{i} x))))
(assert (forall ((x Int)) (=> (p{i} x) (p{} x))))\n",
            i - 1,
            i - 1
        );
    }
    text += "(assert (forall ((x Int)) (=> (p4999 x) (= x 0))))";
    assert_eq!(answer(&text, Engine::Auto), "sat");
    // One relation with many clauses.
    let mut text = String::from("(set-logic HORN)(declare-fun p (Int Int) Bool)\n");
    text += "(assert (forall ((y Int)) (p 0 y)))\n";
    for i in 1..10_000 {
        text += &format!(
            "(assert (forall ((x Int) (y Int)) (=> (and (p {} y) (= x {i})) (p x y))))\n",
            i - 1
        );
    }
    text += "(assert (forall ((x Int) (y Int)) (=> (p x y) (>= x 0))))";
    assert_eq!(answer(&text, Engine::Auto), "sat");
}

#[test]
fn fifty_megabytes() {
    let check = |text: &str, expected: Expect| expected.assert_eq(&answer(text, Engine::Auto));
    check(&"(".repeat(50_000_000), expect!["1:1: this parenthesis is not closed"]);
    let comment = "; nothing of interest\n".repeat(2_300_000);
    check(
        &(comment + "(declare-fun p (Foo) Bool)"),
        expect!["2300001:17: the sort Foo is not declared"],
    );
    // One clause, a deep one.
    let deep = "(not ".repeat(5_000_000) + "(p x)" + &")".repeat(5_000_000);
    let text = format!(
        "(set-logic HORN)(declare-fun p (Int) Bool)(assert (forall ((x Int)) (=> {deep} false)))"
    );
    check(&text, expect!["sat"]);
}
