//! `cargo xtask bench-scale`: how the cost of a verdict grows with the program.
//!
//! Programs come in families by size ([`mod@families`]): generated ones, and with `--programs FOLDER` public ones. Each is
//! verified with one thread and a limit of processor time. Printed is a line for each program: size, verdict,
//! processor time, memory, questions to solvers, states (nodes of all graphs that engines made), who
//! decided, or how far it came; then for each family the growth, drawn with logarithmic bars, and the exponent of time in n: the
//! slope of the least-squares line through the logarithms, over programs that took more than a tenth of a second, since
//! below that it is the start of the process that is measured. Last comes for each program how much of the processor time
//! went into which phase before an engine began: the front end of large programs (`--only mixed --sizes 20,200,2000`).

mod families;

use crate::experiment::{self, Scratch, bolide};
use families::{Family, families};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {
    /// Public programs, by size (token rings, transmitters and others), somewhere below this folder
    #[arg(long)]
    programs: Option<PathBuf>,
    /// A part of a family's name
    #[arg(long, default_value = "")]
    only: String,
    /// Sizes of generated programs
    #[arg(long, value_delimiter = ',', default_values_t = [2, 4, 8, 16, 32])]
    sizes: Vec<u64>,
    /// Seconds of processor time for each program
    #[arg(long, default_value_t = 30)]
    limit: u64,
    /// After so many programs of a family without a verdict the larger ones are left out
    #[arg(long, default_value_t = 1)]
    misses: usize,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
}

/// What one verification took.
struct Cost {
    size: u64,
    verdict: String,
    seconds: f64,
    mebibytes: u64,
    questions: u64,
    states: u64,
    decided: String,
    lines: usize,
    /// Seconds before there were engines, by phase, in the order of [`FRONT`].
    front: [f64; FRONT.len()],
    /// The most memory that was seen then, in MiB.
    front_mebibytes: u64,
}

/// What comes before engines, as `--json` calls it.
const FRONT: [&str; 8] = [
    "parsing",
    "lowering",
    "executing",
    "simplifying",
    "slicing",
    "inlining",
    "running with sets of values",
    "encoding",
];

pub fn run(settings: Settings) -> Result<bool, String> {
    let binary = bolide(&settings.bolide)?;
    let folder = Scratch::new("scale")?;
    println!("| family | n | verdict | s | MiB | questions | states | decided by |");
    println!("|---|---|---|---|---|---|---|---|");
    let (mut drawings, mut fronts) = (String::new(), String::new());
    for family in families(&settings.sizes, settings.programs.as_deref()) {
        if !family.name.contains(&settings.only) {
            continue;
        }
        let mut costs: Vec<Cost> = Vec::new();
        let mut misses = 0;
        for (size, text) in &family.members {
            if misses >= settings.misses {
                break;
            }
            let cost = verify(&binary, &folder, (*size, text), settings.limit)?;
            misses += usize::from(cost.verdict == "unknown");
            println!(
                "| {} | {} | {} | {:.2} | {} | {} | {} | {} |",
                family.name,
                cost.size,
                cost.verdict,
                cost.seconds,
                cost.mebibytes,
                cost.questions,
                cost.states,
                cost.decided
            );
            fronts += &front(family.name, &cost);
            costs.push(cost);
        }
        drawings += &draw(&family, &costs);
    }
    println!("\n{drawings}");
    println!("| family | lines | {} | all s | MiB |", FRONT.join(" | "));
    println!("|---|---|{}---|---|\n{fronts}", "---|".repeat(FRONT.len()));
    Ok(true)
}

/// A row of the phases before engines.
fn front(family: &str, cost: &Cost) -> String {
    let seconds: Vec<String> = cost.front.iter().map(|s| format!("{s:.2}")).collect();
    let (all, memory) = (cost.front.iter().sum::<f64>(), cost.front_mebibytes);
    format!("| {family} | {} | {} | {all:.2} | {memory} |\n", cost.lines, seconds.join(" | "))
}

fn verify(
    binary: &Path,
    folder: &Scratch,
    (size, program): (u64, &str),
    limit: u64,
) -> Result<Cost, String> {
    let file = folder.write("program.c", program)?;
    let mut command = Command::new(binary);
    command.args(["verify", "--json", "--threads", "1", "-p", "unreach-call"]);
    command.args(["--data-model", "ILP32", "--cpu-time", &format!("{limit}s")]);
    command.args(["--timeout", &format!("{}s", 20 * limit)]).arg(&file);
    let said = experiment::verify(&mut command)?;
    let json: serde_json::Value = serde_json::from_str(&said.text)
        .map_err(|e| format!("size {size}: {e}: {}", said.messages))?;
    let engines = json["statistics"]["engines"].as_array().cloned().unwrap_or_default();
    let sum = |part: &str, names: &[&str]| -> u64 {
        let all = engines.iter().flat_map(|engine| engine[part].as_object().into_iter().flatten());
        let wanted = all.filter(|(name, _)| names.is_empty() || names.contains(&name.as_str()));
        wanted.filter_map(|(_, value)| value.as_u64()).sum()
    };
    let asked = sum("solver", &[]) + sum("search", &["questions_for_posts"]);
    let states = ["vertices", "states_ever_made", "states", "nodes"];
    let text = |value: &serde_json::Value| value.as_str().map(str::to_owned);
    let phases = json["statistics"]["phases"].as_array().cloned().unwrap_or_default();
    // Guesses are told apart, but what they begin with is this.
    let is_front = |p: &&serde_json::Value| {
        FRONT.contains(&p["phase"].as_str().unwrap_or_default())
            && ["", "guesses"].contains(&p["engine"].as_str().unwrap_or_default())
    };
    let front = FRONT.map(|name| {
        let of_name = phases.iter().filter(is_front).filter(|p| p["phase"] == name);
        of_name.filter_map(|p| p["seconds"].as_f64()).fold(0.0, |sum, part| sum + part)
    });
    let memory = phases.iter().filter(is_front).filter_map(|p| p["memory_mib"].as_u64());
    let undecided = text(&json["reason"]["text"]).unwrap_or("simplification".into());
    Ok(Cost {
        size,
        verdict: text(&json["verdict"]).unwrap_or_default(),
        seconds: said.seconds,
        mebibytes: json["memory_mib"].as_u64().unwrap_or(0),
        questions: asked,
        states: sum("search", &states),
        decided: text(&json["decided_by"]).unwrap_or(undecided),
        lines: program.lines().count(),
        front,
        front_mebibytes: memory.max().unwrap_or(0),
    })
}

/// The growth of a family: a bar for each size, and the exponent.
fn draw(family: &Family, costs: &[Cost]) -> String {
    let mut out = format!("{}: {}\n", family.name, exponent(costs));
    for cost in costs {
        let length = 8.0 * (cost.seconds.max(0.01) / 0.01).log10();
        let bar = "#".repeat(length.round() as usize);
        let open = if cost.verdict == "unknown" { " (no verdict)" } else { "" };
        out += &format!("  {:>4} {bar} {:.2} s{open}\n", cost.size, cost.seconds);
    }
    out
}

fn exponent(costs: &[Cost]) -> String {
    let points: Vec<(f64, f64)> = costs
        .iter()
        .filter(|cost| cost.seconds > 0.1 && cost.verdict != "unknown")
        .map(|cost| ((cost.size as f64).ln(), cost.seconds.ln()))
        .collect();
    match slope(&points) {
        Some(slope) => format!("time grows as n^{slope:.1} (over {} programs)", points.len()),
        None => "too quick or too few to fit".into(),
    }
}

/// The slope of the least-squares line; none through fewer than three points.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
    let (x, y) = (x / n, y / n);
    let above: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let below: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    (points.len() >= 3 && below > 0.0).then(|| above / below)
}

#[cfg(test)]
mod tests {
    use super::slope;

    #[test]
    fn the_slope_is_the_exponent() {
        let cubes: Vec<(f64, f64)> =
            [2.0f64, 3.0, 7.0].iter().map(|n| (n.ln(), n.powi(3).ln() + 0.5)).collect();
        assert!((slope(&cubes).expect("three points") - 3.0).abs() < 1e-9);
        assert!(slope(&cubes[..2]).is_none());
    }
}
