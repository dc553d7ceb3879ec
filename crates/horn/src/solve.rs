//! From a system to an audited answer.
//!
//! Simplify, decide with an engine, translate the answer back, audit it against
//! the clauses as they were read. An answer that fails the audit is no answer.

use crate::simplify::{Simplified, simplify};
use crate::system::{Figures, System, Verdict};
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
    /// Whether invariants may be guessed before they start.
    pub templates: bool,
    /// Whether abstraction refinement, alone, writes down its steps.
    pub describe: bool,
}

impl From<Engine> for Config {
    fn from(engine: Engine) -> Config {
        Config { engine, threads: 1, templates: true, describe: false }
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
    /// Whose answer it is.
    pub decided: Option<&'static str>,
    /// For people who want to know more.
    pub figures: Figures,
    /// The steps of abstraction refinement: file names and contents.
    pub steps: Vec<(String, String)>,
}

/// Decides a system.
pub fn solve(
    store: &mut TermStore,
    system: &System,
    config: impl Into<Config>,
    budget: &Budget,
) -> Outcome {
    let Config { engine, threads, templates, describe } = config.into();
    let simplified = simplify(store, system, budget);
    let clauses = simplified.system.clauses.len() as u64;
    let mut figures = vec![("clauses after simplification", clauses)];
    let size: usize = simplified.system.clauses.iter().map(|c| store.dag_size(c.constraint)).sum();
    let checks = match templates {
        true => (TEMPLATE_WORK / size.max(1)).clamp(TEMPLATE_CHECKS.0, TEMPLATE_CHECKS.1),
        false => 0,
    };
    let mut steps = describe.then(Vec::new);
    let (verdict, decided, more) = match engine {
        Engine::Auto => race::solve(store, &simplified.system, checks, threads, budget),
        Engine::Pdr | Engine::Car => {
            alone(store, &simplified.system, engine, checks, &mut steps, budget)
        }
    };
    figures.extend(more);
    let verdict = conclude(store, system, &simplified, verdict, budget);
    let decided = decided.filter(|_| !matches!(verdict, Verdict::Unknown(_)));
    Outcome { verdict, decided, figures, steps: steps.unwrap_or_default() }
}

/// One engine, after a guess.
fn alone(
    store: &mut TermStore,
    system: &System,
    engine: Engine,
    checks: usize,
    steps: &mut Option<Vec<(String, String)>>,
    budget: &Budget,
) -> (Verdict, Option<&'static str>, Figures) {
    let known = match templates::invariants(store, system, checks, budget) {
        Ok(found) => found.unwrap_or_default(),
        Err(why) => return (Verdict::Unknown(why.into()), None, Vec::new()),
    };
    let guessed = templates::figure(store, system, &known);
    let (found, name, mut figures) = match engine {
        Engine::Pdr => {
            let (found, statistics) = pdr::solve(store, system, known, None, budget);
            (found, pdr::NAME, statistics.figures())
        }
        Engine::Car | Engine::Auto => {
            let found = car::solve(store, system, known, None, steps, budget);
            let figures = found.figures();
            (found.verdict, car::NAME, figures)
        }
    };
    figures.extend(guessed);
    (found, Some(name), figures)
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
