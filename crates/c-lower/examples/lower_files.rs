//! Lowers files and says which fail, where, and how long it takes.
//!
//! `lower_files FILE...`, or `lower_files --list TSV ROOT` with a table that has
//! columns `file`, `property` and `data_model`. Files with directives go
//! through `gcc -E`. `--text` prints the automata, `--run` runs the program
//! with zeros as inputs, `--jobs N` sets the number of threads, `--filter S`
//! keeps files whose path contains S, `--include DIR` is passed on as `-I`.

use bolide_base::SourceMap;
use bolide_c_lower::{Options, lower};
use bolide_c_syntax::{ParseOptions, needs_preprocessing, parse};
use bolide_cfa::{Property, Target};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

struct Task {
    path: PathBuf,
    properties: Vec<Property>,
    target: Target,
}

enum Outcome {
    Lowered(String),
    NotPreprocessed(String),
    NotParsed(String),
    Refused(String),
    Panicked(String),
}

fn properties(name: &str) -> Vec<Property> {
    use Property::*;
    match name {
        "unreach-call" => vec![UnreachCall],
        "assert" => vec![Assert],
        "no-overflow" => vec![NoOverflow],
        "div-by-zero" => vec![DivByZero],
        "valid-deref" => vec![ValidDeref],
        "valid-free" => vec![ValidFree],
        "valid-memtrack" => vec![ValidMemtrack],
        "valid-memcleanup" => vec![ValidMemcleanup],
        "valid-memsafety" => vec![ValidDeref, ValidFree, ValidMemtrack],
        "all" => vec![UnreachCall, NoOverflow, DivByZero, ValidDeref, ValidFree, ValidMemtrack],
        _ => vec![UnreachCall],
    }
}

fn preprocess(path: &Path, target: Target, include: &[String]) -> Result<String, String> {
    let attempt = |flags: &[&str]| {
        Command::new("gcc")
            .args(["-E", "-std=gnu11", "-x", "c"])
            .args(flags)
            .args(include.iter().map(|i| format!("-I{i}")))
            .arg(path)
            .output()
            .map_err(|e| e.to_string())
    };
    let mut output = attempt(if target == Target::ILP32 { &["-m32"] } else { &[] })?;
    if !output.status.success() && target == Target::ILP32 {
        output = attempt(&[])?;
    }
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(text.lines().next().unwrap_or("").to_owned());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn work(task: &Task, text_form: bool, run: bool, include: &[String]) -> Outcome {
    let bytes = match std::fs::read(&task.path) {
        Ok(bytes) => bytes,
        Err(error) => return Outcome::NotPreprocessed(error.to_string()),
    };
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if needs_preprocessing(&text) {
        text = match preprocess(&task.path, task.target, include) {
            Ok(text) => text,
            Err(error) => return Outcome::NotPreprocessed(error),
        };
    }
    let mut sources = SourceMap::new();
    let name = task.path.display().to_string();
    let Some(start) = sources.add(name, text) else {
        return Outcome::NotParsed("the file is too large".into());
    };
    let parsed = parse(&mut sources, start, &ParseOptions::default());
    if parsed.has_errors() {
        let first = parsed.diagnostics.iter().find(|d| d.severity == bolide_base::Severity::Error);
        return Outcome::NotParsed(first.map_or(String::new(), |d| d.render_plain(&sources)));
    }
    let options = Options {
        properties: task.properties.iter().copied().collect(),
        target: task.target,
        ..Options::default()
    };
    let lowered = match lower(&[&parsed.unit], &sources, &options) {
        Ok(lowered) => lowered,
        Err(diagnostics) => {
            let errors: Vec<String> = diagnostics
                .iter()
                .filter(|d| d.severity == bolide_base::Severity::Error)
                .map(|d| d.render_plain(&sources))
                .collect();
            return Outcome::Refused(errors.join("    "));
        }
    };
    let program = &lowered.program;
    let mut out = format!(
        "{} functions, {} locations, {} edges, {} expressions, externals: {}",
        program.functions.len(),
        program.locations.len(),
        program.edges.len(),
        program.exprs.len(),
        lowered.externals.iter().map(|e| e.0.as_str()).collect::<Vec<_>>().join(" "),
    );
    if text_form {
        for diagnostic in &lowered.diagnostics {
            out += &format!("\n{}", diagnostic.render_plain(&sources).trim_end());
        }
        out += &format!("\n{}", bolide_cfa::text::print_plain(program));
    }
    if run {
        let mut choices = bolide_cfa::interpreter::Inputs::default();
        let result = bolide_cfa::interpreter::run(program, &mut choices, &Default::default());
        out += &format!("\n{}\n=> {:?}", String::from_utf8_lossy(&result.stdout), result.outcome);
    }
    Outcome::Lowered(out)
}

fn main() -> ExitCode {
    let (mut files, mut include) = (Vec::new(), Vec::new());
    let (mut list, mut root, mut filter) = (None, PathBuf::from("."), String::new());
    let (mut text_form, mut run, mut jobs) = (false, false, 2);
    let mut property = "unreach-call".to_owned();
    let mut target = Target::LP64;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().unwrap_or_default();
        match argument.as_str() {
            "--list" => {
                list = Some(value());
                root = value().into();
            }
            "--text" => text_form = true,
            "--run" => run = true,
            "--jobs" => jobs = value().parse().unwrap_or(2),
            "--filter" => filter = value(),
            "--include" => include.push(value()),
            "--property" => property = value(),
            "--ilp32" => target = Target::ILP32,
            _ => files.push(argument),
        }
    }
    let mut tasks: Vec<Task> = files
        .into_iter()
        .map(|f| Task { path: f.into(), properties: properties(&property), target })
        .collect();
    if let Some(list) = list {
        let table = std::fs::read_to_string(list).unwrap_or_default();
        let mut lines = table.lines();
        let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
        let column = |name: &str| header.iter().position(|h| *h == name).unwrap_or(0);
        let (file, prop, model) = (column("file"), column("property"), column("data_model"));
        for line in lines {
            let cells: Vec<&str> = line.split('\t').collect();
            let path = root.join(cells[file]);
            if path.display().to_string().contains(&filter) {
                let target = if cells[model] == "ILP32" { Target::ILP32 } else { Target::LP64 };
                tasks.push(Task { path, properties: properties(cells[prop]), target });
            }
        }
    }
    let next = AtomicUsize::new(0);
    let results: Mutex<BTreeMap<usize, (Outcome, f64)>> = Mutex::new(BTreeMap::new());
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(i) else { break };
                    let start = Instant::now();
                    let outcome = std::panic::catch_unwind(|| work(task, text_form, run, &include))
                        .unwrap_or_else(|p| {
                            let text = p
                                .downcast_ref::<String>()
                                .cloned()
                                .or_else(|| p.downcast_ref::<&str>().map(|s| (*s).to_owned()));
                            Outcome::Panicked(text.unwrap_or_default())
                        });
                    let seconds = start.elapsed().as_secs_f64();
                    results.lock().expect("no panics here").insert(i, (outcome, seconds));
                }
            });
        }
    });
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (i, (outcome, seconds)) in results.into_inner().expect("no panics here") {
        let (kind, text) = match outcome {
            Outcome::Lowered(text) => ("lowered", text),
            Outcome::NotPreprocessed(text) => ("not preprocessed", text),
            Outcome::NotParsed(text) => ("not parsed", text),
            Outcome::Refused(text) => ("refused", text),
            Outcome::Panicked(text) => ("PANIC", text),
        };
        *counts.entry(kind).or_default() += 1;
        if kind != "lowered" || seconds > 5.0 || tasks.len() <= 20 {
            println!("{kind} {:.2}s {}\n    {}", seconds, tasks[i].path.display(), text.trim_end());
        }
    }
    println!("{counts:?}");
    ExitCode::SUCCESS
}
