//! Variables that the bounds leave few values.
//!
//! The quotient of a wrap-around, `x + 2^63 = r + 2^64 q`, is such a variable: bounds of `x`
//! and `r` leave `q` a value or two, and often none. Branching on it ends at once. A cut need not:
//! with the vertex at the upper bound of `r`, the equations of its face prove `r + q`
//! fractional as well as `q`, and after a split on that form the next vertex proves
//! `r + 2 q` fractional, and so on, once for each unit of the modulus.
//!
//! Forms over leaf columns are looked at, with the bounds of the leaves; rows of the tableau
//! may mention forms that have a bound on one side only. A leaf without a bound of its own may have one by another form:
//! where `x + 2^64` is a term `t` and `t` has a value, so has `x`. Only a choice of what to split
//! on: soundness does not rest on anything here.

use bolide_base::{HashMap, Integer, Rational};

use super::split::Split;
use crate::linear::{Linear, floor};
use crate::simplex::{Column, Side};

// Heuristic: with more values than this a cut may exclude more than a branch.
const FEW: i64 = 3;
// Heuristic: how many candidates to look at, and how long a form may be.
const CANDIDATES: usize = 8;
const LONGEST: usize = 40;

/// The bounds of leaves that have none of their own on a side.
type Derived = HashMap<Column, [Option<Rational>; 2]>;

/// A branch on the fractional variable with the fewest integer values, if they are few.
pub(super) fn split(linear: &Linear, candidates: &[Column]) -> Option<Split> {
    let few = Integer::from(FEW);
    let candidates = &candidates[..candidates.len().min(CANDIDATES)];
    let forms = bounded_forms(linear);
    let derived = derived(linear, &forms);
    let mut best: Option<(Integer, Column)> = None;
    for (form, sum) in &forms {
        for &column in candidates {
            if let [Some(lower), Some(upper)] = extremes(linear, &derived, *form, sum, column) {
                let count = upper.floor() - lower.ceil() + Integer::ONE;
                if count <= few && best.as_ref().is_none_or(|(least, _)| count < *least) {
                    best = Some((count, column));
                }
            }
        }
    }
    let (_, column) = best?;
    Some(Split::new(vec![(column, Integer::ONE)], floor(linear.simplex.value(column))))
}

/// The forms with bounds on both sides that are not too long.
fn bounded_forms(linear: &Linear) -> Vec<(Column, Vec<(Column, Integer)>)> {
    let columns = (0..linear.simplex.column_count()).map(|index| Column(index as u32));
    let bounded =
        |form: &Column| SIDES.iter().all(|&side| linear.simplex.bound(*form, side).is_some());
    let forms = columns.filter(bounded).map(|form| (form, linear.definition(form)));
    forms.filter(|(_, sum)| sum.len() <= LONGEST).collect()
}

/// What the forms say of leaves that lack a bound.
fn derived(linear: &Linear, forms: &[(Column, Vec<(Column, Integer)>)]) -> Derived {
    let mut derived = Derived::default();
    for (form, sum) in forms {
        for (leaf, _) in sum {
            if SIDES.iter().any(|&side| linear.simplex.bound(*leaf, side).is_none()) {
                let found = extremes(linear, &Derived::default(), *form, sum, *leaf);
                let known = derived.entry(*leaf).or_default();
                for (known, found) in known.iter_mut().zip(found) {
                    *known = known.take().or(found);
                }
            }
        }
    }
    derived
}

const SIDES: [Side; 2] = [Side::Lower, Side::Upper];

/// The least and the greatest value that the bounds of a form and of the other variables in it leave a column.
fn extremes(
    linear: &Linear,
    derived: &Derived,
    form: Column,
    sum: &[(Column, Integer)],
    column: Column,
) -> [Option<Rational>; 2] {
    let Some((_, own)) = sum.iter().find(|(c, _)| *c == column) else { return [None, None] };
    let own = Rational::from(own);
    // own * column = form - the others
    SIDES.map(|side| {
        let bound = |of: Column, factor: &Rational| {
            let limit = if factor.is_negative() { side.flip() } else { side };
            let value = match linear.simplex.bound(of, limit) {
                Some(bound) => &bound.value.standard,
                None => derived.get(&of)?[usize::from(limit == Side::Upper)].as_ref()?,
            };
            Some(value * factor)
        };
        let mut value = bound(form, &own.recip())?;
        for (other, coefficient) in sum {
            if *other != column {
                value += bound(*other, &-(&Rational::from(coefficient) / &own))?;
            }
        }
        Some(value)
    })
}
