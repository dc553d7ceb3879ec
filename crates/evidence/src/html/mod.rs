//! The report: one HTML file that says what was found and why, for a browser
//! without a network.
//!
//! Verdict, source with executed lines, steps with their values, invariants,
//! assumptions and statistics are plain HTML and need no script. The script
//! adds walking through the trace (buttons, arrow keys, `#step=7` in the
//! address), the state and the heap after each step, and the drawings with zoom and pan.
//! Drawings are kept as text and become elements when they are asked for;
//! source and steps are laid out by the browser only where they are looked at
//! (`content-visibility`): so programs of ten thousand lines stay usable.
//!
//! Everything that comes from outside goes through [`escape`]. The same input
//! gives the same bytes.

mod folding;
mod source;

use self::folding::folded;
use crate::account::{Account, Finding, Graph, Place, Step};
use bolide_cfa::render::diagram::Diagram;
use bolide_cfa::render::escape;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");

/// The report as one HTML document.
pub fn report(account: &Account) -> String {
    let mut out = String::new();
    let title = format!("{}: {}", account.verdict(), account.program);
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"generator\" content=\"bolide {}\">\n\
         <link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        escape(&account.version),
        escape(&title)
    );
    header(account, &mut out);
    summary(account, &mut out);
    // Nothing beside the source where there is nothing to say.
    let beside = !account.steps.is_empty() || !account.notes.is_empty();
    let class = if beside { "split" } else { "split alone" };
    let _ = write!(out, "<div class=\"{class}\">\n<main id=\"source\">\n<h2>Source</h2>\n");
    source::source(account, &mut out);
    out += "</main>\n";
    if beside {
        out += "<aside>\n";
        match account.steps.is_empty() {
            true => notes(account, &mut out),
            false => trace(account, &mut out),
        }
        out += "</aside>\n";
    }
    out += "</div>\n";
    graphs(account, &mut out);
    statistics(account, &mut out);
    assumptions(account, &mut out);
    let _ = write!(
        out,
        "<footer>Written by bolide {}. The file needs no network.</footer>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        escape(&account.version)
    );
    out
}

/// Colours of a drawing outside of the report.
const DRAWING: &str = "text{font:12px monospace;fill:#222}.loc{fill:#fff;stroke:#444}\
.head{fill:#e8f0fe;stroke:#1a56c4}.error{fill:#fde8e8;stroke:#c41a1a}.end{stroke-width:2.5}\
.covered{stroke-dasharray:4 3}.edge{fill:none;stroke:#555}.back{stroke:#1a56c4}\
.cover{stroke:#1a7f37;stroke-dasharray:5 4}.call{stroke-dasharray:1 4}.label{fill:#fff}";

/// A drawing as a file of its own.
pub fn drawing(graph: &Graph) -> String {
    let (start, rest) = graph.svg.split_once('>').unwrap_or((&graph.svg, ""));
    format!(
        "{start}><style>{DRAWING}</style><defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" \
         refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\"><path \
         d=\"M0 0L8 4L0 8z\" fill=\"#555\"/></marker></defs>{rest}\n"
    )
}

fn header(account: &Account, out: &mut String) {
    let verdict = account.verdict();
    let properties: Vec<String> =
        account.properties.iter().map(|p| format!("<code>{}</code>", escape(p))).collect();
    let _ = write!(
        out,
        "<header><span class=\"badge {verdict}\" id=\"verdict\">{verdict}</span>\n\
         <h1>{}</h1>\n<span class=\"soft\">{}</span>\n<nav><a href=\"#source\">Source</a>",
        escape(&account.program),
        properties.join(", ")
    );
    for (id, name, there) in [
        ("trace", "Trace", !account.steps.is_empty()),
        ("graphs", "Graphs", !account.graphs.is_empty()),
        ("statistics", "Statistics", !account.measures.is_empty()),
        ("assumptions", "Assumptions", !account.assumptions.is_empty()),
    ] {
        if there {
            let _ = write!(out, " <a href=\"#{id}\">{name}</a>");
        }
    }
    *out += " <button id=\"theme\" class=\"js block\" type=\"button\">Light or dark</button></nav></header>\n";
}

fn link(account: &Account, place: Place) -> String {
    let position = account.position(place);
    format!("<a href=\"#{}\">{}</a>", source::line_id(place), escape(&position))
}

fn summary(account: &Account, out: &mut String) {
    *out += "<div class=\"summary\">\n";
    match &account.finding {
        Finding::Holds { obligations: 0, how } => {
            let how = escape(how);
            let _ = writeln!(out, "<p>The property holds in every execution: {how}.</p>");
        }
        Finding::Holds { obligations, .. } => {
            let _ = writeln!(
                out,
                "<p>The property holds in every execution. The audit discharged <b>{obligations}</b> \
                 proof obligations anew: each by a solver run whose proof an independent checker \
                 accepted.</p>"
            );
        }
        Finding::Violated { property, message, place, inputs } => {
            let place = place.map(|p| format!(" at {}", link(account, p))).unwrap_or_default();
            let _ = writeln!(
                out,
                "<p><b>{}</b>{place} (property <code>{}</code>). The program was executed into \
                 this violation.</p>",
                escape(message),
                escape(property)
            );
            if !inputs.is_empty() {
                let shown: Vec<String> = inputs.iter().take(200).map(|(_, v)| escape(v)).collect();
                let more = if inputs.len() > 200 { ", …" } else { "" };
                let _ = writeln!(
                    out,
                    "<p>Inputs in the order of asking: <code>{}{more}</code></p>",
                    shown.join(", ")
                );
            }
        }
        Finding::Undecided { reason, advice } => {
            let _ = writeln!(out, "<p>No verdict: {}.</p>", escape(reason));
            if !advice.is_empty() {
                *out += "<p>What to try:</p><ul>\n";
                for words in advice {
                    let _ = writeln!(out, "<li>{}</li>", escape(words));
                }
                *out += "</ul>\n";
            }
        }
    }
    let _ = writeln!(out, "<p class=\"soft\">How: {}.</p>\n</div>", escape(&account.engine));
}

fn notes(account: &Account, out: &mut String) {
    *out += "<h2>What holds where</h2>\n<ul class=\"notes\">\n";
    for note in &account.notes {
        let head = format!("{} {}", link(account, note.place), escape(note.kind));
        let _ = writeln!(out, "<li>{}</li>", folded(note, head));
    }
    *out += "</ul>\n";
}

fn trace(account: &Account, out: &mut String) {
    *out += "<div id=\"trace\"><h2>Trace</h2>\n<div class=\"bar js\">\
             <button id=\"first\" type=\"button\" title=\"Home\">|◀</button>\
             <button id=\"previous\" type=\"button\" title=\"Left arrow\">◀ back</button>\
             <button id=\"next\" type=\"button\" title=\"Right arrow\">step ▶</button>\
             <button id=\"last\" type=\"button\" title=\"End\">▶|</button> \
             <span id=\"at\" class=\"soft\">arrow keys walk</span></div>\n\
             <div class=\"scroll\" style=\"max-height:38vh\"><ol class=\"steps\" id=\"steps\">\n";
    let graphs: BTreeMap<&str, usize> = account
        .graphs
        .iter()
        .enumerate()
        .filter(|(_, g)| g.group == FUNCTIONS)
        .map(|(i, g)| (g.name.as_str(), i))
        .collect();
    let mut heaps = Heaps::default();
    for step in &account.steps {
        let heap = step.heap.as_ref().and_then(|heap| heaps.number(heap));
        step_item(account, step, &graphs, heap, out);
    }
    *out += "</ol></div>\n";
    if account.steps.iter().any(|step| !step.changes.is_empty()) {
        *out += "<div class=\"js block\" id=\"state\"><h3>Values after the step</h3>\
             <div class=\"scroll\" style=\"max-height:28vh\"><table class=\"values\">\
             <tbody id=\"values\"></tbody></table></div></div>\n";
    }
    heaps.write(out);
    *out += "</div>\n";
}

/// Bytes that the drawings of the heap may have together.
const HEAP_DRAWINGS: usize = 2 << 20;

/// Drawings of the heap; steps that leave it as it was share one.
#[derive(Default)]
struct Heaps<'a> {
    last: Option<&'a Rc<Diagram>>,
    drawings: Vec<String>,
    size: usize,
}

impl<'a> Heaps<'a> {
    /// The number of a drawing; none when there is no room for more.
    fn number(&mut self, heap: &'a Rc<Diagram>) -> Option<usize> {
        if self.last.is_none_or(|last| !Rc::ptr_eq(last, heap)) {
            if self.size > HEAP_DRAWINGS {
                return None;
            }
            self.last = Some(heap);
            self.drawings.push(heap.svg());
            self.size += self.drawings.last().map_or(0, String::len);
        }
        self.drawings.len().checked_sub(1)
    }

    fn write(&self, out: &mut String) {
        if self.drawings.is_empty() {
            return;
        }
        *out += "<div class=\"js block\" id=\"memory\"><h3>Heap after the step</h3>\
                 <div class=\"scroll heap\" id=\"heap\"></div></div>\n";
        for (index, svg) in self.drawings.iter().enumerate() {
            let _ = writeln!(out, "<script type=\"text/plain\" id=\"heap-{index}\">{svg}</script>");
        }
    }
}

/// The group of the drawings of functions.
pub const FUNCTIONS: &str = "functions";

fn step_item(
    account: &Account,
    step: &Step,
    graphs: &BTreeMap<&str, usize>,
    heap: Option<usize>,
    out: &mut String,
) {
    let edges: Vec<String> = step.edges.iter().take(50).map(u32::to_string).collect();
    let _ = write!(out, "<li data-l=\"{}\" data-d=\"{}\"", source::line_id(step.place), step.depth);
    if let Some(graph) = graphs.get(step.function.as_str()) {
        let _ = write!(out, " data-g=\"{graph}\" data-e=\"{}\"", edges.join(","));
    }
    if let Some(heap) = heap {
        let _ = write!(out, " data-h=\"{heap}\"");
    }
    let several = account.files.len() > 1;
    let file = account.files.get(step.place.file).map_or("", |f| f.name.as_str());
    let shown = if several {
        let short = file.rsplit('/').next().unwrap_or(file);
        format!("{}:{}", escape(short), step.place.line)
    } else {
        step.place.line.to_string()
    };
    let _ = write!(
        out,
        " style=\"padding-left:{}px\"><a href=\"#{}\">{shown}</a> <span class=\"soft\">{}</span>",
        8 + 12 * step.depth.min(20),
        source::line_id(step.place),
        escape(&step.function)
    );
    for words in &step.words {
        let _ = write!(out, "<span class=\"w\">{}</span>", escape(words));
    }
    for change in &step.changes {
        let depth = change.depth.map(|d| d.to_string()).unwrap_or_default();
        let (name, value) = (escape(&change.name), escape(&change.value));
        let _ = write!(
            out,
            "<span class=\"chg\" data-d=\"{depth}\" data-n=\"{name}\" data-v=\"{value}\">{name} = {value}</span>"
        );
    }
    *out += "</li>\n";
}

fn graphs(account: &Account, out: &mut String) {
    if account.graphs.is_empty() {
        return;
    }
    *out += "<section class=\"wide\" id=\"graphs\"><h2>Graphs</h2>\n\
             <noscript><p>The drawings need a script; <code>bolide cfa --format svg</code> makes \
             them as files.</p></noscript>\n<div class=\"bar js\"><select id=\"choice\" \
             aria-label=\"drawing\">";
    let mut group = "";
    for (index, graph) in account.graphs.iter().enumerate() {
        if graph.group != group {
            if !group.is_empty() {
                *out += "</optgroup>";
            }
            group = &graph.group;
            let _ = write!(out, "<optgroup label=\"{}\">", escape(group));
        }
        let on_path = if graph.path.is_empty() { "" } else { " (on the path)" };
        let selected = if index == first_choice(&account.graphs) { " selected" } else { "" };
        let _ = write!(
            out,
            "<option value=\"{index}\"{selected}>{}{on_path}</option>",
            escape(&graph.name)
        );
    }
    *out += "</optgroup></select><button id=\"larger\" type=\"button\">+</button>\
             <button id=\"smaller\" type=\"button\">−</button>\
             <button id=\"fit\" type=\"button\">fit</button>";
    if !account.steps.is_empty() {
        *out += "<label><input type=\"checkbox\" id=\"follow\" checked> follow the trace</label>";
    }
    *out += "<span class=\"soft\">wheel zooms, dragging moves</span></div>\n\
             <div class=\"view js block\" id=\"view\" tabindex=\"0\" aria-label=\"graph\"></div>\n";
    if !account.not_drawn.is_empty() {
        let shown: Vec<String> = account.not_drawn.iter().take(40).map(|n| escape(n)).collect();
        let more = account.not_drawn.len().saturating_sub(40);
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        let _ = writeln!(
            out,
            "<p class=\"soft\">Not drawn, to keep this file small: {}{rest}.</p>",
            shown.join(", ")
        );
    }
    *out += "<svg width=\"0\" height=\"0\" style=\"position:absolute\"><defs><marker id=\"tip\" \
             viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" markerHeight=\"8\" \
             orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\" fill=\"#777\"/></marker>\
             </defs></svg>\n";
    for (index, graph) in account.graphs.iter().enumerate() {
        let path: Vec<String> = graph.path.iter().map(u32::to_string).collect();
        // Drawings are escaped where they are made: no `</script` can occur.
        debug_assert!(!graph.svg.contains("</script"));
        let _ = writeln!(
            out,
            "<script type=\"text/plain\" id=\"graph-{index}\" data-path=\"{}\">{}</script>",
            path.join(","),
            graph.svg
        );
    }
    *out += "</section>\n";
}

/// The drawing that is shown first: the last function of the path, else the first.
fn first_choice(graphs: &[Graph]) -> usize {
    graphs.iter().rposition(|g| !g.path.is_empty()).unwrap_or(0)
}

fn statistics(account: &Account, out: &mut String) {
    if account.measures.is_empty() {
        return;
    }
    *out +=
        "<section class=\"wide\" id=\"statistics\"><h2>Statistics</h2>\n<div class=\"charts\">\n";
    for (name, measures) in &account.measures {
        let most = measures.iter().map(|m| m.value).fold(0.0, f64::max);
        let _ = writeln!(out, "<div><h3>{}</h3><div class=\"chart\">", escape(name));
        for measure in measures {
            let share = if most > 0.0 { 100.0 * measure.value / most } else { 0.0 };
            let _ = writeln!(
                out,
                "<span>{}</span><span><b style=\"width:{share:.1}%\"></b></span><span>{}{}{}</span>",
                escape(&measure.name),
                number(measure.value),
                if measure.unit.is_empty() { "" } else { " " },
                measure.unit
            );
        }
        *out += "</div></div>\n";
    }
    *out += "</div></section>\n";
}

/// With separators between thousands; two digits behind the point where there are some.
fn number(value: f64) -> String {
    if value.fract() != 0.0 {
        return format!("{value:.2}");
    }
    let digits = format!("{value:.0}");
    let mut out = String::new();
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i) % 3 == 0 {
            out.push(',');
        }
        out.push(c);
    }
    out
}

fn assumptions(account: &Account, out: &mut String) {
    if account.assumptions.is_empty() {
        return;
    }
    *out += "<section class=\"wide\" id=\"assumptions\"><h2>What the verdict rests on</h2>\n<ul>\n";
    for words in &account.assumptions {
        let _ = writeln!(out, "<li>{}</li>", escape(words));
    }
    *out += "</ul></section>\n";
}

#[cfg(test)]
mod tests;
