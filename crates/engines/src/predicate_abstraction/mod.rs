//! Lazy predicate abstraction with predicates from interpolants.
//!
//! After Henzinger, Jhala, Majumdar, McMillan, "Abstractions from proofs" (POPL
//! 2004). The program is explored abstractly: of a state only the truth values of
//! some predicates are known, of each location its own. An abstract run to an
//! error location is either real, or the interpolants of its refutation say
//! which predicates must be tracked at which of its locations; what was
//! explored from the first such location on is explored again.
//!
//! | paper | here |
//! |---|---|
//! | model checking, section 2 | [`PredicateAbstraction::verify`], [`exploration`] |
//! | trace formulas and their cuts, sections 3 and 5.2 | [`refinement`], [`nested_path`] |
//! | the mapping from locations to predicates, section 4 | [`precision`] |
//! | abstract post | [`post`], [`abstraction`] |
//! | calls through summaries, section 5 | the contexts of the [graph](bolide_reachability::arg) |
//! | pointers, section 6 | memory is part of the state (`reachability::encode`) |
//!
//! Deviations. A step is a large block; abstraction is Boolean by enumeration
//! of valuations and becomes Cartesian where there are too many. Programs
//! without recursion are usually inlined before they come here. Functions are
//! explored once for each abstract state in which they are entered, and what
//! is known at their exits, in terms of entry values, is shared by all callers; recursion is
//! a fixpoint of these summaries.
//!
//! Runs are refuted from as little as possible: from the abstract state in the
//! middle of a run without calls, or with the summaries of calls in place of their
//! bodies ([`refinement`]). What was explored with too few predicates is removed: a tree
//! loses a subtree; a graph with calls is started anew, since a summary that falls may hold up
//! many callers (the abstract posts are remembered, so that this costs little). Facts about calls that executions suggest and that prove each other are
//! tracked from the start ([`summaries`]).
//!
//! Progress. The abstraction with the atoms of the interpolants refutes the run they
//! come from, unless it became Cartesian. A run that comes back all the same is
//! refuted with other interpolants, then with whole interpolants as
//! predicates, and then given up.
//!
//! Limits. Summaries are about values, not about reachable memory: a region that
//! a function writes is changed as a whole.

mod abstraction;
mod post;
mod precision;
mod refinement;

pub use precision::Scope;

use crate::picture::{self, Picture};
use bolide_cfa::LocId;
#[cfg(doc)]
use bolide_reachability::arg::exploration;
use bolide_reachability::arg::{Arrival, Graph, NodeId, Order};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::Calls;
#[cfg(doc)]
use bolide_reachability::nested_path;
use bolide_reachability::prover::Prover;
use bolide_reachability::summaries;
use bolide_reachability::verdict::{Certificate, Conclusion, Counterexample, Reason};
use bolide_terms::{TermId, TermStore};
use post::Posts;
use refinement::{Refinement, Refuted, Run};

/// What may be tuned.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Where a predicate is tracked.
    pub scope: Scope,
    /// How many valuations of dependent predicates are enumerated before the
    /// abstraction becomes Cartesian; 0 is always Cartesian.
    pub valuations: usize,
    /// Whether summaries of functions are guessed from executions.
    pub guess_summaries: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { scope: Scope::default(), valuations: 200, guess_summaries: true }
    }
}

/// How far the exploration came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Abstract states in the graph.
    pub states: usize,
    /// Abstract states ever made.
    pub made: usize,
    /// Functions entered in an abstract state.
    pub contexts: usize,
    /// Runs refuted.
    pub refinements: usize,
    /// Refuted runs that came back all the same.
    pub returned: usize,
    /// Predicates, counted once for each place where they are tracked.
    pub predicates: usize,
    /// Most predicates at one place.
    pub most_predicates: usize,
    /// States covered by others.
    pub covered: usize,
    /// Abstract posts computed.
    pub posts: usize,
    /// Calls of the solver for them.
    pub checks: u64,
    /// Enumerations that became Cartesian.
    pub given_up: u64,
}

impl Statistics {
    /// By name, for people.
    pub fn figures(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("states", self.states as u64),
            ("states ever made", self.made as u64),
            ("contexts", self.contexts as u64),
            ("refinements", self.refinements as u64),
            ("runs that came back", self.returned as u64),
            ("predicates", self.predicates as u64),
            ("most predicates at one place", self.most_predicates as u64),
            ("covered", self.covered as u64),
            ("abstract posts", self.posts as u64),
            ("questions for posts", self.checks),
            ("posts made cartesian", self.given_up),
        ]
    }
}

/// Decides whether an error location of `program` can be reached.
pub fn verify(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: Options,
    statistics: &mut Statistics,
) -> Conclusion {
    verify_shown(program, store, prover, options, statistics, &mut Picture::default())
}

/// As [`verify`], with a picture of the abstract reachability graph for whoever wants one.
pub fn verify_shown(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    prover: &mut Prover,
    options: Options,
    statistics: &mut Statistics,
    picture: &mut Picture,
) -> Conclusion {
    let calls = match Calls::new(program, store) {
        Ok(calls) => calls,
        Err(why) => return Conclusion::Unknown(Reason::Unsupported(why)),
    };
    let Options { scope, valuations, .. } = options;
    let posts = Posts::new(program, calls, store, prover, scope, valuations);
    let graph = Graph::new(Order::Newest);
    let mut engine = PredicateAbstraction { posts, graph, refuted: Refuted::default(), statistics };
    let conclusion = engine.verify(options.guess_summaries);
    engine.count();
    if picture.wanted {
        engine.draw(picture);
    }
    conclusion.unwrap_or_else(Conclusion::Unknown)
}

struct PredicateAbstraction<'a, 'p> {
    posts: Posts<'a, 'p>,
    graph: Graph<TermId>,
    refuted: Refuted,
    statistics: &'a mut Statistics,
}

impl PredicateAbstraction<'_, '_> {
    fn verify(&mut self, guess_summaries: bool) -> Result<Conclusion, Reason> {
        if guess_summaries {
            self.guess_summaries()?;
        }
        self.start();
        loop {
            let Some(error) = self.graph.explore(&mut self.posts)? else {
                return Ok(Conclusion::Safe(self.certificate()));
            };
            if let Some(found) = self.refute(error)? {
                return Ok(Conclusion::Unsafe(found));
            }
        }
    }

    /// Refutes the run to an error node, with as many calls shown as that
    /// needs; or reads off how the program fails.
    fn refute(&mut self, error: NodeId) -> Result<Option<Counterexample>, Reason> {
        self.statistics.refinements += 1;
        let mut depth = 0;
        loop {
            let run = Run::to(&self.graph, &mut self.posts, error, depth)?;
            let whole = run.summaries.is_empty();
            if depth == 0 {
                self.posts.prover.budget().progress().refined(run.path.steps.len());
            }
            match self.refuted.refine(&self.graph, &mut self.posts, &run)? {
                Refinement::Learnt(pivot) => {
                    self.explore_again(pivot)?;
                    return Ok(None);
                }
                Refinement::Feasible(model) if whole => {
                    return run.read_off(&mut self.posts, &model).map(Some);
                }
                Refinement::Nothing(why) if whole => return Err(why),
                Refinement::Feasible(_) | Refinement::Nothing(_) => depth += 1 + depth / 4,
            }
        }
    }

    /// Heuristic: tracks facts about calls that executions suggest and that
    /// prove each other; refinement alone learns one depth of recursion at a time.
    fn guess_summaries(&mut self) -> Result<(), Reason> {
        let Posts { program, calls, store, prover, precision, .. } = &mut self.posts;
        if calls.is_empty() {
            return Ok(());
        }
        let facts = summaries::inductive_facts(program, calls, store, prover)?;
        let mut locations: Vec<LocId> = facts.keys().copied().collect();
        locations.sort_unstable();
        for location in locations {
            for &fact in &facts[&location] {
                precision.add(program, location, store.atom_and_sign(fact).0);
            }
        }
        Ok(())
    }

    fn start(&mut self) {
        self.graph.clear();
        let program = &*self.posts.program;
        let (function, initial) = (program.program.entry, program.initial());
        self.graph.open(function, program.entry(), initial, Arrival::Start);
    }

    /// Removes what was explored with too few predicates.
    fn explore_again(&mut self, pivot: NodeId) -> Result<(), Reason> {
        match self.graph.node(pivot).arrival.clone() {
            Arrival::Block(from, block) if self.posts.calls.is_empty() => {
                self.graph.remove_subtree(pivot);
                self.graph.follow(&mut self.posts, from, &block)
            }
            _ => {
                self.start();
                Ok(())
            }
        }
    }

    fn certificate(&mut self) -> Certificate {
        self.graph.certificate(self.posts.store, |_, node| node.label)
    }

    fn count(&mut self) {
        let (statistics, posts) = (&mut *self.statistics, &self.posts);
        statistics.states = self.graph.len();
        statistics.made = self.graph.made();
        statistics.contexts = self.graph.contexts().len();
        statistics.covered = self.graph.coverings();
        statistics.returned = self.refuted.returned;
        statistics.predicates = posts.precision.len();
        statistics.most_predicates = posts.precision.most();
        statistics.posts = posts.computed;
        statistics.checks = posts.effort.checks;
        statistics.given_up = posts.effort.given_up;
    }

    /// Draws the graph, and counts the predicates of each location.
    fn draw(&self, picture: &mut Picture) {
        let (program, store) = (&*self.posts.program, &*self.posts.store);
        let words = |state: &TermId| picture::lines(store, *state);
        let name = "abstract reachability graph";
        picture.diagrams.push(picture::graph(name, program, &self.graph, words));
        for location in program.program.locations.ids() {
            let predicates = self.posts.precision.at(program, store, location);
            picture.count(program.program, location, predicates.len());
        }
    }
}
