//! The problems: what bit-blasting makes, what programs ask, and two classic families.

use crate::experiment::{bolide, files_below, output, write};
use bolide_base::Budget;
use bolide_sat::{Dimacs, Lit, Var};
use bolide_smt::script::{Host, Script};
use bolide_testing::Dice;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A problem by name, and its answer if that is known.
pub struct Instance {
    pub name: String,
    pub file: PathBuf,
    pub is_sat: Option<bool>,
}

/// Makes all problems in a folder.
pub fn all(folder: &Path, binary: &Option<PathBuf>) -> Result<Vec<Instance>, String> {
    let mut instances = Vec::new();
    for (name, script, is_sat) in scripts() {
        instances.push(instance(folder, &name, &blasted(&script), is_sat)?);
    }
    for (name, problem, is_sat) in classics() {
        instances.push(instance(folder, &name, &problem, is_sat)?);
    }
    let binary = bolide(binary)?;
    for (name, program) in programs() {
        instances.extend(asked(folder, &binary, name, &program)?);
    }
    Ok(instances)
}

fn instance(
    folder: &Path,
    name: &str,
    problem: &Dimacs,
    is_sat: Option<bool>,
) -> Result<Instance, String> {
    let file = folder.join(format!("{name}.cnf"));
    write(&file, &problem.to_string())?;
    Ok(Instance { name: name.to_owned(), file, is_sat })
}

// ---- SMT-LIB ----

/// Ends each check as soon as the clauses are there.
struct Hasty;

impl Host for Hasty {
    fn answer(&mut self, _text: &str) {}

    fn begin_check(&mut self, _timeout: Option<u64>) -> Budget {
        Budget::unlimited().child_for("clauses", 1)
    }
}

fn blasted(script: &str) -> Dimacs {
    let mut interpreter = Script::with_options(&[]);
    interpreter.run(script, &mut Hasty);
    interpreter.dimacs()
}

fn scripts() -> Vec<(String, String, Option<bool>)> {
    let mut all = Vec::new();
    // Products of two primes, and primes: the factors have half the bits.
    let numbers: [(u32, u64, bool); 8] = [
        (12, 2503 * 3407, true),
        (14, 10_007 * 13_613, true),
        (16, 39_979 * 54_401, true),
        (18, 159_911 * 217_579, true),
        (10, 419_443, false),
        (11, 1_677_721, false),
        (12, 6_710_887, false),
        (13, 26_843_549, false),
    ];
    for (bits, number, is_sat) in numbers {
        let name = format!("factor-{bits}-{number}");
        all.push((name, factoring(bits, number), Some(is_sat)));
    }
    for bits in [6, 7, 8] {
        let text = over(bits, "(not (= (bvmul x y) (bvmul y x)))");
        // The rewriter sorts products, so one of them is a sum of shifted copies.
        let text = text.replace("(bvmul y x)", &shifted_sum(bits));
        all.push((format!("commute-{bits}"), text, Some(false)));
    }
    for bits in [6, 7] {
        let text = over(bits, "(not (= (bvmul x (bvadd y z)) (bvadd (bvmul x y) (bvmul x z))))");
        all.push((format!("distribute-{bits}"), text, Some(false)));
    }
    for (bits, rounds) in [(12, 3), (14, 3), (16, 2), (16, 3), (18, 2)] {
        all.push((format!("wrap-{bits}-{rounds}"), wrapping(bits, rounds), Some(true)));
    }
    for (exponent, significand) in [(3, 5), (4, 6), (5, 7)] {
        let (name, text) = float_order(exponent, significand);
        all.push((name, text, Some(false)));
        let (name, text) = float_association(exponent, significand);
        all.push((name, text, Some(true)));
    }
    for bits in [8, 9, 10, 11] {
        let text = over(
            bits,
            "(not (= y (_ bv0 W)))
             (not (= x (bvadd (bvmul (bvudiv x y) y) (bvurem x y))))",
        );
        all.push((format!("divide-{bits}"), text, Some(false)));
    }
    all
}

/// Constants of so many bits, and what holds of them; `W` is the number of bits.
fn over(bits: u32, claims: &str) -> String {
    let mut text = String::from("(set-logic QF_BV)\n");
    for name in ["x", "y", "z"] {
        text += &format!("(declare-const {name} (_ BitVec {bits}))\n");
    }
    let claims = claims.replace(" W)", &format!(" {bits})"));
    text + &format!("(assert (and {claims}))\n(check-sat)\n")
}

fn factoring(bits: u32, number: u64) -> String {
    let claims = format!(
        "(= (bvmul ((_ zero_extend {bits}) x) ((_ zero_extend {bits}) y)) (_ bv{number} {}))
         (bvult (_ bv1 W) x) (bvule x y)",
        2 * bits
    );
    over(bits, &claims)
}

/// `y * x`, as the sum of what the bits of `x` choose.
fn shifted_sum(bits: u32) -> String {
    let part = |i: u32| {
        format!("(ite (= ((_ extract {i} {i}) x) #b1) (bvshl y (_ bv{i} {bits})) (_ bv0 {bits}))")
    };
    let parts: Vec<String> = (0..bits).rev().map(part).collect();
    format!("(bvadd {})", parts.join(" "))
}

/// A loop with wrap-around and a secret `y`: each round is `s + y` under the permutation of RC6, `t * (2 * t + 1)` and a
/// rotation. Which secret leads from one to where a secret led?
fn wrapping(bits: u32, rounds: u32) -> String {
    let mask = (1u64 << bits) - 1;
    let mut end = 1u64;
    let mut state = format!("(_ bv1 {bits})");
    for round in 1..=rounds {
        let sum = (end + 0x9e37_79b9) & mask;
        let product = sum.wrapping_mul(2 * sum + 1) & mask;
        end = (product << 5 | product >> (bits - 5)) & mask;
        state = format!(
            "(let ((t{round} (bvadd {state} y)))
             ((_ rotate_left 5) (bvmul t{round} (bvadd t{round} t{round} (_ bv1 {bits})))))"
        );
    }
    over(bits, &format!("(= {state} (_ bv{end} W))"))
}

fn floats(exponent: u32, significand: u32, claims: &str) -> String {
    let mut text = String::from("(set-logic QF_FP)\n");
    for name in ["x", "y", "z"] {
        text += &format!("(declare-const {name} (_ FloatingPoint {exponent} {significand}))\n");
    }
    text + &format!("(assert (and {claims}))\n(check-sat)\n")
}

/// Adding keeps the order.
fn float_order(exponent: u32, significand: u32) -> (String, String) {
    let claims = "(fp.leq x y) (fp.lt (fp.add RNE y z) (fp.add RNE x z))";
    (format!("float-order-{exponent}-{significand}"), floats(exponent, significand, claims))
}

/// Multiplying is not associative, even between one and two.
fn float_association(exponent: u32, significand: u32) -> (String, String) {
    let claims = "(fp.lt x y) (fp.lt y z) (fp.isPositive x) (not (fp.isInfinite (fp.mul RNE y z)))
        (fp.lt (fp.mul RNE (fp.mul RNE x y) z) (fp.mul RNE x (fp.mul RNE y z)))";
    (format!("float-associate-{exponent}-{significand}"), floats(exponent, significand, claims))
}

// ---- classic families ----

fn classics() -> Vec<(String, Dimacs, Option<bool>)> {
    let mut all = Vec::new();
    for holes in [7, 8, 9] {
        all.push((format!("pigeons-{holes}"), pigeons(holes), Some(false)));
    }
    for (variables, seed) in [(200, 1), (200, 2), (225, 3), (225, 4), (250, 5), (250, 6), (250, 7)]
    {
        all.push((format!("random-{variables}-{seed}"), random(variables, seed), None));
    }
    all
}

/// One more pigeon than holes.
fn pigeons(holes: usize) -> Dimacs {
    let sits = |pigeon: usize, hole: usize| Var::new(pigeon * holes + hole);
    let mut clauses: Vec<Vec<Lit>> = (0..=holes)
        .map(|pigeon| (0..holes).map(|hole| sits(pigeon, hole).lit(true)).collect())
        .collect();
    for hole in 0..holes {
        for second in 0..=holes {
            for first in 0..second {
                clauses.push(vec![sits(first, hole).lit(false), sits(second, hole).lit(false)]);
            }
        }
    }
    Dimacs { variables: holes * (holes + 1), clauses }
}

/// Three literals to a clause, near the threshold.
fn random(variables: usize, seed: u64) -> Dimacs {
    let mut dice = Dice::new(seed);
    let mut clauses = Vec::new();
    while clauses.len() < variables * 426 / 100 {
        let mut lits: Vec<Lit> =
            (0..3).map(|_| Var::new(dice.roll(variables)).lit(dice.chance(50))).collect();
        lits.sort_unstable_by_key(|lit| lit.var());
        lits.dedup_by_key(|lit| lit.var());
        if lits.len() == 3 {
            clauses.push(lits);
        }
    }
    Dimacs { variables, clauses }
}

// ---- programs ----

/// Small programs whose loops the engine unrolls.
fn programs() -> Vec<(&'static str, String)> {
    let factor = |number: u32, limit: u32| {
        format!(
            "extern unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
             int main(void) {{ unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
             if (x < 2 || y < 2 || x > {limit} || y > {limit}) return 0;
             if (x * y == {number}) reach_error(); return 0; }}"
        )
    };
    let hash = "extern unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
        int main(void) { unsigned h = 5381, c = 0;
        for (int i = 0; i < 5; i++) { c = __VERIFIER_nondet_uint() & 127;
          if (c < 32) return 0; h = (h * 33) ^ c; }
        if (h == 193485963u) reach_error(); return 0; }";
    let parity = "extern unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
        int main(void) { unsigned v = __VERIFIER_nondet_uint(), a = 0, b = v;
        for (int i = 0; i < 32; i++) a ^= (v >> i) & 1;
        b ^= b >> 16; b ^= b >> 8; b ^= b >> 4; b &= 15; b = (0x6996 >> b) & 1;
        if (a != b) reach_error(); return 0; }";
    let count = "extern unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
        int main(void) { unsigned v = __VERIFIER_nondet_uint() & 0xffff, a = 0, b = v;
        for (int i = 0; i < 16; i++) a += (v >> i) & 1;
        b = b - ((b >> 1) & 0x5555u); b = (b & 0x3333u) + ((b >> 2) & 0x3333u);
        b = (b + (b >> 4)) & 0x0f0fu; b = (b + (b >> 8)) & 0x1fu;
        if (a != b) reach_error(); return 0; }";
    let random = "extern unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
        int main(void) { unsigned s = __VERIFIER_nondet_uint(), t = s;
        for (int i = 0; i < 4; i++) { t ^= t << 13; t ^= t >> 17; t ^= t << 5; t *= 2654435761u; }
        if (t == 12345u && s > 1000) reach_error(); return 0; }";
    let square = "extern unsigned __VERIFIER_nondet_uint(void); void reach_error(void);
        int main(void) { unsigned n = __VERIFIER_nondet_uint(); if (n > 2000) return 0;
        unsigned r = 0, bit = 1024; while (bit) { unsigned t = r | bit; if (t * t <= n) r = t; bit >>= 1; }
        if (r * r > n || (r + 1) * (r + 1) <= n) reach_error(); return 0; }";
    let mut all = vec![
        ("program-factor", factor(268_042_793, 20000)),
        ("program-factor-wraps", factor(4_294_967_291, 40000)),
    ];
    let texts = [
        ("program-hash", hash),
        ("program-parity", parity),
        ("program-count", count),
        ("program-random", random),
        ("program-square", square),
    ];
    all.extend(texts.map(|(name, text)| (name, text.to_owned())));
    all
}

/// The last question that the engine asks about a program; one that it leaves open counts too.
fn asked(
    folder: &Path,
    binary: &Path,
    name: &str,
    program: &str,
) -> Result<Option<Instance>, String> {
    let (file, questions) = (folder.join(format!("{name}.c")), folder.join(name));
    write(&file, program)?;
    let mut command = Command::new(binary);
    command.args(["verify", "--quiet", "--engine", "bounded", "--k-induction", "off"]);
    command.args(["--timeout", "10s", "--dump-automata"]).arg(&questions).arg(&file);
    output(&mut command)?;
    // The longest is the last with anything to decide.
    let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |m| m.len());
    let longest = files_below(&questions, &["cnf"]).into_iter().max_by_key(size);
    Ok(longest.map(|file| Instance { name: name.to_owned(), file, is_sat: None }))
}
