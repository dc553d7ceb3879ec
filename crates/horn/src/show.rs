//! Answers and systems as text for other tools and for people.
//!
//! Models are `define-fun`s as SMT-LIB asks for them; derivations are lists of
//! steps, each with the fact that it derives, the clause, and the steps that it
//! uses; systems can be written as rules, and as SMT-LIB scripts that other solvers read.

use crate::system::{Atom, Clause, Derivation, Interpretation, Relation, System};
use bolide_base::HashMap;
use bolide_terms::smtlib::quote_symbol;
use bolide_terms::{Evaluator, Model, TermId, TermStore};
use std::fmt::Write;

/// The system as rules, one for each clause:
///
/// ```text
/// relation Eloop (Int Int (Array Int Int))
/// rule (x0 Int) (x1 Int) (x2 (Array Int Int)):
///   (Eloop x0 x1 x2) :- (and (<= x1 99999) (Etrunc x0 x2))
/// query:
///   Emain
/// ```
pub fn rules(store: &mut TermStore, system: &System) -> String {
    let mut text = String::new();
    for (name, sorts) in relation_texts(store, system) {
        let _ = writeln!(text, "relation {name} ({sorts})");
    }
    for clause in &system.clauses {
        let (variables, clause) = readable(store, clause);
        let body = body_text(store, system, &clause);
        let space = if variables.is_empty() { "" } else { " " };
        let variables = variables.join(" ");
        let _ = match &clause.head {
            Some(head) => {
                let head = atom_text(store, system, head);
                writeln!(text, "rule{space}{variables}:\n  {head} :- {body}")
            }
            None => writeln!(text, "query{space}{variables}:\n  {body}"),
        };
    }
    text
}

/// The interpretation as SMT-LIB definitions.
pub fn model(store: &mut TermStore, system: &System, found: &Interpretation) -> String {
    let mut text = String::from("(\n");
    for (id, relation) in system.relations.iter() {
        let mut map = HashMap::default();
        let mut parameters = String::new();
        for (i, &parameter) in relation.parameters.iter().enumerate() {
            let sort = store.sort(parameter);
            let name = format!("x{i}");
            let space = if i == 0 { "" } else { " " };
            let _ = write!(parameters, "{space}({name} {})", store.sort_text(sort));
            map.insert(parameter, store.mk_const(&name, sort));
        }
        let formula = store.substitute(found.get(id), &map);
        let name = quote_symbol(&relation.name);
        let _ = writeln!(
            text,
            "  (define-fun {name} ({parameters}) Bool\n    {})",
            store.smtlib(formula)
        );
    }
    text.push(')');
    text
}

/// The derivation, one step a line.
pub fn derivation(store: &TermStore, system: &System, found: &Derivation) -> String {
    let mut text = String::from("(\n");
    for (number, step) in found.steps.iter().enumerate() {
        let clause = &system.clauses[step.clause];
        let model = Model::of(store, &step.values).unwrap_or_default();
        let mut evaluator = Evaluator::new(store, &model);
        let mut value = |&argument: &TermId| match evaluator.value(argument) {
            Ok(value) => store.value_text(&value),
            Err(why) => why.to_string(),
        };
        let fact = match &clause.head {
            None => "false".to_owned(),
            Some(head) => {
                application(system, head, head.arguments.iter().map(&mut value).collect())
            }
        };
        let _ = write!(text, "  (step {number} {fact} :clause {}", step.clause);
        if clause.line > 0 {
            let _ = write!(text, " :line {}", clause.line);
        }
        if !step.premises.is_empty() {
            let list: Vec<String> = step.premises.iter().map(usize::to_string).collect();
            let _ = write!(text, " :premises ({})", list.join(" "));
        }
        text.push_str(")\n");
    }
    text.push(')');
    text
}

/// The system as a script in the logic `HORN`.
pub fn smtlib(store: &mut TermStore, system: &System) -> String {
    let mut text = String::from("(set-logic HORN)\n");
    for (name, sorts) in relation_texts(store, system) {
        let _ = writeln!(text, "(declare-fun {name} ({sorts}) Bool)");
    }
    // Functions that stand for what the clauses do not describe: any function will do.
    let mut declared = Vec::new();
    for clause in &system.clauses {
        for term in clause.subterms(store) {
            if let Some(function) = store.function_of(term)
                && !store.args(term).is_empty()
                && !declared.contains(&function)
            {
                declared.push(function);
                let _ = writeln!(text, "{}", store.declaration_text(function));
            }
        }
    }
    for clause in &system.clauses {
        let (variables, clause) = readable(store, clause);
        let body = body_text(store, system, &clause);
        let head = match &clause.head {
            Some(head) => atom_text(store, system, head),
            None => "false".to_owned(),
        };
        if variables.is_empty() {
            let _ = writeln!(text, "(assert (=> {body} {head}))");
        } else {
            let _ = writeln!(
                text,
                "(assert (forall ({})\n  (=> {body}\n      {head})))",
                variables.join(" ")
            );
        }
    }
    text.push_str("(check-sat)\n");
    text
}

/// The constraint and the calls of a clause, as SMT-LIB.
fn body_text(store: &TermStore, system: &System, clause: &Clause) -> String {
    let mut parts = Vec::new();
    if clause.constraint != TermId::TRUE || clause.body.is_empty() {
        parts.push(store.smtlib(clause.constraint));
    }
    parts.extend(clause.body.iter().map(|atom| atom_text(store, system, atom)));
    if parts.len() == 1 { parts.remove(0) } else { format!("(and {})", parts.join(" ")) }
}

/// A relation applied to arguments, as SMT-LIB.
fn atom_text(store: &TermStore, system: &System, atom: &Atom) -> String {
    application(system, atom, atom.arguments.iter().map(|&t| store.smtlib(t)).collect())
}

fn application(system: &System, atom: &Atom, arguments: Vec<String>) -> String {
    applied(quote_symbol(&system.relations[atom.relation].name), arguments)
}

pub(crate) fn applied(name: String, arguments: Vec<String>) -> String {
    if arguments.is_empty() { name } else { format!("({name} {})", arguments.join(" ")) }
}

/// The name of each relation and the sorts of its arguments, as SMT-LIB.
fn relation_texts(store: &TermStore, system: &System) -> Vec<(String, String)> {
    let sort = |&p: &TermId| store.sort_text(store.sort(p));
    let text = |relation: &Relation| {
        let sorts: Vec<String> = relation.parameters.iter().map(sort).collect();
        (quote_symbol(&relation.name), sorts.join(" "))
    };
    system.relations.values().map(text).collect()
}

/// The clause over variables with short names, and these with their sorts.
fn readable(store: &mut TermStore, clause: &Clause) -> (Vec<String>, Clause) {
    let (map, declared) = short_names(store, clause);
    (declared, clause.substitute(store, &map))
}

/// Short names for the variables of a clause, and these with their sorts.
pub(crate) fn short_names(
    store: &mut TermStore,
    clause: &Clause,
) -> (HashMap<TermId, TermId>, Vec<String>) {
    let mut map = HashMap::default();
    let mut declared = Vec::new();
    for (i, variable) in clause.variables(store).into_iter().enumerate() {
        let sort = store.sort(variable);
        let name = format!("x{i}");
        declared.push(format!("({name} {})", store.sort_text(sort)));
        map.insert(variable, store.mk_const(&name, sort));
    }
    (map, declared)
}
