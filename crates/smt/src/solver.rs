//! The public solver.
