//! Values, and models that give values to symbols.

use crate::algebraic::Algebraic;
use crate::bitvector::to_unsigned;
use crate::{FunctionId, Sort, SortId, TermId, TermStore};
use bolide_base::{HashMap, Integer, Rational};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a term denotes. Equality is equality of what is denoted (for arrays
/// see [`ArrayValue`]).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Integer),
    /// A rational number of sort `Real`.
    Real(Rational),
    /// A number of sort `Real` that need not be rational. Only where the solver was asked for such models,
    /// and never in tables: neither indices nor arguments are.
    Algebraic(Algebraic),
    /// A bit-vector as the number that it denotes unsigned, with its width.
    BitVec(Integer, u32),
    /// An array.
    Array(Arc<ArrayValue>),
    /// Element number `index` of an uninterpreted sort.
    Element {
        /// The sort.
        sort: SortId,
        /// Different indices are different elements.
        index: u32,
    },
}

impl Value {
    /// The truth value. Panics on other values.
    pub fn as_bool(&self) -> bool {
        match self {
            Value::Bool(value) => *value,
            other => panic!("{other:?} is no truth value"),
        }
    }

    /// The value as a number, when it is an `Int` or a rational `Real`.
    pub fn as_rational(&self) -> Option<Rational> {
        match self {
            Value::Int(n) => Some(Rational::from(n)),
            Value::Real(r) => Some(r.clone()),
            _ => None,
        }
    }

    /// The integer. `None` on other values.
    pub fn as_integer(&self) -> Option<&Integer> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    /// The number as a value of sort `Int` or `Real`. Panics when the sort is
    /// `Int` and the number is not an integer.
    pub fn from_rational(value: Rational, sort: SortId) -> Value {
        if sort == SortId::INT {
            Value::Int(value.to_integer().expect("an integer"))
        } else {
            Value::Real(value)
        }
    }

    /// The bit-vector of that width; the value is taken modulo.
    pub fn bit_vec(value: &Integer, width: u32) -> Value {
        Value::BitVec(to_unsigned(value, width), width)
    }
}

/// An array: a default and finitely many exceptions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayValue {
    /// The sort of the array.
    pub sort: SortId,
    /// What is held where nothing else is said.
    pub default: Value,
    /// What is held elsewhere; never the default. When the index sort is
    /// finite, the default is the most frequent element, so that equality of
    /// values is equality of arrays.
    entries: BTreeMap<Value, Value>,
}

impl ArrayValue {
    /// The array that holds `default` everywhere.
    pub fn constant(sort: SortId, default: Value) -> ArrayValue {
        ArrayValue { sort, default, entries: BTreeMap::new() }
    }

    /// The element at `index`.
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// The exceptions from the default, by index.
    pub fn entries(&self) -> &BTreeMap<Value, Value> {
        &self.entries
    }

    /// The array with `value` at `index`.
    pub fn with(&self, store: &TermStore, index: Value, value: Value) -> ArrayValue {
        let mut result = self.clone();
        result.insert(store, index, value);
        result
    }

    /// Writes `value` at `index`.
    pub fn insert(&mut self, store: &TermStore, index: Value, value: Value) {
        if value == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, value);
        }
        if let Some((kind, size)) = small_index_sort(store, self.sort)
            && self.entries.len() as u64 * 2 >= size
        {
            self.choose_default(kind, size);
        }
    }

    /// Makes the most frequent element the default; among equals the smallest.
    fn choose_default(&mut self, index: Sort, size: u64) {
        let mut counts: BTreeMap<&Value, u64> = BTreeMap::new();
        for value in self.entries.values() {
            *counts.entry(value).or_default() += 1;
        }
        let rest = size - self.entries.len() as u64;
        if rest > 0 {
            counts.insert(&self.default, rest);
        }
        let mut best: Option<(&Value, u64)> = None;
        for (value, count) in counts {
            if best.is_none_or(|b| count > b.1) {
                best = Some((value, count));
            }
        }
        let default = best.expect("an array holds something").0.clone();
        if default == self.default {
            return;
        }
        // Required: this is reached for small index sorts only, since the
        // entries are at least half as many as the indices.
        let old = std::mem::replace(&mut self.default, default);
        let mut entries = BTreeMap::new();
        for index in index_values(index, size) {
            let value = self.entries.get(&index).unwrap_or(&old);
            if *value != self.default {
                entries.insert(index, value.clone());
            }
        }
        self.entries = entries;
    }
}

/// All values of a small index sort.
fn index_values(kind: Sort, size: u64) -> impl Iterator<Item = Value> {
    (0..size).map(move |n| match kind {
        Sort::BitVec(width) => Value::BitVec(Integer::from(n), width),
        _ => Value::Bool(n == 1),
    })
}

/// The index sort and its size, when it is so small that the entries of an
/// array could cover half of it.
fn small_index_sort(store: &TermStore, array: SortId) -> Option<(Sort, u64)> {
    let (index, _) = store.array_sorts(array)?;
    match store.sort_kind(index) {
        Sort::Bool => Some((Sort::Bool, 2)),
        Sort::BitVec(width) if width <= 24 => Some((Sort::BitVec(width), 1 << width)),
        _ => None,
    }
}

/// A function: a default and finitely many exceptions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionValue {
    /// The value where nothing else is said.
    pub default: Value,
    /// The value for particular arguments.
    pub entries: BTreeMap<Vec<Value>, Value>,
}

impl FunctionValue {
    /// The function that is `default` everywhere.
    pub fn constant(default: Value) -> FunctionValue {
        FunctionValue { default, entries: BTreeMap::new() }
    }

    /// The value for these arguments.
    pub fn get(&self, args: &[Value]) -> &Value {
        self.entries.get(args).unwrap_or(&self.default)
    }
}

/// Gives a value to every symbol; symbols that it does not know have the
/// default value of their sort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    functions: HashMap<FunctionId, FunctionValue>,
    /// `x div 0`, by `x`.
    pub div_by_zero: BTreeMap<Integer, Integer>,
    /// `x mod 0`, by `x`.
    pub mod_by_zero: BTreeMap<Integer, Integer>,
    /// `x / 0`, by `x`.
    pub quotient_by_zero: BTreeMap<Rational, Rational>,
    /// `diff(a, b)`, by `a` and `b`, where it is known; else it is any index where they differ.
    pub differences: BTreeMap<(Value, Value), Value>,
    /// How many elements an uninterpreted sort has, where it is known; they
    /// are numbered from zero. Arrays over such indices are equal if they hold
    /// the same at these.
    pub universes: BTreeMap<SortId, u32>,
}

impl Model {
    /// A model that gives every symbol its default.
    pub fn new() -> Model {
        Model::default()
    }

    /// A model that gives constants these values; none where something else is given one.
    pub fn of(store: &TermStore, values: &[(TermId, Value)]) -> Option<Model> {
        let mut model = Model::new();
        for (constant, value) in values {
            model.set_constant(store.function_of(*constant)?, value.clone());
        }
        Some(model)
    }

    /// Whether the values denote the same: arrays may be written in several
    /// ways where the index sort has few elements.
    pub fn are_equal(&self, store: &TermStore, left: &Value, right: &Value) -> bool {
        let (Value::Array(a), Value::Array(b)) = (left, right) else { return left == right };
        let Some((index, _)) = store.array_sorts(a.sort) else { return left == right };
        match self.universes.get(&index) {
            // Recursion is as deep as the sort.
            Some(&size) => (0..size).all(|n| {
                let element = Value::Element { sort: index, index: n };
                self.are_equal(store, a.get(&element), b.get(&element))
            }),
            None => left == right,
        }
    }

    /// Sets the value of a constant.
    pub fn set_constant(&mut self, constant: FunctionId, value: Value) {
        self.functions.insert(constant, FunctionValue::constant(value));
    }

    /// Sets the value of a function.
    pub fn set_function(&mut self, function: FunctionId, value: FunctionValue) {
        self.functions.insert(function, value);
    }

    /// What was set for the function.
    pub fn function(&self, function: FunctionId) -> Option<&FunctionValue> {
        self.functions.get(&function)
    }

    /// The value of the function for these arguments.
    pub fn apply(&self, store: &TermStore, function: FunctionId, args: &[Value]) -> Value {
        match self.functions.get(&function) {
            Some(value) if args.is_empty() => value.default.clone(),
            Some(value) => value.get(args).clone(),
            None => store.default_value(store.function(function).result),
        }
    }
}

impl TermStore {
    /// A value that every sort has: false, zero, the first element.
    pub fn default_value(&self, sort: SortId) -> Value {
        // Arrays of arrays: go down to the first element that is none.
        let mut arrays = Vec::new();
        let mut element = sort;
        while let Sort::Array(_, inner) = self.sort_kind(element) {
            arrays.push(element);
            element = inner;
        }
        let mut value = match self.sort_kind(element) {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(Integer::ZERO),
            Sort::Real => Value::Real(Rational::ZERO),
            Sort::BitVec(width) => Value::BitVec(Integer::ZERO, width),
            Sort::Uninterpreted(_) => Value::Element { sort: element, index: 0 },
            Sort::Array(..) => unreachable!("arrays were taken off"),
        };
        for sort in arrays.into_iter().rev() {
            value = Value::Array(Arc::new(ArrayValue::constant(sort, value)));
        }
        value
    }

    /// The term that denotes the value: a number, a chain of stores, or for an
    /// element of an uninterpreted sort the constant `@Sort!index`. Panics on algebraic numbers, which no
    /// term denotes.
    pub fn mk_value(&mut self, value: &Value) -> TermId {
        match value {
            Value::Bool(b) => self.mk_bool(*b),
            Value::Int(n) => self.mk_int(n.clone()),
            Value::Real(r) => self.mk_real(r.clone()),
            Value::Algebraic(number) => panic!("{number} is no term"),
            Value::BitVec(n, width) => self.mk_bv(n.clone(), *width),
            Value::Array(array) => {
                // Depth is that of the sort, not of the value.
                let default = self.mk_value(&array.default);
                let mut term = self.mk_const_array(array.sort, default);
                for (index, element) in &array.entries {
                    let (index, element) = (self.mk_value(index), self.mk_value(element));
                    term = self.mk_store(term, index, element);
                }
                term
            }
            Value::Element { sort, index } => {
                let name = format!("@{}!{index}", self.sort_text(*sort));
                self.mk_const(&name, *sort)
            }
        }
    }
}
