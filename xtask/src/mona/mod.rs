//! MONA as the judge of the heap logic.
//!
//! MONA decides monadic second-order logic by automata over strings and trees. It knows no axioms of reachability,
//! no update formula and no instantiation, so what it says is independent of `bolide_heap::session`.
//! A question as it is asked ([`problem`]), quantifiers and writes included, is translated after section 6.3 of the
//! thesis on symbolic shape analysis ([`simulation`]); its steps are [`backbone`], [`preparation`],
//! [`field_constraints`], [`simplify`], [`text`] and [`example`]. [`trees`] judges random problems in which trees are
//! written to. Only text is made here; `fuzz-heap` starts the tool.

mod backbone;
mod example;
mod field_constraints;
mod preparation;
pub mod problem;
mod simplify;
pub mod simulation;
#[cfg(test)]
mod tests;
mod text;
pub mod trees;
