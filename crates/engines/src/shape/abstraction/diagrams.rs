//! Decision diagrams: sets of abstract objects.
//!
//! Reduced ordered binary decision diagrams (Bryant 1986), which is what the thesis represents Boolean heaps by (6.2.2).
//! Every set has one diagram, so that sets are compared by comparing two numbers. Predicate `i` is variable `2 i`, its
//! value after a command variable `2 i + 1`: a set of pairs (object before, object after) is a transition relation, and
//! [`Diagrams::successors`] is the relational product with it.
//!
//! A set that does not mention a predicate has both values of it. So a diagram outlives the addition of
//! predicates: it stands for the same states as before.
//!
//! [`Diagrams::cover`] turns a set into cubes by the algorithm of Minato and Morreale (irredundant sums of products, 1992): no
//! cube can be left out and no literal of a cube. Formulas are made from these.
//!
//! Nodes are shared by all sets and never freed: an analysis makes some thousands. Recursion is as deep as there are
//! variables, which are at most 128. No complemented edges, no reordering: the sets are small.

use bolide_base::{HashMap, HashSet};
use bolide_verdict::certificate::Cube;
use std::cell::RefCell;
use std::rc::Rc;

/// A set of abstract objects, or of pairs of these; of one [`Diagrams`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectSet(u32);

impl ObjectSet {
    /// No object.
    pub const EMPTY: ObjectSet = ObjectSet(0);
    /// All objects.
    pub const ALL: ObjectSet = ObjectSet(1);
}

/// A decision: where to go when the variable is false, and when it is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Node {
    variable: u32,
    low: ObjectSet,
    high: ObjectSet,
}

/// The nodes that all sets share. That nodes are added is not seen from outside.
#[derive(Debug)]
pub struct Diagrams(RefCell<Tables>);

/// Larger than every variable: that of the two leaves.
const LEAF: u32 = u32::MAX;

#[derive(Debug)]
struct Tables {
    /// By number; the first two are the leaves.
    nodes: Vec<Node>,
    /// Required: no node twice, none with two equal ends. Equality of sets rests on it.
    unique: HashMap<Node, ObjectSet>,
    /// If-then-else that was computed.
    computed: HashMap<[ObjectSet; 3], ObjectSet>,
}

impl Default for Diagrams {
    fn default() -> Diagrams {
        let leaf = |end| Node { variable: LEAF, low: end, high: end };
        let nodes = vec![leaf(ObjectSet::EMPTY), leaf(ObjectSet::ALL)];
        let (unique, computed) = (HashMap::default(), HashMap::default());
        Diagrams(RefCell::new(Tables { nodes, unique, computed }))
    }
}

impl Tables {
    fn node(&self, set: ObjectSet) -> Node {
        self.nodes[set.0 as usize]
    }

    fn make(&mut self, variable: u32, low: ObjectSet, high: ObjectSet) -> ObjectSet {
        if low == high {
            return low;
        }
        let node = Node { variable, low, high };
        let next = ObjectSet(self.nodes.len() as u32);
        let known = *self.unique.entry(node).or_insert(next);
        if known == next {
            self.nodes.push(node);
        }
        known
    }

    /// The two halves of a set, by a variable not below its first.
    fn halves(&self, set: ObjectSet, variable: u32) -> (ObjectSet, ObjectSet) {
        let node = self.node(set);
        if node.variable == variable { (node.low, node.high) } else { (set, set) }
    }

    fn choose(&mut self, which: ObjectSet, yes: ObjectSet, no: ObjectSet) -> ObjectSet {
        match which {
            ObjectSet::ALL => return yes,
            ObjectSet::EMPTY => return no,
            _ if yes == no => return yes,
            _ if yes == ObjectSet::ALL && no == ObjectSet::EMPTY => return which,
            _ => {}
        }
        let key = [which, yes, no];
        if let Some(&known) = self.computed.get(&key) {
            return known;
        }
        let variable = key.iter().map(|&set| self.node(set).variable).min().unwrap_or(LEAF);
        let [w, y, n] = key.map(|set| self.halves(set, variable));
        let low = self.choose(w.0, y.0, n.0);
        let high = self.choose(w.1, y.1, n.1);
        let set = self.make(variable, low, high);
        self.computed.insert(key, set);
        set
    }

    fn without(&mut self, a: ObjectSet, b: ObjectSet) -> ObjectSet {
        self.choose(b, ObjectSet::EMPTY, a)
    }

    fn union(&mut self, a: ObjectSet, b: ObjectSet) -> ObjectSet {
        self.choose(a, ObjectSet::ALL, b)
    }

    fn intersection(&mut self, a: ObjectSet, b: ObjectSet) -> ObjectSet {
        self.choose(a, b, ObjectSet::EMPTY)
    }
}

/// What a sum of products is: its cubes, and the set of their vectors.
type Sum = (Rc<Vec<Cube>>, ObjectSet);

impl Diagrams {
    /// The objects of which a predicate has the value.
    pub fn literal(&self, predicate: usize, value: bool) -> ObjectSet {
        self.variable(2 * predicate as u32, value)
    }

    /// The pairs the second of which has the value.
    pub fn literal_after(&self, predicate: usize, value: bool) -> ObjectSet {
        self.variable(2 * predicate as u32 + 1, value)
    }

    fn variable(&self, variable: u32, value: bool) -> ObjectSet {
        let ends = if value {
            (ObjectSet::EMPTY, ObjectSet::ALL)
        } else {
            (ObjectSet::ALL, ObjectSet::EMPTY)
        };
        self.0.borrow_mut().make(variable, ends.0, ends.1)
    }

    /// The objects of a cube.
    pub fn cube(&self, cube: Cube) -> ObjectSet {
        let mut tables = self.0.borrow_mut();
        let mut set = ObjectSet::ALL;
        for bit in (0..64).rev().filter(|bit| cube.mask >> bit & 1 == 1) {
            let (low, high) = match cube.bits >> bit & 1 == 1 {
                true => (ObjectSet::EMPTY, set),
                false => (set, ObjectSet::EMPTY),
            };
            set = tables.make(2 * bit, low, high);
        }
        set
    }

    /// What is in one or the other.
    pub fn union(&self, a: ObjectSet, b: ObjectSet) -> ObjectSet {
        self.0.borrow_mut().union(a, b)
    }

    /// What is in both.
    pub fn intersection(&self, a: ObjectSet, b: ObjectSet) -> ObjectSet {
        self.0.borrow_mut().intersection(a, b)
    }

    /// What is in the first and not in the second.
    pub fn without(&self, a: ObjectSet, b: ObjectSet) -> ObjectSet {
        self.0.borrow_mut().without(a, b)
    }

    /// Whether all of the first is in the second.
    pub fn is_subset(&self, a: ObjectSet, b: ObjectSet) -> bool {
        self.without(a, b) == ObjectSet::EMPTY
    }

    /// Whether an object is in the set.
    pub fn contains(&self, set: ObjectSet, object: u64) -> bool {
        let tables = self.0.borrow();
        let mut at = set;
        loop {
            let node = tables.node(at);
            if node.variable == LEAF {
                return at == ObjectSet::ALL;
            }
            let holds = object >> (node.variable / 2) & 1 == 1;
            at = if holds { node.high } else { node.low };
        }
    }

    /// The objects over so many predicates, at most so many, in the order of their first bits.
    pub fn objects(&self, set: ObjectSet, width: usize, most: usize) -> Vec<u64> {
        let tables = self.0.borrow();
        let mut found = Vec::new();
        let mut stack = vec![(set, 0, 0u64)];
        while let Some((at, bit, object)) = stack.pop() {
            if at == ObjectSet::EMPTY || found.len() >= most {
                continue;
            }
            if bit == width {
                found.push(object);
                continue;
            }
            let (low, high) = tables.halves(at, 2 * bit as u32);
            stack.push((high, bit + 1, object | 1 << bit));
            stack.push((low, bit + 1, object));
        }
        found
    }

    /// How many objects there are over so many predicates.
    pub fn count(&self, set: ObjectSet, width: usize) -> u128 {
        fn go(
            tables: &Tables,
            set: ObjectSet,
            width: usize,
            known: &mut HashMap<ObjectSet, u128>,
        ) -> u128 {
            // Of the predicates from the first of the set on.
            let level = |set: ObjectSet| match tables.node(set).variable {
                LEAF => width,
                variable => variable as usize / 2,
            };
            if set == ObjectSet::EMPTY || set == ObjectSet::ALL {
                return u128::from(set == ObjectSet::ALL);
            }
            if let Some(&count) = known.get(&set) {
                return count;
            }
            let node = tables.node(set);
            let here = level(set);
            let mut count = 0;
            for end in [node.low, node.high] {
                count += go(tables, end, width, known) << (level(end) - here - 1);
            }
            known.insert(set, count);
            count
        }
        let tables = self.0.borrow();
        let first = match tables.node(set).variable {
            LEAF => width,
            variable => variable as usize / 2,
        };
        go(&tables, set, width, &mut HashMap::default()) << first
    }

    /// Cubes that cover the set and nothing that is not in `allowed`.
    pub fn cover(&self, set: ObjectSet, allowed: ObjectSet) -> Vec<Cube> {
        let (cubes, _) =
            irredundant(&mut self.0.borrow_mut(), set, allowed, &mut HashMap::default());
        let mut cubes = cubes.to_vec();
        cubes.sort_unstable();
        cubes
    }

    /// The objects that a transition relation leads to from those of a set.
    pub fn successors(&self, set: ObjectSet, relation: ObjectSet) -> ObjectSet {
        let tables = &mut self.0.borrow_mut();
        let pairs = tables.intersection(set, relation);
        project(tables, pairs, &mut HashMap::default())
    }

    /// Predicates that a set says anything about, as bits.
    pub fn support(&self, set: ObjectSet) -> u64 {
        let tables = self.0.borrow();
        let (mut seen, mut stack, mut support) = (HashSet::default(), vec![set], 0);
        while let Some(at) = stack.pop() {
            let node = tables.node(at);
            if node.variable != LEAF && seen.insert(at) {
                support |= 1 << (node.variable / 2);
                stack.extend([node.low, node.high]);
            }
        }
        support
    }
}

/// The algorithm of Minato and Morreale: between a set and a larger one.
fn irredundant(
    tables: &mut Tables,
    set: ObjectSet,
    allowed: ObjectSet,
    known: &mut HashMap<(ObjectSet, ObjectSet), Sum>,
) -> Sum {
    if set == ObjectSet::EMPTY {
        return (Rc::new(Vec::new()), ObjectSet::EMPTY);
    }
    if allowed == ObjectSet::ALL {
        return (Rc::new(vec![Cube { mask: 0, bits: 0 }]), ObjectSet::ALL);
    }
    if let Some(sum) = known.get(&(set, allowed)) {
        return sum.clone();
    }
    let variable = tables.node(set).variable.min(tables.node(allowed).variable);
    let (set_low, set_high) = tables.halves(set, variable);
    let (allowed_low, allowed_high) = tables.halves(allowed, variable);
    // What only cubes with the literal can cover, then what is left for cubes without it.
    let only_low = tables.without(set_low, allowed_high);
    let (low, low_set) = irredundant(tables, only_low, allowed_low, known);
    let only_high = tables.without(set_high, allowed_low);
    let (high, high_set) = irredundant(tables, only_high, allowed_high, known);
    let (left_low, left_high) =
        (tables.without(set_low, low_set), tables.without(set_high, high_set));
    let left = tables.union(left_low, left_high);
    let both = tables.intersection(allowed_low, allowed_high);
    let (free, free_set) = irredundant(tables, left, both, known);
    let one = 1u64 << (variable / 2);
    let mut cubes = Vec::with_capacity(low.len() + high.len() + free.len());
    cubes.extend(low.iter().map(|c| Cube { mask: c.mask | one, bits: c.bits }));
    cubes.extend(high.iter().map(|c| Cube { mask: c.mask | one, bits: c.bits | one }));
    cubes.extend(free.iter().copied());
    let decided = tables.make(variable, low_set, high_set);
    let sum = (Rc::new(cubes), tables.union(decided, free_set));
    known.insert((set, allowed), sum.clone());
    sum
}

/// The second components of pairs, as objects.
fn project(
    tables: &mut Tables,
    pairs: ObjectSet,
    known: &mut HashMap<ObjectSet, ObjectSet>,
) -> ObjectSet {
    let node = tables.node(pairs);
    if node.variable == LEAF {
        return pairs;
    }
    if let Some(&set) = known.get(&pairs) {
        return set;
    }
    let low = project(tables, node.low, known);
    let high = project(tables, node.high, known);
    let set = match node.variable % 2 {
        0 => tables.union(low, high),
        _ => tables.make(node.variable - 1, low, high),
    };
    known.insert(pairs, set);
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use bolide_testing::Dice;
    use std::collections::BTreeSet;

    /// A set of vectors of so many bits.
    fn some(dice: &mut Dice, width: usize) -> BTreeSet<u64> {
        let percent = dice.pick(&[25, 50]);
        (0..1 << width).filter(|_| dice.chance(percent)).collect()
    }

    fn built(diagrams: &Diagrams, objects: &BTreeSet<u64>, width: usize) -> ObjectSet {
        let mask = (1 << width) - 1;
        objects.iter().fold(ObjectSet::EMPTY, |set, &bits| {
            diagrams.union(set, diagrams.cube(Cube { mask, bits }))
        })
    }

    #[test]
    fn sets_are_what_brute_force_says() {
        let (diagrams, mut dice) = (Diagrams::default(), Dice::new(12345));
        for width in 1..6 {
            for _ in 0..60 {
                let (a, b) = (some(&mut dice, width), some(&mut dice, width));
                let (da, db) = (built(&diagrams, &a, width), built(&diagrams, &b, width));
                assert_eq!(da == db, a == b);
                assert_eq!(diagrams.is_subset(da, db), a.is_subset(&b));
                assert_eq!(diagrams.union(da, db), built(&diagrams, &(&a | &b), width));
                assert_eq!(diagrams.intersection(da, db), built(&diagrams, &(&a & &b), width));
                assert_eq!(diagrams.without(da, db), built(&diagrams, &(&a - &b), width));
                assert_eq!(diagrams.count(da, width), a.len() as u128);
                let listed: BTreeSet<u64> =
                    diagrams.objects(da, width, usize::MAX).into_iter().collect();
                assert_eq!(listed, a);
                assert!((0..1 << width).all(|o| diagrams.contains(da, o) == a.contains(&o)));
            }
        }
    }

    #[test]
    fn a_cover_is_exact_and_nothing_in_it_can_be_left_out() {
        let (diagrams, mut dice) = (Diagrams::default(), Dice::new(777));
        for width in 1..6 {
            for _ in 0..60 {
                let objects = some(&mut dice, width);
                let allowed = &objects | &(&some(&mut dice, width) & &some(&mut dice, width));
                let set = built(&diagrams, &objects, width);
                let larger = built(&diagrams, &allowed, width);
                let cubes = diagrams.cover(set, larger);
                let vectors = |cubes: &[Cube]| -> BTreeSet<u64> {
                    let all = 0..1u64 << width;
                    all.filter(|v| cubes.iter().any(|c| v & c.mask == c.bits)).collect()
                };
                let covered = vectors(&cubes);
                assert!(objects.is_subset(&covered) && covered.is_subset(&allowed));
                for (number, cube) in cubes.iter().enumerate() {
                    let mut fewer = cubes.clone();
                    fewer.remove(number);
                    assert!(!objects.is_subset(&vectors(&fewer)), "{cubes:?}");
                    for bit in (0..width).filter(|bit| cube.mask >> bit & 1 == 1) {
                        let one = 1 << bit;
                        let wider = Cube { mask: cube.mask & !one, bits: cube.bits & !one };
                        assert!(!vectors(&[wider]).is_subset(&allowed), "{cubes:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_relation_leads_to_the_second_components() {
        let (diagrams, mut dice) = (Diagrams::default(), Dice::new(99));
        let width = 3;
        for _ in 0..40 {
            let mut relation = ObjectSet::EMPTY;
            let mut pairs = Vec::new();
            for _ in 0..dice.roll(12) {
                let (before, after) = (dice.roll(8) as u64, dice.roll(8) as u64);
                let mut pair = diagrams.cube(Cube { mask: 7, bits: before });
                for bit in 0..width {
                    let literal = diagrams.literal_after(bit, after >> bit & 1 == 1);
                    pair = diagrams.intersection(pair, literal);
                }
                relation = diagrams.union(relation, pair);
                pairs.push((before, after));
            }
            let from = some(&mut dice, width);
            let led = diagrams.successors(built(&diagrams, &from, width), relation);
            let expected: BTreeSet<u64> =
                pairs.iter().filter(|(b, _)| from.contains(b)).map(|(_, a)| *a).collect();
            assert_eq!(led, built(&diagrams, &expected, width));
        }
    }

    #[test]
    fn predicates_that_are_added_later_have_both_values() {
        let diagrams = Diagrams::default();
        let set = diagrams.cube(Cube { mask: 0b11, bits: 0b01 });
        assert_eq!(diagrams.objects(set, 2, 10), [0b01]);
        assert_eq!(diagrams.objects(set, 3, 10), [0b001, 0b101]);
        assert_eq!(diagrams.count(set, 64), 1 << 62);
        assert_eq!(diagrams.support(set), 0b11);
        let last = diagrams.literal(63, true);
        assert_eq!(diagrams.cover(last, last), [Cube { mask: 1 << 63, bits: 1 << 63 }]);
    }
}
