//! Constrained Horn clauses: rules over recursive relations, and their solvers.
//!
//! [`read`] makes a [`system::System`] of a script, [`simplify`] makes it
//! smaller, [`solve`] decides it with one of the engines, [`audit`] checks every
//! answer against the clauses as they were read, [`show`] prints it.

pub mod audit;
pub mod car;
mod exchange;
pub mod pdr;
pub mod project;
mod race;
pub mod read;
pub mod show;
pub mod simplify;
pub mod solve;
pub mod system;
pub mod templates;
mod translate;
