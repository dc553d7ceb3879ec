//! Conversions: between formats, from and to integers, from numbers, to whole numbers, and the
//! patterns of x87.

use super::exact::{Exact, bits_for};
use super::{FloatFormat, RoundingMode};
use crate::{TermId, TermStore};
use bolide_base::{Integer, Rational};

impl TermStore {
    /// The value in another format, rounded.
    pub fn mk_float_convert(
        &mut self,
        from: FloatFormat,
        to: FloatFormat,
        rounding: TermId,
        a: TermId,
    ) -> TermId {
        if from == to {
            return self.mk_float_canonical(from, a);
        }
        let a = self.float_any_nan(from, a);
        let x = self.float_unpacked_normal(from, a);
        let result = self.float_rounded(to, rounding, x);
        let infinity = self.mk_bv(to.infinity(false), to.width() - 1);
        let sign = self.bv_from_bool(x.sign);
        let infinity = self.mk_bv_concat(&[sign, infinity]);
        let is_infinite = self.mk_float_is_infinite(from, a);
        let result = self.mk_ite(is_infinite, infinity, result);
        let (is_nan, nan) = (self.mk_float_is_nan(from, a), self.mk_float_nan(to));
        self.mk_ite(is_nan, nan, result)
    }

    /// The integer that the bits denote, rounded to a float.
    pub fn mk_float_from_bv(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        a: TermId,
        signed: bool,
    ) -> TermId {
        let width = self.width(a);
        let sign = if signed { self.bv_bit(width - 1, a) } else { TermId::FALSE };
        let negated = self.mk_bv_neg(a);
        let significand = self.mk_ite(sign, negated, a);
        let exponent = self.mk_bv(width - 1, bits_for(i64::from(width - 1)));
        let x = self.float_normalised(Exact { sign, exponent, low: 0, significand });
        self.float_rounded(format, rounding, x)
    }

    /// The integer next to a float by the mode, in so many bits, and whether it has a place there.
    /// Where it has none, and of infinities and NaN, the bits mean nothing.
    pub fn mk_float_to_bv(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        a: TermId,
        width: u32,
        signed: bool,
    ) -> (TermId, TermId) {
        let a = self.float_any_nan(format, a);
        let x = self.float_unpacked(format, a);
        // One digit more than asked for, and two for rounding; the first weighs 2^width.
        let register = self.bv_sticky(width + 3, x.significand);
        // Exponents above `width` have no place, so that the distance is never negative.
        let most = (1i64 << self.width(x.exponent)) - 1;
        let distance = i64::from(width) - x.low;
        let bits = bits_for(distance.max(most));
        let exponent = self.bv_in_width(bits, x.exponent);
        let (farthest, zero) = (self.mk_bv(distance.max(0), bits), self.mk_bv(0, bits));
        let too_large = match distance < 0 {
            // Even the least exponent is too large: of formats with few of them.
            true => TermId::TRUE,
            false => self.mk_bv_ult(farthest, exponent),
        };
        let amount = self.bv_difference(farthest, exponent);
        let amount = self.mk_ite(too_large, zero, amount);
        let shifted = self.bv_shift_sticky(register, amount);
        let lost = self.mk_bv_extract(1, 0, shifted);
        let odd = self.bv_bit(2, shifted);
        let up = self.float_rounds_up(rounding, x.sign, odd, lost);
        let up = self.bv_from_bool(up);
        let up = self.bv_in_width(width + 1, up);
        let whole = self.mk_bv_extract(width + 2, 2, shifted);
        let magnitude = self.mk_bv_add(&[whole, up]);

        // A sum that wraps around is in the first place from 2^width on.
        let overflowed = self.bv_bit(width + 2, shifted);
        let negative_most = if signed { Integer::pow2(width - 1) } else { Integer::ZERO };
        let positive_most = Integer::pow2(if signed { width - 1 } else { width }) - Integer::ONE;
        let [below, above] = [negative_most, positive_most].map(|n| self.mk_bv(n, width + 1));
        let bound = self.mk_ite(x.sign, below, above);
        let within = self.mk_bv_ule(magnitude, bound);
        let is_nan = self.mk_float_is_nan(format, a);
        let is_infinite = self.mk_float_is_infinite(format, a);
        let outside = self.mk_or(&[too_large, overflowed, is_nan, is_infinite]);
        let inside = self.mk_not(outside);
        let in_range = self.mk_and(&[within, inside]);
        let magnitude = self.mk_bv_extract(width - 1, 0, magnitude);
        let negated = self.mk_bv_neg(magnitude);
        (self.mk_ite(x.sign, negated, magnitude), in_range)
    }

    /// The number that a pattern denotes, as a real: the digits in their place on a line that is long enough for all
    /// exponents, times the least weight. Any number where the float is infinite or none.
    pub fn mk_float_to_real(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let x = self.float_unpacked(format, a);
        let width = format.significand + (1 << format.exponent) - 2;
        let [digits, amount] = [x.significand, x.exponent].map(|v| self.bv_in_width(width, v));
        let line = self.mk_bv_shl(digits, amount);
        let magnitude = self.mk_bv_to_int(line, false);
        let negated = self.mk_neg(magnitude);
        let number = self.mk_ite(x.sign, negated, magnitude);
        let number = self.mk_to_real(number);
        let least = x.low - i64::from(format.significand - 1);
        let scale = Integer::pow2(u32::try_from(least.abs()).unwrap_or(u32::MAX));
        let weight = match least < 0 {
            true => Rational::new(Integer::ONE, scale),
            false => Rational::from(scale),
        };
        let weight = self.mk_real(weight);
        self.mk_mul(&[weight, number])
    }

    /// A number, rounded.
    pub fn mk_float_from_rational(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        number: &Rational,
    ) -> TermId {
        if number.is_zero() {
            return self.mk_float_zero(format, false);
        }
        let (numerator, denominator) = (number.numerator().abs(), number.denominator());
        let length = |n: &Integer| i64::from(n.bit_length());
        let wanted = i64::from(format.significand) + 3;
        // So that the quotient has `wanted` digits, or one more.
        let scale = wanted - (length(&numerator) - length(&denominator));
        let by = u32::try_from(scale.abs()).unwrap_or(u32::MAX);
        let (dividend, divisor) = match scale >= 0 {
            true => (numerator.shl(by), denominator),
            false => (numerator, denominator.shl(by)),
        };
        let (quotient, rest) = dividend.div_rem_euclid(&divisor);
        let width = quotient.bit_length();
        let sticky = Integer::from(i64::from(!rest.is_zero()));
        let significand = self.mk_bv(quotient.bit_or(&sticky), width);
        // Far outside of the format all numbers are alike.
        let least = format.least_exponent() - wanted;
        let low = (i64::from(width) - 1 - scale).clamp(least, 1 << format.exponent);
        let exponent = self.mk_bv(0, 1);
        let sign = self.mk_bool(number.is_negative());
        self.float_rounded(format, rounding, Exact { sign, exponent, low, significand })
    }

    /// The whole number next to a float by the mode, as a float: with a fixed mode `floor`,
    /// `ceil`, `trunc`, `round`; with the current one `rint`.
    ///
    /// From one on, the pattern without the digits behind the point is the truncated number, and
    /// the next whole number is that plus the least digit kept: a carry makes the next exponent.
    pub fn mk_float_round_to_integral(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        a: TermId,
    ) -> TermId {
        let a = self.float_any_nan(format, a);
        let (eb, fraction_bits) = (format.exponent, format.significand - 1);
        let sign = self.float_sign(format, a);
        let field = self.float_exponent_field(format, a);
        let magnitude = self.float_magnitude(format, a);
        let bits = bits_for(format.bias() + i64::from(fraction_bits)).max(eb);
        let field = self.bv_in_width(bits, field);
        let all_whole = self.mk_bv(format.bias() + i64::from(fraction_bits), bits);
        let one = self.mk_bv(format.bias(), bits);
        let is_whole = self.mk_bv_ule(all_whole, field);
        let below_one = self.mk_bv_ult(field, one);

        let dropped = self.bv_difference(all_whole, field);
        let dropped = self.mk_bv_extract(bits_for(i64::from(fraction_bits)) - 1, 0, dropped);
        let register = self.bv_padded(2, magnitude);
        let shifted = self.bv_shift_sticky(register, dropped);
        let lost = self.mk_bv_extract(1, 0, shifted);
        let odd = self.bv_bit(2, shifted);
        let up = self.float_rounds_up(rounding, sign, odd, lost);
        let up = self.bv_from_bool(up);
        let up = self.bv_in_width(format.width() - 1, up);
        let kept = self.mk_bv_extract(format.width(), 2, shifted);
        let next = self.mk_bv_add(&[kept, up]);
        let dropped = self.bv_in_width(format.width() - 1, dropped);
        let large = self.mk_bv_shl(next, dropped);

        // Below one: a half or more, and the rest. With two bits of exponent a half is subnormal.
        let half = match format.bias() - 1 {
            0 => Integer::pow2(fraction_bits - 1),
            field => Integer::from(field).shl(fraction_bits),
        };
        let half = self.mk_bv(half, format.width() - 1);
        let from_half = self.mk_bv_ule(half, magnitude);
        let not_half = self.mk_neq(magnitude, half);
        let is_zero = self.bv_is_zero(magnitude);
        let something = self.mk_not(is_zero);
        let rest = self.mk_and(&[not_half, something]);
        let [from_half, rest] = [from_half, rest].map(|c| self.bv_from_bool(c));
        let lost = self.mk_bv_concat(&[from_half, rest]);
        let up = self.float_rounds_up(rounding, sign, TermId::FALSE, lost);
        let one = self.mk_bv(Integer::from(format.bias()).shl(fraction_bits), format.width() - 1);
        let zero = self.mk_bv(0, format.width() - 1);
        let small = self.mk_ite(up, one, zero);

        let result = self.mk_ite(below_one, small, large);
        let sign = self.bv_from_bool(sign);
        let result = self.mk_bv_concat(&[sign, result]);
        let result = self.mk_ite(is_whole, a, result);
        let (is_nan, nan) = (self.mk_float_is_nan(format, a), self.mk_float_nan(format));
        self.mk_ite(is_nan, nan, result)
    }

    /// The value of an 80-bit pattern of x87, whose first digit of the significand is explicit.
    /// Patterns that the machine refuses as operands are NaN.
    pub fn mk_float_from_x87(&mut self, pattern: TermId) -> TermId {
        let format = FloatFormat::EXTENDED;
        let sign = self.mk_bv_extract(79, 79, pattern);
        let field = self.mk_bv_extract(78, 64, pattern);
        let first = self.bv_bit(63, pattern);
        let fraction = self.mk_bv_extract(62, 0, pattern);
        // A number with a first digit and the field of subnormal ones is the least normal.
        let is_subnormal = self.bv_is_zero(field);
        let (digit, one) = (self.bv_from_bool(first), self.mk_bv(1, 1));
        let last = self.mk_ite(is_subnormal, digit, one);
        let least = self.bv_in_width(format.exponent, last);
        let field = self.mk_ite(is_subnormal, least, field);
        let value = self.mk_bv_concat(&[sign, field, fraction]);
        let unusual = self.mk_or(&[first, is_subnormal]);
        let nan = self.mk_float_nan(format);
        let value = self.mk_ite(unusual, value, nan);
        self.mk_float_canonical(format, value)
    }

    /// The 80-bit pattern of x87 for a value.
    pub fn mk_float_to_x87(&mut self, a: TermId) -> TermId {
        let format = FloatFormat::EXTENDED;
        let sign = self.mk_bv_extract(format.width() - 1, format.width() - 1, a);
        let field = self.float_exponent_field(format, a);
        let subnormal = self.bv_is_zero(field);
        let normal = self.mk_not(subnormal);
        let first = self.bv_from_bool(normal);
        let fraction = self.float_fraction(format, a);
        self.mk_bv_concat(&[sign, field, first, fraction])
    }

    /// `floor`, `ceil`, `trunc`, `round` of C: a whole number by a fixed mode.
    pub fn mk_float_whole(&mut self, format: FloatFormat, mode: RoundingMode, a: TermId) -> TermId {
        let mode = self.mk_rounding_mode(mode);
        self.mk_float_round_to_integral(format, mode, a)
    }
}
