//! The label of a vertex: what holds whenever a run comes there, and the copies in which the path
//! to it says so.

use bolide_reachability::path_formula::{Ssa, Step};
use bolide_terms::{TermId, TermStore};

/// What is known of a vertex.
pub struct Label {
    /// How the vertex is reached from its parent; none for the root.
    pub step: Option<Step>,
    /// Sorted; `false` stands alone.
    conjuncts: Vec<TermId>,
}

impl Label {
    /// `true`, at the root.
    pub fn root() -> Label {
        Label { step: None, conjuncts: Vec::new() }
    }

    /// `true`, after a step.
    pub fn after(step: Step) -> Label {
        Label { step: Some(step), conjuncts: Vec::new() }
    }

    /// The copies that are current.
    pub fn ssa(&self) -> Ssa {
        self.step.as_ref().map_or_else(Ssa::start, |step| step.after.clone())
    }

    /// As one formula over state constants.
    pub fn formula(&self, store: &mut TermStore) -> TermId {
        store.mk_and(&self.conjuncts)
    }

    /// Its conjuncts.
    pub fn conjuncts(&self) -> &[TermId] {
        &self.conjuncts
    }

    /// Whether the conjuncts of `other` are all among these.
    pub fn includes(&self, other: &Label) -> bool {
        other.conjuncts.iter().all(|c| self.conjuncts.binary_search(c).is_ok())
    }

    /// Adds a conjunct.
    pub fn conjoin(&mut self, fact: TermId) {
        if fact == TermId::FALSE {
            self.conjuncts = vec![fact];
        } else if let Err(place) = self.conjuncts.binary_search(&fact) {
            self.conjuncts.insert(place, fact);
        }
    }
}
