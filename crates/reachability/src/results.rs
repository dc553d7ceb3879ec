//! What programs make of sums and folds over arrays.
//!
//! A result may be more than a sum: the largest cell, an average, a sum that was made narrower. What it was made of is followed by a
//! *ghost*, which no statement reads: a sum of cells, or the bag that was folded ([`folds`](crate::folds)). The affine hull
//! that knows of sums knows of ghosts as well; solved for a ghost it says what the result is, as a function of the
//! array that there is now.
//!
//! Remainders by large numbers, which wrap-around is made of, are functions of which nothing is known in these questions
//! ([`without_remainders`]): equal sums give equal results, and no search for whole numbers is needed.

use crate::block::{BlockProgram, Transition};
use crate::folds::Operation;
use crate::sums;
use bolide_base::{HashMap, HashSet, Rational};
use bolide_cfa::LocId;
use bolide_smt::houdini::{Implication, Said};
use bolide_terms::{LinearForm, Op, SortId, TermId, TermStore};

/// Heuristic: remainders by this and more are the wrap-around of machine integers.
const MACHINE: i64 = 1 << 31;

/// A variable that is a function of what was added up or folded.
pub struct Ghost {
    /// The variable, and what follows it.
    pub variable: TermId,
    /// The constant for it.
    pub ghost: TermId,
    /// The variable's value, over the ghost.
    pub value: TermId,
    /// What the ghost becomes, by number of the step.
    pub becomes: Vec<(usize, TermId)>,
    /// What it was made of, over the ghost, where it is more than that.
    inner: Option<TermId>,
}

/// What the joins of a block choose between, each value with its condition, where all ways say it.
pub type Joins = HashMap<TermId, Vec<(TermId, TermId)>>;

/// The ways through each fork of a block: what is said on one, and what of it is said of the state and not on all of them.
pub fn ways(store: &mut TermStore, block: &Transition) -> Vec<Vec<(TermId, Vec<TermId>)>> {
    let mut found = Vec::new();
    for term in store.subterms(&[block.formula]) {
        if store.op(term) != Op::Or {
            continue;
        }
        let ways: Vec<Vec<TermId>> =
            store.args(term).to_vec().into_iter().map(|way| store.conjuncts(way)).collect();
        let mut told = Vec::new();
        for way in &ways {
            let own = |c: &TermId| ways.iter().any(|other| !other.contains(c));
            let plain = |c: &TermId| !block.locals.iter().any(|&l| store.occurs(l, *c));
            let conditions: Vec<TermId> =
                way.iter().copied().filter(|c| own(c) && plain(c)).collect();
            told.push((store.mk_and(&conditions), way.clone()));
        }
        found.push(told);
    }
    found
}

/// The joins of a block.
pub fn joins(store: &mut TermStore, block: &Transition) -> Joins {
    let mut found = Joins::default();
    for ways in ways(store, block) {
        for &phi in block.locals.iter() {
            if store.sort(phi) != SortId::INT {
                continue;
            }
            let mut values = Vec::new();
            for (condition, way) in &ways {
                let value = way.iter().find_map(|&said| defined(store, said, phi));
                values.extend(value.map(|value| (*condition, value)));
            }
            if values.len() == ways.len() {
                found.insert(phi, values);
            }
        }
    }
    found
}

/// The value that an equation gives to a constant.
fn defined(store: &mut TermStore, said: TermId, constant: TermId) -> Option<TermId> {
    if store.op(said) != Op::Eq || !store.occurs(constant, said) {
        return None;
    }
    let (form, _) = store.linear_constraint(said, true)?;
    let (factor, mut rest) = form.isolate(constant);
    if factor.abs() != Rational::ONE {
        return None;
    }
    if factor == Rational::ONE {
        rest = rest.negated();
    }
    let value = store.mk_linear(&rest, SortId::INT);
    (!store.occurs(constant, value)).then_some(value)
}

/// A value that a join chooses from two, one of which is the variable, by a comparison of the variable.
pub fn chosen(store: &mut TermStore, value: TermId, variable: TermId, joins: &Joins) -> TermId {
    let Some([(condition, then), (_, other)]) = joins.get(&value).map(Vec::as_slice) else {
        return value;
    };
    let (condition, then, other) = (*condition, *then, *other);
    let mut compares = store.conjuncts(condition).into_iter().filter(|&c| {
        let parts = store.subterms(&[c]);
        parts.contains(&then) && parts.contains(&other) && parts.contains(&variable)
    });
    match compares.next() {
        Some(condition) => store.mk_ite(condition, then, other),
        None => value,
    }
}

/// What one round makes of a variable by an operation: the operation, and the other value.
pub fn folded(store: &TermStore, value: TermId, variable: TermId) -> Option<(Operation, TermId)> {
    let args = store.args(value);
    let other = |a: TermId, b: TermId| match (a == variable, b == variable) {
        (true, false) => Some(b).filter(|&b| !store.occurs(variable, b)),
        (false, true) => Some(a).filter(|&a| !store.occurs(variable, a)),
        _ => None,
    };
    match store.op(value) {
        Op::Apply(function) if args.len() == 2 => {
            let operation = Operation::of_bits(store.function_name(function))?;
            Some((operation, other(args[0], args[1])?))
        }
        Op::Ite => {
            let cell = other(args[1], args[2])?;
            let (atom, holds) = match store.op(args[0]) {
                Op::Not => (store.arg(args[0], 0), false),
                _ => (args[0], true),
            };
            // A comparison of the two, whatever is done where they are equal.
            let (form, _) = store.linear_constraint(atom, true)?;
            let difference = store.linear_difference(variable, cell);
            let mut sum = form.clone();
            sum.add_scaled(&difference, &Rational::ONE);
            let mut less = form;
            less.add_scaled(&difference, &Rational::MINUS_ONE);
            let near = |f: &LinearForm| f.as_constant().is_some_and(|c| c.abs() <= Rational::ONE);
            // Whether the condition says that the variable is the smaller one.
            let is_smaller = if near(&less) { true } else { near(&sum).then_some(false)? };
            let keeps = (args[1] == variable) == holds;
            Some((if is_smaller == keeps { Operation::Min } else { Operation::Max }, cell))
        }
        _ => None,
    }
}

/// The ghosts of variables that are folded, and of what steps make of those and of sums (`totals`).
pub fn ghosts(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    blocks: &[(usize, &Transition)],
    totals: &HashSet<TermId>,
    folds: &[(TermId, Operation)],
) -> Vec<Ghost> {
    let mut found: Vec<Ghost> = Vec::new();
    let element = sums::element(store);
    for (variable, operation) in folds {
        let ghost = store.mk_const(&format!("ghost!{}", found.len()), SortId::INT);
        let function = operation.function(store);
        let mut becomes = Vec::new();
        for &(step, block) in blocks {
            let own = block.outputs.iter().find(|o| program.slots.constant(o.0) == *variable);
            let Some(&(_, value)) = own else { continue };
            let joins = joins(store, block);
            let chosen = chosen(store, value, *variable, &joins);
            becomes.push(match folded(store, chosen, *variable) {
                Some((of, cell)) if of == *operation => {
                    let number = store.mk_app(element, &[cell]);
                    (step, store.mk_add(&[ghost, number]))
                }
                _ => (step, store.mk_app(element, &[value])),
            });
        }
        let value = store.mk_app(function, &[ghost]);
        found.push(Ghost { variable: *variable, ghost, value, becomes, inner: None });
    }
    let folded = found.len();
    for &(step, block) in blocks {
        for &(slot, value) in &block.outputs {
            let variable = program.slots.constant(slot);
            let is_source =
                |c: &TermId| totals.contains(c) || found[..folded].iter().any(|g| g.variable == *c);
            if store.sort(value) != SortId::INT || is_source(&variable) {
                continue;
            }
            let own: Vec<TermId> = store.constants(value).into_iter().filter(is_source).collect();
            let &[source] = own.as_slice() else { continue };
            let of_state = |c: TermId| program.slots.of_constant(c).is_some();
            let of_sum = totals.contains(&source);
            // The hull knows of sums of sums.
            if of_sum && !store.linear_form(value).coefficient(source).is_zero()
                || !store.constants(value).into_iter().all(of_state)
            {
                continue;
            }
            let mut fixed = store.constants(value);
            fixed.retain(|&c| c != source);
            fixed.push(variable);
            if changes_after(program, blocks, block.to, &fixed) {
                continue;
            }
            let ghost = store.mk_const(&format!("ghost!{}", found.len()), SortId::INT);
            let (becomes, inner) = match found[..folded].iter().find(|g| g.variable == source) {
                Some(fold) => (fold.ghost, store.replace(fold.value, fold.ghost, ghost)),
                None => (source, ghost),
            };
            let value = store.replace(value, source, inner);
            let becomes = vec![(step, becomes)];
            found.push(Ghost { variable, ghost, value, becomes, inner: Some(inner) });
        }
    }
    found
}

/// Whether something is changed by what comes after a location.
fn changes_after(
    program: &BlockProgram<'_>,
    blocks: &[(usize, &Transition)],
    from: LocId,
    fixed: &[TermId],
) -> bool {
    let (mut seen, mut pending) = (HashSet::from_iter([from]), vec![from]);
    while let Some(at) = pending.pop() {
        for (_, block) in blocks.iter().filter(|b| b.1.from == at) {
            if block.outputs.iter().any(|o| fixed.contains(&program.slots.constant(o.0))) {
                return true;
            }
            if seen.insert(block.to) {
                pending.push(block.to);
            }
        }
    }
    false
}

/// The implications with what steps do to ghosts, and without remainders.
pub fn with_ghosts<'a>(
    store: &mut TermStore,
    implications: Vec<Implication<'a, LocId>>,
    ghosts: &'a [Ghost],
) -> Vec<Implication<'a, LocId>> {
    let hiding = |said: Said<'a>, map: HashMap<TermId, TermId>| -> Said<'a> {
        Box::new(move |store, formula| {
            // First: in the new values a remainder may be a number.
            let formula = without_remainders(store, formula);
            let said = said(store, formula);
            let said = store.substitute(said, &map);
            without_remainders(store, said)
        })
    };
    let mut found = Vec::new();
    // The first is about the start.
    for (number, implication) in implications.into_iter().enumerate() {
        let of_step = |g: &Ghost| {
            let mut own = g.becomes.iter().filter(|b| b.0 + 1 == number);
            own.next().map(|b| (g.ghost, b.1))
        };
        let map: HashMap<TermId, TermId> = ghosts.iter().filter_map(of_step).collect();
        let (point, goal) = implication.goal;
        let premises = implication.premises.into_iter();
        let assumed = implication.assumed.into_iter();
        found.push(Implication {
            premises: premises.map(|p| without_remainders(store, p)).collect(),
            assumed: assumed.map(|(at, said)| (at, hiding(said, HashMap::default()))).collect(),
            goal: (point, hiding(goal, map)),
        });
    }
    found
}

/// A formula that knows of the wrap-around of machine integers only that it is a function. What is refuted of it is
/// refuted of the formula.
pub fn without_remainders(store: &mut TermStore, formula: TermId) -> TermId {
    let mut map: HashMap<TermId, TermId> = HashMap::default();
    for part in store.subterms(&[formula]) {
        if !matches!(store.op(part), Op::Mod | Op::Div) || store.sort(part) != SortId::INT {
            continue;
        }
        let Some(modulus) = store.number(store.arg(part, 1)).cloned() else { continue };
        if modulus < Rational::from(MACHINE) {
            continue;
        }
        let name = format!("{:?}!{modulus}", store.op(part));
        let function = store.declare_fn(&name, &[SortId::INT], SortId::INT);
        let inner = store.arg(part, 0);
        let inner = store.substitute(inner, &map);
        map.insert(part, store.mk_app(function, &[inner]));
    }
    if map.is_empty() { formula } else { store.substitute(formula, &map) }
}

/// The equalities of a hull without ghosts, and what is known by those with ghosts: the value of each
/// variable; that two of them are equal; and that one is what would be made of a variable that is made in the same way.
pub fn said(
    program: &BlockProgram<'_>,
    store: &mut TermStore,
    equalities: &[TermId],
    ghosts: &[Ghost],
    totals: &[TermId],
    head: LocId,
) -> (Vec<TermId>, Vec<TermId>) {
    let has_ghost = |store: &TermStore, f: TermId| ghosts.iter().any(|g| store.occurs(g.ghost, f));
    let (with, plain): (Vec<TermId>, Vec<TermId>) =
        equalities.iter().partition(|&&e| has_ghost(store, e));
    let mut rows: Vec<LinearForm> =
        with.iter().filter_map(|&e| Some(store.linear_constraint(e, true)?.0)).collect();
    let mut solved: Vec<(&Ghost, TermId)> = Vec::new();
    let mut pivots: Vec<(usize, &Ghost)> = Vec::new();
    for ghost in ghosts {
        let free = |i: &usize| pivots.iter().all(|p| p.0 != *i);
        let pivot =
            (0..rows.len()).filter(free).find(|&i| !rows[i].coefficient(ghost.ghost).is_zero());
        let Some(pivot) = pivot else { continue };
        let scale = rows[pivot].coefficient(ghost.ghost).recip();
        rows[pivot].scale(&scale);
        let own = rows[pivot].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            let factor = row.coefficient(ghost.ghost);
            if i != pivot && !factor.is_zero() {
                row.add_scaled(&own, &-factor);
            }
        }
        pivots.push((pivot, ghost));
    }
    let matters = |variable: TermId| {
        let slot = program.slots.of_constant(variable);
        slot.is_some_and(|slot| program.matters(slot, head))
    };
    for (row, ghost) in pivots {
        let (_, rest) = rows[row].isolate(ghost.ghost);
        let whole = rest.constant.is_integer() && rest.terms.iter().all(|t| t.1.is_integer());
        let value = store.mk_linear(&rest.negated(), SortId::INT);
        if whole && !has_ghost(store, value) && matters(ghost.variable) {
            solved.push((ghost, value));
        }
    }
    let mut found = Vec::new();
    for &(ghost, value) in &solved {
        let made = store.replace(ghost.value, ghost.ghost, value);
        found.push(store.mk_eq(ghost.variable, made));
        for &(other, of_other) in &solved {
            let same = store.replace(other.value, other.ghost, ghost.ghost) == ghost.value;
            if same && value == of_other && other.variable > ghost.variable {
                found.push(store.mk_eq(ghost.variable, other.variable));
            }
        }
    }
    for &(ghost, value) in &solved {
        let Some(inner) = ghost.inner else { continue };
        // What would be made in the same way of what is being made now.
        let is_fold = |g: &&Ghost| g.inner.is_none();
        let folds: Vec<TermId> = ghosts
            .iter()
            .filter(is_fold)
            .filter(|g| store.replace(g.value, g.ghost, ghost.ghost) == inner)
            .map(|g| g.variable)
            .collect();
        let like = if inner == ghost.ghost { totals } else { &folds };
        for &total in like.iter().filter(|&&t| matters(t)) {
            let of = store.replace(inner, ghost.ghost, value);
            let (same, made) = (store.mk_eq(of, total), store.replace(ghost.value, inner, total));
            let made = store.mk_eq(ghost.variable, made);
            found.push(store.mk_implies(same, made));
        }
    }
    found.retain(|&f| f != TermId::TRUE);
    (plain, found)
}
