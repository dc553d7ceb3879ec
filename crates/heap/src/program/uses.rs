//! What formulas and commands of the heap-level program speak of.

use super::view::{Command, View};
use crate::{FieldId, Formula, Symbol, Term};
use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;

/// The variables whose value before the commands matters for the commands and
/// for what is asked after them.
pub fn needed(commands: &[Command], after: HashSet<Symbol>) -> HashSet<Symbol> {
    let mut needed = after;
    for command in commands.iter().rev() {
        if let Command::Assign(symbol, _) | Command::Havoc(symbol, _) | Command::New(symbol) =
            command
        {
            needed.remove(symbol);
        }
        match command {
            Command::Assume(formula) => symbols(formula, &mut needed),
            other => other.terms(&mut |term| {
                if let Term::Var(symbol) = term {
                    needed.insert(*symbol);
                }
            }),
        }
    }
    needed
}

/// Adds the free variables of a formula.
pub fn symbols(formula: &Formula, found: &mut HashSet<Symbol>) {
    let mut bound = HashSet::default();
    bound_symbols(formula, &mut bound);
    formula.terms(&mut |t| {
        if let Term::Var(s) = t
            && !bound.contains(s)
        {
            found.insert(*s);
        }
    });
    formula.atoms(&mut |a| {
        if let Formula::Truth(s) = a {
            found.insert(*s);
        }
    });
}

fn bound_symbols(formula: &Formula, found: &mut HashSet<Symbol>) {
    if let Formula::Forall(symbols, _) | Formula::Exists(symbols, _) = formula {
        found.extend(symbols.iter().copied());
    }
    formula.parts().iter().for_each(|part| bound_symbols(part, found));
}

/// The variables of some formulas, without the one for bound objects.
pub fn all_symbols<'f>(
    formulas: impl IntoIterator<Item = &'f Formula>,
    bound: Symbol,
) -> HashSet<Symbol> {
    let mut found = HashSet::default();
    for formula in formulas {
        symbols(formula, &mut found);
    }
    found.remove(&bound);
    found
}

/// The live variables of each location.
pub fn live(view: &View) -> HashMap<LocId, HashSet<Symbol>> {
    let mut live: HashMap<LocId, HashSet<Symbol>> = HashMap::default();
    loop {
        let mut changed = false;
        for step in view.steps.iter().rev() {
            let after = live.get(&step.to).cloned().unwrap_or_default();
            let before = needed(&step.commands, after);
            let known = live.entry(step.from).or_default();
            let size = known.len();
            known.extend(before);
            changed |= known.len() != size;
        }
        if !changed {
            return live;
        }
    }
}

/// Fields that the program itself reads or writes, and snapshots of such. What only
/// contracts of called functions speak of is kept by whole statements.
pub fn touched(view: &View) -> HashSet<FieldId> {
    let mut touched = HashSet::default();
    for step in view.steps.iter().filter(|step| step.edge.is_some()) {
        // Whether an object lives is nothing to its fields.
        for command in step.commands.iter().filter(|c| !matches!(c, Command::Mark(..))) {
            command.terms(&mut |t: &Term| {
                if let Term::Read(field, _) = t {
                    touched.insert(*field);
                }
            });
            if let Command::Write(field, ..) = command {
                touched.insert(*field);
            }
        }
    }
    for command in view.steps.iter().flat_map(|step| &step.commands) {
        if let Command::Snapshot(copy, now) = command
            && touched.contains(now)
        {
            touched.insert(*copy);
        }
    }
    touched
}

/// Fields along which some condition asks for reachability, sorted.
pub fn asked_reachability(view: &View) -> Vec<FieldId> {
    let mut found = Vec::new();
    for command in view.steps.iter().flat_map(|step| &step.commands) {
        if let Command::Assume(formula) = command {
            reached(formula, &mut found);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Adds the fields along which a formula asks for reachability.
pub fn reached(formula: &Formula, found: &mut Vec<FieldId>) {
    formula.atoms(&mut |atom| {
        if let Formula::Btwn(field, ..) = atom {
            found.push(*field);
        }
    });
}
