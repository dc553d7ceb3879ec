//! Integer completeness on top of the rational simplex.
//!
//! Every step of integer reasoning is a *split*: an inequality `t <= k` over
//! the integers, whose negation is `t >= k + 1`, is given to the search to
//! decide, and both sides are left to the simplex, which excludes the present
//! vertex by Farkas lemmas. Which `t` is split on is what this file is about:
//!
//! - *Equalities*. The bounds that fix a form are linear equations over the
//!   integers. Equations with a unit coefficient are substituted into the
//!   others; an equation whose coefficients have a common divisor that does
//!   not divide its constant names a form without integer value.
//! - *Cuts from proofs* (Dillig, Dillig and Aiken, CAV 2009). At a vertex with
//!   a fractional coordinate, the constraints that hold with equality and define that
//!   coordinate are equations as well. The Hermite normal form shows an
//!   integral combination of them with a fractional right side, a *proof
//!   of unsatisfiability* over the integers; splitting around it excludes a
//!   whole face, not only a point. We use the tight constraints of one row
//!   of the tableau rather than all: fewer equations exclude a larger face.
//!   Real variables are eliminated from the equations first; what the infinitesimal of a
//!   strict bound adds to an integral right side makes it fractional, too.
//! - *Narrow variables* ([`narrow`]), which bounds leave few values.
//! - *Thin forms* ([`flatness`]) where a bounded region is long and narrow.
//! - *Branching* on a fractional variable, where the face contains integer
//!   points (the vertex is not determined by its constraints).
//!
//! Splits on forms instead of cutting planes keep proofs and interpolants
//! simple: no rule but Farkas and the split itself. The price is that a cut
//! that needs no case distinction (Gomory's) has to be found as two cases.
//!
//! Not a decision procedure on unbounded problems in theory; in practice
//! cuts from proofs end where branching alone runs away.

mod flatness;
mod narrow;
mod split;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use bolide_base::{Budget, Exhausted, HashMap, Integer, Rational};

use crate::linear::{Linear, floor};
use crate::simplex::{Column, DeltaRational, Side};
pub(crate) use split::Split;

/// How the integers judge a vertex of the rational relaxation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// All integer columns have integer values.
    Integral,
    /// Decide this first.
    Split(Split),
}

/// A linear equation over leaf columns.
#[derive(Clone, Debug)]
struct Equation {
    /// Sorted by column, no zeros.
    sum: Vec<(Column, Integer)>,
    value: DeltaRational,
}

// Heuristic: larger matrices cost more than the branches they save.
const MATRIX_LIMIT: usize = 40;
const BIT_LIMIT: u32 = 400;
// Heuristic: bits of a coefficient, on average, of a cut that is always taken; every so many splits any cut is.
const CUT_BITS: u64 = 4;
const LARGE_CUTS: u32 = 5;

/// Finds an integral vertex or what to split on. The simplex must be consistent.
pub(crate) fn check(linear: &mut Linear, budget: &Budget) -> Result<Verdict, Exhausted> {
    if fractional(linear).next().is_none() {
        return Ok(Verdict::Integral);
    }
    settle(linear, budget)?;
    patch(linear);
    let candidates: Vec<Column> = fractional(linear).collect();
    if candidates.is_empty() {
        return Ok(Verdict::Integral);
    }
    let mut equations: Vec<Equation> = Vec::new();
    for index in 0..linear.simplex.column_count() {
        let column = Column(index as u32);
        if linear.simplex.is_fixed(column) {
            let bound = linear.simplex.bound(column, Side::Lower).expect("fixed");
            equations.push(equation(linear, column, &bound.value));
        }
    }
    let equations = without_reals(linear, equations);
    if let Some(split) = contradiction(equations, budget)? {
        return Ok(Verdict::Split(split));
    }
    if let Some(split) = narrow::split(linear, &candidates) {
        return Ok(Verdict::Split(split));
    }
    if let Some(split) = flatness::split(linear, candidates[0]) {
        return Ok(Verdict::Split(split));
    }
    // Heuristic: look at some rows, take the cut with the smallest numbers.
    let mut best: Option<(u64, Split)> = None;
    for &column in candidates.iter().take(4) {
        budget.poll()?;
        if let Some(split) = cut_from_proof(linear, column) {
            let weight = split.sum.iter().map(|(_, c)| u64::from(c.bit_length())).sum();
            if best.as_ref().is_none_or(|(w, _)| weight < *w) {
                best = Some((weight, split));
            }
        }
    }
    // Heuristic: cuts with large numbers make rows with large numbers. They are
    // what ends some unbounded problems, and what drowns others.
    linear.splits += 1;
    if let Some((weight, split)) = best
        && (weight <= CUT_BITS * split.sum.len() as u64 || linear.splits.is_multiple_of(LARGE_CUTS))
    {
        return Ok(Verdict::Split(split));
    }
    Ok(Verdict::Split(branch(linear, &candidates)))
}

/// The leaf columns of integers that have no integer value.
fn fractional(linear: &Linear) -> impl Iterator<Item = Column> + '_ {
    linear.leaves().map(|(column, _)| column).filter(|&column| {
        linear.simplex.is_integer(column) && !linear.simplex.value(column).is_integer()
    })
}

/// Gives integer columns that are neither basic nor at a bound integer values.
fn settle(linear: &mut Linear, budget: &Budget) -> Result<(), Exhausted> {
    for _ in 0..2 {
        let mut moved = false;
        for index in 0..linear.simplex.column_count() {
            let column = Column(index as u32);
            let simplex = &mut linear.simplex;
            if simplex.is_integer(column)
                && !simplex.is_basic(column)
                && !simplex.value(column).is_integer()
            {
                let target = floor(simplex.value(column));
                simplex.move_to(column, DeltaRational::from(Rational::from(target)));
                moved = true;
            }
        }
        if !moved {
            break;
        }
        let feasible = linear.simplex.check(budget)?;
        debug_assert!(feasible, "moving within bounds keeps the bounds satisfiable");
    }
    Ok(())
}

/// Tries to make fractional basic columns integral by moving one column of
/// their row, without leaving any bound or making an integral column
/// fractional.
fn patch(linear: &mut Linear) {
    let columns: Vec<Column> = fractional(linear).collect();
    for column in columns {
        if linear.simplex.value(column).is_integer() {
            continue;
        }
        let Some(row) = linear.simplex.row(column) else { continue };
        let row: Vec<(Column, Integer)> = row.map(|(c, a)| (c, a.clone())).collect();
        let own = row.iter().find(|(c, _)| *c == column).expect("basic in its row").1.clone();
        for (other, coefficient) in &row {
            if *other == column || linear.simplex.is_fixed(*other) {
                continue;
            }
            // Moving `other` by d moves `column` by -d * coefficient / own.
            let step = -Rational::new(coefficient.clone(), own.clone());
            if shifts(linear, column, *other, &step)
                .into_iter()
                .any(|target| linear.simplex.try_move(*other, target))
            {
                break;
            }
        }
    }
}

/// Values of `other` for which `column`, which moves `step` times as far, becomes integral.
fn shifts(linear: &Linear, column: Column, other: Column, step: &Rational) -> Vec<DeltaRational> {
    let simplex = &linear.simplex;
    let value = simplex.value(column);
    let mut targets = Vec::new();
    if !simplex.is_integer(other) {
        let below = Rational::from(floor(value));
        for goal in [below.clone(), below + Rational::ONE] {
            let mut target = simplex.value(other).clone();
            let distance = DeltaRational::from(goal).minus(value);
            target.add_mul(&step.recip(), &distance);
            targets.push(target);
        }
    } else if !step.is_integer() {
        for distance in [1i64, -1, 2, -2, 3, -3, 4, -4] {
            let mut moved = value.clone();
            moved.standard += step * &Rational::from(distance);
            if moved.is_integer() {
                let mut target = simplex.value(other).clone();
                target.standard += Rational::from(distance);
                targets.push(target);
            }
        }
    }
    targets
}

fn equation(linear: &Linear, column: Column, value: &DeltaRational) -> Equation {
    let mut sum = linear.definition(column);
    sum.sort_unstable_by_key(|(c, _)| *c);
    Equation { sum, value: value.clone() }
}

/// The consequences of the equations for integer columns alone.
fn without_reals(linear: &Linear, mut equations: Vec<Equation>) -> Vec<Equation> {
    let is_real = |(column, _): &(Column, Integer)| !linear.simplex.is_integer(*column);
    while let Some(pivot) = equations.iter().position(|e| e.sum.iter().any(is_real)) {
        let source = equations.swap_remove(pivot);
        let (column, pivot) = source.sum.iter().find(|e| is_real(e)).expect("chosen");
        for target in &mut equations {
            let Ok(place) = target.sum.binary_search_by_key(column, |(c, _)| *c) else { continue };
            // target * scale + source * factor has no `column`.
            let divisor = target.sum[place].1.gcd(pivot);
            let mut scale = pivot.div_exact(&divisor);
            let mut factor = -target.sum[place].1.div_exact(&divisor);
            if scale.is_negative() {
                (scale, factor) = (-scale, -factor);
            }
            for (_, coefficient) in &mut target.sum {
                *coefficient *= &scale;
            }
            target.value = target.value.times(&Rational::from(&scale));
            add_scaled(target, &source, &factor);
        }
    }
    equations.retain(|e| !e.sum.is_empty());
    equations
}

/// A form that the equations give a value that is not an integer.
fn contradiction(
    mut equations: Vec<Equation>,
    budget: &Budget,
) -> Result<Option<Split>, Exhausted> {
    // Substitute by equations with a unit coefficient, shortest first. The
    // row operations leave each equation a combination of the given ones, so
    // a contradictory one can be split on as it is.
    let mut done = vec![false; equations.len()];
    let unit = |equation: &Equation| equation.sum.iter().find(|(_, c)| is_unit(c)).cloned();
    // Equations with a unit coefficient by length, and where columns occur (or did).
    let mut open: BTreeSet<(usize, usize)> = BTreeSet::new();
    let mut occurrences: HashMap<Column, Vec<usize>> = HashMap::default();
    for (i, equation) in equations.iter().enumerate() {
        if equation.sum.iter().any(|(_, c)| is_unit(c)) {
            open.insert((equation.sum.len(), i));
        }
        for (column, _) in &equation.sum {
            occurrences.entry(*column).or_default().push(i);
        }
    }
    while let Some((_, pivot)) = open.pop_first() {
        budget.poll()?;
        done[pivot] = true;
        let source = equations[pivot].clone();
        let (column, unit_coefficient) = unit(&source).expect("open equations have a unit");
        let mut targets = occurrences.remove(&column).unwrap_or_default();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            if done[target] {
                continue;
            }
            let Ok(place) = equations[target].sum.binary_search_by_key(&column, |(c, _)| *c) else {
                continue;
            };
            let factor = -(&equations[target].sum[place].1 * &unit_coefficient);
            open.remove(&(equations[target].sum.len(), target));
            add_scaled(&mut equations[target], &source, &factor);
            if let Some(split) = reduce(&mut equations[target]) {
                return Ok(Some(split));
            }
            for (other, _) in &source.sum {
                if *other != column {
                    occurrences.entry(*other).or_default().push(target);
                }
            }
            if unit(&equations[target]).is_some() {
                open.insert((equations[target].sum.len(), target));
            }
        }
    }
    let rest: Vec<Equation> = (0..equations.len())
        .filter(|&i| !done[i] && !equations[i].sum.is_empty())
        .map(|i| equations[i].clone())
        .collect();
    if rest.is_empty() || rest.len() > MATRIX_LIMIT {
        return Ok(None);
    }
    Ok(fractional_combination(&rest))
}

fn is_unit(coefficient: &Integer) -> bool {
    coefficient.is_one() || *coefficient == -1
}

fn add_scaled(target: &mut Equation, source: &Equation, factor: &Integer) {
    let old = std::mem::take(&mut target.sum);
    let mut left = old.into_iter().peekable();
    for (column, coefficient) in &source.sum {
        while let Some(entry) = left.next_if(|e| e.0 < *column) {
            target.sum.push(entry);
        }
        let mut sum = coefficient * factor;
        if let Some((_, own)) = left.next_if(|e| e.0 == *column) {
            sum += own;
        }
        if !sum.is_zero() {
            target.sum.push((*column, sum));
        }
    }
    target.sum.extend(left);
    target.value.add_mul(&Rational::from(factor), &source.value);
}

/// Divides by the common divisor; a split if the value does not allow it.
fn reduce(equation: &mut Equation) -> Option<Split> {
    let mut divisor = Integer::ZERO;
    for (_, coefficient) in &equation.sum {
        divisor = divisor.gcd(coefficient);
        if divisor.is_one() {
            return None;
        }
    }
    if divisor.is_zero() {
        return None;
    }
    for (_, coefficient) in &mut equation.sum {
        *coefficient = coefficient.div_exact(&divisor);
    }
    equation.value = equation.value.times(&Rational::from(divisor).recip());
    (!equation.value.is_integer()).then(|| Split::new(equation.sum.clone(), floor(&equation.value)))
}

/// A split around an integral combination of the tight constraints that
/// determine a fractional column.
fn cut_from_proof(linear: &Linear, column: Column) -> Option<Split> {
    let simplex = &linear.simplex;
    let mut tight = Vec::new();
    for (other, _) in simplex.row(column)? {
        if other == column {
            continue;
        }
        if tight.len() >= MATRIX_LIMIT {
            return None;
        }
        let value = simplex.value(other);
        let at_bound = [Side::Lower, Side::Upper]
            .into_iter()
            .any(|side| simplex.bound(other, side).is_some_and(|b| b.value == *value));
        if at_bound {
            tight.push(equation(linear, other, value));
        }
    }
    let mut tight = without_reals(linear, tight);
    tight.sort_by_key(|e| e.sum.len());
    fractional_combination(&tight)
}

/// Euclid's algorithm among the columns from `rank` on until the first row has one entry left there,
/// in column `rank`.
fn gather(rows: &mut [Vec<Integer>], rank: usize, width: usize) {
    loop {
        let mut smallest: Option<usize> = None;
        let mut others = false;
        for c in rank..width {
            if !rows[0][c].is_zero() {
                if smallest.is_some() {
                    others = true;
                }
                if smallest.is_none_or(|s| rows[0][c].abs() < rows[0][s].abs()) {
                    smallest = Some(c);
                }
            }
        }
        let Some(pivot) = smallest else { break };
        if pivot != rank {
            for row in rows.iter_mut() {
                row.swap(pivot, rank);
            }
        }
        if !others {
            break;
        }
        let divisor = rows[0][rank].clone();
        for c in rank + 1..width {
            if !rows[0][c].is_zero() {
                let quotient = rows[0][c].div_floor(&divisor);
                subtract_column(rows, c, rank, &quotient);
            }
        }
    }
}

/// Brings the equations into Hermite normal form by unimodular column
/// operations, `A U = H` with lower triangular `H`. Then the rows of `H^-1 A`
/// are integral, and span all integral combinations of the equations; one with a fractional
/// right side `H^-1 b` is returned.
fn fractional_combination(equations: &[Equation]) -> Option<Split> {
    let mut columns: Vec<Column> =
        equations.iter().flat_map(|e| e.sum.iter().map(|(c, _)| *c)).collect();
    columns.sort_unstable();
    columns.dedup();
    let width = columns.len();
    let mut matrix: Vec<Vec<Integer>> = equations
        .iter()
        .map(|e| {
            let mut row = vec![Integer::ZERO; width];
            for (column, coefficient) in &e.sum {
                row[columns.binary_search(column).expect("collected")] = coefficient.clone();
            }
            row
        })
        .collect();
    // The independent equations, and the solution of H y = b.
    let mut kept: Vec<usize> = Vec::new();
    let mut solution: Vec<DeltaRational> = Vec::new();
    let mut best: Option<(u64, Split)> = None;
    for i in 0..equations.len() {
        let rank = kept.len();
        gather(&mut matrix[i..], rank, width);
        if rank == width || matrix[i][rank].is_zero() {
            continue;
        }
        if matrix[i][rank].is_negative() {
            for row in &mut matrix[i..] {
                row[rank] = -&row[rank];
            }
        }
        // Smaller entries to the left of the diagonal.
        let divisor = matrix[i][rank].clone();
        for c in 0..rank {
            let quotient = matrix[i][c].div_floor(&divisor);
            if !quotient.is_zero() {
                subtract_column(&mut matrix[i..], c, rank, &quotient);
            }
        }
        if matrix[i..].iter().any(|row| row.iter().any(|x| x.bit_length() > BIT_LIMIT)) {
            break;
        }
        // Column operations on the left changed later rows only, so the part
        // of the solution found before stays valid.
        let mut value = equations[i].value.clone();
        for (k, y) in solution.iter().enumerate() {
            value.add_mul(&-Rational::from(&matrix[i][k]), y);
        }
        value = value.times(&Rational::from(divisor).recip());
        let integral = value.is_integer();
        kept.push(i);
        solution.push(value);
        if !integral {
            let split = combination(equations, &matrix, &kept, &columns, &solution[rank]);
            let weight = split.sum.iter().map(|(_, c)| u64::from(c.bit_length())).sum();
            if best.as_ref().is_none_or(|(w, _)| weight < *w) {
                best = Some((weight, split));
            }
            // Heuristic: the first few are the simplest.
            if kept.len() > 8 {
                break;
            }
        }
    }
    best.map(|(_, split)| split)
}

fn subtract_column(rows: &mut [Vec<Integer>], target: usize, source: usize, factor: &Integer) {
    for row in rows {
        if !row[source].is_zero() {
            let product = &row[source] * factor;
            row[target] -= product;
        }
    }
}

/// The last row of `H^-1 A` for the equations kept so far.
fn combination(
    equations: &[Equation],
    matrix: &[Vec<Integer>],
    kept: &[usize],
    columns: &[Column],
    value: &DeltaRational,
) -> Split {
    let rank = kept.len();
    let mut factors = vec![Rational::ZERO; rank];
    for k in (0..rank).rev() {
        let mut sum = if k + 1 == rank { Rational::ONE } else { Rational::ZERO };
        for j in k + 1..rank {
            sum -= &factors[j] * &Rational::from(&matrix[kept[j]][k]);
        }
        factors[k] = &sum / &Rational::from(&matrix[kept[k]][k]);
    }
    let mut sum = vec![Rational::ZERO; columns.len()];
    for (factor, &i) in factors.iter().zip(kept) {
        for (column, coefficient) in &equations[i].sum {
            let place = columns.binary_search(column).expect("collected");
            sum[place].add_mul(factor, &Rational::from(coefficient));
        }
    }
    let sum = columns
        .iter()
        .zip(&sum)
        .filter(|(_, c)| !c.is_zero())
        .map(|(&column, c)| (column, c.to_integer().expect("rows of H^-1 A are integral")))
        .collect();
    Split::new(sum, floor(value))
}

/// Splits a fractional variable; one with a small range first.
fn branch(linear: &Linear, candidates: &[Column]) -> Split {
    let simplex = &linear.simplex;
    let range = |column: Column| {
        let lower = simplex.bound(column, Side::Lower)?;
        let upper = simplex.bound(column, Side::Upper)?;
        Some(&upper.value.standard - &lower.value.standard)
    };
    let mut best = candidates[0];
    let mut best_range = range(best);
    for &column in &candidates[1..] {
        let candidate = range(column);
        let better = match (&candidate, &best_range) {
            (Some(a), Some(b)) => a < b,
            (Some(_), None) => true,
            _ => false,
        };
        if better {
            (best, best_range) = (column, candidate);
        }
    }
    let mut split = Split::new(vec![(best, Integer::ONE)], floor(simplex.value(best)));
    // Heuristic: a column bounded on one side is pushed against that side.
    match (simplex.bound(best, Side::Lower), simplex.bound(best, Side::Upper)) {
        (Some(_), None) => split.prefer_upper = true,
        (None, Some(_)) => split.prefer_upper = false,
        _ => {}
    }
    split
}
