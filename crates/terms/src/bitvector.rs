//! Bit-vectors: a small kernel of operators, with constants folded.
//!
//! Subtraction, comparisons other than `<`, signed division, rotation,
//! repetition and zero extension are expressed by the kernel; shifts, quotients
//! and remainders by constants that select bits become concatenations and
//! extractions, which cost a bit-blaster nothing.

use crate::{Op, SortId, TermId, TermStore};
use bolide_base::Integer;

/// As for conjunctions: nested sums are dissolved up to this size.
const FLATTEN_LIMIT: usize = 32;

fn ones(width: u32) -> Integer {
    Integer::pow2(width) - Integer::ONE
}

/// The signed reading of an unsigned value.
pub fn to_signed(value: &Integer, width: u32) -> Integer {
    if value.bit(width - 1) { value - Integer::pow2(width) } else { value.clone() }
}

/// The unsigned reading of any integer: its value modulo two to the width.
pub fn to_unsigned(value: &Integer, width: u32) -> Integer {
    if !value.is_negative() && value.bit_length() <= width {
        value.clone()
    } else {
        value.rem_euclid(&Integer::pow2(width))
    }
}

/// What a kernel operator yields on unsigned values. `None` for operators that
/// are no functions of bit-vectors to bit-vectors of the same width.
pub fn fold_binary(op: Op, a: &Integer, b: &Integer, width: u32) -> Option<Integer> {
    let result = match op {
        Op::BvAnd => a.bit_and(b),
        Op::BvOr => a.bit_or(b),
        Op::BvXor => a.bit_xor(b),
        Op::BvAdd => a + b,
        Op::BvMul => a * b,
        Op::BvUdiv if b.is_zero() => ones(width),
        Op::BvUdiv => a.div_floor(b),
        Op::BvUrem if b.is_zero() => a.clone(),
        Op::BvUrem => a.rem_euclid(b),
        Op::BvShl | Op::BvLshr | Op::BvAshr => {
            let amount = b.to_u32().filter(|n| *n < width);
            match (op, amount) {
                (Op::BvShl, Some(n)) => a.shl(n),
                (Op::BvLshr, Some(n)) => a.shr(n),
                (Op::BvAshr, n) => to_signed(a, width).shr(n.unwrap_or(width)),
                _ => Integer::ZERO,
            }
        }
        _ => return None,
    };
    Some(to_unsigned(&result, width))
}

/// The exponent of a power of two.
pub(crate) fn power_of_two(value: &Integer) -> Option<u32> {
    let exponent = value.bit_length().checked_sub(1)?;
    (*value == Integer::pow2(exponent)).then_some(exponent)
}

impl TermStore {
    /// The constant of that width; the value is taken modulo two to the width.
    pub fn mk_bv(&mut self, value: impl Into<Integer>, width: u32) -> TermId {
        let sort = self.mk_bv_sort(width);
        let number = self.intern_number(to_unsigned(&value.into(), width).into());
        self.intern(Op::BvNumber(number), sort, &[])
    }

    /// Index of the lowest and the highest bit that an extraction takes.
    pub fn extract_bounds(&self, term: TermId) -> Option<(u32, u32)> {
        match self.op(term) {
            Op::BvExtract { low } => Some((low, low + self.width(term) - 1)),
            _ => None,
        }
    }

    // ---- bitwise ----

    /// Bitwise complement.
    pub fn mk_bv_not(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        if let Some(value) = self.bv_number(a) {
            return self.mk_bv(ones(width) - value, width);
        }
        if self.op(a) == Op::BvNot {
            return self.arg(a, 0);
        }
        let sort = self.sort(a);
        self.intern(Op::BvNot, sort, &[a])
    }

    /// Bitwise conjunction.
    pub fn mk_bv_and(&mut self, args: &[TermId]) -> TermId {
        self.mk_bv_lattice(Op::BvAnd, args)
    }

    /// Bitwise disjunction.
    pub fn mk_bv_or(&mut self, args: &[TermId]) -> TermId {
        self.mk_bv_lattice(Op::BvOr, args)
    }

    /// The arguments with nested applications of `op` dissolved and numbers
    /// folded into one.
    fn bv_summands(&self, op: Op, args: &[TermId], neutral: Integer) -> (Vec<TermId>, Integer) {
        let width = self.width(args[0]);
        let mut flat = Vec::with_capacity(args.len());
        for &arg in args {
            let inner = if self.op(arg) == op { self.args(arg) } else { &[] };
            if !inner.is_empty() && (inner.len() <= FLATTEN_LIMIT || inner.len() < args.len()) {
                flat.extend_from_slice(inner);
            } else {
                flat.push(arg);
            }
        }
        let mut constant = neutral;
        flat.retain(|&arg| match self.bv_number(arg) {
            Some(value) => {
                constant = fold_binary(op, &constant, &value, width).expect("a binary operator");
                false
            }
            None => true,
        });
        flat.sort_unstable();
        (flat, constant)
    }

    fn mk_bv_join(&mut self, op: Op, args: &[TermId]) -> TermId {
        match args {
            [single] => *single,
            _ => {
                let sort = self.sort(args[0]);
                self.intern(op, sort, args)
            }
        }
    }

    fn mk_bv_lattice(&mut self, op: Op, args: &[TermId]) -> TermId {
        let width = self.width(args[0]);
        let all = ones(width);
        let (neutral, absorbing) =
            if op == Op::BvAnd { (all, Integer::ZERO) } else { (Integer::ZERO, all) };
        let (mut flat, constant) = self.bv_summands(op, args, neutral.clone());
        flat.dedup();
        let complementary = flat
            .iter()
            .any(|&arg| self.op(arg) == Op::BvNot && flat.binary_search(&self.arg(arg, 0)).is_ok());
        if constant == absorbing || complementary {
            return self.mk_bv(absorbing, width);
        }
        if constant != neutral || flat.is_empty() {
            flat.push(self.mk_bv(constant, width));
            flat.sort_unstable();
        }
        self.mk_bv_join(op, &flat)
    }

    /// Bitwise exclusive disjunction.
    pub fn mk_bv_xor(&mut self, args: &[TermId]) -> TermId {
        let width = self.width(args[0]);
        // Complements go into the constant, so that pairs meet.
        let mut flipped = false;
        let mut bare = Vec::with_capacity(args.len());
        for &arg in args {
            if self.op(arg) == Op::BvNot {
                flipped = !flipped;
                bare.push(self.arg(arg, 0));
            } else {
                bare.push(arg);
            }
        }
        let neutral = if flipped { ones(width) } else { Integer::ZERO };
        let (rest, constant) = self.bv_summands(Op::BvXor, &bare, neutral);
        let mut kept: Vec<TermId> = Vec::with_capacity(rest.len());
        for arg in rest {
            if kept.last() == Some(&arg) {
                kept.pop();
            } else {
                kept.push(arg);
            }
        }
        if kept.is_empty() {
            return self.mk_bv(constant, width);
        }
        if constant == ones(width) {
            let rest = self.mk_bv_join(Op::BvXor, &kept);
            return self.mk_bv_not(rest);
        }
        if !constant.is_zero() {
            kept.push(self.mk_bv(constant, width));
            kept.sort_unstable();
        }
        self.mk_bv_join(Op::BvXor, &kept)
    }

    // ---- arithmetic ----

    /// Two's complement negation.
    pub fn mk_bv_neg(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        if let Some(value) = self.bv_number(a) {
            return self.mk_bv(-value, width);
        }
        if self.op(a) == Op::BvNeg {
            return self.arg(a, 0);
        }
        let sort = self.sort(a);
        self.intern(Op::BvNeg, sort, &[a])
    }

    /// Sum: each summand once, with the multiple that is left of it.
    pub fn mk_bv_add(&mut self, args: &[TermId]) -> TermId {
        let width = self.width(args[0]);
        let (flat, constant) = self.bv_summands(Op::BvAdd, args, Integer::ZERO);
        let mut multiples: Vec<(TermId, Integer)> = Vec::with_capacity(flat.len());
        for summand in flat {
            multiples.push(self.bv_multiple(summand));
        }
        multiples.sort_by_key(|multiple| multiple.0);
        multiples.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += &next.1;
            }
            same
        });
        let mut summands = Vec::with_capacity(multiples.len() + 1);
        for (term, factor) in multiples {
            if !to_unsigned(&factor, width).is_zero() {
                summands.push(self.mk_bv_multiple(&factor, term));
            }
        }
        if !constant.is_zero() || summands.is_empty() {
            summands.push(self.mk_bv(constant, width));
        }
        summands.sort_unstable();
        self.mk_bv_join(Op::BvAdd, &summands)
    }

    /// The term and the factor of which a summand is the product: negations, shifts and products with numbers.
    pub(crate) fn bv_multiple(&mut self, mut term: TermId) -> (TermId, Integer) {
        let width = self.width(term);
        let mut factor = Integer::ONE;
        loop {
            let args = self.args(term);
            match (self.op(term), args) {
                (Op::BvNeg, &[inner]) => (term, factor) = (inner, -factor),
                (Op::BvMul, &[ref factors @ .., last]) if self.bv_number(last).is_some() => {
                    let number = self.bv_number(last).expect("just seen");
                    let factors = factors.to_vec();
                    (term, factor) = (self.mk_bv_join(Op::BvMul, &factors), factor * number);
                }
                (Op::BvConcat, &[high, low])
                    if self.extract_bounds(high).is_some_and(|bounds| bounds.0 == 0)
                        && self.width(self.arg(high, 0)) >= width
                        && self.bv_number(low).is_some_and(|zeros| zeros.is_zero()) =>
                {
                    factor = factor.shl(self.width(low));
                    term = self.mk_bv_extract(width - 1, 0, self.arg(high, 0));
                }
                _ => return (term, to_unsigned(&factor, width)),
            }
        }
    }

    /// A number times a bit-vector, in the form that [`bv_multiple`](Self::bv_multiple) takes apart.
    pub(crate) fn mk_bv_multiple(&mut self, factor: &Integer, a: TermId) -> TermId {
        let width = self.width(a);
        let factor = to_unsigned(factor, width);
        let opposite = Integer::pow2(width) - &factor;
        if opposite.bit_length() < factor.bit_length() {
            let positive = self.mk_bv_multiple(&opposite, a);
            return self.mk_bv_neg(positive);
        }
        let number = self.mk_bv(factor.clone(), width);
        match power_of_two(&factor) {
            Some(exponent) => {
                let amount = self.mk_bv(exponent, width);
                self.mk_bv_shl(a, amount)
            }
            None => self.mk_bv_mul(&[a, number]),
        }
    }

    /// Difference.
    pub fn mk_bv_sub(&mut self, a: TermId, b: TermId) -> TermId {
        let b = self.mk_bv_neg(b);
        self.mk_bv_add(&[a, b])
    }

    /// Product.
    pub fn mk_bv_mul(&mut self, args: &[TermId]) -> TermId {
        let width = self.width(args[0]);
        let one = to_unsigned(&Integer::ONE, width);
        let (mut flat, constant) = self.bv_summands(Op::BvMul, args, one);
        if constant.is_zero() {
            return self.mk_bv(0, width);
        }
        // Signs go outside, so that the same product is one term whatever the signs of its factors.
        let negated = flat.iter().filter(|&&factor| self.op(factor) == Op::BvNeg).count();
        if negated > 0 {
            let positive = |&factor: &TermId| match self.op(factor) {
                Op::BvNeg => self.arg(factor, 0),
                _ => factor,
            };
            let mut factors: Vec<TermId> = flat.iter().map(positive).collect();
            factors.push(self.mk_bv(constant, width));
            let product = self.mk_bv_mul(&factors);
            return if negated % 2 == 1 { self.mk_bv_neg(product) } else { product };
        }
        let opposite = Integer::pow2(width) - &constant;
        if let ([factor], true) =
            (&flat[..], [&constant, &opposite].map(power_of_two) != [None, None])
        {
            return self.mk_bv_multiple(&constant, *factor);
        }
        if !constant.is_one() || flat.is_empty() {
            // Required: last, so that circuits take it for the multiplier, of which zero bits cost nothing.
            flat.push(self.mk_bv(constant, width));
        }
        self.mk_bv_join(Op::BvMul, &flat)
    }

    fn fold_bv(&mut self, op: Op, a: TermId, b: TermId) -> Option<TermId> {
        let width = self.width(a);
        let (x, y) = (self.bv_number(a)?, self.bv_number(b)?);
        let value = fold_binary(op, &x, &y, width)?;
        Some(self.mk_bv(value, width))
    }

    /// An operator on two arguments: folded where both are numbers, `by_constant` where only the
    /// second one is and that helps.
    fn mk_bv_binary(
        &mut self,
        op: Op,
        [a, b]: [TermId; 2],
        by_constant: impl FnOnce(&mut Self, Integer) -> Option<TermId>,
    ) -> TermId {
        if let Some(folded) = self.fold_bv(op, a, b) {
            return folded;
        }
        if let Some(constant) = self.bv_number(b)
            && let Some(result) = by_constant(self, constant)
        {
            return result;
        }
        let sort = self.sort(a);
        self.intern(op, sort, &[a, b])
    }

    /// Unsigned quotient; all ones when the divisor is zero.
    pub fn mk_bv_udiv(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        self.mk_bv_binary(Op::BvUdiv, [a, b], |store, divisor| {
            if divisor.is_zero() {
                return Some(store.mk_bv(ones(width), width));
            }
            let exponent = power_of_two(&divisor)?;
            Some(store.mk_bv_lshr_by(a, exponent))
        })
    }

    /// Unsigned remainder; the dividend when the divisor is zero.
    pub fn mk_bv_urem(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if a == b {
            return self.mk_bv(0, width);
        }
        self.mk_bv_binary(Op::BvUrem, [a, b], |store, divisor| {
            if divisor.is_zero() {
                return Some(a);
            }
            Some(match power_of_two(&divisor)? {
                0 => store.mk_bv(0, width),
                exponent => {
                    let low = store.mk_bv_extract(exponent - 1, 0, a);
                    store.mk_bv_zero_extend(width - exponent, low)
                }
            })
        })
    }

    fn mk_bv_sign(&mut self, a: TermId) -> TermId {
        let top = self.width(a) - 1;
        let bit = self.mk_bv_extract(top, top, a);
        let one = self.mk_bv(1, 1);
        self.mk_eq(bit, one)
    }

    fn mk_bv_abs(&mut self, a: TermId) -> TermId {
        let (sign, negated) = (self.mk_bv_sign(a), self.mk_bv_neg(a));
        self.mk_ite(sign, negated, a)
    }

    /// Signed quotient, rounded towards zero.
    pub fn mk_bv_sdiv(&mut self, a: TermId, b: TermId) -> TermId {
        let (x, y) = (self.mk_bv_abs(a), self.mk_bv_abs(b));
        let quotient = self.mk_bv_udiv(x, y);
        let negated = self.mk_bv_neg(quotient);
        let (sign_a, sign_b) = (self.mk_bv_sign(a), self.mk_bv_sign(b));
        let same = self.mk_iff(sign_a, sign_b);
        self.mk_ite(same, quotient, negated)
    }

    /// Signed remainder with the sign of the dividend.
    pub fn mk_bv_srem(&mut self, a: TermId, b: TermId) -> TermId {
        let (x, y) = (self.mk_bv_abs(a), self.mk_bv_abs(b));
        let remainder = self.mk_bv_urem(x, y);
        let negated = self.mk_bv_neg(remainder);
        let sign = self.mk_bv_sign(a);
        self.mk_ite(sign, negated, remainder)
    }

    /// Signed remainder with the sign of the divisor.
    pub fn mk_bv_smod(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        let (x, y) = (self.mk_bv_abs(a), self.mk_bv_abs(b));
        let u = self.mk_bv_urem(x, y);
        let minus_u = self.mk_bv_neg(u);
        let (sign_a, sign_b) = (self.mk_bv_sign(a), self.mk_bv_sign(b));
        // Both positive: u. Only a negative: b - u. Only b negative: u + b.
        // Both negative: -u. And u itself where it is zero.
        let (b_minus_u, u_plus_b) = (self.mk_bv_add(&[b, minus_u]), self.mk_bv_add(&[u, b]));
        let negative = self.mk_ite(sign_b, minus_u, b_minus_u);
        let positive = self.mk_ite(sign_b, u_plus_b, u);
        let result = self.mk_ite(sign_a, negative, positive);
        let zero = self.mk_bv(0, width);
        let is_zero = self.mk_eq(u, zero);
        self.mk_ite(is_zero, u, result)
    }

    // ---- shifts ----

    /// Shift left.
    pub fn mk_bv_shl(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        self.mk_bv_binary(Op::BvShl, [a, b], |store, amount| {
            Some(match amount.to_u32() {
                Some(0) => a,
                Some(n) if n < width && store.op(a) == Op::BvNeg => {
                    let shifted = store.mk_bv_shl(store.arg(a, 0), b);
                    store.mk_bv_neg(shifted)
                }
                Some(n) if n < width => {
                    let low = store.mk_bv(0, n);
                    let high = store.mk_bv_extract(width - 1 - n, 0, a);
                    store.mk_bv_concat(&[high, low])
                }
                _ => store.mk_bv(0, width),
            })
        })
    }

    fn mk_bv_lshr_by(&mut self, a: TermId, amount: u32) -> TermId {
        let width = self.width(a);
        if amount == 0 {
            return a;
        }
        if amount >= width {
            return self.mk_bv(0, width);
        }
        let high = self.mk_bv_extract(width - 1, amount, a);
        self.mk_bv_zero_extend(amount, high)
    }

    /// Shift right, filling with zeros.
    pub fn mk_bv_lshr(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_bv_binary(Op::BvLshr, [a, b], |store, amount| {
            Some(store.mk_bv_lshr_by(a, amount.to_u32().unwrap_or(u32::MAX)))
        })
    }

    /// Shift right, filling with the sign.
    pub fn mk_bv_ashr(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        self.mk_bv_binary(Op::BvAshr, [a, b], |store, amount| {
            let amount = amount.to_u32().unwrap_or(u32::MAX).min(width - 1);
            let high = store.mk_bv_extract(width - 1, amount, a);
            Some(store.mk_bv_sign_extend(amount, high))
        })
    }

    // ---- selecting and joining bits ----

    /// Concatenation, most significant first.
    pub fn mk_bv_concat(&mut self, args: &[TermId]) -> TermId {
        let mut parts: Vec<TermId> = Vec::with_capacity(args.len());
        for &arg in args {
            let inner =
                if self.op(arg) == Op::BvConcat { self.args(arg).to_vec() } else { vec![arg] };
            let inner = if inner.len() > FLATTEN_LIMIT { vec![arg] } else { inner };
            for part in inner {
                match parts.last().and_then(|&last| self.merge_bits(last, part)) {
                    Some(merged) => *parts.last_mut().expect("has a last part") = merged,
                    None => parts.push(part),
                }
            }
        }
        if let [single] = parts.as_slice() {
            return *single;
        }
        let width = parts.iter().map(|&p| self.width(p)).sum();
        let sort = self.mk_bv_sort(width);
        self.intern(Op::BvConcat, sort, &parts)
    }

    /// Two neighbours as one: numbers, or adjacent extractions of one term.
    fn merge_bits(&mut self, high: TermId, low: TermId) -> Option<TermId> {
        let (high_width, low_width) = (self.width(high), self.width(low));
        if let (Some(a), Some(b)) = (self.bv_number(high), self.bv_number(low)) {
            return Some(self.mk_bv(a.shl(low_width) + b, high_width + low_width));
        }
        let (high_low, high_top) = self.extract_bounds(high)?;
        let (low_low, low_top) = self.extract_bounds(low)?;
        let whole = self.arg(high, 0);
        if whole == self.arg(low, 0) && high_low == low_top + 1 {
            return Some(self.mk_bv_extract(high_top, low_low, whole));
        }
        None
    }

    /// The bits from `high` down to `low`.
    pub fn mk_bv_extract(&mut self, high: u32, low: u32, a: TermId) -> TermId {
        debug_assert!(low <= high && high < self.width(a));
        // Pieces from the most significant on; an explicit stack because a
        // piece of a concatenation can be one itself.
        let mut pieces = Vec::new();
        let mut work = vec![(high, low, a)];
        while let Some((high, low, a)) = work.pop() {
            let width = self.width(a);
            let taken = high - low + 1;
            if taken == width {
                pieces.push(a);
                continue;
            }
            match self.op(a) {
                Op::BvNumber(_) => {
                    let value = self.bv_number(a).expect("a number").shr(low);
                    pieces.push(self.mk_bv(value, taken));
                }
                Op::BvExtract { low: offset } => {
                    work.push((high + offset, low + offset, self.arg(a, 0)));
                }
                Op::BvConcat => {
                    let mut bottom = 0;
                    let mut hit = Vec::new();
                    for &part in self.args(a).iter().rev() {
                        let top = bottom + self.width(part) - 1;
                        if top >= low && bottom <= high {
                            let (from, to) = (low.max(bottom) - bottom, high.min(top) - bottom);
                            hit.push((to, from, part));
                        }
                        bottom = top + 1;
                    }
                    // The least significant part is first in `hit` and so is
                    // taken from the stack last.
                    work.extend(hit);
                }
                Op::BvSignExtend => {
                    let inner = self.arg(a, 0);
                    let top = self.width(inner) - 1;
                    if high <= top {
                        work.push((high, low, inner));
                    } else {
                        let from = low.min(top);
                        let bits = self.mk_bv_extract_leaf(top, from, inner);
                        let extension = taken - (top - from + 1);
                        pieces.push(self.mk_bv_sign_extend(extension, bits));
                    }
                }
                _ => pieces.push(self.mk_bv_extract_leaf(high, low, a)),
            }
        }
        self.mk_bv_concat(&pieces)
    }

    /// Extraction from a term that is not an extraction, a concatenation, a
    /// number or a sign extension.
    fn mk_bv_extract_leaf(&mut self, high: u32, low: u32, a: TermId) -> TermId {
        if high - low + 1 == self.width(a) {
            return a;
        }
        // Only below a sign extension.
        if let Op::BvExtract { low: offset } = self.op(a) {
            let inner = self.arg(a, 0);
            return self.mk_bv_extract_leaf(high + offset, low + offset, inner);
        }
        let sort = self.mk_bv_sort(high - low + 1);
        self.intern(Op::BvExtract { low }, sort, &[a])
    }

    /// Widened by `amount` zeros.
    pub fn mk_bv_zero_extend(&mut self, amount: u32, a: TermId) -> TermId {
        if amount == 0 {
            return a;
        }
        let zeros = self.mk_bv(0, amount);
        self.mk_bv_concat(&[zeros, a])
    }

    /// Widened by `amount` copies of the sign bit.
    pub fn mk_bv_sign_extend(&mut self, amount: u32, a: TermId) -> TermId {
        if amount == 0 {
            return a;
        }
        // Of a concatenation only the first part is extended.
        let mut first = a;
        let mut rest = Vec::new();
        while self.op(first) == Op::BvConcat {
            let parts = self.args(first);
            rest.extend(parts[1..].iter().rev().copied());
            first = parts[0];
        }
        let width = self.width(first);
        let extended = if let Some(value) = self.bv_number(first) {
            self.mk_bv(to_signed(&value, width), width + amount)
        } else {
            let sort = self.mk_bv_sort(width + amount);
            if self.op(first) == Op::BvSignExtend {
                first = self.arg(first, 0);
            }
            self.intern(Op::BvSignExtend, sort, &[first])
        };
        if rest.is_empty() {
            return extended;
        }
        rest.push(extended);
        rest.reverse();
        self.mk_bv_concat(&rest)
    }

    /// `times` copies side by side.
    pub fn mk_bv_repeat(&mut self, times: u32, a: TermId) -> TermId {
        let copies = vec![a; times as usize];
        self.mk_bv_concat(&copies)
    }

    /// Rotated left.
    pub fn mk_bv_rotate_left(&mut self, amount: u32, a: TermId) -> TermId {
        let width = self.width(a);
        let amount = amount % width;
        if amount == 0 {
            return a;
        }
        let high = self.mk_bv_extract(width - 1 - amount, 0, a);
        let low = self.mk_bv_extract(width - 1, width - amount, a);
        self.mk_bv_concat(&[high, low])
    }

    /// Rotated right.
    pub fn mk_bv_rotate_right(&mut self, amount: u32, a: TermId) -> TermId {
        let width = self.width(a);
        self.mk_bv_rotate_left(width - amount % width, a)
    }

    // ---- comparing ----

    /// Unsigned less-than.
    pub fn mk_bv_ult(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        let (x, y) = (self.bv_number(a), self.bv_number(b));
        match (&x, &y) {
            (Some(x), Some(y)) => return self.mk_bool(x < y),
            (_, Some(y)) if y.is_zero() => return TermId::FALSE,
            (Some(x), _) if *x == ones(width) => return TermId::FALSE,
            (_, Some(y)) if y.is_one() => {
                let zero = self.mk_bv(0, width);
                return self.mk_eq(a, zero);
            }
            (Some(x), _) if x.is_zero() => return self.mk_neq(a, b),
            _ => {}
        }
        if a == b {
            return TermId::FALSE;
        }
        self.intern(Op::BvUlt, SortId::BOOL, &[a, b])
    }

    /// Signed less-than.
    pub fn mk_bv_slt(&mut self, a: TermId, b: TermId) -> TermId {
        let width = self.width(a);
        if let (Some(x), Some(y)) = (self.bv_number(a), self.bv_number(b)) {
            return self.mk_bool(to_signed(&x, width) < to_signed(&y, width));
        }
        if a == b {
            return TermId::FALSE;
        }
        self.intern(Op::BvSlt, SortId::BOOL, &[a, b])
    }

    /// Unsigned at most.
    pub fn mk_bv_ule(&mut self, a: TermId, b: TermId) -> TermId {
        let less = self.mk_bv_ult(b, a);
        self.mk_not(less)
    }

    /// Signed at most.
    pub fn mk_bv_sle(&mut self, a: TermId, b: TermId) -> TermId {
        let less = self.mk_bv_slt(b, a);
        self.mk_not(less)
    }

    /// One bit: whether the two are equal.
    pub fn mk_bv_comp(&mut self, a: TermId, b: TermId) -> TermId {
        let equal = self.mk_eq(a, b);
        let (one, zero) = (self.mk_bv(1, 1), self.mk_bv(0, 1));
        self.mk_ite(equal, one, zero)
    }

    /// One bit: whether all bits are set.
    pub fn mk_bv_all(&mut self, a: TermId) -> TermId {
        let all = self.mk_bv(-1, self.width(a));
        self.mk_bv_comp(a, all)
    }

    /// One bit: whether any bit is set.
    pub fn mk_bv_any(&mut self, a: TermId) -> TermId {
        let none = self.mk_bv(0, self.width(a));
        let nothing = self.mk_bv_comp(a, none);
        self.mk_bv_not(nothing)
    }
}
