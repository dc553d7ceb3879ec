//! `bolide verify --engine shape --entry F`, where the function `F` has a contract.
//!
//! Each function that is annotated and can be reached from `F`
//! is proved on its own. The verdict is `true` when all contracts are. A contract without a proof
//! is broken when a run shows it: the verdict is `false` then, and the run is told. Otherwise
//! it is `unknown`, and the abstract counterexample is shown.

use crate::exit::Exit;
use crate::flags::{InputFlags, VerifyFlags};
use crate::frontend::Loaded;
use crate::show;
use bolide_base::Budget;
use bolide_base::Span;
use bolide_base::arena::Id;
use bolide_base::budget::Phase;
use bolide_cfa::render::diagram::Diagram;
use bolide_cfa::{EdgeId, Property};
use bolide_engines::choose::{EngineRun, Report};
use bolide_engines::counts::Counts;
use bolide_engines::shape::contract::runs::Refutation;
use bolide_engines::shape::contract::{Judged, Judgement, Prove};
use bolide_engines::shape::{Certainty, Options};
use bolide_engines::workbench::Statistics;
use bolide_evidence::account::{Place, Step};
use bolide_evidence::steps;
use bolide_reachability::verdict::Reason;
use bolide_verdict::{Invariant, Verdict, foundation};
use std::time::Duration;

/// Whether the entry function was named and has a contract. Required: in any
/// other case the verdict would have to be about the whole program.
pub fn concerned(loaded: &Loaded, input: &InputFlags) -> bool {
    let program = &loaded.lowered.program;
    input.entry.as_ref().is_some_and(|entry| {
        let mut contracts = loaded.lowered.contracts.iter();
        contracts.any(|c| program.functions[c.function].name == *entry)
    })
}

/// Tries to prove all contracts.
///
/// The program gets an entry that builds the heap on which a contract is broken, if one is: reports are about its run
/// then. All that was there keeps its place.
pub fn judge(loaded: &mut Loaded, prove: Prove, options: &Options, budget: &Budget) -> Vec<Judged> {
    let program = &loaded.lowered.program;
    let contracts = &loaded.lowered.contracts;
    let mut all: Vec<Judged> = contracts
        .iter()
        .map(|contract| prove(program, contract, contracts, options, budget))
        .collect();
    if let Some(Refutation { program, violation, .. }) = refuted(&all) {
        loaded.lowered.program = program.clone();
        let (program, record) = (&loaded.lowered.program, loaded.record());
        if let Some(reason) = foundation::objection_to_run(program, &record, violation) {
            for judged in &mut all {
                if matches!(judged.judgement, Judgement::Refuted(_)) {
                    judged.judgement = Judgement::Unknown(reason.clone());
                }
            }
        }
    }
    all
}

/// The first contract that is broken.
fn refuted(all_judged: &[Judged]) -> Option<&Refutation> {
    all_judged.iter().find_map(|judged| match &judged.judgement {
        Judgement::Refuted(found) => Some(&**found),
        _ => None,
    })
}

/// As a verdict, for reports: true when all contracts are proved.
pub fn report(loaded: &Loaded, all_judged: &[Judged]) -> Report {
    let program = &loaded.lowered.program;
    let (mut found, mut obligations, mut missing) = (Vec::new(), 0, None);
    for (contract, judged) in loaded.lowered.contracts.iter().zip(all_judged) {
        let name = &program.functions[contract.function].name;
        obligations += judged.statistics.obligations as usize;
        match &judged.judgement {
            Judgement::Proved { invariants } => {
                found.extend(invariants.iter().map(|(location, text)| Invariant {
                    location: *location,
                    text: text.clone(),
                    c: "1".into(),
                }));
            }
            Judgement::Refuted(_) | Judgement::Assumed => {}
            Judgement::NotProved { what, .. } => {
                let why = format!("the contract of `{name}` is not proved: {what}");
                missing.get_or_insert(Reason::NoProgress(why));
            }
            Judgement::Unknown(reason) => {
                missing.get_or_insert(reason.clone());
            }
        }
    }
    let verdict = match (refuted(all_judged), missing) {
        (Some(found), _) => Verdict::False(Box::new(found.violation.clone())),
        (None, Some(reason)) => Verdict::Unknown(reason),
        (None, None) => Verdict::True { invariants: found, contracts: Vec::new(), obligations },
    };
    let mut statistics = Statistics::default();
    for judged in all_judged {
        for (name, count) in judged.statistics.figures() {
            match statistics.figures.iter_mut().find(|figure| figure.0 == name) {
                Some(figure) => figure.1 += count,
                None => statistics.figures.push((name, count)),
            }
        }
        statistics.picture.diagrams.extend(judged.picture.diagrams.iter().cloned());
        statistics.picture.predicates.extend(judged.picture.predicates.iter().copied());
    }
    if let Some(found) = refuted(all_judged) {
        statistics.part = Some("a run from a heap that the contract allows");
        statistics.figures.clear();
        statistics.picture.diagrams.extend(heaps(loaded, found));
    }
    let outcome = verdict.outcome();
    let winner = (!matches!(verdict, Verdict::Unknown(_))).then_some("shape");
    Report {
        verdict,
        chosen: "shape: the function has a contract".into(),
        winner,
        runs: vec![EngineRun { engine: "shape", outcome, statistics }],
        missing: Vec::new(),
        counts: Counts::default(),
    }
}

/// How long the heap logic was at work, in milliseconds by phase, with the longest question of the search.
pub fn time_in_solver(budget: &Budget, elapsed: Duration) -> String {
    let of = |phase: Phase| budget.progress().solving(phase);
    let [exploring, refining, auditing] =
        [Phase::Exploring, Phase::Refining, Phase::Auditing].map(of);
    let ms = |nanoseconds: u64| nanoseconds as f64 / 1e6;
    format!(
        "heap logic: {:.2} ms exploring, {:.2} ms refining, {:.2} ms auditing, {:.2} ms longest, {:.2} ms in all",
        ms(exploring.0),
        ms(refining.0),
        ms(auditing.0),
        ms(exploring.1.max(refining.1)),
        elapsed.as_secs_f64() * 1e3
    )
}

/// Says what became of them; the last line of output is the verdict.
pub fn tell(loaded: &Loaded, all_judged: &[Judged], flags: &VerifyFlags) -> Exit {
    let (quiet, verbose, entry) = (flags.quiet, flags.verbose, flags.input.entry.as_deref());
    let program = &loaded.lowered.program;
    let mut all = true;
    if !program.checks.values().any(|c| c.property == Property::ValidDeref) && !quiet {
        println!("assumed: memory accesses are valid (check them with --property valid-memsafety)");
    }
    for (contract, judged) in loaded.lowered.contracts.iter().zip(all_judged) {
        let name = &program.functions[contract.function].name;
        let proved = matches!(judged.judgement, Judgement::Proved { .. } | Judgement::Assumed);
        all &= proved;
        if quiet {
            continue;
        }
        match &judged.judgement {
            Judgement::Proved { invariants } => {
                println!(
                    "{name}: contract proved; {} obligations re-checked with proofs",
                    judged.statistics.obligations
                );
                for (location, text) in invariants {
                    let place = program.locations[*location]
                        .loop_keyword
                        .and_then(|span| loaded.sources.position(span.start))
                        .map_or_else(|| "a join".to_owned(), |p| p.to_string());
                    println!("  invariant at {place}: {text}");
                }
            }
            Judgement::Assumed => println!("{name}: no body; its contract is assumed to hold"),
            Judgement::Refuted(found) => {
                println!("{name}: the contract is broken");
                println!("  called with {}", words(&found.start));
                print!("{}", run(loaded, found));
                if !found.end.is_empty() {
                    println!("  then {}", words(&found.end));
                }
                let check = &found.program.checks[found.violation.check];
                let place = loaded.sources.position(check.span.start);
                let place = place.map(|p| format!("{p}: ")).unwrap_or_default();
                println!("{place}{}", check.description);
            }
            Judgement::NotProved { what, states, feasible } => {
                println!("{name}: not proved: {what}");
                let how = match feasible {
                    Some(Certainty::Decided) => "there is no contradiction".to_owned(),
                    Some(Certainty::NoRefutation(why)) => {
                        format!("no contradiction was found (not decided: {why})")
                    }
                    None => "more is needed".to_owned(),
                };
                println!("  in a path of {} parts, in which {how}:", states.len());
                for state in states {
                    println!("  before: {state}");
                }
            }
            Judgement::Unknown(reason) => println!("{name}: no verdict: {reason}"),
        }
        if verbose {
            let figures: Vec<String> = judged
                .statistics
                .figures()
                .into_iter()
                .map(|(what, n)| format!("{n} {what}"))
                .collect();
            println!("  search: {}", figures.join(", "));
        }
    }
    if verbose && let Some(decision) = report(loaded, all_judged).decision() {
        println!("decided by: {decision}");
    }
    if let Some(found) = refuted(all_judged) {
        println!("RESULT: false({})", broken(loaded, found, entry));
        return Exit::False;
    }
    println!("RESULT: {}", if all { "true" } else { "unknown" });
    if all { Exit::True } else { Exit::Unknown }
}

/// The property that is violated. Of a function that is called in turn it is its contract, whatever goes wrong in
/// it: whether its callers ever call it so is another question.
fn broken(loaded: &Loaded, found: &Refutation, entry: Option<&str>) -> &'static str {
    let property = found.program.checks[found.violation.check].property;
    let name = &loaded.lowered.program.functions[found.function].name;
    if entry == Some(name.as_str()) { property.name() } else { Property::Contract.name() }
}

fn words(all: &[String]) -> String {
    if all.is_empty() { "no objects".into() } else { all.join("; ") }
}

/// The steps of the run.
fn told(loaded: &Loaded, found: &Refutation) -> Vec<Step> {
    let place = |span: Span| {
        let position = loaded.sources.position(span.start)?;
        Some(Place { file: 0, line: position.line, column: position.column })
    };
    let limits = steps::Limits::default();
    steps::tell(&found.program, &found.violation.run, &place, limits).unwrap_or_default()
}

/// The heap that the function is called on, and as each step leaves it.
fn heaps(loaded: &Loaded, found: &Refutation) -> Vec<Diagram> {
    let mut drawn: Vec<Diagram> = Vec::new();
    let mut last = None;
    for step in told(loaded, found) {
        let (Some(heap), Some(&first)) = (&step.heap, step.edges.first()) else { continue };
        if last.as_ref() == Some(heap) {
            continue;
        }
        last = Some(heap.clone());
        let builds = found.builds(EdgeId::from_index(first as usize));
        let when = match builds {
            true => "at the call".to_owned(),
            false => format!("after line {}", step.place.line),
        };
        // While the heap is built, only what comes out of it matters.
        if builds {
            drawn.clear();
        }
        let name = format!("run {:02}: heap {when}", drawn.len() + 1);
        drawn.push(Diagram { name, ..(**heap).clone() });
    }
    drawn
}

/// The lines of the function that are executed, with what they change.
fn run(loaded: &Loaded, found: &Refutation) -> String {
    let mut text = String::new();
    for step in told(loaded, found) {
        let Some(&first) = step.edges.first() else { continue };
        let edge = EdgeId::from_index(first as usize);
        // The heap is built before the function is entered.
        if found.builds(edge) {
            continue;
        }
        let Some((file, line, source)) = show::source_line(loaded, edge) else { continue };
        let changes = step.changes.iter().map(|c| format!("{} = {}", c.name, c.value));
        let notes: Vec<String> = step.words.iter().cloned().chain(changes).collect();
        let notes = match notes.is_empty() {
            true => String::new(),
            false => format!("   // {}", notes.join(", ")),
        };
        let indent = "  ".repeat(step.depth.clamp(1, 10));
        text += &format!("{indent}{file}:{line}: {source}{notes}\n");
    }
    text
}
