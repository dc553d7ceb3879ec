//! Keeps the promises of `--timeout` and `--memory`: a thread that looks at the
//! clock and at the size of the process, and stops the [`Budget`] that all
//! loops below poll.

use bolide_base::{Budget, Exhausted};
use std::time::{Duration, Instant};

/// How often the thread looks.
const PERIOD: Duration = Duration::from_millis(10);

/// What may be used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Resident memory in bytes.
    pub memory: Option<u64>,
}

/// Starts watching; the returned budget is stopped when a limit is reached.
/// The thread ends with the process.
pub fn watch(limits: Limits) -> Budget {
    let budget = Budget::unlimited();
    if limits.time.is_none() && limits.memory.is_none() {
        return budget;
    }
    let watched = budget.clone();
    let start = Instant::now();
    // Without the thread the limits would be silently ignored; failing to
    // start it is as good as having no resources left.
    let spawned = std::thread::Builder::new().name("watchdog".into()).spawn(move || {
        loop {
            if limits.time.is_some_and(|limit| start.elapsed() >= limit) {
                return watched.stop(Exhausted::Time);
            }
            if limits.memory.is_some_and(|limit| resident_bytes() > limit) {
                return watched.stop(Exhausted::Memory);
            }
            std::thread::sleep(PERIOD);
        }
    });
    if spawned.is_err() {
        budget.stop(Exhausted::Memory);
    }
    budget
}

/// The resident size of this process; 0 where the system does not tell.
pub fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|s| s.split_ascii_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
