//! Conflict-driven clause learning over literals, with hooks for a theory and
//! for a proof.
//!
//! After Marques-Silva and Sakallah (GRASP), Moskewicz et al. (Chaff) and Een and Sorensson
//! (MiniSat); the theory hooks follow DPLL(T) of Nieuwenhuis, Oliveras and Tinelli.
//! Nothing here knows terms: a theory is anything that implements [`Theory`], a
//! proof anything that implements [`ProofSink`].

mod analysis;
mod clauses;
mod dimacs;
mod heap;
mod literal;
mod maintenance;
mod phases;
mod proof;
mod propagation;
mod restarts;
mod solver;
mod theory;

pub use dimacs::Dimacs;
pub use literal::{Lit, Var};
pub use proof::{ProofId, ProofSink};
pub use solver::{Outcome, Solver, Statistics};
pub use theory::{Actions, FinalCheck, Keep, NoTheory, Theory};
