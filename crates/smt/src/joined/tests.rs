//! Mixtures of integers and bits, decided with checked models and proofs.

use crate::script::Script;

/// The last answer to the assertions, over machine words of 32 bits.
#[track_caller]
fn check(assertions: &str, expected: &str) {
    let text = format!(
        "(set-option :produce-unsat-cores true) (set-option :check-proofs true)
        (define-fun w ((x Int)) (_ BitVec 32) ((_ int_to_bv 32) x))
        (define-fun u ((v (_ BitVec 32))) Int (ubv_to_int v))
        (define-fun s ((v (_ BitVec 32))) Int (sbv_to_int v))
        (define-fun word ((x Int)) Bool (<= 0 x 4294967295))
        (define-fun int ((x Int)) Bool (<= (- 2147483648) x 2147483647))
        (declare-const a Int) (declare-const b Int) (declare-const c Int)
        (declare-const x Int) (declare-const y Int) (declare-const z Int)
        {assertions} (check-sat)"
    );
    let mut out = String::new();
    Script::new().run(&text, &mut out);
    assert_eq!(out.trim(), expected, "{assertions}");
}

#[test]
fn a_mask_selects() {
    check(
        "(assert (and (word a) (word b) (<= 0 c 1) (= x (mod (- c) 4294967296))))
        (assert (= y (u (bvor (bvand (w x) (w a)) (bvand (bvnot (w x)) (w b))))))
        (assert (not (= y (ite (= c 1) a b))))",
        "unsat",
    );
}

#[test]
fn powers_of_two() {
    let power = "(assert (and (word x) (> x 0) (= 0 (u (bvand (w x) (w (- x 1)))))))";
    check(&format!("{power} (assert (> x 2147483648))"), "unsat");
    check(&format!("{power} (assert (> x 1000))"), "sat");
    check(&format!("{power} (assert (< 1025 x 2048))"), "unsat");
}

#[test]
fn bytes_swapped_twice() {
    check(
        "(define-fun swap ((x (_ BitVec 32))) (_ BitVec 32) (bvor
            (bvor (bvshl x #x00000018) (bvand (bvshl x #x00000008) #x00ff0000))
            (bvor (bvand (bvlshr x #x00000008) #x0000ff00) (bvlshr x #x00000018))))
        (assert (and (word x) (= y (u (swap (w x)))) (= z (u (swap (w y))))))
        (assert (not (= z x)))",
        "unsat",
    );
}

#[test]
fn flags_beside_sums() {
    check(
        "(assert (and (int a) (int b) (<= (+ x y) z)))
        (assert (= 1 (u (bvand (w a) #x00000003)))) (assert (= b (+ a 4)))
        (assert (not (and (<= (+ x y) (+ z 1)) (= 1 (u (bvand (w b) #x00000003))))))",
        "unsat",
    );
}

#[test]
fn exchange_without_a_third() {
    check(
        "(assert (and (int a) (int b) (= x (s (bvxor (w a) (w b))))))
        (assert (and (= y (s (bvxor (w x) (w b)))) (= z (s (bvxor (w x) (w y))))))
        (assert (not (and (= y a) (= z b))))",
        "unsat",
    );
}

#[test]
fn the_mean_without_overflow() {
    check(
        "(assert (and (word a) (word b)))
        (assert (= x (+ (u (bvand (w a) (w b))) (div (u (bvxor (w a) (w b))) 2))))
        (assert (not (= x (div (+ a b) 2))))",
        "unsat",
    );
}

#[test]
fn shifts_by_unknown_amounts() {
    let shifted = "(assert (and (<= 0 x 1000) (<= 0 a 5) (= y (u (bvshl (w x) (w a))))))";
    check(&format!("{shifted} (assert (> y 32000))"), "unsat");
    check(&format!("{shifted} (assert (>= y 31990))"), "sat");
}

#[test]
fn integers_without_bounds() {
    check("(assert (and (= x (* 2 y)) (= #x05 ((_ int_to_bv 8) x))))", "unsat");
    check(
        "(assert (and (= x (* 2 y)) (> y 1000000000000000000000000) (= #x06 ((_ int_to_bv 8) x))))",
        "sat",
    );
}

#[test]
fn scopes_forget_images() {
    let text = "(declare-const x Int) (declare-const y Int)
        (assert (and (<= 0 x 255) (= #x0f (bvand ((_ int_to_bv 8) x) #x0f))))
        (push) (assert (< x 15)) (check-sat) (pop)
        (push) (assert (and (= y (+ x 1)) (= #x0f (bvand ((_ int_to_bv 8) y) #x0f)))) (check-sat)
        (pop) (assert (< x 16)) (check-sat) (get-value (x))";
    let mut out = String::new();
    Script::new().run(text, &mut out);
    assert_eq!(out, "unsat\nunsat\nsat\n((x 15))\n");
}
