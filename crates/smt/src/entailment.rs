//! What the engines ask: does one formula entail another.
//!
//! Engines ask tens of thousands of small questions, many of them twice, and
//! most negative answers are explained by a model that was seen shortly before. So
//! an [`Entailment`] first looks at the syntax, then into its memory of
//! answers, then tries a ring of recent models, and only then calls the
//! solver, in a scope of its own that is popped afterwards: nothing grows but the memory, which is
//! bounded.

use std::collections::VecDeque;

use bolide_base::{Budget, HashMap, NoAnswer};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::model::Model;
use bolide_terms::{Op, TermId, TermStore};

use crate::solver::{Answer, Solver};

// Heuristic: how many models are tried. More find more, but each costs an evaluation.
const MODELS: usize = 8;
/// Bounds the memory: about fifty megabytes.
const MEMORY: usize = 1 << 20;

/// Answers questions about formulas of one term store.
#[derive(Default)]
pub struct Entailment {
    solver: Solver,
    answers: HashMap<(TermId, TermId), bool>,
    /// The most useful first.
    models: VecDeque<Model>,
    calls: u64,
}

impl Entailment {
    /// Remembers nothing yet.
    pub fn new() -> Self {
        Entailment::default()
    }

    /// Whether `premise` implies `conclusion`.
    pub fn entails(
        &mut self,
        store: &mut TermStore,
        premise: TermId,
        conclusion: TermId,
        budget: &Budget,
    ) -> Result<bool, NoAnswer> {
        let mut answer = Ok(true);
        for part in store.conjuncts(conclusion) {
            match self.entails_part(store, premise, part, budget) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                unknown => answer = unknown,
            }
        }
        answer
    }

    /// How many questions, parts of questions included, were given to the solver so far.
    pub fn calls(&self) -> u64 {
        self.calls
    }

    fn entails_part(
        &mut self,
        store: &mut TermStore,
        premise: TermId,
        conclusion: TermId,
        budget: &Budget,
    ) -> Result<bool, NoAnswer> {
        if follows_by_syntax(store, premise, conclusion) {
            return Ok(true);
        }
        if let Some(&known) = self.answers.get(&(premise, conclusion)) {
            return Ok(known);
        }
        let holds = !self.refuted_by_model(store, premise, conclusion)
            && self.ask(store, premise, conclusion, budget)?;
        if self.answers.len() >= MEMORY {
            self.answers.clear();
        }
        self.answers.insert((premise, conclusion), holds);
        Ok(holds)
    }

    fn refuted_by_model(&mut self, store: &TermStore, premise: TermId, conclusion: TermId) -> bool {
        let found = self.models.iter().position(|model| {
            let mut evaluator = Evaluator::new(store, model);
            !evaluator.holds(conclusion) && evaluator.holds(premise)
        });
        if let Some(position) = found
            && let Some(model) = self.models.remove(position)
        {
            self.models.push_front(model);
        }
        found.is_some()
    }

    fn ask(
        &mut self,
        store: &mut TermStore,
        premise: TermId,
        conclusion: TermId,
        budget: &Budget,
    ) -> Result<bool, NoAnswer> {
        let _work = budget.progress().in_solver();
        self.calls += 1;
        let negated = store.mk_not(conclusion);
        self.solver.push(store);
        self.solver.assert(store, premise, 0);
        self.solver.assert(store, negated, 0);
        let answer = self.solver.check(store, &[], budget);
        let model = self.solver.take_model();
        self.solver.pop(store, 1);
        if let Some(model) = model {
            self.models.truncate(MODELS - 1);
            self.models.push_front(model);
        }
        match answer {
            Answer::Unsat => Ok(true),
            Answer::Sat => Ok(false),
            Answer::Unknown(reason) => Err(reason),
        }
    }
}

/// Whether the implication is plain to see.
fn follows_by_syntax(store: &TermStore, premise: TermId, conclusion: TermId) -> bool {
    if premise == conclusion || premise == TermId::FALSE || conclusion == TermId::TRUE {
        return true;
    }
    // Arguments of conjunctions and disjunctions are sorted.
    let contains = |whole: TermId, op: Op, part: TermId| {
        store.op(whole) == op && store.args(whole).binary_search(&part).is_ok()
    };
    contains(premise, Op::And, conclusion)
        || contains(conclusion, Op::Or, premise)
        || (store.op(premise) == Op::And
            && store.args(premise).iter().any(|&part| contains(conclusion, Op::Or, part)))
}
