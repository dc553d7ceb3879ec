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
//! | A_P minus A_1 .. A_n, emptiness on the fly, section 4 | [`exploration`], [`views`], [`subtraction`] |
//! | interpolant automata, Definitions 2 and 3 | [`automaton`], [`refutation`] |
//! | speculative edges, section 6 | [`views::Views::step`], [`hoare`] |
//! | predicate abstraction as one automaton, Theorem 4 | [`bitvectors`], [`Options::predicates`] |
//! | automata of earlier programs, "caching infeasibility" | [`reuse`] |
//!
//! The difference is an [abstract reachability graph](bolide_reachability::arg) whose nodes are
//! labelled with one set of states of each automaton; the node that waits with the shortest trace
//! goes first. The Floyd-Hoare annotation falls out of it: at each location the disjunction
//! over its nodes of what all automata know there.
//!
//! Deviations. A step may be a large block. An enhanced automaton is deterministic: its states are sets of
//! predicates known to hold, and the precondition of a triple is their
//! conjunction. Facts that hold anyway (templates, summaries from executions) make a
//! *background* automaton, number 0 ([`background`]), that accepts nothing but what they
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
mod background;
mod bitvectors;
mod error_trace;
mod hoare;
pub mod language;
mod refutation;
mod reuse;
mod shortcut;
mod subtraction;
mod values;
mod views;

pub use alphabet::LetterId;
pub use automaton::{Construction, InterpolantAutomaton, MacroId, Source};
pub use hoare::{Oracle, Post, Statistics as TripleStatistics};
pub use reuse::{ProofStore, Recorder, SharedStore, Stored};

use crate::picture::DIAGRAMS;
use bolide_cfa::LocId;
#[cfg(doc)]
use bolide_reachability::arg::exploration;
use bolide_reachability::arg::{Arrival, Graph, NodeId, Order};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::Calls;
use bolide_reachability::facts::Facts;
use bolide_reachability::prover::Prover;
use bolide_reachability::verdict::{Certificate, Conclusion, Reason};
use bolide_terms::{TermId, TermStore};
use hoare::HoareChecker;
use language::Automaton;
use refutation::{Refutation, Refuter};
use std::collections::{BTreeMap, BTreeSet};
use views::{Sets, Views, conjunction};

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
    let hoare = HoareChecker::new(recorder.map(|r| r as &mut dyn Oracle));
    let mut engine = TraceAbstraction {
        views: Views::new(program, calls, store, prover, hoare),
        difference: Graph::new(Order::Shortest),
        options,
        refuter: Refuter::default(),
        candidates,
        history: Vec::new(),
        statistics: Statistics::default(),
    };
    let conclusion = engine.verify().unwrap_or_else(Conclusion::Unknown);
    engine.count();
    // A drawing must not take longer than the search.
    let small = |a: &&InterpolantAutomaton| a.steps().len() <= DRAWN_STEPS;
    let described = match (options.describe, options.pictures) {
        (true, _) => engine.views.automata.len(),
        (_, true) => engine.views.automata.iter().take(DIAGRAMS).take_while(small).count(),
        _ => 0,
    };
    let automata: Vec<Automaton> = (0..described).map(|i| engine.graph(i)).collect();
    let drawings = match options.describe {
        true => language::drawings(&automata, &engine.history),
        false => Vec::new(),
    };
    let located = if options.pictures { engine.predicates_by_location() } else { Vec::new() };
    let predicates: Vec<Vec<TermId>> =
        engine.views.automata.iter().map(InterpolantAutomaton::predicates).collect();
    let stored = match letters.is_empty() || predicates.iter().all(Vec::is_empty) {
        true => None,
        false => reuse::write(engine.views.store, &letters, &predicates),
    };
    Outcome { conclusion, statistics: engine.statistics, automata, located, drawings, stored }
}

struct TraceAbstraction<'a, 'p> {
    views: Views<'a, 'p>,
    difference: Graph<Sets>,
    options: &'a Options,
    refuter: Refuter,
    /// Automata of earlier programs that were not tried yet, the best last; of
    /// each program the background first.
    candidates: Vec<Vec<Vec<TermId>>>,
    /// One line for each automaton after the background.
    history: Vec<String>,
    statistics: Statistics,
}

impl TraceAbstraction<'_, '_> {
    fn verify(&mut self) -> Result<Conclusion, Reason> {
        self.begin()?;
        loop {
            let Some(error) = self.difference.explore(&mut self.views)? else {
                return Ok(Conclusion::Safe(self.certificate()));
            };
            if let Some(automaton) = self.candidate_for(error)? {
                self.subtract(automaton)?;
                continue;
            }
            let (views, difference) = (&mut self.views, &self.difference);
            let refinements = self.refuter.refinements;
            if let Some(run) = shortcut::shortcut(views, difference, error, refinements)? {
                return Ok(Conclusion::Unsafe(run));
            }
            // Theorem 4 asks for one automaton only.
            let construction =
                self.options.predicates.is_none().then_some(self.options.construction);
            match self.refuter.refute(views, difference, error, construction)? {
                Refutation::Feasible(run) => return Ok(Conclusion::Unsafe(run)),
                Refutation::Infeasible(automaton) => self.subtract(automaton)?,
            }
            // What an earlier program knew was not enough.
            let begun = self.statistics.stored_automata + self.statistics.stored_background > 0;
            if begun && self.refuter.refinements == ENOUGH {
                self.more_background()?;
            }
        }
    }

    /// The first automata, and the start of the difference.
    fn begin(&mut self) -> Result<(), Reason> {
        if !self.begin_with_candidate() {
            let facts = self.background()?;
            self.views.automata.push(self.views.enhanced(facts, Source::Background));
        }
        if let Some(predicates) = self.options.predicates.clone() {
            self.views.automata.push(InterpolantAutomaton::predicate_abstraction(predicates));
        }
        self.start()
    }

    /// The difference, with nothing but the start.
    fn start(&mut self) -> Result<(), Reason> {
        self.difference.clear();
        let program = &*self.views.program;
        let (function, entry) = (program.program.entry, program.entry());
        if let Some(sets) = self.views.start()? {
            self.difference.open(function, entry, sets, Arrival::Start);
        }
        Ok(())
    }

    /// Facts that hold anyway, unless they are not wanted.
    fn background(&mut self) -> Result<Vec<TermId>, Reason> {
        match self.options.background {
            true => background::facts(&mut self.views, self.options.facts.as_ref()),
            false => Ok(Vec::new()),
        }
    }

    /// Subtracts one more automaton; the difference is continued.
    fn subtract(&mut self, automaton: InterpolantAutomaton) -> Result<(), Reason> {
        let source = match automaton.source {
            Source::Trace(length) => format!("a trace of {length} letters"),
            Source::Database => "the database".to_owned(),
            Source::Background => "the background".to_owned(),
        };
        self.history.push(format!(
            "{}\t{source}\t{}\t{}\t{}",
            self.views.automata.len(),
            automaton.states.len(),
            self.difference.len(),
            self.views.hoare.statistics.queries
        ));
        self.views.automata.push(automaton);
        subtraction::subtract_last(&mut self.views, &mut self.difference)
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
                self.views.automata.push(self.views.enhanced(predicates, source));
            }
        }
        !self.views.automata.is_empty()
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
            let automaton = self.views.enhanced(predicates, Source::Database);
            self.views.automata.push(automaton);
            let accepted = error_trace::last_accepts(&mut self.views, &self.difference, error)?;
            let automaton = self.views.automata.pop().expect("it was pushed just now");
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
        let mut all = self.views.automata[0].predicates();
        let known: BTreeSet<TermId> = all.iter().copied().collect();
        all.extend(facts.into_iter().filter(|fact| !known.contains(fact)));
        self.views.automata[0] = self.views.enhanced(all, Source::Background);
        for automaton in &mut self.views.automata {
            automaton.forget_steps();
        }
        self.start()
    }

    /// At each location the disjunction over its nodes of what all automata know.
    fn certificate(&mut self) -> Certificate {
        let (store, automata) = (&mut *self.views.store, &self.views.automata);
        let said = |store: &mut TermStore, sets: &Sets| conjunction(store, automata, sets);
        let mut certificate = self.difference.certificate(store, |s, node| said(s, &node.label));
        // From there on only such locations follow: `true` is inductive.
        let useless = self.views.useless.iter().map(|&location| (location, TermId::TRUE));
        certificate.invariants.extend(useless);
        certificate
    }

    /// The edges of an automaton's view that the difference asked for.
    fn graph(&self, index: usize) -> Automaton {
        let Views { program, store, alphabet, automata, .. } = &self.views;
        let letter = |letter| alphabet.text(program, store, letter);
        language::of_view(&automata[index], letter, |term| alphabet::in_words(store, term))
    }

    fn predicates_by_location(&self) -> Vec<(LocId, usize)> {
        let mut found: BTreeMap<LocId, BTreeSet<TermId>> = BTreeMap::new();
        for (_, node) in self.difference.nodes() {
            let known = found.entry(node.location).or_default();
            for (automaton, &set) in self.views.automata.iter().zip(&node.label) {
                if set != MacroId::FALSE {
                    known.extend(self.views.store.atoms(automaton.formula(set)));
                }
            }
        }
        found.into_iter().map(|(location, known)| (location, known.len())).collect()
    }

    fn count(&mut self) {
        let (statistics, views) = (&mut self.statistics, &self.views);
        statistics.refinements = self.refuter.refinements;
        statistics.longest = self.refuter.longest;
        statistics.automata = views.automata.len().saturating_sub(1) as u64;
        statistics.predicates = views.automata.iter().map(|a| a.states.len() as u64).sum();
        statistics.nodes = self.difference.len() as u64;
        statistics.made = self.difference.made() as u64;
        statistics.covered = self.difference.coverings() as u64;
        statistics.triples = views.hoare.statistics;
    }
}

/// Automata with more steps are not drawn.
const DRAWN_STEPS: usize = 400;

/// After so many refinements of its own a search that began with an earlier
/// proof looks for background facts as well.
const ENOUGH: u64 = 6;
