//! `cargo xtask check-rules PATH...`: the clauses of C programs, given to Z3.
//!
//! For each C file below the paths: `bolide clp --emit smt2` writes its clauses, Z3
//! must accept them, and where both Z3 and the engine `clp` decide, they must agree.
//! A program that cannot be written as clauses is counted and no failure.

use crate::experiment::{self, Scratch, files_below, verify};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Seconds for each solver
    #[arg(long, default_value_t = 5)]
    limit: u64,
    /// Every so-many-th program
    #[arg(long, default_value_t = 1)]
    every: usize,
    #[arg(long, default_value = "ILP32")]
    data_model: String,
}

#[derive(Default)]
struct Counts {
    programs: usize,
    no_clauses: usize,
    ours: usize,
    theirs: usize,
    both: usize,
}

pub fn run(settings: Settings) -> Result<bool, String> {
    let files: Vec<PathBuf> =
        settings.paths.iter().flat_map(|path| files_below(path, &["c", "i"])).collect();
    let scratch = Scratch::new("rules")?;
    let mut counts = Counts::default();
    let mut failures = 0;
    for file in files.iter().step_by(settings.every.max(1)) {
        counts.programs += 1;
        if let Err(why) = check(file, &scratch, &settings, &mut counts) {
            failures += 1;
            println!("{}: {why}", file.display());
        }
    }
    let Counts { programs, no_clauses, ours, theirs, both } = counts;
    println!(
        "{programs} programs, {no_clauses} without clauses; decided: clp {ours}, z3 {theirs}, \
         both {both}; failures: {failures}"
    );
    Ok(failures == 0)
}

fn check(
    file: &Path,
    scratch: &Scratch,
    settings: &Settings,
    counts: &mut Counts,
) -> Result<(), String> {
    let (limit, model) = (settings.limit, &settings.data_model);
    let bolide = || {
        // Not by the shell's limit only: a program that is too large must not take the machine.
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -t {}; exec \"$@\"", 2 * limit + 5), "sh"]);
        command.arg("target/release/bolide");
        command
    };
    let output = experiment::output(
        bolide().args(["clp", "--emit", "smt2", "--data-model", model]).arg(file),
    )?;
    if !output.status.success() {
        counts.no_clauses += 1;
        return Ok(());
    }
    let script = scratch.write("rules.smt2", &String::from_utf8_lossy(&output.stdout))?;
    let output = experiment::output(Command::new("z3").arg(format!("-T:{limit}")).arg(script))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if let Some(line) = text.lines().find(|line| line.starts_with("(error")) {
        return Err(format!("z3 does not accept the clauses: {line}"));
    }
    let theirs = match text.lines().next() {
        Some("sat") => Some(true),
        Some("unsat") => Some(false),
        _ => None,
    };
    let mut command = bolide();
    command
        .args(["verify", "-q", "--engine", "clp", "--threads", "1", "--data-model", model])
        .args(["--timeout", &format!("{limit}s")])
        .arg(file);
    let verdict = verify(&mut command)?.verdict.unwrap_or("none".to_owned());
    let ours = match verdict.as_str() {
        "true" => Some(true),
        _ if verdict.starts_with("false") => Some(false),
        _ => None,
    };
    counts.ours += usize::from(ours.is_some());
    counts.theirs += usize::from(theirs.is_some());
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => {
            counts.both += 1;
            if ours == theirs {
                Ok(())
            } else {
                Err(format!("z3 says {}, clp says {verdict}", if theirs { "sat" } else { "unsat" }))
            }
        }
        _ => Ok(()),
    }
}
