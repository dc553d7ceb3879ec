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

/// A question's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Yes.
    Holds,
    /// No: there is a counterexample.
    Fails,
    /// Not decided.
    Unknown(NoAnswer),
}

impl Verdict {
    /// Whether the answer is yes for sure.
    pub fn holds(&self) -> bool {
        *self == Verdict::Holds
    }
}

/// How questions were answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Questions asked, parts of questions included.
    pub questions: u64,
    /// Answered by looking at the formulas.
    pub by_syntax: u64,
    /// Answered from memory.
    pub by_memory: u64,
    /// Refuted by a model seen before.
    pub by_model: u64,
    /// Given to the solver.
    pub by_solver: u64,
}

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
    statistics: Statistics,
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
    ) -> Verdict {
        if store.op(conclusion) == Op::And {
            let mut unknown = None;
            for part in store.args(conclusion).to_vec() {
                match self.entails_part(store, premise, part, budget) {
                    Verdict::Holds => {}
                    Verdict::Fails => return Verdict::Fails,
                    Verdict::Unknown(reason) => unknown = Some(reason),
                }
            }
            return unknown.map_or(Verdict::Holds, Verdict::Unknown);
        }
        self.entails_part(store, premise, conclusion, budget)
    }

    /// How questions were answered so far.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    fn entails_part(
        &mut self,
        store: &mut TermStore,
        premise: TermId,
        conclusion: TermId,
        budget: &Budget,
    ) -> Verdict {
        self.statistics.questions += 1;
        if follows_by_syntax(store, premise, conclusion) {
            self.statistics.by_syntax += 1;
            return Verdict::Holds;
        }
        if let Some(&known) = self.answers.get(&(premise, conclusion)) {
            self.statistics.by_memory += 1;
            return if known { Verdict::Holds } else { Verdict::Fails };
        }
        let verdict = if self.refuted_by_model(store, premise, conclusion) {
            self.statistics.by_model += 1;
            Verdict::Fails
        } else {
            self.statistics.by_solver += 1;
            self.ask(store, premise, conclusion, budget)
        };
        if matches!(verdict, Verdict::Holds | Verdict::Fails) {
            if self.answers.len() >= MEMORY {
                self.answers.clear();
            }
            self.answers.insert((premise, conclusion), verdict.holds());
        }
        verdict
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
    ) -> Verdict {
        let _work = budget.progress().in_solver();
        let negated = store.mk_not(conclusion);
        self.solver.push(store);
        self.solver.assert(store, premise, 0);
        self.solver.assert(store, negated, 0);
        let answer = self.solver.check(store, &[], budget);
        let model = self.solver.take_model();
        self.solver.pop(store, 1);
        match answer {
            Answer::Unsat => Verdict::Holds,
            Answer::Sat => {
                self.remember(model);
                Verdict::Fails
            }
            Answer::Unknown(reason) => Verdict::Unknown(reason),
        }
    }

    fn remember(&mut self, model: Option<Model>) {
        if let Some(model) = model {
            self.models.truncate(MODELS - 1);
            self.models.push_front(model);
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
