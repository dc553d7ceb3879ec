; (a + b) * c == a * c + b * c modulo two to the width
(set-logic QF_BV)
(set-info :status unsat)
(declare-const a (_ BitVec 7))
(declare-const b (_ BitVec 7))
(declare-const c (_ BitVec 7))
(assert (distinct (bvmul (bvadd a b) c) (bvadd (bvmul a c) (bvmul b c))))
(check-sat)
