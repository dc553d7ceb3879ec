//! The SAT core beside CaDiCaL, each as a process, on the same clauses.
//!
//! `cargo xtask bench-sat` makes the problems ([`families`]): bit-blasted ones from SMT-LIB, the questions that the engine
//! `bounded` asks about C programs, and two classic families; `cargo xtask bench-sat FOLDER` takes the `.cnf` files
//! below instead. Ours is this program with `--solve`. What counts is processor time, reading included;
//! a run that reaches the limit counts with the limit. Answers that contradict each other or what a
//! family says are failures. The ratio of a problem is ours by theirs; below TRIFLE of both it says nothing and does not
//! count towards the median.

mod families;

use crate::experiment::{Scratch, children_seconds, files_below, output, read};
use bolide_base::Budget;
use bolide_sat::{Dimacs, NoTheory, Outcome, ProofId, Solver};
use families::Instance;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Seconds that starting and reading may take.
const TRIFLE: f64 = 0.05;

#[derive(clap::Args)]
pub struct Settings {
    folders: Vec<PathBuf>,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 30)]
    limit: u64,
    #[arg(long, default_value = "cadical")]
    cadical: OsString,
    /// The command that asks the questions about programs
    #[arg(long)]
    bolide: Option<PathBuf>,
    /// Write the problems to this folder too
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Only problems with this in their names
    #[arg(long)]
    only: Option<String>,
    /// Decide one file, and say how
    #[arg(long)]
    solve: Option<PathBuf>,
}

/// What a solver did with a problem.
struct Run {
    is_sat: Option<bool>,
    seconds: f64,
    conflicts: u64,
    propagations: u64,
}

pub fn run(settings: Settings) -> Result<bool, String> {
    if let Some(file) = &settings.solve {
        return solve(file);
    }
    let scratch = Scratch::new("bench-sat")?;
    let folder = settings.keep.clone().unwrap_or(scratch.join("cnf"));
    let mut instances = match settings.folders.as_slice() {
        [] => families::all(&folder, &settings.bolide)?,
        folders => from_folders(folders),
    };
    if let Some(part) = &settings.only {
        instances.retain(|instance| instance.name.contains(part));
    }
    compare(&instances, &settings)
}

fn from_folders(folders: &[PathBuf]) -> Vec<Instance> {
    let files = folders.iter().flat_map(|folder| files_below(folder, &["cnf"]));
    let name = |file: &Path| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    files.map(|file| Instance { name: name(&file), file, is_sat: None }).collect()
}

/// Ours, on one file, in the words of the competitions.
fn solve(file: &Path) -> Result<bool, String> {
    let problem = Dimacs::parse(&read(file)?)?;
    let mut solver = Solver::new();
    for _ in 0..problem.variables {
        solver.new_var();
    }
    for clause in &problem.clauses {
        solver.add_clause(&mut NoTheory, clause, ProofId::NONE);
    }
    let answer = match solver.solve(&mut NoTheory, &[], &Budget::unlimited()) {
        Outcome::Sat => {
            let holds = |clause: &Vec<_>| clause.iter().any(|&l| solver.value(l) == Some(true));
            if !problem.clauses.iter().all(holds) {
                return Err("the assignment does not satisfy the clauses".to_owned());
            }
            "SATISFIABLE"
        }
        Outcome::Unsat => "UNSATISFIABLE",
        Outcome::Unknown(_) => "UNKNOWN",
    };
    let statistics = solver.statistics();
    println!("c conflicts: {}", statistics.conflicts);
    println!("c propagations: {}", statistics.propagations);
    println!("s {answer}");
    Ok(true)
}

fn compare(instances: &[Instance], settings: &Settings) -> Result<bool, String> {
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    println!(
        "| problem | answer | ours s | conflicts | prop/ms | CaDiCaL s | conflicts | prop/ms | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut ratios, mut sums, mut right) = (Vec::new(), [0.0, 0.0], true);
    for instance in instances {
        let ours = [this.as_os_str(), "bench-sat".as_ref(), "--solve".as_ref()];
        let ours = execute(&ours, instance, settings.limit)?;
        let theirs = execute(&[settings.cadical.as_os_str()], instance, settings.limit)?;
        let answers: Vec<bool> =
            [instance.is_sat, ours.is_sat, theirs.is_sat].into_iter().flatten().collect();
        let agree = answers.windows(2).all(|pair| pair[0] == pair[1]);
        right &= agree;
        let ratio = ours.seconds.max(0.01) / theirs.seconds.max(0.01);
        if ours.seconds.max(theirs.seconds) >= TRIFLE {
            ratios.push(ratio);
        }
        sums = [sums[0] + ours.seconds, sums[1] + theirs.seconds];
        let answer = match answers.first() {
            _ if !agree => "CONTRADICTION",
            Some(true) => "sat",
            Some(false) => "unsat",
            None => "?",
        };
        let (ours, theirs) = (cells(&ours), cells(&theirs));
        println!("| {} | {answer} | {ours} | {theirs} | {ratio:.2} |", instance.name);
    }
    ratios.sort_by(f64::total_cmp);
    if let Some(median) = ratios.get(ratios.len() / 2) {
        println!("median ratio {median:.2} of {} problems", ratios.len());
    }
    println!("sum {:.1} s and {:.1} s, ratio {:.2}", sums[0], sums[1], sums[0] / sums[1]);
    Ok(right)
}

fn cells(run: &Run) -> String {
    let open = if run.is_sat.is_none() { " (open)" } else { "" };
    let speed = run.propagations as f64 / run.seconds.max(0.01) / 1000.0;
    format!("{:.2}{open} | {} | {speed:.0}", run.seconds, run.conflicts)
}

/// Runs a solver; if it is stopped, what it has done is not known. The limit is of processor time: others compute too.
fn execute(words: &[&OsStr], instance: &Instance, limit: u64) -> Result<Run, String> {
    let before = children_seconds();
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -t $0; exec \"$@\"", &limit.to_string()]);
    let output = output(command.args(words).arg(&instance.file))?;
    let seconds = children_seconds() - before;
    let text = String::from_utf8_lossy(&output.stdout);
    let is_sat = text.lines().find_map(|line| match line.trim() {
        "s SATISFIABLE" => Some(true),
        "s UNSATISFIABLE" => Some(false),
        _ => None,
    });
    let figure = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix("c ")?.strip_prefix(name));
        line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    };
    let (conflicts, propagations) = (figure("conflicts:"), figure("propagations:"));
    Ok(Run { is_sat, seconds, conflicts, propagations })
}
