; "Abstractions from proofs", Figure 5: resolution.
(set-option :produce-interpolants true)
(set-logic QF_UF)
(declare-const b Bool)
(declare-const c Bool)
(assert (! (and b (or (not b) c)) :named before))
(assert (! (not c) :named after))
(check-sat)
(get-interpolants before after)
