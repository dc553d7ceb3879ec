//! SMT-LIB 2.6, reading and printing.
//!
//! [`sexpr`] finds the expressions of a text, [`Reader`] makes [`Command`]s of
//! them, `elaborate` builds terms with the symbols of [`context`] and of the
//! theories (`operators`, [`floats`]); [`mod@print`] goes the other way. `let` and defined
//! functions are expanded while reading, which costs nothing on shared terms.
//!
//! Not supported, and refused with a position: recursive functions, data
//! types, strings.

pub mod command;
pub mod context;
mod elaborate;
pub mod floats;
mod operators;
pub mod print;
pub mod reader;
pub mod sexpr;

pub use command::{Command, Partitions};
pub use context::Context;
pub use reader::{Reader, read_term};
pub use sexpr::{Error, quote_symbol};
