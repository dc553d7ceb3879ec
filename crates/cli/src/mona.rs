//! MONA as the decider of the heap logic (`--heap-solver mona`).
//!
//! The tool reads a file and writes its answer to standard output. It is asked in a process of
//! its own that ends with the budget. Its answers find invariants; the audit of these never asks it.

use bolide_base::Budget;
use bolide_engines::shape::Mona;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// One question may take this long.
const LIMIT: Duration = Duration::from_secs(60);

/// A question is asked this often when the process ends without an answer.
const ATTEMPTS: usize = 3;

/// The tool, if it is there.
///
/// # Errors
/// Words for the user.
pub fn find() -> Result<Mona, String> {
    let tried = Command::new("mona")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match tried {
        Ok(_) => Ok(Mona(Arc::new(ask))),
        Err(error) => Err(format!(
            "--heap-solver mona: cannot run `mona`: {error} (Debian: `apt install mona`)"
        )),
    }
}

fn ask(text: &str, budget: &Budget) -> Result<String, String> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("bolide-{}-{number}.mona", std::process::id());
    let file = std::env::temp_dir().join(name);
    std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut answer = run(&file, budget);
    // A process that did not start or that was killed says nothing about the question.
    for _ in 1..ATTEMPTS {
        if answer.is_ok() || budget.poll().is_err() {
            break;
        }
        answer = run(&file, budget);
    }
    let _ = std::fs::remove_file(&file);
    answer
}

fn run(file: &std::path::Path, budget: &Budget) -> Result<String, String> {
    let mut child = Command::new("mona")
        .arg("-q")
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cannot run `mona`: {e}"))?;
    let start = Instant::now();
    let mut pause = Duration::from_micros(200);
    // Answers are shorter than what a pipe holds, unless there are hundreds of names.
    let mut output = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        if let Some(output) = &mut output {
            let _ = output.read_to_string(&mut text);
        }
        text
    });
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if budget.poll().is_err() || start.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                let _ = reader.join();
                return Err("MONA was stopped before it answered".into());
            }
            Ok(None) => std::thread::sleep(pause),
            Err(error) => return Err(format!("cannot run `mona`: {error}")),
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    };
    let mut text = reader.join().unwrap_or_default();
    if let Some(mut errors) = child.stderr.take() {
        let _ = errors.read_to_string(&mut text);
    }
    if status.code().is_none() || text.trim().is_empty() {
        return Err(format!("MONA ended without an answer ({status})"));
    }
    Ok(text)
}
