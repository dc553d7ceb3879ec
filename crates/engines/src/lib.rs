//! The verification engines. No engine knows another; each opens with an
//! essay on the paper that it follows.

pub mod choose;
pub mod constraint_logic;
pub mod impact;
pub mod picture;
pub mod predicate_abstraction;
pub mod shape;
pub mod testing;
pub mod trace_abstraction;
