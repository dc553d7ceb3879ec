//! Interpolants without a proof to read ("Newton").
//!
//! After Dietsch, Heizmann, Musa, Nutz, Podelski: *Craig vs. Newton in software model checking*, 2017,
//! with formulas in the place of statements. The solver says which conjuncts contradict each other;
//! the others are dropped. Then, backward, weakest preconditions of `false`, or, forward, strongest
//! postconditions of `true`, in which [`exists`] eliminates what the other side does not know; what
//! cannot be eliminated is forgotten, which is sound, but `false` may then not be reached. Where one
//! direction fails the other is tried, and every result is proven anew before it is returned. The two
//! differ in what they mention: backward only what the rest of the path asks about, forward only
//! what it still reads.
//!
//! [`project_sequence`] does this for sequences of formulas, [`project_tree`] for trees of them.

mod eliminate;
mod project;

pub use eliminate::exists;
pub use project::{project_sequence, project_tree};

/// Where to start from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Weakest preconditions from the end.
    #[default]
    Backward,
    /// Strongest postconditions from the start.
    Forward,
}

impl Direction {
    fn opposite(self) -> Direction {
        match self {
            Direction::Backward => Direction::Forward,
            Direction::Forward => Direction::Backward,
        }
    }
}
