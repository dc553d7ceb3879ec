//! What `bolide prove` is told; what it proves stands in the file of the project.

use super::SettingsFlags;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Whose proofs can be read.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Tool {
    /// Folders with makefiles as CBMC's starter kit has them; `make` must be there.
    Cbmc,
}

#[derive(Clone, Debug, Args)]
pub struct ProveFlags {
    /// Only the proofs of these names.
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Prove nothing: write the proofs of these folders, which are there for another tool, as text for `bolide.toml`.
    #[arg(long, value_name = "TOOL", requires = "names")]
    pub import: Option<Tool>,
    #[command(flatten)]
    pub settings: SettingsFlags,
    /// Proofs at the same time [default: the processors there are].
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<usize>,
    /// Tell of each proof which lines and branches its executions come to.
    #[arg(long)]
    pub coverage: bool,
    /// Write all violations as one SARIF log.
    #[arg(long, value_name = "FILE")]
    pub sarif: Option<PathBuf>,
    /// Write the results as JUnit XML.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Add a table (Markdown) to this file, for a pull request.
    #[arg(long, value_name = "FILE")]
    pub summary: Option<PathBuf>,
    /// Write an index and a report for each proof to this folder.
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Show no progress.
    #[arg(long, short)]
    pub quiet: bool,
}
