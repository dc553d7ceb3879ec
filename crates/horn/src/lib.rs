//! Constrained Horn clauses: rules over recursive relations, and their solvers.
