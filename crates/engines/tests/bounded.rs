//! The engine `bounded` on small programs, every verdict audited.

mod common;

use bolide_base::Budget;
use bolide_engines::bounded::Options;
use bolide_engines::choose;
use bolide_engines::task::Orders;
use bolide_reachability::verdict::Annotation;
use bolide_terms::{TermId, TermStore};
use bolide_verdict::{Certificate, Verdict};
use common::{COUNTING, IDENTITY, INCREMENT, LOCK, Searched, audited, parse, search};

fn orders(bound: Option<u32>, induction: bool) -> Orders {
    Orders { bounded: Options { bound, induction }, ..Orders::default() }
}

fn run(text: &str, bound: u32, induction: bool) -> Searched {
    search("bounded", text, &orders(Some(bound), induction))
}

fn part(text: &str, bound: u32) -> (String, Option<&'static str>) {
    let found = run(text, bound, true);
    (found.words.clone(), found.statistics.part)
}

/// What the whole house says, facts and replay included.
fn verdict(text: &str) -> Verdict {
    let options = choose::Options { engine: choose::engine("bounded"), ..Default::default() };
    choose::verify(&parse(text), &options, &Budget::unlimited()).verdict
}

/// As many rounds as an input says, of at most four.
const FEW_ROUNDS: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local i : i32
  local n : i32
  entry L0 exit L7
  L6: error C0
  L0 -> L1 : i := 0:i32
  L1 -> L2 : n := nondet input "n"
  L2 -> L3 : assume n <= 4:i32
  L3 -> L4 : assume i < n
  L4 -> L3 : i := i + 1:i32
  L3 -> L5 : assume i >= n
  L5 -> L6 : assume i == 5:i32
  L5 -> L7 : assume i != 5:i32
"#;

#[test]
fn what_has_few_rounds_is_proved_by_unwinding() {
    assert_eq!(part(FEW_ROUNDS, 5), ("safe".into(), Some("unwinding")));
    let found = run(FEW_ROUNDS, 3, false);
    assert!(found.words.starts_with("unknown: "), "{}", found.words);
    assert_eq!(found.figure("rounds"), 3);
}

/// The bound is the certificate: one less is refused, and so is any of a program that fails.
#[test]
fn fewer_rounds_than_there_are_prove_nothing() {
    let (whole, store) = (parse(FEW_ROUNDS), &mut TermStore::new());
    assert_eq!(audited(&whole, store, &Certificate::Unrolled { rounds: 4 }), Ok(1));
    assert!(audited(&whole, store, &Certificate::Unrolled { rounds: 3 }).is_err());
    let broken = parse(&FEW_ROUNDS.replace("i == 5:i32", "i == 4:i32"));
    assert!(audited(&broken, store, &Certificate::Unrolled { rounds: 4 }).is_err());
}

#[test]
fn a_violation_is_found_in_as_many_rounds_as_it_needs() {
    let broken = FEW_ROUNDS.replace("assume i == 5:i32", "assume i == 3:i32");
    let found = run(&broken, 100, true);
    // Three rounds of two edges, three edges before and two after them.
    assert_eq!((found.words.as_str(), found.figure("rounds")), ("unsafe after 11 edges", 3));
    assert!(matches!(verdict(&broken), Verdict::False(_)));
}

#[test]
fn rounds_that_are_decided_need_no_solver() {
    let decided = FEW_ROUNDS.replace("n := nondet input \"n\"", "n := 4:i32");
    let found = run(&decided, 5, false);
    assert_eq!((found.words.as_str(), found.statistics.prover.calls), ("safe", 0));
}

/// Three variables that follow each other: the property needs the rounds before.
const FOLLOWING: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local x : i32
  local y : i32
  local z : i32
  local n : i32
  entry L0 exit L9
  L6: error C0
  L0 -> L1 : x := 1:i32
  L1 -> L2 : y := 1:i32
  L2 -> L3 : z := 1:i32
  L3 -> L4 : n := nondet input "n"
  L4 -> L9 : assume n == 0:i32
  L4 -> L5 : assume n != 0:i32
  L5 -> L6 : assume x != 1:i32
  L5 -> L7 : assume x == 1:i32
  L7 -> L8 : x := y
  L8 -> L10 : y := z
  L10 -> L3 : z := 1:i32
"#;

#[test]
fn a_property_that_needs_earlier_rounds_is_k_inductive() {
    let found = run(FOLLOWING, 8, true);
    assert_eq!((found.words.as_str(), found.statistics.part), ("safe", Some("k-induction")));
    // The fourth block is decided by the three before it; four is no bound.
    assert_eq!(found.figure("blocks of induction"), 5);
    assert!(run(FOLLOWING, 8, false).words.starts_with("unknown"));
    let broken = FOLLOWING.replace("y := z", "y := z + 1:i32");
    assert!(run(&broken, 8, true).words.starts_with("unsafe"));
}

/// Neither fewer blocks nor facts that do not hold prove it.
#[test]
fn the_audit_of_induction_asks_for_base_step_and_facts() {
    let (program, store) = (parse(FOLLOWING), &mut TermStore::new());
    let mut says = |program, k, invariant: Option<TermId>| {
        let locations = parse(FOLLOWING).locations.ids();
        let invariants = locations.filter_map(|l| Some((l, invariant?))).collect();
        let facts = Annotation { invariants, contracts: Vec::new() };
        audited(program, store, &Certificate::Induction { k, facts })
    };
    assert!(says(&program, 4, None).is_ok());
    assert!(says(&program, 4, Some(TermId::TRUE)).is_ok());
    assert!(says(&program, 3, None).is_err(), "the step fails");
    assert!(says(&program, 0, None).is_err());
    assert!(says(&program, 4, Some(TermId::FALSE)).is_err(), "the facts do not hold");
    let broken = parse(&FOLLOWING.replace("L2 -> L3 : z := 1:i32", "L2 -> L3 : z := 2:i32"));
    assert!(says(&broken, 4, None).is_err(), "the base fails");
}

/// The check comes after the loop, so no round says anything of the one before it.
const TOGETHER: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local x : i32
  local y : i32
  local n : i32
  entry L0 exit L8
  L7: error C0
  L0 -> L1 : x := 0:i32
  L1 -> L2 : y := 0:i32
  L2 -> L3 : n := nondet input "n"
  L3 -> L4 : assume n != 0:i32
  L4 -> L5 : assume x < 1000:i32
  L5 -> L6 : x := x + 1:i32
  L6 -> L2 : y := y + 1:i32
  L3 -> L9 : assume n == 0:i32
  L9 -> L7 : assume x != y
  L9 -> L8 : assume x == y
"#;

/// The guessed facts make it inductive.
#[test]
fn facts_of_others_are_used() {
    assert!(matches!(verdict(TOGETHER), Verdict::True { .. }));
    assert!(run(TOGETHER, 5, true).words.starts_with("unknown"), "without facts it is not");
    // The last round decides here, and nothing else is needed.
    assert_eq!(part(COUNTING, 5), ("safe".into(), Some("k-induction")));
}

#[test]
fn the_lock_example_is_inductive() {
    assert_eq!(part(LOCK, 3).0, "safe");
    let broken = LOCK.replace("old := new", "old := new + 1:i32");
    assert!(run(&broken, 3, true).words.starts_with("unsafe"));
}

/// Calls are unrolled as loops are; locals of two activations are different ones.
#[test]
fn recursion_is_unrolled() {
    assert_eq!(part(IDENTITY, 8), ("safe".into(), Some("unwinding")));
    assert!(run(IDENTITY, 2, true).words.starts_with("unknown"));
    assert_eq!(part(INCREMENT, 8).0, "safe");
    for (text, from, to) in
        [(IDENTITY, "r := 0:i32", "r := 1:i32"), (INCREMENT, "r := x", "r := 7:i32")]
    {
        let broken = text.replace(from, to);
        assert!(run(&broken, 8, true).words.starts_with("unsafe"), "{broken}");
        assert!(matches!(verdict(&broken), Verdict::False(_)), "{broken}");
    }
}

/// A local that is not set keeps nothing of the activation around it.
#[test]
fn a_new_activation_knows_nothing_of_the_old() {
    // What `y` is in the innermost activation is open, so both ways are possible.
    let told = IDENTITY.replace("L1 -> L3 : r := 0:i32", "L1 -> L3 : r := y");
    assert!(run(&told, 8, true).words.starts_with("unsafe"), "any value is possible");
}

/// Cells of known index are scalars where two ways meet: nothing is left to ask of arrays.
const CELLS: &str = r#"
program LP64
entry main
region r1 "cells" cell i32
check C0 unreach-call "x"
function main() -> result : i32
  local a : ptr
  local n : i32
  local i : i64
  entry L0 exit L11
  L10: error C0
  L0 -> L1 : a := alloc stack(16:u64) align 4 @r1
  L1 -> L2 : i := 0:i64
  L2 -> L3 : assume i < 4:i64
  L3 -> L4 : n := nondet input "n"
  L4 -> L5 : assume n == 0:i32
  L4 -> L6 : assume n != 0:i32
  L5 -> L7 : i32[a + i * 4:i64]@r1 := 1:i32
  L6 -> L7 : i32[a + i * 4:i64]@r1 := 2:i32
  L7 -> L2 : i := i + 1:i64
  L2 -> L8 : assume i >= 4:i64
  L8 -> L9 : n := i32[a]@r1 + i32[a + 12:i64]@r1
  L9 -> L10 : assume n == 5:i32
  L9 -> L11 : assume n != 5:i32
"#;

#[test]
fn cells_of_known_index_are_scalars() {
    assert_eq!(part(CELLS, 5), ("safe".into(), Some("unwinding")));
    let broken = CELLS.replace("n == 5:i32", "n == 4:i32");
    assert!(run(&broken, 5, true).words.starts_with("unsafe"));
    assert!(matches!(verdict(&broken), Verdict::False(_)));
}
