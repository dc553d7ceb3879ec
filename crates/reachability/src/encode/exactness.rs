//! Which operations are the machine's in formulas.
//!
//! Formulas begin with mathematical integers: a product, a shift or a sum of floats is what intervals and constants say of it, else an
//! uninterpreted function. That is cheap, and mostly enough. Where a path shows that it is not, single
//! operations are made exact, as terms over bits with conversions around them; then memory is made of bytes; then all
//! is. Each level allows fewer states than the one before, so what was proved with one holds in the next.

use bolide_cfa::ExprId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How much of the machine formulas know. Expressions are those of the program that is encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exactness {
    /// Memory that is accessed in several widths is bytes, and objects have addresses.
    pub bytes: bool,
    /// All operations are the machine's.
    pub all: bool,
    /// If not all, then these.
    pub operations: Arc<BTreeSet<ExprId>>,
}

impl Exactness {
    /// All that there is.
    pub fn full() -> Exactness {
        Exactness { bytes: true, all: true, ..Exactness::default() }
    }

    /// Whether an operation is the machine's.
    pub fn covers(&self, operation: Option<ExprId>) -> bool {
        self.all || operation.is_some_and(|e| self.operations.contains(&e))
    }

    /// With more operations; none where they are exact already.
    pub fn with(&self, more: &BTreeSet<ExprId>) -> Option<Exactness> {
        let adds = more.iter().any(|&e| !self.covers(Some(e)));
        let operations = || Arc::new(self.operations.union(more).copied().collect());
        adds.then(|| Exactness { operations: operations(), ..self.clone() })
    }
}
