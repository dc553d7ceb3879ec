//! Semantic caching (section 6.2.3 of the thesis).
//!
//! Two kinds of questions are asked of a path from a Boolean heap: whether it can be executed at all (it leads to an
//! error), and whether a quantified predicate holds after it. A *no* and a *yes* are refutations, and the
//! prover says which parts of the heap they need: most need a few facts about the state, many
//! nothing of what is said of all objects. The answer holds for every heap that has these parts, and, as far as
//! they speak of all objects, for every heap with fewer abstract objects: contexts are ordered, and
//! what follows from a weaker one follows from a stronger one.
//!
//! The search alone asks here; the audit does not know what was refuted.

use super::canonical::Remembered;
use super::diagrams::{Diagrams, ObjectSet};
use bolide_base::HashMap;
use bolide_cfa::LocId;
use bolide_heap::Formula;
use bolide_verdict::certificate::{Cube, StateBits};

/// A path by its start and number, and what is to hold after it (none: it cannot be executed).
pub type Question = (LocId, usize, Option<Formula>);

/// The parts of heaps from which a question is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    /// State predicates whose truth value it needs, and these values.
    pub state: Cube,
    /// The abstract objects there may be, when that matters. Predicates are only ever added, so bits keep their meaning.
    pub objects: Option<ObjectSet>,
}

impl Refutation {
    /// Whether a heap has all the parts.
    fn applies(&self, diagrams: &Diagrams, bits: StateBits, objects: ObjectSet) -> bool {
        bits & self.state.mask == self.state.bits
            && self.objects.is_none_or(|all| diagrams.is_subset(objects, all))
    }
}

/// What was refuted so far.
#[derive(Debug, Default)]
pub struct Cache {
    known: HashMap<Question, Vec<Refutation>>,
    /// How often a refutation was found here.
    pub hits: u64,
    /// Answers to questions that are the same but for names.
    pub remembered: Remembered,
}

impl Cache {
    /// An empty one, but for what was refuted in other names.
    pub fn new(remembered: Remembered) -> Cache {
        Cache { remembered, ..Cache::default() }
    }

    /// Whether a refutation answers the question for a heap.
    pub fn has(
        &mut self,
        diagrams: &Diagrams,
        question: &Question,
        bits: StateBits,
        objects: ObjectSet,
    ) -> bool {
        let mut all = self.known.get(question).into_iter().flatten();
        let found = all.any(|refutation| refutation.applies(diagrams, bits, objects));
        self.hits += u64::from(found);
        found
    }

    /// Keeps a refutation.
    pub fn add(&mut self, question: Question, refutation: Refutation) {
        self.known.entry(question).or_default().push(refutation);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refutation_holds_for_stronger_contexts_only() {
        let diagrams = Diagrams::default();
        let objects = |all: &[u64]| {
            all.iter().fold(ObjectSet::EMPTY, |set, &bits| {
                diagrams.union(set, diagrams.cube(Cube { mask: 0b111, bits }))
            })
        };
        let mut cache = Cache::default();
        let question: Question = (bolide_base::arena::Id::from_index(0), 1, None);
        let state = Cube { mask: 0b101, bits: 0b001 };
        let refutation = Refutation { state, objects: Some(objects(&[1, 2, 4])) };
        cache.add(question.clone(), refutation);
        let mut find = |question: &Question, bits: u64, objects: ObjectSet| {
            cache.has(&diagrams, question, bits, objects)
        };
        assert!(find(&question, 0b001, objects(&[1, 4])));
        assert!(find(&question, 0b011, objects(&[])));
        // A predicate that was added later.
        let more = diagrams.intersection(objects(&[1, 4]), diagrams.literal(3, true));
        assert!(find(&question, 0b001, more));
        // Another value of a predicate, another object, less known of one, another path.
        assert!(!find(&question, 0b101, objects(&[1])));
        assert!(!find(&question, 0b001, objects(&[1, 3])));
        assert!(!find(&question, 0b001, diagrams.literal(0, true)));
        assert!(!find(&(question.0, 2, None), 0b001, objects(&[1])));
        assert_eq!(cache.hits, 3);
    }
}
