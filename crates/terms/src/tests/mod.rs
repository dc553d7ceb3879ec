//! Tests of the constructors and the walks over terms.

use crate::{SortId, TermId, TermStore};

#[test]
fn bounds_are_negations_of_each_other() {
    let mut s = TermStore::new();
    let (x, y) = (s.mk_const("x", SortId::INT), s.mk_const("y", SortId::INT));
    let (three, four) = (s.mk_int(3), s.mk_int(4));
    let d = s.mk_sub(x, y);
    let upper = s.mk_le(d, three);
    let lower = s.mk_ge(d, four);
    assert_eq!(s.mk_not(upper), lower);
    assert_eq!(s.mk_and(&[upper, lower]), TermId::FALSE);
    assert_eq!(s.mk_or(&[upper, lower]), TermId::TRUE);
    let e = s.mk_sub(y, x);
    let minus_three = s.mk_int(-3);
    assert_eq!(s.mk_ge(e, minus_three), upper);
}
