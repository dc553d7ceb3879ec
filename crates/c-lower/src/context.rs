//! The state of lowering in its parts.
//!
//! What touches one part only is a method of that part; what needs several is a method of [`Lowerer`], in the
//! module of the construct that it lowers.

use crate::contract::state::Contracts;
use crate::emission::Emission;
use crate::function_state::{FunctionState, Outer};
use crate::global::GlobalId;
use crate::input::{Fallible, Input};
use crate::linkage::Linkage;
use crate::scope::Names;
use crate::types::TypeStore;
use bolide_base::{Diagnostic, HashSet, Span};
use bolide_cfa::{ExprId, FunctionId, VarId};

/// Everything that lowering knows.
pub struct Lowerer<'a> {
    /// What is lowered.
    pub input: Input<'a>,
    /// C types, their layout and conversions.
    pub types: TypeStore,
    /// What names mean, and what is external.
    pub linkage: Linkage,
    /// What is promised of functions.
    pub contracts: Contracts,
    /// The automaton being built, and where lowering stands in it.
    pub out: Emission,
    /// The function being lowered.
    pub f: FunctionState,
    /// The functions around the one being lowered, outermost first.
    pub outer: Vec<Outer>,
    /// Addresses of code, and jumps that leave functions.
    pub code: CodeAddresses,
}

/// Addresses of code, and jumps that leave functions.
#[derive(Default)]
pub struct CodeAddresses {
    /// Functions within functions, with those around them.
    pub nested: Vec<(FunctionId, Vec<FunctionId>)>,
    /// Jumps out of functions within functions, if there are any.
    pub escape: Option<Escape>,
    /// The program takes addresses of labels.
    pub has_label_objects: bool,
    /// Where pointers to bytes are first subtracted or ordered.
    pub byte_distance: Option<Span>,
    /// Two labels that may have one address, with the place of the first.
    pub label_twins: Option<(Span, String)>,
    /// The comparisons that computed jumps consist of.
    pub label_tests: HashSet<ExprId>,
}

/// The state of a jump that is under way.
#[derive(Clone, Copy, Debug)]
pub struct Escape {
    /// The number of the label; 0 if no jump is under way.
    pub number: VarId,
    /// The identity of the activation.
    pub activation: VarId,
    /// How many labels have numbers.
    pub labels: u32,
}

impl<'a> Lowerer<'a> {
    /// The names of the present unit.
    pub fn names(&self) -> &Names {
        &self.linkage.names[self.input.unit]
    }

    /// The names of the present unit, to declare some.
    pub fn names_mut(&mut self) -> &mut Names {
        &mut self.linkage.names[self.input.unit]
    }

    /// Whether a name is declared in a header of the system.
    pub fn is_declared_by_system(&self, id: GlobalId) -> bool {
        let place = self.input.sources.position(self.linkage[id].span.start);
        place.is_some_and(|p| p.file.starts_with("/usr/"))
    }

    /// An error at a place of the present unit.
    pub fn error<T>(&self, span: Span, message: impl Into<String>) -> Fallible<T> {
        self.input.error(span, message)
    }

    /// A construct that lowering does not support.
    pub fn unsupported<T>(&self, span: Span, what: impl std::fmt::Display) -> Fallible<T> {
        self.input.unsupported(span, what)
    }

    /// What C forbids is an error even if nobody uses it.
    pub fn violation<T>(&mut self, span: Span, message: impl Into<String>) -> Fallible<T> {
        let diagnostic = Diagnostic::error(self.input.span(span), message);
        self.out.diagnostics.push(diagnostic.clone());
        Err(Box::new(diagnostic))
    }

    /// Records a construct that gets less than its full meaning: no verdict will stand. Where only runs that come to it
    /// are concerned, [`Self::lost`] spoils less, and [`bolide_cfa::NondetSource::Unmodelled`] where only a value is not known.
    pub fn unmodelled(&mut self, span: Span, what: impl Into<String>) {
        let record = bolide_cfa::Unmodelled { what: what.into(), span: self.input.span(span) };
        if !self.out.program.unmodelled.contains(&record) {
            self.out.program.unmodelled.push(record);
        }
    }

    /// A warning at a place of the present unit.
    pub fn warn(&mut self, span: Span, message: impl Into<String>) {
        let span = self.input.span(span);
        self.out.diagnostics.push(Diagnostic::warning(span, message));
    }

    /// Runs `body` one level deeper, or refuses.
    pub fn deeper<T>(
        &mut self,
        span: Span,
        body: impl FnOnce(&mut Self) -> Fallible<T>,
    ) -> Fallible<T> {
        if self.input.depth >= self.input.max_depth {
            return self.error(span, "nested too deeply");
        }
        self.input.depth += 1;
        let result = body(self);
        self.input.depth -= 1;
        result
    }
}
