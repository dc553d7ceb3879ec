//! Reading scripts, also broken ones.

use crate::TermStore;
use crate::smtlib::{Command, Reader};
use bolide_testing::Dice;
use expect_test::{Expect, expect};

fn commands(text: &str) -> String {
    let mut store = TermStore::new();
    let mut reader = Reader::new(text);
    let mut out = String::new();
    while let Some(command) = reader.next_command(&mut store) {
        match command {
            Ok(command) => out += &format!("{command:?}\n"),
            Err(error) => out += &format!("error {error}\n"),
        }
    }
    out
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&commands(text));
}

const SCRIPT: &str = r#"(set-logic QF_AUFLIA) ; remark
(set-option :produce-models true)
(set-info :status unsat)
(set-info :source |several
lines|)
(declare-sort Pair 2)
(define-sort Map (K) (Array K Int))
(declare-fun |a b| () (Map Int))
(declare-const c (Pair Int Bool))
(declare-fun f (Int (Pair Int Bool)) Bool)
(define-fun twice ((x Int)) Int (* 2 x))
(define-const k Int (twice 21))
(push 1)
(declare-const local Int)
(assert (! (> (select |a b| local) (twice k)) :named A1))
(assert (and (f k c) A1))
(pop 1)
(assert (= local 1))
(check-sat)
(check-sat-assuming ((f 1 c) (not (f 2 c))))
(get-value ((select |a b| 3) k))
(get-interpolants A (and B C) D)
(get-interpolants f1 f2 (f3 f4) f5)
(get-interpolants A (B))
(echo "say ""hello""")
(declare-datatypes ((L 0)) (((nil))))
(minimize k)
(get-info :name)
(pop 3)
(exit)"#;

#[test]
fn a_script() {
    check(
        SCRIPT,
        expect![[r#"
        SetLogic("QF_AUFLIA")
        SetOption { keyword: ":produce-models", value: "true" }
        SetInfo { keyword: ":status", value: "unsat" }
        SetInfo { keyword: ":source", value: "several\nlines" }
        Sort { name: "Pair" }
        Sort { name: "Map" }
        Declare(FunctionId(0))
        Declare(FunctionId(1))
        Declare(FunctionId(2))
        Define { name: "twice" }
        Define { name: "k" }
        Push(1)
        Declare(FunctionId(3))
        Assert { formula: TermId(12), name: Some("A1") }
        Assert { formula: TermId(15), name: None }
        Pop(1)
        error 18:12: local is not declared
        CheckSat
        CheckSatAssuming([(TermId(17), "(f 1 c)"), (TermId(19), "(not (f 2 c))")])
        GetValue([(TermId(21), "(select |a b| 3)"), (TermId(6), "k")])
        GetInterpolants(Partitions { groups: [["A"], ["B", "C"], ["D"]], parents: [1, 2, 2] })
        GetInterpolants(Partitions { groups: [["f1"], ["f2"], ["f3"], ["f4"], ["f5"]], parents: [1, 4, 3, 4, 4] })
        error 24:1: the last argument must be the root of the tree
        Echo("say \"hello\"")
        Unsupported("declare-datatypes")
        Unsupported("minimize")
        GetInfo(":name")
        error 29:1: pop 3 with 0 scopes open
        Exit
    "#]],
    );
}

#[test]
fn signed_numbers_of_other_printers() {
    let mut store = TermStore::new();
    let mut reader = Reader::new(
        "(declare-const x Int) (declare-const y Real)
        (assert (= x -2)) (assert (< y -1.5)) (assert (= x -2a))
        (declare-const -2 Int) (assert (= x (- -2 -3)))",
    );
    let mut out = String::new();
    while let Some(command) = reader.next_command(&mut store) {
        match command {
            Ok(Command::Assert { formula, .. }) => out += &store.smtlib(formula),
            Ok(_) => continue,
            Err(error) => out += &error.to_string(),
        }
        out.push('\n');
    }
    expect![[r#"
        (= x (- 2))
        (< y (- (/ 3.0 2.0)))
        2:60: -2a is not declared
        (= (+ x (* (- 1) -2)) 3)
    "#]]
    .assert_eq(&out);
}

#[test]
fn broken_scripts_get_errors_and_never_panic() {
    let mut dice = Dice::new(42);
    let pieces = [
        "(",
        ")",
        "|",
        "\"",
        "let",
        "((x 1))",
        "(_ bv5 8)",
        "!",
        ":named",
        "#x",
        "as",
        "1.5",
        "é",
        ";",
    ];
    for round in 0..3000 {
        let mut text = SCRIPT.as_bytes().to_vec();
        for _ in 0..1 + round % 6 {
            let at = dice.roll(text.len());
            match dice.roll(4) {
                0 => {
                    let end = (at + dice.roll(12)).min(text.len());
                    text.drain(at..end);
                }
                1 => {
                    let piece = dice.pick(&pieces);
                    text.splice(at..at, piece.bytes());
                }
                2 => text[at] = dice.roll(128) as u8,
                _ => {
                    let from = dice.roll(text.len());
                    let end = (from + dice.roll(30)).min(text.len());
                    let copy = text[from..end].to_vec();
                    text.splice(at..at, copy);
                }
            }
        }
        if let Ok(text) = String::from_utf8(text) {
            commands(&text);
        }
    }
}
