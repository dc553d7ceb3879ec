//! Random problems: whatever is unsatisfiable must have interpolants that pass
//! the recheck, as a sequence and as a tree, in all labelling systems.

use super::*;
use bolide_base::{HashMap, Rational};
use bolide_proof::Proof;
use bolide_terms::{FunctionId, LinearForm, SortId};

/// A linear congruential generator: the problems are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % bound
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

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

pub fn problem(profile: Profile, random: &mut Random) -> Problem {
    let mut store = TermStore::new();
    let sort = match profile.sort {
        Numbers::Int => SortId::INT,
        Numbers::Real => SortId::REAL,
        Numbers::None => store.mk_uninterpreted_sort("U"),
    };
    let shared: Vec<TermId> = (0..2).map(|i| store.mk_const(&format!("s{i}"), sort)).collect();
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
        let mut maker = Maker {
            store: &mut store,
            random,
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
    store: &'a mut TermStore,
    random: &'a mut Random,
    profile: Profile,
    sort: SortId,
    variables: Vec<TermId>,
    truths: Vec<TermId>,
    functions: [FunctionId; 2],
    predicate: FunctionId,
}

impl Maker<'_> {
    fn clause(&mut self) -> TermId {
        let literals =
            if self.random.chance(self.profile.units) { 1 } else { 2 + self.random.below(2) };
        let literals: Vec<TermId> = (0..literals).map(|_| self.literal()).collect();
        self.store.mk_or(&literals)
    }

    fn literal(&mut self) -> TermId {
        let roll = self.random.below(100);
        let atom = if roll < self.profile.functions {
            if self.random.chance(20) {
                let argument = self.term(1);
                self.store.mk_app(self.predicate, &[argument])
            } else {
                let (left, right) = (self.term(2), self.term(2));
                self.store.mk_eq(left, right)
            }
        } else if roll < self.profile.functions + self.profile.linear {
            self.linear()
        } else {
            self.random.pick(&self.truths)
        };
        if self.random.chance(40) { self.store.mk_not(atom) } else { atom }
    }

    fn term(&mut self, depth: usize) -> TermId {
        if depth == 0 || self.random.chance(50) {
            return self.random.pick(&self.variables);
        }
        if self.random.chance(70) {
            let argument = self.term(depth - 1);
            self.store.mk_app(self.functions[0], &[argument])
        } else {
            let arguments = [self.term(depth - 1), self.term(depth - 1)];
            self.store.mk_app(self.functions[1], &arguments)
        }
    }

    fn linear(&mut self) -> TermId {
        let mut form = LinearForm::from_constant(self.random.below(7) as i64 - 3);
        for _ in 0..1 + self.random.below(3) {
            let leaf = if self.random.chance(self.profile.functions / 2) {
                self.term(1)
            } else {
                self.random.pick(&self.variables)
            };
            let range = 2 * self.profile.coefficient + 1;
            let coefficient = self.random.below(range as usize) as i64 - self.profile.coefficient;
            form.add_term(leaf, &Rational::from(coefficient));
        }
        if self.random.chance(30) {
            self.store.mk_zero(form, self.sort)
        } else {
            let strict = self.random.chance(30);
            self.store.mk_nonpositive(form, self.sort, strict)
        }
    }
}

/// A random tree of that many nodes; the last is the root.
fn random_tree(nodes: usize, random: &mut Random) -> Vec<usize> {
    (0..nodes)
        .map(
            |node| if node + 1 == nodes { node } else { node + 1 + random.below(nodes - 1 - node) },
        )
        .collect()
}

/// What came out of a run.
#[derive(Debug, Default)]
pub struct Tally {
    satisfiable: usize,
    unknown: usize,
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

pub fn run(profile: Profile, seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut random = Random::new(seed);
        let Problem { mut store, formulas } = problem(profile, &mut random);
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
        let parents = random_tree(formulas.len(), &mut random);
        for labelling in LABELLINGS {
            for simplify in [true, false] {
                let options = Options { labelling, simplify, ..Options::default() };
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
                            "{kind} of seed {seed} with {labelling:?}, simplify {simplify}, {profile:?}, \
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
fn check(profile: Profile, problems: u64) {
    let tally = run(profile, 0..problems);
    println!("{profile:?}: {tally:?}");
    assert!(tally.interpolated as u64 > problems, "too few are unsatisfiable: {tally:?}");
    assert_eq!(refused(&tally), 0, "{tally:?}");
}

const BASE: Profile = Profile {
    sort: Numbers::Int,
    functions: 0,
    linear: 80,
    coefficient: 1,
    partitions: 4,
    clauses: 4,
    units: 50,
};

#[test]
fn propositional_and_bounds() {
    check(BASE, 150);
}

#[test]
fn integers_with_coefficients() {
    check(Profile { coefficient: 3, ..BASE }, 150);
}

#[test]
fn reals() {
    check(Profile { sort: Numbers::Real, coefficient: 3, ..BASE }, 150);
}

#[test]
fn functions() {
    check(
        Profile { sort: Numbers::None, functions: 90, linear: 0, clauses: 5, units: 60, ..BASE },
        150,
    );
}

#[test]
fn functions_and_integers() {
    check(Profile { functions: 40, linear: 50, clauses: 4, units: 60, ..BASE }, 150);
}

#[test]
fn functions_and_reals() {
    check(
        Profile {
            sort: Numbers::Real,
            functions: 40,
            linear: 50,
            coefficient: 2,
            units: 60,
            ..BASE
        },
        150,
    );
}
