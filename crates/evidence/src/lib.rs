//! Witnesses, harnesses and reports: what a verdict leaves behind for others.
//!
//! Nothing here knows an engine. [`harness`] writes a C file that makes a
//! counterexample executable; [`witness`] writes verification witnesses (YAML
//! 2.0). An [`account`] is a verdict with its reasons as plain data; from it
//! come the report in HTML ([`html`]) and SARIF logs ([`sarif`], with [`rules`]).
//! [`witness_reader`] reads
//! those of others. [`steps`] tells a run as steps with values, [`advice`] what to try after
//! `unknown`.

pub mod account;
pub mod acsl;
pub mod advice;
pub mod explanation;
pub mod freed;
pub mod harness;
pub mod html;
pub mod leak;
pub mod line_hash;
mod memory;
pub mod rules;
pub mod sarif;
pub mod steps;
pub mod witness;
pub mod witness_reader;
