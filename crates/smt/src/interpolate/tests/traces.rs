//! Traces: from the proof, or by weakest preconditions and strongest
//! postconditions.

use super::random::Random;
use super::*;
use crate::newton::{Direction, Statement, Verdict, interpolate_trace, recheck_trace};
use bolide_base::Rational;
use bolide_terms::{LinearForm, SortId};
use expect_test::{Expect, expect};

/// Reads statements: `x := term`, `havoc x`, `assume formula`.
fn read(reader: &mut Reader, statements: &[&str]) -> Vec<Statement> {
    let statement = |text: &&str| {
        if let Some(condition) = text.strip_prefix("assume ") {
            Statement::Assume(reader.formula(condition))
        } else if let Some(variable) = text.strip_prefix("havoc ") {
            Statement::Havoc(reader.formula(variable))
        } else {
            let (variable, value) = text.split_once(" := ").expect("an assignment");
            Statement::Assign { variable: reader.formula(variable), value: reader.formula(value) }
        }
    };
    statements.iter().map(statement).collect()
}

fn show(store: &TermStore, interpolants: &[TermId]) -> String {
    let lines: Vec<String> = interpolants.iter().map(|&i| store.infix(i)).collect();
    lines.join("\n")
}

fn check(declarations: &str, statements: &[&str], direction: Direction, expected: Expect) {
    let mut reader = Reader::new(declarations);
    let statements = read(&mut reader, statements);
    let budget = Budget::unlimited();
    let text = match interpolate_trace(&mut reader.store, &statements, direction, &budget) {
        Ok(Verdict::Feasible) => "feasible".to_owned(),
        Ok(Verdict::Infeasible(interpolants)) => {
            recheck_trace(&mut reader.store, &statements, &interpolants, &budget).unwrap();
            show(&reader.store, &interpolants)
        }
        Err(why) => why.to_string(),
    };
    expected.assert_eq(&text);
}

const FIGURE_2: [&str; 6] = [
    "x := ctr",
    "i := (+ i 1)",
    "ctr := (+ ctr 1)",
    "y := ctr",
    "assume (= x m)",
    "assume (not (= y (+ m 1)))",
];

#[test]
fn figure_2_forward() {
    check(
        "x ctr y m i : Int",
        &FIGURE_2,
        Direction::Forward,
        expect![[r#"
        true
        x = ctr
        x = ctr
        x = ctr - 1
        x = y - 1
        y = m + 1
        false"#]],
    );
}

#[test]
fn figure_2_backward() {
    check(
        "x ctr y m i : Int",
        &FIGURE_2,
        Direction::Backward,
        expect![[r#"
        true
        x != m or ctr = m
        x != m or ctr = m
        x != m or ctr = m + 1
        y = m + 1 or x != m
        y = m + 1
        false"#]],
    );
}

#[test]
fn irrelevant_assignments_become_havoc() {
    check(
        "x y z : Int",
        &["x := 1", "y := (* z z)", "z := (+ y y)", "havoc y", "assume (and (<= x 0) (<= y z))"],
        Direction::Backward,
        expect![[r#"
            true
            x >= 1
            x >= 1
            x >= 1
            x >= 1
            false"#]],
    );
}

#[test]
fn a_feasible_trace() {
    check("x : Int", &["havoc x", "assume (> x 3)"], Direction::Backward, expect!["feasible"]);
}

const WRITE: [&str; 5] = [
    "assume (= (select a j) 0)",
    "a := (store a i 5)",
    "assume (not (= i j))",
    "havoc i",
    "assume (not (= (select a j) 0))",
];

#[test]
fn an_array_backward() {
    check(
        "a : Array; i j : Int",
        &WRITE,
        Direction::Backward,
        expect![[r#"
        true
        j = i or a[i := 5][j] = 0
        a[j] = 0 or j = i
        a[j] = 0
        a[j] = 0
        false"#]],
    );
}

/// The old array cannot be eliminated; the other direction is taken.
#[test]
fn an_array_forward() {
    check(
        "a : Array; i j : Int",
        &WRITE,
        Direction::Forward,
        expect![[r#"
        true
        j = i or a[i := 5][j] = 0
        a[j] = 0 or j = i
        a[j] = 0
        a[j] = 0
        false"#]],
    );
}

#[test]
fn from_the_proof_or_else() {
    let mut reader = Reader::new("a : Array; i j : Int");
    let statements = read(&mut reader, &WRITE);
    let store = &mut reader.store;
    let result = trace_interpolants(store, &statements, &Options::default()).unwrap();
    let SatOrInterpolants::Interpolants(interpolants) = result else { panic!("infeasible") };
    recheck_trace(store, &statements, &interpolants, &Budget::unlimited()).unwrap();
}

/// Machine arithmetic wraps; weakest preconditions do not mind.
#[test]
fn bit_vectors() {
    let mut store = TermStore::new();
    let sort = store.mk_bv_sort(4);
    let (x, y) = (store.mk_const("x", sort), store.mk_const("y", sort));
    let sum = store.mk_bv_add(&[x, y]);
    let equal = store.mk_eq(x, y);
    let odd = {
        let bit = store.mk_bv_extract(0, 0, x);
        let one = store.mk_bv(1, 1);
        store.mk_eq(bit, one)
    };
    let statements = [
        Statement::Assume(equal),
        Statement::Assign { variable: x, value: sum },
        Statement::Havoc(y),
        Statement::Assume(odd),
    ];
    let budget = Budget::unlimited();
    let verdict = interpolate_trace(&mut store, &statements, Direction::Backward, &budget).unwrap();
    let Verdict::Infeasible(interpolants) = verdict else { panic!("twice a number is even") };
    assert_eq!(interpolants.len(), 5);
    let result = trace_interpolants(&mut store, &statements, &Options::default()).unwrap();
    let SatOrInterpolants::Interpolants(interpolants) = result else { panic!("infeasible") };
    recheck_trace(&mut store, &statements, &interpolants, &budget).unwrap();
}

/// Random traces over integers and an array.
fn random_trace(random: &mut Random, store: &mut TermStore) -> Vec<Statement> {
    let variables: Vec<TermId> =
        ["x", "y", "z"].iter().map(|name| store.mk_const(name, SortId::INT)).collect();
    let sort = store.mk_array_sort(SortId::INT, SortId::INT);
    let array = store.mk_const("a", sort);
    let linear = |random: &mut Random, store: &mut TermStore| {
        let mut form = LinearForm::from_constant(random.below(5) as i64 - 2);
        for _ in 0..1 + random.below(2) {
            let mut leaf = variables[random.below(3)];
            if random.below(4) == 0 {
                leaf = store.mk_select(array, leaf);
            }
            form.add_scaled(&store.linear_form(leaf), &Rational::from(random.below(3) as i64 - 1));
        }
        store.mk_linear(&form, SortId::INT)
    };
    let mut statements = Vec::new();
    for _ in 0..6 + random.below(6) {
        let left = linear(random, store);
        let right = linear(random, store);
        let variable = variables[random.below(3)];
        statements.push(match random.below(10) {
            0..=3 => Statement::Assign { variable, value: left },
            4 => {
                let value = store.mk_store(array, variable, right);
                Statement::Assign { variable: array, value }
            }
            5 => Statement::Havoc(variable),
            6 => Statement::Assume(store.mk_eq(left, right)),
            7 => Statement::Assume(store.mk_neq(left, right)),
            _ => Statement::Assume(store.mk_le(left, right)),
        });
    }
    statements
}

#[test]
fn random_traces_have_interpolants() {
    let (mut infeasible, mut refused) = (0, 0);
    for seed in 0..250 {
        let mut random = Random::new(seed);
        let mut store = TermStore::new();
        let statements = random_trace(&mut random, &mut store);
        let budget = Budget::unlimited();
        match trace_interpolants(&mut store, &statements, &Options::default()) {
            Ok(SatOrInterpolants::Sat) => continue,
            Ok(SatOrInterpolants::Interpolants(interpolants)) => {
                recheck_trace(&mut store, &statements, &interpolants, &budget)
                    .unwrap_or_else(|flaw| panic!("seed {seed}: {flaw}"));
                infeasible += 1;
            }
            Err(why) => {
                println!("seed {seed}: {why}");
                refused += 1;
            }
        }
        for direction in [Direction::Backward, Direction::Forward] {
            // Rechecked inside.
            let _ = interpolate_trace(&mut store, &statements, direction, &budget);
        }
    }
    println!("{infeasible} infeasible, {refused} refused");
    assert!(infeasible > 40, "{infeasible} infeasible, {refused} refused");
    assert!(refused * 10 < infeasible, "{infeasible} infeasible, {refused} refused");
}
