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

use crate::exit::{Exit, Stop};
use crate::flags::ScanFlags;
use crate::output::{Places, write};
use crate::process::{self, Ended};
use crate::signals;
use cache::Cache;
use outcome::Outcome;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use units::Unit;

/// Scans; the exit code tells the worst verdict.
pub fn scan(flags: &ScanFlags) -> Result<Exit, Stop> {
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
        let folder = flags.folder.display();
        let words = "no `main` and no contract";
        return Err(format!("there is nothing to verify in `{folder}`: {words}{hint}").into());
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
    let outcomes = verify_all(flags, units, &cache, &process::Folder::new()?);
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
fn verify_all(
    flags: &ScanFlags,
    units: Vec<Unit>,
    cache: &Cache,
    folder: &process::Folder,
) -> Vec<Outcome> {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = flags.jobs.unwrap_or(processors).clamp(1, units.len().max(1));
    let finished = AtomicUsize::new(0);
    let shows = !flags.quiet && std::io::stderr().is_terminal();
    let start = Instant::now();
    let done = process::side_by_side(jobs, units.len(), |index| {
        let unit = &units[index];
        let outcome = cache.get(unit).unwrap_or_else(|| {
            let outcome = verify(flags, folder, unit, index);
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
        Some(outcome)
    });
    if shows {
        eprint!("\r\x1b[K");
    }
    done.into_iter().flatten().collect()
}

/// Runs one child.
fn verify(flags: &ScanFlags, folder: &process::Folder, unit: &Unit, index: usize) -> Outcome {
    let files = folder.files(index);
    let page = flags.report.as_ref().map(|_| format!("{}.html", unit.slug()));
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => return Outcome::failed(unit, format!("cannot find bolide itself: {error}")),
    };
    let mut words: Vec<OsString> = vec![own.into(), "verify".into(), unit.file.clone().into()];
    words.extend(unit.linked.iter().map(OsString::from));
    words.extend(["--entry", unit.entry.as_str()].map(OsString::from));
    words.extend(property_flags(unit.property).iter().map(OsString::from));
    let (time, memory) = (format!("{}ms", flags.timeout.as_millis()), flags.memory.to_string());
    words.extend(["--timeout", &time, "--memory", &memory, "--threads", "1"].map(OsString::from));
    let cpu = flags.cpu_time.map(|cpu| format!("--cpu-time={}ms", cpu.as_millis()));
    words.extend(cpu.map(OsString::from));
    words.extend(["--sarif".into(), files.log().into()]);
    words.extend(unit.flags.iter().map(OsString::from));
    if let (Some(folder), Some(page)) = (&flags.report, &page) {
        words.extend(["--report".into(), folder.join(page).into()]);
    }
    // The child keeps its limits by itself; these are for one that does not.
    let time = flags.timeout * 2 + Duration::from_secs(10);
    let limits = process::Limits { time, cpu: None, memory: flags.memory.saturating_mul(2) };
    let seen = process::run(&words, &limits, &files);
    let log = std::fs::read_to_string(files.log()).unwrap_or_default();
    files.remove();
    if seen.ended == Ended::NotStarted {
        return Outcome::failed(unit, seen.errors);
    }
    // A signal is no exit code.
    let code = seen.code.filter(|code| *code >= 0);
    if code == Some(i32::from(Exit::Usage.code())) && !unit.linked.is_empty() {
        // The files do not fit together.
        let alone = Unit { linked: Vec::new(), ..unit.clone() };
        return verify(flags, folder, &alone, index);
    }
    let mut outcome = Outcome::read(unit, code, &log, &seen.errors);
    outcome.milliseconds = seen.wall.as_millis() as u64;
    outcome.page = page.filter(|page| flags.report.iter().any(|folder| folder.join(page).exists()));
    outcome
}

/// What a property of a scan is for `bolide verify`.
fn property_flags(property: &str) -> Vec<&str> {
    match property {
        // A contract includes that the function's own accesses are valid.
        units::CONTRACT => {
            vec!["--property", "valid-deref", "--property", "valid-free", "--modular", "--quiet"]
        }
        units::FAILED_ALLOCATION => {
            vec!["--property", "valid-deref", "--malloc-may-fail", "--quiet"]
        }
        // Calls of error functions are assertions of another spelling.
        "assert" => {
            vec!["--property", "assert", "--property", "unreach-call", "--quiet", "--vacuity"]
        }
        other => vec!["--property", other, "--quiet", "--vacuity"],
    }
}
