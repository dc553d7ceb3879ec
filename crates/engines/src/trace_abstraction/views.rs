//! The deterministic views of all automata, side by side: what they know together is the label of a
//! node of the difference, and a step of all of them is the engine's [`Domain`].
//!
//! A node is *covered* by an earlier one of the same place in which every automaton knows at most
//! as much: what the automata exclude after the one they exclude after the other, so no error trace
//! is lost.
//!
//! A context serves every caller that knows at least as much as it assumes. The trace
//! to an error may so lead through a caller for which it is infeasible, while the body
//! was explored for another one for which it is not: the automaton accepts
//! the trace, the difference still has it. When a trace comes back, contexts are
//! from then on only for callers that know exactly the same ([`Views::exact_contexts`]).

use super::alphabet::{Alphabet, Letter, LetterId, scope_of};
use super::automaton::{InterpolantAutomaton, MacroId, Situation, Source, State};
use super::bitvectors::bitvectors;
use super::hoare::{HoareChecker, Post};
use bolide_base::HashSet;
use bolide_cfa::{FunctionId, LocId, Program};
use bolide_reachability::arg::exploration::Domain;
use bolide_reachability::block::{BlockProgram, Transition};
use bolide_reachability::calls::{CallSite, Calls};
use bolide_reachability::encode::SlotId;
use bolide_reachability::prover::Prover;
use bolide_reachability::verdict::Reason;
use bolide_terms::{TermId, TermStore};
use std::rc::Rc;

/// What each automaton knows after some trace.
pub type Sets = Vec<MacroId>;

/// The automata, and all that a step of them needs.
pub struct Views<'a, 'p> {
    pub program: &'a mut BlockProgram<'p>,
    pub calls: Calls,
    pub store: &'a mut TermStore,
    pub prover: &'a mut Prover,
    pub alphabet: Alphabet,
    pub hoare: HoareChecker<'a>,
    /// The trace abstraction; number 0 is the background.
    pub automata: Vec<InterpolantAutomaton>,
    /// Cut points from which no error can be reached: the program automaton is trimmed.
    pub useless: HashSet<LocId>,
    /// Whether a context is only for callers that know exactly the same.
    pub exact_contexts: bool,
}

impl<'a, 'p> Views<'a, 'p> {
    /// No automata.
    pub fn new(
        program: &'a mut BlockProgram<'p>,
        calls: Calls,
        store: &'a mut TermStore,
        prover: &'a mut Prover,
        hoare: HoareChecker<'a>,
    ) -> Self {
        let useless = if calls.is_empty() { useless(program) } else { HashSet::default() };
        let (alphabet, automata) = (Alphabet::default(), Vec::new());
        let exact_contexts = false;
        Views { program, calls, store, prover, alphabet, hoare, automata, useless, exact_contexts }
    }

    /// An automaton with all edges between some predicates.
    pub fn enhanced(&self, predicates: Vec<TermId>, source: Source) -> InterpolantAutomaton {
        let scope = |p| scope_of(self.program, &self.calls, self.store, p);
        InterpolantAutomaton::enhanced(predicates, scope, source)
    }

    /// What is known at the start; none when an automaton excludes everything.
    pub fn start(&mut self) -> Result<Option<Sets>, Reason> {
        let (letter, entry) = (self.alphabet.start(), self.program.entry());
        self.steps(letter, entry, |_| (MacroId::TRUE, MacroId::TRUE))
    }

    /// What all automata know, as a formula.
    pub fn conjunction(&mut self, sets: &[MacroId]) -> TermId {
        conjunction(self.store, &self.automata, sets)
    }

    /// What the background knows.
    pub fn background(&self, sets: &[MacroId]) -> TermId {
        self.automata[0].formula(sets[0])
    }

    /// Whether every automaton knows in `stronger` what it knows in `weaker`.
    pub fn subsumes(&self, weaker: &[MacroId], stronger: &[MacroId]) -> bool {
        let pairs = weaker.iter().zip(stronger);
        pairs.zip(&self.automata).all(|((&w, &s), automaton)| automaton.subsumes(w, s))
    }

    /// Whether the location is an error.
    pub fn is_error(&self, location: LocId) -> bool {
        self.program.program.locations[location].error.is_some()
    }

    /// One step of all views; none when one of them accepts. `before` gives the
    /// sets before the letter and, for returns, of the caller.
    fn steps(
        &mut self,
        letter: LetterId,
        place: LocId,
        before: impl Fn(usize) -> (MacroId, MacroId),
    ) -> Result<Option<Sets>, Reason> {
        let mut sets = Vec::with_capacity(self.automata.len());
        for index in 0..self.automata.len() {
            let ((from, caller), background) = (before(index), before(0));
            let here = (from, background.0);
            match self.step(index, letter, place, here, (caller, background.1))? {
                MacroId::FALSE => return Ok(None),
                set => sets.push(set),
            }
        }
        Ok(Some(sets))
    }

    /// One step of the view of one automaton to a place: from what is known here, for returns
    /// also there where the call was made; each with what the background knows.
    pub fn step(
        &mut self,
        index: usize,
        letter: LetterId,
        place: LocId,
        here: (MacroId, MacroId),
        there: (MacroId, MacroId),
    ) -> Result<MacroId, Reason> {
        let (background, last) = ((here.1, there.1), self.is_error(place));
        let situation =
            Situation { from: here.0, caller: there.0, background, letter, place, last };
        let automaton = &mut self.automata[index];
        if let Some(known) = automaton.known_step(&situation) {
            return Ok(known);
        }
        let to = if automaton.edges.is_some() {
            match letter == self.alphabet.start() {
                true => automaton.intern(self.store, vec![0]),
                false => automaton.subset_step(self.store, &situation),
            }
        } else if let Some(predicates) = automaton.bitvectors.clone() {
            self.bitvector_step(index, &predicates, &situation)?
        } else {
            self.enhanced_step(index, &situation)?
        };
        self.automata[index].record(situation, to);
        Ok(to)
    }

    /// All predicates whose Hoare triple is valid.
    fn enhanced_step(&mut self, index: usize, situation: &Situation) -> Result<MacroId, Reason> {
        let (own, background) = (&self.automata[index], &self.automata[0]);
        if index == 0 && own.states.is_empty() {
            return Ok(MacroId::TRUE);
        }
        let letter = situation.letter;
        // A letter may stand in several functions, a place in one.
        let after = self.program.program.locations[situation.place].function;
        let goals: Vec<u32> = (0..own.states.len() as u32)
            .filter(|_| !situation.last)
            .filter(|&s| self.makes_sense(&own.states[s as usize], after, situation.place))
            .collect();
        let here = [own.formula(situation.from), background.formula(situation.background.0)];
        let there = [own.formula(situation.caller), background.formula(situation.background.1)];
        let predicates: Vec<TermId> =
            goals.iter().map(|&g| own.states[g as usize].predicate).collect();
        let (premise, said) = self.triple(letter, &here, &there, &predicates);
        match self.hoare.post(self.store, self.prover, letter, premise, &said)? {
            Post::Infeasible => Ok(MacroId::FALSE),
            Post::Goals(answers) => {
                let held = goals.iter().zip(answers).filter(|(_, holds)| *holds);
                let members = held.map(|(&g, _)| g).collect();
                Ok(self.automata[index].intern(self.store, members))
            }
        }
    }

    /// The step of the automaton of a predicate abstraction.
    fn bitvector_step(
        &mut self,
        index: usize,
        predicates: &[TermId],
        situation: &Situation,
    ) -> Result<MacroId, Reason> {
        let automaton = &self.automata[index];
        let here = [automaton.formula(situation.from)];
        let there = [automaton.formula(situation.caller)];
        let (premise, said) = self.triple(situation.letter, &here, &there, predicates);
        if situation.last {
            let reachable = self.prover.model(self.store, premise)?.is_some();
            return Ok(if reachable { MacroId::TRUE } else { MacroId::FALSE });
        }
        let found = bitvectors(self.store, self.prover, premise, &said)?;
        let (automaton, store) = (&mut self.automata[index], &mut *self.store);
        let states =
            found.into_iter().map(|bits| automaton.bitvector(store, predicates, bits)).collect();
        Ok(automaton.intern(store, states))
    }

    /// Whether `{before} letter {after}` is valid, for a letter that is no return.
    pub fn is_valid(
        &mut self,
        before: TermId,
        letter: LetterId,
        after: TermId,
    ) -> Result<bool, Reason> {
        let goals: &[TermId] = if after == TermId::FALSE { &[] } else { &[after] };
        let (premise, said) = self.triple(letter, &[before], &[TermId::TRUE], goals);
        Ok(match self.hoare.post(self.store, self.prover, letter, premise, &said)? {
            Post::Infeasible => true,
            Post::Goals(answers) => answers == [true],
        })
    }

    /// The premise of Hoare triples over a letter, and what the predicates say after it. For a
    /// return, `here` is the exit and `there` where the call was made.
    fn triple(
        &mut self,
        letter: LetterId,
        here: &[TermId],
        there: &[TermId],
        predicates: &[TermId],
    ) -> (TermId, Vec<TermId>) {
        let (program, calls, store) = (&*self.program, &self.calls, &mut *self.store);
        let is_return = matches!(self.alphabet.letter(letter), Letter::Return(_));
        let (before, exit) = if is_return { (there, here) } else { (here, there) };
        let (before, exit) = (store.mk_and(before), store.mk_and(exit));
        let premise = self.alphabet.premise(program, calls, store, letter, before, exit);
        let said = predicates
            .iter()
            .map(|&p| self.alphabet.said(program, calls, store, letter, p))
            .collect();
        (premise, said)
    }

    /// Whether a predicate can be said inside `function` and of something that still matters
    /// at `place`.
    fn makes_sense(&self, state: &State, function: FunctionId, place: LocId) -> bool {
        let alive = |constant| match self.program.slots.of_constant(constant) {
            Some(slot) => self.program.matters(slot, place) || self.is_rigid(function, slot),
            None => true,
        };
        state.scope.iter().all(|&f| f == function)
            && self.store.constants(state.predicate).into_iter().all(alive)
    }

    /// Parameters that are never written are their own entry values, of which
    /// summaries speak even where the function itself no longer reads them.
    fn is_rigid(&self, function: FunctionId, slot: SlotId) -> bool {
        let scope = self.calls.scope_of(function);
        scope.parameters.contains(&slot) && scope.entry.iter().all(|e| e.0 != slot)
    }
}

impl Domain for Views<'_, '_> {
    type Label = Sets;

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
        blocks.iter().filter(|block| !self.useless.contains(&block.to)).cloned().collect()
    }

    fn after_block(
        &mut self,
        before: &Sets,
        block: &Rc<Transition>,
    ) -> Result<Option<Sets>, Reason> {
        let letter = self.alphabet.block(block);
        self.steps(letter, block.to, |i| (before[i], MacroId::TRUE))
    }

    fn after_call(
        &mut self,
        before: &Sets,
        site: &Rc<CallSite>,
        entry: LocId,
    ) -> Result<Option<Sets>, Reason> {
        let (letter, _) = self.alphabet.call(site);
        self.steps(letter, entry, |i| (before[i], MacroId::TRUE))
    }

    fn after_return(
        &mut self,
        before: &Sets,
        site: &Rc<CallSite>,
        exit: &Sets,
    ) -> Result<Option<Sets>, Reason> {
        let (_, letter) = self.alphabet.call(site);
        self.steps(letter, site.to, |i| (exit[i], before[i]))
    }

    fn covers(&mut self, by: &Sets, covered: &Sets) -> Result<bool, Reason> {
        Ok(self.subsumes(by, covered))
    }

    fn serves(&mut self, entry: &Sets, brought: &Sets) -> Result<bool, Reason> {
        Ok(if self.exact_contexts { entry == brought } else { self.subsumes(entry, brought) })
    }
}

/// What some automata know in some sets.
pub fn conjunction(
    store: &mut TermStore,
    automata: &[InterpolantAutomaton],
    sets: &[MacroId],
) -> TermId {
    let conjuncts: Vec<TermId> =
        automata.iter().zip(sets).map(|(automaton, &set)| automaton.formula(set)).collect();
    store.mk_and(&conjuncts)
}

/// Cut points of a program without calls from which no error can be reached.
fn useless(program: &BlockProgram<'_>) -> HashSet<LocId> {
    let cfa = program.program;
    let errors = cfa.locations.iter().filter(|(_, l)| l.error.is_some()).map(|(id, _)| id);
    let mut pending: Vec<LocId> = errors.collect();
    let mut useful: HashSet<LocId> = pending.iter().copied().collect();
    while let Some(at) = pending.pop() {
        for &edge in &cfa.locations[at].incoming {
            if useful.insert(cfa.edges[edge].from) {
                pending.push(cfa.edges[edge].from);
            }
        }
    }
    let cuts = cfa.locations.ids().filter(|&l| program.blocks.is_cut(l));
    cuts.filter(|l| !useful.contains(l)).collect()
}
