//! What is left to the search to decide.

use bolide_base::Integer;

use crate::simplex::Column;

/// `sum <= bound`, or `sum >= bound + 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    pub sum: Vec<(Column, Integer)>,
    pub bound: Integer,
    /// Which side to try first.
    pub prefer_upper: bool,
}

impl Split {
    /// Heuristic: values near zero are tried first, so that branching does not
    /// follow a ray to infinity while the other side has a solution nearby.
    pub(super) fn new(sum: Vec<(Column, Integer)>, bound: Integer) -> Self {
        let prefer_upper = !bound.is_negative();
        Split { sum, bound, prefer_upper }
    }
}
