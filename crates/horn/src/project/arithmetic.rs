//! Eliminating numbers from linear literals under a model.
//!
//! A literal is `f <= 0`, `f < 0`, `f = 0` or `f = 0 (mod m)` for a linear form
//! `f`. Over the integers all coefficients of the variable are made equal by
//! scaling; then the variable is its greatest lower bound plus a remainder
//! that congruences leave (Cooper, with the disjunct that the model chooses).
//! Over the reals it is its greatest lower bound, or just above where that is
//! strict (Loos and Weispfenning). Upper bounds serve as well where they are fewer.

use super::Projection;
use bolide_base::{Integer, Rational};
use bolide_terms::{Evaluator, LinearForm, Model, Op, Relation, SortId, TermId, TermStore};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// `f <= 0`.
    AtMost,
    /// `f < 0`.
    Less,
    /// `f = 0`.
    Equal,
    /// `f = 0` modulo this.
    Congruent(Integer),
}

#[derive(Clone, Debug)]
struct Row {
    form: LinearForm,
    kind: Kind,
    sort: SortId,
}

impl Projection {
    /// Eliminates all numbers that stand in linear positions.
    pub(super) fn arithmetic(&mut self, store: &mut TermStore) {
        // What stands inside of something that is not linear becomes its value.
        let opaque = self.opaque(store);
        self.fix_all(store, &opaque);
        let mut rows = Vec::new();
        let mut others = Vec::new();
        for literal in std::mem::take(&mut self.literals) {
            match row(store, &self.model, literal) {
                Some(row) if self.mentions(store, literal) => {
                    self.divisions(store, row, &mut rows);
                }
                _ => others.push(literal),
            }
        }
        loop {
            let mut candidates: Vec<TermId> = rows
                .iter()
                .flat_map(|row| row.form.terms.iter().map(|t| t.0))
                .filter(|leaf| self.variables.contains(leaf))
                .collect();
            candidates.sort_unstable();
            candidates.dedup();
            // Heuristic: the variable in the fewest rows first.
            let uses =
                |x: &TermId| rows.iter().filter(|r| !r.form.coefficient(*x).is_zero()).count();
            let Some(x) = candidates.into_iter().min_by_key(|x| (uses(x), *x)) else { break };
            let values = Values { store, model: &self.model };
            rows = if store.sort(x) == SortId::INT {
                eliminate_integer(&values, rows, x)
            } else {
                eliminate_real(&values, rows, x)
            };
        }
        for row in rows {
            others.push(literal(store, row));
        }
        self.literals = others;
    }

    /// Variables that stand elsewhere than in sums, comparisons, and `div` and `mod` by numbers.
    fn opaque(&self, store: &TermStore) -> Vec<TermId> {
        let mut result = Vec::new();
        for term in store.subterms(&self.literals) {
            let linear = match store.op(term) {
                Op::Not | Op::And | Op::Or | Op::Add | Op::Le | Op::Lt => true,
                Op::Eq => store.sort(store.arg(term, 0)).is_arithmetic(),
                Op::Mul => store.number(store.arg(term, 0)).is_some(),
                Op::Div | Op::Mod => {
                    store.number(store.arg(term, 1)).is_some_and(|n| n.is_positive())
                }
                _ => false,
            };
            if !linear {
                let inside = store.args(term).iter().flat_map(|&arg| store.constants(arg));
                result.extend(inside.filter(|c| self.variables.contains(c)));
            }
        }
        result.sort_unstable();
        result.dedup();
        result
    }

    /// Adds a row, `div` and `mod` of variables replaced as the model decides.
    fn divisions(&self, store: &TermStore, row: Row, rows: &mut Vec<Row>) {
        let mut open = vec![row];
        while let Some(mut row) = open.pop() {
            let division = row.form.terms.iter().find(|(leaf, _)| {
                matches!(store.op(*leaf), Op::Div | Op::Mod) && self.mentions(store, *leaf)
            });
            let Some((leaf, coefficient)) = division.cloned() else {
                rows.push(row);
                continue;
            };
            let dividend = store.linear_form(store.arg(leaf, 0));
            let divisor = store.number(store.arg(leaf, 1)).cloned().expect("checked: a number");
            let modulus = divisor.to_integer().expect("an integer");
            let values = Values { store, model: &self.model };
            let remainder = Rational::from(values.integer(&dividend).mod_floor(&modulus));
            row.form.add_term(leaf, &-&coefficient);
            if store.op(leaf) == Op::Mod {
                row.form.constant.add_mul(&coefficient, &remainder);
            } else {
                // The quotient is (dividend - remainder) / divisor; scaled to stay integral.
                scale(&mut row, &divisor);
                row.form.add_scaled(&dividend, &coefficient);
                row.form.constant.add_mul(&-&coefficient, &remainder);
            }
            let mut congruence = dividend;
            congruence.constant -= &remainder;
            open.push(Row { form: congruence, kind: Kind::Congruent(modulus), sort: SortId::INT });
            open.push(row);
        }
    }
}

/// Values of forms in the model.
struct Values<'a> {
    store: &'a TermStore,
    model: &'a Model,
}

impl Values<'_> {
    fn of(&self, form: &LinearForm) -> Rational {
        let mut evaluator = Evaluator::new(self.store, self.model);
        let mut sum = form.constant.clone();
        for (leaf, coefficient) in &form.terms {
            let value = evaluator.value(*leaf).ok().and_then(|v| v.as_rational());
            sum.add_mul(coefficient, &value.unwrap_or(Rational::ZERO));
        }
        sum
    }

    fn integer(&self, form: &LinearForm) -> Integer {
        self.of(form).floor()
    }
}

fn scale(row: &mut Row, factor: &Rational) {
    row.form.scale(factor);
    if let Kind::Congruent(modulus) = &mut row.kind {
        *modulus = &*modulus * &factor.to_integer().expect("congruences are scaled by integers");
    }
}

/// The literal as a row; a disequality as the side on which the model is.
fn row(store: &TermStore, model: &Model, literal: TermId) -> Option<Row> {
    let (atom, positive) = store.atom_and_sign(literal);
    let (mut form, relation) = store.linear_constraint(atom, positive)?;
    let sort = store.sort(store.arg(atom, 0));
    let kind = match relation {
        Relation::Equal => Kind::Equal,
        Relation::AtMost => Kind::AtMost,
        Relation::Below => Kind::Less,
        Relation::Different => {
            if (Values { store, model }).of(&form).is_positive() {
                form = form.negated();
            }
            if sort == SortId::INT {
                form.constant += &Rational::ONE;
                Kind::AtMost
            } else {
                Kind::Less
            }
        }
    };
    Some(Row { form, kind, sort })
}

fn literal(store: &mut TermStore, row: Row) -> TermId {
    match row.kind {
        Kind::AtMost => store.mk_nonpositive(row.form, row.sort, false),
        Kind::Less => store.mk_nonpositive(row.form, row.sort, true),
        Kind::Equal => store.mk_zero(row.form, row.sort),
        Kind::Congruent(modulus) => {
            let term = store.mk_linear(&row.form, SortId::INT);
            let modulus = store.mk_int(modulus);
            let remainder = store.mk_mod(term, modulus);
            let zero = store.mk_int(0);
            store.mk_eq(remainder, zero)
        }
    }
}

/// Uses an equality to eliminate `x`, if there is one.
fn solve_equality(rows: &mut Vec<Row>, x: TermId) -> bool {
    let chosen = rows
        .iter()
        .enumerate()
        .filter(|(_, row)| row.kind == Kind::Equal && !row.form.coefficient(x).is_zero())
        .min_by_key(|(_, row)| row.form.coefficient(x).abs())
        .map(|(number, _)| number);
    let Some(number) = chosen else { return false };
    let equality = rows.swap_remove(number);
    let c = equality.form.coefficient(x);
    for row in rows.iter_mut() {
        let d = row.form.coefficient(x);
        if d.is_zero() {
            continue;
        }
        // |c| * row - (d * sign(c)) * equality has no x.
        scale(row, &c.abs());
        let factor = if c.is_negative() { d } else { -d };
        row.form.add_scaled(&equality.form, &factor);
        simplify(row);
    }
    if equality.sort == SortId::INT && !c.abs().is_one() {
        let (_, rest) = equality.form.isolate(x);
        let modulus = c.abs().to_integer().expect("an integer");
        let mut row = Row { form: rest, kind: Kind::Congruent(modulus), sort: SortId::INT };
        simplify(&mut row);
        rows.push(row);
    }
    true
}

/// Keeps numbers small.
fn simplify(row: &mut Row) {
    match &mut row.kind {
        Kind::Congruent(modulus) => {
            // Coefficients and modulus by their common divisor, then modulo.
            let mut divisor = modulus.clone();
            for (_, c) in &row.form.terms {
                divisor = divisor.gcd(&c.numerator());
            }
            divisor = divisor.gcd(&row.form.constant.numerator());
            if !divisor.is_one() && !divisor.is_zero() {
                *modulus = modulus.div_exact(&divisor);
                row.form.scale(&Rational::new(Integer::ONE, divisor));
            }
            let modulus = modulus.clone();
            let reduce = |c: &Rational| Rational::from(c.numerator().mod_floor(&modulus));
            row.form.constant = reduce(&row.form.constant);
            for (_, c) in &mut row.form.terms {
                *c = reduce(c);
            }
            row.form.terms.retain(|(_, c)| !c.is_zero());
        }
        _ => {
            if !row.form.terms.is_empty() {
                let factor = row.form.primitive_factor();
                row.form.scale(&factor);
                if row.sort == SortId::INT && row.kind == Kind::AtMost {
                    // t + c <= 0 over the integers: c may be rounded up.
                    row.form.constant = Rational::from(row.form.constant.ceil());
                }
            }
        }
    }
}

fn eliminate_integer(values: &Values<'_>, mut rows: Vec<Row>, x: TermId) -> Vec<Row> {
    if solve_equality(&mut rows, x) {
        return rows;
    }
    let (mut with, mut rest): (Vec<Row>, Vec<Row>) =
        rows.into_iter().partition(|row| !row.form.coefficient(x).is_zero());
    // Scale so that every coefficient of x is plus or minus `common`; y is common * x.
    let common = with
        .iter()
        .fold(Integer::ONE, |lcm, row| lcm.lcm(&row.form.coefficient(x).abs().numerator()));
    let mut moduli = common.clone();
    for row in &mut with {
        let factor = Rational::from(&common) / row.form.coefficient(x).abs();
        scale(row, &factor);
        if let Kind::Congruent(modulus) = &row.kind {
            moduli = moduli.lcm(modulus);
        }
    }
    let y = values.integer(&LinearForm::from_leaf(x)) * &common;
    let without = |row: &Row| {
        let (c, form) = row.form.isolate(x);
        (form, c.is_positive())
    };
    // y >= form for lower bounds, y <= -form for upper ones.
    let (mut lower, mut upper): (Vec<LinearForm>, Vec<LinearForm>) = (Vec::new(), Vec::new());
    for row in with.iter().filter(|row| row.kind == Kind::AtMost) {
        let (form, is_upper) = without(row);
        if is_upper { upper.push(form.negated()) } else { lower.push(form) }
    }
    let replacement = if lower.is_empty() || upper.is_empty() {
        // Far enough out, only the congruences matter.
        with.retain(|row| row.kind != Kind::AtMost);
        LinearForm::from_constant(Rational::from(y.mod_floor(&moduli)))
    } else if lower.len() <= upper.len() {
        let best = lower.iter().max_by_key(|form| values.of(form)).expect("not empty").clone();
        let distance = (&y - &values.integer(&best)).mod_floor(&moduli);
        let mut form = best;
        form.constant += &Rational::from(distance);
        form
    } else {
        let best = upper.iter().min_by_key(|form| values.of(form)).expect("not empty").clone();
        let distance = (&values.integer(&best) - &y).mod_floor(&moduli);
        let mut form = best;
        form.constant -= &Rational::from(distance);
        form
    };
    if !common.is_one() {
        let kind = Kind::Congruent(common.clone());
        rest.push(Row { form: replacement.clone(), kind, sort: SortId::INT });
    }
    for row in with {
        let (mut form, positive) = without(&row);
        let sign = if positive { Rational::ONE } else { Rational::MINUS_ONE };
        form.add_scaled(&replacement, &sign);
        rest.push(Row { form, ..row });
    }
    for row in &mut rest {
        simplify(row);
    }
    rest.retain(|row| !is_trivial(row));
    rest
}

/// Whether the row holds without any leaf.
fn is_trivial(row: &Row) -> bool {
    let Some(constant) = row.form.as_constant() else { return false };
    match &row.kind {
        Kind::AtMost => !constant.is_positive(),
        Kind::Less => constant.is_negative(),
        Kind::Equal => constant.is_zero(),
        Kind::Congruent(modulus) => modulus.divides(&constant.numerator()),
    }
}

fn eliminate_real(values: &Values<'_>, mut rows: Vec<Row>, x: TermId) -> Vec<Row> {
    if solve_equality(&mut rows, x) {
        return rows;
    }
    let (with, mut rest): (Vec<Row>, Vec<Row>) =
        rows.into_iter().partition(|row| !row.form.coefficient(x).is_zero());
    // Bounds as forms, with whether they are strict.
    let mut lower: Vec<(LinearForm, bool)> = Vec::new();
    let mut upper: Vec<(LinearForm, bool)> = Vec::new();
    for row in &with {
        let (c, mut form) = row.form.isolate(x);
        form.scale(&(Rational::MINUS_ONE / &c));
        let strict = row.kind == Kind::Less;
        if c.is_positive() { upper.push((form, strict)) } else { lower.push((form, strict)) }
    }
    if lower.is_empty() || upper.is_empty() {
        return rest;
    }
    let mut compare = |a: &LinearForm, b: &LinearForm, strict: bool| {
        let mut form = a.clone();
        form.add_scaled(b, &Rational::MINUS_ONE);
        let kind = if strict { Kind::Less } else { Kind::AtMost };
        let mut row = Row { form, kind, sort: SortId::REAL };
        simplify(&mut row);
        if !is_trivial(&row) {
            rest.push(row);
        }
    };
    // Seen from above everything is turned around: an upper bound is a lower one.
    let from_above = lower.len() > upper.len();
    if from_above {
        let turned = |bounds: Vec<(LinearForm, bool)>| {
            bounds.into_iter().rev().map(|(form, strict)| (form.negated(), strict)).collect()
        };
        (lower, upper) = (turned(upper), turned(lower));
    }
    // Of equal bounds a strict one binds more.
    let best =
        lower.iter().enumerate().max_by_key(|(_, (form, strict))| (values.of(form), *strict));
    let best = best.expect("not empty").0;
    let (bound, strict) = lower.swap_remove(best);
    for (form, other) in &lower {
        // Just above a strict bound is above an equal strict one too.
        compare(form, &bound, *other && !strict);
    }
    for (form, other) in &upper {
        compare(&bound, form, strict || *other);
    }
    rest
}
