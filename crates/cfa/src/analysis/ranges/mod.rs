//! In which ranges values lie: abstract interpretation with intervals.
//!
//! After Cousot and Cousot (POPL 1977): forward, with widening at loop heads
//! and function entries (thresholds are constants of the function), then narrowing by
//! descending iteration. Between functions it is context-insensitive: parameters
//! and the globals that a function touches are joined over its calls; after a call, globals that the callee may
//! write have the values of its exit.
//!
//! The formula encoder drops wrap-arounds that cannot happen, so ranges must
//! be right for its reading of signed arithmetic (unbounded) as well as the
//! interpreter's (wrapping); see [`interval`]. Variables are never aliased:
//! what has its address taken lives in memory. Loads and inputs are in the range of their type.
//!
//! States are kept where paths branch or join, for variables that are live
//! there and about which something is known. Programs on which this is still
//! too much get no ranges, which is always sound: [`Ranges::unknown`].

mod columns;
mod diagrams;
mod evaluate;
pub mod interval;
mod runs;
mod solve;
pub mod tables;
mod way;

pub use self::evaluate::Evaluator;
pub use self::interval::Interval;
pub use self::tables::{Leads, Table, Tables};
use crate::analysis::BitSet;
use crate::expr::ExprId;
use crate::program::{LocId, Program, VarId};
use bolide_base::arena::Id;

/// Ranges of variables at all locations.
#[derive(Clone, Debug)]
pub struct Ranges {
    /// By location: variables that its outgoing edges read and of which
    /// something is known, sorted.
    known: Vec<Vec<(VarId, Interval)>>,
    /// Locations that some execution may reach.
    reached: Option<BitSet>,
}

impl Ranges {
    /// Analyses the program.
    pub fn new(program: &Program) -> Ranges {
        match solve::solve(program) {
            Some((known, reached)) => Ranges { known, reached: Some(reached) },
            None => Ranges::unknown(program),
        }
    }

    /// Nothing is known.
    pub fn unknown(program: &Program) -> Ranges {
        Ranges { known: vec![Vec::new(); program.locations.len()], reached: None }
    }

    /// Whether an execution may reach the location, as far as ranges tell.
    pub fn may_reach(&self, loc: LocId) -> bool {
        self.reached.as_ref().is_none_or(|set| set.contains(loc.index()))
    }

    /// The range of a variable at a location. Known for variables that
    /// edges from there read.
    pub fn of_variable(&self, program: &Program, loc: LocId, var: VarId) -> Interval {
        let known = &self.known[loc.index()];
        match known.binary_search_by_key(&var, |entry| entry.0) {
            Ok(position) => known[position].1,
            Err(_) => match program.variables[var].ty.as_int() {
                Some(ty) => Interval::unknown(ty),
                None => Interval::ANY,
            },
        }
    }

    /// The range of an integer expression evaluated at a location, if it is
    /// bounded on both sides. For many expressions at one place use
    /// [`evaluator`](Self::evaluator), which evaluates shared parts once.
    pub fn of_expr(&self, program: &Program, loc: LocId, expr: ExprId) -> Option<(i128, i128)> {
        let range = self.evaluator(program, loc).range(expr);
        (range.lo != i128::MIN && range.hi != i128::MAX).then_some((range.lo, range.hi))
    }

    /// Evaluates expressions at a location.
    pub fn evaluator<'a>(&'a self, program: &'a Program, loc: LocId) -> Evaluator<'a> {
        Evaluator::new(program, move |var| self.of_variable(program, loc, var))
    }
}

#[cfg(test)]
mod tests;
