//! Steps 2 and 3 of the [translation](super::simulation): what neither strings nor trees can say becomes sets,
//! and written fields that are no backbone become case distinctions (Figure 6.9 of the thesis).

use super::backbone::Backbone;
use super::problem::{Problem, Written};
use bolide_base::HashMap;
use bolide_heap::{Formula, Kind, Signature, Symbol, Term};

/// Gives names to the places and values of writes to the backbone, so that relations can mention them.
pub(super) fn name_places(problem: &mut Problem, backbone: Backbone) {
    for number in 0..problem.writes.len() {
        let write = problem.writes[number].clone();
        if !backbone.has(problem.root(write.field)) {
            continue;
        }
        let mut name = |term: Term| match term {
            Term::Var(_) | Term::Null => term,
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

/// A problem in the course of translation.
pub(super) struct Preparation {
    pub problem: Problem,
    backbone: Backbone,
    /// Sets that stand for what is not said, by their meaning.
    sets: HashMap<String, Formula>,
    /// Nothing was approximated.
    pub exact: bool,
}

impl Preparation {
    pub fn new(problem: Problem, backbone: Backbone) -> Preparation {
        Preparation { problem, backbone, sets: HashMap::default(), exact: true }
    }

    fn signature(&self) -> &Signature {
        &self.problem.signature
    }

    fn is_object(&self, term: &Term) -> bool {
        match term {
            Term::Null => true,
            Term::Var(s) => self.signature().variables[*s].kind == Kind::Object,
            Term::Read(f, _) => self.signature().fields[*f].kind == Kind::Object,
            Term::If(_, a, _) => self.is_object(a),
            Term::Index(..) => true,
            Term::Int(_) | Term::Add(..) | Term::Scale(..) => false,
        }
    }

    /// Negations at atoms only, no conditional terms, no written fields but the backbone.
    pub fn normal(&mut self, formula: &Formula, negated: bool, bound: &mut Vec<Symbol>) -> Formula {
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
            Formula::Btwn(field, ..) => Some(self.problem.root(*field)) == self.backbone.reaches(),
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
                        && !self.backbone.has(self.problem.root(*field))
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
            Formula::and([condition.clone(), atom.put(&term, &then)]),
            Formula::and([condition.negate(), atom.put(&term, &other)]),
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
            Some(hole) => self.signature().show(&atom.put(hole, &Term::Int(i128::MIN))),
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
                Term::Read(_, a) | Term::Scale(_, a) | Term::Index(_, a) => open.push(a),
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
