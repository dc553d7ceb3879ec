//! `verify --json`: everything about a verdict as one object. docs/json.md
//! describes the fields; they only ever grow.

use crate::account;
use crate::flags::VerifyFlags;
use crate::frontend::Loaded;
use crate::sampling;
use crate::show;
use crate::watchdog::resident_bytes;
use bolide_base::budget::Phase;
use bolide_base::{Budget, Exhausted, Span};
use bolide_cfa::interpreter::Consumed;
use bolide_cfa::value::Value as CValue;
use bolide_engines::choose::{EngineRun, Report};
use bolide_evidence::acsl::readable;
use bolide_evidence::advice::{Circumstances, advice};
use bolide_evidence::explanation::{Explanation, Item, Step, What};
use bolide_reachability::verdict::Reason;
use bolide_verdict::replay::Violation;
use bolide_verdict::{FunctionContract, Invariant, Verdict};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// So many inputs are listed; the harness has them all.
const INPUTS: usize = 1000;

/// The object of a verdict.
pub fn object(
    flags: &VerifyFlags,
    loaded: &Loaded,
    report: &Report,
    explanation: Option<&Explanation>,
    elapsed: Duration,
) -> Value {
    let mut object = heading(flags, &show::result(loaded, &report.verdict), elapsed);
    object["engine"] = json!(report.winner);
    object["decided_by"] = json!(report.decision());
    object["chosen"] = json!(report.chosen);
    let counts =
        report.counts.named().into_iter().map(|(name, number)| (name.to_owned(), json!(number)));
    object["counts"] = counts.map(|(name, n)| (name.to_owned(), n)).collect::<Map<_, _>>().into();
    object["assumptions"] = json!(show::assumptions(loaded, true));
    object["statistics"] = statistics(report);
    match &report.verdict {
        Verdict::True { invariants, contracts, obligations } => {
            object["invariants"] = invariants.iter().map(|i| invariant(loaded, i)).collect();
            object["contracts"] = contracts.iter().map(|c| contract(loaded, c)).collect();
            object["obligations"] = json!(obligations);
        }
        Verdict::False(violation) => {
            violated(loaded, violation, &mut object);
            if let Some(explanation) = explanation {
                object["trace"] = explanation.items.iter().map(|i| item(loaded, i)).collect();
                object["trace_is_slice"] = json!(explanation.sliced);
            }
        }
        Verdict::Unknown(why) => {
            let advice = account::what_to_try(flags, loaded, report, why);
            object["reason"] = reason(why, &advice);
        }
    }
    object
}

fn invariant(loaded: &Loaded, invariant: &Invariant) -> Value {
    let program = &loaded.lowered.program;
    let location = &program.locations[invariant.location];
    let function = &program.functions[location.function].name;
    let span = location.loop_keyword.unwrap_or(Span::NONE);
    let told = json!({ "function": function, "c": invariant.c, "text": readable(&invariant.text) });
    placed(loaded, span, told)
}

fn contract(loaded: &Loaded, contract: &FunctionContract) -> Value {
    json!({
        "function": loaded.lowered.program.functions[contract.function].name,
        "requires": readable(&contract.precondition),
        "ensures": readable(&contract.postcondition),
    })
}

fn violated(loaded: &Loaded, violation: &Violation, object: &mut Value) {
    let program = &loaded.lowered.program;
    let property = program.checks[violation.check].property.name();
    let (at, description) = loaded.told(violation);
    let told = json!({ "property": property, "description": description });
    object["violation"] = placed(loaded, at, told);
    let entry = |got: &Consumed| {
        let told = json!({ "name": got.name, "value": value(&got.value) });
        placed(loaded, program.edges[got.edge].origin.span, told)
    };
    let run = &violation.run;
    object["inputs"] = run.inputs.iter().take(INPUTS).map(entry).collect();
    object["inputs_total"] = json!(run.inputs.len());
    object["other_values"] = run.unfixed.iter().take(INPUTS).map(entry).collect();
    object["other_values_total"] = json!(run.unfixed.len());
    object["steps"] = json!(run.steps);
}

/// The object of a run that a limit ended before it came back.
pub fn last_words(flags: &VerifyFlags, why: &Reason, budget: &Budget, elapsed: Duration) -> Value {
    let mut object = heading(flags, "unknown", elapsed);
    object["reason"] = reason(why, &advice(why, Circumstances::default()));
    let snapshots = budget.snapshots();
    let engines: Vec<Value> = snapshots
        .iter()
        .filter(|s| !s.name.is_empty())
        .map(|s| {
            json!({
                "engine": s.name, "phase": s.phase.to_string(), "refinements": s.refinements,
                "nodes": s.nodes, "longest_trace": s.longest_trace, "queries": s.queries,
            })
        })
        .collect();
    let refinements: u64 = snapshots.iter().map(|s| s.refinements).sum();
    object["statistics"] =
        json!({ "refinements": refinements, "engines": engines, "phases": phases() });
    object
}

fn heading(flags: &VerifyFlags, result: &str, elapsed: Duration) -> Value {
    let files: Vec<String> = flags.input.files.iter().map(|f| f.display().to_string()).collect();
    json!({
        "bolide": env!("CARGO_PKG_VERSION"),
        "files": files,
        "properties": flags.property.names(),
        "verdict": result.split('(').next(),
        "result": result,
        "seconds": (elapsed.as_secs_f64() * 1000.0).round() / 1000.0,
        "memory_mib": resident_bytes() >> 20,
    })
}

/// Why there is no verdict, for programs (`kind`) and for people.
fn reason(reason: &Reason, advice: &[String]) -> Value {
    json!({ "kind": kind(reason), "text": reason.to_string(), "try": advice })
}

fn kind(reason: &Reason) -> &'static str {
    match reason {
        Reason::Exhausted(Exhausted::Time) => "time",
        Reason::Exhausted(Exhausted::Memory) => "memory",
        Reason::Exhausted(Exhausted::Cancelled) => "interrupted",
        Reason::Solver(_) => "solver",
        Reason::Unsupported(_) => "unsupported",
        Reason::NoProgress(_) => "no-progress",
        Reason::Defect(_) => "internal-error",
        Reason::NotReplayed(_) => "not-replayed",
        Reason::NotCertified(_) => "not-certified",
    }
}

/// Why there is no verdict, in few words that are the same wherever it happens: for counting.
pub fn topic(reason: &Reason) -> String {
    let Reason::Unsupported(what) = reason else { return kind(reason).replace('-', " ") };
    // The place is that of one program.
    let what = match what.rsplit_once(" at ") {
        Some((words, place)) if place.contains(':') && !place.contains(' ') => words,
        _ => what,
    };
    match what.strip_prefix("the function ") {
        Some(name) => format!("{name} has no model"),
        None => what.to_owned(),
    }
}

/// The object with the place that it is about.
fn placed(loaded: &Loaded, span: Span, mut object: Value) -> Value {
    if let Some(position) = loaded.sources.position(span.start) {
        object["file"] = json!(position.file);
        object["line"] = json!(position.line);
        object["column"] = json!(position.column);
    }
    object
}

/// Integers that fit are numbers; all else is text.
fn value(value: &CValue) -> Value {
    match value.as_int().map(i64::try_from) {
        Some(Ok(number)) => json!(number),
        _ => json!(value.to_string()),
    }
}

fn item(loaded: &Loaded, item: &Item) -> Value {
    match item {
        Item::Folded(steps) => json!({ "kind": "folded", "steps": steps }),
        Item::Step(one) => step(loaded, one),
    }
}

fn step(loaded: &Loaded, step: &Step) -> Value {
    let program = &loaded.lowered.program;
    let edge = &program.edges[step.edge];
    let mut told = match &step.what {
        What::Input(name, got) => json!({ "kind": "input", "input": name, "value": value(got) }),
        What::Branch(taken) => json!({ "kind": "branch", "taken": taken }),
        What::Call(name) => json!({ "kind": "call", "callee": name }),
        What::Return(name) => json!({ "kind": "return", "callee": name }),
        What::Statement => json!({ "kind": "statement" }),
    };
    let function = program.locations[edge.from].function;
    told["function"] = json!(program.functions[function].name);
    told["depth"] = json!(step.depth);
    told["step"] = json!(step.position);
    told["text"] = json!(loaded.sources.line_text(edge.origin.span.start).trim());
    let changes = step.changes.iter();
    told["changes"] =
        changes.map(|c| json!({ "name": c.name, "value": value(&c.value) })).collect();
    placed(loaded, edge.origin.span, told)
}

fn statistics(report: &Report) -> Value {
    let of_run = |run: &EngineRun| {
        let s = &run.statistics;
        let figures: Map<String, Value> =
            s.figures.iter().map(|(name, n)| (name.replace(' ', "_"), json!(n))).collect();
        let solver: Map<String, Value> = account::questions(run)
            .into_iter()
            .map(|(name, n)| (name.to_owned(), json!(n)))
            .collect();
        json!({
            "engine": run.engine,
            "outcome": run.outcome,
            "guessed": s.guessed,
            "locations": s.explored.0,
            "edges": s.explored.1,
            "search": figures,
            "solver": solver,
        })
    };
    let engines: Vec<Value> = report.runs.iter().map(of_run).collect();
    json!({ "refinements": report.refinements(), "engines": engines, "phases": phases() })
}

/// Where the processor time went, as far as somebody looked.
fn phases() -> Vec<Value> {
    let seconds = |time: Duration| (time.as_secs_f64() * 1000.0).round() / 1000.0;
    let told = |((engine, phase), share): (&(&str, Phase), &sampling::Share)| {
        json!({
            "engine": engine,
            "phase": phase.to_string(),
            "seconds": seconds(share.running),
            "in_solver": seconds(share.solving),
            "memory_mib": share.peak_bytes >> 20,
        })
    };
    sampling::phases().iter().map(told).collect()
}
