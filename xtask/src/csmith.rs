//! Random C programs, the interpreter against gcc.
//!
//! `cargo xtask csmith [N] [--seed S]` lets csmith (Yang, Chen, Eide, Regehr, PLDI'11)
//! generate N programs without undefined behaviour from the seeds S, S+1, ...,
//! compiles each with `gcc -O0`, runs it, and compares output and exit status
//! with what parser, lowering and interpreter make of the same preprocessed
//! text. Every third program uses floating point too.
//!
//! Programs that do not end within five seconds, and those for which the
//! interpreter needs too many steps, are counted but prove nothing. On
//! ILP32 the programs become freestanding executables with the small library
//! of `tests/run/support`.

use crate::experiment::{Scratch, in_parallel, lowered, output_within, succeed};
use bolide_base::Span;
use bolide_c_lower::Options;
use bolide_cfa::Target;
use bolide_cfa::interpreter::{Config, Inputs, Outcome, Trace, run as interpret};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

#[derive(clap::Args)]
pub struct Settings {
    // About one in eight does not end; more than 500 remain.
    #[arg(default_value_t = 600)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[arg(long, default_value = "LP64", value_parser = ["LP64", "ILP32"])]
    model: String,
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    jobs: usize,
    /// The interpreter's, for each program
    #[arg(long, default_value_t = 100_000_000)]
    steps: u64,
    /// Where failing programs are kept
    #[arg(long)]
    keep: Option<PathBuf>,
}

impl Settings {
    fn is_ilp32(&self) -> bool {
        self.model == "ILP32"
    }
}

/// What came of one program.
enum Comparison {
    Equal {
        steps: u64,
        time: Duration,
    },
    /// It says nothing: why.
    Skipped(&'static str),
    Different(String),
}

pub fn run(settings: Settings) -> Result<bool, String> {
    let scratch = Scratch::new("csmith")?;
    let headers = headers()?;
    Ok(summary(&in_parallel(settings.jobs, settings.count, |number| {
        let seed = settings.seed + number;
        let comparison = compare(seed, &scratch, &headers, &settings);
        let comparison = comparison.unwrap_or_else(Comparison::Different);
        if let Comparison::Different(message) = &comparison {
            println!("seed {seed}: {}", message.trim_end());
        }
        (seed, comparison)
    })))
}

fn summary(results: &[(u64, Comparison)]) -> bool {
    let (mut equal, mut steps, mut time) = (0, 0, Duration::ZERO);
    let mut failing = Vec::new();
    let mut skipped = std::collections::BTreeMap::new();
    for (seed, comparison) in results {
        match comparison {
            Comparison::Equal { steps: s, time: t } => {
                equal += 1;
                steps += s;
                time += *t;
            }
            Comparison::Skipped(why) => *skipped.entry(*why).or_insert(0) += 1,
            Comparison::Different(_) => failing.push(seed.to_string()),
        }
    }
    println!("{} programs: {equal} equal, {} different", results.len(), failing.len());
    for (why, n) in skipped {
        println!("  {n} skipped: {why}");
    }
    if time > Duration::ZERO {
        let rate = steps as f64 / time.as_secs_f64() / 1e6;
        println!("  {steps} steps in {:.1} s, {rate:.1} million a second", time.as_secs_f64());
    }
    if failing.is_empty() {
        return equal > 0;
    }
    println!("  failing seeds: {}", failing.join(" "));
    false
}

/// Where `csmith.h` lies.
fn headers() -> Result<PathBuf, String> {
    let mut candidates = vec![PathBuf::from("/usr/include/csmith")];
    if let Some(home) = std::env::var_os("CSMITH_HOME") {
        candidates.insert(0, PathBuf::from(home).join("include"));
    }
    for parent in ["/usr/include", "/usr/local/include"] {
        let Ok(entries) = std::fs::read_dir(parent) else { continue };
        let named =
            |p: &PathBuf| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with("csmith"));
        candidates.extend(entries.flatten().map(|e| e.path()).filter(named));
    }
    candidates
        .into_iter()
        .find(|p| p.join("csmith.h").exists())
        .ok_or_else(|| "csmith.h not found: install csmith and libcsmith-dev".into())
}

fn compare(
    seed: u64,
    scratch: &Scratch,
    headers: &Path,
    settings: &Settings,
) -> Result<Comparison, String> {
    let support = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/run/support");
    let path = |extension: &str| scratch.join(&format!("{seed}.{extension}"));
    let (source, text, binary) = (path("c"), path("i"), path("out"));
    let mut command = Command::new("csmith");
    command.args(["--seed", &seed.to_string(), "--output"]).arg(&source);
    if seed.is_multiple_of(3) {
        command.arg("--float");
    }
    // The generators write `platform.info` beside each other and sometimes trip over it; a
    // program that was not made says nothing about us.
    if succeed(&mut command).is_err() && succeed(&mut command).is_err() {
        return Ok(Comparison::Skipped("csmith made no program"));
    }
    let ilp32 = settings.is_ilp32();
    let mut command = Command::new("gcc");
    command.args(["-E", "-w"]);
    if ilp32 {
        let include = succeed(Command::new("gcc").arg("-print-file-name=include"))?;
        command.args(["-m32", "-ffreestanding", "-nostdinc", "-isystem"]);
        command.arg(support.join("include"));
        command.arg("-isystem").arg(String::from_utf8_lossy(&include).trim());
    }
    command.arg("-I").arg(headers).arg(&source).arg("-o").arg(&text);
    succeed(&mut command)?;
    let mut command = Command::new("gcc");
    command.args(["-O0", "-w"]).arg(&text);
    if ilp32 {
        command.args(["-m32", "-ffreestanding", "-nostdlib", "-static", "-no-pie", "-fno-pie"]);
        command.args(["-fno-stack-protector", "-msse2", "-mfpmath=sse"]);
        command.arg(support.join("ilp32.c"));
    }
    succeed(command.arg("-o").arg(&binary))?;
    let comparison = compare_runs(&text, &binary, settings)?;
    let _ = std::fs::remove_file(&binary);
    if let (Comparison::Different(_), Some(keep)) = (&comparison, &settings.keep) {
        let _ = std::fs::create_dir_all(keep);
        let _ = std::fs::copy(&source, keep.join(format!("{seed}.c")));
        let _ = std::fs::copy(&text, keep.join(format!("{seed}.i")));
    }
    let _ = (std::fs::remove_file(&source), std::fs::remove_file(&text));
    Ok(comparison)
}

fn compare_runs(text: &Path, binary: &Path, settings: &Settings) -> Result<Comparison, String> {
    let ended = output_within(&mut Command::new(binary), Duration::from_secs(5));
    let Some(ended) = ended.map_err(|e| format!("cannot run the binary: {e}"))? else {
        return Ok(Comparison::Skipped("gcc's binary does not end in time"));
    };
    let (expected, status) = (ended.stdout, ended.status);
    let end = status.code().map_or_else(|| status.to_string(), |code| format!("status {code}"));
    if end == "status 99" && settings.is_ilp32() {
        return Ok(Comparison::Skipped("the small library cannot print it"));
    }
    let begin = Instant::now();
    let target = if settings.is_ilp32() { Target::ILP32 } else { Target::LP64 };
    let (program, sources) = match lowered(text, &Options { target, ..Options::default() }) {
        Ok(lowered) => lowered,
        Err(errors) => return Ok(Comparison::Different(errors)),
    };
    let config =
        Config { step_limit: settings.steps, trace: Trace::Last(100), ..Config::default() };
    let run = interpret(&program, &mut Inputs::default(), &config);
    let found = match run.outcome {
        Outcome::StepLimit => {
            return Ok(Comparison::Skipped("the interpreter needs too many steps"));
        }
        Outcome::Finished { status: Some(status) } => format!("status {}", status & 0xff),
        Outcome::Undefined { reason, edge } => {
            let span = edge.map_or(Span::NONE, |e| program.edges[e].origin.span);
            let place = sources.physical_position(span.start).map(|p| p.to_string());
            format!("undefined behaviour at {}: {reason}", place.unwrap_or_default())
        }
        other => format!("{other:?}"),
    };
    if found != end {
        return Ok(Comparison::Different(format!("gcc {end}, interpreter {found}")));
    }
    if run.stdout != expected {
        let [gcc, ours] = [&expected, &run.stdout].map(|b| String::from_utf8_lossy(b).into_owned());
        return Ok(Comparison::Different(format!("gcc prints {gcc:?}, interpreter {ours:?}")));
    }
    Ok(Comparison::Equal { steps: run.steps, time: begin.elapsed() })
}
