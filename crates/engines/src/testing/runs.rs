//! One run: its limits, and what is seen of it.

use bolide_base::Budget;
use bolide_base::arena::Id;
use bolide_cfa::EdgeId;
use bolide_cfa::interpreter::{Config, Observer, Trace, View};

/// The limits of one run.
pub(super) fn limits(steps: u64, budget: &Budget) -> Config {
    Config {
        step_limit: steps,
        trace: Trace::Last(1 << 16),
        budget: budget.clone(),
        depth_limit: 20_000,
        memory_limit: 1 << 28,
        ..Config::default()
    }
}

/// Counts the edges of a run.
pub(super) struct Taken {
    pub(super) times: Vec<u32>,
    /// Those that were taken at all.
    pub(super) edges: Vec<EdgeId>,
}

impl Taken {
    pub(super) fn of(edges: usize) -> Taken {
        Taken { times: vec![0; edges], edges: Vec::new() }
    }
}

impl Observer for Taken {
    #[inline]
    fn step(&mut self, edge: EdgeId, _: &View<'_>) {
        let times = &mut self.times[edge.index()];
        if *times == 0 {
            self.edges.push(edge);
        }
        *times = times.saturating_add(1);
    }

    fn is_watching(&self) -> bool {
        false
    }
}
