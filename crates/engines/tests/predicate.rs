//! The engine `predicate` on small programs, every verdict audited.

mod common;

use bolide_engines::predicate_abstraction::{Options, Scope};
use bolide_engines::task::Orders;
use bolide_verdict::Certificate;
use common::{
    ADDITION, COUNTING, IDENTITY, INCREMENT, INCREMENT_CELL, LOCK, Searched, audited, parse, search,
};

fn run(text: &str, single_blocks: bool, predicate: Options) -> Searched {
    search("predicate", text, &Orders { single_blocks, predicate, ..Orders::default() })
}

/// The contracts of a proof.
fn contracts(text: &str, found: &Searched) -> String {
    let (program, store) = (parse(text), &found.store);
    let mut words = String::new();
    for contract in &found.annotation.as_ref().expect("there is a proof").contracts {
        let function = &program.functions[contract.function];
        let exit = function.body.unwrap().exit;
        let post = contract.invariants.get(&exit).copied().unwrap_or(store.mk_false());
        let (before, after) = (store.infix(contract.precondition), store.infix(post));
        words += &format!("{}: {before} -> {after}\n", function.name);
    }
    words
}

/// Without summaries from executions.
fn alone(text: &str) -> Searched {
    search("predicate", text, &Orders { guess: false, ..Orders::default() })
}

fn check(text: &str) -> String {
    run(text, false, Options::default()).words
}

#[test]
fn the_lock_example_is_safe() {
    for single in [false, true] {
        for scope in [Scope::Location, Scope::Function, Scope::Global] {
            for valuations in [0, 64] {
                let options = Options { scope, valuations };
                let outcome = run(LOCK, single, options);
                assert_eq!(outcome.words, "safe", "{single} {scope:?} {valuations}");
            }
        }
    }
}

#[test]
fn a_broken_lock_is_found() {
    let broken = LOCK.replace("old := new", "old := new + 1:i32");
    assert!(check(&broken).starts_with("unsafe"), "{}", check(&broken));
}

#[test]
fn a_counting_loop_is_safe() {
    assert_eq!(check(COUNTING), "safe");
}

/// Figure 1 of the paper: `n` pairs of correlated conditions around lock and unlock.
fn locking(n: usize) -> String {
    let mut text = String::from(
        "program LP64\nentry main\ncheck C0 unreach-call \"lock\"\nfunction main() -> result : i32\n  local lock : i32\n",
    );
    for i in 0..n {
        text += &format!("  local p{i} : i32\n");
    }
    let end = 7 * n;
    text += &format!("  entry L{} exit L{end}\n  L{}: error C0\n", end + 1, end + 2);
    text += &format!("  L{} -> L0 : lock := 0:i32\n", end + 1);
    for i in 0..n {
        let l = |k: usize| format!("L{}", 7 * i + k);
        let error = end + 2;
        text += &format!(
            "  {} -> {} : p{i} := nondet input \"p{i}\"\n\
             \x20 {} -> {} : assume p{i} != 0:i32\n\
             \x20 {} -> L{error} : assume lock != 0:i32\n\
             \x20 {} -> {} : assume lock == 0:i32\n\
             \x20 {} -> {} : lock := 1:i32\n\
             \x20 {} -> {} : assume p{i} == 0:i32\n\
             \x20 {} -> {} : assume p{i} != 0:i32\n\
             \x20 {} -> L{error} : assume lock != 1:i32\n\
             \x20 {} -> {} : assume lock == 1:i32\n\
             \x20 {} -> L{} : lock := 0:i32\n\
             \x20 {} -> L{} : assume p{i} == 0:i32\n",
            l(0),
            l(1),
            l(1),
            l(2),
            l(2),
            l(2),
            l(3),
            l(3),
            l(4),
            l(1),
            l(4),
            l(4),
            l(5),
            l(5),
            l(5),
            l(6),
            l(6),
            7 * i + 7,
            l(4),
            7 * i + 7,
        );
    }
    text
}

/// Boolean abstraction with the atoms of the interpolants excludes the run that
/// they refute: it never comes back.
#[test]
fn a_refuted_run_never_comes_back() {
    for single in [false, true] {
        for text in [LOCK.to_owned(), locking(4)] {
            let outcome = run(&text, single, Options::default());
            let returned = outcome.figure("runs that came back");
            assert_eq!((outcome.words.as_str(), returned), ("safe", 0));
            // Without loops a large block is the whole program.
            assert!(outcome.figure("refinements") > 0 || !single);
        }
    }
}

/// With predicates of locations the number of abstract states is linear.
#[test]
fn locality_keeps_the_locking_program_linear() {
    let figures = |n| {
        let outcome = run(&locking(n), true, Options::default());
        assert_eq!(outcome.words, "safe");
        (outcome.figure("states"), outcome.figure("questions for posts"))
    };
    let [(five, _), (ten, asked_ten), (twenty, asked_twenty), (forty, asked_forty)] =
        [5, 10, 20, 40].map(figures);
    // Time is at most quadratic: for twice the blocks at most four times the questions.
    assert!(asked_twenty <= 4 * asked_ten, "{asked_ten} {asked_twenty} {asked_forty}");
    assert!(asked_forty <= 4 * asked_twenty, "{asked_ten} {asked_twenty} {asked_forty}");
    // Exactly linear: each block adds as many states as the one before it.
    assert_eq!((ten - five) * 2, twenty - ten, "{five} {ten} {twenty} {forty}");
    assert_eq!((twenty - ten) * 2, forty - twenty, "{five} {ten} {twenty} {forty}");
}

#[test]
fn a_summary_relates_result_and_entry_value() {
    let outcome = alone(INCREMENT);
    // The predicate of the paper: the result in terms of the symbolic entry value.
    let expected = expect_test::expect![[r#"
        inc: inc::x = inc::x@in -> inc::r = inc::x@in + 1
    "#]];
    expected.assert_eq(&contracts(INCREMENT, &outcome));
}

/// Well-scoped as in the paper: about the cell that the parameter points to, now and when the function
/// was entered: the equation `*x = *x@in + 1`, where nothing wraps around.
#[test]
fn a_summary_relates_a_cell_and_its_entry_value() {
    let outcome = alone(INCREMENT_CELL);
    let expected = expect_test::expect![[r#"
        inc: mem:1:cells = mem:1:cells@in -> mem:1:cells@in[inc::x.obj][inc::x.off] >= 2147483647 and mem:1:cells[inc::x.obj][inc::x.off] != mem:1:cells@in[inc::x.obj][inc::x.off] + 1 or mem:1:cells[inc::x.obj][inc::x.off] = mem:1:cells@in[inc::x.obj][inc::x.off] + 1 and mem:1:cells@in[inc::x.obj][inc::x.off] <= 2147483646
    "#]];
    expected.assert_eq(&contracts(INCREMENT_CELL, &outcome));
    let broken = INCREMENT_CELL.replace("i32[x]@r1 + 1:i32", "i32[x]@r1 + 2:i32");
    assert!(check(&broken).starts_with("unsafe"), "{}", check(&broken));
}

#[test]
fn a_wrong_call_is_found() {
    let text = INCREMENT.replace("r := x", "r := x + 1:i32");
    assert!(check(&text).starts_with("unsafe"), "{}", check(&text));
}

#[test]
fn recursion_is_a_fixpoint_of_summaries() {
    let outcome = run(IDENTITY, false, Options::default());
    assert_eq!(outcome.words, "safe");
    let text = IDENTITY
        .replace("b != 3:i32", "b == 3:i32")
        .replace("L9 : assume b == 3", "L9 : assume b != 3");
    assert!(check(&text).starts_with("unsafe"), "{}", check(&text));
}

/// An error in a callee depends on what the caller passes.
#[test]
fn an_error_inside_a_callee_needs_facts_about_its_arguments() {
    let text = r#"
program LP64
entry main
global g : i32 = 0:i32
check C0 unreach-call "x"
function f(x : i32) -> r : i32
  entry L0 exit L3
  L2: error C0
  L0 -> L1 : g := g + x
  L1 -> L2 : assume g < 0:i32
  L1 -> L3 : assume g >= 0:i32
function main() -> result : i32
  local a : i32
  entry L4 exit L7
  L4 -> L5 : a := nondet input "a"
  L5 -> L6 : assume a >= 0:i32
  L6 -> L8 : call f(a)
  L8 -> L7 : call f(1:i32)
"#;
    assert_eq!(check(text), "safe");
    let broken = text.replace("a >= 0:i32", "a >= -1:i32");
    assert!(check(&broken).starts_with("unsafe"), "{}", check(&broken));
}

#[test]
fn summaries_are_guessed_from_executions() {
    let outcome = run(ADDITION, false, Options::default());
    assert_eq!(outcome.words, "safe");
    assert_eq!(outcome.figure("refinements"), 0);
}

/// The audit believes no contract that does not follow from the others.
#[test]
fn contracts_that_were_tampered_with_are_rejected() {
    let program = parse(ADDITION);
    let Searched { annotation, mut store, .. } = run(ADDITION, false, Options::default());
    let annotation = annotation.expect("there is a proof");

    let exit = program.functions[annotation.contracts[0].function].body.unwrap().exit;
    let mut never_returns = annotation.clone();
    never_returns.contracts[0].invariants.insert(exit, store.mk_false());
    let mut says_nothing = annotation.clone();
    says_nothing.contracts[0].invariants.insert(exit, store.mk_true());
    let mut never_called = annotation.clone();
    never_called.contracts[0].precondition = store.mk_false();
    let mut without = annotation.clone();
    without.contracts.clear();
    for tampered in [never_returns, says_nothing, never_called, without] {
        assert!(audited(&program, &mut store, &Certificate::Invariants(tampered)).is_err());
    }
}
