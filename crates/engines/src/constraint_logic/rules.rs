//! From programs to rules.
//!
//! Each cut point of a function is a relation between the values with which the
//! function was entered and the values at the cut point: the transfer relation
//! up to there. The relation of the exit is the transfer relation T of the
//! function; a loop is a relation that calls itself, as a tail-recursive routine
//! would. A step to an error location is a query: together they say that the
//! error relation E of the entry is empty.
//!
//! What a relation does not have as an argument: variables that are dead at the
//! cut point, memory that nothing reads, and entry values of what the function
//! never writes, because these are the values themselves. What no query depends on
//! is dropped by the solver before it starts.

use bolide_base::HashMap;
use bolide_cfa::{LocId, Op};
use bolide_horn::system::{Atom, Clause, RelationId, System};
use bolide_reachability::block::{BlockProgram, Transition};
use bolide_reachability::calls::{CallSite, Calls};
use bolide_reachability::encode::SlotId;
use bolide_terms::{SortId, TermId, TermStore};
use std::rc::Rc;

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
    /// For each relation its location and the program's constants that are its arguments.
    pub places: HashMap<RelationId, (LocId, Vec<TermId>)>,
    /// The relation of each cut point.
    pub relations: HashMap<LocId, RelationId>,
}

/// Writes the rules of a program.
pub fn rules(program: &mut BlockProgram<'_>, store: &mut TermStore, calls: &Calls) -> Rules {
    let mut writer = Writer {
        rules: Rules {
            system: System::new(),
            origins: Vec::new(),
            places: HashMap::default(),
            relations: HashMap::default(),
        },
        calls,
        shared: shared_slots(program, calls),
        entry_is_called: program.program.edges.values().any(|edge| {
            matches!(edge.op, Op::Call { function, .. } if function == program.program.entry)
        }),
    };
    let entry = program.entry();
    let initial = program.initial();
    let head = writer.head(program, store, entry, |_, _| None, true);
    writer.add(store, Some(head), Vec::new(), initial, Origin::Initial);
    let mut pending = vec![entry];
    let mut seen = vec![entry];
    while let Some(from) = pending.pop() {
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
            if !seen.contains(&location) {
                seen.push(location);
                pending.push(location);
            }
        }
    }
    writer.rules
}

/// Slots that belong to no function: globals and memory.
fn shared_slots(program: &BlockProgram<'_>, calls: &Calls) -> Vec<SlotId> {
    let functions: Vec<_> = program
        .program
        .functions
        .ids()
        .filter(|&f| program.program.functions[f].body.is_some())
        .collect();
    program
        .slots
        .ids()
        .filter(|slot| functions.iter().all(|&f| !calls.scope_of(f).own.contains(slot)))
        .collect()
}

struct Writer<'a> {
    rules: Rules,
    calls: &'a Calls,
    shared: Vec<SlotId>,
    /// Whether a call leads back to the function where the program starts.
    entry_is_called: bool,
}

impl Writer<'_> {
    /// The relation of a cut point, declared when it is first asked for.
    fn relation(
        &mut self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        at: LocId,
    ) -> RelationId {
        if let Some(&known) = self.rules.relations.get(&at) {
            return known;
        }
        let f = program.program.locations[at].function;
        let mut constants: Vec<TermId> =
            self.entry_values(program, at).iter().map(|&(_, entry)| entry).collect();
        constants.extend(self.slots_at(program, at).map(|slot| program.slots.constant(slot)));
        let sorts: Vec<SortId> = constants.iter().map(|&c| store.sort(c)).collect();
        let function = &program.program.functions[f];
        let kind = match function.body {
            Some(body) if body.exit == at => "T".to_owned(),
            Some(body) if body.entry == at => "in".to_owned(),
            _ => format!("{at:?}"),
        };
        let name = format!("{}@{kind}", function.name);
        let declared = store.declare_fresh_fn(&name, &sorts, SortId::BOOL);
        let id = self.rules.system.add_relation(store, declared);
        self.rules.relations.insert(at, id);
        self.rules.places.insert(id, (at, constants));
        id
    }

    /// The entry values that relations of the location's function carry: what it changes,
    /// and none where the program starts, since nobody asks what came of a call there.
    fn entry_values(&self, program: &BlockProgram<'_>, at: LocId) -> &[(SlotId, TermId)] {
        let f = program.program.locations[at].function;
        if f == program.program.entry && !self.entry_is_called {
            return &[];
        }
        &self.calls.scope_of(f).entry
    }

    /// Slots that matter at a location, in the order of their ids.
    fn slots_at(
        &self,
        program: &BlockProgram<'_>,
        at: LocId,
    ) -> impl Iterator<Item = SlotId> + use<> {
        let f = program.program.locations[at].function;
        let scope = self.calls.scope_of(f);
        let entry = program.program.functions[f].body.map(|body| body.entry);
        // What the function reads and never changes has its entry value everywhere; the
        // transfer relation is about it even where it is dead.
        let read_only = |slot: SlotId| {
            f != program.program.entry
                && entry.is_some_and(|entry| program.matters(slot, entry))
                && scope.entry.iter().all(|&(changed, _)| changed != slot)
        };
        let slots: Vec<SlotId> = program
            .slots
            .ids()
            .filter(|slot| scope.own.contains(slot) || self.shared.binary_search(slot).is_ok())
            .filter(|&slot| program.matters(slot, at) || read_only(slot))
            .collect();
        slots.into_iter()
    }

    /// The atom of a cut point. `value` gives what differs from the state constants;
    /// when entering, entry values are the values.
    fn head(
        &mut self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        at: LocId,
        mut value: impl FnMut(&mut TermStore, SlotId) -> Option<TermId>,
        entering: bool,
    ) -> Atom {
        let relation = self.relation(program, store, at);
        let mut arguments = Vec::new();
        for &(slot, entry) in self.entry_values(program, at) {
            let argument = if entering {
                value(store, slot).unwrap_or(program.slots.constant(slot))
            } else {
                entry
            };
            arguments.push(argument);
        }
        for slot in self.slots_at(program, at).collect::<Vec<_>>() {
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
        let (clause, renaming) = clause.rename_apart(store);
        self.rules.system.add_clause(store, clause);
        self.rules.origins.push((origin, renaming));
    }

    fn step(
        &mut self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        transition: &Rc<Transition>,
    ) {
        let body = self.head(program, store, transition.from, |_, _| None, false);
        let outputs: HashMap<SlotId, TermId> = transition.outputs.iter().copied().collect();
        let head = match program.program.locations[transition.to].error {
            Some(_) => None,
            None => {
                let value = |_: &mut TermStore, slot: SlotId| outputs.get(&slot).copied();
                Some(self.head(program, store, transition.to, value, false))
            }
        };
        let origin = Origin::Step(transition.clone());
        self.add(store, head, vec![body], transition.formula, origin);
    }

    fn call(&mut self, program: &BlockProgram<'_>, store: &mut TermStore, site: &CallSite) {
        let Some(body) = program.program.functions[site.callee].body else { return };
        let arguments: HashMap<SlotId, TermId> = site.arguments.iter().copied().collect();
        let caller = self.head(program, store, site.from, |_, _| None, false);
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
        let head = self.head(program, store, body.entry, entering, true);
        self.add(store, Some(head), vec![caller.clone()], site.guard, Origin::Enter);

        let exit = self.relation(program, store, body.exit);
        let mut values = Vec::new();
        for &(slot, _) in &scope.entry {
            let constant = program.slots.constant(slot);
            values.push(arguments.get(&slot).copied().unwrap_or(constant));
        }
        let changes = |slot: &SlotId| scope.entry.iter().any(|(s, _)| s == slot);
        for slot in self.slots_at(program, body.exit).collect::<Vec<_>>() {
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
        let head = self.head(program, store, site.to, after, false);
        self.add(store, Some(head), vec![caller, summary], site.guard, Origin::Return);
    }
}
