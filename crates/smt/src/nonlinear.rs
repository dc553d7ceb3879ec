//! Products of unknowns, by incremental linearisation.
//!
//! After Cimatti, Griggio, Irfan, Roveri and Sebastiani (*Incremental
//! linearization*, ACM TOCL 2018). To the simplex a monomial `x * y` is an
//! opaque column. When the assignment at hand gives it another value than the
//! product of the values of its factors, clauses that hold for every product
//! are added which this assignment violates:
//!
//! - *sign*: the sign of a product is the product of the signs;
//! - *tangent*: for numbers `a`, `b` the product `(x - a)(y - b)` has the sign that the
//!   sides of `a` and `b` on which `x` and `y` are give it, which is linear in `x`, `y` and `x * y`;
//!   `a` and `b` are taken from the assignment;
//! - *multiple*: where a sum of other unknowns is fixed, `s = k`, then `z * s = k * z` for
//!   every factor `z`. This is how `i = n + 1` at the end of a loop gets into `i * i`. It makes new
//!   monomials, so only factors are multiplied that meet a summand in some monomial already.
//!
//! A monomial of more factors is read as first factor times the rest.
//!
//! Before any clause is added, monomials that are not bound to anything else are
//! moved to the value that they should have. The method is incomplete: after
//! a number of rounds it gives up, and the answer is unknown.

use bolide_base::{Integer, Rational};
use bolide_proof::{Product, Tautology};
use bolide_sat::FinalCheck;
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};

use crate::context::Context;
use crate::linear::Linear;
use crate::simplex::{Column, DeltaRational};

/// A product of two terms.
#[derive(Clone, Copy, Debug)]
struct Monomial {
    product: TermId,
    left: TermId,
    right: TermId,
}

/// The products of unknowns in the problem.
#[derive(Default)]
pub(crate) struct Nonlinear {
    monomials: Vec<Monomial>,
    rounds: usize,
}

// Heuristic: rounds of lemmas in one check before giving up.
const ROUNDS: usize = 150;
// Heuristic: monomials that get lemmas in one round.
const BATCH: usize = 6;
// Heuristic: the longest sum that is multiplied by a factor.
const SUMMANDS: usize = 3;

impl Nonlinear {
    /// Takes in a monomial, and those that its factors make up.
    pub fn add(&mut self, store: &mut TermStore, linear: &mut Linear, product: TermId) {
        let mut product = product;
        loop {
            if self.monomials.iter().any(|m| m.product == product) {
                return;
            }
            let factors = store.args(product).to_vec();
            let left = factors[0];
            let right = if factors.len() == 2 { factors[1] } else { store.mk_mul(&factors[1..]) };
            self.monomials.push(Monomial { product, left, right });
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
        self.monomials.len()
    }

    /// Forgets the monomials from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.monomials.truncate(len);
    }

    /// A check begins.
    pub fn begin_check(&mut self) {
        self.rounds = 0;
    }

    /// Moves monomials on which nothing depends to the product of their factors, where that moves none of the
    /// pinned columns.
    pub fn repair(
        &self,
        store: &TermStore,
        linear: &mut Linear,
        pinned: &[(Column, DeltaRational)],
    ) {
        // Products of products come after their factors are right.
        for monomial in self.monomials.iter().rev() {
            let left = linear.value(store, monomial.left);
            let right = linear.value(store, monomial.right);
            if !left.delta.is_zero() || !right.delta.is_zero() {
                continue;
            }
            let wanted = DeltaRational::from(&left.standard * &right.standard);
            if let Some(column) = linear.known_column(store, monomial.product) {
                let old = linear.simplex.value(column).clone();
                if linear.simplex.try_move(column, wanted) && !linear.is_intact(pinned) {
                    linear.simplex.try_move(column, old);
                }
            }
        }
    }

    /// Judges the assignment, with `delta` for the infinitesimal, and adds
    /// clauses if it is wrong.
    pub fn check(
        &mut self,
        context: &mut Context<'_>,
        linear: &Linear,
        delta: &Rational,
    ) -> FinalCheck {
        let value = |store: &TermStore, term: TermId| linear.value(store, term).at(delta);
        let mut wrong = Vec::new();
        for &monomial in &self.monomials {
            let left = value(context.store, monomial.left);
            let right = value(context.store, monomial.right);
            let product = value(context.store, monomial.product);
            if &left * &right != product {
                wrong.push((monomial, left, right, product));
            }
        }
        if wrong.is_empty() {
            return FinalCheck::Consistent;
        }
        self.rounds += 1;
        if self.rounds > ROUNDS {
            return FinalCheck::GiveUp("non-linear arithmetic");
        }
        let violated = self.violated_multiples(context.store, linear, &value);
        if !violated.is_empty() {
            for (factor, sum, at) in violated {
                multiple(context, factor, sum, &at);
            }
            return FinalCheck::Continue;
        }
        for (monomial, left, right, product) in wrong.into_iter().take(BATCH) {
            let expected = left.signum() * right.signum();
            if product.signum() != expected {
                sign(context, monomial, left.signum(), right.signum());
            } else {
                let too_large = product > &left * &right;
                tangent(context, monomial, &left, &right, too_large);
            }
        }
        FinalCheck::Continue
    }

    /// Factors and fixed sums whose products the assignment has wrong, or does not know.
    fn violated_multiples(
        &self,
        store: &mut TermStore,
        linear: &Linear,
        value: &impl Fn(&TermStore, TermId) -> Rational,
    ) -> Vec<(TermId, TermId, Rational)> {
        let mut factors: Vec<TermId> = Vec::new();
        for monomial in &self.monomials {
            for factor in [monomial.left, monomial.right] {
                // Heuristic: products of products grow without end.
                if store.op(factor) != Op::Mul && !factors.contains(&factor) {
                    factors.push(factor);
                }
            }
        }
        let mut violated = Vec::new();
        for (sum, at) in linear.fixed_sums(SUMMANDS) {
            let form = store.linear_form(sum);
            let sort = store.sort(sum);
            if form.terms.iter().any(|&(leaf, _)| store.op(leaf) == Op::Mul) {
                continue;
            }
            for &factor in &factors {
                let meets = self.monomials.iter().any(|m| {
                    let meets = |a, b| a == factor && form.terms.iter().any(|t| t.0 == b);
                    meets(m.left, m.right) || meets(m.right, m.left)
                });
                if violated.len() == BATCH || !meets || store.sort(factor) != sort {
                    continue;
                }
                let product = product_form(store, factor, sum);
                let mut sum_of_products = Rational::ZERO;
                let mut known = true;
                for (leaf, coefficient) in &product.terms {
                    known &= linear.known_column(store, *leaf).is_some();
                    sum_of_products += &(coefficient * &value(store, *leaf));
                }
                if !known || sum_of_products != &at * &value(store, factor) {
                    violated.push((factor, sum, at.clone()));
                }
            }
        }
        violated
    }
}

/// `s = k` implies `z * s = k * z`.
fn multiple(context: &mut Context<'_>, factor: TermId, sum: TermId, at: &Rational) {
    let store = &mut *context.store;
    let sort = store.sort(sum);
    let mut plane = product_form(store, factor, sum);
    plane.add_scaled(&store.linear_form(factor), &-at);
    let mut opposite = plane.clone();
    opposite.scale(&Rational::MINUS_ONE);
    let number = store.mk_number(at.clone(), sort);
    let (below, above) = (store.mk_lt(sum, number), store.mk_gt(sum, number));
    for bound in [plane, opposite] {
        let conclusion = context.store.mk_nonpositive(bound, sort, false);
        let rule = Product::Multiple { sum, at: at.clone() };
        context
            .tautology(&[below, above, conclusion], Tautology::Product { product: factor, rule });
    }
}

/// A leaf times a sum of leaves, multiplied out.
fn product_form(store: &mut TermStore, factor: TermId, sum: TermId) -> LinearForm {
    let mut form = LinearForm::zero();
    for (leaf, coefficient) in store.linear_form(sum).terms {
        let product = store.mk_mul(&[factor, leaf]);
        form.add_scaled(&store.linear_form(product), &coefficient);
    }
    form
}

/// `term` compared with zero: positive `sign` for `term > 0`, and so on; the
/// literal that is false when the sign is as given.
fn not_sign(store: &mut TermStore, term: TermId, sign: i32, literals: &mut Vec<TermId>) {
    let zero = store.mk_number(Rational::ZERO, store.sort(term));
    match sign {
        1 => literals.push(store.mk_le(term, zero)),
        -1 => literals.push(store.mk_ge(term, zero)),
        _ => {
            literals.push(store.mk_lt(term, zero));
            literals.push(store.mk_gt(term, zero));
        }
    }
}

fn sign(context: &mut Context<'_>, monomial: Monomial, left: i32, right: i32) {
    let store = &mut *context.store;
    let mut premises = Vec::new();
    // A factor that is zero suffices.
    if left == 0 || right != 0 {
        not_sign(store, monomial.left, left, &mut premises);
    }
    if left != 0 && (right == 0 || monomial.left != monomial.right) {
        not_sign(store, monomial.right, right, &mut premises);
    }
    let zero = store.mk_number(Rational::ZERO, store.sort(monomial.product));
    let conclusions = match left * right {
        1 => vec![store.mk_gt(monomial.product, zero)],
        -1 => vec![store.mk_lt(monomial.product, zero)],
        _ => vec![store.mk_le(monomial.product, zero), store.mk_ge(monomial.product, zero)],
    };
    for conclusion in conclusions {
        let mut clause = premises.clone();
        clause.push(conclusion);
        let rule = Tautology::Product { product: monomial.product, rule: Product::Sign };
        context.tautology(&clause, rule);
    }
}

fn tangent(
    context: &mut Context<'_>,
    monomial: Monomial,
    left: &Rational,
    right: &Rational,
    too_large: bool,
) {
    let Monomial { product, left: x, right: y } = monomial;
    let sort = context.store.sort(product);
    // Values of integers are integers here; reals are rounded so that the
    // numbers in the lemmas stay small.
    let (a, b) = if sort == SortId::INT {
        (left.clone(), right.clone())
    } else {
        (simplify(left), simplify(right))
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
    let (below, above) = (store.mk_lt(x, at_a), store.mk_gt(x, at_a));
    let (under, over) = (store.mk_lt(y, at_b), store.mk_gt(y, at_b));
    // The signs of the two differences for which each bound holds.
    let (conclusion, clauses) = if too_large {
        let bound = store.mk_nonpositive(plane, sort, false);
        (bound, [[above, under], [below, over]])
    } else {
        let bound = store.mk_nonpositive(opposite, sort, false);
        (bound, [[above, over], [below, under]])
    };
    for [first, second] in clauses {
        let rule = Product::Tangent { a: a.clone(), b: b.clone() };
        let mut clause = vec![first];
        if second != first {
            clause.push(second);
        }
        clause.push(conclusion);
        context.tautology(&clause, Tautology::Product { product, rule });
    }
}

/// A simple number near the given one.
fn simplify(value: &Rational) -> Rational {
    let scale = Rational::from(64);
    if value.denominator() <= Integer::from(64) {
        return value.clone();
    }
    &Rational::from((value * &scale).floor()) / &scale
}
