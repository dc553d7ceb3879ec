//! SMT-LIB 2.6, reading and printing.

pub mod print;

pub use print::{Sharing, quote_symbol};
