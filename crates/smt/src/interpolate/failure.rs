//! Why there is no interpolant.

use bolide_base::Exhausted;

/// What interpolation finds, or why it finds nothing.
pub(crate) type Found<T> = Result<T, NoInterpolant>;

/// There is no interpolant to be had in this way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoInterpolant {
    /// Why not.
    pub reason: String,
}

impl NoInterpolant {
    pub(crate) fn new(reason: impl Into<String>) -> Self {
        NoInterpolant { reason: reason.into() }
    }
}

impl From<Exhausted> for NoInterpolant {
    fn from(why: Exhausted) -> Self {
        NoInterpolant::new(why.to_string())
    }
}

impl std::fmt::Display for NoInterpolant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no interpolant: {}", self.reason)
    }
}

impl std::error::Error for NoInterpolant {}
