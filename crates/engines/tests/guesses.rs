//! Facts that are guessed before the search and prove each other: with them the first path
//! that an engine looks at is the last one.

use bolide_base::Budget;
use bolide_engines::choose::{self, Options};
use bolide_verdict::Verdict;

/// Proves the program with `impact` and says how many paths had to be refuted.
fn refinements(text: &str) -> u64 {
    let program = bolide_cfa::text::parse(text).expect("the test's program parses");
    let options = Options { engine: choose::engine("impact"), ..Options::default() };
    // Where the guesses fail the search has no end.
    let budget = Budget::unlimited().child_for("test", 4_000_000);
    let report = choose::verify(&program, &options, &budget);
    assert!(matches!(report.verdict, Verdict::True { .. }), "{:?}", report.verdict);
    let figures = &report.runs[0].statistics.figures;
    figures.iter().find(|(name, _)| *name == "refinements").expect("impact counts them").1
}

#[test]
fn a_sum_is_half_a_square() {
    let found = refinements(
        r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local n : i32
  local s : i32
  local i : i32
  entry L0 exit L9
  L8: error C0
  L0 -> L1 : n := nondet input "n"
  L1 -> L10 : assume 1:i32 <= n
  L10 -> L2 : assume n <= 1000:i32
  L2 -> L3 : s := 0:i32
  L3 -> L4 : i := 1:i32
  L4 -> L5 : assume i <= n
  L5 -> L6 : s := s + i
  L6 -> L4 : i := i + 1:i32
  L4 -> L7 : assume i > n
  L7 -> L8 : assume 2:i32 * s != n * (n + 1:i32)
  L7 -> L9 : assume 2:i32 * s == n * (n + 1:i32)
"#,
    );
    assert!(found <= 1, "{found}");
}

/// Which flag goes with which state is a table, not a sum.
#[test]
fn states_of_a_protocol_are_a_table() {
    let found = refinements(
        r#"
program LP64
entry main
check C0 unreach-call "x"
function main() -> result : i32
  local state : i32
  local next : i32
  local flag : i32
  local more : i32
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : state := 8464:i32
  L1 -> L2 : flag := 0:i32
  L2 -> L3 : more := nondet input "more"
  L3 -> L7 : assume state == 8464:i32
  L7 -> L8 : next := 8496:i32
  L8 -> L2 : state := 8448:i32
  L3 -> L9 : assume state == 8448:i32
  L9 -> L10 : assume next == 8496:i32
  L10 -> L11 : flag := 1:i32
  L11 -> L2 : state := next
  L9 -> L12 : assume next != 8496:i32
  L12 -> L13 : flag := 2:i32
  L13 -> L2 : state := next
  L3 -> L14 : assume state == 8496:i32
  L14 -> L15 : next := 8464:i32
  L15 -> L2 : state := 8448:i32
  L3 -> L16 : assume state == 8464:i32
  L16 -> L6 : assume more == 0:i32
  L3 -> L4 : assume state == 8496:i32
  L4 -> L5 : assume flag != 1:i32
"#,
    );
    assert!(found <= 1, "{found}");
}
