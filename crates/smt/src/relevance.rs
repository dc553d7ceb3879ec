//! Which atoms the present assignment needs.
//!
//! A full assignment gives values to all atoms, also to those of disjuncts that
//! do not matter because another one is true. A theory that pays for each value (arrays pay
//! for every inequality with an index at which the two differ) may ask which ones matter: a
//! walk from the claims downward that chooses one true disjunct of each true disjunction,
//! one false conjunct of each false conjunction and one branch of each `ite` (after de Moura and Bjorner:
//! *Relevancy propagation*, 2007, but computed anew instead of kept up to date).
//!
//! Required: a model in which the needed atoms have their values satisfies the claims, whatever the
//! others are. Atoms that occur in no claim were made by theories, which know why; about those nothing is
//! said here.

use bolide_base::{HashMap, HashSet};
use bolide_terms::{Op, TermId, TermStore};

use crate::clausify::is_connective;

/// What a walk found.
pub(crate) struct Relevance {
    /// Atoms of theories whose value matters.
    needed: HashSet<TermId>,
    /// All atoms that occur in the claims.
    occurring: HashSet<TermId>,
}

impl Relevance {
    /// Looks for what makes the claims true. `None` if something makes them false: then nothing is
    /// known to be irrelevant.
    pub fn of(
        store: &TermStore,
        claims: &[TermId],
        truth: &dyn Fn(TermId) -> Option<bool>,
    ) -> Option<Relevance> {
        let values = values(store, claims, truth);
        let occurring = values.keys().copied().filter(|&t| !is_connective(store, t)).collect();
        let mut result = Relevance { needed: HashSet::default(), occurring };
        let mut seen: HashSet<TermId> = HashSet::default();
        let value = |formula: TermId| {
            let (atom, positive) = store.atom_and_sign(formula);
            values[&atom] == positive
        };
        let mut work: Vec<TermId> = Vec::new();
        for &claim in claims {
            if !value(claim) {
                return None;
            }
            work.push(claim);
        }
        while let Some(formula) = work.pop() {
            let (formula, _) = store.atom_and_sign(formula);
            if !seen.insert(formula) {
                continue;
            }
            let arguments = store.args(formula);
            match store.op(formula) {
                Op::And | Op::Or => {
                    let deciding = store.op(formula) == Op::Or;
                    if value(formula) != deciding {
                        work.extend_from_slice(arguments);
                        continue;
                    }
                    // Heuristic: what is needed anyway, then what costs little.
                    let price = |argument: TermId| {
                        let (atom, _) = store.atom_and_sign(argument);
                        match store.op(atom) {
                            _ if seen.contains(&atom) => 0,
                            Op::Eq if is_array_equality(store, atom) => {
                                if value(atom) {
                                    2
                                } else {
                                    4
                                }
                            }
                            _ if is_connective(store, atom) => 3,
                            _ => 1,
                        }
                    };
                    let decisive = arguments.iter().copied().filter(|&a| value(a) == deciding);
                    work.extend(decisive.min_by_key(|&a| price(a)));
                }
                Op::Ite => {
                    let branch = if value(arguments[0]) { 1 } else { 2 };
                    work.extend([arguments[0], arguments[branch]]);
                }
                _ if is_connective(store, formula) => work.extend_from_slice(arguments),
                _ => {
                    result.needed.insert(formula);
                    work.extend(inner_formulas(store, formula));
                }
            }
        }
        Some(result)
    }

    /// Whether the value of the atom matters, as far as is known.
    pub fn is_needed(&self, atom: TermId) -> bool {
        self.needed.contains(&atom) || !self.occurring.contains(&atom)
    }
}

fn is_array_equality(store: &TermStore, atom: TermId) -> bool {
    store.array_sorts(store.sort(store.arg(atom, 0))).is_some()
}

/// The outermost Boolean terms in the arguments of an atom.
fn inner_formulas(store: &TermStore, atom: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    if matches!(store.op(atom), Op::Forall | Op::Exists) {
        return found;
    }
    let mut seen: HashSet<TermId> = HashSet::default();
    let mut work: Vec<TermId> = store.args(atom).to_vec();
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        if store.is_bool(term) {
            found.push(term);
        } else {
            work.extend_from_slice(store.args(term));
        }
    }
    found
}

/// The values of all formulas in the claims, without signs: of atoms as the search has
/// them, of connectives by their meaning.
fn values(
    store: &TermStore,
    claims: &[TermId],
    truth: &dyn Fn(TermId) -> Option<bool>,
) -> HashMap<TermId, bool> {
    let mut values: HashMap<TermId, bool> = HashMap::default();
    let unsigned = |formula: TermId| store.atom_and_sign(formula).0;
    let mut work: Vec<TermId> = claims.iter().map(|&claim| unsigned(claim)).collect();
    while let Some(&formula) = work.last() {
        if values.contains_key(&formula) {
            work.pop();
            continue;
        }
        let before = work.len();
        let connective = is_connective(store, formula);
        let parts =
            if connective { store.args(formula).to_vec() } else { inner_formulas(store, formula) };
        let open = parts.iter().map(|&part| unsigned(part));
        work.extend(open.filter(|part| !values.contains_key(part)));
        if work.len() > before {
            continue;
        }
        work.pop();
        let value = |part: TermId| {
            let (atom, positive) = store.atom_and_sign(part);
            values[&atom] == positive
        };
        let truth = match store.op(formula) {
            Op::True => true,
            Op::False => false,
            Op::And => parts.iter().all(|&part| value(part)),
            Op::Or => parts.iter().any(|&part| value(part)),
            Op::Ite if connective => value(parts[if value(parts[0]) { 1 } else { 2 }]),
            Op::Eq if connective => value(parts[0]) == value(parts[1]),
            _ => truth(formula).unwrap_or(false),
        };
        values.insert(formula, truth);
    }
    values
}
