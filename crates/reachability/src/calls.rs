//! Calls as steps between scopes.
//!
//! Where calls are not inlined, a formula at a location of a function speaks of
//! that function's variables, of globals and memory, and of the values that
//! parameters and globals had when the function was entered: it is well-scoped
//! ("Abstractions from proofs", section 5). The *entry constant* of a slot
//! stands for its value at entry; slots that a function never writes need
//! none, they are their own entry value.
//!
//! A [`CallSite`] says how the scopes of caller and callee translate: which terms
//! of the caller the callee's parameters are, which slots of the callee are
//! the caller's results, and what else the callee may have changed.

use crate::block::BlockProgram;
use crate::encode::{Environment, Evaluator, Slot, SlotId, assign};
use bolide_base::{HashMap, HashSet};
use bolide_cfa::analysis::{CallGraph, ModRef};
use bolide_cfa::{EdgeId, FunctionId, LocId, Op, Program, VarId};
use bolide_terms::{TermId, TermStore};
use std::rc::Rc;

/// One call of a function with a body.
#[derive(Debug)]
pub struct CallSite {
    /// The call.
    pub edge: EdgeId,
    /// Before the call.
    pub from: LocId,
    /// After the call.
    pub to: LocId,
    /// What is called.
    pub callee: FunctionId,
    /// Facts about the arguments, over the caller's state constants and locals.
    pub guard: TermId,
    /// Local constants of the call.
    pub locals: Vec<TermId>,
    /// The callee's parameters and their values over the caller's constants.
    pub arguments: Vec<(SlotId, TermId)>,
    /// Slots of the caller that take the value of slots of the callee.
    pub results: Vec<(SlotId, SlotId)>,
}

/// What a function's scope consists of.
#[derive(Debug, Default)]
pub struct FunctionScope {
    /// Slots of its parameters.
    pub parameters: Vec<SlotId>,
    /// Slots of its parameters, locals and result.
    pub own: HashSet<SlotId>,
    /// Shared slots (globals, memory) that it may write, itself or by calls.
    pub changed: Vec<SlotId>,
    /// Parameters and shared slots that change, with their entry constants.
    pub entry: Vec<(SlotId, TermId)>,
}

/// All calls of a program; the default is one without any.
#[derive(Default)]
pub struct Calls {
    scopes: HashMap<FunctionId, FunctionScope>,
    sites: HashMap<LocId, Rc<Vec<Rc<CallSite>>>>,
    /// The slot of each entry constant.
    slot_of_entry: HashMap<TermId, SlotId>,
}

impl Calls {
    /// Reads the calls off the program. `Err` where a block mixes a call with
    /// other ways to the same place.
    pub fn new(program: &BlockProgram<'_>, store: &mut TermStore) -> Result<Calls, String> {
        let graph = CallGraph::new(program.program);
        let effects = ModRef::new(program.program, &graph);
        let mut calls = Calls::default();
        for f in program.program.functions.ids() {
            if program.program.functions[f].body.is_some() {
                let scope = calls.scope(program, store, &effects, f);
                calls.scopes.insert(f, scope);
            }
        }
        for (id, edge) in program.program.edges.iter() {
            match &edge.op {
                Op::Call { .. } => {
                    let alone = program.program.locations[edge.from].outgoing.iter().all(|&e| {
                        e == id || matches!(program.program.edges[e].op, Op::Call { .. })
                    });
                    if !alone {
                        return Err("a call is one of several ways to go on".into());
                    }
                    let site = Rc::new(site(program, store, id));
                    Rc::make_mut(calls.sites.entry(edge.from).or_default()).push(site);
                }
                Op::CallIndirect { .. } => {
                    return Err("a call through a pointer has unknown targets".into());
                }
                _ => {}
            }
        }
        Ok(calls)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// The calls that start at a location.
    pub fn at(&self, from: LocId) -> Option<Rc<Vec<Rc<CallSite>>>> {
        self.sites.get(&from).cloned()
    }

    /// The scope of a function with a body.
    pub fn scope_of(&self, f: FunctionId) -> &FunctionScope {
        &self.scopes[&f]
    }

    /// All entry constants, in a fixed order.
    pub fn entry_constants(&self) -> impl Iterator<Item = TermId> + use<> {
        let mut all: Vec<TermId> = self.slot_of_entry.keys().copied().collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// The slot whose entry constant this is.
    pub fn entry_slot(&self, constant: TermId) -> Option<SlotId> {
        self.slot_of_entry.get(&constant).copied()
    }

    fn scope(
        &mut self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        effects: &ModRef,
        f: FunctionId,
    ) -> FunctionScope {
        let (slots, function) = (&program.slots, &program.program.functions[f]);
        let of_variable = |var: VarId| {
            [Slot::Value(var), Slot::Object(var), Slot::Offset(var)]
                .into_iter()
                .filter_map(|slot| slots.find(slot))
        };
        let parameters = function.parameters.iter().flat_map(|&v| of_variable(v)).collect();
        let mut scope = FunctionScope { parameters, ..FunctionScope::default() };
        let locals = function.locals.iter().chain(&function.result).flat_map(|&v| of_variable(v));
        scope.own = scope.parameters.iter().copied().chain(locals).collect();
        let mut changed: Vec<SlotId> = effects.globals_written(f).flat_map(of_variable).collect();
        let regions: Vec<_> = effects.regions_written(f).collect();
        let all = regions.contains(&bolide_cfa::RegionId::ALL);
        for slot in slots.ids() {
            let written = match slots.slot(slot) {
                Slot::Cells(r) | Slot::CellOffsets(r) => all || regions.contains(&r),
                // Required: allocating and freeing need not write any region.
                Slot::Sizes | Slot::Lives | Slot::NextObject | Slot::HeapObjects => true,
                _ => false,
            };
            if written {
                changed.push(slot);
            }
        }
        changed.retain(|&slot| program.is_relevant(slot));
        changed.sort_unstable();
        changed.dedup();
        let written = variables_written(program.program, f);
        let parameters = function.parameters.iter().filter(|v| written.contains(v));
        let mut entry: Vec<SlotId> = parameters.flat_map(|&v| of_variable(v)).collect();
        entry.extend(&changed);
        scope.changed = changed;
        for slot in entry {
            let constant = slots.constant(slot);
            let name = store.function_of(constant).map_or("?", |f| store.function_name(f));
            let name = format!("{name}@in");
            let entry = store.mk_const(&name, store.sort(constant));
            self.slot_of_entry.insert(entry, slot);
            scope.entry.push((slot, entry));
        }
        scope
    }

    /// The renaming from the callee's scope to the caller's for a formula about
    /// the moment of entry.
    pub fn entering(
        &self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        site: &CallSite,
        formula: TermId,
    ) -> TermId {
        let arguments: HashMap<SlotId, TermId> = site.arguments.iter().copied().collect();
        let scope = self.scope_of(site.callee);
        self.translate(program, store, formula, |store, slot, _| {
            arguments.get(&slot).copied().or_else(|| {
                scope.own.contains(&slot).then(|| other(store, program, slot, "callee"))
            })
        })
    }

    /// The renaming from the callee's scope to the caller's for a formula about
    /// the moment of return. New values of what the callee changed are
    /// called as [`Calls::after`] calls them.
    pub fn returning(
        &self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        site: &CallSite,
        formula: TermId,
    ) -> TermId {
        let arguments: HashMap<SlotId, TermId> = site.arguments.iter().copied().collect();
        let scope = self.scope_of(site.callee);
        let at_entry: HashMap<SlotId, TermId> = scope.entry.iter().copied().collect();
        self.translate(program, store, formula, |store, slot, entry| {
            if (entry || !at_entry.contains_key(&slot))
                && let Some(&argument) = arguments.get(&slot)
            {
                return Some(argument);
            }
            if scope.own.contains(&slot) {
                return Some(other(store, program, slot, "callee"));
            }
            (!entry && at_entry.contains_key(&slot)).then(|| other(store, program, slot, "new"))
        })
    }

    /// The slots of the caller that a call gives new values, and the names that
    /// [`Calls::returning`] has for these.
    pub fn new_values(
        &self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        site: &CallSite,
    ) -> Vec<(SlotId, TermId)> {
        let mut found = Vec::new();
        for &slot in &self.scope_of(site.callee).changed {
            if site.results.iter().all(|r| r.0 != slot) {
                found.push((slot, other(store, program, slot, "new")));
            }
        }
        for &(target, result) in &site.results {
            found.push((target, other(store, program, result, "callee")));
        }
        found
    }

    /// What a fact about the callee's exit says in the caller after the call;
    /// none where the caller cannot say it any more.
    pub fn carried(
        &self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        site: &CallSite,
        fact: TermId,
    ) -> Option<TermId> {
        let scope = self.scope_of(site.callee);
        let said = self.returning(program, store, site, fact);
        // Old values of what the call changes have no name after it.
        let changes: HashSet<TermId> = site
            .results
            .iter()
            .map(|r| r.0)
            .chain(scope.changed.iter().copied())
            .map(|slot| program.slots.constant(slot))
            .collect();
        if store.constants(said).iter().any(|c| changes.contains(c)) {
            return None;
        }
        let mut renaming: HashMap<TermId, TermId> = HashMap::default();
        for &slot in &scope.changed {
            renaming.insert(other(store, program, slot, "new"), program.slots.constant(slot));
        }
        for &(target, result) in &site.results {
            let value = other(store, program, result, "callee");
            renaming.insert(value, program.slots.constant(target));
        }
        let said = store.substitute(said, &renaming);
        let known = |c: &TermId| {
            program.slots.of_constant(*c).is_some() || self.slot_of_entry.contains_key(c)
        };
        store.constants(said).iter().all(known).then_some(said)
    }

    /// A formula of the caller about the moment after the call, over its
    /// constants before and the new values.
    pub fn after(
        &self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        site: &CallSite,
        formula: TermId,
    ) -> TermId {
        let scope = self.scope_of(site.callee);
        self.translate(program, store, formula, |store, slot, entry| {
            if entry {
                // Entry values of the caller stay what they are.
                let constant = program.slots.constant(slot);
                let name = store.function_of(constant).map_or("?", |f| store.function_name(f));
                let name = format!("{name}@in");
                return Some(store.mk_const(&name, store.sort(constant)));
            }
            if let Some((_, result)) = site.results.iter().find(|(target, _)| *target == slot) {
                return Some(other(store, program, *result, "callee"));
            }
            scope.changed.binary_search(&slot).is_ok().then(|| other(store, program, slot, "new"))
        })
    }

    /// Renames state constants and entry constants. `rename` gets the slot and
    /// whether it is its entry value; none means the slot's state constant.
    fn translate(
        &self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        formula: TermId,
        rename: impl Fn(&mut TermStore, SlotId, bool) -> Option<TermId>,
    ) -> TermId {
        let mut renaming: HashMap<TermId, TermId> = HashMap::default();
        for constant in store.constants(formula) {
            let (slot, entry) = match self.slot_of_entry.get(&constant) {
                Some(&slot) => (slot, true),
                None => match program.slots.of_constant(constant) {
                    Some(slot) => (slot, false),
                    None => continue,
                },
            };
            let state = program.slots.constant(slot);
            let new = rename(store, slot, entry).unwrap_or(state);
            renaming.insert(constant, new);
        }
        store.substitute(formula, &renaming)
    }

    /// A formula about the moment of entry, where entry values are the values.
    pub fn at_entry(
        &self,
        program: &BlockProgram<'_>,
        store: &mut TermStore,
        formula: TermId,
    ) -> TermId {
        self.translate(program, store, formula, |_, _, _| None)
    }
}

fn other(store: &mut TermStore, program: &BlockProgram<'_>, slot: SlotId, what: &str) -> TermId {
    let constant = program.slots.constant(slot);
    let name = store.function_of(constant).map_or("?", |f| store.function_name(f));
    let name = format!("{name}!{what}");
    store.mk_const(&name, store.sort(constant))
}

fn variables_written(program: &Program, f: FunctionId) -> HashSet<VarId> {
    program
        .edges
        .values()
        .filter(|edge| program.locations[edge.from].function == f)
        .filter_map(|edge| edge.op.target())
        .collect()
}

fn site(program: &BlockProgram<'_>, store: &mut TermStore, id: EdgeId) -> CallSite {
    let edge = &program.program.edges[id];
    let Op::Call { function, arguments, result } = &edge.op else {
        unreachable!("only calls are asked for")
    };
    let definition = &program.program.functions[*function];
    let intervals = |e| program.interval(edge.from, e);
    let prefix = format!("c{id:?}!");
    let mut ev = Evaluator::new(program.program, &program.slots, store, &intervals, &prefix);
    let before = Environment::initial(&program.slots);
    let mut after = before.clone();
    for (&parameter, &argument) in definition.parameters.iter().zip(arguments) {
        let value = ev.evaluate(&before, argument);
        assign(&mut ev, &mut after, parameter, value);
    }
    let (facts, locals) = (std::mem::take(&mut ev.facts), std::mem::take(&mut ev.locals));
    let guard = store.mk_and(&facts);
    let kinds = |var: VarId| [Slot::Value(var), Slot::Object(var), Slot::Offset(var)];
    let parameters = definition.parameters.iter().flat_map(|&v| kinds(v));
    let arguments = parameters
        .filter_map(|slot| program.slots.find(slot))
        .map(|slot| (slot, after.get(slot)))
        .collect();
    let mut results = Vec::new();
    if let (Some(target), Some(value)) = (*result, definition.result) {
        for (to, from) in kinds(target).into_iter().zip(kinds(value)) {
            if let (Some(to), Some(from)) = (program.slots.find(to), program.slots.find(from)) {
                results.push((to, from));
            }
        }
    }
    CallSite {
        edge: id,
        from: edge.from,
        to: edge.to,
        callee: *function,
        guard,
        locals,
        arguments,
        results,
    }
}
