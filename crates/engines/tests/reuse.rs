//! Proofs of one program serve the next: what is reused, and that nothing of it is believed.

use bolide_base::{Budget, HashMap};
use bolide_engines::choose::{self, Report};
use bolide_engines::task::Orders;
use bolide_engines::trace_abstraction::{self, ProofStore, SharedStore};
use bolide_verdict::Verdict;
use std::sync::{Arc, Mutex};

/// Keeps everything in memory; may lie.
#[derive(Default)]
struct Memory {
    answers: HashMap<u128, String>,
    automata: Vec<(Vec<u64>, String)>,
    lies: bool,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Memory>>);

impl ProofStore for Shared {
    fn answer(&mut self, key: u128) -> Option<String> {
        let memory = self.0.lock().unwrap();
        let answer = memory.answers.get(&key)?;
        if !memory.lies {
            return Some(answer.clone());
        }
        // Everything holds, and the proof is that of something else.
        let other = memory.answers.values().max_by_key(|a| a.len())?;
        let (_, proof) = other.split_once('\n')?;
        let (says, _) = answer.split_once('\n')?;
        Some(format!("{}\n{proof}", says.replace('0', "1")))
    }

    fn keep_answers(&mut self, answers: &[(u128, String)]) {
        self.0.lock().unwrap().answers.extend(answers.iter().cloned());
    }

    fn automata(&mut self, letters: &[u64]) -> Vec<String> {
        let memory = self.0.lock().unwrap();
        let shared = |all: &[u64]| all.iter().filter(|l| letters.contains(l)).count();
        let mut ranked: Vec<&(Vec<u64>, String)> =
            memory.automata.iter().filter(|(all, _)| shared(all) > 0).collect();
        ranked.sort_by_key(|(all, _)| std::cmp::Reverse(shared(all)));
        ranked.into_iter().map(|(_, text)| text.clone()).collect()
    }

    fn keep_automata(&mut self, letters: &[u64], text: &str) {
        self.0.lock().unwrap().automata.push((letters.to_vec(), text.to_owned()));
    }
}

fn verify(text: &str, store: Option<&Shared>) -> Report {
    let program = bolide_cfa::text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    let trace = trace_abstraction::Options {
        proofs: store.map(|s| SharedStore::new(s.clone())),
        ..Default::default()
    };
    let options = choose::Options {
        engine: choose::engine("trace"),
        orders: Orders { trace, ..Orders::default() },
        ..Default::default()
    };
    choose::verify(&program, &options, &Budget::unlimited())
}

fn figure(report: &Report, name: &str) -> u64 {
    let figures = &report.runs[0].statistics.figures;
    figures.iter().find(|f| f.0 == name).unwrap_or_else(|| panic!("no figure {name}")).1
}

/// Calls of the solver: for triples, templates and paths, and of the audit.
fn solver_calls(report: &Report) -> u64 {
    let s = &report.runs[0].statistics;
    let audit = s.figures.iter().find(|f| f.0 == "new obligations of the audit").map_or(0, |f| f.1);
    s.prover.models + s.prover.paths + s.prover.entailments + audit
}

/// Three loops one after the other; what each establishes the next one needs.
const LOOPS: &str = r#"
program LP64
entry main
check C0 unreach-call "i + j is n"
check C1 unreach-call "k is not above m"
function main() -> result : i32
  local n : i32
  local i : i32
  local j : i32
  local k : i32
  local m : i32
  entry L0 exit L20
  L18: error C0
  L19: error C1
  L0 -> L1 : n := nondet input "n"
  L1 -> L2 : assume n > 0:i32
  L2 -> L3 : i := n
  L3 -> L4 : j := 0:i32
  L4 -> L5 : assume i > 0:i32
  L5 -> L6 : i := i - 1:i32
  L6 -> L4 : j := j + 1:i32
  L4 -> L7 : assume i <= 0:i32
  L7 -> L18 : assume i + j != n
  L7 -> L8 : assume i + j == n
  L8 -> L9 : k := 0:i32
  L9 -> L10 : m := 10:i32
  L10 -> L11 : assume k < m
  L11 -> L12 : k := k + 1:i32
  L12 -> L10 : m := m + 1:i32
  L12 -> L10 : skip
  L10 -> L13 : assume k >= m
  L13 -> L19 : assume k > m
  L13 -> L14 : assume k <= m
  L14 -> L15 : assume j > 0:i32
  L15 -> L16 : j := j - 1:i32
  L16 -> L14 : m := m + 2:i32
  L14 -> L17 : assume j <= 0:i32
  L17 -> L19 : assume k > m
  L17 -> L20 : assume k <= m
"#;

fn renamed(text: &str) -> String {
    let mut text = text.to_owned();
    for (from, to) in [("i", "left"), ("j", "right"), ("k", "low"), ("m", "high"), ("n", "count")] {
        let mut out = String::new();
        for (number, word) in text.split(' ').enumerate() {
            if number > 0 {
                out.push(' ');
            }
            match word.strip_suffix('\n').unwrap_or(word) == from {
                true => out += &word.replace(from, to),
                false => out += word,
            }
        }
        text = out;
    }
    text
}

#[test]
fn a_renamed_copy_takes_no_new_interpolation() {
    let store = Shared::default();
    let first = verify(LOOPS, Some(&store));
    assert!(matches!(first.verdict, Verdict::True { .. }), "{:?}", first.verdict);
    let copy = renamed(LOOPS);
    assert!(copy.contains("left := left - 1"), "{copy}");
    let second = verify(&copy, Some(&store));
    assert!(matches!(second.verdict, Verdict::True { .. }), "{:?}", second.verdict);
    assert_eq!(second.runs[0].statistics.prover.interpolations, 0);
    assert_eq!(figure(&second, "solver queries for triples"), 0);
    assert_eq!(figure(&second, "new obligations of the audit"), 0);
    assert_eq!(solver_calls(&second), 0);
    assert!(solver_calls(&first) > 0);
}

#[test]
fn an_edited_program_reuses_what_still_holds() {
    let edits = [
        ("a constant is changed", LOOPS.replace("m := 10:i32", "m := 12:i32")),
        (
            "a statement is added",
            LOOPS.replace(
                "L8 -> L9 : k := 0:i32",
                "L8 -> L21 : k := 0:i32\n  L21 -> L9 : n := 7:i32",
            ),
        ),
        (
            "a branch is added",
            LOOPS.replace(
                "L16 -> L14 : m := m + 2:i32",
                "L16 -> L14 : m := m + 2:i32\n  L16 -> L14 : m := m + 3:i32",
            ),
        ),
    ];
    for (what, text) in edits {
        let store = Shared::default();
        verify(LOOPS, Some(&store));
        let (with, without) = (verify(&text, Some(&store)), verify(&text, None));
        for report in [&with, &without] {
            assert!(matches!(report.verdict, Verdict::True { .. }), "{what}: {:?}", report.verdict);
        }
        let (with, without) = (solver_calls(&with), solver_calls(&without));
        assert!(with * 10 <= without * 3, "{what}: {with} calls of the solver, {without} without");
    }
}

#[test]
fn a_lying_store_is_not_believed() {
    let store = Shared::default();
    verify(LOOPS, Some(&store));
    store.0.lock().unwrap().lies = true;
    let report = verify(LOOPS, Some(&store));
    assert!(matches!(report.verdict, Verdict::True { .. }), "{:?}", report.verdict);
    assert!(figure(&report, "refused") > 0);
    let wrong = LOOPS.replace("L6 -> L4 : j := j + 1:i32", "L6 -> L4 : j := j + 2:i32");
    let report = verify(&wrong, Some(&store));
    assert!(matches!(report.verdict, Verdict::False(_)), "{:?}", report.verdict);
}
