//! Random problems: whatever is unsatisfiable must have interpolants that pass
//! the recheck, as a sequence and as a tree, in all labelling systems.

use super::*;
use crate::interpolate::tree::PartitionTree;
use bolide_base::{HashMap, Rational};
use bolide_proof::{Proof, Rule};
use bolide_terms::{FunctionId, LinearForm, SortId};
use bolide_testing::Dice;

/// What a random problem is made of.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    pub sort: Numbers,
    /// Percentage of atoms that are equalities of terms with functions.
    pub functions: usize,
    /// Percentage of atoms that are linear constraints.
    pub linear: usize,
    /// Largest absolute coefficient.
    pub coefficient: i64,
    pub partitions: usize,
    /// Clauses in each partition.
    pub clauses: usize,
    /// Percentage of clauses with a single literal.
    pub units: usize,
    /// Percentage of literals that are about arrays (of integers).
    pub arrays: usize,
    /// Percentage of linear constraints that are equalities.
    pub equalities: usize,
    /// Linear constraints are differences of two variables.
    pub differences: bool,
    /// How many variables all partitions know.
    pub shared: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    Int,
    Real,
    /// An uninterpreted sort; nothing linear.
    None,
}

/// A problem with the formulas of its partitions.
pub struct Problem {
    pub store: TermStore,
    pub formulas: Vec<TermId>,
}

pub fn problem(profile: Profile, dice: &mut Dice) -> Problem {
    let mut store = TermStore::new();
    let sort = match profile.sort {
        Numbers::Int => SortId::INT,
        Numbers::Real => SortId::REAL,
        Numbers::None => store.mk_uninterpreted_sort("U"),
    };
    let shared: Vec<TermId> =
        (0..profile.shared).map(|i| store.mk_const(&format!("s{i}"), sort)).collect();
    let truths: Vec<TermId> =
        (0..2).map(|i| store.mk_const(&format!("b{i}"), SortId::BOOL)).collect();
    let functions =
        [store.declare_fn("f", &[sort], sort), store.declare_fn("g", &[sort, sort], sort)];
    let predicate = store.declare_fn("p", &[sort], SortId::BOOL);
    let mut formulas = Vec::new();
    for partition in 0..profile.partitions {
        // A variable of its own, one in common with the next, and the shared ones.
        let mut variables = shared.clone();
        variables.push(store.mk_const(&format!("l{partition}"), sort));
        variables.push(store.mk_const(&format!("n{partition}"), sort));
        if partition > 0 {
            variables.push(store.mk_const(&format!("n{}", partition - 1), sort));
        }
        // Its own array and that of the partition before.
        let array = store.mk_array_sort(SortId::INT, SortId::INT);
        let mut arrays = vec![store.mk_const(&format!("m{partition}"), array)];
        if partition > 0 {
            arrays.push(store.mk_const(&format!("m{}", partition - 1), array));
        }
        let mut maker = Maker {
            arrays,
            store: &mut store,
            dice,
            profile,
            sort,
            variables,
            truths: truths.clone(),
            functions,
            predicate,
        };
        let clauses: Vec<TermId> = (0..profile.clauses).map(|_| maker.clause()).collect();
        formulas.push(store.mk_and(&clauses));
    }
    Problem { store, formulas }
}

struct Maker<'a> {
    arrays: Vec<TermId>,
    store: &'a mut TermStore,
    dice: &'a mut Dice,
    profile: Profile,
    sort: SortId,
    variables: Vec<TermId>,
    truths: Vec<TermId>,
    functions: [FunctionId; 2],
    predicate: FunctionId,
}

impl Maker<'_> {
    fn clause(&mut self) -> TermId {
        let literals = if self.dice.chance(self.profile.units) { 1 } else { 2 + self.dice.roll(2) };
        let literals: Vec<TermId> = (0..literals).map(|_| self.literal()).collect();
        self.store.mk_or(&literals)
    }

    fn literal(&mut self) -> TermId {
        let roll = self.dice.roll(100);
        let atom = if self.dice.chance(self.profile.arrays) {
            if self.dice.chance(40) {
                let (index, value) = (self.term(1), self.term(1));
                let (from, to) = (self.dice.pick(&self.arrays), self.dice.pick(&self.arrays));
                let written = self.store.mk_store(from, index, value);
                let equal = self.store.mk_eq(to, written);
                if equal != TermId::FALSE {
                    return equal;
                }
            }
            let (array, index) = (self.dice.pick(&self.arrays), self.term(1));
            let read = self.store.mk_select(array, index);
            let value = self.term(0);
            self.store.mk_eq(read, value)
        } else if roll < self.profile.functions {
            if self.dice.chance(20) {
                let argument = self.term(1);
                self.store.mk_app(self.predicate, &[argument])
            } else {
                let (left, right) = (self.term(2), self.term(2));
                self.store.mk_eq(left, right)
            }
        } else if roll < self.profile.functions + self.profile.linear {
            self.linear()
        } else {
            self.dice.pick(&self.truths)
        };
        if self.dice.chance(40) { self.store.mk_not(atom) } else { atom }
    }

    fn term(&mut self, depth: usize) -> TermId {
        if depth == 0 || self.dice.chance(50) {
            return self.dice.pick(&self.variables);
        }
        if self.dice.chance(70) {
            let argument = self.term(depth - 1);
            self.store.mk_app(self.functions[0], &[argument])
        } else {
            let arguments = [self.term(depth - 1), self.term(depth - 1)];
            self.store.mk_app(self.functions[1], &arguments)
        }
    }

    fn linear(&mut self) -> TermId {
        if self.profile.differences {
            let mut form = LinearForm::from_constant(self.dice.roll(3) as i64 - 1);
            let (x, y) = (self.dice.pick(&self.variables), self.dice.pick(&self.variables));
            form.add_term(x, &Rational::ONE);
            form.add_term(y, &Rational::MINUS_ONE);
            return self.store.mk_nonpositive(form, self.sort, false);
        }
        let mut form = LinearForm::from_constant(self.dice.roll(7) as i64 - 3);
        for _ in 0..1 + self.dice.roll(3) {
            let leaf = if self.dice.chance(self.profile.functions / 2) {
                self.term(1)
            } else {
                self.dice.pick(&self.variables)
            };
            let range = 2 * self.profile.coefficient + 1;
            let coefficient = self.dice.roll(range as usize) as i64 - self.profile.coefficient;
            form.add_term(leaf, &Rational::from(coefficient));
        }
        if self.dice.chance(self.profile.equalities) {
            self.store.mk_zero(form, self.sort)
        } else {
            let strict = self.dice.chance(30);
            self.store.mk_nonpositive(form, self.sort, strict)
        }
    }
}

/// A random tree of that many nodes; the last is the root.
pub fn random_tree(nodes: usize, dice: &mut Dice) -> Vec<usize> {
    (0..nodes)
        .map(|node| if node + 1 == nodes { node } else { node + 1 + dice.roll(nodes - 1 - node) })
        .collect()
}

/// What came out of a run.
#[derive(Debug, Default)]
pub struct Tally {
    satisfiable: usize,
    unknown: usize,
    /// Resolutions on literals that are mixed at some cut of the sequence.
    mixed: usize,
    interpolated: usize,
    refused: HashMap<String, usize>,
}

fn refutation(store: &mut TermStore, formulas: &[TermId]) -> Option<Option<Proof>> {
    use crate::solver::{Answer, Config, Solver};
    let mut solver = Solver::new(Config { proofs: true });
    for (partition, &formula) in formulas.iter().enumerate() {
        solver.assert(store, formula, partition as u32);
    }
    match solver.check(store, &[], &Budget::unlimited()) {
        Answer::Sat => Some(None),
        Answer::Unsat => Some(Some(solver.proof(store).expect("proofs are on"))),
        Answer::Unknown(_) => None,
    }
}

fn mixed_pivots(store: &TermStore, proof: &Proof, partitions: usize) -> usize {
    let tree = PartitionTree::sequence(partitions);
    let mut assertions = Vec::new();
    let mut pivots = Vec::new();
    for step in &proof.steps {
        match &step.rule {
            Rule::Assertion { formula, partition } => {
                assertions.push((*formula, *partition as usize))
            }
            Rule::Resolution { chain, .. } => {
                pivots.extend(chain.iter().map(|(pivot, _)| pivot.atom))
            }
            _ => {}
        }
    }
    let mut colours = Colours::new(store, &tree, Labelling::Pudlak, &assertions);
    let mut is_mixed =
        |atom: &TermId| colours.labels(store, *atom).iter().any(|run| run.1 == Label::Mixed);
    pivots.iter().filter(|atom| is_mixed(atom)).count()
}

/// Interpolates the unsatisfiable ones among the generated problems and
/// rechecks everything.
pub fn run(seeds: std::ops::Range<u64>, generate: impl Fn(&mut Dice) -> Problem) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut dice = Dice::new(seed);
        let Problem { mut store, formulas } = generate(&mut dice);
        let store = &mut store;
        let proof = match refutation(store, &formulas) {
            None => {
                tally.unknown += 1;
                continue;
            }
            Some(None) => {
                tally.satisfiable += 1;
                continue;
            }
            Some(Some(proof)) => proof,
        };
        tally.mixed += mixed_pivots(store, &proof, formulas.len());
        let parents = random_tree(formulas.len(), &mut dice);
        for labelling in LABELLINGS {
            for (simplify, decompose) in [(true, false), (false, false), (true, true)] {
                let options = Options { labelling, simplify, decompose, ..Options::default() };
                let budget = Budget::unlimited();
                let outcomes = [
                    interpolate_sequence(store, &proof, formulas.len(), &options)
                        .map(|result| recheck_sequence(store, &formulas, &result, &budget)),
                    interpolate_tree(store, &proof, &parents, &options)
                        .map(|result| recheck_tree(store, &formulas, &parents, &result, &budget)),
                ];
                for (kind, outcome) in ["sequence", "tree"].iter().zip(outcomes) {
                    match outcome {
                        Ok(Ok(())) => tally.interpolated += 1,
                        Ok(Err(flaw)) => panic!(
                            "{kind} of seed {seed} with {labelling:?}, simplify {simplify}, decompose {decompose}, \
                             parents {parents:?}: {flaw}\n{}",
                            formulas
                                .iter()
                                .map(|&f| store.smtlib(f))
                                .collect::<Vec<_>>()
                                .join("\n")
                        ),
                        Err(why) => *tally.refused.entry(why.reason).or_default() += 1,
                    }
                }
            }
        }
    }
    tally
}

fn refused(tally: &Tally) -> usize {
    tally.refused.values().sum()
}

/// Runs the profile and demands that nothing is refused.
fn check(profile: Profile, problems: u64) -> Tally {
    let tally = run(0..problems, |dice| problem(profile, dice));
    println!("{profile:?}: {tally:?}");
    assert!(tally.interpolated as u64 > problems, "too few are unsatisfiable: {tally:?}");
    assert_eq!(refused(&tally), 0, "{tally:?}");
    tally
}

const BASE: Profile = Profile {
    sort: Numbers::Int,
    functions: 0,
    linear: 80,
    coefficient: 1,
    partitions: 4,
    clauses: 4,
    units: 50,
    arrays: 0,
    equalities: 30,
    differences: false,
    shared: 2,
};

#[test]
fn propositional_and_bounds() {
    check(BASE, 100);
}

#[test]
fn integers_with_coefficients() {
    check(Profile { coefficient: 3, ..BASE }, 100);
}

#[test]
fn reals() {
    check(Profile { sort: Numbers::Real, coefficient: 3, ..BASE }, 100);
}

#[test]
fn functions() {
    check(
        Profile { sort: Numbers::None, functions: 90, linear: 0, clauses: 5, units: 60, ..BASE },
        100,
    );
}

#[test]
fn functions_and_integers() {
    check(Profile { functions: 40, linear: 50, coefficient: 2, units: 60, ..BASE }, 100);
}

#[test]
fn functions_and_reals() {
    let sort = Numbers::Real;
    check(Profile { sort, functions: 40, linear: 50, coefficient: 2, units: 60, ..BASE }, 100);
}

/// A proof with array axioms over both sides has no interpolant (`arrays` has the other ways);
/// what comes out is right nevertheless.
#[test]
fn arrays() {
    let profile = Profile {
        functions: 0,
        linear: 40,
        arrays: 50,
        clauses: 5,
        units: 80,
        differences: true,
        ..BASE
    };
    let tally = run(0..100, |dice| problem(profile, dice));
    assert!(tally.interpolated > 200, "{tally:?}");
}

/// Projection needs no proof; where it succeeds it has been rechecked.
#[test]
fn projections() {
    use crate::newton::{Direction, project_sequence};
    let mut projected = 0;
    for seed in 0..60 {
        let profile = Profile { coefficient: 2, clauses: 3, units: 80, ..BASE };
        let Problem { mut store, formulas } = problem(profile, &mut Dice::new(seed));
        for direction in [Direction::Backward, Direction::Forward] {
            let budget = Budget::unlimited();
            let verdict = project_sequence(&mut store, &formulas, direction, &budget);
            projected += usize::from(matches!(verdict, Ok(Some(_))));
        }
    }
    assert!(projected > 40, "only {projected} of 120");
}

/// Distributes constraints over partitions: those of the first half somewhere
/// before the middle, those of the second half after it.
fn distribute(store: &mut TermStore, dice: &mut Dice, halves: [Vec<TermId>; 2]) -> Vec<TermId> {
    let width = 1 + dice.roll(3);
    let mut partitions: Vec<Vec<TermId>> = vec![Vec::new(); 2 * width];
    for (half, constraints) in halves.into_iter().enumerate() {
        for constraint in constraints {
            partitions[half * width + dice.roll(width)].push(constraint);
        }
    }
    partitions.iter().map(|constraints| store.mk_and(constraints)).collect()
}

/// The first half says something about `a`, the second denies it of `b`, and
/// bounds by shared variables force `a = b`, which neither half can say.
fn mirror(dice: &mut Dice, sort: SortId) -> Problem {
    let mut store = TermStore::new();
    let f = store.declare_fn("f", &[sort], sort);
    let g = store.declare_fn("g", &[sort, sort], sort);
    let q = store.mk_const("q", sort);
    let count = 1 + dice.roll(2);
    let mut halves = [Vec::new(), Vec::new()];
    let (mut own, mut image) = (Vec::new(), Vec::new());
    for i in 0..count {
        let [a, b, s, t] =
            ["a", "b", "s", "t"].map(|name| store.mk_const(&format!("{name}{i}"), sort));
        let c = if sort == SortId::INT { 1 + dice.roll(3) as i64 } else { 1 };
        let room = dice.roll(c as usize) as i64;
        let bound = |store: &mut TermStore, low: (TermId, i64), high: (TermId, i64), room: i64| {
            let mut form = LinearForm::from_constant(-room);
            form.add_term(low.0, &Rational::from(low.1));
            form.add_term(high.0, &Rational::from(-high.1));
            store.mk_nonpositive(form, sort, false)
        };
        halves[0].push(bound(&mut store, (t, 1), (a, c), 0));
        halves[0].push(bound(&mut store, (a, c), (s, 1), 0));
        halves[1].push(bound(&mut store, (s, 1), (b, c), 0));
        halves[1].push(bound(&mut store, (b, c), (t, 1), room));
        own.push(a);
        image.push(b);
    }
    // The same random claim over a and over b.
    let mut claims = [Vec::new(), Vec::new()];
    for _ in 0..1 + dice.roll(2) {
        let (i, j, shape) = (dice.roll(count), dice.roll(count), dice.roll(5));
        for (variables, claims) in [&own, &image].into_iter().zip(&mut claims) {
            let (x, y) = (variables[i], variables[j]);
            let left = match shape {
                0 => store.mk_app(f, &[x]),
                1 => store.mk_app(g, &[x, y]),
                2 => {
                    let inner = store.mk_app(f, &[x]);
                    store.mk_app(g, &[inner, y])
                }
                3 => {
                    let inner = store.mk_app(g, &[y, q]);
                    store.mk_app(f, &[inner])
                }
                _ => {
                    let inner = store.mk_app(f, &[x]);
                    store.mk_add(&[inner, y])
                }
            };
            claims.push(if shape == 4 { store.mk_le(left, q) } else { store.mk_eq(left, q) });
        }
    }
    let disjunction = dice.chance(50);
    let [said, denied] =
        claims.map(|claims| if disjunction { store.mk_or(&claims) } else { store.mk_and(&claims) });
    halves[0].push(said);
    halves[1].push(store.mk_not(denied));
    let formulas = distribute(&mut store, dice, halves);
    Problem { store, formulas }
}

/// A sum of shared variables lies in different residue classes for the two
/// halves.
fn residues(dice: &mut Dice) -> Problem {
    let mut store = TermStore::new();
    let mut halves = [Vec::new(), Vec::new()];
    let mut sum = LinearForm::zero();
    for i in 0..1 + dice.roll(2) {
        let x = store.mk_const(&format!("x{i}"), SortId::INT);
        sum.add_term(x, &Rational::from(1 + dice.roll(3) as i64));
    }
    let modulus = 2 + dice.roll(4) as i64;
    // Two disjoint intervals of residues.
    let split = 1 + dice.roll(modulus as usize - 1) as i64;
    for (half, (low, high)) in [(0, split - 1), (split, modulus - 1)].into_iter().enumerate() {
        let y = store.mk_const(["y", "z"][half], SortId::INT);
        let mut form = sum.clone();
        form.add_term(y, &Rational::from(-modulus));
        let mut upper = form.clone();
        upper.constant = Rational::from(-high);
        form.scale(&Rational::MINUS_ONE);
        form.constant = Rational::from(low);
        halves[half].push(store.mk_nonpositive(form, SortId::INT, false));
        halves[half].push(store.mk_nonpositive(upper, SortId::INT, false));
    }
    let formulas = distribute(&mut store, dice, halves);
    Problem { store, formulas }
}

/// Runs a generator of problems that need mixed literals.
fn check_mixed(problems: u64, generate: impl Fn(&mut Dice) -> Problem) {
    let tally = run(0..problems, generate);
    println!("{tally:?}");
    assert!(tally.mixed as u64 > problems / 2, "too few mixed literals: {tally:?}");
    assert_eq!(tally.satisfiable + tally.unknown + refused(&tally), 0, "{tally:?}");
}

#[test]
fn mixed_interface_equalities_of_integers() {
    check_mixed(100, |dice| mirror(dice, SortId::INT));
}

#[test]
fn mixed_interface_equalities_of_reals() {
    check_mixed(100, |dice| mirror(dice, SortId::REAL));
}

#[test]
fn mixed_cuts() {
    check_mixed(50, residues);
}
