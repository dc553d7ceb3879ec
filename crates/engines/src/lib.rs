//! The verification engines
