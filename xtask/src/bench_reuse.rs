//! `cargo xtask bench-reuse`: what a database of proofs saves after an edit.
//!
//! Each program of `tests/reuse` is verified with an empty database; then each of its
//! edited versions is verified without a database and with a copy of that one.
//! Counted are calls of the solver (for triples, paths, background facts and the
//! audit), interpolations, and processor time of the process, the least of
//! several runs: wall time says little on a machine with other work. Printed: a line for each
//! version, then medians by kind of edit and over all.
//!
//! With `--check` it fails unless the medians are at most 30 % of the calls and half of the time, and
//! renamed copies need no interpolation.

pub mod edits;

use crate::experiment::{self, Scratch, bolide, files_below, read};
use edits::versions;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs.
const FOLDER: &str = "tests/reuse";

#[derive(clap::Args)]
pub struct Settings {
    /// A part of a program's name
    #[arg(long, default_value = "")]
    only: String,
    #[arg(long, default_value_t = 1)]
    repeat: u32,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
    #[arg(long)]
    check: bool,
}

/// What one verification took.
#[derive(Clone, Debug)]
struct Cost {
    verdict: String,
    calls: u64,
    interpolations: u64,
    seconds: f64,
}

pub fn run(settings: Settings) -> Result<bool, String> {
    let binary = bolide(&settings.bolide)?;
    let folder = Scratch::new("reuse")?;
    let mut rows: BTreeMap<String, Vec<(Cost, Cost)>> = BTreeMap::new();
    let mut undecided = 0;
    println!("program\tedit\tcalls\twith\tinterpolations\twith\tseconds\twith");
    for file in files_below(Path::new(FOLDER), &["c"]) {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !name.contains(&settings.only) {
            continue;
        }
        let text = read(&file)?;
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
            for _ in 0..settings.repeat.max(1) {
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
    let kept = summary(&rows, undecided);
    Ok(kept || !settings.check)
}

/// The medians, and whether they are as promised.
fn summary(rows: &BTreeMap<String, Vec<(Cost, Cost)>>, undecided: u32) -> bool {
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
    calls <= 0.3 && time <= 0.5 && renamed == 0 && undecided == 0
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

fn verify(
    binary: &Path,
    folder: &Scratch,
    text: &str,
    proofs: Option<&Path>,
) -> Result<Cost, String> {
    let file = folder.write("program.c", text)?;
    let mut command = Command::new(binary);
    command.args(["verify", "--json", "--engine", "trace", "--timeout", "60s"]).arg(&file);
    if let Some(proofs) = proofs {
        command.arg("--proofs").arg(proofs);
    }
    let said = experiment::verify(&mut command)?;
    let number = |name: &str| {
        let rest = said.text.split(&format!("\"{name}\":")).nth(1)?.trim_start();
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse::<u64>().ok()
    };
    let field = |name: &str| number(name).ok_or(format!("no `{name}` in what bolide says"));
    let verdict = said.text.split("\"verdict\":").nth(1).unwrap_or("").trim_start();
    let verdict = verdict.split('"').nth(1).unwrap_or("no verdict").to_owned();
    Ok(Cost {
        calls: field("solver_calls")?,
        interpolations: field("interpolations")?,
        verdict,
        seconds: said.seconds,
    })
}
