//! Sorts, hash-consed terms, rewriting, evaluation, SMT-LIB.
//!
//! The logic of the house, and nothing about solving it. A [`TermStore`] owns
//! all terms of one thread; a [`TermId`] is four bytes, and two terms are equal
//! exactly when their ids are. The constructors (`mk_*`) normalise, so that
//! what is obviously equal is also identical:
//!
//! - Boolean structure consists of `Not`, `And`, `Or`, `Eq` and `Ite` only;
//!   `=>`, `xor`, `distinct` are rewritten ([`boolean`]);
//! - arithmetic is linear normal form; every arithmetic atom is `t <= k`,
//!   `t < k` (reals) or `t = k` over a canonical constant-free term `t` and a
//!   number `k`, or `x = y` between two leaves ([`arithmetic`]);
//! - derived bit-vector operations are expressed by a small kernel
//!   ([`bitvector`]);
//! - conversions between integers and bit-vectors are pushed to the leaves
//!   ([`conversion`]); powers of two have numbers as exponents where they can ([`powers`]);
//! - quantifiers are syntax only ([`quantifier`]).
//!
//! No function here recurses on the depth of a term.

mod op;
mod sort;
mod store;

pub mod algebraic;
pub mod arithmetic;
pub mod array;
pub mod bitvector;
pub mod boolean;
pub mod circuit;
pub mod conversion;
mod equations;
pub mod evaluate;
pub mod float;
pub mod infix;
pub mod linear;
pub mod model;
mod overflow;
pub mod powers;
pub mod quantifier;
pub mod residue;
pub mod smtlib;
pub mod translate;
pub mod traverse;

pub use evaluate::{EvaluateError, Evaluator, evaluate};
pub use float::{FloatFormat, RoundingMode};
pub use linear::{LinearForm, Relation};
pub use model::{ArrayValue, FunctionValue, Model, Value};
pub use op::{FunctionId, NumberId, Op};
pub use sort::{Sort, SortId, SymbolId};
pub use store::{Function, TermId, TermStore};

#[cfg(test)]
mod tests;
