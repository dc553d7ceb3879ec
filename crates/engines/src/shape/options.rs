//! What shape analysis is told.

use super::abstraction::canonical::Remembered;

/// What a post knows of the heap that it starts from (Table 6.4 of the thesis). Errors are always looked for from the whole heap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Context {
    /// All of it, and answers are kept for other heaps.
    #[default]
    Cached,
    /// All of it, and every question is asked anew.
    Plain,
    /// The state, and the object at hand: nothing of all other objects.
    None,
}

/// How proofs are looked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The post is the Cartesian one.
    pub cartesian: bool,
    /// What the post knows.
    pub context: Context,
    /// What was refuted before.
    pub remembered: Remembered,
    /// Boolean heaps are to be drawn.
    pub drawings: bool,
}

impl Options {
    /// Whether somebody asks for Boolean heaps in particular.
    pub fn wants_heaps(&self) -> bool {
        self.drawings || self.cartesian || self.context != Context::Cached
    }
}
