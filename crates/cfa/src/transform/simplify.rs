//! The standard pipeline before exploration, in two halves.
//!
//! [`prepare`] gives the program the form that formulas can speak about; verdicts rest on it.
//! [`reduce`] leaves out what cannot matter; nothing rests on that, since it is checked
//! afterwards that the reduced program shows all that the prepared one does.

use super::regions::Promote;
use super::views::Asked;
use super::{Mapped, addresses, bit_fields, dead, fold, regions, resolve, slice, views};
use crate::program::Program;

/// Makes bytes of bit-fields, resolves calls, opens comparisons of addresses, gives memory seen with
/// several types one (where it is `asked`, bytes), assigns regions and folds constants, in this order. With `heap`,
/// numbers of objects on the heap that are made once become variables too.
pub fn prepare(program: Program, asked: &Asked, heap: bool) -> Mapped {
    let mut mapped = Mapped::identity(program);
    // Folding first removes code that would blur the points-to analysis.
    fold::fold(&mut mapped);
    bit_fields::bit_fields(&mut mapped);
    resolve::resolve_calls(&mut mapped);
    addresses::open_comparisons(&mut mapped);
    views::views(&mut mapped, asked);
    regions::regions(&mut mapped, if heap { Promote::Heap } else { Promote::Known });
    // Required: value ranges are not asked here. They would remove checks, and no obligation of
    // the audit would be left to say why these hold.
    fold::fold(&mut mapped);
    mapped
}

/// Slices for the error locations, and removes dead assignments and empty steps.
pub fn reduce(mapped: &mut Mapped) {
    slice::slice(mapped, slice::Loops::Keep);
    dead::dead_assignments(mapped);
    dead::join_skips(mapped);
}

/// Both halves.
pub fn simplify(program: Program) -> Mapped {
    let mut mapped = prepare(program, &Asked::Nothing, false);
    reduce(&mut mapped);
    mapped
}
