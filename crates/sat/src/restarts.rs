//! When the search starts again, and in which of two moods it is.
//!
//! Short searches follow the sequence of Luby, Sinclair and Zuckerman alone. Longer ones change between two moods
//! (Oh, *Between SAT and UNSAT*, 2015): a focused one, which starts again as soon as the clauses that it learns get worse
//! and is good at refuting, and a stable one, which gives each try time and steers for the longest assignment met so far
//! ([`phases`](crate::phases)), and is good at finding models.

/// Averages of the levels in learnt clauses: of the last few, and of many. When the last ones are worse than
/// usual, the search is better off elsewhere (Audemard and Simon, *Refining restarts strategies for SAT and
/// UNSAT*, 2012; with exponential averages as of Biere and Frohlich, 2015).
#[derive(Clone, Copy, Default)]
pub(crate) struct Glue {
    fast: f64,
    slow: f64,
    count: f64,
}

impl Glue {
    pub fn note(&mut self, lbd: usize) {
        self.count += 1.0;
        self.fast += (lbd as f64 - self.fast) / self.count.min(32.0);
        self.slow += (lbd as f64 - self.slow) / self.count.min(4096.0);
    }

    fn is_bad(&self) -> bool {
        self.fast > 1.1 * self.slow
    }
}

// Heuristic: checks with fewer conflicts are as well off with the sequence of Luby alone.
const PATIENCE: u64 = 4000;
// Heuristic: conflicts until the mood changes.
const MOOD: u64 = 8192;
// Heuristic: conflicts after a restart before the averages are looked at.
const SETTLED: u64 = 2;
// Heuristic: conflicts of the shortest try.
const UNIT: u64 = 100;

/// The restarts of one search.
pub(crate) struct Restarts {
    /// Conflicts of this search, and those at the last restart.
    conflicts: u64,
    last: u64,
    /// How far the sequence of Luby has come, and the conflicts left of its present try.
    index: u32,
    left: u64,
}

impl Restarts {
    pub fn new() -> Self {
        Restarts { conflicts: 0, last: 0, index: 0, left: UNIT * luby(0) }
    }

    pub fn note_conflict(&mut self) {
        self.conflicts += 1;
        self.left = self.left.saturating_sub(1);
    }

    /// Whether the search takes its time to find a model.
    pub fn is_stable(&self) -> bool {
        self.conflicts > PATIENCE && !(self.conflicts / MOOD).is_multiple_of(2)
    }

    /// Whether this is a good time to start again.
    pub fn is_due(&self, glue: &Glue) -> bool {
        let is_focused = self.conflicts > PATIENCE && !self.is_stable();
        self.left == 0 || (is_focused && self.conflicts - self.last > SETTLED && glue.is_bad())
    }

    pub fn restarted(&mut self) {
        self.last = self.conflicts;
        self.index += u32::from(self.left == 0);
        self.left = UNIT * luby(self.index);
    }
}

/// The sequence 1 1 2 1 1 2 4 ... of Luby, Sinclair and Zuckerman.
fn luby(index: u32) -> u64 {
    let mut i = u64::from(index) + 1;
    loop {
        let bits = 64 - i.leading_zeros();
        if i + 1 == 1 << bits {
            return 1 << (bits - 1);
        }
        i -= (1 << (bits - 1)) - 1;
    }
}
