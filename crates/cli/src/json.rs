//! `verify --json`: everything about a verdict as one object. docs/json.md
//! describes the fields; they only ever grow.

use crate::account;
use crate::flags::VerifyFlags;
use crate::frontend::Loaded;
use crate::show;
use crate::watchdog::resident_bytes;
use bolide_base::{Budget, Exhausted, Span};
use bolide_cfa::interpreter::Consumed;
use bolide_cfa::value::Value as CValue;
use bolide_engines::choose::Report;
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
    object.insert("engine".into(), json!(report.winner));
    object.insert("chosen".into(), json!(report.chosen));
    let assumptions = show::assumptions(loaded, true);
    object.insert("assumptions".into(), json!(assumptions));
    object.insert("statistics".into(), statistics(report));
    match &report.verdict {
        Verdict::True { invariants, contracts, obligations } => {
            let (invariants, contracts) = certificate(loaded, invariants, contracts);
            object.insert("invariants".into(), json!(invariants));
            object.insert("contracts".into(), json!(contracts));
            object.insert("obligations".into(), json!(obligations));
        }
        Verdict::False(violation) => {
            violated(loaded, violation, &mut object);
            if let Some(explanation) = explanation {
                let trace: Vec<Value> = explanation.items.iter().map(|i| item(loaded, i)).collect();
                object.insert("trace".into(), json!(trace));
                object.insert("trace_is_slice".into(), json!(explanation.sliced));
            }
        }
        Verdict::Unknown(why) => {
            let advice = account::what_to_try(flags, loaded, report, why);
            object.insert("reason".into(), reason(why, &advice));
        }
    }
    Value::Object(object)
}

fn certificate(
    loaded: &Loaded,
    invariants: &[Invariant],
    contracts: &[FunctionContract],
) -> (Vec<Value>, Vec<Value>) {
    let program = &loaded.lowered.program;
    let invariants: Vec<Value> = invariants
        .iter()
        .map(|invariant| {
            let location = &program.locations[invariant.location];
            let span = location.loop_keyword.unwrap_or(Span::NONE);
            let mut place = place(loaded, span.start);
            place.insert("function".into(), json!(program.functions[location.function].name));
            place.insert("c".into(), json!(invariant.c));
            place.insert("text".into(), json!(invariant.text));
            Value::Object(place)
        })
        .collect();
    let contracts: Vec<Value> = contracts
        .iter()
        .map(|contract| {
            json!({
                "function": program.functions[contract.function].name,
                "requires": contract.precondition,
                "ensures": contract.postcondition,
            })
        })
        .collect();
    (invariants, contracts)
}

fn violated(loaded: &Loaded, violation: &Violation, object: &mut Map<String, Value>) {
    let check = &loaded.lowered.program.checks[violation.check];
    let (at, description) = loaded.told(violation);
    let mut place = place(loaded, at.start);
    place.insert("property".into(), json!(check.property.name()));
    place.insert("description".into(), json!(description));
    object.insert("violation".into(), Value::Object(place));
    let entry = |got: &Consumed| {
        let edge = &loaded.lowered.program.edges[got.edge];
        let mut entry = self::place(loaded, edge.origin.span.start);
        entry.insert("name".into(), json!(got.name));
        entry.insert("value".into(), value(&got.value));
        Value::Object(entry)
    };
    let list =
        |values: &[Consumed]| -> Vec<Value> { values.iter().take(INPUTS).map(entry).collect() };
    let run = &violation.run;
    object.insert("inputs".into(), json!(list(&run.inputs)));
    object.insert("inputs_total".into(), json!(run.inputs.len()));
    object.insert("other_values".into(), json!(list(&run.unfixed)));
    object.insert("other_values_total".into(), json!(run.unfixed.len()));
    object.insert("steps".into(), json!(violation.run.steps));
}

/// The object of a run that a limit ended before it came back.
pub fn last_words(flags: &VerifyFlags, why: &Reason, budget: &Budget, elapsed: Duration) -> Value {
    let mut object = heading(flags, "unknown", elapsed);
    object.insert("reason".into(), reason(why, &advice(why, Circumstances::default())));
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
    object.insert("statistics".into(), json!({ "refinements": refinements, "engines": engines }));
    Value::Object(object)
}

fn heading(flags: &VerifyFlags, result: &str, elapsed: Duration) -> Map<String, Value> {
    let verdict = result.split('(').next().unwrap_or(result);
    let files: Vec<String> = flags.input.files.iter().map(|f| f.display().to_string()).collect();
    let properties = match flags.property.properties.is_empty() && flags.property.ltl.is_empty() {
        true => vec!["unreach-call".to_owned(), "assert".to_owned()],
        false => [flags.property.properties.clone(), flags.property.ltl.clone()].concat(),
    };
    let object = json!({
        "bolide": env!("CARGO_PKG_VERSION"),
        "files": files,
        "properties": properties,
        "verdict": verdict,
        "result": result,
        "seconds": (elapsed.as_secs_f64() * 1000.0).round() / 1000.0,
        "memory_mib": resident_bytes() >> 20,
    });
    match object {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// Why there is no verdict, for programs (`kind`) and for people.
fn reason(reason: &Reason, advice: &[String]) -> Value {
    let kind = match reason {
        Reason::Exhausted(Exhausted::Time) => "time",
        Reason::Exhausted(Exhausted::Memory) => "memory",
        Reason::Exhausted(Exhausted::Cancelled) => "interrupted",
        Reason::Solver(_) => "solver",
        Reason::Unsupported(_) => "unsupported",
        Reason::NoProgress(_) => "no-progress",
        Reason::Defect(_) => "internal-error",
        Reason::NotReplayed(_) => "not-replayed",
        Reason::NotCertified(_) => "not-certified",
    };
    json!({ "kind": kind, "text": reason.to_string(), "try": advice })
}

fn place(loaded: &Loaded, offset: u32) -> Map<String, Value> {
    let mut map = Map::new();
    if let Some(position) = loaded.sources.position(offset) {
        map.insert("file".into(), json!(position.file));
        map.insert("line".into(), json!(position.line));
        map.insert("column".into(), json!(position.column));
    }
    map
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
    let mut map = place(loaded, edge.origin.span.start);
    let function = program.locations[edge.from].function;
    map.insert("function".into(), json!(program.functions[function].name));
    map.insert("depth".into(), json!(step.depth));
    map.insert("step".into(), json!(step.position));
    let text = loaded.sources.line_text(edge.origin.span.start).trim().to_owned();
    map.insert("text".into(), json!(text));
    let kind = match &step.what {
        What::Input(name, got) => {
            map.insert("input".into(), json!(name));
            map.insert("value".into(), value(got));
            "input"
        }
        What::Branch(taken) => {
            map.insert("taken".into(), json!(taken));
            "branch"
        }
        What::Call(name) => {
            map.insert("callee".into(), json!(name));
            "call"
        }
        What::Return(name) => {
            map.insert("callee".into(), json!(name));
            "return"
        }
        What::Statement => "statement",
    };
    map.insert("kind".into(), json!(kind));
    let changes: Vec<Value> = step
        .changes
        .iter()
        .map(|change| json!({ "name": change.name, "value": value(&change.value) }))
        .collect();
    map.insert("changes".into(), json!(changes));
    Value::Object(map)
}

fn statistics(report: &Report) -> Value {
    let mut refinements = 0;
    let mut engines = Vec::new();
    for run in &report.runs {
        let s = &run.statistics;
        let mut figures = Map::new();
        for (name, number) in &s.figures {
            figures.insert(name.replace(' ', "_"), json!(number));
            if *name == "refinements" {
                refinements += number;
            }
        }
        engines.push(json!({
            "engine": run.engine,
            "outcome": run.outcome,
            "locations": s.explored.0,
            "edges": s.explored.1,
            "search": figures,
            "solver": {
                "entailments": s.prover.entailments,
                "models": s.prover.models,
                "paths": s.prover.paths,
                "interpolations": s.prover.interpolations,
            },
        }));
    }
    json!({ "refinements": refinements, "engines": engines })
}
