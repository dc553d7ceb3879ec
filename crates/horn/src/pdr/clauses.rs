//! The solver of each clause.
//!
//! It holds the constraint, the lemmas about the body under a literal for
//! each level, and the facts about each body atom as a chain: the literal of
//! the first `n` facts implies the `n`th or the literal of the first `n - 1`. So one solver
//! answers for all levels, and for frames as well as facts, by assumptions.

use super::frames::{ALWAYS, ClauseState, Pdr};
use bolide_base::NoAnswer;
use bolide_smt::solver::{Answer, Solver};
use bolide_terms::{Evaluator, Model, SortId, TermId, TermStore};

/// Whether a clause leads into a cube.
pub(super) enum Possible {
    /// From the states of this model.
    Yes(Model),
    /// No, because of these literals of the cube.
    No(Vec<TermId>),
}

/// The literal under which lemmas of a level hold.
fn level_literal(store: &mut TermStore, level: u32) -> TermId {
    store.mk_const(&format!("@level!{level}"), SortId::BOOL)
}

/// A solver that was given more events than this beyond twice the live lemmas is made anew.
const STALE: usize = 100;

impl Pdr<'_> {
    /// Whether the clause leads from the frames of a level into the cube of its
    /// head. With `also`, that cube is excluded from atoms of the head's relation.
    pub(super) fn possible(
        &mut self,
        number: usize,
        cube: &[TermId],
        below: u32,
        also: Option<&[TermId]>,
    ) -> Result<Possible, NoAnswer> {
        let clause = &self.system.clauses[number];
        if below == 0 && !clause.body.is_empty() {
            return Ok(Possible::No(Vec::new()));
        }
        self.catch_up(number);
        let mut assumptions = Vec::new();
        if !clause.body.is_empty() {
            // Nothing has a level above the present one, but what was pushed there.
            for level in below..=self.statistics.level + 1 {
                assumptions.push(level_literal(self.store, level));
            }
        }
        let mut literals: Vec<(TermId, TermId)> = Vec::with_capacity(cube.len());
        for &literal in cube {
            let instance = self.system.instantiate_head(self.store, literal, clause);
            if instance == TermId::FALSE {
                return Ok(Possible::No(vec![literal]));
            }
            literals.push((instance, literal));
            assumptions.push(instance);
        }
        let mut excluded = Vec::new();
        if let (Some(also), Some(head)) = (also, &clause.head) {
            let conjunction = self.store.mk_and(also);
            let negation = self.store.mk_not(conjunction);
            for atom in clause.body.iter().filter(|atom| atom.relation == head.relation) {
                excluded.push(self.system.instantiate(self.store, negation, atom));
            }
        }
        let solver = self.clauses[number].solver.as_mut().expect("made by catch_up");
        if !excluded.is_empty() {
            solver.push(self.store);
            for formula in &excluded {
                solver.assert(self.store, *formula, 0);
            }
        }
        let answer = solver.check(self.store, &assumptions, self.budget);
        let result = match answer {
            Answer::Sat => {
                Ok(Possible::Yes(solver.take_model().expect("a satisfiable check has a model")))
            }
            Answer::Unsat => {
                let core = solver.unsat_core();
                let part = literals.iter().filter(|(instance, _)| core.contains(instance));
                Ok(Possible::No(part.map(|(_, literal)| *literal).collect()))
            }
            Answer::Unknown(why) => Err(why),
        };
        if !excluded.is_empty() {
            solver.pop(self.store, 1);
        }
        result
    }

    /// A model of the clause into the cube in which the chosen premises are facts, and the others
    /// in the frames of a level.
    pub(super) fn model_of_facts(
        &mut self,
        number: usize,
        cube: &[TermId],
        chosen: &[usize],
        below: Option<u32>,
    ) -> Result<Option<Model>, NoAnswer> {
        let clause = &self.system.clauses[number];
        let known = |&p: &usize| !self.relations[&clause.body[p].relation].facts.is_empty();
        if !chosen.iter().all(known) {
            return Ok(None);
        }
        self.catch_up(number);
        self.chain_facts(number);
        let chains = &self.clauses[number].chains;
        let mut assumptions: Vec<TermId> = chosen.iter().filter_map(|&p| chains[p]).collect();
        if let Some(below) = below {
            for level in below..=self.statistics.level + 1 {
                assumptions.push(level_literal(self.store, level));
            }
        }
        for &literal in cube {
            assumptions.push(self.system.instantiate_head(self.store, literal, clause));
        }
        let solver = self.clauses[number].solver.as_mut().expect("made by catch_up");
        match solver.check(self.store, &assumptions, self.budget) {
            Answer::Sat => Ok(solver.take_model()),
            Answer::Unsat => Ok(None),
            Answer::Unknown(limit @ NoAnswer::Exhausted(_)) => Err(limit),
            Answer::Unknown(_) => Ok(None),
        }
    }

    /// For each body atom a fact that covers it in the model.
    pub(super) fn covering_facts(&mut self, number: usize, model: &Model) -> Vec<Option<usize>> {
        self.instantiate_facts(number);
        let clause = &self.system.clauses[number];
        let mut evaluator = Evaluator::new(self.store, model);
        let mut covers = Vec::with_capacity(clause.body.len());
        for (position, atom) in clause.body.iter().enumerate() {
            let ids = &self.relations[&atom.relation].facts;
            let instances = &self.clauses[number].facts[position];
            let found = instances.iter().position(|&formula| evaluator.holds(formula));
            covers.push(found.map(|index| ids[index]));
        }
        covers
    }

    /// What a fact says of the arguments of a body atom.
    pub(super) fn fact_instance(&mut self, number: usize, position: usize, fact: usize) -> TermId {
        let atom = &self.system.clauses[number].body[position];
        self.system.instantiate(self.store, self.facts[fact].formula, atom)
    }

    fn instantiate_facts(&mut self, number: usize) {
        let clause = &self.system.clauses[number];
        for (position, atom) in clause.body.iter().enumerate() {
            let ids = &self.relations[&atom.relation].facts;
            let known = self.clauses[number].facts[position].len();
            for &id in &ids[known..] {
                let formula = self.facts[id].formula;
                let instance = self.system.instantiate(self.store, formula, atom);
                self.clauses[number].facts[position].push(instance);
            }
        }
    }

    fn chain_facts(&mut self, number: usize) {
        self.instantiate_facts(number);
        let state = &mut self.clauses[number];
        let solver = state.solver.as_mut().expect("made by catch_up");
        for (position, instances) in state.facts.iter().enumerate() {
            for &instance in &instances[state.chained[position]..] {
                let literal = self.store.mk_fresh_const("@facts", SortId::BOOL);
                let not = self.store.mk_not(literal);
                let mut parts = vec![not, instance];
                parts.extend(state.chains[position]);
                let link = self.store.mk_or(&parts);
                solver.assert(self.store, link, 0);
                state.chains[position] = Some(literal);
            }
            state.chained[position] = instances.len();
        }
    }

    /// Gives the solver of a clause the lemmas that it does not know yet.
    fn catch_up(&mut self, number: usize) {
        let clause = &self.system.clauses[number];
        let live: usize =
            clause.body.iter().map(|atom| self.relations[&atom.relation].lemmas.len()).sum();
        let state = &mut self.clauses[number];
        if state.load > 2 * live + STALE {
            let facts = std::mem::take(&mut state.facts);
            *state = ClauseState::new(clause);
            state.facts = facts;
        }
        let fresh = state.solver.is_none();
        let solver = state.solver.get_or_insert_with(Solver::default);
        if fresh {
            for premise in self.system.premises(self.store, &self.invariants, clause) {
                solver.assert(self.store, premise, 0);
            }
        }
        for (position, atom) in clause.body.iter().enumerate() {
            let relation = &self.relations[&atom.relation];
            let live: Vec<(TermId, u32)> = if fresh {
                relation.lemmas.iter().map(|lemma| (lemma.formula, lemma.level)).collect()
            } else {
                relation.events[state.events[position]..].to_vec()
            };
            state.events[position] = relation.events.len();
            state.load += live.len();
            for (formula, level) in live {
                let mut known = self.system.instantiate(self.store, formula, atom);
                if level != ALWAYS {
                    let literal = level_literal(self.store, level);
                    known = self.store.mk_implies(literal, known);
                }
                solver.assert(self.store, known, 0);
            }
        }
    }
}
