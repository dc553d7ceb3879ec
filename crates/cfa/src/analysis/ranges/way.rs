//! From rows at an error back to the start.
//!
//! Going on with sets of rows forgets which row came from which. A way is found back stretch by stretch: of the rows that
//! went on at its start, class by class of each column, one is kept from which the stretch
//! still leads to what is wanted at its end; then comes the first stretch that ever brought that row. Time goes
//! backwards with every stretch, so this ends at the start of the program. What columns do not tell may forbid the way; the one who takes
//! it finds out.

use super::diagrams::{Change, Set};
use super::runs::Runs;
use crate::program::EdgeId;

/// Heuristic: longer ways are not worth asking about.
const LONGEST: usize = 12_000;

/// The edges of a way to an error, if one was reached.
pub(super) fn way(runs: &mut Runs<'_>) -> Option<Vec<EdgeId>> {
    let (mut wanted, mut came) = runs.error?;
    runs.diagrams.allow_as_much_again();
    let mut stretches: Vec<Vec<EdgeId>> = Vec::new();
    let mut length = 0;
    while let Some((gone, edges)) = runs.stretch(came) {
        length += edges.len();
        let (at, rows) = runs.gone[gone];
        let columns = runs.kept_at(at);
        let row = one_of(runs, rows, &columns, &edges, wanted);
        if length > LONGEST || runs.diagrams.is_full() {
            return None;
        }
        let arrivals = runs.arrivals.get(&at)?.clone();
        let (new, before) = arrivals.into_iter().find(|&(new, _)| meet(runs, new, row))?;
        let other = runs.diagrams.without(row, new);
        wanted = runs.diagrams.without(row, other);
        came = before;
        stretches.push(edges);
    }
    Some(stretches.into_iter().rev().flatten().collect())
}

/// One row, as far as that can be said, from which edges lead to a wanted one.
fn one_of(
    runs: &mut Runs<'_>,
    mut rows: Set,
    columns: &[usize],
    edges: &[EdgeId],
    wanted: Set,
) -> Set {
    for &column in columns {
        let width = runs.columns[column].classes.len();
        for class in 0..width {
            let mut to = vec![0; width];
            to[class] = 1 << class;
            let only = runs.diagrams.number(Change { column, to });
            let some = runs.diagrams.change(rows, only);
            if some == rows {
                break;
            }
            let after = edges.iter().fold(some, |rows, &edge| runs.step(rows, edge));
            if meet(runs, after, wanted) {
                rows = some;
                break;
            }
        }
    }
    rows
}

/// Whether two sets have a row in common.
fn meet(runs: &mut Runs<'_>, a: Set, b: Set) -> bool {
    runs.diagrams.without(a, b) != a
}
