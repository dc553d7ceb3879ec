//! Powers of two with an unknown exponent, and the conjunction of as many low bits of two integers as an unknown says.
//!
//! `int.pow2 x` is two to the `x`, and zero below zero; `piand k x y` is the conjunction of the lowest `k` bits of
//! `x` and `y`, and zero where `k` is not positive. Both are operators of the kernel only while the
//! exponent or the number of bits is unknown: else one is a number, and the other a conversion from bit-vectors.

use crate::bitvector::to_unsigned;
use crate::residue::{Source, low_bits};
use crate::{Op, SortId, TermId, TermStore};
use bolide_base::{Integer, Rational};

/// Numbers of more bits are not written down.
const LARGEST: u32 = 1 << 16;

/// Two to this power, zero below zero; none if it is too large to be written down.
pub fn power(exponent: &Integer) -> Option<Integer> {
    if exponent.is_negative() {
        return Some(Integer::ZERO);
    }
    exponent.to_u32().filter(|&e| e <= LARGEST).map(Integer::pow2)
}

/// The conjunction of the lowest bits of two numbers; none if there are too many of them.
pub fn low_conjunction(count: &Integer, x: &Integer, y: &Integer) -> Option<Integer> {
    if !count.is_positive() {
        return Some(Integer::ZERO);
    }
    let width = count.to_u32().filter(|&width| width <= LARGEST)?;
    Some(to_unsigned(x, width).bit_and(&to_unsigned(y, width)))
}

impl TermStore {
    /// Two to the power of an integer, zero below zero.
    pub fn mk_pow2(&mut self, exponent: TermId) -> TermId {
        let number = self.number(exponent).and_then(Rational::to_integer);
        match number.as_ref().and_then(power) {
            Some(power) => self.mk_int(power),
            None => self.intern(Op::Pow2, SortId::INT, &[exponent]),
        }
    }

    /// The conjunction of the lowest `count` bits of two integers.
    pub fn mk_low_and(&mut self, count: TermId, x: TermId, y: TermId) -> TermId {
        let number = self.number(count).and_then(Rational::to_integer);
        if number.as_ref().is_some_and(|number| !number.is_positive()) {
            return self.mk_int(0);
        }
        if let Some(width) = number.and_then(|n| n.to_u32()).filter(|&width| width <= LARGEST) {
            let vectors = [x, y].map(|integer| self.mk_int_to_bv(width, integer));
            let both = self.mk_bv_and(&vectors);
            return self.mk_bv_to_int(both, false);
        }
        self.intern(Op::LowAnd, SortId::INT, &[count, x.min(y), x.max(y)])
    }
}

/// What the operation says of its lowest `width` bits, where the exponent or the number of bits is at least `width`:
/// of a power that they are zero, of a conjunction that they are that of the arguments.
pub fn lowest_bits<S: Source>(source: &mut S, term: TermId, width: u32) -> Option<S::Bit> {
    let own = low_bits(source, term, width);
    let parts: Vec<Vec<S::Bit>> = match (source.store().op(term), source.store().args(term)) {
        (Op::Pow2, _) => Vec::new(),
        (Op::LowAnd, &[_, x, y]) => [x, y].map(|part| low_bits(source, part, width)).into(),
        _ => return None,
    };
    let mut agree = Vec::with_capacity(own.len());
    for (place, &bit) in own.iter().enumerate() {
        let expected = match &parts[..] {
            [] => source.constant(false),
            parts => {
                let bits: Vec<S::Bit> = parts.iter().map(|part| part[place]).collect();
                source.and(&bits)
            }
        };
        let differ = source.xor(bit, expected);
        agree.push(source.not(differ));
    }
    Some(source.and(&agree))
}
