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
//! Limit: one index in each invariant.

use crate::sums;
use bolide_base::{HashMap, HashSet, Rational};
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};

/// Heuristic: what is said at so many places is enough.
const PLACES: usize = 32;

/// The constant that stands for any index.
pub fn index(store: &mut TermStore) -> TermId {
    store.mk_const("index!", SortId::INT)
}

/// Whether this constant, of any store, is the index constant.
pub fn is_index(store: &TermStore, constant: TermId) -> bool {
    let function = store.function_of(constant);
    function.is_some_and(|f| store.name(store.function(f).name) == "index!")
}

/// Whether something is said of all indices.
pub fn is_about_indices(store: &TermStore, formula: TermId) -> bool {
    store.symbols(formula).iter().any(|&f| store.name(store.function(f).name) == "index!")
}

/// What is said of the index constant, in infix notation with the name `k` for it.
pub fn in_words(store: &TermStore, formula: TermId) -> String {
    sums::in_words(store, formula).replace("index!", "k")
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
    let index = index(store);
    let mut patterns: Vec<(TermId, Place)> = Vec::new();
    for conjunct in store.conjuncts(said) {
        let of_indices = self::places(store, &[conjunct]).into_iter();
        patterns.extend(of_indices.filter(|p| store.occurs(index, p.1)).map(|p| (conjunct, p)));
    }
    let mut seen: HashSet<(TermId, TermId)> = HashSet::default();
    let mut next = 0;
    while next < places.len().min(PLACES) {
        let (memory, place) = places[next];
        next += 1;
        for &(conjunct, (of, pattern)) in &patterns {
            let same = of == memory || !is_state(memory) && store.sort(of) == store.sort(memory);
            let Some(value) = same.then(|| solution(store, pattern, index, place)).flatten() else {
                continue;
            };
            if value != index && seen.insert((conjunct, value)) {
                let map = HashMap::from_iter([(index, value)]);
                let instance = store.substitute(conjunct, &map);
                let more = self::places(store, &[instance]);
                places.extend(
                    more.iter().filter(|p| !places.contains(p)).copied().collect::<Vec<_>>(),
                );
                found.push(instance);
            }
        }
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
    if factor.is_zero() || rest.terms.iter().any(|&(leaf, _)| store.occurs(index, leaf)) {
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
