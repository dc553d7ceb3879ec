//! Bit-vectors.
