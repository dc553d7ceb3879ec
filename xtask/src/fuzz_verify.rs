//! Random C programs, our verdicts against executions.
//!
//! `cargo xtask fuzz-verify [N] [--seed S] [--engine E]... [--seconds T]
//! [--timeout T] [--keep DIR]` makes N programs ([`generate`]) and asks every engine
//! whether an error is reachable and whether signed arithmetic can overflow.
//! The judge is gcc: the program, instrumented so that undefined behaviour
//! ends a run, is executed on all short sequences of inputs (`judge.c`). A
//! `true` is wrong if one of them fails; a `false` is wrong if its harness,
//! compiled by gcc, does not reach the violation, or if the executions were
//! complete and none failed. Two engines that contradict each other are wrong
//! too, whatever the judge found. `unknown` is counted, not a failure.

mod generate;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

struct Settings {
    count: u64,
    seed: u64,
    engines: Vec<String>,
    seconds: u64,
    timeout: String,
    keep: PathBuf,
}

fn settings(arguments: &[String]) -> Result<Settings, String> {
    let mut settings = Settings {
        count: 200,
        seed: 1,
        engines: Vec::new(),
        seconds: u64::MAX,
        timeout: "2s".into(),
        keep: std::env::temp_dir().join("fuzz-verify"),
    };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let mut value = || rest.next().cloned().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--seed" => settings.seed = value()?.parse().map_err(|_| "a seed is a number")?,
            "--engine" => settings.engines.push(value()?),
            "--seconds" => settings.seconds = value()?.parse().map_err(|_| "a number")?,
            "--timeout" => settings.timeout = value()?,
            "--keep" => settings.keep = PathBuf::from(value()?),
            n => settings.count = n.parse().map_err(|_| format!("`{n}` is not understood"))?,
        }
    }
    if settings.engines.is_empty() {
        settings.engines = ["auto", "impact", "predicate"].map(String::from).to_vec();
    }
    Ok(settings)
}

/// What executions say.
struct Judged {
    error: Option<String>,
    overflow: Option<String>,
    /// A run did something else that is undefined.
    undefined: bool,
    complete: bool,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    right: u32,
    unknown: u32,
    wrong: u32,
}

/// Runs the task; the exit code.
pub fn run(arguments: &[String]) -> i32 {
    let outcome = settings(arguments).and_then(|settings| fuzz(&settings));
    outcome.unwrap_or_else(|message| {
        eprintln!("fuzz-verify: {message}");
        2
    })
}

fn fuzz(settings: &Settings) -> Result<i32, String> {
    let binary = binary()?;
    let folder = std::env::temp_dir().join(format!("bolide-verify-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
    let mut table: BTreeMap<(String, &str), Counts> = BTreeMap::new();
    let (mut programs, mut failing) = (0, 0);
    let start = Instant::now();
    let mut shown = Duration::ZERO;
    for number in 0..settings.count {
        if start.elapsed().as_secs() >= settings.seconds {
            break;
        }
        if start.elapsed() > shown + Duration::from_secs(10) {
            shown = start.elapsed();
            eprintln!("{number} of {} programs, {failing} failing", settings.count);
        }
        let seed = settings.seed.wrapping_mul(1_000_003).wrapping_add(number);
        let program = generate::random_program(seed);
        let file = folder.join("program.c");
        std::fs::write(&file, &program).map_err(|e| e.to_string())?;
        let judged = judge(&folder, &program)?;
        programs += 1;
        let mut complaints = Vec::new();
        for property in ["unreach-call", "no-overflow"] {
            let mut said: BTreeMap<&str, &str> = BTreeMap::new();
            for engine in &settings.engines {
                let harness = folder.join("harness.c");
                let verdict = verify(&binary, &file, property, engine, settings, &harness);
                let complaint = objection(&verdict, property, &judged, &folder);
                let counts = table.entry((engine.clone(), property)).or_default();
                match (&complaint, verdict.as_str()) {
                    (Some(_), _) => counts.wrong += 1,
                    (None, "unknown") => counts.unknown += 1,
                    (None, _) => counts.right += 1,
                }
                let kind = if verdict == "true" { "true" } else { "false" };
                if verdict != "unknown" && complaint.is_none() {
                    said.insert(kind, engine);
                }
                complaints
                    .extend(complaint.map(|c| format!("{engine} {property}: {verdict}, but {c}")));
            }
            if let (Some(yes), Some(no)) = (said.get("true"), said.get("false")) {
                complaints.push(format!("{property}: {yes} says true, {no} says false"));
            }
        }
        if !complaints.is_empty() {
            failing += 1;
            let kept = settings.keep.join(format!("{seed}.c"));
            let _ = std::fs::create_dir_all(&settings.keep);
            let text = format!("// {}\n{program}", complaints.join("\n// "));
            std::fs::write(&kept, text).map_err(|e| e.to_string())?;
            println!("seed {seed}: {} -> {}", complaints.join("; "), kept.display());
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    println!("{:10} {:13} {:>6} {:>8} {:>6}", "engine", "property", "right", "unknown", "wrong");
    for ((engine, property), c) in &table {
        println!("{engine:10} {property:13} {:>6} {:>8} {:>6}", c.right, c.unknown, c.wrong);
    }
    println!("{programs} programs, {failing} failing");
    Ok(i32::from(failing > 0))
}

/// The command of the same build.
pub fn binary() -> Result<PathBuf, String> {
    let status = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(["build", "--release", "--quiet", "--package", "bolide"])
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    let this = std::env::current_exe().map_err(|e| e.to_string())?;
    let binary = this.with_file_name("bolide");
    if status.success() && binary.exists() {
        Ok(binary)
    } else {
        Err(format!("{} could not be built", binary.display()))
    }
}

fn gcc(arguments: &[&str], files: &[&Path], output: &Path) -> Result<(), String> {
    let output = Command::new("gcc")
        .args(["-w", "-std=gnu11"])
        .args(arguments)
        .args(files)
        .arg("-o")
        .arg(output)
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("cannot run gcc: {e}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("gcc failed: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Instruments: undefined behaviour calls a handler of the judge's.
const SANITIZE: [&str; 3] = ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"];

fn judge(folder: &Path, program: &str) -> Result<Judged, String> {
    // Inputs are asked with their range, so that all of them can be tried.
    let own = "int judge_input(int, int);\n#define main program_main\n";
    let text = program.replace("static int input(", "static int unused_input(");
    let text = text.replace(" input(", " judge_input(").replace("(input(", "(judge_input(");
    let (file, judge, binary) =
        (folder.join("judged.c"), folder.join("judge.c"), folder.join("judged"));
    std::fs::write(&file, format!("{own}{text}")).map_err(|e| e.to_string())?;
    std::fs::write(&judge, include_str!("fuzz_verify/judge.c")).map_err(|e| e.to_string())?;
    let object = folder.join("judged.o");
    gcc(&[&SANITIZE[..], &["-c"]].concat(), &[&file], &object)?;
    gcc(&["-O1"], &[&object, &judge], &binary)?;
    let output = Command::new(&binary).output().map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = |word: &str| {
        text.lines().find_map(|l| l.strip_prefix(word)).map(|rest| rest.trim().to_owned())
    };
    let complete = line("complete").is_some();
    if !complete && line("incomplete").is_none() {
        return Err("the judge did not end as it should".into());
    }
    let undefined = line("undefined").is_some();
    Ok(Judged { error: line("error"), overflow: line("overflow"), undefined, complete })
}

fn verify(
    binary: &Path,
    file: &Path,
    property: &str,
    engine: &str,
    settings: &Settings,
    harness: &Path,
) -> String {
    let _ = std::fs::remove_file(harness);
    let output = Command::new(binary)
        .args(["verify", "-q", "--property", property, "--engine", engine])
        .args(["--timeout", &settings.timeout, "--memory", "2G", "--harness"])
        .arg(harness)
        .arg(file)
        .stdin(Stdio::null())
        .output();
    let Ok(output) = output else { return "does not start".into() };
    let text = String::from_utf8_lossy(&output.stdout);
    let verdict = text.lines().last().and_then(|l| l.strip_prefix("RESULT: "));
    verdict.map_or_else(
        || format!("no verdict: {}", String::from_utf8_lossy(&output.stderr).trim()),
        str::to_owned,
    )
}

/// What speaks against a verdict.
fn objection(verdict: &str, property: &str, judged: &Judged, folder: &Path) -> Option<String> {
    let failing = if property == "unreach-call" { &judged.error } else { &judged.overflow };
    match verdict {
        "unknown" => None,
        "true" => failing.as_ref().map(|inputs| format!("inputs [{inputs}] fail")),
        v if v.starts_with("false") => {
            // What happens after undefined behaviour is for nobody to say.
            let defined =
                !judged.undefined && (judged.overflow.is_none() || property != "unreach-call");
            if judged.complete && defined && failing.is_none() {
                return Some("no input fails".into());
            }
            if property != "unreach-call" {
                return None;
            }
            match reaches_error(folder) {
                Ok(true) => None,
                Ok(false) => Some("its harness does not reach the error".into()),
                Err(message) => Some(message),
            }
        }
        _ => Some("that is no verdict".into()),
    }
}

/// Links the harness to the program, as a user would. An assumption that fails
/// and an error that is reached end the process with different codes.
fn reaches_error(folder: &Path) -> Result<bool, String> {
    let (program, harness) = (folder.join("program.c"), folder.join("harness.c"));
    let binary = folder.join("replayed");
    gcc(&["-O0", "-fwrapv"], &[&program, &harness], &binary)?;
    let output = Command::new("timeout").arg("5").arg(&binary).output();
    let output = output.map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr);
    Ok(said.contains("reach_error") || said.contains("violation"))
}
