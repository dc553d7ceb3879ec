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
//! | model checking, section 2 | [`PredicateAbstraction::explore`] |
//! | trace formulas and their cuts, sections 3 and 5.2 | [`path`] |
//! | the mapping from locations to predicates, section 4 | [`precision`] |
//! | abstract post | [`abstraction`] |
//! | calls through summaries, section 5 | [`graph::Context`], [`PredicateAbstraction::enter`], [`PredicateAbstraction::give_back`] |
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
//! middle of a run without calls ([`PredicateAbstraction::refute_suffix`]), or with the
//! summaries of calls in place of their bodies ([`PredicateAbstraction::refute`]).
//! Facts about calls that executions suggest and that prove each other are
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
mod drawing;
mod graph;
mod path;
mod precision;

pub use precision::Scope;

use crate::picture::Picture;
use abstraction::{Effort, Question, abstraction};
use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_reachability::block::{BlockProgram, Transition};
use bolide_reachability::calls::{CallSite, Calls};
use bolide_reachability::counterexample;
use bolide_reachability::prover::{Feasibility, Prover};
use bolide_reachability::summaries;
use bolide_reachability::verdict::{Certificate, Conclusion, Contract, Counterexample, Reason};
use bolide_smt::interpolate::Labelling;
use bolide_terms::{Model, Op, TermId, TermStore};
use graph::{Arrival, Context, ContextId, Graph, NodeId};
use path::RunFormula;
use precision::{Precision, predicates_of};
use std::rc::Rc;

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
    let mut engine = PredicateAbstraction {
        program,
        calls,
        store,
        prover,
        options,
        precision: Precision::new(options.scope),
        graph: Graph::default(),
        posts: HashMap::default(),
        refuted: HashMap::default(),
        effort: Effort::default(),
        given_up: HashSet::default(),
        statistics,
    };
    let conclusion = engine.verify();
    engine.count();
    if picture.wanted {
        engine.draw(picture);
    }
    conclusion.unwrap_or_else(Conclusion::Unknown)
}

/// What an abstract post depends on: the step, the state before it, the state of
/// the callee's exit for returns, and how many predicates are tracked after it.
type PostKey = (LocId, LocId, TermId, Option<TermId>, usize);

struct PredicateAbstraction<'a, 'p> {
    program: &'a mut BlockProgram<'p>,
    calls: Calls,
    store: &'a mut TermStore,
    prover: &'a mut Prover,
    options: Options,
    precision: Precision,
    graph: Graph,
    /// Posts computed so far; they outlive the nodes.
    posts: HashMap<PostKey, TermId>,
    /// How often a run with these locations and summaries was refuted.
    refuted: HashMap<(Vec<LocId>, Vec<TermId>), usize>,
    effort: Effort,
    /// Steps whose abstraction became Cartesian.
    given_up: HashSet<(LocId, LocId)>,
    statistics: &'a mut Statistics,
}

impl PredicateAbstraction<'_, '_> {
    fn verify(&mut self) -> Result<Conclusion, Reason> {
        self.guess_summaries()?;
        self.start();
        loop {
            let Some(error) = self.explore()? else {
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
            let (program, store, graph) = (&*self.program, &mut *self.store, &self.graph);
            let run = RunFormula::new(program, &self.calls, store, graph, error, depth)?;
            let whole = run.summaries.is_empty();
            if depth == 0 {
                self.prover.budget().progress().refined(run.steps.len());
            }
            match self.refine(&run)? {
                Refinement::Learnt => return Ok(None),
                Refinement::Feasible(model) if whole => {
                    let program = self.program.program;
                    return counterexample::read_off(program, self.store, &run.steps, &model)
                        .map(Some);
                }
                Refinement::Nothing(why) if whole => return Err(why),
                Refinement::Feasible(_) | Refinement::Nothing(_) => depth += 1 + depth / 4,
            }
        }
    }

    /// Heuristic: tracks facts about calls that executions suggest and that
    /// prove each other; refinement alone learns one depth of recursion at a time.
    fn guess_summaries(&mut self) -> Result<(), Reason> {
        if self.calls.is_empty() || !self.options.guess_summaries {
            return Ok(());
        }
        let facts = summaries::inductive_facts(self.program, &self.calls, self.store, self.prover)?;
        let mut locations: Vec<LocId> = facts.keys().copied().collect();
        locations.sort_unstable();
        for location in locations {
            for &fact in &facts[&location] {
                let predicate = self.store.atom_and_sign(fact).0;
                self.precision.add(self.program, location, predicate);
            }
        }
        Ok(())
    }

    fn start(&mut self) {
        self.graph = Graph::default();
        let function = self.program.program.entry;
        let entry = self.program.initial();
        let context = Context { function, entry, callers: Vec::new(), exits: Vec::new() };
        let context = self.graph.contexts.push(context);
        self.graph.add(self.program.entry(), context, entry, Arrival::Start);
    }

    /// Until every node is expanded or covered; or gives an error node.
    fn explore(&mut self) -> Result<Option<NodeId>, Reason> {
        while let Some(node) = self.graph.waiting.pop() {
            self.prover.poll()?;
            if !self.graph.is_open(node) {
                continue;
            }
            self.prover.budget().progress().reached(self.graph.len());
            let location = self.graph.node(node).location;
            if self.program.program.locations[location].error.is_some() {
                return Ok(Some(node));
            }
            if !self.close(node)? {
                self.expand(node)?;
            }
        }
        Ok(None)
    }

    /// Covers the node by an earlier one of the same place, if one can.
    fn close(&mut self, node: NodeId) -> Result<bool, Reason> {
        let state = self.graph.node(node).state;
        for by in self.graph.earlier(node) {
            if self.entails(state, self.graph.node(by).state)? {
                self.graph.cover(node, by);
                self.statistics.covered += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether one abstract state is part of another.
    fn entails(&mut self, a: TermId, b: TermId) -> Result<bool, Reason> {
        // Most coverings are plain to see.
        let conjuncts = |t: TermId| match self.store.op(t) {
            Op::And => self.store.args(t).to_vec(),
            Op::True => Vec::new(),
            _ => vec![t],
        };
        let premises = conjuncts(a);
        if conjuncts(b).iter().all(|c| premises.contains(c)) {
            return Ok(true);
        }
        self.prover.entails(self.store, a, b)
    }

    /// Adds the successors of a node.
    fn expand(&mut self, node: NodeId) -> Result<(), Reason> {
        let (location, context) = (self.graph.node(node).location, self.graph.node(node).context);
        let function = self.graph.contexts[context].function;
        if self.program.program.functions[function].body.is_some_and(|b| b.exit == location) {
            self.graph.contexts[context].exits.push(node);
            for (caller, site) in self.graph.contexts[context].callers.clone() {
                self.give_back(caller, &site, node)?;
            }
            return Ok(());
        }
        if let Some(sites) = self.calls.at(location) {
            for site in sites.iter() {
                self.enter(node, site)?;
            }
            return Ok(());
        }
        let transitions = self.program.transitions(self.store, location);
        // What is added last is looked at first: errors.
        let is_error = |t: &Transition| self.program.program.locations[t.to].error.is_some();
        let (errors, others): (Vec<_>, Vec<_>) = transitions.iter().partition(|t| is_error(t));
        for transition in others.into_iter().rev().chain(errors) {
            self.step(node, transition)?;
        }
        Ok(())
    }

    /// The abstract post of a block.
    fn step(&mut self, from: NodeId, transition: &Rc<Transition>) -> Result<(), Reason> {
        let (state, context) = (self.graph.node(from).state, self.graph.node(from).context);
        let predicates = self.precision.at(self.program, self.store, transition.to);
        let key = (transition.from, transition.to, state, None, predicates.len());
        let after = match self.posts.get(&key) {
            Some(&known) => known,
            None => {
                let premise = self.store.mk_and(&[state, transition.formula]);
                let renaming: HashMap<TermId, TermId> = transition
                    .outputs
                    .iter()
                    .map(|&(slot, value)| (self.program.slots.constant(slot), value))
                    .collect();
                let said = |engine: &mut Self, p| engine.store.substitute(p, &renaming);
                self.post(key, premise, &predicates, said)?
            }
        };
        if after != TermId::FALSE {
            let arrival = Arrival::Block(from, transition.clone());
            self.graph.add(transition.to, context, after, arrival);
        }
        Ok(())
    }

    /// A call: finds or makes the context that it enters.
    fn enter(&mut self, from: NodeId, site: &Rc<CallSite>) -> Result<(), Reason> {
        let state = self.graph.node(from).state;
        let callee = self.program.program.functions[site.callee].body;
        let entry = callee.expect("calls are of functions with a body").entry;
        let predicates = self.precision.at(self.program, self.store, entry);
        let key = (site.from, entry, state, None, predicates.len());
        let inside = match self.posts.get(&key) {
            Some(&known) => known,
            None => {
                let premise = self.store.mk_and(&[state, site.guard]);
                let said = |engine: &mut Self, p| {
                    engine.calls.entering(engine.program, engine.store, site, p)
                };
                self.post(key, premise, &predicates, said)?
            }
        };
        if inside == TermId::FALSE {
            return Ok(());
        }
        let mut found = None;
        let candidates: Vec<ContextId> = self.graph.contexts.ids().collect();
        for id in candidates {
            let context = &self.graph.contexts[id];
            if context.function == site.callee && self.entails(inside, context.entry)? {
                found = Some(id);
                break;
            }
        }
        let context = found.unwrap_or_else(|| {
            let (callers, exits) = (Vec::new(), Vec::new());
            let context = Context { function: site.callee, entry: inside, callers, exits };
            let id = self.graph.contexts.push(context);
            self.graph.add(entry, id, inside, Arrival::Call(from, site.clone()));
            id
        });
        self.graph.contexts[context].callers.push((from, site.clone()));
        for exit in self.graph.contexts[context].exits.clone() {
            self.give_back(from, site, exit)?;
        }
        Ok(())
    }

    /// A return: what the caller knows together with what the callee's exit says.
    fn give_back(
        &mut self,
        caller: NodeId,
        site: &Rc<CallSite>,
        exit: NodeId,
    ) -> Result<(), Reason> {
        let (state, context) = (self.graph.node(caller).state, self.graph.node(caller).context);
        let summary = self.graph.node(exit).state;
        let predicates = self.precision.at(self.program, self.store, site.to);
        let key = (site.from, site.to, state, Some(summary), predicates.len());
        let after = match self.posts.get(&key) {
            Some(&known) => known,
            None => {
                let said = self.calls.returning(self.program, self.store, site, summary);
                let premise = self.store.mk_and(&[state, site.guard, said]);
                let said = |engine: &mut Self, p| {
                    engine.calls.after(engine.program, engine.store, site, p)
                };
                self.post(key, premise, &predicates, said)?
            }
        };
        if after != TermId::FALSE {
            let arrival = Arrival::Return(caller, site.clone(), exit);
            self.graph.add(site.to, context, after, arrival);
        }
        Ok(())
    }

    fn post(
        &mut self,
        key: PostKey,
        premise: TermId,
        predicates: &[TermId],
        said: impl Fn(&mut Self, TermId) -> TermId,
    ) -> Result<TermId, Reason> {
        let questions: Vec<Question> = predicates
            .iter()
            .map(|&predicate| Question { predicate, said: said(self, predicate) })
            .collect();
        let budget = self.prover.budget().clone();
        // Heuristic: a step whose enumeration was given up is not worth another long one.
        let limit = match self.given_up.contains(&(key.0, key.1)) {
            true => self.options.valuations.min(FEW),
            false => self.options.valuations,
        };
        let given_up = self.effort.given_up;
        let state = abstraction(self.store, premise, &questions, limit, &budget, &mut self.effort)?;
        if self.effort.given_up > given_up {
            self.given_up.insert((key.0, key.1));
        }
        self.statistics.posts += 1;
        self.posts.insert(key, state);
        Ok(state)
    }

    /// Refutes a run and tracks what its interpolants mention.
    fn refine(&mut self, run: &RunFormula) -> Result<Refinement, Reason> {
        let locations: Vec<LocId> =
            run.nodes.iter().map(|&n| self.graph.node(n).location).collect();
        let key = (locations.clone(), run.summaries.clone());
        let times = *self.refuted.entry(key.clone()).and_modify(|n| *n += 1).or_insert(0);
        self.statistics.returned += usize::from(times > 0);
        let mut obstacle = Reason::NoProgress("a refuted run came back".into());
        for (attempt, &(labelling, whole)) in ATTEMPTS.iter().enumerate().skip(times) {
            let answer = match attempt {
                0 if self.calls.is_empty() => self.refute_suffix(run),
                _ => {
                    let (formulas, parents) = (&run.formulas, &run.parents);
                    self.prover.tree_feasibility(self.store, formulas, parents, labelling)
                }
            };
            let interpolants = match answer {
                Ok(Feasibility::Feasible(model)) => return Ok(Refinement::Feasible(model)),
                Ok(Feasibility::Infeasible(interpolants)) => interpolants,
                Err(Reason::Solver(why)) => {
                    obstacle = Reason::Solver(why);
                    continue;
                }
                Err(other) => return Err(other),
            };
            let mut pivot = None;
            for (position, &interpolant) in interpolants.iter().enumerate() {
                let fact = run.to_scope(self.store, interpolant);
                let mut predicates = predicates_of(self.store, fact, attempt > 0);
                if whole && fact != TermId::TRUE && fact != TermId::FALSE {
                    predicates.push(fact);
                }
                self.precision.widen(self.store, locations[position], &mut predicates);
                for predicate in predicates {
                    let new = self.precision.add(self.program, locations[position], predicate);
                    if new && pivot.is_none() {
                        pivot = Some(run.nodes[position]);
                    }
                }
            }
            if let Some(pivot) = pivot {
                self.refuted.insert(key, attempt);
                self.explore_again(pivot)?;
                return Ok(Refinement::Learnt);
            }
        }
        Ok(Refinement::Nothing(obstacle))
    }

    /// Refutes the shortest suffix of a run without calls that contradicts the
    /// abstract state where it starts, by doubling its length. What does not
    /// mention the beginning of the run holds of more runs, and less is
    /// explored again. A model is one of the whole run.
    fn refute_suffix(&mut self, run: &RunFormula) -> Result<Feasibility, Reason> {
        let last = run.formulas.len() - 1;
        let mut length = 1;
        loop {
            let start = last - length.min(last);
            let mut formulas = vec![run.formulas[0]];
            if start > 0 {
                let state = self.graph.node(run.nodes[start]).state;
                formulas[0] = run.said_after(self.store, &self.program.slots, start, state);
            }
            formulas.extend(&run.formulas[start + 1..]);
            match self.prover.feasibility(self.store, &formulas)? {
                Feasibility::Feasible(_) if start > 0 => length *= 2,
                Feasibility::Feasible(model) => return Ok(Feasibility::Feasible(model)),
                Feasibility::Infeasible(found) => {
                    // The first is implied by the state that is known already.
                    let mut interpolants = vec![TermId::TRUE; start + 1];
                    interpolants.extend(&found[1..]);
                    return Ok(Feasibility::Infeasible(interpolants));
                }
            }
        }
    }

    /// Removes what was explored with too few predicates.
    fn explore_again(&mut self, pivot: NodeId) -> Result<(), Reason> {
        let arrival = self.graph.node(pivot).arrival.clone();
        match arrival {
            Arrival::Block(from, transition) if self.calls.is_empty() => {
                self.graph.remove_subtree(pivot);
                self.step(from, &transition)
            }
            _ => {
                self.count();
                self.start();
                Ok(())
            }
        }
    }

    /// The disjunction of the states of each place.
    fn certificate(&mut self) -> Certificate {
        let mut certificate = Certificate::default();
        let contexts: Vec<ContextId> = self.graph.contexts.ids().collect();
        for (number, context) in contexts.into_iter().enumerate() {
            let mut states: HashMap<LocId, Vec<TermId>> = HashMap::default();
            for (id, node) in self.graph.nodes() {
                if node.context == context && self.graph.is_open(id) {
                    states.entry(node.location).or_default().push(node.state);
                }
            }
            let invariants = states
                .into_iter()
                .map(|(location, states)| (location, self.store.mk_or(&states)))
                .collect();
            if number == 0 {
                certificate.invariants = invariants;
            } else {
                let Context { function, entry, .. } = self.graph.contexts[context];
                certificate.contracts.push(Contract { function, precondition: entry, invariants });
            }
        }
        certificate
    }

    fn count(&mut self) {
        self.statistics.states = self.graph.len();
        self.statistics.made = self.statistics.made.max(self.graph.made());
        self.statistics.contexts = self.graph.contexts.len();
        self.statistics.predicates = self.precision.len();
        self.statistics.most_predicates = self.precision.most();
        self.statistics.checks = self.effort.checks;
        self.statistics.given_up = self.effort.given_up;
    }
}

/// Valuations that are enumerated where a long enumeration was given up before.
const FEW: usize = 12;

/// What came of a run.
enum Refinement {
    /// It is refuted, and there are new predicates.
    Learnt,
    /// It has a model.
    Feasible(Box<Model>),
    /// It is refuted, or undecided, but there is nothing new to track.
    Nothing(Reason),
}

/// How a run is refuted the first time, and when it comes back: which
/// interpolants, and whether they are predicates as a whole, too.
const ATTEMPTS: [(Labelling, bool); 5] = [
    (Labelling::McMillan, false),
    (Labelling::Pudlak, false),
    (Labelling::Weak, false),
    (Labelling::McMillan, true),
    (Labelling::Weak, true),
];
