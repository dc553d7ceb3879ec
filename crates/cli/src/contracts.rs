//! `bolide verify --engine shape --entry F`, where the function `F` has a contract.
//!
//! Each function that is annotated and can be reached from `F`
//! is proved on its own. The verdict is `true` when all contracts are; a contract without a proof
//! is no violation, so the verdict is `unknown` then, and the abstract
//! counterexample is shown.

use crate::exit::Exit;
use crate::flags::InputFlags;
use crate::frontend::Loaded;
use bolide_base::Budget;
use bolide_cfa::Property;
use bolide_engines::choose::{EngineRun, Invariant, Report, Statistics, Verdict};
use bolide_engines::shape::contract::{Judged, Judgement, prove};
use bolide_engines::shape::{Aids, Certainty};
use bolide_reachability::verdict::Reason;

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
pub fn judge(loaded: &Loaded, aids: &Aids, budget: &Budget) -> Vec<Judged> {
    let program = &loaded.lowered.program;
    let contracts = &loaded.lowered.contracts;
    contracts.iter().map(|contract| prove(program, contract, contracts, aids, budget)).collect()
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
            Judgement::NotProved { what, .. } => {
                let why = format!("the contract of `{name}` is not proved: {what}");
                missing.get_or_insert(Reason::NoProgress(why));
            }
            Judgement::Unknown(reason) => {
                missing.get_or_insert(reason.clone());
            }
        }
    }
    let verdict = match missing {
        Some(reason) => Verdict::Unknown(reason),
        None => Verdict::True { invariants: found, contracts: Vec::new(), obligations },
    };
    let mut statistics = Statistics::default();
    for judged in all_judged {
        statistics.picture.diagrams.extend(judged.picture.diagrams.iter().cloned());
        statistics.picture.predicates.extend(judged.picture.predicates.iter().copied());
    }
    let outcome = match &verdict {
        Verdict::Unknown(reason) => reason.to_string(),
        _ => "true".into(),
    };
    Report {
        verdict,
        chosen: "shape: the function has a contract".into(),
        winner: Some("shape"),
        runs: vec![EngineRun { engine: "shape", outcome, statistics }],
    }
}

/// Says what became of them; the last line of output is the verdict.
pub fn tell(loaded: &Loaded, all_judged: &[Judged], quiet: bool, verbose: bool) -> Exit {
    let program = &loaded.lowered.program;
    let mut all = true;
    if !program.checks.values().any(|c| c.property == Property::ValidDeref) && !quiet {
        println!("assumed: memory accesses are valid (check them with --property valid-memsafety)");
    }
    for (contract, judged) in loaded.lowered.contracts.iter().zip(all_judged) {
        let name = &program.functions[contract.function].name;
        let proved = matches!(judged.judgement, Judgement::Proved { .. });
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
    println!("RESULT: {}", if all { "true" } else { "unknown" });
    if all { Exit::True } else { Exit::Unknown }
}
