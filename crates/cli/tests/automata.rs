//! `--dump-automata`: what is written, and that the three forms of an automaton agree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Figure 1 of the paper as a C program.
const FIGURE_1: &str = r#"
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
  int x = 0;
  int y = 0;
  while (__VERIFIER_nondet_int()) x++;
  if (x == -1) { ERROR: reach_error(); }
  if (y == -1) { reach_error(); }
  return 0;
}
"#;

/// No linear summary says what these functions compute: it takes refinements.
const RECURSION: &str = r#"
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int counter;
int half(int n) { if (n == 1) return 1; return 2 * half(n - 1) + 1; }
void up(int n) { if (n == 0) return; counter++; up(n - 1); up(n - 1); }
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 1 || n > 2) return 0;
  counter = 0;
  up(n);
  int result = half(n);
  if (result != counter) { reach_error(); }
  return 0;
}
"#;

fn dump(name: &str, text: &str, arguments: &[&str]) -> BTreeMap<String, String> {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("bolide-automata-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("program.c");
    std::fs::write(&file, text).unwrap();
    let automata = folder.join("automata");
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["verify", "--quiet", "--threads", "1", "--timeout", "120s"])
        .args(arguments)
        .arg("--dump-automata")
        .arg(&automata)
        .arg(&file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("RESULT: true"), "{said}{}", String::from_utf8_lossy(&output.stderr));
    let name_of = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let files = std::fs::read_dir(&automata)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (name_of(&path), std::fs::read_to_string(&path).unwrap()))
        .collect();
    let _ = std::fs::remove_dir_all(&folder);
    files
}

/// Every automaton in both forms, with the same states and edges; a line of the table for each.
fn check_agreement(files: &BTreeMap<String, String>) -> usize {
    let table: Vec<Vec<&str>> =
        files["refinements.tsv"].lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(table[0][..3], ["automaton", "made from", "predicates"]);
    let count = table.len() - 1;
    assert_eq!(files.len(), 2 * (count + 1) + 1, "{:?}", files.keys());
    for (number, line) in table.iter().enumerate().skip(1) {
        assert_eq!(line[0], number.to_string());
        assert!(line[1].starts_with("a trace of "), "{line:?}");
        assert!(line[2..].iter().all(|figure| figure.parse::<u64>().is_ok()), "{line:?}");
    }
    for (name, text) in files.iter().filter(|(name, _)| name.ends_with(".txt")) {
        let drawing = &files[&name.replace(".txt", ".dot")];
        assert!(drawing.starts_with("digraph"), "{drawing}");
        let (edges, states): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.contains(" -> "));
        let drawn = |mark: &str| drawing.lines().filter(|line| line.contains(mark)).count();
        assert_eq!(drawn("[shape=ellipse") + drawn("[shape=doublecircle"), states.len());
        assert_eq!(drawn("[label="), edges.len(), "{drawing}\n{text}");
        for edge in edges {
            let (from, rest) = edge.split_once(" -> ").unwrap();
            let (to, letter) = rest.split_once(" : ").unwrap();
            let is_state = |q: &str| {
                states
                    .iter()
                    .any(|s| s.starts_with(&format!("{q}:")) || s.starts_with(&format!("{q} ")))
            };
            assert!(is_state(from) && is_state(to), "{edge}\n{text}");
            if let Some((_, caller)) = letter.rsplit_once(" with ") {
                assert!(letter.starts_with("return ") && is_state(caller), "{edge}\n{text}");
            }
        }
        if name != "background.txt" {
            assert_eq!(states.iter().filter(|s| s.ends_with(" accepting: false")).count(), 1);
            assert_eq!(states.iter().filter(|s| s.contains(" initial")).count(), 1);
        }
    }
    count
}

#[test]
fn figure_1_is_written_with_its_two_automata() {
    let files = dump("figure", FIGURE_1, &["--engine", "trace", "--blocks", "single"]);
    assert_eq!(check_agreement(&files), 2);
    for variable in ["x", "y"] {
        let set = format!("main::{variable} := 0");
        let excluded = format!("assume entry#::main::{variable} = -1");
        let known = format!("main::{variable} >= 0");
        let found = files.iter().filter(|(name, _)| name.ends_with(".txt")).any(|(_, text)| {
            let line = |part: &str, end: &str| {
                text.lines().any(|l| l.starts_with(part) && l.ends_with(end))
            };
            line("q0 -> q1 : ", &set) && line("q1 -> q2 : ", &excluded) && line("q1: ", &known)
        });
        assert!(found, "nothing about {variable}: {files:#?}");
    }
}

#[test]
fn canonical_automata_are_written_too() {
    let arguments = ["--engine", "trace", "--blocks", "single", "--automaton", "canonical"];
    assert!(check_agreement(&dump("canonical", FIGURE_1, &arguments)) >= 2);
}

#[test]
fn calls_and_returns_are_letters() {
    let files = dump("calls", RECURSION, &["--engine", "trace"]);
    assert!(check_agreement(&files) > 0);
    let has = |part: &str| files.values().any(|text| text.contains(part));
    assert!(has("call up at L") && has("return up to L") && has(" with q"), "{files:#?}");
}

#[test]
fn questions_are_clauses() {
    let text = "extern unsigned __VERIFIER_nondet_uint(void); extern void reach_error(void);
        int main(void) { unsigned x = __VERIFIER_nondet_uint(), n = x & 3, s = 0;
        for (unsigned i = 0; i < n; i++) s += x & 4;
        if (s > 12) { reach_error(); } return 0; }";
    let files = dump("questions", text, &["--engine", "bounded"]);
    assert!(files.contains_key("question-1.cnf"), "{:?}", files.keys());
    for text in files.values() {
        assert!(text.starts_with("p cnf "), "{text}");
        assert!(text.lines().skip(1).all(|line| line.ends_with(" 0") || line == "0"), "{text}");
    }
}
