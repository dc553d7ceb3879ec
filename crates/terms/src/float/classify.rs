//! What can be read off a pattern: its class, its sign, and the order of two.

use super::FloatFormat;
use crate::{Op, TermId, TermStore};

impl TermStore {
    /// The bit as a truth value.
    pub(super) fn bv_bit(&mut self, index: u32, a: TermId) -> TermId {
        let bit = self.mk_bv_extract(index, index, a);
        let one = self.mk_bv(1, 1);
        self.mk_eq(bit, one)
    }

    /// A truth value as one bit.
    pub(super) fn bv_from_bool(&mut self, condition: TermId) -> TermId {
        let (one, zero) = (self.mk_bv(1, 1), self.mk_bv(0, 1));
        self.mk_ite(condition, one, zero)
    }

    pub(super) fn bv_is_zero(&mut self, a: TermId) -> TermId {
        let zero = self.mk_bv(0, self.width(a));
        self.mk_eq(a, zero)
    }

    /// Whether the sign bit is set; it is one of NaN, too.
    pub(super) fn float_sign(&mut self, format: FloatFormat, a: TermId) -> TermId {
        self.bv_bit(format.width() - 1, a)
    }

    pub(super) fn float_magnitude(&mut self, format: FloatFormat, a: TermId) -> TermId {
        self.mk_bv_extract(format.width() - 2, 0, a)
    }

    pub(super) fn float_exponent_field(&mut self, format: FloatFormat, a: TermId) -> TermId {
        self.mk_bv_extract(format.width() - 2, format.significand - 1, a)
    }

    pub(super) fn float_fraction(&mut self, format: FloatFormat, a: TermId) -> TermId {
        self.mk_bv_extract(format.significand - 2, 0, a)
    }

    /// Whether the exponent field is all zeros, and whether it is all ones.
    fn float_extremes(&mut self, format: FloatFormat, a: TermId) -> [TermId; 2] {
        let field = self.float_exponent_field(format, a);
        let ones = self.mk_bv(-1, format.exponent);
        [self.bv_is_zero(field), self.mk_eq(field, ones)]
    }

    /// Whether it is not a number.
    pub fn mk_float_is_nan(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        self.float_nan_pattern(format, a)
    }

    fn float_nan_pattern(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let [_, ones] = self.float_extremes(format, a);
        let fraction = self.float_fraction(format, a);
        let payload = self.bv_is_zero(fraction);
        let payload = self.mk_not(payload);
        self.mk_and(&[ones, payload])
    }

    /// Whether it is an infinity.
    pub fn mk_float_is_infinite(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let magnitude = self.float_magnitude(format, a);
        let infinity = self.mk_bv(format.infinity(false), format.width() - 1);
        self.mk_eq(magnitude, infinity)
    }

    /// Whether it is a zero.
    pub fn mk_float_is_zero(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let magnitude = self.float_magnitude(format, a);
        self.bv_is_zero(magnitude)
    }

    /// Whether it is a number with a leading one at its place.
    pub fn mk_float_is_normal(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let extreme = self.float_extremes(format, a);
        let extreme = self.mk_or(&extreme);
        self.mk_not(extreme)
    }

    /// Whether it is a number below all normal ones, other than zero.
    pub fn mk_float_is_subnormal(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let [zeros, _] = self.float_extremes(format, a);
        let fraction = self.float_fraction(format, a);
        let nothing = self.bv_is_zero(fraction);
        let something = self.mk_not(nothing);
        self.mk_and(&[zeros, something])
    }

    /// Whether it is a number, a zero or an infinity with a minus.
    pub fn mk_float_is_negative(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let (sign, nan) = (self.float_sign(format, a), self.mk_float_is_nan(format, a));
        let number = self.mk_not(nan);
        self.mk_and(&[sign, number])
    }

    /// Whether it is a number, a zero or an infinity without a minus.
    pub fn mk_float_is_positive(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let (sign, nan) = (self.float_sign(format, a), self.mk_float_is_nan(format, a));
        let either = self.mk_or(&[sign, nan]);
        self.mk_not(either)
    }

    /// The same value with any NaN replaced by the one that operations yield.
    pub fn mk_float_canonical(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let (is_nan, nan) = (self.float_nan_pattern(format, a), self.mk_float_nan(format));
        self.mk_ite(is_nan, nan, a)
    }

    /// The pattern below [`TermStore::mk_float_canonical`], for operations that do not care which
    /// NaN they get.
    pub(super) fn float_any_nan(&mut self, format: FloatFormat, a: TermId) -> TermId {
        if self.op(a) == Op::Ite && self.arg(a, 1) == self.mk_float_nan(format) {
            let (condition, pattern) = (self.arg(a, 0), self.arg(a, 2));
            if self.float_nan_pattern(format, pattern) == condition {
                return pattern;
            }
        }
        a
    }

    /// The opposite sign; NaN stays NaN.
    pub fn mk_float_neg(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let sign = self.mk_bv_extract(format.width() - 1, format.width() - 1, a);
        let sign = self.mk_bv_not(sign);
        self.float_with_sign(format, sign, a)
    }

    /// Without the sign; NaN stays NaN.
    pub fn mk_float_abs(&mut self, format: FloatFormat, a: TermId) -> TermId {
        let sign = self.mk_bv(0, 1);
        self.float_with_sign(format, sign, a)
    }

    fn float_with_sign(&mut self, format: FloatFormat, sign: TermId, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let magnitude = self.float_magnitude(format, a);
        let flipped = self.mk_bv_concat(&[sign, magnitude]);
        let (is_nan, nan) = (self.mk_float_is_nan(format, a), self.mk_float_nan(format));
        self.mk_ite(is_nan, nan, flipped)
    }

    /// Whether both are numbers or infinities, and whether both are zeros.
    fn float_pair(&mut self, format: FloatFormat, a: TermId, b: TermId) -> [TermId; 2] {
        let nan = [self.mk_float_is_nan(format, a), self.mk_float_is_nan(format, b)];
        let nan = self.mk_or(&nan);
        let zeros = [self.mk_float_is_zero(format, a), self.mk_float_is_zero(format, b)];
        [self.mk_not(nan), self.mk_and(&zeros)]
    }

    /// `a == b` of C: zeros are equal, NaN is equal to nothing.
    pub fn mk_float_eq(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        let [a, b] = [a, b].map(|t| self.float_any_nan(format, t));
        let [ordered, zeros] = self.float_pair(format, a, b);
        let same = self.mk_eq(a, b);
        let equal = self.mk_or(&[same, zeros]);
        self.mk_and(&[ordered, equal])
    }

    /// `a < b` of C: false of NaN.
    pub fn mk_float_lt(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        self.float_order(format, a, b, true)
    }

    /// `a <= b` of C: false of NaN.
    pub fn mk_float_le(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        self.float_order(format, a, b, false)
    }

    fn float_order(&mut self, format: FloatFormat, a: TermId, b: TermId, strict: bool) -> TermId {
        let [a, b] = [a, b].map(|t| self.float_any_nan(format, t));
        let [ordered, zeros] = self.float_pair(format, a, b);
        let [x, y] = [a, b].map(|t| self.float_magnitude(format, t));
        let [minus_a, minus_b] = [a, b].map(|t| self.float_sign(format, t));
        let (below, above) = match strict {
            true => (self.mk_bv_ult(x, y), self.mk_bv_ult(y, x)),
            false => (self.mk_bv_ule(x, y), self.mk_bv_ule(y, x)),
        };
        // With equal signs the magnitudes decide, else the sign does, unless both are zero.
        let plus_b = self.mk_not(minus_b);
        let differ = match strict {
            true => self.mk_not(zeros),
            false => TermId::TRUE,
        };
        let minus = self.mk_ite(minus_b, above, differ);
        let same = if strict { TermId::FALSE } else { zeros };
        let plus = self.mk_ite(plus_b, below, same);
        let order = self.mk_ite(minus_a, minus, plus);
        self.mk_and(&[ordered, order])
    }

    /// The lesser one; the other one where one is NaN; the second of two equal ones.
    pub fn mk_float_min(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        let first = self.mk_float_lt(format, a, b);
        self.float_choice(format, first, a, b)
    }

    /// The greater one; the other one where one is NaN; the second of two equal ones.
    pub fn mk_float_max(&mut self, format: FloatFormat, a: TermId, b: TermId) -> TermId {
        let first = self.mk_float_lt(format, b, a);
        self.float_choice(format, first, a, b)
    }

    fn float_choice(&mut self, format: FloatFormat, first: TermId, a: TermId, b: TermId) -> TermId {
        let b_is_nan = self.mk_float_is_nan(format, b);
        let first = self.mk_or(&[first, b_is_nan]);
        let chosen = self.mk_ite(first, a, b);
        self.mk_float_canonical(format, chosen)
    }
}
