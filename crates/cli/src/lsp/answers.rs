//! What the editor shows of a verification: diagnostics, hints, hovers, lenses and actions, made of the SARIF
//! log of the child.

use crate::accepted;
use crate::project_file;
use bolide_evidence::acsl::{parts, summary};
use bolide_evidence::sarif::file_of_uri;
use serde_json::{Value, json};
use std::ops::RangeInclusive;
use std::path::Path;

/// Steps of a trace that a diagnostic carries.
const RELATED: usize = 60;
/// The command of the code lenses.
pub const VERIFY: &str = "bolide.verify";
/// The command that opens the report.
pub const SHOW: &str = "bolide.showRun";

/// Whether a URI of a log means the document.
fn same_file(uri: &str, document: &str) -> bool {
    file_of_uri(uri) == file_of_uri(document)
}

/// A position of a SARIF location as a range of the protocol.
fn range(location: &Value) -> Value {
    let region = &location["physicalLocation"]["region"];
    let line = region["startLine"].as_u64().unwrap_or(1).saturating_sub(1);
    let column = region["startColumn"].as_u64().unwrap_or(1).saturating_sub(1);
    json!({
        "start": { "line": line, "character": column },
        "end": { "line": line, "character": column + 1 },
    })
}

/// A result of the log. One that the project accepts is only a hint.
pub fn diagnostic(document: &str, result: &Value) -> Value {
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array();
    let steps = flow.map(Vec::as_slice).unwrap_or_default();
    let skipped = steps.len().saturating_sub(RELATED);
    let related: Vec<Value> = steps[skipped..]
        .iter()
        .map(|step| {
            let location = &step["location"];
            let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str();
            let uri = uri.filter(|uri| uri.starts_with("file:")).unwrap_or(document);
            json!({
                "location": { "uri": uri, "range": range(location) },
                "message": location["message"]["text"],
            })
        })
        .collect();
    let message = result["message"]["text"].as_str().unwrap_or("");
    let (severity, message) = match accepted::why(result) {
        Some(why) => (4, format!("{message} (accepted: {why})")),
        None => (1, message.to_owned()),
    };
    let place = &result["locations"][0];
    json!({
        "range": range(place),
        "severity": severity,
        "code": result["ruleId"],
        "source": "bolide",
        "message": message,
        "relatedInformation": related,
        "data": { "function": place["logicalLocations"][0]["name"] },
    })
}

/// Why a file could not be read, at the place that the message names.
pub fn refusal(errors: &str) -> Option<Value> {
    let message = errors.lines().find(|l| l.contains("error") || l.starts_with("bolide:"))?;
    // `--> file:line:column` of the front end, `file:line:column:` of a preprocessor.
    let place = errors.lines().find_map(|line| {
        let line = line.trim().trim_start_matches("--> ");
        let mut parts = line.splitn(4, ':').skip(1).map(str::trim);
        Some((parts.next()?.parse::<u64>().ok()?, parts.next()?.parse::<u64>().ok()?))
    });
    let (line, column) = place.unwrap_or((1, 1));
    let at = json!({ "line": line.saturating_sub(1), "character": column.saturating_sub(1) });
    Some(json!({
        "range": { "start": at, "end": at },
        "severity": 1,
        "source": "bolide",
        "message": message,
    }))
}

/// What is known at lines of a document: line, kind and text.
fn notes<'n>(
    invariants: &'n [Value],
    document: &'n str,
) -> impl Iterator<Item = (u64, &'n str, &'n str)> {
    invariants.iter().filter_map(move |note| {
        let line = note["line"].as_u64()?.checked_sub(1)?;
        let own = same_file(note["uri"].as_str().unwrap_or(""), document);
        own.then_some((line, note["kind"].as_str()?, note["text"].as_str()?))
    })
}

/// Invariants as hints at the ends of their lines.
pub fn hints(
    document: &str,
    text: &str,
    invariants: &[Value],
    shown: &RangeInclusive<u64>,
) -> Vec<Value> {
    let lines: Vec<&str> = text.lines().collect();
    notes(invariants, document)
        .filter(|(line, _, _)| shown.contains(line))
        .filter_map(|(line, kind, words)| {
            let end = lines.get(line as usize)?.encode_utf16().count();
            // A long one is told by the hover.
            let summary = summary(words);
            Some(json!({
                "position": { "line": line, "character": end },
                "label": format!("{kind}: {}", summary.as_deref().unwrap_or(words)),
                "tooltip": { "kind": "markdown", "value": in_full(kind, words) },
                "paddingLeft": true,
            }))
        })
        .collect()
}

/// With a line for each part.
fn in_full(kind: &str, words: &str) -> String {
    let (sign, parts) = parts(words);
    let parts = parts.join(&format!("\n{sign} "));
    format!("**{kind}**, proved by Bolide\n```c\n{parts}\n```")
}

/// What was proved about the line under the pointer, part by part.
pub fn hover(document: &str, invariants: &[Value], here: u64) -> Value {
    let told: Vec<String> = notes(invariants, document)
        .filter(|(line, _, _)| *line == here)
        .map(|(_, kind, words)| in_full(kind, words))
        .collect();
    match told.is_empty() {
        true => Value::Null,
        false => json!({ "contents": { "kind": "markdown", "value": told.join("\n\n") } }),
    }
}

/// A lens on each function.
pub fn lenses(uri: &str, functions: &[(String, u64)]) -> Vec<Value> {
    functions
        .iter()
        .map(|(name, line)| {
            let line = line.saturating_sub(1);
            json!({
                "range": {
                    "start": { "line": line, "character": 0 },
                    "end": { "line": line, "character": 0 },
                },
                "command": {
                    "title": "verify function",
                    "command": VERIFY,
                    "arguments": [uri, name],
                },
            })
        })
        .collect()
}

/// What can be done about the findings in a range: see the run, or accept it for a reason.
pub fn actions(
    document: &str,
    findings: &[Value],
    entry: Option<&str>,
    lines: &RangeInclusive<u64>,
) -> Vec<Value> {
    let here = findings.iter().filter(|finding| {
        let line = finding["range"]["start"]["line"].as_u64().unwrap_or(0);
        lines.contains(&line) && finding["code"].is_string()
    });
    let mut actions = Vec::new();
    for finding in here {
        actions.push(json!({
            "title": "Show the run",
            "kind": "quickfix",
            "diagnostics": [finding],
            "command": { "title": "Show the run", "command": SHOW, "arguments": [document, entry] },
        }));
        if finding["severity"] == json!(1) {
            actions.push(json!({
                "title": "Suppress with a reason",
                "kind": "quickfix",
                "diagnostics": [finding],
                "edit": suppress(document, finding),
            }));
        }
    }
    actions
}

/// Adds a suppression to the file of the project, which is made where there is none. Its reason is left to the user;
/// until one is there it does not count.
fn suppress(document: &str, finding: &Value) -> Value {
    let file = file_of_uri(document);
    let file = Path::new(&file);
    let folder = file.parent().unwrap_or(Path::new("/"));
    let settings = project_file::nearest(file).unwrap_or_else(|| folder.join(project_file::NAME));
    let settings = std::path::absolute(&settings).unwrap_or(settings);
    let short = settings.parent().and_then(|folder| file.strip_prefix(folder).ok()).unwrap_or(file);
    let text = std::fs::read_to_string(&settings).unwrap_or_default();
    let end = json!({ "line": text.matches('\n').count(), "character": text.rsplit('\n').next().unwrap_or("").encode_utf16().count() });
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    let word = |value: &Value| json!(value.as_str().unwrap_or("")).to_string();
    let rule = format!(
        "{gap}\n[[suppress]]\nproperty = {}\nfile = {}\nfunction = {}\nreason = \"\"\nowner = \"{}\"\n",
        word(&finding["code"]),
        json!(short.display().to_string()),
        word(&finding["data"]["function"]),
        std::env::var("USER").unwrap_or_default().replace(['"', '\\'], "")
    );
    let uri = format!(
        "file://{}",
        bolide_evidence::sarif::uri(&settings.display().to_string()).trim_start_matches("file://")
    );
    let edit = json!({ "range": { "start": end, "end": end }, "newText": rule });
    json!({ "documentChanges": [
        { "kind": "create", "uri": uri, "options": { "ignoreIfExists": true } },
        { "textDocument": { "uri": uri, "version": null }, "edits": [edit] },
    ] })
}
