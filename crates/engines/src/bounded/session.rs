//! One session with the solver for all bounds: what it learns at one bound it knows at the next.
//!
//! Formulas are assumptions, not assertions. Terms of two bounds that are the same have the same meaning in both, since their
//! constants are named after places, so nothing needs to be taken back.

use bolide_base::Budget;
use bolide_reachability::verdict::Reason;
use bolide_smt::solver::{Answer, Solver};
use bolide_terms::{Model, TermId, TermStore};

/// One solver for many questions.
pub struct Session {
    solver: Solver,
    /// Under which it works.
    pub budget: Budget,
    /// How many questions it was asked.
    pub asked: u64,
    /// Each question as clauses, if somebody wants to read them: file names and contents.
    pub written: Option<Vec<(String, String)>>,
}

impl Session {
    /// Under a budget.
    pub fn new(budget: &Budget) -> Session {
        Session { solver: Solver::default(), budget: budget.clone(), asked: 0, written: None }
    }

    /// A model of a formula, if there is one.
    pub fn model(
        &mut self,
        store: &mut TermStore,
        formula: TermId,
    ) -> Result<Option<Model>, Reason> {
        self.budget.poll()?;
        if formula == TermId::FALSE {
            return Ok(None);
        }
        self.asked += 1;
        let _work = self.budget.progress().in_solver();
        let answer = self.solver.check(store, &[formula], &self.budget);
        if let Some(written) = &mut self.written {
            let name = format!("question-{}.cnf", self.asked);
            written.push((name, self.solver.dimacs(store).to_string()));
        }
        match answer {
            Answer::Sat => {
                // Required: whoever takes turns with others pays for the check of the model too.
                (0..self.solver.atoms()).try_for_each(|_| self.budget.poll())?;
                Ok(self.solver.take_model())
            }
            Answer::Unsat => Ok(None),
            Answer::Unknown(why) => Err(why),
        }
    }

    /// How many atoms there are.
    pub fn atoms(&self) -> usize {
        self.solver.atoms()
    }
}
