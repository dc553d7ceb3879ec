//! What a session was told, as a [`Problem`].
//!
//! Ground terms are read back into formulas; universal statements are taken as they were made, with the values
//! of their state in place. A term that the language of formulas cannot say (none is made today) drops the
//! fact that it is part of.

use crate::formula::{FieldId, Formula, Kind, Symbol, Term};
use crate::problem::{Problem, Write, Written};
use crate::session::{Session, Universal, index};
use bolide_base::HashMap;
use bolide_base::arena::Id;
use bolide_terms::{FunctionId, Op, SortId, TermId};

struct Export<'a> {
    session: &'a Session,
    problem: Problem,
    constants: HashMap<TermId, Symbol>,
    bound: HashMap<Symbol, Symbol>,
    reads: HashMap<FunctionId, FieldId>,
    reaches: HashMap<FunctionId, FieldId>,
}

impl Session {
    /// The question whether what was assumed has a model, and what some ground formulas are there; the
    /// constant `about` may be any object.
    pub fn problem(&self, asked: &[TermId], about: Option<TermId>) -> Problem {
        let mut export = Export {
            session: self,
            problem: Problem::default(),
            constants: HashMap::default(),
            bound: HashMap::default(),
            reads: HashMap::default(),
            reaches: HashMap::default(),
        };
        export.fields();
        for &fact in &self.stated {
            if let Some(formula) = export.formula(fact) {
                export.problem.given.push(formula);
            }
        }
        for universal in &self.universals {
            if let Some(formula) = export.universal(universal) {
                export.problem.given.push(formula);
            }
        }
        for &term in asked {
            let formula = export.formula(term).unwrap_or_else(|| export.unsaid(term));
            export.problem.asked.push(formula);
        }
        export.problem.about = about.map(|term| export.constant(term, Kind::Object));
        export.problem
    }
}

impl Export<'_> {
    fn fields(&mut self) {
        // Numbers of versions and of fields coincide.
        for info in &self.session.versions {
            let name = self.session.store.function_name(info.function);
            let field = self.problem.signature.field(name, info.kind);
            self.reads.insert(info.function, field);
            if let Some(btwn) = info.btwn {
                self.reaches.insert(btwn, field);
            }
        }
        for (number, info) in self.session.versions.iter().enumerate() {
            let Some((before, at, value)) = info.write else { continue };
            let (field, before) = (FieldId::from_index(number), FieldId::from_index(index(before)));
            let Some(at) = self.term(at) else { continue };
            let value = match info.kind {
                Kind::Truth => self.formula(value).map(Written::Truth),
                _ => self.term(value).map(Written::Term),
            };
            if let Some(value) = value {
                self.problem.writes.push(Write { field, before, at, value });
            }
        }
    }

    /// A truth value of which nothing is known.
    fn unsaid(&mut self, term: TermId) -> Formula {
        Formula::Truth(self.constant(term, Kind::Truth))
    }

    fn constant(&mut self, term: TermId, kind: Kind) -> Symbol {
        let signature = &mut self.problem.signature;
        *self
            .constants
            .entry(term)
            .or_insert_with(|| signature.variable(format!("c{}", term.index()), kind))
    }

    fn kind(&self, term: TermId) -> Kind {
        match self.session.store.sort(term) {
            SortId::BOOL => Kind::Truth,
            SortId::INT => Kind::Integer,
            _ => Kind::Object,
        }
    }

    fn term(&mut self, term: TermId) -> Option<Term> {
        if term == self.session.null() {
            return Some(Term::Null);
        }
        let store = &self.session.store;
        let arguments = store.args(term).to_vec();
        Some(match store.op(term) {
            Op::Number(_) => Term::Int(store.number(term)?.to_i128()?),
            Op::Apply(_) if arguments.is_empty() => {
                let kind = self.kind(term);
                Term::Var(self.constant(term, kind))
            }
            Op::Apply(function) => {
                let field = *self.reads.get(&function)?;
                Term::read(field, self.term(arguments[0])?)
            }
            Op::Add => {
                let mut sum: Option<Term> = None;
                for argument in arguments {
                    let part = self.term(argument)?;
                    sum = Some(match sum {
                        None => part,
                        Some(sum) => Term::Add(Box::new(sum), Box::new(part)),
                    });
                }
                sum?
            }
            Op::Mul if arguments.len() == 2 => {
                let factor = store.number(arguments[0])?.to_i128()?;
                Term::Scale(factor, Box::new(self.term(arguments[1])?))
            }
            Op::Ite => {
                let condition = self.formula(arguments[0])?;
                let (a, b) = (self.term(arguments[1])?, self.term(arguments[2])?);
                Term::If(Box::new(condition), Box::new(a), Box::new(b))
            }
            _ => return None,
        })
    }

    fn formula(&mut self, term: TermId) -> Option<Formula> {
        let store = &self.session.store;
        let arguments = store.args(term).to_vec();
        let truth = arguments.first().is_some_and(|&a| store.sort(a) == SortId::BOOL);
        Some(match store.op(term) {
            Op::True => Formula::True,
            Op::False => Formula::False,
            Op::Not => self.formula(arguments[0])?.negate(),
            op @ (Op::And | Op::Or) => {
                let mut parts = Vec::new();
                for argument in arguments {
                    parts.push(self.formula(argument)?);
                }
                if op == Op::And { Formula::and(parts) } else { Formula::or(parts) }
            }
            Op::Ite => {
                let condition = self.formula(arguments[0])?;
                let (a, b) = (self.formula(arguments[1])?, self.formula(arguments[2])?);
                Formula::or([
                    Formula::and([condition.clone(), a]),
                    Formula::and([condition.negate(), b]),
                ])
            }
            Op::Eq if truth => {
                Formula::iff(self.formula(arguments[0])?, self.formula(arguments[1])?)
            }
            Op::Eq => Formula::Eq(self.term(arguments[0])?, self.term(arguments[1])?),
            Op::Le => Formula::Le(self.term(arguments[0])?, self.term(arguments[1])?),
            Op::Apply(_) if arguments.is_empty() => {
                Formula::Truth(self.constant(term, Kind::Truth))
            }
            Op::Apply(function) if arguments.len() == 3 => {
                let field = *self.reaches.get(&function)?;
                let (x, y) = (self.term(arguments[0])?, self.term(arguments[1])?);
                Formula::Btwn(field, x, y, self.term(arguments[2])?)
            }
            Op::Apply(function) => {
                let field = *self.reads.get(&function)?;
                Formula::Holds(field, self.term(arguments[0])?)
            }
            _ => return None,
        })
    }

    fn universal(&mut self, universal: &Universal) -> Option<Formula> {
        let mut values: HashMap<Symbol, Term> = HashMap::default();
        let mut variables: Vec<(Symbol, TermId)> =
            universal.state.variables.iter().map(|(s, t)| (*s, *t)).collect();
        variables.sort_unstable();
        variables.extend(&universal.outer);
        let mut used = Vec::new();
        universal.body.terms(&mut |t| {
            if let Term::Var(s) = t {
                used.push(*s);
            }
        });
        for (symbol, value) in variables {
            if used.contains(&symbol) {
                let value = self.term(value)?;
                values.insert(symbol, value);
            }
        }
        let guard = self.formula(universal.guard)?;
        let body = self.renamed(&universal.bound, &universal.body, &values, universal)?;
        let bound = universal.bound.iter().map(|s| self.bound[s]).collect();
        let whole = match universal.negated {
            false => Formula::Forall(bound, Box::new(body)),
            true => Formula::Exists(bound, Box::new(body)).negate(),
        };
        Some(Formula::or([guard.negate(), whole]))
    }

    /// The body with values for variables, versions for fields, and names of its own for bound objects.
    fn renamed(
        &mut self,
        bound: &[Symbol],
        body: &Formula,
        values: &HashMap<Symbol, Term>,
        universal: &Universal,
    ) -> Option<Formula> {
        let mut values = values.clone();
        for &symbol in bound {
            let signature = &mut self.problem.signature;
            let name = *self.bound.entry(symbol).or_insert_with(|| {
                signature.variable(format!("b{}", symbol.index()), Kind::Object)
            });
            values.insert(symbol, Term::Var(name));
        }
        Some(match body {
            Formula::Not(a) => self.renamed(&[], a, &values, universal)?.negate(),
            Formula::And(all) | Formula::Or(all) => {
                let mut parts = Vec::new();
                for part in all {
                    parts.push(self.renamed(&[], part, &values, universal)?);
                }
                match body {
                    Formula::And(_) => Formula::and(parts),
                    _ => Formula::or(parts),
                }
            }
            Formula::Forall(inner, a) | Formula::Exists(inner, a) => {
                let a = Box::new(self.renamed(inner, a, &values, universal)?);
                let inner = inner.iter().map(|s| self.bound[s]).collect();
                match body {
                    Formula::Forall(..) => Formula::Forall(inner, a),
                    _ => Formula::Exists(inner, a),
                }
            }
            Formula::Truth(symbol) => {
                let &value = universal.state.variables.get(symbol)?;
                self.formula(value)?
            }
            atom => {
                let fields = &universal.state.fields;
                if atom.fields().iter().any(|f| !fields.contains_key(f)) {
                    return None;
                }
                atom.replace(&|s| values.get(&s).cloned(), &|f| {
                    FieldId::from_index(index(fields[&f]))
                })
            }
        })
    }
}
