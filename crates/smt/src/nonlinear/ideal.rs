//! What polynomial equalities imply, with the multiples of them that show it.
//!
//! Given `p_1 = 0, ..., p_n = 0`, a polynomial is rewritten to a normal form that has the same
//! value wherever the equalities hold. The difference is a sum of multiples `m * p_i` with monomials
//! `m`, and these pairs are all that a linear reasoner has to be told to see it.
//!
//! Equalities become rewrite rules in two layers. A variable that occurs in one of them only by
//! itself is *defined* by it, and is replaced wherever it occurs, whatever the degree: so the values after
//! a step of a program are expressed by those before. What is left is completed by a few steps of
//! Buchberger's algorithm under the graded lexicographic order. Everything has a limit, and nothing here claims
//! to be a basis: a normal form that is not zero means nothing.

use bolide_base::Rational;
use bolide_terms::algebraic::Univariate;
use bolide_terms::{LinearForm, Op, TermId, TermStore};
use std::collections::{BTreeMap, BTreeSet};

// Heuristics: what is larger than this is left alone.
const TERMS: usize = 120;
const DEGREE: usize = 12;
const STEPS: usize = 400;
const PAIRS: usize = 24;
const EQUALITIES: usize = 80;

/// A product of leaves, sorted downwards. Its order is the graded lexicographic one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Monomial(Vec<TermId>);

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0.len(), &self.0).cmp(&(other.0.len(), &other.0))
    }
}

impl Monomial {
    /// The factors of a leaf of a linear form.
    pub fn of_leaf(store: &TermStore, leaf: TermId) -> Monomial {
        Monomial::of_factors(match store.op(leaf) {
            Op::Mul => store.args(leaf).to_vec(),
            _ => vec![leaf],
        })
    }

    /// The product of these.
    pub fn of_factors(mut factors: Vec<TermId>) -> Monomial {
        factors.sort_unstable_by(|a, b| b.cmp(a));
        Monomial(factors)
    }

    /// Its factors.
    pub fn factors(&self) -> &[TermId] {
        &self.0
    }

    fn times(&self, other: &Monomial) -> Monomial {
        Monomial::of_factors(self.0.iter().chain(&other.0).copied().collect())
    }

    /// What is left of it without a divisor.
    fn divided_by(&self, divisor: &Monomial) -> Option<Monomial> {
        let mut rest = self.0.clone();
        for factor in &divisor.0 {
            let position = rest.iter().position(|f| f == factor)?;
            rest.remove(position);
        }
        Some(Monomial(rest))
    }

    /// What the other has to be multiplied with to get the least common multiple.
    fn missing_in(&self, other: &Monomial) -> Monomial {
        let mut missing = self.0.clone();
        for factor in &other.0 {
            if let Some(position) = missing.iter().position(|f| f == factor) {
                missing.remove(position);
            }
        }
        Monomial(missing)
    }
}

/// A sum of monomials with coefficients, none of them zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Polynomial(BTreeMap<Monomial, Rational>);

impl Polynomial {
    /// A linear form, its leaves taken apart.
    pub fn of_form(store: &TermStore, form: &LinearForm) -> Polynomial {
        let mut result = Polynomial::default();
        result.add(Monomial::default(), form.constant.clone());
        for (leaf, coefficient) in &form.terms {
            result.add(Monomial::of_leaf(store, *leaf), coefficient.clone());
        }
        result
    }

    /// A number.
    pub fn constant(value: Rational) -> Polynomial {
        let mut result = Polynomial::default();
        result.add(Monomial::default(), value);
        result
    }

    /// The unknowns in it.
    pub fn unknowns(&self) -> BTreeSet<TermId> {
        self.0.keys().flat_map(|monomial| monomial.0.iter().copied()).collect()
    }

    /// The highest power of the unknown.
    pub fn power(&self, unknown: TermId) -> usize {
        let power = |m: &Monomial| m.0.iter().filter(|&&factor| factor == unknown).count();
        self.0.keys().map(power).max().unwrap_or(0)
    }

    /// With a polynomial in the place of an unknown.
    pub fn substituted(&self, unknown: TermId, by: &Polynomial) -> Polynomial {
        let mut powers = vec![Polynomial::constant(Rational::ONE)];
        let mut result = Polynomial::default();
        for (monomial, coefficient) in &self.0 {
            let (own, rest): (Vec<TermId>, Vec<TermId>) =
                monomial.0.iter().partition(|&&factor| factor == unknown);
            while powers.len() <= own.len() {
                let mut next = Polynomial::default();
                for (m, c) in &by.0 {
                    next.add_multiple(&powers[powers.len() - 1], m, c);
                }
                powers.push(next);
            }
            result.add_multiple(&powers[own.len()], &Monomial(rest), coefficient);
        }
        result
    }

    /// As a polynomial in its only unknown.
    pub fn as_univariate(&self) -> Option<(TermId, Univariate)> {
        let (largest, _) = self.0.last_key_value()?;
        let &unknown = largest.0.first()?;
        let mut coefficients = vec![Rational::ZERO; largest.0.len() + 1];
        for (monomial, coefficient) in &self.0 {
            if monomial.0.iter().any(|&factor| factor != unknown) {
                return None;
            }
            coefficients[monomial.0.len()] = coefficient.clone();
        }
        Some((unknown, Univariate::new(coefficients)))
    }

    /// What an unknown that occurs only by itself is where the polynomial is zero.
    pub fn solved_for(&self, unknown: TermId) -> Polynomial {
        let zero = Zero { polynomial: self.clone(), shown: BTreeSet::new() };
        Rule::new(zero, Monomial(vec![unknown])).rest
    }

    /// The monomials with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, &Rational)> {
        self.0.iter()
    }

    pub fn add(&mut self, monomial: Monomial, coefficient: Rational) {
        if coefficient.is_zero() {
            return;
        }
        let own = self.0.entry(monomial.clone()).or_default();
        *own += &coefficient;
        if own.is_zero() {
            self.0.remove(&monomial);
        }
    }

    /// Adds `factor * monomial * other`.
    fn add_multiple(&mut self, other: &Polynomial, monomial: &Monomial, factor: &Rational) {
        for (m, c) in &other.0 {
            self.add(m.times(monomial), c * factor);
        }
    }

    /// The number that it is, if it is one.
    pub fn as_constant(&self) -> Option<Rational> {
        match self.0.len() {
            0 => Some(Rational::ZERO),
            1 => self.0.get(&Monomial::default()).cloned(),
            _ => None,
        }
    }

    pub fn is_large(&self) -> bool {
        self.0.len() > TERMS || self.0.last_key_value().is_some_and(|(m, _)| m.0.len() > DEGREE)
    }

    /// Variables that occur only by themselves; the latest first, since what is computed later is
    /// computed from what was there before.
    pub fn alone(&self) -> impl Iterator<Item = TermId> {
        let occurs = |x: TermId| self.0.keys().filter(|m| m.0.contains(&x)).count();
        let linear = self.0.keys().rev().filter(|m| m.0.len() == 1).map(|m| m.0[0]);
        linear.filter(move |&x| occurs(x) == 1)
    }

    fn defined(&self) -> Option<Monomial> {
        self.alone().next().map(|x| Monomial(vec![x]))
    }
}

/// An equality of the problem, by its number, multiplied by a monomial.
pub(super) type Multiple = (Monomial, usize);

/// A polynomial that is zero because multiples of equalities are.
#[derive(Clone, Debug)]
struct Zero {
    polynomial: Polynomial,
    shown: BTreeSet<Multiple>,
}

/// `lead = rest`.
#[derive(Clone, Debug)]
struct Rule {
    lead: Monomial,
    rest: Polynomial,
    shown: BTreeSet<Multiple>,
}

impl Rule {
    fn new(zero: Zero, lead: Monomial) -> Rule {
        let mut polynomial = zero.polynomial;
        let coefficient = polynomial.0.remove(&lead).expect("the lead occurs");
        let mut rest = Polynomial::default();
        rest.add_multiple(&polynomial, &Monomial::default(), &-coefficient.recip());
        Rule { lead, rest, shown: zero.shown }
    }

    /// Rewrites the largest monomial that it can. Whether there was one.
    fn rewrite(&self, zero: &mut Zero) -> bool {
        let monomials = zero.polynomial.0.iter().rev();
        let found = monomials
            .filter_map(|(m, c)| Some((m.clone(), m.divided_by(&self.lead)?, c.clone())))
            .next();
        let Some((monomial, factor, coefficient)) = found else { return false };
        zero.polynomial.0.remove(&monomial);
        zero.polynomial.add_multiple(&self.rest, &factor, &coefficient);
        zero.shown.extend(self.shown.iter().map(|(m, number)| (m.times(&factor), *number)));
        true
    }
}

/// Equalities as rewrite rules.
#[derive(Default)]
pub(super) struct Ideal {
    rules: Vec<Rule>,
    /// Multiples whose sum is a number other than zero.
    pub contradiction: Option<BTreeSet<Multiple>>,
}

impl Ideal {
    /// Of polynomials that are zero.
    pub fn new(equalities: &[Polynomial]) -> Ideal {
        let mut ideal = Ideal::default();
        let zero = |(number, polynomial): (usize, &Polynomial)| Zero {
            polynomial: polynomial.clone(),
            shown: BTreeSet::from([(Monomial::default(), number)]),
        };
        let mut open: Vec<Zero> =
            equalities.iter().enumerate().take(EQUALITIES).map(zero).collect();
        // Definitions first: small ones are substituted before large ones.
        loop {
            let size = |z: &&(usize, Monomial)| open[z.0].polynomial.0.len();
            let defining: Vec<(usize, Monomial)> = (open.iter().enumerate())
                .filter_map(|(at, zero)| Some((at, zero.polynomial.defined()?)))
                .collect();
            let Some((at, lead)) = defining.iter().min_by_key(size).cloned() else { break };
            let rule = Rule::new(open.swap_remove(at), lead);
            for zero in &mut open {
                let mut steps = 0;
                while steps < STEPS && !zero.polynomial.is_large() && rule.rewrite(zero) {
                    steps += 1;
                }
            }
            ideal.rules.push(rule);
            open.retain(|zero| ideal.is_news(zero));
        }
        open.sort_by_key(|zero| zero.polynomial.0.len());
        for zero in open {
            ideal.include(zero);
        }
        ideal.complete();
        ideal
    }

    /// Whether more is known of it than that zero is zero.
    fn is_news(&mut self, zero: &Zero) -> bool {
        let constant = zero.polynomial.as_constant();
        if constant.as_ref().is_some_and(|constant| !constant.is_zero()) {
            self.contradiction.get_or_insert_with(|| zero.shown.clone());
        }
        constant.is_none() && !zero.polynomial.is_large()
    }

    /// Polynomials that are zero.
    pub fn zeros(&self) -> impl Iterator<Item = Polynomial> {
        self.rules.iter().map(|rule| {
            let mut zero = rule.rest.clone();
            zero.add(rule.lead.clone(), Rational::MINUS_ONE);
            zero
        })
    }

    fn include(&mut self, mut zero: Zero) -> bool {
        let news = self.reduce(&mut zero) && self.is_news(&zero);
        if news {
            let (lead, _) = zero.polynomial.0.last_key_value().expect("not a number");
            let lead = lead.clone();
            self.rules.push(Rule::new(zero, lead));
        }
        news
    }

    /// A few steps of Buchberger's algorithm.
    fn complete(&mut self) {
        let (mut pairs, mut second) = (0, 1);
        while second < self.rules.len() && self.contradiction.is_none() {
            for first in 0..second {
                let [a, b] = [first, second].map(|at| &self.rules[at]);
                let (to_a, to_b) = (b.lead.missing_in(&a.lead), a.lead.missing_in(&b.lead));
                // Nothing comes from leads without a common factor.
                if to_a == b.lead || a.lead.times(&to_a).0.len() > DEGREE {
                    continue;
                }
                pairs += 1;
                if pairs > PAIRS {
                    return;
                }
                let mut zero =
                    Zero { polynomial: Polynomial::default(), shown: BTreeSet::default() };
                for (rule, factor, sign) in
                    [(a, &to_a, Rational::ONE), (b, &to_b, Rational::MINUS_ONE)]
                {
                    zero.polynomial.add_multiple(&rule.rest, factor, &sign);
                    zero.shown.extend(rule.shown.iter().map(|(m, n)| (m.times(factor), *n)));
                }
                self.include(zero);
            }
            second += 1;
        }
    }

    /// Rewrites as long as there is something to rewrite. False where that takes too long.
    fn reduce(&self, zero: &mut Zero) -> bool {
        let mut steps = 0;
        while let Some(rule) = self.rules.iter().find(|rule| rule.rewrite(zero)) {
            debug_assert!(!rule.lead.0.is_empty(), "a number is no lead");
            steps += 1;
            if steps > STEPS || zero.polynomial.is_large() {
                return false;
            }
        }
        true
    }

    /// The normal form of a polynomial, and multiples whose sum is the difference.
    pub fn normal_form(&self, polynomial: Polynomial) -> Option<(Polynomial, BTreeSet<Multiple>)> {
        let mut zero = Zero { polynomial, shown: BTreeSet::default() };
        self.reduce(&mut zero).then_some((zero.polynomial, zero.shown))
    }
}

/// Which equalities may have to do with the targets: those that share unknowns with them, or with
/// others that do.
pub(super) fn related<'a>(
    equalities: impl Iterator<Item = &'a Polynomial>,
    targets: &[Polynomial],
) -> Vec<bool> {
    let mut reached: BTreeSet<TermId> = targets.iter().flat_map(Polynomial::unknowns).collect();
    let equalities: Vec<BTreeSet<TermId>> = equalities.map(Polynomial::unknowns).collect();
    let mut related = vec![false; equalities.len()];
    loop {
        let mut changed = false;
        for (known, unknowns) in related.iter_mut().zip(&equalities) {
            if !*known && unknowns.iter().any(|x| reached.contains(x)) {
                reached.extend(unknowns);
                (*known, changed) = (true, true);
            }
        }
        if !changed {
            return related;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_terms::SortId;

    #[test]
    fn equalities_are_multiplied_and_substituted() {
        let mut store = TermStore::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| store.mk_const(name, SortId::INT));
        let polynomial = |store: &mut TermStore, sum: &[(i64, &[TermId])]| {
            let mut all = Vec::new();
            for (coefficient, factors) in sum {
                let mut product = vec![store.mk_int(*coefficient)];
                product.extend(*factors);
                all.push(store.mk_mul(&product));
            }
            let sum = store.mk_add(&all);
            Polynomial::of_form(store, &store.linear_form(sum))
        };
        // x * z = x + y - 1 shows that z * (x * z - x - y + 1) is zero, and takes z of it.
        let geometric = polynomial(&mut store, &[(1, &[x, z]), (-1, &[x]), (-1, &[y]), (1, &[])]);
        let sum: [(i64, &[TermId]); 4] = [(1, &[x, z, z]), (-1, &[x, z]), (-1, &[y, z]), (1, &[z])];
        let goal = polynomial(&mut store, &sum);
        let ideal = Ideal::new(std::slice::from_ref(&geometric));
        let (rest, shown) = ideal.normal_form(goal).expect("small");
        assert!(rest.as_constant() == Some(Rational::ZERO), "{rest:?}");
        assert_eq!(shown, BTreeSet::from([(Monomial(vec![z]), 0)]));
        // No integer is needed for x * x = 2, x * y = 3, y * y = 4: 9 is not 8.
        let squares = [
            polynomial(&mut store, &[(1, &[x, x]), (-2, &[])]),
            polynomial(&mut store, &[(1, &[x, y]), (-3, &[])]),
            polynomial(&mut store, &[(1, &[y, y]), (-4, &[])]),
        ];
        assert!(Ideal::new(&squares).contradiction.is_some());
        assert!(Ideal::new(&squares[..2]).contradiction.is_none());
    }
}
