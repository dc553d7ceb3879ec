//! Budgets: how a caller stops work that has run long enough.
//!
//! A budget is a flag shared between the thread that watches the clock and the
//! memory (the command line) and the loops that poll it (everything else). The
//! loops return [`Exhausted`] with `?`, so that what was learnt so far can
//! still be reported.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Why work was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exhausted {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// Nobody wants the answer any more.
    Cancelled,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "the time limit was reached",
            Exhausted::Memory => "the memory limit was reached",
            Exhausted::Cancelled => "the run was cancelled",
        })
    }
}

impl std::error::Error for Exhausted {}

/// A shared flag; clones are the same budget.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    stopped: Arc<AtomicU8>,
}

impl Budget {
    /// A budget that nobody has stopped yet.
    pub fn unlimited() -> Self {
        Budget::default()
    }

    /// Stops all work under this budget. The first reason given stays.
    pub fn stop(&self, reason: Exhausted) {
        let code = match reason {
            Exhausted::Time => 1,
            Exhausted::Memory => 2,
            Exhausted::Cancelled => 3,
        };
        let _ = self.stopped.compare_exchange(0, code, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// `Err` once the budget is exhausted. Cheap: one relaxed load.
    #[inline]
    pub fn poll(&self) -> Result<(), Exhausted> {
        match self.stopped.load(Ordering::Relaxed) {
            0 => Ok(()),
            1 => Err(Exhausted::Time),
            2 => Err(Exhausted::Memory),
            _ => Err(Exhausted::Cancelled),
        }
    }
}
