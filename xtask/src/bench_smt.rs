//! Our solver beside OpenSMT and SMTInterpol, each as a process.
//!
//! Without folders: path formulas (`paths`, the problems of the benchmark
//! `interpolation` of `bolide-smt`), unsatisfiable, with all interpolants of the sequence.
//! What counts is the time from starting the process to the end of its output,
//! start-up included: of each problem the fastest of R runs, of each size the
//! median of N problems. An answer that is not `unsat` followed by as many
//! interpolants as there are cuts is counted as a failure.
//!
//! With folders: all SMT-LIB files below, ten seconds each; how many each solver
//! solves, that is, answers every check with sat or unsat. Where two solvers
//! contradict each other or the file's `:status`, the file is named.
//!
//! CMD is a program with its first arguments; the file is added at the end.
//! A solver that is not found is said to be absent. SMTInterpol is found if there
//! is a command `smtinterpol`; else give `--smtinterpol "java -jar FILE -q"`.

#[path = "../../crates/smt/benches/paths/mod.rs"]
mod paths;

use crate::experiment::{Scratch, files_below, output_within, read};
use bolide_terms::smtlib::sexpr::Expressions;
use bolide_terms::{TermId, TermStore};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(10);

#[derive(clap::Args)]
pub struct Settings {
    folders: Vec<PathBuf>,
    /// Problems of each size
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    problems: u64,
    /// Runs of each problem
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    #[arg(long, default_value_t = default_bolide())]
    bolide: String,
    #[arg(long, default_value = "opensmt")]
    opensmt: String,
    #[arg(long, default_value = "smtinterpol")]
    smtinterpol: String,
}

/// A solver: its name and its command.
type Tool<'a> = (&'static str, &'a str);

/// The binary that was built with this one, or any on the path.
fn default_bolide() -> String {
    let beside = std::env::current_exe().ok().map(|exe| exe.with_file_name("bolide"));
    match beside {
        Some(path) if path.exists() => format!("{} smt", path.display()),
        _ => "bolide smt".to_owned(),
    }
}

/// What a process did: its output, unless it was stopped, and how long it took.
struct Run {
    output: Option<String>,
    time: Duration,
}

fn run_tool((_, command): Tool<'_>, file: &Path) -> std::io::Result<Run> {
    let mut words = command.split_whitespace();
    let program = words.next().ok_or(std::io::ErrorKind::NotFound)?;
    let start = Instant::now();
    let output = output_within(Command::new(program).args(words).arg(file), LIMIT)?;
    let output = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    Ok(Run { output, time: start.elapsed() })
}

pub fn run(settings: Settings) -> Result<bool, String> {
    let scratch = Scratch::new("bench-smt")?;
    let trivial = scratch.write("trivial.smt2", "(set-logic QF_LIA)\n(check-sat)\n")?;
    let Settings { bolide, opensmt, smtinterpol, .. } = &settings;
    let mut tools =
        vec![("bolide", bolide.as_str()), ("opensmt", opensmt), ("smtinterpol", smtinterpol)];
    tools.retain(|&tool| {
        let runs = run_tool(tool, &trivial).is_ok();
        if !runs {
            println!("{}: absent ({})", tool.0, tool.1);
        }
        runs
    });
    if settings.folders.is_empty() {
        path_formulas(&settings, &tools, &scratch)
    } else {
        public_files(&settings.folders, &tools)
    }
}

fn heading(first: &str, tools: &[Tool<'_>]) {
    let names: Vec<String> = tools.iter().map(|tool| format!(" {} |", tool.0)).collect();
    println!("{first}{}", names.concat());
    let columns = first.matches('|').count() - 1 + tools.len();
    println!("|{}", "---|".repeat(columns));
}

// ---- path formulas ----

fn path_formulas(
    settings: &Settings,
    tools: &[Tool<'_>],
    scratch: &Scratch,
) -> Result<bool, String> {
    heading("| length | variables |", tools);
    let mut all = true;
    for (length, variables) in paths::SIZES {
        let mut times: Vec<Vec<Duration>> = vec![Vec::new(); tools.len()];
        let mut failed = vec![0; tools.len()];
        for number in 0..settings.problems as usize {
            let mut store = TermStore::new();
            let formulas = paths::problem(length, variables, number, &mut store);
            let name = format!("path-{length}-{variables}-{number}.smt2");
            let file = scratch.write(&name, &smtlib(&store, &formulas))?;
            for (place, &tool) in tools.iter().enumerate() {
                match fastest(tool, &file, settings.runs, formulas.len() - 1) {
                    Some(time) => times[place].push(time),
                    None => {
                        failed[place] += 1;
                        times[place].push(LIMIT);
                    }
                }
            }
        }
        let mut line = format!("| {length} | {variables} |");
        for (times, failed) in times.iter_mut().zip(&failed) {
            times.sort_unstable();
            line += &format!(" {:.1}", times[times.len() / 2].as_secs_f64() * 1000.0);
            if *failed > 0 {
                line += &format!(" ({failed} of {} not solved)", settings.problems);
            }
            line += " |";
        }
        println!("{line}");
        all &= failed.first().is_none_or(|&ours| ours == 0);
    }
    Ok(all)
}

/// The problem as a script that asks for all interpolants of the sequence; the
/// three solvers that we know to answer it take the same words.
fn smtlib(store: &TermStore, formulas: &[TermId]) -> String {
    let mut text = String::from(
        "(set-option :print-success false)\n(set-option :produce-interpolants true)\n\
         (set-logic QF_LIA)\n",
    );
    let mut symbols: Vec<_> = formulas.iter().flat_map(|&f| store.symbols(f).to_vec()).collect();
    symbols.sort_unstable();
    symbols.dedup();
    for symbol in symbols {
        let _ = writeln!(text, "{}", store.declaration_text(symbol));
    }
    for (i, &formula) in formulas.iter().enumerate() {
        let _ = writeln!(text, "(assert (! {} :named p{i}))", store.smtlib(formula));
    }
    text.push_str("(check-sat)\n(get-interpolants");
    for i in 0..formulas.len() {
        let _ = write!(text, " p{i}");
    }
    text.push_str(")\n");
    text
}

/// The fastest of some runs, if all give the right number of interpolants.
fn fastest(tool: Tool<'_>, file: &Path, runs: u64, cuts: usize) -> Option<Duration> {
    let mut best = LIMIT;
    for _ in 0..runs {
        let run = run_tool(tool, file).ok()?;
        if !has_interpolants(&run.output?, cuts) {
            return None;
        }
        best = best.min(run.time);
    }
    Some(best)
}

/// Whether the output is `unsat` and a list of so many interpolants.
fn has_interpolants(output: &str, cuts: usize) -> bool {
    let mut answers = Expressions::new(output);
    let is_unsat = match answers.next_expression() {
        Some(Ok(first)) => first.source(0) == "unsat",
        _ => false,
    };
    match answers.next_expression() {
        Some(Ok(list)) => is_unsat && list.children(0).count() == cuts,
        _ => false,
    }
}

// ---- public files ----

fn public_files(folders: &[PathBuf], tools: &[Tool<'_>]) -> Result<bool, String> {
    let files: Vec<PathBuf> = folders.iter().flat_map(|f| files_below(f, &["smt2"])).collect();
    let mut solved = vec![0u32; tools.len()];
    let mut total = vec![Duration::ZERO; tools.len()];
    let mut contradictions = 0;
    for file in &files {
        let Ok(text) = read(file) else { continue };
        let mut answers: Vec<Option<Vec<String>>> = vec![stated(&text)];
        for (place, &tool) in tools.iter().enumerate() {
            let Ok(run) = run_tool(tool, file) else { continue };
            let answer = run.output.as_deref().and_then(|output| decided(output, &text));
            total[place] += run.time;
            solved[place] += u32::from(answer.is_some());
            if answer.is_none() {
                println!("{}: {} does not solve it", file.display(), tool.0);
            }
            answers.push(answer);
        }
        let mut known = answers.iter().flatten();
        if let Some(first) = known.next()
            && known.any(|other| other != first)
        {
            contradictions += 1;
            println!("{}: contradiction {answers:?}", file.display());
        }
    }
    heading(&format!("| {} files |", files.len()), tools);
    let cells = solved.iter().map(|n| format!(" {n} |"));
    println!("| solved in {} s |{}", LIMIT.as_secs(), cells.collect::<String>());
    let cells = total.iter().map(|time| format!(" {:.1} |", time.as_secs_f64()));
    println!("| seconds in all |{}", cells.collect::<String>());
    Ok(contradictions == 0)
}

/// What the file says about its only check, if it does.
fn stated(text: &str) -> Option<Vec<String>> {
    let status = text.split("(set-info :status").nth(1)?.split(')').next()?.trim();
    let once = text.matches("(check-sat").count() == 1;
    (once && (status == "sat" || status == "unsat")).then(|| vec![status.to_owned()])
}

/// The answers to all checks, if none is missing. After an error the solver may
/// have missed an assertion, so what it then answers does not count.
fn decided(output: &str, text: &str) -> Option<Vec<String>> {
    let output = output.split("(error").next()?;
    let answers: Vec<String> = output
        .lines()
        .filter(|line| matches!(*line, "sat" | "unsat" | "unknown"))
        .map(str::to_owned)
        .collect();
    let all = answers.len() == text.matches("(check-sat").count();
    (all && !answers.is_empty() && answers.iter().all(|a| a != "unknown")).then_some(answers)
}
