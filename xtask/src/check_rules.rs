//! `cargo xtask check-rules PATH...`: the clauses of C programs, given to Z3.
//!
//! For each C file below the paths: `bolide clp --emit smt2` writes its clauses, Z3
//! must accept them, and where both Z3 and the engine `clp` decide, they must agree.
//! A program that cannot be written as clauses is counted and no failure.

use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Default)]
struct Counts {
    programs: usize,
    no_clauses: usize,
    ours: usize,
    theirs: usize,
    both: usize,
}

/// Runs the comparison. Options: `--limit SECONDS`, `--every N`, `--data-model M`.
pub fn run(arguments: &[String]) -> i32 {
    let mut files = Vec::new();
    let (mut limit, mut every, mut model) = (5_u64, 1_usize, "ILP32".to_owned());
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().cloned().unwrap_or_default();
        match argument.as_str() {
            "--limit" => limit = value().parse().unwrap_or(limit),
            "--every" => every = value().parse().unwrap_or(every),
            "--data-model" => model = value(),
            path => collect(Path::new(path), &mut files),
        }
    }
    files.sort();
    if files.is_empty() {
        eprintln!("cargo xtask check-rules PATH... [--limit SECONDS] [--every N] [--data-model M]");
        return 2;
    }
    let script = std::env::temp_dir().join(format!("bolide-rules-{}.smt2", std::process::id()));
    let mut counts = Counts::default();
    let mut failures = 0;
    for file in files.iter().step_by(every.max(1)) {
        counts.programs += 1;
        if let Err(why) = check(file, &script, limit, &model, &mut counts) {
            failures += 1;
            println!("{}: {why}", file.display());
        }
    }
    let _ = std::fs::remove_file(&script);
    let Counts { programs, no_clauses, ours, theirs, both } = counts;
    println!(
        "{programs} programs, {no_clauses} without clauses; decided: clp {ours}, z3 {theirs}, \
         both {both}; failures: {failures}"
    );
    i32::from(failures > 0)
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if let Ok(entries) = std::fs::read_dir(path) {
        for entry in entries.flatten() {
            collect(&entry.path(), files);
        }
    } else if path.extension().is_some_and(|e| e == "c" || e == "i") {
        files.push(path.to_owned());
    }
}

fn check(
    file: &Path,
    script: &Path,
    limit: u64,
    model: &str,
    counts: &mut Counts,
) -> Result<(), String> {
    let bolide = || {
        // Not by the shell's limit only: a program that is too large must not take the machine.
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -t {}; exec \"$@\"", 2 * limit + 5), "sh"]);
        command.arg("target/release/bolide");
        command
    };
    let output = bolide()
        .args(["clp", "--emit", "smt2", "--data-model", model])
        .arg(file)
        .output()
        .map_err(|why| why.to_string())?;
    if !output.status.success() {
        counts.no_clauses += 1;
        return Ok(());
    }
    std::fs::write(script, &output.stdout).map_err(|why| why.to_string())?;
    let output = Command::new("z3")
        .arg(format!("-T:{limit}"))
        .arg(script)
        .output()
        .map_err(|why| format!("z3: {why}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    if let Some(line) = text.lines().find(|line| line.starts_with("(error")) {
        return Err(format!("z3 does not accept the clauses: {line}"));
    }
    let theirs = match text.lines().next() {
        Some("sat") => Some(true),
        Some("unsat") => Some(false),
        _ => None,
    };
    let output = bolide()
        .args(["verify", "-q", "--engine", "clp", "--threads", "1", "--data-model", model])
        .args(["--timeout", &format!("{limit}s")])
        .arg(file)
        .output()
        .map_err(|why| why.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let verdict = text.lines().find_map(|line| line.strip_prefix("RESULT: ")).unwrap_or("none");
    let ours = match verdict {
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
