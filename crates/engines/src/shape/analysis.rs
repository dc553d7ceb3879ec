//! The loop of the analysis: explore, suspect, refine, certify.

use super::Options;
use super::aliases::{self, Aliases};
use super::cache::Cache;
use super::cartesian::Relations;
use super::diagrams::Diagrams;
use super::execute::symbols;
use super::heaps::{self, AbstractState, Predicates, StateBits};
use super::paths::{self, Path};
use super::predicates::{self, Level};
use super::prover::{Count, PathProver};
use super::refinement::{Refined, Step};
use super::traces::Trace;
use super::view::{Command, View};
use bolide_base::budget::Phase;
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_heap::{Certainty, FieldId, Formula, Kind, Symbol, Term, Undecided};
use bolide_reachability::verdict::Reason;
use std::collections::BTreeSet;

/// How far the analysis came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Applications of the abstract post.
    pub posts: u64,
    /// Refinement steps.
    pub refinements: u64,
    /// Those of them that refined the post (phase 2).
    pub refined_posts: u64,
    /// Predicates in all, and the most at one location.
    pub predicates: u64,
    /// The most predicates at one location.
    pub most_predicates: u64,
    /// Boolean heaps at the end.
    pub heaps: u64,
    /// Questions that an earlier answer settled.
    pub hits: u64,
    /// What was asked of the heap logic.
    pub count: Count,
    /// Refutations of the audit, each with a checked proof.
    pub obligations: u64,
}

impl Statistics {
    /// For the report.
    pub fn figures(&self) -> Vec<(&'static str, u64)> {
        vec![
            ("posts", self.posts),
            ("refinements", self.refinements),
            ("predicates", self.predicates),
            ("at one place", self.most_predicates),
            ("heaps", self.heaps),
            ("sessions", self.count.sessions),
            ("queries", self.count.checks),
            ("prover calls", self.count.rounds),
            ("instances", self.count.instances),
            ("cache hits", self.hits),
            ("refined posts", self.refined_posts),
        ]
    }
}

/// A path to an error that the abstraction does not exclude.
#[derive(Clone, Debug)]
pub struct AbstractCounterexample {
    /// The paths between cut points, from the entry to the error.
    pub paths: Vec<Path>,
    /// What the abstraction knows where each path starts, for people.
    pub states: Vec<String>,
    /// Where each path starts, with the heap there; none at the entry.
    pub heaps: Vec<(LocId, Option<StateBits>)>,
    /// The heap logic finds no contradiction in the whole path either.
    pub feasible: bool,
    /// Whether the heap logic decides such paths, or only knows no contradiction.
    pub certainty: Certainty,
    /// Where it finds none, the values of what may have any value, in order.
    pub values: Vec<Option<i128>>,
}

/// What the analysis ends with.
pub enum Outcome {
    /// Inductive invariants that exclude all errors, audited, for people.
    Proved(Vec<(LocId, String)>),
    /// A path to an error that was not excluded.
    Suspected(Box<AbstractCounterexample>),
    /// Neither.
    Unknown(Reason),
}

/// A place of the abstract reachability graph: a heap at a cut point; none at the entry.
pub type Node = (LocId, Option<StateBits>);

/// A heap-level program under analysis.
pub struct Analysis<'a> {
    pub(super) view: &'a View,
    pub(super) reach: Vec<FieldId>,
    pub(super) cuts: Vec<LocId>,
    pub(super) paths: HashMap<LocId, Vec<Path>>,
    pub(super) predicates: HashMap<LocId, Predicates>,
    /// Copies that need no predicates of their own.
    pub(super) aliases: HashMap<LocId, Aliases>,
    pub(super) none: Aliases,
    pub(super) states: HashMap<LocId, AbstractState>,
    /// The sets of objects of all heaps.
    pub(super) diagrams: Diagrams,
    /// How a heap was first reached: from which heap (none at the entry), by which path.
    pub(super) origin: HashMap<(LocId, StateBits), (LocId, Option<StateBits>, usize)>,
    /// Which heaps grew by a post of each.
    pub(super) contributed: HashMap<Node, BTreeSet<Node>>,
    /// Whether the post is the Cartesian one.
    pub(super) cartesian: bool,
    /// Paths, by start and number, whose post is the full one even so.
    pub(super) precise: HashSet<(LocId, usize)>,
    /// Its transition relations.
    pub(super) relations: Relations,
    /// The refinements so far.
    pub refined: Vec<Refined>,
    /// Heaps to explore, by the number of their cut point.
    pub(super) waiting: BTreeSet<(usize, Option<StateBits>)>,
    /// Heaps to explore again where they lead to cut points that are not settled.
    pub(super) again: BTreeSet<(usize, Option<StateBits>)>,
    /// Cut points that kept their abstract states when predicates were added last.
    pub(super) settled: HashSet<LocId>,
    /// Numbers of the quantified predicates that did not follow from a heap along a path.
    pub(super) failed: HashMap<(LocId, Option<StateBits>, usize), BTreeSet<usize>>,
    /// What was refuted, for all heaps that have what it needs.
    pub(super) cache: Cache,
    /// Sessions by the steps of their paths.
    pub(super) provers: HashMap<Vec<usize>, PathProver<'a>>,
    pub(super) level: Level,
    pub(super) budget: &'a Budget,
    /// How far it came.
    pub statistics: Statistics,
}

/// Refinement steps before the analysis gives up.
const REFINEMENTS: u64 = 40;

impl<'a> Analysis<'a> {
    /// Prepares the analysis; `given` are predicates that the specification names.
    pub fn new(view: &'a View, given: &[Formula], budget: &'a Budget) -> Analysis<'a> {
        let mut analysis = Analysis::unguessed(view, given, budget);
        analysis.guess(given);
        analysis
    }

    /// The same with only null told apart from other objects at the start: all else has to come from refinement.
    pub fn unguessed(view: &'a View, given: &[Formula], budget: &'a Budget) -> Analysis<'a> {
        let mut reach = Vec::new();
        for formula in given {
            formula.atoms(&mut |atom| {
                if let Formula::Btwn(field, ..) = atom {
                    reach.push(*field);
                }
            });
        }
        // Heuristic: fields along which a specification never goes are derived ones.
        if reach.is_empty() {
            reach = predicates::reach_fields(view);
        }
        reach.sort_unstable();
        reach.dedup();
        let cuts = paths::cut_points(view);
        let all = cuts.iter().map(|&cut| (cut, paths::paths(view, &cuts, cut))).collect();
        // An object at least is told apart from others: enumerations need a predicate.
        let mut first = Predicates::default();
        first.add(Formula::Eq(Term::Var(view.bound), Term::Null), view.bound);
        let predicates = cuts[1..].iter().map(|&cut| (cut, first.clone())).collect();
        Analysis {
            view,
            reach,
            cuts,
            paths: all,
            predicates,
            aliases: aliases::aliases(view),
            none: Aliases::default(),
            states: HashMap::default(),
            diagrams: Diagrams::default(),
            origin: HashMap::default(),
            contributed: HashMap::default(),
            cartesian: false,
            precise: HashSet::default(),
            relations: Relations::default(),
            refined: Vec::new(),
            waiting: BTreeSet::from([(0, None)]),
            again: BTreeSet::new(),
            settled: HashSet::default(),
            failed: HashMap::default(),
            cache: Cache::default(),
            provers: HashMap::default(),
            level: Level(0),
            budget,
            statistics: Statistics::default(),
        }
    }

    /// Takes what helps to find a proof.
    pub fn ask(&mut self, options: &Options) {
        self.cartesian = options.cartesian;
        self.cache.remembered = options.remembered.clone();
    }

    pub(super) fn guess(&mut self, given: &[Formula]) {
        let live = predicates::live(self.view);
        for &cut in &self.cuts[1..] {
            let none = HashSet::default();
            let live = live.get(&cut).unwrap_or(&none);
            let conditions: Vec<Formula> = self.paths[&cut]
                .iter()
                .flat_map(|p| predicates::carried_back(self.view, &self.commands(&p.steps)))
                .collect();
            let guessed = predicates::guess(self.view, &self.reach, live, &conditions, self.level);
            let aliases = self.aliases.get(&cut).unwrap_or(&self.none);
            let known = self.predicates.entry(cut).or_default();
            for formula in guessed.state.into_iter().chain(guessed.domain) {
                known.add(aliases.apply(&formula), self.view.bound);
            }
            for formula in given {
                for formula in generalised(self.view, formula, live) {
                    let mut used = HashSet::default();
                    symbols(&formula, &mut used);
                    used.remove(&self.view.bound);
                    if used.iter().all(|s| live.contains(s)) {
                        known.add(aliases.apply(&formula), self.view.bound);
                    }
                }
            }
        }
    }

    /// Runs until there is a proof, a suspicion that stays, or no way on.
    pub fn run(&mut self) -> Outcome {
        self.budget.progress().enter(Phase::Exploring);
        loop {
            let suspected = match self.explore() {
                Ok(suspected) => suspected,
                Err(why) => return Outcome::Unknown(reason(why)),
            };
            self.count_predicates();
            let Some((location, heap, path)) = suspected else {
                self.budget.progress().enter(Phase::Auditing);
                return match self.audit() {
                    Ok(()) => Outcome::Proved(self.invariants()),
                    Err(why) => Outcome::Unknown(why),
                };
            };
            let counterexample = match self.trace(location, heap, path) {
                Ok(counterexample) => counterexample,
                Err(why) => return Outcome::Unknown(reason(why)),
            };
            if counterexample.feasible || self.statistics.refinements >= REFINEMENTS {
                return Outcome::Suspected(Box::new(counterexample));
            }
            match self.refine(&counterexample) {
                Ok(Some(refined)) => {
                    self.forget(&refined);
                    self.statistics.refined_posts +=
                        u64::from(matches!(refined.step, Step::Post(_) | Step::Pivot));
                    self.refined.push(refined);
                }
                Ok(None) => return Outcome::Suspected(Box::new(counterexample)),
                Err(why) => return Outcome::Unknown(reason(why)),
            }
            self.statistics.refinements += 1;
            self.budget.progress().refined(counterexample.paths.len());
        }
    }

    pub(super) fn commands(&self, steps: &[usize]) -> Vec<Command> {
        steps.iter().flat_map(|&s| self.view.steps[s].commands.iter().cloned()).collect()
    }

    pub(super) fn concretise(&self, location: LocId, heap: Option<StateBits>) -> Formula {
        match heap {
            None => self.view.initial.clone(),
            Some(bits) => {
                let objects = self.states[&location].heaps[&bits];
                let predicates = &self.predicates[&location];
                heaps::concretise(&self.diagrams, predicates, bits, objects, self.view.bound)
            }
        }
    }

    /// The least fixed point of the abstract post, cut points in topological
    /// order; stops at a heap from which a path leads to an error.
    #[allow(clippy::type_complexity)]
    fn explore(&mut self) -> Result<Option<(LocId, Option<StateBits>, usize)>, Undecided> {
        let place: HashMap<LocId, usize> =
            self.cuts.iter().enumerate().map(|(i, &cut)| (cut, i)).collect();
        while let Some(&item) = self.waiting.first().into_iter().chain(self.again.first()).min() {
            let whole = self.waiting.remove(&item);
            self.again.remove(&item);
            let (number, heap) = item;
            let location = self.cuts[number];
            let (errors, others): (Vec<usize>, Vec<usize>) = (0..self.paths[&location].len())
                .partition(|&at| self.view.errors.contains_key(&self.paths[&location][at].to));
            for at in errors {
                self.budget.poll().map_err(Undecided::Exhausted)?;
                if !self.answered((location, at, None), heap, false)? {
                    self.waiting.insert(item);
                    return Ok(Some((location, heap, at)));
                }
            }
            for at in others {
                let to = self.paths[&location][at].to;
                if !whole && self.settled.contains(&to) {
                    continue;
                }
                self.budget.poll().map_err(Undecided::Exhausted)?;
                self.statistics.posts += 1;
                let mut after = self.states.get(&to).cloned().unwrap_or_default();
                let grown = self.post(location, heap, at, &mut after, false);
                self.states.insert(to, after);
                let reached = self.states.values().map(|s| s.heaps.len()).sum();
                self.budget.progress().reached(reached);
                for bits in grown? {
                    self.origin.entry((to, bits)).or_insert((location, heap, at));
                    let led = self.contributed.entry((location, heap)).or_default();
                    led.insert((to, Some(bits)));
                    self.waiting.insert((place[&to], Some(bits)));
                }
            }
        }
        Ok(None)
    }

    /// All heaps, with where they are.
    pub(super) fn all_heaps(&self) -> Vec<(LocId, Option<StateBits>)> {
        let mut all = vec![(self.cuts[0], None)];
        for &cut in &self.cuts {
            if let Some(state) = self.states.get(&cut) {
                all.extend(state.heaps.keys().map(|&bits| (cut, Some(bits))));
            }
        }
        all
    }

    /// The paths that lead from the entry to a suspicion.
    fn trace(
        &mut self,
        location: LocId,
        heap: Option<StateBits>,
        path: usize,
    ) -> Result<AbstractCounterexample, Undecided> {
        let mut trace = vec![(location, heap, path)];
        let mut here = (location, heap);
        while let (at, Some(bits)) = here {
            let from = self.origin[&(at, bits)];
            trace.push(from);
            here = (from.0, from.1);
        }
        trace.reverse();
        let paths: Vec<Path> = trace.iter().map(|&(l, _, p)| self.paths[&l][p].clone()).collect();
        let states = trace
            .iter()
            .map(|&(l, h, _)| self.view.signature.show(&self.concretise(l, h)))
            .collect();
        let commands = paths.iter().flat_map(|p| self.commands(&p.steps)).collect();
        let whole = self.path_from(self.cuts[0], &self.view.initial, commands);
        let mut count = Count::default();
        let run = whole.run(&mut count, self.budget);
        self.statistics.count.merge(count);
        let run = run?;
        let feasible = run.is_some();
        let (values, certainty) = run.unwrap_or((Vec::new(), Certainty::Decided));
        let heaps = trace.iter().map(|&(location, heap, _)| (location, heap)).collect();
        Ok(AbstractCounterexample { paths, states, heaps, feasible, certainty, values })
    }

    fn path_from<'q>(
        &'q self,
        location: LocId,
        before: &'q Formula,
        commands: Vec<Command>,
    ) -> Trace<'q> {
        let aliases = self.aliases.get(&location).unwrap_or(&self.none);
        Trace { view: self.view, reach: &self.reach, before, aliases, commands }
    }

    /// Whether commands can be executed from some states of a location; yes where that is not decided.
    pub(super) fn feasible_from(
        &mut self,
        location: LocId,
        before: &Formula,
        commands: Vec<Command>,
    ) -> Result<bool, Undecided> {
        let mut count = Count::default();
        let answer =
            self.path_from(location, before, commands).is_feasible(&mut count, self.budget);
        self.statistics.count.merge(count);
        answer
    }

    /// The numbers of commands whose conditions contradict the states, when they do.
    pub(super) fn conflict_from(
        &mut self,
        location: LocId,
        before: &Formula,
        commands: Vec<Command>,
    ) -> Result<Option<Vec<usize>>, Undecided> {
        let mut count = Count::default();
        let answer = self.path_from(location, before, commands).conflict(&mut count, self.budget);
        self.statistics.count.merge(count);
        answer
    }

    /// Every obligation again, in fresh sessions whose refutations are proved.
    fn audit(&mut self) -> Result<(), Reason> {
        self.provers.clear();
        for (location, heap) in self.all_heaps() {
            for at in 0..self.paths[&location].len() {
                let to = self.paths[&location][at].to;
                let holds = if self.view.errors.contains_key(&to) {
                    self.answered((location, at, None), heap, true).map_err(reason)?
                } else {
                    let mut after = self.states.get(&to).cloned().unwrap_or_default();
                    let grown = self.post(location, heap, at, &mut after, true);
                    grown.map_err(reason)?.is_empty()
                };
                if !holds {
                    return Err(Reason::NotCertified(
                        "an obligation of the shape invariants".into(),
                    ));
                }
                self.statistics.obligations += 1;
            }
        }
        Ok(())
    }

    fn count_predicates(&mut self) {
        self.statistics.hits = self.cache.hits;
        let mut all = HashSet::default();
        let mut most = 0;
        for predicates in self.predicates.values() {
            most = most.max(predicates.state.len() + predicates.domain.len());
            all.extend(predicates.state.iter().chain(&predicates.domain).cloned());
        }
        self.statistics.predicates = all.len() as u64;
        self.statistics.most_predicates = most as u64;
        self.statistics.heaps = self.states.values().map(|s| s.heaps.len() as u64).sum();
    }

    fn invariants(&self) -> Vec<(LocId, String)> {
        self.cuts[1..]
            .iter()
            .filter_map(|cut| {
                let state = self.states.get(cut)?;
                let predicates = &self.predicates[cut];
                let (signature, bound) = (&self.view.signature, self.view.bound);
                let text = heaps::show(&self.diagrams, signature, predicates, state, bound);
                Some((*cut, text))
            })
            .collect()
    }
}

/// A predicate of the specification, and the same said of every live pointer
/// when it is a quantified statement about one.
fn generalised(view: &View, formula: &Formula, live: &HashSet<Symbol>) -> Vec<Formula> {
    let mut all = vec![formula.clone()];
    let mut used = HashSet::default();
    symbols(formula, &mut used);
    let is_object = |s: &Symbol| view.signature.variables[*s].kind == Kind::Object;
    let mut used = used.into_iter();
    if let (Some(one), None) = (used.next(), used.next())
        && formula.is_quantified()
        && is_object(&one)
    {
        let mut others: Vec<Symbol> =
            view.variables.values().copied().filter(|s| live.contains(s) && is_object(s)).collect();
        others.sort_unstable();
        for other in others {
            let renamed = |s: Symbol| (s == one).then_some(Term::Var(other));
            all.push(formula.replace(&renamed, &|f| f));
        }
    }
    all
}

fn reason(why: Undecided) -> Reason {
    match why {
        Undecided::Exhausted(what) => Reason::Exhausted(what),
        Undecided::Prover(why) => Reason::Solver(why),
    }
}
