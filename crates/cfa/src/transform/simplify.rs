//! The standard pipeline before exploration.

use super::resolve::UnknownTarget;
use super::{Mapped, addresses, bit_fields, dead, fold, regions, resolve, slice};
use crate::program::Program;

/// Which transforms run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SimplifyOptions {
    /// What a call of an unknown function is.
    pub unknown_target: UnknownTarget,
    /// Split memory into regions.
    pub regions: bool,
    /// Make scalars of memory that allows it; needs `regions`.
    pub promote: bool,
    /// Propagate constants by ranges.
    pub propagate: bool,
    /// Slice for the error locations; none keeps all that runs.
    pub slice: Option<slice::Loops>,
    /// Remove dead assignments and empty steps.
    pub dead: bool,
}

impl Default for SimplifyOptions {
    fn default() -> Self {
        SimplifyOptions {
            unknown_target: UnknownTarget::Havoc,
            regions: true,
            promote: true,
            propagate: true,
            slice: Some(slice::Loops::Keep),
            dead: true,
        }
    }
}

/// Makes bytes of bit-fields, resolves calls, opens comparisons of addresses, assigns regions, folds constants,
/// slices and removes dead code, in this order.
pub fn simplify(program: Program, options: SimplifyOptions) -> Mapped {
    let mut mapped = Mapped::identity(program);
    // Folding first removes code that would blur the points-to analysis.
    fold::fold(&mut mapped, false);
    bit_fields::bit_fields(&mut mapped);
    resolve::resolve_calls(&mut mapped, options.unknown_target);
    addresses::open_comparisons(&mut mapped);
    if options.regions {
        regions::regions(&mut mapped, options.promote);
    }
    fold::fold(&mut mapped, options.propagate);
    if let Some(loops) = options.slice {
        slice::slice(&mut mapped, loops);
    }
    if options.dead {
        dead::dead_assignments(&mut mapped);
        dead::join_skips(&mut mapped);
    }
    mapped
}
