//! What is lowered: the parsed files, the models of the library behind them, and what was asked.

use crate::facts::Facts;
use crate::options::Options;
use bolide_base::{Diagnostic, SourceMap, Span};
use bolide_c_syntax::ast::{self, TranslationUnit};
use bolide_cfa::Property;

/// Lowering of a construct failed; the diagnostic says why.
pub type Fallible<T> = Result<T, Box<Diagnostic>>;

/// The files, and the one that is being read.
pub struct Input<'a> {
    pub units: Vec<&'a TranslationUnit>,
    /// Units from this one on are models of the library.
    pub first_model: usize,
    pub facts: Vec<Facts>,
    pub sources: &'a SourceMap,
    pub model_sources: &'a SourceMap,
    pub options: &'a Options,
    /// The unit being lowered.
    pub unit: usize,
    /// How deep lowering has recursed, and how deep it may.
    pub depth: usize,
    pub max_depth: usize,
    /// How many contracts are being evaluated, in which nothing is checked.
    pub quiet: u32,
}

impl<'a> Input<'a> {
    /// The unit being lowered.
    pub fn ast(&self) -> &'a TranslationUnit {
        self.units[self.unit]
    }

    /// The text of a name of the present unit.
    pub fn text(&self, symbol: ast::Symbol) -> &'a str {
        self.units[self.unit].name(symbol)
    }

    /// Whether the present unit is a model of the library.
    pub fn in_model(&self) -> bool {
        self.unit >= self.first_model
    }

    /// A span as the outside knows it: models have no place in the sources.
    pub fn span(&self, span: Span) -> Span {
        if self.in_model() { Span::NONE } else { span }
    }

    /// What the source says at a span, on one line, not too long.
    pub fn snippet(&self, span: Span) -> String {
        const LIMIT: usize = 80;
        let sources = if self.in_model() { self.model_sources } else { self.sources };
        let text = sources.snippet(span);
        let mut out = String::new();
        for word in text.split_whitespace() {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
            if out.chars().count() > LIMIT {
                out = out.chars().take(LIMIT).collect();
                out.push_str("...");
                break;
            }
        }
        out
    }

    /// Whether a property is asked for, and this is no part of a contract.
    pub fn checks(&self, property: Property) -> bool {
        self.quiet == 0 && self.options.properties.contains(&property)
    }

    /// An error at a place of the present unit.
    pub fn error<T>(&self, span: Span, message: impl Into<String>) -> Fallible<T> {
        Err(Box::new(Diagnostic::error(self.span(span), message)))
    }

    /// A construct that lowering does not support.
    pub fn unsupported<T>(&self, span: Span, what: impl std::fmt::Display) -> Fallible<T> {
        Err(Box::new(Diagnostic::unsupported(self.span(span), what)))
    }
}
