//! Limits of time, processor time and memory, kept by a thread that stops the
//! [`Budget`] which all loops below poll.

use bolide_base::{Budget, Exhausted};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What may be used; without a number, as much as there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Processor time of all threads of the process.
    pub cpu: Option<Duration>,
    /// Resident memory of the process, in bytes.
    pub memory: Option<u64>,
}

impl Limits {
    /// The limit that is reached by work that began then, when the process had used so much processor time.
    pub fn exceeded(&self, begin: Instant, used_before: Duration) -> Option<Exhausted> {
        if self.time.is_some_and(|limit| begin.elapsed() >= limit)
            || self.cpu.is_some_and(|limit| processor_time() >= limit + used_before)
        {
            return Some(Exhausted::Time);
        }
        self.memory.is_some_and(|limit| resident_bytes() > limit).then_some(Exhausted::Memory)
    }
}

/// How often the thread looks.
const PERIOD: Duration = Duration::from_millis(10);

/// A budget that ends at a limit, for as long as this is held.
pub struct Watched {
    pub budget: Budget,
    is_over: Arc<AtomicBool>,
}

impl Watched {
    /// Begins now.
    pub fn new(limits: Limits) -> Watched {
        let watched =
            Watched { budget: Budget::unlimited(), is_over: Arc::new(AtomicBool::new(false)) };
        if limits == Limits::default() {
            return watched;
        }
        let (budget, is_over) = (watched.budget.clone(), watched.is_over.clone());
        let (begin, before) = (Instant::now(), processor_time());
        let thread = std::thread::Builder::new().name("limits".into()).spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                if let Some(reason) = limits.exceeded(begin, before) {
                    return budget.stop(reason);
                }
                std::thread::sleep(PERIOD);
            }
        });
        // Without the thread the limits would be silently ignored.
        if thread.is_err() {
            watched.budget.stop(Exhausted::Memory);
        }
        watched
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Processor time of this process; none where the system does not tell.
pub fn processor_time() -> Duration {
    stat(std::process::id()).map_or(Duration::ZERO, |(_, time)| time)
}

/// State and processor time of a process, its dead children's included.
pub fn stat(pid: u32) -> Option<(char, Duration)> {
    /// The kernel counts in hundredths of a second for user space.
    const TICKS: u64 = 100;
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command's name may hold anything, parentheses included.
    let rest = &text[text.rfind(')')? + 1..];
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let state = fields.first()?.chars().next()?;
    let ticks: u64 = fields.get(11..15)?.iter().filter_map(|f| f.parse::<u64>().ok()).sum();
    Some((state, Duration::from_millis(ticks * (1000 / TICKS))))
}

/// The resident size of this process; 0 where the system does not tell.
pub fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm")
        .ok()
        .and_then(|s| s.split_ascii_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}
