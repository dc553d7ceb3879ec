; (x * 0xcccdu) >> 19 == x / 10 for unsigned short x
(set-logic QF_BV)
(set-info :status unsat)
(declare-const x (_ BitVec 16))
(define-fun t1 () (_ BitVec 32) ((_ zero_extend 16) x))
(assert (distinct (bvlshr (bvmul t1 (_ bv52429 32)) (_ bv19 32)) (bvudiv t1 (_ bv10 32))))
(check-sat)
