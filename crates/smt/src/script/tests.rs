//! Scripts and what they answer.

use super::*;
use bolide_sat::{NoTheory, Outcome, ProofId};
use expect_test::{Expect, expect};

fn check(text: &str, expected: Expect) {
    let mut out = String::new();
    Script::new().run(text, &mut out);
    expected.assert_eq(&out);
}

#[test]
fn models_values_and_scopes() {
    check(
        r#"(set-logic QF_UFLIA)
        (declare-const x Int) (declare-const y Int) (declare-fun f (Int) Int)
        (assert (! (= (+ x y) 10) :named sum))
        (push)
        (declare-const z Int)
        (assert (and (= x 3) (= z (f y)) (= (f 7) 5)))
        (check-sat) (get-value (x y z (+ x z) (f y))) (get-assignment)
        (pop)
        (assert (= x 12)) (assert (= (f x) y))
        (check-sat) (get-model)
        (get-info :assertion-stack-levels) (get-assertions)
        (get-value (z))"#,
        expect![[r#"
            sat
            ((x 3)
             (y 7)
             (z 5)
             ((+ x z) 8)
             ((f y) 5))
            ((sum true))
            sat
            (
              (define-fun x () Int 12)
              (define-fun y () Int (- 2))
              (define-fun f ((x!0 Int)) Int (ite (= x!0 12) (- 2) 0))
            )
            (:assertion-stack-levels 0)
            ((= (+ x y) 10)
             (= x 12)
             (= y (f x)))
            (error "12:21: z is not declared")
        "#]],
    );
}

#[test]
fn cores_and_assumptions() {
    check(
        r#"(set-option :produce-unsat-cores true)
        (set-option :minimal-unsat-cores true)
        (declare-const x Int) (declare-const p Bool) (declare-const q Bool)
        (assert (! (> x 3) :named a)) (assert (! (< x 9) :named b)) (assert (! (< x 2) :named c))
        (check-sat) (get-unsat-core)
        (reset-assertions)
        (declare-const x Int) (declare-const p Bool) (declare-const q Bool)
        (assert (=> p (> x 3))) (assert (=> q (< x 3)))
        (check-sat-assuming (p q)) (get-unsat-assumptions)
        (check-sat-assuming (p (not q))) (get-value (p q))
        (get-unsat-core)"#,
        expect![[r#"
            unsat
            (a c)
            unsat
            (p q)
            sat
            ((p true)
             (q false))
            (error "11:9: the last answer was not unsat")
        "#]],
    );
}

#[test]
fn interpolants_of_sequences_and_trees() {
    check(
        r#"(set-option :produce-interpolants true) (set-option :check-interpolants true)
        (declare-const x Int) (declare-const y Int) (declare-const z Int)
        (assert (! (= x 0) :named A)) (assert (! (= y (+ x 1)) :named B))
        (assert (! (= z (+ y 1)) :named C)) (assert (! (distinct z 2) :named D))
        (check-sat)
        (get-interpolants A B C D)
        (get-interpolants (and A B) (and C D))
        (get-interpolants A B (D) C)
        (get-interpolants A E)
        (get-interpolants A (and A B))"#,
        expect![[r#"
            unsat
            ((= x 0)
             (= y 1)
             (= z 2))
            ((= y 1))
            ((= x 0)
             (= y 1)
             (not (= z 2)))
            (error "9:9: E is not the name of an assertion")
            (error "10:9: A is in two partitions")
        "#]],
    );
}

#[test]
fn proofs_are_checked() {
    check(
        r#"(set-option :check-proofs true) (set-option :produce-proofs true)
        (declare-sort U 0) (declare-const a U) (declare-const b U) (declare-fun f (U) U)
        (assert (= a b)) (assert (distinct (f a) (f b)))
        (check-sat) (get-proof)"#,
        expect![[r#"
            unsat
            (proof
              (step s0 (cl (= a b)) (assertion :partition 0))
              (step s1 (cl (not (= (f a) (f b)))) (assertion :partition 1))
              (step s2 (cl (not (= a b)) (= (f a) (f b))) (congruence))
              (step s3 (cl) (resolution s2 ((not (= (f a) (f b))) s1) ((= a b) s0)))
            )
        "#]],
    );
}

#[test]
fn errors_do_not_stop_a_script() {
    check(
        r#"(set-option :print-success true)
        (assert p)
        (declare-const p Bool)
        (assert (and p 1))
        (assert p)
        (get-model)
        (set-option :produce-proofs true)
        (set-option :timeout soon)
        (set-option :unheard-of true)
        (minimize p)
        (get-option :produce-proofs) (get-option :timeout)
        (get-info :name) (get-info :reason-unknown) (get-info :other)
        (echo "a ""b""")
        (pop)
        (check-sat
        "#,
        expect![[r#"
            success
            (error "2:17: p is not declared")
            success
            (error "4:17: argument 2 of and has sort Int, expected Bool")
            success
            (error "6:9: there is no model")
            (error "7:9: :produce-proofs must be set before the first assertion")
            (error "8:9: soon is no value for :timeout")
            unsupported
            unsupported
            false
            0
            (:name "Bolide")
            (error "the last answer was not unknown")
            unsupported
            "a ""b"""
            (error "14:9: pop 1 with 0 scopes open")
            (error "15:9: this parenthesis is not closed")
        "#]],
    );
}

#[test]
fn constant_arrays_over_uninterpreted_indices() {
    // Two different constants may meet only if every element is written.
    check(
        r#"(declare-sort U 0) (declare-const a U) (declare-const d U)
        (define-fun all-a () (Array U U) ((as const (Array U U)) a))
        (define-fun all-d () (Array U U) ((as const (Array U U)) d))
        (assert (= all-a (store all-d a a)))
        (check-sat)
        (assert (not (= a d)))
        (check-sat)
        (reset-assertions)
        (declare-sort U 0) (declare-const a U) (declare-const d U)
        (define-fun all-a () (Array U U) ((as const (Array U U)) a))
        (define-fun all-d () (Array U U) ((as const (Array U U)) d))
        (assert (not (= a d)))
        (push) (assert (= all-a (store (store all-d a a) d a))) (check-sat) (get-value (a d)) (pop)
        (push) (assert (= all-a all-d)) (check-sat) (pop)"#,
        expect![[r#"
            sat
            unsat
            sat
            ((a (as @U!1 U))
             (d (as @U!0 U)))
            unsat
        "#]],
    );
}

#[test]
fn interpolants_of_arrays_name_no_witness_of_ours() {
    check(
        r#"(set-option :produce-interpolants true) (set-option :check-interpolants true)
        (declare-const m (Array Int Int)) (declare-const n (Array Int Int))
        (declare-const i Int) (declare-const j Int) (declare-const k Int)
        (push)
        (assert (! (= n (store m i 1)) :named write))
        (assert (! (and (not (= i j)) (not (= (select m j) (select n j)))) :named read))
        (check-sat) (get-interpolants write read)
        (pop) (push)
        ; Without i, "they differ in one place" needs a quantifier.
        (assert (! (= n (store m i 1)) :named write))
        (assert (! (and (not (= j k)) (not (= (select m j) (select n j)))
                        (not (= (select m k) (select n k)))) :named read))
        (check-sat) (get-interpolants write read)"#,
        expect![[r#"
            unsat
            ((= n (store m i 1)))
            unsat
            ((let ((s!0 (@diff m n))) (= n (store m s!0 (select n s!0)))))
        "#]],
    );
}

#[test]
fn what_is_not_supported_says_so() {
    check(
        r#"(declare-datatypes ((L 0)) (((nil))))
        (define-fun-rec g ((a Int)) Int a)
        (minimize x)
        (get-info :nothing) (set-option :nothing true) (get-option :nothing)
        (declare-const z Int)
        (push) (assert (forall ((q Int)) (> z q))) (check-sat) (get-info :reason-unknown) (pop)
        (push) (assert (or (exists ((q Int)) (> z q)) (> z 3))) (check-sat) (pop)
        (echo "still ""here""") (check-sat) (get-unsat-assumptions) (get-proof) (pop 1)"#,
        expect![[r#"
            unsupported
            unsupported
            unsupported
            unsupported
            unsupported
            unsupported
            unknown
            (:reason-unknown "quantifiers are not decided")
            unknown
            "still ""here"""
            sat
            (error "8:45: the last answer was not unsat")
            (error "8:69: :produce-proofs is not set")
            (error "8:81: pop 1 with 0 scopes open")
        "#]],
    );
}

#[test]
fn interpolants_of_array_writes_at_known_places() {
    check(
        r#"(set-option :produce-interpolants true) (set-option :check-interpolants true)
        (declare-const m0 (Array Int Int)) (declare-const m1 (Array Int Int))
        (declare-const m2 (Array Int Int))
        (declare-const i Int) (declare-const j Int) (declare-const k Int)
        (push)
        (assert (! (and (= i 0) (= m1 (store m0 i 7))) :named first))
        (assert (! (and (= j (+ i 1)) (= m2 (store m1 j 7))) :named second))
        (assert (! (and (= k 0) (not (= (select m2 k) 7))) :named third))
        (check-sat) (get-interpolants first second third)
        (pop) (push)
        ; The array that was written to is nobody's later on.
        (assert (! (and (= (select m0 j) 3) (= m1 (store m0 i 7)) (not (= i j))) :named first))
        (assert (! (and (= k j) (= (select m1 k) 4)) :named second))
        (check-sat) (get-interpolants first second)"#,
        expect![[r#"
            unsat
            ((= (select m1 0) 7)
             (= (select m2 0) 7))
            unsat
            ((not (= (select m1 j) 4)))
        "#]],
    );
}

/// The sum is no term of the e-graph when its equality becomes an atom, but is one later, when the
/// atom has its value: that is told to the e-graph without anything new for the search.
#[test]
fn an_equality_of_old_concerns_a_function_later() {
    check(
        r#"(declare-fun h (Real) Real) (declare-const s Real) (declare-const t Real)
        (declare-const q Bool)
        (assert (or q (= (+ s t) 0.0)))
        (check-sat)
        (assert (> (h 0.0) 0.0)) (assert (<= (h (+ s t)) 0.0))
        (check-sat)
        (assert (not q))
        (check-sat)"#,
        expect![[r#"
            sat
            sat
            unsat
        "#]],
    );
}

#[test]
fn options_that_cannot_be_changed_are_unsupported() {
    check(
        r#"(set-option :print-success true)
        (set-option :regular-output-channel "stdout")
        (set-option :regular-output-channel "answers.txt")
        (set-option :reproducible-resource-limit 0)
        (set-option :reproducible-resource-limit 7)
        (set-option :random-seed 7)
        (set-option :produce-interpolants 1) (get-option :produce-interpolants)
        (set-option :produce-interpolants 2)"#,
        expect![[r#"
            success
            success
            unsupported
            success
            unsupported
            success
            success
            true
            (error "8:9: 2 is no value for :produce-interpolants")
        "#]],
    );
}

/// No integer makes the divisors zero, so the axioms of division have no such guard.
#[test]
fn divisors_that_are_never_zero() {
    check(
        r#"(set-option :check-proofs true)
        (declare-const x Int) (declare-const z Int)
        (push)
        (assert (= (div x (- (* (- 3) x) 1)) (abs x)))
        (assert (and (>= 0 (- z (- x 1))) (= (* (+ 1 x) z) 0)))
        (check-sat)
        (pop)
        (assert (< (mod z (+ (* 2 x) 1)) 0))
        (check-sat)"#,
        expect![[r#"
            unsat
            unsat
        "#]],
    );
}

/// What is on from the start is on under `push` and after `reset`; proofs exist in both places.
#[test]
fn options_that_are_always_on() {
    let refuted = "(declare-const x Int)(push 1)(assert (< x 0))(assert (> x 0))(check-sat)";
    let mut script = Script::with_options(&[":check-proofs"]);
    let mut out = String::new();
    script.run(
        &format!(
            "(set-option :produce-proofs true){refuted}(reset){refuted}(get-option :check-proofs)"
        ),
        &mut out,
    );
    expect![[r#"
        unsat
        unsat
        true
    "#]]
    .assert_eq(&out);
}

/// What is satisfiable without an assertion that was rejected need not be with it.
#[test]
fn a_rejected_assertion_is_not_forgotten() {
    check(
        r#"(declare-const x Int)
        (push) (assert (> x 0)) (assert (foo x)) (check-sat) (get-info :reason-unknown)
        (assert (< x 0)) (check-sat) (pop)
        (check-sat)"#,
        expect![[r#"
            (error "2:41: foo is not declared")
            unknown
            (:reason-unknown "an assertion was rejected")
            unsat
            sat
        "#]],
    );
}

/// Commands of others that take models away.
#[test]
fn an_unknown_kind_of_assertion_is_not_forgotten() {
    check(
        "(declare-const p Bool) (assert p) (check-sat) (block-model :values) (check-sat)",
        expect![[r#"
            sat
            unsupported
            unknown
        "#]],
    );
}

#[test]
fn overflow_predicates() {
    check(
        r#"(declare-const a (_ BitVec 8)) (declare-const b (_ BitVec 8))
        (push) (assert (bvsaddo a b)) (assert (= a #x01)) (check-sat) (get-value (b)) (pop)
        (push) (assert (bvumulo a b)) (assert (bvult a #x10)) (assert (bvult b #x11)) (check-sat) (pop)
        (push) (assert (bvusubo a b)) (assert (bvule b a)) (check-sat) (pop)
        (push) (assert (bvsdivo a b)) (check-sat) (get-value (a b)) (pop)
        (push) (assert (bvnego a)) (assert (not (= a #x80))) (check-sat) (pop)"#,
        expect![[r#"
            sat
            ((b #x7f))
            unsat
            unsat
            sat
            ((a #x80)
             (b #xff))
            unsat
        "#]],
    );
}

#[test]
fn floats_and_rounding_modes() {
    check(
        r#"(set-logic QF_FP)
        (declare-const x Float32) (declare-const y (_ FloatingPoint 8 24))
        (declare-const r RoundingMode) (declare-fun f (Float32) Float32)
        (define-fun one () Float32 ((_ to_fp 8 24) RNE 1.0))
        (define-fun square ((a Float32)) Float32 (fp.mul r a a))
        (assert (= x ((_ to_fp 8 24) RNE 0.1))) (assert (= r roundTowardZero))
        (assert (= y (fp.add r one (square x)))) (assert (fp.isNaN (f x)))
        (check-sat) (get-model)
        (get-value (r (fp.neg y) ((_ fp.to_sbv 8) RTP (fp.neg y)) (fp.leq x one y) (f x)
            (_ -oo 2 3) (fp #b1 #b00 #b01) ((_ to_fp 11 53) RNE x) (fp.to_real (fp #b1 #b00 #b01))))"#,
        expect![[r#"
            sat
            (
              (define-fun x () (_ FloatingPoint 8 24) (fp #b0 #b01111011 #b10011001100110011001101))
              (define-fun y () (_ FloatingPoint 8 24) (fp #b0 #b01111111 #b00000010100011110101110))
              (define-fun r () RoundingMode RTZ)
              (define-fun f ((x!0 (_ FloatingPoint 8 24))) (_ FloatingPoint 8 24) (ite (= x!0 (fp #b0 #b01111011 #b10011001100110011001101)) (_ NaN 8 24) (fp #b0 #b00000000 #b00000000000000000000000)))
            )
            ((r RTZ)
             ((fp.neg y) (fp #b1 #b01111111 #b00000010100011110101110))
             (((_ fp.to_sbv 8) RTP (fp.neg y)) #xff)
             ((fp.leq x one y) true)
             ((f x) (_ NaN 8 24))
             ((_ -oo 2 3) (fp #b1 #b11 #b00))
             ((fp #b1 #b00 #b01) (fp #b1 #b00 #b01))
             (((_ to_fp 11 53) RNE x) (fp #b0 #b01111111011 #b1001100110011001100110100000000000000000000000000000))
             ((fp.to_real (fp #b1 #b00 #b01)) (- (/ 1.0 4.0))))
        "#]],
    );
}

#[test]
fn all_nan_are_one() {
    check(
        r#"(declare-const x Float16) (declare-const y Float16) (declare-fun f (Float16) Int)
        (declare-const a (Array Float16 Float16)) (declare-const b (_ BitVec 16))
        (assert (and (fp.isNaN x) (fp.isNaN y)))
        (push) (assert (distinct x y)) (check-sat) (pop)
        (push) (assert (distinct (f x) (f y))) (check-sat) (pop)
        (push) (assert (distinct (select a x) (select a y))) (check-sat) (pop)
        (push) (assert (and (fp.isNaN (select a x)) (distinct (select a x) y))) (check-sat) (pop)
        (push) (assert (= x ((_ to_fp 5 11) b))) (assert (= b #x7c01)) (check-sat) (pop)
        (push) (assert (fp.eq x y)) (check-sat) (pop)
        (declare-const c (Array Int Float16)) (declare-const d (Array Int Float16))
        (declare-const i Int)
        (push) (assert (= c (store d i x))) (assert (not (fp.isNaN (select c i)))) (check-sat) (pop)
        (push) (assert (distinct c (store c i x))) (assert (fp.isNaN (select c i))) (check-sat) (pop)
        (push) (assert (distinct c d (store c i x))) (assert (fp.isNaN (select d i))) (check-sat) (pop)
        (declare-fun g ((Array Int Float16)) Int)
        (define-fun same () Bool (= c d))"#,
        expect![[r#"
            unsat
            unsat
            unsat
            unsat
            sat
            unsat
            unsat
            unsat
            sat
            (error "15:22: functions of arrays of floats are not supported")
            (error "16:34: = of arrays of floats is not supported in here")
        "#]],
    );
}

#[test]
fn what_the_theory_leaves_open_is_a_function() {
    check(
        r#"(declare-const x Float16) (declare-const y Float16) (declare-const r RoundingMode)
        (define-fun plus () Float16 (_ +zero 5 11)) (define-fun minus () Float16 (_ -zero 5 11))
        (push) (assert (= (fp.min plus minus) plus)) (check-sat) (pop)
        (push) (assert (= (fp.min plus minus) minus)) (check-sat) (pop)
        (push) (assert (= x plus)) (assert (= y minus))
        (assert (distinct (fp.min x y) (fp.min plus minus))) (check-sat) (pop)
        (push) (assert (not (fp.isZero (fp.max plus minus)))) (check-sat) (pop)
        (assert (fp.isNaN x))
        (push) (assert (= ((_ fp.to_ubv 4) r x) #x3)) (check-sat) (pop)
        (push) (assert (= r RNA)) (assert (distinct ((_ fp.to_ubv 4) r x) ((_ fp.to_ubv 4) RNA (_ NaN 5 11))))
        (check-sat) (pop)"#,
        expect![[r#"
            sat
            sat
            unsat
            unsat
            sat
            unsat
        "#]],
    );
}

#[test]
fn floats_and_reals() {
    check(
        r#"(declare-const x Float16) (declare-const y Float64) (declare-const c Bool)
        (push 1) (assert (= (fp.to_real x) 0.5)) (check-sat) (get-value (x)) (pop 1)
        (push 1) (assert (= (fp.to_real x) (/ 1.0 3.0))) (assert (fp.lt x (fp #b0 #b11111 #b0000000000)))
        (assert (fp.gt x (fp #b1 #b11111 #b0000000000))) (check-sat) (pop 1)
        (push 1) (assert (= (fp.to_real y) 0.0)) (assert (fp.isPositive y)) (check-sat) (pop 1)
        (push 1) (assert (= x ((_ to_fp 5 11) RNE (ite c 1/4 -2)))) (assert (fp.isNegative x))
        (assert c) (check-sat) (pop 1)"#,
        expect![[r#"
            sat
            ((x (fp #b0 #b01110 #b0000000000)))
            unsat
            sat
            unsat
        "#]],
    );
}

#[test]
fn ranges_of_arrays_are_compared() {
    check(
        r#"(declare-const a (Array Int Int)) (declare-const b (Array Int Int)) (declare-const n Int)
        (assert (eqrange a b (- 1) 2))
        (push 1) (assert (distinct (select a 2) (select b 2))) (check-sat) (pop 1)
        (assert (distinct (select a 3) (select b 3))) (check-sat)
        (assert (eqrange a b 3 2)) (check-sat)
        (assert (eqrange a b 0 n))"#,
        expect![[r#"
            unsat
            sat
            sat
            (error "6:17: eqrange is for indices that are numbers less than 1024 apart")
        "#]],
    );
}

#[test]
fn sorts_of_floats_are_checked() {
    check(
        r#"(declare-const x Float16) (declare-const y Float32) (declare-const b (_ BitVec 16))
        (declare-const s Real)
        (assert (fp.lt x y))
        (assert (= x b))
        (assert (fp.add x x))
        (assert (= x (fp.add b x x)))
        (assert (= (bvadd x x) b))
        (assert (= x ((_ to_fp 5 11) RNE s)))
        (assert (= x ((_ to_fp 8 24) b)))
        (assert (= x (fp #b01 #b00000 #b0)))
        (declare-const z (_ FloatingPoint 1 3))
        (check-sat) (get-info :reason-unknown)"#,
        expect![[r#"
            (error "3:17: argument 2 of fp.lt has sort (_ FloatingPoint 8 24), expected (_ FloatingPoint 5 11)")
            (error "4:17: argument 2 of = has sort (_ BitVec 16), expected (_ FloatingPoint 5 11)")
            (error "5:17: fp.add takes 3 arguments, here are 2")
            (error "6:22: argument 1 of fp.add has sort (_ BitVec 16), expected RoundingMode")
            (error "7:20: argument 1 of bvadd has sort (_ FloatingPoint 5 11), expected a bit-vector")
            (error "8:22: to_fp of a real that is no choice between constants is not supported")
            (error "9:22: argument 1 of to_fp has sort (_ BitVec 16), expected (_ BitVec 32)")
            (error "10:22: argument 1 of fp has sort (_ BitVec 2), expected (_ BitVec 1)")
            (error "11:26: floats have 2 to 30 bits of exponent and 2 to 4096 of significand")
            unknown
            (:reason-unknown "an assertion was rejected")
        "#]],
    );
}

#[test]
fn reductions_and_choices_by_bits() {
    check(
        r#"(declare-const x (_ BitVec 4)) (declare-const b (_ BitVec 1))
        (assert (distinct (bvredand x) (bvcomp x #xf)))
        (check-sat) (reset-assertions)
        (declare-const x (_ BitVec 4)) (declare-const b (_ BitVec 1))
        (assert (= (bvredor x) #b0)) (assert (= (bvite b x #x3) #x3)) (assert (= b #b1))
        (check-sat) (reset-assertions)
        (declare-const x (_ BitVec 4))
        (assert (= (bvite x x x) x))"#,
        expect![[r#"
            unsat
            unsat
            (error "8:20: argument 1 of bvite has sort (_ BitVec 4), expected (_ BitVec 1)")
        "#]],
    );
}

#[test]
fn interpolants_over_floats_are_over_their_bits() {
    check(
        r#"(set-option :produce-interpolants true) (set-option :check-interpolants true)
        (declare-const x (_ FloatingPoint 3 4)) (declare-const y (_ FloatingPoint 3 4))
        (declare-const r RoundingMode)
        (assert (! (and (fp.isInfinite x) (fp.isNormal y)) :named A))
        (assert (! (fp.isZero x) :named B))
        (check-sat) (get-interpolants A B)
        (reset-assertions)
        (declare-const r RoundingMode) (declare-fun f (RoundingMode) RoundingMode)
        (assert (= r RTP)) (get-assertions)
        (reset-assertions)
        (declare-fun f ((_ FloatingPoint 3 4)) (_ FloatingPoint 3 4))
        (declare-const x (_ FloatingPoint 3 4))
        (assert (! (and (fp.isNaN (f x)) (fp.isZero x)) :named A))
        (assert (! (and (not (fp.isNaN (f x))) (fp.isZero x)) :named B))
        (check-sat) (get-interpolants A B)"#,
        expect![[r#"
            unsat
            ((let ((s!0 (and (= ((_ extract 3 3) (fp.to_ieee_bv x)) #b1) (= ((_ extract 4 4) (fp.to_ieee_bv x)) #b1) (= ((_ extract 5 5) (fp.to_ieee_bv x)) #b1) (not (= ((_ extract 0 0) (fp.to_ieee_bv x)) #b1)) (not (= ((_ extract 1 1) (fp.to_ieee_bv x)) #b1)) (not (= ((_ extract 2 2) (fp.to_ieee_bv x)) #b1))))) (or s!0 (not (= (= ((_ extract 5 0) (fp.to_ieee_bv x)) #b111000) s!0)))))
            ((= (ite (bvult (ite (= r RNE) #b000 (ite (= r RNA) #b001 (ite (= r RTP) #b010 (ite (= r RTN) #b011 #b100)))) #b101) (ite (= r RNE) #b000 (ite (= r RNA) #b001 (ite (= r RTP) #b010 (ite (= r RTN) #b011 #b100)))) #b000) #b010))
            unsat
            (error "15:21: no interpolant without the bits of functions or arrays of floats")
        "#]],
    );
}

#[test]
fn models_have_irrational_values_where_they_must() {
    check(
        r#"(set-logic QF_NRA)
        (declare-const x Real) (declare-const y Real) (declare-const z Int)
        (assert (= (* x x) 2.0)) (assert (< x 0.0)) (assert (= (* x y) 1.0))
        (assert (= z (to_int x)))
        (check-sat) (get-value (x (* x x) (+ x 1.0) (< y (- 0.7)) z))
        (push) (assert (> (* 99.0 x) (- 140.0))) (check-sat) (pop)
        (assert (= y (/ 2.0 x 4.0))) (check-sat)"#,
        expect![[r#"
            sat
            ((x (root-obj (+ (^ x 2) (- 2.0)) 1))
             ((* x x) 2.0)
             ((+ x 1.0) (+ (root-obj (+ (^ x 2) (- 2.0)) 1) 1.0))
             ((< y (- 0.7)) true)
             (z (- 2)))
            unsat
            unsat
        "#]],
    );
}

/// Products of 32 unknown bits would be compared for minutes.
#[test]
fn products_of_bits_are_the_same_whatever_the_signs() {
    check(
        r#"(set-logic QF_BV) (declare-const a (_ BitVec 32)) (declare-const b (_ BitVec 32))
        (push) (assert (distinct (bvmul a b) (bvmul (bvneg a) (bvneg b)))) (check-sat) (pop)
        (push) (assert (distinct (bvneg (bvmul a b)) (bvmul a (bvneg b)))) (check-sat) (pop)
        (push) (assert (distinct (bvmul a #xffffff00) (bvshl (bvneg a) #x00000008))) (check-sat) (pop)"#,
        expect![[r#"
            unsat
            unsat
            unsat
        "#]],
    );
}

/// A factor that is one of two numbers: the bounds in the lemma are about it, not about what decides them.
#[test]
fn lemmas_about_chosen_factors_have_proofs() {
    check(
        r#"(set-option :check-proofs true) (set-option :guess-models false) (set-logic QF_NIA)
        (declare-const p Bool) (declare-const z Int) (declare-const x Int)
        (assert (= (* z (ite p 2 (- 3))) (+ x 1))) (assert (> z x)) (assert (> x 3))
        (check-sat)"#,
        expect![[r#"
            unsat
        "#]],
    );
}

/// Without other theories the clauses say all that there is to say.
#[test]
fn bits_as_clauses_have_the_same_answer() {
    let cases = [
        ("(check-sat-assuming ((= (bvmul a b) (_ bv143 8))))", true),
        ("(check-sat-assuming ((= (bvmul a b) (_ bv149 8))))", false),
        // What is decided before there are clauses.
        ("(assert (distinct (bvmul a b) (bvmul b a))) (check-sat)", false),
        ("(push) (assert false) (pop) (check-sat)", true),
        ("(check-sat-assuming (true))", true),
        ("(check-sat-assuming (false))", false),
        ("(check-sat-assuming ((= a #x02) (distinct a #x02)))", false),
    ];
    for (question, is_sat) in cases {
        let text = format!(
            "(set-logic QF_BV) (declare-const a (_ BitVec 8)) (declare-const b (_ BitVec 8))
            (assert (and (bvult #x01 a) (bvult a #x10) (bvult #x01 b) (bvult b #x10)))
            {question}"
        );
        let mut script = Script::with_options(&[]);
        let mut answers = String::new();
        script.run(&text, &mut answers);
        assert_eq!(answers, if is_sat { "sat\n" } else { "unsat\n" });
        let written = script.dimacs();
        let mut search = bolide_sat::Solver::new();
        for _ in 0..written.variables {
            search.new_var();
        }
        for clause in &written.clauses {
            search.add_clause(&mut NoTheory, clause, ProofId::NONE);
        }
        let outcome = search.solve(&mut NoTheory, &[], &Budget::unlimited());
        assert_eq!(outcome, if is_sat { Outcome::Sat } else { Outcome::Unsat }, "{question}");
    }
}

/// A sum of squares, and a product of bounds in a monomial that no assertion has; each with a proof.
#[test]
fn products_of_reals_are_refuted() {
    check(
        r#"(set-option :check-proofs true) (set-logic QF_NRA)
        (declare-const x Real) (declare-const y Real) (declare-const z Real)
        (push) (assert (> (* y (- (+ 2.0 (* 2.0 z)) y)) (+ 1.0 (* z (+ 2.0 z)) (* x x)))) (check-sat) (pop)
        (push) (assert (and (> x 0.0) (> y 0.0) (>= x (* 3.0 y)) (< (* x x) (* 8.0 y y)))) (check-sat) (pop)"#,
        expect![[r#"
            unsat
            unsat
        "#]],
    );
}
