//! Entailments about lists as input for MONA, which serves as a judge.
//!
//! After section 6.3.3 of the thesis: a heap whose backbone field is acyclic
//! and free of sharing is a string; positions are objects, the positions of
//! `Null` all stand for null and end the lists between them. Reachability along the backbone is
//! order of positions; along the written field it is said anew as a smallest closed set, in
//! which no update formula occurs: so the judge shares nothing with what it judges.
//!
//! This file and [`trees`] judge random problems; [`simulation`] takes whole questions of a session. Only
//! text is made here; starting the tool is for others ([`Mona`]).

pub mod simulation;
pub mod trees;

use crate::formula::{FieldId, Formula, Kind, Signature, Symbol, Term};
use crate::session::{Session, State, Undecided};
use bolide_base::{Budget, HashMap};
use std::fmt::Write;
use std::rc::Rc;
use std::sync::Arc;

/// Somebody who can run MONA: takes the input, gives what the tool prints, or why there is nothing.
#[derive(Clone)]
pub struct Mona(pub Arc<Ask>);

/// Runs MONA on an input.
pub type Ask = dyn Fn(&str, &Budget) -> Result<String, String> + Send + Sync;

impl std::fmt::Debug for Mona {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Mona")
    }
}

/// Whether a hypothesis entails a goal in all forests of lists.
#[derive(Clone, Debug)]
pub struct ListProblem {
    /// Names; variables are objects, truth fields are sets.
    pub signature: Signature,
    /// The field that forms lists: acyclic, no sharing.
    pub backbone: FieldId,
    /// A second field that differs from the backbone at one object.
    pub written: Option<(FieldId, Symbol, Symbol)>,
    /// What is assumed, without quantifiers.
    pub hypothesis: Formula,
    /// What is to follow, without quantifiers.
    pub goal: Formula,
}

impl ListProblem {
    /// The answer of the decision procedure of this crate.
    ///
    /// # Errors
    /// When the procedure gives up.
    pub fn entailed(&self, budget: &Budget) -> Result<bool, Undecided> {
        let mut session = Session::new(false);
        let mut state = State::default();
        let mut signature = self.signature.clone();
        let (x, y) = (signature.variable("x", Kind::Object), signature.variable("y", Kind::Object));
        for (symbol, variable) in self.signature.variables.iter() {
            let value = session.constant(&variable.name, variable.kind);
            state.variables.insert(symbol, value);
        }
        for (field, info) in self.signature.fields.iter() {
            if self.written.is_none_or(|(written, _, _)| written != field) {
                let version = session.base(&info.name, info.kind);
                state.fields.insert(field, version);
            }
        }
        if let Some((field, at, value)) = self.written {
            let (at, value) = (state.variables[&at], state.variables[&value]);
            let version = session.write(state.fields[&self.backbone], at, value);
            state.fields.insert(field, version);
        }
        let state = Rc::new(state);
        let (vx, vy) = (Term::Var(x), Term::Var(y));
        let acyclic = Formula::reach(self.backbone, vx.clone(), Term::Null);
        session.assume(&state, &Formula::Forall(vec![x], Box::new(acyclic)));
        let next = |t: &Term| Term::read(self.backbone, t.clone());
        let shared =
            Formula::and([Formula::Eq(next(&vx), next(&vy)), Formula::ne(next(&vx), Term::Null)]);
        let alone = Formula::implies(shared, Formula::Eq(vx, vy));
        session.assume(&state, &Formula::Forall(vec![x, y], Box::new(alone)));
        session.assume(&state, &self.hypothesis);
        session.assume(&state, &self.goal.clone().negate());
        Ok(session.check(budget)?.is_none())
    }

    /// The problem for MONA: the formula is valid when the goal follows.
    pub fn to_mona(&self) -> String {
        let mut out = String::from(PRELUDE);
        let mut translation = Translation { problem: self, names: HashMap::default(), fresh: 0 };
        for (symbol, _) in self.signature.variables.iter() {
            let name = format!("v{}", bolide_base::arena::Id::index(symbol));
            let _ = writeln!(out, "var1 {name};");
            translation.names.insert(symbol, name);
        }
        for (field, info) in self.signature.fields.iter() {
            if info.kind == Kind::Truth {
                let _ = writeln!(out, "var2 {};", set_name(field));
            }
        }
        if let Some((_, at, value)) = self.written {
            let (at, value) = (&translation.names[&at], &translation.names[&value]);
            let _ = write!(
                out,
                "pred step(var1 a, b) = eq(a, {at}) & eq(b, {value}) | ~eq(a, {at}) & next(a, b);\n\
                 pred cut(var1 a, b, c) = all2 S: (elem(a, S) & (all1 v, w: (elem(v, S) & ~eq(v, c) \
                 & step(v, w)) => elem(w, S))) => elem(b, S);\n\
                 pred along(var1 a, b) = all2 S: (elem(a, S) & (all1 v, w: (elem(v, S) & step(v, w)) \
                 => elem(w, S))) => elem(b, S);\n\
                 pred btwnw(var1 a, b, c) = along(a, c) & cut(a, b, c);\n"
            );
        }
        let hypothesis = translation.formula(&self.hypothesis);
        let goal = translation.formula(&self.goal);
        let _ = writeln!(out, "({hypothesis}) => ({goal});");
        out
    }
}

/// Null, equality up to null, and the backbone.
const PRELUDE: &str = "m2l-str;\n\
    var2 Null where ex1 v: v in Null & (all1 w: w <= v);\n\
    pred null(var1 v) = v in Null;\n\
    pred eq(var1 a, b) = null(a) & null(b) | a = b;\n\
    pred elem(var1 a, var2 S) = ex1 b: b in S & eq(a, b);\n\
    pred next(var1 a, b) = null(a) & null(b) | ~null(a) & eq(a + 1, b);\n\
    pred reach(var1 a, b) = null(b) | ~null(a) & a <= b & (all1 c: (a <= c & c <= b) => ~null(c));\n\
    pred btwn(var1 a, b, c) = reach(a, c) & reach(a, b) & reach(b, c);\n";

fn set_name(field: FieldId) -> String {
    format!("S{}", bolide_base::arena::Id::index(field))
}

struct Translation<'a> {
    problem: &'a ListProblem,
    names: HashMap<Symbol, String>,
    fresh: u32,
}

impl Translation<'_> {
    fn formula(&mut self, formula: &Formula) -> String {
        let mut list = |parts: &[Formula], word: &str, none: &str| {
            let parts: Vec<String> =
                parts.iter().map(|p| format!("({})", self.formula(p))).collect();
            if parts.is_empty() { none.to_owned() } else { parts.join(word) }
        };
        match formula {
            Formula::True => "true".into(),
            Formula::False => "false".into(),
            Formula::And(parts) => list(parts, " & ", "true"),
            Formula::Or(parts) => list(parts, " | ", "false"),
            Formula::Not(inner) => format!("~({})", self.formula(inner)),
            Formula::Eq(a, b) => self.with(&[a, b], |n| format!("eq({}, {})", n[0], n[1])),
            Formula::Holds(field, a) => {
                let set = set_name(*field);
                self.with(&[a], |n| format!("elem({}, {set})", n[0]))
            }
            Formula::Btwn(field, a, b, c) => {
                let name = if *field == self.problem.backbone { "btwn" } else { "btwnw" };
                self.with(&[a, b, c], |n| format!("{name}({}, {}, {})", n[0], n[1], n[2]))
            }
            // The generator makes no other formulas; what is not said cannot be proved.
            Formula::Le(..) | Formula::Truth(_) | Formula::Forall(..) | Formula::Exists(..) => {
                "false".into()
            }
        }
    }
}

impl Positions for Translation<'_> {
    fn variable(&self, symbol: Symbol) -> String {
        self.names[&symbol].clone()
    }

    fn follows(&self, field: FieldId) -> String {
        if field == self.problem.backbone { "next" } else { "step" }.to_owned()
    }

    fn count(&mut self) -> &mut u32 {
        &mut self.fresh
    }
}

/// Terms as positions of a string: MONA knows no functions, so a value that is read gets a name.
trait Positions {
    /// The name of a variable.
    fn variable(&self, symbol: Symbol) -> String;

    /// The predicate that relates an object to the value of its field.
    fn follows(&self, field: FieldId) -> String;

    /// Names given so far.
    fn count(&mut self) -> &mut u32;

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
        if let Term::Var(symbol) = term {
            return self.variable(*symbol);
        }
        let meaning = match term {
            Term::Read(field, of) => {
                let of = self.name(of, before, after);
                Some((self.follows(*field), of))
            }
            _ => None,
        };
        *self.count() += 1;
        let name = format!("t{}", self.count());
        let _ = match meaning {
            Some((word, of)) => write!(before, "(ex1 {name}: {word}({of}, {name}) & "),
            None => write!(before, "(ex1 {name}: null({name}) & "),
        };
        after.push(')');
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_like_the_thesis() {
        let mut signature = Signature::default();
        let (x, y) = (signature.variable("x", Kind::Object), signature.variable("y", Kind::Object));
        let next = signature.field("next", Kind::Object);
        let after = signature.field("after", Kind::Object);
        let problem = ListProblem {
            signature,
            backbone: next,
            written: Some((after, x, y)),
            hypothesis: Formula::reach(next, Term::Var(y), Term::Null),
            goal: Formula::reach(after, Term::Var(x), Term::Var(y)),
        };
        assert_eq!(problem.entailed(&Budget::unlimited()), Ok(true));
        let text = problem.to_mona();
        assert!(text.contains("pred step(var1 a, b) = eq(a, v0) & eq(b, v1)"), "{text}");
        let last = "((ex1 t1: null(t1) & (ex1 t2: null(t2) & btwn(v1, t1, t2)))) => (btwnw(v0, v1, v1));\n";
        assert!(text.ends_with(last), "{text}");
    }
}
