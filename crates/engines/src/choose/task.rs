//! The program as the engines get it: simplified (indirect calls resolved,
//! memory split into regions, irrelevant statements removed), and, where that
//! can be done, inlined.

use super::{Features, Options};
use bolide_cfa::transform::{self, InlineError, Mapped, SimplifyOptions};
use bolide_cfa::{AllocKind, Op, Program};
use bolide_reachability::facts::Facts;

/// Edges that the inlined program may have.
const INLINE_LIMIT: usize = 2_000_000;

/// What the engines are to decide. Shared between threads, changed by nobody.
pub struct Task<'a> {
    /// The program as lowering made it; counterexamples are replayed on it.
    pub original: &'a Program,
    /// Simplified, with its calls.
    pub simplified: Mapped,
    /// Simplified and without calls; or why that cannot be.
    pub inlined: Result<Mapped, InlineError>,
    /// As `inlined`, without what is written to memory that formulas do not follow; none
    /// where there is no such thing.
    pub followed: Option<Mapped>,
    /// Facts of the flattest program that prove each other; found once, used by
    /// every engine that reasons about its blocks.
    pub facts: Facts,
    /// What the user asked for.
    pub options: Options,
}

impl<'a> Task<'a> {
    /// Prepares a program.
    pub fn new(original: &'a Program, options: &Options) -> Task<'a> {
        // Required: the value ranges must not remove checks, or no obligation of the
        // audit would be left to say why they hold.
        let simplify = SimplifyOptions { propagate: false, ..SimplifyOptions::default() };
        let simplified = transform::simplify(original.clone(), simplify);
        let mut mapped = simplified.clone();
        let inlined = transform::inline(&mut mapped, INLINE_LIMIT).map(|()| mapped);
        let followed = inlined.as_ref().ok().and_then(|mapped| {
            let mut sliced = transform::slice::slice_for_formulas(mapped)?;
            transform::dead::dead_assignments(&mut sliced);
            transform::dead::join_skips(&mut sliced);
            Some(sliced)
        });
        let facts = Facts::default();
        Task { original, simplified, inlined, followed, facts, options: options.clone() }
    }

    /// The program for formulas: without calls where that can be, else with them.
    pub fn flattest(&self) -> &Mapped {
        if let Some(followed) = &self.followed {
            return followed;
        }
        self.inlined.as_ref().unwrap_or(&self.simplified)
    }

    /// Whether no check is left after simplification.
    pub fn has_no_checks(&self) -> bool {
        !self.flattest().program.locations.values().any(|l| l.error.is_some())
    }

    /// What the choice of engines depends on.
    pub fn features(&self) -> Features {
        let program = &self.simplified.program;
        Features {
            inlining: self.inlined.as_ref().err().map(ToString::to_string),
            recursive: matches!(self.inlined, Err(InlineError::Recursion(_))),
            edges: self.flattest().program.edges.len(),
            heap: program
                .edges
                .values()
                .any(|e| matches!(e.op, Op::Alloc { kind: AllocKind::Heap, .. })),
            proofs: self.options.trace.proofs.is_some(),
            one_long_run: false,
        }
    }
}
