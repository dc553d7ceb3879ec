//! Scripts and clauses as text, answers as data.

use crate::limits::{Limits, Watched};
use crate::verify::{Refused, on_large_stack};
use bolide_base::Budget;
use bolide_horn::read;
use bolide_horn::show;
use bolide_horn::solve::{self, Config, Engine};
use bolide_horn::system::Verdict;
use bolide_smt::script::{Host, Script};
use bolide_terms::TermStore;
use std::time::Duration;

/// What a script answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// One for each command that answers: `sat`, `unsat`, `unknown`, a model, interpolants.
    pub answers: Vec<String>,
    /// How many of them are errors.
    pub errors: usize,
}

/// Runs an SMT-LIB script. Each check has the limits for itself; an `unsat` is given only after its proof was checked.
pub fn solve_script(text: &str, limits: &Limits) -> Answers {
    let run = || {
        let mut script = Script::with_options(&[":check-proofs"]);
        let mut host = Collecting { limits: *limits, answers: Vec::new(), watched: None };
        script.run(text, &mut host);
        Answers { answers: host.answers, errors: script.errors() }
    };
    on_large_stack(run).unwrap_or_else(|defect| Answers {
        answers: vec![format!("(error \"{defect}\")")],
        errors: 1,
    })
}

struct Collecting {
    limits: Limits,
    answers: Vec<String>,
    watched: Option<Watched>,
}

impl Host for Collecting {
    fn answer(&mut self, text: &str) {
        self.answers.push(text.to_owned());
    }

    fn begin_check(&mut self, timeout: Option<u64>) -> Budget {
        let asked = timeout.map(Duration::from_millis);
        let time = [asked, self.limits.time].into_iter().flatten().min();
        let watched = Watched::new(Limits { time, ..self.limits });
        let budget = watched.budget.clone();
        self.watched = Some(watched);
        budget
    }

    fn end_check(&mut self) {
        self.watched = None;
    }
}

/// Whether relations exist that make all clauses true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Satisfiability {
    Sat,
    /// A query can be derived.
    Unsat,
    Unknown,
}

/// What is known of a system of clauses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clauses {
    pub satisfiability: Satisfiability,
    /// The relations (`Sat`), or the derivation (`Unsat`), as SMT-LIB and as a list of steps; both were checked.
    pub evidence: String,
    /// Why there is no answer.
    pub reason: Option<String>,
}

/// Decides a system of constrained Horn clauses (SMT-LIB, logic HORN).
///
/// # Errors
/// The text is no such system.
pub fn solve_clauses(text: &str, limits: &Limits) -> Result<Clauses, Refused> {
    let run = || {
        let watched = Watched::new(*limits);
        let mut store = TermStore::new();
        let script = read::read(&mut store, text).map_err(|e| Refused(e.to_string()))?;
        let system = script.system;
        let config = Config::from(Engine::Auto);
        let outcome = solve::solve(&mut store, &system, config, &watched.budget);
        let (satisfiability, evidence, reason) = match &outcome.verdict {
            Verdict::Sat(found) => {
                (Satisfiability::Sat, show::model(&mut store, &system, found), None)
            }
            Verdict::Unsat(found) => {
                (Satisfiability::Unsat, show::derivation(&store, &system, found), None)
            }
            Verdict::Unknown(why) => {
                (Satisfiability::Unknown, String::new(), Some(why.to_string()))
            }
        };
        Ok(Clauses { satisfiability, evidence, reason })
    };
    on_large_stack(run).unwrap_or_else(|defect| Err(Refused(defect)))
}
