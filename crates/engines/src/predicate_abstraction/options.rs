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
}

impl Default for Options {
    fn default() -> Self {
        Options { scope: Scope::default(), valuations: 200 }
    }
}
