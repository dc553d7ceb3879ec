//! What a tool said on a task, graded; rows of a CSV file.
//!
//! The score is that of the verification competition: a right `true` 2, a right
//! `false` 1, a wrong `false` -16, a wrong `true` -32. Horn clauses count one each, a wrong answer -16.

use super::tasks::Task;
use super::tool::{self, Tool};
use crate::output;
use crate::process::{Ended, Measured};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::Path;

/// How a verdict stands to the expected one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// As expected.
    Right,
    /// `true` where the property is violated.
    #[serde(rename = "wrong true")]
    WrongTrue,
    /// `false` where the property holds.
    #[serde(rename = "wrong false")]
    WrongFalse,
    /// The property is violated, but another part of it than expected.
    #[serde(rename = "other part")]
    OtherPart,
    /// A verdict where nobody knows what to expect.
    Unchecked,
    /// No verdict: the tool gave up.
    Unknown,
    /// No verdict in time.
    Time,
    /// No verdict in memory.
    Memory,
    /// No verdict: the tool failed.
    #[default]
    Failed,
}

impl Grade {
    /// Its name in tables.
    pub fn name(self) -> String {
        name_in_file(&self)
    }

    /// Whether the tool said something false.
    pub fn is_wrong(self) -> bool {
        matches!(self, Grade::WrongTrue | Grade::WrongFalse)
    }
}

/// What others think of the evidence of a verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// Nobody was asked.
    #[default]
    #[serde(rename = "")]
    None,
    /// The witness was confirmed, or the harness ran into the violation.
    Confirmed,
    /// The witness was refuted, or the harness ran elsewhere.
    Refuted,
    /// Neither.
    Undecided,
    /// Not to be had for such a task.
    #[serde(rename = "not applicable")]
    NotApplicable,
}

impl Evidence {
    /// Its name in tables.
    pub fn name(self) -> String {
        name_in_file(&self)
    }

    /// Whether it speaks against the verdict.
    pub fn is_refuted(self) -> bool {
        self == Evidence::Refuted
    }
}

/// A word of the file, as tables show it too.
fn name_in_file(word: &impl Serialize) -> String {
    serde_json::to_value(word).ok().and_then(|v| Some(v.as_str()?.to_owned())).unwrap_or_default()
}

/// One task by one tool; the fields are the columns of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub task: String,
    pub tool: String,
    pub property: String,
    /// Empty when nobody knows.
    pub expected: String,
    /// Empty when there is none.
    pub verdict: String,
    pub grade: Grade,
    pub score: i64,
    /// Seconds.
    #[serde(rename = "wall_s")]
    pub wall: f64,
    /// Seconds of processor time.
    #[serde(rename = "cpu_s")]
    pub cpu: f64,
    /// MiB.
    #[serde(rename = "memory_mib")]
    pub memory: u64,
    /// Where the tool tells.
    pub refinements: Option<u64>,
    #[serde(rename = "exit_code")]
    pub code: Option<i32>,
    pub evidence: Evidence,
    /// Why there is no verdict.
    pub reason: String,
}

/// The first line of a CSV file.
pub const HEADER: &str = "task,tool,property,expected,verdict,grade,score,wall_s,cpu_s,memory_mib,\
                          refinements,exit_code,evidence,reason\n";

impl Row {
    /// A row for a tool that could not be started.
    pub fn not_run(task: &Task, tool: &Tool, reason: String) -> Row {
        Row {
            task: task.id.clone(),
            tool: tool.name.clone(),
            property: task.property.clone(),
            expected: task.expectation(),
            reason,
            ..Row::default()
        }
    }

    /// Whether the task counts as solved.
    pub fn is_solved(&self) -> bool {
        self.grade == Grade::Right
    }

    /// One line.
    pub fn csv(&self) -> String {
        let mut line = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        // Writing to memory does not fail.
        let _ = line.serialize(self);
        String::from_utf8(line.into_inner().unwrap_or_default()).unwrap_or_default()
    }
}

/// All rows with their header.
pub fn csv(rows: &[Row]) -> String {
    let mut text = HEADER.to_owned();
    for row in rows {
        text += &row.csv();
    }
    text
}

/// Reads a file of results.
pub fn read_csv(file: &Path) -> Result<Vec<Row>, String> {
    parse_csv(&output::read(file)?).map_err(|error| format!("`{}`: {error}", file.display()))
}

fn parse_csv(text: &str) -> Result<Vec<Row>, String> {
    // An interrupted run may have left half a line at the end.
    let reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut records = reader.into_records();
    let header = records.next().and_then(Result::ok).unwrap_or_default();
    if header.iter().ne(HEADER.trim_end().split(',')) {
        return Err("this is no file of results: its first line is another one".into());
    }
    let mut rows = Vec::new();
    for (index, cells) in records.enumerate() {
        let cells = cells.map_err(|error| error.to_string())?;
        match cells.deserialize(Some(&header)) {
            Ok(row) => rows.push(row),
            Err(_) if cells.len() < header.len() => {}
            Err(_) => return Err(format!("record {} is damaged", index + 1)),
        }
    }
    Ok(rows)
}

/// The row of a run.
pub fn grade(task: &Task, tool: &Tool, measured: &Measured) -> Row {
    let mut row = Row::not_run(task, tool, String::new());
    // Milliseconds, and hundredths of processor time: more is noise.
    row.wall = (measured.wall.as_secs_f64() * 1e3).round() / 1e3;
    row.cpu = (measured.cpu.as_secs_f64() * 1e2).round() / 1e2;
    row.memory = measured.memory >> 20;
    row.code = measured.code;
    let json: Option<Value> = match tool.is_ours() {
        true => serde_json::from_str(measured.output.trim()).ok(),
        false => None,
    };
    match &json {
        Some(json) => {
            let text = |pointer| json.pointer(pointer).and_then(Value::as_str).unwrap_or("");
            row.verdict = text("/result").to_owned();
            row.reason = text("/reason/text").to_owned();
            row.refinements = json.pointer("/statistics/refinements").and_then(Value::as_u64);
            let kind = text("/reason/kind");
            row.grade = match kind {
                "time" => Grade::Time,
                "memory" => Grade::Memory,
                _ => Grade::Unknown,
            };
        }
        None => row.verdict = tool::verdict(&measured.output),
    }
    if row.verdict.is_empty() || row.verdict == "unknown" {
        let failed = row.verdict.is_empty();
        row.grade = match measured.ended {
            Ended::Time => Grade::Time,
            Ended::Memory => Grade::Memory,
            _ if failed => Grade::Failed,
            _ if json.is_some() => row.grade,
            _ => Grade::Unknown,
        };
        if failed && row.reason.is_empty() {
            row.reason = last_words(measured);
        }
        return row;
    }
    (row.grade, row.score) = judge(task, &row.verdict);
    row
}

/// The first line of what a failing tool complained about.
fn last_words(measured: &Measured) -> String {
    let line = measured.errors.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    line.trim().chars().take(200).collect()
}

fn judge(task: &Task, verdict: &str) -> (Grade, i64) {
    let word = verdict.split('(').next().unwrap_or("");
    let Some(expected) = task.expected.as_deref() else { return (Grade::Unchecked, 0) };
    match (expected, word) {
        ("true", "true") => (Grade::Right, 2),
        ("true", "false") => (Grade::WrongFalse, -16),
        ("false", "true") => (Grade::WrongTrue, -32),
        ("false", "false") => {
            let part = verdict.strip_prefix("false(").and_then(|p| p.strip_suffix(')'));
            match (part, task.subproperty.as_deref()) {
                (Some(said), Some(expected)) if said != expected => (Grade::OtherPart, 0),
                _ => (Grade::Right, 1),
            }
        }
        ("sat", "sat") | ("unsat", "unsat") => (Grade::Right, 1),
        ("sat", "unsat") => (Grade::WrongFalse, -16),
        ("unsat", "sat") => (Grade::WrongTrue, -16),
        _ => (Grade::Unknown, 0),
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A row for tests of tables and plots.
    pub fn sample(task: &str, tool: &str, verdict: &str, grade: Grade, cpu: f64) -> Row {
        let score = match grade {
            Grade::Right => 2,
            Grade::WrongTrue => -32,
            _ => 0,
        };
        Row {
            task: task.into(),
            tool: tool.into(),
            property: "unreach-call".into(),
            expected: "true".into(),
            verdict: verdict.into(),
            grade,
            score,
            wall: cpu,
            cpu,
            memory: 12,
            refinements: Some(3),
            code: Some(0),
            evidence: Evidence::None,
            reason: String::new(),
        }
    }

    #[test]
    fn rows_survive_the_file() {
        let mut row = sample("a,b\"c\"", "t", "true", Grade::Right, 1.5);
        row.reason = "two\nlines".into();
        row.refinements = None;
        row.code = Some(-9);
        row.evidence = Evidence::Confirmed;
        let other = sample("d", "t", "", Grade::Time, 9.0);
        let text = csv(&[row.clone(), other.clone()]);
        assert_eq!(parse_csv(&text).unwrap(), [row.clone(), other]);
        // Half a last line is what an interruption leaves.
        let half = &text[..text.len() - 20];
        assert_eq!(parse_csv(half).unwrap(), [row]);
        assert!(parse_csv("something else\n").is_err());
    }

    #[test]
    fn wrong_answers_cost_what_the_competition_says() {
        let task = |expected: &str, part: Option<&str>| Task {
            id: String::new(),
            files: Vec::new(),
            property: String::new(),
            property_file: None,
            expected: Some(expected.into()),
            subproperty: part.map(str::to_owned),
            data_model: crate::flags::DataModel::Ilp32,
        };
        assert_eq!(judge(&task("true", None), "true"), (Grade::Right, 2));
        assert_eq!(judge(&task("true", None), "false(unreach-call)"), (Grade::WrongFalse, -16));
        assert_eq!(judge(&task("false", None), "true"), (Grade::WrongTrue, -32));
        let part = task("false", Some("valid-free"));
        assert_eq!(judge(&part, "false(valid-free)"), (Grade::Right, 1));
        assert_eq!(judge(&part, "false(valid-deref)"), (Grade::OtherPart, 0));
        assert_eq!(judge(&task("unsat", None), "sat"), (Grade::WrongTrue, -16));
    }
}
