//! Heap logic: reachability along fields, sets of objects, order on data; and programs in it.
//!
//! Reading order: [`formula`] (the language), [`session`] (the decision
//! procedure), [`axioms`] (what reachability means to it), [`certainty`] (what it decides), [`lists`] and [`trees`] (how
//! it speaks of them); [`normal`] (one form for predicates that split alike);
//! [`program`] (programs as heaps, what search and audit both start from).

mod axioms;
mod certainty;
mod compiled;
pub mod formula;
pub mod graph;
mod kinds;
pub mod lists;
pub mod normal;
pub mod program;
pub mod session;
pub mod trees;

pub use certainty::Certainty;
pub use formula::{FieldId, Formula, Kind, Signature, Symbol, Term};
pub use kinds::is_well_kinded;
pub use session::{Session, State, Statistics, Undecided, Version};
