//! Which predicates are tracked where: guessed at first, then taken from
//! spurious paths.
//!
//! The guess (section 6.4): for each variable that is live at a cut point the
//! object it points to, and what can be reached from it along each link field;
//! whether an object is alive; for integer fields the constants that the program uses with
//! them; for the state, what the branches near the cut point ask about live
//! variables. The refinement adds the atoms of conditions along a spurious path, carried back to
//! the cut point (as weakest preconditions would, except that writes to fields
//! are passed over: a predicate need not be exact to be useful), and the widening of section
//! 6.4.2: with `f(f(x))` comes what is reachable from `x` along `f`. When that
//! is not enough, the atoms are said of any object instead of the one a variable points to.

use super::execute::symbols;
use super::heaps::Predicates;
use super::view::{Command, View};
use bolide_base::{HashMap, HashSet};
use bolide_cfa::LocId;
use bolide_heap::{FieldId, Formula, Kind, Symbol, Term};

/// The live variables of each location.
pub fn live(view: &View) -> HashMap<LocId, HashSet<Symbol>> {
    let mut live: HashMap<LocId, HashSet<Symbol>> = HashMap::default();
    loop {
        let mut changed = false;
        for step in view.steps.iter().rev() {
            let after = live.get(&step.to).cloned().unwrap_or_default();
            let before = super::execute::needed(&step.commands, after);
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

/// Link fields along which the program moves (or could: all of them when few).
pub fn reach_fields(view: &View) -> Vec<FieldId> {
    let mut found = asked_reachability(view);
    for command in view.steps.iter().flat_map(|step| &step.commands) {
        if let Command::Assign(_, Term::Read(field, _)) = command
            && view.links.contains(field)
        {
            found.push(*field);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Fields along which some condition asks for reachability, sorted.
pub(super) fn asked_reachability(view: &View) -> Vec<FieldId> {
    let mut found = Vec::new();
    for command in view.steps.iter().flat_map(|step| &step.commands) {
        if let Command::Assume(formula) = command {
            formula.atoms(&mut |atom| {
                if let Formula::Btwn(field, ..) = atom {
                    found.push(*field);
                }
            });
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
pub fn guess(
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
    if asks_of(view, view.alive) {
        add(Formula::Holds(view.alive, v.clone()));
    }
    if let Some(heap) = view.heap.filter(|&heap| asks_of(view, heap)) {
        add(Formula::Holds(heap, v.clone()));
    }
    if let Some(size) = view.size {
        for n in sizes(view) {
            add(Formula::Le(Term::Int(n), Term::read(size, v.clone())));
        }
    }
    let touched = touched(view);
    for &field in reach.iter().filter(|field| touched.contains(field)) {
        for &x in &pointers {
            // Heuristic: what was reachable once is asked from where it was asked.
            if !view.old_links.contains(&field) || view.ghosts.contains(&x) {
                add(match view.parents.contains(&field) {
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
        for &field in &view.links {
            add(Formula::Eq(Term::read(field, v.clone()), Term::Null));
            for &x in &pointers {
                add(Formula::Eq(Term::read(field, v.clone()), Term::Var(x)));
            }
        }
    }
    if level.0 >= 2 {
        for &field in reach.iter().filter(|f| !view.old_links.contains(f)) {
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

/// Fields that the program itself reads or writes, and snapshots of such. What only
/// contracts of called functions speak of is kept by whole statements.
pub fn touched(view: &View) -> HashSet<FieldId> {
    let mut touched = HashSet::default();
    for step in view.steps.iter().filter(|step| step.edge.is_some()) {
        for command in &step.commands {
            let mut note = |t: &Term| {
                if let Term::Read(field, _) = t {
                    touched.insert(*field);
                }
            };
            match command {
                Command::Assume(formula) => formula.terms(&mut note),
                Command::Assign(_, value) => value.terms(&mut note),
                Command::Write(_, at, value) => {
                    at.terms(&mut note);
                    value.iter().for_each(|value| value.terms(&mut note));
                }
                _ => {}
            }
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

/// How many fields are read in a row.
fn depth(atom: &Formula) -> u32 {
    let mut deepest = 0;
    atom.terms(&mut |t| {
        let (mut n, mut t) = (0, t);
        while let Term::Read(_, inner) = t {
            n += 1;
            t = inner;
        }
        deepest = deepest.max(n);
    });
    deepest
}

/// Sizes that accesses ask for.
fn sizes(view: &View) -> Vec<i128> {
    let mut found = Vec::new();
    for step in &view.steps {
        for command in &step.commands {
            if let Command::Assume(formula) = command {
                formula.atoms(&mut |atom| {
                    if let Formula::Le(Term::Int(n), Term::Read(field, _)) = atom
                        && Some(*field) == view.size
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
                Command::Write(field, _, Some(Term::Int(n))) if view.numbers.contains(field) => {
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
    found.retain(|(field, _)| view.numbers.contains(field));
    found.sort_unstable();
    found.dedup();
    found
}

/// The conditions of some commands, carried back to the first of them.
pub fn carried_back(view: &View, commands: &[Command]) -> Vec<Formula> {
    carried_back_if(view, commands, |_| true)
}

/// The conditions of those commands whose numbers are wanted.
///
/// A variable that is given any value is a fresh initial value (section 4.4.2): the weakest precondition says the condition
/// of every value. Of objects that is what a domain predicate says, so the bound object takes the variable's place;
/// conditions on any integer are dropped. Progress does not suffer: paths are executed as a whole, with
/// a fresh constant for the value, and the audit needs no precondition.
fn carried_back_if(
    view: &View,
    commands: &[Command],
    wanted: impl Fn(usize) -> bool,
) -> Vec<Formula> {
    let mut conditions: Vec<Formula> = Vec::new();
    for (number, command) in commands.iter().enumerate().rev() {
        match command {
            Command::Assume(formula) if wanted(number) => conditions.push(formula.clone()),
            Command::Assign(symbol, value) => {
                let var = |s: Symbol| (s == *symbol).then(|| value.clone());
                for condition in &mut conditions {
                    *condition = condition.replace(&var, &|f| f);
                }
            }
            Command::Havoc(symbol, _) if view.signature.variables[*symbol].kind == Kind::Object => {
                let any = |s: Symbol| (s == *symbol).then_some(Term::Var(view.bound));
                let taken = |c: &Formula| c.is_quantified() || c.mentions(view.bound);
                conditions.retain(|c| !c.mentions(*symbol) || !taken(c));
                for condition in conditions.iter_mut().filter(|c| c.mentions(*symbol)) {
                    *condition = condition.replace(&any, &|f| f);
                }
            }
            Command::Havoc(symbol, _) | Command::New(symbol) => {
                conditions.retain(|c| !c.mentions(*symbol));
            }
            Command::Assume(_)
            | Command::Write(..)
            | Command::Mark(..)
            | Command::Snapshot(..)
            | Command::Forget(_) => {}
        }
    }
    conditions
}

/// What a path leaves behind, said in the variables of its end: that one pointer is a field of another, because both
/// were moved, and the conditions under which it was taken. A loop that remembers where it was
/// (`while (c->data < n->data) { before = c; c = c->next; }`) keeps `c == before->next` and
/// `before->data < n->data`. Predicates of this kind come from strongest postconditions, as those of
/// [`suggested`] come from weakest preconditions.
pub fn left_behind(view: &View, commands: &[Command]) -> Vec<Formula> {
    let mut values: HashMap<Symbol, Option<Term>> = HashMap::default();
    let mut moved: Vec<Symbol> = Vec::new();
    let mut conditions: Vec<Formula> = Vec::new();
    for command in commands {
        let known = |values: &HashMap<Symbol, Option<Term>>, t: &Term| !matches!(t, Term::Var(s) if values.get(s) == Some(&None));
        match command {
            Command::Assign(symbol, value) => {
                let mut all = true;
                value.terms(&mut |t| all &= known(&values, t));
                let now = |s: Symbol| values.get(&s).cloned().flatten();
                let value = all.then(|| value.replace(&now, &|f| f));
                values.insert(*symbol, value);
                moved.push(*symbol);
            }
            Command::Havoc(symbol, _) | Command::New(symbol) => {
                values.insert(*symbol, None);
            }
            Command::Assume(formula) if !formula.is_quantified() => formula.atoms(&mut |atom| {
                let mut all = true;
                atom.terms(&mut |t| all &= known(&values, t));
                if all {
                    let now = |s: Symbol| values.get(&s).cloned().flatten();
                    orders(&atom.replace(&now, &|f| f), &mut conditions);
                }
            }),
            Command::Write(field, ..) | Command::Mark(field, ..) | Command::Forget(field) => {
                conditions.retain(|c| !c.fields().contains(field));
            }
            Command::Assume(_) | Command::Snapshot(..) => {}
        }
    }
    let named: HashSet<Symbol> = view.variables.values().copied().collect();
    moved.retain(|s| named.contains(s));
    moved.sort_unstable();
    moved.dedup();
    let mut found = Vec::new();
    for &x in &moved {
        let Some(Some(Term::Read(field, of))) = values.get(&x) else { continue };
        for &z in moved.iter().filter(|&&z| z != x) {
            if view.links.contains(field) && values[&z].as_ref() == Some(&**of) {
                found.push(Formula::Eq(Term::Var(x), Term::read(*field, Term::Var(z))));
            }
        }
    }
    // Each variable of the start by one that has its value at the end.
    let mut later: HashMap<Symbol, Symbol> = HashMap::default();
    for &z in &moved {
        if let Some(Some(Term::Var(start))) = values.get(&z) {
            later.entry(*start).or_insert(z);
        }
    }
    for condition in conditions {
        let mut used = HashSet::default();
        symbols(&condition, &mut used);
        let end =
            |s: &Symbol| if values.contains_key(s) { later.get(s).copied() } else { Some(*s) };
        let moves = used.iter().any(|s| values.contains_key(s));
        if moves && used.iter().all(|s| end(s).is_some_and(|s| named.contains(&s))) {
            found.push(condition.replace(&|s| end(&s).map(Term::Var), &|f| f));
        }
    }
    found
}

/// The comparisons of an atom, also those whose outcome it asks for (`(x < y) == 0` in C).
fn orders(atom: &Formula, found: &mut Vec<Formula>) {
    match atom {
        Formula::Le(..) => found.push(atom.clone()),
        Formula::Eq(Term::If(condition, ..), _) | Formula::Eq(_, Term::If(condition, ..)) => {
            condition.atoms(&mut |inner| orders(inner, found));
        }
        _ => {}
    }
}

/// What a spurious path suggests for its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Suggestion {
    /// The atoms of its conditions, and the widening of what they read.
    Atoms,
    /// The same atoms, said of any object instead of the one that a variable
    /// points to: what a loop finds of one node tends to hold of all.
    Generalised,
    /// What [`left_behind`] finds on the paths that end there.
    LeftBehind,
    /// The atoms about objects that are chosen later on the path, said of any object.
    AnyValue,
}

/// The predicates that a spurious path suggests for its start. Only
/// conditions of wanted commands count.
pub fn suggested(
    view: &View,
    reach: &[FieldId],
    commands: &[Command],
    wanted: impl Fn(usize) -> bool,
    suggestion: Suggestion,
) -> Vec<Formula> {
    let mut found: Vec<Formula> = Vec::new();
    let named: HashSet<Symbol> =
        view.variables.values().chain(view.statics.values()).chain(&view.ghosts).copied().collect();
    for condition in carried_back_if(view, commands, wanted) {
        condition.atoms(&mut |atom| {
            let mut used = HashSet::default();
            symbols(atom, &mut used);
            used.remove(&view.bound);
            if used.iter().any(|s| !named.contains(s)) || depth(atom) > 2 {
                return;
            }
            if atom.mentions(view.bound) {
                // Of any object already: the place of one that was given any value.
                if !condition.is_quantified() && suggestion == Suggestion::AnyValue {
                    found.push(atom.clone());
                }
                return;
            }
            match suggestion {
                Suggestion::Atoms => atoms_and_widening(view, reach, atom, &mut found),
                Suggestion::Generalised => generalised(view, atom, &mut found),
                Suggestion::LeftBehind | Suggestion::AnyValue => {}
            }
        });
    }
    found.sort();
    found.dedup();
    found
}

fn atoms_and_widening(view: &View, reach: &[FieldId], atom: &Formula, found: &mut Vec<Formula>) {
    let v = Term::Var(view.bound);
    found.push(atom.clone());
    let mut about_data = false;
    atom.terms(&mut |t| {
        about_data |= matches!(t, Term::Read(field, _) if view.numbers.contains(field));
    });
    if about_data {
        generalised(view, atom, found);
    }
    atom.terms(&mut |t| {
        if let Term::Read(field, inner) = t
            && view.links.contains(field)
        {
            found.push(Formula::Eq(v.clone(), t.clone()));
            if reach.contains(field) {
                found.push(Formula::reach(*field, (**inner).clone(), v.clone()));
            }
        }
    });
}

/// The atom with the bound object in place of a variable at which a field is read.
fn generalised(view: &View, atom: &Formula, found: &mut Vec<Formula>) {
    let mut read = Vec::new();
    atom.terms(&mut |t| {
        if let Term::Read(_, inner) = t
            && let Term::Var(symbol) = **inner
            && !read.contains(&symbol)
        {
            read.push(symbol);
        }
    });
    for symbol in read {
        let bound = |s: Symbol| (s == symbol).then_some(Term::Var(view.bound));
        found.push(atom.replace(&bound, &|f| f));
    }
}
