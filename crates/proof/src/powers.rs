//! Checking of clauses about powers of two and conjunctions of low bits.
//!
//! Each schema is a list of polynomials of which one is at most zero, whatever the values; a clause is an instance
//! if each of them makes one of its literals true. Where bits are spoken of, the literal that is left must be
//! the circuit.

use bolide_base::{Integer, Rational};
use bolide_terms::{Op, TermId, TermStore};

use crate::arithmetic::{covers, meaning};
use crate::bits::Network;
use crate::polynomial::Polynomial;
use crate::{Literal, ensure};

/// Greater exponents are not written out.
const LARGEST: u32 = 1 << 16;

fn power_of_two(exponent: u32) -> Result<Rational, String> {
    ensure(exponent <= LARGEST, "the exponent is too large")?;
    Ok(Rational::from(Integer::pow2(exponent)))
}

/// `a + k <= b` as a polynomial that is at most zero.
fn at_most(a: &Polynomial, k: Rational, b: &Polynomial) -> Polynomial {
    a.minus(b).plus_constant(k)
}

pub(crate) fn check_power(
    store: &TermStore,
    network: &mut Network,
    clause: &[Literal],
    power: TermId,
    at: u32,
) -> Result<(), String> {
    let (Op::Pow2, &[exponent]) = (store.op(power), store.args(power)) else {
        return Err("not a power of two".into());
    };
    let (p, x) = (Polynomial::of(store, power), Polynomial::of(store, exponent));
    let zero = Polynomial::default();
    let (c, value) = (Rational::from(i64::from(at)), power_of_two(at)?);
    let below = at_most(&x, &Rational::ONE - &c, &zero);
    let schemas: [Vec<Polynomial>; 5] = [
        vec![at_most(&zero, Rational::ZERO, &p)],
        vec![at_most(&zero, Rational::ZERO, &x), at_most(&p, Rational::ZERO, &zero)],
        vec![at_most(&x, Rational::ONE, &zero), at_most(&x, Rational::ONE, &p)],
        vec![below.clone(), at_most(&zero, value.clone(), &p)],
        vec![at_most(&zero, &c + &Rational::ONE, &x), at_most(&p, -value, &zero)],
    ];
    let holds = schemas.iter().any(|schema| covers(store, clause, schema))
        || covers(store, clause, &[below]) && network.says_lowest_bits(store, clause, power, at)?;
    ensure(holds, "not a clause about a power of two")
}

pub(crate) fn check_order(
    store: &TermStore,
    clause: &[Literal],
    low: TermId,
    high: TermId,
    difference: u32,
) -> Result<(), String> {
    if [low, high].iter().any(|&power| store.op(power) != Op::Pow2) {
        return Err("not powers of two".into());
    }
    let [x, y] = [low, high].map(|power| Polynomial::of(store, store.arg(power, 0)));
    let [p, q] = [low, high].map(|power| Polynomial::of(store, power));
    let apart = &Rational::ONE - &Rational::from(i64::from(difference));
    let schema = [
        at_most(&y, apart, &x),
        at_most(&p.scaled(&power_of_two(difference)?), Rational::ZERO, &q),
    ];
    ensure(covers(store, clause, &schema), "not the order of two powers")
}

pub(crate) fn check_low_and(
    store: &TermStore,
    network: &mut Network,
    clause: &[Literal],
    conjunction: TermId,
    at: u32,
) -> Result<(), String> {
    let (Op::LowAnd, &[count, x, y]) = (store.op(conjunction), store.args(conjunction)) else {
        return Err("not a conjunction of low bits".into());
    };
    let [a, k, x, y] = [conjunction, count, x, y].map(|term| Polynomial::of(store, term));
    let zero = Polynomial::default();
    let negative = |term: &Polynomial| at_most(term, Rational::ONE, &zero);
    let (c, value) = (Rational::from(i64::from(at)), power_of_two(at)?);
    let mut schemas: Vec<Vec<Polynomial>> = vec![
        vec![at_most(&zero, Rational::ZERO, &a)],
        vec![negative(&x), at_most(&a, Rational::ZERO, &x)],
        vec![negative(&y), at_most(&a, Rational::ZERO, &y)],
        vec![at_most(&zero, &c + &Rational::ONE, &k), at_most(&a, &Rational::ONE - &value, &zero)],
    ];
    if let Some(power) = power_in(store, clause, count) {
        let p = Polynomial::of(store, power);
        let outside = |term: &Polynomial| [negative(term), at_most(&p, Rational::ZERO, term)];
        let mut both = [outside(&x), outside(&y)].concat();
        let least = x.minus(&p.minus(&y));
        both.push(at_most(&least, Rational::ONE, &a));
        let mut same = outside(&x).to_vec();
        same.extend([at_most(&x, Rational::ONE, &y), at_most(&y, Rational::ONE, &x)]);
        same.push(at_most(&x, Rational::ZERO, &a));
        schemas.extend([both, same]);
    }
    let below = at_most(&k, &Rational::ONE - &c, &zero);
    let holds = schemas.iter().any(|schema| covers(store, clause, schema))
        || covers(store, clause, &[below])
            && network.says_lowest_bits(store, clause, conjunction, at)?;
    ensure(holds, "not a clause about a conjunction of low bits")
}

/// The power of two with this exponent that the clause speaks of.
fn power_in(store: &TermStore, clause: &[Literal], exponent: TermId) -> Option<TermId> {
    let is_it = |&leaf: &TermId| store.op(leaf) == Op::Pow2 && store.args(leaf) == [exponent];
    clause.iter().find_map(|&literal| meaning(store, literal)?.polynomial.leaves().find(is_it))
}
