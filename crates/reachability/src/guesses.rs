//! Linear guesses that no sample contradicts, and what they start from.
//!
//! [`candidates`](crate::candidates), [`pointers`](crate::pointers) and
//! [`summaries`](crate::summaries) know which quantities to compare with which; here the forms are that such comparisons
//! take.

use crate::quantities::Quantity;
use crate::samples::{Linear, Samples, Sightings};
use bolide_cfa::{LocId, Program, VarId};

/// Heuristic: so many constants bound a variable from each side.
const NEAREST: usize = 3;

/// What a head offers to guess from.
pub struct Head<'a> {
    /// Where it is.
    pub location: LocId,
    /// Its integer variables.
    pub variables: &'a [VarId],
    /// What is watched of its pointers.
    pub pointers: &'a [Quantity],
    /// Their values in executions.
    pub sightings: &'a Sightings,
    /// Constants of the program.
    pub constants: &'a [i128],
}

/// Linear facts that no sample contradicts.
pub struct Guesses<'a> {
    /// The samples.
    pub samples: &'a Samples,
    /// The facts.
    pub found: Vec<Linear>,
}

impl Guesses<'_> {
    /// A sum is at most zero, or zero; whether no sample contradicts that.
    pub fn add(&mut self, terms: Vec<(Quantity, i64)>, constant: i128, equality: bool) -> bool {
        let fact = Linear { terms, constant, equality };
        let holds = self.samples.satisfy(&fact);
        if holds {
            self.found.push(fact);
        }
        holds
    }

    /// Bounds of one variable: those of its type, and the constants nearest to the samples.
    pub fn bounds(&mut self, program: &Program, x: Quantity, constants: &[i128]) {
        // Whatever else is lost, a value stays in its type.
        if let Some(ty) = x.integer_type(program)
            && ty.bits < 128
        {
            self.add(vec![(x, 1)], -ty.max(), false);
            self.add(vec![(x, -1)], ty.min(), false);
        }
        let mut sorted = constants.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        for &c in &sorted {
            self.add(vec![(x, 1)], -c, true);
        }
        self.nearest(x, &sorted);
    }

    /// Bounds by the constants nearest to the samples.
    pub fn nearest(&mut self, x: Quantity, constants: &[i128]) {
        let mut sorted = constants.to_vec();
        sorted.sort_unstable();
        let mut above = 0;
        for &c in &sorted {
            above += usize::from(above < NEAREST && self.add(vec![(x, 1)], -c, false));
        }
        let mut below = 0;
        for &c in sorted.iter().rev() {
            below += usize::from(below < NEAREST && self.add(vec![(x, -1)], c, false));
        }
    }

    /// Comparisons of two variables that have to do with each other.
    pub fn comparisons(&mut self, related: impl Fn(Quantity, Quantity) -> bool) {
        let quantities = &self.samples.quantities;
        for (i, &x) in quantities.iter().enumerate() {
            for &y in quantities[i + 1..].iter().filter(|&&y| related(x, y)) {
                self.add(vec![(x, 1), (y, -1)], 0, true);
                self.add(vec![(x, 1), (y, -1)], 0, false);
                self.add(vec![(x, -1), (y, 1)], 0, false);
            }
        }
    }
}
