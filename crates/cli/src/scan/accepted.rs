//! Findings that nobody is stopped for: those that `bolide.toml` suppresses, and those that a baseline had.
//!
//! They stay what they are, violations, and are told as such; the log marks them as the format of logs
//! has it (`suppressions`, `baselineState`), and only the exit code does not count them.

use super::outcome::Outcome;
use crate::output::read;
use crate::project_file::{Found, Settings};
use bolide_evidence::sarif;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// Marks what is accepted.
pub fn mark(
    outcomes: &mut [Outcome],
    settings: &Settings,
    baseline: Option<&Path>,
) -> Result<(), String> {
    let named = settings.baseline();
    let file = baseline.or(named.as_ref().map(|baseline| baseline.file.as_path()));
    let known = file.map(prints).transpose()?;
    // A baseline on the command line is given by who runs the scan.
    let why = match (baseline, &named) {
        (None, Some(named)) => format!("{} ({})", named.reason, named.owner),
        _ => "known from before".to_owned(),
    };
    for outcome in outcomes.iter_mut().filter(|o| o.verdict == "false") {
        if let Some(known) = &known {
            let is_known = print(&outcome.result).is_some_and(|print| known.contains(print));
            outcome.result["baselineState"] = json!(if is_known { "unchanged" } else { "new" });
            if is_known {
                outcome.result["properties"]["bolide/accepted"] = json!(why);
            }
        }
        let place = &outcome.result["locations"][0];
        let uri = place["physicalLocation"]["artifactLocation"]["uri"].as_str();
        let function = place["logicalLocations"][0]["name"].as_str().unwrap_or("");
        let found = Found {
            property: &outcome.property,
            file: &uri.map_or(outcome.file.clone(), sarif::file_of_uri),
            functions: [function, &outcome.entry],
        };
        if let Some(why) = settings.suppression(&found) {
            sarif::suppress(&mut outcome.result, &why);
        }
    }
    Ok(())
}

/// By what a finding is known again: its lines may have moved.
fn print(result: &Value) -> Option<&str> {
    result["partialFingerprints"]["bolideFinding/v1"].as_str()
}

fn prints(file: &Path) -> Result<BTreeSet<String>, String> {
    let log: Value = serde_json::from_str(&read(file)?)
        .map_err(|e| format!("the baseline `{}` is no SARIF log: {e}", file.display()))?;
    let runs = log["runs"].as_array().into_iter().flatten();
    let results = runs.flat_map(|run| run["results"].as_array().into_iter().flatten());
    Ok(results.filter_map(print).map(str::to_owned).collect())
}
