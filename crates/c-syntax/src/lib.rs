//! C lexer, parser and syntax tree

pub mod ast;
pub mod intern;
