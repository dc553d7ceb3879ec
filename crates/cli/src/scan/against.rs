//! What changed since another version of the project, and a summary of it for a pull request.
//!
//! The other version is written to a folder of its own (`git read-tree` and `git checkout-index` with an index
//! beside the user's), and this same command lists what there would be to verify in it (`scan --list`). A
//! unit whose code has the same hash there is unchanged: its answer is taken where it is known, and else it is left
//! out. What was said of the older code is known where its answer is still kept.

use super::cache::Cache;
use super::outcome::Outcome;
use super::units::Unit;
use crate::process::Folder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Rows of the table; services refuse summaries of more than a mebibyte.
const ROWS: usize = 400;

/// The units of another version: by file, entry and property, their code and content.
pub struct Base {
    /// As the user called it.
    name: String,
    units: BTreeMap<(String, String, String), (String, String)>,
}

/// How a unit differs from what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Not at all.
    None,
    /// It was not there.
    New,
    /// Its code, or that of a function it uses, is another; with the verdict of the older code, if that is known.
    Code(Option<String>),
}

/// One line for each unit, for the comparison and for scripts.
pub fn list(units: &[Unit]) -> String {
    let line = |unit: &Unit| {
        json!({
            "file": unit.file, "entry": unit.entry, "line": unit.line,
            "property": unit.property, "code": unit.code, "content": unit.content,
        })
    };
    units.iter().map(|unit| format!("{}\n", line(unit))).collect()
}

fn git(folder: &Path, words: &[&str], index: Option<&Path>) -> Result<String, String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(folder).args(words);
    command.envs(index.map(|index| ("GIT_INDEX_FILE", index)));
    let output = command.output().map_err(|e| format!("cannot run git: {e}"))?;
    if !output.status.success() {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`git {}` failed: {}", words.join(" "), errors.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

impl Base {
    /// The units of the version where the current one left `name`.
    pub fn read(name: &str, scratch: &Folder) -> Result<Base, String> {
        let here = Path::new(".");
        let prefix = git(here, &["rev-parse", "--show-prefix"], None)?;
        let top = git(here, &["rev-parse", "--show-toplevel"], None)?;
        // In a clone without history there is no common ancestor: then it is the version itself.
        let version = git(here, &["merge-base", name, "HEAD"], None).or_else(|_| {
            git(here, &["rev-parse", "--verify", &format!("{name}^{{commit}}")], None)
        })?;
        let (index, tree) = (scratch.path().join("index"), scratch.path().join("base"));
        git(Path::new(&top), &["read-tree", &version], Some(&index))?;
        let prefix_flag = format!("--prefix={}/", tree.display());
        git(Path::new(&top), &["checkout-index", "--all", &prefix_flag], Some(&index))?;
        let own = std::env::current_exe().map_err(|e| e.to_string())?;
        let words: Vec<OsString> = std::env::args_os().skip(1).collect();
        let folder = tree.join(prefix);
        let mut units = BTreeMap::new();
        if folder.is_dir() {
            let output = Command::new(own).args(words).arg("--list").current_dir(folder).output();
            let output = output.map_err(|e| format!("cannot start bolide: {e}"))?;
            let text = String::from_utf8_lossy(&output.stdout);
            for unit in text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok()) {
                let word = |key: &str| unit[key].as_str().unwrap_or("").to_owned();
                let key = (word("file"), word("entry"), word("property"));
                units.insert(key, (word("code"), word("content")));
            }
        }
        Ok(Base { name: name.to_owned(), units })
    }

    /// How a unit differs.
    pub fn change(&self, unit: &Unit, cache: &Cache) -> Change {
        let key = (unit.file.display().to_string(), unit.entry.clone(), unit.property.to_owned());
        match self.units.get(&key) {
            None => Change::New,
            Some((code, _)) if *code == unit.code => Change::None,
            Some((_, content)) => Change::Code(cache.verdict(content)),
        }
    }

    /// The units that are no longer there.
    pub fn removed(&self, units: &[Unit]) -> usize {
        let is_there = |key: &(String, String, String)| {
            units.iter().any(|unit| {
                unit.file.display().to_string() == key.0
                    && unit.entry == key.1
                    && unit.property == key.2
            })
        };
        self.units.keys().filter(|key| !is_there(key)).count()
    }
}

/// A version to compare with, and what came of it.
pub struct Comparison {
    /// The version.
    pub base: Base,
    /// How each unit changed, in the order of the units.
    pub changes: Vec<Change>,
    /// How many are no longer there.
    pub removed: usize,
}

/// The summary as Markdown: what needs attention first, then what changed.
pub fn summary(outcomes: &[Outcome], compared: Option<&Comparison>, changes: &[Change]) -> String {
    let count = |verdict: &str| outcomes.iter().filter(|o| o.verdict == verdict).count();
    let accepted = outcomes.iter().filter(|o| o.accepted().is_some()).count();
    let mut out = String::from("## Bolide\n\n");
    let _ = write!(
        out,
        "{} proved, {} violated ({accepted} of them accepted), {} unknown, {} refused",
        count("true"),
        count("false"),
        count("unknown"),
        count("error")
    );
    if let Some(compared) = compared {
        let changed = changes.iter().filter(|change| **change != Change::None).count();
        let _ = write!(
            out,
            "; {changed} changed since `{}`, {} removed",
            compared.base.name, compared.removed
        );
    }
    out += "\n\n";
    let mut rows: Vec<(usize, &Outcome, &Change)> = outcomes
        .iter()
        .zip(changes)
        .filter(|(outcome, change)| **change != Change::None || outcome.verdict == "false")
        .map(|(outcome, change)| (rank(outcome), outcome, change))
        .collect();
    rows.sort_by_key(|(rank, _, _)| *rank);
    if rows.is_empty() {
        out += "Nothing that is verified has changed.\n";
        return out;
    }
    out += "| function | property | verdict | time | what changed |\n|---|---|---|---:|---|\n";
    for (_, outcome, change) in rows.iter().take(ROWS) {
        let _ = writeln!(
            out,
            "| `{}` {}:{} | {} | {} | {} | {} |",
            outcome.entry,
            cell(&outcome.file),
            outcome.line,
            outcome.property,
            verdict(outcome),
            time(outcome),
            words(change)
        );
    }
    if rows.len() > ROWS {
        let _ = writeln!(out, "\n{} more are in the log.", rows.len() - ROWS);
    }
    out
}

fn rank(outcome: &Outcome) -> usize {
    match (outcome.verdict.as_str(), outcome.accepted()) {
        ("false", None) => 0,
        ("error", _) => 1,
        ("unknown", _) => 2,
        ("false", Some(_)) => 3,
        _ => 4,
    }
}

fn verdict(outcome: &Outcome) -> String {
    match (outcome.verdict.as_str(), outcome.accepted()) {
        ("false", None) => format!("**false**: {}", cell(&outcome.message)),
        ("false", Some(why)) => format!("false, accepted: {}", cell(why)),
        ("true", _) => "true".to_owned(),
        (other, _) => format!("{other}: {}", cell(&outcome.message)),
    }
}

fn time(outcome: &Outcome) -> String {
    match outcome.kept {
        true => "kept".to_owned(),
        false => format!("{:.1} s", outcome.milliseconds as f64 / 1000.0),
    }
}

fn words(change: &Change) -> String {
    match change {
        Change::None => "nothing".to_owned(),
        Change::New => "new".to_owned(),
        Change::Code(None) => "code".to_owned(),
        Change::Code(Some(before)) => format!("code; was {before}"),
    }
}

/// Text that stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
