//! Sums over the cells of an array, as terms.
//!
//! What a loop adds up over an array is no formula over the state: the sum of the first `n` cells is a function of
//! the array and of `n`. This function gets a name, and the name *is* its definition: `sum!4!0 (* 2 cell!)` is
//!
//! ```text
//! s(row, start, n) = the sum of 2 * row[start + 4 * k] for all 0 <= k < n
//! ```
//!
//! and, so that it is total, minus the sum for all `n <= k < 0` where `n` is negative. The summand may mention the cell (`cell!`),
//! the number `k` of the cell (`at!`), and further arguments (`x!0`, ...) that stand between `start` and `n`. To the solver it is a function like
//! any other. What it needs to know is instances of three laws, all of which follow from the definition
//! ([`laws`]):
//!
//! - nothing added up is zero, and the sum of `n` cells is that of one cell less, plus the last;
//! - a write to one of the cells changes the sum by as much as it changes the summand;
//! - the sum over a choice of arrays is the choice of the sums.
//!
//! Since such a function exists, a formula that is refuted with the help of the laws has no model that
//! gives the symbol its meaning; so the audit adds them to its obligations and trusts, besides its solver's proofs, this file.
//! As the definition is in the name, no annotation can give the same symbol two meanings.

use bolide_base::{HashMap, HashSet, Rational};
use bolide_terms::smtlib::context::Symbol;
use bolide_terms::smtlib::{Context, read_term};
use bolide_terms::{FunctionId, LinearForm, Op, SortId, TermId, TermStore};

/// Heuristic: laws are said of so many sums.
const SUMS: usize = 96;

/// What is added up: the distance of two cells, and the summand.
#[derive(Clone, Debug)]
struct Meaning {
    stride: i64,
    /// Over [`cell`], [`at`] and [`argument`]s.
    summand: TermId,
    arguments: usize,
}

/// The placeholder for a cell in a summand.
pub fn cell(store: &mut TermStore) -> TermId {
    store.mk_const("cell!", SortId::INT)
}

/// The placeholder for the number of the cell.
pub fn at(store: &mut TermStore) -> TermId {
    store.mk_const("at!", SortId::INT)
}

/// The placeholder for a further argument.
pub fn argument(store: &mut TermStore, number: usize) -> TermId {
    store.mk_const(&format!("x!{number}"), SortId::INT)
}

/// The function that gives each value its number in bags ([`folds`](crate::folds)).
pub fn element(store: &mut TermStore) -> FunctionId {
    store.declare_fn("bag!", &[SortId::INT], SortId::INT)
}

/// The value whose number in bags a term is.
pub fn value_in_bag(store: &TermStore, term: TermId) -> Option<TermId> {
    let Op::Apply(function) = store.op(term) else { return None };
    (store.function_name(function) == "bag!").then(|| store.arg(term, 0))
}

/// The function that adds up the summand, over the placeholders, in steps of so many bytes.
pub fn function(
    store: &mut TermStore,
    stride: i64,
    summand: TermId,
    arguments: usize,
) -> FunctionId {
    let name = format!("sum!{stride}!{arguments} {}", store.smtlib(summand));
    declare(store, &name, arguments)
}

fn declare(store: &mut TermStore, name: &str, arguments: usize) -> FunctionId {
    let mut sorts = vec![store.mk_array_sort(SortId::INT, SortId::INT)];
    sorts.extend(std::iter::repeat_n(SortId::INT, arguments + 2));
    store.declare_fn(name, &sorts, SortId::INT)
}

/// The function with this name, if it is one of a sum.
pub fn named(store: &mut TermStore, name: &str) -> Option<FunctionId> {
    let (head, _) = name.strip_prefix("sum!")?.split_once(' ')?;
    let arguments: usize = head.split_once('!')?.1.parse().ok()?;
    let found = declare(store, name, arguments);
    meaning(store, found).map(|_| found)
}

/// What a symbol adds up, if it stands for a sum.
fn meaning(store: &mut TermStore, function: FunctionId) -> Option<Meaning> {
    let (head, text) = store.function_name(function).strip_prefix("sum!")?.split_once(' ')?;
    let (stride, arguments) = head.split_once('!')?;
    let (stride, arguments): (i64, usize) = (stride.parse().ok()?, arguments.parse().ok()?);
    let text = text.to_owned();
    let row = store.mk_array_sort(SortId::INT, SortId::INT);
    let declared = store.function(function);
    let fits = declared.result == SortId::INT
        && declared.arguments.len() == arguments + 3
        && declared.arguments[0] == row
        && declared.arguments[1..].iter().all(|&sort| sort == SortId::INT);
    if !fits || stride <= 0 {
        return None;
    }
    let mut context = Context::new();
    let mut names: Vec<TermId> = (0..arguments).map(|i| argument(store, i)).collect();
    names.extend([cell(store), at(store)]);
    let constant = |&c: &TermId| store.function_of(c).expect("a constant");
    let mut functions: Vec<FunctionId> = names.iter().map(constant).collect();
    functions.push(element(store));
    for function in functions {
        let name = store.function_name(function).to_owned();
        context.define(&name, Symbol::Function(function)).ok()?;
    }
    let summand = read_term(store, &mut context, &text).ok()?;
    (store.sort(summand) == SortId::INT).then_some(Meaning { stride, summand, arguments })
}

/// The symbols of sums in a term.
pub fn symbols(store: &TermStore, term: TermId) -> Vec<FunctionId> {
    let is_sum = |f: &FunctionId| store.function_name(*f).starts_with("sum!");
    store.symbols(term).iter().copied().filter(is_sum).collect()
}

/// A formula in infix notation, with sums in the words of ACSL.
pub fn in_words(store: &TermStore, formula: TermId) -> String {
    let mut text = store.infix(formula);
    if symbols(store, formula).is_empty() {
        return text;
    }
    for term in store.subterms(&[formula]) {
        if let Op::Apply(function) = store.op(term)
            && let Some(words) = sum_in_words(store, term, function)
        {
            text = text.replace(&store.infix(term), &words);
        }
    }
    text
}

/// `\sum(0, n - 1, \lambda integer k; a[k])`; none for what is no sum.
fn sum_in_words(store: &TermStore, sum: TermId, function: FunctionId) -> Option<String> {
    let mut own = TermStore::new();
    let known = named(&mut own, store.function_name(function))?;
    let meaning = meaning(&mut own, known)?;
    let of = |number: usize| store.infix(store.arg(sum, number));
    let place = match of(1).as_str() {
        "0" => format!("{}*k", meaning.stride),
        start => format!("{start} + {}*k", meaning.stride),
    };
    let mut summand = own.infix(meaning.summand).replace("at!", "k");
    summand = summand.replace("cell!", &format!("{}[{place}]", of(0)));
    for number in 0..meaning.arguments {
        summand = summand.replace(&format!("x!{number}"), &of(2 + number));
    }
    let count = of(2 + meaning.arguments);
    Some(format!("\\sum(0, {count} - 1, \\lambda integer k; {summand})"))
}

/// Of a sum: how many cells it has, the sum of one cell less, and the summand of the last.
pub fn last(store: &mut TermStore, sum: TermId) -> Option<(TermId, TermId, TermId)> {
    let Op::Apply(function) = store.op(sum) else { return None };
    let meaning = meaning(store, function)?;
    let (less, summand) = meaning.last(store, sum);
    Some((meaning.count(store, sum), less, summand))
}

/// Instances of the laws of sums for the sums that occur in terms.
pub fn laws(store: &mut TermStore, terms: &[TermId]) -> Vec<TermId> {
    let symbols: Vec<FunctionId> = terms.iter().flat_map(|&term| symbols(store, term)).collect();
    if symbols.is_empty() {
        return Vec::new();
    }
    let meanings: HashMap<FunctionId, Meaning> =
        symbols.into_iter().filter_map(|f| Some((f, meaning(store, f)?))).collect();
    let sum_of = |store: &TermStore, term: TermId| match store.op(term) {
        Op::Apply(function) => meanings.get(&function).map(|meaning| (term, meaning.clone())),
        _ => None,
    };
    let mut pending: Vec<(TermId, Meaning)> = Vec::new();
    for term in store.subterms(terms) {
        pending.extend(sum_of(store, term));
    }
    let mut found = Vec::new();
    for (sum, meaning) in pending.clone() {
        let less = meaning.unfolded(store, sum, &mut found);
        for sum in [sum, less] {
            found.push(meaning.empty(store, sum));
        }
        pending.extend(sum_of(store, less));
    }
    let mut seen: HashSet<TermId> = HashSet::default();
    let mut next = 0;
    while next < pending.len().min(SUMS) {
        let (sum, meaning) = pending[next].clone();
        next += 1;
        if seen.insert(sum)
            && let Some((law, parts)) = meaning.of_parts(store, sum)
        {
            found.push(law);
            pending.extend(parts.into_iter().map(|part| (part, meaning.clone())));
        }
    }
    found
}

impl Meaning {
    /// The summand for a cell with this value and number, with the further arguments of a sum.
    fn summand(&self, store: &mut TermStore, sum: TermId, value: TermId, number: TermId) -> TermId {
        let mut map = HashMap::from_iter([(cell(store), value), (at(store), number)]);
        for i in 0..self.arguments {
            map.insert(argument(store, i), store.arg(sum, 2 + i));
        }
        store.substitute(self.summand, &map)
    }

    /// The last argument of a sum: of how many cells.
    fn count(&self, store: &TermStore, sum: TermId) -> TermId {
        store.arg(sum, 2 + self.arguments)
    }

    /// The same sum with other arguments.
    fn with(
        &self,
        store: &mut TermStore,
        sum: TermId,
        row: Option<TermId>,
        count: Option<TermId>,
    ) -> TermId {
        let Op::Apply(function) = store.op(sum) else { return sum };
        let mut args = store.args(sum).to_vec();
        args[0] = row.unwrap_or(args[0]);
        args[2 + self.arguments] = count.unwrap_or(args[2 + self.arguments]);
        store.mk_app(function, &args)
    }

    /// The sum of one cell less, and the summand of the last cell.
    fn last(&self, store: &mut TermStore, sum: TermId) -> (TermId, TermId) {
        let (row, start, count) = (store.arg(sum, 0), store.arg(sum, 1), self.count(store, sum));
        let (minus, stride) = (store.mk_int(-1), store.mk_int(self.stride));
        let last = store.mk_add(&[count, minus]);
        let less = self.with(store, sum, None, Some(last));
        let scaled = store.mk_mul(&[stride, last]);
        let place = store.mk_add(&[start, scaled]);
        let value = store.mk_select(row, place);
        (less, self.summand(store, sum, value, last))
    }

    /// That nothing adds up to zero.
    fn empty(&self, store: &mut TermStore, sum: TermId) -> TermId {
        let (count, zero) = (self.count(store, sum), store.mk_int(0));
        let (none, nothing) = (store.mk_eq(count, zero), store.mk_eq(sum, zero));
        store.mk_implies(none, nothing)
    }

    /// The sum of one cell less, whose law is added to `found`.
    fn unfolded(&self, store: &mut TermStore, sum: TermId, found: &mut Vec<TermId>) -> TermId {
        let (less, summand) = self.last(store, sum);
        let total = store.mk_add(&[less, summand]);
        found.push(store.mk_eq(sum, total));
        less
    }

    /// A sum over an array that is written or chosen, by sums over what it is made of.
    fn of_parts(&self, store: &mut TermStore, sum: TermId) -> Option<(TermId, Vec<TermId>)> {
        let row = store.arg(sum, 0);
        let args = store.args(row).to_vec();
        match store.op(row) {
            Op::Store => self.written(store, sum, &args),
            Op::Ite => Some(self.chosen(store, sum, args[0], args[1], args[2])),
            Op::Select => {
                let of = store.args(args[0]).to_vec();
                match store.op(args[0]) {
                    Op::Store => {
                        let same = store.mk_eq(of[1], args[1]);
                        let other = store.mk_select(of[0], args[1]);
                        Some(self.chosen(store, sum, same, of[2], other))
                    }
                    Op::Ite => {
                        let (one, other) =
                            (store.mk_select(of[1], args[1]), store.mk_select(of[2], args[1]));
                        Some(self.chosen(store, sum, of[0], one, other))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn chosen(
        &self,
        store: &mut TermStore,
        sum: TermId,
        condition: TermId,
        one: TermId,
        other: TermId,
    ) -> (TermId, Vec<TermId>) {
        let parts = [one, other].map(|row| self.with(store, sum, Some(row), None));
        let chosen = store.mk_ite(condition, parts[0], parts[1]);
        (store.mk_eq(sum, chosen), parts.to_vec())
    }

    /// After a write of one cell, said of no fewer cells than none.
    fn written(
        &self,
        store: &mut TermStore,
        sum: TermId,
        write: &[TermId],
    ) -> Option<(TermId, Vec<TermId>)> {
        let &[row, place, value] = write else { return None };
        let (start, count, zero) = (store.arg(sum, 1), self.count(store, sum), store.mk_int(0));
        let mut number = store.linear_difference(place, start);
        let between = |form: &LinearForm, stride: &Rational| {
            let whole = |c: &Rational| (c / stride).is_integer();
            form.terms.iter().all(|(_, c)| whole(c)).then(|| whole(&form.constant))
        };
        let stride = Rational::from(self.stride);
        let before = self.with(store, sum, Some(row), None);
        // Between two cells nothing is added up; where that is not plain, nothing is said.
        if !between(&number, &stride)? {
            return Some((store.mk_eq(sum, before), vec![before]));
        }
        number.scale(&stride.recip());
        let number = store.mk_linear(&number, SortId::INT);
        let old = store.mk_select(row, place);
        let (new, old) =
            (self.summand(store, sum, value, number), self.summand(store, sum, old, number));
        let minus = store.mk_int(-1);
        let old = store.mk_mul(&[minus, old]);
        let change = store.mk_add(&[new, old]);
        let (low, high) = (store.mk_le(zero, number), store.mk_lt(number, count));
        let inside = store.mk_and(&[low, high]);
        let change = store.mk_ite(inside, change, zero);
        let after = store.mk_add(&[before, change]);
        let (counts, equal) = (store.mk_le(zero, count), store.mk_eq(sum, after));
        Some((store.mk_implies(counts, equal), vec![before]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_terms::evaluate::Evaluator;
    use bolide_terms::{FunctionValue, Model, Value};
    use std::collections::BTreeMap;

    /// The sum by its definition: of `2 * cell + 3 * at - x` in steps of four bytes.
    fn by_definition(cells: impl Fn(i64) -> i64, start: i64, x: i64, count: i64) -> i64 {
        let summand = |k: i64| 2 * cells(start + 4 * k) + 3 * k - x;
        let all = (0..count).map(summand).sum::<i64>();
        all - (count..0).map(summand).sum::<i64>()
    }

    fn number(value: &Value) -> i64 {
        value.as_rational().and_then(|r| r.to_integer()).and_then(|i| i.to_i64()).expect("a number")
    }

    /// A model that gives the sums of a formula the values of the definition, innermost first.
    fn with_sums(store: &TermStore, mut model: Model, formula: TermId, sum: FunctionId) -> Model {
        let mut entries: BTreeMap<Vec<Value>, Value> = BTreeMap::new();
        for term in store.subterms(&[formula]) {
            if store.op(term) != Op::Apply(sum) {
                continue;
            }
            let mut evaluator = Evaluator::new(store, &model);
            let args: Vec<Value> =
                store.args(term).iter().map(|&a| evaluator.value(a).expect("a value")).collect();
            let Value::Array(array) = &args[0] else { panic!("the cells of an array") };
            let cells = |at: i64| number(array.get(&Value::Int(at.into())));
            let [start, x, count] = [1, 2, 3].map(|i| number(&args[i]));
            let value = by_definition(cells, start, x, count);
            entries.insert(args, Value::Int(value.into()));
            let default = Value::Int(77.into());
            model.set_function(sum, FunctionValue { default, entries: entries.clone() });
        }
        model
    }

    /// All instances of laws are true of sums, whatever is in the cells, is written where, and is counted how far.
    #[test]
    fn laws_are_true_of_what_the_name_says() {
        let mut store = TermStore::new();
        let rows = store.mk_array_sort(SortId::INT, SortId::INT);
        let memory = store.mk_array_sort(SortId::INT, rows);
        let (two, three, minus) = (store.mk_int(2), store.mk_int(3), store.mk_int(-1));
        let (of_cell, of_at, of_x) = (cell(&mut store), at(&mut store), argument(&mut store, 0));
        let parts = [(two, of_cell), (three, of_at), (minus, of_x)];
        let parts = parts.map(|(factor, of)| store.mk_mul(&[factor, of]));
        let summand = store.mk_add(&parts);
        let sum = function(&mut store, 4, summand, 1);
        let name = store.function_name(sum).to_owned();
        assert_eq!(named(&mut store, &name), Some(sum));
        let m = store.mk_const("m", memory);
        let [o, p, at, x, n] = ["o", "p", "at", "x", "n"].map(|c| store.mk_const(c, SortId::INT));
        let (four, one, eight) = (store.mk_int(4), store.mk_int(1), store.mk_int(8));
        let place = store.mk_mul(&[four, at]);
        let beside = store.mk_add(&[place, one]);
        let row = store.mk_select(m, o);
        for place in [place, beside] {
            let written = store.mk_store(row, place, eight);
            let written = store.mk_store(m, o, written);
            let read = store.mk_select(written, p);
            let zero = store.mk_int(0);
            let term = store.mk_app(sum, &[read, zero, x, n]);
            let laws = laws(&mut store, &[term]);
            assert!(laws.len() >= 5, "{}", laws.len());
            let all = store.mk_and(&laws);
            for values in 0..(2 * 2 * 5 * 7) {
                let (object, x_value) = (values % 2, values / 2 % 2);
                let (at_value, count) = (values / 4 % 5 - 1, values / 20 - 3);
                let mut model = Model::default();
                let set = |model: &mut Model, term: TermId, value: Value| {
                    let symbol = store.function_of(term).expect("a constant");
                    model.set_constant(symbol, value);
                };
                let int = |value: i64| Value::Int(value.into());
                let Value::Array(mut cells) = store.default_value(rows) else { panic!("an array") };
                for k in -3..6 {
                    cells = cells.with(&store, int(4 * k), int(k * k - 5)).into();
                }
                let Value::Array(objects) = store.default_value(memory) else { panic!("arrays") };
                let objects = objects.with(&store, int(0), Value::Array(cells));
                set(&mut model, m, Value::Array(objects.into()));
                set(&mut model, o, int(0));
                let of = [(p, object), (x, x_value), (at, at_value), (n, count)];
                for (constant, value) in of {
                    set(&mut model, constant, int(value));
                }
                let model = with_sums(&store, model, all, sum);
                for &law in &laws {
                    let value = Evaluator::new(&store, &model).value(law);
                    assert_eq!(value, Ok(Value::Bool(true)), "{}", store.infix(law));
                }
            }
        }
    }

    #[test]
    fn what_is_no_sum_has_no_laws() {
        let mut store = TermStore::new();
        let row = store.mk_array_sort(SortId::INT, SortId::INT);
        let a = store.mk_const("a", row);
        let n = store.mk_const("n", SortId::INT);
        // Another signature, a summand over something else, no distance between cells.
        let narrow = store.declare_fn("sum!4!0 cell!", &[row, SortId::INT], SortId::INT);
        let narrow = store.mk_app(narrow, &[a, n]);
        assert_eq!(laws(&mut store, &[narrow]), []);
        for name in
            ["sum!4!0 (+ cell! n)", "sum!0!0 cell!", "sum!-4!0 cell!", "sum!4!0 (= cell! 0)"]
        {
            let other = store.declare_fn(name, &[row, SortId::INT, SortId::INT], SortId::INT);
            let other = store.mk_app(other, &[a, n, n]);
            assert_eq!(laws(&mut store, &[other]), [], "{name}");
        }
    }
}
