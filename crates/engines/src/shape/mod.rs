//! The engine `shape`: symbolic shape analysis, after the thesis of that name
//! (Wies 2009; its tool was called Bohne).
//!
//! | thesis | here |
//! |---|---|
//! | programs over the heap, 2.2; contracts and their snapshots, 6.1; calls by contract, 6.5 | [`bolide_heap::program`] |
//! | Boolean heaps, 3.2 and 3.3, as the data that prove a program | [`bolide_verdict::certificate`] |
//! | domain predicate abstraction: abstract post, Cartesian post, fixed point, caching, 3.4 and 6.2 | [`abstraction`] |
//! | nested lazy refinement, chapter 4; predicates and their widening, 6.4 | [`refinement`] |
//! | the loop of explore, suspect, refine | [`analysis`] |
//! | programs with few runs | [`unwinding`] |
//! | functions with contracts, and concrete runs that break one | [`contract`] |
//! | whole programs | [`whole_program`] |
//! | field constraint analysis, chapter 5 | `bolide_heap::session` |
//! | who believes none of this | [`bolide_verdict::audit`] |
//!
//! The rooms use each other downwards only: `whole_program`, `contract` over `analysis`, `unwinding` over `refinement` over `abstraction`.
//! Programs over the heap, certificates and their audit lie below the engines; of all rooms only `contract` calls the audit.
//!
//! Deviations. Blocks between cut points are executed as a whole, not command
//! by command; a value that is chosen inside of one is a fresh constant of the query. The post is by default not Cartesian: all
//! predicates of an object are asked for at once, which is more precise and, with a prover that gives models, also cheaper
//! (`--abstraction cartesian` has the other). Abstract states are joined at cut points, one Boolean heap
//! for each truth assignment to the predicates about the state; the nodes of the reachability
//! graph are these heaps, and predicates belong to cut points.
//!
//! A proof is a Boolean heap invariant for every cut point, or a finite tree of paths. The audit
//! checks it against the program, every obligation with a checked proof. Violations are never concluded here: a
//! suspicion is confirmed by executing the program, or stays one.
//!
//! Limits: what [`bolide_heap::program::view`] refuses (pointers into the middle of objects, arrays,
//! casts between pointers and integers); structures whose reachability is neither that of lists nor of
//! binary trees.

mod abstraction;
pub mod analysis;
pub mod contract;
mod drawing;
pub mod graphs;
pub mod options;
pub mod refinement;
pub mod unwinding;
mod whole_program;

pub use abstraction::canonical::Remembered;
pub use bolide_heap::Certainty;
pub use options::{Context, Options};
pub use whole_program::{glance, search};
