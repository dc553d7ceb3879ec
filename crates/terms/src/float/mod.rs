//! The theory of floating point, said by bit-vectors when a term is built.
//!
//! A float is the bit-vector of its IEEE 754 interchange form: sign, exponent, fraction. Every
//! operation becomes a circuit over the kernel of [`bitvector`](crate::bitvector), so that proofs,
//! interpolants and models of floats are those of bit-vectors, and constants fold. The architecture
//! is that of Brain, Schanda, Sun, "Building Better Bit-Blasting for Floating-Point Problems"
//! (TACAS 2019):
//!
//! | step                                              | where         |
//! |---------------------------------------------------|---------------|
//! | formats, rounding modes, values                   | [`mod@format`] |
//! | classes of patterns, sign, comparison             | `classify`    |
//! | a pattern as a number, normalised where asked for | `exact`       |
//! | the exact result, with its tail in a sticky bit   | `arithmetic`  |
//! | one rounder for all                               | `round`       |
//! | from and to integers, numbers and other formats   | `convert`     |
//! | remainders                                        | `remainder`   |
//!
//! We deviate in that values are packed between operations: a term is its pattern and nothing
//! else. What that costs, subnormals normalised again by the next product, is shared by all uses
//! of a pattern. Addition never normalises them, and never shifts a tiny result back.
//!
//! Operands may be any NaN; results are the one that [`FloatFormat::nan`] gives.

mod arithmetic;
mod classify;
mod convert;
mod exact;
pub mod format;
mod remainder;
mod round;

pub use format::{FloatFormat, RoundingMode};

#[cfg(test)]
mod tests;
