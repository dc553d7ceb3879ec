//! From formulas to interpolants in one call.

use super::{NoInterpolant, Options, interpolate_sequence, interpolate_tree};
use crate::newton::{self, Direction, Statement, Trace, Verdict};
use crate::solver::{Answer, Config, Solver};
use bolide_proof::Proof;
use bolide_terms::{TermId, TermStore};

/// What there is to say about a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SatOrInterpolants {
    /// The formulas have a model.
    Sat,
    /// They have none, and these are the interpolants.
    Interpolants(Vec<TermId>),
}

/// Decides the conjunction of the formulas, each in a partition of its own.
fn refutation(
    store: &mut TermStore,
    formulas: &[TermId],
    options: &Options,
) -> Result<Option<Proof>, NoInterpolant> {
    let mut solver = Solver::new(Config { proofs: true });
    for (partition, &formula) in formulas.iter().enumerate() {
        solver.assert(store, formula, partition as u32);
    }
    match solver.check(store, &[], &options.budget) {
        Answer::Sat => Ok(None),
        Answer::Unknown(reason) => {
            Err(NoInterpolant::new(format!("the problem could not be decided: {reason}")))
        }
        Answer::Unsat => match solver.proof(store) {
            Some(proof) => Ok(Some(proof)),
            None => Err(NoInterpolant::new("the solver has no proof")),
        },
    }
}

/// Interpolants of a sequence of formulas, as [`interpolate_sequence`] describes
/// them: from the proof if that has them, else by projection.
pub fn sequence_interpolants(
    store: &mut TermStore,
    formulas: &[TermId],
    options: &Options,
) -> Result<SatOrInterpolants, NoInterpolant> {
    let Some(proof) = refutation(store, formulas, options)? else {
        return Ok(SatOrInterpolants::Sat);
    };
    let why = match interpolate_sequence(store, &proof, formulas.len(), options) {
        Ok(interpolants) => return Ok(SatOrInterpolants::Interpolants(interpolants)),
        Err(why) => why,
    };
    options.budget.poll()?;
    match newton::project_sequence(store, formulas, Direction::Backward, &options.budget) {
        Ok(Verdict::Feasible) => Ok(SatOrInterpolants::Sat),
        Ok(Verdict::Infeasible(interpolants)) => Ok(SatOrInterpolants::Interpolants(interpolants)),
        Err(other) => Err(NoInterpolant::new(format!("{}; {}", why.reason, other.reason))),
    }
}

/// Interpolants of a tree of formulas, as [`interpolate_tree`] describes them:
/// from the proof if that has them, else by projection.
pub fn tree_interpolants(
    store: &mut TermStore,
    formulas: &[TermId],
    parents: &[usize],
    options: &Options,
) -> Result<SatOrInterpolants, NoInterpolant> {
    if formulas.len() != parents.len() {
        return Err(NoInterpolant::new(
            "the tree does not have as many nodes as there are formulas",
        ));
    }
    let Some(proof) = refutation(store, formulas, options)? else {
        return Ok(SatOrInterpolants::Sat);
    };
    let why = match interpolate_tree(store, &proof, parents, options) {
        Ok(interpolants) => return Ok(SatOrInterpolants::Interpolants(interpolants)),
        Err(why) => why,
    };
    options.budget.poll()?;
    match newton::project_tree(store, formulas, parents, &options.budget) {
        Ok(Verdict::Feasible) => Ok(SatOrInterpolants::Sat),
        Ok(Verdict::Infeasible(interpolants)) => Ok(SatOrInterpolants::Interpolants(interpolants)),
        Err(other) => Err(NoInterpolant::new(format!("{}; {}", why.reason, other.reason))),
    }
}

/// Interpolants of a trace over its program variables: from the proof if that
/// has them, else by weakest preconditions or strongest postconditions.
pub fn trace_interpolants(
    store: &mut TermStore,
    statements: &[Statement],
    options: &Options,
) -> Result<SatOrInterpolants, NoInterpolant> {
    let trace = Trace::new(store, statements);
    let from_proof = match refutation(store, &trace.formulas, options) {
        Ok(None) => return Ok(SatOrInterpolants::Sat),
        Ok(Some(proof)) => interpolate_sequence(store, &proof, statements.len(), options),
        Err(why) => Err(why),
    };
    let why = match from_proof {
        Ok(named) => {
            let points = named.into_iter().enumerate();
            let interpolants = points
                .map(|(point, formula)| trace.over_variables(store, point, formula))
                .collect();
            return Ok(SatOrInterpolants::Interpolants(interpolants));
        }
        Err(why) => why,
    };
    options.budget.poll()?;
    match newton::interpolate_trace(store, statements, Direction::Backward, &options.budget) {
        Ok(Verdict::Feasible) => Ok(SatOrInterpolants::Sat),
        Ok(Verdict::Infeasible(interpolants)) => Ok(SatOrInterpolants::Interpolants(interpolants)),
        Err(other) => Err(NoInterpolant::new(format!("{}; {}", why.reason, other.reason))),
    }
}
