//! Values for unknowns, one after the other, such that polynomial bounds hold.
//!
//! What is left of a bound when all unknowns but one have values is a polynomial in that one, and its roots say
//! where the bound holds: there, values are taken from between the roots, and roots themselves. This is how
//! cylindrical decompositions and NLSAT (Jovanovic, de Moura: *Solving non-linear arithmetic*, IJCAR 2012)
//! extend an assignment, but without what they learn from a dead end: here the search goes back to the
//! last choice, a limited number of times. So it finds models and refutes nothing.
//!
//! - An unknown that an equality defines is replaced by its definition before anything is tried; what
//!   equalities imply together ([`Ideal`]) may be a definition where none of them is.
//! - Unknowns of which an equality leaves finitely many values come first, if the values are rational.
//! - Irrational roots come last: when all other unknowns have rational values, what is left is in one unknown. So
//!   `x * x = 2` has a model, and `x * x = 2, x * y = 1`, in which `y` is a polynomial in the root.

use bolide_base::{Integer, Rational};
use bolide_terms::algebraic::{Algebraic, Root, Univariate};
use bolide_terms::{Op, SortId, TermId, TermStore, Value};
use std::collections::{BTreeMap, BTreeSet};

use super::ideal::{Ideal, Monomial, Polynomial};

// Heuristic: so many values are tried altogether.
const TRIALS: usize = 1_500;
// Heuristic: so many values of one unknown.
const VALUES: usize = 9;
// Heuristics: what is larger is left alone.
const CONSTRAINTS: usize = 150;
const UNKNOWNS: usize = 30;
const DEGREE: usize = 20;

/// What a polynomial is compared with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Zero,
    NotNegative,
    Positive,
}

impl Comparison {
    fn allows(self, sign: i32) -> bool {
        match self {
            Comparison::Zero => sign == 0,
            Comparison::NotNegative => sign >= 0,
            Comparison::Positive => sign > 0,
        }
    }
}

/// A polynomial compared with zero.
#[derive(Clone, Debug)]
pub(super) struct Constraint {
    pub polynomial: Polynomial,
    pub comparison: Comparison,
}

impl Constraint {
    /// Whether it holds, if no unknown is left.
    fn truth(&self) -> Option<bool> {
        Some(self.comparison.allows(self.polynomial.as_constant()?.signum()))
    }

    /// With a polynomial in the place of an unknown.
    fn substituted(&self, unknown: TermId, by: &Polynomial) -> Constraint {
        let polynomial = self.polynomial.substituted(unknown, by);
        Constraint { polynomial, comparison: self.comparison }
    }
}

/// Constraints in one unknown.
type Univariates = Vec<(Univariate, Comparison)>;

struct Sampler<'a> {
    store: &'a TermStore,
    trials: usize,
    irrational: bool,
    values: BTreeMap<TermId, Rational>,
    roots: BTreeMap<TermId, Algebraic>,
}

/// Values with which all constraints hold, irrational ones only where they are asked for.
pub(super) fn sample(
    store: &TermStore,
    mut constraints: Vec<Constraint>,
    irrational: bool,
) -> Option<Vec<(TermId, Value)>> {
    constraints.retain(|constraint| constraint.truth() != Some(true));
    let unknowns: BTreeSet<TermId> =
        constraints.iter().flat_map(|c| c.polynomial.unknowns()).collect();
    if constraints.len() > CONSTRAINTS || unknowns.len() > 2 * UNKNOWNS {
        return None;
    }
    // An integer among reals is the same number.
    for &unknown in unknowns.iter().filter(|&&x| store.op(x) == Op::ToReal) {
        let mut polynomial = Polynomial::default();
        polynomial.add(Monomial::of_factors(vec![unknown]), Rational::MINUS_ONE);
        polynomial.add(Monomial::of_factors(vec![store.arg(unknown, 0)]), Rational::ONE);
        constraints.push(Constraint { polynomial, comparison: Comparison::Zero });
    }
    let is_zero = |c: &&Constraint| c.comparison == Comparison::Zero;
    let equalities = constraints.iter().filter(is_zero).map(|c| c.polynomial.clone());
    let ideal = Ideal::new(&equalities.collect::<Vec<_>>());
    if ideal.contradiction.is_some() {
        return None;
    }
    let zero = |polynomial| Constraint { polynomial, comparison: Comparison::Zero };
    constraints.extend(ideal.zeros().map(zero));
    let definitions = eliminate(store, &mut constraints)?;
    let left: BTreeSet<TermId> = constraints.iter().flat_map(|c| c.polynomial.unknowns()).collect();
    if left.len() > UNKNOWNS {
        return None;
    }
    let (values, roots) = (BTreeMap::new(), BTreeMap::new());
    let mut sampler = Sampler { store, trials: TRIALS, irrational, values, roots };
    if !sampler.search(&constraints, left) {
        return None;
    }
    // What definitions mention and nothing constrains.
    for unknown in definitions.iter().flat_map(|(_, by)| by.unknowns()) {
        let defined = definitions.iter().any(|(x, _)| *x == unknown);
        if !defined && !sampler.roots.contains_key(&unknown) {
            sampler.values.entry(unknown).or_default();
        }
    }
    for (unknown, by) in definitions.iter().rev() {
        sampler.define(*unknown, by)?;
    }
    let Sampler { values, roots, .. } = sampler;
    let rational =
        values.into_iter().map(|(x, value)| (x, Value::from_rational(value, store.sort(x))));
    let algebraic = roots.into_iter().map(|(x, root)| (x, Value::Algebraic(root)));
    Some(rational.chain(algebraic).collect())
}

/// Replaces unknowns that equalities define, the definitions in the order in which they were found. None where a
/// constraint is false.
fn eliminate(
    store: &TermStore,
    constraints: &mut Vec<Constraint>,
) -> Option<Vec<(TermId, Polynomial)>> {
    let mut definitions = Vec::new();
    loop {
        if constraints.iter().any(|constraint| constraint.truth() == Some(false)) {
            return None;
        }
        constraints.retain(|constraint| constraint.truth().is_none());
        let found =
            constraints.iter().enumerate().filter(|(_, c)| c.comparison == Comparison::Zero);
        let found = found.filter_map(|(at, c)| Some((at, definition(store, &c.polynomial)?)));
        let Some((at, (unknown, by))) = found.min_by_key(|(_, (_, by))| by.terms().count()) else {
            return Some(definitions);
        };
        constraints.swap_remove(at);
        for constraint in constraints.iter_mut() {
            *constraint = constraint.substituted(unknown, &by);
            if constraint.polynomial.is_large() {
                return None;
            }
        }
        definitions.push((unknown, by));
    }
}

/// An unknown that the equality of the polynomial with zero defines.
fn definition(store: &TermStore, polynomial: &Polynomial) -> Option<(TermId, Polynomial)> {
    polynomial.alone().find_map(|unknown| {
        let by = polynomial.solved_for(unknown);
        let integral = store.sort(unknown) != SortId::INT
            || by.terms().all(|(monomial, coefficient)| {
                let mut factors = monomial.factors().iter();
                coefficient.is_integer() && factors.all(|&x| store.sort(x) == SortId::INT)
            });
        integral.then_some((unknown, by))
    })
}

impl Sampler<'_> {
    /// Finds values for the unknowns. Depth is their number.
    fn search(&mut self, constraints: &[Constraint], open: BTreeSet<TermId>) -> bool {
        let mut univariate: BTreeMap<TermId, Univariates> = BTreeMap::new();
        for constraint in constraints {
            match constraint.polynomial.as_univariate() {
                Some((x, p)) if p.degree() <= DEGREE => {
                    univariate.entry(x).or_default().push((p, constraint.comparison));
                }
                Some(_) => return false,
                None => {}
            }
        }
        let none = Univariates::new();
        let of = |x: &TermId| univariate.get(x).unwrap_or(&none);
        let is_bound_to = |x: &TermId| of(x).iter().any(|(_, c)| *c == Comparison::Zero);
        let mut postponed = Vec::new();
        let mut chosen: Option<(TermId, Vec<Rational>)> = None;
        for &x in open.iter().filter(|x| is_bound_to(x)) {
            let candidates = self.candidates(x, of(&x));
            if !candidates.is_empty() {
                chosen = Some((x, candidates));
                break;
            }
            postponed.push(x);
        }
        if chosen.is_none() {
            // What occurs in high powers is easier to choose than to solve for.
            let free = open.iter().filter(|x| !postponed.contains(x));
            let power = |x: &&TermId| constraints.iter().map(|c| c.polynomial.power(**x)).max();
            let next = free.max_by_key(|x| (power(x), std::cmp::Reverse(**x)));
            chosen = next.map(|&x| (x, self.candidates(x, of(&x))));
        }
        let Some((x, candidates)) = chosen else {
            return constraints.iter().all(|c| c.polynomial.as_univariate().is_some())
                && postponed.iter().all(|x| self.take_root(*x, of(x)));
        };
        for value in candidates {
            if self.trials == 0 {
                return false;
            }
            self.trials -= 1;
            let by = Polynomial::constant(value.clone());
            let left: Vec<Constraint> =
                constraints.iter().map(|constraint| constraint.substituted(x, &by)).collect();
            if left.iter().any(|constraint| constraint.truth() == Some(false)) {
                continue;
            }
            let left: Vec<Constraint> = left.into_iter().filter(|c| c.truth().is_none()).collect();
            self.values.insert(x, value);
            let mut rest = open.clone();
            rest.remove(&x);
            if self.search(&left, rest) {
                return true;
            }
            self.values.remove(&x);
        }
        false
    }

    /// Rational numbers at which the constraints hold, simple ones first.
    fn candidates(&self, x: TermId, constraints: &[(Univariate, Comparison)]) -> Vec<Rational> {
        let mut cuts: Vec<Rational> = Vec::new();
        for (polynomial, _) in constraints {
            for root in polynomial.roots() {
                cuts.extend([root.low().clone(), root.high().clone()]);
            }
        }
        cuts.sort_unstable();
        cuts.dedup();
        let mut all: Vec<Rational> =
            cuts.windows(2).map(|pair| between(&pair[0], &pair[1])).collect();
        if let [first, .., last] | [first @ last] = &cuts[..] {
            all.push(Rational::from(first.ceil() - Integer::ONE));
            all.push(Rational::from(last.floor() + Integer::ONE));
        }
        // Heuristic: what other unknowns allow may be near to where a bound ends.
        let near = Rational::new(1, 32);
        all.extend(cuts.iter().flat_map(|cut| [cut - &near, cut + &near]));
        all.extend(cuts);
        let small =
            [(0, 1), (1, 1), (-1, 1), (2, 1), (1, 2), (-2, 1), (4, 1), (-1, 2), (10, 1), (-10, 1)];
        all.extend(small.map(|(n, d)| Rational::new(n, d)));
        if self.store.sort(x) == SortId::INT {
            all = all.iter().flat_map(|c| [c.floor(), c.ceil()]).map(Rational::from).collect();
        }
        let holds =
            |value: &Rational| constraints.iter().all(|(p, c)| c.allows(p.at(value).signum()));
        all.retain(holds);
        all.sort_by_cached_key(|value| (value.denominator(), value.abs(), value.is_negative()));
        all.dedup();
        // Near zero, and what comes with the roots: both ends of the list.
        if all.len() > VALUES {
            let step = |i: usize| i * (all.len() - 1) / (VALUES - 1);
            all = (0..VALUES).map(|i| all[step(i)].clone()).collect();
        }
        all
    }

    /// An irrational number at which the constraints hold, one of which is an equality.
    fn take_root(&mut self, x: TermId, constraints: &[(Univariate, Comparison)]) -> bool {
        let Some((equality, _)) = constraints.iter().find(|(_, c)| *c == Comparison::Zero) else {
            return false;
        };
        if !self.irrational || self.store.sort(x) == SortId::INT {
            return false;
        }
        let holds = |root: &Algebraic| {
            constraints.iter().all(|(p, c)| c.allows(root.substitute(p).signum()))
        };
        let mut roots = equality.roots().into_iter().rev().filter_map(|root| match root {
            Root::Irrational(number) => Some(number),
            Root::Rational(_) => None,
        });
        let found = roots.find(holds);
        let any = found.is_some();
        self.roots.extend(found.map(|root| (x, root)));
        any
    }

    /// Gives a defined unknown its value, when those in its definition have theirs.
    fn define(&mut self, unknown: TermId, by: &Polynomial) -> Option<()> {
        let mut by = by.clone();
        for x in by.unknowns() {
            if let Some(value) = self.values.get(&x) {
                by = by.substituted(x, &Polynomial::constant(value.clone()));
            }
        }
        if let Some(value) = by.as_constant() {
            self.values.insert(unknown, value);
            return Some(());
        }
        let field = self.roots.get(by.unknowns().first()?)?.clone();
        let mut sum = field.rational(Rational::ZERO);
        for (monomial, coefficient) in by.terms() {
            let mut product = field.rational(coefficient.clone());
            for x in monomial.factors() {
                product = product.times(self.roots.get(x)?)?;
            }
            sum = sum.plus(&product)?;
        }
        self.roots.insert(unknown, sum);
        Some(())
    }
}

/// A simple number between two others, or one of them.
fn between(low: &Rational, high: &Rational) -> Rational {
    let mut scale = Rational::ONE;
    loop {
        let [above, below] = [low, high].map(|end| end * &scale);
        let (above, below) = (above.floor() + Integer::ONE, below.ceil() - Integer::ONE);
        if above <= below {
            let near = if below.is_negative() { below } else { above.max(Integer::ZERO) };
            return &Rational::from(near) / &scale;
        }
        scale = &scale * &Rational::from(2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Coefficients and the powers of `x`, `y`, `z`.
    type Sum<'a> = &'a [(i64, [usize; 3])];

    fn sampled(constraints: &[(Comparison, Sum<'_>)]) -> Option<Vec<(TermId, Value)>> {
        let mut store = TermStore::new();
        let unknowns = ["x", "y", "z"].map(|name| store.mk_const(name, SortId::REAL));
        let constraints = constraints.iter().map(|(comparison, sum)| {
            let mut polynomial = Polynomial::default();
            for (coefficient, powers) in sum.iter() {
                let factors = (0..3).flat_map(|i| std::iter::repeat_n(unknowns[i], powers[i]));
                polynomial
                    .add(Monomial::of_factors(factors.collect()), Rational::from(*coefficient));
            }
            Constraint { polynomial, comparison: *comparison }
        });
        sample(&store, constraints.collect(), true)
    }

    #[test]
    fn values_are_taken_from_where_bounds_hold() {
        use Comparison::{NotNegative, Positive, Zero};
        // x^2 + y^2 = 1, 10 x > 9, y > 0 has rational solutions, of which none needs to be found.
        let circle: Sum<'_> = &[(1, [2, 0, 0]), (1, [0, 2, 0]), (-1, [0, 0, 0])];
        let right: Sum<'_> = &[(10, [1, 0, 0]), (-9, [0, 0, 0])];
        let above: Sum<'_> = &[(1, [0, 1, 0])];
        let found = sampled(&[(Zero, circle), (Positive, right), (Positive, above)]);
        assert_eq!(found.map(|values| values.len()), Some(2));
        let outside: Sum<'_> = &[(1, [1, 0, 0]), (-2, [0, 0, 0])];
        assert!(sampled(&[(Zero, circle), (NotNegative, outside)]).is_none());
    }

    #[test]
    fn definitions_are_polynomials_in_the_root() {
        use Comparison::{Positive, Zero};
        // x^2 = 2, y = x + 1, z = y * x, x > 0.
        let square: Sum<'_> = &[(1, [2, 0, 0]), (-2, [0, 0, 0])];
        let next: Sum<'_> = &[(1, [0, 1, 0]), (-1, [1, 0, 0]), (-1, [0, 0, 0])];
        let product: Sum<'_> = &[(1, [0, 0, 1]), (-1, [1, 1, 0])];
        let positive: Sum<'_> = &[(1, [1, 0, 0])];
        let found = sampled(&[(Zero, square), (Zero, next), (Zero, product), (Positive, positive)]);
        let found = found.expect("the root of two");
        let floors = found.iter().map(|(_, value)| match value {
            Value::Algebraic(number) => number.floor(),
            other => panic!("{other:?} is rational"),
        });
        assert_eq!(floors.collect::<Vec<_>>(), [1, 2, 3].map(Integer::from));
    }
}
