//! Development tasks that are not part of the product: `cargo xtask TASK`.
//!
//! A task is a module with its options and a function `run`, which says whether all is as it
//! should be, or why that could not be found out.

mod archive;
mod attack;
mod bench_cbmc;
mod bench_chc;
mod bench_reuse;
mod bench_sat;
mod bench_scale;
mod bench_shape;
mod bench_smt;
mod bench_turns;
mod browse;
mod check_rules;
mod csmith;
mod dist;
mod experiment;
mod fuzz_heap;
mod fuzz_libc;
mod fuzz_shape;
mod fuzz_smt;
mod kill_writers;
mod learn_choice;
mod mona;
mod papers;
mod slurm;
mod tidy;
mod torture;
mod wheel;

use clap::Parser;

#[derive(Parser)]
#[command(name = "cargo xtask")]
enum Task {
    /// Check the rules of the house (also a test)
    Tidy,
    /// Compare verdicts with executions of random programs with memory
    Attack(attack::Settings),
    /// Compare verdicts with gcc's binary on the GCC torture tests
    Torture(torture::Settings),
    /// Compare the interpreter with gcc on random programs
    Csmith(csmith::Settings),
    /// Compare the heap logic with MONA on random entailments
    FuzzHeap(fuzz_heap::Settings),
    /// Compare the models of the C library with the machine's own in random calls
    FuzzLibc(fuzz_libc::Settings),
    /// Compare verdicts with executions of random list programs
    FuzzShape(fuzz_shape::Settings),
    /// Compare the solver with z3 and cvc5 on random problems
    FuzzSmt(fuzz_smt::Settings),
    /// Verdicts beside CBMC's on a list of tasks: right, other, none, times
    BenchCbmc(bench_cbmc::Settings),
    /// The Horn solver beside z3: solved, unique, time ratio
    BenchChc(bench_chc::Settings),
    /// The clauses of C programs, given to z3
    CheckRules(check_rules::Settings),
    /// What a database of proofs saves after an edit (tests/reuse)
    BenchReuse(bench_reuse::Settings),
    /// The programs of Table 6.1 of the thesis on shape analysis
    BenchShape(bench_shape::Settings),
    /// How the cost of a verdict grows with the program
    BenchScale(bench_scale::Settings),
    /// Time the SAT core beside CaDiCaL
    BenchSat(bench_sat::Settings),
    /// Time the solver beside OpenSMT and SMTInterpol
    BenchSmt(bench_smt::Settings),
    /// The drivers of two papers' tables, searched as in the papers
    Papers(papers::Settings),
    /// Whether engines that take turns get their share of the time
    BenchTurns(bench_turns::Settings),
    /// Open reports in a headless browser, walk through them, time it
    Browse(browse::Settings),
    /// What a release consists of, in target/dist
    Dist(dist::Settings),
    /// The archive that the competition asks for, with its smoke test
    Archive(archive::Settings),
    /// Which engine should be first, from measurements
    LearnChoice(learn_choice::Settings),
    /// Many processes write one store of proofs, one is killed
    KillWriters(kill_writers::Settings),
    /// Build the module for Python and try it
    Wheel(wheel::Settings),
    /// Measurements over a Slurm cluster of which a node dies
    Slurm(slurm::Settings),
}

fn main() -> std::process::ExitCode {
    let outcome = match Task::parse() {
        Task::Tidy => Ok(tidy::run()),
        Task::Attack(settings) => attack::run(settings),
        Task::Torture(settings) => torture::run(settings),
        Task::Csmith(settings) => csmith::run(settings),
        Task::FuzzHeap(settings) => fuzz_heap::run(settings),
        Task::FuzzLibc(settings) => fuzz_libc::run(settings),
        Task::FuzzShape(settings) => fuzz_shape::run(settings),
        Task::FuzzSmt(settings) => fuzz_smt::run(settings),
        Task::BenchCbmc(settings) => bench_cbmc::run(settings),
        Task::BenchChc(settings) => bench_chc::run(settings),
        Task::CheckRules(settings) => check_rules::run(settings),
        Task::BenchReuse(settings) => bench_reuse::run(settings),
        Task::BenchShape(settings) => bench_shape::run(settings),
        Task::BenchScale(settings) => bench_scale::run(settings),
        Task::BenchSat(settings) => bench_sat::run(settings),
        Task::BenchSmt(settings) => bench_smt::run(settings),
        Task::BenchTurns(settings) => bench_turns::run(settings),
        Task::Papers(settings) => papers::run(settings),
        Task::Browse(settings) => browse::run(settings),
        Task::Dist(settings) => dist::run(settings),
        Task::Archive(settings) => archive::run(settings),
        Task::LearnChoice(settings) => learn_choice::run(settings),
        Task::KillWriters(settings) => kill_writers::run(settings),
        Task::Wheel(settings) => wheel::run(settings),
        Task::Slurm(settings) => slurm::run(settings),
    };
    match outcome {
        Ok(as_it_should_be) => std::process::ExitCode::from(u8::from(!as_it_should_be)),
        Err(why) => {
            eprintln!("error: {why}");
            std::process::ExitCode::from(2)
        }
    }
}
