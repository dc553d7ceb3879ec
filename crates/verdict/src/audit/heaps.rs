//! Whether Boolean heaps are an inductive invariant.
//!
//! The obligations: from the entry, and from every heap of every cut point, along every path to the next
//! cut point or to an error.
//! - A path to an error cannot be executed.
//! - A path to a cut point leads into one of its heaps. First the quantified predicates that heaps there claim are proved
//!   one by one. Of the heaps that claim no more than these, no two may agree on all other predicates about the
//!   state: a state decides which one it belongs to, and a single object, which may be any, stands for all
//!   objects. That it lies outside of the heap is refuted.
//!
//! A path has one session for all heaps that it starts from: what a heap says stands behind switches,
//! which are assumptions. Every answer has a proof of its own.

use super::refused::{refused, undecided};
use crate::certificate::{BooleanHeap, BooleanHeaps, Cube, Invariant, LIMIT, StateBits, all_bits};
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_heap::program::aliases::{self, Aliases};
use bolide_heap::program::execution::Execution;
use bolide_heap::program::uses;
use bolide_heap::program::view::{Command, View};
use bolide_heap::{FieldId, Formula, Kind, Session, State, Symbol, Undecided, is_well_kinded};
use bolide_reachability::verdict::Reason;
use bolide_terms::TermId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Instances after which a session is begun anew.
const INSTANCES: u64 = 12_000;
/// Paths between cut points, at most.
const PATHS: usize = 100_000;

/// How many obligations were proved.
///
/// # Errors
/// When one does not hold, or was not decided.
pub fn check(view: &View, certificate: &BooleanHeaps, budget: &Budget) -> Result<u64, Reason> {
    well_formed(view, certificate)?;
    let mut audit = Audit {
        view,
        certificate,
        reach: reach(view, certificate),
        aliases: aliases::aliases(view),
        budget,
        proved: 0,
    };
    audit.from(view.entry, &[vec![view.initial.clone()]])?;
    for (&location, invariant) in &certificate.invariants {
        let parts = |heap: &BooleanHeap| {
            let all = invariant.predicates.parts(heap.state, &heap.objects, view.bound);
            all.into_iter().map(|(_, formula)| formula).collect()
        };
        let sources: Vec<Vec<Formula>> = invariant.heaps.iter().map(parts).collect();
        audit.from(location, &sources)?;
    }
    Ok(audit.proved)
}

/// That predicates speak of what there is, and bits of predicates.
fn well_formed(view: &View, certificate: &BooleanHeaps) -> Result<(), Reason> {
    let known = |formula: &Formula| is_well_kinded(&view.signature, formula);
    for invariant in certificate.invariants.values() {
        let Invariant { predicates, heaps } = invariant;
        let (state, domain) = (&predicates.state, &predicates.domain);
        let fits = |bits: u64, width: usize| bits & !all_bits(width) == 0;
        let right = state.len() <= LIMIT
            && domain.len() <= LIMIT
            && state.iter().chain(domain).all(known)
            && !state.iter().any(|formula| formula.is_free(view.bound))
            && heaps.iter().all(|heap| {
                let object =
                    |cube: &Cube| fits(cube.mask, domain.len()) && cube.bits & !cube.mask == 0;
                fits(heap.state, state.len()) && heap.objects.iter().all(object)
            });
        if !right {
            return Err(refused("heaps over other predicates than theirs"));
        }
    }
    Ok(())
}

/// The fields along which anything asks for reachability.
fn reach(view: &View, certificate: &BooleanHeaps) -> Vec<FieldId> {
    let mut found = uses::asked_reachability(view);
    let all = certificate.invariants.values().map(|invariant| &invariant.predicates);
    for formula in all.flat_map(|p| p.state.iter().chain(&p.domain)).chain([&view.initial]) {
        uses::reached(formula, &mut found);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// How a path ends, after the steps that are executed.
enum End<'a> {
    /// In an error, if the condition holds.
    Error(Option<&'a Formula>),
    /// At a cut point.
    Cut(&'a Invariant),
}

struct Audit<'a> {
    view: &'a View,
    certificate: &'a BooleanHeaps,
    reach: Vec<FieldId>,
    aliases: HashMap<LocId, Aliases>,
    budget: &'a Budget,
    proved: u64,
}

impl<'a> Audit<'a> {
    /// All obligations of a location, for the states that the sources describe.
    fn from(&mut self, location: LocId, sources: &[Vec<Formula>]) -> Result<(), Reason> {
        for (steps, ends) in self.paths(location)? {
            let mut path = self.execute(location, &steps, sources, &ends);
            for parts in sources {
                if path.execution.session.statistics.instances > INSTANCES {
                    path = self.execute(location, &steps, sources, &ends);
                }
                for end in &ends {
                    self.budget.poll().map_err(Reason::Exhausted)?;
                    let mut holds = path.keeps(parts, end, self.budget);
                    // Heuristic: most obligations need no thorough search, and it costs.
                    if !matches!(holds, Ok(true) | Err(Undecided::Exhausted(_))) {
                        path.execution.session.thorough = true;
                        holds = path.keeps(parts, end, self.budget);
                        path.execution.session.thorough = false;
                    }
                    if !holds.map_err(undecided)? {
                        return Err(refused("an obligation of the shape invariants"));
                    }
                    self.proved += 1;
                }
            }
        }
        Ok(())
    }

    /// The paths from a location to the next cut points and errors: what is executed, and how they end after that.
    /// The last condition of a path to an error is no part of what is executed: so all checks at one
    /// place share a session.
    fn paths(&self, from: LocId) -> Result<BTreeMap<Vec<usize>, Vec<End<'a>>>, Reason> {
        let view = self.view;
        let mut found: BTreeMap<Vec<usize>, Vec<End<'a>>> = BTreeMap::new();
        let mut open: Vec<(LocId, Vec<usize>)> = vec![(from, Vec::new())];
        let mut count = 0;
        if view.errors.contains_key(&from) {
            return Err(refused("an error location is no cut point"));
        }
        while let Some((location, steps)) = open.pop() {
            count += 1;
            if count > PATHS {
                return Err(refused("too many paths between cut points"));
            }
            for &step in view.outgoing.get(&location).map_or(&[][..], Vec::as_slice) {
                let to = view.steps[step].to;
                let mut longer = steps.clone();
                longer.push(step);
                if view.errors.contains_key(&to) {
                    let (steps, condition) = match view.steps[step].commands.as_slice() {
                        [Command::Assume(condition)] => (steps.clone(), Some(condition)),
                        _ => (longer, None),
                    };
                    found.entry(steps).or_default().push(End::Error(condition));
                } else if let Some(invariant) = self.certificate.invariants.get(&to) {
                    found.entry(longer).or_default().push(End::Cut(invariant));
                } else if longer.iter().any(|&s| view.steps[s].from == to) {
                    return Err(refused("a loop without an invariant"));
                } else {
                    open.push((to, longer));
                }
            }
        }
        Ok(found)
    }

    /// Executes a path in a fresh session.
    fn execute(
        &self,
        location: LocId,
        steps: &[usize],
        sources: &[Vec<Formula>],
        ends: &[End<'_>],
    ) -> Path<'a> {
        let view = self.view;
        let commands: Vec<Command> =
            steps.iter().flat_map(|&s| view.steps[s].commands.iter().cloned()).collect();
        let mut after: HashSet<Symbol> = HashSet::default();
        for end in ends {
            match end {
                End::Error(condition) => {
                    condition.iter().for_each(|c| uses::symbols(c, &mut after))
                }
                End::Cut(Invariant { predicates, .. }) => {
                    let all = predicates.state.iter().chain(&predicates.domain);
                    all.for_each(|formula| uses::symbols(formula, &mut after));
                }
            }
        }
        let mut wanted = uses::needed(&commands, after);
        sources.iter().flatten().for_each(|formula| uses::symbols(formula, &mut wanted));
        wanted.remove(&view.bound);
        let none = Aliases::default();
        let aliases = self.aliases.get(&location).unwrap_or(&none);
        wanted.extend(aliases.originals(&wanted));
        let mut execution = Execution::new(view, &self.reach, &wanted, aliases, Session::new(true));
        let start = Rc::clone(&execution.state);
        execution.run(&commands);
        let (parts, goals, heaps) = Default::default();
        Path { view, execution, start, parts, goals, heaps, any: None }
    }
}

/// A path that was executed.
struct Path<'a> {
    view: &'a View,
    execution: Execution<'a>,
    start: Rc<State>,
    /// What stands for a formula about the start.
    parts: HashMap<Formula, TermId>,
    /// What stands for the negation of a formula about the end.
    goals: HashMap<Formula, TermId>,
    /// What stands for this: the end is not in the heap, or the object is none of its.
    heaps: HashMap<(StateBits, Vec<Cube>), TermId>,
    /// Any object of the end.
    any: Option<TermId>,
}

impl Path<'_> {
    fn parts(&mut self, parts: &[Formula]) -> Vec<TermId> {
        let session = &mut self.execution.session;
        let mut switches = Vec::with_capacity(parts.len());
        for part in parts {
            let known = self.parts.get(part).copied();
            let switch = known.unwrap_or_else(|| {
                if !part.is_quantified() {
                    return session.ground(&self.start, part);
                }
                let switch = session.switch();
                session.assume_if(switch, &self.start, part);
                switch
            });
            self.parts.insert(part.clone(), switch);
            switches.push(switch);
        }
        switches
    }

    /// Whether the path from where the parts hold does not end in the error, or in a heap of the cut point.
    fn keeps(
        &mut self,
        parts: &[Formula],
        end: &End<'_>,
        budget: &Budget,
    ) -> Result<bool, Undecided> {
        match end {
            End::Error(condition) => {
                let goal = condition.map(|c| c.clone().negate());
                self.proves(parts, goal.as_ref(), budget)
            }
            End::Cut(invariant) => self.leads_into(parts, invariant, budget),
        }
    }

    /// Whether the path cannot be executed from where the parts hold, or leads to where the goal holds.
    fn proves(
        &mut self,
        parts: &[Formula],
        goal: Option<&Formula>,
        budget: &Budget,
    ) -> Result<bool, Undecided> {
        let mut switches = self.parts(parts);
        if let Some(goal) = goal {
            let session = &mut self.execution.session;
            let switch = *self.goals.entry(goal.clone()).or_insert_with(|| {
                let switch = session.switch();
                session.refute_if(switch, &self.execution.state, goal);
                switch
            });
            switches.push(switch);
        }
        self.execution.session.refutes(&switches, budget)
    }

    /// Whether the path leads into one of the heaps.
    fn leads_into(
        &mut self,
        parts: &[Formula],
        invariant: &Invariant,
        budget: &Budget,
    ) -> Result<bool, Undecided> {
        let Invariant { predicates, heaps } = invariant;
        let claimed = heaps.iter().fold(0, |all, heap| all | heap.state);
        let (mut quantified, mut known) = (0, 0);
        for (number, predicate) in predicates.state.iter().enumerate() {
            if !predicate.is_quantified() {
                continue;
            }
            quantified |= 1 << number;
            if claimed >> number & 1 == 1 {
                match self.proves(parts, Some(predicate), budget) {
                    Ok(holds) => known |= u64::from(holds) << number,
                    // Another heap may do without it.
                    Err(Undecided::Prover(_)) => {}
                    Err(why) => return Err(why),
                }
            }
        }
        // Required: one heap for the truth values of the other predicates.
        let mut fitting: BTreeMap<u64, &BooleanHeap> = BTreeMap::new();
        for heap in heaps.iter().filter(|heap| heap.state & quantified & !known == 0) {
            let best = fitting.entry(heap.state & !quantified).or_insert(heap);
            // Heuristic: of those that fit, the one that claims most.
            if heap.state.count_ones() > best.state.count_ones() {
                *best = heap;
            }
        }
        let mut switches = self.parts(parts);
        for heap in fitting.into_values() {
            switches.push(self.outside(invariant, heap, quantified));
        }
        self.execution.session.refutes(&switches, budget)
    }

    /// A switch behind which the end is not in the heap, or an object is none of its.
    fn outside(&mut self, invariant: &Invariant, heap: &BooleanHeap, quantified: u64) -> TermId {
        let key = (heap.state, heap.objects.clone());
        if let Some(&known) = self.heaps.get(&key) {
            return known;
        }
        let Path { execution, view, any, .. } = self;
        let session = &mut execution.session;
        let object = *any.get_or_insert_with(|| session.constant("v", Kind::Object));
        let switch = session.constant("outside", Kind::Truth);
        let bound = [(view.bound, object)];
        let mut fails = vec![session.store.mk_not(switch)];
        // The negation of a literal.
        let fail = |session: &mut Session, formula: &Formula, holds: bool| {
            let truth = session.define(&execution.state, &bound, formula);
            if holds { session.store.mk_not(truth) } else { truth }
        };
        let predicates = &invariant.predicates;
        for (number, predicate) in predicates.state.iter().enumerate() {
            if quantified >> number & 1 == 0 {
                fails.push(fail(session, predicate, heap.state >> number & 1 == 1));
            }
        }
        for cube in &heap.objects {
            let mut clause = fails.clone();
            for (number, predicate) in predicates.domain.iter().enumerate() {
                if cube.mask >> number & 1 == 1 {
                    clause.push(fail(session, predicate, cube.bits >> number & 1 == 1));
                }
            }
            let clause = session.store.mk_or(&clause);
            session.assert(clause);
        }
        self.heaps.insert(key, switch);
        switch
    }
}
