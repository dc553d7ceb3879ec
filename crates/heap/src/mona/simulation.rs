//! Whole problems as input for MONA: section 6.3 of the thesis.
//!
//! 1. **Backbone** (6.3.2): a field that is assumed acyclic and free of sharing. With none, every field is derived.
//! 2. **Approximation**: what strings cannot say (numbers, reachability along other fields) becomes membership in
//!    a set of which nothing is known, one for each atom up to the object that the atom is about; what speaks of two
//!    bound objects is dropped. Both weaken what is assumed.
//! 3. Writes to derived fields and sets become case distinctions (Figure 6.9), and derived
//!    fields are eliminated ([`Elimination`]).
//! 4. **Structure simulation** (6.3.3): positions of a string are objects, those in `Null` all stand for
//!    null and end the lists. A written backbone is a relation, reachability along it a smallest closed set.
//!
//! So `unsatisfiable` is right always, and an example is one for certain only when
//! nothing was approximated ([`Simulation::exact`]). Not done: trees (which the judge of random problems in
//! [`super::trees`] knows), and two backbones at once.

use super::{PRELUDE, Positions, set_name};
use crate::field_constraints::{Elimination, bound_within};
use crate::formula::{FieldId, Formula, Kind, Signature, Symbol, Term};
use crate::problem::{Problem, Written, put};
use bolide_base::arena::Id;
use bolide_base::{HashMap, HashSet};
use std::fmt::Write as _;

/// Input for MONA and how to read the answer.
#[derive(Clone, Debug)]
pub struct Simulation {
    /// The input.
    pub text: String,
    /// Whether an example is one for certain.
    pub exact: bool,
    asked: usize,
}

impl Simulation {
    /// The problem in MONA's language.
    ///
    /// # Errors
    /// When what is asked has quantifiers.
    pub fn new(problem: &Problem) -> Result<Simulation, String> {
        if problem.asked.iter().any(Formula::is_quantified) {
            return Err("a quantified formula is asked about".into());
        }
        let mut problem = problem.clone();
        problem.given = problem.given.iter().flat_map(Formula::conjuncts).collect();
        let backbone = backbone(&problem);
        if let Some(field) = backbone {
            problem.given.retain(|f| !says_forest(f, field));
        }
        name_places(&mut problem);
        let mut translation =
            Preparation { problem, backbone, sets: HashMap::default(), exact: true };
        let mut given = Vec::new();
        for formula in translation.problem.given.clone() {
            given.push(translation.normal(&formula, false, &mut Vec::new()));
        }
        let mut asked = Vec::new();
        for formula in translation.problem.asked.clone() {
            asked.push(translation.normal(&formula, false, &mut Vec::new()));
        }
        let Preparation { mut problem, exact, .. } = translation;
        let derived = (problem.signature.fields.iter())
            .filter(|(f, info)| info.kind == Kind::Object && Some(*f) != backbone)
            .map(|(f, _)| f)
            .filter(|f| problem.write_of(*f).is_none())
            .collect::<HashSet<FieldId>>();
        let mut elimination = Elimination::new(&mut problem.signature, derived, &mut given);
        // Constraints are total only as far as the prover sees; an example may break one.
        let exact = exact && elimination.constraints() == 0;
        elimination.eliminate(&mut given, &mut asked);
        let text = Text { problem: &problem, backbone, fresh: 0 }.text(&given, &asked);
        Ok(Simulation { text, exact, asked: asked.len() })
    }

    /// The truth values of what was asked in MONA's example; none when there is no example.
    ///
    /// # Errors
    /// When the answer is none.
    pub fn read(&self, answer: &str) -> Result<Option<Vec<bool>>, String> {
        if answer.contains("Formula is unsatisfiable") {
            return Ok(None);
        }
        let example = match answer.split_once("A satisfying example") {
            Some((_, example)) => example,
            // A valid formula has no counterexample, and its example is any.
            None if answer.contains("Formula is valid") => answer,
            None => {
                let first = answer.lines().find(|l| !l.trim().is_empty()).unwrap_or("");
                return Err(format!("no answer from MONA: {first}"));
            }
        };
        let mut values = vec![false; self.asked];
        for line in example.lines() {
            if let Some((name, value)) = line.split_once(" = ")
                && let Some(number) = name.strip_prefix("asked").and_then(|n| n.parse().ok())
                && let Some(place) = values.get_mut::<usize>(number)
            {
                *place = value.trim() == "true";
            }
        }
        Ok(Some(values))
    }
}

/// The field along which reachability is said most often, of those that are assumed to form lists.
fn backbone(problem: &Problem) -> Option<FieldId> {
    let mut best: Option<(usize, FieldId)> = None;
    for (field, info) in problem.signature.fields.iter() {
        let says = |what: usize| {
            let known = |f: &Formula| matches!(f, Formula::Forall(..)) && forest(f, field, what);
            problem.given.iter().any(known)
        };
        if info.kind != Kind::Object || problem.write_of(field).is_some() || !says(0) || !says(1) {
            continue;
        }
        let mut count = 0;
        for formula in problem.given.iter().chain(&problem.asked) {
            formula.atoms(&mut |atom| {
                count +=
                    usize::from(matches!(atom, Formula::Btwn(f, ..) if problem.root(*f) == field));
            });
        }
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, field));
        }
    }
    best.map(|(_, field)| field)
}

/// Whether the formula is one of those that say that a field forms lists.
fn says_forest(formula: &Formula, field: FieldId) -> bool {
    (0..3).any(|what| forest(formula, field, what))
}

/// The formulas that say that a field forms lists: acyclic, no sharing, and what follows from that.
fn forest(formula: &Formula, field: FieldId, what: usize) -> bool {
    let Formula::Forall(bound, body) = formula else { return false };
    let var = |i: usize| Term::Var(bound[i]);
    let next = |t: Term| Term::read(field, t);
    let expected = match (what, bound.len()) {
        (0, 1) => Formula::reach(field, var(0), Term::Null),
        (1, 2) => {
            let shared = Formula::Eq(next(var(0)), next(var(1)));
            let proper = Formula::ne(next(var(0)), Term::Null);
            Formula::implies(Formula::and([shared, proper]), Formula::Eq(var(0), var(1)))
        }
        (2, 3) => {
            let reach = |a: usize, b: usize| Formula::reach(field, var(a), var(b));
            let meet = Formula::and([reach(0, 2), reach(1, 2), Formula::ne(var(2), Term::Null)]);
            Formula::implies(meet, Formula::or([reach(0, 1), reach(1, 0)]))
        }
        _ => return false,
    };
    **body == expected
}

/// Gives names to the places and values of writes, so that relations can mention them.
fn name_places(problem: &mut Problem) {
    for number in 0..problem.writes.len() {
        let write = problem.writes[number].clone();
        if problem.signature.fields[write.field].kind != Kind::Object {
            continue;
        }
        let mut name = |term: Term| match term {
            Term::Var(_) => term,
            other => {
                let name = format!("p{}", problem.signature.variables.len());
                let symbol = problem.signature.variable(name, Kind::Object);
                problem.given.push(Formula::Eq(Term::Var(symbol), other));
                Term::Var(symbol)
            }
        };
        let at = name(write.at);
        let value = match write.value {
            Written::Term(term) => Written::Term(name(term)),
            truth => truth,
        };
        problem.writes[number].at = at;
        problem.writes[number].value = value;
    }
}

/// Steps 2 and 3.
struct Preparation {
    problem: Problem,
    backbone: Option<FieldId>,
    /// Sets that stand for what is not said, by their meaning.
    sets: HashMap<String, Formula>,
    exact: bool,
}

impl Preparation {
    fn signature(&self) -> &Signature {
        &self.problem.signature
    }

    fn is_object(&self, term: &Term) -> bool {
        match term {
            Term::Null => true,
            Term::Var(s) => self.signature().variables[*s].kind == Kind::Object,
            Term::Read(f, _) => self.signature().fields[*f].kind == Kind::Object,
            Term::If(_, a, _) => self.is_object(a),
            Term::Int(_) | Term::Add(..) | Term::Scale(..) => false,
        }
    }

    /// Negations at atoms only, no conditional terms, no written fields but the backbone.
    fn normal(&mut self, formula: &Formula, negated: bool, bound: &mut Vec<Symbol>) -> Formula {
        match formula {
            Formula::True | Formula::False => {
                if negated {
                    formula.clone().negate()
                } else {
                    formula.clone()
                }
            }
            Formula::Not(inner) => self.normal(inner, !negated, bound),
            Formula::And(parts) | Formula::Or(parts) => {
                let conjunction = matches!(formula, Formula::And(_)) != negated;
                let parts: Vec<Formula> =
                    parts.iter().map(|p| self.normal(p, negated, bound)).collect();
                if conjunction { Formula::and(parts) } else { Formula::or(parts) }
            }
            Formula::Forall(symbols, body) | Formula::Exists(symbols, body) => {
                let universal = matches!(formula, Formula::Forall(..)) != negated;
                let outside = bound.len();
                bound.extend(symbols);
                let body = self.normal(body, negated, bound);
                bound.truncate(outside);
                match body {
                    Formula::True | Formula::False => body,
                    body if universal => Formula::Forall(symbols.clone(), Box::new(body)),
                    body => Formula::Exists(symbols.clone(), Box::new(body)),
                }
            }
            Formula::Holds(field, at) => match self.problem.write_of(*field).cloned() {
                Some(write) => {
                    let here = Formula::Eq(at.clone(), write.at);
                    let value = match write.value {
                        Written::Truth(formula) => formula,
                        Written::Term(_) => Formula::True,
                    };
                    let kept = Formula::Holds(write.before, at.clone());
                    let cases = Formula::or([
                        Formula::and([here.clone(), value]),
                        Formula::and([here.negate(), kept]),
                    ]);
                    self.normal(&cases, negated, bound)
                }
                None => self.atom(formula, negated, bound),
            },
            atom => self.atom(atom, negated, bound),
        }
    }

    fn atom(&mut self, atom: &Formula, negated: bool, bound: &mut Vec<Symbol>) -> Formula {
        let said = match atom {
            Formula::Eq(a, _) => self.is_object(a),
            Formula::Btwn(field, ..) => Some(self.problem.root(*field)) == self.backbone,
            Formula::Holds(..) | Formula::Truth(_) => true,
            _ => false,
        };
        if !said {
            return self.approximated(atom, negated, bound);
        }
        let mut found: Option<Term> = None;
        atom.terms(&mut |t| {
            let split = match t {
                Term::If(..) => true,
                Term::Read(field, _) => {
                    self.problem.write_of(*field).is_some()
                        && Some(self.problem.root(*field)) != self.backbone
                }
                _ => false,
            };
            // Inner ones first: they are visited last.
            if split {
                found = Some(t.clone());
            }
        });
        let Some(term) = found else {
            return if negated { atom.clone().negate() } else { atom.clone() };
        };
        let (condition, then, other) = match &term {
            Term::If(c, a, b) => ((**c).clone(), (**a).clone(), (**b).clone()),
            Term::Read(field, of) => {
                let write = self.problem.write_of(*field).cloned().expect("the field is written");
                let value = match write.value {
                    Written::Term(value) => value,
                    Written::Truth(_) => Term::Null,
                };
                let kept = Term::read(write.before, (**of).clone());
                (Formula::Eq((**of).clone(), write.at), value, kept)
            }
            _ => unreachable!("only such terms are found"),
        };
        let cases = Formula::or([
            Formula::and([condition.clone(), put(atom, &term, &then)]),
            Formula::and([condition.negate(), put(atom, &term, &other)]),
        ]);
        self.normal(&cases, negated, bound)
    }

    /// Membership in a set that nothing is known of, or nothing at all.
    fn approximated(&mut self, atom: &Formula, negated: bool, bound: &mut Vec<Symbol>) -> Formula {
        self.exact = false;
        let mut objects: Vec<Term> = Vec::new();
        let mut conditional = false;
        self.objects(atom, &mut objects, &mut conditional);
        let is_bound = |t: &Term| {
            let mut found = false;
            t.terms(&mut |t| found |= matches!(t, Term::Var(s) if bound.contains(s)));
            found
        };
        let free: Vec<&Term> = objects.iter().filter(|t| !is_bound(t)).collect();
        let inner: Vec<&Term> = objects.iter().filter(|t| is_bound(t)).collect();
        let hole = match (&inner[..], free.last()) {
            // Two bound objects, or one inside of a condition: nothing is said.
            ([_, _, ..], _) => return Formula::True,
            ([_], _) if conditional => return Formula::True,
            ([one], _) => Some((*one).clone()),
            ([], Some(last)) if !conditional => Some((*last).clone()),
            ([], _) => None,
        };
        // The same statement of a bound object and of a free one is one set.
        let key = match &hole {
            Some(hole) => self.signature().show(&put(atom, hole, &Term::Int(i128::MIN))),
            None => self.signature().show(atom),
        };
        let literal = match self.sets.get(&key) {
            Some(known) => known.clone(),
            None => {
                let signature = &mut self.problem.signature;
                let number = signature.fields.len() + signature.variables.len();
                let made = match hole {
                    Some(_) => {
                        let set = signature.field(format!("unsaid{number}"), Kind::Truth);
                        Formula::Holds(set, Term::Null)
                    }
                    None => {
                        Formula::Truth(signature.variable(format!("unsaid{number}"), Kind::Truth))
                    }
                };
                self.sets.insert(key, made.clone());
                made
            }
        };
        let literal = match (literal, hole) {
            (Formula::Holds(set, _), Some(hole)) => Formula::Holds(set, hole),
            (literal, _) => literal,
        };
        // The object may be read from written fields.
        self.normal(&literal, negated, bound)
    }

    /// The largest objects that an atom speaks of, each once; whether there are conditions.
    fn objects(&self, atom: &Formula, found: &mut Vec<Term>, conditional: &mut bool) {
        let mut open: Vec<&Term> = match atom {
            Formula::Eq(a, b) | Formula::Le(a, b) => vec![b, a],
            Formula::Holds(_, a) => vec![a],
            Formula::Btwn(_, a, b, c) => vec![c, b, a],
            _ => Vec::new(),
        };
        while let Some(term) = open.pop() {
            if self.is_object(term) {
                if *term != Term::Null && !found.contains(term) {
                    found.push(term.clone());
                }
                continue;
            }
            match term {
                Term::Read(_, a) | Term::Scale(_, a) => open.push(a),
                Term::Add(a, b) => open.extend([&**b, &**a]),
                Term::If(_, a, b) => {
                    *conditional = true;
                    open.extend([&**b, &**a]);
                }
                Term::Null | Term::Var(_) | Term::Int(_) => {}
            }
        }
    }
}

/// Step 4.
struct Text<'a> {
    problem: &'a Problem,
    backbone: Option<FieldId>,
    fresh: u32,
}

impl Text<'_> {
    fn text(mut self, given: &[Formula], asked: &[Formula]) -> String {
        let mut out = String::from(PRELUDE);
        let mut used: HashSet<Symbol> = HashSet::default();
        let mut fields: HashSet<FieldId> = HashSet::default();
        let mut bound: HashSet<Symbol> = HashSet::default();
        for formula in given.iter().chain(asked) {
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
            if fields.contains(&write.field)
                && Some(self.problem.root(write.field)) == self.backbone
            {
                fields.insert(write.before);
                if let (Term::Var(at), Written::Term(Term::Var(value))) = (&write.at, &write.value)
                {
                    used.extend([*at, *value]);
                }
                writes.push(number);
            }
        }
        writes.reverse();
        for (symbol, info) in self.problem.signature.variables.iter() {
            if used.contains(&symbol) && !bound.contains(&symbol) {
                let order = if info.kind == Kind::Truth { 0 } else { 1 };
                let _ = writeln!(out, "var{order} {};", variable(symbol));
            }
        }
        for (field, info) in self.problem.signature.fields.iter() {
            if fields.contains(&field) && info.kind == Kind::Truth {
                let _ = writeln!(out, "var2 {};", set_name(field));
            }
        }
        for number in 0..asked.len() {
            let _ = writeln!(out, "var0 asked{number};");
        }
        for number in writes {
            self.written(number, &mut out);
        }
        for formula in given {
            let said = self.formula(formula);
            if said != "true" {
                let _ = writeln!(out, "{said};");
            }
        }
        for (number, formula) in asked.iter().enumerate() {
            let said = self.formula(formula);
            let _ = writeln!(out, "asked{number} <=> ({said});");
        }
        out.push_str("true;\n");
        out
    }

    fn written(&self, number: usize, out: &mut String) {
        let write = &self.problem.writes[number];
        let (Term::Var(at), Written::Term(Term::Var(value))) = (&write.at, &write.value) else {
            return;
        };
        let (at, value) = (variable(*at), variable(*value));
        let (before, k) = (self.step(write.before), write.field.index());
        let _ = write!(
            out,
            "pred step{k}(var1 a, b) = eq(a, {at}) & eq(b, {value}) | ~eq(a, {at}) & {before}(a, b);\n\
             pred cut{k}(var1 a, b, c) = all2 S: (elem(a, S) & (all1 v, w: (elem(v, S) & ~eq(v, c) \
             & step{k}(v, w)) => elem(w, S))) => elem(b, S);\n\
             pred along{k}(var1 a, b) = all2 S: (elem(a, S) & (all1 v, w: (elem(v, S) & step{k}(v, w)) \
             => elem(w, S))) => elem(b, S);\n\
             pred btwn{k}(var1 a, b, c) = along{k}(a, c) & cut{k}(a, b, c);\n"
        );
    }

    fn step(&self, field: FieldId) -> String {
        match Some(field) == self.backbone {
            true => "next".into(),
            false => format!("step{}", field.index()),
        }
    }

    fn formula(&mut self, formula: &Formula) -> String {
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
            Formula::Eq(a, b) => {
                if *b == Term::Null {
                    return self.with(&[a], |n| format!("null({})", n[0]));
                }
                self.with(&[a, b], |n| format!("eq({}, {})", n[0], n[1]))
            }
            Formula::Holds(field, a) => {
                let set = set_name(*field);
                self.with(&[a], |n| format!("elem({}, {set})", n[0]))
            }
            Formula::Btwn(field, a, b, c) => {
                let word = match Some(*field) == self.backbone {
                    true => "btwn".to_owned(),
                    false => format!("btwn{}", field.index()),
                };
                if b == c {
                    let word = match Some(*field) == self.backbone {
                        true => "reach".to_owned(),
                        false => format!("along{}", field.index()),
                    };
                    return self.with(&[a, b], |n| format!("{word}({}, {})", n[0], n[1]));
                }
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
}

impl Positions for Text<'_> {
    fn variable(&self, symbol: Symbol) -> String {
        variable(symbol)
    }

    fn follows(&self, field: FieldId) -> String {
        self.step(field)
    }

    fn count(&mut self) -> &mut u32 {
        &mut self.fresh
    }
}

fn variable(symbol: Symbol) -> String {
    format!("v{}", symbol.index())
}
