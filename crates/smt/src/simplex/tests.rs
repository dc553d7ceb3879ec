//! The simplex against Fourier-Motzkin elimination, on random systems that come
//! and go; certificates and models are checked each time.

use bolide_base::{Budget, Integer, Rational};
use proptest::prelude::*;

use super::{Column, DeltaRational, Side, Simplex};

/// `sum c_i x_i <= k`, strict or not.
#[derive(Clone, Debug)]
struct Inequality {
    coefficients: Vec<i64>,
    constant: i64,
    strict: bool,
}

/// Fourier-Motzkin over the rationals, written for clarity.
fn satisfiable(system: &[Inequality], variables: usize) -> bool {
    type Row = (Vec<Rational>, Rational, bool);
    let mut rows: Vec<Row> = system
        .iter()
        .map(|i| {
            (
                i.coefficients.iter().map(|&c| Rational::from(c)).collect(),
                Rational::from(i.constant),
                i.strict,
            )
        })
        .collect();
    for v in 0..variables {
        let (with, mut rest): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|r| !r.0[v].is_zero());
        for upper in with.iter().filter(|r| r.0[v].is_positive()) {
            for lower in with.iter().filter(|r| r.0[v].is_negative()) {
                let (a, b) = (upper.0[v].recip(), -lower.0[v].recip());
                let coefficients =
                    upper.0.iter().zip(&lower.0).map(|(x, y)| &(x * &a) + &(y * &b)).collect();
                rest.push((coefficients, &(&upper.1 * &a) + &(&lower.1 * &b), upper.2 || lower.2));
            }
        }
        rest.sort();
        rest.dedup();
        rows = rest;
    }
    rows.iter().all(|(_, k, strict)| if *strict { k.is_positive() } else { !k.is_negative() })
}

struct Tester {
    simplex: Simplex,
    variables: Vec<Column>,
    asserted: Vec<Inequality>,
    levels: Vec<(usize, usize, usize)>,
    inconsistent_at: Option<usize>,
}

impl Tester {
    fn new(variables: usize) -> Self {
        let mut simplex = Simplex::new();
        let variables = (0..variables).map(|_| simplex.add_column(false)).collect();
        Tester {
            simplex,
            variables,
            asserted: Vec::new(),
            levels: Vec::new(),
            inconsistent_at: None,
        }
    }

    fn push(&mut self) {
        self.levels.push((
            self.simplex.trail_len(),
            self.asserted.len(),
            self.simplex.column_count(),
        ));
    }

    fn pop(&mut self, forget: bool) {
        if let Some((trail, asserted, columns)) = self.levels.pop() {
            self.simplex.backtrack(trail);
            self.asserted.truncate(asserted);
            if forget {
                self.simplex.truncate(columns);
            }
            if self.inconsistent_at.is_some_and(|l| l > self.levels.len()) {
                self.inconsistent_at = None;
            }
        }
    }

    fn assert(&mut self, inequality: &Inequality) {
        if self.inconsistent_at.is_some() {
            return;
        }
        let terms: Vec<(Column, Integer)> = self
            .variables
            .iter()
            .zip(&inequality.coefficients)
            .filter(|(_, c)| **c != 0)
            .map(|(&v, &c)| (v, Integer::from(c)))
            .collect();
        if terms.is_empty() {
            return;
        }
        let slack = self.simplex.add_slack(&terms, false);
        self.simplex.watch(slack);
        let tag = self.asserted.len() as u32;
        self.asserted.push(inequality.clone());
        let bound =
            DeltaRational::new(Rational::from(inequality.constant), -i64::from(inequality.strict));
        let mut consistent = self.simplex.assert_bound(slack, Side::Upper, bound, tag);
        if consistent {
            consistent = self.simplex.check(&Budget::unlimited()).unwrap();
        }
        assert_eq!(
            consistent,
            satisfiable(&self.asserted, self.variables.len()),
            "{:?}",
            self.asserted
        );
        if consistent {
            self.check_model();
            self.check_implied();
        } else {
            self.inconsistent_at = Some(self.levels.len());
            self.check_certificate(self.simplex.conflict());
        }
    }

    fn check_model(&self) {
        let delta = self.simplex.concrete_delta();
        for inequality in &self.asserted {
            let mut sum = Rational::ZERO;
            for (v, &c) in self.variables.iter().zip(&inequality.coefficients) {
                sum.add_mul(&Rational::from(c), &self.simplex.value(*v).at(&delta));
            }
            let constant = Rational::from(inequality.constant);
            assert!(
                if inequality.strict { sum < constant } else { sum <= constant },
                "{inequality:?} {sum}"
            );
        }
    }

    fn check_certificate(&self, farkas: &[(u32, Rational)]) {
        let mut sum = vec![Rational::ZERO; self.variables.len()];
        let mut constant = Rational::ZERO;
        let mut strict = false;
        for (tag, factor) in farkas {
            assert!(factor.is_positive());
            let inequality = &self.asserted[*tag as usize];
            for (s, &c) in sum.iter_mut().zip(&inequality.coefficients) {
                s.add_mul(factor, &Rational::from(c));
            }
            constant.add_mul(factor, &Rational::from(inequality.constant));
            strict |= inequality.strict;
        }
        assert!(sum.iter().all(|s| s.is_zero()), "{farkas:?}");
        assert!(constant.is_negative() || strict && constant.is_zero());
    }

    fn check_implied(&mut self) {
        let mut found = Vec::new();
        self.simplex.implied_bounds(&mut found);
        for implied in found {
            // Adding a bound that contradicts the implied one must fail.
            let mut copy = self.simplex.clone();
            let mut against = implied.value.clone();
            let sign =
                if implied.side == Side::Lower { Rational::MINUS_ONE } else { Rational::ONE };
            against.delta += &sign;
            let consistent =
                copy.assert_bound(implied.column, implied.side.flip(), against, 10_000)
                    && copy.check(&Budget::unlimited()).unwrap();
            assert!(!consistent, "{implied:?}");
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Push,
    Pop(bool),
    Assert(Inequality),
}

fn step() -> impl Strategy<Value = Step> {
    let inequality = (prop::collection::vec(-3i64..=3, 3), -6i64..=6, any::<bool>())
        .prop_map(|(coefficients, constant, strict)| Inequality { coefficients, constant, strict });
    prop_oneof![
        1 => Just(Step::Push),
        1 => any::<bool>().prop_map(Step::Pop),
        4 => inequality.prop_map(Step::Assert),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn agrees_with_fourier_motzkin(steps in prop::collection::vec(step(), 1..22)) {
        let mut tester = Tester::new(3);
        for step in &steps {
            match step {
                Step::Push => tester.push(),
                Step::Pop(forget) => tester.pop(*forget),
                // The oracle is doubly exponential.
                Step::Assert(_) if tester.asserted.len() >= 7 => {}
                Step::Assert(inequality) => tester.assert(inequality),
            }
        }
    }
}

#[test]
fn slacks_are_removed_without_trace() {
    let mut tester = Tester::new(3);
    let base = Inequality { coefficients: vec![1, 1, 0], constant: 4, strict: false };
    tester.assert(&base);
    for i in 0..100 {
        tester.push();
        tester.assert(&Inequality {
            coefficients: vec![-1, i % 3 - 1, 1],
            constant: i % 5,
            strict: false,
        });
        tester.assert(&Inequality {
            coefficients: vec![-1, -1, i % 2],
            constant: -4,
            strict: false,
        });
        tester.pop(true);
    }
    assert_eq!(tester.simplex.column_count(), 4);
    assert_eq!(tester.simplex.tableau.row_count(), 1);
    assert!(tester.simplex.tableau.rows.len() <= 3);
}

#[test]
fn a_cycle_of_strict_inequalities_is_refuted() {
    let mut tester = Tester::new(3);
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let mut coefficients = vec![0; 3];
        coefficients[i] = 1;
        coefficients[j] = -1;
        tester.assert(&Inequality { coefficients, constant: 0, strict: i == 2 });
    }
    assert_eq!(tester.inconsistent_at, Some(0));
}

/// `2^exponent` with a sign.
fn power(negative: bool, exponent: u32) -> Integer {
    let power = (0..exponent).fold(Integer::ONE, |p, _| &p + &p);
    if negative { -power } else { power }
}

/// Of `s = sum c_i x_i` over the integers with bounds for the `x_i`: what is implied for `s`,
/// against interval arithmetic in exact numbers.
fn check_row(entries: &[(Integer, Integer, Integer)]) {
    let mut simplex = Simplex::new();
    let columns: Vec<Column> = entries.iter().map(|_| simplex.add_column(true)).collect();
    let terms: Vec<(Column, Integer)> =
        columns.iter().zip(entries).map(|(&column, (c, ..))| (column, c.clone())).collect();
    let slack = simplex.add_slack(&terms, true);
    simplex.watch(slack);
    let (mut lowest, mut highest) = (Rational::ZERO, Rational::ZERO);
    for (&column, (coefficient, low, high)) in columns.iter().zip(entries) {
        for (side, value) in [(Side::Lower, low), (Side::Upper, high)] {
            let bound = DeltaRational::from(Rational::from(value));
            assert!(simplex.assert_bound(column, side, bound, 0));
        }
        let ends = [low, high].map(|end| &Rational::from(coefficient) * &Rational::from(end));
        let [one, other] = ends;
        lowest += one.clone().min(other.clone());
        highest += one.max(other);
    }
    assert!(simplex.check(&Budget::unlimited()).unwrap());
    let mut found = Vec::new();
    simplex.implied_bounds(&mut found);
    assert_eq!(found.len(), 2, "{found:?}");
    for implied in found {
        assert_eq!(implied.column, slack);
        let expected = if implied.side == Side::Lower { &lowest } else { &highest };
        assert_eq!(implied.value, DeltaRational::from(expected.clone()));
    }
}

proptest! {
    #[test]
    fn rows_with_large_numbers_imply_exact_bounds(
        rows in prop::collection::vec(
            ((any::<bool>(), 0u32..130), (any::<bool>(), 0u32..130), 0u32..130), 1..5)
    ) {
        let entries: Vec<(Integer, Integer, Integer)> = rows
            .iter()
            .map(|&((minus, exponent), (negative, start), length)| {
                let low = power(negative, start);
                let high = &low + &power(false, length);
                (power(minus, exponent), low, high)
            })
            .collect();
        check_row(&entries);
    }
}

/// Rounding shows that the row was worth machine integers although 2^64 is in it.
#[test]
fn rows_with_words_of_c_are_rounded() {
    let mut simplex = Simplex::new();
    let (x, y) = (simplex.add_column(true), simplex.add_column(true));
    simplex.watch(x);
    let slack = simplex.add_slack(&[(x, power(false, 64)), (y, power(true, 0))], true);
    let zero = || DeltaRational::from(Rational::ZERO);
    let word = DeltaRational::from(Rational::from(power(false, 64)) - Rational::ONE);
    // 2^64 x = y < 2^64.
    assert!(simplex.assert_bound(slack, Side::Lower, zero(), 0));
    assert!(simplex.assert_bound(slack, Side::Upper, zero(), 0));
    assert!(simplex.assert_bound(y, Side::Lower, zero(), 0));
    assert!(simplex.assert_bound(y, Side::Upper, word, 0));
    assert!(simplex.check(&Budget::unlimited()).unwrap());
    let mut found = Vec::new();
    simplex.implied_bounds(&mut found);
    let bounds: Vec<String> =
        found.iter().map(|i| format!("{:?} {}", i.side, i.value.standard)).collect();
    assert_eq!(bounds, ["Lower 0", "Upper 0"]);
}
