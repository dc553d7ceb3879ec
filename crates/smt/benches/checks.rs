//! Incremental checks: how long one takes, in the ways that engines use a solver.
//!
//! A problem has fifty atoms over ten integer variables (differences and sums with small
//! numbers) in clauses of two or three literals. `cargo bench -p bolide-smt --bench checks` prints median and
//! mean for:
//! - *assumptions*: the clauses are asserted once, each check has five other literals as
//!   assumptions;
//! - *scopes*: each check pushes, asserts ten clauses over the atoms, checks and pops;
//! - *entailment*: each question is whether a conjunction of eight literals
//!   implies a disjunction of two, most of them new;
//! - *fresh*: a new solver for each problem.

use bolide_base::Budget;
use bolide_smt::entailment::Entailment;
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::{SortId, TermId, TermStore};
use bolide_testing::Dice;
use std::time::{Duration, Instant};

fn atoms(store: &mut TermStore, dice: &mut Dice) -> Vec<TermId> {
    let variables: Vec<TermId> =
        (0..10).map(|i| store.mk_const(&format!("x{i}"), SortId::INT)).collect();
    let mut result = Vec::new();
    while result.len() < 50 {
        let (a, b) = (variables[dice.roll(10)], variables[dice.roll(10)]);
        let k = store.mk_int(dice.roll(21) as i64 - 10);
        let left = match dice.roll(3) {
            0 => a,
            1 => store.mk_sub(a, b),
            _ => store.mk_add(&[a, b]),
        };
        let atom = if dice.roll(4) == 0 { store.mk_eq(left, k) } else { store.mk_le(left, k) };
        if !matches!(atom, TermId::TRUE | TermId::FALSE) && !result.contains(&atom) {
            result.push(atom);
        }
    }
    result
}

fn literal(store: &mut TermStore, dice: &mut Dice, atoms: &[TermId]) -> TermId {
    let atom = atoms[dice.roll(atoms.len())];
    if dice.roll(2) == 0 { atom } else { store.mk_not(atom) }
}

fn clause(store: &mut TermStore, dice: &mut Dice, atoms: &[TermId]) -> TermId {
    let literals: Vec<TermId> =
        (0..2 + dice.roll(2)).map(|_| literal(store, dice, atoms)).collect();
    store.mk_or(&literals)
}

fn report(name: &str, mut times: Vec<Duration>, sat: usize) {
    times.sort();
    let mean = times.iter().sum::<Duration>() / times.len() as u32;
    println!(
        "{name:<24} median {:>8.1} us   mean {:>8.1} us   90% {:>8.1} us   {} checks, {sat} sat",
        times[times.len() / 2].as_secs_f64() * 1e6,
        mean.as_secs_f64() * 1e6,
        times[times.len() * 9 / 10].as_secs_f64() * 1e6,
        times.len(),
    );
}

fn assumptions(proofs: bool) -> (Vec<Duration>, usize) {
    let (mut times, mut sat) = (Vec::new(), 0);
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let mut store = TermStore::new();
        let atoms = atoms(&mut store, &mut dice);
        let mut solver = Solver::new(Config { proofs });
        for _ in 0..40 {
            let clause = clause(&mut store, &mut dice, &atoms);
            solver.assert(&mut store, clause, 0);
        }
        for _ in 0..100 {
            let assumptions: Vec<TermId> =
                (0..5).map(|_| literal(&mut store, &mut dice, &atoms)).collect();
            let start = Instant::now();
            let answer = solver.check(&mut store, &assumptions, &Budget::unlimited());
            times.push(start.elapsed());
            sat += usize::from(answer == Answer::Sat);
        }
    }
    (times, sat)
}

fn scopes(proofs: bool) -> (Vec<Duration>, usize) {
    let (mut times, mut sat) = (Vec::new(), 0);
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let mut store = TermStore::new();
        let atoms = atoms(&mut store, &mut dice);
        let mut solver = Solver::new(Config { proofs });
        for _ in 0..20 {
            let clause = clause(&mut store, &mut dice, &atoms);
            solver.assert(&mut store, clause, 0);
        }
        for _ in 0..100 {
            let clauses: Vec<TermId> =
                (0..20).map(|_| clause(&mut store, &mut dice, &atoms)).collect();
            let start = Instant::now();
            solver.push(&mut store);
            for clause in clauses {
                solver.assert(&mut store, clause, 0);
            }
            let answer = solver.check(&mut store, &[], &Budget::unlimited());
            solver.pop(&mut store, 1);
            times.push(start.elapsed());
            sat += usize::from(answer == Answer::Sat);
        }
    }
    (times, sat)
}

fn entailment() -> (Vec<Duration>, usize) {
    let (mut times, mut holds) = (Vec::new(), 0);
    for seed in 0..20 {
        let mut dice = Dice::new(seed);
        let mut store = TermStore::new();
        let atoms = atoms(&mut store, &mut dice);
        let mut entailment = Entailment::new();
        for _ in 0..100 {
            let literals: Vec<TermId> =
                (0..8).map(|_| literal(&mut store, &mut dice, &atoms)).collect();
            let premise = store.mk_and(&literals);
            let conclusion = clause(&mut store, &mut dice, &atoms);
            let start = Instant::now();
            let verdict = entailment.entails(&mut store, premise, conclusion, &Budget::unlimited());
            times.push(start.elapsed());
            holds += usize::from(verdict == Ok(true));
        }
    }
    (times, holds)
}

fn fresh() -> (Vec<Duration>, usize) {
    let (mut times, mut sat) = (Vec::new(), 0);
    for seed in 0..500 {
        let mut dice = Dice::new(seed);
        let mut store = TermStore::new();
        let atoms = atoms(&mut store, &mut dice);
        let clauses: Vec<TermId> = (0..60).map(|_| clause(&mut store, &mut dice, &atoms)).collect();
        let start = Instant::now();
        let mut solver = Solver::new(Config::default());
        for clause in clauses {
            solver.assert(&mut store, clause, 0);
        }
        let answer = solver.check(&mut store, &[], &Budget::unlimited());
        times.push(start.elapsed());
        sat += usize::from(answer == Answer::Sat);
    }
    (times, sat)
}

fn main() {
    // A name on the command line selects: for profiling.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let run = |name: &str, measure: &dyn Fn() -> (Vec<Duration>, usize)| {
        if wanted.is_empty() || wanted.iter().any(|w| w == name) {
            let (times, sat) = measure();
            report(name, times, sat);
        }
    };
    run("assumptions", &|| assumptions(false));
    run("assumptions with proofs", &|| assumptions(true));
    run("scopes", &|| scopes(false));
    run("scopes with proofs", &|| scopes(true));
    run("entailment", &entailment);
    run("fresh", &fresh);
}
