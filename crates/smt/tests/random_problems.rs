//! Random problems of all theories. No judge is needed: a `sat` has been evaluated in its model, of an
//! `unsat` the proof is checked, and `unknown` fails the test.

use bolide_smt::script::Script;
use bolide_testing::generate::random_problem;

/// Problems of the first `count` seeds, or of as many as the environment says.
fn check(logic: &str, count: u64) {
    let wanted = std::env::var("BOLIDE_SEEDS").ok().and_then(|text| text.parse().ok());
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..wanted.unwrap_or(count) {
        let text = random_problem(seed, Some(logic)).text();
        let mut answers = String::new();
        Script::with_options(&[":check-proofs"]).run(&text, &mut answers);
        for answer in answers.lines() {
            let wrong = answer == "unknown" || answer.contains("was rejected");
            assert!(!wrong, "seed {seed}: {answer}\n{text}");
            sat += usize::from(answer == "sat");
            unsat += usize::from(answer == "unsat");
        }
    }
    assert!(sat > 10 && unsat > 10, "{sat} sat, {unsat} unsat");
}

#[test]
fn propositional() {
    check("prop", 300);
}

#[test]
fn equality() {
    check("QF_UF", 400);
}

#[test]
fn reals() {
    check("QF_LRA", 300);
}

#[test]
fn integers() {
    check("QF_LIA", 300);
}

#[test]
fn differences() {
    check("QF_IDL", 300);
}

#[test]
fn integers_with_functions() {
    check("QF_UFLIA", 300);
}

#[test]
fn integers_among_reals() {
    check("QF_LIRA", 200);
}

#[test]
fn arrays() {
    check("QF_ALIA", 200);
}

#[test]
fn arrays_without_arithmetic() {
    check("QF_AX", 200);
}

#[test]
fn bit_vectors() {
    check("QF_BV", 100);
}

#[test]
fn bit_vector_arrays() {
    check("QF_ABV", 100);
}

#[test]
fn integers_and_bits() {
    check("QF_BVLIA", 150);
}

#[test]
fn functions_of_integers_and_bits() {
    check("QF_UFBVLIA", 60);
}

#[test]
fn paths() {
    check("path", 300);
}

#[test]
fn paths_through_memory() {
    check("memory", 300);
}

#[test]
fn floats() {
    check("QF_FP", 150);
}

#[test]
fn floats_with_bits_and_functions() {
    check("QF_UFBVFP", 150);
}
