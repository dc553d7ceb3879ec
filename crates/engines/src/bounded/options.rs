//! What the engine `bounded` is told.

/// How far it goes.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// No more rounds than that, if there is a limit.
    pub bound: Option<u32>,
    /// Whether it looks for proofs by k-induction.
    pub induction: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { bound: None, induction: true }
    }
}
