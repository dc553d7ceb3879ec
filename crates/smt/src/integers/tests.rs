//! Splits around equations: sound by simplex, complete by enumeration.

use bolide_base::{Budget, Integer, Rational};
use proptest::prelude::*;

use super::{Equation, Split, contradiction, fractional_combination};
use crate::simplex::{Column, DeltaRational, Side, Simplex};

fn equations(rows: &[(Vec<i64>, i64)]) -> Vec<Equation> {
    rows.iter()
        .map(|(coefficients, value)| Equation {
            sum: coefficients
                .iter()
                .enumerate()
                .filter(|(_, c)| **c != 0)
                .map(|(i, &c)| (Column(i as u32), Integer::from(c)))
                .collect(),
            value: DeltaRational::from(Rational::from(*value)),
        })
        .filter(|e| !e.sum.is_empty())
        .collect()
}

/// Whether the equations, and one more bound if given, have a rational solution.
fn consistent(equations: &[Equation], variables: usize, extra: Option<(&Split, Side)>) -> bool {
    let mut simplex = Simplex::new();
    for _ in 0..variables {
        simplex.add_column(false);
    }
    let mut bounds = Vec::new();
    for e in equations {
        let slack = simplex.add_slack(&e.sum, false);
        bounds.push((slack, Side::Lower, e.value.clone()));
        bounds.push((slack, Side::Upper, e.value.clone()));
    }
    if let Some((split, side)) = extra {
        let slack = simplex.add_slack(&split.sum, false);
        let bound = match side {
            Side::Upper => Rational::from(&split.bound),
            Side::Lower => Rational::from(&split.bound) + Rational::ONE,
        };
        bounds.push((slack, side, DeltaRational::from(bound)));
    }
    bounds.into_iter().all(|(c, side, value)| simplex.assert_bound(c, side, value, 0))
        && simplex.check(&Budget::unlimited()).unwrap()
}

fn integer_solution(rows: &[(Vec<i64>, i64)], range: i64) -> bool {
    (-range..=range)
        .any(|x| (-range..=range).any(|y| rows.iter().all(|(c, k)| c[0] * x + c[1] * y == *k)))
}

fn check(rows: &[(Vec<i64>, i64)], find: impl Fn(&[Equation]) -> Option<Split>) {
    let equations = equations(rows);
    if !consistent(&equations, 2, None) {
        return;
    }
    match find(&equations) {
        Some(split) => {
            assert!(!consistent(&equations, 2, Some((&split, Side::Upper))), "{split:?}");
            assert!(!consistent(&equations, 2, Some((&split, Side::Lower))), "{split:?}");
        }
        None => {
            let trivial = rows.iter().all(|(c, k)| c.iter().any(|c| *c != 0) || *k == 0);
            // By Cramer's rule the only solution is at most 9 * 5 + 9 * 5.
            assert!(!trivial || integer_solution(rows, 90), "{rows:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn equations_without_integer_solution_are_split(
        rows in prop::collection::vec((prop::collection::vec(-5i64..=5, 2), -9i64..=9), 1..4),
    ) {
        check(&rows, fractional_combination);
        check(&rows, |e| contradiction(e.to_vec(), &Budget::unlimited()).unwrap());
    }
}

#[test]
fn parity_of_two_equations_together() {
    // x + y = 2a and x - y = 2b + 1, with a and b unknown: x - x is odd.
    let rows = [(vec![1, 1, -2, 0], 0), (vec![1, -1, 0, -2], 1)];
    let split = fractional_combination(&equations(&rows)).expect("no integer solution");
    assert!(!consistent(&equations(&rows), 4, Some((&split, Side::Upper))));
    assert!(!consistent(&equations(&rows), 4, Some((&split, Side::Lower))));
}
