//! `bolide scan`: a whole project, function by function.
//!
//! A unit of work is one property of one entry function of one file
//! ([`units`]): `main` where there is one, every function with a contract, and with
//! `--each-function` every other function, called with any arguments while global variables
//! have their initial values. Each unit is a child process of its own (`bolide verify`),
//! so that nothing can take the scan down; its answer is the SARIF log it
//! writes. Answers are kept by content ([`cache`]): an interrupted scan goes on
//! where it stopped, and functions that did not change are not verified again.
//!
//! Functions of other files are found by name ([`linking`]). What is nowhere in the
//! project has no body, and what rests on that says so.

mod cache;
mod files;
mod functions;
mod linking;
mod outcome;
mod page;
mod units;

pub use functions::names as functions_of;
pub use outcome::merge;

use crate::exit::Exit;
use crate::flags::ScanFlags;
use crate::output::{Places, write};
use crate::signals;
use cache::Cache;
use outcome::Outcome;
use std::io::IsTerminal;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use units::Unit;

/// Scans; the exit code tells the worst verdict.
pub fn scan(flags: &ScanFlags) -> Exit {
    match run(flags) {
        Ok(exit) => exit,
        Err(message) => {
            eprintln!("bolide: {message}");
            Exit::Usage
        }
    }
}

fn run(flags: &ScanFlags) -> Result<Exit, String> {
    let (mut units, unreadable) = units::find(flags)?;
    for (file, why) in &unreadable {
        eprintln!("bolide: `{}` is left out: {why}", file.display());
    }
    let found = units.len();
    if let Some((index, of)) = flags.shard {
        // A shard may well be empty.
        units = units.into_iter().skip(index - 1).step_by(of).collect();
    }
    if found == 0 {
        let hint = if flags.each_function { "" } else { "; --each-function takes every function" };
        return Err(format!(
            "there is nothing to verify in `{}`: no `main` and no contract{hint}",
            flags.folder.display()
        ));
    }
    let beside =
        if flags.folder.is_dir() { Some(flags.folder.as_path()) } else { flags.folder.parent() };
    let folder = flags
        .cache
        .clone()
        .unwrap_or_else(|| beside.unwrap_or(std::path::Path::new(".")).join(".bolide-cache"));
    let places = Places { files: vec![&flags.sarif], folders: vec![&flags.report] };
    if !places.are_writable() {
        return Ok(Exit::Usage);
    }
    let cache = Cache::open(&folder)?;
    signals::watch();
    let outcomes = verify_all(flags, units, &cache);
    let text = outcome::table(&outcomes);
    print!("{text}");
    let log = outcome::log(&outcomes, &unreadable);
    if let Some(file) = &flags.sarif {
        write(file, &format!("{log:#}\n"))?;
    }
    if let Some(folder) = &flags.report {
        write(&folder.join("index.html"), &page::index(&flags.folder, &outcomes))?;
    }
    if signals::interrupted() {
        eprintln!("bolide: interrupted; the same command goes on from here");
        return Ok(Exit::Unknown);
    }
    Ok(outcome::exit(&outcomes))
}

/// Verifies units side by side; the answers come in the order of the units.
fn verify_all(flags: &ScanFlags, units: Vec<Unit>, cache: &Cache) -> Vec<Outcome> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = flags.jobs.unwrap_or(processors).clamp(1, units.len().max(1));
    let next = AtomicUsize::new(0);
    let done: Arc<Mutex<Vec<Option<Outcome>>>> = Arc::new(Mutex::new(vec![None; units.len()]));
    let finished = AtomicUsize::new(0);
    let shows = !flags.quiet && std::io::stderr().is_terminal();
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(unit) = units.get(index) else { return };
                    if signals::interrupted() {
                        return;
                    }
                    let outcome = cache.get(unit).unwrap_or_else(|| {
                        let outcome = verify(flags, unit, index);
                        cache.put(unit, &outcome);
                        outcome
                    });
                    let count = finished.fetch_add(1, Ordering::Relaxed) + 1;
                    if shows {
                        let took = start.elapsed().as_secs();
                        let left = (flags.timeout * (units.len() - count) as u32) / jobs as u32;
                        eprint!(
                            "\r\x1b[K{took}s, at most {}s more | {count}/{} | {}",
                            left.as_secs(),
                            units.len(),
                            unit.name()
                        );
                    }
                    if let Ok(mut done) = done.lock() {
                        done[index] = Some(outcome);
                    }
                }
            });
        }
    });
    if shows {
        eprint!("\r\x1b[K");
    }
    let mut done = done.lock().map(|d| d.clone()).unwrap_or_default();
    done.drain(..).flatten().collect()
}

/// Runs one child.
fn verify(flags: &ScanFlags, unit: &Unit, index: usize) -> Outcome {
    let folder = std::env::temp_dir();
    let sarif = folder.join(format!("bolide-scan-{}-{index}.sarif", std::process::id()));
    let page = flags.report.as_ref().map(|_| format!("{}.html", unit.slug()));
    let mut command = match std::env::current_exe() {
        Ok(own) => Command::new(own),
        Err(error) => return Outcome::failed(unit, format!("cannot find bolide itself: {error}")),
    };
    command.arg("verify").arg(&unit.file).args(&unit.linked).args(["--entry", &unit.entry]);
    if unit.property == units::CONTRACT {
        // A contract includes that the function's own accesses are valid.
        command.args(["--property", "valid-memsafety", "--engine", "shape", "--quiet"]);
    } else if unit.property == units::FAILED_ALLOCATION {
        command.args(["--property", "valid-deref", "--malloc-may-fail", "--quiet"]);
    } else {
        command.args(["--property", unit.property, "--quiet", "--vacuity"]);
    }
    if unit.property == "assert" {
        // Calls of error functions are assertions of another spelling.
        command.args(["--property", "unreach-call"]);
    }
    command.arg("--timeout").arg(format!("{}ms", flags.timeout.as_millis()));
    command.arg("--memory").arg(flags.memory.to_string());
    command.args(["--threads", "1"]).arg("--sarif").arg(&sarif).args(&unit.flags);
    if let (Some(folder), Some(page)) = (&flags.report, &page) {
        command.arg("--report").arg(folder.join(page));
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let start = Instant::now();
    let (code, errors) = match command.spawn() {
        Ok(child) => wait(child, flags.timeout * 2 + Duration::from_secs(10)),
        Err(error) => return Outcome::failed(unit, format!("cannot start bolide: {error}")),
    };
    let text = std::fs::read_to_string(&sarif).unwrap_or_default();
    let _ = std::fs::remove_file(&sarif);
    if code == Some(i32::from(Exit::Usage.code())) && !unit.linked.is_empty() {
        // The files do not fit together.
        let alone = Unit { linked: Vec::new(), ..unit.clone() };
        return verify(flags, &alone, index);
    }
    let mut outcome = Outcome::read(unit, code, &text, &errors);
    outcome.milliseconds = start.elapsed().as_millis() as u64;
    if let (Some(folder), Some(page)) = (&flags.report, page)
        && folder.join(&page).exists()
    {
        outcome.page = Some(page);
    }
    outcome
}

/// The exit code and standard error of a child, which is killed when it overstays.
fn wait(mut child: std::process::Child, limit: Duration) -> (Option<i32>, String) {
    let reader = child.stderr.take().map(|mut pipe| {
        std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = std::io::Read::read_to_end(&mut pipe, &mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        })
    });
    let start = Instant::now();
    let code = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status.code(),
            Ok(None) if start.elapsed() < limit && !signals::interrupted() => {
                std::thread::sleep(Duration::from_millis(10));
            }
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                break None;
            }
        }
    };
    let errors = reader.and_then(|thread| thread.join().ok()).unwrap_or_default();
    (code, errors)
}
