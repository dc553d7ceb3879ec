//! A function with its contract, as a heap-level program.
//!
//! What is required holds at the start; every promise (an `ensures`, an `assert`, what a called function
//! requires) is an error location that must not be reached. Calls of
//! functions with a contract go by that ([`calls`]), others are inlined.
//!
//! In `ensures`, parameters have the values of the call. `\old` speaks of a
//! snapshot of the fields and of global variables, which is part of the state from then on: so predicates of
//! loop invariants can mention it.
//!
//! Reading order: [`reader`] (annotations as formulas, with [`trees`]), [`promises`], [`calls`].

mod calls;
pub mod parts;
mod promises;
mod reader;
mod trees;

use super::view::{self, Callees, View};
use crate::{Formula, Symbol};
use bolide_base::HashMap;
use bolide_cfa::contract::{Contract, Expr};
use bolide_cfa::transform::{self, Mapped, VariableOrigin};
use bolide_cfa::{LocId, Program, VarId, Variable, VariableKind};
use promises::Specified;
use reader::{Reader, Reading};

/// Edges that inlining may make.
const INLINE_LIMIT: usize = 100_000;

/// A function that promises to keep its contract.
pub struct Specification<'c> {
    /// The inlined program, and where it comes from.
    pub mapped: Mapped,
    /// Functions whose calls go by their contracts.
    pub callees: Callees<'c>,
    /// What is to be proved.
    pub view: View,
    /// In words, by the error location that stands for it.
    pub promises: HashMap<LocId, String>,
    /// What is changed that the contract does not list, in words.
    pub exceeds: Option<String>,
    /// Pointers may have come from elsewhere than from the caller.
    pub unsettled: bool,
    /// What the contract says, conjunct by conjunct.
    pub said: Vec<Formula>,
    /// That pointers are null or point to live objects when it returns.
    pub well_formed: Vec<Formula>,
    /// Names of bound objects in these.
    pub bound: Vec<Symbol>,
    /// What holds the result.
    pub result: Option<Symbol>,
}

/// Specifies a function by its contract; calls go by the contracts of others.
///
/// # Errors
/// When the program or an annotation has something that the heap logic does not say.
pub fn specify<'c>(
    program: &Program,
    contract: &Contract,
    contracts: &'c [Contract],
) -> Result<Specification<'c>, String> {
    let mut mapped = Mapped::identity(program.clone());
    mapped.program.entry = contract.function;
    let callees = calls::cut(&mut mapped.program, contracts);
    transform::inline(&mut mapped, INLINE_LIMIT).map_err(|why| why.to_string())?;
    keep_globals(program, &mut mapped, callees.values().copied().chain([contract]));
    let function = mapped.program.entry;
    let view = view::view_typed(&mapped.program, function, &callees)
        .map_err(|why| format!("by the engine shape: {why}"))?;
    let reader = Reader {
        original: program,
        program: &mapped.program,
        view,
        names: names(program, contract, &mapped),
        parameters: mapped.program.functions[function].parameters.clone(),
        result: mapped.program.functions[function].result,
        reading: Reading::AtCall,
        binders: Default::default(),
        snapshots: Default::default(),
        trees: Vec::new(),
    };
    let locations = mapped.program.locations.len();
    let mut specified = Specified { reader, promises: HashMap::default(), locations };
    let places = places(contract, &mapped);
    let (unsettled, said, well_formed) = attach(&mut specified, contract, &places, &callees)?;
    let exceeds = specified.exceeds(contract);
    let Specified { reader: Reader { view, binders, result, .. }, promises, .. } = specified;
    let result = result.and_then(|var| view.variables.get(&var)).copied();
    let bound = binders.levels;
    Ok(Specification {
        mapped,
        callees,
        view,
        promises,
        exceeds,
        unsettled,
        said,
        well_formed,
        bound,
        result,
    })
}

type Attached = (bool, Vec<Formula>, Vec<Formula>);

/// Adds the contract to the view: whether pointers may have come from elsewhere, what it says, and what pointers are when
/// it returns.
fn attach(
    all: &mut Specified<'_>,
    contract: &Contract,
    places: &[(LocId, Expr)],
    callees: &Callees<'_>,
) -> Result<Attached, String> {
    let called = all.reader.view.calls.iter().map(|call| callees[&call.function]);
    if called.chain([contract]).any(trees::lacks_tree) {
        let why = "`reach(l, r, x, y)` without `tree(l, r)` in `requires` and in `ensures`";
        return Err(why.into());
    }
    let unsettled = all.has_foreign_pointers();
    for place in &contract.fields {
        if let Some(field) = all.reader.known_field(place) {
            // Names without a tag come last and win.
            let name = place.name.rsplit('.').next().unwrap_or(&place.name);
            all.reader.view.signature.fields[field].name = name.to_owned();
        }
    }
    let asserts: Vec<&Expr> = places.iter().map(|(_, e)| e).collect();
    let (requires, ensures) = (&contract.requires, &contract.ensures);
    // Required: calls that may change everything must know everything that is spoken of.
    all.reader.read(Reading::AtCall, requires)?;
    all.reader.read(Reading::AtReturn, ensures)?;
    all.reader.read(Reading::Inside, asserts.iter().copied())?;
    all.call_by_contract(callees)?;
    let mut initial = all.well_formed(true);
    initial.extend(all.reader.read(Reading::AtCall, requires)?);
    let ensured = conjuncts(&all.reader.read(Reading::AtReturn, ensures)?);
    // Said of the values of the call, which do not change any more.
    let mut said = conjuncts(&all.reader.read(Reading::AtReturn, requires)?);
    let signature = &all.reader.view.signature;
    let promise = |f: &Formula| (f.clone(), format!("ensures {}", signature.show(f)));
    let mut owed: Vec<(Formula, String)> = ensured.iter().map(promise).collect();
    let words = "live objects and results point to live objects or are null";
    let well_formed = all.well_formed(false);
    if unsettled {
        owed.extend(well_formed.iter().map(|formula| (formula.clone(), words.to_owned())));
    }
    said.extend(ensured);
    let asserted = all.reader.read(Reading::Inside, asserts)?;
    all.attach(Formula::and(initial), owed);
    for ((location, _), formula) in places.iter().zip(asserted) {
        let shown = all.reader.view.signature.show(&formula);
        said.extend(formula.conjuncts());
        all.owe(*location, formula, format!("assert {shown}"));
    }
    all.reader.accompany();
    Ok((unsettled, said, well_formed))
}

fn conjuncts(formulas: &[Formula]) -> Vec<Formula> {
    formulas.iter().flat_map(Formula::conjuncts).collect()
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
        parts::visit(contract, &mut |e| {
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
