//! One theory at a time, and mixed literals.

use super::*;
use expect_test::{Expect, expect};

fn check(declarations: &str, formulas: &[&str], expected: Expect) {
    let mut text = String::new();
    for labelling in LABELLINGS {
        let result = sequence(declarations, formulas, labelling);
        text.push_str(&format!("{labelling:?}:\n{result}\n"));
    }
    expected.assert_eq(&text);
}

#[test]
fn propositional() {
    check(
        "p q r s : Bool",
        &["(and p (or (not p) q))", "(or (not q) r)", "(and (or (not r) s) (not s))"],
        expect![[r#"
            McMillan:
            q
            r
            Pudlak:
            q
            r
            Weak:
            q
            r
        "#]],
    );
}

#[test]
fn shared_atoms_distinguish_the_labellings() {
    check(
        "p q a b : Bool",
        &["(and (or p a) (or q (not a)))", "(and (or (not p) b) (or (not q) b) (not b))"],
        expect![[r#"
            McMillan:
            p or q
            Pudlak:
            p or q
            Weak:
            p or q
        "#]],
    );
}

#[test]
fn congruence_across_the_cut() {
    check(
        "a b c : U; f : U -> U",
        &["(= a b)", "(and (= (f a) c) (not (= (f b) c)))"],
        expect![[r#"
            McMillan:
            a = b
            Pudlak:
            a = b
            Weak:
            a = b
        "#]],
    );
}

#[test]
fn congruence_with_premises() {
    // A knows x = f(y) and z = f(w); with y = w from B, x = z.
    check(
        "x y z w u v : U; f g : U -> U",
        &["(and (= x (g u)) (= u (f y)) (= z (g v)) (= v (f w)))", "(and (= y w) (not (= x z)))"],
        expect![[r#"
            McMillan:
            x = z or y != w
            Pudlak:
            x = z or y != w
            Weak:
            x = z or y != w
        "#]],
    );
}

#[test]
fn predicates_are_functions() {
    check(
        "a b : U; p : U -> Bool",
        &["(and (p a) (= a b))", "(not (p b))"],
        expect![[r#"
        McMillan:
        p(b)
        Pudlak:
        p(b)
        Weak:
        p(b)
    "#]],
    );
}

#[test]
fn mixed_interface_equality() {
    // a and b are equal by bounds that no side has alone.
    check(
        "a b s t : Int; q : U; f : Int -> U",
        &["(and (<= t a) (<= a s) (= (f a) q))", "(and (<= s b) (<= b t) (not (= (f b) q)))"],
        expect![[r#"
            McMillan:
            t <= s and (t <= s - 1 or q = f(t))
            Pudlak:
            t <= s and (t <= s - 1 or q = f(t))
            Weak:
            t <= s and (t <= s - 1 or q = f(t))
        "#]],
    );
}

#[test]
fn mixed_integer_interface_equality() {
    // The example of the paper on the combined theory.
    check(
        "a b s t : Int; q : U; f : Int -> U",
        &[
            "(and (<= t (* 2 a)) (<= (* 2 a) s) (= (f a) q))",
            "(and (<= s (* 2 b)) (<= (* 2 b) (+ t 1)) (not (= (f b) q)))",
        ],
        expect![[r#"
            McMillan:
            (-t) div 2 + s div 2 >= 0 and ((-t) div 2 + s div 2 >= 1 or q = f(-(-t) div 2))
            Pudlak:
            (-t) div 2 + s div 2 >= 0 and ((-t) div 2 + s div 2 >= 1 or q = f(-(-t) div 2))
            Weak:
            (-t) div 2 + s div 2 >= 0 and ((-t) div 2 + s div 2 >= 1 or q = f(-(-t) div 2))
        "#]],
    );
}

#[test]
fn parity() {
    check(
        "x y z : Int",
        &["(= x (* 2 y))", "(= x (+ 1 (* 2 z)))"],
        expect![[r#"
            McMillan:
            x <= 2*(x div 2)
            Pudlak:
            x <= 2*(x div 2)
            Weak:
            x <= 2*(x div 2)
        "#]],
    );
}

#[test]
fn strict_reals() {
    check(
        "x y z : Real",
        &["(and (< x y) (<= y z))", "(<= z x)"],
        expect![[r#"
            McMillan:
            x < z
            Pudlak:
            x < z
            Weak:
            x < z
        "#]],
    );
}

#[test]
fn array_write_and_read() {
    check(
        "a b : Array; i j v : Int",
        &["(= b (store a i v))", "(= i j)", "(not (= (select b j) v))"],
        expect![[r#"
            McMillan:
            v = b[i]
            v = b[j]
            Pudlak:
            v = b[i]
            v = b[j]
            Weak:
            v = b[i]
            v = b[j]
        "#]],
    );
}

#[test]
fn array_axiom_over_both_sides() {
    // The example of abstractions-from-proofs for which no interpolant without
    // quantifiers exists, unless there is a name for a place where two arrays differ.
    check(
        "m n : Array; x y a b : Int",
        &[
            "(= n (store m x y))",
            "(and (not (= a b)) (not (= (select m a) (select n a))) (not (= (select m b) (select n b))))",
        ],
        expect![[r#"
            McMillan:
            n = m[diff(m, n) := n[diff(m, n)]]
            Pudlak:
            n = m[diff(m, n) := n[diff(m, n)]]
            Weak:
            n = m[diff(m, n) := n[diff(m, n)]]
        "#]],
    );
}

/// The cut after the second formula must not say more about `m` than the one before it did: a
/// congruence is split where A's edges end, not at the first term that both sides know.
#[test]
fn a_congruence_is_split_where_the_side_changes() {
    check(
        "m n o : Array; i k v w : Int",
        &[
            "(and (= n m) (= m (store n i v)))",
            "(= n o)",
            "(and (> v w) (= o (store (store m k w) i w)))",
        ],
        expect![[r#"
            McMillan:
            n = n[i := v]
            v = o[i]
            Pudlak:
            v = n[i := v][i] and n = n[i := v]
            v = o[i]
            Weak:
            v = n[i := v][i] and n = n[i := v]
            v = o[i]
        "#]],
    );
}

#[test]
fn a_constant_array_with_one_exception() {
    check(
        "m : Array; i j k v w : Int",
        &[
            "(= m (store (const v) i w))",
            "(and (not (= j k)) (not (= (select m j) v)))",
            "(not (= (select m k) v))",
        ],
        expect![[r#"
            McMillan:
            m = const(v)[diff(const(v), m) := m[diff(const(v), m)]]
            v = m[k]
            Pudlak:
            m = const(v)[diff(const(v), m) := m[diff(const(v), m)]]
            v = m[k]
            Weak:
            m = const(v)[diff(const(v), m) := m[diff(const(v), m)]]
            v = m[k]
        "#]],
    );
}

/// The place in the row is named after the rows at the place where the matrices differ.
#[test]
fn arrays_of_arrays() {
    check(
        "m n : Matrix; i j k l o v : Int",
        &[
            "(= n (store m i (store (select m i) j v)))",
            "(and (< k l) (not (= (select (select m o) k) (select (select n o) k))))",
            "(not (= (select (select m o) l) (select (select n o) l)))",
        ],
        expect![[r#"
            McMillan:
            n = m[diff(m, n) := n[diff(m, n)]] and n[diff(m, n)] = m[diff(m, n)][diff(m[diff(m, n)], n[diff(m, n)]) := n[diff(m, n)][diff(m[diff(m, n)], n[diff(m, n)])]]
            m[o][l] = n[o][l]
            Pudlak:
            n = m[diff(m, n) := n[diff(m, n)]] and n[diff(m, n)] = m[diff(m, n)][diff(m[diff(m, n)], n[diff(m, n)]) := n[diff(m, n)][diff(m[diff(m, n)], n[diff(m, n)])]]
            m[o][l] = n[o][l]
            Weak:
            n = m[diff(m, n) := n[diff(m, n)]] and n[diff(m, n)] = m[diff(m, n)][diff(m[diff(m, n)], n[diff(m, n)]) := n[diff(m, n)][diff(m[diff(m, n)], n[diff(m, n)])]]
            m[o][l] = n[o][l]
        "#]],
    );
}

/// What the constant array holds is known to the first formula only.
#[test]
fn a_constant_array_of_one_side() {
    check(
        "m : Array; i j k l v w : Int",
        &[
            "(= m (store (const v) i w))",
            "(and (< j k) (< k l) (distinct (select m j) (select m k) (select m l)))",
        ],
        expect![[r#"
            McMillan:
            m = const(m[0])[diff(const(m[0]), m) := m[diff(const(m[0]), m)]] or m = const(m[1])[diff(const(m[1]), m) := m[diff(const(m[1]), m)]]
            Pudlak:
            m = const(m[0])[diff(const(m[0]), m) := m[diff(const(m[0]), m)]] or m = const(m[1])[diff(const(m[1]), m) := m[diff(const(m[1]), m)]]
            Weak:
            m = const(m[0])[diff(const(m[0]), m) := m[diff(const(m[0]), m)]] or m = const(m[1])[diff(const(m[1]), m) := m[diff(const(m[1]), m)]]
        "#]],
    );
}

#[test]
fn bits() {
    check(
        "x y z : BitVec4; p : Bool",
        &["(and (= x y) (=> p (= y z)))", "p", "(not (= x z))"],
        expect![[r#"
            McMillan:
            not p or x = z
            x = z
            Pudlak:
            not p or x = z
            x = z
            Weak:
            not p or x = z
            x = z
        "#]],
    );
}

#[test]
fn conditionals_and_divisions() {
    check(
        "x y z : Int; c : Bool",
        &["(= x (ite c (mod y 3) 0))", "(and (> z 2) (<= z x))"],
        expect![[r#"
            McMillan:
            x <= 2
            Pudlak:
            x <= 2
            Weak:
            x <= 2
        "#]],
    );
}

/// The index that is read is known after the write only; backward it is replaced
/// by its definition.
#[test]
fn arrays_by_projection() {
    check(
        "m n : Array; i j k v : Int",
        &[
            "(and (= n (store m i v)) (= (select m (+ k 1)) 0) (not (= (+ k 1) i)))",
            "(= j (+ k 1))",
            "(not (= (select n j) 0))",
        ],
        expect![[r#"
            McMillan:
            n[k + 1] = 0
            n[j] = 0
            Pudlak:
            n[k + 1] = 0
            n[j] = 0
            Weak:
            n[k + 1] = 0
            n[j] = 0
        "#]],
    );
}

#[test]
fn a_sum_taken_apart() {
    let mut reader = Reader::new("x y z l k : Int");
    let formulas = ["(and (<= x l) (<= l 3) (<= y k) (<= k 4))", "(and (> (+ x y) 7) (= z x))"]
        .map(|text| reader.formula(text));
    let store = &mut reader.store;
    let mut results = Vec::new();
    for decompose in [false, true] {
        let options = Options { decompose, ..Options::default() };
        let result = sequence_interpolants(store, &formulas, &options).unwrap();
        let result = result.expect("unsatisfiable");
        recheck_sequence(store, &formulas, &result, &Budget::unlimited()).unwrap();
        results.push(store.infix(result[1]));
    }
    assert_eq!(results, ["x + y <= 7", "x <= 3 and y <= 4"]);
}

#[test]
fn one_formula_has_no_cut() {
    assert_eq!(sequence("p : Bool", &["false"], Labelling::McMillan), "");
    assert_eq!(sequence("x : Int", &["(and (< x 0) (> x 0))"], Labelling::Pudlak), "");
    assert_eq!(sequence("x : Int", &["(> x 0)"], Labelling::Pudlak), "sat");
}

#[test]
fn a_flawed_sequence_is_noticed() {
    let mut reader = Reader::new("x y z : Int");
    let formulas = ["(= x 1)", "(= y x)", "(and (= z y) (< z 1))"].map(|t| reader.formula(t));
    let good = ["true", "(= x 1)", "(>= y 1)", "false"];
    for (changed, by, expected) in [
        (0, "(= x 1)", "the first is not true"),
        (3, "(= y 7)", "the last is not false"),
        (1, "(= x 2)", "formula 0 does not lead to the interpolant after it"),
        (1, "(>= x 0)", "formula 1 does not lead to the interpolant after it"),
        (2, "(>= x 1)", "number 1 mentions x, which is not shared"),
        (2, "(>= y 0)", "formula 2 does not lead to the interpolant after it"),
    ] {
        let mut texts = good;
        texts[changed] = by;
        let sequence = texts.map(|text| reader.formula(text));
        let budget = Budget::unlimited();
        let flaw = recheck_sequence(&mut reader.store, &formulas, &sequence, &budget).unwrap_err();
        assert_eq!(flaw.detail(), expected);
    }
}

/// Depth of terms costs no stack and no quadratic time.
#[test]
fn a_tower_of_applications() {
    let mut reader = Reader::new("a b c : U; f : U -> U");
    let [mut x, mut y, c] = ["a", "b", "c"].map(|name| reader.formula(name));
    let equal = reader.formula("(= a b)");
    let store = &mut reader.store;
    let fx = store.function_of(x).map(|a| store.function(a).result).expect("a constant");
    let f = store.declare_fn("f", &[fx], fx);
    for _ in 0..3_000 {
        x = store.mk_app(f, &[x]);
        y = store.mk_app(f, &[y]);
    }
    let (first, last) = (store.mk_eq(x, c), store.mk_neq(y, c));
    let formulas = [first, equal, last];
    let result = sequence_interpolants(store, &formulas, &Options::default()).unwrap();
    assert_eq!(result, Some(vec![TermId::TRUE, first, store.mk_eq(y, c), TermId::FALSE]));
}

#[test]
fn a_tree() {
    for labelling in LABELLINGS {
        let result = tree(
            "x y z : Int",
            &["(= x 1)", "(= y 2)", "(= z (+ x y))", "(not (= z 3))"],
            &[2, 2, 3, 3],
            labelling,
        );
        assert_eq!(result, "x = 1\ny = 2\nz = 3\nfalse", "{labelling:?}");
    }
}

/// Two callees write once each, and the caller finds three differences.
#[test]
fn a_tree_with_arrays() {
    let result = tree(
        "m n o : Array; i j v w a b c : Int",
        &[
            "(= n (store m i v))",
            "(= o (store n j w))",
            "(and (< a b) (< b c) (not (= (select m a) (select o a))) \
             (not (= (select m b) (select o b))) (not (= (select m c) (select o c))))",
        ],
        &[2, 2, 2],
        Labelling::McMillan,
    );
    expect![[r#"
        n = m[diff(m, n) := n[diff(m, n)]]
        n = o[diff(o, n) := n[diff(o, n)]]
        false"#]]
    .assert_eq(&result);
}
