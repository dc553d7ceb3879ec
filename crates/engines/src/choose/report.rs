//! A verdict and how it came about.

use crate::workbench::Statistics;
use bolide_verdict::Verdict;

/// What one engine did.
#[derive(Clone, Debug)]
pub struct EngineRun {
    /// Its name.
    pub engine: &'static str,
    /// How it ended: `true`, `false` or why not.
    pub outcome: String,
    /// What happened on the way.
    pub statistics: Statistics,
}

/// A verdict and how it came about.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict.
    pub verdict: Verdict,
    /// What was chosen, and why.
    pub chosen: String,
    /// Whose verdict it is; none for unknown.
    pub winner: Option<&'static str>,
    /// What the engines did, in the order in which they were chosen.
    pub runs: Vec<EngineRun>,
}
