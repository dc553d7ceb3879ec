//! Leaves of linear arithmetic: Farkas lemmas and the clauses that tie
//! equalities to inequalities.
//!
//! The negated literals of a Farkas lemma, each times its coefficient, sum up
//! to `0 <= -1`. The sum of A's part of them is an interpolant: A implies it,
//! and with B's part it gives the contradiction. Of a mixed literal A's part is
//! the leaves that only A knows, plus the auxiliary variable; see
//! [`patterns`](super::patterns). What A alone knows cancels out, because it
//! does so in the whole sum and B's part does not have it.
//!
//! The sum is scaled to coprime integers and, over the integers, its constant
//! is rounded; that is an equivalence, so the interpolants of a sequence still
//! imply one another.
//!
//! With [`Options::decompose`](super::Options::decompose) the sum is taken apart: constraints of A that share
//! no leaf that only A knows, not even through others, are summed up on their
//! own, and the interpolant is the conjunction of these sums (a coarse form of
//! Blicha, Hyvarinen, Kofron, Sharygina: *Decomposing Farkas interpolants*, 2019).
//! Each sum is free of what only A knows, because the whole is and nothing
//! cancels between them. What only A knows at a cut, only A knows at the cuts
//! above; so the groups at a cut refine those above it, and sequences and
//! trees stay such. A lemma with a literal that is mixed at some cut is not taken
//! apart.
//!
//! Equalities may take part in a sum, with coefficients of any sign. The other
//! clauses here are `t != k or t <= k` and the like, which are Farkas lemmas
//! with an equality, and trichotomy `t = k or t < k or t > k`. If the latter is
//! mixed, write `P = Q` for the equality, where A knows `P` and B knows `Q`, and
//! `p` for the part of `P` that only A knows. A's parts are
//! `m1 p + x1 <= 0`, `-m2 p + x2 <= 0` (and one half of the disequality), so
//! `m2 x1 + m1 x2 <= 0`, and when that sum is zero then `p = x2 / m2`. So the
//! partial interpolant is `LA(s, 0, s <= 0 and (s = 0 implies EQ(x, x2/m2 + P - p)))`
//! with `s = m2 x1 + m1 x2`.

use super::colours::Side;
use super::failure::{Found, NoInterpolant};
use super::leaves::Context;
use super::patterns::Gap;
use crate::partition::Partition;
use bolide_base::{HashMap, Integer, Rational};
use bolide_proof::Literal;
use bolide_terms::{LinearForm, Op, Relation, SortId, TermId, TermStore};

/// A negated literal of a clause as a linear constraint.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    atom: TermId,
    /// Whether the clause contains the atom positively.
    positive: bool,
    /// `form = 0`, `form < 0` or `form <= 0`; `to_real` is left out.
    form: LinearForm,
    relation: Relation,
}

/// The negation of the literal as a constraint, if it is one (the negation of
/// `t = k` is none).
pub(crate) fn negation(store: &TermStore, literal: Literal) -> Option<Constraint> {
    let Literal { atom, positive } = literal;
    let (form, relation) = store.linear_constraint(atom, !positive)?;
    let form = over_numbers(store, form);
    (relation != Relation::Different).then_some(Constraint { atom, positive, form, relation })
}

/// The constraints of a Farkas lemma with their factors.
pub(crate) fn summands(
    store: &TermStore,
    clause: &[Literal],
    factors: &[Rational],
) -> Found<Vec<(Constraint, Rational)>> {
    let pair = |(literal, factor): (&Literal, &Rational)| match negation(store, *literal) {
        Some(constraint) => Ok((constraint, factor.clone())),
        None => Err(NoInterpolant::new("a Farkas lemma over something that is no bound")),
    };
    clause.iter().zip(factors).map(pair).collect()
}

/// The linear form with integers and reals mingled: `to_real x` counts as `x`.
fn over_numbers(store: &TermStore, mut form: LinearForm) -> LinearForm {
    if form.terms.iter().any(|&(leaf, _)| store.op(leaf) == Op::ToReal) {
        for (leaf, coefficient) in std::mem::take(&mut form.terms) {
            if store.op(leaf) == Op::ToReal {
                form.add_scaled(&store.linear_form(store.arg(leaf, 0)), &coefficient);
            } else {
                form.add_term(leaf, &coefficient);
            }
        }
    }
    form
}

/// The term of a form whose leaves may be integers and reals.
fn sort_of(store: &TermStore, form: &LinearForm) -> SortId {
    if form.terms.iter().all(|&(leaf, _)| store.sort(leaf) == SortId::INT) {
        SortId::INT
    } else {
        SortId::REAL
    }
}

/// Wraps integer leaves for use among reals.
fn coerced(store: &mut TermStore, form: &LinearForm, sort: SortId) -> LinearForm {
    if sort == SortId::INT || form.terms.iter().all(|&(leaf, _)| store.sort(leaf) != SortId::INT) {
        return form.clone();
    }
    let mut result = LinearForm::from_constant(form.constant.clone());
    for &(leaf, ref coefficient) in &form.terms {
        let leaf = if store.sort(leaf) == SortId::INT { store.mk_to_real(leaf) } else { leaf };
        result.add_scaled(&store.linear_form(leaf), coefficient);
    }
    result
}

fn nonpositive(store: &mut TermStore, form: &LinearForm, strict: bool) -> TermId {
    let sort = sort_of(store, form);
    let form = coerced(store, form, sort);
    store.mk_nonpositive(form, sort, strict)
}

fn term_of(store: &mut TermStore, form: &LinearForm, sort: SortId) -> TermId {
    let form = coerced(store, form, sort);
    store.mk_linear(&form, sort)
}

/// How a mixed equality is split at a cut.
pub(crate) struct EqualitySplit {
    /// The auxiliary variable: the value of A's part.
    pub x: TermId,
    /// The side terms if one of the equality's own sides is A's and the other
    /// B's, which congruence closure needs.
    pub terms: Option<(TermId, TermId)>,
    /// A's part is `a = 0` (it mentions `x`).
    a: LinearForm,
}

/// Splits the mixed equality at the cut. `Err` if not even arithmetic can.
pub(crate) fn split_equality(cx: &mut Context<'_, '_>, atom: TermId) -> Found<EqualitySplit> {
    let &[left, right] = cx.store.args(atom) else { unreachable!("an equality has two sides") };
    let arithmetic = cx.store.sort(left).is_arithmetic();
    let sides_left = cx.sides(left);
    let sides_right = cx.sides(right);
    for (own, other, a_is_left) in
        [(sides_left, sides_right, true), (sides_right, sides_left, false)]
    {
        if own.a && other.b {
            let sort = cx.store.sort(left);
            let x = cx.patterns.auxiliary(cx.store, atom, true, sort);
            let (a_term, b_term) = if a_is_left { (left, right) } else { (right, left) };
            let mut a = LinearForm::zero();
            if arithmetic {
                a = over_numbers(cx.store, cx.store.linear_form(a_term));
                a.add_term(x, &Rational::MINUS_ONE);
                a = if a_is_left { a } else { a.negated() };
            }
            return Ok(EqualitySplit { x, terms: Some((a_term, b_term)), a });
        }
    }
    if !arithmetic {
        return Err(NoInterpolant::new("an equality between terms that are mixed themselves"));
    }
    let form = over_numbers(cx.store, cx.store.linear_difference(left, right));
    let mut a = only_a(cx, &form)?;
    let sort = sort_of(cx.store, &form);
    let x = cx.patterns.auxiliary(cx.store, atom, true, sort);
    a.add_term(x, &Rational::MINUS_ONE);
    Ok(EqualitySplit { x, terms: None, a })
}

/// The leaves that only A knows, with their coefficients.
fn only_a(cx: &mut Context<'_, '_>, form: &LinearForm) -> Found<LinearForm> {
    let mut part = LinearForm::zero();
    for &(leaf, ref coefficient) in &form.terms {
        let sides = cx.sides(leaf);
        if sides.is_mixed() {
            return Err(NoInterpolant::new("arithmetic over a term that is mixed itself"));
        }
        if !sides.b {
            part.terms.push((leaf, coefficient.clone()));
        }
    }
    Ok(part)
}

/// The partial interpolant at a cut of a clause whose negated literals, times
/// the factors, sum up to a contradiction.
pub(crate) fn farkas(
    cx: &mut Context<'_, '_>,
    summands: &[(Constraint, Rational)],
) -> Found<TermId> {
    let mut sum = LinearForm::zero();
    let mut strict = false;
    let mut bounds = Vec::new();
    let mut everything_is_a = true;
    for (constraint, factor) in summands {
        if factor.is_zero() {
            continue;
        }
        match cx.side(constraint.atom) {
            Some(Side::A) => {
                sum.add_scaled(&constraint.form, factor);
                strict |= constraint.relation == Relation::Below;
            }
            Some(Side::B) => everything_is_a = false,
            None if constraint.relation == Relation::Equal => {
                everything_is_a = false;
                let split = split_equality(cx, constraint.atom)?;
                sum.add_scaled(&split.a, factor);
            }
            None => {
                everything_is_a = false;
                let (x, part) = split_inequality(cx, constraint)?;
                bounds.push(x);
                sum.add_scaled(&part, factor);
            }
        }
    }
    if everything_is_a {
        return Ok(TermId::FALSE);
    }
    if bounds.is_empty() {
        return Ok(nonpositive(cx.store, &sum, strict));
    }
    let sort = sort_of(cx.store, &sum);
    if bounds.iter().any(|&x| cx.store.sort(x) != sort) {
        return Err(NoInterpolant::new("a mixed bound is over integers and reals at once"));
    }
    sum.scale(&sum.primitive_factor());
    let gap = if sort == SortId::INT {
        if strict {
            // Only a real constraint is strict, and there would be a real leaf then,
            // unless it cancelled out.
            sum.constant = Rational::from(sum.constant.floor()) + Rational::ONE;
            strict = false;
        } else {
            sum.constant = Rational::from(sum.constant.ceil());
        }
        Gap::Int(Integer::from(-1))
    } else if strict {
        Gap::RealPoint
    } else {
        Gap::RealNone
    };
    let f = nonpositive(cx.store, &sum, strict);
    let s = coerced(cx.store, &sum, sort);
    Ok(cx.patterns.mk_la(cx.store, s, gap, f))
}

/// A's part of the sum at one cut after the other, for lemmas whose literals are
/// all on one side or the other: from cut to cut few literals change sides.
pub(crate) struct RunningSum {
    sum: LinearForm,
    /// How many constraints in the sum are strict.
    strict: usize,
    included: Vec<bool>,
}

impl RunningSum {
    /// Nothing is A's yet.
    pub fn new(summands: &[(Constraint, Rational)]) -> Self {
        let included = vec![false; summands.len()];
        RunningSum { sum: LinearForm::zero(), strict: 0, included }
    }

    /// The partial interpolant where the constraints for which `is_a` holds are A's.
    pub fn at(
        &mut self,
        store: &mut TermStore,
        summands: &[(Constraint, Rational)],
        is_a: impl Fn(usize) -> bool,
    ) -> TermId {
        for (number, (constraint, factor)) in summands.iter().enumerate() {
            let is_a = is_a(number);
            if is_a == self.included[number] || factor.is_zero() {
                continue;
            }
            self.included[number] = is_a;
            let strict = usize::from(constraint.relation == Relation::Below);
            if is_a {
                self.sum.add_scaled(&constraint.form, factor);
                self.strict += strict;
            } else {
                self.sum.add_scaled(&constraint.form, &-factor);
                self.strict -= strict;
            }
        }
        nonpositive(store, &self.sum, self.strict > 0)
    }
}

/// The conjunction of the sums of independent groups of A's constraints; for
/// lemmas without mixed literals.
pub(crate) fn decomposed(
    cx: &mut Context<'_, '_>,
    summands: &[(Constraint, Rational)],
) -> Found<TermId> {
    // Groups by union of the leaves that only A knows.
    let mut groups = Partition::new(summands.len());
    let mut owner: HashMap<TermId, usize> = HashMap::default();
    let mut own = Vec::new();
    for (number, (constraint, factor)) in summands.iter().enumerate() {
        if factor.is_zero() || cx.side(constraint.atom) != Some(Side::A) {
            continue;
        }
        own.push(number);
        for (leaf, _) in only_a(cx, &constraint.form)?.terms {
            groups.union(number, *owner.entry(leaf).or_insert(number));
        }
    }
    let mut conjuncts = Vec::new();
    for &first in &own {
        if groups.find(first) != first {
            continue;
        }
        let mut sum = LinearForm::zero();
        let mut strict = false;
        let mut equality = true;
        for &number in own.iter().filter(|&&number| groups.find(number) == first) {
            let (constraint, factor) = &summands[number];
            sum.add_scaled(&constraint.form, factor);
            strict |= constraint.relation == Relation::Below;
            equality &= constraint.relation == Relation::Equal;
        }
        conjuncts.push(if equality {
            let sort = sort_of(cx.store, &sum);
            let form = coerced(cx.store, &sum, sort);
            cx.store.mk_zero(form, sort)
        } else {
            nonpositive(cx.store, &sum, strict)
        });
    }
    Ok(cx.store.mk_and(&conjuncts))
}

/// A's part of a mixed inequality: `only A's leaves + x <= 0`.
fn split_inequality(
    cx: &mut Context<'_, '_>,
    constraint: &Constraint,
) -> Found<(TermId, LinearForm)> {
    let mut part = only_a(cx, &constraint.form)?;
    let sort = sort_of(cx.store, &constraint.form);
    let x = cx.patterns.auxiliary(cx.store, constraint.atom, constraint.positive, sort);
    part.add_term(x, &Rational::ONE);
    Ok((x, part))
}

/// The partial interpolant at a cut of a valid clause about one linear term, at
/// which its literals are mixed. None if the clause is not of the known kinds.
pub(crate) fn mixed_bound_clause(
    cx: &mut Context<'_, '_>,
    clause: &[Literal],
) -> Found<Option<TermId>> {
    let mut constraints = Vec::new();
    let mut disequality = None;
    for &literal in clause {
        match negation(cx.store, literal) {
            Some(constraint) => constraints.push(constraint),
            None if cx.store.op(literal.atom) == Op::Eq
                && cx.store.sort(cx.store.arg(literal.atom, 0)).is_arithmetic() =>
            {
                if disequality.replace(literal.atom).is_some() {
                    return Ok(None);
                }
            }
            None => return Ok(None),
        }
    }
    let [first, second] = constraints.as_slice() else { return Ok(None) };
    let (first, second) =
        if second.relation == Relation::Equal { (second, first) } else { (first, second) };
    let Some(&(leaf, ref own)) = first.form.terms.first() else { return Ok(None) };
    // The factor with which the leaves cancel out.
    let mut factor = -&(&second.form.coefficient(leaf) / own);
    if factor.is_zero() {
        return Ok(None);
    }
    if first.relation != Relation::Equal && !factor.is_positive() {
        return Ok(None);
    }
    let mut sum = second.form.clone();
    sum.add_scaled(&first.form, &factor);
    let Some(constant) = sum.as_constant().cloned() else { return Ok(None) };
    let strict = first.relation == Relation::Below || second.relation == Relation::Below;
    if constant.is_positive() || (constant.is_zero() && strict) {
        let summands =
            [(first.clone(), std::mem::take(&mut factor)), (second.clone(), Rational::ONE)];
        return farkas(cx, &summands).map(Some);
    }
    // Trichotomy: the two inequalities meet in exactly the equality.
    let Some(atom) = disequality else { return Ok(None) };
    if !constant.is_zero() {
        return Ok(None);
    }
    trichotomy(cx, atom, first, second).map(Some)
}

fn trichotomy(
    cx: &mut Context<'_, '_>,
    atom: TermId,
    first: &Constraint,
    second: &Constraint,
) -> Found<TermId> {
    let unknown = || NoInterpolant::new("an unknown form of trichotomy");
    let split = split_equality(cx, atom)?;
    // A's part of the equality is `a = 0`: sign * (P - x) = 0.
    let sign = -&split.a.coefficient(split.x);
    if !sign.is_one() && !sign.is_minus_one() {
        return Err(unknown());
    }
    let mut p_whole = split.a.clone();
    p_whole.scale(&sign);
    p_whole.add_term(split.x, &Rational::ONE);
    // What only A knows of it, and its multiples in the two inequalities.
    let p = only_a(cx, &p_whole)?;
    let (x1, part1) = split_inequality(cx, first)?;
    let (x2, part2) = split_inequality(cx, second)?;
    let Some(&(leaf, ref own)) = p.terms.first() else { return Err(unknown()) };
    let m1 = &part1.coefficient(leaf) / own;
    let m2 = &part2.coefficient(leaf) / own;
    // Order them so that the first has p positively.
    let (x1, m1, x2, m2, part1, part2) = if m1.is_positive() {
        (x1, m1, x2, -m2, part1, part2)
    } else {
        (x2, m2, x1, -m1, part2, part1)
    };
    if !m1.is_positive() || !m2.is_positive() {
        return Err(unknown());
    }
    for (x, m, part) in [(x1, m1.clone(), &part1), (x2, -&m2, &part2)] {
        let mut expected = p.clone();
        expected.scale(&m);
        expected.add_term(x, &Rational::ONE);
        if expected != *part {
            return Err(unknown());
        }
    }
    let mut s = LinearForm::zero();
    s.add_term(x1, &m2);
    s.add_term(x2, &m1);
    s.scale(&s.primitive_factor());
    // The value of P when s is zero.
    let mut value = p_whole;
    value.add_scaled(&p, &Rational::MINUS_ONE);
    value.add_term(x2, &m2.recip());
    let sort = cx.store.sort(split.x);
    if cx.store.sort(x1) != sort || cx.store.sort(x2) != sort {
        return Err(NoInterpolant::new("a mixed equality is over integers and reals at once"));
    }
    let integral = value.terms.iter().all(|t| t.1.is_integer()) && value.constant.is_integer();
    if sort == SortId::INT && !integral {
        return Err(unknown());
    }
    let value = term_of(cx.store, &value, sort);
    let equal = cx.patterns.mk_eq(cx.store, split.x, value);
    let at_most = nonpositive(cx.store, &s, false);
    let below = nonpositive(cx.store, &s, true);
    let meets = cx.store.mk_or(&[below, equal]);
    let f = cx.store.mk_and(&[at_most, meets]);
    let gap = if sort == SortId::INT { Gap::Int(Integer::ZERO) } else { Gap::RealPoint };
    Ok(cx.patterns.mk_la(cx.store, s, gap, f))
}
