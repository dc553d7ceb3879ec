//! Heap logic: reachability along fields, sets of objects, order on data.
//!
//! Reading order: [`formula`] (the language), [`session`] (the decision
//! procedure), [`axioms`] (what reachability means to it), [`trees`] (how it speaks of them), [`mona`] (a judge for it); [`normal`] (one
//! form for predicates that split alike).

mod axioms;
pub mod formula;
pub mod mona;
pub mod normal;
pub mod session;
pub mod trees;

pub use formula::{FieldId, Formula, Kind, Signature, Symbol, Term};
pub use session::{Session, State, Undecided, Version};
