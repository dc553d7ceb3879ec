//! How much of the time the solver is at work.
//!
//! Below the command line there is no clock. So whoever watches a run
//! ([`crate::watchdog`]) looks at it a hundred times a second: is the solver at
//! work, and whose turn is it? The time between two looks is charged to what is
//! seen. The result is an estimate for people.

use bolide_base::Budget;
use bolide_base::budget::{Phase, Snapshot};
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Where the time of one engine went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// While it was its turn.
    pub running: Duration,
    /// Of that, in the solver.
    pub solving: Duration,
}

impl Share {
    /// In percent; none before there is anything to say.
    pub fn percent(&self) -> Option<u32> {
        let running = self.running.as_secs_f64();
        (running > 0.0).then(|| (100.0 * self.solving.as_secs_f64() / running).round() as u32)
    }
}

/// By engine. One for the process: as there is one clock.
static SHARES: Mutex<BTreeMap<&'static str, Share>> = Mutex::new(BTreeMap::new());

/// What was seen so far, by engine; the empty name is work before there are engines.
pub fn shares() -> BTreeMap<&'static str, Share> {
    SHARES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Looks at a budget from time to time.
pub struct Sampler {
    budget: Budget,
    last: Instant,
}

impl Sampler {
    /// Begins now.
    pub fn new(budget: &Budget) -> Sampler {
        Sampler { budget: budget.clone(), last: Instant::now() }
    }

    /// Charges the time since the last look.
    pub fn look(&mut self) {
        let now = Instant::now();
        let passed = now - std::mem::replace(&mut self.last, now);
        let mut shares = SHARES.lock().unwrap_or_else(PoisonError::into_inner);
        charge(&mut shares, &self.budget.snapshots(), passed);
    }
}

fn charge(shares: &mut BTreeMap<&'static str, Share>, snapshots: &[Snapshot], passed: Duration) {
    let engines = snapshots.iter().any(|s| !s.name.is_empty());
    for seen in snapshots {
        // While engines run, the budget above them does nothing.
        let idle = seen.resting
            || (engines && seen.name.is_empty())
            || (!seen.name.is_empty() && seen.phase == Phase::Waiting && !seen.solving);
        if idle {
            continue;
        }
        let share = shares.entry(seen.name).or_default();
        share.running += passed;
        if seen.solving {
            share.solving += passed;
        }
    }
}

/// A clock to lend: nanoseconds since it was first asked.
pub fn nanoseconds() -> u64 {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_that_run_are_charged() {
        let at = |name, solving, resting| Snapshot {
            name,
            phase: Phase::Exploring,
            solving,
            resting,
            ..Snapshot::default()
        };
        let mut shares = BTreeMap::new();
        let tick = Duration::from_millis(10);
        charge(&mut shares, &[at("", false, false)], tick);
        let side_by_side =
            [at("", false, false), at("impact", true, false), at("trace", true, true)];
        charge(&mut shares, &side_by_side, tick);
        charge(&mut shares, &[at("", false, false), at("impact", false, false)], tick);
        assert_eq!(shares[""], Share { running: tick, solving: Duration::ZERO });
        assert_eq!(shares["impact"], Share { running: 2 * tick, solving: tick });
        assert_eq!(shares["impact"].percent(), Some(50));
        assert!(!shares.contains_key("trace"));
    }
}
