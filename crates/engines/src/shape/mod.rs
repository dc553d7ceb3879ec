//! The engine `shape`: symbolic shape analysis, after the thesis of that name
//! (Wies 2009; its tool was called Bohne).
//!
//! | thesis | here |
//! |---|---|
//! | programs over the heap, 2.2 | [`view`] |
//! | domain predicates, Boolean heaps, 3.2 and 3.3 | [`heaps`] |
//! | context-sensitive abstract post, 3.4 and 6.2 | [`post`], [`prover`], [`execute`] |
//! | lazy refinement, chapter 4 | [`analysis`] |
//! | semantic caching, 6.2.3 | [`cache`], [`canonical`] |
//! | predicates and their widening, 6.4 | [`predicates`] |
//! | contracts and their snapshots, 6.1 | [`contract`], [`specification`] |
//! | assume-guarantee reasoning about calls, 6.5 | [`calls`] |
//! | trees as backbones | [`trees`] |
//! | programs with few runs | [`unwinding`] |
//! | concrete runs that break a contract | [`runs`], [`start`], [`structure`], [`harness`], [`monitor`] |
//! | field constraint analysis, chapter 5 | `bolide_heap::session` |
//!
//! Deviations. Blocks between cut points are executed as a whole, not command
//! by command. The post is not Cartesian: all predicates of an object are asked for at once, so
//! there is no second refinement phase; instead predicates about the state
//! alone split abstract states, which is what that phase does. Refinement restarts the
//! exploration with more predicates instead of cutting the tree at the pivot.
//!
//! A proof is a Boolean heap invariant for every cut point. The audit
//! re-checks each path from each heap in a fresh session in which refutations are
//! proved and the proofs checked. Violations are never concluded here: a
//! suspicion is confirmed by executing the program, or stays one.
//!
//! Limits: what [`view`] refuses (pointers into the middle of objects, arrays,
//! casts between pointers and integers); structures whose reachability is neither that of lists nor of
//! binary trees.

mod aliases;
pub mod analysis;
mod cache;
pub mod calls;
mod canonical;
pub mod contract;
pub mod diagrams;
mod drawing;
mod execute;
mod harness;
pub mod heaps;
mod monitor;
pub mod paths;
mod post;
mod predicates;
mod prover;
pub mod refinement;
pub mod runs;
mod specification;
mod start;
mod structure;
mod traces;
mod trees;
pub mod unwinding;
pub mod view;
mod whole;

pub use analysis::{AbstractCounterexample, Analysis, Outcome, Statistics};
pub use bolide_heap::{Certainty, Mona};
pub use canonical::Remembered;
pub use whole::verify;

/// What else there is to find a proof with.
#[derive(Clone, Debug, Default)]
pub struct Aids {
    /// Decides entailments in place of the heap logic.
    pub mona: Option<Mona>,
    /// What was refuted before.
    pub remembered: Remembered,
}
