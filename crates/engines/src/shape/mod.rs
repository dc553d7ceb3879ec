//! The engine `shape`: symbolic shape analysis, after the thesis of that name
//! (Wies 2009; its tool was called Bohne).
//!
//! | thesis | here |
//! |---|---|
//! | programs over the heap, 2.2 | [`view`] |
//! | domain predicates, Boolean heaps, 3.2 and 3.3 | [`heaps`], [`diagrams`] |
//! | context-sensitive abstract post, 3.4.1 and 6.2 | [`post`], [`prover`], [`execute`] |
//! | Cartesian post, transition relations, 3.4.2 and 6.2.2 | [`cartesian`] |
//! | fixed point, 6.2 (Figure 6.2) | [`analysis`], [`questions`] |
//! | nested lazy refinement, chapter 4 (Figure 4.2) | [`refinement`] |
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
//! by command; a value that is chosen inside of one is a fresh constant of the query. The post is by default not Cartesian: all
//! predicates of an object are asked for at once, which is more precise and, with a prover that gives models, also cheaper
//! (`--abstraction cartesian` has the other). Abstract states are joined at cut points, one Boolean heap
//! for each truth assignment to the predicates about the state; the nodes of the reachability
//! graph are these heaps, and predicates belong to cut points.
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
pub mod cartesian;
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
mod questions;
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
pub use bolide_heap::Certainty;
pub use canonical::Remembered;
pub use whole::verify;

/// How proofs are looked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The post is the Cartesian one.
    pub cartesian: bool,
    /// What was refuted before.
    pub remembered: Remembered,
}
