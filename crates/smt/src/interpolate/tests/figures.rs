//! The examples of *Abstractions from proofs* with the interpolants printed
//! there.

use super::*;
use crate::newton::{Direction, project_sequence};
use expect_test::{Expect, expect};

fn check(declarations: &str, formulas: &[&str], expected: Expect) {
    expected.assert_eq(&sequence(declarations, formulas, Labelling::McMillan));
}

/// Figure 2: predicates x = ctr, x = ctr - 1, x = y - 1, y = m + 1.
#[test]
fn figure_2() {
    check(
        "x ctr ctr1 y m : Int",
        &["(= x ctr)", "(= ctr1 (+ ctr 1))", "(= y ctr1)", "(= x m)", "(not (= y (+ m 1)))"],
        expect![[r#"
            x = ctr
            x = ctr1 - 1
            x = y - 1
            y = m + 1"#]],
    );
}

/// Figure 4: 0 <= z - x.
#[test]
fn figure_4() {
    check(
        "x y z : Int",
        &["(and (<= 0 (- y x)) (<= 0 (- z y)))", "(<= 0 (- (- x z) 1))"],
        expect!["x <= z"],
    );
}

/// Figure 5: c.
#[test]
fn figure_5() {
    check("b c : Bool", &["(and b (or (not b) c))", "(not c)"], expect!["c"]);
}

/// Figure 7: a <= c - 2 at the fourth cut.
#[test]
fn figure_7() {
    check(
        "a2 a3 b c : Int",
        &["(> b 0)", "(= c (* 2 b))", "(= a2 b)", "(= a3 (- a2 1))", "(< a3 b)", "(= a3 c)"],
        expect![[r#"
            b >= 1
            b >= 1 and 2*b <= c
            c >= a2 + 1
            c >= a3 + 2
            c >= a3 + 2"#]],
    );
}

/// The same path without a proof: strongest postconditions know where values come from, weakest
/// preconditions what they are for.
#[test]
fn figure_2_without_a_proof() {
    let path = ["(= x ctr)", "(= ctr1 (+ ctr 1))", "(= y ctr1)", "(= x m)", "(not (= y (+ m 1)))"];
    let check = |direction, expected: Expect| {
        let mut reader = Reader::new("x ctr ctr1 y m : Int");
        let formulas = path.map(|text| reader.formula(text));
        let budget = Budget::unlimited();
        let store = &mut reader.store;
        match project_sequence(store, &formulas, direction, &budget).unwrap() {
            Some(points) => {
                let lines: Vec<String> = points.iter().map(|&i| store.infix(i)).collect();
                expected.assert_eq(&lines.join("\n"));
            }
            None => panic!("the path is infeasible"),
        }
    };
    check(
        Direction::Forward,
        expect![[r#"
        true
        x = ctr
        x = ctr1 - 1
        x = y - 1
        y = m + 1
        false"#]],
    );
    check(
        Direction::Backward,
        expect![[r#"
        true
        x = ctr
        x = ctr1 - 1
        x = y - 1
        y = m + 1
        false"#]],
    );
}
