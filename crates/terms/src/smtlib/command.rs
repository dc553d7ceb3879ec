//! The commands of SMT-LIB 2.6 as data.

use crate::{FunctionId, TermId};

/// A command with its terms built and its symbols resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `(set-logic L)`.
    SetLogic(String),
    /// `(set-option :keyword value)`; the value as written, strings without
    /// their quotes.
    SetOption {
        /// With its colon.
        keyword: String,
        /// Empty when there is none.
        value: String,
    },
    /// `(set-info :keyword value)`.
    SetInfo {
        /// With its colon.
        keyword: String,
        /// Empty when there is none.
        value: String,
    },
    /// `declare-sort`, `define-sort`: the reader has taken note.
    Sort {
        /// The name of the sort.
        name: String,
    },
    /// `declare-fun`, `declare-const`, and `declare-rel` of Horn clauses.
    Declare(FunctionId),
    /// `declare-var` of Horn clauses: a constant that rules quantify.
    DeclareVariable(FunctionId),
    /// `define-fun`, `define-const`: applications are expanded on reading.
    Define {
        /// The name of the function.
        name: String,
    },
    /// `(assert t)`.
    Assert {
        /// The formula.
        formula: TermId,
        /// Its name, for `(assert (! t :named n))`.
        name: Option<String>,
    },
    /// `(rule t)` of Horn clauses.
    Rule(TermId),
    /// `(query t)` of Horn clauses.
    Query(TermId),
    /// `(check-sat)`.
    CheckSat,
    /// `(check-sat-assuming (l ..))`, the literals also as written.
    CheckSatAssuming(Vec<(TermId, String)>),
    /// `(push n)`.
    Push(u32),
    /// `(pop n)`.
    Pop(u32),
    /// `(get-model)`.
    GetModel,
    /// `(get-value (t ..))`, the terms also as written.
    GetValue(Vec<(TermId, String)>),
    /// `(get-assignment)`.
    GetAssignment,
    /// `(get-assertions)`.
    GetAssertions,
    /// `(get-unsat-core)`.
    GetUnsatCore,
    /// `(get-unsat-assumptions)`.
    GetUnsatAssumptions,
    /// `(get-proof)`.
    GetProof,
    /// `(get-interpolants ..)`.
    GetInterpolants(Partitions),
    /// `(get-info :keyword)`.
    GetInfo(String),
    /// `(get-option :keyword)`.
    GetOption(String),
    /// `(echo "text")`.
    Echo(String),
    /// `(reset)`.
    Reset,
    /// `(reset-assertions)`.
    ResetAssertions,
    /// `(exit)`.
    Exit,
    /// A command that is none of these.
    Unsupported(String),
}

/// The partitions of an interpolation query in post-order; a sequence is a
/// chain.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Partitions {
    /// For each partition the names of its assertions.
    pub groups: Vec<Vec<String>>,
    /// For each partition its parent; the last is the root and names itself.
    pub parents: Vec<usize>,
}
