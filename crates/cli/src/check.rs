//! `bolide check`: does a witness stand?
//!
//! The claims are written into the program ([`instrument`]), and the program
//! is verified as any other: engines, audit and replay included. So nothing
//! of a witness is believed.
//!
//! - A correctness witness is *confirmed* when the program with its invariants
//!   as checks is proved, with them as candidates for invariants; *refuted* when an execution violates an invariant or
//!   the property.
//! - A violation witness is *confirmed* when an execution passes its waypoints and violates the
//!   property at its target; *refuted* when it is proved that none does. A witness that
//!   states the inputs is just executed.

use crate::exit::{Exit, Stop};
use crate::flags::{CheckFlags, External};
use crate::frontend::{self, Loaded};
use crate::instrument::{self, Inserted, REFUTED, Source};
use crate::output;
use crate::progress::StatusLine;
use crate::property;
use crate::show;
use crate::watchdog;
use bolide_api::specification::Specification;
use bolide_base::{Budget, Exhausted};
use bolide_cfa::CheckId;
use bolide_cfa::interpreter::{Config, Input, Inputs, Outcome, Trace};
use bolide_engines::choose;
use bolide_engines::task::Orders;
use bolide_evidence::witness::PointKind;
use bolide_evidence::witness_reader::{self, Segment, Witness};
use bolide_verdict::replay::Violation;
use bolide_verdict::{Verdict, foundation};
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// What was found out about a witness; an error says why nothing was.
type Found = Result<Checked, String>;

struct Checked {
    /// Confirmed, or refuted.
    stands: bool,
    words: String,
    /// The verdict about the program.
    result: String,
}

/// Checks; the last line of output is the verdict.
pub fn check(flags: &CheckFlags) -> Result<Exit, Stop> {
    let limits = flags.limits.limits();
    let quiet = flags.quiet;
    let late = move |reason: Exhausted, _: &Budget| {
        if !quiet {
            println!("witness: unknown: {reason}");
        }
        println!("RESULT: unknown");
    };
    let (budget, floor) = watchdog::guard(limits, Box::new(late));
    let status = StatusLine::start(&budget, flags.limits.timeout, flags.quiet);
    let found = examine(flags, &budget);
    drop(status);
    floor.take();
    let found = match (found, budget.poll()) {
        (Ok(found), _) => found,
        (Err(_), Err(reason)) => Err(reason.to_string()),
        (Err(stop), Ok(())) => return Err(stop),
    };
    let (words, result) = match found {
        Ok(Checked { stands: true, words, result }) => (format!("confirmed: {words}"), result),
        Ok(Checked { stands: false, words, result }) => (format!("refuted: {words}"), result),
        Err(words) => (format!("unknown: {words}"), "unknown".to_owned()),
    };
    if !flags.quiet {
        println!("witness: {words}");
    }
    println!("RESULT: {result}");
    Ok(match result.as_str() {
        "true" => Exit::True,
        "unknown" => Exit::Unknown,
        _ => Exit::False,
    })
}

fn examine(flags: &CheckFlags, budget: &Budget) -> Result<Found, Stop> {
    let text = output::read(&flags.witness)?;
    let witness = witness_reader::read(&text)
        .map_err(|why| format!("`{}`: {why}", flags.witness.display()))?;
    remark(flags, &witness);
    let asked = !flags.property.properties.is_empty() || !flags.property.ltl.is_empty();
    let specification = match asked || witness.specification.is_empty() {
        true => property::specification(&flags.property),
        false => property::specification_of(&witness.specification),
    };
    let specification = specification.ok_or(Stop::Exit(Exit::Usage))?;
    let texts = frontend::read_texts(&flags.input).ok_or(Stop::Exit(Exit::Usage))?;
    let loaded = frontend::build(texts.clone(), &flags.input, &specification, None, budget)
        .map_err(|_| Stop::Exit(Exit::Usage))?;
    Ok(match &witness.segments {
        Some(segments) => violation(flags, &specification, &loaded, texts, segments, budget),
        None => correctness(flags, &specification, &loaded, texts, &witness, budget),
    })
}

/// What a witness says about its task and does not fit.
fn remark(flags: &CheckFlags, witness: &Witness) {
    let model = flags.input.data_model.name();
    if !witness.data_model.is_empty() && witness.data_model != model {
        eprintln!(
            "bolide: the witness is about the data model {}, the check about {model}: see \
             --data-model",
            witness.data_model
        );
    }
    for file in &flags.input.files {
        let bytes = std::fs::read(file).unwrap_or_default();
        let hash: String = format!("{:x}", Sha256::digest(&bytes));
        if !witness.hashes.is_empty() && !witness.hashes.contains(&hash) {
            eprintln!(
                "bolide: the witness was written for another version of `{}`",
                file.display()
            );
        }
    }
}

/// Verifies a program with claims in it. What is `claimed` is a hint for the engines.
fn verify(flags: &CheckFlags, loaded: &Loaded, claimed: Vec<CheckId>, budget: &Budget) -> Verdict {
    let options = choose::Options {
        engine: flags.engine.0,
        threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        orders: Orders { claimed, ..Orders::default() },
        record: loaded.record(),
        ..Default::default()
    };
    choose::verify(&loaded.lowered.program, &options, budget).verdict
}

/// The program with claims; or why there is none.
fn rebuild(
    flags: &CheckFlags,
    specification: &Specification,
    inserted: &Inserted,
    budget: &Budget,
) -> Result<Loaded, String> {
    let mut input = flags.input.clone();
    if input.external == Some(External::Error) {
        // The marker has no body, which is no mistake of the program.
        input.external = Some(External::Havoc);
    }
    let texts = inserted.texts.clone();
    let Ok(loaded) = frontend::build(texts, &input, specification, Some(REFUTED), budget) else {
        return Err("its expressions make no sense where they stand".into());
    };
    if !inserted.is_pure(&loaded.sources, loaded.units()) {
        return Err("an expression has an effect or calls a function".into());
    }
    Ok(loaded)
}

fn correctness(
    flags: &CheckFlags,
    specification: &Specification,
    loaded: &Loaded,
    texts: Vec<(PathBuf, String)>,
    witness: &Witness,
    budget: &Budget,
) -> Found {
    let source = Source { sources: &loaded.sources, units: loaded.units() };
    let inserted = instrument::invariants(&source, texts, &witness.invariants)?;
    let with_claims = rebuild(flags, specification, &inserted, budget)?;
    let checks = with_claims.lowered.program.checks.iter();
    let claimed = checks
        .filter(|(_, check)| inserted.holds(&with_claims.sources, check.span.start))
        .map(|(id, _)| id)
        .collect();
    match verify(flags, &with_claims, claimed, budget) {
        Verdict::True { obligations, .. } => Ok(Checked {
            stands: true,
            words: format!(
                "the property and {} invariants hold; {obligations} obligations re-checked with \
                 proofs",
                witness.invariants.len()
            ),
            result: "true".into(),
        }),
        Verdict::False(violation) => {
            let check = &with_claims.lowered.program.checks[violation.check];
            let inputs: Vec<String> =
                violation.run.inputs.iter().map(|i| i.value.to_string()).collect();
            let inputs = match inputs.is_empty() {
                true => String::new(),
                false => format!(" on the inputs {}", inputs.join(",")),
            };
            let (what, result) = if inserted.holds(&with_claims.sources, check.span.start) {
                let position = with_claims.sources.position(check.span.start);
                let line = position.map_or(0, |p| p.line);
                (format!("the invariant at line {line} does not hold"), "false(invariant)".into())
            } else {
                let result = show::result(&with_claims, &Verdict::False(violation));
                ("the program violates the property".to_owned(), result)
            };
            Ok(Checked { stands: false, words: format!("{what}{inputs}"), result })
        }
        Verdict::Unknown(reason) => Err(reason.to_string()),
    }
}

/// More waypoints than this are only executed, not searched for.
const SEARCHED: usize = 200;

fn violation(
    flags: &CheckFlags,
    specification: &Specification,
    loaded: &Loaded,
    texts: Vec<(PathBuf, String)>,
    segments: &[Segment],
    budget: &Budget,
) -> Found {
    if let Some(check) = execute(loaded, segments, budget) {
        return confirmed(loaded, check);
    }
    if segments.len() > SEARCHED {
        return Err(format!(
            "executing its inputs does not reach the target, and {} waypoints are too many to \
             search for",
            segments.len()
        ));
    }
    let source = Source { sources: &loaded.sources, units: loaded.units() };
    let inserted = instrument::path(&source, texts, segments)?;
    let restricted = rebuild(flags, specification, &inserted, budget)?;
    match verify(flags, &restricted, Vec::new(), budget) {
        Verdict::True { .. } => Ok(Checked {
            stands: false,
            words: "no execution follows it to its target".into(),
            result: "true".into(),
        }),
        Verdict::False(violation) => {
            let check = violation.check;
            if inserted
                .holds(&restricted.sources, restricted.lowered.program.checks[check].span.start)
            {
                return Err("an expression of it is undefined".into());
            }
            match is_target(&restricted, &violation, segments) {
                true => confirmed(&restricted, check),
                false => Err("the violation that was found is another one".into()),
            }
        }
        Verdict::Unknown(reason) => Err(reason.to_string()),
    }
}

fn confirmed(loaded: &Loaded, check: CheckId) -> Found {
    let check = &loaded.lowered.program.checks[check];
    Ok(Checked {
        stands: true,
        words: format!("executed: {}", check.description),
        result: format!("false({})", check.property.name()),
    })
}

/// Whether a check stands at the target, as far as the line.
fn is_target(loaded: &Loaded, violation: &Violation, segments: &[Segment]) -> bool {
    let Some(target) = segments.last() else { return false };
    let source = Source { sources: &loaded.sources, units: loaded.units() };
    let mut place = target.follow.location.clone();
    // Code was put in front of it: columns are others now.
    place.column = 0;
    let span = loaded.violated_at(violation);
    source.is_at(span.start, &place)
}

/// Where a witness states what inputs return, runs the program on them.
fn execute(loaded: &Loaded, segments: &[Segment], budget: &Budget) -> Option<CheckId> {
    let (_, steps) = segments.split_last()?;
    let mut inputs = Vec::new();
    for segment in steps {
        let PointKind::FunctionReturn(Some(constraint)) = &segment.follow.kind else {
            return None;
        };
        let value = constraint.trim().strip_prefix("\\result")?.trim().strip_prefix("==")?.trim();
        let input = match value.parse::<i128>() {
            Ok(number) => Input::Int(number),
            Err(_) => Input::Float(value.parse::<f64>().ok()?),
        };
        inputs.push(input);
    }
    let config = Config {
        step_limit: 50_000_000,
        budget: budget.clone(),
        trace: Trace::Last(1 << 16),
        ..Config::default()
    };
    let program = &loaded.lowered.program;
    let run = bolide_cfa::interpreter::run(program, &mut Inputs::new(inputs), &config);
    let violation = match run.outcome {
        Outcome::Violation(check) => Verdict::False(Box::new(Violation { check, run })),
        _ => return None,
    };
    let Verdict::False(found) = &violation else { return None };
    let stands = is_target(loaded, found, segments)
        && foundation::objection(program, &loaded.record(), &violation).is_none();
    stands.then_some(found.check)
}
