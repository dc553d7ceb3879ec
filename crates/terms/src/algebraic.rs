//! Roots of polynomials as exact numbers.
//!
//! A model of `x * x = 2` has an irrational value. What is needed of such numbers is little: they are
//! added, multiplied and compared while a formula is evaluated. So the numbers of a model live in one field
//! `Q(r)`: `r` is the only root of a polynomial in an interval, and a number is a polynomial in `r` of
//! smaller degree. The sign of one is found by making the interval smaller until the sign is the
//! same in all of it; that this ends is known because zero was excluded before, by a common divisor
//! with the polynomial of `r` (Cohen, *A Course in Computational Algebraic Number Theory*, chapter 4.2).
//!
//! Roots are counted by Sturm's theorem. The polynomial of `r` has no rational roots: those are divided
//! out, so that no end of an interval is ever a root. It need not be irreducible: then one number may be
//! written in several ways. // Required: [`Algebraic`] is compared by [`Algebraic::compare`]; `==` is for tables.

use bolide_base::{Integer, Rational};
use std::cmp::Ordering;
use std::sync::Arc;

/// A polynomial in one unknown: coefficients from the constant on, the last not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Univariate(Vec<Rational>);

impl Univariate {
    /// With these coefficients, the constant first.
    pub fn new(mut coefficients: Vec<Rational>) -> Univariate {
        while coefficients.last().is_some_and(Rational::is_zero) {
            coefficients.pop();
        }
        Univariate(coefficients)
    }

    fn constant(value: Rational) -> Univariate {
        Univariate::new(vec![value])
    }

    /// From the constant on.
    pub fn coefficients(&self) -> &[Rational] {
        &self.0
    }

    /// The largest exponent; zero of numbers.
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    /// Whether it is the number zero.
    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn lead(&self) -> Rational {
        self.0.last().cloned().unwrap_or_default()
    }

    /// The value at a number.
    pub fn at(&self, x: &Rational) -> Rational {
        let horner = |value: Rational, coefficient: &Rational| &(&value * x) + coefficient;
        self.0.iter().rev().fold(Rational::ZERO, horner)
    }

    /// Bounds of the values between two numbers.
    fn range(&self, low: &Rational, high: &Rational) -> (Rational, Rational) {
        let (mut least, mut most) = (Rational::ZERO, Rational::ZERO);
        for coefficient in self.0.iter().rev() {
            let mut corners = [&least * low, &least * high, &most * low, &most * high];
            corners.sort_unstable();
            least = &corners[0] + coefficient;
            most = &corners[3] + coefficient;
        }
        (least, most)
    }

    /// `self + factor * other`.
    pub fn plus_scaled(&self, other: &Univariate, factor: &Rational) -> Univariate {
        let length = self.0.len().max(other.0.len());
        let at = |p: &Univariate, i: usize| p.0.get(i).cloned().unwrap_or_default();
        Univariate::new((0..length).map(|i| &at(self, i) + &(&at(other, i) * factor)).collect())
    }

    /// The product.
    pub fn times(&self, other: &Univariate) -> Univariate {
        if self.is_zero() || other.is_zero() {
            return Univariate::default();
        }
        let mut product = vec![Rational::ZERO; self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j].add_mul(a, b);
            }
        }
        Univariate::new(product)
    }

    /// Quotient and remainder. The divisor is not zero.
    fn div_rem(&self, divisor: &Univariate) -> (Univariate, Univariate) {
        let mut rest = self.0.clone();
        let mut quotient = vec![Rational::ZERO; self.0.len()];
        let lead = divisor.lead();
        while rest.len() >= divisor.0.len() {
            let factor = &rest[rest.len() - 1] / &lead;
            let shift = rest.len() - divisor.0.len();
            for (i, coefficient) in divisor.0.iter().enumerate() {
                rest[shift + i].add_mul(&-&factor, coefficient);
            }
            quotient[shift] = factor;
            rest.pop();
        }
        (Univariate::new(quotient), Univariate::new(rest))
    }

    fn monic(&self) -> Univariate {
        if self.is_zero() {
            self.clone()
        } else {
            self.times(&Univariate::constant(self.lead().recip()))
        }
    }

    /// The greatest common divisor, with leading coefficient one.
    fn gcd(&self, other: &Univariate) -> Univariate {
        let (mut a, mut b) = (self.monic(), other.monic());
        while !b.is_zero() {
            let rest = a.div_rem(&b).1.monic();
            a = std::mem::replace(&mut b, rest);
        }
        a
    }

    fn derivative(&self) -> Univariate {
        let terms = self.0.iter().zip(0i64..).skip(1);
        Univariate::new(terms.map(|(c, power)| c * &Rational::from(power)).collect())
    }

    /// The polynomial with the same roots, each of them once.
    pub fn square_free(&self) -> Univariate {
        let common = self.gcd(&self.derivative());
        if common.degree() == 0 { self.clone() } else { self.div_rem(&common).0 }
    }

    /// The real roots in increasing order. The polynomial is not zero.
    pub fn roots(&self) -> Vec<Root> {
        let own = self.square_free().monic();
        if own.degree() == 0 {
            return Vec::new();
        }
        let mut rational = Vec::new();
        let mut intervals = Sturm::new(&own).isolate();
        intervals.retain_mut(|interval| {
            let found = own.rational_root(interval);
            rational.extend(found.clone());
            found.is_none()
        });
        let linear = |root: &Rational| Univariate::new(vec![-root, Rational::ONE]);
        let divide = |p: Univariate, root: &Rational| p.div_rem(&linear(root)).0;
        let polynomial = Arc::new(rational.iter().fold(own, divide));
        let mut roots: Vec<Root> = rational.into_iter().map(Root::Rational).collect();
        for (low, high) in intervals {
            let generator = Generator { polynomial: polynomial.clone(), low, high };
            roots.push(Root::Irrational(Algebraic::generator(generator)));
        }
        // Numbers that are not in an interval are below or above all of it.
        roots.sort_by(|a, b| a.low().cmp(b.low()));
        roots
    }

    /// The root in the interval, if it is rational; else the interval does not have a rational root in it,
    /// nor at its ends.
    fn rational_root(&self, (low, high): &mut (Rational, Rational)) -> Option<Rational> {
        // Times this number the coefficients are integers, so the denominator of a root divides it.
        let scale = self.0.iter().fold(Integer::ONE, |common, coefficient| {
            let denominator = coefficient.denominator();
            let shared = common.gcd(&denominator);
            &common * &(Rational::new(denominator, shared).numerator())
        });
        let scale = Rational::from(scale);
        // Half open: the lower end is no root.
        let sign = self.at(high).signum();
        if sign == 0 {
            return Some(high.clone());
        }
        while &(&*high - &*low) * &scale >= Rational::ONE {
            let middle = &(&*low + &*high) / &Rational::from(2);
            match self.at(&middle).signum() {
                0 => return Some(middle),
                at if at == sign => *high = middle,
                _ => *low = middle,
            }
        }
        let candidate = &Rational::from((&*high * &scale).floor()) / &scale;
        (candidate > *low && self.at(&candidate).is_zero()).then_some(candidate)
    }
}

/// Counts roots.
struct Sturm(Vec<Univariate>);

impl Sturm {
    /// Of a polynomial without multiple roots.
    fn new(polynomial: &Univariate) -> Sturm {
        let mut chain = vec![polynomial.clone(), polynomial.derivative()];
        while chain[chain.len() - 1].degree() > 0 {
            let [.., before, last] = &chain[..] else { unreachable!("it has two") };
            let rest = before.div_rem(last).1;
            // Positive factors change nothing, and keep numbers small.
            let size = rest.lead().abs();
            if size.is_zero() {
                break;
            }
            chain.push(rest.times(&Univariate::constant(-size.recip())));
        }
        Sturm(chain)
    }

    fn variations(&self, x: &Rational) -> usize {
        let signs = self.0.iter().map(|p| p.at(x).signum()).filter(|&sign| sign != 0);
        let signs: Vec<i32> = signs.collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }

    /// Intervals, open below and closed above, with one root each; the lower end is no root.
    fn isolate(&self) -> Vec<(Rational, Rational)> {
        let own = &self.0[0];
        // Cauchy's bound.
        let lead = own.lead().abs();
        let largest = own.0.iter().map(|c| &c.abs() / &lead).max().unwrap_or_default();
        let bound = &largest + &Rational::ONE;
        let low = -&bound;
        let mut open = vec![(self.variations(&low), self.variations(&bound), low, bound)];
        let mut found = Vec::new();
        while let Some((at_low, at_high, low, high)) = open.pop() {
            if at_low == at_high {
                continue;
            }
            let (two, middle) = (Rational::from(2), &low + &high);
            let middle = &middle / &two;
            if at_low - at_high == 1 && !own.at(&low).is_zero() {
                found.push((low, high));
                continue;
            }
            let at_middle = self.variations(&middle);
            open.push((at_middle, at_high, middle.clone(), high));
            open.push((at_low, at_middle, low, middle));
        }
        found
    }
}

/// A root of a polynomial.
#[derive(Clone, Debug)]
pub enum Root {
    /// It is a number like others.
    Rational(Rational),
    /// It is not.
    Irrational(Algebraic),
}

impl Root {
    /// A rational number that is not above it, and above all smaller roots of the same polynomial.
    pub fn low(&self) -> &Rational {
        match self {
            Root::Rational(value) => value,
            Root::Irrational(value) => &value.field.low,
        }
    }

    /// The same from above.
    pub fn high(&self) -> &Rational {
        match self {
            Root::Rational(value) => value,
            Root::Irrational(value) => &value.field.high,
        }
    }
}

/// The only root of a polynomial in an open interval, which has no rational roots.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Generator {
    polynomial: Arc<Univariate>,
    low: Rational,
    high: Rational,
}

impl Generator {
    /// Halves the interval.
    fn refine(&mut self) {
        let middle = &(&self.low + &self.high) / &Rational::from(2);
        if self.polynomial.at(&middle).signum() == self.polynomial.at(&self.high).signum() {
            self.high = middle;
        } else {
            self.low = middle;
        }
    }
}

/// A number of a field `Q(r)`. How it is written, not what it is, is compared by `==`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Algebraic {
    field: Arc<Generator>,
    /// As a polynomial in the root.
    element: Univariate,
}

impl Algebraic {
    fn generator(generator: Generator) -> Algebraic {
        let element = Univariate::new(vec![Rational::ZERO, Rational::ONE]);
        Algebraic { field: Arc::new(generator), element }
    }

    /// Another number of the same field.
    fn with(&self, element: &Univariate) -> Algebraic {
        let element = element.div_rem(&self.field.polynomial).1;
        Algebraic { field: self.field.clone(), element }
    }

    /// The value of a polynomial at this number.
    pub fn substitute(&self, polynomial: &Univariate) -> Algebraic {
        let horner = |value: Algebraic, coefficient: &Rational| {
            let product = value.element.times(&self.element);
            self.with(
                &product.plus_scaled(&Univariate::constant(coefficient.clone()), &Rational::ONE),
            )
        };
        polynomial.0.iter().rev().fold(self.with(&Univariate::default()), horner)
    }

    /// The rational number in the same field.
    pub fn rational(&self, value: Rational) -> Algebraic {
        self.with(&Univariate::constant(value))
    }

    /// The number, where it is written as a rational one.
    pub fn to_rational(&self) -> Option<Rational> {
        match self.element.coefficients() {
            [] => Some(Rational::ZERO),
            [value] => Some(value.clone()),
            _ => None,
        }
    }

    /// The sum; none of numbers of different fields.
    pub fn plus(&self, other: &Algebraic) -> Option<Algebraic> {
        let sum = self.element.plus_scaled(&other.element, &Rational::ONE);
        (self.field == other.field).then(|| self.with(&sum))
    }

    /// The product; none of numbers of different fields.
    pub fn times(&self, other: &Algebraic) -> Option<Algebraic> {
        (self.field == other.field).then(|| self.with(&self.element.times(&other.element)))
    }

    /// One divided by it. None of zero, nor where the polynomial of the field would have to be factored.
    pub fn recip(&self) -> Option<Algebraic> {
        // Extended Euclid: `element * t = rest` modulo the polynomial.
        let (mut before, mut rest) = ((*self.field.polynomial).clone(), self.element.clone());
        let (mut t_before, mut t) = (Univariate::default(), Univariate::constant(Rational::ONE));
        while rest.degree() > 0 {
            let (quotient, next) = before.div_rem(&rest);
            let t_next = t_before.plus_scaled(&quotient.times(&t), &Rational::MINUS_ONE);
            before = std::mem::replace(&mut rest, next);
            t_before = std::mem::replace(&mut t, t_next);
        }
        let constant = rest.coefficients().first()?;
        Some(self.with(&t.times(&Univariate::constant(constant.recip()))))
    }

    /// Minus one, zero or one.
    pub fn signum(&self) -> i32 {
        let mut at = (*self.field).clone();
        let common = self.element.gcd(&at.polynomial);
        // Where the common divisor has a root in the interval it is this one, since there is no other.
        let is_root = common.at(&at.low).signum() * common.at(&at.high).signum() < 0;
        if self.element.is_zero() || common.degree() > 0 && is_root {
            return 0;
        }
        loop {
            let (least, most) = self.element.range(&at.low, &at.high);
            if least.is_positive() || most.is_negative() {
                return least.signum();
            }
            at.refine();
        }
    }

    /// Which is larger; none of numbers of different fields.
    pub fn compare(&self, other: &Algebraic) -> Option<Ordering> {
        let opposite = other.with(&other.element.times(&Univariate::constant(Rational::MINUS_ONE)));
        Some(self.plus(&opposite)?.signum().cmp(&0))
    }

    /// The largest integer not above it.
    pub fn floor(&self) -> Integer {
        let mut at = (*self.field).clone();
        let (least, most) = loop {
            let (least, most) = self.element.range(&at.low, &at.high);
            if &most - &least < Rational::ONE {
                break (least.floor(), most.floor());
            }
            at.refine();
        };
        let apart = self
            .element
            .plus_scaled(&Univariate::constant(Rational::from(&most)), &Rational::MINUS_ONE);
        if least == most || self.with(&apart).signum() < 0 { least } else { most }
    }
}

impl std::fmt::Display for Algebraic {
    /// A polynomial in `(root-obj p k)`: the root number `k` of `p`, from one on.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sum = |p: &Univariate, unknown: &str, power: &dyn Fn(usize) -> String| {
            let number = |c: &Rational| {
                let size = c.abs();
                let size = match size.is_integer() {
                    true => format!("{size}.0"),
                    false => format!("(/ {}.0 {}.0)", size.numerator(), size.denominator()),
                };
                if c.is_negative() { format!("(- {size})") } else { size }
            };
            let terms = p.coefficients().iter().enumerate().rev().filter(|(_, c)| !c.is_zero());
            let terms = terms.map(|(i, c)| match i {
                0 => number(c),
                1 if c.is_one() => unknown.to_owned(),
                1 => format!("(* {} {unknown})", number(c)),
                _ if c.is_one() => power(i),
                _ => format!("(* {} {})", number(c), power(i)),
            });
            match &terms.collect::<Vec<_>>()[..] {
                [] => "0.0".to_owned(),
                [term] => term.clone(),
                terms => format!("(+ {})", terms.join(" ")),
            }
        };
        let field = &self.field;
        let roots = field.polynomial.roots();
        let number = 1 + roots.iter().filter(|root| *root.high() <= field.low).count();
        let polynomial = sum(&field.polynomial, "x", &|i| format!("(^ x {i})"));
        let root = format!("(root-obj {polynomial} {number})");
        let power = |i| format!("(* {})", vec![root.as_str(); i].join(" "));
        f.write_str(&sum(&self.element, &root, &power))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polynomial(coefficients: &[i64]) -> Univariate {
        Univariate::new(coefficients.iter().map(|&c| Rational::from(c)).collect())
    }

    fn irrational(root: &Root) -> &Algebraic {
        match root {
            Root::Irrational(number) => number,
            Root::Rational(number) => panic!("{number} is rational"),
        }
    }

    #[test]
    fn roots_are_counted_and_told_apart() {
        // (x - 1/2) (x + 3)^2 (x^2 - 2)
        let p = [&[-1, 2][..], &[3, 1], &[3, 1], &[-2, 0, 1]]
            .iter()
            .fold(polynomial(&[1]), |product, factor| product.times(&polynomial(factor)));
        let roots = p.roots();
        assert_eq!(roots.len(), 4);
        assert!(matches!(&roots[0], Root::Rational(r) if *r == Rational::from(-3)));
        assert!(matches!(&roots[2], Root::Rational(r) if *r == Rational::new(1, 2)));
        assert_eq!(irrational(&roots[1]).signum(), -1);
        assert_eq!(irrational(&roots[1]).floor(), Integer::from(-2));
        assert_eq!(irrational(&roots[3]).floor(), Integer::ONE);
        assert!(polynomial(&[1, 0, 1]).roots().is_empty());
        assert_eq!(polynomial(&[0, 0, 1]).roots().len(), 1);
    }

    #[test]
    fn numbers_of_a_field_are_computed_with() {
        let roots = polynomial(&[-2, 0, 1]).roots();
        let root = irrational(&roots[1]);
        let square = root.times(root).unwrap();
        assert_eq!(square.to_rational(), Some(Rational::from(2)));
        let inverse = root.recip().unwrap();
        assert_eq!(inverse.times(root).unwrap().to_rational(), Some(Rational::ONE));
        // 99/70 is a little more than the root of two, 140/99 a little less.
        let [more, less] = [(99, 70), (140, 99)].map(|(n, d)| root.rational(Rational::new(n, d)));
        assert_eq!(root.compare(&more), Some(Ordering::Less));
        assert_eq!(root.compare(&less), Some(Ordering::Greater));
        let sum = root.plus(&root.rational(Rational::from(5))).unwrap();
        assert_eq!(sum.floor(), Integer::from(6));
        let other = polynomial(&[-3, 0, 1]).roots();
        assert_eq!(root.plus(irrational(&other[0])), None);
    }

    #[test]
    fn zero_is_known_though_the_polynomial_has_factors() {
        // (x^2 - 2) (x^2 - 3): at the root of two, x^2 - 2 is zero and x^2 - 3 is not.
        let roots = polynomial(&[-2, 0, 1]).times(&polynomial(&[-3, 0, 1])).roots();
        assert_eq!(roots.len(), 4);
        let root = irrational(&roots[2]);
        assert_eq!(root.substitute(&polynomial(&[-2, 0, 1])).signum(), 0);
        assert_eq!(root.substitute(&polynomial(&[-3, 0, 1])).signum(), -1);
        assert_eq!(root.to_string().matches("root-obj").count(), 1);
        assert!(root.to_string().ends_with(" 3)"), "{root}");
    }
}
