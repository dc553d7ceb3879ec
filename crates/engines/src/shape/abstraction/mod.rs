//! The abstraction: Boolean heaps at cut points, and how they are explored.
//!
//! | thesis | here |
//! |---|---|
//! | Boolean heaps, 3.2 and 3.3 | [`states`], [`diagrams`] |
//! | context-sensitive abstract post, 3.4.1 and 6.2 | [`post`], [`prover`] |
//! | Cartesian post, transition relations, 3.4.2 and 6.2.2 | [`cartesian`] |
//! | fixed point, 6.2 (Figure 6.2) | [`Abstraction::explore`], [`questions`] |
//! | semantic caching, 6.2.3 | [`cache`], [`canonical`] |
//!
//! What is tracked where is for others to say; nothing here is believed by the audit.

mod cache;
pub mod canonical;
mod cartesian;
pub mod cut_points;
pub mod diagrams;
mod post;
pub mod prover;
mod questions;
pub mod states;

use super::options::{Context, Options};
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_heap::program::aliases::{self, Aliases};
use bolide_heap::program::view::{Command, View};
use bolide_heap::{FieldId, Formula, Term, Undecided};
use bolide_verdict::certificate::{BooleanHeap, BooleanHeaps, Invariant, Predicates, StateBits};
use cache::Cache;
use cartesian::Relations;
use cut_points::Path;
use diagrams::Diagrams;
use prover::{Count, PathProver};
use states::AbstractState;
use std::collections::BTreeSet;

/// How far the abstraction came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Applications of the abstract post.
    pub posts: u64,
    /// What was asked of the heap logic.
    pub count: Count,
}

/// A place of the abstract reachability graph: a heap at a cut point; none at the entry.
pub type Node = (LocId, Option<StateBits>);

/// The heap-level program between cut points.
pub struct Control {
    /// In topological order, the entry first.
    pub cuts: Vec<LocId>,
    /// Those that leave each.
    pub paths: HashMap<LocId, Vec<Path>>,
}

/// What is tracked.
pub struct Tracked {
    /// At every cut point but the entry.
    pub predicates: HashMap<LocId, Predicates>,
    /// Copies that need no predicates of their own.
    aliases: HashMap<LocId, Aliases>,
    none: Aliases,
}

/// The abstract reachability graph.
#[derive(Default)]
pub struct Reached {
    /// The heaps of each cut point.
    pub states: HashMap<LocId, AbstractState>,
    /// How a heap was first reached: from where, by which path.
    pub origin: HashMap<(LocId, StateBits), (Node, usize)>,
    /// Which heaps grew by a post of each.
    contributed: HashMap<Node, BTreeSet<Node>>,
    /// Heaps to explore, by the number of their cut point.
    waiting: BTreeSet<(usize, Option<StateBits>)>,
    /// Heaps to explore again where they lead to cut points that are not settled.
    again: BTreeSet<(usize, Option<StateBits>)>,
    /// Cut points that kept their abstract states when predicates were added last.
    settled: HashSet<LocId>,
}

impl Reached {
    /// The longest way on which a heap was first reached, in paths between cut points.
    pub fn depth(&self) -> u64 {
        let way = |mut here: (LocId, StateBits)| {
            let mut length = 1;
            while let Some(((location, Some(bits)), _)) = self.origin.get(&here) {
                here = (*location, *bits);
                length += 1;
            }
            length
        };
        self.origin.keys().map(|&heap| way(heap)).max().unwrap_or(0)
    }
}

/// How precise the post is, and what it remembers.
#[derive(Default)]
pub struct Operator {
    /// Whether it is the Cartesian one.
    pub cartesian: bool,
    /// What it knows of the heap that it starts from.
    context: Context,
    /// Paths, by start and number, whose post is the full one even so.
    pub precise: HashSet<(LocId, usize)>,
    /// Its transition relations.
    relations: Relations,
    /// Numbers of the quantified predicates that did not follow from a heap along a path.
    failed: HashMap<(LocId, Option<StateBits>, usize), BTreeSet<usize>>,
}

/// A heap-level program and its Boolean heaps.
pub struct Abstraction<'a> {
    /// The program.
    pub view: &'a View,
    /// Fields along which reachability is asked about.
    pub reach: Vec<FieldId>,
    /// Its cut points.
    pub control: Control,
    /// Its predicates.
    pub tracked: Tracked,
    /// Its heaps.
    pub reached: Reached,
    /// The sets of objects of all heaps.
    pub diagrams: Diagrams,
    /// Its post.
    pub operator: Operator,
    /// What was refuted, for all heaps that have what it needs.
    cache: Cache,
    /// Sessions by the steps of their paths.
    provers: HashMap<Vec<usize>, PathProver<'a>>,
    /// Sessions of posts, by the start and the number of their paths.
    enumerators: HashMap<(LocId, usize), PathProver<'a>>,
    /// When to stop.
    pub budget: &'a Budget,
    /// How far it came.
    pub figures: Figures,
}

impl<'a> Abstraction<'a> {
    /// Only null is told apart from other objects.
    pub fn new(
        view: &'a View,
        reach: Vec<FieldId>,
        options: &Options,
        budget: &'a Budget,
    ) -> Abstraction<'a> {
        let (cartesian, context) = (options.cartesian, options.context);
        let cuts = cut_points::cut_points(view);
        let paths = cuts.iter().map(|&cut| (cut, cut_points::paths(view, &cuts, cut))).collect();
        // An object at least is told apart from others: enumerations need a predicate.
        let mut first = Predicates::default();
        first.add(Formula::Eq(Term::Var(view.bound), Term::Null), view.bound);
        let predicates = cuts[1..].iter().map(|&cut| (cut, first.clone())).collect();
        let (aliases, none) = (aliases::aliases(view), Aliases::default());
        Abstraction {
            view,
            reach,
            control: Control { cuts, paths },
            tracked: Tracked { predicates, aliases, none },
            reached: Reached { waiting: BTreeSet::from([(0, None)]), ..Reached::default() },
            diagrams: Diagrams::default(),
            operator: Operator { cartesian, context, ..Operator::default() },
            cache: Cache::new(options.remembered.clone()),
            provers: HashMap::default(),
            enumerators: HashMap::default(),
            budget,
            figures: Figures::default(),
        }
    }

    /// Tracks more at a cut point; whether any of it is new.
    pub fn track(&mut self, cut: LocId, formulas: impl IntoIterator<Item = Formula>) -> bool {
        let aliases = self.tracked.aliases.get(&cut).unwrap_or(&self.tracked.none);
        let known = self.tracked.predicates.entry(cut).or_default();
        let mut added = false;
        for formula in formulas {
            added |= known.add(aliases.apply(&formula), self.view.bound);
        }
        added
    }

    /// Copies that equal their originals at a cut point.
    pub fn aliases(&self, cut: LocId) -> &Aliases {
        self.tracked.aliases.get(&cut).unwrap_or(&self.tracked.none)
    }

    /// What is done along some steps.
    pub fn commands(&self, steps: &[usize]) -> Vec<Command> {
        steps.iter().flat_map(|&s| self.view.steps[s].commands.iter().cloned()).collect()
    }

    /// What holds at a place.
    pub fn concretise(&self, (location, heap): Node) -> Formula {
        let Some(bits) = heap else { return self.view.initial.clone() };
        let objects = self.reached.states[&location].heaps[&bits];
        let cubes = self.diagrams.cover(objects, objects);
        self.tracked.predicates[&location].concretise(bits, &cubes, self.view.bound)
    }

    /// Questions that an earlier answer settled.
    pub fn hits(&self) -> u64 {
        self.cache.hits
    }

    /// The heaps as a certificate.
    pub fn certificate(&self) -> BooleanHeaps {
        let mut invariants = std::collections::BTreeMap::new();
        for cut in &self.control.cuts[1..] {
            let heaps = self.reached.states.get(cut).map(|state| state.heaps.iter());
            let heaps = heaps.into_iter().flatten().map(|(&state, &objects)| BooleanHeap {
                state,
                objects: self.diagrams.cover(objects, objects),
            });
            let predicates = self.tracked.predicates[cut].clone();
            invariants.insert(*cut, Invariant { heaps: heaps.collect(), predicates });
        }
        BooleanHeaps { invariants }
    }

    /// The least fixed point of the abstract post, cut points in topological
    /// order; stops at a heap from which a path leads to an error.
    pub fn explore(&mut self) -> Result<Option<(Node, usize)>, Undecided> {
        let place: HashMap<LocId, usize> =
            self.control.cuts.iter().enumerate().map(|(i, &cut)| (cut, i)).collect();
        while let Some(&item) =
            self.reached.waiting.first().into_iter().chain(self.reached.again.first()).min()
        {
            let whole = self.reached.waiting.remove(&item);
            self.reached.again.remove(&item);
            let (number, heap) = item;
            let location = self.control.cuts[number];
            let (errors, others): (Vec<usize>, Vec<usize>) =
                (0..self.control.paths[&location].len()).partition(|&at| {
                    self.view.errors.contains_key(&self.control.paths[&location][at].to)
                });
            for at in errors {
                self.budget.poll().map_err(Undecided::Exhausted)?;
                if !self.answered((location, at, None), heap)? {
                    self.reached.waiting.insert(item);
                    return Ok(Some(((location, heap), at)));
                }
            }
            for at in others {
                let to = self.control.paths[&location][at].to;
                if !whole && self.reached.settled.contains(&to) {
                    continue;
                }
                self.budget.poll().map_err(Undecided::Exhausted)?;
                self.figures.posts += 1;
                let mut after = self.reached.states.get(&to).cloned().unwrap_or_default();
                let grown = self.post((location, heap), at, &mut after);
                self.reached.states.insert(to, after);
                let reached = self.reached.states.values().map(|s| s.heaps.len()).sum();
                self.budget.progress().reached(reached);
                for bits in grown? {
                    self.reached.origin.entry((to, bits)).or_insert(((location, heap), at));
                    let led = self.reached.contributed.entry((location, heap)).or_default();
                    led.insert((to, Some(bits)));
                    self.reached.waiting.insert((place[&to], Some(bits)));
                }
            }
        }
        Ok(None)
    }

    /// All heaps, with where they are.
    fn all_heaps(&self) -> Vec<Node> {
        let mut all = vec![(self.control.cuts[0], None)];
        for &cut in &self.control.cuts {
            if let Some(state) = self.reached.states.get(&cut) {
                all.extend(state.heaps.keys().map(|&bits| (cut, Some(bits))));
            }
        }
        all
    }

    /// Removes the heaps of locations whose predicates changed or to which a post did, and every heap that a removed one contributed
    /// to. The rest of the fixed point stands; what leads from it to where heaps were removed is done again.
    pub fn forget(&mut self, changed: HashSet<LocId>) {
        // They exclude what was found, which may have to be found again.
        self.enumerators.clear();
        let mut open: Vec<Node> =
            self.all_heaps().into_iter().filter(|(cut, _)| changed.contains(cut)).collect();
        let mut stale: HashSet<Node> = HashSet::default();
        while let Some(node) = open.pop() {
            if node.1.is_some() && stale.insert(node) {
                let led = self.reached.contributed.get(&node);
                open.extend(led.into_iter().flatten().copied());
            }
        }
        for (cut, state) in &mut self.reached.states {
            state.heaps.retain(|&bits, _| !stale.contains(&(*cut, Some(bits))));
        }
        self.reached.origin.retain(|&(cut, bits), _| !stale.contains(&(cut, Some(bits))));
        self.reached.contributed.retain(|node, _| !stale.contains(node));
        self.operator.failed.retain(|&(cut, bits, _), _| !stale.contains(&(cut, bits)));
        let paths = &self.control.paths;
        self.operator.relations.forget(
            &changed,
            |from, path| paths[&from][path].to,
            |cut, bits| stale.contains(&(cut, Some(bits))),
        );
        let mut removed: HashSet<LocId> = stale.iter().map(|(cut, _)| *cut).collect();
        removed.extend(changed);
        self.reached.settled =
            self.control.cuts.iter().copied().filter(|cut| !removed.contains(cut)).collect();
        self.reached.waiting.append(&mut self.reached.again);
        self.reached
            .waiting
            .retain(|&(number, heap)| !stale.contains(&(self.control.cuts[number], heap)));
        for (location, heap) in self.all_heaps() {
            let number = self.control.cuts.iter().position(|cut| *cut == location).unwrap_or(0);
            if self.control.paths[&location].iter().any(|path| removed.contains(&path.to)) {
                self.reached.again.insert((number, heap));
            }
        }
    }
}
