//! Ranks of floats as terms: their places in the order ([`float_interval`](crate::float_interval)).

use super::evaluator::{Evaluator, Symbolic};
use crate::float_interval::{FloatInterval, sign_bit};
use bolide_base::Integer;
use bolide_cfa::FloatKind;
use bolide_terms::TermId;

/// A number of the logic.
pub fn number(ev: &mut Evaluator<'_>, n: i128) -> TermId {
    ev.store.mk_int(Integer::from(n))
}

/// Whether the sign of a float is set.
pub fn signed(ev: &mut Evaluator<'_>, a: Symbolic, kind: FloatKind) -> TermId {
    let (pattern, sign) = (a.int(ev.store), number(ev, sign_bit(kind)));
    ev.store.mk_le(sign, pattern)
}

/// The rank of a float; beyond those of the infinities it is NaN.
pub fn rank(ev: &mut Evaluator<'_>, a: Symbolic, kind: FloatKind) -> TermId {
    let (pattern, sign) = (a.int(ev.store), number(ev, sign_bit(kind)));
    let is_signed = signed(ev, a, kind);
    let negative = ev.store.mk_sub(sign, pattern);
    ev.store.mk_ite(is_signed, negative, pattern)
}

/// Whether a number lies between two others, both included.
pub fn between(ev: &mut Evaluator<'_>, lo: i128, value: TermId, hi: i128) -> TermId {
    let (lo, hi) = (number(ev, lo), number(ev, hi));
    let bounds = [ev.store.mk_le(lo, value), ev.store.mk_le(value, hi)];
    ev.store.mk_and(&bounds)
}

/// Whether a float lies in an interval.
pub fn lies_in(ev: &mut Evaluator<'_>, a: Symbolic, interval: FloatInterval) -> TermId {
    let rank = rank(ev, a, interval.kind);
    between(ev, interval.lo, rank, interval.hi)
}

/// Whether a float is no NaN.
pub fn is_number(ev: &mut Evaluator<'_>, a: Symbolic, kind: FloatKind) -> TermId {
    lies_in(ev, a, FloatInterval::all(kind))
}
