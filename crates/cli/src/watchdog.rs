//! Keeps the promises of `--timeout` and `--memory`, and answers Ctrl-C: a
//! thread that looks at the clock, at the size of the process and at signals, and stops
//! the [`Budget`] that all loops below poll. It also looks how busy the solver is
//! ([`crate::sampling`]).
//!
//! Polling is a promise too, and a long transformation or a drop of a large
//! structure may keep it late. So a command that has something to say at the
//! end ([`guard`]) gives its last words in advance: when the work has not come
//! back shortly after a limit, the thread says them and ends the process. A
//! limit is kept whatever the layers below do; who prints is decided by [`Floor`].

use crate::exit::Exit;
use crate::sampling::Sampler;
use crate::signals;
use bolide_base::{Budget, Exhausted};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the thread looks.
const PERIOD: Duration = Duration::from_millis(10);
/// How long work may go on after a limit before the thread ends the process.
const GRACE: Duration = Duration::from_millis(250);

/// What may be used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Resident memory in bytes.
    pub memory: Option<u64>,
}

/// Who may print the outcome: whoever takes the floor first.
#[derive(Clone, Debug, Default)]
pub struct Floor(Arc<AtomicBool>);

impl Floor {
    /// Waits for ever when the floor is taken: the process is about to end.
    pub fn take(&self) {
        if !self.try_take() {
            loop {
                std::thread::sleep(Duration::from_secs(3600));
            }
        }
    }

    fn try_take(&self) -> bool {
        !self.0.swap(true, Ordering::AcqRel)
    }
}

/// Starts watching; the returned budget is stopped when a limit is reached.
/// The thread ends with the process.
pub fn watch(limits: Limits) -> Budget {
    let budget = Budget::unlimited();
    start(limits, budget.clone(), None);
    budget
}

/// What to say when the work itself does not come back in time.
type LastWords = Box<dyn FnOnce(Exhausted, &Budget) + Send>;

/// Starts watching, signals included. The work takes the floor before it
/// prints its outcome; if it does not in time, the last words are said in its place and the
/// process ends with the exit code of `unknown`.
pub fn guard(limits: Limits, last_words: LastWords) -> (Budget, Floor) {
    let (budget, floor) = (Budget::unlimited(), Floor::default());
    signals::watch();
    start(limits, budget.clone(), Some((floor.clone(), last_words)));
    (budget, floor)
}

fn start(limits: Limits, budget: Budget, ending: Option<(Floor, LastWords)>) {
    let watched = budget.clone();
    // Without the thread the limits would be silently ignored; failing to
    // start it is as good as having no resources left.
    let spawned = std::thread::Builder::new().name("watchdog".into()).spawn(move || {
        let reason = wait(limits, ending.is_some(), &watched);
        watched.stop(reason);
        let Some((floor, last_words)) = ending else { return };
        let stopped = Instant::now();
        while stopped.elapsed() < GRACE && !far_beyond(limits) {
            std::thread::sleep(PERIOD);
        }
        if floor.try_take() {
            last_words(reason, &watched);
            std::process::exit(i32::from(Exit::Unknown.code()));
        }
    });
    if spawned.is_err() {
        budget.stop(Exhausted::Memory);
    }
}

/// Returns when a limit is reached.
fn wait(limits: Limits, with_signals: bool, budget: &Budget) -> Exhausted {
    let start = Instant::now();
    let mut sampler = Sampler::new(budget);
    loop {
        sampler.look();
        if limits.time.is_some_and(|limit| start.elapsed() >= limit) {
            return Exhausted::Time;
        }
        if limits.memory.is_some_and(|limit| resident_bytes() > limit) {
            return Exhausted::Memory;
        }
        if with_signals && signals::interrupted() {
            return Exhausted::Cancelled;
        }
        std::thread::sleep(PERIOD);
    }
}

/// Whether memory still grows although the work was stopped.
fn far_beyond(limits: Limits) -> bool {
    limits.memory.is_some_and(|limit| resident_bytes() > limit + limit / 4)
}

/// The resident size of this process; 0 where the system does not tell.
pub fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|s| s.split_ascii_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
