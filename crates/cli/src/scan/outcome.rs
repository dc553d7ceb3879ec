//! Answers of units, and what a scan makes of them: a table by file, one SARIF
//! log, and the union of several such logs (`bolide merge`).

use super::units::{FAILED_ALLOCATION, Unit, Unreadable};
use crate::accepted;
use crate::exit::{Exit, Stop};
use crate::flags::MergeFlags;
use crate::output::{read, write};
use crate::verify::TOPIC;
use bolide_evidence::rules::RULES;
use bolide_evidence::sarif;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// How an assumption begins that is one of a caller.
const SANE: &str = "a sane caller";

/// The answer of one unit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// The file's name.
    pub file: String,
    /// The entry function and its line.
    pub entry: String,
    /// Its line.
    pub line: u64,
    /// What was verified.
    pub property: String,
    /// `true`, `false`, `unknown`, or `error` where the file was refused.
    pub verdict: String,
    /// What went wrong, or why there is no verdict.
    pub message: String,
    /// Why there is no verdict, in few words that other units may have too; empty otherwise.
    #[serde(default)]
    pub topic: String,
    /// Why `true` says less than it seems; empty otherwise.
    #[serde(default)]
    pub vacuous: String,
    /// Which lines its executions come to; empty where nobody asked.
    #[serde(default)]
    pub coverage: String,
    /// Functions without a body that it rests on, and the like.
    pub assumptions: Vec<String>,
    /// The violation as SARIF; null for others.
    pub result: Value,
    /// Time that it took.
    #[serde(default)]
    pub milliseconds: u64,
    /// Not verified again: the answer was kept.
    #[serde(skip)]
    pub kept: bool,
    /// The report, relative to the index.
    pub page: Option<String>,
    /// How much a violation needs that perhaps never happens: nothing, a caller that is only guessed, one of a function that
    /// only the file itself calls, an allocation that fails.
    #[serde(default)]
    pub strangeness: u8,
    /// For the third: the functions by which others come to it.
    #[serde(default)]
    pub callers: Vec<String>,
}

impl Outcome {
    fn of(unit: &Unit) -> Outcome {
        Outcome {
            file: unit.file.display().to_string(),
            entry: unit.entry.clone(),
            line: unit.line.into(),
            property: unit.property.to_owned(),
            strangeness: match unit {
                _ if unit.property == FAILED_ALLOCATION => 3,
                _ if !unit.callers.is_empty() => 2,
                _ => u8::from(unit.is_called),
            },
            callers: unit.callers.clone(),
            ..Outcome::default()
        }
    }

    /// No answer at all.
    pub fn failed(unit: &Unit, message: String) -> Outcome {
        Outcome { verdict: "error".into(), message, ..Outcome::of(unit) }
    }

    /// No verdict, and why.
    pub fn undecided(unit: &Unit, message: &str) -> Outcome {
        Outcome { verdict: "unknown".into(), message: message.into(), ..Outcome::of(unit) }
    }

    /// Understands what a child left behind.
    pub fn read(unit: &Unit, code: Option<i32>, log: &str, errors: &str) -> Outcome {
        let log: Value = serde_json::from_str(log).unwrap_or(Value::Null);
        let run = &log["runs"][0];
        let mut outcome = Outcome::of(unit);
        let said = run["properties"]["bolide/verdict"].as_str();
        match (code, said) {
            (Some(0), Some("true")) => {
                outcome.verdict = "true".into();
                outcome.vacuous =
                    run["properties"]["bolide/vacuous"].as_str().unwrap_or("").to_owned();
            }
            (Some(10), Some("false")) => {
                outcome.verdict = "false".into();
                let mut result = run["results"][0].clone();
                if unit.is_called {
                    let text = result["message"]["text"].as_str().unwrap_or("");
                    let assumed = run["properties"]["bolide/assumptions"].as_array();
                    let is_sane =
                        |words: &Value| words.as_str().is_some_and(|words| words.starts_with(SANE));
                    let how = match assumed.is_some_and(|all| all.iter().any(is_sane)) {
                        true => "a sane caller may call it so",
                        false if unit.takes_nothing => "it needs no argument",
                        false => "with arguments that nothing constrains",
                    };
                    match how {
                        _ if outcome.strangeness != 1 => {}
                        "it needs no argument" => outcome.strangeness = 0,
                        "a sane caller may call it so" => {}
                        _ => outcome.strangeness = 4,
                    }
                    let inside = if unit.callers.is_empty() { "" } else { ", if its callers do" };
                    result["message"]["text"] =
                        json!(format!("{text}, in `{}` ({how}{inside})", unit.entry));
                    // Perhaps no caller does that.
                    result["level"] = json!("warning");
                }
                if unit.property == FAILED_ALLOCATION {
                    let text = result["message"]["text"].as_str().unwrap_or("");
                    result["message"]["text"] = json!(format!("{text}, if an allocation fails"));
                    result["level"] = json!("warning");
                    result["ruleId"] = json!(unit.property);
                    let index = RULES.iter().position(|rule| rule.id == unit.property);
                    result["ruleIndex"] = json!(index.unwrap_or(0));
                }
                outcome.message = result["message"]["text"].as_str().unwrap_or("").to_owned();
                outcome.result = result;
            }
            (Some(20), _) => {
                outcome.verdict = "unknown".into();
                let note = &run["invocations"][0]["toolExecutionNotifications"][0];
                let text = note["message"]["text"].as_str().unwrap_or("a limit was reached");
                outcome.message = text.lines().next().unwrap_or("").to_owned();
                let topic = run["properties"][TOPIC].as_str();
                outcome.topic = topic.unwrap_or("a limit was reached").to_owned();
            }
            (code, _) => {
                outcome.verdict = "error".into();
                let line = errors.lines().find(|l| l.contains("error") || l.contains("bolide:"));
                outcome.message = match (line, code) {
                    (Some(line), _) => line.trim().to_owned(),
                    (None, Some(code)) => format!("bolide ended with code {code}"),
                    (None, None) => "bolide was killed".to_owned(),
                };
            }
        }
        outcome.coverage = run["properties"]["bolide/coverage"].as_str().unwrap_or("").to_owned();
        if let Some(list) = run["properties"]["bolide/assumptions"].as_array() {
            outcome.assumptions = list
                .iter()
                .filter_map(Value::as_str)
                .filter(|words| {
                    words.contains("has no body")
                        || words.contains("contract")
                        || words.starts_with(SANE)
                })
                .map(str::to_owned)
                .collect();
        }
        outcome
    }

    /// Where a violation shows, else where the function is.
    pub fn place(&self) -> String {
        let region = &self.result["locations"][0]["physicalLocation"];
        match region["artifactLocation"]["uri"].as_str() {
            Some(uri) => format!("{}:{}", sarif::file_of_uri(uri), region["region"]["startLine"]),
            None => format!("{}:{}", self.file, self.line),
        }
    }

    /// Why a violation is accepted, if it is ([`crate::accepted`]).
    pub fn accepted(&self) -> Option<&str> {
        accepted::why(&self.result)
    }

    /// As the cache and logs keep it.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// An answer of the cache, about the unit as it is now.
    pub fn from_json(unit: &Unit, kept: &Value) -> Option<Outcome> {
        let kept = Outcome::deserialize(kept).ok()?;
        let now = Outcome::of(unit);
        Some(Outcome { file: now.file, line: now.line, ..kept })
    }
}

/// Verdicts by file, then what needs attention.
pub fn table(outcomes: &[Outcome]) -> String {
    let mut files: BTreeMap<&str, [usize; 4]> = BTreeMap::new();
    let column = |outcome: &Outcome| match outcome.verdict.as_str() {
        "true" => 0,
        "false" => 1,
        "unknown" => 2,
        _ => 3,
    };
    for outcome in outcomes {
        files.entry(&outcome.file).or_default()[column(outcome)] += 1;
    }
    let width = files.keys().map(|f| f.chars().count()).max().unwrap_or(0).max(5);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:width$}  {:>6} {:>6} {:>8} {:>6}",
        "file", "true", "false", "unknown", "error"
    );
    let mut all = [0; 4];
    for (file, counts) in &files {
        let [a, b, c, d] = counts;
        let _ = writeln!(out, "{file:width$}  {a:>6} {b:>6} {c:>8} {d:>6}");
        for (sum, count) in all.iter_mut().zip(counts) {
            *sum += count;
        }
    }
    let [a, b, c, d] = all;
    let _ = writeln!(out, "{:width$}  {a:>6} {b:>6} {c:>8} {d:>6}", "all");
    for outcome in ranked(outcomes) {
        let place = outcome.place();
        let why = outcome.accepted().map(|why| format!(" (accepted: {why})"));
        let why = why.unwrap_or_default();
        let _ = writeln!(out, "{place}: {} [{}]{why}", outcome.message, outcome.property);
    }
    // Most functions have nothing to check for some property; that is worth a
    // line each only where a whole program has nothing.
    let vacuous = outcomes.iter().filter(|o| !o.vacuous.is_empty());
    let is_idle = |o: &Outcome| o.vacuous.contains("nothing to check");
    let whole = |o: &Outcome| {
        let same = outcomes.iter().filter(|p| p.file == o.file && p.entry == o.entry);
        o.entry == "main" && same.clone().all(is_idle)
    };
    let (idle, strange): (Vec<&Outcome>, Vec<&Outcome>) =
        vacuous.partition(|o| is_idle(o) && !whole(o));
    if !idle.is_empty() {
        let _ = writeln!(
            out,
            "{} of the answers `true` are vacuous: there is nothing to check for that property",
            idle.len()
        );
    }
    for outcome in strange {
        let _ = writeln!(
            out,
            "{}:{}: `{}` is safe for want of anything to do ({}): {}",
            outcome.file, outcome.line, outcome.entry, outcome.property, outcome.vacuous
        );
    }
    out += &unknowns(outcomes);
    let kept = outcomes.iter().filter(|o| o.kept).count();
    if kept > 0 {
        let _ = writeln!(out, "{kept} of {} answers were known from before", outcomes.len());
    }
    out
}

/// Why there are answers `unknown`: the commonest reason first.
fn unknowns(outcomes: &[Outcome]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes.iter().filter(|o| o.verdict == "unknown") {
        // Answers that were kept by an earlier version have none.
        let topic = if outcome.topic.is_empty() { &outcome.message } else { &outcome.topic };
        *counts.entry(topic).or_default() += 1;
    }
    if counts.is_empty() {
        return String::new();
    }
    let mut groups: Vec<(&str, usize)> = counts.into_iter().collect();
    groups.sort_by_key(|&(topic, count)| (std::cmp::Reverse(count), topic));
    let groups: Vec<String> = groups.iter().map(|(topic, n)| format!("{topic}: {n}")).collect();
    format!("unknown because: {}\n", groups.join("; "))
}

/// The violations worth telling, each once, those first that need the least: a caller that is guessed, a way that is long.
fn ranked(outcomes: &[Outcome]) -> Vec<&Outcome> {
    let rank = |o: &Outcome| {
        let steps = o.result["codeFlows"][0]["threadFlows"][0]["locations"].as_array();
        let number = o.property == "no-overflow";
        (o.strangeness, number, steps.map_or(0, Vec::len))
    };
    let mut all: Vec<&Outcome> = outcomes.iter().filter(|o| is_told(outcomes, o)).collect();
    all.sort_by_key(|o| rank(o));
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|o| seen.insert((o.property.clone(), o.place())));
    all
}

/// Whether an answer is a violation that is worth telling. What all callers exclude that others can call is not. What happens without failing allocations as well is
/// told as that.
fn is_told(outcomes: &[Outcome], outcome: &Outcome) -> bool {
    let is_same = |other: &Outcome| {
        other.property == "valid-deref"
            && other.verdict == "false"
            && other.result["locations"] == outcome.result["locations"]
    };
    let is_excluded = |caller: &String| {
        outcomes.iter().any(|o| {
            (&o.file, &o.entry, &o.property) == (&outcome.file, caller, &outcome.property)
                && o.verdict == "true"
        })
    };
    outcome.verdict == "false"
        && !(outcome.property == FAILED_ALLOCATION && outcomes.iter().any(is_same))
        && (outcome.callers.is_empty() || !outcome.callers.iter().all(is_excluded))
}

/// All answers as one SARIF log with one run.
pub fn log(outcomes: &[Outcome], unreadable: &Unreadable) -> Value {
    let notes: Vec<Value> = unreadable
        .iter()
        .map(|(file, why)| {
            json!({
                "level": "warning",
                "message": { "text": format!("`{}` was left out: {why}", file.display()) },
            })
        })
        .collect();
    assemble(outcomes, notes)
}

fn assemble(outcomes: &[Outcome], notes: Vec<Value>) -> Value {
    let results: Vec<Value> = ranked(outcomes).iter().map(|o| o.result.clone()).collect();
    let units: Vec<Value> = outcomes
        .iter()
        .map(|outcome| {
            let mut unit = outcome.to_json();
            // Violations stand in the results already; merging needs them all.
            if outcome.verdict != "false" {
                unit["result"] = Value::Null;
            }
            unit
        })
        .collect();
    let properties = json!({ "bolide/units": units });
    sarif::join(vec![sarif::run_of(env!("CARGO_PKG_VERSION"), results, notes, properties)])
}

/// The worst verdict: a violation that is not accepted, then no verdict. That allocations may fail is a warning only.
pub fn exit(outcomes: &[Outcome]) -> Exit {
    let counted =
        outcomes.iter().filter(|o| o.property != FAILED_ALLOCATION && o.accepted().is_none());
    let has = |verdict: &str| counted.clone().any(|o| o.verdict == verdict);
    if has("false") {
        Exit::False
    } else if has("unknown") || has("error") {
        Exit::Unknown
    } else {
        Exit::True
    }
}

/// `bolide merge`: joins the results of shards.
pub fn merge(flags: &MergeFlags) -> Result<Exit, Stop> {
    let is_csv = |file: &Path| file.extension().is_some_and(|e| e == "csv");
    if flags.files.iter().all(|f| is_csv(f)) {
        return Ok(join_tables(flags)?);
    }
    let (mut outcomes, mut notes) = (Vec::new(), Vec::new());
    for file in &flags.files {
        let log: Value = serde_json::from_str(&read(file)?)
            .map_err(|e| format!("`{}` is no SARIF log: {e}", file.display()))?;
        let run = &log["runs"][0];
        let units = run["properties"]["bolide/units"].as_array().ok_or_else(|| {
            format!("`{}` was not written by `bolide scan --sarif`", file.display())
        })?;
        outcomes.extend(units.iter().filter_map(|unit| Outcome::deserialize(unit).ok()));
        let said = run["invocations"][0]["toolExecutionNotifications"].as_array();
        notes.extend(said.into_iter().flatten().cloned());
    }
    outcomes.sort_by(|a, b| {
        (&a.file, a.line, &a.entry, &a.property).cmp(&(&b.file, b.line, &b.entry, &b.property))
    });
    outcomes.dedup_by(|a, b| {
        (&a.file, &a.entry, &a.property) == (&b.file, &b.entry, &b.property)
            && a.verdict == b.verdict
            && a.result["locations"] == b.result["locations"]
    });
    notes.dedup();
    write(&flags.output, &format!("{:#}\n", assemble(&outcomes, notes)))?;
    print!("{}", table(&outcomes));
    Ok(exit(&outcomes))
}

/// Results of `bolide bench`: the lines of all, below one heading.
fn join_tables(flags: &MergeFlags) -> Result<Exit, String> {
    let mut heading = String::new();
    let mut rows: Vec<String> = Vec::new();
    for file in &flags.files {
        let text = read(file)?;
        let mut lines = text.lines();
        let first = lines.next().unwrap_or("").to_owned();
        if heading.is_empty() {
            heading = first;
        } else if heading != first {
            return Err(format!("`{}` has other columns than the files before", file.display()));
        }
        rows.extend(lines.map(str::to_owned));
    }
    rows.sort();
    rows.dedup();
    write(&flags.output, &format!("{heading}\n{}\n", rows.join("\n")))?;
    println!("{} results", rows.len());
    Ok(Exit::True)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted() {
        let outcome = |verdict: &str, topic: &str| Outcome {
            verdict: verdict.into(),
            topic: topic.into(),
            ..Outcome::default()
        };
        let mut all = vec![outcome("unknown", "time"), outcome("true", "")];
        all.extend((0..3).map(|_| outcome("unknown", "`fopen` has no model")));
        all.push(outcome("unknown", "memory"));
        let words = "unknown because: `fopen` has no model: 3; memory: 1; time: 1\n";
        assert_eq!(unknowns(&all), words);
        assert_eq!(unknowns(&all[1..2]), "");
    }
}
