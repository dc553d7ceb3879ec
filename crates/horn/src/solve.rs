//! From a system to an audited answer.
//!
//! Simplify, decide with an engine, translate the answer back, audit it against
//! the clauses as they were read. An answer that fails the audit is no answer.

use crate::simplify::{Simplified, simplify};
use crate::system::{Interpretation, System, Verdict};
use crate::{audit, car, pdr, templates};
use bolide_base::Budget;
use bolide_terms::TermStore;

/// Who is to decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Property-directed reachability, and where that gives up the other.
    #[default]
    Auto,
    /// Property-directed reachability.
    Pdr,
    /// Constraint abstraction refinement.
    Car,
}

// Heuristic: how many questions about templates are asked, fewer of large systems.
const TEMPLATE_CHECKS: (usize, usize) = (30, 2_000);
const TEMPLATE_WORK: usize = 300_000;

/// What was found, and how.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Of the system as it was given; audited.
    pub verdict: Verdict,
    /// For people who want to know more.
    pub notes: Vec<String>,
}

/// Decides a system.
pub fn solve(store: &mut TermStore, system: &System, engine: Engine, budget: &Budget) -> Outcome {
    let mut notes = Vec::new();
    let simplified = simplify(store, system, budget);
    notes.push(format!(
        "clauses: {} of {} after simplification",
        simplified.system.clauses.len(),
        system.clauses.len()
    ));
    let size: usize = simplified.system.clauses.iter().map(|c| store.dag_size(c.constraint)).sum();
    let checks = (TEMPLATE_WORK / size.max(1)).clamp(TEMPLATE_CHECKS.0, TEMPLATE_CHECKS.1);
    let known = match templates::invariants(store, &simplified.system, checks, budget) {
        Ok(Some(found)) => found,
        Ok(None) => {
            notes.push("templates: nothing inductive in time".to_owned());
            Interpretation::new()
        }
        Err(why) => return Outcome { verdict: Verdict::Unknown(why.to_string()), notes },
    };
    let mut verdict = Verdict::Unknown("no engine was asked".to_owned());
    if engine != Engine::Car {
        let (found, statistics) = pdr::solve(store, &simplified.system, known.clone(), budget);
        notes.push(format!(
            "pdr: level {}, {} lemmas, {} facts, {} obligations",
            statistics.level, statistics.lemmas, statistics.facts, statistics.obligations
        ));
        verdict = found;
    }
    let open = matches!(verdict, Verdict::Unknown(_)) && budget.poll().is_ok();
    if open && engine != Engine::Pdr {
        let found = car::solve(store, &simplified.system, &known, budget);
        let predicates: usize = found.abstraction.interface.values().map(Vec::len).sum();
        notes.push(format!(
            "car: {} iterations, {predicates} interface predicates",
            found.iterations
        ));
        verdict = found.verdict;
    }
    let verdict = conclude(store, system, &simplified, verdict, budget);
    Outcome { verdict, notes }
}

/// Translates an answer back and audits it.
fn conclude(
    store: &mut TermStore,
    system: &System,
    simplified: &Simplified,
    verdict: Verdict,
    budget: &Budget,
) -> Verdict {
    match verdict {
        Verdict::Sat(found) => {
            let result = simplified.interpretation(store, &found, budget).and_then(|full| {
                audit::interpretation(store, system, &full, budget)?;
                Ok(full)
            });
            match result {
                Ok(full) => Verdict::Sat(full),
                Err(why) => Verdict::Unknown(format!("a solution was not confirmed: {why}")),
            }
        }
        Verdict::Unsat(found) => {
            let result = simplified.derivation(store, &found, budget).and_then(|full| {
                audit::derivation(store, system, &full)?;
                Ok(full)
            });
            match result {
                Ok(full) => Verdict::Unsat(full),
                Err(why) => Verdict::Unknown(format!("a derivation was not confirmed: {why}")),
            }
        }
        Verdict::Unknown(why) => Verdict::Unknown(why),
    }
}
