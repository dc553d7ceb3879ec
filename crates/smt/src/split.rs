//! Formulas that tell each other nothing but which of some atoms hold.
//!
//! Interpolants in a given vocabulary, after Jhala, McMillan, "A practical and complete approach to predicate
//! refinement" (TACAS 2006), where the formulas of a path are decided by provers that exchange facts of a
//! restricted language only. Here that is one question: each formula gets constants of its own, and what joins it
//! to its neighbours is a propositional letter for each atom, which means the atom on both sides.
//! Is the split tree unsatisfiable, then its interpolants are over letters, that is, Boolean combinations of the
//! atoms. Is it satisfiable, then there are none: its model has, at each joint, two states that agree on all atoms.
//! Proofs are those of the prover; nothing here needs to be believed.

use bolide_base::HashMap;
use bolide_terms::{SortId, TermId, TermStore};

/// A tree of formulas that share letters only.
pub struct Split {
    /// The formulas, one for each of the tree.
    pub formulas: Vec<TermId>,
    /// What letters mean in the tree.
    meaning: HashMap<TermId, TermId>,
    /// For each formula its constants by those of the tree.
    own: Vec<HashMap<TermId, TermId>>,
}

impl Split {
    /// Splits a tree. `atoms` are, for each formula, what it may tell its parent, in the constants of the tree; the
    /// root is its own parent.
    pub fn new(
        store: &mut TermStore,
        formulas: &[TermId],
        parents: &[usize],
        atoms: &[Vec<TermId>],
    ) -> Split {
        let own = vec![HashMap::default(); formulas.len()];
        let mut split = Split { formulas: Vec::new(), meaning: HashMap::default(), own };
        for (node, &formula) in formulas.iter().enumerate() {
            let own = split.own(store, node, formula);
            split.formulas.push(own);
        }
        for (node, (&parent, atoms)) in parents.iter().zip(atoms).enumerate() {
            for &atom in atoms {
                let letter = store.mk_fresh_const("letter", SortId::BOOL);
                split.meaning.insert(letter, atom);
                for side in [node, parent] {
                    let own = split.own(store, side, atom);
                    let same = store.mk_eq(letter, own);
                    split.formulas[side] = store.mk_and(&[split.formulas[side], same]);
                }
            }
        }
        split
    }

    /// A term of the tree in the constants of one formula.
    pub fn own(&mut self, store: &mut TermStore, node: usize, term: TermId) -> TermId {
        let own = &mut self.own[node];
        for constant in store.constants(term) {
            let sort = store.sort(constant);
            own.entry(constant).or_insert_with(|| store.mk_fresh_const("split", sort));
        }
        store.substitute(term, own)
    }

    /// An interpolant of the split tree as one of the tree.
    pub fn meaning(&self, store: &mut TermStore, interpolant: TermId) -> TermId {
        store.substitute(interpolant, &self.meaning)
    }
}
