//! Interpolants without proofs.
