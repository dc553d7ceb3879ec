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
//! Sets of bit-vectors are decision diagrams ([`diagrams`](super::diagrams)), and the
//! formula that a heap stands for has a disjunct for each cube of an irredundant cover of its
//! set: quantifiers are instantiated at many objects, so every literal that the formula lacks is saved many times.
//! (Measured and dropped: covers that may include contradictory objects, such as one that `x` points to and that
//! is not reachable from `x`. A quarter of the literals went, none of the time.)

use super::diagrams::{Diagrams, ObjectSet};
use bolide_heap::{Formula, Signature, Symbol};
use std::collections::BTreeMap;

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
    pub heaps: BTreeMap<StateBits, ObjectSet>,
}

impl AbstractState {
    /// Adds abstract objects; whether any is new.
    pub fn insert(&mut self, diagrams: &Diagrams, state: StateBits, objects: ObjectSet) -> bool {
        let heap = self.heaps.entry(state).or_insert(ObjectSet::EMPTY);
        let before = *heap;
        *heap = diagrams.union(before, objects);
        *heap != before
    }
}

/// As many ones as there are predicates.
pub fn all_bits(width: usize) -> u64 {
    if width >= 64 { u64::MAX } else { (1 << width) - 1 }
}

/// Bits that matter, and their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cube {
    /// Which bits matter.
    pub mask: u64,
    /// Their values; zero elsewhere.
    pub bits: u64,
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
    diagrams: &Diagrams,
    predicates: &Predicates,
    state: StateBits,
    objects: ObjectSet,
    bound: Symbol,
) -> Formula {
    let mut mask = 0;
    for (i, predicate) in predicates.state.iter().enumerate() {
        if state >> i & 1 == 1 || !predicate.is_quantified() {
            mask |= 1 << i;
        }
    }
    let about_state = literals(&predicates.state, Cube { mask, bits: state });
    Formula::and([about_state, about_objects(diagrams, predicates, objects, bound)])
}

/// What a Boolean heap says of all objects.
pub fn about_objects(
    diagrams: &Diagrams,
    predicates: &Predicates,
    objects: ObjectSet,
    bound: Symbol,
) -> Formula {
    let cubes = diagrams.cover(objects, objects);
    let objects = Formula::or(cubes.into_iter().map(|cube| literals(&predicates.domain, cube)));
    Formula::Forall(vec![bound], Box::new(objects))
}

/// An abstract state for people, in the annotation language.
pub fn show(
    diagrams: &Diagrams,
    signature: &Signature,
    predicates: &Predicates,
    abstract_state: &AbstractState,
    bound: Symbol,
) -> String {
    let heaps: Vec<String> = abstract_state
        .heaps
        .iter()
        .map(|(&state, &objects)| {
            signature.show(&concretise(diagrams, predicates, state, objects, bound))
        })
        .collect();
    match heaps.len() {
        0 => "\\false".into(),
        1 => heaps.into_iter().next().unwrap_or_default(),
        _ => heaps.iter().map(|h| format!("({h})")).collect::<Vec<_>>().join(" || "),
    }
}
