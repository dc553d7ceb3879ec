//! A model by guessing, before anything is encoded.
//!
//! Formulas over wide bit-vectors, products or arrays are often satisfied by almost any values, while
//! encoding them is what takes the time: a quotient of 1024 bits is a million gates. So a few
//! assignments are tried first: all zeros, all ones, small numbers that differ, and bits at random. Symbols
//! that a formula says the value of have that value in all of them. A
//! guess is right or it is not: every formula is evaluated in it.

use bolide_base::{HashMap, Integer, Rational};
use bolide_terms::model::{ArrayValue, FunctionValue, Model, Value};
use bolide_terms::{Evaluator, FunctionId, Op, Sort, SortId, TermId, TermStore};
use std::sync::Arc;

/// Heuristic: assignments that are tried, fewer of large formulas.
const GUESSES: u64 = 6;
/// Heuristic: terms from which on only the first guess is made.
const LARGE: usize = 10_000;

/// A model of all formulas, if one of the guesses is one.
pub fn guess(store: &TermStore, formulas: &[TermId]) -> Option<Model> {
    let terms = store.subterms(formulas);
    let mut symbols: Vec<FunctionId> = terms
        .iter()
        .filter_map(|&term| match store.op(term) {
            Op::Apply(function) => Some(function),
            _ => None,
        })
        .collect();
    symbols.sort_unstable();
    symbols.dedup();
    let said = said(store, formulas);
    let guesses = if terms.len() > LARGE { 1 } else { GUESSES };
    (0..guesses).find_map(|number| {
        let mut model = Model::new();
        for (place, &function) in symbols.iter().enumerate() {
            let guessed = || value(store, store.function(function).result, number, place as u64);
            let value = said.get(&function).cloned().unwrap_or_else(guessed);
            model.set_function(function, FunctionValue::constant(value));
        }
        let mut evaluator = Evaluator::with_capacity(store, &model, terms.len());
        let holds = formulas.iter().all(|&formula| evaluator.holds(formula));
        holds.then_some(model)
    })
}

/// The symbols that have to have one value because a formula says so by itself.
fn said(store: &TermStore, formulas: &[TermId]) -> HashMap<FunctionId, Value> {
    let symbol = |term: TermId| match store.op(term) {
        Op::Apply(function) if store.args(term).is_empty() => Some(function),
        _ => None,
    };
    let nothing = Model::new();
    let mut constants = Evaluator::new(store, &nothing);
    let mut said = HashMap::default();
    for conjunct in formulas.iter().flat_map(|&formula| store.conjuncts(formula)) {
        let (atom, positive) = store.atom_and_sign(conjunct);
        if let Some(letter) = symbol(atom) {
            said.insert(letter, Value::Bool(positive));
        } else if store.op(atom) == Op::Eq && positive {
            let (left, right) = (store.arg(atom, 0), store.arg(atom, 1));
            for (one, other) in [(left, right), (right, left)] {
                if let Some(symbol) = symbol(one)
                    && store.is_value(other)
                    && let Ok(value) = constants.value(other)
                {
                    said.insert(symbol, value);
                }
            }
        }
    }
    said
}

/// The value of the symbol at that place in a guess.
fn value(store: &TermStore, sort: SortId, number: u64, place: u64) -> Value {
    let small = match number {
        0 => 0,
        1 => 1,
        2 => place,
        // Mixed well enough (Steele, Lea, Flood: splitmix).
        _ => {
            let mixed = (number << 32 | place).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 32
        }
    };
    match store.sort_kind(sort) {
        Sort::Bool => Value::Bool(small % 2 == 1),
        Sort::Int => Value::Int(Integer::from(small)),
        Sort::Real => Value::Real(Rational::from(Integer::from(small))),
        Sort::BitVec(width) if number == 1 => Value::bit_vec(&Integer::MINUS_ONE, width),
        Sort::BitVec(width) => Value::bit_vec(&Integer::from(small), width),
        Sort::Uninterpreted(_) => Value::Element { sort, index: (small % 8) as u32 },
        // Recursion is as deep as the sort.
        Sort::Array(_, element) => {
            let held = value(store, element, number, place);
            Value::Array(Arc::new(ArrayValue::constant(sort, held)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guessed(text: &str) -> bool {
        let mut store = TermStore::new();
        let mut reader = bolide_terms::smtlib::Reader::new(text);
        let mut formulas = Vec::new();
        while let Some(command) = reader.next_command(&mut store) {
            if let bolide_terms::smtlib::Command::Assert { formula, .. } = command.unwrap() {
                formulas.push(formula);
            }
        }
        match guess(&store, &formulas) {
            Some(model) => {
                let mut evaluator = Evaluator::new(&store, &model);
                assert!(formulas.iter().all(|&formula| evaluator.holds(formula)));
                true
            }
            None => false,
        }
    }

    #[test]
    fn wide_quotients_need_no_search() {
        let declarations = "(declare-const x (_ BitVec 1024)) (declare-const y (_ BitVec 1024))";
        assert!(guessed(&format!("{declarations} (assert (distinct y (bvudiv x (bvmul x y))))")));
        assert!(!guessed(&format!("{declarations} (assert (bvult x (bvurem x y)))")));
    }

    #[test]
    fn what_formulas_say_is_no_guess() {
        let declarations = "(declare-const x (_ BitVec 64)) (declare-const y (_ BitVec 64))
            (declare-const p Bool) (assert (and p (= x #x123456789abcdef0)))";
        assert!(guessed(&format!("{declarations} (assert (= (bvadd x y) (bvsub x y)))")));
        assert!(!guessed(&format!("{declarations} (assert (bvult x #x0000000000000010))")));
        assert!(!guessed(&format!("{declarations} (assert (not p))")));
    }

    #[test]
    fn what_is_false_is_not_guessed() {
        assert!(!guessed("(declare-const x Int) (assert (= x 77)) (assert (= x 78))"));
        assert!(!guessed("(declare-const p Bool) (assert p) (assert (not p))"));
        assert!(guessed(
            "(declare-const p Bool) (declare-fun f (Int) Int) (assert (=> p (= (f 1) 0)))"
        ));
    }
}
