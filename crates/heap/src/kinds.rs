//! Whether a formula makes sense: what it compares and reads is of the kind that it takes it for.
//!
//! Formulas that lowering or a search makes always do. One that somebody hands over may be about another program.

use crate::formula::{Formula, Kind, Signature, Symbol, Term};

/// Whether all variables and fields of the formula are there, and used as what they are.
pub fn is_well_kinded(signature: &Signature, formula: &Formula) -> bool {
    Kinds { signature }.formula(formula, &mut Vec::new())
}

struct Kinds<'s> {
    signature: &'s Signature,
}

impl Kinds<'_> {
    /// `bound` are quantified variables, which are objects.
    fn formula(&self, formula: &Formula, bound: &mut Vec<Symbol>) -> bool {
        let object = Some(Kind::Object);
        match formula {
            Formula::True | Formula::False => true,
            Formula::Eq(a, b) => {
                let kind = self.term(a, bound);
                kind.is_some() && kind == self.term(b, bound)
            }
            Formula::Le(a, b) => [a, b].iter().all(|t| self.term(t, bound) == Some(Kind::Integer)),
            Formula::Truth(symbol) => self.variable(*symbol, bound) == Some(Kind::Truth),
            Formula::Holds(field, a) => {
                let field = self.signature.fields.get(*field);
                field.is_some_and(|f| f.kind == Kind::Truth) && self.term(a, bound) == object
            }
            Formula::Btwn(field, a, b, c) => {
                let field = self.signature.fields.get(*field);
                field.is_some_and(|f| f.kind == Kind::Object)
                    && [a, b, c].iter().all(|t| self.term(t, bound) == object)
            }
            Formula::Not(inner) => self.formula(inner, bound),
            Formula::And(all) | Formula::Or(all) => all.iter().all(|f| self.formula(f, bound)),
            Formula::Forall(symbols, body) | Formula::Exists(symbols, body) => {
                let outer = bound.len();
                bound.extend(symbols);
                let right = self.formula(body, bound);
                bound.truncate(outer);
                right
            }
        }
    }

    /// The kind of a term that makes sense.
    fn term(&self, term: &Term, bound: &mut Vec<Symbol>) -> Option<Kind> {
        match term {
            Term::Null => Some(Kind::Object),
            Term::Int(_) => Some(Kind::Integer),
            Term::Var(symbol) => self.variable(*symbol, bound),
            Term::Read(field, of) => {
                let field = self.signature.fields.get(*field)?;
                (self.term(of, bound)? == Kind::Object).then_some(field.kind)
            }
            Term::Add(a, b) => {
                let integers = [a, b].iter().all(|t| self.term(t, bound) == Some(Kind::Integer));
                integers.then_some(Kind::Integer)
            }
            Term::Index(number, a) => {
                let number = self.signature.fields.get(*number)?;
                let right = number.kind == Kind::Integer && self.term(a, bound)? == Kind::Integer;
                right.then_some(Kind::Object)
            }
            Term::Scale(_, a) => self.term(a, bound).filter(|&kind| kind == Kind::Integer),
            Term::If(condition, a, b) => {
                let kind = self.term(a, bound)?;
                let right = self.formula(condition, bound) && self.term(b, bound)? == kind;
                right.then_some(kind)
            }
        }
    }

    fn variable(&self, symbol: Symbol, bound: &[Symbol]) -> Option<Kind> {
        match bound.contains(&symbol) {
            true => Some(Kind::Object),
            false => Some(self.signature.variables.get(symbol)?.kind),
        }
    }
}
