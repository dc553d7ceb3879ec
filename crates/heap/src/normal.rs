//! Predicates up to negation, in one form.
//!
//! Two predicates that are equal or opposite split the same states; tracking
//! both only doubles the work. So atoms get a form in which most such pairs
//! coincide: sums are collected, constants go to the right, the first summand
//! is positive and coefficients have no common divisor (sums are over integers, so
//! `2 x <= 5` is `x <= 2`). Equalities have the constant or null on the right.

use crate::formula::{Formula, Term};
use std::collections::BTreeMap;

/// The predicate or its negation, in normal form.
pub fn predicate(formula: Formula) -> Formula {
    match formula {
        Formula::Not(inner) => predicate(*inner),
        Formula::Le(a, b) => less_or_equal(a, b),
        Formula::Eq(a, b) if is_sum(&a) || is_sum(&b) => equal_sums(a, b),
        Formula::Eq(a, b) if a == b => Formula::True,
        Formula::Eq(a, b) => {
            let constant = |t: &Term| matches!(t, Term::Null | Term::Int(_));
            let swap = if constant(&a) == constant(&b) { b < a } else { constant(&a) };
            if swap { Formula::Eq(b, a) } else { Formula::Eq(a, b) }
        }
        other => other,
    }
}

fn is_sum(term: &Term) -> bool {
    matches!(term, Term::Add(..) | Term::Scale(..) | Term::Int(_))
}

/// Coefficients by term, and the constant.
#[derive(Default)]
struct Sum {
    parts: BTreeMap<Term, i128>,
    constant: i128,
}

impl Sum {
    /// Adds a multiple of a term; none when numbers become too large.
    fn add(&mut self, term: &Term, factor: i128) -> Option<()> {
        match term {
            Term::Int(n) => self.constant = self.constant.checked_add(n.checked_mul(factor)?)?,
            Term::Add(a, b) => {
                self.add(a, factor)?;
                self.add(b, factor)?;
            }
            Term::Scale(k, a) => self.add(a, factor.checked_mul(*k)?)?,
            other => {
                let coefficient = self.parts.entry(other.clone()).or_default();
                *coefficient = coefficient.checked_add(factor)?;
                if *coefficient == 0 {
                    self.parts.remove(other);
                }
            }
        }
        Some(())
    }

    /// `a - b`.
    fn difference(a: &Term, b: &Term) -> Option<Sum> {
        let mut sum = Sum::default();
        sum.add(a, 1)?;
        sum.add(b, -1)?;
        Some(sum)
    }

    fn divisor(&self) -> i128 {
        self.parts.values().fold(0, |g, &c| gcd(g, c.unsigned_abs() as i128))
    }

    fn is_negative(&self) -> bool {
        self.parts.values().next().is_some_and(|&c| c < 0)
    }

    /// The sum of the parts, each coefficient divided.
    fn terms(&self, divisor: i128) -> Term {
        let mut parts = self.parts.iter().map(|(term, &c)| match c / divisor {
            1 => term.clone(),
            k => Term::Scale(k, Box::new(term.clone())),
        });
        let first = parts.next().unwrap_or(Term::Int(0));
        parts.fold(first, |sum, part| Term::Add(Box::new(sum), Box::new(part)))
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn less_or_equal(a: Term, b: Term) -> Formula {
    let Some(sum) = Sum::difference(&a, &b) else { return Formula::Le(a, b) };
    let divisor = sum.divisor();
    if divisor == 0 {
        return Formula::True;
    }
    // parts <= bound; where the first coefficient is negative, its negation
    // parts >= bound + 1, that is -parts <= -(bound + 1).
    let bound = (-sum.constant).div_euclid(divisor);
    if sum.is_negative() {
        Formula::Le(sum.terms(-divisor), Term::Int(-(bound + 1)))
    } else {
        Formula::Le(sum.terms(divisor), Term::Int(bound))
    }
}

fn equal_sums(a: Term, b: Term) -> Formula {
    let Some(sum) = Sum::difference(&a, &b) else { return Formula::Eq(a, b) };
    let divisor = sum.divisor();
    if divisor == 0 || sum.constant % divisor != 0 {
        // Always or never: no predicate either way.
        return Formula::True;
    }
    let sign = if sum.is_negative() { -1 } else { 1 };
    Formula::Eq(sum.terms(sign * divisor), Term::Int(-sum.constant / divisor * sign))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Kind, Signature};

    #[test]
    fn what_splits_alike_looks_alike() {
        let mut signature = Signature::default();
        let x = Term::Var(signature.variable("x", Kind::Integer));
        let y = Term::Var(signature.variable("y", Kind::Integer));
        let p = Term::Var(signature.variable("p", Kind::Object));
        let minus = |a: &Term, n: i128| Term::Add(Box::new(a.clone()), Box::new(Term::Int(-n)));
        let check = |formula: Formula, expected: &str| {
            assert_eq!(signature.show(&predicate(formula)), expected);
        };
        check(Formula::Le(minus(&minus(&x, 1), 1), Term::Int(0)), "x <= 2");
        check(Formula::Le(Term::Int(3), x.clone()), "x <= 2");
        check(Formula::Le(Term::Int(0), minus(&x, 3)).negate(), "x <= 2");
        check(Formula::Le(Term::Scale(2, Box::new(x.clone())), Term::Int(5)), "x <= 2");
        check(Formula::Le(Term::Scale(-2, Box::new(x.clone())), Term::Int(-5)), "x <= 2");
        check(Formula::Le(y.clone(), x.clone()), "x - y <= -1");
        check(Formula::Le(x.clone(), minus(&y, 1)), "x - y <= -1");
        check(Formula::Eq(minus(&x, 1), Term::Int(0)), "x == 1");
        check(Formula::Eq(Term::Int(1), x.clone()), "x == 1");
        check(Formula::ne(Term::Null, p.clone()), "p == \\null");
        check(Formula::Eq(Term::Scale(2, Box::new(x.clone())), Term::Int(5)), "\\true");
        check(Formula::Le(x.clone(), x.clone()), "\\true");
        check(Formula::Eq(p.clone(), p), "\\true");
    }
}
