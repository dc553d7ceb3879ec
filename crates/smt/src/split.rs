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

    /// Interpolants of the split tree as some of the tree.
    pub fn meanings(&self, store: &mut TermStore, interpolants: Vec<TermId>) -> Vec<TermId> {
        interpolants.into_iter().map(|i| self.meaning(store, i)).collect()
    }

    /// An interpolant of the split tree as one of the tree.
    fn meaning(&self, store: &mut TermStore, interpolant: TermId) -> TermId {
        store.substitute(interpolant, &self.meaning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discharge::{Decided, decide};
    use crate::interpolate::{Options, interpolate_tree};
    use bolide_base::Budget;

    /// `x = 0 and y = 0`, then both grow by three, then `x != y`: what may be told decides whether that is refuted.
    #[test]
    fn interpolants_are_in_the_atoms() {
        let mut store = TermStore::new();
        let [x0, y0, x1, y1] =
            ["x0", "y0", "x1", "y1"].map(|name| store.mk_const(name, SortId::INT));
        let (zero, three) = (store.mk_int(0), store.mk_int(3));
        let start = [store.mk_eq(x0, zero), store.mk_eq(y0, zero)];
        let grown = [store.mk_add(&[x0, three]), store.mk_add(&[y0, three])];
        let step = [store.mk_eq(x1, grown[0]), store.mk_eq(y1, grown[1])];
        let end = store.mk_distinct(&[x1, y1]);
        let formulas = [store.mk_and(&start), store.mk_and(&step), end];
        let parents = [1, 2, 2];
        let equal = [store.mk_eq(x0, y0), store.mk_eq(x1, y1)];
        let bound = [store.mk_le(x0, zero), store.mk_le(x1, three)];
        let mut refuted = |atoms: [TermId; 2]| {
            let atoms = [vec![atoms[0]], vec![atoms[1]], Vec::new()];
            let split = Split::new(&mut store, &formulas, &parents, &atoms);
            let budget = Budget::unlimited();
            match decide(&mut store, &split.formulas, &budget).expect("it is decided") {
                Decided::Sat(_) => None,
                Decided::Unsat(proof) => {
                    let found = interpolate_tree(&mut store, &proof, &parents, &Options::default())
                        .expect("there are interpolants");
                    Some(found.iter().map(|&i| split.meaning(&mut store, i)).collect::<Vec<_>>())
                }
            }
        };
        let found = refuted(equal).expect("x = y refutes it");
        assert_eq!(found[..2], equal);
        assert_eq!(refuted(bound), None);
    }
}
