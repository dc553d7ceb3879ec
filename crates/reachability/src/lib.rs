//! Path formulas, refinement, abstract reachability, verdicts and their audit.
//!
//! What every engine shares: programs become formulas ([`encode`], [`block`]),
//! paths become formulas in static single assignment ([`path_formula`]).

pub mod block;
pub mod encode;
pub mod path_formula;
