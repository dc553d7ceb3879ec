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
//! | predicate abstraction as one automaton, Theorem 4 | [`bitvectors`], [`search_with_predicates`] |
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
//! Automata are minimised before they are kept ([`minimise`]). Limits: the differences are not; covering does
//! most of that work.

mod alphabet;
mod automaton;
mod background;
mod bitvectors;
mod error_trace;
mod hoare;
pub mod language;
mod ledger;
mod minimise;
pub mod options;
mod refutation;
mod reuse;
mod shortcut;
mod subtraction;
mod values;
mod views;

pub use automaton::Construction;
pub use options::Options;
pub use reuse::{ProofStore, SharedStore};

use crate::first_predicates;
use crate::picture::DIAGRAMS;
use crate::task::{Orders, Task};
use crate::workbench::{Statistics, Workbench};
use automaton::{InterpolantAutomaton, MacroId, Source};
use bolide_cfa::LocId;
#[cfg(doc)]
use bolide_reachability::arg::exploration;
use bolide_reachability::arg::{Arrival, Graph, NodeId, Order};
use bolide_reachability::calls::Calls;
use bolide_reachability::facts::Facts;
use bolide_reachability::verdict::{Annotation, Reason};
use bolide_terms::{TermId, TermStore};
use bolide_verdict::Conclusion;
use bolide_verdict::audit::Figures;
use hoare::{HoareChecker, Oracle};
use language::Automaton;
use ledger::Ledger;
use refutation::{Refutation, Refuter};
use reuse::Recorder;
use std::collections::{BTreeMap, BTreeSet};
use views::{Sets, Views, conjunction};

/// Decides whether an error location can be reached; with first predicates, whether they suffice for that.
pub fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    let given = &task.orders.first_predicates;
    if given.is_empty() {
        return search_with_predicates(task, bench, Vec::new());
    }
    let blocks = bench.blocks(task.orders.single_blocks);
    let store = &mut bench.store;
    let found = Calls::new(&blocks, store).and_then(|calls| {
        let mut lists = Vec::new();
        for list in given {
            let found = first_predicates::resolve(&blocks, &calls, store, list)?;
            let predicates: BTreeSet<TermId> = found.into_iter().map(|(_, term)| term).collect();
            lists.push(predicates.into_iter().collect());
        }
        Ok(lists)
    });
    match found {
        Ok(lists) => search_with_predicates(task, bench, lists),
        Err(why) => Conclusion::Unknown(Reason::Unsupported(why)),
    }
}

/// Theorem 4: if there are lists of predicates, subtracts the automaton of the predicate abstraction with each of them
/// and learns nothing more; the first error trace that they leave ends the search.
pub fn search_with_predicates(
    task: &Task<'_>,
    bench: &mut Workbench<'_>,
    predicates: Vec<Vec<TermId>>,
) -> Conclusion {
    let mut recorder = task.orders.trace.proofs.clone().map(Recorder::new);
    let mut blocks = bench.blocks(task.orders.single_blocks);
    let calls = match Calls::new(&blocks, &mut bench.store) {
        Ok(calls) => calls,
        Err(why) => return Conclusion::Unknown(Reason::Unsupported(why)),
    };
    let mut letters = Vec::new();
    let mut candidates = Vec::new();
    if let Some(recorder) = &mut recorder {
        letters = reuse::letters(&mut blocks, &mut bench.store);
        candidates = recorder.automata(&blocks, &mut bench.store, &letters);
    }
    let hoare = HoareChecker::new(recorder.as_mut().map(|r| r as &mut dyn Oracle));
    let (store, prover) = (&mut bench.store, &mut bench.prover);
    let mut engine = TraceAbstraction {
        views: Views::new(&mut blocks, calls, store, prover, hoare),
        difference: Graph::new(task.orders.order.unwrap_or(Order::Shortest)),
        orders: &task.orders,
        guessed: 0,
        facts: task.facts(),
        predicates,
        refuter: Refuter::default(),
        candidates,
        history: Vec::new(),
        stored_automata: 0,
        stored_background: 0,
    };
    let conclusion = engine.verify().unwrap_or_else(Conclusion::Unknown);
    bench.statistics.figures = engine.figures();
    bench.statistics.guessed = engine.guessed;
    engine.draw(&mut bench.statistics);
    let predicates: Vec<Vec<TermId>> =
        engine.views.automata.iter().map(InterpolantAutomaton::predicates).collect();
    let stored = match letters.is_empty() || predicates.iter().all(Vec::is_empty) {
        true => None,
        false => reuse::write(engine.views.store, &letters, &predicates),
    };
    let calls = bench.prover.statistics.calls;
    bench.known = Box::new(Ledger { recorder, stored, calls });
    conclusion
}

struct TraceAbstraction<'a, 'p> {
    views: Views<'a, 'p>,
    difference: Graph<Sets>,
    orders: &'a Orders,
    /// Facts of the background that were guessed.
    guessed: usize,
    /// Facts of this very program that prove each other, if somebody looked for them before.
    facts: Option<&'a Facts>,
    /// What the only automata are made of, if nothing is to be learnt.
    predicates: Vec<Vec<TermId>>,
    refuter: Refuter,
    /// Automata of earlier programs that were not tried yet, the best last; of
    /// each program the background first.
    candidates: Vec<Vec<Vec<TermId>>>,
    /// One line for each automaton after the background.
    history: Vec<String>,
    /// Automata that come from the database.
    stored_automata: u64,
    /// Predicates of the background that come from the database.
    stored_background: u64,
}

impl TraceAbstraction<'_, '_> {
    fn verify(&mut self) -> Result<Conclusion, Reason> {
        self.begin()?;
        loop {
            let Some(error) = self.difference.explore(&mut self.views)? else {
                return Ok(Conclusion::annotated(self.annotation()));
            };
            if let Some(automaton) = self.candidate_for(error)? {
                self.subtract(automaton)?;
                continue;
            }
            let (views, difference) = (&mut self.views, &self.difference);
            let refinements = self.refuter.refinements;
            if self.orders.guess
                && let Some(run) = shortcut::shortcut(views, difference, error, refinements)?
            {
                return Ok(Conclusion::path(run));
            }
            // Theorem 4 asks for the automata of the predicates only.
            let construction = self.predicates.is_empty().then_some(self.orders.trace.construction);
            match self.refuter.refute(views, difference, error, construction)? {
                Refutation::Feasible(run) => return Ok(Conclusion::path(run)),
                Refutation::Infeasible(automaton) => self.subtract(automaton)?,
            }
            // What an earlier program knew was not enough.
            let begun = self.stored_automata + self.stored_background > 0;
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
        for predicates in self.predicates.clone() {
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
        if !self.orders.guess {
            return Ok(Vec::new());
        }
        let found = background::facts(&mut self.views, self.facts)?;
        self.guessed = found.len();
        Ok(found)
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
                    0 => self.stored_background += predicates.len() as u64,
                    _ => self.stored_automata += 1,
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
                self.stored_automata += 1;
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
    fn annotation(&mut self) -> Annotation {
        let (store, automata) = (&mut *self.views.store, &self.views.automata);
        let said = |store: &mut TermStore, sets: &Sets| conjunction(store, automata, sets);
        let mut annotation = self.difference.annotation(store, |s, node| said(s, &node.label));
        // From there on only such locations follow: `true` is inductive.
        let useless = self.views.useless.iter().map(|&location| (location, TermId::TRUE));
        annotation.invariants.extend(useless);
        annotation
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

    /// Describes automata, as files and for drawings, as far as anybody asked.
    fn draw(&self, statistics: &mut Statistics) {
        // A drawing must not take longer than the search.
        let small = |a: &&InterpolantAutomaton| a.steps().len() <= DRAWN_STEPS;
        let described = match (self.orders.describe, self.orders.trace.pictures) {
            (true, _) => self.views.automata.len(),
            (_, true) => self.views.automata.iter().take(DIAGRAMS).take_while(small).count(),
            _ => 0,
        };
        let automata: Vec<Automaton> = (0..described).map(|i| self.graph(i)).collect();
        if self.orders.describe {
            statistics.drawings = language::drawings(&automata, &self.history);
        }
        if !statistics.picture.wanted {
            return;
        }
        for (i, automaton) in automata.iter().enumerate().take(DIAGRAMS) {
            let name = match i {
                0 => "what holds anyway (background)".to_owned(),
                _ => format!("automaton A{i}"),
            };
            statistics.picture.diagrams.push(automaton.diagram(name));
        }
        if self.orders.trace.pictures {
            for (location, predicates) in self.predicates_by_location() {
                statistics.picture.count(self.views.program.program, location, predicates);
            }
        }
    }

    /// How far the search came.
    fn figures(&self) -> Figures {
        let (views, difference, refuter) = (&self.views, &self.difference, &self.refuter);
        let t = &views.hoare.statistics;
        vec![
            ("refinements", refuter.refinements),
            ("automata", views.automata.len().saturating_sub(1) as u64),
            ("automata from the database", self.stored_automata),
            ("background facts from the database", self.stored_background),
            ("predicates", views.automata.iter().map(|a| a.states.len() as u64).sum()),
            ("states before minimisation", refuter.states),
            ("nodes", difference.len() as u64),
            ("nodes made", difference.made() as u64),
            ("covered", difference.coverings() as u64),
            ("letters in the longest trace", refuter.longest),
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

/// Automata with more steps are not drawn.
const DRAWN_STEPS: usize = 400;

/// After so many refinements of its own a search that began with an earlier
/// proof looks for background facts as well.
const ENOUGH: u64 = 6;
