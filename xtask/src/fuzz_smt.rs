//! Random SMT-LIB problems, our solver against `z3` and `cvc5`.
//!
//! `cargo xtask fuzz-smt [N] [--seed S] [--logic L] [--out DIR]
//! [--seconds T] [--cvc5-every K]` makes N problems
//! ([`generate`]) over all theories that the solver knows, also incremental
//! scripts with scopes and assumptions, runs them in this process and in one
//! long-lived `z3` ([`judge`]), and compares every answer. What else is checked,
//! all of it by z3: models, unsat cores, unsat assumptions, and interpolants of
//! sequences and trees (implications and symbols); proofs go through our
//! independent checker. Where cvc5 is installed, every K-th problem (4 unless told, 0 for none) is put before
//! it as well ([`second`]). A problem that fails is made smaller ([`shrink`]) and
//! written to a file; the same seed makes the same problems.
//!
//! `unknown` and time-outs of either side are counted, not failures, except
//! that with `--slow` our time-outs are.

mod generate;
pub use generate::Dice;
mod judge;
mod problem;
mod second;
mod shrink;

use generate::{LOGICS, random_problem};
use judge::{Judge, Verdict};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// So many failures of one kind in one logic are made small and written down.
const ENOUGH: u32 = 3;

struct Settings {
    count: u64,
    seed: u64,
    logic: Option<String>,
    out: PathBuf,
    keep_going: bool,
    /// Stop after so many seconds.
    seconds: u64,
    /// Time-outs of ours are failures too.
    slow: bool,
    /// How often cvc5 is asked.
    second_every: u64,
}

fn settings(args: &[String]) -> Result<Settings, String> {
    let mut settings = Settings {
        count: 1000,
        seed: 1,
        logic: None,
        out: std::env::temp_dir().join("fuzz-smt"),
        keep_going: true,
        seconds: u64::MAX,
        slow: false,
        second_every: 4,
    };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let mut value = || rest.next().cloned().ok_or_else(|| format!("{arg} needs a value"));
        match arg.as_str() {
            "--seed" => settings.seed = value()?.parse().map_err(|_| "a seed is a number")?,
            "--logic" => settings.logic = Some(value()?),
            "--out" => settings.out = PathBuf::from(value()?),
            "--seconds" => settings.seconds = value()?.parse().map_err(|_| "a number")?,
            "--cvc5-every" => settings.second_every = value()?.parse().map_err(|_| "a number")?,
            "--slow" => settings.slow = true,
            "--first" => settings.keep_going = false,
            number => {
                settings.count = number.parse().map_err(|_| format!("{number}: not understood"))?;
            }
        }
    }
    Ok(settings)
}

/// Runs the task; the exit code.
pub fn run(args: &[String]) -> i32 {
    let settings = match settings(args) {
        Ok(settings) => settings,
        Err(message) => {
            eprintln!("fuzz-smt: {message}");
            return 2;
        }
    };
    let mut judge = match Judge::new() {
        Ok(judge) => judge,
        Err(error) => {
            eprintln!("fuzz-smt: cannot run z3: {error}");
            return 2;
        }
    };
    judge.slow_fails = settings.slow;
    judge.second_every = settings.second_every;
    match judge.second() {
        Some(version) => println!("second judge: cvc5 {version}"),
        None => println!("second judge: none (the Python package cvc5 is not installed)"),
    }
    judge::record_panics();
    let mut table: BTreeMap<&'static str, judge::Counts> = BTreeMap::new();
    let mut kinds: BTreeMap<(&'static str, String), u32> = BTreeMap::new();
    let mut failures = 0;
    let start = std::time::Instant::now();
    let mut shown = 0;
    for number in 0..settings.count {
        let elapsed = start.elapsed().as_secs();
        if elapsed >= settings.seconds {
            break;
        }
        if elapsed >= shown + 10 {
            shown = elapsed;
            eprintln!("{number} of {} problems, {failures} failures, {elapsed} s", settings.count);
        }
        let seed = settings.seed.wrapping_mul(1_000_003).wrapping_add(number);
        let problem = random_problem(seed, settings.logic.as_deref());
        let counts = table.entry(problem.logic).or_default();
        counts.problems += 1;
        let Verdict { failure, tally } = judge.try_problem(&problem);
        counts.add(&tally);
        if tally.is_slow() {
            println!("seed {seed} {}: time-out", problem.logic);
        }
        let Some(failure) = failure else { continue };
        failures += 1;
        counts.failures += 1;
        // The first few of a kind tell what the others would.
        let known = kinds.entry((problem.logic, failure.kind.clone())).or_insert(0u32);
        *known += 1;
        if *known > ENOUGH {
            println!("seed {seed} {}: {} again", problem.logic, failure.kind);
            continue;
        }
        let small = shrink::shrink(&mut judge, &problem, &failure);
        let last = judge.try_problem(&small).failure.unwrap_or(failure);
        let path = settings.out.join(format!("{}-{seed}.smt2", problem.logic));
        let _ = std::fs::create_dir_all(&settings.out);
        let text = format!("; {}\n{}", last.detail.replace('\n', "\n; "), small.text());
        if let Err(error) = std::fs::write(&path, &text) {
            eprintln!("fuzz-smt: cannot write {}: {error}", path.display());
        }
        println!("seed {seed} {}: {} -> {}", problem.logic, last.kind, path.display());
        if !settings.keep_going {
            break;
        }
    }
    let _ = std::panic::take_hook();
    report(&table);
    i32::from(failures > 0)
}

fn report(table: &BTreeMap<&'static str, judge::Counts>) {
    println!("{}", judge::Counts::heading());
    let mut total = judge::Counts::default();
    for logic in LOGICS {
        if let Some(counts) = table.get(logic.name) {
            println!("{}", counts.line(logic.name));
            total.problems += counts.problems;
            total.failures += counts.failures;
            total.add(counts);
        }
    }
    println!("{}", total.line("all"));
}
