//! From programs to rules.
//!
//! Each cut point of a function is a relation between the values with which the
//! function was entered and the values at the cut point: the transfer relation
//! up to there. The relation of the exit is the transfer relation T of the
//! function; a loop is a relation that calls itself, as a tail-recursive routine
//! would. There are two ways to say that no error is reached ([`Relations`]).
//! *Forward*, relations are about states that are reached, and a step to an error location is a query.
//! *Backward*, as in the paper: the error relation E of a cut point is about states from which an error can be
//! reached, transfer relations are about all states in which a function may be entered, and that E holds of no
//! initial state is the query.
//!
//! What a relation does not have as an argument: variables that are dead at the
//! cut point, memory that nothing reads, and entry values of what the function
//! never writes, because these are the values themselves. What no query depends on
//! is dropped by the solver before it starts.

use bolide_base::arena::Id;
use bolide_base::{Budget, Exhausted, HashMap, HashSet};
use bolide_cfa::{FunctionId, LocId, Op};
use bolide_horn::system::{Atom, Clause, RelationId, System};
use bolide_reachability::block::{BlockProgram, Transition};
use bolide_reachability::calls::{CallSite, Calls};
use bolide_reachability::encode::SlotId;
use bolide_terms::{SortId, TermId, TermStore};
use std::rc::Rc;

/// In which direction states are related to errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Relations {
    /// What is reached from the start.
    #[default]
    Forward,
    /// From where an error is reached.
    Backward,
}

/// What a relation says of a cut point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// T: how the function gets there.
    Transfer,
    /// E: that an error can be reached from there.
    Error,
}

/// What a clause of the system stands for.
#[derive(Clone, Debug)]
pub enum Origin {
    /// The initial states.
    Initial,
    /// A step within a function, or to an error.
    Step(Rc<Transition>),
    /// Entering a called function.
    Enter,
    /// Returning from a called function.
    Return,
}

/// A program as rules.
pub struct Rules {
    /// The clauses.
    pub system: System,
    /// For each clause what it stands for, and its renaming: the program's constants
    /// to the clause's variables.
    pub origins: Vec<(Origin, HashMap<TermId, TermId>)>,
    /// For each relation what it says, its location and the program's constants that are its arguments.
    pub places: HashMap<RelationId, (Kind, LocId, Vec<TermId>)>,
    /// The relations of each cut point.
    relations: HashMap<(Kind, LocId), RelationId>,
}

/// Writes the rules of a program.
pub fn rules(
    program: &mut BlockProgram<'_>,
    store: &mut TermStore,
    calls: &Calls,
    relations: Relations,
    budget: &Budget,
) -> Result<Rules, Exhausted> {
    let mut writer = Writer {
        rules: Rules {
            system: System::new(),
            origins: Vec::new(),
            places: HashMap::default(),
            relations: HashMap::default(),
        },
        calls,
        direction: relations,
        budget,
        shared: shared_slots(program, calls),
        in_function: HashMap::default(),
        slots: HashMap::default(),
        entered: HashSet::default(),
        entry_is_called: program.program.edges.values().any(|edge| {
            matches!(edge.op, Op::Call { function, .. } if function == program.program.entry)
        }),
    };
    let entry = program.entry();
    let initial = program.initial();
    let start = |writer: &mut Writer<'_>, store: &mut TermStore, kind| {
        writer.atom(program, store, (kind, entry), |_, _| None, true)
    };
    match relations {
        Relations::Forward => {
            let head = start(&mut writer, store, Kind::Transfer);
            writer.add(store, Some(head), Vec::new(), initial, Origin::Initial);
        }
        Relations::Backward => {
            let failing = start(&mut writer, store, Kind::Error);
            writer.add(store, None, vec![failing], initial, Origin::Initial);
        }
    }
    let mut pending = vec![entry];
    let mut seen: HashSet<LocId> = [entry].into_iter().collect();
    while let Some(from) = pending.pop() {
        budget.poll()?;
        let mut reached: Vec<LocId> = Vec::new();
        if let Some(sites) = calls.at(from) {
            for site in sites.iter() {
                writer.call(program, store, site);
                reached.push(site.to);
                if let Some(body) = program.program.functions[site.callee].body {
                    reached.push(body.entry);
                }
            }
        } else {
            for transition in program.transitions(store, from).iter() {
                writer.step(program, store, transition);
                if program.program.locations[transition.to].error.is_none() {
                    reached.push(transition.to);
                }
            }
        }
        for location in reached {
            if seen.insert(location) {
                pending.push(location);
            }
        }
    }
    Ok(writer.rules)
}

/// Slots that belong to no function, globals and memory, as far as anything reads them.
fn shared_slots(program: &BlockProgram<'_>, calls: &Calls) -> Vec<SlotId> {
    let functions = program.program.functions.iter();
    let bodies = functions.filter(|(_, function)| function.body.is_some());
    let own: HashSet<SlotId> =
        bodies.flat_map(|(f, _)| calls.scope_of(f).own.iter().copied()).collect();
    let slots = program.slots.ids();
    slots.filter(|slot| program.is_relevant(*slot) && !own.contains(slot)).collect()
}

/// Heuristic: a poll is worth so many arguments.
const ARGUMENTS: usize = 8;

struct Writer<'a> {
    rules: Rules,
    calls: &'a Calls,
    direction: Relations,
    budget: &'a Budget,
    shared: Vec<SlotId>,
    /// By function: slots that may matter in it, in the order of their ids, and whether they matter everywhere.
    in_function: HashMap<FunctionId, Rc<Vec<(SlotId, bool)>>>,
    /// By location: slots that matter there.
    slots: HashMap<LocId, Rc<Vec<SlotId>>>,
    /// Whether a call leads back to the function where the program starts.
    entry_is_called: bool,
    /// Functions whose transfer relations have a start.
    entered: HashSet<FunctionId>,
}

impl Writer<'_> {
    /// The relation of a cut point, declared when it is first asked for.
    fn relation(
        &mut self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        (kind, at): (Kind, LocId),
    ) -> RelationId {
        if let Some(&known) = self.rules.relations.get(&(kind, at)) {
            return known;
        }
        let f = program.program.locations[at].function;
        let mut constants: Vec<TermId> =
            self.entry_values(program, kind, at).iter().map(|&(_, entry)| entry).collect();
        let slots = self.slots_at(program, at);
        constants.extend(slots.iter().map(|&slot| program.slots.constant(slot)));
        let sorts: Vec<SortId> = constants.iter().map(|&c| store.sort(c)).collect();
        let function = &program.program.functions[f];
        let place = match function.body {
            Some(body) if body.exit == at && kind == Kind::Transfer => "T".to_owned(),
            Some(body) if body.entry == at && kind == Kind::Error => "E".to_owned(),
            Some(body) if body.entry == at => "in".to_owned(),
            _ if kind == Kind::Error => format!("E.L{}", at.index()),
            _ => format!("L{}", at.index()),
        };
        let name = format!("{}@{place}", function.name);
        let declared = store.declare_fresh_fn(&name, &sorts, SortId::BOOL);
        let id = self.rules.system.add_relation(store, declared);
        // Those of functions and loops are the paper's; other cut points are inside of its rules.
        self.rules.system.relations[id].kept = self.direction == Relations::Backward
            && self.is_called(program, at)
            && (place == "E" || place == "T" || program.is_loop_head(at));
        self.rules.relations.insert((kind, at), id);
        self.rules.places.insert(id, (kind, at, constants));
        id
    }

    /// The entry values that relations of the location's function carry: what it changes,
    /// and none where the program starts, since nobody asks what came of a call there. Nor does it matter to errors
    /// how the function was entered.
    fn entry_values(
        &self,
        program: &BlockProgram<'_>,
        kind: Kind,
        at: LocId,
    ) -> &[(SlotId, TermId)] {
        if kind == Kind::Error || !self.is_called(program, at) {
            return &[];
        }
        &self.calls.scope_of(program.program.locations[at].function).entry
    }

    /// Whether a location is in a function that is called.
    fn is_called(&self, program: &BlockProgram<'_>, at: LocId) -> bool {
        program.program.locations[at].function != program.program.entry || self.entry_is_called
    }

    /// The kinds of relations in which steps from a location are told.
    fn kinds(&self, program: &BlockProgram<'_>, at: LocId) -> Vec<Kind> {
        match self.direction {
            Relations::Forward => vec![Kind::Transfer],
            Relations::Backward if self.is_called(program, at) => vec![Kind::Error, Kind::Transfer],
            Relations::Backward => vec![Kind::Error],
        }
    }

    /// Slots that matter at a location, in the order of their ids.
    fn slots_at(&mut self, program: &BlockProgram<'_>, at: LocId) -> Rc<Vec<SlotId>> {
        if let Some(known) = self.slots.get(&at) {
            return known.clone();
        }
        let candidates = self.slots_in(program, program.program.locations[at].function);
        let all = candidates.iter();
        let here = all.filter(|&&(slot, everywhere)| everywhere || program.matters(slot, at));
        let slots: Rc<Vec<SlotId>> = Rc::new(here.map(|&(slot, _)| slot).collect());
        self.slots.insert(at, slots.clone());
        slots
    }

    /// What the function reads and never changes has its entry value everywhere; the transfer relation is
    /// about it even where it is dead.
    fn slots_in(&mut self, program: &BlockProgram<'_>, f: FunctionId) -> Rc<Vec<(SlotId, bool)>> {
        if let Some(known) = self.in_function.get(&f) {
            return known.clone();
        }
        let scope = self.calls.scope_of(f);
        let entry = program.program.functions[f].body.map(|body| body.entry);
        let changed: HashSet<SlotId> = scope.entry.iter().map(|&(slot, _)| slot).collect();
        let is_read_only = |slot: SlotId| {
            f != program.program.entry
                && !changed.contains(&slot)
                && entry.is_some_and(|entry| program.matters(slot, entry))
        };
        let mut slots: Vec<SlotId> = scope.own.iter().chain(&self.shared).copied().collect();
        slots.sort_unstable();
        let slots: Rc<Vec<(SlotId, bool)>> =
            Rc::new(slots.into_iter().map(|slot| (slot, is_read_only(slot))).collect());
        self.in_function.insert(f, slots.clone());
        slots
    }

    /// The atom of a cut point. `value` gives what differs from the state constants;
    /// when entering, entry values are the values.
    fn atom(
        &mut self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        (kind, at): (Kind, LocId),
        mut value: impl FnMut(&mut TermStore, SlotId) -> Option<TermId>,
        entering: bool,
    ) -> Atom {
        let relation = self.relation(program, store, (kind, at));
        let mut arguments = Vec::new();
        for &(slot, entry) in self.entry_values(program, kind, at) {
            let argument = if entering {
                value(store, slot).unwrap_or(program.slots.constant(slot))
            } else {
                entry
            };
            arguments.push(argument);
        }
        for &slot in self.slots_at(program, at).iter() {
            let constant = program.slots.constant(slot);
            arguments.push(value(store, slot).unwrap_or(constant));
        }
        Atom { relation, arguments }
    }

    /// Adds a clause over the program's constants, which are renamed apart.
    fn add(
        &mut self,
        store: &mut TermStore,
        head: Option<Atom>,
        body: Vec<Atom>,
        constraint: TermId,
        origin: Origin,
    ) {
        let clause = Clause { head, body, constraint, line: 0 };
        // Required: large clauses use up the turn, since others wait for it. That it is over is seen in the loop.
        let arguments = clause.body.iter().chain(&clause.head).map(|atom| atom.arguments.len());
        (0..arguments.sum::<usize>() / ARGUMENTS).for_each(|_| {
            let _ = self.budget.poll();
        });
        let (clause, renaming) = clause.rename_apart(store);
        self.rules.system.add_clause(store, clause);
        self.rules.origins.push((origin, renaming));
    }

    /// Adds the clause of a way from one cut point to another, through a call that ended where there is a summary:
    /// the way of T leads forward, that of E back.
    fn way(
        &mut self,
        store: &mut TermStore,
        kind: Kind,
        (before, after): (Atom, Option<Atom>),
        summary: Option<Atom>,
        (constraint, origin): (TermId, Origin),
    ) {
        let (head, first) = match kind {
            Kind::Transfer => (after, Some(before)),
            Kind::Error => (Some(before), after),
        };
        self.add(store, head, first.into_iter().chain(summary).collect(), constraint, origin);
    }

    fn step(
        &mut self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        transition: &Rc<Transition>,
    ) {
        let outputs: HashMap<SlotId, TermId> = transition.outputs.iter().copied().collect();
        let fails = program.program.locations[transition.to].error.is_some();
        for kind in self.kinds(program, transition.from) {
            // Backward, that a step fails is what E says.
            if fails && kind == Kind::Transfer && self.direction == Relations::Backward {
                continue;
            }
            let before = self.atom(program, store, (kind, transition.from), |_, _| None, false);
            let value = |_: &mut TermStore, slot: SlotId| outputs.get(&slot).copied();
            let after =
                (!fails).then(|| self.atom(program, store, (kind, transition.to), value, false));
            let meaning = (transition.formula, Origin::Step(transition.clone()));
            self.way(store, kind, (before, after), None, meaning);
        }
    }

    fn call(&mut self, program: &BlockProgram<'_>, store: &mut TermStore, site: &CallSite) {
        let Some(body) = program.program.functions[site.callee].body else { return };
        let arguments: HashMap<SlotId, TermId> = site.arguments.iter().copied().collect();
        let calls = self.calls;
        let scope = calls.scope_of(site.callee);
        // Names for values inside of the callee; each clause renames them apart.
        let named = |store: &mut TermStore, slot: SlotId, what: &str| {
            let constant = program.slots.constant(slot);
            let name = store.function_of(constant).map_or("?", |f| store.function_name(f));
            let name = format!("{name}!{what}");
            store.mk_const(&name, store.sort(constant))
        };
        let entering = |store: &mut TermStore, slot: SlotId| {
            arguments
                .get(&slot)
                .copied()
                .or_else(|| scope.own.contains(&slot).then(|| named(store, slot, "callee")))
        };
        let exit = self.relation(program, store, (Kind::Transfer, body.exit));
        let mut values = Vec::new();
        for &(slot, _) in &scope.entry {
            let constant = program.slots.constant(slot);
            values.push(arguments.get(&slot).copied().unwrap_or(constant));
        }
        let changes = |slot: &SlotId| scope.entry.iter().any(|(s, _)| s == slot);
        for &slot in self.slots_at(program, body.exit).iter() {
            let constant = program.slots.constant(slot);
            values.push(match arguments.get(&slot) {
                // A parameter that is never written is the argument still.
                Some(&argument) if !changes(&slot) => argument,
                _ if scope.own.contains(&slot) => named(store, slot, "callee"),
                _ if changes(&slot) => named(store, slot, "new"),
                _ => constant,
            });
        }
        let summary = Atom { relation: exit, arguments: values };
        let after = |store: &mut TermStore, slot: SlotId| {
            if let Some((_, result)) = site.results.iter().find(|(target, _)| *target == slot) {
                // An unwritten result is a parameter of the callee.
                return Some(match arguments.get(result) {
                    Some(&argument) if !changes(result) => argument,
                    _ => named(store, *result, "callee"),
                });
            }
            scope.changed.binary_search(&slot).is_ok().then(|| named(store, slot, "new"))
        };
        for kind in self.kinds(program, site.from) {
            let before = self.atom(program, store, (kind, site.from), |_, _| None, false);
            if kind == Kind::Error || self.direction == Relations::Forward {
                let inside = self.atom(program, store, (kind, body.entry), entering, true);
                let meaning = (site.guard, Origin::Enter);
                self.way(store, kind, (before.clone(), Some(inside)), None, meaning);
            }
            let behind = self.atom(program, store, (kind, site.to), after, false);
            let meaning = (site.guard, Origin::Return);
            self.way(store, kind, (before, Some(behind)), Some(summary.clone()), meaning);
        }
        // Backward, the transfer relation is about every way to enter the function.
        if self.direction == Relations::Backward && self.entered.insert(site.callee) {
            let any = (Kind::Transfer, body.entry);
            let inside = self.atom(program, store, any, |_, _| None, true);
            self.add(store, Some(inside), Vec::new(), TermId::TRUE, Origin::Enter);
        }
    }
}
