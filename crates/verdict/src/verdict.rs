//! Verdicts, and what people are told of them.

use crate::replay::Violation;
use bolide_cfa::{CheckId, FunctionId, LocId};
use bolide_reachability::verdict::Reason;

/// An invariant for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// The location in the original program.
    pub location: LocId,
    /// In infix notation.
    pub text: String,
    /// What of it can be said in C, over variables visible there.
    pub c: String,
}

/// What holds of a function that was not inlined, for people: whenever it is
/// entered with the precondition, it leaves with the postcondition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionContract {
    /// The function of the original program.
    pub function: FunctionId,
    /// At its entry, in infix notation.
    pub precondition: String,
    /// At its exit, in terms of the values at its entry.
    pub postcondition: String,
}

/// An audited verdict.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No check can be violated.
    True {
        /// At loop heads.
        invariants: Vec<Invariant>,
        /// Of functions that were not inlined.
        contracts: Vec<FunctionContract>,
        /// How many proof obligations were discharged with checked proofs.
        obligations: usize,
    },
    /// A check was violated by executing the program.
    False(Box<Violation>),
    /// Neither.
    Unknown(Reason),
}

impl Verdict {
    /// Whether it is `true` or `false`.
    pub fn is_decided(&self) -> bool {
        !matches!(self, Verdict::Unknown(_))
    }

    /// What was violated, in the original program.
    pub fn violated(&self) -> Option<CheckId> {
        match self {
            Verdict::False(violation) => Some(violation.check),
            _ => None,
        }
    }

    /// `true`, `false`, or why neither.
    pub fn outcome(&self) -> String {
        match self {
            Verdict::True { .. } => "true".into(),
            Verdict::False(_) => "false".into(),
            Verdict::Unknown(reason) => reason.to_string(),
        }
    }
}
