//! Remainders: `fp.rem`, which is IEEE's and C's `remainder`, and C's `fmod`.
//!
//! Long division, a digit of the quotient for each exponent that the dividend can be above the
//! divisor: 277 of them for `float`, 2,098 for `double`. The register counts in halves of the
//! divisor's last digit, so that one that is just above the dividend needs no case of its own.

use super::FloatFormat;
use super::exact::{Exact, bits_for};
use crate::{TermId, TermStore};

impl TermStore {
    /// `a - b * n` with `n` the whole number next to `a / b`, the even one of two.
    pub fn mk_float_rem(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        self.float_remainder(format, a, b, true)
    }

    /// `a - b * n` with `n` the quotient `a / b` rounded towards zero: `fmod` of C.
    pub fn mk_float_fmod(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        self.float_remainder(format, a, b, false)
    }

    fn float_remainder(
        &mut self,
        format: FloatFormat,
        a: TermId,
        b: TermId,
        nearest: bool,
    ) -> TermId {
        let [a, b] = [a, b].map(|t| self.float_any_nan(format, t));
        let [x, y] = [a, b].map(|t| self.float_unpacked_normal(format, t));
        let (halves, odd, unreached) = self.float_long_division(format, x, y);
        let width = self.width(halves);
        let divisor = self.bv_in_width(width, y.significand);
        // Twice the rest against the divisor.
        let (mut significand, mut sign) = (halves, x.sign);
        if nearest {
            let more = self.mk_bv_ult(divisor, halves);
            let tie = self.mk_eq(divisor, halves);
            let odd_tie = self.mk_and(&[tie, odd]);
            let up = self.mk_or(&[more, odd_tie]);
            let twice = self.bv_padded(1, y.significand);
            let other = self.bv_difference(twice, halves);
            significand = self.mk_ite(up, other, halves);
            sign = self.mk_xor(sign, up);
        }
        let rest = Exact { sign, significand, ..y };
        let rest = self.float_normalised(rest);
        // Exact in every mode.
        let mode = self.mk_rounding_mode(super::RoundingMode::TowardZero);
        let result = self.float_rounded(format, mode, rest);

        let [b_infinite, a_zero] =
            [self.mk_float_is_infinite(format, b), self.mk_float_is_zero(format, a)];
        let unchanged = self.mk_or(&[unreached, b_infinite, a_zero]);
        let result = self.mk_ite(unchanged, a, result);
        let undefined = [
            self.mk_float_is_nan(format, a),
            self.mk_float_is_nan(format, b),
            self.mk_float_is_infinite(format, a),
            self.mk_float_is_zero(format, b),
        ];
        let undefined = self.mk_or(&undefined);
        let nan = self.mk_float_nan(format);
        self.mk_ite(undefined, nan, result)
    }

    /// What is left of a division of normalised numbers, in halves of the divisor's last digit;
    /// whether the quotient is odd; whether the dividend is less than half of the divisor, and
    /// so is the rest.
    fn float_long_division(
        &mut self,
        format: FloatFormat,
        x: Exact,
        y: Exact,
    ) -> (TermId, TermId, TermId) {
        let sb = format.significand;
        // How far the dividend is above one exponent below the divisor's.
        let width = self.width(x.exponent) + 2;
        let [p, q] = [x, y].map(|n| self.bv_in_width(width, n.exponent));
        let distance = self.bv_difference(p, q);
        let one = self.mk_bv(1, width);
        let distance = self.mk_bv_add(&[distance, one]);
        let unreached = self.bv_bit(width - 1, distance);

        let most = (1i64 << format.exponent) - 3 + i64::from(sb - 1);
        let distance = self.mk_bv_extract(bits_for(most + 1) - 1, 0, distance);
        let twice = self.bv_padded(1, y.significand);
        let twice = self.mk_bv_zero_extend(1, twice);
        let mut halves = self.mk_bv_zero_extend(2, x.significand);
        let mut odd = TermId::FALSE;
        for digit in (1..=most + 1).rev() {
            // The quotient has this digit where the distance is at least so large.
            let before = self.mk_bv(digit - 1, self.width(distance));
            let has_digit = self.mk_bv_ult(before, distance);
            let rest = self.mk_bv_extract(sb, 0, halves);
            let doubled = self.bv_padded(1, rest);
            let (left, fits) = self.float_subtract_once(doubled, twice);
            halves = self.mk_ite(has_digit, left, halves);
            let fits = self.bv_bit(0, fits);
            odd = self.mk_and(&[has_digit, fits]);
        }
        (self.mk_bv_extract(sb, 0, halves), odd, unreached)
    }
}
