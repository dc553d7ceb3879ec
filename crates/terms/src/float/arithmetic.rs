//! The exact results of arithmetic, each with its tail in a sticky bit.
//!
//! - sum: the smaller number is shifted to the exponent of the greater one, with three more bits,
//!   which suffice because a result that loses its first bits was shifted by one at most;
//! - product: all bits of it, of normalised factors;
//! - quotient and square root: digit by digit, restoring, one subtraction for each digit.

use super::exact::{Exact, bits_for};
use super::{FloatFormat, RoundingMode};
use crate::{TermId, TermStore};

/// The classes of an operand that arithmetic treats apart.
struct Classes {
    nan: TermId,
    infinite: TermId,
    zero: TermId,
}

impl TermStore {
    fn float_classes(&mut self, format: FloatFormat, a: TermId) -> Classes {
        Classes {
            nan: self.mk_float_is_nan(format, a),
            infinite: self.mk_float_is_infinite(format, a),
            zero: self.mk_float_is_zero(format, a),
        }
    }

    /// `otherwise`, unless the result is NaN or an infinity of that sign.
    fn float_or_special(
        &mut self,
        format: FloatFormat,
        [nan, infinite]: [TermId; 2],
        sign: TermId,
        otherwise: TermId,
    ) -> TermId {
        let infinity = self.float_signed_constant(format, sign, true);
        let result = self.mk_ite(infinite, infinity, otherwise);
        let not_a_number = self.mk_float_nan(format);
        self.mk_ite(nan, not_a_number, result)
    }

    /// Infinity or zero with a sign.
    fn float_signed_constant(
        &mut self,
        format: FloatFormat,
        sign: TermId,
        infinite: bool,
    ) -> TermId {
        let magnitude = if infinite { format.infinity(false) } else { format.zero(false) };
        let magnitude = self.mk_bv(magnitude, format.width() - 1);
        let sign = self.bv_from_bool(sign);
        self.mk_bv_concat(&[sign, magnitude])
    }

    /// `a + b`, rounded.
    pub fn mk_float_add(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        a: TermId,
        b: TermId,
    ) -> TermId {
        let [a, b] = [a, b].map(|t| self.float_any_nan(format, t));
        let (p, q) = (self.float_classes(format, a), self.float_classes(format, b));
        let (x, y) = (self.float_unpacked(format, a), self.float_unpacked(format, b));
        let sum = self.float_sum(rounding, x, y);
        let result = self.float_rounded(format, rounding, sum);
        let sign = self.mk_ite(p.infinite, x.sign, y.sign);
        self.float_sum_or_special(format, [&p, &q], [x.sign, y.sign], sign, result)
    }

    /// `otherwise`, unless a summand is infinite or none; `sign` is that of an infinite one.
    fn float_sum_or_special(
        &mut self,
        format: FloatFormat,
        [p, q]: [&Classes; 2],
        [minus_p, minus_q]: [TermId; 2],
        sign: TermId,
        otherwise: TermId,
    ) -> TermId {
        let opposite = self.mk_xor(minus_p, minus_q);
        let cancelled = self.mk_and(&[p.infinite, q.infinite, opposite]);
        let nan = self.mk_or(&[p.nan, q.nan, cancelled]);
        let infinite = self.mk_or(&[p.infinite, q.infinite]);
        self.float_or_special(format, [nan, infinite], sign, otherwise)
    }

    /// `a - b`, rounded.
    pub fn mk_float_sub(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        a: TermId,
        b: TermId,
    ) -> TermId {
        let top = format.width() - 1;
        let b = self.float_any_nan(format, b);
        let sign = self.mk_bv_extract(top, top, b);
        let sign = self.mk_bv_not(sign);
        let magnitude = self.float_magnitude(format, b);
        let negated = self.mk_bv_concat(&[sign, magnitude]);
        self.mk_float_add(format, rounding, a, negated)
    }

    /// The sum of two numbers whose exponents are counted from the same `low` on.
    fn float_sum(&mut self, rounding: TermId, x: Exact, y: Exact) -> Exact {
        let exponent_width = self.width(x.exponent);
        let [size_x, size_y] = [x, y].map(|n| self.mk_bv_concat(&[n.exponent, n.significand]));
        let swap = self.mk_bv_ult(size_x, size_y);
        let great = self.mk_ite(swap, size_y, size_x);
        let small = self.mk_ite(swap, size_x, size_y);
        let sign = self.mk_ite(swap, y.sign, x.sign);
        let width = self.width(x.significand);
        let [(exponent, great), (lesser, small)] = [great, small].map(|n| {
            let exponent = self.mk_bv_extract(width + exponent_width - 1, width, n);
            (exponent, self.mk_bv_extract(width - 1, 0, n))
        });
        let distance = self.bv_difference(exponent, lesser);
        let [great, small] = [great, small].map(|n| self.bv_padded(3, n));
        let small = self.bv_shift_sticky(small, distance);

        // Subtraction is the sum with the complement and a carry, which an additional last bit
        // brings in.
        let subtracts = self.mk_xor(x.sign, y.sign);
        let carry = self.bv_from_bool(subtracts);
        let [great, small] = [great, small].map(|n| self.mk_bv_zero_extend(1, n));
        let flip = self.mk_bv_sign_extend(width + 3, carry);
        let small = self.mk_bv_xor(&[small, flip]);
        let [great, small] = [great, small].map(|n| self.mk_bv_concat(&[n, carry]));
        let total = self.mk_bv_add(&[great, small]);
        let total = self.mk_bv_extract(width + 4, 1, total);

        let nothing = self.bv_is_zero(total);
        let cancelled = self.mk_and(&[nothing, subtracts]);
        let downward = self.is_rounding(rounding, RoundingMode::TowardNegative);
        let sign = self.mk_ite(cancelled, downward, sign);
        let exponent = self.mk_bv_zero_extend(1, exponent);
        let one = self.mk_bv(1, exponent_width + 1);
        let exponent = self.mk_bv_add(&[exponent, one]);
        self.float_normalised(Exact { sign, exponent, low: x.low, significand: total })
    }

    /// All bits of a product of normalised numbers.
    fn float_product(&mut self, x: Exact, y: Exact) -> Exact {
        let width = self.width(x.significand);
        let [m, n] = [x, y].map(|f| self.mk_bv_zero_extend(width, f.significand));
        let product = self.mk_bv_mul(&[m, n]);
        // Between one and four: either of the first two bits is set.
        let two = self.mk_bv_extract(2 * width - 1, 2 * width - 1, product);
        let at_least_two = self.bv_bit(2 * width - 1, product);
        let rest = self.mk_bv_extract(2 * width - 2, 0, product);
        let moved = self.bv_padded(1, rest);
        Exact {
            sign: self.mk_xor(x.sign, y.sign),
            exponent: self.float_exponent_sum([x.exponent, y.exponent], two),
            low: x.low + y.low,
            significand: self.mk_ite(at_least_two, product, moved),
        }
    }

    /// The sum of exponents and a bit.
    fn float_exponent_sum(&mut self, exponents: [TermId; 2], bit: TermId) -> TermId {
        let [a, b] = exponents.map(|e| self.mk_bv_zero_extend(1, e));
        let bit = self.bv_in_width(self.width(a), bit);
        self.mk_bv_add(&[a, b, bit])
    }

    /// `a * b`, rounded.
    pub fn mk_float_mul(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        a: TermId,
        b: TermId,
    ) -> TermId {
        let [a, b] = [a, b].map(|t| self.float_any_nan(format, t));
        let (p, q) = (self.float_classes(format, a), self.float_classes(format, b));
        let [x, y] = [a, b].map(|t| self.float_unpacked_normal(format, t));
        let product = self.float_product(x, y);
        let result = self.float_rounded(format, rounding, product);
        let special = self.float_special_product([&p, &q]);
        self.float_or_special(format, special, product.sign, result)
    }

    /// Whether a product is NaN, and whether it is infinite unless it is NaN.
    fn float_special_product(&mut self, [p, q]: [&Classes; 2]) -> [TermId; 2] {
        let undefined = [self.mk_and(&[p.infinite, q.zero]), self.mk_and(&[p.zero, q.infinite])];
        let nan = self.mk_or(&[p.nan, q.nan, undefined[0], undefined[1]]);
        [nan, self.mk_or(&[p.infinite, q.infinite])]
    }

    /// `a / b`, rounded.
    pub fn mk_float_div(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        a: TermId,
        b: TermId,
    ) -> TermId {
        let [a, b] = [a, b].map(|t| self.float_any_nan(format, t));
        let (p, q) = (self.float_classes(format, a), self.float_classes(format, b));
        let [x, y] = [a, b].map(|t| self.float_unpacked_normal(format, t));
        let quotient = self.float_quotient(x, y);
        let result = self.float_rounded(format, rounding, quotient);
        let zero = self.float_signed_constant(format, quotient.sign, false);
        let result = self.mk_ite(q.infinite, zero, result);
        let undefined = [self.mk_and(&[p.infinite, q.infinite]), self.mk_and(&[p.zero, q.zero])];
        let nan = self.mk_or(&[p.nan, q.nan, undefined[0], undefined[1]]);
        let infinite = self.mk_or(&[p.infinite, q.zero]);
        self.float_or_special(format, [nan, infinite], quotient.sign, result)
    }

    /// The quotient of normalised numbers: two digits more than they have, and a sticky one.
    fn float_quotient(&mut self, x: Exact, y: Exact) -> Exact {
        let width = self.width(x.significand);
        let mut rest = self.mk_bv_zero_extend(1, x.significand);
        let divisor = self.mk_bv_zero_extend(1, y.significand);
        let mut digits = Vec::with_capacity(width as usize + 3);
        for _ in 0..width + 2 {
            let (left, digit) = self.float_subtract_once(rest, divisor);
            digits.push(digit);
            let left = self.mk_bv_extract(width - 1, 0, left);
            rest = self.bv_padded(1, left);
        }
        let left = self.bv_sticky(1, rest);
        digits.push(left);
        let quotient = self.mk_bv_concat(&digits);
        // Between a half and two.
        let top = self.width(quotient) - 1;
        let (first, at_least_one) = (digits[0], self.bv_bit(top, quotient));
        let rest = self.mk_bv_extract(top - 1, 0, quotient);
        let moved = self.bv_padded(1, rest);
        // The complement is the distance to the greatest number of that width.
        let complement = self.mk_bv_not(y.exponent);
        let greatest = (1i64 << self.width(y.exponent)) - 1;
        Exact {
            sign: self.mk_xor(x.sign, y.sign),
            exponent: self.float_exponent_sum([x.exponent, complement], first),
            low: x.low - y.low - greatest - 1,
            significand: self.mk_ite(at_least_one, quotient, moved),
        }
    }

    /// What is left after one subtraction where it is possible, and as a bit whether it is. The
    /// first bit of the subtrahend is zero.
    pub(super) fn float_subtract_once(
        &mut self,
        rest: TermId,
        subtrahend: TermId,
    ) -> (TermId, TermId) {
        let [wide_rest, wide] = [rest, subtrahend].map(|n| self.mk_bv_zero_extend(1, n));
        let difference = self.bv_difference(wide_rest, wide);
        let top = self.width(rest);
        let borrow = self.mk_bv_extract(top, top, difference);
        let fits = self.mk_bv_not(borrow);
        let possible = self.bv_bit(0, fits);
        let difference = self.mk_bv_extract(top - 1, 0, difference);
        (self.mk_ite(possible, difference, rest), fits)
    }

    /// `a * b + c`, rounded once.
    pub fn mk_float_fma(
        &mut self,
        format: FloatFormat,
        rounding: TermId,
        [a, b, c]: [TermId; 3],
    ) -> TermId {
        let [a, b, c] = [a, b, c].map(|t| self.float_any_nan(format, t));
        let [p, q, r] = [a, b, c].map(|t| self.float_classes(format, t));
        let [x, y, z] = [a, b, c].map(|t| self.float_unpacked_normal(format, t));
        let product = self.float_product(x, y);
        let [nan, infinite] = self.float_special_product([&p, &q]);
        let zero = self.mk_or(&[p.zero, q.zero]);
        let product_classes = Classes { nan, infinite, zero };

        // Exponents counted from the same number on; zeros are the least.
        let width = self.width(product.significand);
        let padding = width - self.width(z.significand);
        let z = Exact { significand: self.bv_padded(padding, z.significand), ..z };
        let low = product.low.min(z.low);
        let [product_most, z_most] =
            [product, z].map(|n| (1i64 << self.width(n.exponent)) - 1 + n.low - low);
        let exponent_width = bits_for(product_most.max(z_most));
        let [product, z] = [(product, zero), (z, r.zero)].map(|(n, zero)| {
            let exponent = self.bv_in_width(exponent_width, n.exponent);
            let by = self.mk_bv(n.low - low, exponent_width);
            let exponent = self.mk_bv_add(&[exponent, by]);
            let least = self.mk_bv(0, exponent_width);
            Exact { exponent: self.mk_ite(zero, least, exponent), low, ..n }
        });
        let sum = self.float_sum(rounding, product, z);
        let result = self.float_rounded(format, rounding, sum);
        let sign = self.mk_ite(infinite, product.sign, z.sign);
        let classes = [&product_classes, &r];
        self.float_sum_or_special(format, classes, [product.sign, z.sign], sign, result)
    }

    /// The square root, rounded; NaN of numbers below zero.
    pub fn mk_float_sqrt(&mut self, format: FloatFormat, rounding: TermId, a: TermId) -> TermId {
        let a = self.float_any_nan(format, a);
        let p = self.float_classes(format, a);
        let x = self.float_unpacked_normal(format, a);
        // An even exponent is halved; of an odd one, the significand takes one.
        let low_is_odd = x.low.rem_euclid(2) == 1;
        let last = self.bv_bit(0, x.exponent);
        let is_odd = if low_is_odd { self.mk_not(last) } else { last };
        let doubled = self.bv_padded(1, x.significand);
        let single = self.mk_bv_zero_extend(1, x.significand);
        let radicand = self.mk_ite(is_odd, doubled, single);
        // (low + exponent) / 2, rounded down, with an even low.
        let shifted = self.mk_bv_zero_extend(1, x.exponent);
        let one = self.mk_bv(i64::from(low_is_odd), self.width(shifted));
        let shifted = self.mk_bv_add(&[shifted, one]);
        let exponent = self.mk_bv_extract(self.width(shifted) - 1, 1, shifted);
        let root = Exact {
            sign: TermId::FALSE,
            exponent,
            low: (x.low - i64::from(low_is_odd)) / 2,
            significand: self.float_root(format.significand + 1, radicand),
        };
        let result = self.float_rounded(format, rounding, root);
        let result = self.mk_ite(p.zero, a, result);
        let number = self.mk_not(p.zero);
        let negative = self.mk_and(&[x.sign, number]);
        let nan = self.mk_or(&[p.nan, negative]);
        self.float_or_special(format, [nan, p.infinite], TermId::FALSE, result)
    }

    /// The square root of a number from one to four with two digits before its point: so many
    /// digits, one before the point, and a sticky one.
    fn float_root(&mut self, digits: u32, radicand: TermId) -> TermId {
        let given = self.width(radicand);
        let radicand = self.bv_padded((2 * digits).saturating_sub(given), radicand);
        let top = self.width(radicand) - 1;
        let mut root: Vec<TermId> = Vec::with_capacity(digits as usize + 1);
        let mut rest: Option<TermId> = None;
        for index in 0..digits {
            let next = self.mk_bv_extract(top - 2 * index, top - 2 * index - 1, radicand);
            // The rest is at most twice the root, so one bit more than that.
            let brought = match rest {
                Some(rest) => self.mk_bv_concat(&[rest, next]),
                None => next,
            };
            let mut trial = root.clone();
            trial.push(self.mk_bv(1, 2));
            let trial = self.mk_bv_concat(&trial);
            let width = index + 3;
            let [brought, trial] =
                [brought, trial].map(|n| self.bv_in_width(width.max(self.width(n)), n));
            let (left, digit) = self.float_subtract_once(brought, trial);
            root.push(digit);
            rest = Some(self.mk_bv_extract(index + 1, 0, left));
        }
        let rest = rest.expect("at least one digit");
        root.push(self.bv_sticky(1, rest));
        self.mk_bv_concat(&root)
    }
}
