//! `bolide scan`: a whole project, function by function.
//!
//! A unit of work is one property of one entry function of one file
//! ([`units`]): `main` where there is one, every function with a contract, and with
//! `--each-function` every other function, called as a sane caller would (`c-lower::caller`) while global variables
//! have their initial values. Each unit is a child process of its own (`bolide verify`),
//! so that nothing can take the scan down; its answer is the SARIF log it
//! writes. Answers are kept by content ([`cache`]): an interrupted scan goes on
//! where it stopped, and functions that did not change are not verified again.
//!
//! With `--against` only what changed since another version is verified ([`against`]), and what
//! `bolide.toml` accepts does not make a scan fail ([`crate::accepted`]).
//!
//! Functions of other files are found by name ([`linking`]). What is nowhere in the
//! project has no body, and what rests on that says so.

mod against;
mod cache;
mod cluster;
mod files;
mod functions;
mod linking;
mod outcome;
mod page;
mod units;

pub use functions::names as functions_of;
pub use outcome::{Outcome, log, merge};
pub use page::page_head;
pub use units::{Unit, hash, own_print, slug};

use crate::accepted::Accepted;
use crate::exit::{Exit, Stop};
use crate::flags::{Arguments, ScanFlags, Scheduler};
use crate::output::{Places, append, write};
use crate::process::{self, Ended};
use crate::project_file;
use crate::signals;
use against::{Base, Change, Comparison};
use bolide_api::Limits;
use cache::Cache;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Scans; the exit code tells the worst verdict.
pub fn scan(flags: &ScanFlags) -> Result<Exit, Stop> {
    let settings = project_file::settings(&flags.settings);
    let (mut units, unreadable) = units::find(flags, &settings)?;
    if flags.list {
        print!("{}", against::list(&units));
        return Ok(Exit::True);
    }
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
    let places = Places { files: vec![&flags.sarif, &flags.summary], folders: vec![&flags.report] };
    if !places.are_writable() {
        return Ok(Exit::Usage);
    }
    let cache = Cache::open(&cache_folder(flags))?;
    let scratch = process::Folder::new()?;
    signals::watch();
    let compared = flags.against.as_deref().map(|name| compare(name, &units, &cache, &scratch));
    let compared = compared.transpose()?;
    let changes = match &compared {
        Some(compared) => compared.changes.clone(),
        None => vec![Change::New; units.len()],
    };
    let known = cluster::known(&units, &cache);
    if flags.on == Some(Scheduler::Slurm) {
        cluster::warm(flags, &units, &cache, &cache_folder(flags))?;
    }
    let work: Vec<(Unit, Change)> = units.into_iter().zip(changes).collect();
    let is_cut_short = flags.on == Some(Scheduler::Slurm) && signals::interrupted();
    let (mut outcomes, changes) = match is_cut_short {
        true => cluster::so_far(work, &cache),
        false => verify_all(flags, work, &cache, &scratch),
    };
    cluster::keep_only(&known, &mut outcomes);
    let accepted = Accepted::new(&settings, flags.baseline.as_deref())?;
    for outcome in outcomes.iter_mut().filter(|outcome| outcome.verdict == "false") {
        accepted.mark(&mut outcome.result, &outcome.property, &outcome.file, &outcome.entry);
    }
    let text = outcome::table(&outcomes);
    print!("{text}");
    leave_pages(flags, &outcomes, &unreadable)?;
    if let Some(file) = &flags.summary {
        append(file, &against::summary(&outcomes, compared.as_ref(), &changes))?;
    }
    if signals::interrupted() {
        eprintln!("bolide: interrupted; the same command goes on from here");
        return Ok(Exit::Unknown);
    }
    Ok(outcome::exit(&outcomes))
}

fn compare(
    name: &str,
    units: &[Unit],
    cache: &Cache,
    scratch: &process::Folder,
) -> Result<Comparison, String> {
    let base = Base::read(name, scratch)?;
    let changes = units.iter().map(|unit| base.change(unit, cache)).collect();
    let removed = base.removed(units);
    Ok(Comparison { base, changes, removed })
}

fn cache_folder(flags: &ScanFlags) -> PathBuf {
    let project =
        if flags.folder.is_dir() { Some(flags.folder.as_path()) } else { flags.folder.parent() };
    let beside = || project.unwrap_or(Path::new(".")).join(".bolide-cache");
    flags.cache.clone().unwrap_or_else(beside)
}

/// Writes the log and the index where they were asked for.
fn leave_pages(
    flags: &ScanFlags,
    outcomes: &[Outcome],
    unreadable: &units::Unreadable,
) -> Result<(), String> {
    if let Some(file) = &flags.sarif {
        write(file, &format!("{:#}\n", log(outcomes, unreadable)))?;
    }
    if let Some(folder) = &flags.report {
        write(&folder.join("index.html"), &page::index(&flags.folder, outcomes))?;
    }
    Ok(())
}

/// Verifies units side by side; the answers come in the order of the units. What is unchanged is not
/// verified: its answer is known or left out.
fn verify_all(
    flags: &ScanFlags,
    units: Vec<(Unit, Change)>,
    cache: &Cache,
    folder: &process::Folder,
) -> (Vec<Outcome>, Vec<Change>) {
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = flags.jobs.unwrap_or(processors).clamp(1, units.len().max(1));
    let finished = AtomicUsize::new(0);
    let shows = !flags.quiet && std::io::stderr().is_terminal();
    let start = Instant::now();
    let done = process::side_by_side(jobs, units.len(), |index| {
        let (unit, change) = &units[index];
        let outcome = match (cache.get(unit), change) {
            (Some(outcome), _) => outcome,
            (None, Change::None) => return None,
            (None, _) => known_or_verified(flags, folder, unit, index, cache),
        };
        let mut outcomes = vec![outcome];
        let mut last = unit.clone();
        while let Some(outcome) = outcomes.last().filter(|o| o.verdict == "false")
            && unit.is_called
            && outcomes.len() < ALARMS
            && !signals::interrupted()
        {
            last = last.without(outcome.place());
            let next = match cache.get(&last) {
                Some(outcome) => outcome,
                None => known_or_verified(flags, folder, &last, index, cache),
            };
            if next.verdict != "false" {
                break;
            }
            outcomes.push(next);
        }
        let count = finished.fetch_add(1, Ordering::Relaxed) + 1;
        if shows {
            let took = start.elapsed().as_secs();
            let left =
                (process::longest(&flags.limits()) * (units.len() - count) as u32) / jobs as u32;
            eprint!(
                "\r\x1b[K{took}s, at most {}s more | {count}/{} | {}",
                left.as_secs(),
                units.len(),
                unit.name()
            );
        }
        Some(outcomes)
    });
    if shows {
        eprint!("\r\x1b[K");
    }
    let answered = done.into_iter().zip(units);
    let answered = answered.filter_map(|(outcomes, (_, change))| Some((outcomes?, change)));
    answered.flat_map(|(all, change)| all.into_iter().map(move |o| (o, change.clone()))).unzip()
}

/// At most so many violations of one property are told of a function.
const ALARMS: usize = 4;

/// Verifies a unit and keeps the answer.
fn known_or_verified(
    flags: &ScanFlags,
    folder: &process::Folder,
    unit: &Unit,
    index: usize,
    cache: &Cache,
) -> Outcome {
    let outcome = verify(flags, folder, unit, index);
    cache.put(unit, &outcome);
    outcome
}

/// Runs one child.
fn verify(flags: &ScanFlags, folder: &process::Folder, unit: &Unit, index: usize) -> Outcome {
    let files = folder.files(index);
    let page = flags.report.as_ref().map(|_| format!("{}.html", unit.slug()));
    let mut words: Vec<OsString> = vec!["verify".into(), unit.file.clone().into()];
    words.extend(unit.linked.iter().map(OsString::from));
    words.extend(["--no-config", "--entry", unit.entry.as_str()].map(OsString::from));
    words.extend(property_flags(unit.property).iter().map(OsString::from));
    if unit.is_called && flags.arguments == Arguments::Sane {
        words.extend(["--arguments", "sane"].map(OsString::from));
    }
    for place in &unit.except {
        words.extend(["--except".into(), OsString::from(place)]);
    }
    let limits = flags.limits();
    words.extend(process::limit_flags(&limits));
    words.extend(["--threads".into(), "1".into(), "--sarif".into(), files.log().into()]);
    if let Some(place) = &flags.proofs {
        words.extend(["--proofs".into(), place.argument()]);
    }
    words.extend(unit.flags.iter().map(OsString::from));
    if let (Some(folder), Some(page)) = (&flags.report, &page) {
        words.extend(["--report".into(), folder.join(page).into()]);
    }
    let (mut outcome, code) = child(unit, words, &process::lenient(&limits), &files);
    if code == Some(i32::from(Exit::Usage.code())) && !unit.linked.is_empty() {
        // The files do not fit together.
        let alone = Unit { linked: Vec::new(), ..unit.clone() };
        return verify(flags, folder, &alone, index);
    }
    outcome.page = page.filter(|page| flags.report.iter().any(|folder| folder.join(page).exists()));
    outcome
}

/// What our own binary answers to these words, which make it leave its log, and its exit code.
pub fn child(
    unit: &Unit,
    mut words: Vec<OsString>,
    limits: &Limits,
    files: &process::Files,
) -> (Outcome, Option<i32>) {
    match std::env::current_exe() {
        Ok(own) => words.insert(0, own.into()),
        Err(error) => {
            return (Outcome::failed(unit, format!("cannot find bolide itself: {error}")), None);
        }
    }
    let seen = process::run(&words, limits, files);
    let log = std::fs::read_to_string(files.log()).unwrap_or_default();
    files.remove();
    // A signal is no exit code.
    let code = seen.code.filter(|code| *code >= 0);
    if seen.ended == Ended::NotStarted {
        return (Outcome::failed(unit, seen.errors), None);
    }
    if signals::interrupted() && code.is_none() {
        return (Outcome::undecided(unit, "it was interrupted"), None);
    }
    let mut outcome = Outcome::read(unit, code, &log, &seen.errors);
    outcome.milliseconds = seen.wall.as_millis() as u64;
    (outcome, code)
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
