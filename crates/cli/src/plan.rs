//! Work in parts: what a scheduler is given.
//!
//! A plan is a command (`bench` or `scan`) and a number of parts; part I does every N-th task beginning with the
//! I-th. Whatever counts jobs can run it: each job runs `bolide plan run PLAN`, which takes its number
//! from the variable that Slurm, Kubernetes or AWS Batch sets, or from `--part`. A part leaves what it found as it
//! goes and a mark at its end; run again, it goes on where it stopped. So a part may be killed, repeated
//! and even run twice at once.

use crate::output;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// What the file of a plan holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The arguments of `bolide`.
    pub command: Vec<String>,
    /// Where they are given.
    pub directory: PathBuf,
    pub parts: usize,
    /// The numbers of the parts, for schedulers that want a list.
    pub matrix: Vec<usize>,
    /// Where the parts leave what they find; all machines must see it.
    pub folder: PathBuf,
}

/// The variables in which schedulers tell a job its number, from 0 on.
const NUMBERS: [&str; 3] =
    ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"];

impl Plan {
    /// A plan for a command that is given here.
    pub fn new(command: Vec<String>, parts: usize, folder: &Path) -> Result<Plan, String> {
        let directory =
            std::env::current_dir().map_err(|e| format!("cannot tell the folder: {e}"))?;
        let folder = directory.join(folder);
        Ok(Plan { command, directory, parts, matrix: (0..parts).collect(), folder })
    }

    /// A plan for the command that this process was started with. Whether it goes on with something is no part of it.
    pub fn of_this_command(parts: usize, folder: &Path) -> Result<Plan, String> {
        let words = std::env::args().skip(1).filter(|word| word != "--resume");
        Plan::new(words.collect(), parts, folder)
    }

    /// Writes it, and makes its folder.
    pub fn write(&self, file: &Path) -> Result<(), String> {
        std::fs::create_dir_all(&self.folder)
            .map_err(|e| format!("cannot make the folder `{}`: {e}", self.folder.display()))?;
        let text = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        output::write(file, &format!("{text}\n"))
    }

    pub fn read(file: &Path) -> Result<Plan, String> {
        serde_json::from_str(&output::read(file)?)
            .map_err(|e| format!("`{}` is no plan: {e}", file.display()))
    }

    /// Where a part leaves its rows.
    pub fn table(&self, part: usize) -> PathBuf {
        self.folder.join(format!("{part}.csv"))
    }

    /// Where a part leaves its log.
    pub fn log(&self, part: usize) -> PathBuf {
        self.folder.join(format!("{part}.sarif"))
    }

    /// What is there once a part has come to its end.
    pub fn mark(&self, part: usize) -> PathBuf {
        self.folder.join(format!("{part}.done"))
    }

    /// The number of this job.
    pub fn part(&self, given: Option<usize>) -> Result<usize, String> {
        let told = || NUMBERS.iter().find_map(|name| std::env::var(name).ok()?.parse().ok());
        match given.or_else(told) {
            Some(part) if part < self.parts => Ok(part),
            Some(part) => Err(format!("there is no part {part}: the plan has {}", self.parts)),
            None => Err(format!(
                "which part? --part I tells, or one of the variables {}",
                NUMBERS.join(", ")
            )),
        }
    }
}
