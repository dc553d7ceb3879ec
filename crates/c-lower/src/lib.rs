//! From the C syntax tree to control-flow automata.
//!
//! [`lower`] takes the parsed files of one program, links them, and makes a
//! [`bolide_cfa::Program`] of everything that can be reached from the entry
//! function: conversions, evaluation order, lifetimes and the checks of the
//! asked properties are explicit in it.
//!
//! Reading order: [`types`] (C types and layout), `facts` (what is known before
//! lowering), `context` (the state of lowering), `declare` and `specifiers` (names
//! and types), `link` (several files), `function`, `stmt`, `jump`, `labels`, `nested` and `escape` (control flow),
//! `lvalue`, `expr`, `operators`, `conditional`, `assign`, `call`, `initializer`, `init` (expressions), `check` (properties), `models` (the C library),
//! `entry` (the stub that calls the entry function),
//! `outside` (what functions without a body do).
//!
//! **Only what is reachable is lowered.** A construct that is not supported
//! makes lowering fail only if its function can be reached from the entry, by
//! calls or by taking its address.
//!
//! **Order of evaluation** where C leaves it open is that of gcc without
//! optimisation on x86: operands from left to right (but see `order`, also on simple
//! assignments), arguments from right to left, the value of a compound assignment before its
//! place, members and elements in an initialiser in the order in which they lie in memory.
//!
//! **Depth.** Lowering recurses over nested expressions and statements; it runs
//! on a thread of its own with a stack of a gibibyte of address space, and input nested deeper
//! than that stack allows is refused with a diagnostic. Long chains of
//! operators and of `else if` are loops and cost no depth.

mod alloca;
mod annotation;
mod any;
mod assembly;
mod assign;
pub mod attributes;
mod build;
mod call;
mod check;
mod complex;
mod condition;
mod conditional;
mod constant;
mod context;
mod declare;
mod entry;
mod escape;
mod expr;
mod facts;
mod floats;
mod function;
mod init;
mod initializer;
mod jump;
mod labels;
mod lanes;
mod link;
mod local;
mod lvalue;
pub mod models;
mod nested;
mod operators;
mod order;
mod outside;
mod place;
mod scope;
mod specifiers;
mod stmt;
mod switch;
pub mod types;
mod value;
mod varargs;
mod vector;
mod watch;

use bolide_base::{Budget, Diagnostic, SourceMap, Span};
use bolide_c_syntax::ast::TranslationUnit;
use bolide_cfa::{Program, Property, Target};
use std::collections::BTreeSet;

/// What a call to a function without a body may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum External {
    /// It may change all memory that it can reach, and returns any value.
    #[default]
    Havoc,
    /// It changes nothing and returns any value.
    Pure,
    /// The program is refused.
    Error,
}

/// How to lower.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to check.
    pub properties: BTreeSet<Property>,
    /// The data model.
    pub target: Target,
    /// The function that the program starts with.
    pub entry: String,
    /// Functions without a body.
    pub external: External,
    /// Calls that violate `unreach-call`.
    pub error_functions: Vec<String>,
    /// Labels that violate `unreach-call`.
    pub error_labels: Vec<String>,
    /// Allocations may also give a null pointer.
    pub malloc_may_fail: bool,
    /// Polled between functions.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            properties: BTreeSet::new(),
            target: Target::LP64,
            entry: "main".into(),
            external: External::Havoc,
            error_functions: vec!["reach_error".into(), "__VERIFIER_error".into()],
            error_labels: vec!["ERROR".into()],
            malloc_may_fail: false,
            budget: Budget::unlimited(),
        }
    }
}

/// A lowered program and what should be said of it.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program.
    pub program: Program,
    /// Warnings, in order of position.
    pub diagnostics: Vec<Diagnostic>,
    /// Functions without a body and without a model that may be called, with
    /// the place of the first use; sorted by name.
    pub externals: Vec<(String, Span)>,
    /// Over-approximations that were made, for the report; sorted.
    pub assumptions: Vec<String>,
    /// What annotations promise of functions that run, by function.
    pub contracts: Vec<bolide_cfa::contract::Contract>,
}

/// Lowers the files of one program.
///
/// # Errors
/// What cannot be lowered and can be reached from the entry function, with its
/// position; conflicts between the files.
pub fn lower(
    units: &[&TranslationUnit],
    sources: &SourceMap,
    options: &Options,
) -> Result<Lowered, Vec<Diagnostic>> {
    /// Address space for the stack; only what is used becomes memory.
    const STACK: usize = 1 << 30;
    std::thread::scope(|scope| {
        let deep = std::thread::Builder::new()
            .name("lower".into())
            .stack_size(STACK)
            .spawn_scoped(scope, || context::run(units, sources, options, STACK));
        match deep.map(|thread| thread.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // No room for a big stack: a shallow limit on the one we have.
            Err(_) => context::run(units, sources, options, 1 << 20),
        }
    })
}
