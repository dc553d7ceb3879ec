//! C lexer, parser and syntax tree.
//!
//! [`parse`] turns the text of one preprocessed file into a
//! [`TranslationUnit`] and diagnostics; it accepts C11
//! with the GNU extensions. Nothing here knows types or resolves names, but for
//! telling typedef names from others.

pub mod annotation;
pub mod ast;
mod bytes;
pub mod highlight;
pub mod intern;
mod lexer;
mod literal;
mod parser;
mod token;

pub use ast::{Interner, Symbol, TranslationUnit};
pub use bytes::text_of_bytes;
pub use lexer::needs_preprocessing;
pub use parser::{MAX_NESTING, ParseOptions, ParseResult, parse};
