//! Verdicts and what they carry: a certificate, a counterexample or a reason.

use bolide_base::{Exhausted, HashMap};
use bolide_cfa::value::Value;
use bolide_cfa::{CheckId, EdgeId, FunctionId, LocId};
use bolide_terms::TermId;

/// What an engine concludes. Nobody believes it before the audit.
#[derive(Debug)]
pub enum Conclusion {
    /// No error location can be reached.
    Safe(Certificate),
    /// This run reaches one.
    Unsafe(Counterexample),
    /// Neither, because.
    Unknown(Reason),
}

/// An inductive invariant for each cut point of the explored program, over its
/// state constants. A cut point that is not listed has the invariant false.
#[derive(Clone, Debug, Default)]
pub struct Certificate {
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

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A limit was reached.
    Exhausted(Exhausted),
    /// The solver could not decide a query.
    Solver(String),
    /// The program has something that the engine does not treat.
    Unsupported(String),
    /// The refinement made no progress on a path.
    NoProgress(String),
    /// The program is over-approximated, and the path found in it is not one
    /// that the interpreter can follow.
    NotReplayed(String),
    /// The certificate did not pass the audit.
    NotCertified(String),
    /// An engine broke an invariant of its own and was stopped.
    Defect(String),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Exhausted(what) => write!(f, "{what}"),
            Reason::Solver(why) => write!(f, "the solver could not decide a query: {why}"),
            Reason::Unsupported(what) => write!(f, "not supported: {what}"),
            Reason::NoProgress(why) => write!(f, "refinement makes no progress: {why}"),
            Reason::NotReplayed(why) => {
                write!(f, "a possible violation could not be confirmed by execution: {why}")
            }
            Reason::NotCertified(why) => write!(f, "the proof did not pass the audit: {why}"),
            Reason::Defect(what) => write!(f, "internal error of an engine: {what}"),
        }
    }
}

impl From<Exhausted> for Reason {
    fn from(what: Exhausted) -> Self {
        Reason::Exhausted(what)
    }
}
