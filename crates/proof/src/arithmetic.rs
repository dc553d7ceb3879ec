//! Checking of arithmetic: Farkas lemmas and the definitions of operators.

use bolide_base::{HashMap, Integer, Rational};
use bolide_terms::residue::Range;
use bolide_terms::{Op, SortId, TermId, TermStore};

use crate::polynomial::Polynomial;
use crate::{Literal, ensure};

/// How a polynomial is compared with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    AtMost,
    Below,
    Equal,
    Different,
}

/// `polynomial relation 0`.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub polynomial: Polynomial,
    pub relation: Relation,
}

/// What an arithmetic literal says; none if it is not arithmetic.
pub(crate) fn meaning(store: &TermStore, literal: Literal) -> Option<Constraint> {
    let op = store.op(literal.atom);
    if !matches!(op, Op::Le | Op::Lt | Op::Eq) {
        return None;
    }
    let &[left, right] = store.args(literal.atom) else { return None };
    let sort = store.sort(left);
    if !sort.is_arithmetic() {
        return None;
    }
    let mut polynomial = Polynomial::of(store, left);
    polynomial.add(store, right, &Rational::MINUS_ONE);
    let relation = match (op, literal.positive) {
        (Op::Le, true) => Relation::AtMost,
        (Op::Lt, true) => Relation::Below,
        // not (t <= 0) is -t < 0; not (t < 0) is -t <= 0.
        (Op::Le, false) => Relation::Below,
        (Op::Lt, false) => Relation::AtMost,
        (_, true) => Relation::Equal,
        (_, false) => Relation::Different,
    };
    if op != Op::Eq && !literal.positive {
        polynomial = polynomial.scaled(&Rational::MINUS_ONE);
    }
    let mut constraint = Constraint { polynomial, relation };
    if sort == SortId::INT && relation == Relation::Below {
        // Both sides are integers in every model, so below zero is at most minus one.
        constraint.polynomial = constraint.polynomial.plus_constant(Rational::ONE);
        constraint.relation = Relation::AtMost;
    }
    Some(constraint)
}

/// The negated literals, weighted and added, must be contradictory.
pub(crate) fn check_farkas(
    store: &TermStore,
    clause: &[Literal],
    coefficients: &[Rational],
) -> Result<(), String> {
    if clause.len() != coefficients.len() {
        return Err("not one coefficient for each literal".into());
    }
    let mut sum = Polynomial::default();
    let mut strict = false;
    for (&literal, coefficient) in clause.iter().zip(coefficients) {
        let hypothesis =
            meaning(store, !literal).ok_or("a literal of the Farkas lemma is not arithmetic")?;
        match hypothesis.relation {
            Relation::Different => return Err("a disequality cannot be added".into()),
            Relation::Equal if coefficient.is_zero() => {
                return Err("a coefficient is zero".into());
            }
            Relation::AtMost | Relation::Below if !coefficient.is_positive() => {
                return Err("the coefficient of an inequality is not positive".into());
            }
            _ => {}
        }
        strict |= hypothesis.relation == Relation::Below;
        sum.add_scaled(&hypothesis.polynomial, coefficient);
    }
    let constant = sum.as_constant().ok_or("the unknowns do not cancel out")?;
    ensure(constant.is_positive() || (strict && constant.is_zero()), "the sum is not contradictory")
}

/// Whether the two inequalities contradict each other.
fn contradict(a: &Constraint, b: &Constraint) -> bool {
    let inequality = |c: &Constraint| matches!(c.relation, Relation::AtMost | Relation::Below);
    if !inequality(a) || !inequality(b) {
        return false;
    }
    let strict = a.relation == Relation::Below || b.relation == Relation::Below;
    let contradictory = |c: &Rational| c.is_positive() || (strict && c.is_zero());
    match a.polynomial.multiple_of(&b.polynomial) {
        // a = factor * b + rest with a negative factor: a - factor * b = rest.
        Some((factor, rest)) => factor.is_negative() && contradictory(&rest),
        None => false,
    }
}

fn at_most_zero(polynomial: Polynomial) -> Constraint {
    Constraint { polynomial, relation: Relation::AtMost }
}

fn equality_sides(store: &TermStore, atom: TermId) -> Result<Polynomial, String> {
    if store.op(atom) != Op::Eq || !store.sort(store.arg(atom, 0)).is_arithmetic() {
        return Err("not an arithmetic equality".into());
    }
    let left = Polynomial::of(store, store.arg(atom, 0));
    Ok(left.minus(&Polynomial::of(store, store.arg(atom, 1))))
}

/// `a = b or a < b or a > b`.
pub(crate) fn check_trichotomy(
    store: &TermStore,
    clause: &[Literal],
    atom: TermId,
) -> Result<(), String> {
    let difference = equality_sides(store, atom)?;
    if !clause.contains(&Literal { atom, positive: true }) {
        return Err("the equality is missing".into());
    }
    // The other negated literals must force the difference to zero from both sides (or
    // be contradictory by themselves).
    let (mut below, mut above) = (false, false);
    for &literal in clause {
        if literal.atom == atom {
            continue;
        }
        let hypothesis = meaning(store, !literal).ok_or("a literal is not arithmetic")?;
        if !matches!(hypothesis.relation, Relation::AtMost | Relation::Below) {
            return Err("a literal is not an inequality".into());
        }
        // hypothesis: factor * difference + rest <= 0.
        let (factor, rest) = hypothesis
            .polynomial
            .multiple_of(&difference)
            .ok_or("an inequality is about something else")?;
        if rest.is_negative() {
            return Err("an inequality is too weak".into());
        }
        below |= factor.is_positive();
        above |= factor.is_negative();
    }
    ensure(below && above, "one direction is missing")
}

/// `not (a = b)` or an inequality that follows from `a = b`.
pub(crate) fn check_equality_bound(
    store: &TermStore,
    clause: &[Literal],
    atom: TermId,
) -> Result<(), String> {
    let difference = equality_sides(store, atom)?;
    let negative = Literal { atom, positive: false };
    if !clause.contains(&negative) {
        return Err("the equality is missing".into());
    }
    if difference.as_constant().is_some_and(|constant| !constant.is_zero()) {
        // The equality is false, and nothing else is needed.
        return Ok(());
    }
    for &literal in clause.iter().filter(|&&l| l != negative) {
        let Some(hypothesis) = meaning(store, !literal) else { continue };
        let contradictory = match hypothesis.relation {
            Relation::AtMost => |c: &Rational| c.is_positive(),
            Relation::Below => |c: &Rational| !c.is_negative(),
            _ => continue,
        };
        if let Some((_, rest)) = hypothesis.polynomial.multiple_of(&difference)
            && contradictory(&rest)
        {
            return Ok(());
        }
    }
    Err("no literal follows from the equality".into())
}

/// Whether the literal says that the two arithmetic terms are equal.
pub(crate) fn equates(store: &TermStore, literal: Literal, difference: &Polynomial) -> bool {
    match meaning(store, literal) {
        Some(Constraint { polynomial, relation: Relation::Equal }) => {
            polynomial == *difference
                || matches!(polynomial.multiple_of(difference), Some((factor, rest))
                    if rest.is_zero() && !factor.is_zero())
        }
        _ => false,
    }
}

/// The clause is a bound that follows from `fact <= 0` (or `< 0`), or contains one, beside guards.
fn some_literal_follows(store: &TermStore, clause: &[Literal], facts: &[Constraint]) -> bool {
    clause.iter().any(|&literal| {
        meaning(store, !literal)
            .is_some_and(|hypothesis| facts.iter().any(|fact| contradict(&hypothesis, fact)))
    })
}

/// Whether of some of these polynomials, of which one is at most zero, each makes a literal of the clause true.
pub(crate) fn covers(store: &TermStore, clause: &[Literal], alternatives: &[Polynomial]) -> bool {
    alternatives.iter().all(|polynomial| match polynomial.as_constant() {
        Some(constant) => constant.is_positive(),
        None => some_literal_follows(store, clause, &[at_most_zero(polynomial.clone())]),
    })
}

/// Whether the clause contains the guard `divisor = 0`, or needs none.
fn guarded_by_zero(store: &TermStore, clause: &[Literal], divisor: &Polynomial) -> bool {
    match divisor.as_constant() {
        Some(number) => !number.is_zero(),
        None => {
            clause.iter().any(|&literal| equates(store, literal, divisor))
                || divisor.misses_zero(store)
        }
    }
}

/// Whether the divisor is positive (times `sign`) unless a literal of the
/// clause holds.
fn guarded_by_sign(store: &TermStore, clause: &[Literal], divisor: &Polynomial, sign: i32) -> bool {
    if let Some(number) = divisor.as_constant() {
        return number.signum() == sign;
    }
    // The opposite: sign * divisor <= 0.
    let opposite = at_most_zero(divisor.scaled(&Rational::from(i64::from(sign))));
    clause
        .iter()
        .any(|&literal| meaning(store, !literal).is_some_and(|h| contradict(&h, &opposite)))
}

/// Dividend and divisor as polynomials, if the term is such an operation.
fn operands(store: &TermStore, term: TermId, op: Op) -> Result<(Polynomial, Polynomial), String> {
    if store.op(term) != op {
        return Err(format!("not a term of {op:?}"));
    }
    let &[dividend, divisor] = store.args(term) else { return Err("two operands expected".into()) };
    Ok((Polynomial::of(store, dividend), Polynomial::of(store, divisor)))
}

/// Bounds of a quotient.
pub(crate) fn check_div(store: &TermStore, clause: &[Literal], term: TermId) -> Result<(), String> {
    let (dividend, divisor) = operands(store, term, Op::Div)?;
    let multiple = divisor.times(&Polynomial::of(store, term));
    // divisor * quotient <= dividend, unless the divisor is zero.
    let lower = at_most_zero(multiple.minus(&dividend));
    if guarded_by_zero(store, clause, &divisor) && some_literal_follows(store, clause, &[lower]) {
        return Ok(());
    }
    for sign in [1, -1] {
        // dividend <= divisor * quotient + |divisor| - 1.
        let mut upper = dividend.minus(&multiple).plus_constant(Rational::ONE);
        upper.add_scaled(&divisor, &Rational::from(i64::from(-sign)));
        if guarded_by_sign(store, clause, &divisor, sign)
            && some_literal_follows(store, clause, &[at_most_zero(upper)])
        {
            return Ok(());
        }
    }
    Err("no bound of the quotient".into())
}

/// `dividend mod divisor + divisor * (dividend div divisor) = dividend`.
pub(crate) fn check_mod(store: &TermStore, clause: &[Literal], term: TermId) -> Result<(), String> {
    let (dividend, divisor) = operands(store, term, Op::Mod)?;
    if !guarded_by_zero(store, clause, &divisor) {
        return Err("the divisor may be zero".into());
    }
    for &literal in clause {
        let Some(hypothesis) = meaning(store, !literal) else { continue };
        let quotients: Vec<TermId> = hypothesis
            .polynomial
            .leaves()
            .filter(|&leaf| store.op(leaf) == Op::Div && store.args(leaf) == store.args(term))
            .collect();
        for quotient in quotients {
            let mut zero = divisor.times(&Polynomial::of(store, quotient));
            zero.add(store, term, &Rational::ONE);
            let zero = zero.minus(&dividend);
            let opposite = zero.scaled(&Rational::MINUS_ONE);
            if equates(store, literal, &zero)
                || contradict(&hypothesis, &at_most_zero(zero))
                || contradict(&hypothesis, &at_most_zero(opposite))
            {
                return Ok(());
            }
        }
    }
    Err("does not follow from the meaning of mod".into())
}

/// `c = 0 or s mod c <= t mod c`, where `s` and `t` differ by a multiple of `c`.
pub(crate) fn check_remainders(
    store: &TermStore,
    clause: &[Literal],
    left: TermId,
    right: TermId,
) -> Result<(), String> {
    let (s, divisor) = operands(store, left, Op::Mod)?;
    let (t, _) = operands(store, right, Op::Mod)?;
    let by = store.arg(left, 1);
    ensure(store.arg(right, 1) == by, "not remainders by one divisor")?;
    ensure(guarded_by_zero(store, clause, &divisor), "the guard is missing")?;
    ensure(s.minus(&t).is_multiple(store, by), "not the same modulo the divisor")?;
    let bound = Polynomial::of(store, left).minus(&Polynomial::of(store, right));
    let follows = some_literal_follows(store, clause, &[at_most_zero(bound)]);
    ensure(follows, "no literal compares the remainders")
}

/// `to_int x <= x < to_int x + 1`.
pub(crate) fn check_to_int(
    store: &TermStore,
    clause: &[Literal],
    term: TermId,
) -> Result<(), String> {
    if store.op(term) != Op::ToInt {
        return Err("not a to_int".into());
    }
    let real = Polynomial::of(store, store.arg(term, 0));
    let floor = Polynomial::of(store, term);
    let lower = at_most_zero(floor.minus(&real));
    let upper = real.minus(&floor).plus_constant(Rational::MINUS_ONE);
    let upper = Constraint { polynomial: upper, relation: Relation::Below };
    ensure(
        some_literal_follows(store, clause, &[lower, upper]),
        "does not follow from the meaning of to_int",
    )
}

/// `0 <= number <= 2^w - 1`.
pub(crate) fn check_bit_range(
    store: &TermStore,
    clause: &[Literal],
    number: TermId,
) -> Result<(), String> {
    if store.op(number) != Op::BvToInt {
        return Err("not the number of bits".into());
    }
    let greatest = Integer::pow2(store.width(store.arg(number, 0))) - Integer::ONE;
    let number = Polynomial::of(store, number);
    let lower = at_most_zero(number.scaled(&Rational::MINUS_ONE));
    let upper = at_most_zero(number.plus_constant(-Rational::from(greatest)));
    ensure(
        some_literal_follows(store, clause, &[lower, upper]),
        "does not follow from the number of bits",
    )
}

/// The ranges of the leaves that the negated literals bound from both sides.
pub(crate) fn ranges(store: &TermStore, clause: &[Literal]) -> HashMap<TermId, Range> {
    let mut bounds: HashMap<TermId, [Option<Integer>; 2]> = HashMap::default();
    for &literal in clause {
        let Some(hypothesis) = meaning(store, !literal) else { continue };
        let mut leaves = hypothesis.polynomial.leaves();
        let (Some(leaf), None) = (leaves.next(), leaves.next()) else { continue };
        let own = Polynomial::of(store, leaf);
        if hypothesis.relation != Relation::AtMost || store.sort(leaf) != SortId::INT {
            continue;
        }
        // factor * leaf + rest <= 0.
        let Some((factor, rest)) = hypothesis.polynomial.multiple_of(&own) else { continue };
        let bound = -(&rest / &factor);
        let [low, high] = bounds.entry(leaf).or_default();
        if factor.is_positive() {
            let bound = bound.floor();
            *high = Some(high.take().map_or(bound.clone(), |old| old.min(bound)));
        } else {
            let bound = bound.ceil();
            *low = Some(low.take().map_or(bound.clone(), |old| old.max(bound)));
        }
    }
    bounds.into_iter().filter_map(|(leaf, [low, high])| Some((leaf, (low?, high?)))).collect()
}

/// `divisor = 0 or divisor * (dividend / divisor) = dividend`.
pub(crate) fn check_quotient(
    store: &TermStore,
    clause: &[Literal],
    term: TermId,
) -> Result<(), String> {
    let (dividend, divisor) = operands(store, term, Op::Quotient)?;
    let exact = divisor.times(&Polynomial::of(store, term)).minus(&dividend);
    ensure(
        guarded_by_zero(store, clause, &divisor)
            && clause.iter().any(|&literal| equates(store, literal, &exact)),
        "does not follow from the meaning of division",
    )
}

/// Whether the two terms differ in all models: their difference is a number other than zero, or
/// an integer form that misses zero.
pub(crate) fn surely_different(store: &TermStore, a: TermId, b: TermId) -> bool {
    if !store.sort(a).is_arithmetic() {
        return a != b && store.is_value(a) && store.is_value(b);
    }
    let difference = Polynomial::of(store, a).minus(&Polynomial::of(store, b));
    difference.as_constant().is_some_and(|constant| !constant.is_zero())
}

/// The signs that are possible: negative, zero, positive.
type Signs = [bool; 3];

/// Which signs of `polynomial` the negated literals of the clause leave.
fn possible_signs(store: &TermStore, clause: &[Literal], polynomial: &Polynomial) -> Signs {
    let mut signs = [true; 3];
    for &literal in clause {
        let Some(hypothesis) = meaning(store, !literal) else { continue };
        let strict = match hypothesis.relation {
            Relation::AtMost => false,
            Relation::Below => true,
            _ => continue,
        };
        // factor * polynomial + rest <= 0.
        let Some((factor, rest)) = hypothesis.polynomial.multiple_of(polynomial) else { continue };
        let bound = -(&rest / &factor);
        // An upper bound excludes from above, a lower one from below.
        let towards = if factor.is_positive() { [0, 1, 2] } else { [2, 1, 0] };
        let sign = bound.signum() * factor.signum();
        if sign < 0 || (sign == 0 && strict) {
            signs[towards[1]] = false;
            signs[towards[2]] = false;
        } else if sign == 0 {
            signs[towards[2]] = false;
        }
    }
    signs
}

/// No signs of the factors that falsify the clause's bounds on them allow the product a
/// sign that falsifies its bounds on the product.
pub(crate) fn check_product(
    store: &TermStore,
    clause: &[Literal],
    left: TermId,
    right: TermId,
) -> Result<(), String> {
    if !store.sort(left).is_arithmetic() || !store.sort(right).is_arithmetic() {
        return Err("not numbers".into());
    }
    let (x, y) = (&Polynomial::of(store, left), &Polynomial::of(store, right));
    let plane = x.times(y);
    let signs_x = possible_signs(store, clause, x);
    let signs_y = possible_signs(store, clause, y);
    let signs_plane = possible_signs(store, clause, &plane);
    let same = x == y;
    for (i, _) in signs_x.iter().enumerate().filter(|(_, possible)| **possible) {
        for (j, _) in signs_y.iter().enumerate().filter(|(_, possible)| **possible) {
            if same && i != j {
                continue;
            }
            let sign = (i as i32 - 1) * (j as i32 - 1);
            if signs_plane[(sign + 1) as usize] {
                return Err("the signs of the factors allow the sign of the product".into());
            }
        }
    }
    Ok(())
}
