//! `cargo xtask papers FOLDER`: the drivers of the tables in "Abstractions from proofs" and "Lazy abstraction with
//! interpolants", as these papers search.
//!
//! The folder holds the directories `ntdrivers` and `ntdrivers-simplified` of the public benchmarks. These are the
//! papers' drivers as they were preserved: cut to one property by hand (`simplified`), or whole but with another harness; so
//! lines and figures need not be the papers', whose own sources are not public. For each the engine runs with
//! `--as-in-paper` (statements as steps, or with blocks, which is how both tools of the papers were measured), and for
//! `predicate` once more with the predicates that it found ("Reach"), and with blocks also with all predicates everywhere
//! ("Craig", where the first paper tracks them so). `trace` and `clp`, whose papers have no drivers, run
//! beside them for a fourth of the time. Processor time on one core, limits too. `--errors` puts errors into the drivers, as the second paper did.

use crate::experiment::{Scratch, bolide, verify};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {
    folder: PathBuf,
    /// Instead of the tables: errors that are put into the drivers, and found by `impact`
    #[arg(long)]
    errors: bool,
    /// Seconds of processor time for each run
    #[arg(long, default_value_t = 40)]
    limit: u64,
    /// The command to run
    #[arg(long)]
    bolide: Option<PathBuf>,
}

/// What a paper has of a run: seconds, and how much was found. None where its tool did not end.
type Row = Option<(f64, &'static str)>;

/// What the papers have of a driver.
struct Paper {
    /// "Craig" from nothing and with the predicates known: how many predicates.
    craig: [Row; 2],
    /// "Craig + Locality": how many, their average and greatest number at a place.
    locality: [Row; 2],
    /// IMPACT: vertices.
    impact: Row,
}

const fn both(disc: f64, reach: f64, found: &'static str) -> [Row; 2] {
    [Some((disc, found)), Some((reach, found))]
}

const KBFILTR: Paper = Paper {
    craig: both(52.0, 22.0, "49"),
    locality: both(228.0, 10.0, "72, 6.5/16"),
    impact: Some((3.15, "744")),
};
const DISKPERF: Paper = Paper {
    craig: both(193.0, 78.0, "86"),
    locality: both(812.0, 27.0, "140, 10/31"),
    impact: Some((20.0, "3885")),
};
const FLOPPY: Paper = Paper {
    craig: both(476.0, 201.0, "156"),
    locality: both(1520.0, 46.0, "240, 7.7/37"),
    impact: Some((17.8, "2518")),
};
const CDAUDIO: Paper = Paper {
    craig: both(1067.0, 252.0, "196"),
    locality: both(1431.0, 52.0, "256, 7.8/27"),
    impact: Some((19.1, "3257")),
};
const PARPORT: Paper = Paper {
    craig: [None; 2],
    locality: both(4498.0, 143.0, "753, 8.1/32"),
    impact: Some((37.1, "12.7K")),
};

const DRIVERS: &[(&str, &str, Paper)] = &[
    ("kbfiltr", "ntdrivers-simplified/kbfiltr_simpl1.cil.c", KBFILTR),
    ("diskperf", "ntdrivers-simplified/diskperf_simpl1.cil.c", DISKPERF),
    ("diskperf", "ntdrivers/diskperf.i.cil-1.c", DISKPERF),
    ("floppy", "ntdrivers-simplified/floppy_simpl4.cil-2.c", FLOPPY),
    ("floppy", "ntdrivers/floppy.i.cil-3.c", FLOPPY),
    ("cdaudio", "ntdrivers-simplified/cdaudio_simpl1.cil-2.c", CDAUDIO),
    ("cdaudio", "ntdrivers/cdaudio.i.cil-2.c", CDAUDIO),
    ("parport", "ntdrivers/parport.i.cil-2.c", PARPORT),
];

/// Runs them; whether none is said to fail (they are all safe).
pub fn run(settings: Settings) -> Result<bool, String> {
    let (bolide, scratch) = (bolide(&settings.bolide)?, Scratch::new("papers")?);
    if settings.errors {
        return errors(&settings, &bolide, &scratch);
    }
    let mut right = true;
    println!(
        "| driver | file | engine | blocks | verdict | refinements | predicates or vertices | paper | seconds | paper |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, file, papers) in DRIVERS {
        let path = settings.folder.join(file);
        let mut row = |engine: &str, what: &str, blocks: &str, more: &[&str], paper: Row| {
            let limit = if paper.is_some() { settings.limit } else { settings.limit.div_ceil(4) };
            let told = ask(&bolide, &path, engine, &["--blocks", blocks], more, limit)?;
            right &= !told.verdict.starts_with("false");
            let Told { verdict, refinements, mut size, seconds } = told;
            if let ["--dump-automata", folder, ..] = more
                && let Ok(text) = std::fs::read_to_string(format!("{folder}/predicates.txt"))
            {
                size = predicates(&text);
            }
            let (time, found) = paper.map_or_else(Default::default, |(s, f)| (s.to_string(), f));
            println!(
                "| {name} | `{file}` | {engine}{what} | {blocks} | {verdict} | {refinements} | {size} | {found} | {seconds:.2} | {time} |"
            );
            Ok::<bool, String>(verdict == "true")
        };
        for blocks in ["single", "large"] {
            row("impact", "", blocks, &[], papers.impact)?;
            let ways = [("", "location", papers.locality), (" Craig", "global", papers.craig)];
            for (way, place, [disc, reach]) in &ways[..if blocks == "single" { 1 } else { 2 }] {
                let folder = scratch.join(&format!("{blocks}{way}"));
                let folder = folder.to_string_lossy();
                let found = ["--dump-automata", &folder, "--predicates", place];
                if row("predicate", &format!(", Disc{way}"), blocks, &found, *disc)? {
                    let known = format!("{folder}/predicates.txt");
                    let more = [&found[..], &["--first-predicates", &known]].concat();
                    row("predicate", &format!(", Reach{way}"), blocks, &more, *reach)?;
                }
                // A run that found none must not count these.
                let _ = std::fs::remove_dir_all(&*folder);
            }
        }
        // Their papers have no drivers.
        row("trace", "", "single", &[], None)?;
        row("clp", "", "large", &[], None)?;
    }
    Ok(right)
}

/// Section 3 of the second paper: three errors in each driver. Its own are not public; ours leave out one statement that sets the
/// state `s` of the property, from the first on, until three versions fail. Whether each has three.
fn errors(settings: &Settings, bolide: &Path, scratch: &Scratch) -> Result<bool, String> {
    println!("| driver | file | wrong | right | undecided | refinements | seconds, at most |");
    println!("|---|---|---|---|---|---|---|");
    let mut found = true;
    for (name, file, _) in DRIVERS {
        let text = std::fs::read_to_string(settings.folder.join(file))
            .map_err(|why| format!("{file}: {why}"))?;
        let lines: Vec<&str> = text.lines().collect();
        let (mut wrong, mut right, mut undecided) = (0, 0, 0);
        let (mut refinements, mut seconds) = (Vec::new(), 0.0);
        for (at, _) in lines.iter().enumerate().filter(|(_, l)| l.trim().starts_with("s = ")) {
            let mut lines = lines.clone();
            lines[at] = ";";
            let version = scratch.write("version.c", &lines.join("\n"))?;
            let blocks = ["--blocks", "large"];
            let told = ask(bolide, &version, "impact", &blocks, &[], settings.limit)?;
            match told.verdict.as_str() {
                "true" => right += 1,
                verdict if verdict.starts_with("false") => {
                    wrong += 1;
                    refinements.push(told.refinements);
                    seconds = f64::max(seconds, told.seconds);
                }
                _ => undecided += 1,
            }
            if wrong == 3 {
                break;
            }
        }
        found &= wrong == 3;
        let refinements = refinements.join(", ");
        println!(
            "| {name} | `{file}` | {wrong} | {right} | {undecided} | {refinements} | {seconds:.2} |"
        );
    }
    Ok(found)
}

/// How many predicates a file of them has, how many at a place that has some on average, and at most.
fn predicates(text: &str) -> String {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut distinct: HashSet<&str> = HashSet::new();
    for (place, predicate) in text.lines().filter_map(|line| line.split_once(": ")) {
        *places.entry(place).or_default() += 1;
        distinct.insert(predicate);
    }
    let average = places.values().sum::<usize>() as f64 / places.len().max(1) as f64;
    let most = places.values().max().copied().unwrap_or(0);
    format!("{}, {average:.1}/{most}", distinct.len())
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
