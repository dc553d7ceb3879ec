//! Abstract states after blocks, calls and returns: the engine's [`Domain`].
//!
//! Posts are remembered; they outlive the nodes of the graph. A predicate list only grows, so that its
//! length says which list a post was computed with.

use super::abstraction::{Effort, Question, abstraction};
use super::precision::{Precision, Scope};
use bolide_base::{HashMap, HashSet};
use bolide_cfa::{LocId, Program};
use bolide_reachability::arg::exploration::Domain;
use bolide_reachability::block::{BlockProgram, Transition};
use bolide_reachability::calls::{CallSite, Calls};
use bolide_reachability::prover::Prover;
use bolide_reachability::verdict::Reason;
use bolide_terms::{Op, TermId, TermStore};
use std::rc::Rc;

/// What an abstract post depends on: the step, the state before it, the state of
/// the callee's exit for returns, and how many predicates are tracked after it.
type PostKey = (LocId, LocId, TermId, Option<TermId>, usize);

/// A step between two scopes.
enum Step<'s> {
    Block(&'s Transition),
    Call(&'s CallSite),
    /// With what is known at the callee's exit.
    Return(&'s CallSite, TermId),
}

/// Computes abstract posts.
pub struct Posts<'a, 'p> {
    pub program: &'a mut BlockProgram<'p>,
    pub calls: Calls,
    pub store: &'a mut TermStore,
    pub prover: &'a mut Prover,
    /// What is tracked.
    pub precision: Precision,
    /// What the posts cost.
    pub effort: Effort,
    /// Posts that were not remembered.
    pub computed: usize,
    valuations: usize,
    known: HashMap<PostKey, TermId>,
    /// Steps whose abstraction became Cartesian.
    given_up: HashSet<(LocId, LocId)>,
}

/// Valuations that are enumerated where a long enumeration was given up before.
const FEW: usize = 12;

impl<'a, 'p> Posts<'a, 'p> {
    /// With nothing tracked; `valuations` are enumerated before a post becomes Cartesian.
    pub fn new(
        program: &'a mut BlockProgram<'p>,
        calls: Calls,
        store: &'a mut TermStore,
        prover: &'a mut Prover,
        scope: Scope,
        valuations: usize,
    ) -> Self {
        Posts {
            program,
            calls,
            store,
            prover,
            precision: Precision::new(scope),
            effort: Effort::default(),
            computed: 0,
            valuations,
            known: HashMap::default(),
            given_up: HashSet::default(),
        }
    }

    /// The abstract state at `to` after a step.
    fn post(
        &mut self,
        from: LocId,
        to: LocId,
        before: TermId,
        step: Step<'_>,
    ) -> Result<Option<TermId>, Reason> {
        let predicates = self.precision.at(self.program, &self.calls, self.store, to);
        let exit = if let Step::Return(_, exit) = step { Some(exit) } else { None };
        let key = (from, to, before, exit, predicates.len());
        let after = match self.known.get(&key) {
            Some(&known) => known,
            None => {
                let computed = self.compute(&key, step, &predicates)?;
                self.known.insert(key, computed);
                computed
            }
        };
        Ok((after != TermId::FALSE).then_some(after))
    }

    fn compute(
        &mut self,
        &(from, to, before, ..): &PostKey,
        step: Step<'_>,
        predicates: &[TermId],
    ) -> Result<TermId, Reason> {
        let (program, calls, store) = (&*self.program, &self.calls, &mut *self.store);
        let premise = match step {
            Step::Block(block) => store.mk_and(&[before, block.formula]),
            Step::Call(site) => store.mk_and(&[before, site.guard]),
            Step::Return(site, exit) => {
                let said = calls.returning(program, store, site, exit);
                store.mk_and(&[before, site.guard, said])
            }
        };
        let renaming = match step {
            Step::Block(block) => block.new_values(&program.slots),
            _ => HashMap::default(),
        };
        let mut said = |predicate| match step {
            Step::Block(_) => store.substitute(predicate, &renaming),
            Step::Call(site) => calls.entering(program, store, site, predicate),
            Step::Return(site, _) => calls.after(program, store, site, predicate),
        };
        let questions: Vec<Question> = predicates
            .iter()
            .map(|&predicate| Question { predicate, said: said(predicate) })
            .collect();
        // Heuristic: a step whose enumeration was given up is not worth another long one.
        let limit = match self.given_up.contains(&(from, to)) {
            true => self.valuations.min(FEW),
            false => self.valuations,
        };
        let given_up = self.effort.given_up;
        let budget = self.prover.budget();
        let state = abstraction(self.store, premise, &questions, limit, budget, &mut self.effort)?;
        if self.effort.given_up > given_up {
            self.given_up.insert((from, to));
        }
        self.computed += 1;
        Ok(state)
    }
}

impl Domain for Posts<'_, '_> {
    type Label = TermId;

    fn program(&self) -> &Program {
        self.program.program
    }

    fn calls(&self) -> &Calls {
        &self.calls
    }

    fn prover(&self) -> &Prover {
        self.prover
    }

    fn blocks(&mut self, from: LocId) -> Vec<Rc<Transition>> {
        let blocks = self.program.transitions(self.store, from);
        let locations = &self.program.program.locations;
        // What is added last is looked at first: errors.
        let (errors, others): (Vec<_>, Vec<_>) =
            blocks.iter().cloned().partition(|block| locations[block.to].error.is_some());
        others.into_iter().rev().chain(errors).collect()
    }

    fn after_block(
        &mut self,
        before: &TermId,
        block: &Rc<Transition>,
    ) -> Result<Option<TermId>, Reason> {
        self.post(block.from, block.to, *before, Step::Block(block))
    }

    fn after_call(
        &mut self,
        before: &TermId,
        site: &Rc<CallSite>,
        entry: LocId,
    ) -> Result<Option<TermId>, Reason> {
        self.post(site.from, entry, *before, Step::Call(site))
    }

    fn after_return(
        &mut self,
        before: &TermId,
        site: &Rc<CallSite>,
        exit: &TermId,
    ) -> Result<Option<TermId>, Reason> {
        self.post(site.from, site.to, *before, Step::Return(site, *exit))
    }

    fn covers(&mut self, by: &TermId, covered: &TermId) -> Result<bool, Reason> {
        // Most coverings are plain to see.
        let conjuncts = |t: TermId| match self.store.op(t) {
            Op::And => self.store.args(t).to_vec(),
            Op::True => Vec::new(),
            _ => vec![t],
        };
        let premises = conjuncts(*covered);
        if conjuncts(*by).iter().all(|c| premises.contains(c)) {
            return Ok(true);
        }
        self.prover.entails(self.store, *covered, *by)
    }
}
