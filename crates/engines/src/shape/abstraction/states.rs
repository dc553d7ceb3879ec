//! Abstract states: sets of Boolean heaps.
//!
//! One heap for each truth assignment to the
//! predicates about the state alone: so two states that a predicate tells apart are never
//! joined.
//!
//! Sets of bit-vectors are decision diagrams ([`diagrams`](super::diagrams)), and the
//! formula that a heap stands for has a disjunct for each cube of an irredundant cover of its
//! set: quantifiers are instantiated at many objects, so every literal that the formula lacks is saved many times.
//! (Measured and dropped: covers that may include contradictory objects, such as one that `x` points to and that
//! is not reachable from `x`. A quarter of the literals went, none of the time.)

use super::diagrams::{Diagrams, ObjectSet};
use bolide_verdict::certificate::StateBits;
use std::collections::BTreeMap;

/// A set of Boolean heaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbstractState {
    /// By the truth values of the state predicates.
    pub heaps: BTreeMap<StateBits, ObjectSet>,
}

impl AbstractState {
    /// Adds abstract objects; whether any is new.
    pub fn insert(&mut self, diagrams: &Diagrams, state: StateBits, objects: ObjectSet) -> bool {
        let heap = self.heaps.entry(state).or_insert(ObjectSet::EMPTY);
        let before = *heap;
        *heap = diagrams.union(before, objects);
        *heap != before
    }
}
