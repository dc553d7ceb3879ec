//! Facts that hold anyway: the predicates of the background automaton.
//!
//! Heuristic: facts at cut points that prove each other, from templates or (with calls) summaries
//! that executions suggest, and values of the only execution ([`values`](super::values)). They are
//! kept where their Hoare triples hold, like all predicates.

use super::values::executed_values;
use super::views::Views;
use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_reachability::facts::{self, Facts};
use bolide_reachability::verdict::Reason;
use bolide_reachability::{summaries, templates};
use bolide_terms::TermId;

/// Looks for facts; `known` are those of this very program, if somebody looked before.
pub fn facts(views: &mut Views<'_, '_>, known: Option<&Facts>) -> Result<Vec<TermId>, Reason> {
    let Views { program, calls, store, prover, .. } = views;
    let found = match known {
        Some(known) if calls.is_empty() => Ok(facts::formulas(program, store, known)),
        _ if calls.is_empty() => {
            templates::inductive_invariants(program, store, prover, templates::Options::default())
        }
        _ => summaries::inductive_facts(program, calls, store, prover),
    };
    let found = match found {
        Ok(found) => found,
        Err(Reason::Exhausted(what)) => return Err(Reason::Exhausted(what)),
        Err(_) => HashMap::default(),
    };
    let mut locations: Vec<LocId> = found.keys().copied().collect();
    locations.sort_unstable();
    let mut facts: Vec<TermId> = locations.into_iter().flat_map(|l| found[&l].clone()).collect();
    if !calls.is_empty() {
        facts.extend(executed_values(program, store, prover.budget()));
    }
    let mut seen: HashSet<TermId> = HashSet::default();
    facts.retain(|&f| f != TermId::TRUE && f != TermId::FALSE && seen.insert(f));
    Ok(facts)
}
