//! Unrollings of small programs: how many nodes, and what can be reached.

use super::*;
use bolide_cfa::analysis::BlockOptions;
use bolide_smt::solver::{Answer, Solver};

/// Two loops one after the other, of any number of rounds and of three.
const TWO_LOOPS: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local i : i32
  local j : i32
  local n : i32
  entry L0 exit L9
  L8: error C0
  L0 -> L1 : i := 0:i32
  L1 -> L2 : n := nondet input "n"
  L2 -> L3 : assume i < n
  L3 -> L2 : i := i + 1:i32
  L2 -> L4 : assume i >= n
  L4 -> L5 : j := 0:i32
  L5 -> L6 : assume j < 3:i32
  L6 -> L5 : j := j + 1:i32
  L5 -> L7 : assume j >= 3:i32
  L7 -> L8 : assume i == 2:i32
  L7 -> L9 : assume i != 2:i32
"#;

/// A loop that is entered at its head and beside it, where another loop starts.
const ENTERED_TWICE: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local n : i32
  entry L0 exit L4
  L3: error C0
  L0 -> L5 : n := nondet input "n"
  L5 -> L1 : assume n == 0:i32
  L5 -> L2 : assume n != 0:i32
  L1 -> L2 : n := n + 1:i32
  L2 -> L2 : n := n * 2:i32
  L2 -> L1 : assume n < 9:i32
  L2 -> L4 : assume n >= 9:i32
  L1 -> L3 : assume n == 2:i32
"#;

/// Nodes, whether an error can be reached, and whether the bound can be exceeded.
fn unroll(text: &str, measure: Measure, bound: u32) -> (usize, bool, bool) {
    let program = bolide_cfa::text::parse(text).unwrap();
    let (store, budget) = (&mut TermStore::new(), Budget::unlimited());
    let intervals = Box::new(|_, _| (None, None));
    let mut blocks = BlockProgram::new(&program, store, BlockOptions::default(), intervals);
    let calls = Calls::new(&blocks, store).unwrap();
    let mut unroller = Unroller::new(&mut blocks, &calls);
    let unrolled = unroller.unroll(store, Start::Program, measure, bound, &budget).unwrap();
    let (error, beyond) = (unrolled.error(store), unrolled.beyond(store));
    let [error, beyond] = [error, beyond].map(|formula| {
        let answer = Solver::default().check(store, &[formula], &budget);
        assert!(!matches!(answer, Answer::Unknown(_)), "{answer:?}");
        answer == Answer::Sat
    });
    (unrolled.len(), error, beyond)
}

/// The rounds of the second loop are the same whatever the first one did: its nodes are not multiplied, and since its
/// counter is known in each round nothing is beyond the third.
#[test]
fn loops_one_after_the_other_add_up() {
    // Each loop has two nodes, and the second goes beyond.
    assert_eq!(unroll(TWO_LOOPS, Measure::Rounds, 1), (5, false, true));
    // Each has four, and there is the error.
    assert_eq!(unroll(TWO_LOOPS, Measure::Rounds, 3), (10, true, true));
    // The second has four still.
    assert_eq!(unroll(TWO_LOOPS, Measure::Rounds, 5), (12, true, true));
    // Where the first has at most two, a third contradicts that by itself.
    let few = TWO_LOOPS.replace(
        "L1 -> L2 : n := nondet input \"n\"",
        "L1 -> L10 : n := nondet input \"n\"\n  L10 -> L2 : assume n <= 2:i32",
    );
    assert_eq!(unroll(&few, Measure::Rounds, 3), (9, true, false));
}

/// By blocks, runs of the same length meet: the rounds of one loop are those of the other too.
#[test]
fn blocks_count_all_rounds_together() {
    // Two rounds, one block out of the first loop, three rounds and one block to the error.
    assert!(!unroll(TWO_LOOPS, Measure::Blocks, 7).1);
    assert!(unroll(TWO_LOOPS, Measure::Blocks, 8).1);
}

#[test]
fn a_loop_may_be_entered_beside_its_head() {
    for measure in [Measure::Rounds, Measure::Blocks] {
        assert!(unroll(ENTERED_TWICE, measure, 4).1, "{measure:?}");
        let never = ENTERED_TWICE.replace("n := n + 1:i32", "n := 8:i32");
        let never =
            never.replace("n := n * 2:i32", "n := 8:i32").replace("n != 0:i32", "n == 5:i32");
        assert!(!unroll(&never, measure, 4).1, "{measure:?}");
    }
}

/// Where ways meet, cells at known indices are merged one by one, over whatever the rest is.
#[test]
fn arrays_are_merged_cell_by_cell() {
    let mut store = TermStore::new();
    let int = bolide_terms::SortId::INT;
    let sort = store.mk_array_sort(int, int);
    let array = store.mk_const("a", sort);
    let [zero, one, two] = [0, 1, 2].map(|n| store.mk_int(n));
    let first = store.mk_store(array, zero, one);
    let first = store.mk_store(first, one, one);
    let second = store.mk_store(array, zero, two);
    let second = store.mk_store(second, one, one);
    let mut merge = Merge::new(&mut store, 2);
    let merged = merge.value("m", &[first, second]);
    let chosen = merge.finish();
    assert_eq!((chosen[0].len(), chosen[1].len()), (1, 1), "one cell differs");
    let cell = store.mk_const("m[0]", int);
    assert_eq!(store.mk_select(merged, zero), cell);
    assert_eq!(store.mk_select(merged, one), one);
    assert_eq!(store.mk_select(merged, two), store.mk_select(array, two));
    assert_eq!(chosen[1][0], store.mk_eq(cell, two));
    // Written at an unknown index, it is another array.
    let unknown = store.mk_const("i", int);
    let third = store.mk_store(array, unknown, one);
    let mut merge = Merge::new(&mut store, 2);
    assert_eq!(merge.value("m", &[first, third]), merge.value("m", &[third, first]));
}

#[test]
fn what_was_written_over_is_forgotten() {
    let mut store = TermStore::new();
    let int = bolide_terms::SortId::INT;
    let sort = store.mk_array_sort(int, int);
    let array = store.mk_const("a", sort);
    let [zero, one, two] = [0, 1, 2].map(|n| store.mk_int(n));
    let kept = store.mk_store(array, zero, two);
    let kept = store.mk_store(kept, one, one);
    let longer = store.mk_store(array, zero, one);
    let longer = store.mk_store(longer, one, one);
    let longer = store.mk_store(longer, zero, two);
    assert_eq!(merge::tidy(&mut store, longer), merge::tidy(&mut store, kept));
}
