//! Numbers with an infinitesimal part, for strict bounds.
//!
//! `x < 3` becomes `x <= 3 - d` for a positive `d` smaller than anything that
//! matters (Dutertre and de Moura 2006). Which `d` that is gets computed only
//! when a model is wanted.

use std::cmp::Ordering;

use bolide_base::Rational;

/// `standard + delta * d` for an infinitely small positive `d`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct DeltaRational {
    /// The number without its infinitesimal part.
    pub standard: Rational,
    /// The factor of the infinitesimal.
    pub delta: Rational,
}

impl DeltaRational {
    /// The number, and `delta` times an infinitesimal.
    pub fn new(standard: Rational, delta: i64) -> Self {
        DeltaRational { standard, delta: Rational::from(delta) }
    }

    /// Whether there is no infinitesimal part and the rest is an integer.
    pub fn is_integer(&self) -> bool {
        self.delta.is_zero() && self.standard.is_integer()
    }

    /// Adds `factor * other`.
    #[inline]
    pub fn add_mul(&mut self, factor: &Rational, other: &DeltaRational) {
        self.standard.add_mul(factor, &other.standard);
        if !other.delta.is_zero() {
            self.delta.add_mul(factor, &other.delta);
        }
    }

    /// `self - other`.
    #[inline]
    pub fn minus(&self, other: &DeltaRational) -> DeltaRational {
        DeltaRational {
            standard: &self.standard - &other.standard,
            delta: &self.delta - &other.delta,
        }
    }

    /// `self * factor`.
    #[inline]
    pub fn times(&self, factor: &Rational) -> DeltaRational {
        let delta = if self.delta.is_zero() { Rational::default() } else { &self.delta * factor };
        DeltaRational { standard: &self.standard * factor, delta }
    }

    /// The number for a given value of the infinitesimal.
    pub fn at(&self, delta: &Rational) -> Rational {
        let mut result = self.standard.clone();
        result.add_mul(&self.delta, delta);
        result
    }
}

impl From<Rational> for DeltaRational {
    fn from(standard: Rational) -> Self {
        DeltaRational { standard, delta: Rational::default() }
    }
}

impl Ord for DeltaRational {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.standard.cmp(&other.standard).then_with(|| self.delta.cmp(&other.delta))
    }
}

impl PartialOrd for DeltaRational {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Display for DeltaRational {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.delta.signum() {
            0 => write!(f, "{}", self.standard),
            1 => write!(f, "{}+{}d", self.standard, self.delta),
            _ => write!(f, "{}{}d", self.standard, self.delta),
        }
    }
}
