//! Variables that the bounds leave few values.
//!
//! The quotient of a wrap-around, `x + 2^63 = r + 2^64 q`, is such a variable: bounds of `x`
//! and `r` leave `q` a value or two, and often none. Branching on it ends at once. A cut need not:
//! with the vertex at the upper bound of `r`, the equations of its face prove `r + q`
//! fractional as well as `q`, and after a split on that form the next vertex proves
//! `r + 2 q` fractional, and so on, once for each unit of the modulus.
//!
//! Forms over leaf columns are looked at, with the bounds of the leaves; rows of the tableau
//! may mention forms that have a bound on one side only. Only a choice of what to split
//! on: soundness does not rest on anything here.

use bolide_base::{Integer, Rational};

use super::split::Split;
use crate::linear::{Linear, floor};
use crate::simplex::{Column, Side};

// Heuristic: with more values than this a cut may exclude more than a branch.
const FEW: i64 = 3;
// Heuristic: how many candidates to look at, and how long a form may be.
const CANDIDATES: usize = 8;
const LONGEST: usize = 40;

/// A branch on the fractional variable with the fewest integer values, if they are few.
pub(super) fn split(linear: &Linear, candidates: &[Column]) -> Option<Split> {
    let few = Integer::from(FEW);
    let candidates = &candidates[..candidates.len().min(CANDIDATES)];
    let mut best: Option<(Integer, Column)> = None;
    for index in 0..linear.simplex.column_count() {
        let form = Column(index as u32);
        let bounded = |side| linear.simplex.bound(form, side).is_some();
        if !bounded(Side::Lower) || !bounded(Side::Upper) {
            continue;
        }
        let sum = linear.definition(form);
        if sum.len() > LONGEST {
            continue;
        }
        for &column in candidates {
            if let Some(count) = values(linear, form, &sum, column)
                && count <= few
                && best.as_ref().is_none_or(|(least, _)| count < *least)
            {
                best = Some((count, column));
            }
        }
    }
    let (_, column) = best?;
    Some(Split::new(vec![(column, Integer::ONE)], floor(linear.simplex.value(column))))
}

/// How many integer values the bounds of a form and of the other variables in it leave a
/// column; not positive for none.
fn values(
    linear: &Linear,
    form: Column,
    sum: &[(Column, Integer)],
    column: Column,
) -> Option<Integer> {
    let (_, own) = sum.iter().find(|(c, _)| *c == column)?;
    let own = Rational::from(own);
    // own * column = form - the others
    let extreme = |side: Side| {
        let bound = |of: Column, factor: &Rational| {
            let limit = if factor.is_negative() { side.flip() } else { side };
            Some(&linear.simplex.bound(of, limit)?.value.standard * factor)
        };
        let mut value = bound(form, &own.recip())?;
        for (other, coefficient) in sum {
            if *other != column {
                value += bound(*other, &-(&Rational::from(coefficient) / &own))?;
            }
        }
        Some(value)
    };
    Some(extreme(Side::Upper)?.floor() - extreme(Side::Lower)?.ceil() + Integer::ONE)
}
