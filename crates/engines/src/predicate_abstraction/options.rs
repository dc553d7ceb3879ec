//! What predicate abstraction is told.

use super::precision::Scope;

/// What may be tuned.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where a predicate is tracked.
    pub scope: Scope,
    /// How many valuations of dependent predicates are enumerated before the
    /// abstraction becomes Cartesian; 0 is always Cartesian.
    pub valuations: usize,
    /// Whether summaries of functions are guessed from executions.
    pub guess_summaries: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { scope: Scope::default(), valuations: 200, guess_summaries: true }
    }
}
