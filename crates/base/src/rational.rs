//! Exact fractions that are cheap while they are small.
//!
//! A [`Rational`] is a pair of machine words in lowest terms until an
//! operation overflows; the slow path computes with [`Integer`]s. Sums and
//! products reduce with greatest common divisors of machine words only (Knuth,
//! TAOCP vol. 2, 4.5.1), for that is where the time of a simplex goes. The
//! representation is canonical: equality and hashing are structural.

use crate::integer::{Integer, ParseNumberError, by_value, gcd_u64};
use std::cmp::Ordering;
use std::fmt;
use std::num::NonZeroI64;
use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

/// A fraction in lowest terms with positive denominator.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Rational(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    /// Numerator and positive denominator, coprime.
    Small(i64, NonZeroI64),
    /// The same, when one of the two does not fit a machine word.
    Big(Box<(Integer, Integer)>),
}

use Repr::{Big, Small};

const UNIT: NonZeroI64 = NonZeroI64::new(1).unwrap();

impl Rational {
    /// Zero.
    pub const ZERO: Rational = Rational(Small(0, UNIT));
    /// One.
    pub const ONE: Rational = Rational(Small(1, UNIT));
    /// Minus one.
    pub const MINUS_ONE: Rational = Rational(Small(-1, UNIT));

    /// `numerator / denominator`. Panics when the denominator is zero.
    pub fn new(numerator: impl Into<Integer>, denominator: impl Into<Integer>) -> Rational {
        let (mut numerator, mut denominator) = (numerator.into(), denominator.into());
        assert!(!denominator.is_zero(), "division by zero");
        if denominator.is_negative() {
            (numerator, denominator) = (-numerator, -denominator);
        }
        let gcd = numerator.gcd(&denominator);
        Rational::from_coprime(numerator.div_exact(&gcd), denominator.div_exact(&gcd))
    }

    /// Required: coprime, denominator positive.
    fn from_coprime(numerator: Integer, denominator: Integer) -> Rational {
        match (numerator.to_i64(), denominator.to_i64().and_then(NonZeroI64::new)) {
            (Some(n), Some(d)) => Rational(Small(n, d)),
            _ => Rational(Big(Box::new((numerator, denominator)))),
        }
    }

    /// Required: coprime, denominator positive.
    #[inline]
    fn from_wide(numerator: i128, denominator: i128) -> Rational {
        if let (Ok(n), Ok(d)) = (i64::try_from(numerator), i64::try_from(denominator))
            && let Some(d) = NonZeroI64::new(d)
        {
            return Rational(Small(n, d));
        }
        Rational::from_coprime(Integer::from(numerator), Integer::from(denominator))
    }

    /// The numerator in lowest terms.
    pub fn numerator(&self) -> Integer {
        match &self.0 {
            Small(n, _) => Integer::from(*n),
            Big(b) => b.0.clone(),
        }
    }

    /// The denominator in lowest terms, positive.
    pub fn denominator(&self) -> Integer {
        match &self.0 {
            Small(_, d) => Integer::from(d.get()),
            Big(b) => b.1.clone(),
        }
    }

    /// Whether this is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0, _))
    }

    /// Whether this is one.
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1, UNIT))
    }

    /// Whether this is minus one.
    #[inline]
    pub fn is_minus_one(&self) -> bool {
        matches!(self.0, Small(-1, UNIT))
    }

    /// Whether the denominator is one.
    #[inline]
    pub fn is_integer(&self) -> bool {
        match &self.0 {
            Small(_, d) => *d == UNIT,
            Big(b) => b.1.is_one(),
        }
    }

    /// -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(n, _) => n.signum() as i32,
            Big(b) => b.0.signum(),
        }
    }

    /// Whether this is below zero.
    #[inline]
    pub fn is_negative(&self) -> bool {
        self.signum() < 0
    }

    /// Whether this is above zero.
    #[inline]
    pub fn is_positive(&self) -> bool {
        self.signum() > 0
    }

    /// The absolute value.
    pub fn abs(&self) -> Rational {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// One divided by this. Panics on zero.
    pub fn recip(&self) -> Rational {
        match &self.0 {
            Small(n, d) => {
                assert!(*n != 0, "division by zero");
                let sign = i128::from(n.signum());
                Rational::from_wide(sign * i128::from(d.get()), i128::from(*n).abs())
            }
            Big(b) => {
                if b.0.is_negative() {
                    Rational::from_coprime(-&b.1, -&b.0)
                } else {
                    Rational::from_coprime(b.1.clone(), b.0.clone())
                }
            }
        }
    }

    /// The largest integer not above this.
    pub fn floor(&self) -> Integer {
        match &self.0 {
            Small(n, d) => Integer::from(n.div_euclid(d.get())),
            Big(b) => b.0.div_floor(&b.1),
        }
    }

    /// The smallest integer not below this.
    pub fn ceil(&self) -> Integer {
        match &self.0 {
            Small(n, UNIT) => Integer::from(*n),
            Small(n, d) => Integer::from(n.div_euclid(d.get()) + 1),
            Big(b) => b.0.div_ceil(&b.1),
        }
    }

    /// The value, where it is an integer.
    pub fn to_integer(&self) -> Option<Integer> {
        match &self.0 {
            Small(n, UNIT) => Some(Integer::from(*n)),
            Big(b) if b.1.is_one() => Some(b.0.clone()),
            _ => None,
        }
    }

    /// The value, where it is an integer of a machine word.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match &self.0 {
            Small(n, UNIT) => Some(*n),
            _ => None,
        }
    }

    /// The value, where it is an integer of two machine words.
    #[inline]
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Small(n, UNIT) => Some(i128::from(*n)),
            Small(..) => None,
            Big(b) if b.1.is_one() => b.0.to_i128(),
            Big(_) => None,
        }
    }

    /// `self += a * b`, the step of a pivot.
    #[inline]
    pub fn add_mul(&mut self, a: &Rational, b: &Rational) {
        if let (Small(s, UNIT), Small(a, UNIT), Small(b, UNIT)) = (&self.0, &a.0, &b.0)
            && let Some(product) = a.checked_mul(*b)
            && let Some(sum) = s.checked_add(product)
        {
            *self = Rational(Small(sum, UNIT));
            return;
        }
        *self = &*self + &(a * b);
    }

    #[inline]
    fn sum(&self, other: &Rational, negate: bool) -> Rational {
        if let (Small(a, UNIT), Small(c, UNIT)) = (&self.0, &other.0) {
            let sum = if negate { a.checked_sub(*c) } else { a.checked_add(*c) };
            if let Some(sum) = sum {
                return Rational(Small(sum, UNIT));
            }
        }
        self.sum_of_fractions(other, negate)
    }

    /// Machine division is fast on 64 bits only, so wide division is kept for
    /// the rare numerator that needs it.
    #[inline(never)]
    fn sum_of_fractions(&self, other: &Rational, negate: bool) -> Rational {
        let (Small(a, b), Small(c, d)) = (&self.0, &other.0) else {
            return self.sum_slow(other, negate);
        };
        let (a, b, d) = (i128::from(*a), b.get(), d.get());
        let c = if negate { -i128::from(*c) } else { i128::from(*c) };
        let gcd = gcd_u64(b as u64, d as u64) as i64;
        if gcd == 1 {
            let numerator = a * i128::from(d) + c * i128::from(b);
            return Rational::from_wide(numerator, i128::from(b) * i128::from(d));
        }
        let (b, d_over_gcd) = (b / gcd, d / gcd);
        let numerator = a * i128::from(d_over_gcd) + c * i128::from(b);
        let rest = match i64::try_from(numerator) {
            Ok(small) => small.unsigned_abs() % gcd as u64,
            Err(_) => (numerator % i128::from(gcd)).unsigned_abs() as u64,
        };
        let common = gcd_u64(rest, gcd as u64) as i64;
        let denominator = i128::from(b) * i128::from(d / common);
        match i64::try_from(numerator) {
            Ok(small) => Rational::from_wide(i128::from(small / common), denominator),
            Err(_) => Rational::from_wide(numerator / i128::from(common), denominator),
        }
    }

    #[cold]
    fn sum_slow(&self, other: &Rational, negate: bool) -> Rational {
        let (a, b, c, d) =
            (self.numerator(), self.denominator(), other.numerator(), other.denominator());
        let (left, right) = (&a * &d, &c * &b);
        Rational::new(if negate { left - right } else { left + right }, &b * &d)
    }

    #[inline]
    fn product(&self, other: &Rational) -> Rational {
        if let (Small(a, UNIT), Small(c, UNIT)) = (&self.0, &other.0)
            && let Some(product) = a.checked_mul(*c)
        {
            return Rational(Small(product, UNIT));
        }
        self.product_of_fractions(other)
    }

    #[inline(never)]
    fn product_of_fractions(&self, other: &Rational) -> Rational {
        let (Small(a, b), Small(c, d)) = (&self.0, &other.0) else {
            return Rational::new(
                self.numerator() * other.numerator(),
                self.denominator() * other.denominator(),
            );
        };
        let (mut a, mut b, mut c, mut d) = (*a, b.get(), *c, d.get());
        // A divisor of a positive denominator fits an i64 and is not negative,
        // so that these divisions cannot overflow.
        let left = gcd_u64(a.unsigned_abs(), d as u64) as i64;
        if left != 1 {
            (a, d) = (a / left, d / left);
        }
        let right = gcd_u64(c.unsigned_abs(), b as u64) as i64;
        if right != 1 {
            (c, b) = (c / right, b / right);
        }
        Rational::from_wide(i128::from(a) * i128::from(c), i128::from(b) * i128::from(d))
    }
}

impl Default for Rational {
    fn default() -> Self {
        Rational::ZERO
    }
}

impl From<Integer> for Rational {
    #[inline]
    fn from(n: Integer) -> Rational {
        Rational::from_coprime(n, Integer::ONE)
    }
}

impl From<&Integer> for Rational {
    fn from(n: &Integer) -> Rational {
        Rational::from_coprime(n.clone(), Integer::ONE)
    }
}

macro_rules! from_small {
    ($($t:ty),*) => {$(
        impl From<$t> for Rational {
            #[inline]
            fn from(n: $t) -> Rational { Rational(Small(i64::from(n), UNIT)) }
        }
    )*};
}
from_small!(i8, i16, i32, i64, u8, u16, u32);

macro_rules! from_wide {
    ($($t:ty),*) => {$(
        impl From<$t> for Rational {
            fn from(n: $t) -> Rational { Rational::from(Integer::from(n)) }
        }
    )*};
}
from_wide!(i128, u64, u128, usize, isize);

macro_rules! binary {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, |$a:ident, $b:ident| $body:expr) => {
        impl $trait<&Rational> for &Rational {
            type Output = Rational;
            #[inline]
            fn $method(self, other: &Rational) -> Rational {
                let ($a, $b) = (self, other);
                $body
            }
        }
        by_value!(Rational, $trait, $method, $assign, $assign_method);
    };
}
binary!(Add, add, AddAssign, add_assign, |a, b| a.sum(b, false));
binary!(Sub, sub, SubAssign, sub_assign, |a, b| a.sum(b, true));
binary!(Mul, mul, MulAssign, mul_assign, |a, b| a.product(b));
binary!(Div, div, DivAssign, div_assign, |a, b| a.product(&b.recip()));

impl Neg for &Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        match &self.0 {
            Small(n, d) => match n.checked_neg() {
                Some(n) => Rational(Small(n, *d)),
                None => Rational::from_wide(-i128::from(*n), i128::from(d.get())),
            },
            Big(b) => Rational::from_coprime(-&b.0, b.1.clone()),
        }
    }
}

impl Neg for Rational {
    type Output = Rational;
    #[inline]
    fn neg(self) -> Rational {
        -&self
    }
}

impl Ord for Rational {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a, b), Small(c, d)) if b == d => a.cmp(c),
            (Small(a, b), Small(c, d)) => {
                (i128::from(*a) * i128::from(d.get())).cmp(&(i128::from(*c) * i128::from(b.get())))
            }
            _ => (self.numerator() * other.denominator())
                .cmp(&(other.numerator() * self.denominator())),
        }
    }
}

impl PartialOrd for Rational {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_integer() {
            write!(f, "{}", self.numerator())
        } else {
            write!(f, "{}/{}", self.numerator(), self.denominator())
        }
    }
}

impl fmt::Debug for Rational {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Rational {
    type Err = ParseNumberError;
    /// Reads `12`, `-1.25` and `3/4`.
    fn from_str(text: &str) -> Result<Rational, ParseNumberError> {
        if let Some((numerator, denominator)) = text.split_once('/') {
            let denominator: Integer = denominator.parse()?;
            if denominator.is_zero() {
                return Err(ParseNumberError);
            }
            return Ok(Rational::new(numerator.parse::<Integer>()?, denominator));
        }
        if let Some((whole, fraction)) = text.split_once('.') {
            if fraction.is_empty() || !fraction.bytes().all(|b| b.is_ascii_digit()) {
                return Err(ParseNumberError);
            }
            let digits: Integer = format!("{whole}{fraction}").parse()?;
            return Ok(Rational::new(digits, Integer::from(10).pow(fraction.len() as u32)));
        }
        Ok(Rational::from(text.parse::<Integer>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part() -> impl Strategy<Value = Integer> {
        prop_oneof![
            (-12i64..12).prop_map(Integer::from),
            any::<i64>().prop_map(Integer::from),
            any::<i128>().prop_map(Integer::from),
            (55u32..66, -2i64..3).prop_map(|(e, d)| Integer::pow2(e) + Integer::from(d)),
        ]
    }

    fn interesting() -> impl Strategy<Value = Rational> {
        (part(), part()).prop_map(|(n, d)| {
            let d = if d.is_zero() { Integer::ONE } else { d };
            Rational::new(n, d)
        })
    }

    fn canonical(r: &Rational) -> bool {
        let (n, d) = (r.numerator(), r.denominator());
        d.is_positive()
            && n.gcd(&d).is_one()
            && matches!(r.0, Small(..)) == (n.to_i64().is_some() && d.to_i64().is_some())
    }

    /// The same value computed without reduction: the textbook definition.
    fn same(r: &Rational, numerator: Integer, denominator: Integer) -> bool {
        canonical(r) && r.numerator() * denominator == numerator * r.denominator()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]
        #[test]
        fn agrees_with_the_definitions(x in interesting(), y in interesting()) {
            let (a, b, c, d) = (x.numerator(), x.denominator(), y.numerator(), y.denominator());
            prop_assert!(same(&(&x + &y), &a * &d + &c * &b, &b * &d));
            prop_assert!(same(&(&x - &y), &a * &d - &c * &b, &b * &d));
            prop_assert!(same(&(&x * &y), &a * &c, &b * &d));
            prop_assert!(same(&-&x, -&a, b.clone()));
            if !y.is_zero() {
                prop_assert!(same(&(&x / &y), &a * &d, &b * &c));
                prop_assert!(same(&y.recip(), d.clone(), c.clone()));
            }
            let mut z = x.clone();
            z.add_mul(&x, &y);
            prop_assert_eq!(z, &x + &(&x * &y));
            prop_assert_eq!(x.cmp(&y), (&a * &d).cmp(&(&c * &b)));
            prop_assert_eq!(x.to_string().parse::<Rational>().unwrap(), x.clone());
        }

        #[test]
        fn rounding(x in interesting()) {
            let (floor, ceil) = (Rational::from(x.floor()), Rational::from(x.ceil()));
            prop_assert!(floor <= x && &x - &floor < Rational::ONE);
            prop_assert!(ceil >= x && &ceil - &x < Rational::ONE);
            prop_assert_eq!(x.is_integer(), floor == ceil);
            prop_assert_eq!(x.to_integer().is_some(), x.is_integer());
        }
    }

    #[test]
    fn sixteen_bytes() {
        assert_eq!(std::mem::size_of::<Rational>(), 16);
        assert_eq!(UNIT.get(), 1);
    }

    #[test]
    fn reading() {
        assert_eq!("-1.25".parse(), Ok(Rational::new(-5, 4)));
        assert_eq!("-0.5".parse(), Ok(Rational::new(-1, 2)));
        assert_eq!("6/-4".parse(), Ok(Rational::new(-3, 2)));
        assert!("1/0".parse::<Rational>().is_err());
        assert!("1.".parse::<Rational>().is_err());
    }
}
