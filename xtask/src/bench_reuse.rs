//! `cargo xtask bench-reuse`: what a database of proofs saves after an edit.
//!
//! Each program of `tests/reuse` is verified with an empty database; then each of its
//! edited versions is verified without a database and with a copy of that one.
//! Counted are calls of the solver (for triples, paths, background facts and the
//! audit), interpolations, and processor time of the process, the least of
//! several runs: wall time says little on a machine with other work. Printed: a line for each
//! version, then medians by kind of edit and over all.
//!
//! Options: `--only NAME` (a part of a program's name), `--repeat N`, `--check`
//! (fails unless the medians are at most 30 % of the calls and half of the time, and
//! renamed copies need no interpolation).

pub mod edits;

use crate::attack::binary;
use edits::versions;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// The programs.
const FOLDER: &str = "tests/reuse";

/// What one verification took.
#[derive(Clone, Debug)]
struct Cost {
    verdict: String,
    calls: u64,
    interpolations: u64,
    seconds: f64,
}

/// Runs the task; the exit code.
pub fn run(arguments: &[String]) -> i32 {
    bench(arguments).unwrap_or_else(|message| {
        eprintln!("bench-reuse: {message}");
        2
    })
}

fn bench(arguments: &[String]) -> Result<i32, String> {
    let option = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let only = option("--only").unwrap_or_default();
    let repeat: u32 =
        option("--repeat").map_or(Ok(1), |t| t.parse()).map_err(|e| format!("{e}"))?;
    let binary = match option("--binary") {
        Some(given) => given.into(),
        None => binary()?,
    };
    let listed = std::fs::read_dir(FOLDER).map_err(|e| format!("{FOLDER}: {e}"))?;
    let mut files: Vec<_> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "c"));
    files.sort();
    let folder = std::env::temp_dir().join(format!("bolide-reuse-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let mut rows: BTreeMap<String, Vec<(Cost, Cost)>> = BTreeMap::new();
    let mut undecided = 0;
    println!("program\tedit\tcalls\twith\tinterpolations\twith\tseconds\twith");
    for file in files {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !name.contains(&only) {
            continue;
        }
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        let (base, edits) = versions(&text).map_err(|e| format!("{name}: {e}"))?;
        let proofs = folder.join("proofs");
        let _ = std::fs::remove_dir_all(&proofs);
        let first = verify(&binary, &folder, &base, Some(&proofs))?;
        if first.verdict != "true" {
            println!("{name}\t(base)\t{}", first.verdict);
            undecided += 1;
            continue;
        }
        for edit in edits {
            let (mut without, mut with) = (Vec::new(), Vec::new());
            for _ in 0..repeat.max(1) {
                without.push(verify(&binary, &folder, &edit.text, None)?);
                let copied = folder.join("copied");
                copy(&proofs, &copied).map_err(|e| e.to_string())?;
                with.push(verify(&binary, &folder, &edit.text, Some(&copied))?);
            }
            let (Some(without), Some(with)) = (least(without), least(with)) else { continue };
            let verdicts = match (without.verdict.as_str(), with.verdict.as_str()) {
                ("true", "true") => String::new(),
                (a, b) => format!("\t{a}, {b}"),
            };
            println!(
                "{name}\t{}\t{}\t{}\t{}\t{}\t{:.2}\t{:.2}{verdicts}",
                edit.kind,
                without.calls,
                with.calls,
                without.interpolations,
                with.interpolations,
                without.seconds,
                with.seconds
            );
            match with.verdict.as_str() {
                "true" => rows.entry(edit.kind).or_default().push((without, with)),
                _ => undecided += 1,
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    Ok(summary(&rows, undecided, arguments.iter().any(|a| a == "--check")))
}

/// The medians, and whether they are as promised.
fn summary(rows: &BTreeMap<String, Vec<(Cost, Cost)>>, undecided: u32, check: bool) -> i32 {
    println!("\nedit\tversions\tcalls\ttime\tinterpolations with the database");
    let mut all: Vec<(Cost, Cost)> = Vec::new();
    let line = |kind: &str, pairs: &[(Cost, Cost)]| {
        let calls = median(pairs.iter().map(|(a, b)| b.calls as f64 / a.calls.max(1) as f64));
        let time = median(pairs.iter().map(|(a, b)| b.seconds / a.seconds.max(0.001)));
        let anew: u64 = pairs.iter().map(|(_, b)| b.interpolations).sum();
        let (percent, share) = (100.0 * calls, 100.0 * time);
        println!("{kind}\t{}\t{percent:.0} %\t{share:.0} %\t{anew}", pairs.len());
        (calls, time, anew)
    };
    let mut renamed = 0;
    for (kind, pairs) in rows {
        let (_, _, anew) = line(kind, pairs);
        if kind == "rename" {
            renamed = anew;
        }
        all.extend(pairs.iter().cloned());
    }
    let (calls, time, _) = line("all", &all);
    if undecided > 0 {
        println!("{undecided} not decided");
    }
    let kept = calls <= 0.3 && time <= 0.5 && renamed == 0 && undecided == 0;
    i32::from(check && !kept)
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => sorted[n / 2],
        n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
    }
}

fn least(costs: Vec<Cost>) -> Option<Cost> {
    costs.into_iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

fn verify(binary: &Path, folder: &Path, text: &str, proofs: Option<&Path>) -> Result<Cost, String> {
    let file = folder.join("program.c");
    std::fs::write(&file, text).map_err(|e| e.to_string())?;
    let mut command = Command::new(binary);
    command.args(["verify", "--json", "--engine", "trace", "--timeout", "60s"]).arg(&file);
    if let Some(proofs) = proofs {
        command.arg("--proofs").arg(proofs);
    }
    let before = children_seconds()?;
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run {}: {e}", binary.display()))?;
    let seconds = children_seconds()? - before;
    let said = String::from_utf8_lossy(&output.stdout);
    let number = |name: &str| {
        let rest = said.split(&format!("\"{name}\":")).nth(1)?.trim_start();
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    let field = |name: &str| number(name).ok_or(format!("no `{name}` in what bolide says"));
    let verdict = said.split("\"verdict\":").nth(1).unwrap_or("").trim_start();
    let verdict = verdict.split('"').nth(1).unwrap_or("no verdict").to_owned();
    Ok(Cost {
        calls: field("solver_calls")?,
        interpolations: field("interpolations")?,
        verdict,
        seconds,
    })
}

/// Processor time of all processes that were started and have ended.
fn children_seconds() -> Result<f64, String> {
    let stat = std::fs::read_to_string("/proc/self/stat").map_err(|e| e.to_string())?;
    let after_name = stat.rsplit(')').next().unwrap_or("");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|f| f.parse::<f64>().ok());
    // The state is the first of these; children's user and system time are 13 and 14 further on.
    let (user, system) = (ticks(13), ticks(14));
    Ok((user.ok_or("/proc/self/stat is short")? + system.unwrap_or(0.0)) / 100.0)
}
