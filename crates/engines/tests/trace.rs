//! The engine `trace` on small programs, every verdict audited.

mod common;

use bolide_engines::task::Orders;
use bolide_engines::trace_abstraction::language::{self, Automaton};
use bolide_engines::trace_abstraction::{Construction, Options};
use common::{ADDITION, IDENTITY, INCREMENT, LOCK, Searched, search};

fn run(text: &str, single_blocks: bool, orders: &Orders) -> Searched {
    search("trace", text, &Orders { single_blocks, ..orders.clone() })
}

/// With these automata and without a background.
fn alone(construction: Construction) -> Orders {
    let trace = Options { construction, ..Options::default() };
    Orders { guess: false, trace, ..Orders::default() }
}

/// The automata that were described.
fn automata(found: &Searched) -> Vec<Automaton> {
    let files = found.statistics.drawings.iter().filter(|(name, _)| name.ends_with(".txt"));
    files.map(|(_, text)| automaton(text)).collect()
}

/// An automaton as its text describes it.
fn automaton(text: &str) -> Automaton {
    let mut automaton = Automaton::default();
    let number = |state: &str| state[1..].parse::<usize>().expect("a state is a number");
    for line in text.lines() {
        if let Some((from, rest)) = line.split_once(" -> ") {
            let (to, letter) = rest.split_once(" : ").expect("an edge has a letter");
            automaton.edges.insert((number(from), letter.to_owned(), number(to)));
        } else {
            let (marked, predicate) = line.split_once(": ").expect("a state has a predicate");
            let state = number(marked.split(' ').next().unwrap_or_default());
            automaton.states.push(predicate.to_owned());
            if marked.contains("initial") {
                automaton.initial.insert(state);
            }
            if marked.contains("accepting") {
                automaton.accepting.insert(state);
            }
        }
    }
    automaton
}

/// Both constructions, both sizes of blocks, with and without background.
fn check(text: &str) -> String {
    let mut answers = Vec::new();
    for construction in [Construction::Canonical, Construction::Enhanced] {
        for (single, guess) in [(false, false), (false, true), (true, false)] {
            let orders = Orders { guess, ..alone(construction) };
            answers.push(run(text, single, &orders).words);
        }
    }
    answers.dedup();
    answers.join(", ")
}

/// Figure 1: the loop counts up, and both assertions hold after each round.
const FIGURE_1: &str = r#"
program LP64
entry main
check C0 unreach-call "x != -1"
check C1 unreach-call "y != -1"
function main() -> result : i32
  local x : i32
  local y : i32
  entry L0 exit L5
  L3: error C0
  L4: error C1
  L0 -> L1 : x := 0:i32
  L1 -> L2 : y := 0:i32
  L2 -> L2 : x := x + 1:i32
  L2 -> L3 : assume x == -1:i32
  L2 -> L4 : assume y == -1:i32
  L2 -> L5 : skip
"#;

#[test]
fn figure_1_has_the_two_automata_of_figures_3_and_4() {
    let orders = Orders { describe: true, ..alone(Construction::Enhanced) };
    let found = run(FIGURE_1, true, &orders);
    assert_eq!(found.words, "safe");
    let automata = automata(&found);
    let (x0, y0, inc) = ("main::x := 0", "main::y := 0", "main::x := main::x + 1");
    let (xe, ye) = ("assume main::x = -1", "assume main::y = -1");
    let figure_3 = Automaton::from_edges(0, 2, &[(0, x0, 0), (0, y0, 1), (1, inc, 1), (1, ye, 2)]);
    let figure_4 = Automaton::from_edges(0, 2, &[(0, x0, 1), (1, y0, 1), (1, inc, 1), (1, xe, 2)]);
    // Number 0 is the background, which is empty.
    assert_eq!(automata.len(), 3);
    for (number, figure) in [("3", &figure_3), ("4", &figure_4)] {
        let found = automata[1..].iter().any(|a| language::difference(a, figure).is_none());
        let texts: Vec<String> = automata.iter().map(Automaton::to_text).collect();
        assert!(found, "Figure {number} is missing:\n{}", texts.join("\n"));
    }
    assert!(language::difference(&figure_3, &figure_4).is_some());
}

#[test]
fn the_lock_example_is_safe() {
    assert_eq!(check(LOCK), "safe");
}

#[test]
fn a_broken_lock_is_found() {
    let broken = LOCK.replace("old := new", "old := new + 1:i32");
    assert!(check(&broken).starts_with("unsafe"), "{}", check(&broken));
}

#[test]
fn a_summary_relates_result_and_entry_value() {
    assert_eq!(check(INCREMENT), "safe");
    let wrong = INCREMENT.replace("r := x", "r := x + 1:i32");
    assert!(check(&wrong).starts_with("unsafe"), "{}", check(&wrong));
}

/// A step that does nothing is one letter in both functions; what is known stays known at both.
#[test]
fn a_letter_may_stand_in_two_functions() {
    let twice = INCREMENT
        .replace("  L1 -> L2 : r := x", "  L1 -> L9 : skip\n  L9 -> L2 : r := x")
        .replace("  L6 -> L7 :", "  L6 -> L10 : skip\n  L10 -> L7 :")
        .replace("  L6 -> L8 :", "  L10 -> L8 :");
    let orders = alone(Construction::Enhanced);
    assert_eq!(run(&twice, true, &orders).words, "safe");
}

#[test]
fn recursion_needs_no_inlining() {
    let orders = Orders::default();
    assert_eq!(run(IDENTITY, false, &orders).words, "safe");
    assert_eq!(run(ADDITION, false, &orders).words, "safe");
    let wrong = IDENTITY
        .replace("b != 3:i32", "b == 3:i32")
        .replace("L9 : assume b == 3", "L9 : assume b != 3");
    assert!(run(&wrong, false, &orders).words.starts_with("unsafe"));
    // Nested interpolants alone: the depth of the recursion is known.
    let orders = alone(Construction::Enhanced);
    assert_eq!(run(IDENTITY, false, &orders).words, "safe");
}

/// A chain of `n` calls of the same function, each result checked; each check takes a
/// refinement of its own.
fn chain(n: usize) -> String {
    let mut text = String::from("program LP64\nentry main\n");
    for k in 0..n {
        text += &format!("check C{k} unreach-call \"a{k}\"\n");
    }
    text += "function step(x : i32) -> r : i32\n  entry L0 exit L2\n";
    text += "  L0 -> L1 : x := x + 1:i32\n  L1 -> L2 : r := x\n";
    text += "function main() -> result : i32\n";
    for k in 0..=n {
        text += &format!("  local a{k} : i32\n");
    }
    let at = |k: usize| 4 + 3 * k;
    text += &format!("  entry L3 exit L{}\n", at(n));
    for k in 0..n {
        text += &format!("  L{}: error C{k}\n", at(k) + 2);
    }
    text += &format!("  L3 -> L{} : a0 := nondet input \"a\"\n", at(0));
    for k in 0..n {
        let (l, m) = (at(k), k + 1);
        text += &format!("  L{l} -> L{} : a{m} := call step(a{k})\n", l + 1);
        text += &format!("  L{} -> L{} : assume a{m} != a{k} + 1:i32\n", l + 1, l + 2);
        text += &format!("  L{} -> L{} : assume a{m} == a{k} + 1:i32\n", l + 1, at(m));
    }
    text
}

/// With calls too the difference is kept: to start it anew after each refinement
/// makes a number of nodes that grows with the square of the number of calls.
#[test]
fn a_difference_with_calls_is_continued() {
    for (construction, each, once) in
        [(Construction::Enhanced, 3, 4), (Construction::Canonical, 6, 1)]
    {
        for n in [4, 8, 16] {
            let found = run(&chain(n as usize), false, &alone(construction));
            let (refined, made) = (found.figure("refinements"), found.figure("nodes made"));
            assert_eq!((found.words.as_str(), refined, made), ("safe", n, each * n + once));
        }
    }
}

/// The violation lies a hundred calls deep; inputs that a summary suggests lead there
/// long before the trace through all of them would be met.
#[test]
fn a_deep_violation_is_found_by_a_summary() {
    let deep = IDENTITY
        .replace("a := 3:i32", "a := nondet input \"a\"")
        .replace("b != 3:i32", "b == 100:i32")
        .replace("L9 : assume b == 3", "L9 : assume b != 100");
    let found = run(&deep, false, &Orders::default());
    assert!(found.words.starts_with("unsafe"), "{}", found.words);
    assert!(found.figure("refinements") <= 8);
}

/// A function that reads a global without changing it: its entry value in what is known there
/// is that of this call, not the one of the start of the program.
#[test]
fn entry_values_of_what_a_function_only_reads_are_its_own() {
    let text = r#"
program LP64
entry main
global counter : i32 = 0:i32
check C0 unreach-call "x"
function half(n : i32) -> r : i32
  local t : i32
  entry L0 exit L3
  L0 -> L1 : assume n == 1:i32
  L1 -> L3 : r := 1:i32
  L0 -> L2 : assume n != 1:i32
  L2 -> L4 : t := call half(n - 1:i32)
  L4 -> L3 : r := t + t + 1:i32
function up(m : i32)
  entry L5 exit L9
  L5 -> L9 : assume m == 0:i32
  L5 -> L6 : assume m != 0:i32
  L6 -> L7 : counter := counter + 1:i32
  L7 -> L8 : call up(m - 1:i32)
  L8 -> L9 : call up(m - 1:i32)
function main() -> result : i32
  local k : i32
  local b : i32
  entry L10 exit L17
  L16: error C0
  L10 -> L11 : k := nondet input "k"
  L11 -> L17 : assume k < 1:i32
  L11 -> L12 : assume k >= 1:i32
  L12 -> L17 : assume k > 2:i32
  L12 -> L13 : assume k <= 2:i32
  L13 -> L14 : call up(k)
  L14 -> L15 : b := call half(k)
  L15 -> L16 : assume b != counter
  L15 -> L17 : assume b == counter
"#;
    assert_eq!(run(text, false, &Orders::default()).words, "safe");
}
