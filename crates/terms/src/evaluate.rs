//! Evaluation of terms under a model.

use crate::algebraic::Algebraic;
use crate::bitvector::{fold_binary, to_signed};
use crate::model::{ArrayValue, Model, Value};
use crate::powers::{low_conjunction, power};
use crate::{Op, SortId, TermId, TermStore};
use bolide_base::{HashMap, Integer, Rational};
use std::sync::Arc;

/// Why a term has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvaluateError {
    /// Quantifiers are not evaluated.
    Quantifier,
    /// An irrational number is evaluated by arithmetic only, and together with numbers of its field only.
    Irrational,
    /// A power that is too large to be written down.
    TooLarge,
}

impl std::fmt::Display for EvaluateError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            EvaluateError::Quantifier => "a quantifier cannot be evaluated",
            EvaluateError::Irrational => "an irrational number cannot be evaluated here",
            EvaluateError::TooLarge => "a power of two is too large to be written down",
        })
    }
}

impl std::error::Error for EvaluateError {}

/// The value of the term under the model.
pub fn evaluate(store: &TermStore, model: &Model, term: TermId) -> Result<Value, EvaluateError> {
    Evaluator::new(store, model).value(term)
}

/// Whether the formula holds in the model; false where it has no value.
pub fn holds(store: &TermStore, model: &Model, formula: TermId) -> bool {
    evaluate(store, model, formula) == Ok(Value::Bool(true))
}

/// Evaluates several terms under one model and remembers shared subterms.
pub struct Evaluator<'a> {
    store: &'a TermStore,
    model: &'a Model,
    values: HashMap<TermId, Value>,
}

impl<'a> Evaluator<'a> {
    /// An evaluator that remembers nothing yet.
    pub fn new(store: &'a TermStore, model: &'a Model) -> Self {
        Evaluator { store, model, values: HashMap::default() }
    }

    /// The same, with room for the values of so many terms.
    pub fn with_capacity(store: &'a TermStore, model: &'a Model, terms: usize) -> Self {
        let mut evaluator = Evaluator::new(store, model);
        evaluator.values.reserve(terms);
        evaluator
    }

    /// Whether the formula holds; false where it has no value.
    pub fn holds(&mut self, formula: TermId) -> bool {
        self.value(formula) == Ok(Value::Bool(true))
    }

    /// The value of the term. Connectives and `ite` look only at what decides
    /// them.
    pub fn value(&mut self, root: TermId) -> Result<Value, EvaluateError> {
        if let Some(value) = self.known(root) {
            return Ok(value);
        }
        // With each term the first argument that has not been looked at.
        let mut stack = vec![(root, 0)];
        let mut args = Vec::new();
        while let Some(&mut (term, ref mut next)) = stack.last_mut() {
            let store = self.store;
            let op = store.op(term);
            let arguments = store.args(term);
            let value = match op {
                Op::And | Op::Or => {
                    let deciding = op == Op::Or;
                    let mut open = None;
                    let mut value = !deciding;
                    while let Some(&argument) = arguments.get(*next) {
                        match self.known(argument) {
                            None => {
                                open = Some(argument);
                                break;
                            }
                            Some(truth) if truth.as_bool() == deciding => {
                                value = deciding;
                                break;
                            }
                            Some(_) => *next += 1,
                        }
                    }
                    if let Some(argument) = open {
                        stack.push((argument, 0));
                        continue;
                    }
                    Value::Bool(value)
                }
                Op::Ite => {
                    let Some(condition) = self.known(arguments[0]) else {
                        stack.push((arguments[0], 0));
                        continue;
                    };
                    let branch = arguments[if condition.as_bool() { 1 } else { 2 }];
                    let Some(value) = self.known(branch) else {
                        stack.push((branch, 0));
                        continue;
                    };
                    value
                }
                _ => {
                    args.clear();
                    let height = stack.len();
                    for &argument in arguments {
                        match self.known(argument) {
                            Some(value) => args.push(value),
                            None => stack.push((argument, 0)),
                        }
                    }
                    if stack.len() > height {
                        continue;
                    }
                    if args.iter().any(|value| matches!(value, Value::Algebraic(_))) {
                        irrational(op, &args).ok_or(EvaluateError::Irrational)?
                    } else {
                        self.apply(term, &args)?
                    }
                }
            };
            if !matches!(op, Op::Not) {
                self.values.insert(term, value);
            }
            stack.pop();
        }
        Ok(self.known(root).expect("the root has been evaluated"))
    }

    /// The value, if it is remembered or immediate: numbers and negations are not stored.
    fn known(&self, term: TermId) -> Option<Value> {
        let store = self.store;
        match store.op(term) {
            Op::True => Some(Value::Bool(true)),
            Op::False => Some(Value::Bool(false)),
            Op::Not => {
                let value = self.known(store.arg(term, 0))?;
                Some(Value::Bool(!value.as_bool()))
            }
            Op::Number(n) => {
                Some(Value::from_rational(store.number_value(n).clone(), store.sort(term)))
            }
            _ => self.values.get(&term).cloned(),
        }
    }

    /// The value of a term that is no connective and no `ite`, from those of its arguments.
    fn apply(&self, term: TermId, args: &[Value]) -> Result<Value, EvaluateError> {
        let store = self.store;
        let op = store.op(term);
        let sort = store.sort(term);
        let number = |index: usize| args[index].as_rational().expect("a number");
        let integer = |index: usize| args[index].as_integer().expect("an integer");
        let array = |index: usize| match &args[index] {
            Value::Array(array) => array,
            other => unreachable!("{other:?} is no array"),
        };
        Ok(match op {
            Op::Not => Value::Bool(!args[0].as_bool()),
            Op::Eq => Value::Bool(self.model.are_equal(store, &args[0], &args[1])),
            Op::Add => {
                let mut sum = Rational::ZERO;
                (0..args.len()).for_each(|i| sum += number(i));
                Value::from_rational(sum, sort)
            }
            Op::Mul => {
                let mut product = Rational::ONE;
                (0..args.len()).for_each(|i| product *= number(i));
                Value::from_rational(product, sort)
            }
            Op::Le => Value::Bool(number(0) <= number(1)),
            Op::Lt => Value::Bool(number(0) < number(1)),
            Op::Div | Op::Mod => Value::Int(self.divide(op, integer(0), integer(1))),
            Op::Quotient => {
                let (dividend, divisor) = (number(0), number(1));
                Value::Real(if divisor.is_zero() {
                    self.model.quotient_by_zero.get(&dividend).cloned().unwrap_or_default()
                } else {
                    dividend / divisor
                })
            }
            Op::Pow2 => Value::Int(power(integer(0)).ok_or(EvaluateError::TooLarge)?),
            Op::LowAnd => {
                let result = low_conjunction(integer(0), integer(1), integer(2));
                Value::Int(result.ok_or(EvaluateError::TooLarge)?)
            }
            Op::ToReal => Value::Real(number(0)),
            Op::ToInt => Value::Int(number(0).floor()),
            Op::Apply(function) => self.model.apply(store, function, args),
            Op::Select => array(0).get(&args[1]).clone(),
            Op::Store => {
                let updated = array(0).with(store, args[1].clone(), args[2].clone());
                Value::Array(Arc::new(updated))
            }
            Op::ConstArray => Value::Array(Arc::new(ArrayValue::constant(sort, args[0].clone()))),
            Op::Diff => {
                let (a, b) = (array(0), array(1));
                let found = self.difference(a, b, sort);
                // The model has a say where there is a choice.
                match self.model.differences.get(&(args[0].clone(), args[1].clone())) {
                    Some(i) if a.get(i) != b.get(i) || a.get(&found) == b.get(&found) => i.clone(),
                    _ => found,
                }
            }
            Op::Bound(_) | Op::Forall | Op::Exists => return Err(EvaluateError::Quantifier),
            _ => self.apply_to_bits(term, args),
        })
    }

    /// The same for the operators of bit-vectors.
    fn apply_to_bits(&self, term: TermId, args: &[Value]) -> Value {
        let op = self.store.op(term);
        let width = || self.store.width(term);
        let bits = |index: usize| match &args[index] {
            Value::BitVec(value, width) => (value, *width),
            other => unreachable!("{other:?} is no bit-vector"),
        };
        let signed = |index: usize| to_signed(bits(index).0, bits(index).1);
        match op {
            Op::BvNumber(n) => Value::BitVec(self.store.number_value(n).numerator(), width()),
            Op::BvNot => Value::bit_vec(&-(bits(0).0 + Integer::ONE), width()),
            Op::BvNeg => Value::bit_vec(&-bits(0).0, width()),
            Op::BvConcat => {
                let parts = (0..args.len()).map(bits);
                let value =
                    parts.fold(Integer::ZERO, |value, (part, width)| value.shl(width) + part);
                Value::BitVec(value, width())
            }
            Op::BvExtract { low } => Value::bit_vec(&bits(0).0.shr(low), width()),
            Op::BvSignExtend => Value::bit_vec(&signed(0), width()),
            Op::BvUlt => Value::Bool(bits(0).0 < bits(1).0),
            Op::BvSlt => Value::Bool(signed(0) < signed(1)),
            Op::BvToInt => Value::Int(bits(0).0.clone()),
            Op::IntToBv => Value::bit_vec(args[0].as_integer().expect("an integer"), width()),
            _ => {
                let width = width();
                let fold = |value, index| fold_binary(op, &value, bits(index).0, width);
                let value = (1..args.len()).try_fold(bits(0).0.clone(), fold);
                Value::BitVec(value.expect("an operator on two bit-vectors"), width)
            }
        }
    }

    fn divide(&self, op: Op, dividend: &Integer, divisor: &Integer) -> Integer {
        if divisor.is_zero() {
            let map = if op == Op::Div { &self.model.div_by_zero } else { &self.model.mod_by_zero };
            return map.get(dividend).cloned().unwrap_or_default();
        }
        let (quotient, remainder) = dividend.div_rem_euclid(divisor);
        if op == Op::Div { quotient } else { remainder }
    }

    /// An index where the arrays differ, if there is one.
    fn difference(&self, a: &ArrayValue, b: &ArrayValue, index: SortId) -> Value {
        let listed = a.entries().keys().chain(b.entries().keys());
        if let Some(index) = listed.clone().filter(|i| a.get(i) != b.get(i)).min() {
            return index.clone();
        }
        if a.default == b.default {
            return self.store.default_value(index);
        }
        // The defaults differ, so any index that neither lists will do: one of
        // the first n + 1 values is not among n listed ones.
        let count = listed.count() as u64;
        (0..=count)
            .filter_map(|n| self.nth_value(index, n))
            .find(|i| !a.entries().contains_key(i) && !b.entries().contains_key(i))
            .unwrap_or_else(|| self.store.default_value(index))
    }

    /// Different values of the sort for different numbers.
    fn nth_value(&self, sort: SortId, n: u64) -> Option<Value> {
        use crate::Sort;
        match self.store.sort_kind(sort) {
            Sort::Bool => (n < 2).then_some(Value::Bool(n == 1)),
            Sort::Int => Some(Value::Int(Integer::from(n))),
            Sort::Real => Some(Value::Real(Rational::from(n))),
            Sort::BitVec(width) => {
                (Integer::from(n) < Integer::pow2(width)).then(|| Value::BitVec(n.into(), width))
            }
            Sort::Uninterpreted(_) => Some(Value::Element { sort, index: n as u32 }),
            Sort::Array(_, element) => {
                let default = self.nth_value(element, n)?;
                Some(Value::Array(Arc::new(ArrayValue::constant(sort, default))))
            }
        }
    }
}

/// The value of an operation of arithmetic on numbers that need not be rational.
fn irrational(op: Op, args: &[Value]) -> Option<Value> {
    let field = args.iter().find_map(|value| match value {
        Value::Algebraic(number) => Some(number),
        _ => None,
    })?;
    let number = |value: &Value| match value {
        Value::Algebraic(number) => Some(number.clone()),
        other => Some(field.rational(other.as_rational()?)),
    };
    let compared = || number(&args[0])?.compare(&number(&args[1])?);
    let fold = |first: i64, apply: fn(&Algebraic, &Algebraic) -> Option<Algebraic>| {
        let first = field.rational(Rational::from(first));
        args.iter().try_fold(first, |result, value| apply(&result, &number(value)?))
    };
    let real = |number: Algebraic| match number.to_rational() {
        Some(rational) => Value::Real(rational),
        None => Value::Algebraic(number),
    };
    Some(match op {
        Op::Eq => Value::Bool(compared()?.is_eq()),
        Op::Le => Value::Bool(compared()?.is_le()),
        Op::Lt => Value::Bool(compared()?.is_lt()),
        Op::Add => real(fold(0, Algebraic::plus)?),
        Op::Mul => real(fold(1, Algebraic::times)?),
        Op::Quotient => real(number(&args[0])?.times(&number(&args[1])?.recip()?)?),
        Op::ToInt => Value::Int(field.floor()),
        _ => return None,
    })
}
