//! Linear forms: sums of coefficient times leaf, plus a constant.
//!
//! A leaf is any arithmetic term that is not itself a number, a sum or a
//! number times something: a constant, an application, `div`, `mod`, `ite`, a
//! non-linear monomial, and so on.

use crate::TermId;
use bolide_base::{Integer, Rational};

/// `sum of coefficient * leaf + constant`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct LinearForm {
    /// Leaves with their coefficients; sorted by leaf, each leaf once, no
    /// coefficient zero.
    pub terms: Vec<(TermId, Rational)>,
    /// What is added.
    pub constant: Rational,
}

/// How a linear form compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `form = 0`.
    Equal,
    /// `form != 0`.
    Different,
    /// `form <= 0`.
    AtMost,
    /// `form < 0`; not over the integers.
    Below,
}

impl LinearForm {
    /// Zero.
    pub fn zero() -> LinearForm {
        LinearForm::default()
    }

    /// A number.
    pub fn from_constant(constant: impl Into<Rational>) -> LinearForm {
        LinearForm { terms: Vec::new(), constant: constant.into() }
    }

    /// A single leaf.
    pub fn from_leaf(leaf: TermId) -> LinearForm {
        LinearForm { terms: vec![(leaf, Rational::ONE)], constant: Rational::ZERO }
    }

    /// The number, when no leaf is left.
    pub fn as_constant(&self) -> Option<&Rational> {
        self.terms.is_empty().then_some(&self.constant)
    }

    /// The coefficient of a leaf; zero when it does not occur.
    pub fn coefficient(&self, leaf: TermId) -> Rational {
        match self.terms.binary_search_by_key(&leaf, |t| t.0) {
            Ok(at) => self.terms[at].1.clone(),
            Err(_) => Rational::ZERO,
        }
    }

    /// The coefficient of a leaf, and the form without it.
    pub fn isolate(&self, leaf: TermId) -> (Rational, LinearForm) {
        let coefficient = self.coefficient(leaf);
        let mut rest = self.clone();
        rest.add_term(leaf, &-&coefficient);
        (coefficient, rest)
    }

    /// The form with every sign changed.
    pub fn negated(mut self) -> LinearForm {
        self.scale(&Rational::MINUS_ONE);
        self
    }

    /// Multiplies everything by `factor`.
    pub fn scale(&mut self, factor: &Rational) {
        if factor.is_zero() {
            self.terms.clear();
            self.constant = Rational::ZERO;
        } else if !factor.is_one() {
            for (_, coefficient) in &mut self.terms {
                *coefficient *= factor;
            }
            self.constant *= factor;
        }
    }

    /// Adds `factor * other`.
    pub fn add_scaled(&mut self, other: &LinearForm, factor: &Rational) {
        if factor.is_zero() {
            return;
        }
        self.constant.add_mul(&other.constant, factor);
        match other.terms.as_slice() {
            [] => {}
            [(leaf, coefficient)] => self.add_term(*leaf, &(coefficient * factor)),
            _ => self.merge(&other.terms, factor),
        }
    }

    fn merge(&mut self, other: &[(TermId, Rational)], factor: &Rational) {
        let old = std::mem::take(&mut self.terms);
        self.terms.reserve(old.len() + other.len());
        let mut left = old.into_iter().peekable();
        for (leaf, coefficient) in other {
            while let Some(term) = left.next_if(|t| t.0 < *leaf) {
                self.terms.push(term);
            }
            let mut sum = coefficient * factor;
            if let Some((_, own)) = left.next_if(|t| t.0 == *leaf) {
                sum += &own;
            }
            if !sum.is_zero() {
                self.terms.push((*leaf, sum));
            }
        }
        self.terms.extend(left);
    }

    /// Adds `coefficient * leaf`.
    pub fn add_term(&mut self, leaf: TermId, coefficient: &Rational) {
        if coefficient.is_zero() {
            return;
        }
        match self.terms.binary_search_by_key(&leaf, |t| t.0) {
            Ok(at) => {
                self.terms[at].1 += coefficient;
                if self.terms[at].1.is_zero() {
                    self.terms.remove(at);
                }
            }
            Err(at) => self.terms.insert(at, (leaf, coefficient.clone())),
        }
    }

    /// The positive factor that makes the coefficients of the leaves coprime
    /// integers; one when there are no leaves.
    pub fn primitive_factor(&self) -> Rational {
        let mut gcd = Integer::ZERO;
        let mut lcm = Integer::ONE;
        for (_, coefficient) in &self.terms {
            // Of fractions in lowest terms, numerators and denominators can be
            // treated apart.
            gcd = gcd.gcd(&coefficient.numerator());
            if !coefficient.is_integer() {
                lcm = lcm.lcm(&coefficient.denominator());
            }
        }
        if gcd.is_zero() { Rational::ONE } else { Rational::new(lcm, gcd) }
    }

    /// Whether the coefficient of the first leaf is below zero.
    pub fn leads_negative(&self) -> bool {
        self.terms.first().is_some_and(|t| t.1.is_negative())
    }
}
