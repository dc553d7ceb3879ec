//! Random SMT-LIB problems, our solver against `z3` and `cvc5`.
//!
//! `cargo xtask fuzz-smt [N] [--seed S]` makes N problems
//! (`bolide_testing`) over all theories that the solver knows, also incremental
//! scripts with scopes and assumptions, runs them in this process and in one
//! long-lived `z3` ([`judge`]), and compares every answer. What else is checked,
//! all of it by z3: models, unsat cores, unsat assumptions, and interpolants of
//! sequences and trees (implications and symbols); proofs go through our
//! independent checker. Where cvc5 is installed, every K-th problem (`--cvc5-every K`) is put before
//! it as well ([`second`]). A problem that fails is made smaller ([`shrink`]) and
//! written to a file; the same seed makes the same problems.
//!
//! `unknown` and time-outs of either side are counted, not failures, except
//! that with `--slow` our time-outs are. Each of ours is listed with its seed and reason, and
//! with `--write-open` its problem is written down; `--only SEED` repeats one. A time-out is one of computing, not of
//! waiting, on systems that tell (Linux). With `--jobs J` J problems run at once, each with judges of its own,
//! because most of the time goes by waiting for each other; what is found does not depend on J.

mod judge;
mod second;
mod shrink;

use bolide_testing::generate::{LOGICS, random_problem};
use judge::{Judge, Verdict};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;

/// So many failures of one kind in one logic are made small and written down.
const ENOUGH: u32 = 3;

#[derive(clap::Args)]
pub struct Settings {
    #[arg(default_value_t = 1000)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long)]
    logic: Option<String>,
    /// Where problems are written down
    #[arg(long, default_value_os_t = std::env::temp_dir().join("fuzz-smt"))]
    out: PathBuf,
    /// Stop at the first failure
    #[arg(long)]
    first: bool,
    /// Stop after so many seconds
    #[arg(long, default_value_t = u64::MAX)]
    seconds: u64,
    /// Time-outs of ours are failures too
    #[arg(long)]
    slow: bool,
    /// How often cvc5 is asked; 0 for never
    #[arg(long, default_value_t = 4)]
    cvc5_every: u64,
    /// So many problems at once
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Write down problems that our solver leaves open
    #[arg(long)]
    write_open: bool,
    /// The one problem of this seed, as the report names it
    #[arg(long)]
    only: Option<u64>,
}

/// What the workers share.
struct Shared<'s> {
    settings: &'s Settings,
    start: std::time::Instant,
    /// The next problem.
    next: AtomicU64,
    stop: AtomicBool,
    /// How often a kind of failure was seen in a logic.
    kinds: Mutex<BTreeMap<(&'static str, String), u32>>,
}

/// What became of a problem.
struct Outcome {
    seed: u64,
    logic: &'static str,
    tally: judge::Counts,
    open: Vec<String>,
    /// The kind, and what was done about it.
    failure: Option<String>,
}

pub fn run(mut settings: Settings) -> Result<bool, String> {
    if settings.only.is_some() {
        settings.count = 1;
    }
    let mut judges = Vec::new();
    for _ in 0..settings.jobs.max(1) {
        judges.push(Judge::new().map_err(|error| format!("cannot run z3: {error}"))?);
    }
    match judges[0].second() {
        Some(version) => println!("second judge: cvc5 {version}"),
        None => println!("second judge: none (the Python package cvc5 is not installed)"),
    }
    judge::record_panics();
    let shared = Shared {
        settings: &settings,
        start: std::time::Instant::now(),
        next: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        kinds: Mutex::default(),
    };
    let mut table: BTreeMap<&'static str, judge::Counts> = BTreeMap::new();
    let mut open: Vec<String> = Vec::new();
    let mut failures = 0;
    let (sender, outcomes) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        for judge in judges {
            let (sender, shared) = (sender.clone(), &shared);
            scope.spawn(move || work(judge, shared, &sender));
        }
        drop(sender);
        let (mut shown, mut done) = (0, 0);
        for outcome in outcomes {
            let counts = table.entry(outcome.logic).or_default();
            counts.count("problems");
            counts.add(&outcome.tally);
            for why in &outcome.open {
                let line = format!("seed {} {}: {why}", outcome.seed, outcome.logic);
                println!("{line}");
                open.push(line);
            }
            if let Some(failure) = &outcome.failure {
                failures += 1;
                counts.count("FAILED");
                println!("seed {} {}: {failure}", outcome.seed, outcome.logic);
            }
            done += 1;
            let elapsed = shared.start.elapsed().as_secs();
            if elapsed >= shown + 10 {
                shown = elapsed;
                let count = settings.count;
                eprintln!("{done} of {count} problems, {failures} failures, {elapsed} s");
            }
        }
    });
    let _ = std::panic::take_hook();
    if !open.is_empty() {
        println!("left open:");
        open.sort();
        open.iter().for_each(|line| println!("  {line}"));
    }
    report(&table);
    Ok(failures == 0)
}

/// Takes problems until there are no more, or no more time.
fn work(mut judge: Judge, shared: &Shared<'_>, outcomes: &Sender<Outcome>) {
    let settings = shared.settings;
    judge.slow_fails = settings.slow;
    loop {
        let number = shared.next.fetch_add(1, Ordering::Relaxed);
        let late = shared.start.elapsed().as_secs() >= settings.seconds;
        if number >= settings.count || late || shared.stop.load(Ordering::Relaxed) {
            return;
        }
        let seed = match settings.only {
            Some(seed) => seed,
            None => settings.seed.wrapping_mul(1_000_003).wrapping_add(number),
        };
        let problem = random_problem(seed, settings.logic.as_deref());
        let every = settings.cvc5_every;
        judge.second_opinion = every > 0 && number.is_multiple_of(every);
        let Verdict { failure, tally, open } = judge.try_problem(&problem);
        let logic = problem.logic;
        if settings.write_open && !open.is_empty() {
            write(settings, logic, seed, &format!("; {}\n{}", open.join("\n; "), problem.text()));
        }
        let failure = failure.map(|failure| {
            if settings.first {
                shared.stop.store(true, Ordering::Relaxed);
            }
            // The first few of a kind tell what the others would.
            let known = shared.kinds.lock().map_or(0, |mut kinds| {
                let known = kinds.entry((logic, failure.kind.clone())).or_insert(0);
                *known += 1;
                *known
            });
            if known > ENOUGH {
                return format!("{} again", failure.kind);
            }
            let small = shrink::shrink(&mut judge, &problem, &failure);
            let last = judge.try_problem(&small).failure.unwrap_or(failure);
            let text = format!("; {}\n{}", last.detail.replace('\n', "\n; "), small.text());
            let path = write(settings, logic, seed, &text);
            format!("{} -> {}", last.kind, path.display())
        });
        if outcomes.send(Outcome { seed, logic, tally, open, failure }).is_err() {
            return;
        }
    }
}

/// Writes a problem down; where.
fn write(settings: &Settings, logic: &str, seed: u64, text: &str) -> PathBuf {
    let path = settings.out.join(format!("{logic}-{seed}.smt2"));
    if let Err(error) = crate::experiment::write(&path, text) {
        eprintln!("fuzz-smt: {error}");
    }
    path
}

fn report(table: &BTreeMap<&'static str, judge::Counts>) {
    println!("{}", judge::Counts::heading());
    let mut total = judge::Counts::default();
    for logic in LOGICS {
        if let Some(counts) = table.get(logic.name) {
            println!("{}", counts.line(logic.name));
            total.add(counts);
        }
    }
    println!("{}", total.line("all"));
}
