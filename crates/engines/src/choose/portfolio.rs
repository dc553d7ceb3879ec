//! Several engines on one task: as many side by side as there are threads, and
//! taking turns where there are more engines than threads.
//!
//! Each engine works under a child of the budget, on a thread of its own. The
//! first audited verdict stops the others. Turns are measured in polls of the
//! budget, so that with one thread at a time everything repeats.

use super::{EngineRun, Entry, Finding, Report, Task, Verdict};
use bolide_base::{Budget, Exhausted};
use bolide_reachability::verdict::Reason;
use std::any::Any;

/// Address space for the stack of a working thread; pages are only used when touched.
const STACK_BYTES: usize = 1 << 29;

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
    let turns: Vec<(&'static str, u64)> =
        entries.iter().zip(shares).map(|(entry, share)| (entry.name, share * TURN)).collect();
    let budgets = budget.children_in_turn(&turns, threads);
    let work = |entry: &Entry, own: &Budget| {
        let _attendance = own.begin();
        if own.poll().is_err() {
            return None;
        }
        let finding = verify(entry, own);
        if finding.verdict.is_decided() {
            for other in &budgets {
                other.stop(Exhausted::Cancelled);
            }
        }
        Some(finding)
    };
    let work = &work;
    let mut findings = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = entries
            .iter()
            .zip(&budgets)
            .map(|(entry, own)| {
                std::thread::Builder::new()
                    .name(entry.name.to_owned())
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || work(entry, own))
                    // Required: the others must not wait for its turn.
                    .inspect_err(|_| own.withdraw())
            })
            .collect();
        for worker in workers {
            match worker.map(|worker| worker.join()) {
                Ok(Ok(finding)) => findings.push(finding),
                // A defect of one engine does not spoil the audited verdict of
                // another; where nobody has one it is the reason.
                Ok(Err(panic)) => {
                    let reason = Reason::Defect(message(panic.as_ref()));
                    findings.push(Some(Finding::unknown(reason)));
                }
                Err(why) => {
                    let reason = Reason::Unsupported(format!("cannot start a thread: {why}"));
                    findings.push(Some(Finding::unknown(reason)));
                }
            }
        }
    });
    findings
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
