//! What the constructors make of terms, as text.

use crate::smtlib::{Command, Reader};
use crate::{Model, Op, SortId, TermId, TermStore, Value, evaluate};
use bolide_base::{HashMap, Integer};
use expect_test::{Expect, expect};

const DECLARATIONS: &str = "
    (declare-sort U 0) (declare-const a U) (declare-const b U)
    (declare-const x Int) (declare-const y Int) (declare-const z Int)
    (declare-const r Real) (declare-const s Real)
    (declare-const p Bool) (declare-const q Bool)
    (declare-fun f (Int) Int)
    (declare-const m (Array Int Int))
    (declare-const n (Array Int (Array Int Int)))
    (declare-const u (_ BitVec 8)) (declare-const v (_ BitVec 8))";

/// Each line of the text is a term; prints its normal form and how people see
/// it.
fn check(terms: &str, expected: Expect) {
    let mut out = String::new();
    for line in terms.lines().map(str::trim).filter(|l| !l.is_empty()) {
        let mut store = TermStore::new();
        let text = format!("{DECLARATIONS} (get-value ({line}))");
        let mut reader = Reader::new(&text);
        while let Some(command) = reader.next_command(&mut store) {
            match command {
                Ok(Command::GetValue(terms)) => {
                    let term = terms[0].0;
                    out += &format!("{}   |   {}\n", store.smtlib(term), store.infix(term));
                }
                Ok(_) => {}
                Err(error) => out += &format!("{}\n", error.message),
            }
        }
    }
    expected.assert_eq(&out);
}

#[test]
fn boolean() {
    check(
        "
        (and p (and q p) true)
        (or p (not p))
        (and p q (not p))
        (=> p q p)
        (xor p q true)
        (= p (not q))
        (ite p q false)
        (ite (not p) x y)
        (ite p (ite p x y) z)
        (ite p q (not q))
        (distinct a b a)
        (distinct x y z)
        (= (ite p 1 2) 2)
        (<= (ite p 1 2) 1)
        (= x y x)",
        expect![[r#"
            (and p q)   |   p and q
            true   |   true
            false   |   false
            true   |   true
            (= p q)   |   p = q
            (not (= p q))   |   p != q
            (and p q)   |   p and q
            (ite p y x)   |   if p then y else x
            (ite p x z)   |   if p then x else z
            (= p q)   |   p = q
            false   |   false
            (and (not (= x y)) (not (= x z)) (not (= y z)))   |   x != y and x != z and y != z
            (not p)   |   not p
            p   |   p
            (= x y)   |   x = y
        "#]],
    );
}

#[test]
fn arithmetic() {
    check(
        "
        (<= x y)
        (< x y)
        (>= (- x y) 4)
        (> (* 2 x) 5)
        (<= (+ (* 2 x) (* 4 y)) 7)
        (= (+ (* 2 x) (* 4 y)) 7)
        (= (* 2 x) (* 2 y))
        (= x (+ y 1))
        (<= (* 0.5 r) (/ s 3))
        (< r 1)
        (> r s)
        (>= (to_real x) 0.5)
        (= (to_real x) (to_real y))
        (+ x (* 3 y) (- x) 2 5)
        (* x y x)
        (* (+ x 1) (- x 1))
        (+ x r)
        (div (+ (* 4 x) 7) 4)
        (div x (- 3))
        (div (* 2 x) 4)
        (mod (+ (* 3 x) y 10) 3)
        (mod (* 2 x) 4)
        (mod (mod x 6) 3)
        (mod (mod x 3) 6)
        (mod (+ 1 (mod (+ x 1) 256)) 256)
        (mod x 0)
        (mod x 1)
        (div (- 7) 2)
        (mod (- 7) (- 2))
        (abs (- x 1))
        (to_int (+ (to_real x) 2.5))
        (to_int (+ r 1.5))
        (is_int (to_real x))
        (/ r 0.0)
        (f (+ 1 2))",
        expect![[r#"
            (<= (+ x (* (- 1) y)) 0)   |   x <= y
            (<= (+ x (* (- 1) y)) (- 1))   |   x <= y - 1
            (not (<= (+ x (* (- 1) y)) 3))   |   x >= y + 4
            (not (<= x 2))   |   x >= 3
            (<= (+ x (* 2 y)) 3)   |   x + 2*y <= 3
            false   |   false
            (= x y)   |   x = y
            (= (+ x (* (- 1) y)) 1)   |   x = y + 1
            (<= (+ (* 3.0 r) (* (- 2.0) s)) 0.0)   |   3*r <= 2*s
            (< r 1.0)   |   r < 1
            (not (<= (+ r (* (- 1.0) s)) 0.0))   |   r > s
            (not (<= x 0))   |   x >= 1
            (= x y)   |   x = y
            (+ (* 3 y) 7)   |   3*y + 7
            (* x x y)   |   x * x * y
            (+ (* x x) (- 1))   |   x * x - 1
            (+ r (to_real x))   |   r + real(x)
            (+ x 1)   |   x + 1
            (* (- 1) (div x 3))   |   -x div 3
            (div x 2)   |   x div 2
            (mod (+ y 1) 3)   |   (y + 1) mod 3
            (* 2 (mod x 2))   |   2*(x mod 2)
            (mod x 3)   |   x mod 3
            (mod x 3)   |   x mod 3
            (mod (+ x 2) 256)   |   (x + 2) mod 256
            (mod x 0)   |   x mod 0
            0   |   0
            (- 4)   |   -4
            1   |   1
            (ite (<= x 0) (+ (* (- 1) x) 1) (+ x (- 1)))   |   if x <= 0 then -x + 1 else x - 1
            (+ x 2)   |   x + 2
            (+ (to_int (+ r (/ 1.0 2.0))) 1)   |   floor(r + 1/2) + 1
            true   |   true
            (/ r 0.0)   |   r / 0
            (f 3)   |   f(3)
        "#]],
    );
}

#[test]
fn arrays() {
    check(
        "
        (select (store m x 1) x)
        (select (store m x 1) (+ x 1))
        (select (store m x 1) y)
        (store (store m x 1) x 2)
        (store m x (select m x))
        (select ((as const (Array Int Int)) 7) x)
        (store ((as const (Array Int Int)) 7) x 7)
        (select (select (store n 1 m) 1) 2)
        (= m (store m 1 2))
        (= ((as const (Array Int Int)) x) ((as const (Array Int Int)) 3))",
        expect![[r#"
            1   |   1
            (select m (+ x 1))   |   m[x + 1]
            (select (store m x 1) y)   |   m[x := 1][y]
            (store m x 2)   |   m[x := 2]
            m   |   m
            7   |   7
            ((as const (Array Int Int)) 7)   |   const(7)
            (select m 2)   |   m[2]
            (= m (store m 1 2))   |   m = m[1 := 2]
            (= x 3)   |   x = 3
        "#]],
    );
}

#[test]
fn bit_vectors() {
    check(
        "
        (bvadd #x0f #x01 u)
        (bvsub u u)
        (bvand u #x00)
        (bvor u #xff)
        (bvxor u v u)
        (bvnot (bvnot u))
        (bvshl u #x03)
        (bvlshr u #x03)
        (bvashr u #x10)
        (bvudiv u #x08)
        (bvurem u #x08)
        (bvudiv u #x00)
        (concat #x0 #xf)
        (concat ((_ extract 7 4) u) ((_ extract 3 0) u))
        ((_ extract 9 6) (concat u v))
        ((_ extract 3 0) ((_ sign_extend 8) u))
        ((_ rotate_left 3) u)
        ((_ repeat 2) #b01)
        (bvult u #x01)
        (bvuge u v)
        (bvcomp u v)
        (_ bv10 8)",
        expect![[r#"
            (bvadd u #x10)   |   bvadd(u, 16u8)
            #x00   |   0u8
            #x00   |   0u8
            #xff   |   255u8
            v   |   v
            u   |   u
            (concat ((_ extract 4 0) u) #b000)   |   bvconcat(bits[4:0](u), 0u3)
            (concat #b000 ((_ extract 7 3) u))   |   bvconcat(0u3, bits[7:3](u))
            ((_ sign_extend 7) ((_ extract 7 7) u))   |   sext8(bits[7:7](u))
            (concat #b000 ((_ extract 7 3) u))   |   bvconcat(0u3, bits[7:3](u))
            (concat #b00000 ((_ extract 2 0) u))   |   bvconcat(0u5, bits[2:0](u))
            #xff   |   255u8
            #x0f   |   15u8
            u   |   u
            (concat ((_ extract 1 0) u) ((_ extract 7 6) v))   |   bvconcat(bits[1:0](u), bits[7:6](v))
            ((_ extract 3 0) u)   |   bits[3:0](u)
            (concat ((_ extract 4 0) u) ((_ extract 7 5) u))   |   bvconcat(bits[4:0](u), bits[7:5](u))
            #x5   |   5u4
            (= u #x00)   |   u = 0u8
            (not (bvult u v))   |   not bvult(u, v)
            (ite (= u v) #b1 #b0)   |   if u = v then 1u1 else 0u1
            #x0a   |   10u8
        "#]],
    );
}

#[test]
fn quantifiers() {
    check(
        "
        (forall ((i Int)) (> (select m i) i))
        (exists ((i Int) (j Int)) (and (= i j) (forall ((i Int)) (<= i j))))
        (forall ((i Int)) (let ((k (+ i 1))) (= (f k) (+ (f k) k))))
        (forall ((i Int)) true)",
        expect![[r#"
            (forall ((v!1 Int)) (<= (+ v!1 (* (- 1) (select m v!1))) (- 1)))   |   forall v1. v1 <= m[v1] - 1
            (exists ((v!2 Int) (v!3 Int)) (and (forall ((v!1 Int)) (<= (+ v!1 (* (- 1) v!3)) 0)) (= v!2 v!3)))   |   exists v2 v3. (forall v1. v1 <= v3) and v2 = v3
            (forall ((v!1 Int)) (= v!1 (- 1)))   |   forall v1. v1 = -1
            true   |   true
        "#]],
    );
}

#[test]
fn errors() {
    check(
        "
        (and p x)
        (+ x p)
        (= x a)
        (f x y)
        (g x)
        (select m p)
        (bvadd u #b1)
        ((_ extract 8 0) u)
        (let ((x)) x)
        (forall () p)
        (and)
        ()
        (ite p x a)
        ((as const Int) 1)
        (_ bv300 8)
        (! p :named x)",
        expect![[r#"
            argument 2 of and has sort Int, expected Bool
            argument 2 of + has sort Bool, expected Int or Real
            argument 2 of = has sort U, expected Int
            f takes 1 arguments, here are 2
            g is not declared
            argument 2 of select has sort Bool, expected Int
            argument 2 of bvadd has sort (_ BitVec 1), expected (_ BitVec 8)
            bits 8 to 0 of 8 bits
            expected (name term)
            expected at least one variable
            arguments are missing
            expected a term
            argument 2 of ite has sort U, expected Int
            as const takes an array sort and one value
            300 does not fit 8 bits
            x is declared already
        "#]],
    );
}

#[test]
fn substitution_avoids_capture() {
    let mut s = TermStore::new();
    let (x, y) = (s.mk_const("x", SortId::INT), s.mk_const("y", SortId::INT));
    // forall i. i <= x, with x := (ite (forall j. j <= y) 1 2).
    let i = s.mk_const("i", SortId::INT);
    let le = s.mk_le(i, x);
    let outer = s.mk_quantifier(Op::Forall, &[i], le);
    let le = s.mk_le(i, y);
    let inner = s.mk_quantifier(Op::Forall, &[i], le);
    let (one, two) = (s.mk_int(1), s.mk_int(2));
    let value = s.mk_ite(inner, one, two);
    let map: HashMap<TermId, TermId> = [(x, value)].into_iter().collect();
    let result = s.substitute(outer, &map);
    expect!["(forall ((v!2 Int)) (not (<= (+ (ite (forall ((v!1 Int)) (not (<= (+ y (* (- 1) v!1)) (- 1)))) 1 2) (* (- 1) v!2)) (- 1))))"]
        .assert_eq(&s.smtlib(result));
    // The same formula with other names is the same term.
    let k = s.mk_const("k", SortId::INT);
    let le = s.mk_le(k, x);
    assert_eq!(s.mk_quantifier(Op::Forall, &[k], le), outer);
    // Opening a quantifier and closing it again.
    let body = s.instantiate(outer, &[y]);
    assert_eq!(body, s.mk_le(y, x));
    assert_eq!(s.op(outer), Op::Forall);
}

#[test]
fn symbols_and_sizes() {
    let mut s = TermStore::new();
    let (x, y) = (s.mk_const("x", SortId::INT), s.mk_const("y", SortId::INT));
    let f = s.declare_fn("f", &[SortId::INT], SortId::INT);
    let fx = s.mk_app(f, &[x]);
    let ffx = s.mk_app(f, &[fx]);
    let eq = s.mk_eq(ffx, y);
    let names: Vec<&str> = s.symbols(eq).iter().map(|&f| s.function_name(f)).collect();
    assert_eq!(names, ["x", "y", "f"]);
    assert!(s.mentions(eq, f) && !s.mentions(x, f));
    assert_eq!((s.depth(eq), s.dag_size(eq), s.tree_size(eq)), (4, 5, 5));
    assert_eq!(s.constants(eq), [x, y]);
    let not = s.mk_not(eq);
    let p = s.mk_const("p", SortId::BOOL);
    let formula = s.mk_or(&[not, p]);
    assert_eq!(s.atoms(formula), [eq, p]);
}

#[test]
fn arrays_over_few_indices_compare_by_content() {
    let mut s = TermStore::new();
    let bit = s.mk_bv_sort(1);
    let sort = s.mk_array_sort(bit, SortId::INT);
    let numbers: Vec<TermId> = (0..3).map(|n| s.mk_int(n)).collect();
    let (zero, one) = (s.mk_bv(0, 1), s.mk_bv(1, 1));
    let mut from = |default: usize| {
        let base = s.mk_const_array(sort, numbers[default]);
        let first = s.mk_store(base, zero, numbers[1]);
        s.mk_store(first, one, numbers[2])
    };
    let (a, b) = (from(0), from(2));
    let equal = s.mk_eq(a, b);
    assert_ne!(equal, TermId::TRUE);
    assert_eq!(evaluate(&s, &Model::new(), equal), Ok(Value::Bool(true)));
    let diff = s.mk_diff(a, b);
    assert!(evaluate(&s, &Model::new(), diff).is_ok());
    assert_eq!(Integer::ONE, Integer::from(1));
}

#[test]
fn products_of_quotients_are_unambiguous() {
    let mut store = TermStore::new();
    let x = store.mk_const("x", SortId::INT);
    let two = store.mk_int(2);
    let half = store.mk_div(x, two);
    let doubled = store.mk_mul(&[two, half]);
    let product = store.mk_mul(&[two, x]);
    let three = store.mk_int(3);
    let quotient = store.mk_div(product, three);
    let texts = [doubled, quotient].map(|term| store.infix(term));
    expect!["2*(x div 2); (2*x) div 3"].assert_eq(&texts.join("; "));
}
