//! Several engines on one task, in a [`race`]: the first audited verdict stops the others.

use super::{EngineRun, Entry, Finding, Report, Task, Verdict};
use bolide_base::race::{Lost, Runner, race};
use bolide_base::{Budget, Exhausted};
use bolide_reachability::verdict::Reason;
use std::any::Any;

/// Polls of one turn, for each share of the time that an engine has.
const TURN: u64 = 2000;

/// What came of the entries, by their position; none where an engine was not begun.
type Findings = Vec<Option<Finding>>;

/// Runs the entries; the first audited verdict counts.
pub fn run(task: &Task<'_>, entries: &[&'static Entry], chosen: String, budget: &Budget) -> Report {
    let threads = task.options.threads.clamp(1, entries.len().max(1));
    let verify = |entry: &Entry, budget: &Budget| (entry.verify)(task, budget);
    let findings = match entries {
        [entry] => vec![Some(verify(entry, &budget.child(entry.name)))],
        _ => together(&verify, entries, threads, budget),
    };
    report(entries, findings, chosen, threads, budget)
}

fn together(
    verify: &(dyn Fn(&Entry, &Budget) -> Finding + Sync),
    entries: &[&'static Entry],
    threads: usize,
    budget: &Budget,
) -> Findings {
    // Heuristic: who comes first gets more of the time.
    let shares = [4, 3, 2].into_iter().chain(std::iter::repeat(1));
    let runner = |(&entry, share): (&&'static Entry, u64)| {
        let work = move |own: &Budget| own.poll().is_ok().then(|| verify(entry, own));
        Runner { name: entry.name, turn: share * TURN, work: Box::new(work) }
    };
    let runners = entries.iter().zip(shares).map(runner).collect();
    let decides = |found: &Option<Finding>| found.as_ref().is_some_and(|f| f.verdict.is_decided());
    let finding = |found: Result<Option<Finding>, Lost>| {
        // A defect of one engine does not spoil the audited verdict of
        // another; where nobody has one it is the reason.
        found.unwrap_or_else(|lost| {
            Some(Finding::unknown(match lost {
                Lost::Panicked(panic) => Reason::Defect(message(panic.as_ref())),
                Lost::NotStarted(why) => {
                    Reason::Unsupported(format!("cannot start a thread: {why}"))
                }
            }))
        })
    };
    race(runners, threads, budget, decides).into_iter().map(finding).collect()
}

/// One verdict out of what all found.
fn report(
    entries: &[&'static Entry],
    findings: Findings,
    mut chosen: String,
    threads: usize,
    budget: &Budget,
) -> Report {
    if entries.len() > 1 {
        chosen = match threads {
            1 => format!("{chosen} (taking turns)"),
            _ => format!("{chosen} ({threads} side by side)"),
        };
    }
    let runs = entries
        .iter()
        .zip(&findings)
        .filter_map(|(entry, finding)| {
            let finding = finding.as_ref()?;
            Some(EngineRun {
                engine: entry.name,
                outcome: outcome(&finding.verdict),
                statistics: finding.statistics.clone(),
            })
        })
        .collect();
    let (mut first, mut reason): (Option<(&'static str, Verdict)>, Option<Reason>) = (None, None);
    let mut contradiction = None;
    for (entry, finding) in entries.iter().zip(findings) {
        match finding.map(|f| f.verdict) {
            None => {}
            // The first engine's reason, unless it was only stopped; a defect before all.
            Some(Verdict::Unknown(why)) => match (&reason, &why) {
                (None | Some(Reason::Exhausted(Exhausted::Cancelled)), _)
                | (_, Reason::Defect(_)) => reason = Some(why),
                (Some(_), _) => {}
            },
            Some(verdict) => match &first {
                None => first = Some((entry.name, verdict)),
                Some((name, other)) if outcome(other) != outcome(&verdict) => {
                    contradiction = Some(format!("`{name}` and `{}` disagree", entry.name));
                }
                Some(_) => {}
            },
        }
    }
    let (winner, verdict) = match (contradiction, first) {
        // Required: an audit that lets both pass has a defect, and nobody knows which.
        (Some(why), _) => (None, Verdict::Unknown(Reason::NotCertified(why))),
        (None, Some((name, verdict))) => (Some(name), verdict),
        (None, None) => {
            let none = || match budget.poll() {
                Err(what) => Reason::Exhausted(what),
                Ok(()) => Reason::Unsupported("no engine takes a program like this".into()),
            };
            (None, Verdict::Unknown(reason.unwrap_or_else(none)))
        }
    };
    Report { verdict, chosen, winner, runs }
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without words".into())
}

fn outcome(verdict: &Verdict) -> String {
    match verdict {
        Verdict::True { .. } => "true".into(),
        Verdict::False(_) => "false".into(),
        Verdict::Unknown(reason) => reason.to_string(),
    }
}
