//! Predicates that a contract suggests: what is closed as it is, and atoms about one bound object.

use bolide_heap::program::specification::Specification;
use bolide_heap::program::uses;
use bolide_heap::program::view::{Command, View};
use bolide_heap::{FieldId, Formula, Symbol, Term};

/// The predicates.
pub(super) fn predicates(specified: &Specification<'_>) -> Vec<Formula> {
    let Specification { view, bound, result, .. } = specified;
    let mut found = Vec::new();
    let mut touched = uses::touched(view);
    touched.insert(view.fields.alive);
    let ours = |atom: &Formula| atom.fields().iter().all(|field| touched.contains(field));
    for formula in &specified.said {
        formula.atoms(&mut |atom| {
            let mut mentioned = bound.iter().filter(|s| atom.mentions(**s));
            if let (Some(&one), None) = (mentioned.next(), mentioned.next())
                && !result.is_some_and(|r| atom.mentions(r))
                && (links_to_variable(atom, one)
                    || !matches!(atom, Formula::Eq(..)) && ours(atom) && !is_trivial(atom))
            {
                let object = |s: Symbol| (s == one).then_some(Term::Var(view.bound));
                let atom = atom.replace(&object, &|f| f);
                said_of_pointers(view, &atom, &mut found);
                found.push(atom);
            }
        });
        if !result.is_some_and(|r| formula.mentions(r)) {
            said_of_places(view, formula, &mut found);
            found.push(formula.clone());
        }
    }
    // Heuristic: kept as a whole; what single fields point to is not asked.
    let kept = specified.well_formed.iter().filter(|f| !result.is_some_and(|r| f.mentions(r)));
    found.extend(kept.cloned());
    found
}

/// What is said of all pairs of objects has to be true of one that is linked in, with all others. Before, it is
/// reached from where the new link comes from, or reaches what that leads to: so the statement
/// is suggested with the object in it, and that place in its stead where it speaks of paths (its
/// weakest precondition, but for the object itself).
fn said_of_places(view: &View, formula: &Formula, found: &mut Vec<Formula>) {
    let Formula::Forall(bound, body) = formula else { return };
    let &[one, other] = bound.as_slice() else { return };
    // Heuristic: statements about data. Those about the structure alone are kept as a whole.
    let mut compares = false;
    body.atoms(&mut |atom| compares |= matches!(atom, Formula::Le(..)));
    if !compares {
        return;
    }
    let named: Vec<Symbol> = view.variables.values().copied().collect();
    for command in view.steps.iter().flat_map(|step| &step.commands) {
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
fn said_of_pointers(view: &View, atom: &Formula, found: &mut Vec<Formula>) {
    if !matches!(atom, Formula::Btwn(..)) {
        return;
    }
    let mut stored = None;
    atom.terms(&mut |t| {
        if let Term::Read(_, inner) = t
            && matches!(&**inner, Term::Read(_, of) if **of == Term::Var(view.bound))
        {
            stored = Some((**inner).clone());
        }
    });
    let Some(Term::Read(field, of)) = stored else { return };
    for command in view.steps.iter().flat_map(|step| &step.commands) {
        if let Command::Write(written, _, Some(value @ Term::Var(_))) = command
            && *written == field
        {
            found.push(atom.put(&Term::Read(field, of.clone()), value));
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
