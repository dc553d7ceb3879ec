//! Boolean structure, equality and `ite`.
//!
//! After construction only `Not`, `And`, `Or`, `Eq` and `Ite` remain. An
//! equivalence never has a negated side (`a = not b` becomes `not (a = b)`),
//! a condition is never negated, equalities have the smaller id on the left
//! and values on the right.

use crate::{Op, SortId, TermId, TermStore};

/// Nested conjunctions (disjunctions) are dissolved up to this size, and beyond
/// it only when the siblings are as many; otherwise a chain that is built one
/// conjunct at a time would take quadratic space.
const FLATTEN_LIMIT: usize = 32;

impl TermStore {
    /// `not a`.
    pub fn mk_not(&mut self, a: TermId) -> TermId {
        debug_assert!(self.is_bool(a));
        match self.op(a) {
            Op::True => TermId::FALSE,
            Op::False => TermId::TRUE,
            Op::Not => self.arg(a, 0),
            _ => self.intern(Op::Not, SortId::BOOL, &[a]),
        }
    }

    /// The formula, or its negation.
    pub fn mk_literal(&mut self, formula: TermId, positive: bool) -> TermId {
        if positive { formula } else { self.mk_not(formula) }
    }

    /// What the formula is a conjunction of: itself, if it is none.
    pub fn conjuncts(&self, formula: TermId) -> Vec<TermId> {
        self.members(Op::And, formula)
    }

    /// What the formula is a disjunction of: itself, if it is none.
    pub fn disjuncts(&self, formula: TermId) -> Vec<TermId> {
        self.members(Op::Or, formula)
    }

    fn members(&self, op: Op, formula: TermId) -> Vec<TermId> {
        if self.op(formula) == op { self.args(formula).to_vec() } else { vec![formula] }
    }

    /// The conjunction; `true` of nothing.
    pub fn mk_and(&mut self, args: &[TermId]) -> TermId {
        self.mk_junction(Op::And, args)
    }

    /// The disjunction; `false` of nothing.
    pub fn mk_or(&mut self, args: &[TermId]) -> TermId {
        self.mk_junction(Op::Or, args)
    }

    /// The conjunction or the disjunction, as the operator says.
    pub fn mk_junction(&mut self, op: Op, args: &[TermId]) -> TermId {
        let (neutral, absorbing) = if op == Op::And {
            (TermId::TRUE, TermId::FALSE)
        } else {
            (TermId::FALSE, TermId::TRUE)
        };
        if let [a, b] = *args {
            // The common case without allocation of the long way.
            if a == b || b == neutral {
                return a;
            }
            if a == neutral {
                return b;
            }
        }
        let mut flat = Vec::with_capacity(args.len());
        for &arg in args {
            debug_assert!(self.is_bool(arg));
            if arg == absorbing {
                return absorbing;
            }
            if arg == neutral {
                continue;
            }
            let inner = if self.op(arg) == op { self.args(arg) } else { &[] };
            if !inner.is_empty() && (inner.len() <= FLATTEN_LIMIT || inner.len() < args.len()) {
                flat.extend_from_slice(inner);
            } else {
                flat.push(arg);
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let complementary = flat
            .iter()
            .any(|&arg| self.negated(arg).is_some_and(|atom| flat.binary_search(&atom).is_ok()));
        if complementary {
            return absorbing;
        }
        match flat.as_slice() {
            [] => neutral,
            [single] => *single,
            _ => self.intern(op, SortId::BOOL, &flat),
        }
    }

    /// `a => b`.
    pub fn mk_implies(&mut self, a: TermId, b: TermId) -> TermId {
        let not_a = self.mk_not(a);
        self.mk_or(&[not_a, b])
    }

    /// `a` if and only if `b`.
    pub fn mk_iff(&mut self, a: TermId, b: TermId) -> TermId {
        let (a, positive_a) = self.atom_and_sign(a);
        let (b, positive_b) = self.atom_and_sign(b);
        let (first, second) = if a <= b { (a, b) } else { (b, a) };
        let same = if first == second {
            TermId::TRUE
        } else if first == TermId::TRUE {
            second
        } else if first == TermId::FALSE {
            self.mk_not(second)
        } else {
            self.intern(Op::Eq, SortId::BOOL, &[first, second])
        };
        if positive_a == positive_b { same } else { self.mk_not(same) }
    }

    /// Exclusive or.
    pub fn mk_xor(&mut self, a: TermId, b: TermId) -> TermId {
        let iff = self.mk_iff(a, b);
        self.mk_not(iff)
    }

    /// `a = b` for terms of any one sort.
    pub fn mk_eq(&mut self, a: TermId, b: TermId) -> TermId {
        // Constant arrays are equal when their elements are, for there is an
        // index.
        let (mut a, mut b) = (a, b);
        while self.op(a) == Op::ConstArray && self.op(b) == Op::ConstArray {
            (a, b) = (self.arg(a, 0), self.arg(b, 0));
        }
        let sort = self.sort(a);
        debug_assert_eq!(sort, self.sort(b), "equality between different sorts");
        if a == b {
            TermId::TRUE
        } else if sort == SortId::BOOL {
            self.mk_iff(a, b)
        } else if sort.is_arithmetic() {
            self.mk_arithmetic_eq(a, b)
        } else if self.is_value(a) && self.is_value(b) {
            TermId::FALSE
        } else {
            let (a, b) = self.equality_order(a, b);
            if let Some(folded) = self.fold_ite_eq(a, b) {
                return folded;
            }
            self.intern(Op::Eq, SortId::BOOL, &[a, b])
        }
    }

    /// The equalities between terms that stand in equal places.
    pub fn mk_eqs(&mut self, left: &[TermId], right: &[TermId]) -> Vec<TermId> {
        left.iter().zip(right).map(|(&a, &b)| self.mk_eq(a, b)).collect()
    }

    /// `a = b` as it stands, without arithmetic normalisation and without
    /// looking into `ite`. For interface equalities between sums and for the
    /// definitions of `ite`: congruence closure must see the two terms
    /// themselves on the two sides.
    pub fn mk_eq_plain(&mut self, a: TermId, b: TermId) -> TermId {
        if self.is_bool(a) || a == b || (self.is_value(a) && self.is_value(b)) {
            return self.mk_eq(a, b);
        }
        let (a, b) = self.equality_order(a, b);
        self.intern(Op::Eq, SortId::BOOL, &[a, b])
    }

    /// Smaller id first, but values always last.
    pub(crate) fn equality_order(&self, a: TermId, b: TermId) -> (TermId, TermId) {
        let swap = match (self.is_value(a), self.is_value(b)) {
            (true, false) => true,
            (false, true) => false,
            _ => b < a,
        };
        if swap { (b, a) } else { (a, b) }
    }

    /// `(ite c k1 k2) = k` with values `k1`, `k2`, `k` is `c`, `not c` or a
    /// constant.
    pub(crate) fn fold_ite_eq(&mut self, a: TermId, k: TermId) -> Option<TermId> {
        if self.op(a) != Op::Ite || !self.is_value(k) {
            return None;
        }
        let &[condition, then, other] = self.args(a) else { return None };
        if !self.is_value(then) || !self.is_value(other) {
            return None;
        }
        let (then, other) = (self.mk_bool(then == k), self.mk_bool(other == k));
        Some(self.mk_ite(condition, then, other))
    }

    /// `not (a = b)`.
    pub fn mk_neq(&mut self, a: TermId, b: TermId) -> TermId {
        let eq = self.mk_eq(a, b);
        self.mk_not(eq)
    }

    /// Pairwise different.
    pub fn mk_distinct(&mut self, args: &[TermId]) -> TermId {
        let mut parts = Vec::with_capacity(args.len() * args.len().saturating_sub(1) / 2);
        for (i, &a) in args.iter().enumerate() {
            for &b in &args[i + 1..] {
                let different = self.mk_neq(a, b);
                if different == TermId::FALSE {
                    return TermId::FALSE;
                }
                parts.push(different);
            }
        }
        self.mk_and(&parts)
    }

    /// `then` where `condition` holds, else `other`.
    pub fn mk_ite(&mut self, condition: TermId, then: TermId, other: TermId) -> TermId {
        debug_assert!(self.is_bool(condition));
        debug_assert_eq!(self.sort(then), self.sort(other));
        let (condition, mut then, mut other) = match self.negated(condition) {
            Some(atom) => (atom, other, then),
            None => (condition, then, other),
        };
        if condition == TermId::TRUE {
            return then;
        }
        if condition == TermId::FALSE {
            return other;
        }
        // Below the same condition the outcome is known. One level suffices:
        // inner terms were built by this function.
        if self.op(then) == Op::Ite && self.arg(then, 0) == condition {
            then = self.arg(then, 1);
        }
        if self.op(other) == Op::Ite && self.arg(other, 0) == condition {
            other = self.arg(other, 2);
        }
        if then == other {
            return then;
        }
        if self.is_bool(then) {
            return self.mk_bool_ite(condition, then, other);
        }
        let sort = self.sort(then);
        self.intern(Op::Ite, sort, &[condition, then, other])
    }

    fn mk_bool_ite(&mut self, c: TermId, then: TermId, other: TermId) -> TermId {
        let not_c = self.mk_not(c);
        if then == TermId::TRUE || then == c {
            self.mk_or(&[c, other])
        } else if then == TermId::FALSE || then == not_c {
            self.mk_and(&[not_c, other])
        } else if other == TermId::TRUE || other == not_c {
            self.mk_or(&[not_c, then])
        } else if other == TermId::FALSE || other == c {
            self.mk_and(&[c, then])
        } else if self.atom_and_sign(then).0 == self.atom_and_sign(other).0 {
            // The branches are complementary.
            self.mk_iff(c, then)
        } else {
            self.intern(Op::Ite, SortId::BOOL, &[c, then, other])
        }
    }
}
