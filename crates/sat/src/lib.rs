//! Conflict-driven clause learning over literals, with hooks for a theory and
//! for a proof.
//!
//! After Marques-Silva and Sakallah (GRASP), Moskewicz et al. (Chaff) and Een and Sorensson
//! (MiniSat); the theory hooks follow DPLL(T) of Nieuwenhuis, Oliveras and Tinelli.
//! Nothing here knows terms: a theory is anything that implements [`Theory`], a
//! proof anything that implements [`ProofSink`].

mod literal;
mod proof;
mod theory;

pub use literal::{Lit, Var};
pub use proof::{ProofId, ProofSink};
pub use theory::{Actions, FinalCheck, Keep, NoTheory, Theory, View};
