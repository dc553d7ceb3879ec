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
        Some(limit) => format!("{:.0}s of {:.0}s", elapsed.as_secs_f64(), limit.as_secs_f64()),
        None => format!("{:.0}s", elapsed.as_secs_f64()),
    };
    let busy = |s: &&Snapshot| s.phase != Phase::Waiting;
    let words = |s: &Snapshot| words_with(s, shares);
    let engines: Vec<String> =
        snapshots.iter().filter(|s| !s.name.is_empty()).filter(busy).map(words).collect();
    match engines.is_empty() {
        false => format!("{time} | {}", engines.join(" | ")),
        true => {
            let phase = snapshots.iter().find(busy).map_or("reading".into(), words);
            format!("{time} | {phase}")
        }
    }
}

/// How far some work came, in a few words.
pub fn words(s: &Snapshot) -> String {
    let mut text = String::new();
    if !s.name.is_empty() {
        text = format!("{}: ", s.name);
    }
    text += &s.phase.to_string();
    if s.resting {
        text += " (another's turn)";
    }
    for (number, what) in [
        (s.refinements, "refinements"),
        (s.nodes, "nodes"),
        (s.longest_trace, "longest trace"),
        (s.queries, "queries"),
    ] {
        if number > 0 {
            text += &match what {
                "longest trace" => format!(", longest trace {number}"),
                _ => format!(", {number} {what}"),
            };
        }
    }
    text
}

/// The same with the solver's share of the time.
fn words_with(s: &Snapshot, shares: &BTreeMap<&'static str, Share>) -> String {
    let share = shares.get(s.name).and_then(Share::percent);
    let share = share.filter(|_| s.queries > 0).map(|p| format!(", solver {p} %"));
    words(s) + &share.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_each_engine_apart() {
        let budget = Budget::unlimited();
        let mut shares = BTreeMap::new();
        let line = || status(&budget.snapshots(), &shares, Duration::from_secs(3), None);
        assert_eq!(line(), "3s | reading");
        budget.progress().enter(Phase::Executing);
        assert_eq!(line(), "3s | executing");
        let impact = budget.child("impact");
        impact.progress().enter(Phase::Refining);
        impact.progress().refined(7);
        impact.progress().reached(40);
        drop(impact.progress().ask());
        let second = Duration::from_secs(1);
        shares.insert("impact", Share { running: second * 2, solving: second });
        let limited = status(&budget.snapshots(), &shares, second * 3, Some(second * 30));
        assert_eq!(
            limited,
            "3s of 30s | impact: refining, 1 refinements, 40 nodes, longest trace 7, 1 queries, \
             solver 50 %"
        );
    }
}
