//! Several engines on one task, in a [`race`]: the first audited verdict stops the others.

use super::report::{EngineRun, Report};
use super::table::Engine;
use crate::picture;
use crate::task::Task;
use crate::workbench::{Statistics, Workbench};
use bolide_base::budget::Phase;
use bolide_base::race::{Lost, Runner, race};
use bolide_base::{Budget, Exhausted};
use bolide_reachability::encode::Inexact;
use bolide_reachability::verdict::Reason;
use bolide_verdict::audit::Terms;
use bolide_verdict::{Certificate, Conclusion, Verdict, judge};
use std::any::Any;

/// Polls of one turn, for each share of the time that an engine has, where they take as long as those of `impact`.
const TURN: u64 = 2000;

/// Heuristic: the audit of a proof has so many turns at once. Most take less, and then the race is over; while others
/// search, it would take as many times longer as there are others.
const AUDIT: u64 = 50;

/// What an engine found, audited, and how far it came.
struct Finding {
    verdict: Verdict,
    statistics: Statistics,
    /// What was found not to be the machine's.
    inexact: Inexact,
}

/// What came of the engines, by their position; none where one was not begun.
type Findings = Vec<Option<Finding>>;

/// Runs the engines; the first audited verdict counts. With what formulas do not know well enough,
/// as far as a path showed it.
pub fn run(
    task: &Task<'_>,
    engines: &[&'static Engine],
    threads: usize,
    chosen: String,
    budget: &Budget,
) -> (Report, Inexact) {
    let threads = threads.clamp(1, engines.len().max(1));
    let findings = match engines {
        [engine] => vec![Some(verify(task, engine, true, &budget.child(engine.name)))],
        _ => together(task, engines, threads, budget),
    };
    let mut inexact = Inexact::default();
    for finding in findings.iter().flatten() {
        inexact.extend(&finding.inexact);
    }
    (report(engines, findings, chosen, threads, budget), inexact)
}

/// Runs one engine for so many polls. Polls do not bound how long a path is compared with the machine.
pub fn briefly(
    task: &Task<'_>,
    engine: &'static Engine,
    polls: u64,
    compares: bool,
    budget: &Budget,
) -> Report {
    let finding = verify(task, engine, compares, &budget.child_for(engine.name, polls));
    report(&[engine], vec![Some(finding)], String::new(), 1, budget)
}

/// Lets an engine search, and judges what it concludes: nobody believes it.
fn verify(task: &Task<'_>, engine: &Engine, compares: bool, budget: &Budget) -> Finding {
    if let Some(turns) = engine.opening {
        budget.keep_turn(turns);
    }
    let mut bench = Workbench::new(task, budget);
    budget.progress().enter(Phase::Exploring);
    let mut conclusion = (engine.search)(task, &mut bench);
    if matches!(conclusion, Conclusion::Safe(_)) {
        budget.keep_turn(AUDIT);
    }
    if let Conclusion::Safe(Certificate::Invariants(annotation)) = &mut conclusion {
        bench.complete(annotation);
    }
    let mut statistics = std::mem::take(&mut bench.statistics);
    statistics.prover = bench.prover.statistics;
    let Workbench { store, known, exact, .. } = &mut bench;
    let mut terms = Terms::new(store, std::mem::take(exact), known.as_mut());
    terms.compares = compares;
    let verdict = judge(&task.programs, &conclusion, &mut terms, budget);
    let inexact = terms.inexact;
    let obligations = match &verdict {
        Verdict::True { obligations, .. } => *obligations,
        _ => 0,
    };
    let figures = known.close(verdict.is_decided(), obligations, budget);
    statistics.figures.extend(figures);
    if let (true, Verdict::True { .. }, Conclusion::Safe(Certificate::Invariants(annotation))) =
        (statistics.picture.wanted, &verdict, &conclusion)
    {
        let blocks = task.blocks(store, false);
        statistics.picture.diagrams.extend(picture::proof(&blocks, store, annotation));
    }
    Finding { verdict, statistics, inexact }
}

fn together(
    task: &Task<'_>,
    engines: &[&'static Engine],
    threads: usize,
    budget: &Budget,
) -> Findings {
    // Heuristic: who comes first gets more of the time.
    let shares = [4, 3, 2].into_iter().chain(std::iter::repeat(1));
    let runner = |(&engine, share): (&&'static Engine, u64)| {
        let work = move |own: &Budget| {
            let limited = engine.effort.map(|polls| own.child_for(engine.name, polls));
            own.poll().is_ok().then(|| verify(task, engine, true, limited.as_ref().unwrap_or(own)))
        };
        Runner { name: engine.name, turn: share * TURN / engine.pace, work: Box::new(work) }
    };
    let runners = engines.iter().zip(shares).map(runner).collect();
    // A run that is one in formulas only is one for all engines: nobody can prove anything with these formulas.
    let in_vain = |verdict: &Verdict| {
        matches!(verdict, Verdict::Unknown(Reason::NotReplayed(_))) && task.gains_from_exactness()
    };
    let decides = |found: &Option<Finding>| {
        found.as_ref().is_some_and(|f| f.verdict.is_decided() || in_vain(&f.verdict))
    };
    let finding = |found: Result<Option<Finding>, Lost>| {
        // A defect of one engine does not spoil the audited verdict of
        // another; where nobody has one it is the reason.
        found.unwrap_or_else(|lost| {
            let verdict = Verdict::Unknown(match lost {
                Lost::Panicked(panic) => Reason::Defect(message(panic.as_ref())),
                Lost::NotStarted(why) => {
                    Reason::Unsupported(format!("cannot start a thread: {why}"))
                }
            });
            let (statistics, inexact) = Default::default();
            Some(Finding { verdict, statistics, inexact })
        })
    };
    race(runners, threads, budget, decides).into_iter().map(finding).collect()
}

/// One verdict out of what all found.
fn report(
    engines: &[&'static Engine],
    findings: Findings,
    mut chosen: String,
    threads: usize,
    budget: &Budget,
) -> Report {
    if engines.len() > 1 {
        chosen = match threads {
            1 => format!("{chosen} (taking turns)"),
            _ => format!("{chosen} ({threads} side by side)"),
        };
    }
    let runs = engines
        .iter()
        .zip(&findings)
        .filter_map(|(engine, finding)| {
            let finding = finding.as_ref()?;
            Some(EngineRun {
                engine: engine.name,
                outcome: finding.verdict.outcome(),
                statistics: finding.statistics.clone(),
            })
        })
        .collect();
    let (mut first, mut reason): (Option<(&'static str, Verdict)>, Option<Reason>) = (None, None);
    let mut contradiction = None;
    for (engine, finding) in engines.iter().zip(findings) {
        match finding.map(|f| f.verdict) {
            None => {}
            // The first engine's reason, unless it was only stopped or another came as far as a run; a defect
            // before all.
            Some(Verdict::Unknown(why)) => match (&reason, &why) {
                (None | Some(Reason::Exhausted(Exhausted::Cancelled)), _)
                | (_, Reason::Defect(_)) => reason = Some(why),
                (Some(Reason::Defect(_)), _) => {}
                (Some(_), Reason::NotReplayed(_)) => reason = Some(why),
                (Some(_), _) => {}
            },
            Some(verdict) => match &first {
                None => first = Some((engine.name, verdict)),
                Some((name, other)) if other.outcome() != verdict.outcome() => {
                    contradiction = Some(format!("`{name}` and `{}` disagree", engine.name));
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
    let (missing, counts) = Default::default();
    Report { verdict, chosen, winner, runs, missing, counts }
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a panic without words".into())
}
