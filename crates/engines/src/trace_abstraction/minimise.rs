//! Fewer predicates with the same language.
//!
//! The states of an enhanced automaton are what holds of its predicates; a predicate that is
//! equivalent to the conjunction of others that it implies holds exactly when they do, and is dropped: every
//! Hoare triple is asked for each predicate. Canonical automata are left as they are: states
//! with equal interpolants are merged when they are made, and the quotient by bisimulation, which was tried, merged no
//! more in any program of the examples.

use super::views::Views;
use bolide_reachability::verdict::Reason;
use bolide_terms::TermId;

/// More predicates are not compared with each other.
const COMPARED: usize = 24;

/// The predicates without those that others say.
pub fn predicates(
    views: &mut Views<'_, '_>,
    mut predicates: Vec<TermId>,
) -> Result<Vec<TermId>, Reason> {
    if predicates.len() > COMPARED {
        return Ok(predicates);
    }
    for index in (0..predicates.len()).rev() {
        let predicate = predicates[index];
        let constants = views.store.constants(predicate);
        let mut implied = Vec::new();
        for &other in predicates.iter().filter(|&&other| other != predicate) {
            let about = views.store.constants(other).iter().all(|c| constants.contains(c));
            if about && views.prover.entails(views.store, predicate, other)? {
                implied.push(other);
            }
        }
        let implied = views.store.mk_and(&implied);
        if views.prover.entails(views.store, implied, predicate)? {
            predicates.remove(index);
        }
    }
    Ok(predicates)
}
