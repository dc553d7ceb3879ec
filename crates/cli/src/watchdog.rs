//! Keeps the promises of `--timeout`, `--cpu-time` and `--memory`, and answers Ctrl-C: a
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
use crate::output;
use crate::sampling::Sampler;
use crate::signals;
pub use bolide_api::Limits;
pub use bolide_api::limits::resident_bytes;
use bolide_base::{Budget, Exhausted};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the thread looks.
const PERIOD: Duration = Duration::from_millis(10);
/// How long work may go on after a limit before the thread ends the process.
const GRACE: Duration = Duration::from_millis(250);
/// How long last words may take, and what is said and written after an interrupt.
const PATIENCE: Duration = Duration::from_secs(10);

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

/// As [`watch`], for a part of the work of `parent`, which ends with it.
pub fn watch_part(parent: &Budget, name: &'static str, limits: Limits) -> Budget {
    let budget = parent.child(name);
    start(limits, budget.clone(), None);
    budget
}

/// Watches one piece of work after the other with one thread, which a script of many checks
/// needs; no thread as long as there are no limits.
#[derive(Default)]
pub struct Relay {
    watched: Arc<Mutex<Option<Watched>>>,
    is_started: bool,
}

/// A piece of work and when it began.
struct Watched {
    budget: Budget,
    limits: Limits,
    begin: Instant,
}

impl Relay {
    /// A budget for the next piece of work, which ends the watch over the one before.
    pub fn watch(&mut self, limits: Limits) -> Budget {
        let budget = Budget::unlimited();
        let is_limited = limits.time.is_some() || limits.cpu.is_some() || limits.memory.is_some();
        let next = Watched { budget: budget.clone(), limits, begin: Instant::now() };
        *lock(&self.watched) = is_limited.then_some(next);
        if is_limited && !self.is_started {
            let watched = self.watched.clone();
            let thread = std::thread::Builder::new().name("watchdog".into());
            let spawned = thread.spawn(move || {
                loop {
                    if let Some(work) = &*lock(&watched)
                        && let Some(reason) = exceeded(work.limits, work.begin)
                    {
                        work.budget.stop(reason);
                    }
                    std::thread::sleep(PERIOD);
                }
            });
            self.is_started = spawned.is_ok();
            if spawned.is_err() {
                budget.stop(Exhausted::Memory);
            }
        }
        budget
    }

    /// The work is done.
    pub fn rest(&self) {
        *lock(&self.watched) = None;
    }
}

/// A panic of the other thread leaves nothing half done.
fn lock(watched: &Mutex<Option<Watched>>) -> MutexGuard<'_, Option<Watched>> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The limit that is reached. Processor time is that of the whole process.
fn exceeded(limits: Limits, begin: Instant) -> Option<Exhausted> {
    limits.exceeded(begin, Duration::ZERO)
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
        let has_floor = floor.try_take();
        if has_floor || reason == Exhausted::Cancelled {
            end_within(PATIENCE);
        }
        if has_floor {
            last_words(reason, &watched);
            std::process::exit(i32::from(output::conclude(Exit::Unknown).code()));
        }
    });
    if spawned.is_err() {
        budget.stop(Exhausted::Memory);
    }
}

/// Ends the process after a while, should a reader that does not read block its last words.
fn end_within(patience: Duration) {
    let _ = std::thread::Builder::new().name("ending".into()).spawn(move || {
        std::thread::sleep(patience);
        std::process::exit(i32::from(Exit::Unknown.code()));
    });
}

/// Returns when a limit is reached.
fn wait(limits: Limits, with_signals: bool, budget: &Budget) -> Exhausted {
    let start = Instant::now();
    let mut sampler = Sampler::new(budget);
    loop {
        sampler.look();
        if let Some(reason) = exceeded(limits, start) {
            return reason;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn waits_for_the_end(budget: &Budget) -> bool {
        let begin = Instant::now();
        while budget.poll().is_ok() {
            if begin.elapsed() > Duration::from_secs(20) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        true
    }

    #[test]
    fn a_relay_stops_the_present_work_only() {
        let mut relay = Relay::default();
        let first =
            relay.watch(Limits { time: Some(Duration::from_millis(20)), ..Limits::default() });
        assert!(waits_for_the_end(&first));
        let hour = Duration::from_secs(3600);
        let second = relay.watch(Limits { time: Some(hour), ..Limits::default() });
        relay.rest();
        let third = relay.watch(Limits { memory: Some(1), ..Limits::default() });
        assert!(waits_for_the_end(&third));
        assert!(second.poll().is_ok());
        assert!(relay.watch(Limits::default()).poll().is_ok());
    }

    /// The names of threads are a matter of Linux; elsewhere there is nothing to see.
    #[test]
    fn many_checks_have_one_watchdog() {
        let watchdogs = || {
            let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
            let names = tasks.filter_map(|t| std::fs::read_to_string(t.path().join("comm")).ok());
            names.filter(|name| name.trim() == "watchdog").count()
        };
        let before = watchdogs();
        let mut relay = Relay::default();
        for _ in 0..100 {
            relay.watch(Limits { time: Some(Duration::from_secs(3600)), ..Limits::default() });
            relay.rest();
        }
        // Other tests may have begun meanwhile.
        assert!(watchdogs() <= before + 10);
    }
}
