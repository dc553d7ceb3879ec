//! The rows of the simplex: sparse linear relations with integer coefficients.
//!
//! A row says `sum a_i x_i = 0`. One of its columns is basic, occurs in no
//! other row, and is thereby defined by the rest. Keeping coefficients integral
//! and dividing a row by their common divisor costs one pass after an
//! elimination instead of a normalisation of a fraction for each entry.
//!
//! Entries know their place in the list of their column and the other way
//! round, so that an entry that becomes zero is removed by swapping the last
//! one into its place on both sides.

use bolide_base::Integer;

/// A variable or a slack variable of the simplex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Column(pub u32);

impl Column {
    /// The number of the column.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Index of a row.
pub(crate) type RowId = u32;

/// Marks the absence of a row.
pub(crate) const NO_ROW: RowId = u32::MAX;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub column: Column,
    pub coefficient: Integer,
    /// Position in the list of the column.
    slot: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Occurrence {
    pub row: RowId,
    /// Position in the row.
    pub position: u32,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub entries: Vec<Entry>,
    /// The column defined by this row.
    pub basic: Column,
}

/// Sparse matrix by rows and by columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tableau {
    pub rows: Vec<Row>,
    pub columns: Vec<Vec<Occurrence>>,
    free_rows: Vec<RowId>,
    /// For each column its position in the row being changed, plus one.
    scatter: Vec<u32>,
}

impl Tableau {
    pub fn add_column(&mut self) {
        self.columns.push(Vec::new());
        self.scatter.push(0);
    }

    /// Drops the last column, which must not occur in any row.
    pub fn pop_column(&mut self) {
        let occurrences = self.columns.pop().expect("there is a column");
        debug_assert!(occurrences.is_empty());
        self.scatter.pop();
    }

    /// How many rows are in use.
    #[cfg(test)]
    pub fn row_count(&self) -> usize {
        self.rows.len() - self.free_rows.len()
    }

    pub fn new_row(&mut self, basic: Column) -> RowId {
        match self.free_rows.pop() {
            Some(row) => {
                self.rows[row as usize].basic = basic;
                row
            }
            None => {
                self.rows.push(Row { entries: Vec::new(), basic });
                (self.rows.len() - 1) as RowId
            }
        }
    }

    pub fn remove_row(&mut self, row: RowId) {
        while !self.rows[row as usize].entries.is_empty() {
            let last = self.rows[row as usize].entries.len() - 1;
            self.remove_entry(row, last);
        }
        self.rows[row as usize].basic = Column::default();
        self.free_rows.push(row);
    }

    /// Adds an entry for a column that is not yet in the row.
    pub fn push_entry(&mut self, row: RowId, column: Column, coefficient: Integer) {
        let occurrences = &mut self.columns[column.index()];
        let entries = &mut self.rows[row as usize].entries;
        let slot = occurrences.len() as u32;
        occurrences.push(Occurrence { row, position: entries.len() as u32 });
        entries.push(Entry { column, coefficient, slot });
    }

    fn remove_entry(&mut self, row: RowId, position: usize) {
        let entry = self.rows[row as usize].entries.swap_remove(position);
        if let Some(moved) = self.rows[row as usize].entries.get(position) {
            self.columns[moved.column.index()][moved.slot as usize].position = position as u32;
        }
        let occurrences = &mut self.columns[entry.column.index()];
        occurrences.swap_remove(entry.slot as usize);
        if let Some(&moved) = occurrences.get(entry.slot as usize) {
            self.rows[moved.row as usize].entries[moved.position as usize].slot = entry.slot;
        }
    }

    /// The coefficient of `column` in `row`; a search along the row.
    pub fn coefficient(&self, row: RowId, column: Column) -> &Integer {
        self.rows[row as usize]
            .entries
            .iter()
            .find(|e| e.column == column)
            .map(|e| &e.coefficient)
            .expect("the column occurs in the row")
    }

    /// Adds to `target` the multiple of `source` that makes `column` vanish from
    /// it, after scaling `target` as needed. `position` is where the column is
    /// in `target`, `pivot` its coefficient in `source`.
    pub fn eliminate(&mut self, target: RowId, position: u32, source: RowId, pivot: &Integer) {
        let present = self.rows[target as usize].entries[position as usize].coefficient.clone();
        let divisor = pivot.gcd(&present);
        let (mut scale, mut factor) = if divisor.is_one() {
            (pivot.clone(), present)
        } else {
            (pivot.div_exact(&divisor), present.div_exact(&divisor))
        };
        // target * scale - source * factor; the scale is made positive.
        if scale.is_negative() {
            scale = -scale;
        } else {
            factor = -factor;
        }
        let scaled = !scale.is_one();
        let mut entries = std::mem::take(&mut self.rows[target as usize].entries);
        for (i, entry) in entries.iter_mut().enumerate() {
            if scaled {
                entry.coefficient *= &scale;
            }
            self.scatter[entry.column.index()] = i as u32 + 1;
        }
        let source_entries = std::mem::take(&mut self.rows[source as usize].entries);
        let unit = factor.is_one();
        let minus_unit = factor == -1;
        for entry in &source_entries {
            let place = self.scatter[entry.column.index()];
            if place == 0 {
                let occurrences = &mut self.columns[entry.column.index()];
                let slot = occurrences.len() as u32;
                occurrences.push(Occurrence { row: target, position: entries.len() as u32 });
                entries.push(Entry {
                    column: entry.column,
                    coefficient: &entry.coefficient * &factor,
                    slot,
                });
            } else {
                let coefficient = &mut entries[place as usize - 1].coefficient;
                if unit {
                    *coefficient += &entry.coefficient;
                } else if minus_unit {
                    *coefficient -= &entry.coefficient;
                } else {
                    *coefficient += &entry.coefficient * &factor;
                }
            }
        }
        for entry in &entries {
            self.scatter[entry.column.index()] = 0;
        }
        self.rows[target as usize].entries = entries;
        self.rows[source as usize].entries = source_entries;
        let mut i = self.rows[target as usize].entries.len();
        while i > 0 {
            i -= 1;
            if self.rows[target as usize].entries[i].coefficient.is_zero() {
                self.remove_entry(target, i);
            }
        }
        if scaled {
            self.normalise(target);
        }
    }

    /// Divides the row by the common divisor of its coefficients.
    pub fn normalise(&mut self, row: RowId) {
        let entries = &mut self.rows[row as usize].entries;
        let mut divisor = Integer::default();
        for entry in entries.iter() {
            divisor = divisor.gcd(&entry.coefficient);
            if divisor.is_one() {
                return;
            }
        }
        if divisor.is_zero() {
            return;
        }
        for entry in entries.iter_mut() {
            entry.coefficient = entry.coefficient.div_exact(&divisor);
        }
    }
}
