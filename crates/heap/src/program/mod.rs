//! The program as heaps: what search and audit both start from.
//!
//! [`view`] is the program as the heap logic sees it (section 2.2 of the thesis), [`specification`] what a contract adds to
//! it (6.1), [`aliases`] where snapshots still are what they were taken of. [`execution`] goes along a path
//! in a session of the heap logic; [`uses`] says what formulas and commands speak of. Nothing here knows how
//! proofs are found or checked.

pub mod aliases;
pub mod execution;
pub mod specification;
pub mod uses;
pub mod view;
