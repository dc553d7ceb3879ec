; (a * b) % 7 == ((a % 7) * (b % 7)) % 7 for unsigned char
(set-logic QF_BV)
(set-info :status unsat)
(declare-const a (_ BitVec 6))
(declare-const b (_ BitVec 6))
(define-fun t1 () (_ BitVec 12) ((_ zero_extend 6) a))
(define-fun t2 () (_ BitVec 12) ((_ zero_extend 6) b))
(assert (distinct (bvurem (bvmul t1 t2) (_ bv7 12)) (bvurem (bvmul (bvurem t1 (_ bv7 12)) (bvurem t2 (_ bv7 12))) (_ bv7 12))))
(check-sat)
