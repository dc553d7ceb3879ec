//! The interpolating SMT solver
