//! What is wrong with an input, for people: where, what, and what to do.

use crate::source::{SourceMap, Span};

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Work goes on, perhaps with an over-approximation.
    Warning,
    /// The input cannot be used.
    Error,
}

/// One message about one place. The command line draws it with the source
/// line and a caret; [`Diagnostic::render_plain`] is the form for tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Error or warning.
    pub severity: Severity,
    /// One sentence without a full stop, lower case: "expected `;`, found `}`".
    pub message: String,
    /// The place; `Span::NONE` when there is none.
    pub span: Span,
    /// Further places with their own words.
    pub related: Vec<(Span, String)>,
    /// What the user can do about it.
    pub help: Option<String>,
    /// The input may be right: it has something that is not supported.
    pub is_limit: bool,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            related: Vec::new(),
            help: None,
            is_limit: false,
        }
    }

    /// An error at `span` that is not the input's: `what` is not supported. `what` ends with a verb.
    pub fn unsupported(span: Span, what: impl std::fmt::Display) -> Self {
        Diagnostic { is_limit: true, ..Diagnostic::error(span, format!("{what} not supported")) }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(span, message) }
    }

    /// Adds a second place.
    pub fn with_related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push((span, message.into()));
        self
    }

    /// Adds what the user can do.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// `file:line:column: error: message`, with related places and help on
    /// lines of their own.
    pub fn render_plain(&self, sources: &SourceMap) -> String {
        let place = |span: Span| match sources.position(span.start) {
            Some(p) => format!("{p}: "),
            None => String::new(),
        };
        let word = match self.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let mut out = format!("{}{word}: {}\n", place(self.span), self.message);
        for (span, message) in &self.related {
            out += &format!("  {}note: {message}\n", place(*span));
        }
        if let Some(help) = &self.help {
            out += &format!("  help: {help}\n");
        }
        out
    }
}
