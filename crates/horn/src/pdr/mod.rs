//! Property-directed reachability for Horn clauses.
//!
//! After Komuravelli, Gurfinkel and Chaki (*SMT-based model checking for recursive
//! programs*, CAV 2014: the engine Spacer of Z3), with the frames of IC3 (Bradley, 2011).
//! For each relation and level `k` there is an over-approximation of what has a
//! derivation of height at most `k`: the conjunction of all lemmas of level `k`
//! or more. Level 0 is empty. *Facts* under-approximate what is derivable;
//! each is a cube with the clause and the facts that derive all of it.
//!
//! A *proof obligation* asks whether a cube of a relation can be derived within
//! a level. [`Pdr::expand`] looks for a clause that leads into the cube from
//! the frames below. If there is none, the cube is blocked by a lemma
//! (`generalise`). If the premises are facts already, a new fact is found by
//! model-based projection ([`crate::project`]). Otherwise one premise that is
//! no fact yet becomes an obligation one level below, also by projection; so
//! clauses with several calls are solved one call after the other.
//!
//! When the queries are blocked at the top level, lemmas are pushed upward; if
//! a level loses all its lemmas, the level above is inductive: a solution. When
//! a query is derived from facts, the derivation is read off (`witness`).
//!
//! Required for soundness: nothing here, since every answer is audited against
//! the clauses. Required for termination on finite systems: blocked cubes
//! stay blocked, and facts only grow.

mod clauses;
mod frames;
mod generalise;
mod partner;
mod witness;

pub use frames::Statistics;

use crate::exchange::Desk;
use crate::project::{implicant, project};
use crate::system::{Interpretation, RelationId, System, Verdict};
use bolide_base::{Budget, NoAnswer};
use bolide_terms::{Model, Op, TermId, TermStore, evaluate};
use clauses::Possible;
use frames::{Fact, Pdr};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How many obligations are looked at before listening to others again.
const LISTEN: usize = 16;

/// A question: can this cube of the relation be derived within the level?
#[derive(Clone, Debug)]
struct Obligation {
    /// None for the queries.
    relation: Option<RelationId>,
    cube: Vec<TermId>,
    level: u32,
}

/// What became of an obligation.
enum Outcome {
    /// No clause leads into the part of the cube that these literals describe.
    Blocked(Vec<TermId>),
    /// A fact in the cube.
    Reached(usize),
    /// This must be decided first.
    Child(Obligation),
}

/// How it signs.
pub const NAME: &str = "property-directed reachability";

/// Decides the system. The invariants are inductive facts about all relations.
pub(crate) fn solve(
    store: &mut TermStore,
    system: &System,
    invariants: Interpretation,
    desk: Option<Desk<'_>>,
    budget: &Budget,
) -> (Verdict, Statistics) {
    let mut engine = Pdr::new(store, system, invariants, desk, budget);
    let verdict = engine.run().unwrap_or_else(Verdict::Unknown);
    (verdict, engine.statistics)
}

impl Pdr<'_> {
    fn run(&mut self) -> Result<Verdict, NoAnswer> {
        for level in 1.. {
            self.statistics.level = level;
            self.budget.progress().refined(level as usize);
            self.listen(level)?;
            if let Some(fact) = self.block_queries(level)? {
                let none = || NoAnswer::NotReplayed("a derivation could not be rebuilt".to_owned());
                return self.derivation(fact)?.map(Verdict::Unsat).ok_or_else(none);
            }
            if let Some(solution) = self.push_lemmas(level)? {
                return Ok(Verdict::Sat(solution));
            }
            self.tell(level);
        }
        unreachable!("levels do not end")
    }

    /// Blocks the queries at a level, or derives one.
    fn block_queries(&mut self, top: u32) -> Result<Option<usize>, NoAnswer> {
        let mut obligations = vec![Obligation { relation: None, cube: Vec::new(), level: top }];
        // The lowest level first; among equals the newest.
        let mut queue = BinaryHeap::from([(Reverse(top), 0_usize)]);
        while let Some(&(Reverse(level), number)) = queue.peek() {
            self.budget.poll()?;
            self.statistics.obligations += 1;
            self.budget.progress().reached(self.statistics.obligations);
            if self.statistics.obligations.is_multiple_of(LISTEN) {
                self.listen(top)?;
            }
            let obligation = Obligation { level, ..obligations[number].clone() };
            match self.expand(&obligation)? {
                Outcome::Reached(fact) => {
                    if obligation.relation.is_none() {
                        return Ok(Some(fact));
                    }
                    queue.pop();
                }
                Outcome::Child(child) => {
                    queue.push((Reverse(child.level), obligations.len()));
                    obligations.push(child);
                }
                Outcome::Blocked(core) => {
                    queue.pop();
                    let Some(relation) = obligation.relation else { return Ok(None) };
                    let level = self.block(relation, core, level, top)?;
                    if level < top {
                        queue.push((Reverse(level + 1), number));
                    }
                }
            }
        }
        Ok(None)
    }

    /// One look at an obligation.
    fn expand(&mut self, obligation: &Obligation) -> Result<Outcome, NoAnswer> {
        let below = obligation.level - 1;
        let mut core: Vec<TermId> = Vec::new();
        for number in self.definitions(obligation.relation) {
            match self.possible(number, &obligation.cube, below, None)? {
                Possible::No(part) => core.extend(part),
                Possible::Yes(model) => return self.follow(number, obligation, model),
            }
        }
        core.sort_unstable();
        core.dedup();
        Ok(Outcome::Blocked(core))
    }

    /// The clause leads into the cube, as far as the frames know.
    fn follow(
        &mut self,
        number: usize,
        obligation: &Obligation,
        model: Model,
    ) -> Result<Outcome, NoAnswer> {
        let (model, covers) = self.prefer_facts(number, obligation, model)?;
        let clause = &self.system.clauses[number];
        let mut formulas = vec![clause.constraint];
        for (position, cover) in covers.iter().enumerate() {
            if let Some(fact) = cover {
                formulas.push(self.fact_instance(number, position, *fact));
            }
        }
        let Some(position) = covers.iter().position(Option::is_none) else {
            let premises = covers.into_iter().flatten().collect();
            return Ok(Outcome::Reached(self.add_fact(number, &formulas, premises, model)));
        };
        for &literal in &obligation.cube {
            formulas.push(self.system.instantiate_head(self.store, literal, clause));
        }
        // What else is no fact yet must at least be possible.
        let below = obligation.level - 1;
        for (other, atom) in clause.body.iter().enumerate() {
            if other != position && covers[other].is_none() {
                formulas.extend(self.frame(atom, below));
            }
        }
        let atom = &clause.body[position];
        let literals = implicant(self.store, &model, &formulas);
        let mut eliminated = clause.variables(self.store);
        eliminated.retain(|v| !atom.arguments.contains(v));
        let mut cube = Vec::new();
        for literal in project(self.store, &model, &literals, &eliminated) {
            let literal = self.system.generalise(self.store, literal, atom);
            split_equality(self.store, literal, &mut cube);
        }
        cube.sort_unstable();
        cube.dedup();
        Ok(Outcome::Child(Obligation { relation: Some(atom.relation), cube, level: below }))
    }

    /// A model in which as many premises as possible are facts, so that the first one that is not
    /// makes progress: it is asked about in the company of the others.
    fn prefer_facts(
        &mut self,
        number: usize,
        obligation: &Obligation,
        mut model: Model,
    ) -> Result<(Model, Vec<Option<usize>>), NoAnswer> {
        let mut covers = self.covering_facts(number, &model);
        let calls = covers.len();
        let mut chosen: Vec<usize> = Vec::new();
        for position in 0..calls {
            chosen.push(position);
            if chosen.iter().all(|&p| covers[p].is_some()) {
                continue;
            }
            let levels = (chosen.len() < calls).then_some(obligation.level - 1);
            match self.model_of_facts(number, &obligation.cube, &chosen, levels)? {
                Some(better) => {
                    model = better;
                    covers = self.covering_facts(number, &model);
                }
                None => {
                    chosen.pop();
                }
            }
        }
        Ok((model, covers))
    }

    /// What the clause derives from facts around the model is a fact.
    fn add_fact(
        &mut self,
        number: usize,
        formulas: &[TermId],
        premises: Vec<usize>,
        mut model: Model,
    ) -> usize {
        let clause = &self.system.clauses[number];
        let mut formula = TermId::TRUE;
        if let Some(head) = &clause.head {
            let parameters = &self.system.relations[head.relation].parameters;
            let mut formulas = formulas.to_vec();
            for (&parameter, &argument) in parameters.iter().zip(&head.arguments) {
                let value = evaluate(self.store, &model, argument);
                if let (Ok(value), Some(function)) = (value, self.store.function_of(parameter)) {
                    model.set_constant(function, value);
                }
            }
            formulas.extend(self.store.mk_eqs(parameters, &head.arguments));
            let literals = implicant(self.store, &model, &formulas);
            let variables = clause.variables(self.store);
            let literals = project(self.store, &model, &literals, &variables);
            formula = self.store.mk_and(&literals);
        }
        let id = self.facts.len();
        self.facts.push(Fact { formula, clause: number, premises });
        if let Some(head) = &clause.head {
            let state = self.relations.get_mut(&head.relation).expect("every relation");
            state.facts.push(id);
        }
        self.statistics.facts += 1;
        id
    }

    /// Pushes lemmas to higher levels; a solution when a level becomes empty.
    fn push_lemmas(&mut self, top: u32) -> Result<Option<Interpretation>, NoAnswer> {
        let relations: Vec<RelationId> = self.system.relations.ids().collect();
        for level in 1..top {
            let mut left = false;
            for &relation in &relations {
                let candidates: Vec<Vec<TermId>> = self.relations[&relation]
                    .lemmas
                    .iter()
                    .filter(|lemma| lemma.level == level)
                    .map(|lemma| lemma.cube.clone())
                    .collect();
                for cube in candidates {
                    self.budget.poll()?;
                    if self.is_blocked(relation, &cube, level, false)?.is_some() {
                        self.add_lemma(relation, cube, level + 1);
                    } else {
                        left = true;
                    }
                }
            }
            if !left {
                return Ok(Some(self.solution(level)));
            }
        }
        Ok(None)
    }
}

/// An equality of numbers as two bounds, of which one may suffice.
fn split_equality(store: &mut TermStore, literal: TermId, into: &mut Vec<TermId>) {
    if store.op(literal) == Op::Eq {
        let (a, b) = (store.arg(literal, 0), store.arg(literal, 1));
        if store.sort(a).is_arithmetic() && !matches!(store.op(a), Op::Mod) {
            into.push(store.mk_le(a, b));
            into.push(store.mk_ge(a, b));
            return;
        }
    }
    into.push(literal);
}
