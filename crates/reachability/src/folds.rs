//! Folds over the cells of an array, by operations for which order does not matter, as terms.
//!
//! The largest of some cells, or the bits that all of them have, depends on which values there are how often, and on nothing else. So a
//! fold is a function of a *bag*, and a bag is a sum ([`sums`]): each value has a number of its own (`bag!`, a function of which nothing
//! is said), such that the sum of fewer than 2^128 of these numbers determines which values it is made of. Such numbers exist, as cells have at
//! most 128 bits: 2 to the power of 128 times the value, all of it moved up by 2^127. What a swap or a rotation of cells leaves
//! as it was is then what it leaves of a sum, and equal bags have equal folds since `fold!max` is a function.
//!
//! What else the solver needs to know of folds is how one more value changes them ([`laws`]). As with sums, the laws follow from
//! what the names mean, and the audit trusts this file for them. They are only said of sums of bags; of any other number a fold may be anything.

use crate::sums;
use bolide_base::Rational;
use bolide_terms::{FunctionId, LinearForm, Op, SortId, TermId, TermStore};

/// Two values made one; all are associative and commutative.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operation {
    /// The larger one.
    Max,
    /// The smaller one.
    Min,
    /// The machine's `&`, `|` or `^`, by the name that the encoding gives it.
    Bits(String),
}

impl Operation {
    /// The operation of a function for bits.
    pub fn of_bits(name: &str) -> Option<Operation> {
        let (operator, width) = name.split_once('.')?;
        let known = ["BitAnd", "BitOr", "BitXor"].contains(&operator);
        (known && width.parse::<u32>().is_ok()).then(|| Operation::Bits(name.to_owned()))
    }

    fn of_fold(name: &str) -> Option<Operation> {
        match name.strip_prefix("fold!")? {
            "max" => Some(Operation::Max),
            "min" => Some(Operation::Min),
            name => Operation::of_bits(name),
        }
    }

    /// The function that folds a bag.
    pub fn function(&self, store: &mut TermStore) -> FunctionId {
        let name = match self {
            Operation::Max => "max",
            Operation::Min => "min",
            Operation::Bits(name) => name,
        };
        store.declare_fn(&format!("fold!{name}"), &[SortId::INT], SortId::INT)
    }

    /// What the operation makes of two values, in both orders where these are different terms.
    fn applied(&self, store: &mut TermStore, a: TermId, b: TermId) -> Vec<TermId> {
        let below = store.mk_le(a, b);
        match self {
            Operation::Max => vec![store.mk_ite(below, b, a)],
            Operation::Min => vec![store.mk_ite(below, a, b)],
            Operation::Bits(name) => {
                let function = store.declare_fn(name, &[SortId::INT, SortId::INT], SortId::INT);
                vec![store.mk_app(function, &[a, b]), store.mk_app(function, &[b, a])]
            }
        }
    }
}

/// Whether a formula speaks of folds.
pub fn is_about_folds(store: &TermStore, formula: TermId) -> bool {
    let is_fold = |&f: &FunctionId| store.function_name(f).starts_with("fold!");
    store.symbols(formula).iter().any(is_fold)
}

/// Instances of the laws of the sums and folds that occur in terms.
pub fn laws(store: &mut TermStore, terms: &[TermId]) -> Vec<TermId> {
    let mut found = sums::laws(store, terms);
    for term in store.subterms(terms) {
        let Op::Apply(function) = store.op(term) else { continue };
        if store.args(term).len() == 1
            && store.sort(term) == SortId::INT
            && store.sort(store.arg(term, 0)) == SortId::INT
            && let Some(operation) = Operation::of_fold(store.function_name(function))
            && let Some(bag) = Bag::of(store, store.arg(term, 0))
        {
            bag.laws(store, term, function, &operation, &mut found);
        }
    }
    found
}

/// A sum of numbers of values: single ones, and those of all cells up to some place.
struct Bag {
    single: Vec<TermId>,
    cells: Option<Cells>,
}

struct Cells {
    count: TermId,
    /// The sum for one cell less, and the value in the last one.
    less: TermId,
    last: TermId,
}

impl Bag {
    fn of(store: &mut TermStore, sum: TermId) -> Option<Bag> {
        let form = store.linear_form(sum);
        let mut bag = Bag { single: Vec::new(), cells: None };
        let is_one = |(_, coefficient): &(TermId, Rational)| *coefficient == Rational::ONE;
        if !form.constant.is_zero() || !form.terms.iter().all(is_one) {
            return None;
        }
        for (leaf, _) in form.terms {
            if let Some(value) = sums::value_in_bag(store, leaf) {
                bag.single.push(value);
                continue;
            }
            let (count, less, summand) = sums::last(store, leaf)?;
            let last = sums::value_in_bag(store, summand)?;
            if bag.cells.replace(Cells { count, less, last }).is_some() {
                return None;
            }
        }
        Some(bag)
    }

    /// The fold of a few values.
    fn few(store: &mut TermStore, operation: &Operation, values: &[TermId]) -> Option<TermId> {
        let (&first, rest) = values.split_first()?;
        Some(rest.iter().fold(first, |a, &b| operation.applied(store, a, b)[0]))
    }

    fn laws(
        &self,
        store: &mut TermStore,
        fold: TermId,
        function: FunctionId,
        operation: &Operation,
        found: &mut Vec<TermId>,
    ) {
        let few = Bag::few(store, operation, &self.single);
        let Some(Cells { count, less, last }) = self.cells else {
            found.extend(few.map(|value| store.mk_eq(fold, value)));
            return;
        };
        let (zero, one) = (store.mk_int(0), store.mk_int(1));
        if let Some(value) = few {
            let (none, same) = (store.mk_eq(count, zero), store.mk_eq(fold, value));
            found.push(store.mk_implies(none, same));
        }
        let mut values = vec![last];
        values.extend(&self.single);
        if let Some(value) = Bag::few(store, operation, &values) {
            let (alone, same) = (store.mk_eq(count, one), store.mk_eq(fold, value));
            found.push(store.mk_implies(alone, same));
        }
        let element = sums::element(store);
        let mut rest = LinearForm::from_leaf(less);
        for &value in &self.single {
            let number = store.mk_app(element, &[value]);
            rest.add_term(number, &Rational::ONE);
        }
        let rest = store.mk_linear(&rest, SortId::INT);
        let before = store.mk_app(function, &[rest]);
        // Required: something is left of the bag.
        let least = if few.is_some() { one } else { store.mk_int(2) };
        let enough = store.mk_le(least, count);
        for value in operation.applied(store, before, last) {
            let same = store.mk_eq(fold, value);
            found.push(store.mk_implies(enough, same));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_terms::evaluate::Evaluator;
    use bolide_terms::{FunctionValue, Model, Value};
    use std::collections::BTreeMap;

    /// The numbers of values in bags of few cells.
    fn number_in_bag(value: i64) -> i64 {
        100_i64.pow(u32::try_from(value).expect("a small value"))
    }

    fn of_value(value: &Value) -> i64 {
        value.as_rational().and_then(|r| r.to_integer()).and_then(|i| i.to_i64()).expect("a number")
    }

    fn two(operation: &Operation, a: i64, b: i64) -> i64 {
        match operation {
            Operation::Max => a.max(b),
            Operation::Min => a.min(b),
            Operation::Bits(name) if name.starts_with("BitAnd") => a & b,
            Operation::Bits(name) if name.starts_with("BitOr") => a | b,
            Operation::Bits(_) => a ^ b,
        }
    }

    /// The fold of a bag by its definition: the values that its number is made of, one by one.
    fn by_definition(operation: &Operation, mut bag: i64) -> i64 {
        let mut values = Vec::new();
        for value in 0.. {
            if bag == 0 {
                break;
            }
            values.extend(std::iter::repeat_n(value, usize::try_from(bag % 100).expect("a bag")));
            bag /= 100;
        }
        values.into_iter().reduce(|a, b| two(operation, a, b)).unwrap_or(77)
    }

    /// Gives the functions of a formula the values that their names mean, innermost first.
    fn interpreted(store: &TermStore, mut model: Model, formula: TermId) -> Model {
        let mut graphs: BTreeMap<FunctionId, BTreeMap<Vec<Value>, Value>> = BTreeMap::new();
        for term in store.subterms(&[formula]) {
            let Op::Apply(function) = store.op(term) else { continue };
            if store.args(term).is_empty() {
                continue;
            }
            let mut evaluator = Evaluator::new(store, &model);
            let args: Vec<Value> =
                store.args(term).iter().map(|&a| evaluator.value(a).expect("a value")).collect();
            let name = store.function_name(function);
            let value = if name.starts_with("sum!") {
                let Value::Array(cells) = &args[0] else { panic!("the cells of an array") };
                let (start, count) = (of_value(&args[1]), of_value(&args[2]));
                let cell = |k: i64| of_value(cells.get(&Value::Int((start + 4 * k).into())));
                let all = (0..count).map(|k| number_in_bag(cell(k))).sum::<i64>();
                all - (count..0).map(|k| number_in_bag(cell(k))).sum::<i64>()
            } else if name == "bag!" {
                number_in_bag(of_value(&args[0]))
            } else if let Some(operation) = Operation::of_fold(name) {
                // Of what is no bag anything may be said.
                let bag = of_value(&args[0]);
                if bag < 0 { -5 } else { by_definition(&operation, bag) }
            } else {
                let operation = Operation::of_bits(name).expect("an operation");
                two(&operation, of_value(&args[0]), of_value(&args[1]))
            };
            let entries = graphs.entry(function).or_default();
            entries.insert(args, Value::Int(value.into()));
            let default = Value::Int(77.into());
            model.set_function(function, FunctionValue { default, entries: entries.clone() });
        }
        model
    }

    /// All instances of laws are true of folds, with and without further values in the bag, however many cells there are.
    #[test]
    fn laws_are_true_of_what_the_name_says() {
        let names = ["fold!max", "fold!min", "fold!BitAnd.32", "fold!BitOr.64", "fold!BitXor.32"];
        for name in names {
            let mut store = TermStore::new();
            let row = store.mk_array_sort(SortId::INT, SortId::INT);
            let (a, n) = (store.mk_const("a", row), store.mk_const("n", SortId::INT));
            let x = store.mk_const("x", SortId::INT);
            let operation = Operation::of_fold(name).expect("a fold");
            let (fold, element) = (operation.function(&mut store), sums::element(&mut store));
            assert_eq!(store.function_name(fold), name);
            let of_cell = sums::cell(&mut store);
            let number = store.mk_app(element, &[of_cell]);
            let sum = sums::function(&mut store, 4, number, 0);
            let zero = store.mk_int(0);
            let cells = store.mk_app(sum, &[a, zero, n]);
            let single = store.mk_app(element, &[x]);
            for bag in [vec![cells], vec![cells, single], vec![single]] {
                let bag = store.mk_add(&bag);
                let term = store.mk_app(fold, &[bag]);
                let found = laws(&mut store, &[term]);
                assert!(found.iter().any(|&law| is_about_folds(&store, law)), "{name}");
                let all = store.mk_and(&found);
                for values in 0..(4 * 7) {
                    let (of_x, count) = (values % 4, values / 4 - 2);
                    let int = |value: i64| Value::Int(value.into());
                    let mut model = Model::default();
                    let Value::Array(mut cells) = store.default_value(row) else { panic!("array") };
                    for k in -3..6_i64 {
                        cells = cells.with(&store, int(4 * k), int((k * k + 1) % 4)).into();
                    }
                    let set = [(a, Value::Array(cells)), (n, int(count)), (x, int(of_x))];
                    for (constant, value) in set {
                        model.set_constant(store.function_of(constant).expect("one"), value);
                    }
                    let model = interpreted(&store, model, all);
                    for &law in &found {
                        let value = Evaluator::new(&store, &model).value(law);
                        assert_eq!(value, Ok(Value::Bool(true)), "{}", store.infix(law));
                    }
                }
            }
            // Twice a value is no bag with that value once, nor is a difference one.
            let minus = store.mk_int(-1);
            let taken = store.mk_mul(&[minus, single]);
            let difference = store.mk_add(&[cells, taken]);
            let term = store.mk_app(fold, &[difference]);
            assert!(!laws(&mut store, &[term]).iter().any(|&law| is_about_folds(&store, law)));
        }
    }
}
