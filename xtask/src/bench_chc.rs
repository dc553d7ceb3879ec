//! `cargo xtask bench-chc LIST FOLDER`: the Horn solver beside Z3 (Spacer), in one run.
//!
//! The list is a table with a header line, columns by tabulator, among them
//! `file`, `expected` and `track`; files lie below the folder. Both solvers get
//! the same processor time on one core, and that is what is measured, so that a busy machine
//! changes little. Printed for each track: how many each decides, how many only
//! one of them does, contradictions with what is expected, and the geometric mean of the
//! ratio of times over what both decide and one of them needs half a second for, with how many
//! those are.
//!
//! A long comparison can be done in pieces: with `--results FILE` every file's result is
//! kept, files that have one are not run again, and the table is of all of them; `--piece SECONDS`
//! ends a run early.

use crate::experiment::{output, read};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Settings {
    list: PathBuf,
    folder: PathBuf,
    /// These tracks, not all
    #[arg(long)]
    track: Vec<String>,
    /// Processor seconds for each solver
    #[arg(long, default_value_t = 30)]
    limit: u64,
    /// Every so-many-th file
    #[arg(long, default_value_t = 1)]
    every: u64,
    /// Where results are kept
    #[arg(long)]
    results: Option<PathBuf>,
    /// Seconds after which the run ends early
    #[arg(long, default_value_t = u64::MAX / 2)]
    piece: u64,
}

/// Processor seconds that one of the solvers needs for a file to count in the ratio.
const COUNTED: f64 = 0.5;

/// What came of one file.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    file: String,
    track: String,
    expected: String,
    /// Answer and processor seconds.
    ours: (Option<String>, f64),
    theirs: (Option<String>, f64),
}

impl Line {
    fn print(&self) -> String {
        let side = |(answer, time): &(Option<String>, f64)| {
            format!("{}\t{time:.2}", answer.as_deref().unwrap_or("none"))
        };
        let (ours, theirs) = (side(&self.ours), side(&self.theirs));
        format!("{}\t{}\t{}\t{ours}\t{theirs}", self.file, self.track, self.expected)
    }

    fn parse(line: &str) -> Option<Line> {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, track, expected, ours, our_time, theirs, their_time] = cells[..] else {
            return None;
        };
        let answer = |text: &str| (text != "none").then(|| text.to_owned());
        Some(Line {
            file: file.to_owned(),
            track: track.to_owned(),
            expected: expected.to_owned(),
            ours: (answer(ours), our_time.parse().ok()?),
            theirs: (answer(theirs), their_time.parse().ok()?),
        })
    }

    fn is_wrong(&self) -> bool {
        self.ours.0.as_ref().is_some_and(|answer| *answer != self.expected)
    }
}

pub fn run(settings: Settings) -> Result<bool, String> {
    let Settings { list, folder, track: tracks, limit, every, results: kept, piece } = settings;
    let text = read(&list)?;
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let (Some(file), Some(expected), Some(track)) =
        (column("file"), column("expected"), column("track"))
    else {
        return Err(format!("{} has no columns file, expected, track", list.display()));
    };
    let before = kept.as_ref().and_then(|path| std::fs::read_to_string(path).ok());
    let mut results: Vec<Line> =
        before.iter().flat_map(|text| text.lines()).filter_map(Line::parse).collect();
    let done: BTreeSet<String> = results.iter().map(|line| line.file.clone()).collect();
    let start = Instant::now();
    let mut seen = 0_u64;
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        let unknown = cells.len() != header.len() || cells[expected] == "unknown";
        if unknown || !(tracks.is_empty() || tracks.iter().any(|t| t == cells[track])) {
            continue;
        }
        seen += 1;
        if !seen.is_multiple_of(every) || done.contains(cells[file]) {
            continue;
        }
        if start.elapsed() > Duration::from_secs(piece) {
            println!("to be continued");
            break;
        }
        let shown = folder.join(cells[file]).display().to_string();
        // The solver's own limit is on the clock and comes later.
        let wall = format!("{}s", 4 * limit);
        let ours = ["target/release/bolide", "chc", &shown, "--threads", "1", "--timeout", &wall];
        let result = Line {
            file: cells[file].to_owned(),
            track: cells[track].to_owned(),
            expected: cells[expected].to_owned(),
            ours: decide(&ours, limit),
            theirs: decide(&["z3", &shown], limit),
        };
        if let Some(path) = &kept {
            let mut options = std::fs::OpenOptions::new();
            let file = options.create(true).append(true).open(path);
            file.and_then(|mut file| writeln!(file, "{}", result.print()))
                .map_err(|e| format!("{}: {e}", path.display()))?;
        }
        results.push(result);
    }
    for line in results.iter().filter(|line| line.is_wrong()) {
        println!("wrong: {}", line.file);
    }
    print!("{}", table(&results));
    Ok(!results.iter().any(Line::is_wrong))
}

fn table(results: &[Line]) -> String {
    let mut tracks: BTreeMap<&str, Vec<&Line>> = BTreeMap::new();
    for line in results {
        tracks.entry(&line.track).or_default().push(line);
    }
    let mut text = String::from(
        "| track | files | bolide | z3 | only bolide | only z3 | wrong | time ratio |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for (track, lines) in &tracks {
        let count = |wanted: fn(bool, bool) -> bool| {
            lines.iter().filter(|l| wanted(l.ours.0.is_some(), l.theirs.0.is_some())).count()
        };
        // Shorter times are mostly those of starting the program.
        let is_counted = |line: &&&Line| {
            let both = line.ours.0.is_some() && line.theirs.0.is_some();
            both && line.ours.1.max(line.theirs.1) >= COUNTED
        };
        let ratio = |line: &&Line| (line.ours.1.max(0.01) / line.theirs.1.max(0.01)).ln();
        let ratios: Vec<f64> = lines.iter().filter(is_counted).map(ratio).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len().max(1) as f64;
        let ratio = match ratios.len() {
            0 => "-".to_owned(),
            count => format!("{:.2} ({count})", mean.exp()),
        };
        let _ = writeln!(
            text,
            "| {track} | {} | {} | {} | {} | {} | {} | {ratio} |",
            lines.len(),
            count(|ours, _| ours),
            count(|_, theirs| theirs),
            count(|ours, theirs| ours && !theirs),
            count(|ours, theirs| theirs && !ours),
            lines.iter().filter(|line| line.is_wrong()).count(),
        );
    }
    text
}

/// The answer of a solver, if it has one, and its processor time in seconds.
fn decide(command: &[&str], limit: u64) -> (Option<String>, f64) {
    // The shell knows how to limit and to tell processor time.
    let script = format!("ulimit -t {limit}; ulimit -v 6000000; \"$@\" 2>/dev/null; times");
    let output = output(Command::new("sh").args(["-c", &script, "sh"]).args(command));
    let Ok(output) = output else { return (None, 0.0) };
    let text = String::from_utf8_lossy(&output.stdout);
    let first = text.lines().next().unwrap_or("").to_owned();
    // The last line is of the children: user and system time, as 0m1.23s.
    let seconds = text
        .lines()
        .last()
        .map_or(0.0, |line| line.split_whitespace().filter_map(minutes_and_seconds).sum::<f64>());
    (matches!(first.as_str(), "sat" | "unsat").then_some(first), seconds)
}

fn minutes_and_seconds(text: &str) -> Option<f64> {
    let (minutes, seconds) = text.strip_suffix('s')?.split_once('m')?;
    Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_kept_and_summed_up() {
        let kept = "a.smt2\tLIA\tsat\tsat\t0.50\tsat\t0.25\n\
                    b.smt2\tLIA\tunsat\tnone\t9.00\tunsat\t1.00\n\
                    c.smt2\tLIA\tunsat\tsat\t1.00\tnone\t9.00\n";
        let lines: Vec<Line> = kept.lines().filter_map(Line::parse).collect();
        let again: String = lines.iter().map(|line| line.print() + "\n").collect();
        assert_eq!(again, kept);
        let table = table(&lines);
        assert!(table.ends_with("| LIA | 3 | 2 | 2 | 1 | 1 | 1 | 2.00 (1) |\n"), "{table}");
    }

    #[test]
    fn processor_time_is_read() {
        assert_eq!(minutes_and_seconds("1m2.50s"), Some(62.5));
        assert_eq!(minutes_and_seconds("none"), None);
    }
}
