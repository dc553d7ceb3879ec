//! The index of a scan as one HTML page: what needs attention, then a table by
//! file and function. Needs no script and no network.

use super::outcome::Outcome;
use bolide_cfa::render::escape;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

const STYLE: &str = "\
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:20px;max-width:1200px}
table{border-collapse:collapse;margin:8px 0 20px}td,th{border:1px solid #8884;padding:2px 10px;text-align:left}
.true{color:#1a7f37}.false{color:#cf222e;font-weight:700}.unknown{color:#9a6700}.error{color:#8250df}
.soft{opacity:.7}code{font-family:ui-monospace,monospace}details{margin:4px 0}";

/// How a page begins, up to its heading.
pub fn page_head(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <link rel=\"icon\" href=\"data:,\"><title>{title}</title>\
         <style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
    )
}

/// The page.
pub fn index(folder: &Path, outcomes: &[Outcome]) -> String {
    let mut out = page_head(&format!("Scan of {}", folder.display()));
    out += "<p>";
    for verdict in ["true", "false", "unknown", "error"] {
        let count = outcomes.iter().filter(|o| o.verdict == verdict).count();
        let _ = write!(out, "<b class=\"{verdict}\">{count} {verdict}</b> ");
    }
    out += "</p>\n";
    let violations: Vec<&Outcome> = outcomes.iter().filter(|o| o.verdict == "false").collect();
    if !violations.is_empty() {
        out += "<h2>Violations</h2>\n<ul>\n";
        for outcome in violations {
            let place = escape(&outcome.place());
            // The report opens at the failing step, with the line beside it.
            let place = match &outcome.page {
                Some(page) => format!("<a href=\"{}#step=last\">{place}</a>", escape(page)),
                None => place,
            };
            let why = outcome.accepted().map(|why| format!(" (accepted: {})", escape(why)));
            let _ = writeln!(
                out,
                "<li>{place}: {} <code>{}</code>{}{}</li>",
                escape(&outcome.message),
                escape(&outcome.property),
                why.unwrap_or_default(),
                rests_on(outcome)
            );
        }
        out += "</ul>\n";
    }
    let mut files: BTreeMap<&str, BTreeMap<(u64, &str), Vec<&Outcome>>> = BTreeMap::new();
    for outcome in outcomes {
        let functions = files.entry(&outcome.file).or_default();
        functions.entry((outcome.line, &outcome.entry)).or_default().push(outcome);
    }
    out += "<h2>By file</h2>\n";
    for (file, functions) in files {
        let _ = writeln!(out, "<details open><summary>{}</summary><table>", escape(file));
        for ((line, entry), answers) in functions {
            let _ = write!(out, "<tr><td>{line}</td><td><code>{}</code></td>", escape(entry));
            for outcome in answers {
                let words = [outcome.message.as_str(), outcome.vacuous.as_str()].concat();
                let shown = match &outcome.page {
                    Some(page) => format!(
                        "<a class=\"{0}\" href=\"{1}\">{0}</a>",
                        outcome.verdict,
                        escape(page)
                    ),
                    None => format!("<span class=\"{0}\">{0}</span>", outcome.verdict),
                };
                let mark = if outcome.vacuous.is_empty() { "" } else { " (vacuous)" };
                let _ = write!(
                    out,
                    "<td title=\"{}\"><span class=\"soft\">{}</span> {shown}{mark}</td>",
                    escape(&words),
                    escape(&outcome.property)
                );
            }
            out += "</tr>\n";
        }
        out += "</table></details>\n";
    }
    let _ = writeln!(
        out,
        "<p class=\"soft\">Every file was verified by itself: functions of other files have no \
         body. Functions other than <code>main</code> are called with any arguments, and global \
         variables have their initial values. Written by bolide {}.</p></body></html>",
        env!("CARGO_PKG_VERSION")
    );
    out
}

fn rests_on(outcome: &Outcome) -> String {
    if outcome.assumptions.is_empty() {
        return String::new();
    }
    let list: Vec<String> = outcome.assumptions.iter().map(|a| escape(a)).collect();
    format!("<details><summary class=\"soft\">rests on</summary>{}</details>", list.join("<br>"))
}
