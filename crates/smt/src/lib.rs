//! The interpolating SMT solver

pub mod euf;
pub mod simplex;
