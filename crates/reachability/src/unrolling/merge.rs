//! The value of a slot where several ways meet.
//!
//! Equal values stay. Different ones become a constant that takes the value of the way that was taken. Arrays that
//! were written at known indices only, over the same array, are taken apart first: one constant for each
//! cell in which they differ. So memory of known layout stays a list of scalars, whatever ways meet, and what is
//! read from it folds.

use bolide_terms::{Op, TermId, TermStore};
use std::collections::BTreeMap;

/// Merges the values of slots; what each way says of the constants that were made is kept.
pub struct Merge<'s> {
    /// Where values are made.
    pub store: &'s mut TermStore,
    chosen: Vec<Vec<TermId>>,
}

impl<'s> Merge<'s> {
    /// For so many ways.
    pub fn new(store: &'s mut TermStore, ways: usize) -> Merge<'s> {
        Merge { store, chosen: vec![Vec::new(); ways] }
    }

    /// One value out of those of all ways; constants for it begin with the name.
    pub fn value(&mut self, name: &str, values: &[TermId]) -> TermId {
        let first = values[0];
        if values.iter().all(|&value| value == first) {
            return first;
        }
        if let Some(merged) = self.cells(name, values) {
            return merged;
        }
        let constant = self.store.mk_const(name, self.store.sort(first));
        for (chosen, &value) in self.chosen.iter_mut().zip(values) {
            chosen.push(self.store.mk_eq(constant, value));
        }
        constant
    }

    /// Arrays over the same array, cell by cell. As deep as arrays of arrays are.
    fn cells(&mut self, name: &str, values: &[TermId]) -> Option<TermId> {
        self.store.array_sorts(self.store.sort(values[0]))?;
        let (base, mut indices) = written(self.store, values[0]);
        for &value in &values[1..] {
            let (other, more) = written(self.store, value);
            if other != base {
                return None;
            }
            indices.extend(more);
        }
        let mut merged = base;
        for index in indices.into_keys() {
            let cells: Vec<TermId> =
                values.iter().map(|&value| self.store.mk_select(value, index)).collect();
            let name = match self.store.number(index) {
                Some(number) => format!("{name}[{number}]"),
                None => format!("{name}[{index:?}]"),
            };
            let cell = self.value(&name, &cells);
            merged = self.store.mk_store(merged, index, cell);
        }
        Some(merged)
    }

    /// What each way says of the constants.
    pub fn finish(self) -> Vec<Vec<TermId>> {
        self.chosen
    }
}

/// What an array was before it was written at known indices, and the value that it got at each.
fn written(store: &TermStore, array: TermId) -> (TermId, BTreeMap<TermId, TermId>) {
    let (mut base, mut cells) = (array, BTreeMap::new());
    while store.op(base) == Op::Store && store.is_value(store.arg(base, 1)) {
        cells.entry(store.arg(base, 1)).or_insert(store.arg(base, 2));
        base = store.arg(base, 0);
    }
    (base, cells)
}

/// An array without what was written over: each known index once. Other terms are as they are.
pub fn tidy(store: &mut TermStore, array: TermId) -> TermId {
    if store.op(array) != Op::Store {
        return array;
    }
    let (base, cells) = written(store, array);
    let mut tidied = base;
    for (index, value) in cells {
        let value = tidy(store, value);
        tidied = store.mk_store(tidied, index, value);
    }
    tidied
}
