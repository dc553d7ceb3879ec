//! The parser: recursive descent, with explicit stacks where nesting is deep.
//!
//! Operators, parentheses, calls and subscripts ([`expr`]), statements and
//! blocks ([`stmt`]), initialiser lists ([`init`]) and parentheses in
//! declarators ([`declarator`]) nest without end in machine-made files; each
//! of these is a loop over a stack on the heap. What remains recursive
//! (records in records, types in expressions, statement expressions, parameters
//! of parameters) passes through `Parser::nested`, which counts, moves to a
//! thread with a large stack when the count is unusual, and refuses beyond
//! [`MAX_NESTING`].
//!
//! The typedef-name problem is solved as usual: the parser keeps, for each
//! name, whether its innermost declaration makes it a type ([`scope`]).
//!
//! An error is recorded where it is found, and `Failed` unwinds to the
//! nearest place that knows how to go on: behind the next `;` or before the
//! `}` of the block, the record or the file. What stands between is not
//! complained about.

mod attributes;
mod clauses;
mod declaration;
mod declarator;
mod expr;
mod init;
mod pack;
mod record;
mod scope;
mod specifiers;
mod stacks;
mod state;
mod stmt;

use bolide_base::{Diagnostic, Severity, SourceMap, Span};

use crate::ast::TranslationUnit;
use crate::lexer;
use crate::token::Keywords;
use state::Parser;

pub use state::{MAX_NESTING, ParseOptions};

/// The tree and what is wrong with it.
#[derive(Clone, Debug)]
pub struct ParseResult {
    /// Incomplete if there are errors.
    pub unit: TranslationUnit,
    /// By position.
    pub diagnostics: Vec<Diagnostic>,
}

impl ParseResult {
    /// Whether any diagnostic is an error.
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(|d| d.severity == Severity::Error)
    }
}

/// Parses the text of `sources` that begins at `start` (what
/// [`SourceMap::add`] returned), and records its line markers in `sources`.
pub fn parse(sources: &mut SourceMap, start: u32, options: &ParseOptions) -> ParseResult {
    let mut unit = TranslationUnit::default();
    let Some(source) = sources.text_at(start).filter(|t| t.start == start) else {
        let diagnostics = vec![Diagnostic::error(Span::NONE, "there is no such source text")];
        return ParseResult { unit, diagnostics };
    };
    unit.span = Span::new(start, start + source.text.len() as u32);
    let keywords = Keywords::intern(&mut unit.names, options.c23);
    let lexed = lexer::lex(&source.text, start, &mut unit.names, &keywords);
    unit.annotations = lexed.annotations;
    unit.pragmas = lexed.pragmas;
    let mut file = source.name.clone();
    for marker in lexed.markers {
        if let Some(name) = marker.file {
            file = name;
        }
        sources.add_line_marker(marker.offset, marker.line, &file);
    }
    let text = sources.text_at(start).map_or("", |t| &t.text);
    let mut lexical = lexed.diagnostics;
    lexical.truncate(options.max_errors);
    let mut parser = Parser::new(text, unit, lexed.tokens, lexical, options);
    parser.translation_unit();
    if parser.errors == 0 {
        parser.annotations(&keywords);
    }
    let mut diagnostics = parser.diagnostics;
    diagnostics.sort_by_key(|d| d.span.start);
    ParseResult { unit: parser.unit, diagnostics }
}
