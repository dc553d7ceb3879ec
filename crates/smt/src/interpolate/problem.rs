//! From formulas to interpolants in one call.

use super::failure::NoInterpolant;
use super::one_sided::one_sided_interpolants;
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

/// The sequence of so many formulas as a tree.
pub fn chain(formulas: usize) -> Vec<usize> {
    (0..formulas).map(|node| (node + 1).min(formulas - 1)).collect()
}

/// Interpolants of a sequence of formulas, as [`super::interpolate_sequence`] describes them, in
/// whatever way there are any. None if the formulas have a model.
pub fn sequence_interpolants(
    store: &mut TermStore,
    formulas: &[TermId],
    options: &Options,
) -> Result<Option<Vec<TermId>>, NoInterpolant> {
    let Some(proof) = refutation(store, formulas, options)? else {
        return Ok(None);
    };
    let parents = chain(formulas.len());
    let mut points = vec![TermId::TRUE];
    points.extend(tree_interpolants(store, &proof, formulas, &parents, options)?);
    Ok(Some(points))
}

/// Interpolants of a tree of formulas, as [`interpolate_tree`] describes them: from the proof if
/// that has them, else by projection, which often finds what people would write, else from
/// instances of the array axioms that are over one side each.
pub fn tree_interpolants(
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
    let is_chain = parents == chain(parents.len());
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
        Err(_) => {
            options.budget.poll()?;
            one_sided_interpolants(store, formulas, parents, options)?.ok_or(why)
        }
    }
}
