//! Verdicts: what they claim, who checks it, and what they rest on.
//!
//! | question | here |
//! |---|---|
//! | what does an engine hand over? | [`certificate`] |
//! | which programs do proofs speak of? | [`prepared`] |
//! | does the reduced program show all errors of the whole one? | [`simulation`] |
//! | does the certificate prove it? | [`audit`] |
//! | does the counterexample happen? | [`replay`], [`alternatives`], [`concretize`], [`filled`] |
//! | and if not, which operations do formulas not know? | [`inexact`] |
//! | so what is the verdict? | [`judge`](judge()), [`verdict`], [`told`] |
//! | does it rest on something nobody modelled? | [`foundation`] |
//!
//! Nothing here knows an engine. An engine hands over plain data: a certificate with the terms it
//! is written in, or a path with the values that were chosen on it. The audit encodes the program for itself.

mod alternatives;
pub mod audit;
pub mod certificate;
mod concretize;
mod filled;
pub mod foundation;
mod inexact;
mod judge;
pub mod prepared;
pub mod replay;
pub mod simulation;
pub mod told;
mod told_graphs;
pub mod verdict;

pub use certificate::{Certificate, Conclusion, Suspicion};
pub use judge::judge;
pub use verdict::{FunctionContract, Invariant, Verdict};
