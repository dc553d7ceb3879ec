//! Deep and large terms: no recursion, little memory.

use crate::smtlib::{Command, Reader};
use crate::{Model, SortId, TermId, TermStore, evaluate};
use bolide_base::HashMap;

#[test]
fn a_million_terms_below_a_hundred_megabytes() {
    let mut s = TermStore::new();
    let variables: Vec<TermId> =
        (0..1000).map(|i| s.mk_const(&format!("x{i}"), SortId::INT)).collect();
    let mut k = 0;
    while s.len() < 1_000_000 {
        let (x, y) = (variables[k % 1000], variables[(k / 1000 + k + 1) % 1000]);
        let bound = s.mk_int(k as i64 % 97);
        let sum = s.mk_sub(x, y);
        let a = s.mk_le(sum, bound);
        let c = s.mk_eq(x, bound);
        let d = s.mk_or(&[a, c]);
        let e = s.mk_not(d);
        s.mk_and(&[e, a]);
        k += 1;
    }
    let megabytes = s.bytes() as f64 / 1e6;
    assert!(megabytes < 100.0, "{megabytes} MB for {} terms", s.len());
}

fn last_term(store: &mut TermStore, text: &str) -> TermId {
    let mut reader = Reader::new(text);
    let mut result = None;
    while let Some(command) = reader.next_command(store) {
        if let Command::Assert { formula, .. } = command.unwrap() {
            result = Some(formula);
        }
    }
    result.unwrap()
}

/// Every walk over a term on one that is very deep.
fn exercise(store: &mut TermStore, term: TermId) {
    assert!(store.depth(term) > 1000);
    assert!(store.tree_size(term) > 1000);
    store.symbols(term);
    store.atoms(term);
    assert!(store.smtlib(term).len() > 1000);
    store.infix(term);
    evaluate(store, &Model::new(), term).unwrap();
    let (x, y) = (store.mk_const("x", SortId::INT), store.mk_const("y", SortId::INT));
    let map: HashMap<TermId, TermId> = [(x, y)].into_iter().collect();
    let changed = store.substitute(term, &map);
    let function = store.function_of(x).unwrap();
    assert!(store.mentions(term, function) && !store.mentions(changed, function));
}

fn nested(open: &str, middle: &str, close: &str, depth: usize) -> String {
    format!(
        "(declare-const x Int)(declare-const y Int)(declare-const p Bool)(declare-fun f (Int) Int)
         (declare-const m (Array Int Int)) (assert {}{middle}{})",
        open.repeat(depth),
        close.repeat(depth)
    )
}

#[test]
fn deep_nesting() {
    for (open, middle, close) in [
        ("(f ", "x", ")"),
        ("(ite (= x 1) y (f ", "x", "))"),
        ("(+ 1 (f ", "x", "))"),
        ("(div ", "x", " 3)"),
        ("(* x ", "y", ")"),
    ] {
        let mut store = TermStore::new();
        let depth = if open.starts_with("(*") { 2000 } else { 100_000 };
        let text = nested(open, middle, close, depth).replace("(assert ", "(assert (= y ") + ")";
        let term = last_term(&mut store, &text);
        if depth == 100_000 {
            exercise(&mut store, term);
        }
    }
    for (open, middle, close) in
        [("(not (and p ", "(= x 1)", "))"), ("(xor p (=> p (not ", "(= x y)", ")))")]
    {
        let mut store = TermStore::new();
        let term = last_term(&mut store, &nested(open, middle, close, 100_000));
        let _ = store.smtlib(term);
        evaluate(&store, &Model::new(), term).unwrap();
    }
}

#[test]
fn a_million_deep() {
    let mut store = TermStore::new();
    // Parentheses, chains of one operator, and lets.
    for (open, middle, close) in [
        ("(and p ", "(= x 1)", ")"),
        ("(not ", "p", ")"),
        ("(let ((z x)) ", "(= z 1)", ")"),
        ("(! ", "p", " :pattern (x))"),
    ] {
        last_term(&mut store, &nested(open, middle, close, 1_000_000));
    }
    let sum = nested("(+ 1 ", "x", ")", 1_000_000).replace("(assert ", "(assert (= y ") + ")";
    let term = last_term(&mut store, &sum);
    assert_eq!(store.infix(term), "x = y - 1000000");
    let stores =
        nested("(store ", "m", " x y)", 100_000).replace("(assert ", "(assert (= m ") + ")";
    last_term(&mut store, &stores);
    // Refused, not overflowing.
    for text in ["(forall ((x Int)) ", "(exists ((x Int)) "] {
        let text = nested(text, "p", ")", 100_000);
        let mut reader = Reader::new(&text);
        let mut errors = 0;
        while let Some(command) = reader.next_command(&mut store) {
            errors += usize::from(command.is_err());
        }
        assert_eq!(errors, 1);
    }
}

#[test]
fn printing_is_linear_in_the_graph() {
    let mut s = TermStore::new();
    let f = s.declare_fn("f", &[SortId::INT, SortId::INT], SortId::INT);
    let mut t = s.mk_const("x", SortId::INT);
    for _ in 0..200 {
        t = s.mk_app(f, &[t, t]);
    }
    let text = s.smtlib(t);
    assert!(text.len() < 20_000);
    let again = {
        let mut context = crate::smtlib::Context::new();
        let x = s.declare_fn("x", &[], SortId::INT);
        context.define("x", crate::smtlib::context::Symbol::Function(x)).unwrap();
        context.define("f", crate::smtlib::context::Symbol::Function(f)).unwrap();
        super::read_term(&mut s, &mut context, &text).unwrap()
    };
    assert_eq!(again, t);
    assert_eq!(s.tree_size(t), u64::MAX);
}
