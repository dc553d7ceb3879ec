//! `cargo xtask learn-choice LIST FOLDER`: which engine should be first, from measurements that anyone can repeat.
//!
//! Of the tasks of a list (columns as in [`bench_cbmc`](crate::bench_cbmc)) every so-many-th is given to each engine alone, for a few
//! seconds of processor time. What is counted in the program and how long each took is a row of a table, which is kept
//! in a file: a run that was interrupted goes on where it stopped, and with `--limit 0` nothing is measured.
//!
//! From the table a decision tree is grown, from the root down. A question is a count and a number; the best is the one
//! after which the time of all tasks is least, each with the engine that is best for its side. Who does not decide a task within
//! the limit counts twice the limit, and who is wrong is not counted but named. The tree is at most [`DEPTH`] deep, a side has at least
//! [`SIDE`] tasks, and a question that saves less than [`GAIN`] of the time of all tasks is not asked. It is
//! printed as rules in Rust: what would stand in `engines::choose::table`, if it saves enough on tasks that it was not grown from.

use crate::experiment::{self, bolide, read, write};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {
    list: PathBuf,
    /// Where the files of the list lie
    folder: PathBuf,
    /// Where the measurements are kept
    #[arg(long, default_value = "target/learn-choice.tsv")]
    table: PathBuf,
    /// One of so many tasks is measured
    #[arg(long, default_value_t = 30)]
    every: usize,
    /// Processor seconds for each task and engine
    #[arg(long, default_value_t = 3)]
    limit: u64,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
}

/// The engines among which the tree chooses.
const ENGINES: [&str; 4] = ["impact", "predicate", "trace", "bounded"];

const DEPTH: usize = 4;
const SIDE: usize = 6;
const GAIN: f64 = 0.02;

/// A task: what was counted, and what each engine costs.
#[derive(Clone, Debug)]
struct Row {
    counts: BTreeMap<String, u64>,
    costs: [f64; ENGINES.len()],
}

pub fn run(settings: Settings) -> Result<bool, String> {
    let mut text = read(&settings.table).unwrap_or_default();
    if settings.limit > 0 {
        measure(&settings, &mut text)?;
    }
    let rows: Vec<Row> = text.lines().filter_map(row).collect();
    let fixed = |engine: usize| rows.iter().map(|row| row.costs[engine]).sum::<f64>();
    for (engine, name) in ENGINES.iter().enumerate() {
        println!("// {name} on all {} tasks: {:.1} s", rows.len(), fixed(engine));
    }
    let all: Vec<&Row> = rows.iter().collect();
    let least = GAIN * cheapest(&all).1;
    let mut printed = String::new();
    let total = grow(&all, DEPTH, least, &mut Vec::new(), &mut printed);
    println!("// the engine that the tree names: {total:.1} s");
    let best = |row: &Row| row.costs.iter().copied().fold(f64::INFINITY, f64::min);
    println!("// the best one for each task: {:.1} s", rows.iter().map(best).sum::<f64>());
    print!("{printed}");
    Ok(!rows.is_empty())
}

/// Adds a line to the table for each task that is not in it.
fn measure(settings: &Settings, text: &mut String) -> Result<(), String> {
    let binary = bolide(&settings.bolide)?;
    let list = read(&settings.list)?;
    let mut lines = list.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    for line in lines.step_by(settings.every.max(1)) {
        let cells: BTreeMap<&str, &str> = header.iter().copied().zip(line.split('\t')).collect();
        let cell = |name: &str| cells.get(name).copied().unwrap_or_default();
        let (id, file) = (cell("id"), settings.folder.join(cell("file")));
        let is_known = text.lines().any(|line| line.split('\t').next() == Some(id));
        if is_known || !file.is_file() {
            continue;
        }
        let ask = |arguments: &[&str], seconds: u64| -> Result<(serde_json::Value, f64), String> {
            let mut command = Command::new(&binary);
            command.args(["verify", "--json", "--threads", "1", "-p", cell("property")]);
            let is_64_bit = cell("data_model").contains("LP64");
            command.args(["--data-model", if is_64_bit { "LP64" } else { "ILP32" }]);
            command.args(["--cpu-time", &format!("{seconds}s")]).args(arguments).arg(&file);
            let before = experiment::children_seconds();
            let said = experiment::output(&mut command)?.stdout;
            let json = serde_json::from_slice(&said).unwrap_or_default();
            Ok((json, experiment::children_seconds() - before))
        };
        // This ends soon, and tells what is counted.
        let (json, _) = ask(&["--engine", "bounded", "--bound", "1"], 10 * settings.limit)?;
        let told = json["counts"].as_object().cloned().unwrap_or_default();
        let counts: Vec<String> = told.iter().map(|(name, n)| format!("{name}={n}")).collect();
        let mut costs = Vec::new();
        // Where nothing was counted no engine is chosen.
        for engine in ENGINES.iter().filter(|_| told.values().any(|n| *n != 0)) {
            let (json, seconds) = ask(&["--engine", engine], settings.limit)?;
            let verdict = json["verdict"].as_str().unwrap_or_default();
            if ["true", "false"].contains(&verdict) && verdict != cell("expected") {
                println!("// {engine} says {verdict}: {id}");
            }
            let decided = verdict == cell("expected");
            let cost = if decided { seconds } else { 2.0 * settings.limit as f64 };
            costs.push(format!("{engine}={cost:.2}"));
        }
        *text += &format!("{id}\t{}\t{}\n", counts.join(" "), costs.join(" "));
        write(&settings.table, text)?;
    }
    Ok(())
}

/// A line of the table; none where no engine was needed, or which of them makes no difference.
fn row(line: &str) -> Option<Row> {
    let mut cells = line.split('\t').skip(1);
    let (counts, costs) = (cells.next()?, cells.next()?);
    let pairs = |text: &str| -> Vec<(String, f64)> {
        let pair = |part: &str| {
            let (name, number) = part.split_once('=')?;
            Some((name.to_owned(), number.parse().ok()?))
        };
        text.split_whitespace().filter_map(pair).collect()
    };
    let costs: Vec<f64> = pairs(costs).into_iter().map(|(_, cost)| cost).collect();
    let costs: [f64; ENGINES.len()] = costs.try_into().ok()?;
    let counts = pairs(counts).into_iter().map(|(name, n)| (name, n as u64)).collect();
    costs.iter().any(|&cost| cost != costs[0]).then_some(Row { counts, costs })
}

/// The engine that is best for these tasks together, and what it costs.
fn cheapest(rows: &[&Row]) -> (usize, f64) {
    let cost = |engine: usize| (engine, rows.iter().map(|row| row.costs[engine]).sum::<f64>());
    (0..ENGINES.len()).map(cost).min_by(|a, b| a.1.total_cmp(&b.1)).expect("there are engines")
}

/// A condition: what is counted, the least and the largest number.
type Condition = (String, u64, u64);

/// The tree for these tasks, as rules under conditions; what they cost with it.
fn grow(
    rows: &[&Row],
    depth: usize,
    least: f64,
    when: &mut Vec<Condition>,
    printed: &mut String,
) -> f64 {
    let (engine, cost) = cheapest(rows);
    let question = if depth > 0 { question(rows) } else { None };
    let Some((name, number, _)) = question.filter(|(.., after)| cost - after >= least.max(1e-9))
    else {
        let number = |n: u64| if n == u64::MAX { "MOST".into() } else { n.to_string() };
        let condition = |(name, least, most): &Condition| {
            let (first, rest) = name.split_at(1);
            format!("({}{rest}, {}, {})", first.to_uppercase(), number(*least), number(*most))
        };
        let conditions: Vec<String> = when.iter().map(condition).collect();
        let (when, first) = (conditions.join(", "), ENGINES[engine]);
        *printed += &format!("    Rule {{ when: &[{when}], first: \"{first}\" }},\n");
        return cost;
    };
    let (below, above): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| count(row, &name) <= number);
    let mut total = 0.0;
    let sides = [(below, (name.clone(), 0, number)), (above, (name, number + 1, u64::MAX))];
    for (side, condition) in sides {
        when.push(condition);
        total += grow(&side, depth - 1, least, when, printed);
        when.pop();
    }
    total
}

fn count(row: &Row, name: &str) -> u64 {
    row.counts.get(name).copied().unwrap_or_default()
}

/// The question that saves most: what is counted, the largest number of the lower side, and the cost then.
fn question(rows: &[&Row]) -> Option<(String, u64, f64)> {
    let mut best: Option<(String, u64, f64)> = None;
    for name in rows.first()?.counts.keys() {
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|row| count(row, name));
        for at in SIDE..=sorted.len().saturating_sub(SIDE) {
            let (below, above) = sorted.split_at(at);
            let (last, next) = (below.last()?, above.first()?);
            let cost = cheapest(below).1 + cheapest(above).1;
            let is_better = best.as_ref().is_none_or(|(.., least)| cost < *least);
            if count(last, name) < count(next, name) && is_better {
                best = Some((name.clone(), count(last, name), cost));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: u64, costs: impl Fn(u64) -> [f64; 4]) -> Vec<Row> {
        let row = |n: u64| Row {
            counts: [("edges".to_owned(), n), ("loops".to_owned(), n % 3)].into(),
            costs: costs(n),
        };
        (0..count).map(row).collect()
    }

    fn grown(rows: &[Row]) -> (f64, String) {
        let mut printed = String::new();
        let total =
            grow(&rows.iter().collect::<Vec<_>>(), DEPTH, 0.1, &mut Vec::new(), &mut printed);
        (total, printed)
    }

    #[test]
    fn a_question_that_saves_time_is_asked() {
        let rows = rows(40, |n| if n < 17 { [1.0, 5.0, 9.0, 9.0] } else { [5.0, 1.0, 9.0, 9.0] });
        let (total, printed) = grown(&rows);
        assert_eq!(total, 40.0);
        assert_eq!(
            printed,
            "    Rule { when: &[(Edges, 0, 16)], first: \"impact\" },\n    \
             Rule { when: &[(Edges, 17, MOST)], first: \"predicate\" },\n"
        );
    }

    #[test]
    fn a_question_that_saves_nothing_is_not() {
        let (_, printed) = grown(&rows(40, |_| [2.0, 1.0, 9.0, 9.0]));
        assert_eq!(printed, "    Rule { when: &[], first: \"predicate\" },\n");
    }

    #[test]
    fn lines_are_read() {
        let line = "id\tedges=3 loops=1\timpact=0.10 predicate=6.00 trace=0.20 bounded=6.00";
        let row = row(line).expect("a row");
        assert_eq!((count(&row, "edges"), row.costs), (3, [0.1, 6.0, 0.2, 6.0]));
        assert!(super::row("id\t\t").is_none());
    }
}
