//! Values with which all products are right, found by fixing factors.
//!
//! When the factors have values, products are numbers and the rest of the problem is linear: the simplex
//! says whether it has a solution. Which values factors get is a guess: those of the assignment
//! at hand, then small ones that the bounds allow, and what division says where a product and its other factor
//! are known. Where no guess fits, the assignment is as it was before, and unknowns are given values one by
//! one ([`sample`]).

use bolide_base::{Budget, HashMap, Integer, Rational};
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore, Value};

use super::ideal::Polynomial;
use super::sample::{Comparison, Constraint, sample};
use super::{Nonlinear, Product};
use crate::linear::Linear;
use crate::simplex::{Column, DeltaRational, Side};

/// What factors are tried to be.
#[derive(Clone, Copy)]
enum Guess {
    /// What they are.
    Same,
    /// As near to this number as bounds allow, different ones for different factors or not.
    Near(i64, bool),
}

impl Nonlinear {
    /// Whether some product is not that of the values of its factors.
    pub fn is_wrong(&self, store: &TermStore, linear: &Linear) -> bool {
        self.irrational.is_empty()
            && self.products.iter().any(|p| {
                let [left, right, product] =
                    [p.left, p.right, p.product].map(|term| linear.value(store, term));
                let infinitesimal = !left.delta.is_zero() || !right.delta.is_zero();
                infinitesimal || product != DeltaRational::from(&left.standard * &right.standard)
            })
    }

    /// Makes products right, if that is easy and moves no pinned column. Whether all are, and values have
    /// changed for it.
    pub fn repair(
        &mut self,
        store: &TermStore,
        linear: &mut Linear,
        pinned: &[(Column, DeltaRational)],
        budget: &Budget,
    ) -> bool {
        self.irrational.clear();
        if !self.is_wrong(store, linear) {
            return false;
        }
        // Heuristic: small numbers are not tried in each round.
        let mut guesses = vec![Guess::Same];
        if (self.rounds + 1).is_power_of_two() {
            guesses.extend([Guess::Near(0, false), Guess::Near(1, false), Guess::Near(2, true)]);
        }
        let often = guesses.len() == 1;
        if guesses.into_iter().any(|guess| self.settle(store, linear, pinned, budget, guess)) {
            return true;
        }
        if !often && self.sample(store, linear, pinned) {
            return self.irrational.is_empty();
        }
        // Where not all can be right, those can on which nothing depends, and need no clauses.
        for product in self.products.iter().rev() {
            let [left, right] =
                [product.left, product.right].map(|factor| linear.value(store, factor));
            if let Some(column) = linear.known_column(store, product.product)
                && left.delta.is_zero()
                && right.delta.is_zero()
            {
                let wanted = DeltaRational::from(&left.standard * &right.standard);
                let old = linear.simplex.value(column).clone();
                if linear.simplex.try_move(column, wanted) && !linear.is_intact(pinned) {
                    linear.simplex.try_move(column, old);
                }
            }
        }
        false
    }

    /// Takes over values that [`sample`] finds; irrational ones are kept beside those of the simplex.
    fn sample(
        &mut self,
        store: &TermStore,
        linear: &mut Linear,
        pinned: &[(Column, DeltaRational)],
    ) -> bool {
        // Heuristic: where all is integral, few of the values that it tries fit.
        if self.products.iter().all(|p| store.sort(p.product) != SortId::REAL) {
            return false;
        }
        let mut constraints = Vec::new();
        let mut add = |form: &LinearForm, comparison: Comparison| {
            constraints
                .push(Constraint { polynomial: Polynomial::of_form(store, form), comparison });
        };
        let fixed = pinned.iter().map(|(column, value)| {
            (linear.form(&linear.definition(*column)), Some(value.clone()), Some(value.clone()))
        });
        let bounded =
            linear.bounded_sums().map(|(sum, low, high)| (store.linear_form(sum), low, high));
        for (form, low, high) in bounded.chain(fixed) {
            if let (Some(at), Some(also)) = (&low, &high)
                && at == also
            {
                let mut form = form;
                form.constant -= &at.standard;
                add(&form, Comparison::Zero);
                continue;
            }
            for (at, sign) in [(low, Rational::ONE), (high, Rational::MINUS_ONE)] {
                let Some(at) = at else { continue };
                let mut form = form.clone();
                form.constant -= &at.standard;
                form.scale(&sign);
                let strict = !at.delta.is_zero();
                add(&form, if strict { Comparison::Positive } else { Comparison::NotNegative });
            }
        }
        let Some(found) = sample(store, constraints, self.may_be_irrational) else { return false };
        let mut values: HashMap<TermId, Rational> = HashMap::default();
        for (unknown, value) in found {
            match value.as_rational() {
                Some(value) => drop(values.insert(unknown, value)),
                None => drop(self.irrational.insert(unknown, value)),
            }
        }
        let delta = linear.simplex.concrete_delta();
        let value = |linear: &Linear, leaf: TermId| {
            let known = values.get(&leaf).cloned();
            known.unwrap_or_else(|| linear.value(store, leaf).at(&delta))
        };
        if self.irrational.is_empty() {
            let mut all = values.clone();
            for (_, leaf) in linear.leaves() {
                if store.op(leaf) == Op::Mul {
                    let factors = store.args(leaf).iter();
                    let product =
                        |product: Rational, &factor: &TermId| &product * &value(linear, factor);
                    all.insert(leaf, factors.fold(Rational::ONE, product));
                }
            }
            linear.adopt(&|leaf| all.get(&leaf).cloned());
        } else {
            self.irrational.extend(
                values
                    .into_iter()
                    .map(|(x, value)| (x, Value::from_rational(value, store.sort(x)))),
            );
        }
        true
    }

    /// Fixes the factors, then the products; all is as before where that does not work.
    fn settle(
        &self,
        store: &TermStore,
        linear: &mut Linear,
        pinned: &[(Column, DeltaRational)],
        budget: &Budget,
        guess: Guess,
    ) -> bool {
        let columns = || (0..linear.simplex.column_count() as u32).map(Column);
        let before: Vec<DeltaRational> =
            columns().map(|column| linear.simplex.value(column).clone()).collect();
        let mark = linear.simplex.trail_len();
        let settled =
            self.fix_all(store, linear, budget, guess).is_some() && linear.is_intact(pinned);
        linear.simplex.backtrack(mark);
        if !settled {
            // The rows hold of the old values, so those that are not basic bring the others along.
            for (column, value) in (0..).map(Column).zip(before) {
                if !linear.simplex.is_basic(column) {
                    linear.simplex.move_to(column, value);
                }
            }
        }
        settled
    }

    fn fix_all(
        &self,
        store: &TermStore,
        linear: &mut Linear,
        budget: &Budget,
        guess: Guess,
    ) -> Option<()> {
        let mut done: Vec<TermId> = Vec::new();
        for product in &self.products {
            for factor in [product.left, product.right] {
                for (leaf, _) in store.linear_form(factor).terms {
                    if store.is_monomial(leaf) || done.contains(&leaf) {
                        continue;
                    }
                    self.fix_leaf(store, linear, budget, (leaf, done.len(), guess))?;
                    done.push(leaf);
                }
            }
        }
        // Products of products come after their factors are right.
        for product in self.products.iter().rev() {
            let [left, right] =
                [product.left, product.right].map(|factor| linear.value(store, factor));
            let column = linear.known_column(store, product.product)?;
            fix(linear, budget, column, &left.standard * &right.standard)?;
        }
        let fractional = linear.leaves().any(|(column, _)| {
            linear.simplex.is_integer(column) && !linear.simplex.value(column).is_integer()
        });
        (!fractional).then_some(())
    }

    /// Fixes one factor to a number that is guessed, or to its value.
    fn fix_leaf(
        &self,
        store: &TermStore,
        linear: &mut Linear,
        budget: &Budget,
        (leaf, number, guess): (TermId, usize, Guess),
    ) -> Option<()> {
        let column = linear.known_column(store, leaf)?;
        if let Guess::Near(number_near, different) = guess {
            let near = number_near + if different { number as i64 } else { 0 };
            let wanted = match self.quotient(store, linear, leaf) {
                Some(quotient) => quotient,
                None => {
                    let mut wanted = Rational::from(near);
                    let bound =
                        |side| linear.simplex.bound(column, side).map(|b| &b.value.standard);
                    if let Some(least) = bound(Side::Lower).filter(|least| **least > wanted) {
                        wanted = Rational::from(least.floor() + Integer::ONE);
                        wanted = if least.is_integer() { least.clone() } else { wanted };
                    }
                    if let Some(most) = bound(Side::Upper).filter(|most| **most < wanted) {
                        wanted = Rational::from(most.floor());
                    }
                    wanted
                }
            };
            let integral = !linear.simplex.is_integer(column) || wanted.is_integer();
            let mark = linear.simplex.trail_len();
            if integral && fix(linear, budget, column, wanted).is_some() {
                return Some(());
            }
            linear.simplex.backtrack(mark);
            linear.check(budget).ok()?.then_some(())?;
        }
        let value = linear.simplex.value(column).at(&linear.simplex.concrete_delta());
        fix(linear, budget, column, value)
    }

    /// The only value that a factor can have because of a fixed product with a fixed one.
    fn quotient(&self, store: &TermStore, linear: &Linear, leaf: TermId) -> Option<Rational> {
        let fixed = |term: TermId| {
            let column = linear.known_column(store, term)?;
            let is_fixed = linear.simplex.is_fixed(column);
            is_fixed.then(|| linear.simplex.value(column).standard.clone())
        };
        self.products.iter().find_map(|product| {
            let other = match product {
                Product { left, right, .. } if *left == leaf => *right,
                Product { left, right, .. } if *right == leaf => *left,
                _ => return None,
            };
            let (product, other) = (fixed(product.product)?, fixed(other)?);
            (!other.is_zero()).then(|| &product / &other)
        })
    }
}

/// Fixes a column to a number. None where that contradicts what is known; then the bounds have to
/// be taken back.
fn fix(linear: &mut Linear, budget: &Budget, column: Column, value: Rational) -> Option<()> {
    // Who said so is never asked: contradictions are not looked at.
    const NOBODY: u32 = u32::MAX;
    for side in [Side::Lower, Side::Upper] {
        let value = DeltaRational::from(value.clone());
        linear.simplex.assert_bound(column, side, value, NOBODY).then_some(())?;
    }
    linear.check(budget).ok()?.then_some(())
}
