//! Facts about all indices, without quantifiers.
//!
//! `a[k] = 0` for all `0 <= k < i` is written with the *index constant* ([`index`]) in the place of `k`. No
//! statement of a program knows this constant, so what is proved of it is proved of every number: an invariant that mentions
//! it holds for all indices, and whoever assumes the invariant may put any term in its place. That is all there is to
//! quantifiers here. A goal is about the constant itself, as if it were a Skolem constant; a premise is
//! about the constant and about the few indices at which the block in question reads or writes the same
//! memory ([`instances`]). So every question to the solver, every interpolant and every obligation of the audit stays free of
//! quantifiers, and the proof checker needs no rule for them.
//!
//! McMillan names such invariants at the end of "Lazy abstraction with interpolants"; that instances at
//! the indices of the program suffice for most is known from the array property fragment (Bradley, Manna, Sipma, VMCAI 2006).
//!
//! What is said of any two cells (`a[j] <= a[k]` for all `j < k`) has a second constant, [`other_index`], in the place of `j`. Then one index after the
//! other is put in its place, and what is left of a pair when one is chosen is said of the first constant, too.
//!
//! Limit: two indices in each invariant.

use crate::sums;
use bolide_base::{HashMap, HashSet, Rational};
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};

/// Heuristic: what is said at so many places is enough.
const PLACES: usize = 32;

/// Their names, and those that people read.
const NAMES: [(&str, &str); 2] = [("other-index!", "j"), ("index!", "k")];

/// Heuristic: what is said of a cell and its neighbour leads to neighbours of neighbours, so many times.
const AGAIN: usize = 2;

/// Heuristic: of so many instances for one of two indices, others for the second are looked for.
const PAIRS: usize = 200;

/// The constant that stands for any index.
pub fn index(store: &mut TermStore) -> TermId {
    store.mk_const(NAMES[1].0, SortId::INT)
}

/// The constant that stands for any index besides.
pub fn other_index(store: &mut TermStore) -> TermId {
    store.mk_const(NAMES[0].0, SortId::INT)
}

/// Both, for who looks for them in formulas.
pub fn indices(store: &mut TermStore) -> [TermId; 2] {
    [index(store), other_index(store)]
}

fn names_index(name: &str) -> bool {
    NAMES.iter().any(|names| names.0 == name)
}

/// Whether this constant, of any store, is an index constant.
pub fn is_index(store: &TermStore, constant: TermId) -> bool {
    let function = store.function_of(constant);
    function.is_some_and(|f| names_index(store.name(store.function(f).name)))
}

/// Whether something is said of all indices.
pub fn is_about_indices(store: &TermStore, formula: TermId) -> bool {
    store.symbols(formula).iter().any(|&f| names_index(store.name(store.function(f).name)))
}

/// What is said of the index constants, in infix notation with the names `j` and `k` for them.
pub fn in_words(store: &TermStore, formula: TermId) -> String {
    let words = sums::in_words(store, formula);
    NAMES.iter().fold(words, |words, (name, short)| words.replace(name, short))
}

/// The same with a quantifier for those that occur.
pub fn quantified(store: &TermStore, formula: TermId) -> String {
    let symbols = store.symbols(formula);
    let occurs = |name: &str| symbols.iter().any(|&f| store.name(store.function(f).name) == name);
    let bound = NAMES.iter().filter(|names| occurs(names.0)).map(|names| names.1);
    let bound = bound.collect::<Vec<_>>().join(", ");
    format!("(\\forall integer {bound}; {})", in_words(store, formula))
}

/// The term without the wrap-around of machine integers: indices do not come to it.
pub fn without_wraps(store: &mut TermStore, term: TermId) -> TermId {
    let large = |number: &Rational| number.abs() >= Rational::from(1 << 31);
    let mut map: HashMap<TermId, TermId> = HashMap::default();
    for part in store.subterms(&[term]) {
        let inner = match store.op(part) {
            Op::Mod if store.number(store.arg(part, 1)).is_some_and(large) => store.arg(part, 0),
            Op::Ite if store.sort(part) == SortId::INT => {
                let (then, other) = (store.arg(part, 1), store.arg(part, 2));
                match store.linear_difference(then, other).as_constant() {
                    Some(by) if large(by) => other,
                    _ => continue,
                }
            }
            _ => continue,
        };
        map.insert(part, store.substitute(inner, &map));
    }
    if map.is_empty() { term } else { store.substitute(term, &map) }
}

/// Where memory is read or written: the memory, and the index within an object.
pub type Place = (TermId, TermId);

/// The memory that an array of cells is part of: a constant, seen through writes and choices.
fn memory(store: &TermStore, mut array: TermId) -> Option<TermId> {
    loop {
        array = match store.op(array) {
            Op::Store | Op::Select => store.arg(array, 0),
            Op::Ite => store.arg(array, 1),
            _ => return store.is_const(array).then_some(array),
        };
    }
}

/// Whether an array holds the cells of one object.
fn is_row(store: &TermStore, mut array: TermId) -> bool {
    loop {
        array = match store.op(array) {
            Op::Store => store.arg(array, 0),
            Op::Ite => store.arg(array, 1),
            op => return matches!(op, Op::Select | Op::ConstArray),
        };
    }
}

/// Where the terms read or write cells, each place once, in the order of ids.
pub fn places(store: &TermStore, terms: &[TermId]) -> Vec<Place> {
    let mut found = Vec::new();
    for term in store.subterms(terms) {
        if matches!(store.op(term), Op::Select | Op::Store)
            && let (array, at) = (store.arg(term, 0), store.arg(term, 1))
            && store.array_sorts(store.sort(array)).is_some_and(|(_, cell)| cell == SortId::INT)
            && is_row(store, array)
            && let Some(memory) = memory(store, array)
            && !found.contains(&(memory, at))
        {
            found.push((memory, at));
        }
    }
    found
}

/// Something said of all indices, one of them, and the place of a cell in it that this index names.
type Pattern = (TermId, TermId, Place);

fn patterns(store: &TermStore, said: TermId, indices: [TermId; 2]) -> Vec<Pattern> {
    let cells = places(store, &[said]).into_iter();
    let named = cells.flat_map(|cell| {
        let own = indices.into_iter().filter(move |&index| store.occurs(index, cell.1));
        own.map(move |index| (said, index, cell))
    });
    named.collect()
}

/// What `said` of all indices means at the places of a block, and at the places that this speaks of in turn. `is_state`
/// are the constants of the state: memory behind any other constant may be any memory.
pub fn instances(
    store: &mut TermStore,
    said: TermId,
    mut places: Vec<Place>,
    is_state: &dyn Fn(TermId) -> bool,
) -> Vec<TermId> {
    let mut found: Vec<TermId> = Vec::new();
    if !is_about_indices(store, said) {
        return found;
    }
    let both = indices(store);
    let [first, second] = both;
    let mut known: Vec<Pattern> = Vec::new();
    for conjunct in store.conjuncts(said) {
        known.extend(patterns(store, conjunct, both));
    }
    let mut seen: HashSet<TermId> = HashSet::default();
    // Several places may mean one value.
    let mut meant: HashSet<(TermId, TermId, TermId)> = HashSet::default();
    let mut depths: Vec<usize> = vec![0; places.len()];
    let (mut reached, mut tried, mut pairs) = (0, 0, 0);
    while reached < places.len().min(PLACES) {
        let mut next = 0;
        while next < known.len() {
            let (conjunct, index, (of, pattern)) = known[next];
            // What was found on the way is tried at all places so far.
            for at in (if next < tried { reached } else { 0 })..=reached {
                let (memory, place) = places[at];
                let same =
                    of == memory || !is_state(memory) && store.sort(of) == store.sort(memory);
                let value = same.then(|| solution(store, pattern, index, place)).flatten();
                let Some(value) = value.filter(|value| !both.contains(value)) else { continue };
                if !meant.insert((conjunct, index, value)) {
                    continue;
                }
                let instance = store.substitute(conjunct, &HashMap::from_iter([(index, value)]));
                if instance == TermId::TRUE || !seen.insert(instance) {
                    continue;
                }
                found.push(instance);
                if !is_about_indices(store, instance) {
                    for place in self::places(store, &[instance]) {
                        let again = depths[at] + usize::from(place.0 == memory);
                        if again <= AGAIN && !places.contains(&place) {
                            places.push(place);
                            depths.push(again);
                        }
                    }
                } else if pairs < PAIRS {
                    pairs += 1;
                    known.extend(patterns(store, instance, both));
                    // What is left is about one index, by whichever name.
                    let map = HashMap::from_iter([(second, first)]);
                    found.push(store.substitute(instance, &map));
                }
            }
            next += 1;
        }
        tried = known.len();
        reached += 1;
    }
    found
}

/// The number in the place of `index` that makes `pattern` equal to `place`, or the next lower one.
fn solution(
    store: &mut TermStore,
    pattern: TermId,
    index: TermId,
    place: TermId,
) -> Option<TermId> {
    let (factor, rest) = store.linear_difference(pattern, place).isolate(index);
    let named = |leaf: TermId| indices(store).into_iter().any(|index| store.occurs(index, leaf));
    if factor.is_zero() || rest.terms.iter().map(|t| t.0).any(named) {
        return None;
    }
    let is_whole = |form: &LinearForm| {
        form.constant.is_integer() && form.terms.iter().all(|(_, c)| c.is_integer())
    };
    let rest = rest.negated();
    let mut value = rest.clone();
    value.scale(&factor.recip());
    if is_whole(&value) {
        return Some(store.mk_linear(&value, SortId::INT));
    }
    if !is_whole(&rest) || !factor.is_integer() {
        return None;
    }
    let rest = store.mk_linear(&rest, SortId::INT);
    let factor = store.mk_number(factor, SortId::INT);
    Some(store.mk_div(rest, factor))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory, the cell at an index, and what is said of it.
    fn cell(store: &mut TermStore, at: TermId) -> (TermId, TermId) {
        let row = store.mk_array_sort(SortId::INT, SortId::INT);
        let rows = store.mk_array_sort(SortId::INT, row);
        let (memory, object) = (store.mk_const("mem", rows), store.mk_const("p", SortId::INT));
        let row = store.mk_select(memory, object);
        (memory, store.mk_select(row, at))
    }

    #[test]
    fn what_holds_of_all_indices_is_said_where_a_block_reads() {
        let mut store = TermStore::new();
        let index = index(&mut store);
        let (x, four, zero) = (store.mk_const("x", SortId::INT), store.mk_int(4), store.mk_int(0));
        let scaled = store.mk_mul(&[four, index]);
        let (memory, of_all) = cell(&mut store, scaled);
        let said = store.mk_eq(of_all, zero);
        let place = store.mk_mul(&[four, x]);
        let (_, of_x) = cell(&mut store, place);
        let expected = store.mk_eq(of_x, zero);
        let read = places(&store, &[expected]);
        assert_eq!(read, [(memory, place)]);
        let found = instances(&mut store, said, read, &|c| c == memory);
        assert_eq!(found, [expected]);
        // Of other memory nothing is said, and nothing where no index is meant.
        let other = vec![(x, place)];
        assert_eq!(instances(&mut store, said, other, &|_| true), []);
        assert_eq!(instances(&mut store, expected, vec![(memory, place)], &|_| true), []);
    }

    #[test]
    fn what_is_said_of_any_two_cells_is_said_of_those_of_a_block() {
        let mut store = TermStore::new();
        let [k, j] = indices(&mut store);
        let (x, y) = (store.mk_const("x", SortId::INT), store.mk_const("y", SortId::INT));
        let [(_, of_j), (memory, of_k), (_, of_x), (_, of_y)] =
            [j, k, x, y].map(|at| cell(&mut store, at));
        let said = store.mk_le(of_j, of_k);
        let read = vec![(memory, x), (memory, y)];
        let found = instances(&mut store, said, read, &|c| c == memory);
        let both = store.mk_le(of_x, of_y);
        // Where the second index is left over, the first one will do.
        let left = store.mk_le(of_k, of_x);
        let right = store.mk_le(of_x, of_k);
        assert!([both, left, right].iter().all(|expected| found.contains(expected)), "{found:?}");
        assert!(quantified(&store, said).starts_with("(\\forall integer j, k; "));
    }

    #[test]
    fn between_two_cells_the_lower_one_is_meant() {
        let mut store = TermStore::new();
        let index = index(&mut store);
        let (x, eight) = (store.mk_const("x", SortId::INT), store.mk_int(8));
        let (pattern, four) = (store.mk_mul(&[eight, index]), store.mk_int(4));
        let place = store.mk_mul(&[four, x]);
        let expected = store.mk_div(place, eight);
        assert_eq!(solution(&mut store, pattern, index, place), Some(expected));
        assert_eq!(solution(&mut store, x, index, place), None);
    }
}
