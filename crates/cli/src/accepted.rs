//! Findings that nobody is stopped for: those that `bolide.toml` suppresses, and those that a baseline had.
//!
//! They stay what they are, violations, and are told as such; the log marks them as the format of logs
//! has it (`suppressions`, `baselineState`), and only the exit code of a scan does not count them.

use crate::output::read;
use crate::project_file::{Found, Settings};
use bolide_evidence::sarif;
use serde_json::{Value, json};
use std::path::Path;

/// What a project accepts.
pub struct Accepted<'s> {
    settings: &'s Settings,
    /// Findings of the baseline, and why they may stay.
    known: Option<(Vec<Known>, String)>,
}

/// A finding of the baseline.
struct Known {
    file: String,
    print: String,
}

impl<'s> Accepted<'s> {
    /// Reads the baseline: that of the command line, else that of the project.
    pub fn new(settings: &'s Settings, baseline: Option<&Path>) -> Result<Self, String> {
        let known = match (baseline, settings.baseline()) {
            // Who runs the command gives it.
            (Some(file), _) => Some((findings(file)?, "known from before".to_owned())),
            (None, Some(named)) => {
                Some((findings(&named.file)?, format!("{} ({})", named.reason, named.owner)))
            }
            (None, None) => None,
        };
        Ok(Accepted { settings, known })
    }

    /// Marks a result of a log. `file` is told where the result has no place of its own.
    pub fn mark(&self, result: &mut Value, property: &str, file: &str, entry: &str) {
        let place = &result["locations"][0];
        let function = place["logicalLocations"][0]["name"].as_str().unwrap_or("").to_owned();
        let uri = place["physicalLocation"]["artifactLocation"]["uri"].as_str();
        let file = uri.map_or(file.to_owned(), sarif::file_of_uri);
        if let Some((known, why)) = &self.known {
            let is_known = print(result).is_some_and(|print| {
                known.iter().any(|known| known.print == print && is_same_file(&known.file, &file))
            });
            result["baselineState"] = json!(if is_known { "unchanged" } else { "new" });
            if is_known {
                result["properties"]["bolide/accepted"] = json!(why);
            }
        }
        let found = Found { property, file: &file, functions: [&function, entry] };
        if let Some(why) = self.settings.suppression(&found) {
            sarif::suppress(result, &why);
        }
    }
}

/// Why a result that was marked is accepted, if it is.
pub fn why(result: &Value) -> Option<&str> {
    let suppressed = &result["suppressions"][0]["justification"];
    suppressed.as_str().or_else(|| result["properties"]["bolide/accepted"].as_str())
}

/// By what a finding is known again in its file: its line may have moved.
fn print(result: &Value) -> Option<&str> {
    result["partialFingerprints"]["bolideFinding/v1"].as_str()
}

/// A log has names as its scan had them, relative to the project mostly, and an editor has whole ones.
fn is_same_file(one: &str, other: &str) -> bool {
    Path::new(one).ends_with(other) || Path::new(other).ends_with(one)
}

fn findings(file: &Path) -> Result<Vec<Known>, String> {
    let log: Value = serde_json::from_str(&read(file)?)
        .map_err(|e| format!("the baseline `{}` is no SARIF log: {e}", file.display()))?;
    let runs = log["runs"].as_array().into_iter().flatten();
    let results = runs.flat_map(|run| run["results"].as_array().into_iter().flatten());
    let known = results.filter_map(|result| {
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        let file = sarif::file_of_uri(place["uri"].as_str()?);
        Some(Known { file, print: print(result)?.to_owned() })
    });
    Ok(known.collect())
}

#[cfg(test)]
mod tests {
    use super::is_same_file;

    #[test]
    fn files_are_known_by_the_end_of_their_names() {
        assert!(is_same_file("src/a.c", "/home/x/src/a.c") && is_same_file("src/a.c", "src/a.c"));
        assert!(!is_same_file("src/a.c", "/home/x/lib/a.c") && !is_same_file("a.c", "src/aa.c"));
    }
}
