//! Numbers on their way: patterns unpacked, and exact results before they are rounded.

use super::FloatFormat;
use crate::{TermId, TermStore};
use bolide_base::Integer;

/// The number `(-1)^sign * significand / 2^(width - 1) * 2^(low + exponent)`.
///
/// The first bit of the significand is set, or the exponent is zero, or the significand is. Its
/// last bit may be sticky: set where anything non-zero was cut off below.
#[derive(Clone, Copy)]
pub(super) struct Exact {
    /// A truth value: whether the number is negative.
    pub sign: TermId,
    /// Unsigned, counted from `low` on.
    pub exponent: TermId,
    pub low: i64,
    pub significand: TermId,
}

/// How many bits a number from 0 on needs, at least one.
pub(super) fn bits_for(value: i64) -> u32 {
    Integer::from(value).bit_length().max(1)
}

impl TermStore {
    /// As many bits as given, zeros in front.
    pub(super) fn bv_in_width(&mut self, width: u32, a: TermId) -> TermId {
        self.mk_bv_zero_extend(width - self.width(a), a)
    }

    /// `a - b` as one adder, which `a + (-b)` is not.
    pub(super) fn bv_difference(&mut self, a: TermId, b: TermId) -> TermId {
        let complement = self.mk_bv_not(a);
        let sum = self.mk_bv_add(&[complement, b]);
        self.mk_bv_not(sum)
    }

    /// Widened by zeros at its end.
    pub(super) fn bv_padded(&mut self, amount: u32, a: TermId) -> TermId {
        if amount == 0 {
            return a;
        }
        let zeros = self.mk_bv(0, amount);
        self.mk_bv_concat(&[a, zeros])
    }

    /// The first `width` bits, the last of them sticky.
    pub(super) fn bv_sticky(&mut self, width: u32, a: TermId) -> TermId {
        let full = self.width(a);
        if full <= width {
            return self.bv_padded(width - full, a);
        }
        let tail = self.mk_bv_extract(full - width, 0, a);
        let nothing = self.bv_is_zero(tail);
        let something = self.mk_not(nothing);
        let sticky = self.bv_from_bool(something);
        if width == 1 {
            return sticky;
        }
        let head = self.mk_bv_extract(full - 1, full - width + 1, a);
        self.mk_bv_concat(&[head, sticky])
    }

    /// Shifted right, the last bit sticky: a stage for each bit of the amount.
    pub(super) fn bv_shift_sticky(&mut self, a: TermId, amount: TermId) -> TermId {
        let width = self.width(a);
        let mut shifted = a;
        let mut too_far = Vec::new();
        for index in 0..self.width(amount) {
            let by = self.bv_bit(index, amount);
            if index >= 31 || 1 << index >= width {
                too_far.push(by);
                continue;
            }
            let kept = self.bv_sticky(width - (1 << index), shifted);
            let moved = self.bv_in_width(width, kept);
            shifted = self.mk_ite(by, moved, shifted);
        }
        let too_far = self.mk_or(&too_far);
        let rest = self.bv_sticky(1, shifted);
        let rest = self.bv_in_width(width, rest);
        self.mk_ite(too_far, rest, shifted)
    }

    /// Shifted left until the first bit is set, but no further than the exponent allows, which
    /// counts down.
    pub(super) fn float_normalised(&mut self, x: Exact) -> Exact {
        let Exact { mut exponent, mut significand, .. } = x;
        let (width, exponent_width) = (self.width(significand), self.width(exponent));
        let stages = bits_for(i64::from(width) - 1).min(exponent_width);
        for stage in (0..stages).rev() {
            let distance = 1 << stage;
            if distance >= width {
                continue;
            }
            let first = self.mk_bv_extract(width - 1, width - distance, significand);
            let count = self.mk_bv_extract(exponent_width - 1, stage, exponent);
            let (zeros, none_left) = (self.bv_is_zero(first), self.bv_is_zero(count));
            let room = self.mk_not(none_left);
            let shifts = self.mk_and(&[zeros, room]);
            let rest = self.mk_bv_extract(width - 1 - distance, 0, significand);
            let moved = self.bv_padded(distance, rest);
            significand = self.mk_ite(shifts, moved, significand);
            let minus_one = self.mk_bv(-1, exponent_width - stage);
            let less = self.mk_bv_add(&[count, minus_one]);
            let count = self.mk_ite(shifts, less, count);
            exponent = match stage {
                0 => count,
                _ => {
                    let low = self.mk_bv_extract(stage - 1, 0, exponent);
                    self.mk_bv_concat(&[count, low])
                }
            };
        }
        Exact { exponent, significand, ..x }
    }

    /// The number that a pattern denotes, unless it is infinite or none. Subnormal ones have the
    /// exponent zero and a significand that begins with zeros.
    pub(super) fn float_unpacked(&mut self, format: FloatFormat, a: TermId) -> Exact {
        let field = self.float_exponent_field(format, a);
        let subnormal = self.bv_is_zero(field);
        let normal = self.mk_not(subnormal);
        let hidden = self.bv_from_bool(normal);
        let fraction = self.float_fraction(format, a);
        let count = self.bv_in_width(format.exponent, hidden);
        Exact {
            sign: self.float_sign(format, a),
            exponent: self.bv_difference(field, count),
            low: format.least_exponent(),
            significand: self.mk_bv_concat(&[hidden, fraction]),
        }
    }

    /// The same, with the first bit set unless the number is zero.
    pub(super) fn float_unpacked_normal(&mut self, format: FloatFormat, a: TermId) -> Exact {
        let x = self.float_unpacked(format, a);
        let room = i64::from(format.significand - 1);
        let x = self.float_lowered(x, room, (1 << format.exponent) - 2);
        self.float_normalised(x)
    }

    /// The same number with its exponent counted from further below; `most` is the greatest that
    /// the exponent can be now.
    pub(super) fn float_lowered(&mut self, x: Exact, by: i64, most: i64) -> Exact {
        let width = bits_for(most + by).max(self.width(x.exponent));
        let (exponent, by_bits) = (self.bv_in_width(width, x.exponent), self.mk_bv(by, width));
        Exact { exponent: self.mk_bv_add(&[exponent, by_bits]), low: x.low - by, ..x }
    }
}
