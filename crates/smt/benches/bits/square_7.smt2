; (a + b) * (a + b) == a * a + 2 * a * b + b * b
(set-logic QF_BV)
(set-info :status unsat)
(declare-const a (_ BitVec 7))
(declare-const b (_ BitVec 7))
(define-fun t1 () (_ BitVec 7) (bvadd a b))
(assert (distinct (bvmul t1 t1) (bvadd (bvadd (bvmul a a) (bvmul (_ bv2 7) (bvmul a b))) (bvmul b b))))
(check-sat)
