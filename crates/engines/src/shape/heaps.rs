//! Boolean heaps: what an abstract state is.
//!
//! A predicate is a formula about a state and, if it is a *domain predicate*,
//! an object (section 3.2 of the thesis). An abstract object gives a truth value to every domain
//! predicate; a Boolean heap is a set of abstract objects and stands for
//! the states all of whose objects it describes (section 3.3). An abstract
//! state is a set of Boolean heaps, one for each truth assignment to the
//! predicates about the state alone: so two states that a predicate tells apart are never
//! joined.
//!
//! A predicate about the state that has quantifiers (that all lists are acyclic,
//! say) is one-sided: its bit says that it is known to hold, and without the bit nothing is
//! known. Its negation would bring objects without a name into every query,
//! for knowledge that proofs hardly ever use.
//!
//! Bit-vectors are stored one by one; only when they become a formula are
//! they merged to cubes. Decision diagrams would share more; the sets here
//! have tens of elements.

use bolide_heap::{Formula, Signature, Symbol};
use std::collections::{BTreeMap, BTreeSet};

/// What is tracked at a location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Predicates {
    /// About the state alone.
    pub state: Vec<Formula>,
    /// About the state and the bound object.
    pub domain: Vec<Formula>,
}

/// The most predicates of one sort at one location.
pub const LIMIT: usize = 64;

impl Predicates {
    /// Adds a predicate unless it, its negation or too many are there; whether it was added.
    pub fn add(&mut self, formula: Formula, bound: Symbol) -> bool {
        let formula = bolide_heap::normal::predicate(formula);
        if matches!(formula, Formula::True | Formula::False) {
            return false;
        }
        let list = if free_in(&formula, bound) { &mut self.domain } else { &mut self.state };
        if list.contains(&formula) || list.len() >= LIMIT {
            return false;
        }
        list.push(formula);
        true
    }
}

/// Whether the bound variable of domain predicates occurs free.
fn free_in(formula: &Formula, bound: Symbol) -> bool {
    match formula {
        Formula::Forall(symbols, body) | Formula::Exists(symbols, body) => {
            !symbols.contains(&bound) && free_in(body, bound)
        }
        Formula::Not(inner) => free_in(inner, bound),
        Formula::And(all) | Formula::Or(all) => all.iter().any(|f| free_in(f, bound)),
        atom => atom.mentions(bound),
    }
}

/// Truth values of state predicates, one bit each.
pub type StateBits = u64;
/// An abstract object: truth values of domain predicates, one bit each.
pub type ObjectBits = u64;

/// A set of Boolean heaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AbstractState {
    /// By the truth values of the state predicates.
    pub heaps: BTreeMap<StateBits, BTreeSet<ObjectBits>>,
}

impl AbstractState {
    /// Adds an abstract object; whether it is new.
    pub fn insert(&mut self, state: StateBits, object: ObjectBits) -> bool {
        self.heaps.entry(state).or_default().insert(object)
    }
}

/// Bits that matter, and their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cube {
    /// Which bits matter.
    pub mask: u64,
    /// Their values; zero elsewhere.
    pub bits: u64,
}

/// Cubes that cover exactly the bit-vectors: two that differ in one bit become
/// one, again and again (Quine's first step, without the search for the fewest).
pub fn cover(objects: &BTreeSet<ObjectBits>, width: usize) -> Vec<Cube> {
    let all = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    let mut cubes: BTreeSet<Cube> = objects.iter().map(|&bits| Cube { mask: all, bits }).collect();
    for bit in 0..width {
        let one = 1u64 << bit;
        let candidates: Vec<Cube> = cubes
            .iter()
            .copied()
            .filter(|c| c.mask & one != 0 && c.bits & one == 0)
            .filter(|c| cubes.contains(&Cube { mask: c.mask, bits: c.bits | one }))
            .collect();
        for cube in candidates {
            cubes.remove(&cube);
            cubes.remove(&Cube { mask: cube.mask, bits: cube.bits | one });
            cubes.insert(Cube { mask: cube.mask & !one, bits: cube.bits });
        }
    }
    cubes.into_iter().collect()
}

/// The conjunction that a cube stands for.
pub fn literals(predicates: &[Formula], cube: Cube) -> Formula {
    Formula::and(
        predicates
            .iter()
            .enumerate()
            .filter(|(i, _)| cube.mask >> i & 1 == 1)
            .map(|(i, p)| if cube.bits >> i & 1 == 1 { p.clone() } else { p.clone().negate() }),
    )
}

/// What a Boolean heap says.
pub fn concretise(
    predicates: &Predicates,
    state: StateBits,
    objects: &BTreeSet<ObjectBits>,
    bound: Symbol,
) -> Formula {
    let mut mask = 0;
    for (i, predicate) in predicates.state.iter().enumerate() {
        if state >> i & 1 == 1 || !predicate.is_quantified() {
            mask |= 1 << i;
        }
    }
    let about_state = literals(&predicates.state, Cube { mask, bits: state });
    Formula::and([about_state, about_objects(predicates, objects, bound)])
}

/// What a Boolean heap says of all objects.
pub fn about_objects(
    predicates: &Predicates,
    objects: &BTreeSet<ObjectBits>,
    bound: Symbol,
) -> Formula {
    let cubes = cover(objects, predicates.domain.len());
    let objects = Formula::or(cubes.into_iter().map(|cube| literals(&predicates.domain, cube)));
    Formula::Forall(vec![bound], Box::new(objects))
}

/// An abstract state for people, in the annotation language.
pub fn show(
    signature: &Signature,
    predicates: &Predicates,
    abstract_state: &AbstractState,
    bound: Symbol,
) -> String {
    let heaps: Vec<String> = abstract_state
        .heaps
        .iter()
        .map(|(&state, objects)| signature.show(&concretise(predicates, state, objects, bound)))
        .collect();
    match heaps.len() {
        0 => "\\false".into(),
        1 => heaps.into_iter().next().unwrap_or_default(),
        _ => heaps.iter().map(|h| format!("({h})")).collect::<Vec<_>>().join(" || "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cover_has_the_same_vectors() {
        let mut seed = 12345u64;
        for width in 1..6 {
            for _ in 0..50 {
                seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                let objects: BTreeSet<u64> =
                    (0..1u64 << width).filter(|i| seed >> (i + 20) & 1 == 1).collect();
                let cubes = cover(&objects, width);
                for vector in 0..1u64 << width {
                    let covered = cubes.iter().any(|c| vector & c.mask == c.bits);
                    assert_eq!(covered, objects.contains(&vector), "{objects:?} {cubes:?}");
                }
            }
        }
    }
}
