//! `cargo xtask papers FOLDER`: the drivers of the tables in "Abstractions from proofs" and "Lazy abstraction with
//! interpolants", as these papers search.
//!
//! The folder holds the directories `ntdrivers` and `ntdrivers-simplified` of the public benchmarks. These are the
//! papers' drivers as they were preserved: cut to one property by hand (`simplified`), or whole but with another harness; so
//! lines and figures need not be the papers', whose own sources are not public. For each the engine runs with
//! `--as-in-paper` (statements as steps, or with blocks, which is how both tools of the papers were measured), and for
//! `predicate` once more with the predicates that it found ("Reach"). `trace` and `clp`, whose papers have no drivers, run
//! beside them. Processor time on one core.

use crate::experiment::{Scratch, bolide, verify};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {
    folder: PathBuf,
    /// Seconds for each run
    #[arg(long, default_value_t = 60)]
    limit: u64,
    /// The command to run
    #[arg(long)]
    bolide: Option<PathBuf>,
}

/// A driver, and the seconds of the papers: "Craig + Locality" from nothing and with the predicates known, and IMPACT.
const DRIVERS: &[(&str, &str, [f64; 3])] = &[
    ("kbfiltr", "ntdrivers-simplified/kbfiltr_simpl1.cil.c", [228.0, 10.0, 3.15]),
    ("diskperf", "ntdrivers-simplified/diskperf_simpl1.cil.c", [812.0, 27.0, 20.0]),
    ("diskperf", "ntdrivers/diskperf.i.cil-1.c", [812.0, 27.0, 20.0]),
    ("floppy", "ntdrivers-simplified/floppy_simpl4.cil-2.c", [1520.0, 46.0, 17.8]),
    ("floppy", "ntdrivers/floppy.i.cil-3.c", [1520.0, 46.0, 17.8]),
    ("cdaudio", "ntdrivers-simplified/cdaudio_simpl1.cil-2.c", [1431.0, 52.0, 19.1]),
    ("cdaudio", "ntdrivers/cdaudio.i.cil-2.c", [1431.0, 52.0, 19.1]),
    ("parport", "ntdrivers/parport.i.cil-2.c", [4498.0, 143.0, 37.1]),
];

/// Runs them; whether none is said to fail (they are all safe).
pub fn run(settings: Settings) -> Result<bool, String> {
    let (bolide, scratch) = (bolide(&settings.bolide)?, Scratch::new("papers")?);
    let mut right = true;
    println!(
        "| driver | file | engine | blocks | verdict | refinements | predicates or vertices | seconds | paper |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, file, [disc, reach, impact]) in DRIVERS {
        let path = settings.folder.join(file);
        let mut row = |engine: &str, what: &str, blocks: &str, more: &[&str], paper: &str| {
            let told = ask(&bolide, &path, engine, &["--blocks", blocks], more, settings.limit)?;
            right &= !told.verdict.starts_with("false");
            let Told { verdict, refinements, size, seconds } = told;
            println!(
                "| {name} | `{file}` | {engine}{what} | {blocks} | {verdict} | {refinements} | {size} | {seconds:.2} | {paper} |"
            );
            Ok::<bool, String>(verdict == "true")
        };
        for blocks in ["single", "large"] {
            row("impact", "", blocks, &[], &impact.to_string())?;
            let folder = scratch.join(blocks);
            let folder = folder.to_string_lossy();
            let dump = ["--dump-automata", &folder];
            let found = row("predicate", ", Disc", blocks, &dump, &disc.to_string())?;
            if found {
                let known = format!("{folder}/predicates.txt");
                let begin = ["--first-predicates", &known];
                row("predicate", ", Reach", blocks, &begin, &reach.to_string())?;
            }
        }
        // Their papers have no drivers.
        row("trace", "", "single", &[], "")?;
        row("clp", "", "large", &[], "")?;
    }
    Ok(right)
}

struct Told {
    verdict: String,
    refinements: String,
    size: String,
    seconds: f64,
}

fn ask(
    bolide: &Path,
    file: &Path,
    engine: &str,
    blocks: &[&str],
    more: &[&str],
    limit: u64,
) -> Result<Told, String> {
    let limit = format!("{limit}s");
    let said = verify(
        Command::new(bolide)
            .args(["verify", "-v", "--as-in-paper", "--engine", engine, "--timeout", &limit])
            .args(["--property", "unreach-call", "--data-model", "ILP32"])
            .args(blocks)
            .args(more)
            .arg(file),
    )?;
    let figure = |name: &str| {
        let search = said.text.lines().find_map(|line| line.trim().strip_prefix("search: "));
        let mut figures = search.unwrap_or_default().split(", ");
        let found = figures.find_map(|figure| figure.strip_suffix(name)?.strip_suffix(' '));
        found.map(str::to_owned)
    };
    Ok(Told {
        verdict: said.verdict.clone().unwrap_or_else(|| "none".to_owned()),
        refinements: figure("refinements").unwrap_or_default(),
        size: figure("predicates").or_else(|| figure("vertices")).unwrap_or_default(),
        seconds: said.seconds,
    })
}
