//! From the states of the theories to values of symbols.
//!
//! After a successful final check the states fit together; what is left is to
//! write them down:
//!
//! - numbers are the values of the simplex, with a positive number put for the
//!   infinitesimal that keeps all strict bounds and keeps apart what is apart;
//! - the classes of the e-graph are the elements of uninterpreted sorts;
//! - functions are tables of their applications;
//! - arrays are tables of their reads. Classes that are connected by `store` agree
//!   at all indices but those written, so the values read are carried along the
//!   stores that do not write there; elsewhere all of them hold one default. Arrays
//!   that are not connected get different defaults where the sort allows
//!   it, so that different classes are different arrays.

use std::collections::BTreeMap;
use std::sync::Arc;

use bolide_base::{HashMap, Integer, Rational};
use bolide_terms::model::{ArrayValue, FunctionValue, Model, Value};
use bolide_terms::{Op, Sort, SortId, TermId, TermStore};

use crate::combination::Combination;
use crate::euf::Node;
use crate::partition::Partition;

/// Adds to `model` the values of constants and functions that the theories of
/// the combination know. Truth values and bits are asked for.
pub(crate) fn build(
    combination: &Combination,
    store: &TermStore,
    truth: &dyn Fn(TermId) -> Option<bool>,
    bits: &dyn Fn(TermId) -> Option<Integer>,
    model: &mut Model,
) {
    let delta = combination.infinitesimal(store);
    for (column, term) in combination.linear.leaves() {
        if let Op::Apply(function) = store.op(term)
            && store.args(term).is_empty()
        {
            if let Some(value) = combination.nonlinear.irrational(term) {
                model.set_constant(function, value.clone());
                continue;
            }
            let value = combination.linear.simplex.value(column).at(&delta);
            if store.sort(term) != SortId::INT || value.is_integer() {
                model.set_constant(function, Value::from_rational(value, store.sort(term)));
            }
        }
    }
    let mut builder =
        Builder { combination, store, delta, values: vec![None; combination.egraph.len()] };
    model.universes = builder.plain_values(truth, bits);
    builder.array_values();
    builder.symbols(model);
}

struct Builder<'a> {
    combination: &'a Combination,
    store: &'a TermStore,
    delta: Rational,
    /// By node.
    values: Vec<Option<Value>>,
}

impl Builder<'_> {
    fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..self.values.len() as u32).map(Node)
    }

    fn sort(&self, node: Node) -> SortId {
        self.store.sort(self.combination.term(node))
    }

    fn root(&self, node: Node) -> Node {
        self.combination.egraph.root(node)
    }

    /// The value of a node that has one, or the default of its sort.
    fn value(&self, node: Node) -> Value {
        self.values[node.0 as usize]
            .clone()
            .unwrap_or_else(|| self.store.default_value(self.sort(node)))
    }

    /// Values of everything but arrays; how many elements each uninterpreted
    /// sort has.
    fn plain_values(
        &mut self,
        truth: &dyn Fn(TermId) -> Option<bool>,
        bits: &dyn Fn(TermId) -> Option<Integer>,
    ) -> BTreeMap<SortId, u32> {
        let mut elements: HashMap<Node, u32> = HashMap::default();
        let mut counts: BTreeMap<SortId, u32> = BTreeMap::new();
        for node in self.nodes() {
            let term = self.combination.term(node);
            let sort = self.store.sort(term);
            let value = match self.store.sort_kind(sort) {
                Sort::Bool => {
                    let known = self.combination.egraph.truth(node).or_else(|| truth(term));
                    Value::Bool(known.unwrap_or(false))
                }
                Sort::Int | Sort::Real => {
                    if let Some(value) = self.combination.nonlinear.irrational(term) {
                        self.values[node.0 as usize] = Some(value.clone());
                        continue;
                    }
                    let value = self.combination.linear.value(self.store, term).at(&self.delta);
                    if sort == SortId::INT && !value.is_integer() {
                        // Not reached after a successful check; the caller evaluates the model.
                        Value::Int(value.floor())
                    } else {
                        Value::from_rational(value, sort)
                    }
                }
                Sort::BitVec(width) => Value::bit_vec(&bits(term).unwrap_or(Integer::ZERO), width),
                Sort::Uninterpreted(_) => {
                    let index = *elements.entry(self.root(node)).or_insert_with(|| {
                        let count = counts.entry(sort).or_default();
                        *count += 1;
                        *count - 1
                    });
                    Value::Element { sort, index }
                }
                Sort::Array(..) => continue,
            };
            self.values[node.0 as usize] = Some(value);
        }
        counts
    }

    /// How many arrays are nested in the sort.
    fn depth(&self, sort: SortId) -> u32 {
        match self.store.array_sorts(sort) {
            Some((index, element)) => 1 + self.depth(index).max(self.depth(element)),
            None => 0,
        }
    }

    fn array_values(&mut self) {
        let mut by_depth: BTreeMap<(u32, SortId), Vec<Node>> = BTreeMap::new();
        for node in self.nodes() {
            let sort = self.sort(node);
            if self.store.array_sorts(sort).is_some() {
                by_depth.entry((self.depth(sort), sort)).or_default().push(node);
            }
        }
        // Elements and indices of arrays are less deep.
        for ((_, sort), nodes) in by_depth {
            self.arrays_of_sort(sort, &nodes);
        }
    }

    fn arrays_of_sort(&mut self, sort: SortId, nodes: &[Node]) {
        let egraph = &self.combination.egraph;
        let mut roots: Vec<Node> = nodes.iter().map(|&n| self.root(n)).collect();
        roots.sort_unstable();
        roots.dedup();
        let place: HashMap<Node, usize> = roots.iter().enumerate().map(|(i, &r)| (r, i)).collect();
        let mut stores: Vec<(usize, usize, Value, Value)> = Vec::new();
        let mut constants: Vec<(usize, Value)> = Vec::new();
        let mut reads: Vec<(usize, Value, Value)> = Vec::new();
        for &node in self.combination.applications() {
            let arguments = egraph.arguments(node);
            match self.store.op(self.combination.term(node)) {
                Op::Store if self.sort(node) == sort => {
                    let (whole, part) = (place[&self.root(node)], place[&self.root(arguments[0])]);
                    stores.push((whole, part, self.value(arguments[1]), self.value(arguments[2])));
                }
                Op::ConstArray if self.sort(node) == sort => {
                    constants.push((place[&self.root(node)], self.value(arguments[0])));
                }
                Op::Select if self.sort(arguments[0]) == sort => {
                    let array = place[&self.root(arguments[0])];
                    reads.push((array, self.value(arguments[1]), self.value(node)));
                }
                _ => {}
            }
        }
        let mut components = Partition::new(roots.len());
        for (whole, part, _, _) in &stores {
            components.union(*whole, *part);
        }
        let defaults = self.defaults(sort, roots.len(), &mut components, &constants, &reads);
        let mut arrays: Vec<ArrayValue> = (0..roots.len())
            .map(|i| ArrayValue::constant(sort, defaults[components.find(i)].clone()))
            .collect();
        let mut indices: Vec<Value> = reads.iter().map(|(_, index, _)| index.clone()).collect();
        indices.extend(stores.iter().map(|(_, _, index, _)| index.clone()));
        indices.sort_unstable();
        indices.dedup();
        for index in indices {
            // Classes that agree at this index.
            let mut cells = Partition::new(roots.len());
            for (whole, part, written, _) in &stores {
                if *written != index {
                    cells.union(*whole, *part);
                }
            }
            let mut known: HashMap<usize, Value> = HashMap::default();
            for (array, value) in &constants {
                known.insert(cells.find(*array), value.clone());
            }
            for (array, read, value) in &reads {
                if *read == index {
                    known.insert(cells.find(*array), value.clone());
                }
            }
            for (whole, _, written, value) in &stores {
                if *written == index {
                    known.insert(cells.find(*whole), value.clone());
                }
            }
            for (i, array) in arrays.iter_mut().enumerate() {
                if let Some(value) = known.get(&cells.find(i)) {
                    array.insert(self.store, index.clone(), value.clone());
                }
            }
        }
        let arrays: Vec<Arc<ArrayValue>> = arrays.into_iter().map(Arc::new).collect();
        for &node in nodes {
            let array = arrays[place[&self.root(node)]].clone();
            self.values[node.0 as usize] = Some(Value::Array(array));
        }
    }

    /// What the arrays of each component hold where nothing is said.
    fn defaults(
        &self,
        sort: SortId,
        count: usize,
        components: &mut Partition,
        constants: &[(usize, Value)],
        reads: &[(usize, Value, Value)],
    ) -> Vec<Value> {
        let (_, element) = self.store.array_sorts(sort).expect("a sort of arrays");
        let mut defaults: Vec<Option<Value>> = vec![None; count];
        for (array, value) in constants {
            defaults[components.find(*array)] = Some(value.clone());
        }
        // Numbers that nobody reads tell components apart.
        let mut fresh = Integer::ZERO;
        for (_, _, value) in reads {
            if let Some(number) = value.as_rational() {
                let next = number.ceil() + Integer::ONE;
                if next > fresh {
                    fresh = next;
                }
            }
        }
        let mut first = true;
        (0..count)
            .map(|i| {
                if components.find(i) != i {
                    return self.store.default_value(element);
                }
                if let Some(value) = defaults[i].take() {
                    return value;
                }
                // The first component keeps the plainest value.
                if std::mem::take(&mut first) || !element.is_arithmetic() {
                    return self.store.default_value(element);
                }
                fresh += Integer::ONE;
                Value::from_rational(Rational::from(&fresh), element)
            })
            .collect()
    }

    fn symbols(&self, model: &mut Model) {
        let mut functions: BTreeMap<_, BTreeMap<Vec<Value>, Value>> = BTreeMap::new();
        for node in self.nodes() {
            let term = self.combination.term(node);
            let arguments = self.combination.egraph.arguments(node);
            match self.store.op(term) {
                // Bit-vectors are known from their bits already.
                Op::Apply(_)
                    if self.store.bv_width(self.sort(node)).is_some() && arguments.is_empty() => {}
                Op::Apply(constant) if arguments.is_empty() => {
                    model.set_constant(constant, self.value(node));
                }
                Op::Apply(function) => {
                    let key = arguments.iter().map(|&a| self.value(a)).collect();
                    functions.entry(function).or_default().insert(key, self.value(node));
                }
                Op::Diff => {
                    // Heuristic: the first is more likely to be in a claim than a witness
                    // that the theory of arrays introduced.
                    let arrays = (self.value(arguments[0]), self.value(arguments[1]));
                    model.differences.entry(arrays).or_insert_with(|| self.value(node));
                }
                op @ (Op::Div | Op::Mod | Op::Quotient) if !arguments.is_empty() => {
                    let by_zero =
                        self.value(arguments[1]).as_rational().is_some_and(|d| d.is_zero());
                    match (op, self.value(arguments[0]), self.value(node)) {
                        _ if !by_zero => {}
                        (Op::Div, Value::Int(dividend), Value::Int(result)) => {
                            model.div_by_zero.insert(dividend, result);
                        }
                        (Op::Mod, Value::Int(dividend), Value::Int(result)) => {
                            model.mod_by_zero.insert(dividend, result);
                        }
                        (_, Value::Real(dividend), Value::Real(result)) => {
                            model.quotient_by_zero.insert(dividend, result);
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        for (function, entries) in functions {
            let default = self.store.default_value(self.store.function(function).result);
            model.set_function(function, FunctionValue { default, entries });
        }
    }
}
