//! Several engines on one task: side by side on threads, or one after the
//! other when there are more engines than threads.
//!
//! Each engine works under a child of the budget. The first audited verdict
//! stops the others; until then an engine that gives up makes room for the next.

use super::{EngineRun, Entry, Finding, Report, Task, Verdict};
use bolide_base::{Budget, Exhausted};
use bolide_reachability::verdict::Reason;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Address space for the stack of a working thread; pages are only used when touched.
const STACK_BYTES: usize = 1 << 29;

/// What came of the entries, by their position; none where an engine was not begun.
type Findings = Vec<Option<Finding>>;

/// Runs the entries; the first audited verdict counts.
pub fn run(task: &Task<'_>, entries: &[&'static Entry], chosen: String, budget: &Budget) -> Report {
    let threads = task.options.threads.clamp(1, entries.len().max(1));
    let budgets: Vec<Budget> = entries.iter().map(|entry| budget.child(entry.name)).collect();
    let work = Work {
        task,
        entries,
        budgets: &budgets,
        next: AtomicUsize::new(0),
        findings: Mutex::new(vec![None; entries.len()]),
    };
    if threads == 1 {
        work.until_decided();
    } else {
        side_by_side(&work, threads);
    }
    let findings = work.findings.into_inner().unwrap_or_else(PoisonError::into_inner);
    report(entries, findings, chosen, threads)
}

/// What the threads share.
struct Work<'a> {
    task: &'a Task<'a>,
    entries: &'a [&'static Entry],
    budgets: &'a [Budget],
    /// The entry that is begun next.
    next: AtomicUsize,
    findings: Mutex<Findings>,
}

impl Work<'_> {
    /// Runs one entry after the other until some thread has a verdict.
    fn until_decided(&self) {
        loop {
            let position = self.next.fetch_add(1, Ordering::Relaxed);
            let (Some(entry), Some(budget)) =
                (self.entries.get(position), self.budgets.get(position))
            else {
                return;
            };
            if budget.poll().is_err() {
                return;
            }
            let finding = (entry.verify)(self.task, budget);
            let decided = finding.verdict.is_decided();
            self.findings.lock().unwrap_or_else(PoisonError::into_inner)[position] = Some(finding);
            if decided {
                // Those that are not begun yet are stopped, too.
                for other in self.budgets {
                    other.stop(Exhausted::Cancelled);
                }
                return;
            }
        }
    }
}

fn side_by_side(work: &Work<'_>, threads: usize) {
    let panics = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .filter_map(|number| {
                std::thread::Builder::new()
                    .name(format!("engine {number}"))
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, || work.until_decided())
                    .ok()
            })
            .collect();
        if workers.is_empty() {
            // No thread to be had: this one does the work.
            work.until_decided();
        }
        workers.into_iter().filter_map(|worker| worker.join().err()).collect::<Vec<_>>()
    });
    // A defect of one engine does not spoil the audited verdict of another;
    // the hook of the command line has reported it.
    let decided = |f: &Option<Finding>| f.as_ref().is_some_and(|f| f.verdict.is_decided());
    let findings = work.findings.lock().unwrap_or_else(PoisonError::into_inner);
    if !findings.iter().any(decided)
        && let Some(panic) = panics.into_iter().next()
    {
        drop(findings);
        resume_unwind(panic);
    }
}

/// One verdict out of what all found.
fn report(
    entries: &[&'static Entry],
    findings: Findings,
    mut chosen: String,
    threads: usize,
) -> Report {
    if threads > 1 {
        chosen = format!("{chosen} ({threads} side by side)");
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
            // The first engine's reason, unless it was only stopped.
            Some(Verdict::Unknown(why)) => match &reason {
                None | Some(Reason::Exhausted(Exhausted::Cancelled)) => reason = Some(why),
                Some(_) => {}
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
            let none = || Reason::Unsupported("no engine takes a program like this".into());
            (None, Verdict::Unknown(reason.unwrap_or_else(none)))
        }
    };
    Report { verdict, chosen, winner, runs }
}

fn outcome(verdict: &Verdict) -> String {
    match verdict {
        Verdict::True { .. } => "true".into(),
        Verdict::False(_) => "false".into(),
        Verdict::Unknown(reason) => reason.to_string(),
    }
}
