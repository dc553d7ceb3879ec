//! Snapshots that still are what they were taken of.
//!
//! `\old` speaks of copies of variables and fields that are made when a function is called.
//! Until the program changes the original, the two are the same; a predicate need
//! not be tracked for both. Which may have changed where is found by a may-analysis over the
//! steps: coarse (a write to a field counts for all objects), and part of what is trusted.

use super::view::{Command, View};
use crate::{FieldId, Formula, Symbol, Term};
use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;

/// Copies, each with what it equals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Aliases {
    /// Of variables.
    pub symbols: Vec<(Symbol, Symbol)>,
    /// Of fields.
    pub fields: Vec<(FieldId, FieldId)>,
}

impl Aliases {
    /// What the copies among some variables equal.
    pub fn originals(&self, copies: &HashSet<Symbol>) -> Vec<Symbol> {
        let used = self.symbols.iter().filter(|(copy, _)| copies.contains(copy));
        used.map(|(_, now)| *now).collect()
    }

    /// The formula without copies.
    pub fn apply(&self, formula: &Formula) -> Formula {
        let var = |s: Symbol| {
            self.symbols.iter().find(|(copy, _)| *copy == s).map(|(_, now)| Term::Var(*now))
        };
        let field =
            |f: FieldId| self.fields.iter().find(|(copy, _)| *copy == f).map_or(f, |(_, now)| *now);
        formula.replace(&var, &field)
    }
}

/// The copies that still equal their originals, for every location.
pub fn aliases(view: &View) -> HashMap<LocId, Aliases> {
    let copies = copies(view);
    let mut changed: HashMap<LocId, (HashSet<Symbol>, HashSet<FieldId>)> = HashMap::default();
    changed.insert(view.entry, Default::default());
    loop {
        let mut grown = false;
        for step in &view.steps {
            let Some((mut symbols, mut fields)) = changed.get(&step.from).cloned() else {
                continue;
            };
            if step.from != view.entry {
                writes(&step.commands, &mut symbols, &mut fields);
            }
            let (known_symbols, known_fields) = changed.entry(step.to).or_insert_with(|| {
                grown = true;
                Default::default()
            });
            let before = known_symbols.len() + known_fields.len();
            known_symbols.extend(symbols);
            known_fields.extend(fields);
            grown |= known_symbols.len() + known_fields.len() != before;
        }
        if !grown {
            break;
        }
    }
    changed
        .into_iter()
        .filter(|(location, _)| *location != view.entry)
        .map(|(location, (symbols, fields))| {
            let mut here = copies.clone();
            here.symbols.retain(|(copy, now)| !symbols.contains(copy) && !symbols.contains(now));
            here.fields.retain(|(copy, now)| !fields.contains(copy) && !fields.contains(now));
            (location, here)
        })
        .collect()
}

/// The copies that the one step from the entry makes; none where it does anything else.
fn copies(view: &View) -> Aliases {
    let mut found = Aliases::default();
    let first: Vec<_> = view.steps.iter().filter(|step| step.from == view.entry).collect();
    let entered = view.steps.iter().any(|step| step.to == view.entry);
    let [only] = first.as_slice() else { return found };
    if entered || only.edge.is_some() {
        return found;
    }
    for command in &only.commands {
        match command {
            Command::Assign(copy, Term::Var(now)) => found.symbols.push((*copy, *now)),
            Command::Snapshot(copy, now) => found.fields.push((*copy, *now)),
            _ => return Aliases::default(),
        }
    }
    found
}

fn writes(commands: &[Command], symbols: &mut HashSet<Symbol>, fields: &mut HashSet<FieldId>) {
    for command in commands {
        match command {
            Command::Assume(_) => {}
            Command::Assign(s, _) | Command::Havoc(s, _) | Command::New(s) => {
                symbols.insert(*s);
            }
            Command::Write(f, ..)
            | Command::Mark(f, ..)
            | Command::Snapshot(f, _)
            | Command::Forget(f) => {
                fields.insert(*f);
            }
        }
    }
}
