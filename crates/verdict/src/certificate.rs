//! What engines conclude: plain data, without the search that found it.
//!
//! Boolean heaps are what the engine for heaps has instead of invariants over terms.
//! A predicate is a formula about a state and, if it is a *domain predicate*,
//! an object (section 3.2 of the thesis). An abstract object gives a truth value to every domain
//! predicate; a Boolean heap is a set of abstract objects, here as cubes, and stands for
//! the states all of whose objects it describes (section 3.3). An invariant
//! is a set of Boolean heaps, one for each truth assignment to the
//! predicates about the state alone.
//!
//! A predicate about the state that has quantifiers (that all lists are acyclic,
//! say) is one-sided: its bit says that it is known to hold, and without the bit nothing is
//! known. Its negation would bring objects without a name into every query,
//! for knowledge that proofs hardly ever use.

use crate::replay::Violation;
use bolide_cfa::LocId;
use bolide_heap::graph::Graph;
use bolide_heap::{Formula, Signature, Symbol};
use bolide_reachability::verdict::{Annotation, Counterexample, Reason};
use std::collections::BTreeMap;

/// What proves that no error is reached.
#[derive(Clone, Debug)]
pub enum Certificate {
    /// Invariants and contracts, over terms: about the program for formulas.
    Invariants(Annotation),
    /// A Boolean heap invariant for every cut point: about the program without calls.
    Heaps(BooleanHeaps),
    /// Symbolic memory graphs where paths meet: about the program without calls.
    Graphs(MemoryGraphs),
    /// All paths, where these are few: about the program without calls.
    Paths(PathTree),
    /// No run has more rounds, and none within them fails: about the program for formulas.
    Unrolled {
        /// Of a loop, each time that it is entered; and activations of a function at the same time.
        rounds: u32,
    },
    /// No run of so many blocks ends in an error, neither from the start nor from where the facts hold: about the
    /// program for formulas, which has no calls then.
    Induction {
        /// How many blocks.
        k: u32,
        /// Inductive, and silent on errors. A cut point that is not listed has the fact true.
        facts: Annotation,
    },
    /// There is one run only, and it comes to its end.
    OnlyRun,
    /// No check is left.
    NothingToCheck,
}

/// Sets of states by location, each the union of some graphs.
#[derive(Clone, Debug, Default)]
pub struct MemoryGraphs {
    /// Where paths meet, and at the entry.
    pub places: BTreeMap<LocId, Vec<Graph>>,
}

/// What an engine concludes. Nobody believes it before the audit.
#[derive(Clone, Debug)]
pub enum Conclusion {
    /// No error location can be reached.
    Safe(Certificate),
    /// One is reached.
    Unsafe(Suspicion),
    /// Neither, because.
    Unknown(Reason),
}

/// How an error may be reached.
#[derive(Clone, Debug)]
pub enum Suspicion {
    /// By a path of the program for formulas, with the values that are chosen on it.
    Path(Counterexample),
    /// As in this run of the original program, which somebody executed.
    Run(Box<Violation>),
}

impl Conclusion {
    /// Annotated with invariants that exclude all errors.
    pub fn annotated(annotation: Annotation) -> Conclusion {
        Conclusion::Safe(Certificate::Invariants(annotation))
    }

    /// A path to an error.
    pub fn path(path: Counterexample) -> Conclusion {
        Conclusion::Unsafe(Suspicion::Path(path))
    }

    /// An execution that ended in a violation.
    pub fn run(violation: Box<Violation>) -> Conclusion {
        Conclusion::Unsafe(Suspicion::Run(violation))
    }
}

/// The predicates of a location.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Predicates {
    /// About the state alone.
    pub state: Vec<Formula>,
    /// About the state and the bound object.
    pub domain: Vec<Formula>,
}

/// The most predicates of one sort at one location.
pub const LIMIT: usize = 64;

/// Truth values of state predicates, one bit each.
pub type StateBits = u64;
/// An abstract object: truth values of domain predicates, one bit each.
pub type ObjectBits = u64;

/// Bits that matter, and their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cube {
    /// Which bits matter.
    pub mask: u64,
    /// Their values; zero elsewhere.
    pub bits: u64,
}

/// States all of whose objects lie in one of the cubes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BooleanHeap {
    /// The truth values of the state predicates.
    pub state: StateBits,
    /// Over the domain predicates.
    pub objects: Vec<Cube>,
}

/// What holds at a location: one of the heaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariant {
    /// What the heaps are over.
    pub predicates: Predicates,
    /// None where the location is not reached.
    pub heaps: Vec<BooleanHeap>,
}

/// A Boolean heap invariant for every cut point but the entry, where the program says what holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BooleanHeaps {
    /// Required: every loop has a cut point.
    pub invariants: BTreeMap<LocId, Invariant>,
}

/// Paths from the entry of a program. The first node is the entry; a step of the program leads from a node to a later one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathTree {
    /// By the numbers of steps; a step that is not here cannot be taken.
    pub nodes: Vec<BTreeMap<usize, usize>>,
}

/// As many ones as there are predicates.
pub fn all_bits(width: usize) -> u64 {
    if width >= LIMIT { u64::MAX } else { (1 << width) - 1 }
}

impl Predicates {
    /// Adds a predicate unless it, its negation or too many are there; whether it was added.
    pub fn add(&mut self, formula: Formula, bound: Symbol) -> bool {
        let formula = bolide_heap::normal::predicate(formula);
        if matches!(formula, Formula::True | Formula::False) {
            return false;
        }
        let list = if formula.is_free(bound) { &mut self.domain } else { &mut self.state };
        if list.contains(&formula) || list.len() >= LIMIT {
            return false;
        }
        list.push(formula);
        true
    }

    /// What a heap says, part by part: state predicates by number, and of all objects.
    pub fn parts(
        &self,
        state: StateBits,
        objects: &[Cube],
        bound: Symbol,
    ) -> Vec<(Option<usize>, Formula)> {
        let mut parts = Vec::new();
        for (number, predicate) in self.state.iter().enumerate() {
            // Quantified predicates are known where they hold only.
            if state >> number & 1 == 1 {
                parts.push((Some(number), predicate.clone()));
            } else if !predicate.is_quantified() {
                parts.push((Some(number), predicate.clone().negate()));
            }
        }
        parts.push((None, self.of_objects(objects, bound)));
        parts
    }

    /// That all objects lie in one of the cubes.
    pub fn of_objects(&self, objects: &[Cube], bound: Symbol) -> Formula {
        let kind = |cube: &Cube| {
            let all = self.domain.iter().enumerate().filter(|(i, _)| cube.mask >> i & 1 == 1);
            let literal =
                |p: &Formula, holds: bool| if holds { p.clone() } else { p.clone().negate() };
            Formula::and(all.map(|(i, p)| literal(p, cube.bits >> i & 1 == 1)))
        };
        Formula::Forall(vec![bound], Box::new(Formula::or(objects.iter().map(kind))))
    }

    /// What a heap says.
    pub fn concretise(&self, state: StateBits, objects: &[Cube], bound: Symbol) -> Formula {
        let parts = self.parts(state, objects, bound).into_iter();
        Formula::and(parts.map(|(_, formula)| formula))
    }
}

impl BooleanHeaps {
    /// The invariants in the annotation language.
    pub fn show(&self, signature: &Signature, bound: Symbol) -> Vec<(LocId, String)> {
        let reached = self.invariants.iter().filter(|(_, invariant)| !invariant.heaps.is_empty());
        reached.map(|(location, all)| (*location, all.show(signature, bound))).collect()
    }
}

impl Invariant {
    /// In the annotation language.
    pub fn show(&self, signature: &Signature, bound: Symbol) -> String {
        let shown: Vec<String> = self
            .heaps
            .iter()
            .map(|h| signature.show(&self.predicates.concretise(h.state, &h.objects, bound)))
            .collect();
        match shown.as_slice() {
            [] => "\\false".into(),
            [only] => only.clone(),
            all => all.iter().map(|h| format!("({h})")).collect::<Vec<_>>().join(" || "),
        }
    }
}
