//! What is said of a program in formulas: a Floyd-Hoare annotation, a path to an error, or why
//! there is neither. Plain data; nobody believes it before the audit, which is a crate apart.

pub use bolide_base::NoAnswer as Reason;

use bolide_base::HashMap;
use bolide_cfa::value::Value;
use bolide_cfa::{CheckId, EdgeId, FunctionId, LocId};
use bolide_terms::TermId;

/// A Floyd-Hoare annotation: an inductive invariant for each cut point of the explored program, over its
/// state constants. A cut point that is not listed has the invariant false.
#[derive(Clone, Debug, Default)]
pub struct Annotation {
    /// The invariants; at most one for a location.
    pub invariants: HashMap<LocId, TermId>,
    /// Where calls were not inlined: what holds in the functions that are
    /// called. `invariants` is then about the entry function.
    pub contracts: Vec<Contract>,
}

/// A function under a precondition. Formulas are well-scoped: see
/// [`calls`](crate::calls).
#[derive(Clone, Debug)]
pub struct Contract {
    /// The function.
    pub function: FunctionId,
    /// Holds when the function is entered.
    pub precondition: TermId,
    /// Inductive invariants of its cut points; that of its exit is the
    /// postcondition. A cut point that is not listed has the invariant false.
    pub invariants: HashMap<LocId, TermId>,
}

/// A run to an error location.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The edges of the explored program, from its entry to the error.
    pub path: Vec<EdgeId>,
    /// The values that nondeterministic edges of the path chose, in order.
    pub choices: Vec<(EdgeId, Value)>,
    /// What was violated.
    pub check: CheckId,
}
