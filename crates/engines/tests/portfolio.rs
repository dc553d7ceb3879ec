//! Several engines on one program: who is run, who wins, what stops the others.

mod common;

use bolide_base::{Budget, Exhausted};
use bolide_cfa::Program;
use bolide_engines::choose::{self, Options, Report};
use bolide_verdict::Verdict;
use common::LOCK;
use expect_test::{Expect, expect};

fn parse(text: &str) -> Program {
    bolide_cfa::text::parse(text).expect("the test's program parses")
}

fn describe(report: &Report) -> String {
    let verdict = match &report.verdict {
        Verdict::True { .. } => "true".to_owned(),
        Verdict::False(_) => "false".to_owned(),
        Verdict::Unknown(reason) => format!("unknown: {reason}"),
    };
    let runs: Vec<String> =
        report.runs.iter().map(|run| format!("{} = {}", run.engine, run.outcome)).collect();
    let winner = report.winner.unwrap_or("nobody");
    format!("{verdict} by {winner}\n{}\n{}", report.chosen, runs.join("\n"))
}

fn check(text: &str, options: &Options, expected: Expect) {
    let report = choose::verify(&parse(text), options, &Budget::unlimited());
    expected.assert_eq(&describe(&report));
}

#[test]
fn with_one_thread_engines_take_turns_and_the_first_decides() {
    check(
        LOCK,
        &Options { executions: false, ..Options::default() },
        expect![[r#"
            true by impact
            impact: all calls can be inlined; predicate: a second opinion; bounded: runs of few rounds; trace: a third opinion (taking turns)
            impact = true"#]],
    );
}

#[test]
fn what_the_first_engine_proves_at_once_needs_no_others() {
    check(
        LOCK,
        &Options::default(),
        expect![[r#"
            true by impact
            impact: a first attempt
            impact = true"#]],
    );
}

#[test]
fn an_engine_can_be_asked_for() {
    let options = Options { engine: choose::engine("predicate"), ..Options::default() };
    check(
        LOCK,
        &options,
        expect![[r#"
            true by predicate
            predicate: as asked
            predicate = true"#]],
    );
}

#[test]
fn side_by_side_the_verdict_is_the_same() {
    let options = Options { threads: 2, ..Options::default() };
    for _ in 0..2 {
        let report = choose::verify(&parse(LOCK), &options, &Budget::unlimited());
        assert!(matches!(report.verdict, Verdict::True { .. }), "{}", describe(&report));
        assert!(report.winner.is_some());
    }
}

/// The error is behind a sum that no execution guesses.
const FOUND_BY_SEARCH: &str = r#"
program LP64
entry main
check C0 unreach-call "found"
function main() -> result : i32
  local x : i32
  local y : i32
  entry L0 exit L5
  L4: error C0
  L0 -> L1 : x := nondet input "x"
  L1 -> L2 : y := nondet input "y"
  L2 -> L3 : assume x == y + 81123:i32
  L3 -> L4 : assume x > 90001:i32
  L3 -> L5 : assume x <= 90001:i32
"#;

#[test]
fn side_by_side_counterexamples_are_replayed() {
    let options = Options { threads: 2, ..Options::default() };
    let report = choose::verify(&parse(FOUND_BY_SEARCH), &options, &Budget::unlimited());
    assert!(matches!(report.verdict, Verdict::False(_)), "{}", describe(&report));
}

#[test]
fn a_stopped_budget_stops_all_engines() {
    let budget = Budget::unlimited();
    budget.stop(Exhausted::Time);
    let options = Options { threads: 2, ..Options::default() };
    let report = choose::verify(&parse(LOCK), &options, &budget);
    assert!(
        matches!(report.verdict, Verdict::Unknown(_)),
        "work without a budget: {}",
        describe(&report)
    );
}

/// Counts by one up to 50, then by two: even at the end.
const PHASES: &str = r#"
program LP64
entry main
check C0 unreach-call "odd"
function main() -> result : i32
  local x : u32
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : x := 0:u32
  L1 -> L2 : assume x < 268435455:u32
  L2 -> L3 : assume x < 65520:u32
  L3 -> L1 : x := x + 1:u32
  L2 -> L4 : assume x >= 65520:u32
  L4 -> L1 : x := x + 2:u32
  L1 -> L7 : assume x >= 268435455:u32
  L7 -> L5 : assume x % 2:u32 != 0:u32
  L7 -> L6 : assume x % 2:u32 == 0:u32
"#;

/// Counts by an unknown step up to a multiple of it.
const STEPS: &str = r#"
program LP64
entry main
check C0 unreach-call "past the end"
function main() -> result : i32
  local i : i32
  local k : i32
  entry L0 exit L6
  L5: error C0
  L0 -> L1 : k := nondet input "k"
  L1 -> L2 : assume k >= 0:i32
  L2 -> L3 : assume k <= 10:i32
  L3 -> L4 : i := 0:i32
  L4 -> L7 : assume i < 1000000:i32 * k
  L7 -> L4 : i := i + k
  L4 -> L8 : assume i >= 1000000:i32 * k
  L8 -> L5 : assume i != 1000000:i32 * k
  L8 -> L6 : assume i == 1000000:i32 * k
"#;

#[test]
fn what_the_program_compares_suggests_invariants() {
    for text in [PHASES, STEPS] {
        let options = Options { engine: choose::engine("impact"), ..Options::default() };
        let report = choose::verify(&parse(text), &options, &Budget::unlimited());
        assert!(matches!(report.verdict, Verdict::True { .. }), "{}", describe(&report));
    }
}

/// A disjunction, a remainder and two exclusive ors of unknowns: the path to the error goes through all of them and is refuted by the
/// last two.
const OPERATIONS: &str = r#"
program LP64
entry main
check C0 unreach-call "x"
function main()
  local a : u32
  local b : u32
  local p : u32
  local x : u32
  entry L0 exit L7
  L0 -> L1 : a := nondet input "a"
  L1 -> L2 : b := nondet input "b"
  L2 -> L3 : p := a | b
  L3 -> L4 : assume (p % b) == 3:u32
  L4 -> L5 : x := a ^ b
  L5 -> L6 : assume (x ^ b) != a
  L5 -> L7 : assume (x ^ b) == a
  L6: error C0
"#;

#[test]
fn only_the_operations_that_a_path_needs_are_made_exact() {
    let options = Options { engine: choose::engine("impact"), ..Options::default() };
    check(
        OPERATIONS,
        &options,
        expect![[r#"
        true by impact
        impact: as asked; again, with 2 operations as the machine's: impact: as asked
        impact = a possible violation could not be confirmed by execution: the program ended without a violation (looked for: x)
        impact = true"#]],
    );
    // Where the machine does come to the error, its values are found.
    let possible = OPERATIONS.replace("L6: error", "L7: error").replace("exit L7", "exit L6");
    check(
        &possible,
        &options,
        expect![[r#"
        false by impact
        impact: as asked
        impact = false"#]],
    );
}
