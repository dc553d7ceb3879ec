//! The overflow predicates of SMT-LIB 2.7 over bit-vectors: whether the exact result of an operation has no place in
//! the width of its operands. Each is said by the operation itself, done in a width in which it is exact.

use crate::{TermId, TermStore};
use bolide_base::Integer;

impl TermStore {
    /// Whether a sum overflows.
    pub fn mk_bv_add_overflows(&mut self, a: TermId, b: TermId, signed: bool) -> TermId {
        let [x, y] = [a, b].map(|t| self.bv_widened(1, t, signed));
        let exact = self.mk_bv_add(&[x, y]);
        self.bv_has_no_place(exact, self.width(a), signed)
    }

    /// Whether a signed difference overflows. (An unsigned one does where the second is greater.)
    pub fn mk_bv_sub_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let [x, y] = [a, b].map(|t| self.bv_widened(1, t, true));
        let exact = self.mk_bv_sub(x, y);
        self.bv_has_no_place(exact, self.width(a), true)
    }

    /// Whether a product overflows.
    pub fn mk_bv_mul_overflows(&mut self, a: TermId, b: TermId, signed: bool) -> TermId {
        let width = self.width(a);
        let [x, y] = [a, b].map(|t| self.bv_widened(width, t, signed));
        let exact = self.mk_bv_mul(&[x, y]);
        self.bv_has_no_place(exact, width, signed)
    }

    /// Whether a negation overflows: of the least number.
    pub fn mk_bv_neg_overflows(&mut self, a: TermId) -> TermId {
        let width = self.width(a);
        let least = self.mk_bv(Integer::pow2(width - 1), width);
        self.mk_eq(a, least)
    }

    /// Whether a signed quotient overflows: of the least number by -1.
    pub fn mk_bv_sdiv_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let ones = self.mk_bv(Integer::from(-1), self.width(b));
        let parts = [self.mk_bv_neg_overflows(a), self.mk_eq(b, ones)];
        self.mk_and(&parts)
    }

    fn bv_widened(&mut self, amount: u32, a: TermId, signed: bool) -> TermId {
        match signed {
            true => self.mk_bv_sign_extend(amount, a),
            false => self.mk_bv_zero_extend(amount, a),
        }
    }

    fn bv_has_no_place(&mut self, exact: TermId, width: u32, signed: bool) -> TermId {
        let kept = self.mk_bv_extract(width - 1, 0, exact);
        let again = self.bv_widened(self.width(exact) - width, kept, signed);
        let same = self.mk_eq(exact, again);
        self.mk_not(same)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All operands of four bits, against the numbers themselves.
    #[test]
    fn overflow_is_what_leaves_the_width() {
        let mut store = TermStore::new();
        let signed = |n: i64| if n < 8 { n } else { n - 16 };
        let out = |n: i64| !(-8..8).contains(&n);
        for (x, y) in (0..16i64).flat_map(|x| (0..16i64).map(move |y| (x, y))) {
            let (a, b) = (store.mk_bv(Integer::from(x), 4), store.mk_bv(Integer::from(y), 4));
            let (p, q) = (signed(x), signed(y));
            let pairs = [
                (store.mk_bv_add_overflows(a, b, false), x + y > 15),
                (store.mk_bv_add_overflows(a, b, true), out(p + q)),
                (store.mk_bv_ult(a, b), x - y < 0),
                (store.mk_bv_sub_overflows(a, b), out(p - q)),
                (store.mk_bv_mul_overflows(a, b, false), x * y > 15),
                (store.mk_bv_mul_overflows(a, b, true), out(p * q)),
                (store.mk_bv_neg_overflows(a), out(-p)),
                (store.mk_bv_sdiv_overflows(a, b), q != 0 && out(p / q)),
            ];
            for (position, (said, expected)) in pairs.into_iter().enumerate() {
                assert_eq!(said, store.mk_bool(expected), "{position}: {x} {y}");
            }
        }
    }
}
