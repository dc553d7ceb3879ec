//! Programs as text, printed and parsed back identically.
//!
//! Tests state programs in this form, `bolide cfa` prints it, and it is the
//! way to look at what lowering and the transforms made. [`print()`] writes all
//! of a program, [`parse`] reads it back: ids, order and origins are the same
//! (expressions are interned in the order of the text, so that their ids
//! repeat from the second printing on).
//!
//! ```text
//! program LP64
//! entry main
//!
//! region r1 "cells" cell i32
//! part buf 0 size 4 stride 4 count 2 in r1
//! object buf size 8 align 4 @12..20
//!   4 = 7:i32
//! global x : i32 = 5:i32
//! check C0 unreach-call "reach_error is called" @40..53
//!
//! function f(a : i32, p : ptr) -> result : i32
//!   local y : i32
//!   entry L0 exit L3
//!   L0 -> L1 : y := nondet input "__VERIFIER_nondet_int" @60..85 statement
//!   L1: loop @86..91 label "again"
//!   L1 -> L2 : assume y < i32[p + 4:i64]
//!   L1 -> L3 : result := (y + a) * x
//! ```
//!
//! One item, declaration or edge stands on one line; indentation is free, `//`
//! begins a comment. The words are those of the data structures:
//!
//! - Types: `bool`, `i8` to `i128`, `u8` to `u128`, `f32`, `f64`, `f80`,
//!   `f128`, `ptr`. An integer or float constant names its type (`-1:i8`,
//!   `0.5:f64`, by its bits `0x3fff8000000000000000:f80`); `true`, `false`, `null`.
//! - `&x` is the address of a static object, `fn f` that of a function.
//! - `i32[p]` is the value in memory at `p`; `volatile i32[p]{3+5}@r2` is
//!   volatile, a bit-field of 5 bits from bit 3 on, in region 2. A missing
//!   region is all of memory.
//! - `i64(e)` converts. `-e`, `~e`, `!e`; `+ - * / % << >> & | ^`; `== != < <=`;
//!   `c ? a : b` with C's precedences (the printer writes all parentheses).
//!   `p + n` and `p - q` on pointers are what they are in C, counted in bytes.
//!   `>` and `>=` are read as `<` and `<=` turned around.
//! - `overflows_add(a, b)`, `valid(p, n)@r1`, `freeable(p)@r1`, `object_size(p)`,
//!   `leaked`, `heap_in_use`, `sqrt(x)`, `is_nan(x)` and their kin.
//! - Operations: `skip`, `assume c`, `x := e`, `i32[p] := e`,
//!   `x := nondet uninitialized` (or `input "f"`, `library "f"`, `unmodelled
//!   "why"`), `p := alloc heap(n) align 16 zeroed within(q) @r1`, `free(p)@r1`, `end(p)`,
//!   `copy(to, from, n) to @r1 from @r2`, `fill(p, byte, n)@r1`, `x := call f(a)`,
//!   `call [callee](a, b) variadic among f, g`, `x := external f(a) havoc`,
//!   `output printf(format, a)`, `halt(status)`.
//! - An origin is `@start..end role`, in byte offsets of the source map; it is
//!   left out by [`print_plain`] and wherever it is empty.
//! - Names that are not plain identifiers stand in backquotes. A name that
//!   means several things gets its id: `x'12`; so does a declaration whose id
//!   is not the next one. Edges out of order say `e5: L0 -> L1 : ...`.
//! - Expressions that share so much that their tree would be huge are cut by
//!   `let %1 = e` lines before the line that uses them.
//!
//! Neither direction recurses: expressions may be nested as deep as memory
//! allows.

mod cursor;
mod expressions;
mod lexer;
mod names;
mod operations;
mod parser;
mod print_expressions;
mod printer;

pub(crate) use names::type_name;
pub use parser::parse;
pub use printer::{print, print_op, print_plain};

/// What is wrong with a program text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// One sentence without a full stop.
    pub message: String,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for ParseError {}
