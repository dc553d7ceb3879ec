//! A smaller question for MONA: section 6.3.4 of the thesis.
//!
//! The size of automata is exponential in the number of names. A name that equals another or null is replaced
//! by it, and literals that are known are put in wherever they occur; a Boolean heap often loses half of its kinds of
//! objects, and many a question is refuted before MONA sees it.

use super::field_constraints::bound_within;
use super::problem::{Problem, Written};
use bolide_base::{HashMap, HashSet};
use bolide_heap::{Formula, Kind, Signature, Symbol, Term};

/// Simplifies what is given, and accordingly the writes. Negations stand at atoms only.
pub(super) fn simplify(problem: &mut Problem) {
    let bound: HashSet<Symbol> = problem.given.iter().flat_map(bound_within).collect();
    loop {
        let given = std::mem::take(&mut problem.given);
        problem.given = given.iter().map(ordered).flat_map(|f| f.conjuncts()).collect();
        let is_free = |s: Symbol| !bound.contains(&s);
        match problem.given.iter().find_map(|f| equation(f, &problem.signature, &is_free)) {
            Some((name, value)) => replace(problem, &Term::Var(name), &value),
            None if !propagate(&mut problem.given) => break,
            None => {}
        }
    }
}

/// A name that another term stands for.
fn equation(
    formula: &Formula,
    signature: &Signature,
    is_free: &dyn Fn(Symbol) -> bool,
) -> Option<(Symbol, Term)> {
    let Formula::Eq(Term::Var(a), b) = formula else { return None };
    let replaceable = signature.variables[*a].kind == Kind::Object && is_free(*a);
    match b {
        Term::Var(b) if replaceable && is_free(*b) => Some((*a, Term::Var(*b))),
        Term::Null if replaceable => Some((*a, Term::Null)),
        _ => None,
    }
}

fn replace(problem: &mut Problem, from: &Term, to: &Term) {
    for formula in &mut problem.given {
        *formula = formula.put(from, to);
    }
    for write in &mut problem.writes {
        write.at = write.at.put(from, to);
        write.value = match &write.value {
            Written::Term(term) => Written::Term(term.put(from, to)),
            Written::Truth(formula) => Written::Truth(formula.put(from, to)),
        };
    }
}

/// Puts known literals in; false when nothing changed.
fn propagate(given: &mut Vec<Formula>) -> bool {
    let mut known: HashMap<Formula, bool> = HashMap::default();
    let mut kept = Vec::new();
    let mut rest = Vec::new();
    for formula in std::mem::take(given) {
        let (atom, value) = match &formula {
            Formula::Not(atom) if is_atom(atom) => ((**atom).clone(), false),
            atom if is_atom(atom) => (atom.clone(), true),
            _ => {
                rest.push(formula);
                continue;
            }
        };
        match known.insert(atom, value) {
            Some(before) if before != value => {
                given.push(Formula::False);
                return false;
            }
            Some(_) => {}
            None => kept.push(formula),
        }
    }
    let mut changed = false;
    for formula in rest {
        let new = with(&formula, &known);
        changed |= new != formula;
        kept.push(new);
    }
    *given = kept;
    changed
}

fn is_atom(formula: &Formula) -> bool {
    matches!(formula, Formula::Eq(..) | Formula::Holds(..) | Formula::Btwn(..) | Formula::Truth(_))
}

fn with(formula: &Formula, known: &HashMap<Formula, bool>) -> Formula {
    match formula {
        Formula::Not(inner) => with(inner, known).negate(),
        Formula::And(parts) => Formula::and(parts.iter().map(|p| with(p, known))),
        Formula::Or(parts) => Formula::or(parts.iter().map(|p| with(p, known))),
        Formula::Forall(bound, body) => quantified(true, bound, with(body, known)),
        Formula::Exists(bound, body) => quantified(false, bound, with(body, known)),
        atom => match known.get(atom) {
            Some(true) => Formula::True,
            Some(false) => Formula::False,
            None => atom.clone(),
        },
    }
}

/// There is always an object: null.
fn quantified(universal: bool, bound: &[Symbol], body: Formula) -> Formula {
    match body {
        Formula::True | Formula::False => body,
        body if universal => Formula::Forall(bound.to_vec(), Box::new(body)),
        body => Formula::Exists(bound.to_vec(), Box::new(body)),
    }
}

/// The same formula with one form for each equality, and without trivial parts.
fn ordered(formula: &Formula) -> Formula {
    match formula {
        Formula::Not(inner) => ordered(inner).negate(),
        Formula::And(parts) => Formula::and(parts.iter().map(ordered)),
        Formula::Or(parts) => Formula::or(parts.iter().map(ordered)),
        Formula::Forall(bound, body) => quantified(true, bound, ordered(body)),
        Formula::Exists(bound, body) => quantified(false, bound, ordered(body)),
        Formula::Eq(a, b) if a == b => Formula::True,
        // Null is the smallest term, and variables come next.
        Formula::Eq(a, b) if a < b => Formula::Eq(b.clone(), a.clone()),
        atom => atom.clone(),
    }
}
