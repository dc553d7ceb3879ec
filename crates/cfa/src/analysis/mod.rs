//! What can be said about a program without running it: its calls, loops and
//! blocks, which variables are live, what functions read and write, where
//! pointers point, and in which ranges values lie.
//!
//! Every analysis is iterative (no recursion over graphs or expressions), so
//! that machine-made programs with deep nesting or a hundred thousand edges in one function
//! are as safe as small ones, and deterministic: results depend on ids only.

pub mod bitset;
pub mod blocks;
pub mod call_graph;
pub mod counted;
pub mod dominators;
pub mod endless;
pub mod flow;
pub mod graph;
pub mod liveness;
pub mod mod_ref;
pub mod points_to;
pub mod ranges;
pub mod uses;

pub use bitset::BitSet;
pub use blocks::{Block, BlockId, BlockOptions, Blocks};
pub use call_graph::CallGraph;
pub use dominators::DominatorTree;
pub use flow::{Flow, Loop, LoopId, Loops};
pub use liveness::Liveness;
pub use mod_ref::ModRef;
pub use points_to::PointsTo;
pub use ranges::Ranges;

#[cfg(test)]
mod tests;
