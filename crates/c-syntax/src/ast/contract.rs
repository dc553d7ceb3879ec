//! Contracts: what ACSL's comments and CBMC's clauses say, in one form.
//!
//! Terms are expressions of C, with names that no program has (`\old`, `\result`, `\valid`) where contracts say more. An
//! implication is the disjunction that it means, an equivalence compares two negations, `a .. b` is a call of `\range`.

use super::*;
use bolide_base::{Diagnostic, Span};

/// All clauses and definitions of a file.
#[derive(Clone, Debug, Default)]
pub struct Contracts {
    /// By position.
    pub clauses: Vec<Clause>,
    /// `predicate` and `logic`.
    pub definitions: Vec<LogicDefinition>,
    /// Comments that are meant as annotations and not understood: their number and why.
    pub misread: Vec<(usize, Diagnostic)>,
}

/// One clause.
#[derive(Clone, Debug)]
pub struct Clause {
    /// What it says.
    pub kind: ClauseKind,
    /// The condition; or the places of `assigns`, none for `\nothing`.
    pub terms: Vec<ExprId>,
    /// Holds only where these held at the call (`assumes` of a behavior).
    pub assumes: Vec<ExprId>,
    /// In a comment, with numbers that have no bounds; otherwise with the arithmetic of C.
    pub is_acsl: bool,
    /// Where that begins which it is about: a function, its prototype, a loop. Of assertions: their own place.
    pub owner: u32,
    /// Its words.
    pub span: Span,
}

/// Kinds of [`Clause`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// Holds when the function is called.
    Requires,
    /// Follows from what is required: `complete behaviors`.
    Claims,
    /// Holds when it returns.
    Ensures,
    /// The only places that it changes.
    Assigns,
    /// Holds whenever control comes to the head of the loop.
    LoopInvariant,
    /// The only places that the loop changes.
    LoopAssigns,
    /// Is not negative and decreases in each round.
    LoopVariant,
    /// Holds here.
    Assert,
    /// Is taken to hold here.
    Assume,
}

impl ClauseKind {
    /// Of a function, not of a place in its body.
    pub fn is_of_function(self) -> bool {
        matches!(self, Self::Requires | Self::Claims | Self::Ensures | Self::Assigns)
    }

    /// Of a loop.
    pub fn is_of_loop(self) -> bool {
        matches!(self, Self::LoopInvariant | Self::LoopAssigns | Self::LoopVariant)
    }
}

/// A named formula or term.
#[derive(Clone, Debug)]
pub struct LogicDefinition {
    /// Its name.
    pub name: Symbol,
    /// Its parameters.
    pub parameters: Vec<Binder>,
    /// What it stands for.
    pub body: ExprId,
    /// All of it.
    pub span: Span,
}
