//! Integers of any size that are cheap while they are small.
//!
//! Nearly every number in a verification run fits a machine word, so an
//! [`Integer`] is an `i64` until an operation overflows; the intermediate
//! result is then an `i128` and at last a `dashu` big integer in a box. The
//! representation is canonical (big only when the value does not fit an
//! `i64`), therefore equality and hashing are structural.

use dashu_int::IBig;
use dashu_int::ops::{BitTest, DivRemEuclid, Gcd, RemEuclid};
use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

/// An integer without bounds.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Integer(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    /// Only values outside of `i64`.
    Big(Box<IBig>),
}

use Repr::{Big, Small};

/// An operator by value and as an assignment, from the one on references.
macro_rules! by_value {
    ($type:ident, $trait:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        impl $trait<$type> for $type {
            type Output = $type;
            #[inline]
            fn $method(self, other: $type) -> $type {
                (&self).$method(&other)
            }
        }
        impl $trait<&$type> for $type {
            type Output = $type;
            #[inline]
            fn $method(self, other: &$type) -> $type {
                (&self).$method(other)
            }
        }
        impl $trait<$type> for &$type {
            type Output = $type;
            #[inline]
            fn $method(self, other: $type) -> $type {
                self.$method(&other)
            }
        }
        impl $assign<&$type> for $type {
            #[inline]
            fn $assign_method(&mut self, other: &$type) {
                *self = (&*self).$method(other);
            }
        }
        impl $assign<$type> for $type {
            #[inline]
            fn $assign_method(&mut self, other: $type) {
                *self = (&*self).$method(&other);
            }
        }
    };
}
pub(crate) use by_value;

/// Greatest common divisor of machine words; `gcd(0, n) = n`.
#[inline]
pub fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    if a == 0 {
        return b;
    }
    if b == 0 {
        return a;
    }
    if a == 1 || b == 1 {
        return 1;
    }
    let shift = (a | b).trailing_zeros();
    a >>= a.trailing_zeros();
    loop {
        b >>= b.trailing_zeros();
        if a > b {
            std::mem::swap(&mut a, &mut b);
        }
        b -= a;
        if b == 0 {
            return a << shift;
        }
    }
}

impl Integer {
    /// Zero.
    pub const ZERO: Integer = Integer(Small(0));
    /// One.
    pub const ONE: Integer = Integer(Small(1));
    /// Minus one.
    pub const MINUS_ONE: Integer = Integer(Small(-1));

    #[cold]
    fn from_big(value: IBig) -> Integer {
        match i64::try_from(&value) {
            Ok(small) => Integer(Small(small)),
            Err(_) => Integer(Big(Box::new(value))),
        }
    }

    fn to_big(&self) -> IBig {
        match &self.0 {
            Small(n) => IBig::from(*n),
            Big(n) => (**n).clone(),
        }
    }

    /// Two to the power of `exponent`.
    pub fn pow2(exponent: u32) -> Integer {
        if exponent < 63 {
            Integer(Small(1 << exponent))
        } else {
            Integer::from_big(IBig::ONE << exponent as usize)
        }
    }

    /// This to the power of `exponent`.
    pub fn pow(&self, exponent: u32) -> Integer {
        if let Small(n) = self.0
            && let Some(power) = n.checked_pow(exponent)
        {
            return Integer(Small(power));
        }
        Integer::from_big(self.to_big().pow(exponent as usize))
    }

    /// The value as a machine word, where it fits.
    #[inline]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Small(n) => Some(n),
            Big(_) => None,
        }
    }

    /// The value as a double word, where it fits.
    pub fn to_i128(&self) -> Option<i128> {
        match &self.0 {
            Small(n) => Some(i128::from(*n)),
            Big(n) => i128::try_from(&**n).ok(),
        }
    }

    /// The value as an unsigned word, where it fits.
    pub fn to_u32(&self) -> Option<u32> {
        self.to_i64().and_then(|n| u32::try_from(n).ok())
    }

    /// Whether this is zero.
    #[inline]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Small(0))
    }

    /// Whether this is one.
    #[inline]
    pub fn is_one(&self) -> bool {
        matches!(self.0, Small(1))
    }

    /// -1, 0 or 1.
    #[inline]
    pub fn signum(&self) -> i32 {
        match &self.0 {
            Small(n) => n.signum() as i32,
            Big(n) => {
                if **n < IBig::ZERO {
                    -1
                } else {
                    1
                }
            }
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

    /// Whether two divides this.
    pub fn is_even(&self) -> bool {
        match &self.0 {
            Small(n) => n & 1 == 0,
            Big(n) => !n.bit(0),
        }
    }

    /// The absolute value.
    pub fn abs(&self) -> Integer {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// Greatest common divisor, never negative; `gcd(0, n) = |n|`.
    pub fn gcd(&self, other: &Integer) -> Integer {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => Integer::from(gcd_u64(a.unsigned_abs(), b.unsigned_abs())),
            _ if self.is_zero() => other.abs(),
            _ if other.is_zero() => self.abs(),
            _ => Integer::from_big(IBig::from(self.to_big().gcd(other.to_big()))),
        }
    }

    /// Least common multiple, never negative.
    pub fn lcm(&self, other: &Integer) -> Integer {
        if self.is_zero() || other.is_zero() {
            return Integer::ZERO;
        }
        (&self.div_exact(&self.gcd(other)) * other).abs()
    }

    /// Quotient and remainder with `0 <= remainder < |divisor|`: the `div` and
    /// `mod` of SMT-LIB. Panics when the divisor is zero.
    pub fn div_rem_euclid(&self, divisor: &Integer) -> (Integer, Integer) {
        match (&self.0, &divisor.0) {
            (Small(a), Small(b)) if *b != -1 => {
                (Integer(Small(a.div_euclid(*b))), Integer(Small(a.rem_euclid(*b))))
            }
            (_, Small(-1)) => (-self, Integer::ZERO),
            _ => {
                let (quotient, remainder) = self.to_big().div_rem_euclid(divisor.to_big());
                (Integer::from_big(quotient), Integer::from_big(IBig::from(remainder)))
            }
        }
    }

    /// The largest integer not above the quotient. Panics when the divisor is zero.
    pub fn div_floor(&self, divisor: &Integer) -> Integer {
        let (quotient, remainder) = self.div_rem_euclid(divisor);
        // Euclidean division rounds towards plus infinity for negative divisors.
        if divisor.is_negative() && !remainder.is_zero() {
            quotient - Integer::ONE
        } else {
            quotient
        }
    }

    /// The smallest integer not below the quotient. Panics when the divisor is zero.
    pub fn div_ceil(&self, divisor: &Integer) -> Integer {
        -(-self).div_floor(divisor)
    }

    /// What [`div_floor`](Self::div_floor) leaves; has the sign of the divisor.
    pub fn mod_floor(&self, divisor: &Integer) -> Integer {
        let remainder = self.rem_euclid(divisor);
        if divisor.is_negative() && !remainder.is_zero() { remainder + divisor } else { remainder }
    }

    /// The remainder in `0 .. |divisor|`. Panics when the divisor is zero.
    pub fn rem_euclid(&self, divisor: &Integer) -> Integer {
        match (&self.0, &divisor.0) {
            (_, Small(1 | -1)) => Integer::ZERO,
            (Small(a), Small(b)) => Integer(Small(a.rem_euclid(*b))),
            _ => Integer::from_big(IBig::from(self.to_big().rem_euclid(divisor.to_big()))),
        }
    }

    /// The quotient where it is known that nothing remains.
    pub fn div_exact(&self, divisor: &Integer) -> Integer {
        match (&self.0, &divisor.0) {
            (_, Small(1)) => self.clone(),
            (Small(a), Small(b)) if *b != -1 => {
                debug_assert_eq!(a % b, 0);
                Integer(Small(a / b))
            }
            _ => {
                let (quotient, remainder) = self.div_rem_euclid(divisor);
                debug_assert!(remainder.is_zero());
                quotient
            }
        }
    }

    /// Whether this divides `other` without remainder; zero divides only zero.
    pub fn divides(&self, other: &Integer) -> bool {
        if self.is_zero() { other.is_zero() } else { other.rem_euclid(self).is_zero() }
    }

    /// This times two to the power of `amount`.
    pub fn shl(&self, amount: u32) -> Integer {
        match self.0 {
            Small(0) => Integer::ZERO,
            Small(n) if amount < 63 && (n << amount) >> amount == n => Integer(Small(n << amount)),
            _ => Integer::from_big(self.to_big() << amount as usize),
        }
    }

    /// This divided by two to the power of `amount`, rounded down.
    pub fn shr(&self, amount: u32) -> Integer {
        match &self.0 {
            Small(n) => Integer(Small(n >> amount.min(63))),
            Big(n) => Integer::from_big((**n).clone() >> amount as usize),
        }
    }

    /// Bit `index` of the two's complement.
    pub fn bit(&self, index: u32) -> bool {
        match &self.0 {
            Small(n) => (n >> index.min(63)) & 1 == 1,
            Big(n) => {
                // Arithmetic shift keeps the two's complement reading.
                if n.sign() == dashu_int::Sign::Negative {
                    !self.shr(index).is_even()
                } else {
                    n.bit(index as usize)
                }
            }
        }
    }

    /// How many bits the absolute value needs; zero needs none.
    pub fn bit_length(&self) -> u32 {
        match &self.0 {
            Small(n) => 64 - n.unsigned_abs().leading_zeros(),
            Big(n) => (**n).clone().into_parts().1.bit_len() as u32,
        }
    }

    /// Reads digits of the given radix (2 to 36), with an optional sign.
    pub fn from_str_radix(text: &str, radix: u32) -> Option<Integer> {
        if radix == 10 && text.len() <= 18 {
            return text.parse::<i64>().ok().map(Integer::from);
        }
        IBig::from_str_radix(text, radix).ok().map(Integer::from_big)
    }
}

macro_rules! bitwise {
    ($(#[$doc:meta] $method:ident $op:tt)*) => {
        impl Integer {$(
            #[$doc]
            pub fn $method(&self, other: &Integer) -> Integer {
                match (&self.0, &other.0) {
                    (Small(a), Small(b)) => Integer(Small(a $op b)),
                    _ => Integer::from_big(self.to_big() $op other.to_big()),
                }
            }
        )*}
    };
}
bitwise! {
    #[doc = "Bitwise and of the two's complements."] bit_and &
    #[doc = "Bitwise or of the two's complements."] bit_or |
    #[doc = "Bitwise exclusive or of the two's complements."] bit_xor ^
}

impl Default for Integer {
    fn default() -> Self {
        Integer::ZERO
    }
}

macro_rules! from_small {
    ($($t:ty),*) => {$(
        impl From<$t> for Integer {
            #[inline]
            fn from(n: $t) -> Integer { Integer(Small(i64::from(n))) }
        }
    )*};
}
from_small!(i8, i16, i32, i64, u8, u16, u32, bool);

macro_rules! from_wide {
    ($($t:ty),*) => {$(
        impl From<$t> for Integer {
            #[inline]
            fn from(n: $t) -> Integer {
                match i64::try_from(n) {
                    Ok(small) => Integer(Small(small)),
                    Err(_) => Integer(Big(Box::new(IBig::from(n)))),
                }
            }
        }
    )*};
}
from_wide!(i128, u64, u128, usize, isize);

macro_rules! binary {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, $checked:ident, $op:tt) => {
        impl $trait<&Integer> for &Integer {
            type Output = Integer;
            #[inline]
            fn $method(self, other: &Integer) -> Integer {
                if let (Small(a), Small(b)) = (&self.0, &other.0) {
                    return match a.$checked(*b) {
                        Some(n) => Integer(Small(n)),
                        None => Integer::from(i128::from(*a) $op i128::from(*b)),
                    };
                }
                Integer::from_big(self.to_big() $op other.to_big())
            }
        }
        by_value!(Integer, $trait, $method, $assign, $assign_method);
    };
}
binary!(Add, add, AddAssign, add_assign, checked_add, +);
binary!(Sub, sub, SubAssign, sub_assign, checked_sub, -);
binary!(Mul, mul, MulAssign, mul_assign, checked_mul, *);

impl Neg for &Integer {
    type Output = Integer;
    #[inline]
    fn neg(self) -> Integer {
        match &self.0 {
            Small(n) => match n.checked_neg() {
                Some(n) => Integer(Small(n)),
                None => Integer::from(-i128::from(*n)),
            },
            Big(n) => Integer::from_big(-(**n).clone()),
        }
    }
}

impl Neg for Integer {
    type Output = Integer;
    #[inline]
    fn neg(self) -> Integer {
        -&self
    }
}

impl Ord for Integer {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        match (&self.0, &other.0) {
            (Small(a), Small(b)) => a.cmp(b),
            (Big(a), Big(b)) => a.cmp(b),
            // A big value lies outside of the range of the small ones.
            (Small(_), Big(_)) => 0.cmp(&other.signum()),
            (Big(_), Small(_)) => self.signum().cmp(&0),
        }
    }
}

impl PartialOrd for Integer {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq<i64> for Integer {
    fn eq(&self, other: &i64) -> bool {
        matches!(self.0, Small(n) if n == *other)
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Small(n) => fmt::Display::fmt(n, f),
            Big(n) => fmt::Display::fmt(n, f),
        }
    }
}

impl fmt::Debug for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text was no number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseNumberError;

impl fmt::Display for ParseNumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a number")
    }
}

impl std::error::Error for ParseNumberError {}

impl FromStr for Integer {
    type Err = ParseNumberError;
    fn from_str(text: &str) -> Result<Integer, ParseNumberError> {
        Integer::from_str_radix(text, 10).ok_or(ParseNumberError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Values that crowd around the borders of the representations.
    fn interesting() -> impl Strategy<Value = Integer> {
        prop_oneof![
            (-20i64..20).prop_map(Integer::from),
            any::<i64>().prop_map(Integer::from),
            any::<i128>().prop_map(Integer::from),
            (0u32..70, -3i64..4).prop_map(|(e, d)| Integer::pow2(e) + Integer::from(d)),
            (0u32..70, -3i64..4).prop_map(|(e, d)| -Integer::pow2(e) + Integer::from(d)),
        ]
    }

    fn canonical(n: &Integer) -> bool {
        match &n.0 {
            Small(_) => true,
            Big(b) => i64::try_from(&**b).is_err(),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn agrees_with_dashu(a in interesting(), b in interesting()) {
            let (x, y) = (a.to_big(), b.to_big());
            for (ours, theirs) in [
                (&a + &b, &x + &y),
                (&a - &b, &x - &y),
                (&a * &b, &x * &y),
                (-&a, -&x),
                (a.bit_and(&b), x.clone() & y.clone()),
                (a.bit_or(&b), x.clone() | y.clone()),
                (a.bit_xor(&b), x.clone() ^ y.clone()),
            ] {
                prop_assert_eq!(ours.to_big(), theirs);
                prop_assert!(canonical(&ours));
            }
            prop_assert_eq!(a.cmp(&b), x.cmp(&y));
            prop_assert_eq!(a.to_string().parse::<Integer>().unwrap(), a.clone());
            prop_assert_eq!(a.signum(), x.cmp(&IBig::ZERO) as i32);
            prop_assert_eq!(a.is_even(), (&x % 2i32) == 0);
        }

        #[test]
        fn division_laws(a in interesting(), b in interesting()) {
            prop_assume!(!b.is_zero());
            let (q, r) = a.div_rem_euclid(&b);
            prop_assert_eq!(&(&q * &b) + &r, a.clone());
            prop_assert!(!r.is_negative() && r < b.abs());
            prop_assert_eq!(a.rem_euclid(&b), r);
            prop_assert!(canonical(&q));
            let (f, m) = (a.div_floor(&b), a.mod_floor(&b));
            prop_assert_eq!(&(&f * &b) + &m, a.clone());
            prop_assert!(m.is_zero() || m.signum() == b.signum());
            prop_assert!(m.abs() < b.abs());
            prop_assert_eq!(a.div_ceil(&b), -((-&a).div_floor(&b)));
            prop_assert_eq!((&a * &b).div_exact(&b), a.clone());
            prop_assert!(b.divides(&(&a * &b)));
        }

        #[test]
        fn gcd_laws(a in interesting(), b in interesting()) {
            let g = a.gcd(&b);
            prop_assert!(!g.is_negative());
            prop_assert_eq!(g.is_zero(), a.is_zero() && b.is_zero());
            prop_assert!(g.divides(&a) && g.divides(&b));
            if !g.is_zero() {
                prop_assert!(a.div_exact(&g).gcd(&b.div_exact(&g)).is_one());
                prop_assert_eq!(&a.lcm(&b) * &g, (&a * &b).abs());
            }
        }

        #[test]
        fn shifts(a in interesting(), n in 0u32..130) {
            prop_assert_eq!(a.shl(n), &a * &Integer::pow2(n));
            prop_assert_eq!(a.shr(n), a.div_floor(&Integer::pow2(n)));
            prop_assert_eq!(a.bit(n), !a.shr(n).is_even());
            let length = a.bit_length();
            prop_assert!(a.abs() < Integer::pow2(length));
            prop_assert!(length == 0 || a.abs() >= Integer::pow2(length - 1));
        }
    }

    #[test]
    fn sixteen_bytes() {
        assert_eq!(std::mem::size_of::<Integer>(), 16);
    }

    #[test]
    fn borders() {
        let min = Integer::from(i64::MIN);
        assert_eq!((-&min).to_string(), "9223372036854775808");
        assert_eq!(min.div_rem_euclid(&Integer::MINUS_ONE).0, -&min);
        assert_eq!(min.div_exact(&Integer::MINUS_ONE), -&min);
        assert_eq!(min.abs().gcd(&min), -&min);
        assert_eq!(Integer::from(3).pow(50).to_string(), "717897987691852588770249");
        assert_eq!(Integer::from_str_radix("ff", 16), Some(Integer::from(255)));
        assert!("12a".parse::<Integer>().is_err());
    }
}
