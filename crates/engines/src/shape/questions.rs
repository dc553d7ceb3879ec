//! The questions that the analysis asks about paths, and who answers them.
//!
//! Two kinds: whether a path cannot be executed from a heap or leads to where a goal holds ([`Analysis::answered`]), and where
//! it leads to ([`Analysis::post`]). Before the prover of the path is asked, the cache is: for a refutation that holds of
//! the heap, then for the same question with other names (section 6.2.3 of the thesis). With proofs, for the audit, what the
//! cache knows is only a hint which parts of the heap to prove it from, and every session is a fresh one.

use super::analysis::Analysis;
use super::cache::{self, Question, Refutation};
use super::canonical;
use super::cartesian::{Source, Transition};
use super::diagrams::ObjectSet;
use super::heaps::{AbstractState, Cube, Predicates, StateBits};
use super::post;
use super::prover::{Claim, PathProver, all_symbols};
use super::view::Command;
use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_heap::{Formula, Session, Symbol, Undecided};

/// Sessions that are kept.
const SESSIONS: usize = 200;

/// The parts of a path that a question is about: its steps, and what is to hold after them.
struct Asked {
    steps: Vec<usize>,
    goal: Option<Formula>,
    /// The goal is a guess, which need not be decided.
    guessed: bool,
}

impl<'a> Analysis<'a> {
    /// What is asked of the prover. The last condition of a path to an error is the goal that must fail to get there:
    /// so all checks at one place share a session.
    fn asked(&self, (location, at, goal): &Question) -> Asked {
        let steps = &self.paths[location][*at].steps;
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
        proofs: bool,
    ) -> PathProver<'a> {
        let symbols = self.symbols(location, to, goal);
        if let Some(known) = self.provers.remove(steps)
            && known.serves(&symbols)
        {
            return known;
        }
        self.new_prover(location, steps, symbols, Session::new(proofs))
    }

    fn new_prover(
        &self,
        location: LocId,
        steps: &[usize],
        [before, mut after]: [HashSet<Symbol>; 2],
        session: Session,
    ) -> PathProver<'a> {
        // All checks at the end of the path will want their variables.
        for path in &self.paths[&location] {
            if let Some((last, prefix)) = path.steps.split_last()
                && prefix == steps
                && let [Command::Assume(fails)] = self.view.steps[*last].commands.as_slice()
            {
                after.extend(all_symbols([fails], self.view.bound));
            }
        }
        let aliases = self.aliases.get(&location).unwrap_or(&self.none);
        let commands = self.commands(steps);
        PathProver::new(self.view, &self.reach, aliases, &commands, [before, after], session)
    }

    /// The variables that questions speak of, at the start and at the end of a path.
    fn symbols(&self, location: LocId, to: LocId, goal: Option<&Formula>) -> [HashSet<Symbol>; 2] {
        let bound = self.view.bound;
        let all = |p: &Predicates| all_symbols(p.state.iter().chain(&p.domain), bound);
        let initial = || all_symbols([&self.view.initial], bound);
        let before = self.predicates.get(&location).map_or_else(initial, all);
        let mut after = self.predicates.get(&to).map(all).unwrap_or_default();
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
    fn parts(&self, location: LocId, heap: Option<StateBits>) -> Vec<(Option<usize>, Formula)> {
        let Some(bits) = heap else { return vec![(None, self.view.initial.clone())] };
        let objects = self.states[&location].heaps[&bits];
        let predicates = &self.predicates[&location];
        cache::parts(&self.diagrams, predicates, bits, objects, self.view.bound)
    }

    /// Whether a path cannot be executed from a heap, or leads to where the
    /// goal of the question holds; with proofs where these are wanted.
    pub(super) fn answered(
        &mut self,
        question: Question,
        heap: Option<StateBits>,
        proofs: bool,
    ) -> Result<bool, Undecided> {
        let (location, at) = (question.0, question.1);
        let asked = self.asked(&question);
        let to = self.paths[&location][at].to;
        let mut prover = self.prover(location, to, &asked.steps, asked.goal.as_ref(), proofs);
        let answer = self.answer(&question, heap, proofs, &asked, &mut prover);
        // The audit asks each question in a session of its own.
        if !proofs {
            self.keep(asked.steps, prover);
        }
        answer
    }

    fn answer(
        &mut self,
        question: &Question,
        heap: Option<StateBits>,
        proofs: bool,
        asked: &Asked,
        prover: &mut PathProver<'a>,
    ) -> Result<bool, Undecided> {
        let (location, at) = (question.0, question.1);
        let parts = self.parts(location, heap);
        let formulas: Vec<Formula> = parts.iter().map(|(_, formula)| formula.clone()).collect();
        let (goal, budget) = (asked.goal.as_ref(), self.budget);
        let claim = Claim { parts: &formulas, goal, guessed: asked.guessed };
        let count = &mut self.statistics.count;
        let Some(bits) = heap else { return prover.refutes(claim, count, budget) };
        let predicates = &self.predicates[&location];
        let objects = self.states[&location].heaps[&bits];
        let bound = self.view.bound;
        if let Some(number) = self.cache.find(&self.diagrams, question, bits, objects) {
            let refutation = self.cache.get(question, number);
            if proofs && !refutation.proved {
                let before = refutation.assumes(&self.diagrams, predicates, bound);
                refutation.proved =
                    prover.refutes(Claim { parts: &before, ..claim }, count, budget)?;
            }
            if !proofs || refutation.proved {
                return Ok(true);
            }
        }
        if proofs {
            return prover.refutes(claim, count, budget);
        }
        let steps = self.paths[&location][at].steps.iter();
        let commands: Vec<Command> =
            steps.flat_map(|&s| self.view.steps[s].commands.iter().cloned()).collect();
        let print = canonical::print(&formulas, &commands, question.2.as_ref());
        let before = self.cache.remembered.get(print);
        let needed = match before.filter(|all| all.iter().all(|&n| n < parts.len())) {
            Some(needed) => {
                self.cache.hits += 1;
                needed
            }
            None => {
                let answer = prover.refuted(claim, count, budget)?;
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
        self.cache.add(question.clone(), Refutation { state, objects: matters, proved: false });
        Ok(true)
    }

    /// Adds to `after` what a path leads to from a heap; the heaps that grew.
    ///
    /// Quantified predicates are asked for first, one by one. Those that did not follow before are not asked for again:
    /// what is not entailed by a heap is not by a larger one (6.2.3 of the thesis, along the order of contexts).
    /// Nothing rests on this: their bits claim nothing.
    pub(super) fn post(
        &mut self,
        location: LocId,
        heap: Option<StateBits>,
        at: usize,
        after: &mut AbstractState,
        proofs: bool,
    ) -> Result<Vec<StateBits>, Undecided> {
        let path = self.paths[&location][at].clone();
        let predicates = self.predicates[&path.to].clone();
        let commands = self.commands(&path.steps);
        let mut decided = Vec::new();
        for (number, formula) in predicates.state.iter().enumerate() {
            let known = known(&self.predicates, location, heap);
            decided.push(match post::unchanged(formula, &commands, &known) {
                None if !formula.is_quantified() => None,
                None => {
                    let failed = self.failed.entry((location, heap, at)).or_default();
                    let mut holds = !failed.contains(&number);
                    if holds {
                        let question = (location, at, Some(formula.clone()));
                        holds = self.answered(question, heap, proofs)?;
                    }
                    if !holds {
                        self.failed.entry((location, heap, at)).or_default().insert(number);
                    }
                    Some(holds)
                }
                known => known,
            });
        }
        let parts = self.parts(location, heap);
        let full = !self.cartesian || self.precise.contains(&(location, at));
        if !full && !proofs {
            let own = heap.and_then(|bits| {
                let objects = *self.states.get(&location)?.heaps.get(&bits)?;
                Some(Source { predicates: self.predicates.get(&location), bits, objects })
            });
            let transition = Transition {
                view: self.view,
                diagrams: &self.diagrams,
                reach: &self.reach,
                aliases: self.aliases.get(&location).unwrap_or(&self.none),
                parts,
                commands,
                source: own.unwrap_or(Source {
                    predicates: None,
                    bits: 0,
                    objects: ObjectSet::ALL,
                }),
            };
            let relation = self.relations.get(location, at);
            let count = &mut self.statistics.count;
            let found =
                transition.successors(&predicates, &decided, relation, count, self.budget)?;
            let new = found
                .into_iter()
                .filter(|(bits, objects)| after.insert(&self.diagrams, *bits, *objects));
            return Ok(new.map(|(bits, _)| bits).collect());
        }
        let parts: Vec<Formula> = parts.into_iter().map(|(_, formula)| formula).collect();
        // Heuristic: a session of its own. Enumerating brings in more instances than other questions can bear.
        let kept = self.provers.remove(&path.steps);
        let mut prover = self.prover(location, path.to, &path.steps, None, proofs);
        let count = &mut self.statistics.count;
        let to = (&self.diagrams, after);
        let grown = prover.post(&parts, &predicates, &decided, to, count, self.budget);
        if let Some(kept) = kept {
            self.keep(path.steps, kept);
        }
        grown
    }
}

/// The state predicates of a location with their values in a heap.
fn known(
    predicates: &HashMap<LocId, Predicates>,
    location: LocId,
    heap: Option<StateBits>,
) -> Vec<(&Formula, bool)> {
    let Some(bits) = heap else { return Vec::new() };
    let all = predicates[&location].state.iter().enumerate();
    all.map(|(i, formula)| (formula, bits >> i & 1 == 1)).collect()
}
