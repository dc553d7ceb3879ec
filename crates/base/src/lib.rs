//! What every other crate stands on: typed ids and arenas, exact rationals,
//! source positions with diagnostics, budgets, races under them, and reasons for
//! having no answer.
//!
//! Nothing here knows C, logic or search. The clock is not read here either: a
//! [`budget::Budget`] is a flag that the command line raises.

pub mod affine;
pub mod arena;
pub mod budget;
pub mod diagnostic;
pub mod integer;
pub mod no_answer;
pub mod race;
pub mod rational;
pub mod source;

pub use arena::Arena;
pub use budget::{Budget, Exhausted};
pub use diagnostic::{Diagnostic, Severity};
pub use integer::Integer;
pub use no_answer::NoAnswer;
pub use rational::Rational;
pub use source::{Position, SourceMap, Span};

/// The hash map of the house: a fixed hasher, so that runs repeat. Where the
/// order of iteration could decide anything, sort or use an index instead.
pub type HashMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// The hash set that goes with [`HashMap`].
pub type HashSet<K> = rustc_hash::FxHashSet<K>;
