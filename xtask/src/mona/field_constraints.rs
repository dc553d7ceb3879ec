//! Field constraint analysis: derived fields are eliminated.
//!
//! The algorithm `Elim` of Figure 5.7 of the thesis. Some fields, the backbone, are such that a decision
//! procedure knows all about them; any other field `f` is *derived*, and only constrained by formulas
//! `\forall x, y; x->f == y ==> F(x, y)` about the backbone. A term `t->f` becomes a new variable `w` of
//! which `F(t, w)` holds, and two such variables are equal when their objects are. The variable is bound
//! where the variables of `t` are, the innermost term first.
//!
//! The thesis strengthens a goal; here what is *assumed* is weakened, which is its dual: if the result
//! has no model, the formula has none. It is exact when no derived field is read at a quantified object other than in
//! its constraint (the *nice* formulas of Definition 51) and every constraint is total.
//!
//! A constraint need not have the form above: every universally quantified assumption that reads one derived
//! field at one term is one, such as `\forall x; x->next != \null ==> x->next->prev == x`. Constraints need not be deterministic.

use bolide_base::{HashMap, HashSet};
use bolide_heap::{FieldId, Formula, Kind, Signature, Symbol, Term};

/// `\forall bound; body`, where `field` is read at `at` and nowhere else.
#[derive(Clone, Debug)]
struct Constraint {
    bound: Vec<Symbol>,
    field: FieldId,
    at: Term,
    body: Formula,
}

/// A derived field, an object and what the field holds there.
type Known = (FieldId, Term, Term);

/// The elimination of all derived fields from a conjunction.
pub struct Elimination<'a> {
    signature: &'a mut Signature,
    derived: HashSet<FieldId>,
    constraints: Vec<Constraint>,
}

impl<'a> Elimination<'a> {
    /// Takes the constraints out of what is assumed. `given` has negations at atoms only
    /// and no conditional terms.
    pub fn new(
        signature: &'a mut Signature,
        derived: HashSet<FieldId>,
        given: &mut Vec<Formula>,
    ) -> Elimination<'a> {
        let mut all = Elimination { signature, derived, constraints: Vec::new() };
        let mut rest = Vec::new();
        for formula in given.drain(..).flat_map(|f| f.conjuncts()) {
            match all.constraint(&formula) {
                Some(constraint) => all.constraints.push(constraint),
                None => rest.push(formula),
            }
        }
        *given = rest;
        all
    }

    /// How many constraints were found.
    pub fn constraints(&self) -> usize {
        self.constraints.len()
    }

    fn constraint(&self, formula: &Formula) -> Option<Constraint> {
        let Formula::Forall(bound, body) = formula else { return None };
        let mut reads = Vec::new();
        self.reads(body, &mut reads);
        let (field, at) = reads.pop().filter(|_| reads.is_empty())?;
        let quantified = bound.iter().any(|s| mentions(&at, *s));
        let inner = bound_within(body).iter().any(|s| mentions(&at, *s));
        (quantified && !inner).then(|| Constraint {
            bound: bound.clone(),
            field,
            at,
            body: (**body).clone(),
        })
    }

    /// The derived fields that are read, and where; each once.
    fn reads(&self, formula: &Formula, found: &mut Vec<(FieldId, Term)>) {
        formula.terms(&mut |t| {
            if let Term::Read(field, of) = t
                && self.derived.contains(field)
            {
                let read = (*field, (**of).clone());
                if !found.contains(&read) {
                    found.push(read);
                }
            }
        });
    }

    /// Eliminates derived fields from what is given. What must hold of the new variables, which are
    /// free, is added.
    pub fn eliminate(&mut self, given: &mut Vec<Formula>) {
        let mut known: Vec<Known> = Vec::new();
        loop {
            let mut reads = Vec::new();
            for formula in given.iter() {
                self.open_reads(formula, &mut reads);
            }
            let Some((field, at)) = reads.into_iter().next() else { break };
            let value = Term::Var(self.fresh());
            let holds = self.holds(field, &at, &value, &known);
            let read = Term::read(field, at.clone());
            for formula in given.iter_mut() {
                *formula = formula.put(&read, &value);
            }
            given.push(holds);
            known.push((field, at, value));
        }
        for formula in given.iter_mut() {
            *formula = self.inner(formula, &mut known);
        }
    }

    fn fresh(&mut self) -> Symbol {
        let number = self.signature.variables.len();
        self.signature.variable(format!("w{number}"), Kind::Object)
    }

    /// Derived fields that are read at terms of which no variable is bound inside the formula and which read
    /// no derived field themselves.
    fn open_reads(&self, formula: &Formula, found: &mut Vec<(FieldId, Term)>) {
        let inside = bound_within(formula);
        let mut all = Vec::new();
        self.reads(formula, &mut all);
        for (field, at) in all {
            let mut innermost = true;
            at.terms(&mut |t| {
                innermost &= !matches!(t, Term::Read(f, _) if self.derived.contains(f))
            });
            let open = !inside.iter().any(|s| mentions(&at, *s));
            if innermost && open && !found.contains(&(field, at.clone())) {
                found.push((field, at));
            }
        }
    }

    /// What holds of the value of a field: its constraints, that it is a function, and that null has null.
    fn holds(&mut self, field: FieldId, at: &Term, value: &Term, known: &[Known]) -> Formula {
        let null = |t: &Term| Formula::Eq(t.clone(), Term::Null);
        let mut parts = vec![Formula::implies(null(at), null(value))];
        for constraint in self.constraints.clone() {
            if constraint.field == field {
                parts.push(self.instance(&constraint, at, value));
            }
        }
        for (other, place, held) in known.iter().filter(|(f, ..)| *f == field) {
            debug_assert_eq!(*other, field);
            let same = Formula::Eq(at.clone(), place.clone());
            parts.push(Formula::or([same.negate(), Formula::Eq(value.clone(), held.clone())]));
        }
        Formula::and(parts)
    }

    fn instance(&mut self, constraint: &Constraint, at: &Term, value: &Term) -> Formula {
        // Required: the names of a constraint's bound objects may occur in the term.
        let mut names = HashMap::default();
        for symbol in constraint.bound.iter().copied().chain(bound_within(&constraint.body)) {
            let fresh = self.fresh();
            names.insert(symbol, fresh);
        }
        let place = constraint.at.replace(&|s| names.get(&s).map(|n| Term::Var(*n)), &|f| f);
        let read = Term::read(constraint.field, place.clone());
        let body = rename(&constraint.body, &names).put(&read, value);
        let mut bound: Vec<Symbol> = constraint.bound.iter().map(|s| names[s]).collect();
        let body = match &place {
            Term::Var(symbol) if bound.contains(symbol) => {
                bound.retain(|s| s != symbol);
                body.put(&place, at)
            }
            _ => Formula::or([Formula::ne(at.clone(), place.clone()), body]),
        };
        if bound.is_empty() { body } else { Formula::Forall(bound, Box::new(body)) }
    }

    /// Below quantifiers: the new variables are bound right after those of the term.
    fn inner(&mut self, formula: &Formula, known: &mut Vec<Known>) -> Formula {
        match formula {
            Formula::And(parts) => Formula::and(parts.iter().map(|p| self.inner(p, known))),
            Formula::Or(parts) => Formula::or(parts.iter().map(|p| self.inner(p, known))),
            Formula::Forall(bound, body) => {
                Formula::Forall(bound.clone(), Box::new(self.scope(body, known)))
            }
            Formula::Exists(bound, body) => {
                Formula::Exists(bound.clone(), Box::new(self.scope(body, known)))
            }
            literal => literal.clone(),
        }
    }

    fn scope(&mut self, body: &Formula, known: &mut Vec<Known>) -> Formula {
        let outside = known.len();
        let mut body = body.clone();
        let (mut values, mut parts) = (Vec::new(), Vec::new());
        loop {
            let mut reads = Vec::new();
            self.open_reads(&body, &mut reads);
            for part in &parts {
                self.open_reads(part, &mut reads);
            }
            let Some((field, at)) = reads.into_iter().next() else { break };
            let symbol = self.fresh();
            let value = Term::Var(symbol);
            let holds = self.holds(field, &at, &value, known);
            let read = Term::read(field, at.clone());
            body = body.put(&read, &value);
            parts.push(holds);
            values.push(symbol);
            known.push((field, at, value));
        }
        let body = self.inner(&body, known);
        known.truncate(outside);
        if values.is_empty() {
            return body;
        }
        parts.push(body);
        Formula::Exists(values, Box::new(Formula::and(parts)))
    }
}

fn mentions(term: &Term, symbol: Symbol) -> bool {
    let mut found = false;
    term.terms(&mut |t| found |= *t == Term::Var(symbol));
    found
}

/// The variables that quantifiers in the formula bind.
pub(super) fn bound_within(formula: &Formula) -> Vec<Symbol> {
    let mut found = Vec::new();
    let mut open = vec![formula];
    while let Some(formula) = open.pop() {
        match formula {
            Formula::Forall(bound, body) | Formula::Exists(bound, body) => {
                found.extend(bound.iter().copied());
                open.push(body);
            }
            Formula::Not(inner) => open.push(inner),
            Formula::And(all) | Formula::Or(all) => open.extend(all),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The formula with other names for variables, bound ones included.
fn rename(formula: &Formula, names: &HashMap<Symbol, Symbol>) -> Formula {
    let new = |s: &Symbol| names.get(s).copied().unwrap_or(*s);
    let bound = |all: &[Symbol]| all.iter().map(&new).collect::<Vec<_>>();
    match formula {
        Formula::Not(a) => rename(a, names).negate(),
        Formula::And(parts) => Formula::And(parts.iter().map(|p| rename(p, names)).collect()),
        Formula::Or(parts) => Formula::Or(parts.iter().map(|p| rename(p, names)).collect()),
        Formula::Forall(b, a) => Formula::Forall(bound(b), Box::new(rename(a, names))),
        Formula::Exists(b, a) => Formula::Exists(bound(b), Box::new(rename(a, names))),
        Formula::Truth(s) => Formula::Truth(new(s)),
        atom => atom.replace(&|s| names.get(&s).map(|n| Term::Var(*n)), &|f| f),
    }
}
