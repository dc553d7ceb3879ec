//! Random conjunctions over arrays: each that is refuted has interpolants, as a sequence and as a
//! tree, whatever its axioms join; each interpolant is rechecked.
//!
//! A problem looks like a path that was cut into partitions: each knows a few arrays and numbers of
//! its neighbours and some of its own. So writes, the indices that they write at, and the reads that
//! refute them meet across cuts.

use super::*;
use bolide_terms::{SortId, TermId};
use bolide_testing::Dice;

/// What a random problem is made of.
#[derive(Clone, Copy, Debug)]
struct Profile {
    element: Element,
    /// Percentage of array terms that are constant arrays.
    constants: usize,
    /// Percentage of literals that are disjunctions of two.
    disjunctions: usize,
    /// Percentage of elements that are applications of a function.
    functions: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Int,
    Uninterpreted,
}

const BASE: Profile =
    Profile { element: Element::Int, constants: 0, disjunctions: 0, functions: 0 };

struct Maker<'a> {
    store: &'a mut TermStore,
    dice: &'a mut Dice,
    profile: Profile,
    element: SortId,
    arrays: Vec<TermId>,
    indices: Vec<TermId>,
    elements: Vec<TermId>,
}

impl Maker<'_> {
    fn array(&mut self, depth: usize) -> TermId {
        if self.dice.chance(self.profile.constants) {
            let (sort, value) = (self.store.sort(self.arrays[0]), self.element(0));
            return self.store.mk_const_array(sort, value);
        }
        if depth == 0 || self.dice.chance(30) {
            return self.dice.pick(&self.arrays);
        }
        let (array, index, value) = (self.array(depth - 1), self.index(), self.element(1));
        self.store.mk_store(array, index, value)
    }

    fn index(&mut self) -> TermId {
        let index = self.dice.pick(&self.indices);
        if self.dice.chance(20) {
            let distance = self.store.mk_int(self.dice.between(-1, 1));
            return self.store.mk_add(&[index, distance]);
        }
        index
    }

    fn element(&mut self, depth: usize) -> TermId {
        let element = if depth > 0 && self.dice.chance(40) {
            let (array, index) = (self.dice.pick(&self.arrays), self.index());
            self.store.mk_select(array, index)
        } else {
            self.dice.pick(&self.elements)
        };
        if self.dice.chance(self.profile.functions) {
            let sort = self.element;
            let function = self.store.declare_fn("f", &[sort], sort);
            return self.store.mk_app(function, &[element]);
        }
        element
    }

    fn literal(&mut self) -> TermId {
        if self.dice.chance(self.profile.disjunctions) {
            let either = [self.simple_literal(), self.simple_literal()];
            return self.store.mk_or(&either);
        }
        self.simple_literal()
    }

    fn simple_literal(&mut self) -> TermId {
        match self.dice.roll(10) {
            0..4 => {
                let (left, right) = (self.dice.pick(&self.arrays), self.array(2));
                let equal = self.store.mk_eq(left, right);
                if self.dice.chance(15) { self.store.mk_not(equal) } else { equal }
            }
            4..7 => {
                let (array, index) = (self.array(1), self.index());
                let (left, right) = (self.store.mk_select(array, index), self.element(1));
                let equal = self.store.mk_eq(left, right);
                if self.dice.chance(60) { self.store.mk_not(equal) } else { equal }
            }
            7..9 => {
                let (left, right) = (self.index(), self.index());
                match self.dice.roll(3) {
                    0 => self.store.mk_eq(left, right),
                    1 => self.store.mk_neq(left, right),
                    _ => self.store.mk_le(left, right),
                }
            }
            _ => {
                let (left, right) = (self.element(1), self.element(1));
                if self.dice.chance(50) && self.profile.element == Element::Int {
                    self.store.mk_lt(left, right)
                } else {
                    self.store.mk_neq(left, right)
                }
            }
        }
    }
}

/// The formulas of a random problem.
fn problem(profile: Profile, dice: &mut Dice) -> (TermStore, Vec<TermId>) {
    let mut store = TermStore::new();
    let element = match profile.element {
        Element::Int => SortId::INT,
        Element::Uninterpreted => store.mk_uninterpreted_sort("E"),
    };
    let array = store.mk_array_sort(SortId::INT, element);
    let partitions = 2 + dice.roll(5);
    let literals = 4 / partitions + 1 + dice.roll(3);
    let everywhere = dice.chance(30);
    let mut formulas = Vec::new();
    for partition in 0..partitions {
        // Its own, and what it has in common with its neighbours or with all.
        let mut symbols = |kind: &str, sort: SortId, own: usize| -> Vec<TermId> {
            let mut names = vec![format!("{kind}_{partition}")];
            if everywhere {
                names.push(kind.to_owned());
            }
            names.extend((1..own).map(|n| format!("{kind}_{partition}_{n}")));
            if partition > 0 {
                names.push(format!("{kind}_{}", partition - 1));
            }
            names.iter().map(|name| store.mk_const(name, sort)).collect()
        };
        let arrays = symbols("m", array, 1);
        let (indices, elements) = (symbols("i", SortId::INT, 2), symbols("v", element, 1));
        let mut maker =
            Maker { store: &mut store, dice, profile, element, arrays, indices, elements };
        let conjuncts: Vec<TermId> = (0..literals).map(|_| maker.literal()).collect();
        formulas.push(store.mk_and(&conjuncts));
    }
    (store, formulas)
}

/// Arrays that are written one after the other, in any direction, here and there at an index that
/// only one partition knows; and as many places as there were writes, and one more, at which the first
/// differs from the last.
fn pigeons(dice: &mut Dice) -> (TermStore, Vec<TermId>) {
    let mut store = TermStore::new();
    let array = store.mk_array_sort(SortId::INT, SortId::INT);
    let partitions = 2 + dice.roll(4);
    let mut members: Vec<Vec<TermId>> = vec![Vec::new(); partitions];
    let first = if dice.chance(30) {
        let value = store.mk_const("c", SortId::INT);
        store.mk_const_array(array, value)
    } else {
        store.mk_const("m_0", array)
    };
    let mut last = first;
    let mut writes = 0;
    for step in 0..1 + dice.roll(2) {
        let next = store.mk_const(&format!("m_{}", step + 1), array);
        let (from, to) = if dice.chance(50) { (last, next) } else { (next, last) };
        let mut written = from;
        for _ in 0..1 + dice.roll(2 - step) {
            let index = store.mk_const(&format!("i_{writes}"), SortId::INT);
            let value = store.mk_const(&format!("v_{writes}"), SortId::INT);
            written = store.mk_store(written, index, value);
            writes += 1;
        }
        members[dice.roll(partitions)].push(store.mk_eq(to, written));
        last = next;
    }
    let mut places: Vec<TermId> = Vec::new();
    for number in 0..=writes {
        let place = store.mk_const(&format!("j_{number}"), SortId::INT);
        let reads = [first, last].map(|array| store.mk_select(array, place));
        members[dice.roll(partitions)].push(store.mk_neq(reads[0], reads[1]));
        // In order, so that all are different.
        if let Some(&before) = places.last() {
            members[dice.roll(partitions)].push(store.mk_lt(before, place));
        }
        places.push(place);
    }
    let formulas = members.iter().map(|members| store.mk_and(members)).collect();
    (store, formulas)
}

/// How many problems had no contradiction, and how many had interpolants.
#[derive(Debug, Default)]
struct Tally {
    satisfiable: usize,
    interpolated: usize,
}

/// Interpolants for all unsatisfiable problems of the first `count` seeds, or of as many as the
/// environment says, each as a sequence and as a tree.
fn run(count: u64, generate: impl Fn(&mut Dice) -> (TermStore, Vec<TermId>)) -> Tally {
    let wanted = std::env::var("BOLIDE_SEEDS").ok().and_then(|text| text.parse().ok());
    let mut tally = Tally::default();
    for seed in 0..wanted.unwrap_or(count) {
        let mut dice = Dice::new(seed);
        let (mut store, formulas) = generate(&mut dice);
        let store = &mut store;
        let options = Options { labelling: dice.pick(&LABELLINGS), ..Options::default() };
        let Some(proof) = problem::refutation(store, &formulas, &options).expect("decided") else {
            tally.satisfiable += 1;
            continue;
        };
        for parents in [chain(formulas.len()), random::random_tree(formulas.len(), &mut dice)] {
            // First in whatever way there is; then by instances of one side only.
            let ways = [
                tree_interpolants(store, &proof, &formulas, &parents, &options).map(Some),
                one_sided::one_sided_interpolants(store, &formulas, &parents, &options),
            ];
            for (way, found) in ways.into_iter().enumerate() {
                let budget = Budget::unlimited();
                let checked = match found {
                    Ok(Some(all)) => recheck_tree(store, &formulas, &parents, &all, &budget)
                        .map_err(|flaw| flaw.detail().to_owned()),
                    Ok(None) => Err("satisfiable".to_owned()),
                    Err(why) => Err(why.reason),
                };
                if let Err(why) = checked {
                    let texts: Vec<String> = formulas.iter().map(|&f| store.smtlib(f)).collect();
                    let labelling = options.labelling;
                    let texts = texts.join("\n");
                    panic!("seed {seed}, way {way}, {labelling:?}, {parents:?}: {why}\n{texts}");
                }
                tally.interpolated += 1;
            }
        }
    }
    tally
}

/// Runs the profile and demands that every second problem at least has interpolants.
fn check(profile: Profile, problems: u64) {
    let tally = run(problems, |dice| problem(profile, dice));
    assert!(tally.interpolated as u64 > 2 * problems, "too few are unsatisfiable: {tally:?}");
    assert!(tally.satisfiable as u64 * 10 > problems, "too easy: {tally:?}");
}

#[test]
fn reads_and_writes() {
    check(BASE, 150);
}

#[test]
fn elements_without_meaning() {
    check(Profile { element: Element::Uninterpreted, functions: 20, ..BASE }, 150);
}

#[test]
fn constant_arrays() {
    check(Profile { constants: 15, ..BASE }, 100);
}

#[test]
fn disjunctions() {
    check(Profile { disjunctions: 20, functions: 10, ..BASE }, 150);
    let element = Element::Uninterpreted;
    check(Profile { element, disjunctions: 20, constants: 15, ..BASE }, 100);
}

#[test]
fn more_differences_than_writes() {
    let tally = run(8, pigeons);
    assert_eq!(tally.satisfiable, 0);
}
