//! `cargo xtask bench-chc LIST FOLDER`: the Horn solver beside Z3 (Spacer), in one run.
//!
//! The list is a table with a header line, columns by tabulator, among them
//! `file`, `expected` and `track`; files lie below the folder. Both solvers get
//! the same time. Printed for each track: how many each decides, how many only
//! one of them does, contradictions with what is expected, and the geometric mean of the
//! ratio of times over what both decide.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(Default)]
struct Row {
    files: usize,
    ours: usize,
    theirs: usize,
    only_ours: usize,
    only_theirs: usize,
    wrong: usize,
    ratios: Vec<f64>,
}

/// Runs the comparison. Options: `--track T`, `--limit SECONDS`, `--every N`.
pub fn run(arguments: &[String]) -> i32 {
    let option = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let [list, folder, ..] = arguments else {
        eprintln!("cargo xtask bench-chc LIST FOLDER [--track T] [--limit SECONDS] [--every N]");
        return 2;
    };
    let number = |name: &str, default: u64| {
        option(name).and_then(|text| text.parse::<u64>().ok()).unwrap_or(default)
    };
    let (limit, every) = (Duration::from_secs(number("--limit", 30)), number("--every", 1));
    let Ok(text) = std::fs::read_to_string(list) else {
        eprintln!("cannot read {list}");
        return 2;
    };
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let column = |name: &str| header.iter().position(|h| *h == name);
    let (Some(file), Some(expected), Some(track)) =
        (column("file"), column("expected"), column("track"))
    else {
        eprintln!("{list} has no columns file, expected, track");
        return 2;
    };
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    let mut seen = 0_u64;
    for line in lines {
        let cells: Vec<&str> = line.split('\t').collect();
        if cells.len() != header.len() || cells[expected] == "unknown" {
            continue;
        }
        if option("--track").is_some_and(|wanted| wanted != cells[track]) {
            continue;
        }
        seen += 1;
        if !seen.is_multiple_of(every) {
            continue;
        }
        let path = Path::new(folder).join(cells[file]);
        let shown = path.display().to_string();
        let seconds = limit.as_secs().to_string();
        let (ours, our_time) = decide(
            "target/release/bolide",
            &["chc", &shown, "--timeout", &format!("{seconds}s")],
            limit,
        );
        let (theirs, their_time) = decide("z3", &[&format!("-T:{seconds}"), &shown], limit);
        let row = rows.entry(cells[track].to_owned()).or_default();
        row.files += 1;
        row.ours += usize::from(ours.is_some());
        row.theirs += usize::from(theirs.is_some());
        row.only_ours += usize::from(ours.is_some() && theirs.is_none());
        row.only_theirs += usize::from(theirs.is_some() && ours.is_none());
        if ours.as_deref().is_some_and(|answer| answer != cells[expected]) {
            row.wrong += 1;
            println!("wrong: {shown}");
        }
        if ours.is_some() && theirs.is_some() {
            row.ratios.push(our_time.as_secs_f64() / their_time.as_secs_f64().max(0.001));
        }
    }
    println!("track\tfiles\tbolide\tz3\tonly bolide\tonly z3\twrong\ttime ratio");
    let mut wrong = 0;
    for (track, row) in &rows {
        wrong += row.wrong;
        let mean = row.ratios.iter().map(|r| r.ln()).sum::<f64>() / row.ratios.len().max(1) as f64;
        println!(
            "{track}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.2}",
            row.files,
            row.ours,
            row.theirs,
            row.only_ours,
            row.only_theirs,
            row.wrong,
            mean.exp()
        );
    }
    i32::from(wrong > 0)
}

/// The answer of a solver, if it has one, and its time.
fn decide(program: &str, arguments: &[&str], limit: Duration) -> (Option<String>, Duration) {
    let start = Instant::now();
    let child =
        Command::new(program).args(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else { return (None, start.elapsed()) };
    // Solvers keep their own limit; this is for one that does not.
    while start.elapsed() < limit + Duration::from_secs(5) {
        if let Ok(Some(_)) = child.try_wait() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    let time = start.elapsed();
    let output = child.wait_with_output().map(|o| o.stdout).unwrap_or_default();
    let first = String::from_utf8_lossy(&output).lines().next().unwrap_or("").to_owned();
    (matches!(first.as_str(), "sat" | "unsat").then_some(first), time)
}
