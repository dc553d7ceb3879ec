//! Which predicates are tracked where.
//!
//! "Abstractions from proofs" tracks a predicate only at the locations where an
//! interpolant mentioned it; that keeps the number of abstract states linear
//! where a global precision makes it exponential. Wider scopes are there for
//! comparison. Lists only grow, so that their length is a version.

use bolide_base::{HashMap, HashSet, Integer, Rational};
use bolide_cfa::{FunctionId, LocId};
use bolide_reachability::block::BlockProgram;
use bolide_reachability::calls::Calls;
use bolide_reachability::encode::Slot;
use bolide_terms::{Op, SortId, TermId, TermStore};

/// How far a predicate that was found at a location reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scope {
    /// Only that location.
    #[default]
    Location,
    /// All locations of its function where its variables are live.
    Function,
    /// All locations where its variables are live.
    Global,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Location(LocId),
    Function(FunctionId),
    Everywhere,
}

/// The predicates of all locations.
pub struct Precision {
    scope: Scope,
    lists: HashMap<Place, Vec<TermId>>,
    known: HashSet<(Place, TermId)>,
    /// The constants that a sum was compared to at a location.
    compared: HashMap<(LocId, TermId), Vec<Rational>>,
}

impl Precision {
    /// Nothing is tracked.
    pub fn new(scope: Scope) -> Precision {
        Precision {
            scope,
            lists: HashMap::default(),
            known: HashSet::default(),
            compared: HashMap::default(),
        }
    }

    fn place(&self, program: &BlockProgram<'_>, location: LocId) -> Place {
        match self.scope {
            Scope::Location => Place::Location(location),
            Scope::Function => Place::Function(program.program.locations[location].function),
            Scope::Global => Place::Everywhere,
        }
    }

    /// Adds a predicate; says whether it is new there.
    pub fn add(&mut self, program: &BlockProgram<'_>, at: LocId, predicate: TermId) -> bool {
        let place = self.place(program, at);
        let new = self.known.insert((place, predicate));
        if new {
            self.lists.entry(place).or_default().push(predicate);
        }
        new
    }

    /// Divergence watch: when predicates of a location compare one sum to ever
    /// more constants, bounds by the least and the greatest of them are added, and the
    /// remainder they share. Heuristic: `x = 0`, `x = 1`, `x = 2` suggest `x >= 0`.
    pub fn widen(&mut self, store: &mut TermStore, at: LocId, predicates: &mut Vec<TermId>) {
        for predicate in predicates.clone() {
            let Some((sum, constant)) = comparison(store, predicate) else { continue };
            let constants = self.compared.entry((at, sum)).or_default();
            if constants.contains(&constant) {
                continue;
            }
            constants.push(constant);
            if constants.len() != DIVERGING {
                continue;
            }
            let (Some(least), Some(most)) = (constants.iter().min(), constants.iter().max()) else {
                continue;
            };
            let (least, most) = (least.clone(), most.clone());
            let low = store.mk_number(least.clone(), SortId::INT);
            let high = store.mk_number(most, SortId::INT);
            predicates.push(store.mk_ge(sum, low));
            predicates.push(store.mk_le(sum, high));
            let two = store.mk_int(2);
            let (rest, same) = (store.mk_mod(sum, two), store.mk_mod(low, two));
            predicates.push(store.mk_eq(rest, same));
        }
        for predicate in predicates.iter_mut() {
            *predicate = store.atom_and_sign(*predicate).0;
        }
        predicates.retain(|&p| p != TermId::TRUE && p != TermId::FALSE);
    }

    /// The predicates to track at a location, oldest first.
    pub fn at(
        &self,
        program: &BlockProgram<'_>,
        calls: &Calls,
        store: &TermStore,
        at: LocId,
    ) -> Vec<TermId> {
        let Some(list) = self.lists.get(&self.place(program, at)) else { return Vec::new() };
        // Required: a variable that nobody reads any more has no value that all sizes of blocks agree on.
        let scope = calls.scope_of(program.program.locations[at].function);
        let changes = |slot| {
            let local = scope.own.contains(&slot) && !scope.parameters.contains(&slot);
            local || scope.entry.iter().any(|&(changed, _)| changed == slot)
        };
        let has_value = |slot| program.matters(slot, at) || !changes(slot);
        // Required: no variable of another function, and no value that one had when that was entered.
        let here = Some(program.program.locations[at].function);
        let in_scope = |slot| match program.slots.slot(slot) {
            Slot::Value(var) | Slot::Object(var) | Slot::Offset(var) => {
                let function = program.program.variables[var].function;
                function.is_none() || function == here
            }
            _ => true,
        };
        let is_known = |constant: TermId| match program.slots.of_constant(constant) {
            Some(slot) => in_scope(slot) && has_value(slot),
            None => {
                let entered = scope.entry.iter().any(|&(_, entry)| entry == constant);
                entered || calls.entry_slot(constant).is_none()
            }
        };
        let alive = |p: TermId| store.constants(p).into_iter().all(is_known);
        list.iter().copied().filter(|&p| alive(p)).collect()
    }

    /// How many predicates there are.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    /// The predicates of one location, at most: for statistics.
    pub fn most(&self) -> usize {
        self.lists.values().map(Vec::len).max().unwrap_or(0)
    }
}

/// So many constants compared to one sum look like divergence.
const DIVERGING: usize = 3;

/// An integer atom as a sum without constant, compared to a constant.
fn comparison(store: &mut TermStore, atom: TermId) -> Option<(TermId, Rational)> {
    if !matches!(store.op(atom), Op::Eq | Op::Le) {
        return None;
    }
    let (a, b) = (store.arg(atom, 0), store.arg(atom, 1));
    if store.sort(a) != SortId::INT {
        return None;
    }
    let difference = store.mk_sub(a, b);
    if store.op(difference) != Op::Add {
        return Some((difference, Rational::from(Integer::from(0))));
    }
    let mut parts = store.args(difference).to_vec();
    let constant = parts.last().and_then(|&last| store.number(last).cloned());
    match constant {
        None => Some((difference, Rational::from(Integer::from(0)))),
        Some(number) => {
            parts.pop();
            Some((store.mk_add(&parts), -number))
        }
    }
}

/// The atoms of an interpolant, without signs. `halves` also gives both
/// inequalities of an equality between numbers.
///
/// Required: what speaks of no variable is no predicate. That the object at the address 0 is null holds of every state, but only blocks that
/// turn an integer into a pointer say so; tracked, it would be claimed where no other block can prove it.
pub fn predicates_of(store: &mut TermStore, interpolant: TermId, halves: bool) -> Vec<TermId> {
    let mut found: Vec<TermId> = store.atoms(interpolant);
    found.retain(|&atom| atom != TermId::TRUE && atom != TermId::FALSE);
    if halves {
        for atom in found.clone() {
            found.extend(store.halves(atom));
        }
    }
    for atom in &mut found {
        *atom = store.atom_and_sign(*atom).0;
    }
    let mut seen = HashSet::default();
    found.retain(|&atom| is_of_state(store, atom) && seen.insert(atom));
    found
}

/// Whether a formula says something of a state.
pub fn is_of_state(store: &TermStore, formula: TermId) -> bool {
    !store.constants(formula).is_empty()
}
