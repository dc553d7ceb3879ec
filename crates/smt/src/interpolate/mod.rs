//! Interpolants of sequences and trees of formulas, from one proof.
//!
//! The formulas of an unsatisfiable problem are distributed over *partitions*
//! that form a tree (a sequence is a chain). Cutting the tree below a node
//! separates A, the formulas of the subtree, from B, the rest; the interpolant
//! of the node is implied by A, contradicts B, and speaks only of symbols that
//! both know. All are read off one proof by a scan from its first to its last
//! step ([`scan`]), and so they fit together: the interpolants of the
//! children of a node, with the node's own formula, imply the node's (for a
//! sequence: each with the next formula implies the next). Each clause of the
//! proof gets a *partial interpolant* for every cut:
//!
//! | step | partial interpolant | where |
//! |---|---|---|
//! | assertion, definition | of A: its literals labelled B; of B: the negations of those labelled A | [`scan`] |
//! | Farkas lemma | A's part of the sum | [`arithmetic`] |
//! | trichotomy, bounds of an equality, splits with mixed literals | patterns EQ and LA | [`arithmetic`] |
//! | congruence lemma | summary of the path | [`equality`] |
//! | resolution | or, and, selection by the pivot's label; the rules of the patterns for a mixed pivot | [`scan`], [`patterns`] |
//!
//! Labels come from [`colours`]; a value for every cut is kept as [`runs`].
//!
//! The labelled interpolation systems are those of McMillan, Pudlak and
//! D'Silva et al.; mixed literals follow Christ, Hoenicke and Nutz, *Proof tree
//! preserving interpolation*. Deviations: literals of input formulas are
//! labelled by occurrence instead of by their symbols (see [`colours`]), and the
//! congruence path is computed here anew instead of being part of the proof.
//!
//! Limits. A proof with instances of array axioms that join an array of one side with an index
//! of the other, or with a name for the place at which arrays of both sides differ, has no
//! interpolants. [`tree_interpolants`] then tries projection
//! ([`newton`](crate::newton)), which says what people would write and may fail, and after that
//! makes other proofs, in which each instance belongs to one side ([`one_sided`]). Non-linear
//! lemmas across sides and quantifiers are left. Interpolants over integers may contain `div`, those
//! over arrays `diff`.
//!
//! [`recheck_sequence`] and [`recheck_tree`] prove everything that is said above for given interpolants anew.

mod arithmetic;
mod colours;
mod consequences;
mod equality;
mod failure;
mod instances;
mod leaves;
mod one_sided;
mod patterns;
mod problem;
mod recheck;
mod runs;
mod scan;
mod simplify;
mod tree;
mod uninterpreted;

pub use colours::Labelling;
pub use failure::NoInterpolant;
pub use problem::{chain, sequence_interpolants, tree_interpolants};
pub(crate) use recheck::{needed_conjuncts, refute};
pub use recheck::{recheck_sequence, recheck_tree};
pub use scan::{Options, interpolate_sequence, interpolate_tree};
pub use simplify::simplify;
pub(crate) use tree::from_the_leaves;

#[cfg(test)]
mod tests;
