//! What engines that work side by side tell each other.
//!
//! A board with a store of its own: whoever publishes translates a formula
//! into that store, whoever collects translates it into the own one. Formulas
//! are about the parameters of a relation. Two kinds: *invariants* hold of
//! everything derivable; *candidates* are worth asking about, as interface predicates of
//! abstraction refinement or as lemmas of property-directed reachability.
//! Neither kind is trusted further than the audit of the answer.

use crate::system::RelationId;
use bolide_terms::translate::Translation;
use bolide_terms::{TermId, TermStore};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is claimed of a published formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Holds of everything derivable.
    Invariant,
    /// Perhaps.
    Candidate,
}

struct Note {
    from: usize,
    relation: RelationId,
    formula: TermId,
    kind: Kind,
}

/// Shared between the engines.
#[derive(Default)]
pub(crate) struct Board {
    contents: Mutex<Contents>,
}

#[derive(Default)]
struct Contents {
    store: TermStore,
    notes: Vec<Note>,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One engine's access to the board.
pub(crate) struct Desk<'a> {
    board: &'a Board,
    owner: usize,
    /// How many notes were read.
    read: usize,
    outward: Translation,
    inward: Translation,
}

impl<'a> Desk<'a> {
    pub(crate) fn new(board: &'a Board, owner: usize) -> Desk<'a> {
        Desk {
            board,
            owner,
            read: 0,
            outward: Translation::default(),
            inward: Translation::default(),
        }
    }

    /// Tells the others a formula about a relation.
    pub(crate) fn publish(
        &mut self,
        store: &TermStore,
        relation: RelationId,
        formula: TermId,
        kind: Kind,
    ) {
        let mut contents = self.board.lock();
        let formula = self.outward.term(store, &mut contents.store, formula);
        contents.notes.push(Note { from: self.owner, relation, formula, kind });
    }

    /// What the others have told since the last time.
    pub(crate) fn collect(&mut self, store: &mut TermStore) -> Vec<(RelationId, TermId, Kind)> {
        let contents = self.board.lock();
        let mut result = Vec::new();
        for note in &contents.notes[self.read..] {
            if note.from != self.owner {
                let formula = self.inward.term(&contents.store, store, note.formula);
                result.push((note.relation, formula, note.kind));
            }
        }
        self.read = contents.notes.len();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_base::arena::Id;
    use bolide_terms::SortId;

    #[test]
    fn formulas_arrive_in_the_other_store() {
        let board = Board::default();
        let (mut ours, mut theirs) = (TermStore::new(), TermStore::new());
        // Different ids on both sides.
        theirs.mk_const("before", SortId::BOOL);
        let array = ours.mk_array_sort(SortId::INT, SortId::REAL);
        let (a, i) = (ours.mk_const("r@0", array), ours.mk_const("r@1", SortId::INT));
        let read = ours.mk_select(a, i);
        let half = ours.mk_real(bolide_base::Rational::new(1, 2));
        let (less, three) = (ours.mk_lt(read, half), ours.mk_int(3));
        let at_most = ours.mk_le(i, three);
        let formula = ours.mk_or(&[less, at_most]);
        let relation = RelationId::from_index(0);
        let (mut mine, mut other) = (Desk::new(&board, 0), Desk::new(&board, 1));
        mine.publish(&ours, relation, formula, Kind::Candidate);
        let told = other.collect(&mut theirs);
        let [(about, arrived, Kind::Candidate)] = told[..] else { panic!("{told:?}") };
        assert_eq!(about, relation);
        // Arguments are sorted by ids, which differ: back again they are the same.
        other.publish(&theirs, relation, arrived, Kind::Invariant);
        assert_eq!(mine.collect(&mut ours), [(relation, formula, Kind::Invariant)]);
        // Nothing is told twice, and nobody hears himself.
        assert!(mine.collect(&mut ours).is_empty() && other.collect(&mut theirs).is_empty());
    }
}
