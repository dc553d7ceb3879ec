//! From a system to an audited answer.
//!
//! Simplify, decide with an engine, translate the answer back, audit it against
//! the clauses as they were read. An answer that fails the audit is no answer.

use crate::simplify::{Simplified, simplify};
use crate::system::{System, Verdict};
use crate::{audit, car, pdr, race, templates};
use bolide_base::Budget;
use bolide_terms::TermStore;

/// Who is to decide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Both of the following, exchanging what they learn.
    #[default]
    Auto,
    /// Property-directed reachability.
    Pdr,
    /// Constraint abstraction refinement.
    Car,
}

/// How to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Who is to decide.
    pub engine: Engine,
    /// How many engines may work at the same time; with one, runs repeat exactly.
    pub threads: usize,
}

impl From<Engine> for Config {
    fn from(engine: Engine) -> Config {
        Config { engine, threads: 1 }
    }
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
pub fn solve(
    store: &mut TermStore,
    system: &System,
    config: impl Into<Config>,
    budget: &Budget,
) -> Outcome {
    let Config { engine, threads } = config.into();
    let simplified = simplify(store, system, budget);
    let mut notes = vec![format!(
        "clauses: {} of {} after simplification",
        simplified.system.clauses.len(),
        system.clauses.len()
    )];
    let size: usize = simplified.system.clauses.iter().map(|c| store.dag_size(c.constraint)).sum();
    let checks = (TEMPLATE_WORK / size.max(1)).clamp(TEMPLATE_CHECKS.0, TEMPLATE_CHECKS.1);
    let verdict = match engine {
        Engine::Auto => {
            let (verdict, more) = race::solve(store, &simplified.system, checks, threads, budget);
            notes.extend(more);
            verdict
        }
        Engine::Pdr | Engine::Car => {
            let found = templates::invariants(store, &simplified.system, checks, budget);
            if let Ok(None) = found {
                notes.push("templates: nothing inductive in time".to_owned());
            }
            match found.map(Option::unwrap_or_default) {
                Err(why) => Verdict::Unknown(why.into()),
                Ok(known) if engine == Engine::Pdr => {
                    let (found, statistics) =
                        pdr::solve(store, &simplified.system, known, None, budget);
                    notes.push(statistics.to_string());
                    found
                }
                Ok(known) => {
                    let found = car::solve(store, &simplified.system, known, None, budget);
                    notes.push(found.note());
                    found.verdict
                }
            }
        }
    };
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
    let confirmed = match verdict {
        Verdict::Sat(found) => simplified.interpretation(store, &found, budget).and_then(|full| {
            audit::interpretation(store, system, &full, budget)?;
            Ok(Verdict::Sat(full))
        }),
        Verdict::Unsat(found) => simplified.derivation(store, &found, budget).and_then(|full| {
            audit::derivation(store, system, &full)?;
            Ok(Verdict::Unsat(full))
        }),
        Verdict::Unknown(why) => Err(why),
    };
    confirmed.unwrap_or_else(Verdict::Unknown)
}
