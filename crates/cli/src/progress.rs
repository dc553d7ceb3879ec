//! The status line of a long run: one line on standard error, redrawn a few
//! times a second, and only where standard error is a terminal. It shows what each engine is
//! busy with, how many refinements it made, how many nodes it reached, its
//! longest trace, the share of its time that the solver took, and the time spent and left.

use crate::sampling::{Share, shares};
use bolide_base::Budget;
use bolide_base::budget::{Phase, Snapshot};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the line is redrawn.
const PERIOD: Duration = Duration::from_millis(150);
/// Shorter runs show nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// A status line; it vanishes when this is dropped.
pub struct StatusLine {
    stopped: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl StatusLine {
    /// Starts drawing, unless nobody would see it.
    pub fn start(budget: &Budget, limit: Option<Duration>, quiet: bool) -> StatusLine {
        let stopped = Arc::new(AtomicBool::new(false));
        let mut line = StatusLine { stopped: stopped.clone(), thread: None };
        if quiet || !std::io::stderr().is_terminal() {
            return line;
        }
        let budget = budget.clone();
        line.thread = std::thread::Builder::new()
            .name("status".into())
            .spawn(move || draw(&budget, limit, &stopped))
            .ok();
        line
    }
}

impl Drop for StatusLine {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn draw(budget: &Budget, limit: Option<Duration>, stopped: &AtomicBool) {
    let start = Instant::now();
    std::thread::park_timeout(PATIENCE);
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        bar.set_style(style);
    }
    while !stopped.load(Ordering::Relaxed) {
        bar.set_message(status(&budget.snapshots(), &shares(), start.elapsed(), limit));
        bar.tick();
        std::thread::park_timeout(PERIOD);
    }
    bar.finish_and_clear();
}

/// The words of the line.
fn status(
    snapshots: &[Snapshot],
    shares: &BTreeMap<&'static str, Share>,
    elapsed: Duration,
    limit: Option<Duration>,
) -> String {
    let time = match limit {
        Some(limit) => format!("{:.0}s/{:.0}s", elapsed.as_secs_f64(), limit.as_secs_f64()),
        None => format!("{:.0}s", elapsed.as_secs_f64()),
    };
    let busy = |s: &&Snapshot| s.phase != Phase::Waiting;
    let engines: Vec<&Snapshot> =
        snapshots.iter().filter(|s| !s.name.is_empty() && !s.resting).filter(busy).collect();
    match engines.len() {
        0 => {
            let phase = snapshots.iter().find(busy).map_or("reading".into(), |s| short(s, shares));
            format!("{time} {phase}")
        }
        1 => format!("{time} {}", short(engines[0], shares)),
        // There is room for one: they take turns here too.
        several => {
            let shown = (elapsed.as_secs() / 2) as usize % several;
            format!("{time} {}/{several} {}", shown + 1, short(engines[shown], shares))
        }
    }
}

/// How far some work came, in a few words.
pub fn words(s: &Snapshot) -> String {
    let mut text = beginning(s, "longest trace");
    if s.queries > 0 {
        text += &format!(", {} queries", s.queries);
    }
    text
}

/// Whose work it is, what it is busy with, and figures that are not zero.
fn beginning(s: &Snapshot, trace: &str) -> String {
    let mut text = match s.name {
        "" => s.phase.to_string(),
        name => format!("{name}: {}", s.phase),
    };
    if s.resting {
        text += " (another's turn)";
    }
    let figures = [
        (s.refinements, format!(", {} refinements", s.refinements)),
        (s.nodes, format!(", {} nodes", s.nodes)),
        (s.longest_trace, format!(", {trace} {}", s.longest_trace)),
    ];
    text.extend(figures.into_iter().filter(|(number, _)| *number > 0).map(|(_, words)| words));
    text
}

/// In one line of a narrow terminal, with the solver's share of the time.
fn short(s: &Snapshot, shares: &BTreeMap<&'static str, Share>) -> String {
    let mut text = beginning(s, "trace");
    let share = shares.get(s.name).and_then(Share::percent);
    if let Some(percent) = share.filter(|_| s.queries > 0) {
        text += &format!(", solver {percent}%");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_each_engine_apart() {
        let budget = Budget::unlimited();
        let second = Duration::from_secs(1);
        let mut shares = BTreeMap::new();
        let line = |shares: &_, seconds: u32, limit| {
            status(&budget.snapshots(), shares, second * seconds, limit)
        };
        assert_eq!(line(&shares, 3, None), "3s reading");
        budget.progress().enter(Phase::Executing);
        assert_eq!(line(&shares, 3, None), "3s executing");
        let impact = budget.child("impact");
        impact.progress().enter(Phase::Refining);
        for _ in 0..1234 {
            impact.progress().refined(107);
        }
        impact.progress().reached(54321);
        drop(impact.progress().ask());
        shares.insert("impact", Share { running: second * 2, solving: second, peak_bytes: 0 });
        let limited = line(&shares, 300, Some(second * 900));
        assert_eq!(
            limited,
            "300s/900s impact: refining, 1234 refinements, 54321 nodes, trace 107, solver 50%"
        );
        // With the spinner it fits a line of 80 characters, give or take.
        assert!(limited.len() <= 80);
        let trace = budget.child("trace");
        trace.progress().enter(Phase::Exploring);
        assert_eq!(line(&shares, 2, None), "2s 2/2 trace: exploring");
        assert!(line(&shares, 4, None).starts_with("4s 1/2 impact: refining"));
    }
}
