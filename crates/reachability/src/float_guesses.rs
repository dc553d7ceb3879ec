//! Guesses about floats at loop heads: that they lie in the intervals of [`float_ranges`](crate::float_ranges).
//!
//! A slot holds the pattern of a float, so a guess is about integers: positive floats have the patterns from zero to that of infinity,
//! negative ones those from the bit of the sign on.

use crate::block::BlockProgram;
use crate::facts::Fact;
use crate::float_interval::{FloatInterval, sign_bit};
use crate::quantities::Quantity;
use crate::samples::Linear;
use bolide_cfa::{LocId, VarId};

/// The guesses at a location.
pub fn guesses(program: &BlockProgram<'_>, at: LocId) -> Vec<Fact> {
    // With circuits, the solver would take operations apart to show what lemmas say.
    if program.slots.exact.all {
        return Vec::new();
    }
    let intervals = program.float_intervals(at).into_iter();
    intervals.flat_map(|(var, interval)| lies_in(var, interval)).collect()
}

/// That a variable is no NaN and lies in an interval.
fn lies_in(var: VarId, interval: FloatInterval) -> Vec<Fact> {
    let of = Quantity::Value(var);
    let at_most = |n: i128| Linear { terms: vec![(of, 1)], constant: -n, equality: false };
    let at_least = |n: i128| Linear { terms: vec![(of, -1)], constant: n, equality: false };
    let sign = sign_bit(interval.kind);
    let negative = [at_least(sign - interval.hi.min(0)), at_most(sign - interval.lo)];
    if interval.lo > 0 {
        [at_least(interval.lo), at_most(interval.hi)].map(Fact::Linear).into()
    } else if interval.hi < 0 {
        negative.map(Fact::Linear).into()
    } else {
        let phase = |fact| Fact::Phase(at_most(interval.hi), Box::new(Fact::Linear(fact)));
        negative.map(phase).into()
    }
}
