//! Formats of floats, modes of rounding, and the numbers that patterns denote.

use crate::{TermId, TermStore};
use bolide_base::{Integer, Rational};

/// The widest exponent: bounds of exponents are counted in 64 bits.
pub const WIDEST_EXPONENT: u32 = 30;

/// A format as SMT-LIB names it: the interchange pattern is a sign, `exponent` bits and
/// `significand - 1` bits, since the first bit of the significand is implied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FloatFormat {
    /// Bits of the exponent, 2 to [`WIDEST_EXPONENT`].
    pub exponent: u32,
    /// Bits of the significand with the hidden one, at least 2.
    pub significand: u32,
}

impl FloatFormat {
    /// IEEE binary16.
    pub const HALF: FloatFormat = FloatFormat { exponent: 5, significand: 11 };
    /// IEEE binary32: C's `float`.
    pub const SINGLE: FloatFormat = FloatFormat { exponent: 8, significand: 24 };
    /// IEEE binary64: C's `double`.
    pub const DOUBLE: FloatFormat = FloatFormat { exponent: 11, significand: 53 };
    /// IEEE binary128.
    pub const QUADRUPLE: FloatFormat = FloatFormat { exponent: 15, significand: 113 };
    /// The numbers of x87's `long double`. Its patterns in memory show the hidden bit: see
    /// [`TermStore::mk_float_from_x87`].
    pub const EXTENDED: FloatFormat = FloatFormat { exponent: 15, significand: 64 };

    /// Bits of a pattern.
    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }

    /// What is added to an exponent to make its field; also the greatest exponent.
    pub(super) fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of the least normal number.
    pub(super) fn least_exponent(self) -> i64 {
        1 - self.bias()
    }

    /// The pattern of the infinity with that sign.
    pub fn infinity(self, negative: bool) -> Integer {
        let fields = Integer::pow2(self.exponent) - Integer::ONE;
        self.zero(negative) + fields.shl(self.significand - 1)
    }

    /// The pattern of the zero with that sign.
    pub fn zero(self, negative: bool) -> Integer {
        if negative { Integer::pow2(self.width() - 1) } else { Integer::ZERO }
    }

    /// The pattern of the NaN that operations yield: quiet, positive, without payload.
    pub fn nan(self) -> Integer {
        self.infinity(false) + Integer::pow2(self.significand - 2)
    }

    /// The number that a pattern denotes; none for infinities and NaN.
    pub fn value(self, pattern: &Integer) -> Option<Rational> {
        let fraction_bits = self.significand - 1;
        let fields = pattern.shr(fraction_bits).rem_euclid(&Integer::pow2(self.exponent));
        let fraction = pattern.rem_euclid(&Integer::pow2(fraction_bits));
        let field = fields.to_i64()?;
        if field == (1 << self.exponent) - 1 {
            return None;
        }
        let hidden = if field == 0 { Integer::ZERO } else { Integer::pow2(fraction_bits) };
        let exponent = field.max(1) - self.bias() - i64::from(fraction_bits);
        let power = Integer::pow2(u32::try_from(exponent.abs()).ok()?);
        let significand = fraction + hidden;
        let magnitude = match exponent >= 0 {
            true => Rational::from(significand * power),
            false => Rational::new(significand, power),
        };
        Some(if pattern.bit(self.width() - 1) { -magnitude } else { magnitude })
    }
}

/// How a result that is no float becomes one. As a term it is three bits wide; numbers that are no
/// mode round towards zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoundingMode {
    /// `RNE`: to the nearest, ties to the even one.
    NearestEven,
    /// `RNA`: to the nearest, ties away from zero.
    NearestAway,
    /// `RTP`: up.
    TowardPositive,
    /// `RTN`: down.
    TowardNegative,
    /// `RTZ`: towards zero.
    TowardZero,
}

impl RoundingMode {
    /// All modes, in the order of their numbers.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
        RoundingMode::TowardZero,
    ];

    /// Bits of a mode as a term.
    pub const WIDTH: u32 = 3;
}

impl TermStore {
    /// The mode as a term.
    pub fn mk_rounding_mode(&mut self, mode: RoundingMode) -> TermId {
        self.mk_bv(mode as i64, RoundingMode::WIDTH)
    }

    /// Whether a term is this mode.
    pub(super) fn is_rounding(&mut self, rounding: TermId, mode: RoundingMode) -> TermId {
        let mode = self.mk_rounding_mode(mode);
        self.mk_eq(rounding, mode)
    }

    /// The constant NaN.
    pub fn mk_float_nan(&mut self, format: FloatFormat) -> TermId {
        self.mk_bv(format.nan(), format.width())
    }

    /// A constant infinity.
    pub fn mk_float_infinity(&mut self, format: FloatFormat, negative: bool) -> TermId {
        self.mk_bv(format.infinity(negative), format.width())
    }

    /// A constant zero.
    pub fn mk_float_zero(&mut self, format: FloatFormat, negative: bool) -> TermId {
        self.mk_bv(format.zero(negative), format.width())
    }
}
