//! Automata in the notation of BLAST.
//!
//! ```text
//! global int locked = 0;
//! event {
//!   pattern { lock(); }
//!   guard { locked == 0 }
//!   action { locked = 1; }
//! }
//! ```
//!
//! When the program executes what the pattern describes and the guard does not
//! hold, that is the violation; else the actions are executed. An event
//! without guard never fails. Events are independent: all that match are executed, in order.
//! `before` and `after` (in front of `pattern`) are accepted; a pattern that names the result of its call
//! looks at it after the call, all others look before.

use super::automaton::*;
use super::expression::{AutomatonExpr, assignment, expression, pattern};
use super::lexer::{Token, Tokens};
use crate::types::{IntType, Type};
use bolide_base::Diagnostic;

/// Reads an automaton.
pub fn parse(text: &str, start: u32) -> Result<Automaton, Vec<Diagnostic>> {
    let mut tokens = Tokens::new(text, start, false)?;
    let mut automaton = Automaton {
        name: "events".into(),
        variables: Vec::new(),
        states: vec![State { name: "watching".into(), order: Order::Each, transitions: vec![] }],
        initial: 0,
    };
    while !tokens.at_end() {
        item(&mut tokens, &mut automaton).map_err(|error| vec![error])?;
    }
    if automaton.states[0].transitions.is_empty() {
        let message = "the specification has no `event`";
        return Err(vec![Diagnostic::error(tokens.span(), message)]);
    }
    Ok(automaton)
}

fn item(tokens: &mut Tokens, automaton: &mut Automaton) -> Result<(), Diagnostic> {
    if tokens.word("global") {
        let variable = declaration(tokens)?;
        automaton.variables.push(variable);
        tokens.expect_sign(";")
    } else if tokens.is_word("event") {
        let transition = event(tokens)?;
        automaton.states[0].transitions.push(transition);
        Ok(())
    } else {
        Err(tokens.expected("`global` or `event`"))
    }
}

/// `int name = 0`, after the word that introduces it.
pub(super) fn declaration(tokens: &mut Tokens) -> Result<AutomatonVariable, Diagnostic> {
    let mut words = Vec::new();
    let mut stars = 0;
    let (name, span) = loop {
        let span = tokens.span();
        if tokens.sign("*") {
            stars += 1;
            continue;
        }
        let word = tokens.expect_word("a type and a name")?;
        if matches!(tokens.peek(), Token::Sign("=") | Token::Sign(";")) {
            break (word, span);
        }
        words.push(word);
    };
    let has = |word: &str| words.iter().any(|w| w == word);
    let signed = !has("unsigned");
    let widths = [("char", 8), ("short", 16), ("long", 64)];
    let bits = widths.iter().find(|(word, _)| has(word)).map_or(32, |(_, bits)| *bits);
    let known = ["int", "char", "short", "long", "unsigned", "signed", "void", "const"];
    if let Some(unknown) = words.iter().find(|word| !known.contains(&word.as_str())) {
        let message = format!("`{unknown}` is not a type that automata know");
        let help = "variables of automata are integers or pointers (`int`, `long`, `void *`)";
        return Err(Diagnostic::error(span, message).with_help(help));
    }
    if words.is_empty() || (has("void") && stars == 0) {
        return Err(Diagnostic::error(span, format!("the variable `{name}` has no type")));
    }
    let ty = if stars > 0 { Type::Pointer } else { Type::Int(IntType { bits, signed }) };
    let mut initial = 0;
    if tokens.sign("=") {
        let at = tokens.span();
        initial = match expression(tokens)? {
            AutomatonExpr::Number(n) => n,
            AutomatonExpr::Unary('-', inner) if let AutomatonExpr::Number(n) = *inner => -n,
            _ => return Err(Diagnostic::error(at, "the initial value is not a number")),
        };
        if ty == Type::Pointer && initial != 0 {
            return Err(Diagnostic::error(at, "a pointer starts as 0"));
        }
    }
    Ok(AutomatonVariable { name, ty, initial, span })
}

fn event(tokens: &mut Tokens) -> Result<Transition, Diagnostic> {
    let span = tokens.span();
    tokens.word("event");
    tokens.expect_sign("{")?;
    let (mut trigger, mut assertions, mut actions) = (None, Vec::new(), Vec::new());
    while !tokens.sign("}") {
        if tokens.word("before") || tokens.word("after") {
            // Decided by the pattern.
        } else if tokens.word("pattern") {
            tokens.expect_sign("{")?;
            trigger = Some(pattern(tokens)?);
            tokens.sign(";");
            tokens.expect_sign("}")?;
        } else if tokens.word("guard") {
            tokens.expect_sign("{")?;
            if !tokens.is_sign("}") {
                assertions.push(expression(tokens)?);
                tokens.sign(";");
            }
            tokens.expect_sign("}")?;
        } else if tokens.word("action") {
            tokens.expect_sign("{")?;
            while !tokens.sign("}") {
                actions.push(assignment(tokens)?);
                if !tokens.sign(";") && !tokens.is_sign("}") {
                    return Err(tokens.expected("`;` or `}`"));
                }
            }
        } else {
            return Err(tokens.expected("`pattern`, `guard`, `action` or `}`"));
        }
    }
    let span = span.to(tokens.last_span());
    let Some(trigger) = trigger else {
        return Err(Diagnostic::error(span, "the event has no pattern"));
    };
    let plain = Transition::plain(Trigger::Statement(trigger), Target::State(0), span);
    Ok(Transition { assertions, actions, ..plain })
}
