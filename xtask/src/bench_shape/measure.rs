//! Runs of `bolide` on programs of `tests/shape`, and what they say of themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

/// File, name in the thesis, seconds, posts, refinement steps, predicates, calls.
pub type Row = (&'static str, &'static str, f64, u32, u32, u32, u32);

/// The text of a program, and where it lies.
pub fn program(file: &str) -> Option<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/shape");
    let path = folder.join(format!("{file}.c"));
    match std::fs::read_to_string(&path) {
        Ok(text) => Some((text, path)),
        Err(why) => {
            eprintln!("bench-shape: {}: {why}", path.display());
            None
        }
    }
}

/// The function that a program names.
pub fn entry(text: &str) -> &str {
    text.lines().find_map(|l| l.strip_prefix("// entry: ")).unwrap_or("main")
}

/// What is measured.
pub struct Bench {
    /// The command `bolide`.
    pub binary: PathBuf,
    /// For one run, as `--timeout` wants it.
    pub timeout: String,
}

impl Bench {
    /// Verifies a function, with more options.
    pub fn verify(&self, file: &Path, entry: &str, more: &[&str]) -> Option<Run> {
        let start = children_time();
        let output = Command::new(&self.binary)
            .args(["verify", "--engine", "shape", "--property", "valid-memsafety", "--verbose"])
            .args(["--timeout", &self.timeout, "--entry", entry])
            .args(more)
            .arg(file)
            .output()
            .inspect_err(|why| eprintln!("bench-shape: {}: {why}", self.binary.display()))
            .ok()?;
        let time = children_time() - start;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let last = said.lines().last().unwrap_or("");
        let verdict = last.trim_start_matches("RESULT: ").to_owned();
        Some(Run { verdict, said, time })
    }

    /// The run with the median time, of three where it takes less than two seconds.
    pub fn median(&self, file: &Path, entry: &str, more: &[&str]) -> Option<Run> {
        let mut runs = vec![self.verify(file, entry, more)?];
        while runs[0].time < 2.0 && runs.len() < 3 {
            runs.push(self.verify(file, entry, more)?);
        }
        runs.sort_by(|a, b| a.time.total_cmp(&b.time));
        Some(runs.swap_remove(runs.len() / 2))
    }
}

/// A run and what it said.
pub struct Run {
    /// As it is printed.
    pub verdict: String,
    said: String,
    /// Seconds of processor time.
    pub time: f64,
}

impl Run {
    /// A figure of the search by what it is called; of the first function that was searched.
    pub fn figure(&self, what: &str) -> u64 {
        let number = || {
            let line = self.said.lines().find_map(|l| l.trim().strip_prefix("search: "))?;
            let part = line.split(", ").find(|p| p.ends_with(what))?;
            part.split(' ').next()?.parse().ok()
        };
        number().unwrap_or_default()
    }

    /// Milliseconds in the heap logic, by what they are called.
    pub fn milliseconds(&self, what: &str) -> f64 {
        let number = || {
            let line = self.said.lines().find_map(|l| l.strip_prefix("heap logic: "))?;
            let part = line.split(", ").find(|p| p.ends_with(what))?;
            part.split(' ').next()?.parse().ok()
        };
        number().unwrap_or_default()
    }
}

/// Seconds of processor time that ended children took. Zero where there is no `/proc`.
fn children_time() -> f64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/stat") else { return 0.0 };
    // The name of the program, in parentheses, may contain anything.
    let rest = text.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = |field: usize| -> f64 {
        rest.split_whitespace().nth(field).and_then(|f| f.parse().ok()).unwrap_or(0.0)
    };
    (ticks(13) + ticks(14)) / 100.0
}
