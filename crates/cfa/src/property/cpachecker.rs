//! Automata in the notation of CPAchecker.
//!
//! ```text
//! OBSERVER AUTOMATON Locks
//! LOCAL int depth = 0;
//! INITIAL STATE Free;
//! STATE USEFIRST Free :
//!   MATCH {lock($?)} -> DO depth = depth + 1 GOTO Held;
//!   MATCH FUNCTIONCALL "unlock" -> ERROR("unlock without lock");
//! STATE USEFIRST Held :
//!   MATCH {unlock($?)} && depth == 1 -> DO depth = 0 GOTO Free;
//!   MATCH LABEL "end" -> STOP;
//! END AUTOMATON
//! ```
//!
//! Triggers: `MATCH {statement}`, `MATCH LABEL "L"` (or `[L]` with a name),
//! `MATCH FUNCTIONCALL "f"`, `MATCH ENTRY`, `MATCH EXIT`, followed by conditions joined with
//! `&&` and by `ASSERT e` (a violation where `e` does not hold). Actions:
//! `ASSUME {e}`, `DO v = e`, `GOTO S`, `ERROR`, `ERROR("text")`, `STOP`,
//! `PRINT "text"` (ignored). A transition without `GOTO` stays. `USEALL` takes all
//! transitions that match, `USEFIRST` (the default here) the first.

use super::automaton::*;
use super::blast::declaration;
use super::expression::{assignment, comparison, expression, pattern};
use super::lexer::{Token, Tokens};
use bolide_base::{Diagnostic, Span};

/// Reads an automaton.
pub fn parse(text: &str, start: u32) -> Result<Automaton, Vec<Diagnostic>> {
    let mut tokens = Tokens::new(text, start, false)?;
    automaton(&mut tokens).map_err(|error| vec![error])
}

/// A state's name that is not resolved yet.
struct Unresolved {
    state: usize,
    transition: usize,
    name: String,
    span: Span,
}

fn automaton(tokens: &mut Tokens) -> Result<Automaton, Diagnostic> {
    if !tokens.word("OBSERVER") {
        tokens.word("CONTROL");
    }
    if !tokens.word("AUTOMATON") {
        return Err(tokens.expected("`OBSERVER AUTOMATON`"));
    }
    let name = tokens.expect_word("the automaton's name")?;
    let mut variables = Vec::new();
    while tokens.word("LOCAL") {
        variables.push(declaration(tokens)?);
        tokens.expect_sign(";")?;
    }
    if !(tokens.word("INITIAL") && tokens.word("STATE")) {
        return Err(tokens.expected("`INITIAL STATE`"));
    }
    let initial_span = tokens.span();
    let initial = tokens.expect_word("the initial state's name")?;
    tokens.expect_sign(";")?;
    let mut states: Vec<State> = Vec::new();
    let mut unresolved = Vec::new();
    while !tokens.word("END") {
        let target = tokens.word("TARGET");
        if !tokens.word("STATE") {
            return Err(tokens.expected("`STATE` or `END AUTOMATON`"));
        }
        let mut order = Order::First;
        if tokens.word("USEALL") || tokens.word("NONDET") {
            order = Order::Any;
        } else {
            tokens.word("USEFIRST");
        }
        let span = tokens.span();
        let name = tokens.expect_word("the state's name")?;
        if states.iter().any(|state| state.name == name) {
            return Err(Diagnostic::error(span, format!("the state `{name}` is defined twice")));
        }
        if target {
            let message = "target states are written as transitions to `ERROR` here";
            return Err(Diagnostic::error(span, message));
        }
        tokens.expect_sign(":")?;
        let mut transitions = Vec::new();
        while !matches!(tokens.peek(), Token::Word(w) if w == "STATE" || w == "END" || w == "TARGET")
        {
            let index = (states.len(), transitions.len());
            transitions.push(transition(tokens, index, &mut unresolved)?);
        }
        states.push(State { name, order, transitions });
    }
    tokens.word("AUTOMATON");
    if !tokens.at_end() {
        return Err(tokens.expected("the end: one automaton to a file"));
    }
    let find = |name: &str, span: Span| {
        states
            .iter()
            .position(|state| state.name == name)
            .ok_or_else(|| Diagnostic::error(span, format!("there is no state `{name}`")))
    };
    let initial = find(&initial, initial_span)?;
    let mut targets = Vec::new();
    for Unresolved { state, transition, name, span } in unresolved {
        targets.push((state, transition, find(&name, span)?));
    }
    for (state, transition, target) in targets {
        states[state].transitions[transition].target = Target::State(target);
    }
    Ok(Automaton { name, variables, states, initial })
}

fn trigger(tokens: &mut Tokens) -> Result<Trigger, Diagnostic> {
    if !tokens.word("MATCH") {
        return Err(tokens.expected("`MATCH`"));
    }
    if tokens.sign("{") {
        let pattern = pattern(tokens)?;
        tokens.sign(";");
        tokens.expect_sign("}")?;
        return Ok(Trigger::Statement(pattern));
    }
    if tokens.word("LABEL") {
        if tokens.sign("[") {
            let name = tokens.expect_word("a label")?;
            tokens.expect_sign("]")?;
            return Ok(Trigger::Label(name));
        }
        return Ok(Trigger::Label(tokens.expect_text("a label in quotes")?));
    }
    if tokens.word("FUNCTIONCALL") {
        return Ok(Trigger::call(tokens.expect_text("a function's name in quotes")?));
    }
    if tokens.word("ENTRY") {
        return Ok(Trigger::Entry);
    }
    if tokens.word("EXIT") {
        return Ok(Trigger::Exit);
    }
    Err(tokens
        .expected("`{statement}`, `LABEL`, `FUNCTIONCALL`, `ENTRY` or `EXIT`")
        .with_help("regular expressions (`MATCH \"...\"` and `[...]`) are not supported"))
}

fn transition(
    tokens: &mut Tokens,
    (state, index): (usize, usize),
    unresolved: &mut Vec<Unresolved>,
) -> Result<Transition, Diagnostic> {
    let start = tokens.span();
    let mut result = Transition::plain(trigger(tokens)?, Target::State(state), start);
    while tokens.sign("&&") {
        result.conditions.push(comparison(tokens)?);
    }
    while tokens.word("ASSERT") {
        result.assertions.push(expression(tokens)?);
    }
    tokens.expect_sign("->")?;
    while !tokens.sign(";") {
        let span = tokens.span();
        if tokens.word("GOTO") {
            let span = tokens.span();
            let name = tokens.expect_word("a state's name")?;
            unresolved.push(Unresolved { state, transition: index, name, span });
        } else if tokens.word("ERROR") {
            let mut message = String::new();
            if tokens.sign("(") {
                message = tokens.expect_text("a message in quotes")?;
                tokens.expect_sign(")")?;
            }
            result.target = Target::Error(message);
        } else if tokens.word("STOP") || tokens.word("BOTTOM") {
            result.target = Target::Stop;
        } else if tokens.word("ASSUME") {
            tokens.expect_sign("{")?;
            result.assumptions.push(expression(tokens)?);
            tokens.sign(";");
            tokens.expect_sign("}")?;
        } else if tokens.word("DO") {
            result.actions.push(assignment(tokens)?);
        } else if tokens.word("PRINT") {
            tokens.expect_text("a text in quotes")?;
        } else {
            let mut error = tokens.expected("an action or `;`");
            error.span = span;
            return Err(error);
        }
    }
    result.span = start.to(tokens.last_span());
    Ok(result)
}
