//! What the engines ask of the solver: entailment, feasibility, interpolants.
//!
//! One [`Prover`] lives as long as an engine. It keeps what is worth keeping
//! between queries (memo of entailments, models that refuted some) and counts
//! what it was asked. Budgets and undecided queries come back as a [`Reason`].

use crate::verdict::Reason;
use bolide_base::{Budget, HashMap};
use bolide_smt::discharge::{Decided, decide, model_of};
use bolide_smt::entailment::Entailment;
use bolide_smt::houdini::{Effort, Guess, Implication, make_inductive};
use bolide_smt::interpolate::{self, Labelling, Options};
use bolide_terms::{Model, Op, TermId, TermStore};
use std::hash::Hash;

/// How often the solver was asked for what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Entailments asked, those answered from memory included.
    pub entailments: u64,
    /// Models asked for.
    pub models: u64,
    /// Paths decided.
    pub paths: u64,
    /// Sequences of interpolants computed.
    pub interpolations: u64,
    /// How often the solver itself was started for any of this: entailments
    /// from memory, by syntax or by a known model are not counted.
    pub calls: u64,
}

/// Whether a path can be run.
#[derive(Debug)]
pub enum Feasibility {
    /// Yes: a model of its formula.
    Feasible(Box<Model>),
    /// No: interpolants, one between each two formulas.
    Infeasible(Vec<TermId>),
}

/// The solver as engines see it.
pub struct Prover {
    budget: Budget,
    entailment: Entailment,
    /// What was asked so far.
    pub statistics: Statistics,
}

impl Prover {
    /// A prover under a budget.
    pub fn new(budget: Budget) -> Prover {
        Prover { entailment: Entailment::new(), budget, statistics: Statistics::default() }
    }

    /// `Err` once the budget is exhausted.
    pub fn poll(&self) -> Result<(), Reason> {
        Ok(self.budget.poll()?)
    }

    /// Whether `a` implies `b`. An undecided query counts as no: engines only
    /// lose precision by that.
    pub fn entails(&mut self, store: &mut TermStore, a: TermId, b: TermId) -> Result<bool, Reason> {
        self.poll()?;
        self.statistics.entailments += 1;
        if a == b || b == store.mk_true() || a == store.mk_false() {
            return Ok(true);
        }
        let before = self.entailment.calls();
        let holds = self.entailment.entails(store, a, b, &self.budget) == Ok(true);
        self.statistics.calls += self.entailment.calls() - before;
        Ok(holds)
    }

    /// A model of `formula`, or none when there is none.
    pub fn model(
        &mut self,
        store: &mut TermStore,
        formula: TermId,
    ) -> Result<Option<Model>, Reason> {
        self.poll()?;
        self.statistics.models += 1;
        if formula == store.mk_false() {
            return Ok(None);
        }
        self.statistics.calls += 1;
        let _work = self.budget.progress().in_solver();
        model_of(store, &[formula], &self.budget)
    }

    /// The guesses, weakened until they are inductive together; none where that takes more
    /// questions, or polls of the budget, than it may.
    pub fn inductive<P: Copy + Eq + Hash, G: Guess>(
        &mut self,
        store: &mut TermStore,
        implications: &[Implication<'_, P>],
        mut candidates: HashMap<P, G>,
        effort: (u64, u64),
    ) -> Result<Option<HashMap<P, G>>, Reason> {
        let (questions, polls) = effort;
        let budget = self.budget.child_for("guesses", polls);
        let mut effort = Effort { budget: &budget, questions };
        let finished = make_inductive(store, implications, &mut candidates, &mut effort);
        self.statistics.models += questions - effort.questions;
        // Out of its own budget, or of ours?
        self.poll()?;
        Ok((finished == Ok(true)).then_some(candidates))
    }

    /// Drops what the rest implies: readers and the solver are thankful for it.
    pub fn irredundant(
        &mut self,
        store: &mut TermStore,
        mut formulas: Vec<TermId>,
    ) -> Result<Vec<TermId>, Reason> {
        // Equalities say most; then what was found first.
        formulas.sort_by_key(|&f| store.op(f) != Op::Eq);
        let mut kept: Vec<TermId> = Vec::new();
        for formula in formulas {
            let known = store.mk_and(&kept);
            if !self.entails(store, known, formula)? {
                kept.push(formula);
            }
        }
        // A later bound may imply an earlier one.
        let mut position = 0;
        while position < kept.len() {
            let formula = kept.remove(position);
            let known = store.mk_and(&kept);
            if !self.entails(store, known, formula)? {
                kept.insert(position, formula);
                position += 1;
            }
        }
        Ok(kept)
    }

    /// Decides the conjunction of a tree of formulas; where it is unsatisfiable,
    /// gives an interpolant for each (`parents` and the result are as
    /// [`interpolate::interpolate_tree`] has them).
    pub fn tree_feasibility(
        &mut self,
        store: &mut TermStore,
        formulas: &[TermId],
        parents: &[usize],
        labelling: Labelling,
    ) -> Result<Feasibility, Reason> {
        self.poll()?;
        self.statistics.paths += 1;
        self.statistics.calls += 1;
        let decided = {
            let _work = self.budget.progress().in_solver();
            decide(store, formulas, &self.budget)?
        };
        let proof = match decided {
            Decided::Sat(model) => return Ok(Feasibility::Feasible(Box::new(model))),
            Decided::Unsat(proof) => proof,
        };
        self.statistics.interpolations += 1;
        let options = Options { budget: self.budget.clone(), labelling, ..Options::default() };
        match interpolate::tree_interpolants(store, &proof, formulas, parents, &options) {
            Ok(all) => Ok(Feasibility::Infeasible(all)),
            Err(none) => {
                self.poll()?;
                Err(Reason::Solver(none.to_string()))
            }
        }
    }

    /// The budget under which it works.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Decides the conjunction of `formulas`; where it is unsatisfiable, gives
    /// an inductive sequence of interpolants between them.
    pub fn feasibility(
        &mut self,
        store: &mut TermStore,
        formulas: &[TermId],
    ) -> Result<Feasibility, Reason> {
        let chain = interpolate::chain(formulas.len());
        let mut found = self.tree_feasibility(store, formulas, &chain, Labelling::default())?;
        if let Feasibility::Infeasible(all) = &mut found {
            // Behind the last formula there is nothing to say.
            all.pop();
        }
        Ok(found)
    }
}
