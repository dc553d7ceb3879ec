//! What the leaves of a theory work with.

use super::colours::{Colours, Side, Sides};
use super::patterns::Patterns;
use bolide_terms::{TermId, TermStore};

/// One cut: the terms, who knows them there, and the patterns of mixed literals.
pub(crate) struct Context<'a, 't> {
    pub store: &'a mut TermStore,
    pub colours: &'a mut Colours<'t>,
    pub patterns: &'a mut Patterns,
    pub cut: u32,
}

impl Context<'_, '_> {
    /// The sides of a term.
    pub fn sides(&mut self, term: TermId) -> Sides {
        self.colours.sides_at(self.store, term, self.cut)
    }

    /// The side on which a lemma takes the literal; none if it is mixed.
    pub fn side(&mut self, atom: TermId) -> Option<Side> {
        self.colours.side(self.store, atom, self.cut)
    }
}
