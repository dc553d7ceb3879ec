//! Candidates for invariants from what the program itself compares.
//!
//! A loop that ends at `i < 1000000 * k` is about `i - 1000000 * k`, and a loop
//! that changes its ways at `x < 50` has one invariant before and another
//! after. So of the comparisons of the program ([`polynomials`](crate::polynomials)) the linear ones count here:
//! bounds of these forms are candidates, and comparisons of one variable with
//! a constant split the samples of a loop head into phases ([`phases`]), each of
//! which has facts of its own (splitter predicates after Sharma, Dillig, Dillig and
//! Aiken, "Simplifying loop invariant generation using splitter predicates", CAV 2011).
//! Where samples are multiples of another variable that stays small, the remainder
//! is stated value by value ([`multiples`]): divisors must be constants.

use crate::facts::Fact;
use crate::polynomials::vanishing;
use crate::quantities::Quantity;
use crate::samples::{FEW_VARIABLES, Linear, Polynomial, Samples};

/// At most so many guards split the samples of one location.
const SPLITTERS: usize = 6;

/// The largest divisor whose multiples are looked for.
const DIVISOR: i128 = 12;

/// Bounds near the linear forms: what a guard and its step may leave.
pub fn bounds(form: &Linear) -> Vec<Linear> {
    let mut found = vec![Linear { equality: true, ..form.clone() }];
    for slack in [-1, 0, 1] {
        let halves = form.halves().into_iter();
        found.extend(halves.map(|half| Linear { constant: half.constant + slack, ..half }));
    }
    found
}

/// Facts of one phase each: the comparison that holds outside of it, and what
/// the samples inside have in common.
pub fn phases(forms: &[Linear], samples: &Samples, remainders: bool) -> Vec<(Linear, Fact)> {
    let mut found = Vec::new();
    let splitters = forms.iter().filter(|f| f.terms.len() == 1).take(SPLITTERS);
    for splitter in splitters.flat_map(Linear::halves) {
        let inside = inside(samples, &splitter);
        if inside.values.len() < samples.values.len() {
            let mut facts = inside.facts();
            if samples.quantities.len() > FEW_VARIABLES {
                facts.retain(|fact| fact.equality && fact.terms.len() <= 3);
            }
            found.extend(facts.into_iter().map(|fact| (splitter.clone(), Fact::Linear(fact))));
        }
        if remainders {
            for (position, &x) in inside.quantities.iter().enumerate() {
                for rest in 0..2 {
                    // A phase that no sample reached may have either.
                    if inside.values.iter().all(|s| s[position].rem_euclid(2) == rest) {
                        found.push((splitter.clone(), Fact::Remainder(x, 2, rest)));
                    }
                }
            }
        }
    }
    found
}

/// As [`phases`], for equalities between products, where any comparison of the program
/// begins a phase. Of the variables that it compares each is left out in turn: at the end of a loop one of
/// them is what the other says, and the fact is to be about what stays.
pub fn polynomial_phases(forms: &[Linear], samples: &Samples) -> Vec<(Linear, Polynomial)> {
    let mut found = Vec::new();
    for splitter in forms.iter().take(SPLITTERS).flat_map(Linear::halves) {
        let inside = inside(samples, &splitter);
        if inside.values.len() == samples.values.len() {
            continue;
        }
        for &(var, _) in &splitter.terms {
            let facts = vanishing(&inside, Some(var), 2);
            found.extend(facts.into_iter().map(|fact| (splitter.clone(), fact)));
        }
    }
    found
}

/// Loops that may not run at all: a comparison of two variables holds one way or the other, or else
/// one of the variables is still what it was at first, the least or greatest of the samples.
pub fn unless_first(forms: &[Linear], samples: &Samples) -> Vec<(Linear, Linear)> {
    let mut found = Vec::new();
    for form in forms.iter().filter(|form| form.terms.len() == 2).take(SPLITTERS) {
        for half in form.halves() {
            for slack in [0, 1] {
                let bound = Linear { constant: half.constant - slack, ..half.clone() };
                for &(var, coefficient) in &bound.terms {
                    let position = samples.quantities.iter().position(|&v| v == var);
                    let values = samples.values.iter().map(|s| position.map_or(0, |p| s[p]));
                    let first = if coefficient > 0 { values.min() } else { values.max() };
                    let Some(first) = first else { continue };
                    let first = Linear { terms: vec![(var, 1)], constant: -first, equality: true };
                    let holds = |s| samples.holds(&bound, s) || samples.holds(&first, s);
                    if samples.values.iter().all(holds) {
                        found.push((bound.clone(), first));
                    }
                }
            }
        }
    }
    found
}

/// The samples of the phase in which a comparison does not hold.
fn inside(samples: &Samples, splitter: &Linear) -> Samples {
    let values = samples.values.iter().filter(|s| !samples.holds(splitter, s)).cloned().collect();
    Samples { quantities: samples.quantities.clone(), values }
}

/// Pairs of variables of which the first is a multiple of the second in all
/// samples, with the values that the second may have for that.
pub fn multiples(samples: &Samples) -> Vec<(Quantity, Quantity, i128)> {
    let mut found = Vec::new();
    for (i, &x) in samples.quantities.iter().enumerate() {
        for (j, &k) in samples.quantities.iter().enumerate() {
            let divides = |s: &Vec<i128>| if s[j] == 0 { s[i] == 0 } else { s[i] % s[j] == 0 };
            let telling = samples.values.iter().filter(|s| s[j] > 1 && s[i] != 0).count();
            let small = samples.values.iter().all(|s| (0..=40).contains(&s[j]));
            if i != j && small && telling >= 3 && samples.values.iter().all(divides) {
                found.extend((2..=DIVISOR).map(|divisor| (x, k, divisor)));
            }
        }
    }
    found
}
