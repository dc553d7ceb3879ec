//! Programs that test a C compiler on themselves, our verdicts against gcc's binary.
//!
//! `cargo xtask torture FOLDER [--timeout T] [--jobs J] [--engine E] [--bolide PATH] [--only WORD] [--expect PERCENT]`
//! takes every `.c` file of the folder, such as a checkout of `gcc-c-torture/execute` of
//! `llvm/llvm-test-suite`. Such a program asks for nothing and calls `abort` where the
//! compiler is wrong. Where gcc's binary (without optimisation) ends with status 0, a call
//! of `abort` is not reachable: `true` is right, `false` is wrong, and everything else is listed with its reason.
//! Programs that gcc does not take, or that end otherwise, prove nothing.

use crate::attack::binary;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

struct Settings {
    folder: PathBuf,
    timeout: String,
    jobs: usize,
    engine: String,
    /// None: built now.
    bolide: Option<PathBuf>,
    only: String,
    /// Fewer `true` than this are a failure.
    expect: f64,
}

fn settings(arguments: &[String]) -> Result<Settings, String> {
    let mut settings = Settings {
        folder: PathBuf::new(),
        timeout: "10s".into(),
        jobs: 1,
        engine: "auto".into(),
        bolide: None,
        only: String::new(),
        expect: 0.0,
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().cloned().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--timeout" => settings.timeout = value()?,
            "--jobs" => settings.jobs = value()?.parse().map_err(|_| "jobs are a number")?,
            "--engine" => settings.engine = value()?,
            "--bolide" => settings.bolide = Some(PathBuf::from(value()?)),
            "--only" => settings.only = value()?,
            "--expect" => settings.expect = value()?.parse().map_err(|_| "a percentage")?,
            folder => settings.folder = PathBuf::from(folder),
        }
    }
    if settings.folder.as_os_str().is_empty() {
        return Err("which folder? (gcc-c-torture/execute of llvm/llvm-test-suite)".into());
    }
    Ok(settings)
}

/// What came of one program.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Ending {
    /// It proves nothing: why.
    Skipped(&'static str),
    Proved,
    Wrong(String),
    /// No verdict: why.
    Open(String),
}

/// Runs the task; the exit code.
pub fn run(arguments: &[String]) -> i32 {
    let outcome = settings(arguments).and_then(|settings| torture(&settings));
    outcome.unwrap_or_else(|message| {
        eprintln!("torture: {message}");
        2
    })
}

fn torture(settings: &Settings) -> Result<i32, String> {
    let bolide = settings.bolide.clone().map_or_else(binary, Ok)?;
    let scratch = std::env::temp_dir().join(format!("bolide-torture-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|e| e.to_string())?;
    let property = scratch.join("abort.prp");
    std::fs::write(&property, "CHECK( init(main()), LTL(G ! call(abort())) )\n")
        .map_err(|e| e.to_string())?;
    let programs = programs(settings)?;
    let next = AtomicUsize::new(0);
    let endings = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(program) = programs.get(number) else { return };
                    if number.is_multiple_of(100) {
                        eprintln!("{number} of {}", programs.len());
                    }
                    let ending = match gcc_ends(program, &scratch.join(format!("{number}"))) {
                        Err(why) => Ending::Skipped(why),
                        Ok(()) => verify(&bolide, program, &property, settings),
                    };
                    endings.lock().expect("no thread panics").insert(program.clone(), ending);
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(report(&endings.into_inner().expect("no thread panics"), settings.expect))
}

fn programs(settings: &Settings) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(&settings.folder)
        .map_err(|e| format!("{}: {e}", settings.folder.display()))?;
    let mut programs: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|e| e.path()))
        .filter(|p| p.extension().is_some_and(|e| e == "c"))
        .filter(|p| p.to_string_lossy().contains(&settings.only))
        .collect();
    programs.sort();
    Ok(programs)
}

/// Whether gcc's binary ends with status 0.
fn gcc_ends(program: &Path, binary: &Path) -> Result<(), &'static str> {
    let quiet = |command: &mut Command| {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    if !quiet(Command::new("gcc").args(["-O0", "-w"]).arg(program).arg("-o").arg(binary).arg("-lm"))
    {
        return Err("gcc does not take it");
    }
    let ended = quiet(Command::new("timeout").arg("10").arg(binary));
    let _ = std::fs::remove_file(binary);
    if ended { Ok(()) } else { Err("gcc's binary does not end with status 0") }
}

fn verify(bolide: &Path, program: &Path, property: &Path, settings: &Settings) -> Ending {
    let output = Command::new(bolide)
        .args(["verify", "--data-model", "LP64", "--threads", "1", "--memory", "4G"])
        .args(["--timeout", &settings.timeout, "--engine", &settings.engine, "--property"])
        .args([property, program])
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else { return Ending::Open("does not start".into()) };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    match text.lines().last().and_then(|line| line.strip_prefix("RESULT: ")) {
        Some("true") => Ending::Proved,
        Some("unknown") => {
            let why = text.lines().find_map(|line| line.strip_prefix("no verdict: "));
            let error = complaints.lines().find_map(|line| line.split_once("error: "));
            let why = why.or(error.map(|e| e.1)).unwrap_or("no reason");
            Ending::Open(why.to_owned())
        }
        Some(verdict) => Ending::Wrong(verdict.to_owned()),
        None => {
            let error = complaints.lines().find(|line| line.contains("error"));
            let first = error.or(complaints.lines().next()).unwrap_or("says nothing");
            Ending::Open(first.split_once("error: ").map_or(first, |e| e.1).to_owned())
        }
    }
}

/// Prints the open ones by reason, most frequent first, then the counts.
fn report(endings: &BTreeMap<PathBuf, Ending>, expect: f64) -> i32 {
    let mut by_reason: BTreeMap<&Ending, Vec<String>> = BTreeMap::new();
    for (program, ending) in endings {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        by_reason.entry(ending).or_default().push(name);
    }
    let mut rows: Vec<(&Ending, Vec<String>)> = by_reason.into_iter().collect();
    rows.sort_by_key(|(ending, names)| (std::cmp::Reverse(names.len()), *ending));
    let count = |is: fn(&Ending) -> bool| endings.values().filter(|&e| is(e)).count();
    let proved = count(|e| *e == Ending::Proved);
    let wrong = count(|e| matches!(e, Ending::Wrong(_)));
    let open = count(|e| matches!(e, Ending::Open(_)));
    for (ending, names) in &rows {
        let names = names.join(" ");
        match ending {
            Ending::Proved => {}
            Ending::Skipped(why) => println!("skipped, {why}: {names}"),
            Ending::Wrong(verdict) => println!("WRONG, {verdict}: {names}"),
            Ending::Open(why) => println!("open, {why}: {names}"),
        }
    }
    let asked = proved + wrong + open;
    let share = 100.0 * proved as f64 / asked.max(1) as f64;
    println!("{asked} programs: {proved} true ({share:.1} %), {open} unknown, {wrong} wrong");
    i32::from(wrong > 0 || share < expect)
}
