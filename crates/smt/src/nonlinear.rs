//! Products of unknowns, by incremental linearisation.
//!
//! After Cimatti, Griggio, Irfan, Roveri and Sebastiani (*Incremental
//! linearization*, ACM TOCL 2018). To the simplex a monomial `x * y` is an
//! opaque column. When the assignment at hand gives it another value than the
//! product of the values of its factors, clauses that hold for every product
//! are added which this assignment violates, of the first kind that there is:
//!
//! - *multiples* of equalities that the assignment satisfies, `p = k` gives `m * p = k * m` for
//!   every monomial `m`: those by which a sum in the problem gets a normal form with another value
//!   ([`ideal`]). This is how the invariant `x * z = x + y - 1` survives `x = x * z + 1; y = y * z`;
//! - *products of bounds*: `s <= a` and `t <= b` give `(a - s) * (b - t) >= 0`, where the monomials of
//!   it are there already, or now and then all but one are;
//! - *squares*: of a bound that is a polynomial of degree two the squares are completed, `x * x + 2 * x * y`
//!   is `(x + y) * (x + y) - y * y`, and no square is negative;
//! - *sign*: the sign of a product is the product of the signs;
//! - *order*: monomials with a common factor, `z * x` and `z * y`, compare as `x` and `y` do, or
//!   the other way round, as the sign of `z` says; and `x * x` and `y * y` as the signs of `x - y` and `x + y` say;
//! - *tangent*: for numbers `a`, `b` the product `(x - a)(y - b)` has the sign that the
//!   sides of `a` and `b` on which `x` and `y` are give it, which is linear in `x`, `y` and `x * y`;
//!   `a` and `b` are taken from the assignment.
//!
//! All of them say that the sign of a product is the product of the signs, and have one rule
//! in the checker. A monomial of more factors is read as first factor times the rest.
//!
//! Remainders by an unknown divisor are compared with each other before ([`mod@remainders`]), and those by
//! numbers get cases ([`quotients`]).
//!
//! Before any clause is added, values are looked for with which all products are right
//! ([`repair`], [`sample`]). The method is incomplete: after a number of rounds it gives up, and the answer is unknown.

mod ideal;
mod quotients;
mod remainders;
mod repair;
mod sample;

use bolide_base::{HashMap, HashSet, Integer, Rational};
use bolide_proof::Tautology;
use bolide_sat::FinalCheck;
use bolide_terms::{LinearForm, SortId, TermId, TermStore, Value};
use std::collections::BTreeSet;

use crate::context::Context;
use crate::linear::Linear;
use ideal::{Ideal, Monomial, Multiple, Polynomial};
pub(crate) use remainders::remainders;

/// A product of two terms.
#[derive(Clone, Copy, Debug)]
struct Product {
    product: TermId,
    left: TermId,
    right: TermId,
}

/// The products of unknowns in the problem.
#[derive(Default)]
pub(crate) struct Nonlinear {
    products: Vec<Product>,
    rounds: usize,
    multiplied: usize,
    /// Cases of quotients in this check.
    cases: usize,
    /// Whether models may have irrational values.
    may_be_irrational: bool,
    /// Values of unknowns with which all bounds hold, some of them irrational: then the simplex has others.
    irrational: HashMap<TermId, Value>,
}

// Heuristic: rounds of lemmas in one check before giving up.
const ROUNDS: usize = 150;
// Heuristic: monomials that get lemmas in one round.
const BATCH: usize = 6;
// Heuristic: the longest sum whose bounds are multiplied.
const SUMMANDS: usize = 3;
// Heuristic: so many bounds are multiplied with each other, those by small numbers first.
const BOUNDS: usize = 30;
// Heuristic: in one check so many products of bounds.
const PRODUCTS_OF_BOUNDS: usize = 60;
// Heuristic: in one of so many rounds bounds are multiplied although that brings a new monomial.
const UNKNOWN_PRODUCTS: usize = 8;
// Heuristic: the longest polynomial of which squares are completed.
const QUADRATIC: usize = 12;
// Heuristic: a normal form that brings so many monomials of its own is worth nothing.
const NEW_MONOMIALS: usize = 3;
// Heuristic: nor is one that takes so many multiples.
const MULTIPLES: usize = 40;

/// `sum - at` is at least zero, times `sign`.
#[derive(Clone)]
struct Bound {
    sum: TermId,
    at: Rational,
    sign: Rational,
}

/// The value of a term in the assignment.
type Values<'a> = &'a dyn Fn(&TermStore, TermId) -> Rational;

impl Nonlinear {
    /// Takes in a monomial, and those that its factors make up.
    pub fn add(&mut self, store: &mut TermStore, linear: &mut Linear, product: TermId) {
        let mut product = product;
        loop {
            if self.products.iter().any(|m| m.product == product) {
                return;
            }
            let factors = store.args(product).to_vec();
            let left = factors[0];
            let right = if factors.len() == 2 { factors[1] } else { store.mk_mul(&factors[1..]) };
            self.products.push(Product { product, left, right });
            linear.add_leaves(store, product);
            linear.add_leaves(store, left);
            linear.add_leaves(store, right);
            if factors.len() == 2 {
                return;
            }
            product = right;
        }
    }

    /// How many monomials there are.
    pub fn len(&self) -> usize {
        self.products.len()
    }

    /// Forgets the monomials from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.products.truncate(len);
    }

    /// Whether models may have irrational values.
    pub fn allow_irrational(&mut self, may_be: bool) {
        self.may_be_irrational = may_be;
    }

    /// The value of an unknown where it is not that of the simplex.
    pub fn irrational(&self, unknown: TermId) -> Option<&Value> {
        self.irrational.get(&unknown)
    }

    /// A check begins.
    pub fn begin_check(&mut self) {
        (self.rounds, self.multiplied, self.cases) = (0, 0, 0);
        self.irrational.clear();
    }

    /// Judges the assignment, with `delta` for the infinitesimal, and adds
    /// clauses if it is wrong.
    pub fn check(
        &mut self,
        context: &mut Context<'_>,
        linear: &Linear,
        delta: &Rational,
    ) -> FinalCheck {
        if !self.irrational.is_empty() {
            return FinalCheck::Consistent;
        }
        let value = |store: &TermStore, term: TermId| linear.value(store, term).at(delta);
        let mut wrong = Vec::new();
        for &product in &self.products {
            let left = value(context.store, product.left);
            let right = value(context.store, product.right);
            let is = value(context.store, product.product);
            if &left * &right != is {
                wrong.push((product, left, right, is));
            }
        }
        if wrong.is_empty() {
            return FinalCheck::Consistent;
        }
        self.rounds += 1;
        if self.rounds > ROUNDS {
            return FinalCheck::GiveUp("non-linear arithmetic");
        }
        for sort in [SortId::INT, SortId::REAL] {
            let targets: Vec<TermId> = wrong
                .iter()
                .map(|w| w.0.product)
                .filter(|&t| context.store.sort(t) == sort)
                .collect();
            if !targets.is_empty() && multiples(context, linear, sort, &targets, &value) {
                return FinalCheck::Continue;
            }
        }
        // Heuristic: a square that is negative says more than the products of many bounds.
        if squares(context, linear, &value) || self.bounds(context, linear, &value, false) {
            return FinalCheck::Continue;
        }
        let is_late = self.rounds.is_multiple_of(UNKNOWN_PRODUCTS);
        if is_late && self.bounds(context, linear, &value, true) {
            return FinalCheck::Continue;
        }
        for (product, left, right, is) in wrong.into_iter().take(BATCH) {
            let expected = left.signum() * right.signum();
            if is.signum() != expected {
                signs(context, product.left, product.right, &value);
            } else if !self.order(context, product, &value) {
                let excess = is - &left * &right;
                tangent(context, product, &left, &right, &excess);
            }
        }
        FinalCheck::Continue
    }

    /// Multiplies bounds with each other, where their product has a value, or else where it has one new
    /// monomial. Whether there is a product that the assignment violates, or may violate.
    fn bounds(
        &mut self,
        context: &mut Context<'_>,
        linear: &Linear,
        value: Values<'_>,
        new: bool,
    ) -> bool {
        let mut factors: HashSet<TermId> = HashSet::default();
        for product in &self.products {
            factors.extend([product.left, product.right]);
        }
        let mut bounds: Vec<Bound> = Vec::new();
        for (sum, lower, upper) in linear.bounded_sums() {
            let form = context.store.linear_form(sum);
            let factor = |&(leaf, _): &(TermId, Rational)| factors.contains(&leaf);
            // Equalities are multiplied as such.
            if lower == upper || form.terms.len() > SUMMANDS || !form.terms.iter().any(factor) {
                continue;
            }
            for (at, sign) in [(lower, Rational::ONE), (upper, Rational::MINUS_ONE)] {
                bounds.extend(at.map(|at| Bound { sum, at: at.standard, sign }));
            }
        }
        bounds.sort_by_cached_key(|bound| bound.at.abs());
        bounds.truncate(BOUNDS);
        let most = BATCH.min(PRODUCTS_OF_BOUNDS.saturating_sub(self.multiplied));
        let mut found = 0;
        for (i, first) in bounds.iter().enumerate() {
            for second in &bounds[i..] {
                let store = &mut *context.store;
                if store.sort(first.sum) != store.sort(second.sum) || found == most {
                    continue;
                }
                let [left, right] = [first, second].map(|bound| {
                    let mut form = store.linear_form(bound.sum);
                    form.constant -= &bound.at;
                    form.scale(&bound.sign);
                    form
                });
                let (plane, unknown) = product_form(store, linear, &left, &right);
                let is_quadratic = |(leaf, _): &(TermId, Rational)| {
                    !store.is_monomial(*leaf) || store.args(*leaf).len() == 2
                };
                let is_wanted = match unknown {
                    0 => form_value(store, &plane, value).is_negative(),
                    // Heuristic: of integers that costs more answers than it brings.
                    _ if store.sort(first.sum) == SortId::INT => false,
                    _ => new && unknown == 1 && plane.terms.iter().all(is_quadratic),
                };
                if is_wanted {
                    let sort = store.sort(first.sum);
                    let [left, right] = [left, right].map(|form| store.mk_linear(&form, sort));
                    let mut clause = Vec::new();
                    for factor in [left, right] {
                        let zero = store.mk_number(Rational::ZERO, sort);
                        clause.push(at_most(store, factor, zero, true));
                    }
                    clause.dedup();
                    clause.push(store.mk_nonpositive_plain(plane.negated(), sort, false));
                    context.tautology(&clause, Tautology::Product { left, right });
                    found += 1;
                }
            }
        }
        self.multiplied += found;
        found > 0
    }

    /// Compares with other monomials that have a factor in common. Whether the assignment
    /// has such a pair in the wrong order.
    fn order(&self, context: &mut Context<'_>, product: Product, value: Values<'_>) -> bool {
        for other in &self.products {
            if other.product == product.product {
                continue;
            }
            if square_order(context, [product, *other], value) {
                return true;
            }
            for (common, mine) in [(product.left, product.right), (product.right, product.left)] {
                let theirs = match other {
                    Product { left, right, .. } if *left == common => *right,
                    Product { left, right, .. } if *right == common => *left,
                    _ => continue,
                };
                let store = &mut *context.store;
                if store.sort(common) != store.sort(theirs) {
                    continue;
                }
                let apart = &value(store, mine) - &value(store, theirs);
                let sign = apart.signum() * value(store, common).signum();
                let [is, other_is] = [product, *other].map(|p| value(store, p.product));
                if sign != (is - other_is).signum() {
                    let difference = store.mk_sub(mine, theirs);
                    signs(context, common, difference, value);
                    return true;
                }
            }
        }
        false
    }
}

/// Compares two squares: `x * x - y * y` is `(x - y) * (x + y)`. Whether the assignment has them in the wrong order.
fn square_order(context: &mut Context<'_>, products: [Product; 2], value: Values<'_>) -> bool {
    let store = &mut *context.store;
    let [x, y] = products.map(|p| p.left);
    if products.iter().any(|p| p.left != p.right) || store.sort(x) != store.sort(y) {
        return false;
    }
    let (difference, sum) = (store.mk_sub(x, y), store.mk_add(&[x, y]));
    let sign = value(store, difference).signum() * value(store, sum).signum();
    let [is, other] = products.map(|p| value(store, p.product));
    let wrong = sign != (is - other).signum();
    if wrong {
        signs(context, difference, sum, value);
    }
    wrong
}

/// Adds multiples of equalities that give some sum another value than the assignment. Whether
/// there are any.
fn multiples(
    context: &mut Context<'_>,
    linear: &Linear,
    sort: SortId,
    wrong: &[TermId],
    value: Values<'_>,
) -> bool {
    let store = &mut *context.store;
    let mut targets: Vec<Polynomial> = Vec::new();
    let mut equalities: Vec<(TermId, Rational, Polynomial)> = Vec::new();
    for (sum, lower, upper) in linear.bounded_sums() {
        if store.sort(sum) != sort {
            continue;
        }
        let mut form = store.linear_form(sum);
        match lower {
            Some(at) if Some(&at) == upper.as_ref() => {
                form.constant -= &at.standard;
                equalities.push((sum, at.standard, Polynomial::of_form(store, &form)));
            }
            _ => targets.push(Polynomial::of_form(store, &form)),
        }
    }
    let is_wrong = |target: &Polynomial| target.terms().any(|(m, _)| m.factors().len() > 1);
    targets.retain(is_wrong);
    for &product in wrong {
        targets.push(Polynomial::of_form(store, &LinearForm::from_leaf(product)));
    }
    let related = ideal::related(equalities.iter().map(|e| &e.2), &targets);
    let mut keep = related.into_iter();
    equalities.retain(|_| keep.next() == Some(true));
    let polynomials: Vec<Polynomial> = equalities.iter().map(|e| e.2.clone()).collect();
    let ideal = Ideal::new(&polynomials);
    let mut wanted: BTreeSet<Multiple> = BTreeSet::new();
    let mut vague: Option<(usize, BTreeSet<Multiple>)> = None;
    if let Some(contradiction) = &ideal.contradiction {
        wanted.extend(contradiction.iter().cloned());
    }
    let mut found = 0;
    for target in targets {
        if found == BATCH || !wanted.is_empty() && ideal.contradiction.is_some() {
            break;
        }
        let Some((normal, shown)) = ideal.normal_form(target.clone()) else { continue };
        let news = shown.iter().any(|(factor, _)| !factor.factors().is_empty());
        if !news || shown.len() > MULTIPLES {
            continue;
        }
        let (is, _) = polynomial_value(store, linear, &target, value);
        match polynomial_value(store, linear, &normal, value) {
            (same, 0) if same == is => {}
            (_, 0) => {
                wanted.extend(shown);
                found += 1;
            }
            (_, new) => {
                if new <= NEW_MONOMIALS && vague.as_ref().is_none_or(|(least, _)| new < *least) {
                    vague = Some((new, shown));
                }
            }
        }
    }
    if wanted.is_empty() {
        wanted.extend(vague.into_iter().flat_map(|(_, shown)| shown));
    }
    wanted.retain(|(factor, _)| !factor.factors().is_empty());
    for (factor, number) in &wanted {
        let (sum, at, _) = &equalities[*number];
        multiple(context, factor, *sum, at);
    }
    !wanted.is_empty()
}

/// The value of a polynomial, and how many of its monomials the simplex does not know.
fn polynomial_value(
    store: &mut TermStore,
    linear: &Linear,
    polynomial: &Polynomial,
    value: Values<'_>,
) -> (Rational, usize) {
    let (mut sum, mut unknown) = (Rational::ZERO, 0);
    for (monomial, coefficient) in polynomial.terms() {
        if monomial.factors().is_empty() {
            sum += coefficient;
            continue;
        }
        let term = store.mk_mul(monomial.factors());
        unknown += usize::from(linear.known_column(store, term).is_none());
        sum += &(coefficient * &value(store, term));
    }
    (sum, unknown)
}

fn form_value(store: &TermStore, form: &LinearForm, value: Values<'_>) -> Rational {
    let mut sum = form.constant.clone();
    for (leaf, coefficient) in &form.terms {
        sum += &(coefficient * &value(store, *leaf));
    }
    sum
}

/// The product of two sums, and how many of its monomials the simplex does not know.
fn product_form(
    store: &mut TermStore,
    linear: &Linear,
    left: &LinearForm,
    right: &LinearForm,
) -> (LinearForm, usize) {
    let mut plane = LinearForm::from_constant(&left.constant * &right.constant);
    for (leaf, coefficient) in &left.terms {
        plane.add_term(*leaf, &(coefficient * &right.constant));
    }
    for (leaf, coefficient) in &right.terms {
        plane.add_term(*leaf, &(coefficient * &left.constant));
    }
    for (x, a) in &left.terms {
        for (y, b) in &right.terms {
            let product = store.mk_mul(&[*x, *y]);
            plane.add_term(product, &(a * b));
        }
    }
    let is_unknown = |leaf: &TermId| linear.known_column(store, *leaf).is_none();
    let unknown = plane.terms.iter().filter(|(leaf, _)| is_unknown(leaf)).count();
    (plane, unknown)
}

/// Completes the squares of bounds of degree two. Whether the assignment makes one negative.
fn squares(context: &mut Context<'_>, linear: &Linear, value: Values<'_>) -> bool {
    let mut bases: Vec<(Polynomial, SortId)> = Vec::new();
    for (sum, lower, upper) in linear.bounded_sums() {
        let form = context.store.linear_form(sum);
        if form.terms.len() > QUADRATIC {
            continue;
        }
        let polynomial = Polynomial::of_form(context.store, &form);
        for (at, sign) in [(lower, Rational::ONE), (upper, Rational::MINUS_ONE)] {
            if at.is_some() {
                let sort = context.store.sort(sum);
                bases.extend(polynomial.squares(&sign).into_iter().map(|base| (base, sort)));
            }
        }
    }
    let mut any = false;
    for (base, sort) in bases {
        let store = &mut *context.store;
        let mut form = LinearForm::zero();
        let mut scale = Rational::ONE;
        for (monomial, coefficient) in base.terms() {
            match monomial.factors() {
                [] => form.constant += coefficient,
                [leaf] => form.add_term(*leaf, coefficient),
                _ => unreachable!("the polynomial has degree two"),
            }
            scale = &scale * &Rational::from((coefficient * &scale).denominator());
        }
        form.scale(&scale);
        let (plane, unknown) = product_form(store, linear, &form, &form);
        if unknown == 0 && form_value(store, &plane, value).is_negative() {
            let base = store.mk_linear(&form, sort);
            let conclusion = store.mk_nonpositive_plain(plane.negated(), sort, false);
            context.tautology(&[conclusion], Tautology::Product { left: base, right: base });
            any = true;
        }
    }
    any
}

/// `s = k` implies `m * s = k * m`.
fn multiple(context: &mut Context<'_>, factor: &Monomial, sum: TermId, at: &Rational) {
    let store = &mut *context.store;
    let sort = store.sort(sum);
    let left = store.mk_mul(factor.factors());
    let number = store.mk_number(at.clone(), sort);
    let right = store.mk_sub(sum, number);
    let mut plane = LinearForm::zero();
    for (leaf, coefficient) in store.linear_form(right).terms {
        let product = store.mk_mul(&[left, leaf]);
        plane.add_scaled(&store.linear_form(product), &coefficient);
    }
    plane.add_scaled(&store.linear_form(left), &-at);
    let (below, above) = (at_most(store, sum, number, true), at_most(store, number, sum, true));
    for bound in [plane.clone(), plane.negated()] {
        let conclusion = context.store.mk_nonpositive_plain(bound, sort, false);
        context.tautology(&[below, above, conclusion], Tautology::Product { left, right });
    }
}

/// `low <= high`, or `low < high` when strict. // Required: plain, since the checker looks for bounds of the factors,
/// not for what decides them.
pub(crate) fn at_most(store: &mut TermStore, low: TermId, high: TermId, strict: bool) -> TermId {
    let mut form = store.linear_form(low);
    form.add_scaled(&store.linear_form(high), &Rational::MINUS_ONE);
    store.mk_nonpositive_plain(form, store.sort(low), strict)
}

/// `term` compared with zero: positive `sign` for `term > 0`, and so on; the
/// literal that is false when the sign is as given.
fn not_sign(store: &mut TermStore, term: TermId, sign: i32, literals: &mut Vec<TermId>) {
    let zero = store.mk_number(Rational::ZERO, store.sort(term));
    match sign {
        1 => literals.push(at_most(store, term, zero, false)),
        -1 => literals.push(at_most(store, zero, term, false)),
        _ => {
            literals.push(at_most(store, term, zero, true));
            literals.push(at_most(store, zero, term, true));
        }
    }
}

/// The sign of the product of two terms, from the signs that the assignment gives them.
fn signs(context: &mut Context<'_>, left: TermId, right: TermId, value: Values<'_>) {
    let store = &mut *context.store;
    let [of_left, of_right] = [left, right].map(|term| value(store, term).signum());
    let mut premises = Vec::new();
    // A factor that is zero suffices.
    if of_left == 0 || of_right != 0 {
        not_sign(store, left, of_left, &mut premises);
    }
    if of_left != 0 && (of_right == 0 || left != right) {
        not_sign(store, right, of_right, &mut premises);
    }
    let product = store.mk_mul(&[left, right]);
    let zero = store.mk_number(Rational::ZERO, store.sort(product));
    let conclusions = match of_left * of_right {
        1 => vec![at_most(store, zero, product, true)],
        -1 => vec![at_most(store, product, zero, true)],
        _ => vec![at_most(store, product, zero, false), at_most(store, zero, product, false)],
    };
    for conclusion in conclusions {
        let mut clause = premises.clone();
        clause.push(conclusion);
        context.tautology(&clause, Tautology::Product { left, right });
    }
}

fn tangent(
    context: &mut Context<'_>,
    product: Product,
    left: &Rational,
    right: &Rational,
    excess: &Rational,
) {
    let Product { product, left: x, right: y } = product;
    let sort = context.store.sort(product);
    let too_large = excess.is_positive();
    // Values of integers are integers here.
    let (a, b) = if sort == SortId::INT {
        (left.clone(), right.clone())
    } else {
        simple_point(left, right, excess)
    };
    let store = &mut *context.store;
    let (at_a, at_b) = (store.mk_number(a.clone(), sort), store.mk_number(b.clone(), sort));
    // x * y - b * x - a * y + a * b = (x - a) * (y - b).
    let mut plane = LinearForm::from_leaf(product);
    plane.add_scaled(&store.linear_form(x), &-&b);
    plane.add_scaled(&store.linear_form(y), &-&a);
    plane.constant += &a * &b;
    let mut opposite = plane.clone();
    opposite.scale(&Rational::MINUS_ONE);
    let (left, right) = (store.mk_sub(x, at_a), store.mk_sub(y, at_b));
    let (below, above) = (at_most(store, x, at_a, true), at_most(store, at_a, x, true));
    let (under, over) = (at_most(store, y, at_b, true), at_most(store, at_b, y, true));
    // The signs of the two differences for which each bound holds.
    let (conclusion, clauses) = if too_large {
        let bound = store.mk_nonpositive_plain(plane, sort, false);
        (bound, [[above, under], [below, over]])
    } else {
        let bound = store.mk_nonpositive_plain(opposite, sort, false);
        (bound, [[above, over], [below, under]])
    };
    for [first, second] in clauses {
        let mut clause = vec![first];
        if second != first {
            clause.push(second);
        }
        clause.push(conclusion);
        context.tautology(&clause, Tautology::Product { left, right });
    }
}

/// A point of simple numbers near the given one, so that the numbers in lemmas stay small; near enough that
/// its plane excludes a product that is off by `excess`. Of a square that is too large the plane is a secant.
fn simple_point(left: &Rational, right: &Rational, excess: &Rational) -> (Rational, Rational) {
    // Heuristic: finer numbers than the last ones make those of the simplex too large.
    let scales = [6, 12, 24, 48].map(|bits| Rational::from(Integer::pow2(bits)));
    let points = scales.iter().map(|scale| {
        let down = |value: &Rational| &Rational::from((value * scale).floor()) / scale;
        let b = if excess.is_positive() { -&down(&-right) } else { down(right) };
        (down(left), b)
    });
    let excludes = |(a, b): &(Rational, Rational)| {
        (excess + &(&(left - a) * &(right - b))).signum() == excess.signum()
    };
    let mut points = points.peekable();
    loop {
        let point = points.next().expect("there are four");
        if points.peek().is_none() || excludes(&point) {
            return point;
        }
    }
}
