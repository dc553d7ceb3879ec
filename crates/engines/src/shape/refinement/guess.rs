//! Which predicates are tracked from the start (section 6.4 of the thesis).
//!
//! For each variable that is live at a cut point the
//! object it points to, and what can be reached from it along each link field;
//! whether an object is alive; for integer fields the constants that the program uses with
//! them; for the state, what the branches near the cut point ask about live
//! variables, and what the specification says. Where refinement finds nothing more, more is guessed.

use super::super::abstraction::Abstraction;
use super::predicates::{carried_back, depth};
use bolide_base::HashSet;
use bolide_heap::program::uses::{self, asked_reachability, symbols, touched};
use bolide_heap::program::view::{Command, View};
use bolide_heap::{FieldId, Formula, Kind, Symbol, Term};
use bolide_verdict::certificate::Predicates;

/// Adds what is guessed to all cut points; `given` are predicates that the specification names.
pub fn guess(on: &mut Abstraction<'_>, given: &[Formula], level: Level) {
    let live = uses::live(on.view);
    let cuts = on.control.cuts[1..].to_vec();
    for cut in cuts {
        let none = HashSet::default();
        let live = live.get(&cut).unwrap_or(&none);
        let conditions: Vec<Formula> = on.control.paths[&cut]
            .iter()
            .flat_map(|p| carried_back(on.view, &on.commands(&p.steps)))
            .collect();
        let guessed = guessed(on.view, &on.reach, live, &conditions, level);
        on.track(cut, guessed.state.into_iter().chain(guessed.domain));
        for formula in given.iter().flat_map(|formula| generalised(on.view, formula, live)) {
            let mut used = HashSet::default();
            symbols(&formula, &mut used);
            used.remove(&on.view.bound);
            if used.iter().all(|s| live.contains(s)) {
                on.track(cut, [formula]);
            }
        }
    }
}

/// Link fields along which the specification goes, or the program where that does not: others are derived ones.
pub fn reach_fields(view: &View, given: &[Formula]) -> Vec<FieldId> {
    let mut found = Vec::new();
    given.iter().for_each(|formula| uses::reached(formula, &mut found));
    if found.is_empty() {
        found = asked_reachability(view);
        for command in view.steps.iter().flat_map(|step| &step.commands) {
            if let Command::Assign(_, Term::Read(field, _)) = command
                && view.fields.links.contains(field)
            {
                found.push(*field);
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// How much is tracked from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(pub u32);

/// The highest level.
pub const LEVELS: u32 = 2;

/// Program variables among the symbols, by kind, sorted.
fn of_kind(view: &View, symbols: &HashSet<Symbol>, kind: Kind) -> Vec<Symbol> {
    let named: HashSet<Symbol> =
        view.variables.values().chain(view.statics.values()).chain(&view.ghosts).copied().collect();
    let mut found: Vec<Symbol> = symbols
        .iter()
        .copied()
        .filter(|s| named.contains(s) && view.signature.variables[*s].kind == kind)
        .collect();
    found.sort_unstable();
    found
}

/// The first predicates of a location.
fn guessed(
    view: &View,
    reach: &[FieldId],
    live: &HashSet<Symbol>,
    conditions: &[Formula],
    level: Level,
) -> Predicates {
    let mut predicates = Predicates::default();
    let v = Term::Var(view.bound);
    let pointers = of_kind(view, live, Kind::Object);
    let mut add = |formula: Formula| {
        predicates.add(formula, view.bound);
    };
    add(Formula::Eq(v.clone(), Term::Null));
    for &x in &pointers {
        add(Formula::Eq(v.clone(), Term::Var(x)));
    }
    if asks_of(view, view.fields.alive) {
        add(Formula::Holds(view.fields.alive, v.clone()));
    }
    if let Some(heap) = view.fields.heap.filter(|&heap| asks_of(view, heap)) {
        add(Formula::Holds(heap, v.clone()));
    }
    if let Some(size) = view.fields.size {
        for n in sizes(view) {
            add(Formula::Le(Term::Int(n), Term::read(size, v.clone())));
        }
    }
    let touched = touched(view);
    for &field in reach.iter().filter(|field| touched.contains(field)) {
        for &x in &pointers {
            // Heuristic: what was reachable once is asked from where it was asked.
            if !view.fields.old_links.contains(&field) || view.ghosts.contains(&x) {
                add(match view.fields.parents.contains(&field) {
                    true => Formula::reach(field, v.clone(), Term::Var(x)),
                    false => Formula::reach(field, Term::Var(x), v.clone()),
                });
            }
        }
    }
    for (field, n) in field_constants(view) {
        add(Formula::Eq(Term::read(field, v.clone()), Term::Int(n)));
    }
    if level.0 >= 1 {
        for &field in &view.fields.links {
            add(Formula::Eq(Term::read(field, v.clone()), Term::Null));
            for &x in &pointers {
                add(Formula::Eq(Term::read(field, v.clone()), Term::Var(x)));
            }
        }
    }
    if level.0 >= 2 {
        for &field in reach.iter().filter(|f| !view.fields.old_links.contains(f)) {
            for &x in &pointers {
                add(Formula::reach(field, v.clone(), Term::Var(x)));
            }
        }
    }
    for &x in &pointers {
        add(Formula::Eq(Term::Var(x), Term::Null));
    }
    for condition in conditions {
        condition.atoms(&mut |atom| {
            let mut used = HashSet::default();
            symbols(atom, &mut used);
            let simple = !used.is_empty()
                && used.iter().all(|s| live.contains(s))
                && matches!(atom, Formula::Eq(..) | Formula::Le(..))
                && !atom.mentions(view.bound)
                && depth(atom) <= level.0;
            if simple {
                add(atom.clone());
            }
        });
    }
    predicates
}

/// A predicate of the specification, and the same said of every live pointer
/// when it is a quantified statement about one.
fn generalised(view: &View, formula: &Formula, live: &HashSet<Symbol>) -> Vec<Formula> {
    let mut all = vec![formula.clone()];
    let mut used = HashSet::default();
    symbols(formula, &mut used);
    let is_object = |s: &Symbol| view.signature.variables[*s].kind == Kind::Object;
    let mut used = used.into_iter();
    if let (Some(one), None) = (used.next(), used.next())
        && formula.is_quantified()
        && is_object(&one)
    {
        let mut others: Vec<Symbol> =
            view.variables.values().copied().filter(|s| live.contains(s) && is_object(s)).collect();
        others.sort_unstable();
        for other in others {
            let renamed = |s: Symbol| (s == one).then_some(Term::Var(other));
            all.push(formula.replace(&renamed, &|f| f));
        }
    }
    all
}

/// Whether a condition of the program or its specification asks for a property of objects.
fn asks_of(view: &View, property: FieldId) -> bool {
    let asks = |formula: &Formula| {
        let mut found = false;
        formula.atoms(&mut |atom| {
            found |= matches!(atom, Formula::Holds(field, _) if *field == property);
        });
        found
    };
    view.steps.iter().flat_map(|step| &step.commands).any(|command| match command {
        Command::Assume(formula) => asks(formula),
        _ => false,
    })
}

/// Sizes that accesses ask for.
fn sizes(view: &View) -> Vec<i128> {
    let mut found = Vec::new();
    for step in &view.steps {
        for command in &step.commands {
            if let Command::Assume(formula) = command {
                formula.atoms(&mut |atom| {
                    if let Formula::Le(Term::Int(n), Term::Read(field, _)) = atom
                        && Some(*field) == view.fields.size
                    {
                        found.push(*n);
                    }
                });
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Constants that are written into or compared with an integer field.
fn field_constants(view: &View) -> Vec<(FieldId, i128)> {
    let mut found = Vec::new();
    for step in &view.steps {
        for command in &step.commands {
            match command {
                Command::Write(field, _, Some(Term::Int(n)))
                    if view.fields.numbers.contains(field) =>
                {
                    found.push((*field, *n));
                }
                Command::Assume(formula) => formula.atoms(&mut |atom| {
                    if let Formula::Eq(Term::Read(field, _), Term::Int(n))
                    | Formula::Eq(Term::Int(n), Term::Read(field, _)) = atom
                    {
                        found.push((*field, *n));
                    }
                }),
                _ => {}
            }
        }
    }
    found.retain(|(field, _)| view.fields.numbers.contains(field));
    found.sort_unstable();
    found.dedup();
    found
}
