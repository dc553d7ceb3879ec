//! Step 4 of the [translation](super::simulation): structure simulation (6.3.3 of the thesis).
//!
//! Positions of a string (`ws1s`) or of the infinite binary tree (`ws2s`) are objects if they are in the finite
//! set `D`; the first position stands for null and is not. A field of the backbone leads to the successor if that is
//! an object, and to null otherwise. So any finite forest can be laid out, its lists and trees apart from
//! each other. The thesis lets many positions stand for null, and uses types for trees; with one null, equality is
//! equality and membership is membership, which makes automata several times smaller.
//!
//! MONA knows no functions: a value that is read gets a name. A written field is a relation, and reachability along it
//! is membership in all sets that are closed under it; no update formula occurs.

use super::backbone::Backbone;
use super::field_constraints::bound_within;
use super::problem::{Problem, Written};
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};
use bolide_heap::{FieldId, Formula, Kind, Symbol, Term};
use std::fmt::Write as _;

const LISTS: &str = include_str!("lists.mona");
const TREES: &str = include_str!("trees.mona");

/// Atoms about one bound object that are not worth sets.
const FEW: usize = 4;

/// What is said to MONA.
pub(super) struct Text<'a> {
    pub problem: &'a Problem,
    pub backbone: Backbone,
    fresh: u32,
    /// Sets of the objects that satisfy an atom about a bound object.
    named: HashMap<Formula, String>,
}

/// The names that an answer gives values to.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    /// Objects and truth values.
    pub variables: Vec<Symbol>,
    /// Sets.
    pub sets: Vec<FieldId>,
}

impl<'a> Text<'a> {
    pub fn new(problem: &'a Problem, backbone: Backbone) -> Text<'a> {
        Text { problem, backbone, fresh: 0, named: HashMap::default() }
    }

    /// The input that asks whether all that is given can hold.
    pub fn text(mut self) -> (String, Declared) {
        let given = &self.problem.given;
        let mut out =
            if matches!(self.backbone, Backbone::Tree(_)) { TREES } else { LISTS }.to_owned();
        let mut used: HashSet<Symbol> = HashSet::default();
        let mut fields: HashSet<FieldId> = HashSet::default();
        let mut bound: HashSet<Symbol> = HashSet::default();
        for formula in given {
            bound.extend(bound_within(formula));
            formula.terms(&mut |t| {
                if let Term::Var(s) = t {
                    used.insert(*s);
                }
            });
            formula.atoms(&mut |a| {
                if let Formula::Truth(s) = a {
                    used.insert(*s);
                }
            });
            fields.extend(formula.fields());
        }
        // Writes to the backbone, as far as they matter.
        let mut writes = Vec::new();
        for (number, write) in self.problem.writes.iter().enumerate().rev() {
            if fields.contains(&write.field) && self.backbone.has(self.problem.root(write.field)) {
                fields.insert(write.before);
                let mut note = |term: &Term| {
                    if let Term::Var(symbol) = term {
                        used.insert(*symbol);
                    }
                };
                note(&write.at);
                if let Written::Term(value) = &write.value {
                    note(value);
                }
                writes.push(number);
            }
        }
        writes.reverse();
        let mut declared = Declared::default();
        for (symbol, info) in self.problem.signature.variables.iter() {
            if used.contains(&symbol) && !bound.contains(&symbol) {
                let order = if info.kind == Kind::Truth { 0 } else { 1 };
                let _ = writeln!(out, "var{order} {};", variable(symbol));
                declared.variables.push(symbol);
            }
        }
        for (field, info) in self.problem.signature.fields.iter() {
            if fields.contains(&field) && info.kind == Kind::Truth {
                let _ = writeln!(out, "var2 {};", set_name(field));
                declared.sets.push(field);
            }
        }
        for number in writes {
            self.written(number, &mut out);
        }
        // Heuristic: what is said first keeps the automata of the rest small.
        let mut sorted: Vec<&Formula> = given.iter().collect();
        sorted.sort_by_key(|formula| match formula {
            Formula::Forall(..) | Formula::Exists(..) => 1,
            Formula::Or(_) => 2,
            _ => 0,
        });
        for formula in sorted {
            self.name_atoms(formula, &mut out);
            let said = self.formula(formula);
            if said != "true" {
                let _ = writeln!(out, "{said};");
            }
        }
        out.push_str("true;\n");
        (out, declared)
    }

    /// Gives sets to the atoms of a statement about every object: a combination of memberships has an automaton of
    /// a few states, where one of relations between the object and many variables has hundreds.
    fn name_atoms(&mut self, formula: &Formula, out: &mut String) {
        let Formula::Forall(bound, body) = formula else { return };
        let [object] = bound[..] else { return };
        // Heuristic: measured on trees; on strings it costs a third more.
        if body.is_quantified() || !matches!(self.backbone, Backbone::Tree(_)) {
            return;
        }
        let mut atoms: Vec<Formula> = Vec::new();
        body.atoms(&mut |atom| {
            let near = match atom {
                Formula::Eq(a, b) => ![a, b].iter().any(|t| matches!(t, Term::Read(..))),
                Formula::Holds(_, a) => matches!(a, Term::Var(_)),
                _ => false,
            };
            if !near && atom.mentions(object) && !atoms.contains(atom) {
                atoms.push(atom.clone());
            }
        });
        if atoms.len() < FEW {
            return;
        }
        for atom in atoms {
            if self.named.contains_key(&atom) {
                continue;
            }
            let said = self.formula(&atom);
            let (name, v) = (format!("R{}", self.named.len()), variable(object));
            let _ = writeln!(out, "var2 {name};\nall1 {v}: {v} in {name} <=> ({said});");
            self.named.insert(atom, format!("{v} in {name}"));
        }
    }

    /// The relation of a written field, and reachability along it where there is such.
    fn written(&self, number: usize, out: &mut String) {
        let write = &self.problem.writes[number];
        let Written::Term(value) = &write.value else { return };
        let place = |term: &Term| match term {
            Term::Var(symbol) => variable(*symbol),
            _ => self.null().to_owned(),
        };
        let (at, value) = (place(&write.at), place(value));
        let (before, k) = (self.step(write.before), write.field.index());
        let _ = writeln!(
            out,
            "pred step{k}(var1 a, b) = a = {at} & b = {value} | a ~= {at} & {before}(a, b);"
        );
        if Some(self.problem.root(write.field)) == self.backbone.reaches() {
            let _ = writeln!(
                out,
                "pred cut{k}(var1 a, b, c) = all2 S: (a in S & (all1 v, w: (v in S & v ~= c & \
                 step{k}(v, w)) => w in S)) => b in S;\n\
                 pred along{k}(var1 a, b) = all2 S: (a in S & (all1 v, w: (v in S & step{k}(v, w)) \
                 => w in S)) => b in S;\n\
                 pred btwn{k}(var1 a, b, c) = along{k}(a, c) & cut{k}(a, b, c);"
            );
        }
    }

    fn null(&self) -> &'static str {
        if matches!(self.backbone, Backbone::Tree(_)) { "root" } else { "0" }
    }

    fn step(&self, field: FieldId) -> String {
        match self.backbone {
            Backbone::List(list) if field == list.next => "next".into(),
            Backbone::Tree(tree) if field == tree.left => "left".into(),
            Backbone::Tree(tree) if field == tree.right => "right".into(),
            Backbone::Tree(tree) if field == tree.parent => "parent".into(),
            _ => format!("step{}", field.index()),
        }
    }

    fn formula(&mut self, formula: &Formula) -> String {
        if let Some(said) = self.named.get(formula) {
            return said.clone();
        }
        let mut list = |parts: &[Formula], word: &str| {
            let parts: Vec<String> =
                parts.iter().map(|p| format!("({})", self.formula(p))).collect();
            parts.join(word)
        };
        match formula {
            Formula::True => "true".into(),
            Formula::False => "false".into(),
            Formula::And(parts) => list(parts, " & "),
            Formula::Or(parts) => list(parts, " | "),
            Formula::Not(inner) => format!("~({})", self.formula(inner)),
            Formula::Truth(s) => variable(*s),
            // One name less: the relation itself says it.
            Formula::Eq(Term::Read(field, of), other)
            | Formula::Eq(other, Term::Read(field, of)) => {
                let word = self.step(*field);
                self.with(&[of, other], |n| format!("{word}({}, {})", n[0], n[1]))
            }
            Formula::Eq(a, b) => self.with(&[a, b], |n| format!("{} = {}", n[0], n[1])),
            Formula::Holds(field, a) => {
                let set = set_name(*field);
                self.with(&[a], |n| format!("{} in {set}", n[0]))
            }
            Formula::Btwn(field, a, b, c) => {
                let base = Some(*field) == self.backbone.reaches();
                let k = field.index();
                if b == c {
                    let word = if base { "reach".to_owned() } else { format!("along{k}") };
                    return self.with(&[a, b], |n| format!("{word}({}, {})", n[0], n[1]));
                }
                let word = if base { "btwn".to_owned() } else { format!("btwn{k}") };
                self.with(&[a, b, c], |n| format!("{word}({}, {}, {})", n[0], n[1], n[2]))
            }
            Formula::Forall(bound, body) | Formula::Exists(bound, body) => {
                let word = if matches!(formula, Formula::Forall(..)) { "all1" } else { "ex1" };
                let names: Vec<String> = bound.iter().map(|s| variable(*s)).collect();
                format!("({word} {}: ({}))", names.join(", "), self.formula(body))
            }
            // Approximated before.
            Formula::Le(..) => "true".into(),
        }
    }

    /// An atom over terms: each becomes a name for a position.
    fn with(&mut self, terms: &[&Term], atom: impl Fn(&[String]) -> String) -> String {
        let (mut names, mut before, mut after) = (Vec::new(), String::new(), String::new());
        for term in terms {
            let name = self.name(term, &mut before, &mut after);
            names.push(name);
        }
        format!("{before}{}{after}", atom(&names))
    }

    fn name(&mut self, term: &Term, before: &mut String, after: &mut String) -> String {
        match term {
            Term::Var(symbol) => variable(*symbol),
            Term::Read(field, of) => {
                let of = self.name(of, before, after);
                let word = self.step(*field);
                self.fresh += 1;
                let name = format!("t{}", self.fresh);
                let _ = write!(before, "(ex1 {name}: {word}({of}, {name}) & ");
                after.push(')');
                name
            }
            // Numbers and conditions were taken out before.
            _ => self.null().to_owned(),
        }
    }
}

/// The name of a variable.
pub(super) fn variable(symbol: Symbol) -> String {
    format!("v{}", symbol.index())
}

/// The name of a set.
pub(super) fn set_name(field: FieldId) -> String {
    format!("S{}", field.index())
}
