//! Verdicts: what they claim, who checks it, and what they rest on.
//!
//! | question | here |
//! |---|---|
//! | which programs do proofs speak of? | [`prepared`] |
//! | does the reduced program show all errors of the whole one? | [`simulation`] |
//! | are the invariants of a certificate inductive? | [`audit`] |
//! | does the counterexample happen? | [`replay`], [`alternatives`], [`concretize`], [`filled`] |
//!
//! Nothing here knows an engine. An engine hands over plain data: a certificate with the terms it
//! is written in, or a path with the values that were chosen on it. The audit encodes the program for itself.

pub mod alternatives;
pub mod audit;
mod concretize;
mod filled;
pub mod prepared;
pub mod replay;
pub mod simulation;
