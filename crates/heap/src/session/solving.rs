//! Answering: the search, and the instances that it is given.
//!
//! A question is a set of assumptions (switches among them). At every candidate of the prover the session adds, in this
//! order and only one sort at a time: statements about one object at all ground terms, violated axioms of reachability,
//! violated statements about several objects; in a thorough search then both sorts of statements without their triggers, and
//! objects that there are by induction. A candidate for which there is none is a model, as far as
//! [`certainty`](Session::certainty) goes.

use super::{Session, Undecided, Universal};
use crate::axioms;
use bolide_base::{Budget, HashSet};
use bolide_smt::candidate::{Candidate, Lemmas};
use bolide_smt::solver::Answer;
use bolide_terms::evaluate::Evaluator;
use bolide_terms::{Model, TermId, TermStore};
use std::rc::Rc;

/// Instances of quantifiers over several variables that one round adds.
const BATCH: usize = 200;

/// Candidates after which a check gives up.
const ROUNDS: usize = 6000;

impl Session {
    /// A model of what was assumed, or none when there is none.
    ///
    /// # Errors
    /// When the budget is exhausted or the prover gives up.
    pub fn check(&mut self, budget: &Budget) -> Result<Option<Model>, Undecided> {
        self.check_assuming(&[], budget)
    }

    /// Like [`check`](Self::check), with ground formulas that are assumed for this time only.
    ///
    /// # Errors
    /// When the budget is exhausted or the prover gives up.
    pub fn check_assuming(
        &mut self,
        assumptions: &[TermId],
        budget: &Budget,
    ) -> Result<Option<Model>, Undecided> {
        if !self.search(assumptions, budget, &mut |_, _| Vec::new())? {
            return Ok(None);
        }
        match self.solver.confirm(&mut self.store) {
            Answer::Unknown(why) => Err(Undecided::Prover(why.to_string())),
            _ => Ok(self.solver.take_model()),
        }
    }

    /// Whether there is a model of what was assumed for which `found` says nothing. What it says of a model is
    /// asserted, and the search goes on from there.
    fn search(
        &mut self,
        assumptions: &[TermId],
        budget: &Budget,
        found: &mut dyn FnMut(&mut Session, &Model) -> Vec<TermId>,
    ) -> Result<bool, Undecided> {
        budget.poll().map_err(Undecided::Exhausted)?;
        self.statistics.checks += 1;
        self.widened = false;
        self.statistics.rounds += 1;
        let behind = &self.witnesses.behind;
        let present = assumptions.iter().filter_map(|switch| behind.get(switch)).max();
        self.witnesses.present = Some(present.copied().unwrap_or(0));
        let mut solver = std::mem::take(&mut self.solver);
        let mut store = std::mem::take(&mut self.store);
        let mut instances =
            Instances { session: self, assumptions, found, rounds: 0, budget, ended: false };
        let answer = solver.check_with_lemmas(&mut store, assumptions, &mut instances, budget);
        let ended = instances.ended;
        self.solver = solver;
        self.store = store;
        match answer {
            Answer::Unsat => {
                if self.proofs {
                    self.check_proof(assumptions)?;
                }
                Ok(false)
            }
            Answer::Sat if ended => {
                budget.poll().map_err(Undecided::Exhausted)?;
                Err(Undecided::Prover("too many rounds of instantiation".into()))
            }
            Answer::Sat => Ok(true),
            Answer::Unknown(why) => {
                budget.poll().map_err(Undecided::Exhausted)?;
                Err(Undecided::Prover(why.to_string()))
            }
        }
    }

    /// Instances that a candidate violates: quantifiers over one variable at all ground terms at once, then axioms, and
    /// where there are none, quantifiers over several. When there are none of those either, what a thorough search still
    /// has, and at last what is `found`.
    fn violated(
        &mut self,
        candidate: &Candidate<'_>,
        assumptions: &[TermId],
        found: &mut dyn FnMut(&mut Session, &Model) -> Vec<TermId>,
    ) {
        self.instantiate_single(assumptions);
        if self.has_pending() {
            return;
        }
        let violated = axioms::violated_by_candidate(self, candidate);
        if self.add_instances(violated) || self.has_pending() {
            return;
        }
        let model = candidate.model(&self.store);
        let mut violated = axioms::violated(self, &model);
        if violated.is_empty() {
            violated = self.violated_instances(&model, assumptions);
        }
        if self.add_instances(violated) || self.has_pending() {
            return;
        }
        if self.thorough {
            if !std::mem::replace(&mut self.widened, true) {
                return self.violated(candidate, assumptions, found);
            }
            if let Some(instance) = self.missing_object(&model, assumptions)
                && self.add_instances(vec![instance])
            {
                return;
            }
        }
        for formula in found(self, &model) {
            self.assert(formula);
        }
    }

    fn has_pending(&self) -> bool {
        self.pending.as_ref().is_some_and(|all| !all.is_empty())
    }

    /// Asserts instances; whether one is new.
    fn add_instances(&mut self, instances: Vec<TermId>) -> bool {
        let before = self.statistics.instances;
        for instance in instances {
            if self.assert(instance) {
                self.statistics.instances += 1;
            }
        }
        before != self.statistics.instances
    }

    /// Whether what was assumed, with the assumptions of this time, has no model.
    ///
    /// # Errors
    /// When the budget is exhausted or the prover gives up.
    pub fn refutes(&mut self, assumptions: &[TermId], budget: &Budget) -> Result<bool, Undecided> {
        Ok(!self.search(assumptions, budget, &mut |_, _| Vec::new())?)
    }

    /// Goes through the models of what was assumed: `found` gets the truth values of some ground formulas, and
    /// answers with a formula that the other models are to satisfy. Ends when there are no more, or at its `None`.
    ///
    /// # Errors
    /// When the budget is exhausted or the prover gives up.
    pub fn enumerate(
        &mut self,
        assumptions: &[TermId],
        terms: &[TermId],
        budget: &Budget,
        found: &mut dyn FnMut(&mut TermStore, Vec<bool>) -> Option<TermId>,
    ) -> Result<(), Undecided> {
        self.search(assumptions, budget, &mut |session, model| {
            let mut evaluator = Evaluator::new(&session.store, model);
            let truths = terms.iter().map(|&t| evaluator.holds(t)).collect();
            found(&mut session.store, truths).into_iter().collect()
        })?;
        Ok(())
    }

    /// After a check with assumptions had no model: some of them that suffice
    /// for that.
    pub fn core(&self) -> &[TermId] {
        self.solver.unsat_core()
    }

    /// Like [`core`](Self::core): none of them could be left out, as far as the prover sees.
    pub fn minimal_core(&mut self, budget: &Budget) -> Vec<TermId> {
        self.solver.minimise_core(&mut self.store, budget)
    }

    fn check_proof(&mut self, assumptions: &[TermId]) -> Result<(), Undecided> {
        let Some(proof) = self.solver.proof(&self.store) else {
            return Err(Undecided::Prover("a refutation has no proof".into()));
        };
        // Required: the checker knows what was asserted, not what the solver made of it.
        let asserted = &self.asserted;
        let given = |f: TermId| asserted.contains(&f) || assumptions.contains(&f);
        bolide_proof::check_refutation(&self.store, &proof, |f, _| given(f))
            .map_err(|error| Undecided::Prover(format!("the proof of a refutation: {error}")))
    }

    /// Instances of quantifiers over one variable, at all ground terms.
    fn instantiate_single(&mut self, assumptions: &[TermId]) {
        let mut at = 0;
        while at < self.universals.len() {
            let universal = &self.universals[at];
            if universal.bound.len() == 1
                && universal.generation <= 1
                && self.is_on(universal, assumptions)
            {
                let fresh = &self.ground.objects[universal.seen..];
                let objects = match universal.triggers[0].as_slice() {
                    [] => self.old_and_present(fresh),
                    _ if self.widened => self.old_and_present(&self.ground.objects),
                    triggers => self.triggered(triggers),
                };
                let absent = fresh.iter().position(|(t, _)| !self.is_present(*t));
                self.universals[at].seen += absent.unwrap_or(fresh.len());
                for object in objects {
                    let instance = self.instance(at, &[object]);
                    if self.assert(instance) {
                        self.statistics.instances += 1;
                    }
                }
            }
            at += 1;
        }
    }

    /// Those of the objects that may be put in for quantified variables.
    pub(super) fn old_and_present(&self, objects: &[(TermId, u32)]) -> Vec<TermId> {
        let wanted = |t: &TermId| self.ground.old.contains(t) && self.is_present(*t);
        objects.iter().map(|(t, _)| *t).filter(wanted).collect()
    }

    /// Whether a check asks for the statement: it is behind no switch, or behind one that is assumed.
    pub(super) fn is_on(&self, universal: &Universal, assumptions: &[TermId]) -> bool {
        !self.switches.contains(&universal.guard) || assumptions.contains(&universal.guard)
    }

    fn instance(&mut self, universal: usize, objects: &[TermId]) -> TermId {
        if let Some(&known) = self.universals[universal].instances.get(objects) {
            return known;
        }
        let u = &self.universals[universal];
        let (guard, negated, state) = (u.guard, u.negated, Rc::clone(&u.state));
        let compiled = Rc::clone(&u.compiled);
        let mut bound = u.outer.clone();
        bound.extend(u.bound.iter().copied().zip(objects.iter().copied()));
        let outside = self.ground.generation;
        self.ground.generation = outside.max(u.generation) + 1;
        let ground = self.encode_compiled(&state, &bound, &compiled, negated);
        self.ground.generation = outside;
        let instance = self.store.mk_implies(guard, ground);
        self.universals[universal].instances.insert(objects.to_vec(), instance);
        instance
    }

    /// Instances of quantifiers over several variables that do not hold in the model.
    fn violated_instances(&mut self, model: &Model, assumptions: &[TermId]) -> Vec<TermId> {
        let mut chosen: Vec<(usize, Vec<Vec<TermId>>)> = Vec::new();
        {
            let mut evaluator = Evaluator::new(&self.store, model);
            let mut one_of_each_class = |objects: Vec<TermId>| -> Vec<TermId> {
                let mut classes = HashSet::default();
                let kept = objects.into_iter();
                kept.filter(|&t| evaluator.value(t).is_ok_and(|v| classes.insert(v))).collect()
            };
            let all = one_of_each_class(self.old_and_present(&self.ground.objects));
            for (at, universal) in self.universals.iter().enumerate() {
                if universal.bound.len() >= 2
                    && universal.generation == 0
                    && self.is_on(universal, assumptions)
                {
                    let choices = universal.triggers.iter().map(|versions| {
                        if versions.is_empty() || self.widened {
                            all.clone()
                        } else {
                            one_of_each_class(self.triggered(versions))
                        }
                    });
                    chosen.push((at, choices.collect()));
                }
            }
            chosen.retain(|(at, choices)| {
                evaluator.holds(self.universals[*at].guard) && choices.iter().all(|c| !c.is_empty())
            });
        }
        let mut instances = Vec::new();
        for (at, choices) in chosen {
            let mut choice = vec![0usize; choices.len()];
            loop {
                let objects: Vec<TermId> =
                    choice.iter().zip(&choices).map(|(&i, c)| c[i]).collect();
                let instance = self.instance(at, &objects);
                if !self.asserted.contains(&instance) {
                    instances.push(instance);
                }
                if !advance(&mut choice, &choices) {
                    break;
                }
            }
        }
        let mut evaluator = Evaluator::new(&self.store, model);
        instances.retain(|&instance| !evaluator.holds(instance));
        instances.truncate(BATCH);
        instances
    }
}

/// A session that is asked during search.
struct Instances<'a> {
    session: &'a mut Session,
    assumptions: &'a [TermId],
    found: &'a mut dyn FnMut(&mut Session, &Model) -> Vec<TermId>,
    rounds: usize,
    budget: &'a Budget,
    /// There were too many candidates.
    ended: bool,
}

impl Lemmas for Instances<'_> {
    fn violated(&mut self, store: &mut TermStore, candidate: &Candidate<'_>) -> Vec<TermId> {
        self.rounds += 1;
        if self.rounds > ROUNDS || self.budget.poll().is_err() {
            self.ended = true;
            return Vec::new();
        }
        std::mem::swap(store, &mut self.session.store);
        self.session.statistics.rounds += 1;
        self.session.pending = Some(Vec::new());
        self.session.violated(candidate, self.assumptions, self.found);
        std::mem::swap(store, &mut self.session.store);
        self.session.pending.take().unwrap_or_default()
    }
}

/// The next tuple of places in the lists; false after the last.
fn advance(choice: &mut [usize], lists: &[Vec<TermId>]) -> bool {
    for (digit, list) in choice.iter_mut().zip(lists) {
        *digit += 1;
        if *digit < list.len() {
            return true;
        }
        *digit = 0;
    }
    false
}
