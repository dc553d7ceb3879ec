//! General simplex for bounds on variables and linear forms.
//!
//! After Dutertre and de Moura, *A fast linear-arithmetic solver for DPLL(T)*
//! (CAV 2006). The constraint matrix is fixed: each linear form of interest is
//! a slack column with a row `slack = form`; all that is asserted and retracted are
//! bounds on columns. The assignment always satisfies all rows, and the bounds of
//! all columns that are not basic; [`Simplex::check`] repairs the basic ones by
//! pivoting or finds a row that shows the bounds contradictory. That row is a
//! Farkas certificate.
//!
//! - Going back restores bounds and nothing else: an assignment within tighter
//!   bounds is within the wider ones.
//! - Rows have integer coefficients (see [`tableau`]). Bounds are rationals with
//!   an infinitesimal part for strictness (see [`delta`]).
//! - The variable to repair is the smallest out of bounds. The one to exchange
//!   it with is the one in the shortest column (Heuristic: least fill-in)
//!   until many pivots have happened in one check; from then on it is the smallest, which is
//!   Bland's rule and terminates.
//! - Rows stay when their bounds go; columns are removed from the end when the
//!   user's scope ends ([`Simplex::truncate`]).
//! - [`propagate`] derives bounds that rows imply.

pub mod delta;
mod propagate;
pub use propagate::Implied;
pub(crate) mod tableau;
#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bolide_base::{Budget, Exhausted, Integer, Rational};

pub use delta::DeltaRational;
pub use tableau::Column;
use tableau::{NO_ROW, RowId, Tableau};

/// What the caller asserted: a literal in the caller's own coding.
pub type Tag = u32;

/// Which of the two bounds of a column.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Side {
    /// `column >= value`.
    Lower,
    /// `column <= value`.
    Upper,
}

impl Side {
    /// The opposite side.
    pub fn flip(self) -> Side {
        match self {
            Side::Lower => Side::Upper,
            Side::Upper => Side::Lower,
        }
    }
}

/// A bound and the literal that asserted it.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The number the column is compared with.
    pub value: DeltaRational,
    /// Who said so.
    pub tag: Tag,
}

/// Bounds that contradict each other: the sum of the bounds, each
/// multiplied by its positive factor, is a negative number above zero.
pub type Farkas = Vec<(Tag, Rational)>;

#[derive(Clone, Debug)]
struct ColumnState {
    value: DeltaRational,
    lower: Option<Bound>,
    upper: Option<Bound>,
    /// The row that defines the column, if it is basic.
    row: RowId,
    is_integer: bool,
    /// Whether anyone wants implied bounds of this column.
    watched: bool,
    queued: bool,
}

impl ColumnState {
    fn below(&self) -> bool {
        self.lower.as_ref().is_some_and(|b| self.value < b.value)
    }

    fn above(&self) -> bool {
        self.upper.as_ref().is_some_and(|b| self.value > b.value)
    }

    fn bound(&self, side: Side) -> &Option<Bound> {
        match side {
            Side::Lower => &self.lower,
            Side::Upper => &self.upper,
        }
    }
}

/// The solver for conjunctions of bounds.
#[derive(Clone, Debug, Default)]
pub struct Simplex {
    columns: Vec<ColumnState>,
    tableau: Tableau,
    /// Basic columns that may be out of bounds, smallest first.
    infeasible: BinaryHeap<Reverse<Column>>,
    trail: Vec<(Column, Side, Option<Bound>)>,
    /// Columns whose bounds were tightened since the last propagation.
    tightened: Vec<Column>,
    conflict: Farkas,
    row_stamps: Vec<u32>,
    stamp: u32,
}

// Heuristic: how many pivots in one check may follow the greedy rule.
const GREEDY_PIVOTS: u64 = 1000;

fn ratio(numerator: &Integer, denominator: &Integer) -> Rational {
    if denominator.is_one() {
        Rational::from(numerator)
    } else if *denominator == -1 {
        -Rational::from(numerator)
    } else {
        Rational::new(numerator.clone(), denominator.clone())
    }
}

impl Simplex {
    /// A simplex without columns.
    pub fn new() -> Self {
        Simplex::default()
    }

    // Stating the problem.

    /// A new variable without bounds.
    pub fn add_column(&mut self, is_integer: bool) -> Column {
        let column = Column(self.columns.len() as u32);
        self.columns.push(ColumnState {
            value: DeltaRational::default(),
            lower: None,
            upper: None,
            row: NO_ROW,
            is_integer,
            watched: false,
            queued: false,
        });
        self.tableau.add_column();
        column
    }

    /// A new column that equals the sum of `terms`; no column occurs twice.
    pub fn add_slack(&mut self, terms: &[(Column, Integer)], is_integer: bool) -> Column {
        let slack = self.add_column(is_integer);
        let row = self.tableau.new_row(slack);
        self.tableau.push_entry(row, slack, Integer::from(-1));
        let mut value = DeltaRational::default();
        for (column, coefficient) in terms {
            debug_assert!(!coefficient.is_zero());
            self.tableau.push_entry(row, *column, coefficient.clone());
            value.add_mul(&Rational::from(coefficient), &self.columns[column.index()].value);
        }
        self.columns[slack.index()].value = value;
        self.columns[slack.index()].row = row;
        // Basic columns must not occur in rows of others.
        for &(column, _) in terms {
            let defining = self.columns[column.index()].row;
            if defining != NO_ROW {
                let position = self.tableau.rows[row as usize]
                    .entries
                    .iter()
                    .position(|e| e.column == column)
                    .expect("entry was added");
                let pivot = self.tableau.coefficient(defining, column).clone();
                self.tableau.eliminate(row, position as u32, defining, &pivot);
            }
        }
        slack
    }

    /// Asks for implied bounds of the column.
    pub fn watch(&mut self, column: Column) {
        self.columns[column.index()].watched = true;
    }

    /// How many columns there are.
    pub fn column_count(&self) -> usize {
        self.columns.len()
    }

    /// Whether the column takes integer values only.
    pub fn is_integer(&self, column: Column) -> bool {
        self.columns[column.index()].is_integer
    }

    /// Bounds a column. False when the opposite bound contradicts; then
    /// [`Simplex::conflict`] holds the certificate.
    pub fn assert_bound(
        &mut self,
        column: Column,
        side: Side,
        value: DeltaRational,
        tag: Tag,
    ) -> bool {
        let state = &mut self.columns[column.index()];
        let (same, other) = match side {
            Side::Lower => (&mut state.lower, &state.upper),
            Side::Upper => (&mut state.upper, &state.lower),
        };
        let worse = |a: &DeltaRational, b: &DeltaRational| match side {
            Side::Lower => a <= b,
            Side::Upper => a >= b,
        };
        if same.as_ref().is_some_and(|b| worse(&value, &b.value)) {
            return true;
        }
        if let Some(opposite) = other
            && !worse(&value, &opposite.value)
        {
            self.conflict.clear();
            self.conflict.push((tag, Rational::ONE));
            self.conflict.push((opposite.tag, Rational::ONE));
            return false;
        }
        let violated = match side {
            Side::Lower => state.value < value,
            Side::Upper => state.value > value,
        };
        let target = violated.then(|| value.clone());
        let old = same.replace(Bound { value, tag });
        let basic = state.row != NO_ROW;
        self.trail.push((column, side, old));
        self.tightened.push(column);
        if let Some(target) = target {
            if basic {
                self.enqueue(column);
            } else {
                self.update(column, target);
            }
        }
        true
    }

    // Solving.

    /// How much has been asserted, to return to by [`Simplex::backtrack`].
    pub fn trail_len(&self) -> usize {
        self.trail.len()
    }

    /// Takes back the bounds asserted since the trail had this length.
    pub fn backtrack(&mut self, trail_len: usize) {
        while self.trail.len() > trail_len {
            let (column, side, old) = self.trail.pop().expect("trail is longer");
            let state = &mut self.columns[column.index()];
            match side {
                Side::Lower => state.lower = old,
                Side::Upper => state.upper = old,
            }
        }
        self.tightened.clear();
    }

    /// Removes the columns from `count` on. None of them may have bounds.
    pub fn truncate(&mut self, count: usize) {
        for index in (count..self.columns.len()).rev() {
            let column = Column(index as u32);
            let mut row = self.columns[index].row;
            if row == NO_ROW
                && let Some(occurrence) = self.choose_exit(column, count)
            {
                row = occurrence.row;
                let leaving = self.tableau.rows[row as usize].basic;
                self.pivot(row, column);
                self.clamp_to_bounds(leaving);
            }
            if row != NO_ROW {
                self.tableau.remove_row(row);
                self.columns[index].row = NO_ROW;
            }
            self.tableau.pop_column();
            self.columns.pop();
        }
        self.tightened.retain(|c| c.index() < count);
        if self.infeasible.iter().any(|c| c.0.index() >= count) {
            let kept: Vec<_> = self.infeasible.drain().filter(|c| c.0.index() < count).collect();
            self.infeasible.extend(kept);
        }
    }

    /// A row from which a column that is to be removed can be made basic.
    fn choose_exit(&self, column: Column, count: usize) -> Option<tableau::Occurrence> {
        let occurrences = &self.tableau.columns[column.index()];
        occurrences
            .iter()
            .find(|o| self.tableau.rows[o.row as usize].basic.index() >= count)
            .or_else(|| {
                occurrences.iter().min_by_key(|o| self.tableau.rows[o.row as usize].entries.len())
            })
            .copied()
    }

    /// Moves a column that is not basic to the bound that it violates.
    fn clamp_to_bounds(&mut self, column: Column) {
        let state = &self.columns[column.index()];
        let target = if state.below() {
            state.lower.as_ref()
        } else if state.above() {
            state.upper.as_ref()
        } else {
            None
        };
        if let Some(target) = target.map(|b| b.value.clone()) {
            self.update(column, target);
        }
    }

    /// Makes all columns satisfy their bounds. False when that is impossible;
    /// then [`Simplex::conflict`] holds the certificate.
    pub fn check(&mut self, budget: &Budget) -> Result<bool, Exhausted> {
        let mut pivots = 0;
        while let Some(Reverse(basic)) = self.infeasible.pop() {
            self.columns[basic.index()].queued = false;
            let state = &self.columns[basic.index()];
            if state.row == NO_ROW {
                continue;
            }
            let side = if state.below() {
                Side::Lower
            } else if state.above() {
                Side::Upper
            } else {
                continue;
            };
            if let Err(exhausted) = budget.poll() {
                self.enqueue(basic);
                return Err(exhausted);
            }
            let row = state.row;
            match self.entering(row, basic, side, pivots >= GREEDY_PIVOTS) {
                Some(entering) => {
                    let target = self.columns[basic.index()]
                        .bound(side)
                        .as_ref()
                        .expect("the bound is violated")
                        .value
                        .clone();
                    self.pivot_and_update(row, basic, entering, target);
                    pivots += 1;
                }
                None => {
                    self.explain_row(row, basic, side);
                    self.enqueue(basic);
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    // Reading the answer.

    /// The certificate of the last contradiction.
    pub fn conflict(&self) -> &Farkas {
        &self.conflict
    }

    /// The value of a column; meaningful after a successful check.
    pub fn value(&self, column: Column) -> &DeltaRational {
        &self.columns[column.index()].value
    }

    /// The tightest asserted bound of a column.
    pub fn bound(&self, column: Column, side: Side) -> Option<&Bound> {
        self.columns[column.index()].bound(side).as_ref()
    }

    /// Whether the column is defined by a row.
    pub fn is_basic(&self, column: Column) -> bool {
        self.columns[column.index()].row != NO_ROW
    }

    /// Whether both bounds are the same number.
    pub fn is_fixed(&self, column: Column) -> bool {
        let state = &self.columns[column.index()];
        match (&state.lower, &state.upper) {
            (Some(l), Some(u)) => l.value == u.value,
            _ => false,
        }
    }

    /// The row of a basic column: `sum a_i x_i = 0`, itself included.
    pub fn row(&self, column: Column) -> Option<impl Iterator<Item = (Column, &Integer)>> {
        let row = self.columns[column.index()].row;
        (row != NO_ROW).then(|| {
            self.tableau.rows[row as usize].entries.iter().map(|e| (e.column, &e.coefficient))
        })
    }

    /// A positive number for the infinitesimal such that all bounds hold.
    pub fn concrete_delta(&self) -> Rational {
        let mut delta = Rational::ONE;
        let mut restrict = |smaller: &DeltaRational, larger: &DeltaRational| {
            // smaller.standard + smaller.delta * d <= larger.standard + larger.delta * d
            if smaller.standard < larger.standard && smaller.delta > larger.delta {
                let limit =
                    &(&larger.standard - &smaller.standard) / &(&smaller.delta - &larger.delta);
                if limit < delta {
                    delta = limit;
                }
            }
        };
        for state in &self.columns {
            if let Some(bound) = &state.lower {
                restrict(&bound.value, &state.value);
            }
            if let Some(bound) = &state.upper {
                restrict(&state.value, &bound.value);
            }
        }
        delta
    }

    /// Gives a column that is not basic another value within its bounds; basic
    /// columns may leave theirs, so a check is due.
    pub fn move_to(&mut self, column: Column, value: DeltaRational) {
        debug_assert!(!self.is_basic(column));
        if self.columns[column.index()].value != value {
            self.update(column, value);
        }
    }

    /// Moves a column that is not basic, if that leaves every column within its
    /// bounds and makes no integer column fractional that was not so.
    pub fn try_move(&mut self, column: Column, value: DeltaRational) -> bool {
        let within = |state: &ColumnState, value: &DeltaRational| {
            state.lower.as_ref().is_none_or(|b| b.value <= *value)
                && state.upper.as_ref().is_none_or(|b| *value <= b.value)
        };
        let state = &self.columns[column.index()];
        if state.row != NO_ROW || !within(state, &value) {
            return false;
        }
        let difference = value.minus(&state.value);
        for occurrence in &self.tableau.columns[column.index()] {
            let row = &self.tableau.rows[occurrence.row as usize];
            let place = self.tableau.columns[row.basic.index()][0].position;
            let coefficient = &row.entries[occurrence.position as usize].coefficient;
            let factor = -ratio(coefficient, &row.entries[place as usize].coefficient);
            let state = &self.columns[row.basic.index()];
            let mut shifted = state.value.clone();
            shifted.add_mul(&factor, &difference);
            let spoilt = state.is_integer && state.value.is_integer() && !shifted.is_integer();
            if spoilt || !within(state, &shifted) {
                return false;
            }
        }
        self.update(column, value);
        true
    }

    // The engine.

    fn enqueue(&mut self, column: Column) {
        let state = &mut self.columns[column.index()];
        if !state.queued {
            state.queued = true;
            self.infeasible.push(Reverse(column));
        }
    }

    /// Changes a column that is not basic, and the basic ones that depend on it.
    fn update(&mut self, column: Column, value: DeltaRational) {
        let difference = value.minus(&self.columns[column.index()].value);
        self.columns[column.index()].value = value;
        self.shift_basics(column, &difference, NO_ROW);
    }

    fn shift_basics(&mut self, column: Column, difference: &DeltaRational, except: RowId) {
        for i in 0..self.tableau.columns[column.index()].len() {
            let occurrence = self.tableau.columns[column.index()][i];
            if occurrence.row == except {
                continue;
            }
            let row = &self.tableau.rows[occurrence.row as usize];
            let basic = row.basic;
            let place = self.tableau.columns[basic.index()][0].position;
            let coefficient = &row.entries[occurrence.position as usize].coefficient;
            let factor = -ratio(coefficient, &row.entries[place as usize].coefficient);
            let state = &mut self.columns[basic.index()];
            state.value.add_mul(&factor, difference);
            if !state.queued && (state.below() || state.above()) {
                state.queued = true;
                self.infeasible.push(Reverse(basic));
            }
        }
    }

    /// A column whose change moves the basic column of the row into its bounds.
    fn entering(&self, row: RowId, basic: Column, side: Side, bland: bool) -> Option<Column> {
        let entries = &self.tableau.rows[row as usize].entries;
        let place = self.tableau.columns[basic.index()][0].position;
        let basic_sign = entries[place as usize].coefficient.signum();
        let mut best: Option<(usize, Column)> = None;
        for entry in entries {
            if entry.column == basic {
                continue;
            }
            let state = &self.columns[entry.column.index()];
            // basic = -(a/a_b) * column + ..., so opposite signs move together.
            let together = entry.coefficient.signum() != basic_sign;
            let movable = if together == (side == Side::Lower) {
                state.upper.as_ref().is_none_or(|b| state.value < b.value)
            } else {
                state.lower.as_ref().is_none_or(|b| state.value > b.value)
            };
            if !movable {
                continue;
            }
            let cost = if bland { 0 } else { self.tableau.columns[entry.column.index()].len() };
            if best.is_none_or(|b| (cost, entry.column) < b) {
                best = Some((cost, entry.column));
            }
        }
        best.map(|(_, column)| column)
    }

    /// The certificate that a row gives when its basic column cannot get within
    /// the bound on `side`.
    fn explain_row(&mut self, row: RowId, basic: Column, side: Side) {
        let entries = &self.tableau.rows[row as usize].entries;
        let place = self.tableau.columns[basic.index()][0].position;
        let basic_sign = entries[place as usize].coefficient.signum();
        self.conflict.clear();
        for entry in entries {
            let bound = if entry.column == basic {
                self.columns[basic.index()].bound(side)
            } else if (entry.coefficient.signum() != basic_sign) == (side == Side::Lower) {
                &self.columns[entry.column.index()].upper
            } else {
                &self.columns[entry.column.index()].lower
            };
            let tag = bound.as_ref().expect("the column is at its bound").tag;
            self.conflict.push((tag, Rational::from(entry.coefficient.abs())));
        }
    }

    fn pivot_and_update(
        &mut self,
        row: RowId,
        basic: Column,
        entering: Column,
        target: DeltaRational,
    ) {
        let a_basic = self.tableau.coefficient(row, basic);
        let a_entering = self.tableau.coefficient(row, entering);
        let factor = -ratio(a_basic, a_entering);
        let change = target.minus(&self.columns[basic.index()].value);
        let step = change.times(&factor);
        self.columns[basic.index()].value = target;
        let mut value = self.columns[entering.index()].value.clone();
        value.add_mul(&Rational::ONE, &step);
        self.columns[entering.index()].value = value;
        self.shift_basics(entering, &step, row);
        self.pivot(row, entering);
        // The entering column is basic now and may be out of its own bounds.
        let state = &self.columns[entering.index()];
        if state.below() || state.above() {
            self.enqueue(entering);
        }
    }

    /// Makes `entering` the basic column of the row, without changing values.
    fn pivot(&mut self, row: RowId, entering: Column) {
        let leaving = self.tableau.rows[row as usize].basic;
        let pivot = self.tableau.coefficient(row, entering).clone();
        // Eliminating removes the entry from the list being walked, so the
        // walk goes from the end; what is swapped in was walked already.
        let mut i = self.tableau.columns[entering.index()].len();
        while i > 0 {
            i -= 1;
            let occurrence = self.tableau.columns[entering.index()][i];
            if occurrence.row != row {
                self.tableau.eliminate(occurrence.row, occurrence.position, row, &pivot);
            }
        }
        self.tableau.rows[row as usize].basic = entering;
        self.columns[entering.index()].row = row;
        self.columns[leaving.index()].row = NO_ROW;
    }
}
