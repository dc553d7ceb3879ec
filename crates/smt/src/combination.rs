//! The combination of the theories.
