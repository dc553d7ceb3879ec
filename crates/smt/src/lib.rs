//! The interpolating SMT solver.
//!
//! [`Solver`] is the whole of it: assert terms under partitions, push and pop,
//! check, read models, cores, proofs and interpolants. It is CDCL(T): the
//! search is [`bolide_sat`], `clausify` turns formulas into clauses without
//! inventing names, `combination` joins congruence closure and linear arithmetic,
//! `arrays` and `bitvectors` reduce theirs to these, and every step can be
//! logged as a proof that [`bolide_proof`] checks.

pub mod solver;
pub mod entailment;

pub mod context;
pub mod proof_log;
mod clausify;
mod arrays;
mod bitvectors;

mod combination;
pub mod euf;
pub mod simplex;
mod linear;
mod integers;
mod nonlinear;
mod model;

pub mod interpolate;
pub mod newton;
pub mod script;
