//! The language of the heap logic.
//!
//! Objects are the elements of one uninterpreted sort; `null` is one of them.
//! A *field* is a function on objects: to objects (`next`), to integers (`data`) or to truth
//! values (a set of objects: `x in S` is [`Formula::Holds`] of the field `S`).
//! Along fields to objects there is reachability: `btwn(f, x, y, z)` says
//! that `y` lies on the `f`-path from `x` to the first `z`, and `reach(f, x, y)` is
//! `btwn(f, x, y, y)`. Every field maps `null` to `null`.
//!
//! Formulas are small trees: they come from annotations and from single
//! statements of a program. What the decision procedure makes of them lives in
//! a term store, shared.

use bolide_base::{Arena, define_id};

define_id!(
    /// A variable: of the program, bound by a quantifier, or an auxiliary one.
    pub struct Symbol
);
define_id!(
    /// A field, or a set of objects.
    pub struct FieldId
);

/// What a variable or a field's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An object or null.
    Object,
    /// A mathematical integer.
    Integer,
    /// A truth value.
    Truth,
}

/// A named variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// For people.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// A named field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// For people.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
}

/// The names that formulas use.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// Variables.
    pub variables: Arena<Symbol, Variable>,
    /// Fields and sets.
    pub fields: Arena<FieldId, Field>,
}

impl Signature {
    /// A new variable.
    pub fn variable(&mut self, name: impl Into<String>, kind: Kind) -> Symbol {
        self.variables.push(Variable { name: name.into(), kind })
    }

    /// A new field.
    pub fn field(&mut self, name: impl Into<String>, kind: Kind) -> FieldId {
        self.fields.push(Field { name: name.into(), kind })
    }
}

/// An object or an integer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Term {
    /// The null object.
    Null,
    /// The value of a variable.
    Var(Symbol),
    /// The value of a field.
    Read(FieldId, Box<Term>),
    /// An integer.
    Int(i128),
    /// A sum.
    Add(Box<Term>, Box<Term>),
    /// A multiple.
    Scale(i128, Box<Term>),
    /// One or the other.
    If(Box<Formula>, Box<Term>, Box<Term>),
    /// The object that stands for a place of arrays, by its number: the one where the field, which says which
    /// number an object stands for, has this value. Null for a negative number.
    Index(FieldId, Box<Term>),
}

impl Term {
    /// The value of a field.
    pub fn read(field: FieldId, of: Term) -> Term {
        Term::Read(field, Box::new(of))
    }
}

/// A statement about a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formula {
    /// Always.
    True,
    /// Never.
    False,
    /// Equality of objects or of integers.
    Eq(Term, Term),
    /// Order of integers.
    Le(Term, Term),
    /// A truth variable.
    Truth(Symbol),
    /// A truth field at an object; membership in a set.
    Holds(FieldId, Term),
    /// The second lies on the path from the first to the third.
    Btwn(FieldId, Term, Term, Term),
    /// Negation.
    Not(Box<Formula>),
    /// All of them.
    And(Vec<Formula>),
    /// One of them.
    Or(Vec<Formula>),
    /// For all objects.
    Forall(Vec<Symbol>, Box<Formula>),
    /// For some objects.
    Exists(Vec<Symbol>, Box<Formula>),
}

impl Formula {
    /// `y` can be reached from `x`, in any number of steps.
    pub fn reach(field: FieldId, x: Term, y: Term) -> Formula {
        Formula::Btwn(field, x, y.clone(), y)
    }

    /// The negation, without double negations.
    pub fn negate(self) -> Formula {
        match self {
            Formula::True => Formula::False,
            Formula::False => Formula::True,
            Formula::Not(inner) => *inner,
            other => Formula::Not(Box::new(other)),
        }
    }

    /// The difference of two terms.
    pub fn ne(a: Term, b: Term) -> Formula {
        Formula::Eq(a, b).negate()
    }

    /// A conjunction without trivial parts.
    pub fn and(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::joined(true, parts)
    }

    /// A disjunction without trivial parts.
    pub fn or(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::joined(false, parts)
    }

    /// A conjunction, or else a disjunction.
    fn joined(all: bool, parts: impl IntoIterator<Item = Formula>) -> Formula {
        let (neutral, absorbing) = match all {
            true => (Formula::True, Formula::False),
            false => (Formula::False, Formula::True),
        };
        let mut kept = Vec::new();
        for part in parts {
            match part {
                part if part == neutral => {}
                part if part == absorbing => return absorbing,
                Formula::And(inner) if all => kept.extend(inner),
                Formula::Or(inner) if !all => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => neutral,
            1 => kept.remove(0),
            _ if all => Formula::And(kept),
            _ => Formula::Or(kept),
        }
    }

    /// An implication.
    pub fn implies(a: Formula, b: Formula) -> Formula {
        Formula::or([a.negate(), b])
    }

    /// An equivalence.
    pub fn iff(a: Formula, b: Formula) -> Formula {
        Formula::and([Formula::implies(a.clone(), b.clone()), Formula::implies(b, a)])
    }

    /// The formulas that a connective or quantifier is about; none for atoms.
    pub fn parts(&self) -> &[Formula] {
        match self {
            Formula::Not(a) | Formula::Forall(_, a) | Formula::Exists(_, a) => {
                std::slice::from_ref(a)
            }
            Formula::And(all) | Formula::Or(all) => all,
            _ => &[],
        }
    }

    /// Whether a quantifier occurs.
    pub fn is_quantified(&self) -> bool {
        matches!(self, Formula::Forall(..) | Formula::Exists(..))
            || self.parts().iter().any(Formula::is_quantified)
    }

    /// The conjuncts at the top, below universal quantifiers too.
    pub fn conjuncts(&self) -> Vec<Formula> {
        match self {
            Formula::True => Vec::new(),
            Formula::And(all) => all.iter().flat_map(Formula::conjuncts).collect(),
            Formula::Forall(bound, body) => body
                .conjuncts()
                .into_iter()
                .map(|part| Formula::Forall(bound.clone(), Box::new(part)))
                .collect(),
            other => vec![other.clone()],
        }
    }

    /// Calls `visit` on every term, outer ones first.
    pub fn terms(&self, visit: &mut dyn FnMut(&Term)) {
        self.atoms(&mut |atom| match atom {
            Formula::Eq(a, b) | Formula::Le(a, b) => {
                [a, b].into_iter().for_each(|t| t.terms(visit))
            }
            Formula::Holds(_, a) => a.terms(visit),
            Formula::Btwn(_, a, b, c) => [a, b, c].into_iter().for_each(|t| t.terms(visit)),
            _ => {}
        });
    }

    /// Calls `visit` on every atom.
    pub fn atoms(&self, visit: &mut dyn FnMut(&Formula)) {
        match self {
            Formula::True | Formula::False | Formula::And(_) | Formula::Or(_) => {}
            atom if atom.parts().is_empty() => visit(atom),
            _ => {}
        }
        self.parts().iter().for_each(|part| part.atoms(visit));
    }

    /// Whether the variable occurs (bound variables are distinct from all others).
    pub fn mentions(&self, symbol: Symbol) -> bool {
        let mut found = false;
        self.terms(&mut |t| found |= *t == Term::Var(symbol));
        self.atoms(&mut |a| found |= *a == Formula::Truth(symbol));
        found
    }

    /// Whether the variable occurs outside of quantifiers that bind it.
    pub fn is_free(&self, symbol: Symbol) -> bool {
        match self {
            Formula::Forall(bound, body) | Formula::Exists(bound, body) => {
                !bound.contains(&symbol) && body.is_free(symbol)
            }
            atom if atom.parts().is_empty() => atom.mentions(symbol),
            other => other.parts().iter().any(|f| f.is_free(symbol)),
        }
    }

    /// The fields that occur.
    pub fn fields(&self) -> Vec<FieldId> {
        let mut found = Vec::new();
        self.terms(&mut |t| {
            if let Term::Read(f, _) = t {
                found.push(*f);
            }
        });
        self.atoms(&mut |a| {
            if let Formula::Holds(f, _) | Formula::Btwn(f, ..) = a {
                found.push(*f);
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The same formula with other atoms.
    pub fn map_atoms(&self, map: &mut dyn FnMut(&Formula) -> Formula) -> Formula {
        match self {
            Formula::Not(a) => a.map_atoms(map).negate(),
            Formula::And(all) => Formula::And(all.iter().map(|a| a.map_atoms(map)).collect()),
            Formula::Or(all) => Formula::Or(all.iter().map(|a| a.map_atoms(map)).collect()),
            Formula::Forall(b, a) => Formula::Forall(b.clone(), Box::new(a.map_atoms(map))),
            Formula::Exists(b, a) => Formula::Exists(b.clone(), Box::new(a.map_atoms(map))),
            atom => map(atom),
        }
    }

    /// The same formula with one term in place of another.
    pub fn put(&self, from: &Term, to: &Term) -> Formula {
        self.rewrite(&|t| (t == from).then(|| to.clone()), &|f| f)
    }

    /// The same formula with variables and fields replaced where they occur.
    pub fn replace(
        &self,
        var: &dyn Fn(Symbol) -> Option<Term>,
        field: &dyn Fn(FieldId) -> FieldId,
    ) -> Formula {
        self.rewrite(&|t| if let Term::Var(s) = t { var(*s) } else { None }, field)
    }

    /// The same formula with other terms, outer ones first, and other fields.
    fn rewrite(
        &self,
        term: &dyn Fn(&Term) -> Option<Term>,
        field: &dyn Fn(FieldId) -> FieldId,
    ) -> Formula {
        let t = |t: &Term| t.rewrite(term, field);
        self.map_atoms(&mut |atom| match atom {
            Formula::Eq(a, b) => Formula::Eq(t(a), t(b)),
            Formula::Le(a, b) => Formula::Le(t(a), t(b)),
            Formula::Holds(f, a) => Formula::Holds(field(*f), t(a)),
            Formula::Btwn(f, a, b, c) => Formula::Btwn(field(*f), t(a), t(b), t(c)),
            other => other.clone(),
        })
    }
}

impl Term {
    /// Calls `visit` on every subterm, outer ones first.
    pub fn terms(&self, visit: &mut dyn FnMut(&Term)) {
        visit(self);
        match self {
            Term::Null | Term::Var(_) | Term::Int(_) => {}
            Term::Read(_, a) | Term::Scale(_, a) | Term::Index(_, a) => a.terms(visit),
            Term::Add(a, b) => [a, b].into_iter().for_each(|t| t.terms(visit)),
            Term::If(c, a, b) => {
                c.terms(visit);
                [a, b].into_iter().for_each(|t| t.terms(visit));
            }
        }
    }

    /// See [`Formula::put`].
    pub fn put(&self, from: &Term, to: &Term) -> Term {
        self.rewrite(&|t| (t == from).then(|| to.clone()), &|f| f)
    }

    /// See [`Formula::replace`].
    pub fn replace(
        &self,
        var: &dyn Fn(Symbol) -> Option<Term>,
        field: &dyn Fn(FieldId) -> FieldId,
    ) -> Term {
        self.rewrite(&|t| if let Term::Var(s) = t { var(*s) } else { None }, field)
    }

    fn rewrite(
        &self,
        term: &dyn Fn(&Term) -> Option<Term>,
        field: &dyn Fn(FieldId) -> FieldId,
    ) -> Term {
        if let Some(other) = term(self) {
            return other;
        }
        let inner = |t: &Term| Box::new(t.rewrite(term, field));
        match self {
            Term::Null | Term::Var(_) | Term::Int(_) => self.clone(),
            Term::Read(f, a) => Term::Read(field(*f), inner(a)),
            Term::Scale(k, a) => Term::Scale(*k, inner(a)),
            Term::Index(f, a) => Term::Index(*f, inner(a)),
            Term::Add(a, b) => Term::Add(inner(a), inner(b)),
            Term::If(c, a, b) => Term::If(Box::new(c.rewrite(term, field)), inner(a), inner(b)),
        }
    }
}

impl Signature {
    /// A formula in the annotation language.
    pub fn show(&self, formula: &Formula) -> String {
        self.show_part(formula, false)
    }

    /// A term in the annotation language.
    pub fn show_term(&self, term: &Term) -> String {
        match term {
            Term::Null => "\\null".into(),
            Term::Var(s) => self.variables[*s].name.clone(),
            Term::Read(f, a) => match &**a {
                Term::Index(_, i) => format!("{}[{}]", self.fields[*f].name, self.show_term(i)),
                a => format!("{}->{}", self.show_term(a), self.fields[*f].name),
            },
            Term::Index(_, i) => format!("#({})", self.show_term(i)),
            Term::Int(n) => n.to_string(),
            Term::Add(a, b) => match &**b {
                Term::Int(n) if *n < 0 => format!("{} - {}", self.show_term(a), n.unsigned_abs()),
                Term::Scale(-1, b) => format!("{} - {}", self.show_term(a), self.show_term(b)),
                b => format!("{} + {}", self.show_term(a), self.show_term(b)),
            },
            Term::Scale(-1, a) => format!("-{}", self.show_term(a)),
            Term::Scale(k, a) => format!("{k} * {}", self.show_term(a)),
            Term::If(c, a, b) => {
                format!("({} ? {} : {})", self.show(c), self.show_term(a), self.show_term(b))
            }
        }
    }

    /// A formula within another one, with parentheses where it needs them.
    fn show_part(&self, formula: &Formula, inner: bool) -> String {
        let t = |term: &Term| self.show_term(term);
        let list = |parts: &[Formula], word: &str| {
            let parts: Vec<String> = parts.iter().map(|part| self.show_part(part, true)).collect();
            if inner { format!("({})", parts.join(word)) } else { parts.join(word) }
        };
        match formula {
            Formula::True => "\\true".into(),
            Formula::False => "\\false".into(),
            Formula::Eq(a, b) => format!("{} == {}", t(a), t(b)),
            Formula::Le(a, b) => format!("{} <= {}", t(a), t(b)),
            Formula::Truth(s) => self.variables[*s].name.clone(),
            Formula::Holds(f, a) => format!("{} \\in {}", t(a), self.fields[*f].name),
            Formula::Btwn(f, a, b, c) => {
                let (name, a, b, c) = (&self.fields[*f].name, t(a), t(b), t(c));
                match b == c {
                    true => format!("reach({name}, {a}, {b})"),
                    false => format!("btwn({name}, {a}, {b}, {c})"),
                }
            }
            Formula::Not(a) => match &**a {
                Formula::Eq(a, b) => format!("{} != {}", t(a), t(b)),
                Formula::Le(a, b) => format!("{} < {}", t(b), t(a)),
                a @ Formula::Holds(..) => format!("!({})", self.show_part(a, false)),
                a => format!("!{}", self.show_part(a, true)),
            },
            Formula::And(parts) => list(parts, " && "),
            Formula::Or(parts) => list(parts, " || "),
            Formula::Forall(bound, body) | Formula::Exists(bound, body) => {
                let word = if matches!(formula, Formula::Forall(..)) { "forall" } else { "exists" };
                let names: Vec<&str> =
                    bound.iter().map(|s| self.variables[*s].name.as_str()).collect();
                format!("(\\{word} {}; {})", names.join(", "), self.show_part(body, false))
            }
        }
    }
}
