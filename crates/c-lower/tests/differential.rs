//! Own programs run by the interpreter and by gcc's binary: output and exit
//! status must be equal.
//!
//! The programs are `tests/run/*.c`: what random programs leave out. For LP64
//! they are ordinary executables. For ILP32 they are freestanding executables
//! with the small library of `tests/run/support`, because 32-bit libraries are
//! rarely installed; what does not compile or link that way is skipped, with
//! the reason printed. Without gcc all is skipped.

use bolide_base::SourceMap;
use bolide_c_lower::{Options, lower};
use bolide_c_syntax::{ParseOptions, parse};
use bolide_cfa::Target;
use bolide_cfa::interpreter::{Config, Inputs, Outcome, run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a run shows.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    stdout: String,
    end: String,
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run")
}

/// Runs a command; its output, or what went wrong.
fn succeed(command: &mut Command) -> Result<Vec<u8>, String> {
    let output = command.output().map_err(|e| format!("cannot run {command:?}: {e}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    let first = messages.lines().find(|l| l.contains("error") || l.contains("undefined"));
    Err(first.unwrap_or("gcc failed").to_owned())
}

fn is_32(target: Target) -> bool {
    target == Target::ILP32
}

fn preprocess(file: &Path, target: Target) -> Result<String, String> {
    let mut command = Command::new("gcc");
    command.args(["-E", "-std=gnu11"]);
    if is_32(target) {
        let include = succeed(Command::new("gcc").arg("-print-file-name=include"))?;
        command.args(["-m32", "-ffreestanding", "-nostdinc", "-isystem"]);
        command.arg(programs().join("support/include"));
        command.arg("-isystem").arg(String::from_utf8_lossy(&include).trim());
    }
    let text = succeed(command.arg(file))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Compiles with gcc and runs.
fn expected(file: &Path, target: Target) -> Result<Shown, String> {
    let name = format!("{}-{}", file.file_stem().unwrap().to_string_lossy(), target.pointer_bits);
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (source, binary) = (folder.join(name.clone() + ".i"), folder.join(name));
    std::fs::write(&source, preprocess(file, target)?).map_err(|e| e.to_string())?;
    let mut command = Command::new("gcc");
    command.args(["-O0", "-w", "-std=gnu11"]);
    if is_32(target) {
        command.args(["-m32", "-ffreestanding", "-nostdlib", "-static", "-no-pie", "-fno-pie"]);
        command.args(["-fno-stack-protector", "-msse2", "-mfpmath=sse"]);
        command.arg(programs().join("support/ilp32.c"));
    }
    command.arg("-o").arg(&binary).arg(&source);
    if !is_32(target) {
        command.arg("-lm");
    }
    succeed(&mut command)?;
    let output = Command::new(&binary).output().map_err(|e| e.to_string())?;
    let end = match output.status.code() {
        Some(99) if is_32(target) => {
            return Err("it prints what the small library cannot format".into());
        }
        Some(code) => format!("status {code}"),
        None => format!("{}", output.status),
    };
    Ok(Shown { stdout: String::from_utf8_lossy(&output.stdout).into_owned(), end })
}

/// Parses, lowers and interprets.
fn interpreted(file: &Path, target: Target) -> Result<Shown, String> {
    let mut sources = SourceMap::new();
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    let text = preprocess(file, target)?;
    let start = sources.add(name, text).ok_or("the text is too large")?;
    let parsed = parse(&mut sources, start, &ParseOptions::default());
    let show = |diagnostics: &[bolide_base::Diagnostic], sources: &SourceMap| -> String {
        diagnostics.iter().map(|d| d.render_plain(sources)).collect()
    };
    if parsed.has_errors() {
        return Err(show(&parsed.diagnostics, &sources));
    }
    let options = Options { target, ..Options::default() };
    let lowered = lower(&[&parsed.unit], &sources, &options).map_err(|d| show(&d, &sources))?;
    let config = Config { step_limit: 100_000_000, ..Config::default() };
    let run = run(&lowered.program, &mut Inputs::default(), &config);
    let end = match run.outcome {
        Outcome::Finished { status: Some(status) } => format!("status {}", status & 0xff),
        Outcome::Undefined { reason, edge } => {
            let span =
                edge.map_or(bolide_base::Span::NONE, |e| lowered.program.edges[e].origin.span);
            let position = sources.position(span.start).map_or(String::new(), |p| p.to_string());
            format!("undefined at {position}: {reason}")
        }
        other => format!("{other:?}"),
    };
    Ok(Shown { stdout: String::from_utf8_lossy(&run.stdout).into_owned(), end })
}

/// The first line that differs.
fn difference(expected: &Shown, found: &Shown) -> Option<String> {
    if expected == found {
        return None;
    }
    let mut ours = found.stdout.lines();
    for (i, line) in expected.stdout.lines().enumerate() {
        let found = ours.next().unwrap_or("(nothing)");
        if line != found {
            return Some(format!("line {}: gcc `{line}`, interpreter `{found}`", i + 1));
        }
    }
    let rest = ours.next().map_or(String::new(), |l| format!(", more output `{l}`"));
    Some(format!("gcc {}, interpreter {}{rest}", expected.end, found.end))
}

fn compare_all(target: Target) {
    if succeed(Command::new("gcc").arg("--version")).is_err() {
        println!("skipped: gcc is not installed");
        return;
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(programs())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    assert!(files.len() > 10, "the programs are missing");
    let mut failures = String::new();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let expected = match expected(&file, target) {
            Ok(shown) => shown,
            Err(reason) => {
                println!("skipped {name}: {reason}");
                // On LP64 every program compiles.
                assert!(is_32(target), "{name}: {reason}");
                continue;
            }
        };
        match interpreted(&file, target) {
            Ok(found) => {
                if let Some(difference) = difference(&expected, &found) {
                    failures += &format!("{name}: {difference} ({})\n", found.end);
                }
            }
            Err(message) => failures += &format!("{name}: {message}\n"),
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

#[test]
fn lp64() {
    compare_all(Target::LP64);
}

#[test]
fn ilp32() {
    compare_all(Target::ILP32);
}
