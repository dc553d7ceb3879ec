//! Where the time goes: by engine and phase, and how much of it in the solver.
//!
//! Below the command line there is no clock. So whoever watches a run
//! ([`crate::watchdog`]) looks at it a hundred times a second: what is it busy with, is the solver at
//! work, and whose turn is it? The processor time between two looks is charged to what is
//! seen, in equal parts where several engines run side by side. The result is an estimate for people.

use bolide_api::limits::{processor_time, resident_bytes};
use bolide_base::Budget;
use bolide_base::budget::{Phase, Snapshot};
use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Where the processor time of one engine, or of one of its phases, went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// While it was its turn.
    pub running: Duration,
    /// Of that, in the solver.
    pub solving: Duration,
    /// The most that the process had in memory at one of the looks.
    pub peak_bytes: u64,
}

impl Share {
    /// In percent; none before there is anything to say.
    pub fn percent(&self) -> Option<u32> {
        let running = self.running.as_secs_f64();
        (running > 0.0).then(|| (100.0 * self.solving.as_secs_f64() / running).round() as u32)
    }
}

/// By engine and phase; the empty name is work before there are engines.
pub type Shares = BTreeMap<(&'static str, Phase), Share>;

/// One for the process: as there is one clock.
static SHARES: Mutex<Shares> = Mutex::new(BTreeMap::new());

/// What was seen so far.
pub fn phases() -> Shares {
    SHARES.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// What was seen so far, by engine.
pub fn shares() -> BTreeMap<&'static str, Share> {
    let mut sums: BTreeMap<&'static str, Share> = BTreeMap::new();
    for ((engine, _), share) in phases() {
        let sum = sums.entry(engine).or_default();
        sum.running += share.running;
        sum.solving += share.solving;
        sum.peak_bytes = sum.peak_bytes.max(share.peak_bytes);
    }
    sums
}

/// Looks at a budget from time to time.
pub struct Sampler {
    budget: Budget,
    /// Processor time at the last look.
    last: Duration,
}

impl Sampler {
    /// Begins now.
    pub fn new(budget: &Budget) -> Sampler {
        Sampler { budget: budget.clone(), last: processor_time() }
    }

    /// Charges the time since the last look.
    pub fn look(&mut self) {
        let now = processor_time();
        let passed = now.saturating_sub(std::mem::replace(&mut self.last, now));
        let mut shares = SHARES.lock().unwrap_or_else(PoisonError::into_inner);
        charge(&mut shares, &self.budget.snapshots(), passed, resident_bytes());
    }
}

fn charge(shares: &mut Shares, snapshots: &[Snapshot], passed: Duration, bytes: u64) {
    let engines = snapshots.iter().any(|s| !s.name.is_empty());
    let busy: Vec<&Snapshot> = snapshots
        .iter()
        .filter(|seen| {
            // While engines run, the budget above them does nothing.
            let idle = seen.resting
                || (engines && seen.name.is_empty())
                || (!seen.name.is_empty() && seen.phase == Phase::Waiting && !seen.solving);
            !idle
        })
        .collect();
    for seen in &busy {
        let passed = passed / busy.len() as u32;
        let share = shares.entry((seen.name, seen.phase)).or_default();
        share.running += passed;
        share.peak_bytes = share.peak_bytes.max(bytes);
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
        charge(&mut shares, &[at("", false, false)], tick, 7);
        let in_turns = [at("", false, false), at("impact", true, false), at("trace", true, true)];
        charge(&mut shares, &in_turns, tick, 8);
        let side_by_side =
            [at("", false, false), at("impact", false, false), at("clp", true, false)];
        charge(&mut shares, &side_by_side, 2 * tick, 5);
        let told: Vec<String> = shares
            .iter()
            .map(|((engine, phase), share)| {
                let Share { running, peak_bytes, .. } = share;
                format!("{engine}/{phase} {running:?} {:?} {peak_bytes}", share.percent())
            })
            .collect();
        assert_eq!(
            told.join(", "),
            "/exploring 10ms Some(0) 7, clp/exploring 10ms Some(100) 5, impact/exploring 20ms Some(50) 8"
        );
    }
}
