//! Powers of two with unknown exponents, and conjunctions of as many low bits as an unknown says.
//!
//! To the simplex `int.pow2 x` and `piand k x y` are opaque columns, like products
//! ([`nonlinear`](crate::nonlinear)). What always holds and is cheap is said once ([`define`]): signs, bounds by the arguments, the
//! lowest bit. When an assignment gives them other values than their arguments demand, more is said, of the first
//! kind that it violates:
//!
//! - powers are ordered like their exponents, and a greater exponent makes the power twice as large;
//! - the bounds at the present exponent `c`, `x < c or 2^x >= 2^c` and the other way round; of a conjunction the bound and all bits
//!   where `k` is the present number of bits, and now and then that a power is even. From there on the bits decide ([`joined`](crate::joined)).
//!
//! After Zohar et al., *Bit-precise reasoning via int-blasting* (VMCAI 2022), where the lemmas for conjunctions are from.

use bolide_base::Integer;
use bolide_proof::Tautology;
use bolide_sat::FinalCheck;
use bolide_terms::powers::{low_conjunction, lowest_bits, power};
use bolide_terms::{Op, TermId, TermStore};

use crate::context::Context;
use crate::linear::Linear;
use crate::nonlinear::at_most;

// Heuristic: rounds of lemmas in one check before giving up.
const ROUNDS: usize = 200;
// Heuristic: greater exponents are not tried.
const LARGEST: u32 = 1 << 12;

// Heuristic: in one of so many rounds powers are said to be even, which brings bits along.
const EVEN: usize = 4;

/// The powers and conjunctions in the problem.
#[derive(Default)]
pub(crate) struct Powers {
    terms: Vec<TermId>,
    rounds: usize,
}

impl Powers {
    /// Takes in a power or a conjunction.
    pub fn add(&mut self, store: &TermStore, linear: &mut Linear, term: TermId) {
        self.terms.push(term);
        linear.add_leaves(store, term);
        for &argument in store.args(term) {
            linear.add_leaves(store, argument);
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Forgets those from `len` on.
    pub fn truncate(&mut self, len: usize) {
        self.terms.truncate(len);
    }

    /// A check begins.
    pub fn begin_check(&mut self) {
        self.rounds = 0;
    }

    /// Judges the assignment, and adds clauses if it is wrong.
    pub fn check(&mut self, context: &mut Context<'_>, linear: &Linear) -> FinalCheck {
        let value =
            |store: &TermStore, term: TermId| linear.value(store, term).standard.numerator();
        let mut wrong = Vec::new();
        for &term in &self.terms {
            let args: Vec<Integer> =
                context.store.args(term).iter().map(|&arg| value(context.store, arg)).collect();
            let expected = match &args[..] {
                [exponent] => power(exponent),
                [count, x, y] => low_conjunction(count, x, y),
                _ => unreachable!("powers have one argument and conjunctions three"),
            };
            let is = value(context.store, term);
            if expected.as_ref() != Some(&is) {
                wrong.push((term, args, is));
            }
        }
        if wrong.is_empty() {
            return FinalCheck::Consistent;
        }
        self.rounds += 1;
        if self.rounds > ROUNDS {
            return FinalCheck::GiveUp("powers of two");
        }
        if self.order(context, &value) {
            return FinalCheck::Continue;
        }
        let mut any = false;
        for (term, args, is) in wrong {
            let at = args[0].to_u32().filter(|&at| at <= LARGEST);
            let is_odd = args.len() == 1 && args[0].is_positive() && is.bit(0);
            match at {
                _ if is_odd && (at.is_none() || self.rounds.is_multiple_of(EVEN)) => {
                    power_bits(context, term);
                }
                Some(at) if args.len() == 1 => {
                    power_at(context, term, at, is < Integer::pow2(at));
                }
                Some(at) => conjunction_at(context, term, at),
                None => continue,
            }
            any = true;
        }
        if any { FinalCheck::Continue } else { FinalCheck::GiveUp("powers of two") }
    }

    /// Orders powers like their exponents. Whether the assignment has some in another order.
    fn order(
        &self,
        context: &mut Context<'_>,
        value: &dyn Fn(&TermStore, TermId) -> Integer,
    ) -> bool {
        let mut powers: Vec<(Integer, Integer, TermId)> = Vec::new();
        for &term in self.terms.iter().filter(|&&term| context.store.op(term) == Op::Pow2) {
            let exponent = value(context.store, context.store.arg(term, 0));
            powers.push((exponent, value(context.store, term), term));
        }
        powers.sort_unstable();
        let mut any = false;
        for pair in powers.windows(2) {
            let [(x, p, low), (y, q, high)] = pair else { unreachable!("windows of two") };
            let same = if x == y { u32::from(p != q) } else { 0 };
            if same == 1 {
                order_by(context, *low, *high, 0);
                order_by(context, *high, *low, 0);
            } else if x < y && p > q {
                order_by(context, *low, *high, 0);
            } else if x < y && &(p + p) > q {
                order_by(context, *low, *high, 1);
            } else {
                continue;
            }
            any = true;
        }
        any
    }
}

fn order_by(context: &mut Context<'_>, low: TermId, high: TermId, difference: u32) {
    let store = &mut *context.store;
    let [x, y] = [low, high].map(|power| store.arg(power, 0));
    let apart = store.mk_int(difference);
    let x = store.mk_add(&[x, apart]);
    let factor = store.mk_int(Integer::pow2(difference));
    let multiple = store.mk_mul(&[factor, low]);
    let clause = [at_most(store, y, x, true), at_most(store, multiple, high, false)];
    context.tautology(&clause, Tautology::PowerOrder { low, high, difference });
}

/// The bound that the power has at an exponent, from below or from above.
fn power_at(context: &mut Context<'_>, power: TermId, at: u32, too_small: bool) {
    let store = &mut *context.store;
    let exponent = store.arg(power, 0);
    let (c, value) = (store.mk_int(at), store.mk_int(Integer::pow2(at)));
    let clause = if too_small {
        [at_most(store, exponent, c, true), at_most(store, value, power, false)]
    } else {
        [at_most(store, c, exponent, true), at_most(store, power, value, false)]
    };
    context.tautology(&clause, Tautology::Power { power, at });
}

/// All bits of a conjunction where their number is this.
fn conjunction_at(context: &mut Context<'_>, conjunction: TermId, at: u32) {
    let store = &mut *context.store;
    let count = store.arg(conjunction, 0);
    let (c, end) = (store.mk_int(at), store.mk_int(Integer::pow2(at)));
    let bound = [at_most(store, c, count, true), at_most(store, conjunction, end, true)];
    let few = at_most(store, count, c, true);
    let bits = lowest_bits(store, conjunction, at).expect("a conjunction");
    let rule = Tautology::LowAnd { conjunction, at };
    context.tautology(&bound, rule.clone());
    context.tautology(&[few, bits], rule);
}

/// Adds what always holds of a power or a conjunction.
pub(crate) fn define(context: &mut Context<'_>, term: TermId) {
    let store = &mut *context.store;
    let zero = store.mk_int(0);
    let not_negative = at_most(store, zero, term, false);
    let args = store.args(term).to_vec();
    if let [exponent] = args[..] {
        let negative = at_most(store, exponent, zero, true);
        let clauses = [
            vec![not_negative],
            vec![store.mk_not(negative), at_most(store, term, zero, false)],
            vec![negative, at_most(store, exponent, term, true)],
        ];
        let rule = Tautology::Power { power: term, at: 0 };
        clauses.iter().for_each(|clause| context.tautology(clause, rule.clone()));
        return;
    }
    let [count, x, y] = args[..] else { unreachable!("a conjunction has three arguments") };
    let power = store.mk_pow2(count);
    let mut clauses = vec![vec![not_negative]];
    let mut outside = Vec::new();
    for part in [x, y] {
        let negative = at_most(store, part, zero, true);
        clauses.push(vec![negative, at_most(store, term, part, false)]);
        outside.push([negative, at_most(store, power, part, false)]);
    }
    // Where both fit: x + y - (2^k - 1) is at most what they have in common.
    let sum = store.mk_add(&[x, y]);
    let above = store.mk_add(&[power, term]);
    let mut both = outside.concat();
    both.push(at_most(store, sum, above, true));
    both.dedup();
    let mut same = outside[0].to_vec();
    same.extend([at_most(store, x, y, true), at_most(store, y, x, true)]);
    same.push(at_most(store, x, term, false));
    clauses.extend([both, same]);
    let rule = Tautology::LowAnd { conjunction: term, at: 0 };
    clauses.iter().for_each(|clause| context.tautology(clause, rule.clone()));
    for at in [0, 1] {
        conjunction_at(context, term, at);
    }
}

/// A power is even unless its exponent is zero or less.
fn power_bits(context: &mut Context<'_>, power: TermId) {
    let store = &mut *context.store;
    let (exponent, one) = (store.arg(power, 0), store.mk_int(1));
    let small = at_most(store, exponent, one, true);
    let even = lowest_bits(store, power, 1).expect("a power");
    context.tautology(&[small, even], Tautology::Power { power, at: 1 });
}
