//! What `verify` tells people: assumptions, the trace of a violation with only the steps
//! that matter, invariants in C, why there is no verdict and what to try, and
//! how far the engines came.

use crate::account;
use crate::flags::VerifyFlags;
use crate::frontend::Loaded;
use crate::progress;
use crate::sampling;
use bolide_api::evidence;
use bolide_base::Budget;
use bolide_cfa::interpreter::Consumed;
use bolide_cfa::{CheckId, EdgeId};
use bolide_engines::choose::Report;
use bolide_evidence::acsl::readable;
use bolide_evidence::advice::{Circumstances, advice};
use bolide_evidence::explanation::{Explanation, Item, Step, What};
use bolide_reachability::verdict::Reason;
use bolide_verdict::replay::Violation;
use bolide_verdict::{Invariant, Verdict};
use std::fmt::Write;

/// What was assumed about the world outside.
pub fn assumptions(loaded: &Loaded, verbose: bool) -> Vec<String> {
    let mut found = Vec::new();
    for (name, span) in &loaded.lowered.externals {
        let place = loaded.sources.position(span.start);
        let place = place.map(|p| format!(" (first used at {p})")).unwrap_or_default();
        found.push(format!("`{name}` has no body and may return any value{place}"));
    }
    if verbose {
        found.extend(loaded.lowered.assumptions.iter().cloned());
    }
    found
}

/// How the engines were chosen and how far they came.
pub fn statistics(report: &Report) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "engine: {}", report.chosen);
    for run in &report.runs {
        let s = &run.statistics;
        let _ = writeln!(text, "{}: {}", run.engine, run.outcome);
        let _ = writeln!(
            text,
            "  explored program: {} locations, {} edges",
            s.explored.0, s.explored.1
        );
        let figures: Vec<String> =
            s.figures.iter().map(|(name, value)| format!("{value} {name}")).collect();
        let _ = writeln!(text, "  search: {}", figures.join(", "));
        let solver = account::questions(run).map(|(name, value)| format!("{value} {name}"));
        let _ = writeln!(text, "  solver: {}", solver.join(", "));
    }
    for ((engine, phase), share) in sampling::phases() {
        let (seconds, memory) = (share.running.as_secs_f64(), share.peak_bytes >> 20);
        let whose = if engine.is_empty() { String::new() } else { format!("{engine}: ") };
        let solver = share.percent().filter(|&percent| percent > 0);
        let solver = solver.map(|percent| format!(", {percent} % in the solver"));
        let solver = solver.unwrap_or_default();
        let _ = writeln!(text, "time: {whose}{phase} {seconds:.2} s{solver}, {memory} MiB");
    }
    if let Some(decision) = report.decision() {
        let _ = writeln!(text, "decided by: {decision}");
    }
    text
}

/// What came from the database of proofs and what was new; nothing where there was none.
pub fn reuse(report: &Report) -> String {
    let mut text = String::new();
    for run in &report.runs {
        let of = |reused: &str, all: &str| Some((run.figure(reused)?, run.figure(all)?));
        if let (Some(automata), Some(triples), Some((saved, new))) = (
            of("automata from the database", "automata"),
            of("Hoare triples from the database", "Hoare triples"),
            of("solver calls saved by the database", "solver calls"),
        ) {
            let _ = writeln!(
                text,
                "from the database: {} of {} automata, {} of {} Hoare triples, {saved} solver \
                 calls; new: {} automata, {new} solver calls",
                automata.0,
                automata.1,
                triples.0,
                triples.1,
                automata.1.saturating_sub(automata.0)
            );
        }
    }
    text
}

/// The verdict with its reasons.
pub fn verdict(
    flags: &VerifyFlags,
    loaded: &Loaded,
    report: &Report,
    explanation: Option<&Explanation>,
) -> String {
    let mut text = String::new();
    let verbose = flags.verbose;
    match &report.verdict {
        Verdict::True { invariants, contracts, obligations } => {
            let _ = writeln!(text, "proved; {}", account::how_proved(report, *obligations));
            for invariant in invariants {
                let place = loop_place(loaded, invariant);
                let words = if verbose {
                    readable(&invariant.text)
                } else {
                    evidence::invariant(invariant)
                };
                let _ = writeln!(text, "invariant at {place}: {words}");
            }
            if verbose {
                for contract in contracts {
                    let name = &loaded.lowered.program.functions[contract.function].name;
                    let _ = writeln!(
                        text,
                        "contract of `{name}`: requires {}; ensures {}",
                        readable(&contract.precondition),
                        readable(&contract.postcondition)
                    );
                }
            }
        }
        Verdict::False(violation) => {
            if let Some(explanation) = explanation {
                text += &trace(loaded, explanation);
            }
            text += &ending(loaded, violation);
        }
        Verdict::Unknown(reason) => {
            let _ = writeln!(text, "no verdict: {reason}");
            for words in account::what_to_try(flags, loaded, report, reason) {
                let _ = writeln!(text, "try: {words}");
            }
        }
    }
    text
}

fn loop_place(loaded: &Loaded, invariant: &Invariant) -> String {
    loaded.lowered.program.locations[invariant.location]
        .loop_keyword
        .and_then(|span| loaded.sources.position(span.start))
        .map_or_else(|| "a loop".to_owned(), |p| p.to_string())
}

/// What the command says when a limit was reached and the work did not come back.
pub fn last_words(reason: &Reason, budget: &Budget) -> String {
    let mut text = format!("no verdict: {reason}\n");
    for snapshot in budget.snapshots() {
        if snapshot != Default::default() {
            let _ = writeln!(text, "  {}", progress::words(&snapshot));
        }
    }
    for words in advice(reason, Circumstances::default()) {
        let _ = writeln!(text, "try: {words}");
    }
    text
}

/// The steps that matter. Neighbours of one line in one call are one line.
fn trace(loaded: &Loaded, explanation: &Explanation) -> String {
    let mut text = String::new();
    let mut open: Option<Line> = None;
    for item in &explanation.items {
        match item {
            Item::Folded(steps) => {
                text.extend(open.take().map(|line| line.to_string()));
                let _ = writeln!(text, "  … {steps} steps");
            }
            Item::Step(step) => {
                let Some(line) = Line::of(loaded, step) else { continue };
                match &mut open {
                    Some(last) if last.is_same(&line) => last.extend(line),
                    _ => text.extend(open.replace(line).map(|line| line.to_string())),
                }
            }
        }
    }
    text.extend(open.map(|line| line.to_string()));
    text
}

/// A source line with what happened there.
struct Line {
    file: String,
    line: u32,
    depth: usize,
    source: String,
    notes: Vec<String>,
    /// The last branch, if there is one.
    branch: Option<Branch>,
}

/// A part of a condition. The last one stands at the keyword of its statement.
#[derive(Clone, Copy)]
struct Branch {
    start: u32,
    is_last: bool,
}

impl Line {
    fn of(loaded: &Loaded, step: &Step) -> Option<Line> {
        let (file, line, source) = source_line(loaded, step.edge)?;
        let notes = match note(step) {
            words if words.is_empty() => Vec::new(),
            words => vec![words],
        };
        let start = loaded.lowered.program.edges[step.edge].origin.span.start;
        let column = loaded.sources.position(start)?.column.saturating_sub(1) as usize;
        let word = loaded.sources.line_text(start).get(column..).unwrap_or("");
        let word = word.split(|c: char| !(c.is_alphanumeric() || c == '_')).next();
        let is_last = word.is_some_and(|word| ["if", "while", "for", "switch"].contains(&word));
        let branch = matches!(step.what, What::Branch(_)).then_some(Branch { start, is_last });
        Some(Line { file, line, depth: step.depth, source, notes, branch })
    }

    /// The parts of `a && b` are one branch as long as all go the same way. What comes after the last is met in the next
    /// round of a loop.
    fn is_same(&self, next: &Line) -> bool {
        let goes_on = match (self.branch, next.branch) {
            (Some(last), Some(part)) => {
                let is_behind = last.start < part.start || part.is_last;
                !last.is_last && is_behind && self.notes == next.notes
            }
            _ => true,
        };
        self.file == next.file && self.line == next.line && self.depth == next.depth && goes_on
    }

    fn extend(&mut self, next: Line) {
        if next.branch.is_none() || self.branch.is_none() {
            self.notes.extend(next.notes);
        }
        self.branch = next.branch.or(self.branch);
    }
}

impl std::fmt::Display for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The stub that calls the entry function is the first frame.
        let indent = "  ".repeat(self.depth.clamp(1, 10));
        write!(f, "{indent}{}:{}: {}", self.file, self.line, self.source)?;
        if !self.notes.is_empty() {
            write!(f, "   // {}", self.notes.join(", "))?;
        }
        writeln!(f)
    }
}

/// File, line and text of an edge.
pub fn source_line(loaded: &Loaded, edge: EdgeId) -> Option<(String, u32, String)> {
    let start = loaded.lowered.program.edges[edge].origin.span.start;
    let position = loaded.sources.position(start)?;
    Some((position.file, position.line, loaded.sources.line_text(start).trim().to_owned()))
}

/// What a step did, in a few words.
pub fn note(step: &Step) -> String {
    let changes: Vec<String> =
        step.changes.iter().map(|c| format!("{} = {}", c.name, c.shown)).collect();
    let mut words = match &step.what {
        What::Input(name, value) => vec![format!("{name}() is {value}")],
        What::Branch(true) => vec!["taken".to_owned()],
        What::Branch(false) => vec!["not taken".to_owned()],
        What::Call(_) | What::Return(_) | What::Statement => Vec::new(),
    };
    words.extend(changes);
    words.join(", ")
}

/// What went wrong, and on which inputs.
fn ending(loaded: &Loaded, violation: &Violation) -> String {
    let (at, description) = loaded.told(violation);
    let place = loaded
        .sources
        .position(at.start)
        .map_or_else(|| "unknown place".to_owned(), |p| p.to_string());
    let mut text = format!("{place}: {description}\n");
    let values: Vec<String> = violation.run.inputs.iter().map(|i| i.value.to_string()).collect();
    const SHOWN: usize = 40;
    if values.len() > SHOWN {
        let rest = values.len() - SHOWN;
        let _ = writeln!(text, "inputs: {},… {rest} more", values[..SHOWN].join(","));
    } else if !values.is_empty() {
        let _ = writeln!(text, "inputs: {}", values.join(","));
    }
    let program = &loaded.lowered.program;
    let told = |i: &Consumed| format!("{} = {}", i.name, i.value);
    let others = violation.run.unfixed.iter().filter(|i| !evidence::is_argument(program, i.edge));
    let arguments = evidence::arguments_in_words(program, violation);
    let mut told: Vec<String> = arguments.into_iter().chain(others.map(told)).collect();
    if !told.is_empty() {
        const OTHERS: usize = 10;
        let more = told.len().saturating_sub(OTHERS);
        told.truncate(OTHERS);
        if more > 0 {
            told.push(format!("… {more} more"));
        }
        let _ = writeln!(text, "other values: {}", told.join(", "));
    }
    text
}

/// The name that the verdict carries. A failing assertion violates
/// `unreach-call` when only that was asked for.
pub fn property_name(loaded: &Loaded, check: CheckId) -> &'static str {
    loaded.lowered.program.checks[check].property.name()
}

/// The verdict as the last line has it.
pub fn result(loaded: &Loaded, verdict: &Verdict) -> String {
    match verdict {
        Verdict::True { .. } => "true".to_owned(),
        Verdict::False(violation) => {
            format!("false({})", property_name(loaded, violation.check))
        }
        Verdict::Unknown(_) => "unknown".to_owned(),
    }
}
