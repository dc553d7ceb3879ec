//! The affine equalities that points have in common.
//!
//! Differences of points span the directions in which the points vary; what is
//! orthogonal to all of these is constant. Exact, by Gaussian elimination.

use crate::Rational;

/// A basis of all `a . x = c` that hold of the points, each as `(a, c)`. In each, one coordinate
/// that no other has comes with the coefficient one: as far to the right as possible.
pub fn equalities(points: &[Vec<Rational>]) -> Vec<(Vec<Rational>, Rational)> {
    let Some((first, others)) = points.split_first() else { return Vec::new() };
    let mut rows: Vec<Vec<Rational>> =
        others.iter().map(|point| point.iter().zip(first).map(|(a, b)| a - b).collect()).collect();
    let pivots = reduce(&mut rows, first.len());
    let mut found = Vec::new();
    for free in (0..first.len()).filter(|column| !pivots.contains(column)) {
        let mut a = vec![Rational::ZERO; first.len()];
        a[free] = Rational::ONE;
        for (row, &pivot) in rows.iter().zip(&pivots) {
            a[pivot] = -row[free].clone();
        }
        let mut c = Rational::ZERO;
        for (coefficient, value) in a.iter().zip(first) {
            c.add_mul(coefficient, value);
        }
        found.push((a, c));
    }
    found
}

/// Brings rows into reduced echelon form; the pivot columns, whose rows come first.
fn reduce(rows: &mut [Vec<Rational>], width: usize) -> Vec<usize> {
    let mut pivots = Vec::new();
    for column in 0..width {
        let next = pivots.len();
        let Some(found) = (next..rows.len()).find(|&r| !rows[r][column].is_zero()) else {
            continue;
        };
        rows.swap(next, found);
        let factor = rows[next][column].recip();
        for entry in &mut rows[next] {
            *entry *= &factor;
        }
        let pivot = rows[next].clone();
        for (r, row) in rows.iter_mut().enumerate() {
            if r != next && !row[column].is_zero() {
                let factor = -row[column].clone();
                for (entry, p) in row.iter_mut().zip(&pivot) {
                    entry.add_mul(&factor, p);
                }
            }
        }
        pivots.push(column);
    }
    pivots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_points_share() {
        let point = |x: i64, y: i64, z: i64| vec![x.into(), y.into(), z.into()];
        let points: Vec<Vec<Rational>> = vec![point(0, 3, 7), point(1, 5, 7), point(4, 11, 7)];
        let number = |n: i64| Rational::from(n);
        let found = equalities(&points);
        // y - 2x = 3 and z = 7.
        assert_eq!(found[0], (vec![number(-2), number(1), number(0)], number(3)));
        assert_eq!(found[1], (vec![number(0), number(0), number(1)], number(7)));
        assert_eq!(found.len(), 2);
        assert!(equalities(&[]).is_empty());
    }
}
