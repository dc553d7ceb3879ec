//! The rounder: from an exact number to the pattern of the float that stands for it.
//!
//! The fraction and the exponent are added to what rounding up means in one adder, in which a
//! carry out of the fraction makes the next exponent, as the interchange form was made for.

use super::exact::{Exact, bits_for};
use super::{FloatFormat, RoundingMode};
use crate::{TermId, TermStore};
use bolide_base::Integer;

impl TermStore {
    /// The pattern of the number, rounded; infinite or the greatest where it is too large.
    pub(super) fn float_rounded(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        x: Exact,
    ) -> TermId {
        let (eb, sb) = (format.exponent, format.significand);
        let significand = self.bv_sticky(sb + 2, x.significand);
        let (exponent, significand) = self.float_at_least(format, Exact { significand, ..x });
        let fraction = self.mk_bv_extract(sb, 2, significand);
        let lost = self.mk_bv_extract(1, 0, significand);
        let even = self.bv_bit(2, significand);
        let up = self.float_rounds_up(rounding, x.sign, even, lost);

        let first = self.mk_bv_extract(sb + 1, sb + 1, significand);
        let normal = self.bv_bit(sb + 1, significand);
        let width = self.width(exponent).max(eb);
        let exponent = self.bv_in_width(width, exponent);
        let zero = self.mk_bv(0, width);
        let exponent = self.mk_ite(normal, exponent, zero);
        let greatest = self.mk_bv(Integer::pow2(eb) - Integer::from(3), width);
        let too_large = self.mk_bv_ult(greatest, exponent);

        let field = self.mk_bv_extract(eb - 1, 0, exponent);
        let below = self.mk_bv_concat(&[field, fraction]);
        let up = self.bv_from_bool(up);
        let up = self.bv_in_width(sb - 1, up);
        let step = self.mk_bv_concat(&[first, up]);
        let step = self.bv_in_width(eb + sb - 1, step);
        let magnitude = self.mk_bv_add(&[below, step]);
        let field = self.mk_bv_extract(eb + sb - 2, sb - 1, magnitude);
        let ones = self.mk_bv(-1, eb);
        let rounded_away = self.mk_eq(field, ones);

        let overflows = self.mk_or(&[too_large, rounded_away]);
        let limit = self.float_overflowed(format, rounding, x.sign);
        let magnitude = self.mk_ite(overflows, limit, magnitude);
        let sign = self.bv_from_bool(x.sign);
        self.mk_bv_concat(&[sign, magnitude])
    }

    /// Exponent, counted from the least one of the format, and significand of a number; below the
    /// least exponent the significand is shifted.
    fn float_at_least(&mut self, format: FloatFormat, x: Exact) -> (TermId, TermId) {
        let distance = format.least_exponent() - x.low;
        let most = (1i64 << self.width(x.exponent).min(62)) - 1;
        if distance <= 0 {
            let raised = self.float_lowered(x, -distance, most);
            return (raised.exponent, x.significand);
        }
        let width = bits_for(most.max(distance)) + 1;
        let exponent = self.bv_in_width(width, x.exponent);
        let distance = self.mk_bv(-distance, width);
        let above = self.mk_bv_add(&[exponent, distance]);
        let is_below = self.bv_bit(width - 1, above);
        let (zero, below) = (self.mk_bv(0, width), self.mk_bv_neg(above));
        let amount = self.mk_ite(is_below, below, zero);
        let amount = self.mk_bv_extract(width - 2, 0, amount);
        let exponent = self.mk_ite(is_below, zero, above);
        let exponent = self.mk_bv_extract(width - 2, 0, exponent);
        (exponent, self.bv_shift_sticky(x.significand, amount))
    }

    /// Whether the next number away from zero is taken; `odd` says that the last bit kept is set,
    /// `lost` are the first bit that is not and a sticky bit.
    pub(super) fn float_rounds_up(
        &mut self,
        rounding: TermId,
        sign: TermId,
        odd: TermId,
        lost: TermId,
    ) -> TermId {
        let (half, rest) = (self.bv_bit(1, lost), self.bv_bit(0, lost));
        let more = self.mk_or(&[odd, rest]);
        let nearest_even = self.mk_and(&[half, more]);
        let inexact = self.mk_or(&[half, rest]);
        let plus = self.mk_not(sign);
        let upward = self.mk_and(&[plus, inexact]);
        let downward = self.mk_and(&[sign, inexact]);
        let cases = [
            (RoundingMode::NearestEven, nearest_even),
            (RoundingMode::NearestAway, half),
            (RoundingMode::TowardPositive, upward),
            (RoundingMode::TowardNegative, downward),
        ];
        self.float_by_mode(rounding, &cases)
    }

    /// The disjunction of what holds in the modes given.
    fn float_by_mode(&mut self, rounding: TermId, cases: &[(RoundingMode, TermId)]) -> TermId {
        let mut either = Vec::with_capacity(cases.len());
        for &(mode, holds) in cases {
            let chosen = self.is_rounding(rounding, mode);
            either.push(self.mk_and(&[chosen, holds]));
        }
        self.mk_or(&either)
    }

    /// The magnitude that stands for numbers beyond the greatest.
    fn float_overflowed(&mut self, format: FloatFormat, rounding: TermId, sign: TermId) -> TermId {
        let plus = self.mk_not(sign);
        let cases = [
            (RoundingMode::NearestEven, TermId::TRUE),
            (RoundingMode::NearestAway, TermId::TRUE),
            (RoundingMode::TowardPositive, plus),
            (RoundingMode::TowardNegative, sign),
        ];
        let to_infinity = self.float_by_mode(rounding, &cases);
        let infinity = format.infinity(false);
        let greatest = self.mk_bv(&infinity - Integer::ONE, format.width() - 1);
        let infinity = self.mk_bv(infinity, format.width() - 1);
        self.mk_ite(to_infinity, infinity, greatest)
    }
}
