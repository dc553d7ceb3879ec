//! Which operations are the machine's in formulas.
//!
//! Formulas begin with mathematical integers: a product, a shift or a sum of floats is what intervals and constants say of it, else an
//! uninterpreted function. That is cheap, and mostly enough. Where a path shows that it is not, single
//! operations are made exact, as terms over bits with conversions around them; where it reads memory with another type, that
//! memory is made of bytes; then all is. Each level allows fewer states than the one before, so what was proved with one holds in the next.

use bolide_cfa::transform::views::Asked;
use bolide_cfa::{EdgeId, ExprId};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How much of the machine formulas know. Expressions are those of the program that is encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exactness {
    /// Which memory that is accessed in several widths is bytes; with any, objects have addresses.
    pub bytes: Asked,
    /// All operations are the machine's.
    pub all: bool,
    /// If not all, then these.
    pub operations: Arc<BTreeSet<ExprId>>,
}

impl Exactness {
    /// All that there is.
    pub fn full() -> Exactness {
        Exactness { bytes: Asked::All, all: true, ..Exactness::default() }
    }

    /// Whether objects have addresses that integers are compared with.
    pub fn has_addresses(&self) -> bool {
        self.all || self.bytes != Asked::Nothing
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

/// What a path showed that formulas do not know.
#[derive(Clone, Debug, Default)]
pub struct Inexact {
    /// Operations.
    pub operations: BTreeSet<ExprId>,
    /// Edges of the original program that read memory with another type than it was written with.
    pub reads: BTreeSet<EdgeId>,
}

impl Inexact {
    /// With what somebody else found.
    pub fn extend(&mut self, other: &Inexact) {
        self.operations.extend(&other.operations);
        self.reads.extend(&other.reads);
    }
}
