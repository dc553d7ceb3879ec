//! Our solver beside OpenSMT and SMTInterpol, each as a process.
//!
//! `cargo xtask bench-smt [--problems N] [--runs R] [--bolide CMD]
//! [--opensmt CMD] [--smtinterpol CMD] [FOLDER...]`
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

use bolide_terms::smtlib::sexpr::Expressions;
use bolide_terms::{TermId, TermStore};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(10);

struct Tool {
    name: &'static str,
    command: Vec<String>,
}

struct Settings {
    tools: Vec<Tool>,
    problems: usize,
    runs: usize,
    folders: Vec<PathBuf>,
}

fn settings(args: &[String]) -> Result<Settings, String> {
    let mut commands = [
        ("bolide", default_bolide()),
        ("opensmt", "opensmt".to_owned()),
        ("smtinterpol", "smtinterpol".to_owned()),
    ];
    let (mut problems, mut runs, mut folders) = (10, 3, Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().cloned().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--problems" => problems = value()?.parse().map_err(|_| "a number of problems")?,
            "--runs" => runs = value()?.parse().map_err(|_| "a number of runs")?,
            "--bolide" => commands[0].1 = value()?,
            "--opensmt" => commands[1].1 = value()?,
            "--smtinterpol" => commands[2].1 = value()?,
            flag if flag.starts_with('-') => return Err(format!("{flag}: not understood")),
            folder => folders.push(PathBuf::from(folder)),
        }
    }
    let tools = commands
        .into_iter()
        .map(|(name, command)| {
            let command = command.split_whitespace().map(str::to_owned).collect();
            Tool { name, command }
        })
        .collect();
    Ok(Settings { tools, problems: usize::max(problems, 1), runs: usize::max(runs, 1), folders })
}

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

fn run_tool(tool: &Tool, file: &Path) -> std::io::Result<Run> {
    let (program, arguments) = tool.command.split_first().ok_or(std::io::ErrorKind::NotFound)?;
    let start = Instant::now();
    let mut child = Command::new(program)
        .args(arguments)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdout = child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
    let (sender, receiver) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = stdout.read_to_end(&mut bytes);
        let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    let output = receiver.recv_timeout(LIMIT).ok();
    let time = start.elapsed();
    if output.is_none() {
        let _ = child.kill();
    }
    child.wait()?;
    let _ = reader.join();
    Ok(Run { output, time })
}

/// Runs the task; the exit code.
pub fn run(args: &[String]) -> i32 {
    let mut settings = match settings(args) {
        Ok(settings) => settings,
        Err(message) => {
            eprintln!("bench-smt: {message}");
            return 2;
        }
    };
    let directory = std::env::temp_dir().join(format!("bench-smt-{}", std::process::id()));
    if let Err(error) = std::fs::create_dir_all(&directory) {
        eprintln!("bench-smt: cannot make {}: {error}", directory.display());
        return 2;
    }
    let trivial = directory.join("trivial.smt2");
    let found = std::fs::write(&trivial, "(set-logic QF_LIA)\n(check-sat)\n");
    settings.tools.retain(|tool| {
        let runs = found.is_ok() && run_tool(tool, &trivial).is_ok();
        if !runs {
            println!("{}: absent ({})", tool.name, tool.command.join(" "));
        }
        runs
    });
    let code = if settings.folders.is_empty() {
        path_formulas(&settings, &directory)
    } else {
        public_files(&settings)
    };
    let _ = std::fs::remove_dir_all(&directory);
    code
}

fn heading(first: &str, tools: &[Tool]) {
    let names: Vec<String> = tools.iter().map(|tool| format!(" {} |", tool.name)).collect();
    println!("{first}{}", names.concat());
    let columns = first.matches('|').count() - 1 + tools.len();
    println!("|{}", "---|".repeat(columns));
}

// ---- path formulas ----

fn path_formulas(settings: &Settings, directory: &Path) -> i32 {
    heading("| length | variables |", &settings.tools);
    let mut failures = 0;
    for (length, variables) in paths::SIZES {
        let mut times: Vec<Vec<Duration>> = vec![Vec::new(); settings.tools.len()];
        let mut failed = vec![0; settings.tools.len()];
        for number in 0..settings.problems {
            let mut store = TermStore::new();
            let formulas = paths::problem(length, variables, number, &mut store);
            let file = directory.join(format!("path-{length}-{variables}-{number}.smt2"));
            if let Err(error) = std::fs::write(&file, smtlib(&store, &formulas)) {
                eprintln!("bench-smt: cannot write {}: {error}", file.display());
                return 2;
            }
            for (place, tool) in settings.tools.iter().enumerate() {
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
        failures += failed.first().copied().unwrap_or(0);
    }
    i32::from(failures > 0)
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
fn fastest(tool: &Tool, file: &Path, runs: usize, cuts: usize) -> Option<Duration> {
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

fn public_files(settings: &Settings) -> i32 {
    let mut files = Vec::new();
    for folder in &settings.folders {
        collect(folder, &mut files);
    }
    files.sort();
    let mut solved = vec![0u32; settings.tools.len()];
    let mut total = vec![Duration::ZERO; settings.tools.len()];
    let mut contradictions = 0;
    for file in &files {
        let Ok(text) = std::fs::read_to_string(file) else { continue };
        let mut answers: Vec<Option<Vec<String>>> = vec![stated(&text)];
        for (place, tool) in settings.tools.iter().enumerate() {
            let Ok(run) = run_tool(tool, file) else { continue };
            let answer = run.output.as_deref().and_then(|output| decided(output, &text));
            total[place] += run.time;
            solved[place] += u32::from(answer.is_some());
            if answer.is_none() {
                println!("{}: {} does not solve it", file.display(), tool.name);
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
    heading(&format!("| {} files |", files.len()), &settings.tools);
    let cells = solved.iter().map(|n| format!(" {n} |"));
    println!("| solved in {} s |{}", LIMIT.as_secs(), cells.collect::<String>());
    let cells = total.iter().map(|time| format!(" {:.1} |", time.as_secs_f64()));
    println!("| seconds in all |{}", cells.collect::<String>());
    i32::from(contradictions > 0)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut stack = vec![folder.to_owned()];
    while let Some(path) = stack.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            stack.extend(entries.flatten().map(|entry| entry.path()));
        } else if path.extension().is_some_and(|extension| extension == "smt2") {
            files.push(path);
        }
    }
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
