//! From the C syntax tree to control-flow automata.
//!
//! [`lower`] takes the parsed files of one program, links them, and makes a
//! [`bolide_cfa::Program`] of everything that can be reached from the entry
//! function: conversions, evaluation order, lifetimes and the checks of the
//! asked properties are explicit in it.
//!
//! Reading order: [`types`] (C types and layout), `facts` (what is known before
//! lowering), `context` (the state of lowering in its parts: `input`, `linkage`, `emission`, `function_state`),
//! `run` (its main loop), `declare` and `specifiers` (names
//! and types), `link` (several files), `function`, `stmt`, `jump`, `labels`, `nested` and `escape` (control flow),
//! `lvalue`, `expr`, `operators`, `conditional`, `assign`, `call`, `initializer`, `init` (expressions), `check` (properties), `models` (the C library),
//! `entry` (the stub that calls the entry function), `caller` (a sane caller as text),
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
mod caller;
mod check;
mod complex;
mod condition;
mod conditional;
mod constant;
mod context;
mod contract;
mod declare;
pub mod dialect;
mod emission;
mod entry;
mod escape;
mod expr;
mod facts;
mod function;
mod function_state;
mod global;
mod init;
mod initializer;
mod input;
mod jump;
mod labels;
mod lanes;
mod link;
mod linkage;
mod local;
mod lvalue;
pub mod models;
mod nested;
mod operators;
mod options;
mod order;
mod outside;
mod place;
mod raw;
mod rounding;
mod run;
mod scope;
mod specifiers;
mod stmt;
mod switch;
pub mod types;
mod value;
mod varargs;
mod vector;
mod watch;

pub use caller::Caller;
pub use options::{External, Harness, Lowered, Options};

use bolide_base::{Diagnostic, SourceMap};
use bolide_c_syntax::ast::TranslationUnit;

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
    let harness = match options.harness {
        Harness::Detected => dialect::detect(units, &options.entry),
        Harness::Is(dialect) => dialect,
    };
    let options = &Options { harness: Harness::Is(harness), ..options.clone() };
    with_deep_stack(|stack| run::run(units, sources, options, stack))
}

/// A sane caller of the function that is asked for, as text for the file that defines it; none where there is no such function,
/// or where nothing can be said of its arguments.
pub fn caller(
    units: &[&TranslationUnit],
    sources: &SourceMap,
    options: &Options,
) -> Option<Caller> {
    with_deep_stack(|stack| run::caller(units, sources, options, stack))
}

/// Runs something that recurses over input.
fn with_deep_stack<T: Send>(body: impl Fn(usize) -> T + Sync) -> T {
    /// Address space for the stack; only what is used becomes memory.
    const STACK: usize = 1 << 30;
    std::thread::scope(|scope| {
        let deep = std::thread::Builder::new()
            .name("lower".into())
            .stack_size(STACK)
            .spawn_scoped(scope, || body(STACK));
        match deep.map(|thread| thread.join()) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // No room for a big stack: a shallow limit on the one we have.
            Err(_) => body(1 << 20),
        }
    })
}
