//! What a program is checked for, as users write it.
//!
//! - [`parse_property_file`] reads the `.prp` files of SV-COMP: an entry
//!   function and one or more properties.
//! - [`parse_automaton`] reads observer automata in both notations in use: that of BLAST
//!   ([`blast`]) and that of CPAchecker ([`cpachecker`]).
//! - [`ltl`] reads temporal formulas over calls and turns those that are
//!   safety properties into automata that accept their bad prefixes.
//!
//! - [`table`] has a row for each property with a check of its own.
//!
//! All automata become one [`Automaton`], and [`crate::product`] makes the
//! checked program of it. Spans in diagnostics count from the `start` that the
//! caller gives: the offset of the text in the [`bolide_base::SourceMap`].

mod automaton;
pub mod blast;
pub mod cpachecker;
mod expression;
mod lexer;
pub mod ltl;
mod prp;
pub mod table;

pub use self::automaton::*;
pub use self::expression::{ArgumentPattern, AutomatonExpr, BinaryOperator, StatementPattern};
pub use self::prp::{PropertyFile, Specification, parse_property_file};
use bolide_base::Diagnostic;

/// Reads an automaton in either notation; which one is told by its first words.
pub fn parse_automaton(text: &str, start: u32) -> Result<Automaton, Vec<Diagnostic>> {
    let words = text.split_whitespace();
    let is_cpachecker =
        words.take(200).any(|word| word == "AUTOMATON" || word == "OBSERVER" || word == "CONTROL");
    if is_cpachecker { cpachecker::parse(text, start) } else { blast::parse(text, start) }
}

#[cfg(test)]
mod tests;
