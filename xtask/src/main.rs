//! Development tasks that are not part of the product: `cargo xtask TASK`.

mod attack;
mod bench_chc;
mod bench_reuse;
mod bench_shape;
mod bench_smt;
mod browse;
mod check_rules;
mod csmith;
mod fuzz_heap;
mod fuzz_libc;
mod fuzz_shape;
mod fuzz_smt;
mod kill_writers;
mod mona;
mod tidy;
mod torture;

const HELP: &str = "\
Usage: cargo xtask TASK [OPTIONS]

  tidy                     check the rules of the house (also a test)
  attack [N] [--seed S] [--engines E,..] [--properties P,..]
                           compare verdicts with executions of N random programs with memory
  torture FOLDER           compare verdicts with gcc's binary on the GCC torture tests
  csmith [N] [--seed S]    compare the interpreter with gcc on N random programs
  fuzz-heap [N] [--seed S] compare the heap logic with MONA on N random entailments
  fuzz-libc [N] [--seed S] compare the models of the C library with the machine's own in N calls
  fuzz-shape [N] [--seed S] [--engine E]
                           compare verdicts with executions of N random list programs
  bench-chc LIST FOLDER    the Horn solver beside z3: solved, unique, time ratio
  check-rules PATH...      the clauses of C programs, given to z3
  bench-reuse [--check]    what a database of proofs saves after an edit (tests/reuse)
  kill-writers [--seconds N]
                           two processes write one database of proofs, one is killed
  fuzz-smt [N] [--seed S]  compare the solver with z3 and cvc5 on N random problems
  bench-shape              the programs of Table 6.1 of the thesis on shape analysis
  bench-smt [FOLDER...]    time the solver beside OpenSMT and SMTInterpol
  browse [PAGE.html...]    open reports in a headless browser, walk through them, time it
";

fn main() -> std::process::ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let code = match arguments.split_first() {
        Some((task, rest)) => match task.as_str() {
            "tidy" => tidy::run(),
            "attack" => attack::run(rest),
            "csmith" => csmith::run(rest),
            "fuzz-heap" => fuzz_heap::run(rest),
            "fuzz-libc" => fuzz_libc::run(rest),
            "fuzz-shape" => fuzz_shape::run(rest),
            "fuzz-smt" => fuzz_smt::run(rest),
            "bench-chc" => bench_chc::run(rest),
            "check-rules" => check_rules::run(rest),
            "bench-reuse" => bench_reuse::run(rest),
            "bench-shape" => bench_shape::run(rest),
            "bench-smt" => bench_smt::run(rest),
            "browse" => browse::run(rest),
            "torture" => torture::run(rest),
            "kill-writers" => kill_writers::run(rest),
            _ => usage(),
        },
        None => usage(),
    };
    std::process::ExitCode::from(u8::try_from(code).unwrap_or(1))
}

fn usage() -> i32 {
    eprint!("{HELP}");
    2
}
