//! The interpolating SMT solver.
//!
//! [`solver::Solver`] is the whole of it: assert terms under partitions, push and pop,
//! check, read models, cores, proofs and interpolants. It is CDCL(T): the
//! search is [`bolide_sat`], `clausify` turns formulas into clauses without
//! inventing names, `combination` joins congruence closure and linear arithmetic,
//! `arrays` and `bitvectors` reduce theirs to these, `joined` links integers with bits, and every step can be
//! logged as a proof that [`bolide_proof`] checks.

pub mod discharge;
pub mod entailment;
pub mod houdini;
pub mod language;
pub mod restricted;
pub mod solver;
pub mod split;
pub mod vocabulary;

mod arrays;
mod bitvectors;
pub mod candidate;
mod clausify;
pub mod context;
pub mod proof_log;

mod combination;
pub mod euf;
mod integers;
mod joined;
mod linear;
mod model;
mod nonlinear;
mod partition;
mod powers;
mod relevance;
pub mod simplex;

mod guess;
pub mod interpolate;
pub mod newton;
pub mod script;
