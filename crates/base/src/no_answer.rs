//! Why there is no answer: one type, from the solver to the exit code.
//!
//! Whoever is asked and cannot say says why in these words, and whoever asked
//! passes them on with `?`. So the kind is never lost on the way: a time limit that
//! the search inside of the solver met is a time limit to whoever reads the verdict.

use crate::Exhausted;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// A limit was reached.
    Exhausted(Exhausted),
    /// The solver could not decide a query.
    Solver(String),
    /// The question has something that nobody treats.
    Unsupported(String),
    /// The refinement made no progress on a path.
    NoProgress(String),
    /// The program is over-approximated, and the path found in it is not one
    /// that the interpreter can follow.
    NotReplayed(String),
    /// An answer was found and did not pass its check.
    NotCertified(String),
    /// Somebody broke an invariant of its own and was stopped.
    Defect(String),
}

impl NoAnswer {
    /// The solver could not decide.
    pub fn solver(why: impl Into<String>) -> NoAnswer {
        NoAnswer::Solver(why.into())
    }

    /// An answer did not pass its check.
    pub fn not_certified(why: impl Into<String>) -> NoAnswer {
        NoAnswer::NotCertified(why.into())
    }

    /// What happened, without the kind of it.
    pub fn detail(&self) -> &str {
        match self {
            NoAnswer::Exhausted(limit) => limit.text(),
            NoAnswer::Solver(why)
            | NoAnswer::Unsupported(why)
            | NoAnswer::NoProgress(why)
            | NoAnswer::NotReplayed(why)
            | NoAnswer::NotCertified(why)
            | NoAnswer::Defect(why) => why,
        }
    }
}

impl std::fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            NoAnswer::Exhausted(_) => "",
            NoAnswer::Solver(_) => "the solver could not decide a query: ",
            NoAnswer::Unsupported(_) => "not supported: ",
            NoAnswer::NoProgress(_) => "refinement makes no progress: ",
            NoAnswer::NotReplayed(_) => {
                "a possible violation could not be confirmed by execution: "
            }
            NoAnswer::NotCertified(_) => "the proof did not pass the audit: ",
            NoAnswer::Defect(_) => "internal error of an engine: ",
        })?;
        f.write_str(self.detail())
    }
}

impl From<Exhausted> for NoAnswer {
    fn from(limit: Exhausted) -> Self {
        NoAnswer::Exhausted(limit)
    }
}
