//! `cargo xtask papers FOLDER`: the drivers of the tables in "Abstractions from proofs" and "Lazy abstraction with
//! interpolants", as these papers search.
//!
//! The folder holds the directories `ntdrivers` and `ntdrivers-simplified` of the public benchmarks. These are the
//! papers' drivers as they were preserved: cut to one property by hand (`simplified`), or whole but with another harness; so
//! lines and figures need not be the papers', whose own sources are not public. For each the engine runs with
//! `--as-in-paper` (statements as steps, or with blocks, which is how both tools of the papers were measured), and for
//! `predicate` once more with the predicates that it found ("Reach"), and with blocks also with all predicates everywhere
//! ("Craig", where the first paper tracks them so). `trace` and `clp`, whose papers have no drivers, run
//! beside them for a fourth of the time. Processor time on one core, limits too.

use crate::experiment::{Scratch, bolide, verify};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {
    folder: PathBuf,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 40)]
    limit: u64,
    /// The command to run
    #[arg(long)]
    bolide: Option<PathBuf>,
}

/// A driver, and the seconds of the papers: "Craig" and "Craig + Locality", each from nothing and with the predicates
/// known (none where it did not end), and IMPACT.
type Driver = (&'static str, &'static str, [[Option<f64>; 2]; 2], f64);

const fn both(disc: f64, reach: f64) -> [Option<f64>; 2] {
    [Some(disc), Some(reach)]
}

const KBFILTR: [[Option<f64>; 2]; 2] = [both(52.0, 22.0), both(228.0, 10.0)];
const DISKPERF: [[Option<f64>; 2]; 2] = [both(193.0, 78.0), both(812.0, 27.0)];
const FLOPPY: [[Option<f64>; 2]; 2] = [both(476.0, 201.0), both(1520.0, 46.0)];
const CDAUDIO: [[Option<f64>; 2]; 2] = [both(1067.0, 252.0), both(1431.0, 52.0)];

const DRIVERS: &[Driver] = &[
    ("kbfiltr", "ntdrivers-simplified/kbfiltr_simpl1.cil.c", KBFILTR, 3.15),
    ("diskperf", "ntdrivers-simplified/diskperf_simpl1.cil.c", DISKPERF, 20.0),
    ("diskperf", "ntdrivers/diskperf.i.cil-1.c", DISKPERF, 20.0),
    ("floppy", "ntdrivers-simplified/floppy_simpl4.cil-2.c", FLOPPY, 17.8),
    ("floppy", "ntdrivers/floppy.i.cil-3.c", FLOPPY, 17.8),
    ("cdaudio", "ntdrivers-simplified/cdaudio_simpl1.cil-2.c", CDAUDIO, 19.1),
    ("cdaudio", "ntdrivers/cdaudio.i.cil-2.c", CDAUDIO, 19.1),
    ("parport", "ntdrivers/parport.i.cil-2.c", [[None; 2], both(4498.0, 143.0)], 37.1),
];

/// How `predicate` tracks predicates: its name, where they are tracked, and its row of times.
const TRACKED: [(&str, &str, usize); 2] = [("", "location", 1), (" Craig", "global", 0)];

/// Runs them; whether none is said to fail (they are all safe).
pub fn run(settings: Settings) -> Result<bool, String> {
    let (bolide, scratch) = (bolide(&settings.bolide)?, Scratch::new("papers")?);
    let mut right = true;
    println!(
        "| driver | file | engine | blocks | verdict | refinements | predicates or vertices | seconds | paper |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, file, seconds, impact) in DRIVERS {
        let path = settings.folder.join(file);
        let mut row = |engine: &str,
                       what: &str,
                       blocks: &str,
                       more: &[&str],
                       paper: Option<f64>| {
            let limit = if paper.is_some() { settings.limit } else { settings.limit.div_ceil(4) };
            let told = ask(&bolide, &path, engine, &["--blocks", blocks], more, limit)?;
            right &= !told.verdict.starts_with("false");
            let Told { verdict, refinements, size, seconds } = told;
            let paper = paper.map(|seconds| seconds.to_string()).unwrap_or_default();
            println!(
                "| {name} | `{file}` | {engine}{what} | {blocks} | {verdict} | {refinements} | {size} | {seconds:.2} | {paper} |"
            );
            Ok::<bool, String>(verdict == "true")
        };
        for blocks in ["single", "large"] {
            row("impact", "", blocks, &[], Some(*impact))?;
            let tracked = if blocks == "single" { &TRACKED[..1] } else { &TRACKED[..] };
            for (way, place, times) in tracked {
                let folder = scratch.join(blocks);
                let folder = folder.to_string_lossy();
                let [disc, reach] = seconds[*times];
                let everywhere = ["--predicates", place];
                let dump = ["--dump-automata", &folder];
                let what = format!(", Disc{way}");
                let found = row("predicate", &what, blocks, &[dump, everywhere].concat(), disc)?;
                if found {
                    let known = format!("{folder}/predicates.txt");
                    let begin = ["--first-predicates", &known];
                    let what = format!(", Reach{way}");
                    row("predicate", &what, blocks, &[begin, everywhere].concat(), reach)?;
                }
            }
        }
        // Their papers have no drivers.
        row("trace", "", "single", &[], None)?;
        row("clp", "", "large", &[], None)?;
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
    let (limit, wall) = (format!("{limit}s"), format!("{}s", 20 * limit));
    let said = verify(
        Command::new(bolide)
            .args(["verify", "-v", "--as-in-paper", "--engine", engine, "--threads", "1"])
            .args(["--cpu-time", &limit, "--timeout", &wall])
            .args(["--property", "unreach-call", "--data-model", "ILP32"])
            .args(blocks)
            .args(more)
            .arg(file),
    )?;
    let figure = |name: &str| {
        let search = said.text.lines().find_map(|line| line.trim().strip_prefix("search: "));
        let mut figures = search.unwrap_or_default().split(", ");
        let is_number = |text: &&str| text.parse::<u64>().is_ok();
        let found = figures
            .find_map(|figure| figure.strip_suffix(name)?.strip_suffix(' ').filter(is_number));
        found.map(str::to_owned)
    };
    Ok(Told {
        verdict: said.verdict.clone().unwrap_or_else(|| "none".to_owned()),
        refinements: figure("refinements").unwrap_or_default(),
        size: ["predicates", "interface predicates", "vertices"]
            .iter()
            .find_map(|name| figure(name))
            .unwrap_or_default(),
        seconds: said.seconds,
    })
}
