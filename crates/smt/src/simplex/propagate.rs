//! Bounds that follow from a row and the bounds of its other columns.
//!
//! In `sum a_i x_i = 0` each column is at most what the extreme values of the
//! others allow. When no column, or only one, lacks the bound that matters,
//! the extreme sum is known and a bound follows for all columns, or for
//! that one. Only columns that somebody watches are reported, only rows in which
//! a bound changed are looked at, and effort is bounded; nothing depends on finding all.

use bolide_base::{Integer, Rational};

use super::{Bound, Column, DeltaRational, Farkas, Side, Simplex, ratio};

// Heuristic: rows longer than this hardly ever have all bounds.
const LONGEST_ROW: usize = 60;
// Heuristic: entries looked at in one call.
const EFFORT: usize = 4000;

/// A bound that follows from a row.
#[derive(Clone, Debug)]
pub struct Implied {
    /// The column that is bounded.
    pub column: Column,
    /// On which side.
    pub side: Side,
    /// By which number.
    pub value: DeltaRational,
    row: u32,
}

impl Simplex {
    /// Collects bounds implied for watched columns by rows in which a bound
    /// changed since the last call, when stronger than the asserted ones.
    pub fn implied_bounds(&mut self, found: &mut Vec<Implied>) {
        self.stamp = self.stamp.wrapping_add(1);
        self.row_stamps.resize(self.tableau.rows.len(), 0);
        let mut effort = 0;
        let tightened = std::mem::take(&mut self.tightened);
        for &column in &tightened {
            for i in 0..self.tableau.columns[column.index()].len() {
                let row = self.tableau.columns[column.index()][i].row;
                if self.row_stamps[row as usize] == self.stamp {
                    continue;
                }
                self.row_stamps[row as usize] = self.stamp;
                let len = self.tableau.rows[row as usize].entries.len();
                if len <= LONGEST_ROW && effort < EFFORT {
                    effort += len;
                    self.implied_by_row(row, found);
                }
            }
        }
        self.tightened = tightened;
        self.tightened.clear();
    }

    /// Which bound of the entry limits `sum a_i x_i` from above (or below).
    fn extreme(&self, sign: i32, from_above: bool) -> Side {
        if (sign > 0) == from_above { Side::Upper } else { Side::Lower }
    }

    fn implied_by_row(&self, row: u32, found: &mut Vec<Implied>) {
        let before = found.len();
        if self.implied_by_integer_row(row, found).is_some() {
            return;
        }
        found.truncate(before);
        let entries = &self.tableau.rows[row as usize].entries;
        if !entries.iter().any(|e| self.columns[e.column.index()].watched) {
            return;
        }
        for from_above in [true, false] {
            let mut unbounded = None;
            let mut count = 0;
            for (i, entry) in entries.iter().enumerate() {
                let side = self.extreme(entry.coefficient.signum(), from_above);
                if self.columns[entry.column.index()].bound(side).is_none() {
                    unbounded = Some(i);
                    count += 1;
                    if count > 1 {
                        break;
                    }
                }
            }
            if count > 1 {
                continue;
            }
            if let Some(i) = unbounded
                && !self.columns[entries[i].column.index()].watched
            {
                continue;
            }
            // The extreme of the sum over all columns that have the bound.
            let mut sum = DeltaRational::default();
            for entry in entries {
                let side = self.extreme(entry.coefficient.signum(), from_above);
                if let Some(bound) = self.columns[entry.column.index()].bound(side) {
                    sum.add_mul(&Rational::from(&entry.coefficient), &bound.value);
                }
            }
            for (i, entry) in entries.iter().enumerate() {
                if unbounded.is_some_and(|u| u != i) {
                    continue;
                }
                let state = &self.columns[entry.column.index()];
                if !state.watched {
                    continue;
                }
                // a x = -(rest); rest <= sum of the others gives a x >= -sum.
                let own = self.extreme(entry.coefficient.signum(), from_above);
                let mut rest = sum.clone();
                if let Some(bound) = state.bound(own) {
                    rest.add_mul(&-Rational::from(&entry.coefficient), &bound.value);
                }
                let value = rest.times(&-ratio(&Integer::ONE, &entry.coefficient));
                let side = own.flip();
                let stronger = match state.bound(side) {
                    None => true,
                    Some(bound) => match side {
                        Side::Lower => value > bound.value,
                        Side::Upper => value < bound.value,
                    },
                };
                if stronger {
                    found.push(Implied { column: entry.column, side, value, row });
                }
            }
        }
    }

    /// The same in machine integers, which nearly all rows over the integers allow (two words,
    /// because wrap-around of C brings 2^64 into rows); then the bounds found are rounded,
    /// too. `None` when a number is too large or no integer.
    fn implied_by_integer_row(&self, row: u32, found: &mut Vec<Implied>) -> Option<()> {
        let entries = &self.tableau.rows[row as usize].entries;
        let integer = |bound: &Bound| {
            bound.value.delta.is_zero().then(|| bound.value.standard.to_i128()).flatten()
        };
        'direction: for from_above in [true, false] {
            let mut unbounded = None;
            let mut sum = 0i128;
            for (i, entry) in entries.iter().enumerate() {
                let side = self.extreme(entry.coefficient.signum(), from_above);
                match self.columns[entry.column.index()].bound(side) {
                    Some(bound) => {
                        let factor = entry.coefficient.to_i128()?;
                        sum = sum.checked_add(factor.checked_mul(integer(bound)?)?)?;
                    }
                    None if unbounded.is_some() => continue 'direction,
                    None => unbounded = Some(i),
                }
            }
            let candidates = match unbounded {
                Some(i) => i..i + 1,
                None => 0..entries.len(),
            };
            for entry in &entries[candidates] {
                let state = &self.columns[entry.column.index()];
                if !state.watched {
                    continue;
                }
                if !state.is_integer {
                    return None;
                }
                let divisor = entry.coefficient.to_i128()?;
                let own = self.extreme(entry.coefficient.signum(), from_above);
                let mut rest = sum;
                if let Some(bound) = state.bound(own) {
                    rest = rest.checked_sub(divisor.checked_mul(integer(bound)?)?)?;
                }
                let negated = rest.checked_neg()?;
                let side = own.flip();
                let old = match state.bound(side) {
                    Some(bound) => Some(integer(bound)?),
                    None => None,
                };
                let (value, stronger) = match side {
                    Side::Upper => {
                        let value = div_floor(negated, divisor);
                        (value, old.is_none_or(|old| value < old))
                    }
                    Side::Lower => {
                        let value = -div_floor(rest, divisor);
                        (value, old.is_none_or(|old| value > old))
                    }
                };
                if stronger {
                    let value = Rational::from(Integer::from(value));
                    found.push(Implied { column: entry.column, side, value: value.into(), row });
                }
            }
        }
        Some(())
    }

    /// The asserted bounds that imply a bound, with factors such that their sum
    /// and the bound's negation times the last number contradict each other.
    ///
    /// Required: no pivot and no assertion since the bound was found.
    pub fn explain_implied(&self, implied: &Implied, farkas: &mut Farkas) -> Rational {
        let entries = &self.tableau.rows[implied.row as usize].entries;
        let own = entries.iter().find(|e| e.column == implied.column).expect("column of the row");
        let from_above = self.extreme(own.coefficient.signum(), true) == implied.side.flip();
        for entry in entries {
            if entry.column != implied.column {
                let side = self.extreme(entry.coefficient.signum(), from_above);
                let bound = self.columns[entry.column.index()].bound(side);
                let tag = bound.as_ref().expect("bounds imply the bound").tag;
                farkas.push((tag, Rational::from(entry.coefficient.abs())));
            }
        }
        Rational::from(own.coefficient.abs())
    }
}

fn div_floor(dividend: i128, divisor: i128) -> i128 {
    let quotient = dividend / divisor;
    let inexact = dividend % divisor != 0;
    if inexact && (dividend < 0) != (divisor < 0) { quotient - 1 } else { quotient }
}
