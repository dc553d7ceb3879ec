//! The questions of the engines.

use bolide_base::Budget;
use bolide_smt::entailment::{Entailment, Valuations, Verdict};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::{SortId, TermId, TermStore};
use expect_test::{Expect, expect};

struct Setting {
    store: TermStore,
    x: TermId,
    y: TermId,
    z: TermId,
}

fn setting() -> Setting {
    let mut store = TermStore::new();
    let x = store.mk_const("x", SortId::INT);
    let y = store.mk_const("y", SortId::INT);
    let z = store.mk_const("z", SortId::INT);
    Setting { store, x, y, z }
}

#[test]
fn entailment_remembers() {
    let Setting { mut store, x, y, z } = setting();
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
    // An axiom changes what fails.
    assert_eq!(entailment.entails(&mut store, less, conclusion, &budget), Verdict::Fails);
    entailment.add_axiom(&mut store, less_too);
    assert_eq!(entailment.entails(&mut store, less, conclusion, &budget), Verdict::Holds);
    let contradiction = store.mk_lt(z, y);
    assert_eq!(entailment.is_satisfiable(&mut store, contradiction, &budget), Verdict::Fails);
    assert_eq!(entailment.is_satisfiable(&mut store, less, &budget), Verdict::Holds);
}

fn show(valuations: &Valuations, store: &mut TermStore, predicates: &[TermId]) -> String {
    let formula = valuations.formula(store, predicates);
    let mut text = store.smtlib(formula);
    for component in &valuations.components {
        text += &format!("\n{:?}:", component.predicates);
        for cube in &component.cubes {
            let cube: String = cube
                .iter()
                .map(|value| match value {
                    Some(true) => '1',
                    Some(false) => '0',
                    None => '*',
                })
                .collect();
            text += &format!(" {cube}");
        }
    }
    text + "\n"
}

fn check_valuations(expected: Expect, build: impl Fn(&mut Setting) -> (TermId, Vec<TermId>)) {
    let mut setting = setting();
    let (formula, predicates) = build(&mut setting);
    let mut entailment = Entailment::new();
    let store = &mut setting.store;
    let valuations =
        entailment.valuations(store, formula, &predicates, &Budget::unlimited()).expect("decided");
    expected.assert_eq(&show(&valuations, store, &predicates));
    // Exactness, by asking for every valuation.
    let cubes = valuations.cubes(predicates.len());
    for bits in 0..1u32 << predicates.len() {
        let mut solver = Solver::new(Config::default());
        solver.assert(store, formula, 0);
        for (i, &predicate) in predicates.iter().enumerate() {
            let literal = if bits >> i & 1 == 1 { predicate } else { store.mk_not(predicate) };
            solver.assert(store, literal, 0);
        }
        let possible = solver.check(store, &[], &Budget::unlimited()) == Answer::Sat;
        let listed = cubes.iter().any(|cube| {
            cube.iter().enumerate().all(|(i, v)| v.is_none_or(|v| v == (bits >> i & 1 == 1)))
        });
        assert_eq!(possible, listed, "{bits:b}");
    }
}

#[test]
fn valuations_of_predicates() {
    // One component: x = y + 1 over x > 0, y > 0, x > y.
    check_valuations(
        expect![[r#"
            (let ((s!0 (<= y 0)) (s!1 (not (<= (+ x (* (- 1) y)) 0)))) (or (and s!0 s!1) (and (not (<= x 0)) (not s!0) s!1)))
            [0, 1, 2]: *01 111
        "#]],
        |s| {
            let zero = s.store.mk_int(0);
            let one = s.store.mk_int(1);
            let next = s.store.mk_add(&[s.y, one]);
            let formula = s.store.mk_eq(s.x, next);
            let predicates =
                [s.store.mk_gt(s.x, zero), s.store.mk_gt(s.y, zero), s.store.mk_gt(s.x, s.y)];
            (formula, predicates.to_vec())
        },
    );
    // Independent components are not multiplied out.
    check_valuations(
        expect![[r#"
        (not (<= x 0))
        [0]: 1
        [1]: *
        [2]: *
    "#]],
        |s| {
            let zero = s.store.mk_int(0);
            let predicates =
                [s.store.mk_gt(s.x, zero), s.store.mk_gt(s.y, zero), s.store.mk_gt(s.z, zero)];
            let one = s.store.mk_int(1);
            let formula = s.store.mk_eq(s.x, one);
            (formula, predicates.to_vec())
        },
    );
    // No model.
    check_valuations(
        expect![[r#"
        false
        []:
    "#]],
        |s| {
            let (a, b) = (s.store.mk_lt(s.x, s.y), s.store.mk_lt(s.y, s.x));
            let formula = s.store.mk_and(&[a, b]);
            let zero = s.store.mk_int(0);
            (formula, vec![s.store.mk_gt(s.z, zero)])
        },
    );
}
