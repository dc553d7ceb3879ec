//! Interpolants of path formulas: how long a problem takes from formulas to all
//! interpolants of the sequence, in this process.
//!
//! `cargo bench -p bolide-smt --bench interpolation` prints a line for each size of
//! problem (see [`paths`]). `cargo xtask bench-smt` measures the same problems as
//! processes, beside other solvers.

mod paths;

use bolide_base::Budget;
use bolide_smt::interpolate::{self, Options};
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::TermStore;
use std::time::{Duration, Instant};

fn main() {
    println!("length variables problems  solve[ms] interpolate[ms]  total[ms]  size  steps");
    for (length, variables) in paths::SIZES {
        let problems = 10;
        let (mut solving, mut interpolating) = (Duration::ZERO, Duration::ZERO);
        let (mut size, mut steps) = (0, 0);
        for number in 0..problems {
            let mut store = TermStore::new();
            let formulas = paths::problem(length, variables, number, &mut store);
            let start = Instant::now();
            let mut solver = Solver::new(Config { proofs: true });
            for (partition, &formula) in formulas.iter().enumerate() {
                solver.assert(&mut store, formula, partition as u32);
            }
            let answer = solver.check(&mut store, &[], &Budget::unlimited());
            assert_eq!(answer, Answer::Unsat, "{length} {variables} {number}");
            let proof = solver.proof(&store).expect("proofs are on");
            let solved = Instant::now();
            let options = Options::default();
            let interpolants =
                interpolate::interpolate_sequence(&mut store, &proof, formulas.len(), &options)
                    .expect("linear arithmetic has interpolants");
            let done = Instant::now();
            solving += solved - start;
            interpolating += done - solved;
            size += interpolants.iter().map(|&i| store.dag_size(i)).sum::<usize>();
            steps += proof.steps.len();
            if number == 0 {
                interpolate::recheck_sequence(
                    &mut store,
                    &formulas,
                    &interpolants,
                    &Budget::unlimited(),
                )
                .expect("the interpolants pass the recheck");
            }
        }
        let mean = |time: Duration| time.as_secs_f64() * 1000.0 / problems as f64;
        println!(
            "{length:6} {variables:9} {problems:8} {:10.3} {:15.3} {:10.3} {:5} {:6}",
            mean(solving),
            mean(interpolating),
            mean(solving + interpolating),
            size / problems,
            steps / problems,
        );
    }
}
