//! Runs of `bolide` on programs of `tests/shape`, and what they say of themselves.

use crate::experiment::{Said, read, verify};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

/// File, name in the thesis, seconds, posts, refinement steps, predicates, calls.
pub type Row = (&'static str, &'static str, f64, u32, u32, u32, u32);

/// The text of a program, and where it lies.
pub fn program(file: &str) -> Result<(String, PathBuf), String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/shape");
    let path = folder.join(format!("{file}.c"));
    Ok((read(&path)?, path))
}

/// The function that a program names.
pub fn entry(text: &str) -> &str {
    text.lines().find_map(|l| l.strip_prefix("// entry: ")).unwrap_or("main")
}

/// What is measured.
pub struct Bench {
    /// The command `bolide`.
    pub binary: PathBuf,
    /// Processor time for one run, as `--cpu-time` wants it.
    pub cpu_time: String,
}

impl Bench {
    /// Verifies a function, with more options.
    pub fn verify(&self, file: &Path, entry: &str, more: &[&str]) -> Result<Said, String> {
        let mut command = Command::new(&self.binary);
        command
            .args(["verify", "--engine", "shape", "--property", "valid-memsafety", "--verbose"])
            .args(["--cpu-time", &self.cpu_time, "--timeout", "1h", "--threads", "1"])
            .args(["--entry", entry])
            .args(more)
            .arg(file);
        verify(&mut command)
    }

    /// The run with the median time, of three where it takes less than two seconds.
    pub fn median(&self, file: &Path, entry: &str, more: &[&str]) -> Result<Said, String> {
        let mut runs = vec![self.verify(file, entry, more)?];
        while runs[0].seconds < 2.0 && runs.len() < 3 {
            runs.push(self.verify(file, entry, more)?);
        }
        runs.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
        Ok(runs.swap_remove(runs.len() / 2))
    }
}

impl Said {
    /// The verdict, whatever came of it.
    pub fn verdict(&self) -> &str {
        self.verdict.as_deref().unwrap_or("none")
    }

    /// A figure of the search by what it is called; of the first function that was searched.
    pub fn figure(&self, what: &str) -> u64 {
        self.number("search: ", what).unwrap_or_default()
    }

    /// Milliseconds in the heap logic, by what they are called.
    pub fn milliseconds(&self, what: &str) -> f64 {
        self.number("heap logic: ", what).unwrap_or_default()
    }

    fn number<T: FromStr>(&self, line: &str, what: &str) -> Option<T> {
        let line = self.text.lines().find_map(|l| l.trim().strip_prefix(line))?;
        let part = line.split(", ").find(|p| p.ends_with(what))?;
        part.split(' ').next()?.parse().ok()
    }
}
