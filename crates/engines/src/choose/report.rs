//! A verdict and how it came about.

use crate::counts::Counts;
use crate::workbench::Statistics;
use bolide_verdict::{Invariant, Verdict};

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
    /// For unknown: facts at loops that would exclude an error, and were not proved.
    pub missing: Vec<Invariant>,
    /// What was counted in the program, if it came to a choice of engines.
    pub counts: Counts,
}

impl EngineRun {
    /// A figure that the engine tells, if it does.
    pub fn figure(&self, name: &str) -> Option<u64> {
        self.statistics.figures.iter().find(|figure| figure.0 == name).map(|figure| figure.1)
    }
}

impl Report {
    /// How many paths all engines refuted.
    pub fn refinements(&self) -> u64 {
        self.runs.iter().filter_map(|run| run.figure("refinements")).sum()
    }

    /// What decided: who, how much of it was guessed, and how much was learnt; none for unknown.
    pub fn decision(&self) -> Option<String> {
        let winner = self.winner?;
        let Some(run) = self.runs.iter().find(|run| run.engine == winner) else {
            return Some(winner.to_owned());
        };
        let part = run.statistics.part.map(|part| format!(" ({part})")).unwrap_or_default();
        let guessed = match run.statistics.guessed {
            0 => String::new(),
            facts => format!(", {facts} guessed facts"),
        };
        let learnt = run.figure("refinements").map(|n| format!(", {n} refinements"));
        Some(format!("{winner}{part}{guessed}{}", learnt.unwrap_or_default()))
    }
}
