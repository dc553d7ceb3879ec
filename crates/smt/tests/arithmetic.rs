//! Arithmetic problems with known answers, through the whole solver; every
//! refutation is checked, every model was evaluated by the solver.

use bolide_base::Budget;
use bolide_smt::solver::{Answer, Config, Solver};
use bolide_terms::smtlib::{Command, Reader};
use bolide_terms::{SortId, TermStore};
use expect_test::{Expect, expect};

fn check(script: &str, expected: Expect) {
    expected.assert_eq(&answers(&mut TermStore::new(), script));
}

/// Runs a script; its answers, one a line.
fn answers(store: &mut TermStore, script: &str) -> String {
    let mut solver = Solver::new(Config { proofs: true });
    let mut reader = Reader::new(script);
    let mut answers = String::new();
    while let Some(command) = reader.next_command(store) {
        match command.expect("the script is well-formed") {
            Command::Assert { formula, .. } => solver.assert(store, formula, 0),
            Command::Push(n) => (0..n).for_each(|_| solver.push(store)),
            Command::Pop(n) => solver.pop(store, n as usize),
            Command::CheckSat => {
                let answer = solver.check(store, &[], &Budget::unlimited());
                if answer == Answer::Unsat {
                    let proof = solver.proof(store).expect("proofs are logged");
                    bolide_proof::check_refutation(store, &proof, |_, _| true)
                        .expect("the proof is right");
                }
                answers += match answer {
                    Answer::Sat => "sat\n",
                    Answer::Unsat => "unsat\n",
                    Answer::Unknown(_) => "unknown\n",
                };
            }
            _ => {}
        }
    }
    answers
}

const XYZ: &str =
    "(declare-const x Int)(declare-const y Int)(declare-const z Int)(declare-const w Int)";

fn check_xyz(script: &str, expected: Expect) {
    check(&format!("{XYZ}{script}"), expected);
}

#[test]
fn parity_of_unbounded_integers() {
    // Branching alone never ends on these.
    check_xyz("(assert (= (- (* 2 x) (* 2 y)) 1))(check-sat)", expect![["unsat\n"]]);
    check_xyz(
        "(assert (and (< 1 (- (* 3 x) (* 3 y))) (< (- (* 3 x) (* 3 y)) 3)))(check-sat)",
        expect![["unsat\n"]],
    );
    check_xyz(
        "(assert (= (+ x y) (* 2 z)))(assert (= (- x y) (+ (* 2 w) 1)))(check-sat)",
        expect![["unsat\n"]],
    );
    check_xyz(
        "(assert (= (+ (* 4 x) (* 6 y)) (+ (* 10 z) w)))(assert (= w 3))(check-sat)",
        expect![["unsat\n"]],
    );
}

#[test]
fn equations_that_only_together_have_no_solution() {
    // The sum of the two is divisible by 7 on the left; neither is alone.
    check_xyz(
        "(assert (= (+ (* 3 x) (* 5 y) z) 1))(assert (= (+ (* 4 x) (* 2 y) (* (- 1) z)) 2))(check-sat)",
        expect![["unsat\n"]],
    );
    check_xyz(
        "(assert (= (+ (* 3 x) (* 5 y) z) 1))(assert (= (+ (* 4 x) (* 2 y) (* (- 1) z)) 6))(check-sat)",
        expect![["sat\n"]],
    );
    // Pugh's examples for the Omega test.
    check_xyz(
        "(assert (= (+ (* 7 x) (* 12 y) (* 31 z)) 17))(assert (= (+ (* 3 x) (* 5 y) (* 14 z)) 7))\
         (assert (<= 1 x 40))(assert (<= (- 50) y 50))(check-sat)",
        expect![["sat\n"]],
    );
    check_xyz(
        "(assert (<= 27 (+ (* 11 x) (* 13 y)) 45))(assert (<= (- 10) (- (* 7 x) (* 9 y)) 4))(check-sat)",
        expect![["unsat\n"]],
    );
}

#[test]
fn coins_that_do_not_add_up() {
    let nonnegative = "(assert (and (>= x 0) (>= y 0) (>= z 0)))";
    check_xyz(
        &format!("{nonnegative}(assert (= (+ (* 6 x) (* 9 y) (* 20 z)) 43))(check-sat)"),
        expect![["unsat\n"]],
    );
    check_xyz(
        &format!("{nonnegative}(assert (= (+ (* 6 x) (* 9 y) (* 20 z)) 44))(check-sat)"),
        expect![["sat\n"]],
    );
}

#[test]
fn cones_without_bound() {
    // A narrow cone whose first integer point is far out.
    check_xyz(
        "(assert (> (* 100 x) (* 141 y)))(assert (< (* 100 x) (+ (* 141 y) 2)))(assert (> y 0))(check-sat)",
        expect![["sat\n"]],
    );
    check_xyz(
        "(assert (<= (* 2 x) (* 3 y)))(assert (>= (* 2 x) (- (* 3 y) 1)))(assert (= (mod y 2) 1))\
         (assert (= (mod x 3) 0))(check-sat)",
        expect![["unsat\n"]],
    );
}

#[test]
fn pigeons() {
    for holes in 3..6 {
        let mut script = String::new();
        for i in 0..=holes {
            script += &format!("(declare-const p{i} Int)(assert (<= 1 p{i} {holes}))");
        }
        let all: Vec<String> = (0..=holes).map(|i| format!("p{i}")).collect();
        script += &format!("(assert (distinct {}))(check-sat)", all.join(" "));
        check(&script, expect![["unsat\n"]]);
    }
}

#[test]
fn quotients_and_remainders() {
    check_xyz("(assert (= (mod x 6) 4))(assert (= (mod x 4) 1))(check-sat)", expect![["unsat\n"]]);
    check_xyz(
        "(assert (= (mod x 3) 2))(assert (= (mod x 5) 3))(assert (= (mod x 7) 2))(assert (< 0 x 105))\
         (check-sat)(assert (distinct x 23))(check-sat)",
        expect![["sat\nunsat\n"]],
    );
    check_xyz("(assert (> (* 3 (div x 3)) x))(check-sat)", expect![["unsat\n"]]);
}

#[test]
fn integers_and_reals() {
    check(
        "(declare-const i Int)(declare-const r Real)\
         (assert (< (to_real i) r (+ (to_real i) 1.0)))(check-sat)\
         (push 1)(assert (= r (to_real (to_int r))))(check-sat)(pop 1)\
         (assert (= (to_int r) (+ i 1)))(check-sat)",
        expect![["sat\nunsat\nunsat\n"]],
    );
}

#[test]
fn functions_of_sums() {
    check_xyz(
        "(declare-fun f (Int) Int)(assert (= x (+ y 1)))(assert (distinct (f x) (f (+ y 1))))(check-sat)",
        expect![["unsat\n"]],
    );
    check_xyz(
        "(declare-fun f (Int) Int)(assert (<= x y))(assert (<= y z))(assert (<= z x))\
         (assert (< (f x) (f z)))(check-sat)",
        expect![["unsat\n"]],
    );
    check_xyz(
        "(declare-fun f (Int) Int)(assert (< 0 x 3))(assert (distinct (f x) (f 1)))(check-sat)\
         (assert (distinct (f x) (f 2)))(check-sat)",
        expect![["sat\nunsat\n"]],
    );
}

#[test]
fn products() {
    check_xyz("(assert (= (* x x) 49))(assert (> x 0))(check-sat)", expect![["sat\n"]]);
    check_xyz("(assert (< (* x x) 0))(check-sat)", expect![["unsat\n"]]);
    check_xyz(
        "(assert (> x 2))(assert (> y 3))(assert (<= (* x y) 11))(check-sat)",
        expect![["unsat\n"]],
    );
    check_xyz(
        "(assert (= (* x y) 0))(assert (distinct x 0))(assert (distinct y 0))(check-sat)",
        expect![["unsat\n"]],
    );
}

#[test]
fn equalities_in_diamonds() {
    // x0 = y0 = x1 or x0 = z0 = x1, and so on: exponentially many paths.
    let mut script = String::from("(declare-sort U 0)");
    let n = 30;
    for i in 0..=n {
        script += &format!("(declare-const x{i} U)(declare-const y{i} U)(declare-const z{i} U)");
    }
    for i in 0..n {
        let j = i + 1;
        script += &format!(
            "(assert (or (and (= x{i} y{i}) (= y{i} x{j})) (and (= x{i} z{i}) (= z{i} x{j}))))"
        );
    }
    script += &format!("(assert (distinct x0 x{n}))(check-sat)");
    check(&script, expect![["unsat\n"]]);
}

#[test]
fn scopes_leave_nothing_behind() {
    let mut store = TermStore::new();
    let mut solver = Solver::default();
    let x = store.mk_const("x", bolide_terms::SortId::INT);
    let zero = store.mk_int(0);
    let positive = store.mk_gt(x, zero);
    solver.assert(&mut store, positive, 0);
    assert_eq!(solver.check(&mut store, &[], &Budget::unlimited()), Answer::Sat);
    let atoms = solver.atoms();
    for i in 0..200 {
        solver.push(&mut store);
        let y = store.mk_const(&format!("y{}", i % 3), bolide_terms::SortId::INT);
        let (two, three) = (store.mk_int(2), store.mk_int(3));
        let (a, b) = (store.mk_mul(&[two, x]), store.mk_mul(&[three, y]));
        let sum = store.mk_add(&[a, b]);
        let k = store.mk_int(i64::from(i % 7));
        let equation = store.mk_eq(sum, k);
        solver.assert(&mut store, equation, 0);
        let negative = store.mk_lt(x, zero);
        assert_eq!(solver.check(&mut store, &[], &Budget::unlimited()), Answer::Sat);
        assert_eq!(solver.check(&mut store, &[negative], &Budget::unlimited()), Answer::Unsat);
        solver.pop(&mut store, 1);
        assert_eq!(solver.check(&mut store, &[], &Budget::unlimited()), Answer::Sat);
    }
    assert_eq!(solver.atoms(), atoms);
}

#[test]
fn trees_are_projected_without_a_proof() {
    use bolide_smt::newton::project_tree;
    let mut store = TermStore::new();
    let [x, y, z, u] = ["x", "y", "z", "u"].map(|name| store.mk_const(name, SortId::INT));
    let (one, two) = (store.mk_int(1), store.mk_int(2));
    // Two children that do not know each other, u and z local to one each.
    let u_plus = store.mk_add(&[u, one]);
    let (a, b) = (store.mk_eq(x, u_plus), store.mk_le(two, u));
    let left = store.mk_and(&[a, b]);
    let (c, d) = (store.mk_le(y, z), store.mk_lt(z, one));
    let right = store.mk_and(&[c, d]);
    let root = store.mk_le(x, y);
    let parents = [2, 2, 2];
    let budget = Budget::unlimited();
    let verdict = project_tree(&mut store, &[left, right, root], &parents, &budget);
    let Ok(Some(interpolants)) = verdict else { panic!("{verdict:?}") };
    let texts: Vec<String> = interpolants.iter().map(|&i| store.infix(i)).collect();
    expect!["x >= 1; y <= 0; false"].assert_eq(&texts.join("; "));
    let feasible = project_tree(&mut store, &[left, right], &[1, 1], &budget);
    assert_eq!(feasible, Ok(None));
}

#[test]
fn long_and_narrow_regions_end() {
    // Branching on x or y would cross the first region some hundred thousand times.
    check(
        "(declare-const x Int) (declare-const y Int)
        (push)
        (assert (<= 0 (- (* 28300000 x) (* 24500001 y)) 99999))
        (assert (<= 1 (- (* 28300001 x) (* 24500000 y)) 100000))
        (check-sat)
        (pop)
        (declare-const z Int)
        (assert (<= 0 (- (* 28300000 x) (* 24500001 y) (* 7 z)) 99999))
        (assert (<= 1 (- (* 28300001 x) (* 24500000 y)) 100000))
        (assert (<= 5 (+ (* 1001 z) (* 999 y)) 900))
        (check-sat)",
        expect![[r#"
            unsat
            sat
        "#]],
    );
}

/// The quotient of a wrap-around is decided in two branches, whatever the modulus.
#[test]
fn wrap_around_with_a_fixed_operand() {
    for bits in [16, 31, 63] {
        let (half, whole) = (1u128 << bits, 2u128 << bits);
        for differs in [format!("(< y {half})"), format!("(not (= y {half}))")] {
            check_xyz(
                &format!(
                    "(assert (= (+ x {half}) (+ y (* {whole} z))))(assert (= x 0))
                     (assert (and (<= 0 y) (< y {whole})))(assert {differs})(check-sat)"
                ),
                expect![["unsat\n"]],
            );
        }
        check_xyz(
            &format!(
                "(assert (= y (mod (+ x {half}) {whole})))(assert (<= 0 x 7))
                 (assert (not (= (- y {half}) x)))(check-sat)"
            ),
            expect![["unsat\n"]],
        );
        // What bounds x from below is the value of another term.
        let value = half + half / 2 - 60;
        check_xyz(
            &format!(
                "(assert (<= x (- 7)))(assert (= (ite (<= x (- 1)) (+ x {whole}) x) {value}))
                 (assert (or (<= x (- 8)) (not (= (mod x {whole}) {value}))))(check-sat)"
            ),
            expect![["sat\n"]],
        );
    }
}

#[test]
fn an_equation_is_multiplied_into_products() {
    // The end of a loop that sums up 1 to n.
    check(
        "(declare-const i Int) (declare-const n Int) (declare-const s Int)
         (assert (= (* 2 s) (- (* i i) i))) (assert (<= i (+ n 1)))
         (assert (not (<= i n))) (assert (>= n 1))
         (assert (not (= (* 2 s) (* n (+ n 1))))) (check-sat)",
        expect!["unsat\n"],
    );
    check(
        "(declare-const i Int) (declare-const n Int) (declare-const m Int)
         (assert (= i (+ n m))) (assert (not (= (* i m) (+ (* n m) (* m m))))) (check-sat)",
        expect!["unsat\n"],
    );
    check(
        "(declare-const i Int) (declare-const n Int) (declare-const s Int)
         (assert (= s (* i i))) (assert (= i (+ n 1)))
         (assert (= s (+ (* n n) n n n))) (assert (> n 1)) (check-sat)",
        expect!["unsat\n"],
    );
}

#[test]
fn bounds_and_equalities_are_multiplied() {
    // An array of len items that has room in cur: the item number i has, too.
    let room = |i: &str| {
        format!(
            "(declare-const i Int) (declare-const len Int) (declare-const item Int)
             (declare-const cur Int) (assert (and (<= 0 i) (< 0 item) (<= 0 len)))
             (assert (<= (* len item) cur)) (assert {i}) (assert (>= (* i item) cur)) (check-sat)"
        )
    };
    check(&room("(< i len)"), expect!["unsat\n"]);
    check(&room("(<= i len)"), expect!["sat\n"]);
    // The sum of a geometric sequence stays one, which takes its multiple by z.
    let step = |y: &str| {
        format!(
            "(declare-const x {y}) (declare-const y {y}) (declare-const z {y})
             (declare-const p {y}) (declare-const q {y})
             (assert (= (* x z) (+ x y (- 1)))) (assert (= p (+ (* x z) 1))) (assert (= q (* y z)))
             (assert (not (= (* p z) (+ p q (- 1))))) (check-sat)"
        )
    };
    check(&step("Int"), expect!["unsat\n"]);
    check(&step("Real"), expect!["unsat\n"]);
}

#[test]
fn wraps_behind_factors_are_cases() {
    // The byte behind item number i, where all is modulo 2^64.
    let room = |i: &str| {
        format!(
            "(define-fun most () Int 18446744073709551615)
             (define-fun wrapped ((n Int)) Int (mod n (+ most 1)))
             (declare-const len Int) (declare-const item Int) (declare-const cur Int) (declare-const i Int)
             (assert (and (<= 0 len most) (<= 0 item most) (<= 0 cur most) (<= 0 i most)))
             (assert (distinct item 0)) (assert (<= (* len item) most)) (assert (<= (* len item) cur))
             (assert {i}) (assert (> (wrapped (* (wrapped (+ i 1)) item)) cur)) (check-sat)"
        )
    };
    check(&room("(< i len)"), expect!["unsat\n"]);
    check(&room("(<= i len)"), expect!["sat\n"]);
}

#[test]
fn values_of_products_are_found() {
    check_xyz("(assert (= (* x y) 35)) (assert (< 1 x y)) (check-sat)", expect!["sat\n"]);
    check_xyz("(assert (> (* x y z) 1000)) (assert (< x 0)) (check-sat)", expect!["sat\n"]);
    let reals = "(declare-const r Real) (declare-const s Real)";
    let product = "(assert (= (* r s) 3.5)) (assert (< 1.0 r)) (assert (< r 2.0)) (check-sat)";
    check(&format!("{reals}{product}"), expect!["sat\n"]);
}

#[test]
fn powers_of_two() {
    // All small values, each asked both ways.
    let (mut script, mut expected) = (XYZ.to_owned(), String::new());
    let low = |n: i64, k: i64| n.rem_euclid(1 << k);
    for k in -1..=3i64 {
        let power = if k < 0 { 0 } else { 1 << k };
        script += &format!("(push 1)(assert (= z {k}))");
        for claim in ["=", "distinct"] {
            script += &format!("(push 1)(assert ({claim} (int.pow2 z) {power}))(check-sat)(pop 1)");
        }
        expected += "sat\nunsat\n";
        for (x, y) in [(0, 5), (3, 6), (-1, 5), (-3, -2), (7, 7), (12, 10)] {
            let both = if k < 1 { 0 } else { low(x, k) & low(y, k) };
            script += &format!("(push 1)(assert (and (= x {x}) (= y {y})))");
            for claim in ["=", "distinct"] {
                script +=
                    &format!("(push 1)(assert ({claim} (piand z x y) {both}))(check-sat)(pop 1)");
            }
            script += "(pop 1)";
            expected += "sat\nunsat\n";
        }
        script += "(pop 1)";
    }
    let mut store = TermStore::new();
    assert_eq!(answers(&mut store, &script), expected);
    let unsat = [
        "(and (<= 0 x) (< x y) (>= (int.pow2 x) (int.pow2 y)))",
        "(and (> x 0) (= 1 (mod (int.pow2 x) 2)))",
        "(and (<= 0 x) (distinct 0 (div x (int.pow2 x))))",
        "(and (< 0 x) (< x (int.pow2 z)) (distinct x (piand z x (- (int.pow2 z) 1))))",
        "(and (= 0 (mod x 2)) (distinct 0 (mod (piand z x y) 2)))",
        "(distinct (piand z x y) (piand z y x))",
        "(and (> z 0) (distinct (mod (+ x (mod y (int.pow2 z))) (int.pow2 z)) (mod (+ x y) (int.pow2 z))))",
        "(distinct ((_ iand 4) x 15) (mod x 16))",
    ];
    for claim in unsat {
        check_xyz(&format!("(assert {claim})(check-sat)"), expect!["unsat\n"]);
    }
    check_xyz("(assert (= (int.pow2 x) 1024))(check-sat)", expect!["sat\n"]);
    check_xyz("(assert (= (piand x 12 10) 8))(check-sat)", expect!["sat\n"]);
}

#[test]
fn remainders_by_an_unknown_divisor() {
    let modulo = |zero: &str| {
        format!("(assert (distinct (mod (+ x (mod y z)) z) (mod (+ x y) z))) {zero} (check-sat)")
    };
    check_xyz(&modulo("(assert (< 0 z))"), expect!["unsat\n"]);
    check_xyz(&modulo("(assert (< z 0))"), expect!["unsat\n"]);
    // By zero a remainder may be anything.
    check_xyz(&modulo("(assert (= z 0))"), expect!["sat\n"]);
}
