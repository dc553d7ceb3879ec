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
pub mod options;
mod post;
mod precision;
mod refinement;

pub use options::Options;
pub use precision::Scope;

use crate::first_predicates::{self, FirstPredicate};
use crate::picture::{self, Picture};
use crate::task::{Orders, Task};
use crate::workbench::Workbench;
use bolide_cfa::LocId;
#[cfg(doc)]
use bolide_reachability::arg::exploration;
use bolide_reachability::arg::{Arrival, Graph, NodeId, Order};
use bolide_reachability::calls::Calls;
#[cfg(doc)]
use bolide_reachability::nested_path;
use bolide_reachability::summaries;
use bolide_reachability::verdict::{Annotation, Counterexample, Reason};
use bolide_terms::TermId;
use bolide_verdict::Conclusion;
use bolide_verdict::audit::Figures;
use post::Posts;
use refinement::{Refinement, Refuted, Run};

/// Decides whether an error location can be reached.
pub fn search(task: &Task<'_>, bench: &mut Workbench<'_>) -> Conclusion {
    match explore(task, bench, task.orders.single_blocks) {
        // Smaller blocks have other interpolants.
        Conclusion::Unknown(Reason::NoProgress(_)) if !task.orders.single_blocks => {
            bench.clear();
            explore(task, bench, true)
        }
        conclusion => conclusion,
    }
}

fn explore(task: &Task<'_>, bench: &mut Workbench<'_>, single: bool) -> Conclusion {
    let mut blocks = bench.blocks_with_facts(single);
    let calls = match Calls::new(&blocks, &mut bench.store) {
        Ok(calls) => calls,
        Err(why) => return Conclusion::Unknown(Reason::Unsupported(why)),
    };
    let options = task.orders.predicate;
    let (store, prover) = (&mut bench.store, &mut bench.prover);
    let posts = Posts::new(&mut blocks, calls, store, prover, options.scope, options.valuations);
    let graph = Graph::new(task.orders.order.unwrap_or(Order::Newest));
    let refuted = Refuted::default();
    let mut engine = PredicateAbstraction { posts, graph, refuted, refinements: 0, guessed: 0 };
    let conclusion = engine.verify(&task.orders);
    bench.statistics.figures = engine.figures();
    bench.statistics.guessed += engine.guessed;
    if task.orders.describe {
        bench.statistics.drawings.push(("predicates.txt".to_owned(), engine.predicates()));
    }
    if bench.statistics.picture.wanted {
        engine.draw(&mut bench.statistics.picture);
    }
    conclusion.unwrap_or_else(Conclusion::Unknown)
}

struct PredicateAbstraction<'a, 'p> {
    posts: Posts<'a, 'p>,
    graph: Graph<TermId>,
    refuted: Refuted,
    /// Runs refuted.
    refinements: u64,
    /// Facts about calls that were guessed.
    guessed: usize,
}

impl PredicateAbstraction<'_, '_> {
    fn verify(&mut self, orders: &Orders) -> Result<Conclusion, Reason> {
        if orders.guess {
            self.guess_summaries()?;
        }
        self.track_first(&orders.first_predicates.concat())?;
        self.start();
        loop {
            let Some(error) = self.graph.explore(&mut self.posts)? else {
                return Ok(Conclusion::annotated(self.annotation()));
            };
            if let Some(found) = self.refute(error)? {
                return Ok(Conclusion::path(found));
            }
        }
    }

    /// Refutes the run to an error node, with as many calls shown as that
    /// needs; or reads off how the program fails.
    fn refute(&mut self, error: NodeId) -> Result<Option<Counterexample>, Reason> {
        self.refinements += 1;
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
                Refinement::Nothing(why) if whole => {
                    let pivot = run.outdated(&self.graph, &mut self.posts)?;
                    self.explore_again(pivot.ok_or(why)?)?;
                    return Ok(None);
                }
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
                self.guessed += 1;
            }
        }
        Ok(())
    }

    /// Tracks what somebody gave for a start; without a place wherever its variables matter.
    fn track_first(&mut self, given: &[FirstPredicate]) -> Result<(), Reason> {
        let Posts { program, calls, store, precision, .. } = &mut self.posts;
        let given = first_predicates::resolve(program, calls, store, given);
        let given = given.map_err(Reason::Unsupported)?;
        for (at, predicate) in given {
            let constants = store.constants(predicate);
            let slots: Vec<_> =
                constants.into_iter().filter_map(|c| program.slots.of_constant(c)).collect();
            for location in program.program.locations.ids() {
                let matters = || slots.iter().all(|&slot| program.matters(slot, location));
                if at.map_or_else(matters, |at| at == location) {
                    precision.add(program, location, predicate);
                }
            }
        }
        Ok(())
    }

    /// The predicates of all locations, as the next search can begin with them.
    fn predicates(&self) -> String {
        let Posts { program, calls, store, .. } = &self.posts;
        let at = |at| {
            self.posts.precision.at(program, calls, store, at).into_iter().map(move |p| (at, p))
        };
        let all: Vec<_> = program.program.locations.ids().flat_map(at).collect();
        first_predicates::write(store, &all)
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

    fn annotation(&mut self) -> Annotation {
        self.graph.annotation(self.posts.store, |_, node| node.label)
    }

    /// How far the exploration came.
    fn figures(&self) -> Figures {
        let (graph, posts) = (&self.graph, &self.posts);
        vec![
            ("states", graph.len() as u64),
            ("states ever made", graph.made() as u64),
            ("contexts", graph.contexts().len() as u64),
            ("refinements", self.refinements),
            ("runs that came back", self.refuted.returned as u64),
            ("predicates", posts.precision.len() as u64),
            ("most predicates at one place", posts.precision.most() as u64),
            ("covered", graph.coverings() as u64),
            ("abstract posts", posts.computed as u64),
            ("questions for posts", posts.effort.checks),
            ("posts made cartesian", posts.effort.given_up),
        ]
    }

    /// Draws the graph, and counts the predicates of each location.
    fn draw(&self, picture: &mut Picture) {
        let (program, store) = (&*self.posts.program, &*self.posts.store);
        let words = |state: &TermId| picture::lines(store, *state);
        let name = "abstract reachability graph";
        picture.diagrams.push(picture::graph(name, program, &self.graph, words));
        for location in program.program.locations.ids() {
            let predicates = self.posts.precision.at(program, &self.posts.calls, store, location);
            picture.count(program.program, location, predicates.len());
        }
    }
}
