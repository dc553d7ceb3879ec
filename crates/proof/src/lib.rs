//! The proof format and its independent checker.
//!
//! A [`Proof`] is a list of steps, each of which concludes a clause from
//! nothing (an assertion, a tautology, a theory lemma with its certificate) or
//! from earlier clauses (resolution). The [`checker`](mod@check) recomputes every
//! step with data structures of its own; it knows terms and nothing of any
//! search. Names are never invented: the literal of a subformula is that
//! subformula.

mod check;
mod format;
mod print;

mod arithmetic;
mod bits;
mod congruence;
mod polynomial;
mod powers;
mod tautology;

pub use check::{Rejection, check, check_refutation};
pub use format::{Certificate, Literal, Partition, Proof, Rule, Step, StepId, Tautology};

/// What a check requires, in the words that reject it otherwise.
fn ensure(holds: bool, otherwise: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise.to_owned()) }
}
