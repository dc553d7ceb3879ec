//! What the theory means, by rational numbers: a tiny format is the list of its values, and
//! rounding looks for neighbours in that list. Nothing here knows of significands.

use crate::{FloatFormat, RoundingMode};
use bolide_base::{Integer, Rational};

/// What a pattern stands for.
#[derive(Clone, Debug, PartialEq)]
pub enum Datum {
    NotANumber,
    Infinite(bool),
    /// The sign matters for zero.
    Finite(bool, Rational),
}

use Datum::{Finite, Infinite, NotANumber};

/// A format as the list of its values.
pub struct Reference {
    format: FloatFormat,
    /// All values from zero on, ascending; the place is the pattern. The last one is no value but
    /// the next after the greatest, where numbers become infinite.
    ladder: Vec<Rational>,
}

fn power(exponent: i64) -> Rational {
    let power = Integer::pow2(exponent.unsigned_abs() as u32);
    if exponent >= 0 { Rational::from(power) } else { Rational::new(1, power) }
}

impl Reference {
    pub fn new(format: FloatFormat) -> Reference {
        let (eb, sb) = (format.exponent, format.significand);
        let bias = (1i64 << (eb - 1)) - 1;
        let mut ladder = vec![Rational::ZERO];
        // Steps of equal size up to the double of the least normal number, then each time twice.
        for field in 0..(1i64 << eb) - 1 {
            let step = power(field.max(1) - bias - i64::from(sb - 1));
            for _ in 0..1 << (sb - 1) {
                let next = ladder.last().unwrap() + &step;
                ladder.push(next);
            }
        }
        Reference { format, ladder }
    }

    fn infinity(&self) -> usize {
        self.ladder.len() - 1
    }

    pub fn decode(&self, pattern: usize) -> Datum {
        let half = 1 << (self.format.width() - 1);
        let (negative, magnitude) = (pattern >= half, pattern % half);
        match magnitude.cmp(&self.infinity()) {
            std::cmp::Ordering::Less => {
                let value = self.ladder[magnitude].clone();
                Finite(negative, if negative { -value } else { value })
            }
            std::cmp::Ordering::Equal => Infinite(negative),
            std::cmp::Ordering::Greater => NotANumber,
        }
    }

    fn with_sign(&self, negative: bool, magnitude: usize) -> usize {
        magnitude + if negative { 1 << (self.format.width() - 1) } else { 0 }
    }

    pub fn encode(&self, datum: &Datum) -> usize {
        match datum {
            NotANumber => self.infinity() + (1 << (self.format.significand - 2)),
            Infinite(negative) => self.with_sign(*negative, self.infinity()),
            Finite(negative, value) => {
                let place = self.ladder.iter().position(|v| *v == value.abs());
                self.with_sign(*negative, place.expect("a value of the format"))
            }
        }
    }

    /// Rounds a number given by how it compares: the sign, and the order of its magnitude
    /// relative to any other.
    fn round_by(
        &self,
        mode: RoundingMode,
        negative: bool,
        compare: impl Fn(&Rational) -> std::cmp::Ordering,
    ) -> usize {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let above = self.ladder.iter().position(|v| compare(v) == Less);
        let below = above.unwrap_or(self.ladder.len()) - 1;
        if below < self.infinity() && compare(&self.ladder[below]) == Equal {
            return self.with_sign(negative, below);
        }
        // From the last on the number is beyond all.
        let beyond = below == self.infinity();
        let lower = below.min(self.infinity() - 1);
        let middle = (&self.ladder[lower] + &self.ladder[lower + 1]) / Rational::from(2);
        let nearer = if beyond { Greater } else { compare(&middle) };
        let up = match (mode, nearer) {
            (RoundingMode::NearestEven, Equal) => lower % 2 == 1,
            (RoundingMode::NearestAway, Equal) => true,
            (RoundingMode::NearestEven | RoundingMode::NearestAway, order) => order == Greater,
            (RoundingMode::TowardPositive, _) => !negative,
            (RoundingMode::TowardNegative, _) => negative,
            (RoundingMode::TowardZero, _) => false,
        };
        self.with_sign(negative, lower + usize::from(up))
    }

    /// The pattern of a number; of zero, the sign is given.
    pub fn round(&self, mode: RoundingMode, value: &Rational, zero_sign: bool) -> usize {
        if value.is_zero() {
            return self.with_sign(zero_sign, 0);
        }
        let magnitude = value.abs();
        self.round_by(mode, value.is_negative(), |v| magnitude.cmp(v))
    }

    pub fn sqrt(&self, mode: RoundingMode, a: &Datum) -> usize {
        match a {
            Finite(_, v) if v.is_positive() => {
                self.round_by(mode, false, |candidate| v.cmp(&(candidate * candidate)))
            }
            Finite(_, v) if v.is_zero() => self.encode(a),
            Infinite(false) => self.encode(a),
            _ => self.encode(&NotANumber),
        }
    }

    /// The sign of a sum that is zero.
    fn cancelled(mode: RoundingMode, p: bool, q: bool) -> bool {
        if p == q { p } else { mode == RoundingMode::TowardNegative }
    }

    pub fn add(&self, mode: RoundingMode, a: &Datum, b: &Datum) -> usize {
        match (a, b) {
            (NotANumber, _) | (_, NotANumber) => self.encode(&NotANumber),
            (Infinite(p), Infinite(q)) if p != q => self.encode(&NotANumber),
            (Infinite(_), _) => self.encode(a),
            (_, Infinite(_)) => self.encode(b),
            (Finite(p, x), Finite(q, y)) => {
                self.round(mode, &(x + y), Self::cancelled(mode, *p, *q))
            }
        }
    }

    /// The exact product.
    fn product(a: &Datum, b: &Datum) -> Datum {
        match (a, b) {
            (NotANumber, _) | (_, NotANumber) => NotANumber,
            (Infinite(p), Infinite(q)) => Infinite(p != q),
            (Infinite(p), Finite(q, v)) | (Finite(p, v), Infinite(q)) => match v.is_zero() {
                true => NotANumber,
                false => Infinite(p != q),
            },
            (Finite(p, x), Finite(q, y)) => Finite(p != q, x * y),
        }
    }

    fn rounded(&self, mode: RoundingMode, datum: &Datum) -> usize {
        match datum {
            Finite(sign, value) => self.round(mode, value, *sign),
            other => self.encode(other),
        }
    }

    pub fn mul(&self, mode: RoundingMode, a: &Datum, b: &Datum) -> usize {
        self.rounded(mode, &Self::product(a, b))
    }

    pub fn fma(&self, mode: RoundingMode, a: &Datum, b: &Datum, c: &Datum) -> usize {
        self.add(mode, &Self::product(a, b), c)
    }

    pub fn div(&self, mode: RoundingMode, a: &Datum, b: &Datum) -> usize {
        let quotient = match (a, b) {
            (NotANumber, _) | (_, NotANumber) | (Infinite(_), Infinite(_)) => NotANumber,
            (Infinite(p), Finite(q, _)) => Infinite(p != q),
            (Finite(p, _), Infinite(q)) => Finite(p != q, Rational::ZERO),
            (Finite(p, x), Finite(q, y)) if y.is_zero() => match x.is_zero() {
                true => NotANumber,
                false => Infinite(p != q),
            },
            (Finite(p, x), Finite(q, y)) => Finite(p != q, x / y),
        };
        self.rounded(mode, &quotient)
    }

    /// `a - b * n`, with `n` the quotient made whole by the mode.
    pub fn remainder(&self, mode: RoundingMode, a: &Datum, b: &Datum) -> usize {
        match (a, b) {
            (Finite(_, _), Infinite(_)) => self.encode(a),
            (Finite(sign, x), Finite(_, y)) if !y.is_zero() => {
                let n = whole(mode, &(x / y));
                self.round(RoundingMode::TowardZero, &(x - &(y * &Rational::from(n))), *sign)
            }
            _ => self.encode(&NotANumber),
        }
    }

    pub fn integral(&self, mode: RoundingMode, a: &Datum) -> usize {
        match a {
            Finite(sign, value) => {
                // Not all whole numbers below the next power of two need be there.
                self.round(mode, &Rational::from(whole(mode, value)), *sign)
            }
            other => self.encode(other),
        }
    }

    /// The value in another format.
    pub fn convert(&self, to: &Reference, mode: RoundingMode, a: &Datum) -> usize {
        to.rounded(mode, a)
    }
}

/// The whole number next to a number.
pub fn whole(mode: RoundingMode, value: &Rational) -> Integer {
    let (floor, ceil) = (value.floor(), value.ceil());
    let middle = (Rational::from(&floor) + Rational::from(&ceil)) / Rational::from(2);
    match mode {
        RoundingMode::TowardPositive => ceil,
        RoundingMode::TowardNegative => floor,
        RoundingMode::TowardZero if value.is_negative() => ceil,
        RoundingMode::TowardZero => floor,
        _ if *value < middle => floor,
        _ if *value > middle => ceil,
        RoundingMode::NearestEven if floor.is_even() => floor,
        RoundingMode::NearestAway if value.is_negative() => floor,
        _ => ceil,
    }
}

/// The order of two data; none where one is no number.
pub fn order(a: &Datum, b: &Datum) -> Option<std::cmp::Ordering> {
    let rank = |d: &Datum| match d {
        Infinite(true) => Some((-1, Rational::ZERO)),
        Infinite(false) => Some((1, Rational::ZERO)),
        Finite(_, v) => Some((0, v.clone())),
        NotANumber => None,
    };
    Some(rank(a)?.cmp(&rank(b)?))
}
