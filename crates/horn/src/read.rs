//! From SMT-LIB scripts to systems of clauses.
//!
//! Accepted: `(set-logic HORN)` with `declare-fun` and `assert`, and Z3's
//! fixedpoint commands `declare-rel`, `declare-var`, `rule`, `query`. An
//! asserted formula may have any propositional shape: its negation is split
//! into cases until each is a constraint, atoms of relations, and at most one
//! negated atom, which is the head. Only parts that mention relations are
//! split; constraints stay as they are written.
//!
//! Refused with a position: two relations in one head, relations inside of
//! other terms, quantifiers inside of constraints, free constants, functions
//! that are no relations, scopes.

use crate::system::{Atom, Clause, RelationId, System};
use bolide_base::{HashMap, HashSet};
use bolide_terms::smtlib::{Command, Error, Reader};
use bolide_terms::{FunctionId, Op, SortId, TermId, TermStore};
use std::cell::RefCell;

/// No assertion may have more cases than this.
const CASES: usize = 10_000;

/// A script that was read.
#[derive(Debug)]
pub struct Script {
    /// Its clauses.
    pub system: System,
    /// Whether `(get-model)` is asked for.
    pub wants_model: bool,
    /// Whether `(get-proof)` is asked for.
    pub wants_proof: bool,
    /// What a person should know: nothing is asked, for instance.
    pub warnings: Vec<Error>,
}

/// Reads a script.
pub fn read(store: &mut TermStore, text: &str) -> Result<Script, Error> {
    let mut reader = Reader::new(text);
    let mut clauses = Clauses::default();
    let mut script = Script {
        system: System::new(),
        wants_model: false,
        wants_proof: false,
        warnings: Vec::new(),
    };
    let mut checked = false;
    // Lines are counted along the way: asking for each position anew would be quadratic.
    let (mut line, mut counted) = (1, 0);
    while let Some(command) = reader.next_command(store) {
        let command = command?;
        let newlines = text.as_bytes()[counted..reader.offset()].iter().filter(|&&b| b == b'\n');
        line += newlines.count() as u32;
        counted = reader.offset();
        let result = match command {
            Command::SetLogic(logic) if logic != "HORN" => {
                Err(format!("the logic of Horn clauses is HORN, not {logic}"))
            }
            Command::Declare(function) => clauses.declare(store, function),
            Command::DeclareVariable(function) => {
                clauses.variables.insert(function);
                Ok(())
            }
            Command::Assert { .. } | Command::Rule(_) | Command::Query(_) if checked => {
                Err("clauses after check-sat are not supported".to_owned())
            }
            Command::Assert { formula, .. } | Command::Rule(formula) => {
                let negated = store.mk_not(formula);
                clauses.add(store, negated, line)
            }
            Command::Query(formula) => clauses.add(store, formula, line),
            Command::CheckSat => {
                checked = true;
                Ok(())
            }
            Command::GetModel => {
                script.wants_model = true;
                Ok(())
            }
            Command::GetProof => {
                script.wants_proof = true;
                Ok(())
            }
            Command::Push(_) | Command::Pop(_) => Err("scopes are not supported here".to_owned()),
            Command::CheckSatAssuming(_) | Command::Reset | Command::ResetAssertions => {
                Err("this command is not supported for Horn clauses".to_owned())
            }
            Command::Unsupported(name) => Err(format!("{name} is not supported")),
            Command::Exit => break,
            _ => Ok(()),
        };
        result.map_err(|message| reader.error(message))?;
    }
    script.system = clauses.system;
    if script.system.clauses.iter().all(|clause| clause.head.is_some()) {
        script.warnings.push(reader.error(
            "there is no query (a clause with head `false`): the relations may all be true",
        ));
    }
    Ok(script)
}

/// A case of the negated formula on its way to a clause.
#[derive(Clone)]
struct Case {
    /// Still to be taken apart: a formula and whether it is claimed or denied.
    open: Vec<(TermId, bool)>,
    constraint: Vec<TermId>,
    body: Vec<Atom>,
    head: Option<Atom>,
}

#[derive(Default)]
struct Clauses {
    system: System,
    relations: HashMap<FunctionId, RelationId>,
    /// Declared by `declare-var`.
    variables: HashSet<FunctionId>,
    /// Declared, but no relations.
    constants: HashSet<FunctionId>,
    /// Whether terms of the formula that is being taken apart mention relations.
    mentions: RefCell<HashMap<TermId, bool>>,
}

impl Clauses {
    fn declare(&mut self, store: &mut TermStore, function: FunctionId) -> Result<(), String> {
        // What is no relation is refused where it is used.
        if store.function(function).result == SortId::BOOL {
            let relation = self.system.add_relation(store, function);
            self.relations.insert(function, relation);
        } else {
            self.constants.insert(function);
        }
        Ok(())
    }

    /// Not by `TermStore::symbols`, which keeps a set for each term for ever: in a large file
    /// that is most of the memory.
    fn mentions_relation(&self, store: &TermStore, term: TermId) -> bool {
        let mut known = self.mentions.borrow_mut();
        let mut open = vec![term];
        while let Some(&at) = open.last() {
            if known.contains_key(&at) {
                open.pop();
                continue;
            }
            let is_relation = matches!(store.op(at), Op::Apply(function) if self.relations.contains_key(&function));
            let before = open.len();
            let mut mentions = is_relation;
            if !is_relation {
                for arg in store.args(at) {
                    match known.get(arg) {
                        Some(true) => mentions = true,
                        Some(false) => {}
                        None => open.push(*arg),
                    }
                }
            }
            // One that mentions a relation decides; the others need not be looked at.
            if mentions || open.len() == before {
                open.truncate(before - 1);
                known.insert(at, mentions);
            }
        }
        known[&term]
    }

    /// Adds the clauses that together say that the formula does not hold.
    fn add(&mut self, store: &mut TermStore, formula: TermId, line: u32) -> Result<(), String> {
        let mut cases = vec![Case {
            open: vec![(formula, true)],
            constraint: Vec::new(),
            body: Vec::new(),
            head: None,
        }];
        self.mentions.get_mut().clear();
        let mut produced = 0;
        while let Some(mut case) = cases.pop() {
            let Some((part, positive)) = case.open.pop() else {
                produced += 1;
                self.finish(store, case, line)?;
                continue;
            };
            if produced + cases.len() > CASES {
                return Err(format!("the formula stands for more than {CASES} clauses"));
            }
            self.take_apart(store, case, part, positive, &mut cases)?;
        }
        Ok(())
    }

    fn take_apart(
        &mut self,
        store: &mut TermStore,
        mut case: Case,
        part: TermId,
        positive: bool,
        cases: &mut Vec<Case>,
    ) -> Result<(), String> {
        let op = store.op(part);
        match op {
            Op::Not => case.open.push((store.arg(part, 0), !positive)),
            Op::And | Op::Or if (op == Op::And) == positive => {
                let parts = store.args(part).iter().rev().map(|&arg| (arg, positive));
                case.open.extend(parts);
            }
            Op::Forall | Op::Exists if (op == Op::Exists) == positive => {
                let (bound, _) = store.quantifier_parts(part).expect("a quantifier");
                let sorts: Vec<SortId> = bound.iter().map(|&b| store.sort(b)).collect();
                let fresh: Vec<TermId> =
                    sorts.into_iter().map(|sort| store.mk_fresh_const("v", sort)).collect();
                let body = store.instantiate(part, &fresh);
                case.open.push((body, positive));
            }
            _ if !self.mentions_relation(store, part) => {
                case.constraint.push(store.mk_literal(part, positive));
            }
            Op::And | Op::Or => {
                let (with, without): (Vec<TermId>, Vec<TermId>) =
                    store.args(part).iter().partition(|&&arg| self.mentions_relation(store, arg));
                let mut parts = Vec::new();
                if !without.is_empty() {
                    parts.push(store.mk_junction(op, &without));
                }
                parts.extend(with.into_iter().rev());
                for part in parts {
                    let mut other = case.clone();
                    other.open.push((part, positive));
                    cases.push(other);
                }
                return Ok(());
            }
            Op::Eq if store.is_bool(store.arg(part, 0)) => {
                let (a, b) = (store.arg(part, 0), store.arg(part, 1));
                let mut other = case.clone();
                case.open.extend([(a, true), (b, positive)]);
                other.open.extend([(a, false), (b, !positive)]);
                cases.push(other);
            }
            Op::Ite => {
                let (c, a, b) = (store.arg(part, 0), store.arg(part, 1), store.arg(part, 2));
                let mut other = case.clone();
                case.open.extend([(c, true), (a, positive)]);
                other.open.extend([(c, false), (b, positive)]);
                cases.push(other);
            }
            Op::Apply(function) => {
                let Some(&relation) = self.relations.get(&function) else {
                    return Err("a relation stands inside of another term".to_owned());
                };
                let arguments = store.args(part).to_vec();
                if arguments.iter().any(|&arg| self.mentions_relation(store, arg)) {
                    return Err("a relation stands in an argument of a relation".to_owned());
                }
                let atom = Atom { relation, arguments };
                if positive {
                    case.body.push(atom);
                } else if case.head.is_none() {
                    case.head = Some(atom);
                } else {
                    return Err("this is no Horn clause: it has two heads".to_owned());
                }
            }
            Op::Forall | Op::Exists => {
                return Err("a quantifier around relations is on the wrong side".to_owned());
            }
            _ => return Err("a relation stands inside of another term".to_owned()),
        }
        cases.push(case);
        Ok(())
    }

    fn finish(&mut self, store: &mut TermStore, case: Case, line: u32) -> Result<(), String> {
        let Case { constraint, body, head, .. } = case;
        let constraint = store.mk_and(&constraint);
        if constraint == TermId::FALSE {
            return Ok(());
        }
        let clause = Clause { head, body, constraint, line };
        let mut renaming = HashMap::default();
        for term in clause.subterms(store) {
            match store.op(term) {
                Op::Forall | Op::Exists => {
                    return Err("quantifiers inside of constraints are not supported".to_owned());
                }
                Op::Apply(function) if !store.args(term).is_empty() => {
                    let name = store.function_name(function);
                    return Err(format!("{name} is no relation: functions are not supported"));
                }
                Op::Apply(function) if self.variables.contains(&function) => {
                    let sort = store.sort(term);
                    let fresh = store.mk_fresh_const("v", sort);
                    renaming.insert(term, fresh);
                }
                Op::Apply(function) if self.constants.contains(&function) => {
                    let name = store.function_name(function);
                    return Err(format!(
                        "the constant {name} is free: quantify it, or declare it by declare-var"
                    ));
                }
                _ => {}
            }
        }
        let clause = clause.substitute(store, &renaming);
        self.system.add_clause(store, clause);
        Ok(())
    }
}
