//! The text form of rules.
//!
//! ```text
//! relation Eloop (Int Int (Array Int Int))
//! rule (this Int) (i Int) (d (Array Int Int)):
//!   (Eloop this i d) :- (and (< i 100000) (or (Etrunc this d) (Eloop this (+ i 1) d)))
//! query: Emain
//! ```
//!
//! A statement begins in the first column; lines that are indented continue
//! it; `;` begins a comment. Terms are those of SMT-LIB. Bodies may be any
//! combination of constraints and calls by `and` and `or`, several rules may
//! define one relation, and relations may be used before they are declared
//! only by rules that come later. What is printed is in normal form: one rule for each case.
//!
//! Reading turns statements into SMT-LIB commands line by line, so that errors have the line
//! of the rule.

use crate::read::{self, Script};
use crate::show::{atom_text, body_text, readable, relation_texts};
use crate::system::System;
use bolide_terms::TermStore;
use bolide_terms::smtlib::Error;
use std::fmt::Write;

/// Prints a system.
pub fn print(store: &mut TermStore, system: &System) -> String {
    let mut text = String::new();
    for (name, sorts) in relation_texts(store, system) {
        let _ = writeln!(text, "relation {name} ({sorts})");
    }
    for clause in &system.clauses {
        let (variables, clause) = readable(store, clause);
        let body = body_text(store, system, &clause);
        let space = if variables.is_empty() { "" } else { " " };
        let variables = variables.join(" ");
        match &clause.head {
            Some(head) => {
                let head = atom_text(store, system, head);
                let _ = writeln!(text, "rule{space}{variables}:\n  {head} :- {body}");
            }
            None => {
                let _ = writeln!(text, "query{space}{variables}:\n  {body}");
            }
        }
    }
    text
}

/// Reads a system.
pub fn parse(store: &mut TermStore, text: &str) -> Result<System, Error> {
    let mut script = String::from("(set-logic HORN)");
    let mut statement = String::new();
    let mut started = 1;
    for (number, line) in text.lines().enumerate() {
        let code = line.split(';').next().unwrap_or("");
        if !code.is_empty() && !code.starts_with([' ', '\t']) {
            translate(&mut script, &statement, started)?;
            statement.clear();
            started = number as u32 + 1;
        }
        statement.push_str(code);
        statement.push('\n');
    }
    translate(&mut script, &statement, started)?;
    let Script { system, .. } = read::read(store, &script)?;
    Ok(system)
}

/// Adds the command of a statement, which keeps its lines.
fn translate(script: &mut String, statement: &str, line: u32) -> Result<(), Error> {
    let error = |message: &str| Err(Error { line, column: 1, message: message.to_owned() });
    let trimmed = statement.trim_end_matches('\n');
    let rest = &statement[trimmed.len()..];
    let (keyword, after) = match trimmed.find([' ', ':', '\n']) {
        Some(at) => trimmed.split_at(at),
        None => (trimmed, ""),
    };
    match keyword.trim() {
        "" => script.push_str(statement),
        "relation" => {
            let _ = write!(script, "(declare-fun {after} Bool){rest}");
        }
        "rule" | "query" => {
            let Some(colon) = outer_colon(after) else {
                return error("expected `:` after the variables");
            };
            let (variables, body) = (&after[..colon], &after[colon + 1..]);
            let (head, body) = if keyword == "query" {
                ("false", body)
            } else {
                match body.split_once(":-") {
                    Some((head, body)) => (head, body),
                    None => return error("expected `:-` between the head and the body"),
                }
            };
            // The head goes behind the body; its line breaks stay in front.
            let breaks = "\n".repeat(head.matches('\n').count());
            let head = head.replace('\n', " ");
            if variables.trim().is_empty() {
                let _ = write!(script, "(assert {breaks}(=> {body} {head})){rest}");
            } else {
                let _ = write!(
                    script,
                    "(assert (forall ({variables}) {breaks}(=> {body} {head}))){rest}"
                );
            }
        }
        other => return error(&format!("`{other}` is none of relation, rule, query")),
    }
    Ok(())
}

/// The first colon outside of parentheses and bars.
fn outer_colon(text: &str) -> Option<usize> {
    let (mut depth, mut quoted) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            '|' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ':' if !quoted && depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}
