//! Random C programs with memory, our verdicts against executions.
//!
//! `cargo xtask attack [N] [--seed S]` makes N programs ([`generate`], [`grammar`]) and asks engines
//! about properties. The judge is gcc with its sanitizers on all short sequences of inputs ([`judge`]). A
//! `true` is wrong if one of them violates the property; a `false` is wrong if
//! the executions were complete, defined, and none did, or (for `unreach-call`) if its harness, compiled by
//! gcc, does not reach the error. Two engines that contradict each other are wrong
//! too, whatever the judge found. `unknown` is counted, not a failure; so is a program that is refused.
//!
//! Asking every engine about everything takes long. Without `--engines` and `--properties`, a program
//! is given to two engines, for what its runs violate and for one property more. A wrong
//! verdict is shrunk ([`shrink`]) and kept.

mod generate;
mod grammar;
mod judge;
mod shrink;

use crate::experiment::{self, Scratch, bolide, output, read, write};
use bolide_testing::Dice;
use judge::{Judged, PROPERTIES, gcc};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const ENGINES: [&str; 8] =
    ["auto", "impact", "predicate", "trace", "clp", "shape", "bounded", "execution"];

#[derive(clap::Args)]
pub struct Settings {
    #[arg(default_value_t = 200)]
    count: u64,
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Two for each program unless given
    #[arg(long, value_delimiter = ',')]
    engines: Vec<String>,
    /// Those that the runs suggest unless given
    #[arg(long, value_delimiter = ',')]
    properties: Vec<String>,
    /// Stop after so many seconds
    #[arg(long, default_value_t = u64::MAX)]
    seconds: u64,
    #[arg(long, default_value = "2s")]
    cpu_time: String,
    #[arg(long, default_value_os_t = std::env::temp_dir().join("attack"))]
    keep: PathBuf,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
    /// Where programs without a verdict go
    #[arg(long)]
    keep_unknown: Option<PathBuf>,
    /// A program that was kept, instead of random ones
    #[arg(long)]
    file: Option<PathBuf>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    right: u32,
    unknown: u32,
    refused: u32,
    wrong: u32,
}

pub fn run(mut settings: Settings) -> Result<bool, String> {
    if settings.file.is_some() {
        settings.count = 1;
        let given = |list: &mut Vec<String>, all: &[&str]| {
            if list.is_empty() {
                list.extend(all.iter().map(|&name| name.to_owned()));
            }
        };
        given(&mut settings.engines, &ENGINES);
        given(&mut settings.properties, &PROPERTIES.map(|p| p.0));
    }
    attack(&settings)
}

/// A verdict that something speaks against.
struct Complaint {
    property: String,
    /// Those who said it, or contradict each other.
    engines: Vec<String>,
    words: String,
}

fn attack(settings: &Settings) -> Result<bool, String> {
    let bench = Bench {
        binary: bolide(&settings.bolide)?,
        folder: Scratch::new("attack")?,
        cpu_time: settings.cpu_time.clone(),
    };
    let mut table: BTreeMap<(String, String), Counts> = BTreeMap::new();
    let (mut refusals, mut events) = (BTreeSet::new(), BTreeMap::new());
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
        let (header, body) = match &settings.file {
            None => {
                let (features, body) = generate::random_program(seed);
                (grammar::header(&features), body)
            }
            Some(file) => (String::new(), read(file)?),
        };
        let judged = judge::judge(&bench.folder, &format!("{header}{body}"))
            .map_err(|e| format!("seed {seed}: {e}"))?;
        programs += 1;
        for word in judged.words() {
            *events.entry(word.to_owned()).or_insert(0u32) += 1;
        }
        let (engines, properties) = questions(settings, seed, &judged);
        for property in &properties {
            let asked = bench.ask(&header, &body, property, &engines, &judged)?;
            for (engine, verdict, is_wrong) in &asked.verdicts {
                if let (Said::Unknown, Some(folder)) = (verdict, &settings.keep_unknown) {
                    let kept = folder.join(format!("{seed}-{property}-{engine}.c"));
                    write(&kept, &format!("{header}{body}"))?;
                }
                let counts = table.entry((engine.clone(), property.clone())).or_default();
                match verdict {
                    _ if *is_wrong => counts.wrong += 1,
                    Said::Unknown => counts.unknown += 1,
                    Said::Refused(why) => {
                        counts.refused += 1;
                        refusals.insert(why.clone());
                    }
                    _ => counts.right += 1,
                }
            }
            if let Some(complaint) = asked.complaint {
                failing += 1;
                println!("seed {seed}: {}", complaint.words);
                let small = bench.shrunk(&header, &body, &complaint);
                let whole = format!("{header}{body}");
                let kept = keep(settings, seed, &complaint, &whole, &small)?;
                println!("{small}-> {}", kept.display());
            }
        }
    }
    let events: Vec<String> = events.iter().map(|(word, n)| format!("{word} {n}")).collect();
    println!("programs with runs that end so: {}", events.join(", "));
    for why in &refusals {
        println!("refused: {why}");
    }
    print_table(&table);
    println!("{programs} programs, {failing} wrong verdicts");
    Ok(failing == 0)
}

/// Writes a program with a wrong verdict, whole and small; where the small one is.
fn keep(
    settings: &Settings,
    seed: u64,
    complaint: &Complaint,
    whole: &str,
    small: &str,
) -> Result<PathBuf, String> {
    let write = |ending: &str, program: &str| {
        let kept = settings.keep.join(format!("{seed}-{}{ending}.c", complaint.property));
        let text = format!("// {}\n// seed {seed}\n{program}", complaint.words);
        write(&kept, &text).map(|()| kept)
    };
    write("", whole)?;
    write("-small", small)
}

fn print_table(table: &BTreeMap<(String, String), Counts>) {
    println!(
        "{:10} {:17} {:>6} {:>8} {:>8} {:>6}",
        "engine", "property", "right", "unknown", "refused", "wrong"
    );
    for ((engine, property), c) in table {
        let Counts { right, unknown, refused, wrong } = c;
        println!("{engine:10} {property:17} {right:>6} {unknown:>8} {refused:>8} {wrong:>6}");
    }
}

/// Whom to ask about what.
fn questions(settings: &Settings, seed: u64, judged: &Judged) -> (Vec<String>, Vec<String>) {
    let mut dice = Dice::new(seed ^ 0x5eed);
    let mut engines = settings.engines.clone();
    while engines.len() < 2 && settings.engines.is_empty() {
        let engine = ENGINES[dice.roll(ENGINES.len())];
        if !engines.iter().any(|e| e == engine) {
            engines.push(engine.to_owned());
        }
    }
    let mut properties = settings.properties.clone();
    if properties.is_empty() {
        let chosen = dice.roll(PROPERTIES.len());
        let suggested = PROPERTIES
            .iter()
            .enumerate()
            .filter(|(i, (name, _))| *i == chosen || judged.violating(name).is_some());
        properties = suggested.map(|(_, (name, _))| (*name).to_owned()).collect();
    }
    (engines, properties)
}

/// Where programs are verified.
struct Bench {
    binary: PathBuf,
    folder: Scratch,
    cpu_time: String,
}

/// What an engine says.
#[derive(PartialEq)]
enum Said {
    True,
    False,
    Unknown,
    /// The program is no C, or not supported.
    Refused(String),
    /// No verdict at all.
    Crashed(String),
}

struct Asked {
    /// Engine, verdict, whether something speaks against it.
    verdicts: Vec<(String, Said, bool)>,
    complaint: Option<Complaint>,
}

impl Bench {
    /// Asks the engines about one property.
    fn ask(
        &self,
        header: &str,
        body: &str,
        property: &str,
        engines: &[String],
        judged: &Judged,
    ) -> Result<Asked, String> {
        // Only for `unreach-call` the error is one; elsewhere runs end there.
        let ends = "void reach_error(void) { __VERIFIER_assume(0); }";
        let header = match property {
            "unreach-call" => header.to_owned(),
            _ => header.replace("extern void reach_error(void);", ends),
        };
        let file = self.folder.write("program.c", &format!("{header}{body}"))?;
        let mut asked = Asked { verdicts: Vec::new(), complaint: None };
        for engine in engines {
            let said = self.verify(&file, property, engine);
            let objection = self.objection(&said, property, judged);
            if let Some(words) = &objection {
                asked.complaint = Some(Complaint {
                    property: property.to_owned(),
                    engines: vec![engine.clone()],
                    words: format!("{engine} {property}: {words}"),
                });
            }
            asked.verdicts.push((engine.clone(), said, objection.is_some()));
        }
        let says = |what: Said| asked.verdicts.iter().find(|v| v.1 == what).map(|v| v.0.clone());
        if let (None, Some(yes), Some(no)) = (&asked.complaint, says(Said::True), says(Said::False))
        {
            asked.complaint = Some(Complaint {
                property: property.to_owned(),
                words: format!("{property}: {yes} says true, {no} says false"),
                engines: vec![yes, no],
            });
        }
        Ok(asked)
    }

    fn verify(&self, file: &Path, property: &str, engine: &str) -> Said {
        let harness = self.folder.join("harness.c");
        let _ = std::fs::remove_file(&harness);
        let mut command = Command::new(&self.binary);
        command
            .args(["verify", "-q", "--property", property, "--engine", engine])
            .args(["--cpu-time", &self.cpu_time, "--memory", "2G", "--harness"])
            .args([&harness, file]);
        let said = match experiment::verify(&mut command) {
            Ok(said) => said,
            Err(why) => return Said::Crashed(why),
        };
        let error = said.messages.trim();
        match said.verdict.as_deref() {
            Some("true") => Said::True,
            Some("unknown") => Said::Unknown,
            Some(other) if other == format!("false({property})") => Said::False,
            _ if said.code == Some(2) => {
                Said::Refused(error.lines().next().unwrap_or("").to_owned())
            }
            verdict => Said::Crashed(format!("{} {error}", verdict.unwrap_or(""))),
        }
    }

    /// What speaks against a verdict.
    fn objection(&self, said: &Said, property: &str, judged: &Judged) -> Option<String> {
        match said {
            Said::Unknown | Said::Refused(_) => None,
            Said::True => {
                let inputs = judged.violating(property)?;
                Some(format!("true, but inputs [{inputs}] violate it"))
            }
            Said::False if judged.excludes(property) => {
                Some("false, but no input violates it".to_owned())
            }
            Said::False if property == "unreach-call" => match self.reaches_error() {
                Ok(true) => None,
                Ok(false) => Some("false, but its harness does not reach the error".to_owned()),
                Err(message) => Some(format!("false, but {message}")),
            },
            Said::False => None,
            Said::Crashed(words) => Some(format!("that is no verdict: {words}")),
        }
    }

    /// Links the harness to the program, as a user would. An assumption that fails
    /// and an error that is reached end the process with different codes.
    fn reaches_error(&self) -> Result<bool, String> {
        let (program, harness) = (self.folder.join("program.c"), self.folder.join("harness.c"));
        let binary = self.folder.join("replayed");
        gcc(&["-O0", "-fwrapv"], &[&program, &harness], &binary)?;
        let output = output(Command::new("timeout").arg("5").arg(&binary))?;
        let said = String::from_utf8_lossy(&output.stderr);
        Ok(said.contains("reach_error") || said.contains("violation"))
    }

    /// A smaller program about which the same engines say the same wrong thing.
    fn shrunk(&self, header: &str, body: &str, complaint: &Complaint) -> String {
        let kind = |words: &str| {
            ["true, but", "no input", "harness", "says true"].iter().position(|k| words.contains(k))
        };
        let is_bad = |lines: &[String]| {
            let body = lines.join("\n") + "\n";
            let Ok(judged) = judge::judge(&self.folder, &format!("{header}{body}")) else {
                return false;
            };
            let asked = self.ask(header, &body, &complaint.property, &complaint.engines, &judged);
            let Ok(Asked { complaint: Some(again), .. }) = asked else { return false };
            kind(&again.words) == kind(&complaint.words)
        };
        let lines: Vec<String> = body.lines().map(str::to_owned).collect();
        format!("{header}{}\n", shrink::shrink(&lines, is_bad).join("\n"))
    }
}
