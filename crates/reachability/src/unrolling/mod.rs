//! Unrollings: all runs of a program up to a bound, as one formula.
//!
//! After Biere, Cimatti, Clarke, Zhu, "Symbolic model checking without BDDs" (TACAS 1999), and
//! Clarke, Kroening, Lerda, "A tool for checking ANSI-C programs" (TACAS 2004). A node of an unrolling
//! is a cut point at one [place](places): in one activation of its function, in one round of each loop
//! around it. Runs that come to the same place by different ways meet there, so that there is one
//! formula for all of them and not one for each. A node has a condition (it is reached), and what the slots are
//! worth there: terms over inputs and over the state at the start. Where ways with different values meet, a
//! constant takes the value of the way that was taken ([`merge`]).
//!
//! What is known is put in place at once: initial values, and the values that conditions leave to a local constant
//! ([`TermStore::solve_equations`]). So a condition that the rounds of a loop decide, `i < 10` in the third round,
//! folds to a truth value, what is not reached is not unrolled, and cells of an array
//! whose index is known are scalars.
//!
//! Nodes are worked off in the order of their places, which is an order of the runs: when a node is next, all
//! ways to it are known. Where that does not hold (it may not where loops are entered in several places), nothing is unrolled.
//!
//! What an unrolling says:
//! - a run that reaches an error without going beyond the bound satisfies the condition of an error node;
//! - a run that goes beyond the bound satisfies one of the conditions in [`Unrolled::beyond`].
//!
//! A model of either gives the [way](Unrolled::way) that it took.

mod merge;
mod places;
#[cfg(test)]
mod tests;

use crate::block::{BlockProgram, Transition};
use crate::calls::{CallSite, Calls};
use crate::encode::{Environment, SlotId};
use crate::path_formula::{Instance, name_of};
use crate::verdict::Reason;
use bolide_base::{Budget, HashMap, HashSet};
use bolide_cfa::{FunctionId, LocId};
use bolide_terms::evaluate::Evaluator;
use bolide_terms::{Model, Op, TermId, TermStore};
use merge::Merge;
pub use places::Measure;
use places::{Place, Places};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Where runs start.
#[derive(Clone, Copy, Debug)]
pub enum Start {
    /// Where the program does, in its initial states.
    Program,
    /// At a cut point, in any state.
    Anywhere(LocId),
}

/// A cut point that runs come to.
#[derive(Debug)]
struct Node {
    /// How: none at the start.
    arrivals: Vec<Arrival>,
    /// After how many blocks, by the shortest way.
    blocks: u32,
}

/// One way into a node.
#[derive(Debug)]
struct Arrival {
    /// It is taken.
    condition: TermId,
    from: Option<usize>,
    /// None for calls and returns.
    instance: Option<Instance>,
}

/// All runs up to a bound.
#[derive(Debug, Default)]
pub struct Unrolled {
    nodes: Vec<Node>,
    /// Nodes of error locations with the condition that they are reached.
    errors: Vec<(usize, TermId)>,
    beyond: Vec<TermId>,
}

impl Unrolled {
    /// That some error is reached within the bound, after so many blocks or more.
    pub fn error_after(&self, store: &mut TermStore, blocks: u32) -> TermId {
        let late = self.errors.iter().filter(|(node, _)| self.nodes[*node].blocks >= blocks);
        let conditions: Vec<TermId> = late.map(|error| error.1).collect();
        store.mk_or(&conditions)
    }

    /// That some error is reached within the bound.
    pub fn error(&self, store: &mut TermStore) -> TermId {
        self.error_after(store, 0)
    }

    /// That the bound is exceeded.
    pub fn beyond(&self, store: &mut TermStore) -> TermId {
        store.mk_or(&self.beyond)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The blocks on the way to an error, the one after the fewest blocks that a model reaches.
    pub fn way(&self, store: &TermStore, model: &Model) -> Option<Vec<Instance>> {
        let mut evaluator = Evaluator::new(store, model);
        let mut errors: Vec<&(usize, TermId)> = self.errors.iter().collect();
        errors.sort_by_key(|(node, _)| self.nodes[*node].blocks);
        let reached = errors.into_iter().find(|(_, condition)| evaluator.holds(*condition))?;
        let (mut at, mut way) = (Some(reached.0), Vec::new());
        while let Some(node) = at {
            let mut arrivals = self.nodes[node].arrivals.iter();
            let taken = arrivals.find(|arrival| evaluator.holds(arrival.condition))?;
            way.extend(taken.instance.clone());
            at = taken.from;
        }
        way.reverse();
        Some(way)
    }
}

/// What waits at a place for the nodes before it.
struct Waiting {
    location: LocId,
    activation: usize,
    arrivals: Vec<(Arrival, Environment)>,
    blocks: u32,
}

/// A function that is being executed.
struct Activation {
    function: FunctionId,
    caller: Option<Caller>,
    /// What the places of its nodes begin with.
    prefix: Place,
}

/// Who called, and what was the state then.
struct Caller {
    activation: usize,
    place: Place,
    site: Rc<CallSite>,
    environment: Environment,
}

/// A node that is being left.
struct Leaving<'a> {
    node: usize,
    activation: usize,
    place: &'a Place,
    condition: TermId,
    environment: &'a Environment,
    blocks: u32,
}

/// Unrolls a program.
pub struct Unroller<'a, 'p> {
    program: &'a mut BlockProgram<'p>,
    calls: &'a Calls,
    places: Places,
}

impl<'a, 'p> Unroller<'a, 'p> {
    /// For a program with its calls.
    pub fn new(program: &'a mut BlockProgram<'p>, calls: &'a Calls) -> Unroller<'a, 'p> {
        let places = Places::new(program.program);
        Unroller { program, calls, places }
    }

    /// All runs from a start up to a bound.
    ///
    /// # Errors
    /// When the budget ends, and where runs cannot be put in order.
    pub fn unroll(
        &mut self,
        store: &mut TermStore,
        start: Start,
        measure: Measure,
        bound: u32,
        budget: &Budget,
    ) -> Result<Unrolled, Reason> {
        let mut unrolling = Unrolling {
            program: self.program,
            calls: self.calls,
            places: &self.places,
            store,
            measure,
            bound,
            waiting: BTreeMap::new(),
            activations: Vec::new(),
            unrolled: Unrolled::default(),
        };
        unrolling.start(start);
        while let Some((place, waiting)) = unrolling.waiting.pop_first() {
            let before = unrolling.store.len();
            unrolling.node(&place, waiting)?;
            // Required: whoever takes turns with others pays for what it makes.
            for _ in before..=unrolling.store.len() {
                budget.poll()?;
            }
        }
        budget.progress().reached(unrolling.unrolled.len());
        Ok(unrolling.unrolled)
    }
}

struct Unrolling<'a, 'p> {
    program: &'a mut BlockProgram<'p>,
    calls: &'a Calls,
    places: &'a Places,
    store: &'a mut TermStore,
    measure: Measure,
    bound: u32,
    waiting: BTreeMap<Place, Waiting>,
    activations: Vec<Activation>,
    unrolled: Unrolled,
}

impl Unrolling<'_, '_> {
    fn start(&mut self, start: Start) {
        let mut environment = Environment::initial(&self.program.slots);
        let (location, condition) = match start {
            Start::Program => (self.program.entry(), self.initialise(&mut environment)),
            Start::Anywhere(location) => (location, TermId::TRUE),
        };
        let function = self.program.program.locations[location].function;
        self.activations.push(Activation { function, caller: None, prefix: Place::default() });
        let place = self.places.first(self.measure, &Place::default(), location);
        let arrival = Arrival { condition, from: None, instance: None };
        let arrivals = vec![(arrival, environment)];
        self.waiting.insert(place, Waiting { location, activation: 0, arrivals, blocks: 0 });
    }

    /// Puts what is known of the initial states in place; what else holds of them.
    fn initialise(&mut self, environment: &mut Environment) -> TermId {
        let (store, slots) = (&mut *self.store, &self.program.slots);
        let constants: HashSet<TermId> = slots.ids().map(|slot| slots.constant(slot)).collect();
        let (rest, values) = store.solve_equations(self.program.initial(), &constants);
        for slot in slots.ids() {
            if let Some(&value) = values.get(&slots.constant(slot)) {
                environment.set(slot, value);
            }
        }
        let mut open = Vec::new();
        for conjunct in store.conjuncts(rest) {
            // `select(table, index) = value`: the table with this value there, whatever is elsewhere.
            let entry = (store.op(conjunct) == Op::Eq)
                .then(|| (store.arg(conjunct, 0), store.arg(conjunct, 1)))
                .into_iter()
                .flat_map(|(a, b)| [(a, b), (b, a)])
                .find_map(|(entry, value)| {
                    let &[table, index] = store.args(entry) else { return None };
                    let slot = slots.of_constant(table)?;
                    let closed = store.constants(value).is_empty();
                    let entry = store.op(entry) == Op::Select && store.is_value(index) && closed;
                    entry.then_some((slot, index, value))
                });
            match entry {
                Some((slot, index, value)) => {
                    let table = store.mk_store(environment.get(slot), index, value);
                    environment.set(slot, table);
                }
                None => open.push(conjunct),
            }
        }
        let open = store.mk_and(&open);
        let renaming = environment.changes().map(|(slot, v)| (slots.constant(slot), v)).collect();
        store.substitute(open, &renaming)
    }

    /// All ways on from a place, now that all ways to it are known.
    fn node(&mut self, place: &Place, waiting: Waiting) -> Result<(), Reason> {
        let Waiting { location, activation, arrivals, blocks } = waiting;
        let node = self.unrolled.nodes.len();
        let is_error = self.program.program.locations[location].error.is_some();
        let (condition, environment, arrivals) = self.join(place, location, is_error, arrivals);
        self.unrolled.nodes.push(Node { arrivals, blocks });
        if is_error {
            self.unrolled.errors.push((node, condition));
            return Ok(());
        }
        let environment = &environment;
        let leaving = Leaving { node, activation, place, condition, environment, blocks };
        if let Some(sites) = self.calls.at(location) {
            let mut numbered = (0u32..).zip(sites.iter());
            return numbered.try_for_each(|(number, site)| self.enter(&leaving, number, site));
        }
        let function = self.activations[activation].function;
        let body = self.program.program.functions[function].body;
        if body.is_some_and(|body| body.exit == location) {
            return self.give_back(&leaving);
        }
        for transition in self.program.transitions(self.store, location).iter() {
            self.step(&leaving, transition)?;
        }
        Ok(())
    }

    /// One condition and environment out of all that arrive.
    fn join(
        &mut self,
        place: &Place,
        location: LocId,
        is_error: bool,
        mut arrived: Vec<(Arrival, Environment)>,
    ) -> (TermId, Environment, Vec<Arrival>) {
        if arrived.len() == 1 {
            let (arrival, environment) = arrived.remove(0);
            return (arrival.condition, environment, vec![arrival]);
        }
        let slots = &self.program.slots;
        let mut changed: Vec<SlotId> =
            arrived.iter().flat_map(|(_, e)| e.changes().map(|c| c.0)).collect();
        changed.sort_unstable();
        changed.dedup();
        // Nobody asks for a state after an error.
        changed.retain(|&slot| !is_error && self.program.matters(slot, location));
        let mut environment = Environment::initial(slots);
        let mut merge = Merge::new(self.store, arrived.len());
        for slot in changed {
            let name = format!("{}@{place}", name_of(merge.store, slots.constant(slot)));
            let values: Vec<TermId> = arrived.iter().map(|(_, e)| e.get(slot)).collect();
            environment.set(slot, merge.value(&name, &values));
        }
        let chosen = merge.finish();
        let mut arrivals = Vec::new();
        for ((arrival, _), mut chosen) in arrived.into_iter().zip(chosen) {
            chosen.push(arrival.condition);
            let condition = self.store.mk_and(&chosen);
            arrivals.push(Arrival { condition, ..arrival });
        }
        let conditions: Vec<TermId> = arrivals.iter().map(|a| a.condition).collect();
        (self.store.mk_or(&conditions), environment, arrivals)
    }

    /// Through a block.
    fn step(&mut self, at: &Leaving<'_>, transition: &Rc<Transition>) -> Result<(), Reason> {
        let (store, slots) = (&mut *self.store, &self.program.slots);
        let mut renaming: HashMap<TermId, TermId> = HashMap::default();
        for &slot in &transition.inputs {
            renaming.insert(slots.constant(slot), at.environment.get(slot));
        }
        let locals = copy_locals(store, &transition.locals, at.place, &mut renaming);
        let formula = store.substitute(transition.formula, &renaming);
        let (formula, values) = store.solve_equations(formula, &locals);
        for value in renaming.values_mut() {
            if let Some(&known) = values.get(value) {
                *value = known;
            }
        }
        let condition = store.mk_and(&[at.condition, formula]);
        if condition == TermId::FALSE {
            return Ok(());
        }
        let mut environment = at.environment.clone();
        for &(slot, value) in &transition.outputs {
            let value = store.substitute(value, &renaming);
            environment.set(slot, merge::tidy(store, value));
        }
        let instance = Some(Instance::new(transition.clone(), renaming));
        let arrival = Arrival { condition, from: Some(at.node), instance };
        let place = self.next_place(at.activation, at.place, transition.from, transition.to);
        self.arrive(at, place, (transition.to, at.activation), arrival, environment)
    }

    /// Into a function, by one of the calls at a location.
    fn enter(&mut self, at: &Leaving<'_>, number: u32, site: &Rc<CallSite>) -> Result<(), Reason> {
        let (store, slots) = (&mut *self.store, &self.program.slots);
        let mut renaming: HashMap<TermId, TermId> = HashMap::default();
        for slot in slots.ids() {
            renaming.insert(slots.constant(slot), at.environment.get(slot));
        }
        copy_locals(store, &site.locals, at.place, &mut renaming);
        let guard = store.substitute(site.guard, &renaming);
        let condition = store.mk_and(&[at.condition, guard]);
        if condition == TermId::FALSE {
            return Ok(());
        }
        let mut environment = at.environment.clone();
        // Whatever its locals were in another activation, they are anything in this one.
        let mut own: Vec<SlotId> = self.calls.scope_of(site.callee).own.iter().copied().collect();
        own.sort_unstable();
        for slot in own {
            let constant = slots.constant(slot);
            // Required: not the name of what the caller's ways chose here.
            let name = format!("{}!any@{}", name_of(store, constant), at.place);
            let any = store.mk_const(&name, store.sort(constant));
            environment.set(slot, any);
        }
        for &(slot, value) in &site.arguments {
            let value = store.substitute(value, &renaming);
            environment.set(slot, merge::tidy(store, value));
        }
        let arrival = Arrival { condition, from: Some(at.node), instance: None };
        if self.depth_of(at.activation, site.callee) > self.bound {
            self.unrolled.beyond.push(condition);
            return Ok(());
        }
        let caller = Caller {
            activation: at.activation,
            place: at.place.clone(),
            site: site.clone(),
            environment: at.environment.clone(),
        };
        let activation = self.activations.len();
        let (caller, prefix) = (Some(caller), at.place.inside(number));
        let entry = self.program.entry_of(site.callee);
        let place = self.places.first(self.measure, &prefix, entry);
        self.activations.push(Activation { function: site.callee, caller, prefix });
        self.arrive(at, Some(place), (entry, activation), arrival, environment)
    }

    /// How often a function is being executed.
    fn depth_of(&self, activation: usize, function: FunctionId) -> u32 {
        let (mut at, mut depth) = (Some(activation), 0);
        while let Some(activation) = at.map(|at| &self.activations[at]) {
            depth += u32::from(activation.function == function);
            at = activation.caller.as_ref().map(|caller| caller.activation);
        }
        depth
    }

    /// Out of a function, to whoever called.
    fn give_back(&mut self, at: &Leaving<'_>) -> Result<(), Reason> {
        let Some(caller) = &self.activations[at.activation].caller else { return Ok(()) };
        let (mut environment, site) = (caller.environment.clone(), caller.site.clone());
        let changed = self.calls.scope_of(site.callee).changed.iter().map(|&slot| (slot, slot));
        for (to, from) in changed.chain(site.results.iter().copied()) {
            environment.set(to, at.environment.get(from));
        }
        let activation = caller.activation;
        let place = self.next_place(activation, &caller.place, site.from, site.to);
        let arrival = Arrival { condition: at.condition, from: Some(at.node), instance: None };
        self.arrive(at, place, (site.to, activation), arrival, environment)
    }

    /// Where a step leads; none beyond the bound.
    fn next_place(&self, activation: usize, at: &Place, from: LocId, to: LocId) -> Option<Place> {
        let prefix = &self.activations[activation].prefix;
        self.places.next(self.measure, prefix, at, (from, to), self.bound)
    }

    /// Whether anything comes after a location, or it is an error.
    fn goes_on(&self, location: LocId, activation: usize) -> bool {
        self.program.program.locations[location].error.is_some()
            || self.program.blocks.starting(location).is_some()
            || self.calls.at(location).is_some()
            || self.activations[activation].caller.is_some()
    }

    /// Waits at a place for other ways to it.
    fn arrive(
        &mut self,
        at: &Leaving<'_>,
        place: Option<Place>,
        (location, activation): (LocId, usize),
        arrival: Arrival,
        environment: Environment,
    ) -> Result<(), Reason> {
        if !self.goes_on(location, activation) {
            return Ok(());
        }
        let Some(place) = place else {
            self.unrolled.beyond.push(arrival.condition);
            return Ok(());
        };
        // Required: nobody comes to a node that was left already.
        if place <= *at.place {
            return Err(Reason::Unsupported("a loop is entered in several places".into()));
        }
        let blocks = at.blocks + u32::from(arrival.instance.is_some());
        let arrivals = Vec::new();
        let new = || Waiting { location, activation, arrivals, blocks };
        let waiting = self.waiting.entry(place).or_insert_with(new);
        // Required: a place is a location of an activation.
        if (waiting.location, waiting.activation) != (location, activation) {
            return Err(Reason::Defect("two locations at one place of an unrolling".into()));
        }
        waiting.blocks = waiting.blocks.min(blocks);
        waiting.arrivals.push((arrival, environment));
        Ok(())
    }
}

/// Local constants get copies of their own at every place.
fn copy_locals(
    store: &mut TermStore,
    locals: &[TermId],
    place: &Place,
    renaming: &mut HashMap<TermId, TermId>,
) -> HashSet<TermId> {
    let mut copies = HashSet::default();
    for &local in locals {
        let name = format!("{}@{place}", name_of(store, local));
        let copy = store.mk_const(&name, store.sort(local));
        renaming.insert(local, copy);
        copies.insert(copy);
    }
    copies
}
