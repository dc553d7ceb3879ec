//! The questions that the search asks about paths, and who answers them.
//!
//! Two kinds: whether a path cannot be executed from a heap or leads to where a goal holds ([`Abstraction::answered`]), and where
//! it leads to ([`Abstraction::post`]). Before the prover of the path is asked, the cache is: for a refutation that holds of
//! the heap, then for the same question with other names (section 6.2.3 of the thesis). The answers are not believed.

use super::super::options::Context;
use super::cache::{Question, Refutation};
use super::cartesian::{Relations, Source, Transition};
use super::diagrams::ObjectSet;
use super::prover::{Claim, PathProver};
use super::states::AbstractState;
use super::{Abstraction, Node, canonical, post};
use bolide_base::HashSet;
use bolide_cfa::LocId;
use bolide_heap::program::uses::all_symbols;
use bolide_heap::program::view::Command;
use bolide_heap::{Formula, Symbol, Undecided};
use bolide_verdict::certificate::{Cube, Predicates, StateBits};

/// Sessions that are kept.
const SESSIONS: usize = 200;

/// The parts of a path that a question is about: its steps, and what is to hold after them.
struct Asked {
    steps: Vec<usize>,
    goal: Option<Formula>,
    /// The goal is a guess, which need not be decided.
    guessed: bool,
}

impl<'a> Abstraction<'a> {
    /// What is asked of the prover. The last condition of a path to an error is the goal that must fail to get there:
    /// so all checks at one place share a session.
    fn asked(&self, (location, at, goal): &Question) -> Asked {
        let steps = &self.control.paths[location][*at].steps;
        if let (None, Some((last, before))) = (goal, steps.split_last())
            && let [Command::Assume(fails)] = self.view.steps[*last].commands.as_slice()
        {
            let goal = Some(fails.clone().negate());
            return Asked { steps: before.to_vec(), goal, guessed: false };
        }
        Asked { steps: steps.clone(), goal: goal.clone(), guessed: goal.is_some() }
    }

    /// The session of a path, for questions about predicates at its ends and the goal.
    fn prover(
        &mut self,
        location: LocId,
        to: LocId,
        steps: &[usize],
        goal: Option<&Formula>,
    ) -> PathProver<'a> {
        let symbols = self.symbols(location, to, goal);
        let keeps = self.operator.context != Context::Plain;
        match self.provers.remove(steps) {
            Some(known) if keeps && known.serves(&symbols) => known,
            _ => self.new_prover(location, steps, symbols),
        }
    }

    fn new_prover(
        &self,
        location: LocId,
        steps: &[usize],
        [before, mut after]: [HashSet<Symbol>; 2],
    ) -> PathProver<'a> {
        // All checks at the end of the path will want their variables.
        for path in &self.control.paths[&location] {
            if let Some((last, prefix)) = path.steps.split_last()
                && prefix == steps
                && let [Command::Assume(fails)] = self.view.steps[*last].commands.as_slice()
            {
                after.extend(all_symbols([fails], self.view.bound));
            }
        }
        let aliases = self.aliases(location);
        let commands = self.commands(steps);
        PathProver::new(self.view, &self.reach, aliases, &commands, [before, after])
    }

    /// The variables that questions speak of, at the start and at the end of a path.
    fn symbols(&self, location: LocId, to: LocId, goal: Option<&Formula>) -> [HashSet<Symbol>; 2] {
        let bound = self.view.bound;
        let all = |p: &Predicates| all_symbols(p.state.iter().chain(&p.domain), bound);
        let initial = || all_symbols([&self.view.initial], bound);
        let before = self.tracked.predicates.get(&location).map_or_else(initial, all);
        let mut after = self.tracked.predicates.get(&to).map(all).unwrap_or_default();
        after.extend(all_symbols(goal, bound));
        [before, after]
    }

    fn keep(&mut self, steps: Vec<usize>, prover: PathProver<'a>) {
        if self.provers.len() >= SESSIONS {
            self.provers.clear();
        }
        self.provers.insert(steps, prover);
    }

    /// What holds in a heap, part by part: state predicates by number, and all objects.
    fn parts(&self, (location, heap): Node) -> Vec<(Option<usize>, Formula)> {
        let Some(bits) = heap else { return vec![(None, self.view.initial.clone())] };
        let objects = self.reached.states[&location].heaps[&bits];
        let cubes = self.diagrams.cover(objects, objects);
        self.tracked.predicates[&location].parts(bits, &cubes, self.view.bound)
    }

    /// Whether a path cannot be executed from a heap, or leads to where the
    /// goal of the question holds.
    pub(super) fn answered(
        &mut self,
        question: Question,
        heap: Option<StateBits>,
    ) -> Result<bool, Undecided> {
        let asked = self.asked(&question);
        let to = self.control.paths[&question.0][question.1].to;
        let mut prover = self.prover(question.0, to, &asked.steps, asked.goal.as_ref());
        let answer = self.answer(question, heap, &asked, &mut prover);
        self.keep(asked.steps, prover);
        answer
    }

    fn answer(
        &mut self,
        question: Question,
        heap: Option<StateBits>,
        asked: &Asked,
        prover: &mut PathProver<'a>,
    ) -> Result<bool, Undecided> {
        let location = question.0;
        let mut parts = self.parts((location, heap));
        if asked.guessed && heap.is_some() && self.operator.context == Context::None {
            parts.retain(|(number, _)| number.is_some());
        }
        let formulas: Vec<Formula> = parts.iter().map(|(_, formula)| formula.clone()).collect();
        let claim = Claim { parts: &formulas, goal: asked.goal.as_ref(), guessed: asked.guessed };
        let plain = self.operator.context == Context::Plain;
        let Some(bits) = heap.filter(|_| !plain) else {
            return prover.refutes(claim, &mut self.figures.count, self.budget);
        };
        let objects = self.reached.states[&location].heaps[&bits];
        if self.cache.has(&self.diagrams, &question, bits, objects) {
            return Ok(true);
        }
        let commands = self.commands(&self.control.paths[&location][question.1].steps);
        let print = canonical::print(&formulas, &commands, question.2.as_ref());
        let before = self.cache.remembered.get(print);
        let needed = match before.filter(|all| all.iter().all(|&n| n < parts.len())) {
            Some(needed) => {
                self.cache.hits += 1;
                needed
            }
            None => {
                let answer = prover.refuted(claim, &mut self.figures.count, self.budget)?;
                let Some(needed) = answer else { return Ok(false) };
                self.cache.remembered.add(print, &needed);
                needed
            }
        };
        let mut state = Cube { mask: 0, bits: 0 };
        let mut matters = None;
        for number in needed {
            match parts[number].0 {
                Some(place) => {
                    state.mask |= 1 << place;
                    state.bits |= bits & 1 << place;
                }
                None => matters = Some(objects),
            }
        }
        self.cache.add(question, Refutation { state, objects: matters });
        Ok(true)
    }

    /// Adds to `after` what a path leads to from a heap; the heaps that grew.
    pub(super) fn post(
        &mut self,
        (location, heap): Node,
        at: usize,
        after: &mut AbstractState,
    ) -> Result<Vec<StateBits>, Undecided> {
        let path = self.control.paths[&location][at].clone();
        let predicates = self.tracked.predicates[&path.to].clone();
        let decided = self.decided((location, heap), at, &predicates)?;
        let parts = self.parts((location, heap));
        if self.operator.cartesian && !self.operator.precise.contains(&(location, at)) {
            let own = heap.and_then(|bits| {
                let objects = *self.reached.states.get(&location)?.heaps.get(&bits)?;
                let predicates = self.tracked.predicates.get(&location);
                Some(Source { predicates, bits, objects })
            });
            let anything = Source { predicates: None, bits: 0, objects: ObjectSet::ALL };
            let aliases = &self.tracked.aliases;
            let transition = Transition {
                view: self.view,
                diagrams: &self.diagrams,
                reach: &self.reach,
                aliases: aliases.get(&location).unwrap_or(&self.tracked.none),
                parts: parts.clone(),
                commands: self.commands(&path.steps),
                source: own.unwrap_or(anything),
                knows_others: heap.is_none() || self.operator.context != Context::None,
            };
            if self.operator.context == Context::Plain {
                self.operator.relations = Relations::default();
            }
            let relation = self.operator.relations.get(location, at);
            let count = &mut self.figures.count;
            match transition.successors(&predicates, &decided, relation, count, self.budget) {
                Ok(found) => {
                    let new = found
                        .into_iter()
                        .filter(|(bits, objects)| after.insert(&self.diagrams, *bits, *objects));
                    return Ok(new.map(|(bits, _)| bits).collect());
                }
                // Where objects are too many to be looked at one by one, the full post is the cheaper one.
                Err(Undecided::Prover(_)) => {
                    self.operator.precise.insert((location, at));
                }
                Err(why) => return Err(why),
            }
        }
        let parts: Vec<Formula> = parts.into_iter().map(|(_, formula)| formula).collect();
        let symbols = self.symbols(location, path.to, None);
        let keeps = self.operator.context != Context::Plain;
        // Heuristic: a session of its own. Enumerating brings in more instances than other questions can bear.
        let mut prover = match self.enumerators.remove(&(location, at)) {
            Some(known) if keeps && known.serves(&symbols) => known,
            _ => self.new_prover(location, &path.steps, symbols),
        };
        let count = &mut self.figures.count;
        let to = (&self.diagrams, after);
        let grown = post::post(&mut prover, &parts, &predicates, &decided, to, count, self.budget);
        self.enumerators.insert((location, at), prover);
        grown
    }

    /// The truth values of predicates about the state after a path, where they are known: it changes nothing that
    /// they speak of, or they are quantified.
    ///
    /// Quantified predicates are asked for one by one. Those that did not follow before are not asked for again:
    /// what is not entailed by a heap is not by a larger one (6.2.3 of the thesis, along the order of contexts).
    /// Nothing rests on this: their bits claim nothing.
    fn decided(
        &mut self,
        (location, heap): Node,
        at: usize,
        predicates: &Predicates,
    ) -> Result<Vec<Option<bool>>, Undecided> {
        let commands = self.commands(&self.control.paths[&location][at].steps);
        let mut decided = Vec::new();
        for (number, formula) in predicates.state.iter().enumerate() {
            let before = heap.and_then(|bits| {
                let known =
                    self.tracked.predicates[&location].state.iter().position(|p| p == formula)?;
                Some(bits >> known & 1 == 1)
            });
            let kept = before.filter(|_| !post::changes(formula, &commands));
            if kept.is_some() || !formula.is_quantified() {
                decided.push(kept);
                continue;
            }
            let key = (location, heap, at);
            let keeps = self.operator.context != Context::Plain;
            let known =
                keeps && self.operator.failed.get(&key).is_some_and(|all| all.contains(&number));
            let holds = !known && self.answered((location, at, Some(formula.clone())), heap)?;
            if !holds {
                self.operator.failed.entry(key).or_default().insert(number);
            }
            decided.push(Some(holds));
        }
        Ok(decided)
    }
}
