//! The verification engines. No engine knows another; each opens with an
//! essay on the paper that it follows. An engine is a module with a function `search` from a
//! [`Task`](task::Task) and a [`Workbench`](workbench::Workbench) to a conclusion that nobody believes, and a row of
//! [`choose::ENGINES`].

pub mod bounded;
pub mod choose;
pub mod constraint_logic;
pub mod counts;
pub mod execution;
pub mod first_predicates;
pub mod impact;
pub mod picture;
pub mod predicate_abstraction;
pub mod shape;
pub mod suspect;
pub mod task;
pub mod testing;
pub mod trace_abstraction;
pub mod workbench;
