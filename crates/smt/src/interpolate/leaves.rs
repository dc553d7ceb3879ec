//! What the leaves of a theory work with.

use super::colours::Colours;
use super::patterns::Patterns;
use bolide_terms::TermStore;

/// The terms, who knows them, and the patterns of mixed literals.
pub(crate) struct Context<'a, 't> {
    pub store: &'a mut TermStore,
    pub colours: &'a mut Colours<'t>,
    pub patterns: &'a mut Patterns,
}
