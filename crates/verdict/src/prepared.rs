//! The programs that engines explore and certificates speak of.
//!
//! From the program as lowering made it come up to three: simplified with its calls, without calls
//! where these can be inlined, and without what is written to memory that formulas do not
//! follow. Engines read them, nobody changes them; the audit reads the same.
//!
//! Trusted on the way: [`transform::prepare`] and inlining. Not trusted: slicing and the
//! other reductions, which are checked right here by [`simulation`]. A program that fails
//! the check is explored all the same, but no proof about it counts.

use crate::simulation::{self, Memory};
use bolide_base::budget::{Phase, Progress};
use bolide_cfa::analysis::Ranges;
use bolide_cfa::transform::views::Asked;
use bolide_cfa::transform::{self, InlineError, Mapped};
use bolide_cfa::{Edge, ExprId, LocId, Op, Program};
use bolide_reachability::encode::Interval;
use bolide_reachability::verdict::Reason;
use std::sync::OnceLock;

/// Edges that the inlined program may have.
const INLINE_LIMIT: usize = 2_000_000;

/// The values that an expression may have at a location.
pub type Intervals<'p> = Box<dyn Fn(LocId, ExprId) -> Interval + 'p>;

/// A program to explore.
pub struct Explored {
    /// The program, and where it comes from in the one that lowering made.
    pub mapped: Mapped,
    /// Why no proof about it counts, if so.
    defect: Option<String>,
    ranges: OnceLock<Ranges>,
}

impl Explored {
    fn new(mapped: Mapped, defect: Option<String>) -> Explored {
        Explored { mapped, defect, ranges: OnceLock::new() }
    }

    /// The program as it is, without any reduction.
    fn plain(program: &Program) -> Explored {
        Explored::new(Mapped::identity(program.clone()), None)
    }

    /// The values that an expression may have, by an analysis of the program.
    pub fn intervals(&self) -> Intervals<'_> {
        let program = &self.mapped.program;
        let ranges = self.ranges.get_or_init(|| Ranges::new(program));
        Box::new(move |location, expr| match ranges.of_expr(program, location, expr) {
            Some((least, greatest)) => (Some(least), Some(greatest)),
            None => (None, None),
        })
    }

    /// Whether it shows all errors of the program that it was made from.
    pub fn is_faithful(&self) -> Result<(), Reason> {
        match &self.defect {
            None => Ok(()),
            Some(why) => Err(Reason::NotCertified(format!("the simplified program: {why}"))),
        }
    }
}

/// What there is to explore.
pub struct Prepared<'a> {
    /// The program as lowering made it; counterexamples are replayed on it.
    pub original: &'a Program,
    /// Simplified, with its calls.
    pub simplified: Explored,
    /// Simplified and without calls; or why that cannot be.
    pub inlined: Result<Explored, InlineError>,
    /// As `inlined`, without what is written to memory that formulas do not follow; none
    /// where there is no such thing.
    pub followed: Option<Explored>,
}

impl<'a> Prepared<'a> {
    /// Prepares a program; its calls are inlined where that can be. Memory that is accessed in
    /// several widths is bytes to formulas where that is asked, else any value.
    pub fn new(original: &'a Program, bytes: &Asked, progress: &Progress) -> Prepared<'a> {
        let mut prepared = Prepared::simplified(original, bytes, true, progress);
        progress.enter(Phase::Inlining);
        let Explored { mapped, defect, .. } = &prepared.simplified;
        let (mut mapped, defect) = (mapped.clone(), defect.clone());
        prepared.inlined =
            transform::inline(&mut mapped, INLINE_LIMIT).map(|()| Explored::new(mapped, defect));
        progress.enter(Phase::Slicing);
        prepared.followed = prepared.inlined.as_ref().ok().and_then(followed);
        prepared
    }

    /// Prepares a program; calls stay calls, and objects on the heap stay there.
    pub fn with_calls(original: &'a Program, bytes: &Asked, progress: &Progress) -> Prepared<'a> {
        Prepared::simplified(original, bytes, false, progress)
    }

    fn simplified(
        original: &'a Program,
        bytes: &Asked,
        heap: bool,
        progress: &Progress,
    ) -> Prepared<'a> {
        progress.enter(Phase::Simplifying);
        let whole = transform::prepare(original.clone(), bytes, heap);
        progress.enter(Phase::Slicing);
        let mut reduced = Mapped::identity(whole.program.clone());
        transform::reduce(&mut reduced);
        let defect = simulation::simulates(&whole.program, &reduced, Memory::All).err();
        let simplified = Explored::new(whole.then(reduced), defect);
        Prepared { original, simplified, inlined: Err(InlineError::NotWanted), followed: None }
    }

    /// A program as it is, without any reduction: nothing is inlined.
    pub fn plain(original: &'a Program) -> Prepared<'a> {
        let is_call = |edge: &Edge| matches!(edge.op, Op::Call { .. });
        let inlined = match original.edges.values().any(is_call) {
            true => Err(InlineError::NotWanted),
            false => Ok(Explored::plain(original)),
        };
        Prepared { original, simplified: Explored::plain(original), inlined, followed: None }
    }

    /// The program for formulas: without calls where that can be, else with them.
    pub fn flattest(&self) -> &Explored {
        if let Some(followed) = &self.followed {
            return followed;
        }
        self.inlined.as_ref().unwrap_or(&self.simplified)
    }
}

fn followed(inlined: &Explored) -> Option<Explored> {
    let whole = &inlined.mapped.program;
    let mut sliced = transform::slice::slice_for_formulas(&Mapped::identity(whole.clone()))?;
    transform::dead::dead_assignments(&mut sliced);
    transform::dead::join_skips(&mut sliced);
    let defect = simulation::simulates(whole, &sliced, Memory::Typed).err();
    let defect = inlined.defect.clone().or(defect);
    Some(Explored::new(inlined.mapped.then(sliced), defect))
}
