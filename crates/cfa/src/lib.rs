//! Control-flow automata: the programs that the engines explore.
//!
//! A [`Program`] is a set of functions. Each function is a graph of locations
//! joined by edges; an edge carries one operation ([`Op`]) over typed,
//! side-effect-free expressions ([`Expr`]). All that is implicit in C is
//! explicit here: conversions, evaluation order, lifetimes of objects, and the
//! checks of the property, which are edges into error locations.
//!
//! This crate knows neither C syntax nor logic. It has the data structures
//! ([`program`], [`expr`], [`types`]), and what can be said of a program
//! without either: text form, concrete semantics, analyses, transforms,
//! property automata with their product, and drawings.

pub mod analysis;
pub mod contract;
pub mod expr;
pub mod format;
mod ids;
pub mod interpreter;
pub mod product;
pub mod program;
pub mod property;
pub mod records;
pub mod render;
pub mod text;
pub mod transform;
pub mod types;
pub mod value;

pub use expr::{
    Access, BinaryOp, BitRange, CompareOp, Directed, Expr, ExprId, ExprPool, FloatFn, FloatTest,
    MathFn, UnaryOp,
};
pub use program::*;
pub use types::{FloatKind, IntType, Target, Type};
