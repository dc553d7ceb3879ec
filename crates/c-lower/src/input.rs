//! What is lowered: the parsed files, the models of the library behind them, and what was asked.

use crate::facts::Facts;
use crate::options::Options;
use bolide_base::{Diagnostic, SourceMap};
use bolide_c_syntax::ast::TranslationUnit;

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
}
