//! Remainders by one unknown divisor.
//!
//! `(a + b mod c) mod c` is `(a + b) mod c`: modulo `c` a remainder by `c` is what it is the remainder of, and what has
//! `c` as a factor is zero. Two remainders of what is the same by that are the same unless `c` is zero.

use bolide_base::HashMap;
use bolide_proof::Tautology;
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};

use super::at_most;
use crate::context::Context;
use crate::linear::Linear;

// Heuristic: remainders of remainders are taken apart so often.
const DEPTH: usize = 8;

/// Says of remainders that are the same that they are. Whether the assignment gives some of them different values.
pub(crate) fn remainders(context: &mut Context<'_>, linear: &Linear, terms: &[TermId]) -> bool {
    let mut first: HashMap<(TermId, TermId), TermId> = HashMap::default();
    let mut any = false;
    for &term in terms {
        let &[dividend, divisor] = context.store.args(term) else { continue };
        let class = (divisor, modulo(context.store, dividend, divisor));
        let known = *first.entry(class).or_insert(term);
        let value = |term: TermId| linear.value(context.store, term).standard;
        let differ = value(known) != value(term);
        // Required: by zero the clauses exclude nothing, and the search would come back here.
        if known == term || !differ || value(divisor).is_zero() {
            continue;
        }
        any = true;
        let zero = context.store.mk_int(0);
        let by_zero = context.store.mk_eq(divisor, zero);
        for (left, right) in [(known, term), (term, known)] {
            let bound = at_most(context.store, left, right, false);
            context.tautology(&[by_zero, bound], Tautology::Remainders { left, right });
        }
    }
    any
}

/// A term that is the same modulo the divisor.
fn modulo(store: &mut TermStore, term: TermId, divisor: TermId) -> TermId {
    let mut term = term;
    for _ in 0..DEPTH {
        let mut sum = LinearForm::zero();
        let form = store.linear_form(term);
        sum.constant = form.constant.clone();
        for (leaf, coefficient) in &form.terms {
            let factors =
                if store.is_monomial(*leaf) { store.args(*leaf).to_vec() } else { vec![*leaf] };
            if factors.contains(&divisor) {
                continue;
            }
            let is_remainder = |&f: &TermId| store.op(f) == Op::Mod && store.arg(f, 1) == divisor;
            let replaced: Vec<TermId> = factors
                .iter()
                .map(|f| if is_remainder(f) { store.arg(*f, 0) } else { *f })
                .collect();
            let product = store.mk_mul(&replaced);
            sum.add_scaled(&store.linear_form(product), coefficient);
        }
        let next = store.mk_linear(&sum, SortId::INT);
        if next == term {
            break;
        }
        term = next;
    }
    term
}
