//! The steps of abstraction refinement for people: the Boolean rules of an iteration (Figure 1, third column) and
//! the traces that they allow (Figure 2).
//!
//! One conjunct a line. In Boolean rules what stands in brackets is a variable for its truth value; relations
//! have their interface predicates as arguments. In traces `r^3` is a variant of the relation `r`.

use super::boolean::Trace;
use super::rules::Abstraction;
use crate::show::{applied, short_names};
use crate::system::{Atom, Clause, System};
use bolide_terms::smtlib::quote_symbol;
use bolide_terms::{TermId, TermStore};
use std::fmt::Write;

/// The Boolean rules.
pub(super) fn boolean_rules(
    store: &mut TermStore,
    system: &System,
    clauses: &[Clause],
    abstraction: &Abstraction,
) -> String {
    let mut text = String::new();
    for (number, clause) in clauses.iter().enumerate() {
        let (names, _) = short_names(store, clause);
        let truth = |store: &mut TermStore, formula: TermId| {
            let formula = store.substitute(formula, &names);
            format!("[{}]", store.smtlib(formula))
        };
        let call = |store: &mut TermStore, atom: &Atom| {
            let predicates = abstraction.interface.get(&atom.relation).into_iter().flatten();
            let said = predicates.map(|&predicate| {
                let instance = system.instantiate(store, predicate, atom);
                truth(store, instance)
            });
            let said = said.collect();
            applied(quote_symbol(&system.relations[atom.relation].name), said)
        };
        let head = clause.head.as_ref().map(|head| call(store, head));
        let mut parts: Vec<String> = clause.body.iter().map(|atom| call(store, atom)).collect();
        let explicated = abstraction.explicated.get(&number).into_iter().flatten();
        for formula in store.conjuncts(clause.constraint).into_iter().chain(explicated.copied()) {
            if formula != TermId::TRUE {
                parts.push(truth(store, formula));
            }
        }
        rule(&mut text, head, &parts);
    }
    text
}

/// A trace: the rule of the goal first.
pub(super) fn trace(
    store: &mut TermStore,
    system: &System,
    clauses: &[Clause],
    trace: &Trace,
) -> String {
    let mut text = String::new();
    for (node, (number, children)) in trace.nodes.iter().enumerate().rev() {
        let clause = &clauses[*number];
        let (names, _) = short_names(store, clause);
        let clause = clause.substitute(store, &names);
        let variant = |atom: &Atom, node: usize| {
            let name = quote_symbol(&system.relations[atom.relation].name);
            let arguments = atom.arguments.iter().map(|&t| store.smtlib(t)).collect();
            applied(format!("{name}^{}", trace.nodes.len() - 1 - node), arguments)
        };
        let head = clause.head.as_ref().map(|head| variant(head, node));
        let calls = clause.body.iter().zip(children);
        let mut parts: Vec<String> = calls.map(|(atom, &child)| variant(atom, child)).collect();
        let conjuncts = store.conjuncts(clause.constraint).into_iter();
        parts.extend(conjuncts.filter(|&c| c != TermId::TRUE).map(|c| store.smtlib(c)));
        rule(&mut text, head, &parts);
    }
    text
}

fn rule(text: &mut String, head: Option<String>, parts: &[String]) {
    let head = head.unwrap_or_else(|| "query".to_owned());
    let _ = writeln!(text, "{head} :-");
    for part in parts {
        let _ = writeln!(text, "  {part}");
    }
}
