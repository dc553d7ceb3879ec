//! Random formulas over a small domain, decided by the solver and by trying
//! all assignments.

use bolide_base::{Budget, Integer};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::{Model, SortId, TermId, TermStore, Value};
use proptest::prelude::*;

use crate::solver::{Answer, Config, Solver};

/// How to build a formula, as data that shrinks.
#[derive(Clone, Debug)]
enum Shape {
    /// Coefficients of the variables, relation, constant.
    Atom([i64; 3], u8, i64),
    /// Quotient or remainder of a sum compared with a number.
    Divided([i64; 3], bool, i64, i64),
    Not(Box<Shape>),
    Or(Box<Shape>, Box<Shape>),
    And(Box<Shape>, Box<Shape>),
    Iff(Box<Shape>, Box<Shape>),
    /// One variable is chosen by a condition and compared with another.
    Choice(Box<Shape>, u8),
}

fn shape() -> impl Strategy<Value = Shape> {
    let coefficient = || -3i64..=3;
    let atom = ([coefficient(), coefficient(), coefficient()], 0u8..4, -5i64..=5)
        .prop_map(|(c, relation, k)| Shape::Atom(c, relation, k));
    let divided = ([coefficient(), coefficient(), coefficient()], any::<bool>(), 2i64..5, -3i64..4)
        .prop_map(|(c, quotient, d, k)| Shape::Divided(c, quotient, d, k));
    let leaf = prop_oneof![4 => atom, 1 => divided];
    leaf.prop_recursive(3, 12, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| Shape::Not(Box::new(a))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Shape::Or(Box::new(a), Box::new(b))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Shape::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| Shape::Iff(Box::new(a), Box::new(b))),
            (inner, 0u8..3).prop_map(|(a, v)| Shape::Choice(Box::new(a), v)),
        ]
    })
}

fn sum(store: &mut TermStore, variables: &[TermId], coefficients: &[i64; 3]) -> TermId {
    let mut terms = Vec::new();
    for (&variable, &c) in variables.iter().zip(coefficients) {
        let c = store.mk_int(c);
        terms.push(store.mk_mul(&[c, variable]));
    }
    store.mk_add(&terms)
}

fn build(store: &mut TermStore, variables: &[TermId], shape: &Shape) -> TermId {
    match shape {
        Shape::Atom(coefficients, relation, k) => {
            let left = sum(store, variables, coefficients);
            let right = store.mk_int(*k);
            match relation {
                0 => store.mk_le(left, right),
                1 => store.mk_gt(left, right),
                2 => store.mk_eq(left, right),
                _ => store.mk_neq(left, right),
            }
        }
        Shape::Divided(coefficients, quotient, divisor, k) => {
            let dividend = sum(store, variables, coefficients);
            let (divisor, k) = (store.mk_int(*divisor), store.mk_int(*k));
            let result = if *quotient {
                store.mk_div(dividend, divisor)
            } else {
                store.mk_mod(dividend, divisor)
            };
            store.mk_eq(result, k)
        }
        Shape::Not(a) => {
            let a = build(store, variables, a);
            store.mk_not(a)
        }
        Shape::Or(a, b) => {
            let args = [build(store, variables, a), build(store, variables, b)];
            store.mk_or(&args)
        }
        Shape::And(a, b) => {
            let args = [build(store, variables, a), build(store, variables, b)];
            store.mk_and(&args)
        }
        Shape::Iff(a, b) => {
            let (a, b) = (build(store, variables, a), build(store, variables, b));
            store.mk_iff(a, b)
        }
        Shape::Choice(condition, v) => {
            let condition = build(store, variables, condition);
            let v = *v as usize;
            let one = store.mk_int(1);
            let next = store.mk_add(&[variables[v], one]);
            let choice = store.mk_ite(condition, next, variables[(v + 1) % 3]);
            store.mk_le(choice, variables[(v + 2) % 3])
        }
    }
}

const LIMIT: i64 = 2;

/// Whether some assignment of small numbers satisfies all formulas.
fn satisfiable(store: &TermStore, variables: &[TermId], formulas: &[TermId]) -> bool {
    let range = -LIMIT..=LIMIT;
    range.clone().any(|x| {
        range.clone().any(|y| {
            range.clone().any(|z| {
                let mut model = Model::new();
                for (&variable, value) in variables.iter().zip([x, y, z]) {
                    let function = store.function_of(variable).unwrap();
                    model.set_constant(function, Value::Int(Integer::from(value)));
                }
                let mut evaluator = Evaluator::new(store, &model);
                formulas.iter().all(|&f| evaluator.holds(f))
            })
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn agrees_with_enumeration(
        steps in prop::collection::vec((shape(), 0u8..5), 1..6),
        proofs in any::<bool>(),
    ) {
        let mut store = TermStore::new();
        let variables: Vec<TermId> =
            ["x", "y", "z"].iter().map(|name| store.mk_const(name, SortId::INT)).collect();
        let mut solver = Solver::new(Config { proofs });
        let mut asserted = vec![Vec::new()];
        for &variable in &variables {
            let (low, high) = (store.mk_int(-LIMIT), store.mk_int(LIMIT));
            for bound in [store.mk_le(low, variable), store.mk_le(variable, high)] {
                solver.assert(&mut store, bound, 0);
                asserted[0].push(bound);
            }
        }
        for (shape, action) in &steps {
            match action {
                0 => {
                    solver.push(&mut store);
                    asserted.push(Vec::new());
                }
                1 if asserted.len() > 1 => {
                    solver.pop(&mut store, 1);
                    asserted.pop();
                }
                _ => {}
            }
            let formula = build(&mut store, &variables, shape);
            solver.assert(&mut store, formula, 0);
            asserted.last_mut().unwrap().push(formula);
            let expected = satisfiable(&store, &variables, &asserted.concat());
            let answer = solver.check(&mut store, &[], &Budget::unlimited());
            prop_assert_eq!(&answer, if expected { &Answer::Sat } else { &Answer::Unsat });
        }
    }
}
