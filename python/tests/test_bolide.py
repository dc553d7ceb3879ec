"""The wheel as a user of Python meets it; run by `cargo xtask wheel`."""

import bolide

SAFE = """
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
    int n = __VERIFIER_nondet_int(), i = 0;
    while (i < n) i++;
    if (n > 0 && i != n) reach_error();
    return 0;
}
"""

safe = bolide.verify(SAFE, time=60)
assert safe.verdict == "true" and safe.obligations > 0, safe
assert any(i.line == 6 and i.function == "main" for i in safe.invariants), safe.invariants
assert safe.witness.startswith("- entry_type:") and safe.violation is None
html = safe._repr_html_()
assert "true</b>" in html and "invariant" in html and "<svg" in html, html[:500]
assert all(d._repr_svg_().startswith("<svg") for d in safe.drawings)

failing = bolide.verify("int main(int argc, char **argv) { return 10 / (argc - 3); }", property=["div-by-zero"])
assert failing.verdict == "false", failing
assert (failing.violation.property, failing.violation.line) == ("div-by-zero", 1)
assert failing.violation.steps and failing.harness
assert "what happened" in failing._repr_html_()
assert repr(failing).startswith("<false: ")

late = bolide.verify(SAFE, time=0)
assert late.verdict == "unknown" and "time" in late.reason, late

for wrong in [lambda: bolide.verify("int main(void) {"), lambda: bolide.verify(SAFE, property="no-such")]:
    try:
        wrong()
        raise AssertionError("this is refused")
    except bolide.Refused as why:
        assert str(why)

assert bolide.solve_script("(declare-const x Int) (assert (< x x)) (check-sat)").answers == ["unsat"]
clauses = bolide.solve_clauses(
    "(set-logic HORN) (declare-fun p (Int) Bool)"
    "(assert (forall ((x Int)) (=> (= x 0) (p x))))"
    "(assert (forall ((x Int)) (=> (and (p x) (> x 9)) false))) (check-sat)"
)
assert clauses.verdict == "sat" and "define-fun p" in clauses.evidence, clauses.evidence
print("bolide", bolide.__version__, "works in Python")
