//! `cargo xtask bench-turns`: whether engines that take turns get the time that they are meant to get.
//!
//! Turns are measured in polls of the budget, so that with one thread at a time everything repeats, and a poll
//! of one engine takes longer than that of another. Programs below a folder are verified, every so many
//! of them, and where the engines come to no verdict it is seen how long each was at work for each of its shares. Printed
//! is the median over programs of that, divided by the same of `impact`: 1 where turns are as long as they should be. The field
//! `pace` of the table of engines (`engines::choose::table`) is to be multiplied by it.

use crate::experiment::{self, bolide, files_below};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

/// The shares of engines by their position, as `engines::choose::portfolio` has them.
const SHARES: [f64; 4] = [4.0, 3.0, 2.0, 1.0];

#[derive(clap::Args)]
pub struct Settings {
    /// Preprocessed programs, somewhere below this folder
    #[arg(long)]
    programs: PathBuf,
    /// One of so many is looked at
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// Seconds of processor time for each program
    #[arg(long, default_value_t = 6)]
    limit: u64,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
}

pub fn run(settings: Settings) -> Result<bool, String> {
    let binary = bolide(&settings.bolide)?;
    let files = files_below(&settings.programs, &["c", "i"]);
    let mut ratios: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for file in files.iter().step_by(settings.every.max(1)) {
        let mut command = Command::new(&binary);
        command.args(["verify", "--json", "--threads", "1", "-p", "unreach-call"]);
        command.args(["--cpu-time", &format!("{}s", settings.limit)]).arg(file);
        let said = experiment::verify(&mut command)?;
        let Ok(json) = serde_json::from_str::<serde_json::Value>(&said.text) else { continue };
        let seconds = per_share(&json);
        let Some(&impact) = seconds.get("impact").filter(|&&seconds| seconds > 0.0) else {
            continue;
        };
        if json["verdict"] == "unknown" {
            println!("{}: {seconds:.2?}", file.display());
            for (engine, seconds) in seconds {
                ratios.entry(engine).or_default().push(seconds / impact);
            }
        }
    }
    println!("| engine | programs | length of a turn |\n|---|---|---|");
    for (engine, mut ratios) in ratios {
        ratios.sort_by(f64::total_cmp);
        println!("| {engine} | {} | {:.2} |", ratios.len(), ratios[ratios.len() / 2]);
    }
    Ok(true)
}

/// Seconds that each engine was at work, for each of its shares; nothing where only one ran.
fn per_share(json: &serde_json::Value) -> BTreeMap<String, f64> {
    let list = |name: &str| json["statistics"][name].as_array().cloned().unwrap_or_default();
    let engines = list("engines");
    let phases = list("phases");
    let seconds = |engine: &serde_json::Value| -> f64 {
        let own = phases.iter().filter(|phase| phase["engine"] == engine["engine"]);
        own.filter_map(|phase| phase["seconds"].as_f64()).sum()
    };
    let shares = SHARES.into_iter().chain(std::iter::repeat(1.0));
    let told = engines.iter().zip(shares).map(|(engine, share)| {
        (engine["engine"].as_str().unwrap_or_default().to_owned(), seconds(engine) / share)
    });
    if engines.len() > 1 { told.collect() } else { BTreeMap::new() }
}

#[cfg(test)]
mod tests {
    use super::per_share;

    #[test]
    fn time_is_divided_by_shares() {
        let json = serde_json::json!({ "statistics": {
            "engines": [{ "engine": "impact" }, { "engine": "bounded" }],
            "phases": [
                { "engine": "impact", "phase": "exploring", "seconds": 1.0 },
                { "engine": "impact", "phase": "refining", "seconds": 3.0 },
                { "engine": "bounded", "phase": "exploring", "seconds": 6.0 },
            ],
        }});
        let told: Vec<(String, f64)> = per_share(&json).into_iter().collect();
        assert_eq!(told, [("bounded".to_owned(), 2.0), ("impact".to_owned(), 1.0)]);
    }
}
