//! Functions with contracts: each is proved on its own, from its
//! preconditions, without loop invariants.
//!
//! **Conventions** (those of the thesis' Java, said for C). When the function
//! is called, every pointer in a parameter, a global variable or a field of a live object is null or
//! points to the start of a live object of its type. Whoever returns owes
//! the same: it is a promise of every function that allocates or frees or has a pointer from elsewhere. Calls of
//! functions with a contract go by that ([`super::calls`]), others are inlined.
//!
//! In `ensures`, parameters have the values of the call. `\old` speaks of a
//! snapshot of the fields and of global variables, which is part of the state from then on: so predicates of
//! loop invariants can mention it.
//!
//! The specification also gives predicates: its closed conjuncts, and every
//! atom about one bound object.

use super::Options;
use super::analysis::{Analysis, Outcome, Statistics};
use super::calls::{self, Callees};
use super::runs::{self, Effort, Known, Refutation};
use super::specification::Site;
use super::trees;
use super::view::{self, Command, Step, View};
use crate::picture::Picture;
use bolide_base::{Budget, HashMap};
use bolide_cfa::contract::{Contract, Expr};
use bolide_cfa::transform::{self, Mapped, VariableOrigin};
use bolide_cfa::{LocId, Op, Program, VarId, Variable, VariableKind};
use bolide_heap::trees::Tree;
use bolide_heap::{Certainty, FieldId, Formula, Kind, Symbol, Term};
use bolide_reachability::verdict::Reason;

/// What became of a contract.
#[derive(Clone, Debug)]
pub enum Judgement {
    /// It holds, and the function is memory safe; audited.
    Proved {
        /// At loop heads of the original program, in the annotation language.
        invariants: Vec<(LocId, String)>,
    },
    /// The function has no body: it is believed.
    Assumed,
    /// It does not hold: a run from a heap that the function may be called with, replayed by the interpreter.
    Refuted(Box<Refutation>),
    /// A promise or a check for which there is no proof, and how it might fail.
    NotProved {
        /// What might fail.
        what: String,
        /// What is known before each part of the path that leads there.
        states: Vec<String>,
        /// The heap logic sees no contradiction in the path; how far that can be believed.
        feasible: Option<Certainty>,
    },
    /// Neither.
    Unknown(Reason),
}

/// A judged contract.
#[derive(Clone, Debug)]
pub struct Judged {
    /// What became of it.
    pub judgement: Judgement,
    /// How much work it was.
    pub statistics: Statistics,
    /// The heaps of the proof, or those before each part of the path to what is not proved.
    pub picture: Picture,
}

/// Edges that inlining may make.
const INLINE_LIMIT: usize = 100_000;

/// Proves a contract, or says what is missing.
///
/// `contracts` are those of all functions: calls go by them.
pub fn prove(
    program: &Program,
    contract: &Contract,
    contracts: &[Contract],
    options: &Options,
    budget: &Budget,
) -> Judged {
    if program.functions[contract.function].body.is_none() {
        let (statistics, picture) = (Statistics::default(), Picture::default());
        return Judged { judgement: Judgement::Assumed, statistics, picture };
    }
    let mut mapped = Mapped::identity(program.clone());
    mapped.program.entry = contract.function;
    let callees = calls::cut(&mut mapped.program, contracts);
    let unknown = |why: String| Judged {
        judgement: Judgement::Unknown(Reason::Unsupported(why)),
        statistics: Statistics::default(),
        picture: Picture::default(),
    };
    if let Err(why) = transform::inline(&mut mapped, INLINE_LIMIT) {
        return unknown(why.to_string());
    }
    keep_globals(program, &mut mapped, callees.values().copied().chain([contract]));
    let function = mapped.program.entry;
    let view = match view::view_typed(&mapped.program, function, &callees) {
        Ok(view) => view,
        Err(why) => return unknown(format!("by the engine shape: {why}")),
    };
    let mut specified = Specified {
        original: program,
        program: &mapped.program,
        view,
        site: None,
        trees: Vec::new(),
        bound: HashMap::default(),
        levels: Vec::new(),
        depth: 0,
        call_fields: HashMap::default(),
        old_variables: HashMap::default(),
        old_fields: HashMap::default(),
        result: mapped.program.functions[function].result,
        promises: HashMap::default(),
        parameters: mapped.program.functions[function].parameters.clone(),
        names: names(program, contract, &mapped),
        after: false,
        inside: false,
        locations: mapped.program.locations.len(),
        call_globals: HashMap::default(),
        unsettled: false,
    };
    let places = places(contract, &mapped);
    let given = match specified.specify(contract, &places, &callees) {
        Ok(given) => given,
        Err(why) => return unknown(why),
    };
    let known = specified.known();
    let search = |effort: Effort| {
        let found = runs::search(program, contract, &callees, &known, effort, budget)?;
        Some(Judgement::Refuted(Box::new(found)))
    };
    let refuted = |otherwise: Judgement| search(Effort::THOROUGH).unwrap_or(otherwise);
    // Most mistakes show on two or three objects, long before a proof fails.
    if let Some(judgement) = search(Effort::QUICK) {
        let (statistics, picture) = (Statistics::default(), Picture::default());
        return Judged { judgement, statistics, picture };
    }
    if let Some(what) = specified.exceeds(contract) {
        let feasible = Some(Certainty::Decided);
        let judgement = refuted(Judgement::NotProved { what, states: Vec::new(), feasible });
        let (statistics, picture) = (Statistics::default(), Picture::default());
        return Judged { judgement, statistics, picture };
    }
    let Specified { view, promises, .. } = specified;
    let mut analysis = Analysis::new(&view, &given, budget);
    analysis.ask(options);
    let mut picture = Picture::default();
    let judgement = match analysis.run() {
        Outcome::Proved(invariants) => {
            analysis.draw(&mapped.program, &mut picture);
            Judgement::Proved {
                invariants: invariants
                    .into_iter()
                    .filter_map(|(l, text)| Some(((*mapped.locations.get(l)?)?, text)))
                    .collect(),
            }
        }
        Outcome::Suspected(suspicion) => {
            analysis.draw_counterexample(&mapped.program, &suspicion, &mut picture);
            let end = suspicion.paths.last().map(|p| p.to);
            let what = end.and_then(|l| match promises.get(&l) {
                Some(promise) => Some(promise.clone()),
                None => {
                    let check = *view.errors.get(&l)?;
                    Some(mapped.program.checks[check].description.clone())
                }
            });
            refuted(Judgement::NotProved {
                what: what.unwrap_or_default(),
                states: suspicion.states,
                feasible: suspicion.feasible.then_some(suspicion.certainty),
            })
        }
        Outcome::Unknown(reason) => refuted(Judgement::Unknown(reason)),
    };
    Judged { judgement, statistics: analysis.statistics, picture }
}

/// Puts back the global variables that only contracts mention.
fn keep_globals<'c>(
    program: &Program,
    mapped: &mut Mapped,
    contracts: impl Iterator<Item = &'c Contract>,
) {
    let mut mentioned: Vec<VarId> = Vec::new();
    for contract in contracts {
        mentioned.extend(contract.assigns.iter().flat_map(|a| &a.globals));
        runs::visit(contract, &mut |e| {
            if let Expr::Var(var) = e {
                mentioned.push(*var);
            }
        });
    }
    mentioned.sort_unstable();
    mentioned.dedup();
    for var in mentioned {
        let variable = &program.variables[var];
        let is_there =
            |(_, origin): (VarId, &VariableOrigin)| *origin == VariableOrigin::Variable(var);
        if variable.kind == VariableKind::Global && !mapped.variables.iter().any(is_there) {
            // What it held at the start does not matter: the function is called at any time.
            let kept = Variable { initial: None, ..variable.clone() };
            mapped.program.variables.push(kept);
            mapped.variables.push(VariableOrigin::Variable(var));
        }
    }
}

/// The places of assertions in the inlined program.
fn places(contract: &Contract, mapped: &Mapped) -> Vec<(LocId, Expr)> {
    let mut found = Vec::new();
    for (location, e) in &contract.asserts {
        let here = mapped.locations.iter().filter(|(_, old)| **old == Some(*location));
        found.extend(here.map(|(new, _)| (new, e.clone())));
        // Required: a place that is gone was not proved to be.
        if !mapped.locations.iter().any(|(_, old)| *old == Some(*location)) {
            let start = mapped.program.functions[mapped.program.entry].body.map(|b| b.entry);
            found.extend(start.map(|start| (start, Expr::Bool(false))));
        }
    }
    found
}

/// Parameters and global variables, from the original program to the inlined one.
fn names(program: &Program, contract: &Contract, mapped: &Mapped) -> HashMap<VarId, VarId> {
    let mut names: HashMap<VarId, VarId> = HashMap::default();
    for (new, origin) in mapped.variables.iter() {
        if let VariableOrigin::Variable(old) = origin
            && (program.variables[*old].kind == VariableKind::Global
                || !contract.asserts.is_empty())
        {
            // Locals are for assertions; the function itself is never inlined.
            names.entry(*old).or_insert(new);
        }
    }
    let before = &program.functions[contract.function].parameters;
    let after = &mapped.program.functions[mapped.program.entry].parameters;
    names.extend(before.iter().copied().zip(after.iter().copied()));
    names
}

/// The view of a program with what its specification adds.
pub(super) struct Specified<'a> {
    /// Before inlining: contracts speak of its variables.
    pub(super) original: &'a Program,
    pub(super) program: &'a Program,
    pub(super) view: View,
    /// The call whose contract is being read, if it is not the function's own.
    pub(super) site: Option<Site>,
    /// Trees that the contract speaks of.
    pub(super) trees: Vec<Tree>,
    /// Bound objects by number, and their names by depth of nesting.
    pub(super) bound: HashMap<u32, Symbol>,
    pub(super) levels: Vec<Symbol>,
    pub(super) depth: usize,
    pub(super) old_variables: HashMap<Symbol, Symbol>,
    pub(super) old_fields: HashMap<FieldId, FieldId>,
    /// Fields as they were before the last call.
    pub(super) call_fields: HashMap<FieldId, FieldId>,
    /// Global variables as they were before the last call.
    pub(super) call_globals: HashMap<Symbol, Symbol>,
    pub(super) result: Option<VarId>,
    pub(super) promises: HashMap<LocId, String>,
    pub(super) parameters: Vec<VarId>,
    /// Parameters and global variables, from the original program to the inlined one.
    pub(super) names: HashMap<VarId, VarId>,
    /// Parameters have the values of the call.
    pub(super) after: bool,
    /// What is read stands in the body: parameters have the values that they have there.
    pub(super) inside: bool,
    /// Locations that were made so far.
    pub(super) locations: usize,
    /// Pointers may have come from elsewhere than from the caller.
    unsettled: bool,
}

impl Specified<'_> {
    /// Adds the contract to the view; gives the predicates that it suggests.
    fn specify(
        &mut self,
        contract: &Contract,
        places: &[(LocId, Expr)],
        callees: &Callees<'_>,
    ) -> Result<Vec<Formula>, String> {
        let called = self.view.calls.iter().map(|call| callees[&call.function]);
        if called.chain([contract]).any(trees::lacks_tree) {
            let why = "`reach(l, r, x, y)` without `tree(l, r)` in `requires` and in `ensures`";
            return Err(why.into());
        }
        self.unsettled = self.has_foreign_pointers();
        for place in &contract.fields {
            if let Some(field) = self.known_field(place) {
                // Names without a tag come last and win.
                let name = place.name.rsplit('.').next().unwrap_or(&place.name);
                self.view.signature.fields[field].name = name.to_owned();
            }
        }
        // Required: calls that may change everything must know everything that is spoken of.
        for e in &contract.requires {
            self.formula(e, false)?;
        }
        self.after = true;
        for e in &contract.ensures {
            self.formula(e, false)?;
        }
        self.after = false;
        self.inside = true;
        for (_, e) in places {
            self.formula(e, false)?;
        }
        self.inside = false;
        self.call_by_contract(callees)?;
        let mut requires = self.well_formed(true);
        for e in &contract.requires {
            requires.push(self.formula(e, false)?);
        }
        self.after = true;
        let mut ensures = Vec::new();
        for e in &contract.ensures {
            ensures.extend(self.formula(e, false)?.conjuncts());
        }
        let mut given = Vec::new();
        for e in &contract.requires {
            given.extend(self.formula(e, false)?.conjuncts());
        }
        let mut owed: Vec<(Formula, String)> = ensures
            .iter()
            .map(|f| (f.clone(), format!("ensures {}", self.view.signature.show(f))))
            .collect();
        let words = "live objects and results point to live objects or are null";
        let mut whole = Vec::new();
        for formula in self.well_formed(false) {
            // Heuristic: kept as a whole; what single fields point to is not asked.
            whole.push(formula.clone());
            if self.unsettled {
                owed.push((formula, words.to_owned()));
            }
        }
        given.extend(ensures);
        (self.after, self.inside) = (false, true);
        let mut asserted = Vec::new();
        for (location, e) in places {
            asserted.push((*location, self.formula(e, false)?));
        }
        (self.after, self.inside) = (true, false);
        self.attach(Formula::and(requires), owed);
        for (location, formula) in asserted {
            let shown = self.view.signature.show(&formula);
            given.extend(formula.conjuncts());
            self.owe(location, formula, format!("assert {shown}"));
        }
        self.accompany();
        let mut suggested = self.suggested(given);
        let result = self.result.and_then(|var| self.view.variables.get(&var)).copied();
        suggested.extend(whole.into_iter().filter(|f| !result.is_some_and(|r| f.mentions(r))));
        Ok(suggested)
    }

    /// The start with its snapshot, and a step to an error for every promise.
    fn attach(&mut self, requires: Formula, owed: Vec<(Formula, String)>) {
        let program = self.program;
        let start = self.fresh_location();
        let mut snapshot = Vec::new();
        let mut variables: Vec<(Symbol, Symbol)> =
            self.old_variables.iter().map(|(a, b)| (*a, *b)).collect();
        variables.sort_unstable();
        for (now, old) in variables {
            snapshot.push(Command::Assign(old, Term::Var(now)));
            self.view.ghosts.push(old);
        }
        let mut fields: Vec<(FieldId, FieldId)> =
            self.old_fields.iter().map(|(a, b)| (*a, *b)).collect();
        fields.sort_unstable();
        for (now, old) in fields {
            snapshot.push(Command::Snapshot(old, now));
            if self.view.signature.fields[old].kind == Kind::Object {
                self.view.old_links.push(old);
            }
            if self.view.parents.contains(&now) {
                self.view.parents.push(old);
            }
        }
        let entry = self.view.entry;
        self.add_step(Step { from: start, to: entry, commands: snapshot, edge: None });
        self.view.entry = start;
        self.view.initial = requires;
        let exit = program.functions[program.entry].body.expect("the function has a body").exit;
        for (formula, words) in owed {
            self.owe(exit, formula, words);
        }
    }

    /// Whether pointers may have come from elsewhere than from the caller: from
    /// allocation, from variables that were never set, from functions without a body.
    fn has_foreign_pointers(&self) -> bool {
        let is_pointer = |s: &Symbol| self.view.signature.variables[*s].kind == Kind::Object;
        let program = self.program;
        let changes_memory = program
            .edges
            .values()
            .any(|e| matches!(e.op, Op::Alloc { .. } | Op::Free { .. } | Op::EndLifetime { .. }));
        let commands = || self.view.steps.iter().flat_map(|step| &step.commands);
        let any = commands().any(|command| match command {
            Command::Havoc(symbol, _) => is_pointer(symbol),
            Command::Write(field, _, None) => self.view.links.contains(field),
            _ => false,
        });
        let mut known: Vec<Symbol> = Vec::new();
        for (var, symbol) in &self.view.variables {
            let kind = program.variables[*var].kind;
            if kind == VariableKind::Global || self.parameters.contains(var) {
                known.push(*symbol);
            }
        }
        let live = super::predicates::live(&self.view);
        let at_entry = live.get(&self.view.entry);
        let unset =
            at_entry.is_some_and(|live| live.iter().any(|s| is_pointer(s) && !known.contains(s)));
        changes_memory || any || unset
    }

    /// What a search for runs wants to know.
    fn known(&self) -> Known {
        let view = &self.view;
        let mut links: Vec<u64> = view
            .places
            .iter()
            .filter(|(_, field)| view.links.contains(field))
            .filter_map(|((_, offset, _, _), _)| u64::try_from(*offset).ok())
            .collect();
        links.sort_unstable();
        Known { links: self.unsettled.then_some(links), numbers: view.constants.clone() }
    }

    /// What is changed that the contract does not list, in words.
    fn exceeds(&self, contract: &Contract) -> Option<String> {
        let assigns = contract.assigns.as_ref()?;
        let fields: Vec<FieldId> =
            assigns.fields.iter().filter_map(|place| self.known_field(place)).collect();
        let mut globals: HashMap<Symbol, bool> = HashMap::default();
        for (original, var) in &self.names {
            if self.program.variables[*var].kind == VariableKind::Global
                && let Some(symbol) = self.view.variables.get(var)
            {
                globals.insert(*symbol, assigns.globals.contains(original));
            }
        }
        for command in self.view.steps.iter().flat_map(|step| &step.commands) {
            match command {
                Command::Write(field, ..) | Command::Forget(field)
                    if !fields.contains(field) && !self.view.parents.contains(field) =>
                {
                    let name = &self.view.signature.fields[*field].name;
                    return Some(format!("assigns: the field `{name}` is not listed"));
                }
                Command::Assign(symbol, _) | Command::Havoc(symbol, _) | Command::New(symbol)
                    if globals.get(symbol) == Some(&false) =>
                {
                    let name = &self.view.signature.variables[*symbol].name;
                    return Some(format!("assigns: the variable `{name}` is not listed"));
                }
                _ => {}
            }
        }
        None
    }

    /// Pointers are null or point to live objects: at the call, or at the return.
    fn well_formed(&mut self, at_call: bool) -> Vec<Formula> {
        let mut concerned = Vec::new();
        for (var, symbol) in &self.view.variables {
            let here = match at_call {
                true => self.parameters.contains(var),
                false => self.result == Some(*var),
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
            Formula::or([Formula::Eq(t.clone(), Term::Null), Formula::Holds(view.alive, t)])
        };
        let mut concerned: Vec<Symbol> = variables.to_vec();
        for (var, symbol) in &self.view.variables {
            if self.program.variables[*var].kind == VariableKind::Global {
                concerned.push(*symbol);
            }
        }
        concerned.sort_unstable();
        concerned.dedup();
        let mut all = Vec::new();
        for symbol in concerned {
            if self.view.signature.variables[symbol].kind == Kind::Object {
                all.push(alive(Term::Var(symbol), &self.view));
            }
        }
        // Not the bound variable of the view: see `Session::everywhere`.
        self.bind(&[u32::MAX], |inner, symbols| {
            let v = Term::Var(symbols[0]);
            for &field in &inner.view.links {
                let live = Formula::Holds(inner.view.alive, v.clone());
                let next = alive(Term::read(field, v.clone()), &inner.view);
                let body = Formula::implies(live, next);
                all.push(Formula::Forall(symbols.clone(), Box::new(body)));
            }
        });
        all
    }

    /// Predicates: what is closed as it is, and atoms about one bound object.
    fn suggested(&self, given: Vec<Formula>) -> Vec<Formula> {
        let result = self.result.and_then(|var| self.view.variables.get(&var)).copied();
        let mut found = Vec::new();
        let bound: &[Symbol] = &self.levels;
        let mut touched = super::predicates::touched(&self.view);
        touched.insert(self.view.alive);
        let ours = |atom: &Formula| atom.fields().iter().all(|field| touched.contains(field));
        for formula in given {
            formula.atoms(&mut |atom| {
                let mut mentioned = bound.iter().filter(|s| atom.mentions(**s));
                if let (Some(&one), None) = (mentioned.next(), mentioned.next())
                    && !result.is_some_and(|r| atom.mentions(r))
                    && (links_to_variable(atom, one)
                        || !matches!(atom, Formula::Eq(..)) && ours(atom) && !is_trivial(atom))
                {
                    let object = |s: Symbol| (s == one).then_some(Term::Var(self.view.bound));
                    let atom = atom.replace(&object, &|f| f);
                    self.said_of_pointers(&atom, &mut found);
                    found.push(atom);
                }
            });
            if !result.is_some_and(|r| formula.mentions(r)) {
                self.said_of_places(&formula, &mut found);
                found.push(formula);
            }
        }
        found
    }
}

impl Specified<'_> {
    /// What is said of all pairs of objects has to be true of one that is linked in, with all others. Before, it is
    /// reached from where the new link comes from, or reaches what that leads to: so the statement
    /// is suggested with the object in it, and that place in its stead where it speaks of paths (its
    /// weakest precondition, but for the object itself).
    fn said_of_places(&self, formula: &Formula, found: &mut Vec<Formula>) {
        let Formula::Forall(bound, body) = formula else { return };
        let &[one, other] = bound.as_slice() else { return };
        // Heuristic: statements about data. Those about the structure alone are kept as a whole.
        let mut compares = false;
        body.atoms(&mut |atom| compares |= matches!(atom, Formula::Le(..)));
        if !compares {
            return;
        }
        let named: Vec<Symbol> = self.view.variables.values().copied().collect();
        for command in self.view.steps.iter().flat_map(|step| &step.commands) {
            let Command::Write(field, Term::Var(from), Some(value)) = command else { continue };
            let to = match value {
                Term::Var(to) => *to,
                Term::If(_, _, to) => match **to {
                    Term::Var(to) => to,
                    _ => continue,
                },
                _ => continue,
            };
            if !named.contains(from) || !named.contains(&to) {
                continue;
            }
            for (y, x) in [(one, other), (other, one)] {
                for (object, place, is_source) in [(*from, to, true), (to, *from, false)] {
                    if let Some(body) = placed(body, *field, y, object, place, is_source) {
                        found.push(Formula::Forall(vec![x], Box::new(body)));
                    }
                }
            }
        }
        found.dedup();
    }

    /// What a constraint says of `v->f->g` for a derived field `f` will have to be true of `p->g` where a pointer `p` is
    /// stored into `f`: so it is asked of that pointer.
    fn said_of_pointers(&self, atom: &Formula, found: &mut Vec<Formula>) {
        if !matches!(atom, Formula::Btwn(..)) {
            return;
        }
        let mut stored = None;
        atom.terms(&mut |t| {
            if let Term::Read(_, inner) = t
                && matches!(&**inner, Term::Read(_, of) if **of == Term::Var(self.view.bound))
            {
                stored = Some((**inner).clone());
            }
        });
        let Some(Term::Read(field, of)) = stored else { return };
        for command in self.view.steps.iter().flat_map(|step| &step.commands) {
            if let Command::Write(written, _, Some(value @ Term::Var(_))) = command
                && *written == field
            {
                found.push(atom.put(&Term::Read(field, of.clone()), value));
            }
        }
    }
}

/// The formula with an object for `y`, but a place where `y` is the source (or else the target) of a path along the field.
/// None where it is not.
fn placed(
    formula: &Formula,
    field: FieldId,
    y: Symbol,
    object: Symbol,
    place: Symbol,
    is_source: bool,
) -> Option<Formula> {
    let mut on_path = false;
    let moved = formula.map_atoms(&mut |atom| {
        let Formula::Btwn(f, a, b, c) = atom else { return atom.clone() };
        let here = if is_source { a } else { b };
        if *f != field || *here != Term::Var(y) {
            return atom.clone();
        }
        on_path = true;
        let place = Term::Var(place);
        match is_source {
            true => Formula::Btwn(*f, place, b.clone(), c.clone()),
            false if b == c => Formula::Btwn(*f, a.clone(), place.clone(), place),
            false => Formula::Btwn(*f, a.clone(), place, c.clone()),
        }
    });
    let named = |s: Symbol| (s == y).then_some(Term::Var(object));
    on_path.then(|| moved.replace(&named, &|f| f))
}

/// Whether the atom says which object a field of the bound one leads to.
fn links_to_variable(atom: &Formula, bound: Symbol) -> bool {
    let read = |t: &Term| matches!(t, Term::Read(_, of) if **of == Term::Var(bound));
    let variable = |t: &Term| matches!(t, Term::Var(s) if *s != bound);
    matches!(atom, Formula::Eq(a, b) if read(a) && variable(b) || variable(a) && read(b))
}

/// Whether the atom asks for null at the end of a path, which acyclic structures answer for all objects.
fn is_trivial(atom: &Formula) -> bool {
    matches!(atom, Formula::Btwn(_, _, Term::Null, Term::Null))
}
