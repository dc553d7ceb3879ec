//! Places of an unrolling, and their order.
//!
//! A place is a list of numbers that says where in a run a cut point is: for each activation the rounds of the loops around,
//! from the outermost to the innermost, each after the position of the loop's head, and then the
//! position of the cut point itself. Positions are those of the reverse postorder of the function, so that an earlier
//! place in the order of lists is an earlier one in every run: a loop's rounds
//! come after each other and before whatever follows the loop, and what a call does comes after the call and before its
//! return. Required for that, and checked by whoever goes from place to place: loops are entered at their heads only.
//!
//! Counted by blocks instead, a place is the number of blocks since the start, and the position: runs of
//! the same length meet. That is the unrolling of a transition system, as k-induction has it.

use bolide_cfa::analysis::{Flow, LoopId, Loops};
use bolide_cfa::{LocId, Program};
use std::fmt;

/// What a bound is a bound of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// How often a loop goes back to its head, each time that it is entered, and how often a function is
    /// in execution at the same time.
    Rounds,
    /// How many blocks a run has.
    Blocks,
}

/// Where in a run. Earlier is less.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(Vec<u32>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, number) in self.0.iter().enumerate() {
            let dot = if position > 0 { "." } else { "" };
            write!(f, "{dot}{number}")?;
        }
        Ok(())
    }
}

impl Place {
    /// What the places of an activation begin with that is entered here, by a call with this number.
    pub fn inside(&self, number: u32) -> Place {
        let mut place = self.clone();
        place.0.push(number);
        place
    }
}

/// Who knows positions and loops.
pub struct Places {
    flow: Flow,
    loops: Loops,
}

impl Places {
    pub fn new(program: &Program) -> Places {
        let flow = Flow::new(program);
        let loops = Loops::new(program, &flow);
        Places { flow, loops }
    }

    fn position(&self, location: LocId) -> u32 {
        // What is not reached in its function is not come to either.
        self.flow.position(location).map_or(u32::MAX, |position| position as u32)
    }

    /// The loops around a location, from the outermost to the innermost.
    fn around(&self, location: LocId) -> Vec<LoopId> {
        let parent = |&id: &LoopId| self.loops.get(id).parent;
        let mut all: Vec<LoopId> =
            std::iter::successors(self.loops.innermost(location), parent).collect();
        all.reverse();
        all
    }

    /// Where an activation starts.
    pub fn first(&self, measure: Measure, prefix: &Place, location: LocId) -> Place {
        let mut place = prefix.0.clone();
        match measure {
            Measure::Blocks => place.push(0),
            Measure::Rounds => {
                for id in self.around(location) {
                    place.extend([self.position(self.loops.get(id).head), 0]);
                }
            }
        }
        place.push(self.position(location));
        Place(place)
    }

    /// Where a block or a call leads within its activation; none beyond the bound.
    pub fn next(
        &self,
        measure: Measure,
        prefix: &Place,
        at: &Place,
        (from, to): (LocId, LocId),
        bound: u32,
    ) -> Option<Place> {
        let mut place = prefix.0.clone();
        let here = &at.0[prefix.0.len()..];
        if measure == Measure::Blocks {
            let blocks = here[0] + 1;
            place.extend([blocks, self.position(to)]);
            return (blocks <= bound).then_some(Place(place));
        }
        for (level, id) in self.around(to).into_iter().enumerate() {
            let head = self.loops.get(id).head;
            let mut rounds = 0;
            if self.loops.contains(id, from) {
                // Required: no block passes a head, so that whoever comes to it from inside goes back.
                rounds = here[2 * level + 1] + u32::from(head == to);
            }
            if rounds > bound {
                return None;
            }
            place.extend([self.position(head), rounds]);
        }
        place.push(self.position(to));
        Some(Place(place))
    }
}
