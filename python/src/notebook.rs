//! What a notebook shows of a verdict: the verdict itself, invariants or the run, and drawings to unfold.

use crate::{Step, Verification};
use std::fmt::Write;

/// Steps that are shown; the others are data.
const STEPS: usize = 200;

pub fn html(found: &Verification) -> String {
    let colour = match found.verdict {
        "true" => "#1a7f37",
        "false" => "#cf222e",
        _ => "#9a6700",
    };
    let mut out = format!("<p><b style=\"color:{colour}\">{}</b>", found.verdict);
    if let Some(who) = &found.decided_by {
        let _ = write!(out, " by {}", escape(who));
    }
    let _ = write!(out, ", {:.2} s", found.seconds);
    if found.obligations > 0 {
        let _ = write!(out, "; {} obligations re-checked with proofs", found.obligations);
    }
    out += "</p>";
    if let Some(why) = &found.reason {
        let _ = write!(out, "<p>{}</p>", escape(why));
    }
    if !found.invariants.is_empty() {
        let rows = found
            .invariants
            .iter()
            .map(|i| [i.line.to_string(), i.function.clone(), i.text.clone()]);
        table(&mut out, ["line", "function", "invariant"], rows);
    }
    if let Some(violation) = &found.violation {
        let words = format!("line {}: {}", violation.line, violation.description);
        let _ = write!(out, "<p>{} <code>{}</code></p>", escape(&words), violation.property);
        let left_out = violation.steps.len().saturating_sub(STEPS);
        if left_out > 0 {
            let _ = write!(out, "<p>The last {STEPS} of {} steps:</p>", violation.steps.len());
        }
        let rows = violation.steps[left_out..]
            .iter()
            .map(|s| [s.line.to_string(), s.function.clone(), happened(s)]);
        table(&mut out, ["line", "function", "what happened"], rows);
    }
    for drawing in &found.drawings {
        let _ = write!(
            out,
            "<details><summary>{}</summary>{}</details>",
            escape(&drawing.name),
            drawing.svg
        );
    }
    out
}

fn happened(step: &Step) -> String {
    let changes = step.changes.iter().map(|(name, value)| format!("{name} = {value}"));
    step.words.iter().cloned().chain(changes).collect::<Vec<_>>().join(", ")
}

fn table(out: &mut String, heads: [&str; 3], rows: impl Iterator<Item = [String; 3]>) {
    *out += "<table><tr>";
    for head in heads {
        let _ = write!(out, "<th>{head}</th>");
    }
    *out += "</tr>";
    for row in rows {
        *out += "<tr>";
        for cell in row {
            let _ =
                write!(out, "<td style=\"text-align:left\"><code>{}</code></td>", escape(&cell));
        }
        *out += "</tr>";
    }
    *out += "</table>";
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
