//! Path formulas, refinement, abstract reachability, verdicts and their audit
