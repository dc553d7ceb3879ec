//! The context-sensitive Cartesian post (sections 3.4.2, 3.4.3 and 6.2.2 of the thesis).
//!
//! One abstract object at a time, and of it one predicate at a time: a predicate holds of the object after the path, or
//! its negation does, if the heap (the *context*) and the object entail so; otherwise it has both values. So the
//! successors of an object are one cube, and what the predicates have to do with each other is lost. The second
//! phase of [refinement](super::super::refinement) makes good for it.
//!
//! The entailments of a path are its transition relation ([`Relation`]): for every predicate after the path, an
//! under-approximation of its weakest domain precondition and that of its negation (`AbstractWLP`), as cubes over the
//! predicates before it. Cubes are as large as an unsatisfiable core of the entailment allows, in place of the thesis' conjunctions of
//! a fixed length, and with them goes what of the context they need: facts about the state, which of the
//! abstract objects there are, facts about the state after the path. A later post uses all
//! entailments whose context its own is as strong as, and asks for the rest: relations are
//! recomputed as far as contexts have become weaker. What was not entailed is not by a weaker context either, and is not asked
//! again (6.2.3). Then the post is the relational product of the relation with the heap's diagram.
//!
//! Objects are told apart before the path by the predicates of both ends (`expand` of Theorem 37). Which of them
//! there are is enumerated by models, and so is the state after the path: predicates about the state alone are not
//! abstracted in the Cartesian way but split the successors, which is what sets of abstract states are for.
//!
//! Nothing rests on this module: the audit checks the heaps that it leads to by the full post. Its context is that of 6.2.1, because sessions
//! instantiate quantifiers at ground terms.

use super::diagrams::{Diagrams, ObjectSet};
use super::prover::Count;
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_heap::program::aliases::Aliases;
use bolide_heap::program::execution::Execution;
use bolide_heap::program::uses::{needed, symbols};
use bolide_heap::program::view::{Command, View};
use bolide_heap::{FieldId, Formula, Kind, Session, Symbol, Undecided};
use bolide_terms::TermId;
use bolide_terms::evaluate::Evaluator;
use bolide_verdict::certificate::{Cube, Predicates, StateBits};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Objects, each with a state after the path, that one post may find before it is left to the full one.
const PAIRS: usize = 1000;

/// An entailment: objects of the cube, in a context that has the other parts, have a value after the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Update {
    /// Predicates about the state before.
    state: Cube,
    /// The abstract objects there may be before, when that matters.
    context: Option<ObjectSet>,
    /// Predicates about the object before.
    object: Cube,
    /// Predicates about the state after.
    after: Cube,
}

/// States before and after, the number of a predicate, and a value of it.
type Refused = (StateBits, StateBits, usize, bool);

/// The transition relation of a path, as far as it is known.
#[derive(Debug, Default)]
pub struct Relation {
    /// By the number of the predicate after the path, and its value.
    updates: HashMap<(usize, bool), Vec<Update>>,
    /// Objects that do not entail the value.
    refused: HashMap<Refused, ObjectSet>,
    /// Objects that there are, by the state before and after.
    objects: BTreeMap<(StateBits, StateBits), ObjectSet>,
}

/// The relations of all paths, by start and number.
#[derive(Debug, Default)]
pub struct Relations(HashMap<(LocId, usize), Relation>);

impl Relations {
    /// The relation of a path.
    pub fn get(&mut self, from: LocId, path: usize) -> &mut Relation {
        self.0.entry((from, path)).or_default()
    }

    /// Drops what is not true any more: of locations with other predicates, and of heaps that are gone.
    pub fn forget(
        &mut self,
        changed: &HashSet<LocId>,
        target: impl Fn(LocId, usize) -> LocId,
        gone: impl Fn(LocId, StateBits) -> bool,
    ) {
        self.0.retain(|(from, _), _| !changed.contains(from));
        for (&(from, path), relation) in &mut self.0 {
            if changed.contains(&target(from, path)) {
                relation.objects.clear();
                relation.refused.clear();
            }
            relation.objects.retain(|(before, _), _| !gone(from, *before));
            relation.refused.retain(|(before, ..), _| !gone(from, *before));
        }
    }
}

/// The heap that a post starts from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its predicates; none at the entry.
    pub predicates: Option<&'a Predicates>,
    /// Its state.
    pub bits: StateBits,
    /// Its objects; all at the entry.
    pub objects: ObjectSet,
}

/// A predicate that tells objects apart before the path, with the bit that stands for it.
type Told<'a> = (usize, &'a Formula);

/// The domain predicates of the start by number, and from the last bit downwards those of the end that are not among them.
fn told_apart<'a>(source: &Source<'a>, target: &'a Predicates) -> Vec<Told<'a>> {
    let own = source.predicates.map_or(&[][..], |p| p.domain.as_slice());
    let more = target.domain.iter().filter(|formula| !own.contains(formula));
    let free = (own.len()..64).rev();
    own.iter().enumerate().chain(free.zip(more)).collect()
}

/// A path that was executed in a session, with the terms to ask about.
struct Executed<'a> {
    execution: Execution<'a>,
    /// What holds before: the number of a predicate about the state, or none for what is said of all objects.
    parts: Vec<(Option<usize>, TermId)>,
    /// Of the object before.
    before: Vec<(usize, TermId)>,
    /// Of the state after; a constant where that is decided.
    state: Vec<TermId>,
    /// Of the object after.
    after: Vec<TermId>,
}

/// Truth values that a model gives to the object before, the state after and the object after.
struct Found {
    object: Cube,
    state: StateBits,
    after: u64,
}

impl Executed<'_> {
    fn ask(&mut self, assumed: &[TermId], budget: &Budget) -> Result<Option<Found>, Undecided> {
        let session = &mut self.execution.session;
        let Some(model) = session.check_assuming(assumed, budget)? else { return Ok(None) };
        let mut evaluator = Evaluator::new(&session.store, &model);
        let mut object = Cube { mask: 0, bits: 0 };
        for &(bit, term) in &self.before {
            object.mask |= 1 << bit;
            object.bits |= u64::from(evaluator.holds(term)) << bit;
        }
        let mut bits = |terms: &[TermId]| -> u64 {
            let values = terms.iter().enumerate();
            values.map(|(i, &term)| u64::from(evaluator.holds(term)) << i).sum()
        };
        let (state, after) = (bits(&self.state), bits(&self.after));
        Ok(Some(Found { object, state, after }))
    }

    fn literal(&mut self, term: TermId, value: bool) -> TermId {
        if value { term } else { self.execution.session.store.mk_not(term) }
    }

    /// Excludes an object with a state after the path, where the guard holds.
    fn exclude(&mut self, guard: TermId, object: Cube, state: StateBits) {
        let mut clause = vec![self.literal(guard, false)];
        for (bit, term) in self.before.clone() {
            if object.mask >> bit & 1 == 1 {
                clause.push(self.literal(term, object.bits >> bit & 1 == 0));
            }
        }
        for (number, term) in self.state.clone().into_iter().enumerate() {
            clause.push(self.literal(term, state >> number & 1 == 0));
        }
        let clause = self.execution.session.store.mk_or(&clause);
        self.execution.session.assert(clause);
    }
}

/// A path from a heap.
pub struct Transition<'a> {
    /// The program.
    pub view: &'a View,
    /// Sets of objects.
    pub diagrams: &'a Diagrams,
    /// Fields along which reachability is asked about.
    pub reach: &'a [FieldId],
    /// Copies that equal their originals at the start.
    pub aliases: &'a Aliases,
    /// What holds at the start: the number of a predicate about the state, or none.
    pub parts: Vec<(Option<usize>, Formula)>,
    /// What is done.
    pub commands: Vec<Command>,
    /// The heap.
    pub source: Source<'a>,
    /// Whether what holds of all objects is known of others than the one at hand.
    pub knows_others: bool,
}

impl<'a> Transition<'a> {
    /// The heaps that the path leads to: states with their objects. `decided` are values of predicates about
    /// the state after the path that are known.
    pub fn successors(
        &self,
        target: &Predicates,
        decided: &[Option<bool>],
        relation: &mut Relation,
        count: &mut Count,
        budget: &Budget,
    ) -> Result<Vec<(StateBits, ObjectSet)>, Undecided> {
        let source = self.source;
        let mut executed = self.executed(target, decided);
        let answer = self.relate(&mut executed, source, decided, relation, budget);
        count.add(&executed.execution);
        answer?;
        let width = target.domain.len();
        let successors = relation.from(source.bits, decided).into_iter().map(|(after, objects)| {
            let step = relation.diagram(self.diagrams, &source, after, width);
            (after, self.diagrams.successors(objects, step))
        });
        Ok(successors.collect())
    }

    fn executed(&self, target: &Predicates, decided: &[Option<bool>]) -> Executed<'a> {
        let told = told_apart(&self.source, target);
        let mut formulas: Vec<&Formula> = target.state.iter().chain(&target.domain).collect();
        formulas.extend(told.iter().map(|(_, formula)| *formula));
        let mut asked: HashSet<Symbol> = HashSet::default();
        for formula in formulas {
            symbols(formula, &mut asked);
        }
        let mut wanted = needed(&self.commands, asked.clone());
        wanted.extend(asked);
        for (_, part) in &self.parts {
            symbols(part, &mut wanted);
        }
        wanted.remove(&self.view.bound);
        wanted.extend(self.aliases.originals(&wanted));
        let session = Session::new(false);
        let mut execution = Execution::new(self.view, self.reach, &wanted, self.aliases, session);
        let start = Rc::clone(&execution.state);
        let v = execution.session.constant("v", Kind::Object);
        let bound = [(self.view.bound, v)];
        let mut parts = Vec::new();
        for (number, formula) in &self.parts {
            let part = match formula {
                Formula::Forall(_, body) if number.is_none() && !self.knows_others => {
                    execution.session.define(&start, &bound, body)
                }
                _ => {
                    let guard = execution.session.constant("guard", Kind::Truth);
                    execution.session.assume_if(guard, &start, formula);
                    guard
                }
            };
            parts.push((*number, part));
        }
        let before = told
            .iter()
            .map(|(bit, formula)| (*bit, execution.session.define(&start, &bound, formula)))
            .collect();
        execution.run(&self.commands);
        let end = Rc::clone(&execution.state);
        let mut truth = |formula: &Formula, value: Option<bool>| match value {
            Some(value) => execution.session.store.mk_bool(value),
            None => execution.session.define(&end, &bound, formula),
        };
        let state = target.state.iter().zip(decided).map(|(f, d)| truth(f, *d)).collect();
        let after = target.domain.iter().map(|f| truth(f, None)).collect();
        Executed { execution, parts, before, state, after }
    }

    /// Completes the relation as far as the heap needs it.
    fn relate(
        &self,
        executed: &mut Executed<'_>,
        source: Source<'_>,
        decided: &[Option<bool>],
        relation: &mut Relation,
        budget: &Budget,
    ) -> Result<(), Undecided> {
        let diagrams = self.diagrams;
        let guard = executed.execution.session.constant("guard", Kind::Truth);
        for (state, objects) in relation.from(source.bits, decided) {
            for cube in diagrams.cover(objects, objects) {
                executed.exclude(guard, cube, state);
            }
        }
        let mut assumed: Vec<TermId> = executed.parts.iter().map(|(_, term)| *term).collect();
        assumed.push(guard);
        for pairs in 0.. {
            if pairs > PAIRS {
                return Err(Undecided::Prover("too many abstract objects".into()));
            }
            let Some(found) = executed.ask(&assumed, budget)? else { break };
            relation.learn(diagrams, source.bits, &found, executed.after.len());
            executed.exclude(guard, found.object, found.state);
        }
        for (state, objects) in relation.from(source.bits, decided) {
            for predicate in 0..executed.after.len() {
                self.entailments(executed, source, relation, (state, objects, predicate), budget)?;
            }
        }
        Ok(())
    }

    /// Asks for every object, until it is known, whether a predicate or its negation is entailed.
    fn entailments(
        &self,
        executed: &mut Executed<'_>,
        source: Source<'_>,
        relation: &mut Relation,
        (state, objects, predicate): (StateBits, ObjectSet, usize),
        budget: &Budget,
    ) -> Result<(), Undecided> {
        let diagrams = self.diagrams;
        loop {
            // Every object is refused one of the values, by the model that it was found in.
            let mut open = objects;
            let mut refused = objects;
            for value in [true, false] {
                let entailed = relation.entailed(diagrams, &source, state, predicate, value);
                open = diagrams.without(open, entailed);
                let key = (source.bits, state, predicate, value);
                let not = relation.refused.get(&key).copied().unwrap_or(ObjectSet::EMPTY);
                refused = diagrams.intersection(refused, not);
            }
            open = diagrams.without(open, refused);
            let Some(bits) = diagrams.objects(open, 64, 1).first().copied() else { return Ok(()) };
            let key = |value: bool| (source.bits, state, predicate, value);
            let known = relation.refused.get(&key(true)).copied().unwrap_or(ObjectSet::EMPTY);
            let value = !diagrams.contains(known, bits);
            // What is assumed, with the parts that it stands for.
            let mut assumed: Vec<(TermId, Part)> = executed
                .parts
                .iter()
                .map(|&(number, term)| (term, Part::Context(number)))
                .collect();
            for (bit, term) in executed.before.clone() {
                assumed.push((executed.literal(term, bits >> bit & 1 == 1), Part::Object(bit)));
            }
            for (number, term) in executed.state.clone().into_iter().enumerate() {
                let literal = executed.literal(term, state >> number & 1 == 1);
                assumed.push((literal, Part::After(number)));
            }
            let goal = executed.literal(executed.after[predicate], !value);
            assumed.push((goal, Part::Goal));
            let terms: Vec<TermId> = assumed.iter().map(|(term, _)| *term).collect();
            match executed.ask(&terms, budget) {
                Ok(None) => {
                    let core = executed.execution.session.minimal_core(budget);
                    let update = update(&assumed, &core, source, bits, state);
                    relation.updates.entry((predicate, value)).or_default().push(update);
                }
                Ok(Some(found)) => {
                    relation.learn(diagrams, source.bits, &found, executed.after.len());
                }
                Err(Undecided::Prover(_)) => {
                    let mask = executed.before.iter().map(|(bit, _)| 1u64 << bit).sum();
                    let object = diagrams.cube(Cube { mask, bits: bits & mask });
                    relation.refuse(diagrams, key(value), object);
                }
                Err(why) => return Err(why),
            }
        }
    }
}

/// What an assumption of an entailment stands for.
#[derive(Clone, Copy, Debug)]
enum Part {
    Context(Option<usize>),
    Object(usize),
    After(usize),
    Goal,
}

/// The entailment whose unsatisfiable core was found.
fn update(
    assumed: &[(TermId, Part)],
    core: &[TermId],
    source: Source<'_>,
    object: u64,
    state: StateBits,
) -> Update {
    let nothing = Cube { mask: 0, bits: 0 };
    let mut update = Update { state: nothing, context: None, object: nothing, after: nothing };
    let need = |cube: &mut Cube, bit: usize, bits: u64| {
        cube.mask |= 1 << bit;
        cube.bits |= bits & 1 << bit;
    };
    for term in core {
        // Several parts may say the same: the first will do.
        let part = assumed.iter().find(|(assumption, _)| assumption == term).map(|(_, part)| *part);
        match part {
            Some(Part::Context(Some(number))) => need(&mut update.state, number, source.bits),
            Some(Part::Context(None)) => update.context = Some(source.objects),
            Some(Part::Object(bit)) => need(&mut update.object, bit, object),
            Some(Part::After(number)) => need(&mut update.after, number, state),
            Some(Part::Goal) | None => {}
        }
    }
    update
}

impl Relation {
    /// The objects that there are in a heap, by the state after the path. What was found before quantified
    /// predicates turned out not to follow any more is left out.
    fn from(&self, before: StateBits, decided: &[Option<bool>]) -> Vec<(StateBits, ObjectSet)> {
        let agrees = |state: StateBits| {
            let mut values = decided.iter().enumerate();
            values.all(|(i, value)| value.is_none_or(|value| (state >> i & 1 == 1) == value))
        };
        let all = self.objects.iter().filter(|((from, to), _)| *from == before && agrees(*to));
        all.map(|((_, to), objects)| (*to, *objects)).collect()
    }

    /// Takes what a model shows: there is such an object, and it does not entail the other values.
    fn learn(&mut self, diagrams: &Diagrams, before: StateBits, found: &Found, width: usize) {
        let object = diagrams.cube(found.object);
        let known = self.objects.entry((before, found.state)).or_insert(ObjectSet::EMPTY);
        *known = diagrams.union(*known, object);
        for predicate in 0..width {
            let value = found.after >> predicate & 1 == 0;
            self.refuse(diagrams, (before, found.state, predicate, value), object);
        }
    }

    fn refuse(&mut self, diagrams: &Diagrams, key: Refused, object: ObjectSet) {
        let refused = self.refused.entry(key).or_insert(ObjectSet::EMPTY);
        *refused = diagrams.union(*refused, object);
    }

    /// The objects that entail a value in the context, as far as that is known: `AbstractWLP`.
    fn entailed(
        &self,
        diagrams: &Diagrams,
        source: &Source<'_>,
        after: StateBits,
        predicate: usize,
        value: bool,
    ) -> ObjectSet {
        let updates = self.updates.get(&(predicate, value)).map_or(&[][..], Vec::as_slice);
        let applies = |update: &&Update| {
            source.bits & update.state.mask == update.state.bits
                && after & update.after.mask == update.after.bits
                && update.context.is_none_or(|all| diagrams.is_subset(source.objects, all))
        };
        updates
            .iter()
            .filter(applies)
            .fold(ObjectSet::EMPTY, |set, update| diagrams.union(set, diagrams.cube(update.object)))
    }

    /// The transition relation for a context and a state after the path (Figure 6.4).
    fn diagram(
        &self,
        diagrams: &Diagrams,
        source: &Source<'_>,
        after: StateBits,
        width: usize,
    ) -> ObjectSet {
        let mut relation = ObjectSet::ALL;
        for predicate in 0..width {
            let mut either = ObjectSet::EMPTY;
            for value in [true, false] {
                let literal = diagrams.literal_after(predicate, value);
                let other = self.entailed(diagrams, source, after, predicate, !value);
                either = diagrams.union(either, diagrams.without(literal, other));
            }
            relation = diagrams.intersection(relation, either);
        }
        relation
    }
}
