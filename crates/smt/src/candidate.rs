//! Models in the making, and lemmas that exclude them.
//!
//! A caller may know more than it has asserted: axioms with too many instances to assert them all, or models that it has
//! seen and wants no more. Asserting what the last model violates and checking again works, but every check begins from
//! nothing. With [`Lemmas`] the caller is asked during search, at every assignment that satisfies all theories, and what
//! it answers becomes a clause there: the search goes back only as far as that clause demands.

use bolide_sat::{Lit, Var};
use bolide_terms::model::{Model, Value};
use bolide_terms::{Op, TermId, TermStore};

use crate::bitvectors::BitVectors;
use crate::combination::Combination;
use crate::context::Atoms;

/// What a caller knows beyond what it asserted.
pub trait Lemmas {
    /// Formulas that the candidate violates, to be asserted. None: it is good, and the search ends with `Sat`.
    ///
    /// They are kept as if asserted outside of all scopes.
    fn violated(&mut self, store: &mut TermStore, candidate: &Candidate<'_>) -> Vec<TermId>;
}

/// An assignment that satisfies the clauses and the theories.
pub struct Candidate<'a> {
    pub(crate) combination: &'a Combination,
    pub(crate) bitvectors: &'a BitVectors,
    pub(crate) atoms: &'a Atoms,
    pub(crate) value: &'a dyn Fn(Lit) -> Option<bool>,
}

impl Candidate<'_> {
    /// Terms of one class are equal. None for terms that no atom speaks of.
    pub fn class(&self, term: TermId) -> Option<u32> {
        let node = self.combination.known_node(term)?;
        Some(self.combination.egraph.root(node).0)
    }

    /// The truth value of an atom or its negation. None for what is no atom of the search.
    pub fn truth(&self, store: &TermStore, formula: TermId) -> Option<bool> {
        let (atom, positive) = store.atom_and_sign(formula);
        self.atoms.var(atom).and_then(|var| (self.value)(var.lit(positive)))
    }

    /// Values for all symbols, in which nothing was evaluated yet.
    pub fn model(&self, store: &TermStore) -> Model {
        let mut model = Model::new();
        for (index, &atom) in self.atoms.terms().iter().enumerate() {
            if let Op::Apply(constant) = store.op(atom)
                && store.args(atom).is_empty()
            {
                let value = (self.value)(Var::new(index).lit(true)).unwrap_or(false);
                model.set_constant(constant, Value::Bool(value));
            }
        }
        let truth = |formula: TermId| self.truth(store, formula);
        let bits = |term: TermId| self.bitvectors.value(store, term, &truth);
        self.bitvectors.constants(store, &truth, &mut model);
        crate::model::build(self.combination, store, &truth, &bits, &mut model);
        model
    }
}
