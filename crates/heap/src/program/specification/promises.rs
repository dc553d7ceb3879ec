//! What a contract adds to the heap-level program: where it starts, and an error for every promise.
//!
//! **Conventions** (those of the thesis' Java, said for C). When the function
//! is called, every pointer in a parameter, a global variable or a field of a live object is null or
//! points to the start of a live object of its type. Whoever returns owes
//! the same: it is a promise of every function that allocates or frees or has a pointer from elsewhere.

use super::super::uses;
use super::super::view::{Command, Home, Step, View};
use super::reader::Reader;
use crate::{FieldId, Formula, Kind, Symbol, Term};
use bolide_base::HashMap;
use bolide_base::arena::Id;
use bolide_cfa::contract::{Assigns, Contract};
use bolide_cfa::{CheckId, LocId, Op, VariableKind};

/// The view of a program with what its specification adds.
pub(super) struct Specified<'a> {
    pub reader: Reader<'a>,
    /// In words, by the error location that stands for it.
    pub promises: HashMap<LocId, String>,
    /// Locations that were made so far.
    pub locations: usize,
}

impl Specified<'_> {
    /// A location that the program does not have.
    pub(super) fn fresh_location(&mut self) -> LocId {
        self.locations += 1;
        LocId::from_index(self.locations - 1)
    }

    /// A step from a location to an error.
    pub(super) fn owe(&mut self, from: LocId, formula: Formula, words: String) {
        let error = self.fresh_location();
        let commands = vec![Command::Assume(formula.negate())];
        self.add_step(Step { from, to: error, commands, edge: None });
        self.reader.view.errors.insert(error, CheckId::from_index(0));
        self.promises.insert(error, words);
    }

    pub(super) fn add_step(&mut self, step: Step) {
        let view: &mut View = &mut self.reader.view;
        view.outgoing.entry(step.from).or_default().push(view.steps.len());
        view.steps.push(step);
    }

    /// The start with its snapshot, and a step to an error for every promise.
    pub(super) fn attach(&mut self, requires: Formula, owed: Vec<(Formula, String)>) {
        let program = self.reader.program;
        let start = self.fresh_location();
        let mut snapshot = Vec::new();
        let mut variables: Vec<(Symbol, Symbol)> =
            self.reader.snapshots.variables.iter().map(|(a, b)| (*a, *b)).collect();
        variables.sort_unstable();
        for (now, old) in variables {
            snapshot.push(Command::Assign(old, Term::Var(now)));
            self.reader.view.ghosts.push(old);
        }
        let mut fields: Vec<(FieldId, FieldId)> =
            self.reader.snapshots.fields.iter().map(|(a, b)| (*a, *b)).collect();
        fields.sort_unstable();
        for (now, old) in fields {
            snapshot.push(Command::Snapshot(old, now));
            if self.reader.view.signature.fields[old].kind == Kind::Object {
                self.reader.view.fields.old_links.push(old);
            }
            if self.reader.view.fields.parents.contains(&now) {
                self.reader.view.fields.parents.push(old);
            }
        }
        let entry = self.reader.view.entry;
        self.add_step(Step { from: start, to: entry, commands: snapshot, edge: None });
        self.reader.view.entry = start;
        self.reader.view.initial = requires;
        let exit = program.functions[program.entry].body.expect("the function has a body").exit;
        for (formula, words) in owed {
            self.owe(exit, formula, words);
        }
    }

    /// Whether pointers may have come from elsewhere than from the caller: from
    /// allocation, from variables that were never set, from functions without a body.
    pub(super) fn has_foreign_pointers(&self) -> bool {
        let is_pointer = |s: &Symbol| self.reader.view.signature.variables[*s].kind == Kind::Object;
        let program = self.reader.program;
        let changes_memory = program
            .edges
            .values()
            .any(|e| matches!(e.op, Op::Alloc { .. } | Op::Free { .. } | Op::EndLifetime { .. }));
        let commands = || self.reader.view.steps.iter().flat_map(|step| &step.commands);
        let any = commands().any(|command| match command {
            Command::Havoc(symbol, _) => is_pointer(symbol),
            Command::Write(field, _, None) => self.reader.view.fields.links.contains(field),
            _ => false,
        });
        let mut known: Vec<Symbol> = Vec::new();
        for (var, symbol) in &self.reader.view.variables {
            let kind = program.variables[*var].kind;
            if kind == VariableKind::Global || self.reader.parameters.contains(var) {
                known.push(*symbol);
            }
        }
        let live = uses::live(&self.reader.view);
        let at_entry = live.get(&self.reader.view.entry);
        let unset =
            at_entry.is_some_and(|live| live.iter().any(|s| is_pointer(s) && !known.contains(s)));
        changes_memory || any || unset
    }

    /// The fields and arrays of an `assigns` clause.
    pub(super) fn listed(&self, assigns: &Assigns) -> Vec<FieldId> {
        let fields = assigns.fields.iter().filter_map(|place| self.reader.known_field(place));
        let arrays = &self.reader.view.fields.arrays;
        let cells = assigns
            .arrays
            .iter()
            .filter_map(|place| Some(arrays.get(&Home::Static(place.object))?.field));
        fields.chain(cells).collect()
    }

    /// What is changed that the contract does not list, in words.
    pub(super) fn exceeds(&self, contract: &Contract) -> Option<String> {
        let assigns = contract.assigns.as_ref()?;
        let fields = self.listed(assigns);
        let mut globals: HashMap<Symbol, bool> = HashMap::default();
        for (original, var) in &self.reader.names {
            if self.reader.program.variables[*var].kind == VariableKind::Global
                && let Some(symbol) = self.reader.view.variables.get(var)
            {
                globals.insert(*symbol, assigns.globals.contains(original));
            }
        }
        for command in self.reader.view.steps.iter().flat_map(|step| &step.commands) {
            match command {
                Command::Write(field, ..) | Command::Forget(field)
                    if !fields.contains(field)
                        && !self.reader.view.is_local(*field)
                        && !self.reader.view.fields.parents.contains(field) =>
                {
                    let name = &self.reader.view.signature.fields[*field].name;
                    return Some(format!("assigns: the field `{name}` is not listed"));
                }
                Command::Assign(symbol, _) | Command::Havoc(symbol, _) | Command::New(symbol)
                    if globals.get(symbol) == Some(&false) =>
                {
                    let name = &self.reader.view.signature.variables[*symbol].name;
                    return Some(format!("assigns: the variable `{name}` is not listed"));
                }
                _ => {}
            }
        }
        None
    }

    /// Pointers are null or point to live objects: at the call, or at the return.
    pub(super) fn well_formed(&mut self, at_call: bool) -> Vec<Formula> {
        let mut concerned = Vec::new();
        for (var, symbol) in &self.reader.view.variables {
            let here = match at_call {
                true => self.reader.parameters.contains(var),
                false => self.reader.result == Some(*var),
            };
            if here {
                concerned.push(*symbol);
            }
        }
        concerned.sort_unstable();
        self.well_formed_at(&concerned)
    }

    /// The variables, global variables and fields of live objects are null or
    /// point to live objects.
    pub(super) fn well_formed_at(&mut self, variables: &[Symbol]) -> Vec<Formula> {
        let alive = |t: Term, view: &View| {
            Formula::or([Formula::Eq(t.clone(), Term::Null), Formula::Holds(view.fields.alive, t)])
        };
        let mut concerned: Vec<Symbol> = variables.to_vec();
        for (var, symbol) in &self.reader.view.variables {
            if self.reader.program.variables[*var].kind == VariableKind::Global {
                concerned.push(*symbol);
            }
        }
        concerned.sort_unstable();
        concerned.dedup();
        let mut all = Vec::new();
        for symbol in concerned {
            if self.reader.view.signature.variables[symbol].kind == Kind::Object {
                all.push(alive(Term::Var(symbol), &self.reader.view));
            }
        }
        // Not the bound variable of the view: see `Session::everywhere`.
        self.reader.bind(&[u32::MAX], |inner, symbols| {
            let v = Term::Var(symbols[0]);
            let links = inner.view.fields.links.iter();
            for &field in links.filter(|field| !inner.view.is_local(**field)) {
                let live = match inner.view.array_of(field) {
                    Some(array) => inner.view.is_place(&v, array.length),
                    None => Formula::Holds(inner.view.fields.alive, v.clone()),
                };
                let next = alive(Term::read(field, v.clone()), &inner.view);
                let body = Formula::implies(live, next);
                all.push(Formula::Forall(symbols.clone(), Box::new(body)));
            }
        });
        all
    }
}
