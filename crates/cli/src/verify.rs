//! `bolide verify`: the main job.

use crate::account;
use crate::evidence;
use crate::exit::Exit;
use crate::flags::VerifyFlags;
use crate::founded;
use crate::frontend::{self, Loaded};
use crate::report;
use crate::watchdog::{self, Limits};
use bolide_cfa::{CheckId, EdgeId, Op, Role};
use bolide_engines::choose::{self, Report, Verdict};
use bolide_reachability::replay::Violation;

/// Verifies; the last line of output is the verdict.
pub fn verify(flags: &VerifyFlags) -> Exit {
    let start = std::time::Instant::now();
    let budget =
        watchdog::watch(Limits { time: flags.limits.timeout, memory: flags.limits.memory });
    let Some(loaded) = frontend::load(&flags.input, &flags.property) else {
        return Exit::Usage;
    };
    if !flags.quiet {
        report::diagnostics(&loaded.sources, &loaded.lowered.diagnostics);
        assumptions(&loaded, flags.verbose);
    }
    let options = choose::Options {
        engine: flags.engine.into(),
        threads: flags.threads.unwrap_or_else(available_threads),
        single_blocks: flags.blocks == crate::flags::BlocksFlag::Single,
        predicate: bolide_engines::predicate_abstraction::Options {
            scope: flags.predicates.into(),
            ..Default::default()
        },
        trace: Default::default(),
    };
    let mut report = choose::verify(&loaded.lowered.program, &options, &budget);
    if let Some(reason) = founded::objection(&loaded, &report.verdict) {
        report.verdict = Verdict::Unknown(reason);
    }
    if !flags.quiet {
        explain(flags, &loaded, &report);
    }
    if let Err(message) = leave_evidence(flags, &loaded, &report, start.elapsed()) {
        eprintln!("bolide: {message}");
    }
    let (text, exit) = match &report.verdict {
        Verdict::True { .. } => ("true".to_owned(), Exit::True),
        Verdict::False(violation) => {
            (format!("false({})", property_name(&loaded, violation.check)), Exit::False)
        }
        Verdict::Unknown(_) => ("unknown".to_owned(), Exit::Unknown),
    };
    println!("RESULT: {text}");
    exit
}

/// Engines that may run side by side unless the user says otherwise.
fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Writes witness, harness and report where they were asked for.
fn leave_evidence(
    flags: &VerifyFlags,
    loaded: &Loaded,
    report: &Report,
    elapsed: std::time::Duration,
) -> Result<(), String> {
    let write = |file: &std::path::Path, text: String| {
        std::fs::write(file, text).map_err(|e| format!("cannot write `{}`: {e}", file.display()))
    };
    if let Some(file) = &flags.witness
        && let Some(text) = evidence::witness(flags, loaded, report)
    {
        write(file, text)?;
    }
    if let (Some(file), Verdict::False(violation)) = (&flags.harness, &report.verdict) {
        write(file, evidence::harness(loaded, violation))?;
    }
    if let Some(file) = &flags.report {
        let account = account::account(flags, loaded, report, elapsed, true);
        write(file, bolide_evidence::html::report(&account))?;
    }
    if let Some(file) = &flags.sarif {
        let account = account::account(flags, loaded, report, elapsed, false);
        write(file, format!("{:#}\n", bolide_evidence::sarif::log(&account)))?;
    }
    Ok(())
}

/// The name that the verdict carries. A failing assertion violates
/// `unreach-call` when only that was asked for.
fn property_name(loaded: &Loaded, check: CheckId) -> &'static str {
    loaded.lowered.program.checks[check].property.name()
}

fn assumptions(loaded: &Loaded, verbose: bool) {
    for (name, span) in &loaded.lowered.externals {
        let place = loaded.sources.position(span.start);
        let place = place.map(|p| format!(" (first used at {p})")).unwrap_or_default();
        println!("assumed: `{name}` has no body and may return any value{place}");
    }
    if verbose {
        for assumption in &loaded.lowered.assumptions {
            println!("assumed: {assumption}");
        }
    }
}

fn explain(flags: &VerifyFlags, loaded: &Loaded, report: &Report) {
    let verbose = flags.verbose;
    if verbose {
        println!("engine: {}", report.chosen);
        for run in &report.runs {
            let s = &run.statistics;
            println!("{}: {}", run.engine, run.outcome);
            println!("  explored program: {} locations, {} edges", s.explored.0, s.explored.1);
            let figures: Vec<String> =
                s.figures.iter().map(|(name, value)| format!("{value} {name}")).collect();
            println!("  search: {}", figures.join(", "));
            println!(
                "  solver: {} entailments, {} models, {} paths, {} interpolations",
                s.prover.entailments, s.prover.models, s.prover.paths, s.prover.interpolations
            );
        }
        if let Some(winner) = report.winner {
            println!("decided by: {winner}");
        }
    }
    match &report.verdict {
        Verdict::True { invariants, obligations, .. } => {
            println!("proved; {obligations} obligations re-checked with proofs");
            for invariant in invariants {
                let location = &loaded.lowered.program.locations[invariant.location];
                let place = location
                    .loop_keyword
                    .and_then(|span| loaded.sources.position(span.start))
                    .map_or_else(|| "a loop".to_owned(), |p| p.to_string());
                let words =
                    if verbose || invariant.c == "1" { &invariant.text } else { &invariant.c };
                println!("invariant at {place}: {words}");
            }
        }
        Verdict::False(violation) => trace(loaded, violation),
        Verdict::Unknown(reason) => {
            println!("no verdict: {reason}");
            for words in account::what_to_try(flags, loaded, report, reason) {
                println!("try: {words}");
            }
        }
    }
}

/// The steps that a person needs: branches, calls and inputs, ending with what
/// went wrong.
fn trace(loaded: &Loaded, violation: &Violation) {
    let program = &loaded.lowered.program;
    let mut last = (String::new(), 0);
    let mut inputs = violation.run.inputs.iter();
    for &edge in &violation.run.trace {
        let description = describe(loaded, edge, &mut inputs);
        let Some(position) = loaded.sources.position(program.edges[edge].origin.span.start) else {
            continue;
        };
        let here = (position.file.clone(), position.line);
        if let Some(words) = description
            && (here != last || !words.is_empty())
        {
            let text = loaded.sources.line_text(program.edges[edge].origin.span.start).trim();
            println!("  {}:{}: {text}{words}", position.file, position.line);
            last = here;
        }
    }
    let check = &program.checks[violation.check];
    let place = loaded
        .sources
        .position(check.span.start)
        .map_or_else(|| "unknown place".to_owned(), |p| p.to_string());
    println!("{place}: {}", check.description);
    let values: Vec<String> = violation.run.inputs.iter().map(|i| i.value.to_string()).collect();
    if !values.is_empty() {
        println!("inputs: {}", values.join(","));
    }
}

/// What is worth saying about a step; none when nothing is.
fn describe<'a>(
    loaded: &Loaded,
    edge: EdgeId,
    inputs: &mut impl Iterator<Item = &'a bolide_cfa::interpreter::Consumed>,
) -> Option<String> {
    let edge = &loaded.lowered.program.edges[edge];
    if let Op::Nondet { source: bolide_cfa::NondetSource::Input(_), .. } = edge.op {
        return inputs.next().map(|input| format!("   // {} = {}", input.name, input.value));
    }
    match edge.origin.role {
        Role::Statement | Role::Call | Role::Return => Some(String::new()),
        Role::Branch { taken } => {
            Some(format!("   // {}", if taken { "taken" } else { "not taken" }))
        }
        _ => None,
    }
}
