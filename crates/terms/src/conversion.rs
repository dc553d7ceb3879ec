//! Conversions between integers and bit-vectors.
//!
//! Two operators of the kernel: the low bits of an integer ([`Op::IntToBv`]) and the number that bits denote
//! ([`Op::BvToInt`]). The first is pushed through everything that is a homomorphism modulo a power of two
//! ([`residue`](crate::residue)), until it stands at a leaf of arithmetic; the second disappears where its argument
//! is itself made of low bits of integers by sums and multiples: what is linear stays with the
//! integers, what mixes bits goes to the bit-vectors.
//!
//! All bits of one leaf are bits of few terms, whatever widths were asked for: those below 64 are of
//! the conversion to 64 bits, those from 64 on of the one to 128, and so on. So two conversions of one
//! integer share what they have in common by being the same terms.

use crate::bitvector::{to_signed, to_unsigned};
use crate::residue::{Residues, residue};
use crate::{LinearForm, Op, SortId, TermId, TermStore};
use bolide_base::{Integer, Rational};

/// The width of the conversion that has the lowest bits of a leaf.
const FIRST_WIDTH: u32 = 64;

impl TermStore {
    /// Bit `index` of a bit-vector as a formula.
    pub fn mk_bit(&mut self, term: TermId, index: u32) -> TermId {
        let piece = self.mk_bv_extract(index, index, term);
        let one = self.mk_bv(1, 1);
        self.mk_eq(piece, one)
    }

    /// The lowest `width` bits of the integer's two's complement.
    pub fn mk_int_to_bv(&mut self, width: u32, a: TermId) -> TermId {
        residue(self, a, width)
    }

    /// The lowest bits of a leaf of arithmetic.
    pub(crate) fn mk_leaf_bits(&mut self, leaf: TermId, width: u32) -> TermId {
        let mut pieces = Vec::new();
        let (mut low, mut whole) = (0, FIRST_WIDTH);
        while low < width {
            let sort = self.mk_bv_sort(whole);
            let bits = self.intern(Op::IntToBv, sort, &[leaf]);
            pieces.push(self.mk_bv_extract(width.min(whole) - 1, low, bits));
            (low, whole) = (whole, 2 * whole);
        }
        pieces.reverse();
        self.mk_bv_concat(&pieces)
    }

    /// The number that the bits denote.
    pub fn mk_bv_to_int(&mut self, a: TermId, signed: bool) -> TermId {
        let width = self.width(a);
        if let Some(value) = self.bv_number(a) {
            return self.mk_int(if signed { to_signed(&value, width) } else { value });
        }
        if !signed {
            return self.mk_bv_to_natural(a);
        }
        if let Some(form) = self.integer_form(a) {
            // x modulo two to the width, shifted so that the middle is zero.
            let half = self.mk_int(Integer::pow2(width - 1));
            let sum = self.mk_linear(&form, SortId::INT);
            let shifted = self.mk_add(&[sum, half]);
            let modulus = self.mk_int(Integer::pow2(width));
            let remainder = self.mk_mod(shifted, modulus);
            return self.mk_sub(remainder, half);
        }
        let sign = self.mk_bit(a, width - 1);
        let (weight, zero) = (self.mk_int(Integer::pow2(width)), self.mk_int(0));
        let weight = self.mk_ite(sign, weight, zero);
        let natural = self.mk_bv_to_natural(a);
        self.mk_sub(natural, weight)
    }

    fn mk_bv_to_natural(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        if let Some(form) = self.integer_form(a) {
            let sum = self.mk_linear(&form, SortId::INT);
            let modulus = self.mk_int(Integer::pow2(width));
            return self.mk_mod(sum, modulus);
        }
        if width == 1 {
            let (set, one, zero) = (self.mk_bit(a, 0), self.mk_int(1), self.mk_int(0));
            return self.mk_ite(set, one, zero);
        }
        if self.op(a) != Op::BvConcat {
            return self.intern(Op::BvToInt, SortId::INT, &[a]);
        }
        // Constant parts at both ends become numbers.
        let mut parts = self.args(a).to_vec();
        let mut constant = Integer::ZERO;
        if let Some(high) = self.bv_number(parts[0]) {
            let below = width - self.width(parts[0]);
            constant += high.shl(below);
            parts.remove(0);
        }
        let mut shift = 0;
        if let Some(&last) = parts.last()
            && let Some(low) = self.bv_number(last)
        {
            shift = self.width(last);
            constant += low;
            parts.pop();
        }
        if parts.len() == self.args(a).len() {
            return self.intern(Op::BvToInt, SortId::INT, &[a]);
        }
        // Numbers side by side are one number, so the rest has none at its ends.
        let rest = self.mk_bv_concat(&parts);
        let number = self.mk_bv_to_natural(rest);
        let mut form = self.linear_form(number);
        form.scale(&Rational::from(Integer::pow2(shift)));
        form.constant += Rational::from(constant);
        self.mk_linear(&form, SortId::INT)
    }

    /// A sum over integers of which the bit-vector is the low bits, if there is one without products.
    fn integer_form(&mut self, a: TermId) -> Option<LinearForm> {
        let width = self.width(a);
        let mut form = LinearForm::zero();
        let mut work = vec![(a, Integer::ONE)];
        while let Some((term, factor)) = work.pop() {
            let (term, multiple) = self.bv_multiple(term);
            let factor = factor * multiple;
            match self.op(term) {
                Op::BvNumber(_) => {
                    form.constant += Rational::from(factor * self.bv_number(term)?);
                }
                Op::BvAdd => work.extend(self.args(term).iter().map(|&arg| (arg, factor.clone()))),
                _ => {
                    let integer = self.integer_of_bits(term)?;
                    form.add_scaled(&self.linear_form(integer), &Rational::from(factor));
                }
            }
        }
        // A multiple and one that differs by the modulus are the same bits.
        let modulus = Integer::pow2(width);
        let reduce = |number: &Rational| {
            Rational::from(to_signed(&to_unsigned(&number.numerator(), width), width))
        };
        form.terms.iter_mut().for_each(|term| term.1 = reduce(&term.1));
        form.terms.retain(|term| !term.1.is_zero());
        form.constant = Rational::from(form.constant.numerator().rem_euclid(&modulus));
        Some(form)
    }

    /// The integer of which the bits are the lowest ones, or those from some place on.
    fn integer_of_bits(&mut self, term: TermId) -> Option<TermId> {
        match self.op(term) {
            Op::IntToBv => Some(self.arg(term, 0)),
            Op::BvExtract { low } => {
                let whole = self.arg(term, 0);
                if self.op(whole) != Op::IntToBv {
                    return None;
                }
                let divisor = self.mk_int(Integer::pow2(low));
                Some(self.mk_div(self.arg(whole, 0), divisor))
            }
            Op::BvConcat => {
                let &last = self.args(term).last()?;
                if self.op(last) != Op::IntToBv {
                    return None;
                }
                let leaf = self.arg(last, 0);
                (self.mk_leaf_bits(leaf, self.width(term)) == term).then_some(leaf)
            }
            _ => None,
        }
    }
}

/// Over terms.
impl Residues for TermStore {
    type Vector = TermId;

    fn store(&self) -> &TermStore {
        self
    }

    fn number(&mut self, value: &Integer, width: u32) -> TermId {
        self.mk_bv(value.clone(), width)
    }

    fn sum(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_bv_add(&[a, b])
    }

    fn product(&mut self, a: TermId, b: TermId) -> TermId {
        self.mk_bv_mul(&[a, b])
    }

    fn multiple(&mut self, factor: &Integer, a: TermId) -> TermId {
        self.mk_bv_multiple(factor, a)
    }

    fn slice(&mut self, a: TermId, low: u32, width: u32) -> TermId {
        self.mk_bv_extract(low + width - 1, low, a)
    }

    fn zero_extend(&mut self, a: TermId, width: u32) -> TermId {
        self.mk_bv_zero_extend(width - self.width(a), a)
    }

    fn choose(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        self.mk_ite(condition, a, b)
    }

    fn vector(&mut self, term: TermId, width: u32) -> TermId {
        let own = self.width(term);
        if own < width {
            self.mk_bv_zero_extend(width - own, term)
        } else {
            self.mk_bv_extract(width - 1, 0, term)
        }
    }

    fn leaf(&mut self, leaf: TermId, width: u32) -> TermId {
        self.mk_leaf_bits(leaf, width)
    }
}
