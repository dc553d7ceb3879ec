//! Exact arithmetic for the checker: polynomials over opaque leaves.
//!
//! Linear forms would do for Farkas lemmas; polynomials also cover the meaning of
//! products and of division by an unknown. A leaf is any arithmetic term that is
//! not a number, a sum, a product or `to_real`; the checker has its own reading of terms and
//! shares nothing with the normal form of the term builder.

use bolide_base::{HashMap, Integer, Rational};
use bolide_terms::{Op, SortId, TermId, TermStore};

/// A sorted product of leaves; empty for the number one.
pub(crate) type Monomial = Box<[TermId]>;

/// A sum of monomials with coefficients, none of them zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Polynomial {
    terms: HashMap<Monomial, Rational>,
}

impl Polynomial {
    pub fn constant(value: Rational) -> Self {
        let mut result = Polynomial::default();
        result.add_term(Box::default(), value);
        result
    }

    /// The meaning of an arithmetic term.
    pub fn of(store: &TermStore, term: TermId) -> Self {
        let mut result = Polynomial::default();
        result.add(store, term, &Rational::ONE);
        result
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: Rational) {
        if coefficient.is_zero() {
            return;
        }
        let entry = self.terms.entry(monomial);
        match entry {
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(coefficient);
            }
            std::collections::hash_map::Entry::Occupied(mut slot) => {
                *slot.get_mut() += &coefficient;
                if slot.get().is_zero() {
                    slot.remove();
                }
            }
        }
    }

    /// Adds `factor * term`.
    pub fn add(&mut self, store: &TermStore, term: TermId, factor: &Rational) {
        let mut work = vec![(term, factor.clone())];
        while let Some((term, factor)) = work.pop() {
            match store.op(term) {
                Op::Number(number) => {
                    self.add_term(Box::default(), &factor * store.number_value(number));
                }
                Op::Add => {
                    work.extend(store.args(term).iter().map(|&arg| (arg, factor.clone())));
                }
                Op::ToReal => work.push((store.arg(term, 0), factor)),
                Op::Mul => match store.args(term) {
                    &[number, other] if store.number(number).is_some() => {
                        let number = store.number(number).expect("just seen");
                        work.push((other, &factor * number));
                    }
                    // Sums among the factors are multiplied out.
                    factors => {
                        let mut product = Polynomial::constant(factor);
                        for &factor in factors {
                            product = product.times(&Polynomial::of_factor(store, factor));
                        }
                        for (monomial, coefficient) in product.terms {
                            self.add_term(monomial, coefficient);
                        }
                    }
                },
                _ => self.add_term(Box::new([term]), factor),
            }
        }
    }

    /// Factors of products are leaves, mostly; depth comes only from products
    /// of sums of products, which the builder multiplies out.
    fn of_factor(store: &TermStore, term: TermId) -> Polynomial {
        match store.op(term) {
            Op::Number(_) | Op::Add | Op::Mul | Op::ToReal => Polynomial::of(store, term),
            _ => {
                let mut result = Polynomial::default();
                result.add_term(Box::new([term]), Rational::ONE);
                result
            }
        }
    }

    pub fn times(&self, other: &Polynomial) -> Polynomial {
        let mut result = Polynomial::default();
        for (x, a) in &self.terms {
            for (y, b) in &other.terms {
                let mut product: Vec<TermId> = x.iter().chain(y.iter()).copied().collect();
                product.sort_unstable();
                result.add_term(product.into(), a * b);
            }
        }
        result
    }

    pub fn add_scaled(&mut self, other: &Polynomial, factor: &Rational) {
        for (monomial, coefficient) in &other.terms {
            self.add_term(monomial.clone(), coefficient * factor);
        }
    }

    pub fn scaled(&self, factor: &Rational) -> Polynomial {
        let mut result = Polynomial::default();
        result.add_scaled(self, factor);
        result
    }

    pub fn minus(&self, other: &Polynomial) -> Polynomial {
        let mut result = self.clone();
        result.add_scaled(other, &Rational::MINUS_ONE);
        result
    }

    pub fn plus_constant(&self, value: Rational) -> Polynomial {
        let mut result = self.clone();
        result.add_term(Box::default(), value);
        result
    }

    /// The number that the polynomial is, if no leaf is left.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.terms.len() {
            0 => Some(Rational::ZERO),
            1 => self.terms.get(&[][..]).cloned(),
            _ => None,
        }
    }

    /// The `factor` with which `self - factor * other` is a number, and that number.
    /// None if there is none, or if `other` is a number.
    pub fn multiple_of(&self, other: &Polynomial) -> Option<(Rational, Rational)> {
        let (monomial, coefficient) = other.terms.iter().find(|(m, _)| !m.is_empty())?;
        let own = self.terms.get(monomial)?;
        let factor = own / coefficient;
        let mut rest = self.clone();
        rest.add_scaled(other, &-&factor);
        Some((factor, rest.as_constant()?))
    }

    /// Whether no integers make the polynomial zero because a number divides all coefficients but
    /// not the constant. False where leaves are not integers, and where nothing shows it.
    pub fn misses_zero(&self, store: &TermStore) -> bool {
        if self.leaves().any(|leaf| store.sort(leaf) != SortId::INT) {
            return false;
        }
        let mut divisor = Integer::ZERO;
        for (_, coefficient) in self.terms.iter().filter(|(monomial, _)| !monomial.is_empty()) {
            if !coefficient.is_integer() {
                return false;
            }
            divisor = divisor.gcd(&coefficient.numerator());
        }
        let constant = self.terms.get(&[][..]);
        !divisor.is_zero()
            && constant.is_some_and(|constant| !(constant / &Rational::from(divisor)).is_integer())
    }

    /// Whether an integer polynomial is surely a multiple of the divisor, unless that is zero: what has it as a factor is one, and
    /// a remainder by it may stand for what it is the remainder of.
    pub fn is_multiple(&self, store: &TermStore, divisor: TermId) -> bool {
        let is_remainder =
            |&leaf: &TermId| store.op(leaf) == Op::Mod && store.arg(leaf, 1) == divisor;
        let mut rest = self.clone();
        // Each round takes away one level of remainders in remainders.
        for _ in 0..64 {
            let mut next = Polynomial::default();
            for (monomial, coefficient) in &rest.terms {
                if !coefficient.is_integer() {
                    return false;
                }
                if monomial.contains(&divisor) {
                    continue;
                }
                let mut product = Polynomial::constant(coefficient.clone());
                for leaf in monomial {
                    let stands_for = if is_remainder(leaf) { store.arg(*leaf, 0) } else { *leaf };
                    product = product.times(&Polynomial::of(store, stands_for));
                }
                next.add_scaled(&product, &Rational::ONE);
            }
            if next.terms.is_empty() {
                return true;
            }
            if next == rest {
                return false;
            }
            rest = next;
        }
        false
    }

    /// All leaves, in no particular order.
    pub fn leaves(&self) -> impl Iterator<Item = TermId> + '_ {
        self.terms.keys().flat_map(|monomial| monomial.iter().copied())
    }
}
