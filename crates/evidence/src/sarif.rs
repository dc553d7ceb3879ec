//! SARIF 2.1.0: findings for code scanning services and editors.
//!
//! Only violations are results: a service shows every result as an alert.
//! Verdicts `true` and `unknown` are told by the run's property bag
//! (`bolide/verdict`, `bolide/invariants`, `bolide/assumptions`), and `unknown` by a
//! notification of the invocation too. The trace is a code flow with one thread
//! flow; the state after each step is given where it changed.

use crate::account::{Account, Finding, Place};
use crate::line_hash::line_hashes;
use crate::rules::{RULES, Rule, rule};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::{Value, json};

/// Steps of a code flow; of longer ones the end is kept, which services demand.
const FLOW: usize = 1000;

/// The account as a SARIF log with one run.
pub fn log(account: &Account) -> Value {
    join(vec![run(account)])
}

/// A log of several runs.
pub fn join(runs: Vec<Value>) -> Value {
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    })
}

/// One run of one verdict.
fn run(account: &Account) -> Value {
    let (results, notifications) = match &account.finding {
        Finding::Violated { .. } => (vec![result(account)], Vec::new()),
        Finding::Holds { .. } => (Vec::new(), Vec::new()),
        Finding::Undecided { reason, advice } => {
            let mut text = format!("no verdict: {reason}");
            for words in advice {
                text += &format!("\ntry: {words}");
            }
            (Vec::new(), vec![json!({ "level": "note", "message": { "text": text } })])
        }
    };
    let invariants: Vec<Value> = account
        .notes
        .iter()
        .map(|note| {
            json!({
                "uri": uri(file_name(account, note.place)),
                "line": note.place.line,
                "column": note.place.column,
                "kind": note.kind,
                "text": note.text,
            })
        })
        .collect();
    let mut properties = json!({
        "bolide/verdict": account.verdict(),
        "bolide/program": account.program,
        "bolide/properties": account.properties,
        "bolide/invariants": invariants,
        "bolide/assumptions": account.assumptions,
    });
    if let Finding::Holds { obligations, .. } = &account.finding {
        properties["bolide/obligations"] = json!(obligations);
    }
    run_of(&account.version, results, notifications, properties)
}

/// A run of this tool that went well.
pub fn run_of(version: &str, results: Vec<Value>, notes: Vec<Value>, properties: Value) -> Value {
    json!({
        "tool": tool(version),
        "columnKind": "utf16CodeUnits",
        "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notes }],
        "results": results,
        "properties": properties,
    })
}

/// The tool with its rules.
fn tool(version: &str) -> Value {
    let rules: Vec<Value> = RULES.iter().map(describe).collect();
    json!({
        "driver": {
            "name": "Bolide",
            "semanticVersion": version,
            "rules": rules,
        }
    })
}

fn describe(rule: &Rule) -> Value {
    let mut tags = vec!["correctness"];
    let mut properties = json!({ "precision": "very-high", "problem.severity": "error" });
    if let Some(severity) = rule.words.security {
        properties["security-severity"] = json!(severity);
        tags.push("security");
    }
    properties["tags"] = json!(tags);
    json!({
        "id": rule.id,
        "name": rule.words.name,
        "shortDescription": { "text": rule.words.short },
        "fullDescription": { "text": rule.words.help },
        "help": { "text": rule.words.help, "markdown": rule.words.help },
        "defaultConfiguration": { "level": "error" },
        "properties": properties,
    })
}

fn result(account: &Account) -> Value {
    let Finding::Violated { property, message, place, inputs } = &account.finding else {
        return Value::Null;
    };
    let rule = rule(property);
    let mut text = message.clone();
    if !inputs.is_empty() {
        let values: Vec<&str> = inputs.iter().take(20).map(|(_, v)| v.as_str()).collect();
        let more = if inputs.len() > 20 { ", ..." } else { "" };
        text += &format!(" (inputs: {}{more})", values.join(", "));
    }
    let skipped = account.steps.len().saturating_sub(FLOW);
    let flow: Vec<Value> = account.steps[skipped..]
        .iter()
        .map(|step| {
            let changes: Vec<String> =
                step.changes.iter().map(|c| format!("{} = {}", c.name, c.value)).collect();
            let mut words = step.words.clone();
            words.extend((!changes.is_empty()).then(|| changes.join(", ")));
            if words.is_empty() {
                words.push(format!("in `{}`", step.function));
            }
            let mut location = location(account, step.place);
            location["message"] = json!({ "text": words.join("; ") });
            let mut item = json!({ "location": location, "nestingLevel": step.depth });
            if !step.changes.is_empty() {
                let state: serde_json::Map<String, Value> = step
                    .changes
                    .iter()
                    .map(|c| (c.name.clone(), json!({ "text": c.value })))
                    .collect();
                item["state"] = Value::Object(state);
            }
            item
        })
        .collect();
    let mut result = json!({
        "ruleId": rule.id,
        "ruleIndex": RULES.iter().position(|r| r.id == rule.id).unwrap_or(0),
        "level": "error",
        "kind": "fail",
        "message": { "text": text },
        "locations": place.iter().map(|&place| location(account, place)).collect::<Vec<_>>(),
    });
    if let Some(place) = place {
        // The same finding in the next version of the file has the same print:
        // it does not depend on line numbers.
        let line = line_text(account, *place).split_whitespace().collect::<Vec<_>>().join(" ");
        result["partialFingerprints"] = json!({
            "bolideFinding/v1": format!("{}|{}|{}", rule.id, without_places(message), line),
        });
        let text = account.files.get(place.file).map_or("", |file| file.text.as_str());
        if let Some(hash) = line_hashes(text).get(place.line.saturating_sub(1) as usize) {
            result["partialFingerprints"]["primaryLocationLineHash"] = json!(hash);
        }
        if let Some(step) = account.steps.last() {
            let function = json!({ "name": step.function, "kind": "function" });
            result["locations"][0]["logicalLocations"] = json!([function]);
        }
    }
    if !flow.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": flow }] }]);
    }
    result
}

/// A message that names places (`freed at a.c:5:3`), without their lines and columns.
fn without_places(message: &str) -> String {
    let mut parts = message.split(':');
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == part.len() {
            out.push(':');
        }
        out += rest;
    }
    out
}

/// Marks a result as accepted, with the reason.
pub fn suppress(result: &mut Value, why: &str) {
    let mark = json!({ "kind": "external", "status": "accepted", "justification": why });
    result["suppressions"] = json!([mark]);
}

fn file_name(account: &Account, place: Place) -> &str {
    account.files.get(place.file).map_or("", |file| file.name.as_str())
}

fn line_text(account: &Account, place: Place) -> &str {
    let text = account.files.get(place.file).map_or("", |file| file.text.as_str());
    text.lines().nth(place.line.saturating_sub(1) as usize).unwrap_or("")
}

fn location(account: &Account, place: Place) -> Value {
    // Columns are counted in UTF-16 there.
    let line = line_text(account, place);
    let before = line.get(..place.column.saturating_sub(1) as usize).unwrap_or("");
    let column = before.encode_utf16().count() + 1;
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(file_name(account, place)) },
            "region": { "startLine": place.line, "startColumn": column },
        }
    })
}

/// What stands for itself in a URI.
const PLAIN: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'+');

/// A file name as a URI reference: relative names stay relative.
pub fn uri(name: &str) -> String {
    let name = name.strip_prefix("./").unwrap_or(name);
    let scheme = if name.starts_with('/') { "file://" } else { "" };
    format!("{scheme}{}", utf8_percent_encode(name, PLAIN))
}

/// The name that [`uri`] was made of.
pub fn file_of_uri(uri: &str) -> String {
    let path = uri.strip_prefix("file://").unwrap_or(uri);
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_is_known_again_when_lines_move() {
        let message = |line| format!("use after free: `p->n` reads memory freed at a.c:{line}:3");
        assert_eq!(without_places(&message(5)), without_places(&message(17)));
        assert_eq!(without_places("a: b at c"), "a: b at c");
        assert_eq!(without_places("`x ? 1:2`"), "`x ? 1`");
    }

    #[test]
    fn uris_and_file_names_go_both_ways() {
        assert_eq!(uri("./src/a b.c"), "src/a%20b.c");
        assert_eq!(uri("/t/ü.c"), "file:///t/%C3%BC.c");
        for name in ["src/a b.c", "/t/ü%.c", "x"] {
            assert_eq!(file_of_uri(&uri(name)), name);
        }
        assert_eq!(file_of_uri("%zz%"), "%zz%");
    }
}
