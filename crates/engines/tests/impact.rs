//! The engine `impact` on small programs, every verdict audited.

mod common;

use bolide_engines::task::Orders;
use common::{COUNTING, LOCK, Searched, search};

fn run(text: &str, single_blocks: bool) -> Searched {
    search("impact", text, &Orders { single_blocks, ..Orders::default() })
}

fn check(text: &str, single: bool) -> String {
    run(text, single).words
}

/// The restriction language at the end of a proof.
fn language(text: &str) -> u64 {
    let found = run(text, false);
    assert_eq!(found.words, "safe");
    found.figure("restriction language")
}

#[test]
fn the_lock_example_is_safe() {
    for single in [false, true] {
        assert!(check(LOCK, single).starts_with("safe"), "{}", check(LOCK, single));
    }
}

/// As in the paper's Figure 3: two covering arcs make the unwinding complete.
#[test]
fn the_lock_example_has_two_covers() {
    assert_eq!(run(LOCK, true).figure("covering arcs"), 2);
}

#[test]
fn a_broken_lock_is_found() {
    let broken = LOCK.replace("old := new", "old := new + 1:i32");
    assert!(check(&broken, false).starts_with("unsafe"), "{}", check(&broken, false));
}

#[test]
fn a_counting_loop_is_safe() {
    assert!(check(COUNTING, false).starts_with("safe"), "{}", check(COUNTING, false));
}

/// Rounds that a refutation could count one by one.
const COUNTED: &str = r#"
program LP64
entry main
check C0 unreach-call "too far"
function main() -> result : i32
  local x : i32
  local y : i32
  local n : i32
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : x := 0:i32
  L1 -> L2 : y := 0:i32
  L2 -> L3 : n := nondet input "n"
  L3 -> L4 : assume n != 0:i32
  L4 -> L7 : x := x + 1:i32
  L7 -> L2 : y := y + 1:i32
  L3 -> L8 : assume n == 0:i32
  L8 -> L5 : assume x + y < 0:i32
  L8 -> L6 : assume x + y >= 0:i32
"#;

#[test]
fn restriction_languages_keep_numbers_small() {
    assert_eq!(language(COUNTED), 0, "the invariant is in the first language");
}

/// What holds at the loop can only be said with 11, which the program does not
/// mention and the first languages do not have: `k` is raised until 2^(k+1) is above it.
const RAISED: &str = r#"
program LP64
entry main
check C0 unreach-call "too small"
function main() -> result : i32
  local x : i32
  local n : i32
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : x := 5:i32
  L1 -> L2 : x := x + 6:i32
  L2 -> L3 : n := nondet input "n"
  L3 -> L2 : assume n != 0:i32
  L3 -> L4 : assume n == 0:i32
  L4 -> L7 : x := x - 6:i32
  L7 -> L5 : assume x != 5:i32
  L7 -> L6 : assume x == 5:i32
"#;

#[test]
fn the_restriction_language_is_raised_when_it_is_too_small() {
    assert_eq!(language(RAISED), 3);
    // The same with a number that the program mentions: nothing is raised.
    let text = check(&RAISED.replace("x := x + 6:i32", "n := 11:i32"), false);
    assert!(text.starts_with("unsafe"), "{text}");
    let mentioned = RAISED.replace("L4 -> L7 : x := x - 6:i32", "L4 -> L7 : assume x != 11:i32");
    assert_eq!(language(&mentioned), 0);
}

/// Two loops that keep `x + s * y = 0`: an invariant of the first language, which no refutation of a single path has to mention.
fn kept(start: i32, sign: i32, down_to: i32, step: i32) -> String {
    let (up, down) = if sign > 0 { ('-', '+') } else { ('+', '-') };
    let other = -sign * start;
    format!(
        r#"
program LP64
entry main
check C0 unreach-call "drifted"
function main() -> result : i32
  local x : i32
  local y : i32
  local n : i32
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : x := {start}:i32
  L1 -> L2 : y := {other}:i32
  L2 -> L3 : n := nondet input "n"
  L3 -> L4 : assume n != 0:i32
  L4 -> L6 : assume x > 1000000:i32
  L4 -> L7 : assume x <= 1000000:i32
  L7 -> L8 : x := x + {step}:i32
  L8 -> L2 : y := y {up} {step}:i32
  L3 -> L9 : assume n == 0:i32
  L9 -> L10 : assume x > {down_to}:i32
  L10 -> L11 : x := x - {step}:i32
  L11 -> L9 : y := y {down} {step}:i32
  L9 -> L12 : assume x <= {down_to}:i32
  L12 -> L5 : assume x {down} y != 0:i32
  L12 -> L6 : assume x {down} y == 0:i32
"#
    )
}

/// UNWIND(L) is complete for its language: where a safe unwinding with labels in `L_0` exists, one is found.
#[test]
fn invariants_of_the_first_language_are_found_there() {
    for (start, sign, down_to, step) in
        [(6, 1, 1, 1), (6, 1, 0, 1), (0, 1, 0, 3), (17, -1, 4, 1), (100, 1, 37, 7), (12, 1, 3, 4)]
    {
        let text = kept(start, sign, down_to, step);
        for single in [false, true] {
            let found = run(&text, single);
            assert_eq!(found.words, "safe", "{text}");
            assert_eq!(found.figure("restriction language"), 0, "{text}");
        }
    }
}

/// One variable grows by one and one by three: `b = 3 a - 18` is in the first language, as 3 and 18 are mentioned.
const SCALED: &str = r#"
program LP64
entry main
check C0 unreach-call "drifted"
function main() -> result : i32
  local a : i32
  local b : i32
  local n : i32
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : a := 6:i32
  L1 -> L2 : b := 0:i32
  L2 -> L3 : n := nondet input "n"
  L3 -> L4 : assume n != 0:i32
  L4 -> L6 : assume a > 100000:i32
  L4 -> L7 : assume a <= 100000:i32
  L7 -> L8 : a := a + 1:i32
  L8 -> L2 : b := b + 3:i32
  L3 -> L9 : assume n == 0:i32
  L9 -> L5 : assume b != 3:i32 * a - 18:i32
  L9 -> L6 : assume b == 3:i32 * a - 18:i32
"#;

/// Two phases: first only `x` grows, then both. Invariants: `x <= 50` and `y = 50`, or `x = y`.
const PHASES: &str = r#"
program LP64
entry main
check C0 unreach-call "drifted"
function main() -> result : i32
  local x : i32
  local y : i32
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : x := 0:i32
  L1 -> L2 : y := 50:i32
  L2 -> L3 : assume x < 100:i32
  L3 -> L4 : assume x < 50:i32
  L4 -> L2 : x := x + 1:i32
  L3 -> L7 : assume x >= 50:i32
  L7 -> L8 : x := x + 1:i32
  L8 -> L2 : y := y + 1:i32
  L2 -> L9 : assume x >= 100:i32
  L9 -> L5 : assume y != 100:i32
  L9 -> L6 : assume y == 100:i32
"#;

/// A sum of two counters that only one of the two changes in a round.
const SHARED: &str = r#"
program LP64
entry main
check C0 unreach-call "drifted"
function main() -> result : i32
  local x : i32
  local y : i32
  local z : i32
  local n : i32
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : x := 5:i32
  L1 -> L2 : y := 5:i32
  L2 -> L10 : z := 10:i32
  L10 -> L3 : n := nondet input "n"
  L3 -> L6 : assume z > 100000:i32
  L3 -> L4 : assume z <= 100000:i32
  L4 -> L7 : assume n == 1:i32
  L7 -> L8 : x := x + 1:i32
  L8 -> L10 : z := z + 1:i32
  L4 -> L9 : assume n == 2:i32
  L9 -> L11 : y := y + 2:i32
  L11 -> L10 : z := z + 2:i32
  L4 -> L12 : assume n == 3:i32
  L12 -> L5 : assume x + y != z
  L12 -> L6 : assume x + y == z
"#;

/// Paths do not say these invariants; they are looked for in the language. Of two phases with single statements there are too many
/// paths.
#[test]
fn what_paths_do_not_say_is_found_in_the_first_language() {
    for (text, sizes) in
        [(SCALED, &[false, true][..]), (SHARED, &[false, true]), (PHASES, &[false])]
    {
        for &single in sizes {
            let found = run(text, single);
            assert_eq!(found.words, "safe", "{text}");
            assert_eq!(found.figure("restriction language"), 0, "{text}");
        }
    }
}
