//! The program as the engines get it, with what is known of it before they start.

use super::{Features, Options};
use bolide_cfa::transform::InlineError;
use bolide_cfa::{AllocKind, Op, Program};
use bolide_reachability::facts::Facts;
use bolide_verdict::prepared::Prepared;

/// What the engines are to decide. Shared between threads, changed by nobody.
pub struct Task<'a> {
    /// The programs to explore.
    pub programs: Prepared<'a>,
    /// Facts of the flattest program that prove each other; found once, used by
    /// every engine that reasons about its blocks.
    pub facts: Facts,
    /// What the user asked for.
    pub options: Options,
}

impl<'a> Task<'a> {
    /// Prepares a program.
    pub fn new(original: &'a Program, options: &Options) -> Task<'a> {
        let programs = Prepared::new(original);
        Task { programs, facts: Facts::default(), options: options.clone() }
    }

    /// Whether no check is left after simplification.
    pub fn has_no_checks(&self) -> bool {
        let program = &self.programs.flattest().mapped.program;
        !program.locations.values().any(|l| l.error.is_some())
    }

    /// What the choice of engines depends on.
    pub fn features(&self) -> Features {
        let programs = &self.programs;
        let program = &programs.simplified.mapped.program;
        Features {
            inlining: programs.inlined.as_ref().err().map(ToString::to_string),
            recursive: matches!(programs.inlined, Err(InlineError::Recursion(_))),
            heap: program
                .edges
                .values()
                .any(|e| matches!(e.op, Op::Alloc { kind: AllocKind::Heap, .. })),
            proofs: self.options.trace.proofs.is_some(),
            one_long_run: false,
        }
    }
}
