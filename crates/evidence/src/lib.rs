//! Witnesses, harnesses and reports: what a verdict leaves behind for others.
//!
//! Nothing here knows an engine. [`harness`] writes a C file that makes a
//! counterexample executable; [`witness`] writes verification witnesses (YAML
//! 2.0).

pub mod harness;
pub mod witness;
