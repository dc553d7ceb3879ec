//! What shape analysis is told.

use super::abstraction::canonical::Remembered;

/// How proofs are looked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The post is the Cartesian one.
    pub cartesian: bool,
    /// What was refuted before.
    pub remembered: Remembered,
}
