//! Programs that test a C compiler on themselves, our verdicts against gcc's binary.
//!
//! `cargo xtask torture FOLDER [--cpu-time T] [--jobs J] [--engine E] [--bolide PATH] [--only WORD] [--expect PERCENT]`
//! takes every `.c` file of the folder, such as a checkout of `gcc-c-torture/execute` of
//! `llvm/llvm-test-suite`. Such a program asks for nothing and calls `abort` where the
//! compiler is wrong. Where gcc's binary (without optimisation) ends with status 0, a call
//! of `abort` is not reachable: `true` is right, `false` is wrong, and everything else is listed with its reason.
//! Programs that gcc does not take, or that end otherwise, prove nothing.

use crate::experiment::{Scratch, bolide, files_below, in_parallel, verify};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[derive(clap::Args)]
pub struct Settings {
    /// gcc-c-torture/execute of llvm/llvm-test-suite
    folder: PathBuf,
    #[arg(long, default_value = "10s")]
    cpu_time: String,
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    #[arg(long, default_value = "auto")]
    engine: String,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
    /// Programs with this in their path
    #[arg(long, default_value = "")]
    only: String,
    /// Fewer percent of `true` than this are a failure
    #[arg(long, default_value_t = 0.0)]
    expect: f64,
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

pub fn run(settings: Settings) -> Result<bool, String> {
    let bolide = bolide(&settings.bolide)?;
    let scratch = Scratch::new("torture")?;
    let property = "CHECK( init(main()), LTL(G ! call(abort())) )\n";
    let property = scratch.write("abort.prp", property)?;
    let mut programs = files_below(&settings.folder, &["c"]);
    // Folders below it hold programs that want options or companions.
    programs.retain(|p| p.parent() == Some(&settings.folder));
    programs.retain(|p| p.to_string_lossy().contains(&settings.only));
    let endings = in_parallel(settings.jobs, programs.len() as u64, |number| {
        if number.is_multiple_of(100) {
            eprintln!("{number} of {}", programs.len());
        }
        let program = &programs[number as usize];
        match gcc_ends(program, &scratch.join(&number.to_string())) {
            Err(why) => Ending::Skipped(why),
            Ok(()) => ending(&bolide, program, &property, &settings),
        }
    });
    Ok(report(programs.iter().zip(&endings), settings.expect))
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

fn ending(bolide: &Path, program: &Path, property: &Path, settings: &Settings) -> Ending {
    let mut command = Command::new(bolide);
    command
        .args(["verify", "--data-model", "LP64", "--threads", "1", "--memory", "4G"])
        .args(["--cpu-time", &settings.cpu_time, "--engine", &settings.engine, "--property"])
        .args([property, program]);
    let said = match verify(&mut command) {
        Ok(said) => said,
        Err(why) => return Ending::Open(why),
    };
    let complaints = || said.messages.lines();
    match said.verdict.as_deref() {
        Some("true") => Ending::Proved,
        Some("unknown") => {
            let why = said.text.lines().find_map(|line| line.strip_prefix("no verdict: "));
            let error = complaints().find_map(|line| line.split_once("error: "));
            let why = why.or(error.map(|e| e.1)).unwrap_or("no reason");
            Ending::Open(why.to_owned())
        }
        Some(verdict) => Ending::Wrong(verdict.to_owned()),
        None => {
            let error = complaints().find(|line| line.contains("error"));
            let first = error.or(complaints().next()).unwrap_or("says nothing");
            Ending::Open(first.split_once("error: ").map_or(first, |e| e.1).to_owned())
        }
    }
}

/// Prints the open ones by reason, most frequent first, then the counts.
fn report<'a>(endings: impl Iterator<Item = (&'a PathBuf, &'a Ending)>, expect: f64) -> bool {
    let mut by_reason: BTreeMap<&Ending, Vec<String>> = BTreeMap::new();
    for (program, ending) in endings {
        let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        by_reason.entry(ending).or_default().push(name);
    }
    let mut rows: Vec<(&Ending, Vec<String>)> = by_reason.into_iter().collect();
    rows.sort_by_key(|(ending, names)| (std::cmp::Reverse(names.len()), *ending));
    let (mut proved, mut wrong, mut open) = (0, 0, 0);
    for (ending, names) in &rows {
        let (count, names) = (names.len(), names.join(" "));
        match ending {
            Ending::Proved => proved += count,
            Ending::Skipped(why) => println!("skipped, {why}: {names}"),
            Ending::Wrong(verdict) => {
                wrong += count;
                println!("WRONG, {verdict}: {names}");
            }
            Ending::Open(why) => {
                open += count;
                println!("open, {why}: {names}");
            }
        }
    }
    let asked = proved + wrong + open;
    let share = 100.0 * proved as f64 / asked.max(1) as f64;
    println!("{asked} programs: {proved} true ({share:.1} %), {open} unknown, {wrong} wrong");
    wrong == 0 && share >= expect
}
