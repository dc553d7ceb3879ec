//! From formulas to interpolants in one call.

use super::failure::NoInterpolant;
use super::scan::{Options, interpolate_tree};
use crate::discharge::{Decided, decide};
use crate::newton::{self, Direction};
use bolide_proof::Proof;
use bolide_terms::{TermId, TermStore};

/// Decides the conjunction of the formulas, each in a partition of its own.
pub(super) fn refutation(
    store: &mut TermStore,
    formulas: &[TermId],
    options: &Options,
) -> Result<Option<Proof>, NoInterpolant> {
    match decide(store, formulas, &options.budget) {
        Ok(Decided::Sat(_)) => Ok(None),
        Ok(Decided::Unsat(proof)) => Ok(Some(proof)),
        Err(why) => Err(NoInterpolant::new(format!("the problem could not be decided: {why}"))),
    }
}

/// Interpolants of a sequence of formulas, as [`super::interpolate_sequence`] describes them: from
/// the proof if that has them, else by projection. None if the formulas have a model.
pub fn sequence_interpolants(
    store: &mut TermStore,
    formulas: &[TermId],
    options: &Options,
) -> Result<Option<Vec<TermId>>, NoInterpolant> {
    let last = formulas.len().saturating_sub(1);
    let chain: Vec<usize> = (0..formulas.len()).map(|node| (node + 1).min(last)).collect();
    let Some(proof) = refutation(store, formulas, options)? else {
        return Ok(None);
    };
    let mut points = vec![TermId::TRUE];
    points.extend(proof_or_projection(store, &proof, formulas, &chain, options)?);
    Ok(Some(points))
}

/// Interpolants of a tree of formulas, as [`interpolate_tree`] describes them: from the proof if
/// that has them, else by projection.
pub fn proof_or_projection(
    store: &mut TermStore,
    proof: &Proof,
    formulas: &[TermId],
    parents: &[usize],
    options: &Options,
) -> Result<Vec<TermId>, NoInterpolant> {
    let why = match interpolate_tree(store, proof, parents, options) {
        Ok(interpolants) => return Ok(interpolants),
        Err(why) => why,
    };
    options.budget.poll()?;
    let is_chain = parents
        .iter()
        .enumerate()
        .all(|(node, &parent)| parent == node + 1 || (parent == node && node + 1 == parents.len()));
    let projected = if is_chain {
        newton::project_sequence(store, formulas, Direction::Backward, &options.budget)
    } else {
        newton::project_tree(store, formulas, parents, &options.budget)
    };
    match projected {
        // The first point of a sequence is before all formulas.
        Ok(Some(points)) if is_chain => Ok(points[1..].to_vec()),
        Ok(Some(interpolants)) => Ok(interpolants),
        Ok(None) => Err(why),
        Err(other) => Err(NoInterpolant::new(format!("{}; {}", why.reason, other.reason))),
    }
}
