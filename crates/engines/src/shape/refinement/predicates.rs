//! Predicates from spurious paths.
//!
//! The atoms of conditions along a spurious path, carried back to
//! the cut point (as weakest preconditions would, except that writes to fields
//! are passed over: a predicate need not be exact to be useful), and the widening of section
//! 6.4.2: with `f(f(x))` comes what is reachable from `x` along `f`. When that
//! is not enough, the atoms are said of any object instead of the one a variable points to.

use bolide_base::{HashMap, HashSet};
use bolide_heap::program::uses::symbols;
use bolide_heap::program::view::{Command, View};
use bolide_heap::{FieldId, Formula, Kind, Symbol, Term};

/// How many fields are read in a row.
pub(super) fn depth(atom: &Formula) -> u32 {
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
            if view.fields.links.contains(field) && values[&z].as_ref() == Some(&**of) {
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
        about_data |= matches!(t, Term::Read(field, _) if view.fields.numbers.contains(field));
    });
    if about_data {
        generalised(view, atom, found);
    }
    atom.terms(&mut |t| {
        if let Term::Read(field, inner) = t
            && view.fields.links.contains(field)
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
