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

pub mod blast;
pub mod cpachecker;
mod expression;
mod lexer;
pub mod ltl;
mod prp;
pub mod table;

pub use self::expression::{ArgumentPattern, AutomatonExpr, BinaryOperator, StatementPattern};
pub use self::prp::{PropertyFile, Specification, parse_property_file};
use crate::types::Type;
use bolide_base::{Diagnostic, Span};

/// An automaton that watches a program run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Automaton {
    /// For people.
    pub name: String,
    /// Its own variables.
    pub variables: Vec<AutomatonVariable>,
    /// Its states; transitions refer to them by position.
    pub states: Vec<State>,
    /// Where it starts.
    pub initial: usize,
}

/// A variable of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomatonVariable {
    /// Its name in guards and actions.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its value at the start.
    pub initial: i128,
    /// Its declaration.
    pub span: Span,
}

/// How the transitions of a state apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The first that matches is taken.
    First,
    /// Any of those that match is taken.
    Any,
    /// Each of those that match is executed, in order (BLAST's events).
    Each,
}

/// A state of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Its name.
    pub name: String,
    /// How its transitions apply.
    pub order: Order,
    /// The transitions, in order.
    pub transitions: Vec<Transition>,
}

/// What an automaton reacts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trigger {
    /// A statement.
    Statement(StatementPattern),
    /// Control reaches a label.
    Label(String),
    /// A function is called.
    FunctionCall(String),
    /// The program starts.
    Entry,
    /// The program ends.
    Exit,
}

/// One reaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// When.
    pub trigger: Trigger,
    /// Only if all of these hold.
    pub conditions: Vec<AutomatonExpr>,
    /// If one of these does not hold, it is a violation.
    pub assertions: Vec<AutomatonExpr>,
    /// The run goes on only if these hold.
    pub assumptions: Vec<AutomatonExpr>,
    /// Assignments to variables of the automaton.
    pub actions: Vec<(String, AutomatonExpr)>,
    /// Where to.
    pub target: Target,
    /// Where it is written.
    pub span: Span,
}

/// Where a transition leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// To the state at this position.
    State(usize),
    /// To a violation, with these words.
    Error(String),
    /// The path is not explored further.
    Stop,
}

/// Reads an automaton in either notation; which one is told by its first words.
pub fn parse_automaton(text: &str, start: u32) -> Result<Automaton, Vec<Diagnostic>> {
    let words = text.split_whitespace();
    let is_cpachecker =
        words.take(200).any(|word| word == "AUTOMATON" || word == "OBSERVER" || word == "CONTROL");
    if is_cpachecker { cpachecker::parse(text, start) } else { blast::parse(text, start) }
}

#[cfg(test)]
mod tests;
