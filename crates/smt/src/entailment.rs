//! Entailment with memory.
