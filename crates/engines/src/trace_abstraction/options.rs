//! What trace abstraction is told.

use super::automaton::Construction;
use super::reuse::SharedStore;

/// What may be tuned.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Which automata are built.
    pub construction: Construction,
    /// Whether a few automata, not too large, are described for a drawing.
    pub pictures: bool,
    /// Where proofs of earlier programs are, and where this one is to be kept.
    pub proofs: Option<SharedStore>,
}
