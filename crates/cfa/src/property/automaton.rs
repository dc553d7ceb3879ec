//! Automata that watch a program run, whatever notation they were written in.

use super::expression::{AutomatonExpr, StatementPattern};
use crate::types::Type;
use bolide_base::Span;

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
    /// The program starts.
    Entry,
    /// The program ends.
    Exit,
}

impl Trigger {
    /// A function is called, whatever its arguments are.
    pub(super) fn call(function: String) -> Trigger {
        let function = Some(function);
        Trigger::Statement(StatementPattern::Call { target: None, function, arguments: None })
    }
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

impl Transition {
    /// A reaction without conditions and actions.
    pub(super) fn plain(trigger: Trigger, target: Target, span: Span) -> Transition {
        Transition {
            trigger,
            conditions: Vec::new(),
            assertions: Vec::new(),
            assumptions: Vec::new(),
            actions: Vec::new(),
            target,
            span,
        }
    }
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
