//! Refinement of trace abstraction.
//!
//! After Heizmann, Hoenicke, Podelski, "Refinement of Trace Abstraction" (SAS
//! 2009), with nested words and nested interpolants for calls after the same
//! authors (POPL 2010). A proof is a set of automata over statements, each of which accepts infeasible
//! traces only; the program is correct when together they accept all its error traces.
//!
//! | paper | here |
//! |---|---|
//! | statements as letters, section 3 | [`alphabet`] |
//! | the loop, section 5, Figure 5 | [`TraceAbstraction::verify`] |
//! | A_P minus A_1 .. A_n, emptiness on the fly, section 4 | [`difference`], [`exploration`] |
//! | interpolant automata, Definitions 2 and 3 | [`automaton`], [`refutation`] |
//! | speculative edges, section 6 | [`TraceAbstraction::step`], [`hoare`] |
//! | predicate abstraction as one automaton, Theorem 4 | [`bitvectors`], [`Options::predicates`] |
//! | automata of earlier programs, "caching infeasibility" | [`reuse`] |
//!
//! The Floyd-Hoare annotation falls out of the difference: at each location the disjunction
//! over its nodes of what all automata know there.
//!
//! Deviations. A step may be a large block. An enhanced automaton is deterministic: its states are sets of
//! predicates known to hold, and the precondition of a triple is their
//! conjunction. Facts that hold anyway (templates, summaries from executions) make a
//! *background* automaton, number 0, that accepts nothing but what they
//! contradict; the triples of the others may assume what it knows. Now and then the program is
//! executed with inputs that an infeasible trace suggests ([`shortcut`]).
//!
//! Progress: an automaton accepts the trace it was made from, since its interpolants are
//! inductive along it. Should the solver be too weak to see that, the
//! trace is refuted with other interpolants, and then given up.
//!
//! Limits. The differences are not minimised; covering does most of
//! that work.

mod alphabet;
mod automaton;
mod bitvectors;
mod difference;
mod exploration;
mod hoare;
pub mod language;
mod refutation;
mod reuse;
mod shortcut;
mod values;

pub use alphabet::LetterId;
pub use automaton::{InterpolantAutomaton, MacroId, Source};
pub use hoare::{Oracle, Post, Statistics as TripleStatistics};
pub use reuse::{ProofStore, Recorder, SharedStore, Stored};

use crate::picture::DIAGRAMS;
use alphabet::{Alphabet, scope_of};
use automaton::{Situation, State};
use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::Calls;
use bolide_reachability::facts::{self, Facts};
use bolide_reachability::prover::Prover;
use bolide_reachability::verdict::{Certificate, Conclusion, Contract, Reason};
use bolide_reachability::{summaries, templates};
use bolide_terms::{TermId, TermStore};
use difference::{ContextId, Difference, NodeId};
use hoare::HoareChecker;
use language::Automaton;
use refutation::Refutation;
use std::collections::{BTreeMap, BTreeSet};

/// Which interpolant automata are built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Construction {
    /// Only the edges of Definition 3.
    Canonical,
    /// All edges whose Hoare triples hold, on demand.
    #[default]
    Enhanced,
}

/// What may be tuned.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which automata are built.
    pub construction: Construction,
    /// Whether facts that hold anyway are looked for before the search.
    pub background: bool,
    /// Facts of this very program that prove each other, if somebody looked for them before.
    pub facts: Option<Facts>,
    /// Theorem 4: subtract the one automaton of the predicate abstraction with these predicates
    /// and learn nothing more; the first error trace that it leaves ends the search.
    pub predicates: Option<Vec<TermId>>,
    /// Whether the automata are described in words at the end.
    pub describe: bool,
    /// Whether a few automata, not too large, are described for a drawing.
    pub pictures: bool,
    /// Where proofs of earlier programs are, and where this one is to be kept.
    pub proofs: Option<SharedStore>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            construction: Construction::default(),
            background: true,
            facts: None,
            predicates: None,
            describe: false,
            pictures: false,
            proofs: None,
        }
    }
}

/// How far the search came.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Error traces refuted.
    pub refinements: u64,
    /// Automata subtracted, without the background.
    pub automata: u64,
    /// Those of them that come from the database.
    pub stored_automata: u64,
    /// Predicates of the background that come from the database.
    pub stored_background: u64,
    /// Predicates of all automata.
    pub predicates: u64,
    /// Nodes of the difference.
    pub nodes: u64,
    /// Nodes ever made.
    pub made: u64,
    /// Nodes covered by others.
    pub covered: u64,
    /// Letters of the longest error trace.
    pub longest: u64,
    /// How Hoare triples were decided.
    pub triples: hoare::Statistics,
}

impl Statistics {
    /// For the report.
    pub fn figures(&self) -> Vec<(&'static str, u64)> {
        let t = &self.triples;
        vec![
            ("refinements", self.refinements),
            ("automata", self.automata),
            ("automata from the database", self.stored_automata),
            ("background facts from the database", self.stored_background),
            ("predicates", self.predicates),
            ("nodes", self.nodes),
            ("nodes made", self.made),
            ("covered", self.covered),
            ("letters in the longest trace", self.longest),
            ("Hoare triples", t.triples),
            ("of them syntactic", t.syntactic),
            ("remembered", t.remembered),
            ("refuted by a model", t.by_model),
            ("by the solver", t.by_solver),
            ("Hoare triples from the database", t.by_store),
            ("solver queries for triples", t.queries),
        ]
    }
}

/// What came of a search.
pub struct Outcome {
    /// The conclusion.
    pub conclusion: Conclusion,
    /// How far the search came.
    pub statistics: Statistics,
    /// If asked for: the automata that were subtracted, the background first, as graphs over
    /// statements in words, with only the edges that the difference asked for.
    pub automata: Vec<Automaton>,
    /// If asked for: how many predicates the difference needed at each location.
    pub located: Vec<(LocId, usize)>,
    /// If asked for: the same as files, and a table of the refinement steps.
    pub drawings: Vec<(String, String)>,
    /// With proofs of earlier programs: what is worth keeping of this one.
    pub stored: Option<reuse::Stored>,
}

/// Decides whether an error location of `program` can be reached.
pub fn verify(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: &Options,
) -> Outcome {
    verify_with(program, store, prover, options, None)
}

/// As [`verify`], with proofs of earlier programs.
pub fn verify_with(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: &Options,
    mut recorder: Option<&mut Recorder>,
) -> Outcome {
    let calls = match Calls::new(program, store) {
        Ok(calls) => calls,
        Err(why) => {
            return Outcome {
                conclusion: Conclusion::Unknown(Reason::Unsupported(why)),
                statistics: Statistics::default(),
                automata: Vec::new(),
                located: Vec::new(),
                drawings: Vec::new(),
                stored: None,
            };
        }
    };
    let letters = match recorder {
        Some(_) => reuse::letters(program, store),
        None => Vec::new(),
    };
    let mut candidates = Vec::new();
    if let Some(recorder) = &mut recorder {
        for text in recorder.candidates(&letters) {
            if let Some(recalled) = reuse::read(program, store, &letters, &text) {
                candidates.extend([recalled.automata, recalled.adapted]);
            }
        }
        candidates.reverse();
    }
    let mut engine = TraceAbstraction {
        program,
        calls,
        store,
        prover,
        options,
        alphabet: Alphabet::default(),
        hoare: HoareChecker::new(recorder.map(|r| r as &mut dyn Oracle)),
        candidates,
        automata: Vec::new(),
        difference: Difference::default(),
        useless: HashSet::default(),
        exact_contexts: false,
        refuted: HashMap::default(),
        history: Vec::new(),
        statistics: Statistics::default(),
    };
    let conclusion = engine.verify().unwrap_or_else(Conclusion::Unknown);
    engine.count();
    // A drawing must not take longer than the search.
    let small = |a: &&InterpolantAutomaton| a.steps().len() <= DRAWN_STEPS;
    let described = match (options.describe, options.pictures) {
        (true, _) => engine.automata.len(),
        (_, true) => engine.automata.iter().take(DIAGRAMS).take_while(small).count(),
        _ => 0,
    };
    let automata: Vec<Automaton> = (0..described).map(|i| engine.graph(i)).collect();
    let drawings = match options.describe {
        true => language::drawings(&automata, &engine.history),
        false => Vec::new(),
    };
    let located = if options.pictures { engine.predicates_by_location() } else { Vec::new() };
    let predicates: Vec<Vec<TermId>> =
        engine.automata.iter().map(InterpolantAutomaton::predicates).collect();
    let stored = match letters.is_empty() || predicates.iter().all(Vec::is_empty) {
        true => None,
        false => reuse::write(engine.store, &letters, &predicates),
    };
    Outcome { conclusion, statistics: engine.statistics, automata, located, drawings, stored }
}

struct TraceAbstraction<'a, 'p> {
    program: &'a mut BlockProgram<'p>,
    calls: Calls,
    store: &'a mut TermStore,
    prover: &'a mut Prover,
    options: &'a Options,
    alphabet: Alphabet,
    hoare: HoareChecker<'a>,
    /// The trace abstraction; number 0 is the background.
    automata: Vec<InterpolantAutomaton>,
    difference: Difference,
    /// Automata of earlier programs that were not tried yet, the best last; of
    /// each program the background first.
    candidates: Vec<Vec<Vec<TermId>>>,
    /// Cut points from which no error can be reached: the program automaton is trimmed.
    useless: HashSet<LocId>,
    /// Whether a context is only for callers that know exactly the same, see [`exploration`].
    exact_contexts: bool,
    /// How often a trace was refuted.
    refuted: HashMap<Vec<LetterId>, usize>,
    /// One line for each automaton after the background.
    history: Vec<String>,
    statistics: Statistics,
}

impl TraceAbstraction<'_, '_> {
    fn verify(&mut self) -> Result<Conclusion, Reason> {
        self.useless = self.useless_locations();
        if !self.begin_with_candidate() {
            let facts = self.background()?;
            self.automata.push(self.enhanced(facts, Source::Background));
        }
        if let Some(predicates) = &self.options.predicates {
            self.automata.push(InterpolantAutomaton::predicate_abstraction(predicates.clone()));
        }
        self.start()?;
        loop {
            let Some(error) = self.explore()? else {
                return Ok(Conclusion::Safe(self.certificate()));
            };
            if let Some(automaton) = self.candidate_for(error)? {
                self.subtract(automaton)?;
                continue;
            }
            if let Some(run) = self.shortcut(error)? {
                return Ok(Conclusion::Unsafe(run));
            }
            match self.refute(error)? {
                Refutation::Feasible(run) => return Ok(Conclusion::Unsafe(run)),
                Refutation::Infeasible(automaton) => self.subtract(automaton)?,
            }
            // What an earlier program knew was not enough.
            let begun = self.statistics.stored_automata + self.statistics.stored_background > 0;
            if begun && self.statistics.refinements == ENOUGH {
                self.more_background()?;
            }
        }
    }

    /// Subtracts all automata of the best earlier program before anything else.
    fn begin_with_candidate(&mut self) -> bool {
        let Some(automata) = self.candidates.pop() else { return false };
        for (number, predicates) in automata.into_iter().enumerate() {
            let source = if number == 0 { Source::Background } else { Source::Database };
            if number == 0 || !predicates.is_empty() {
                match number {
                    0 => self.statistics.stored_background += predicates.len() as u64,
                    _ => self.statistics.stored_automata += 1,
                }
                self.automata.push(self.enhanced(predicates, source));
            }
        }
        !self.automata.is_empty()
    }

    /// An automaton of an earlier program that accepts the trace to this error.
    fn candidate_for(&mut self, error: NodeId) -> Result<Option<InterpolantAutomaton>, Reason> {
        while let Some(automata) = self.candidates.last_mut() {
            let Some(mut predicates) = automata.pop() else {
                self.candidates.pop();
                continue;
            };
            // Its triples may have used what its own background knew.
            predicates.extend(automata.first().into_iter().flatten());
            let automaton = self.enhanced(predicates, Source::Database);
            self.automata.push(automaton);
            let accepted = self.accepts_trace(error)?;
            let automaton = self.automata.pop().expect("it was pushed just now");
            if accepted {
                self.statistics.stored_automata += 1;
                return Ok(Some(automaton));
            }
        }
        Ok(None)
    }

    /// Looks for facts that hold anyway after all, and starts again with them.
    fn more_background(&mut self) -> Result<(), Reason> {
        let facts = self.background()?;
        let mut all = self.automata[0].predicates();
        all.extend(facts.iter().filter(|f| !self.automata[0].predicates().contains(f)));
        self.automata[0] = self.enhanced(all, Source::Background);
        for automaton in &mut self.automata {
            automaton.forget_steps();
        }
        self.start()
    }

    /// Cut points of a program without calls from which no error can be reached.
    fn useless_locations(&self) -> HashSet<LocId> {
        let cfa = self.program.program;
        if !self.calls.is_empty() {
            return HashSet::default();
        }
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
        let cuts = cfa.locations.ids().filter(|&l| self.program.blocks.is_cut(l));
        cuts.filter(|l| !useful.contains(l)).collect()
    }

    /// Heuristic: facts at cut points that prove each other.
    fn background(&mut self) -> Result<Vec<TermId>, Reason> {
        if !self.options.background {
            return Ok(Vec::new());
        }
        let (program, store) = (&mut *self.program, &mut *self.store);
        let known = self.options.facts.as_ref().filter(|_| self.calls.is_empty());
        let found = if let Some(facts) = known {
            Ok(facts::formulas(program, store, facts))
        } else if self.calls.is_empty() {
            let options = templates::Options::default();
            templates::inductive_invariants(program, store, self.prover, options)
        } else {
            summaries::inductive_facts(program, &self.calls, store, self.prover)
        };
        let found = match found {
            Ok(found) => found,
            Err(Reason::Exhausted(what)) => return Err(Reason::Exhausted(what)),
            Err(_) => HashMap::default(),
        };
        let mut locations: Vec<LocId> = found.keys().copied().collect();
        locations.sort_unstable();
        let mut facts: Vec<TermId> =
            locations.into_iter().flat_map(|l| found[&l].clone()).collect();
        let mut seen: HashSet<TermId> = HashSet::default();
        if !self.calls.is_empty() {
            let budget = self.prover.budget().clone();
            facts.extend(values::executed_values(self.program, self.store, &budget));
        }
        facts.retain(|&f| f != TermId::TRUE && f != TermId::FALSE && seen.insert(f));
        Ok(facts)
    }

    fn enhanced(&self, predicates: Vec<TermId>, source: Source) -> InterpolantAutomaton {
        let scope = |p| scope_of(self.program, &self.calls, self.store, p);
        InterpolantAutomaton::enhanced(predicates, scope, source)
    }

    /// One step of all views; none when one of them accepts. `before` gives the
    /// sets before the letter and, for returns, of the caller.
    fn steps(
        &mut self,
        letter: LetterId,
        place: LocId,
        last: bool,
        before: impl Fn(usize) -> (MacroId, MacroId),
    ) -> Result<Option<Vec<MacroId>>, Reason> {
        let mut sets = Vec::with_capacity(self.automata.len());
        for index in 0..self.automata.len() {
            let (from, caller) = before(index);
            let situation = Situation { from, caller, background: before(0), letter, place, last };
            match self.step(index, situation)? {
                MacroId::FALSE => return Ok(None),
                set => sets.push(set),
            }
        }
        Ok(Some(sets))
    }

    /// One step of the deterministic view of one automaton.
    fn step(&mut self, index: usize, situation: Situation) -> Result<MacroId, Reason> {
        if let Some(known) = self.automata[index].known_step(&situation) {
            return Ok(known);
        }
        let to = if self.automata[index].edges.is_some() {
            if Some(situation.letter) == Some(self.alphabet.start()) {
                self.automata[index].intern(self.store, vec![0])
            } else {
                self.automata[index].subset_step(self.store, &situation)
            }
        } else if let Some(predicates) = self.automata[index].bitvectors.clone() {
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
        let after = self.alphabet.function_after(self.program, letter);
        let goals: Vec<u32> = (0..own.states.len() as u32)
            .filter(|_| !situation.last)
            .filter(|&s| self.makes_sense(&own.states[s as usize], after, situation.place))
            .collect();
        let is_return = matches!(self.alphabet.letter(letter), alphabet::Letter::Return(_));
        let here = [own.formula(situation.from), background.formula(situation.background.0)];
        let there = [own.formula(situation.caller), background.formula(situation.background.1)];
        let (before, exit) = if is_return { (there, here) } else { (here, there) };
        let predicates: Vec<TermId> =
            goals.iter().map(|&g| own.states[g as usize].predicate).collect();
        let (program, calls, store) = (&*self.program, &self.calls, &mut *self.store);
        let (before, exit) = (store.mk_and(&before), store.mk_and(&exit));
        let premise = self.alphabet.premise(program, calls, store, letter, before, exit);
        let said: Vec<TermId> = predicates
            .iter()
            .map(|&p| self.alphabet.said(program, calls, store, letter, p))
            .collect();
        match self.hoare.post(store, self.prover, letter, premise, &said)? {
            Post::Infeasible => Ok(MacroId::FALSE),
            Post::Goals(answers) => {
                let members = goals
                    .iter()
                    .zip(answers)
                    .filter(|(_, holds)| *holds)
                    .map(|(&g, _)| g)
                    .collect();
                Ok(self.automata[index].intern(store, members))
            }
        }
    }

    /// Whether a predicate can be said inside `function` and of something that still matters
    /// at `place`.
    fn makes_sense(&self, state: &State, function: bolide_cfa::FunctionId, place: LocId) -> bool {
        let alive = |constant| match self.program.slots.of_constant(constant) {
            Some(slot) => self.program.matters(slot, place) || self.is_rigid(function, slot),
            None => true,
        };
        state.scope.iter().all(|&f| f == function)
            && self.store.constants(state.predicate).into_iter().all(alive)
    }

    /// Parameters that are never written are their own entry values, of which
    /// summaries speak even where the function itself no longer reads them.
    fn is_rigid(
        &self,
        function: bolide_cfa::FunctionId,
        slot: bolide_reachability::encode::SlotId,
    ) -> bool {
        let scope = self.calls.scope_of(function);
        scope.parameters.contains(&slot) && scope.entry.iter().all(|e| e.0 != slot)
    }

    /// At each location the disjunction over its nodes of what all automata know.
    fn certificate(&mut self) -> Certificate {
        let mut certificate = Certificate::default();
        let contexts: Vec<ContextId> = self.difference.contexts.ids().collect();
        for (number, context) in contexts.into_iter().enumerate() {
            let mut states: HashMap<LocId, Vec<TermId>> = HashMap::default();
            for (id, node) in self.difference.nodes() {
                if node.context == context && self.difference.is_open(id) {
                    let state = conjunction(self.store, &self.automata, &node.sets);
                    states.entry(node.location).or_default().push(state);
                }
            }
            let invariants = states
                .into_iter()
                .map(|(location, states)| (location, self.store.mk_or(&states)))
                .collect();
            if number > 0 && self.difference.contexts[context].root.is_none() {
                continue;
            }
            if number == 0 {
                certificate.invariants = invariants;
                // From there on only such locations follow: `true` is inductive.
                certificate.invariants.extend(self.useless.iter().map(|&l| (l, TermId::TRUE)));
            } else {
                let context = &self.difference.contexts[context];
                let precondition = conjunction(self.store, &self.automata, &context.entry);
                let function = context.function;
                certificate.contracts.push(Contract { function, precondition, invariants });
            }
        }
        certificate
    }

    /// The edges of an automaton's view that the difference asked for.
    fn graph(&self, index: usize) -> Automaton {
        let automaton = &self.automata[index];
        let letter = |letter| self.alphabet.text(self.program, self.store, letter);
        language::of_view(automaton, letter, |term| alphabet::in_words(self.store, term))
    }

    fn predicates_by_location(&self) -> Vec<(LocId, usize)> {
        let mut found: BTreeMap<LocId, BTreeSet<TermId>> = BTreeMap::new();
        for (_, node) in self.difference.nodes() {
            let known = found.entry(node.location).or_default();
            for (automaton, &set) in self.automata.iter().zip(&node.sets) {
                if set != MacroId::FALSE {
                    known.extend(self.store.atoms(automaton.formula(set)));
                }
            }
        }
        found.into_iter().map(|(location, known)| (location, known.len())).collect()
    }

    fn count(&mut self) {
        let statistics = &mut self.statistics;
        statistics.automata = self.automata.len().saturating_sub(1) as u64;
        statistics.predicates = self.automata.iter().map(|a| a.states.len() as u64).sum();
        statistics.nodes = self.difference.len() as u64;
        statistics.made += self.difference.made() as u64;
        statistics.triples = self.hoare.statistics;
    }
}

fn conjunction(
    store: &mut TermStore,
    automata: &[InterpolantAutomaton],
    sets: &[MacroId],
) -> TermId {
    let conjuncts: Vec<TermId> =
        automata.iter().zip(sets).map(|(automaton, &set)| automaton.formula(set)).collect();
    store.mk_and(&conjuncts)
}

/// Automata with more steps are not drawn.
const DRAWN_STEPS: usize = 400;

/// After so many refinements of its own a search that began with an earlier
/// proof looks for background facts as well.
const ENOUGH: u64 = 6;

/// Letters of a trace. Longer ones would not be decided in reasonable time.
const LIMIT: usize = 5_000;
