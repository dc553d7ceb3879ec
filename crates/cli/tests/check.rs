//! Witnesses of others: what `bolide check` accepts, refutes, leaves open, and refuses in words. That it confirms our own is
//! tested with the corpus.

use std::path::PathBuf;
use std::process::{Command, Output};

fn bolide(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bolide")).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    format!("{}{errors}", String::from_utf8_lossy(&output.stdout))
}

/// A folder in the temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bolide-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.file(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const LOOP: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                    int main(void) {\n  int x = 0;\n  int y = 10;\n  \
                    while (__VERIFIER_nondet_int()) {\n    x++;\n    y--;\n    \
                    if (x == 7) break;\n  }\n  if (x + y != 10) reach_error();\n  return 0;\n}\n";

fn correctness(kind: &str, line: u32, column: u32, value: &str) -> String {
    format!(
        "- entry_type: invariant_set\n  metadata:\n    format_version: \"2.0\"\n    task:\n      \
         specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n      \
         data_model: LP64\n  content:\n    - invariant:\n        type: {kind}\n        \
         location:\n          file_name: \"loop.c\"\n          line: {line}\n          \
         column: {column}\n          function: main\n        value: \"{value}\"\n        \
         format: c_expression\n"
    )
}

fn check(folder: &Folder, program: &str, witness: &str) -> (Option<i32>, String) {
    let witness = folder.write("w.yml", witness);
    let output = bolide(&["check", "--timeout", "60s", &witness, program]);
    (output.status.code(), out(&output))
}

#[test]
fn invariants_are_confirmed_refuted_or_left_open() {
    let folder = Folder::new("invariants");
    let program = folder.write("loop.c", LOOP);
    let cases = [
        ("loop_invariant", 6, 3, "x + y == 10 && x <= 7", Some(0), "confirmed"),
        ("loop_invariant", 6, 3, "x <= 3", Some(10), "refuted: the invariant at line 6"),
        ("loop_invariant", 6, 3, "y == 10", Some(10), "refuted"),
        ("location_invariant", 8, 5, "x + y == 11", Some(0), "confirmed"),
        ("location_invariant", 8, 5, "x + y == 10", Some(10), "refuted"),
        // Not about this program, or not only a claim about it.
        ("loop_invariant", 6, 3, "z == 10", Some(20), "make no sense"),
        ("loop_invariant", 6, 3, "(x = 0) == 0", Some(20), "effect"),
        ("loop_invariant", 6, 3, "x++ < 8", Some(20), "effect"),
        ("loop_invariant", 6, 3, "__VERIFIER_nondet_int() || 1", Some(20), "calls"),
        ("loop_invariant", 6, 3, "1) || (1", Some(20), "no expression"),
        ("loop_invariant", 6, 3, "1; x = 0", Some(20), "not supported"),
        ("loop_invariant", 99, 3, "1", Some(20), "no statement at line 99"),
    ];
    for (kind, line, column, value, code, words) in cases {
        let (found, text) = check(&folder, &program, &correctness(kind, line, column, value));
        assert!(found == code && text.contains(words), "{value}: {found:?} {text}");
    }
}

/// Cubes: no engine guesses this invariant, all can check it.
const CUBES: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                     int main(void) {\n  int i = 0, s = 0, c = 0;\n  \
                     while (__VERIFIER_nondet_int()) {\n    c = c + 3 * s + 3 * i + 1;\n    \
                     s = s + 2 * i + 1;\n    i = i + 1;\n  }\n  \
                     if (c != i * i * i) reach_error();\n  return 0;\n}\n";

#[test]
fn the_invariants_of_a_witness_are_used_but_not_believed() {
    let folder = Folder::new("claims");
    let program = folder.write("loop.c", CUBES);
    let cases = [
        ("s == i * i && c == i * i * i", Some(0), "confirmed"),
        ("s - i * i == 0 && (c == i * i * i || s != i * i)", Some(0), "confirmed"),
        // Would prove the program, and does not hold.
        ("s == i * i && c == i * i * i && i < 5", Some(10), "refuted: the invariant at line 5"),
        ("i == 0 && c == 0", Some(10), "refuted: the invariant at line 5"),
    ];
    for (value, code, words) in cases {
        let witness = correctness("loop_invariant", 5, 3, value);
        let (found, text) = check(&folder, &program, &witness);
        assert!(found == code && text.contains(words), "{value}: {found:?} {text}");
    }
}

/// Squares: no engine guesses what the cells are.
const SQUARES: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                       int a[100];\nint main(void) {\n  int i = 0, s = 0;\n  \
                       while (i < 100) {\n    a[i] = s;\n    s += 2 * i + 1;\n    i++;\n  }\n  \
                       int k = __VERIFIER_nondet_int();\n  \
                       if (k >= 0 && k < 100 && a[k] != k * k) reach_error();\n  return 0;\n}\n";

#[test]
fn a_witness_may_speak_of_all_cells() {
    let folder = Folder::new("cells");
    let program = folder.write("loop.c", SQUARES);
    let cells = r"0 <= i && s == i * i && (\\forall int k; 0 <= k && k < i ==> a[k] == k * k)";
    let cases = [
        (cells.to_owned(), Some(0), "confirmed"),
        (cells.replace("k * k", "k"), Some(10), "refuted: the invariant at line 6"),
        // More than one clause would be an assumption.
        (format!("{cells}; assume i == 0"), Some(20), "not supported"),
        (format!("{cells}; */ s = 0; /*"), Some(20), "not supported"),
        (r"\\forall int k; i = k".to_owned(), Some(20), "make no sense"),
    ];
    for (value, code, words) in cases {
        let witness = correctness("loop_invariant", 6, 3, &value);
        let (found, text) = check(&folder, &program, &witness);
        assert!(found == code && text.contains(words), "{value}: {found:?} {text}");
    }
}

#[test]
fn a_program_that_is_wrong_refutes_its_witness() {
    let folder = Folder::new("wrong-program");
    let program = folder.write("loop.c", &LOOP.replace("y--", "y -= 2"));
    let (code, text) = check(&folder, &program, &correctness("loop_invariant", 6, 3, "x <= 7"));
    assert_eq!(code, Some(10), "{text}");
    assert!(text.contains("violates the property"), "{text}");
    assert!(text.ends_with("RESULT: false(unreach-call)\n"), "{text}");
}

#[test]
fn damaged_witnesses_are_refused_in_words() {
    let folder = Folder::new("damaged");
    let program = folder.write("loop.c", LOOP);
    let good = correctness("loop_invariant", 6, 3, "1");
    for (text, words) in [
        ("<graphml/>".to_owned(), "GraphML"),
        (good.replace("invariant_set", "surprise"), "surprise"),
        (good.replace("line: 6", "line: six"), "line"),
        (good[..good.len() / 2].to_owned(), "w.yml"),
        ("\u{0}\u{1}: [".to_owned(), "YAML"),
    ] {
        let (code, said) = check(&folder, &program, &text);
        assert_eq!(code, Some(2), "{text}: {said}");
        assert!(said.contains(words), "{text}: {said}");
    }
    assert_eq!(bolide(&["check", "no-such-witness.yml", &program]).status.code(), Some(2));
}

/// Kind, line, column and constraint.
type Waypoint<'a> = (&'a str, u32, u32, &'a str);

/// A violation witness of the waypoints.
fn violation(points: &[Waypoint<'_>]) -> String {
    let mut text = String::from(
        "- entry_type: violation_sequence\n  metadata:\n    format_version: \"2.0\"\n    task:\n      \
         specification: \"CHECK( init(main()), LTL(G ! call(reach_error())) )\"\n      \
         data_model: LP64\n  content:\n",
    );
    for (kind, line, column, constraint) in points {
        text += &format!(
            "    - segment:\n        - waypoint:\n            type: {kind}\n            \
             action: follow\n            location:\n              file_name: \"p.c\"\n              \
             line: {line}\n              column: {column}\n              function: main\n"
        );
        if !constraint.is_empty() {
            text += &format!("            constraint:\n              value: \"{constraint}\"\n");
        }
    }
    text
}

#[test]
fn the_path_of_a_violation_is_followed() {
    let folder = Folder::new("paths");
    let program = folder.write(
        "p.c",
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
         int twice(int a) { return 2 * a; }\nint main(void) {\n  \
         int x = __VERIFIER_nondet_int();\n  int y = 0;\n  if (x > 3)\n    y = twice(x);\n  \
         if (y == 40 || x == 1)\n    reach_error();\n  return 0;\n}\n",
    );
    let target = ("target", 10, 5, "");
    let cases: [(&[Waypoint<'_>], Option<i32>, &str); 9] = [
        (&[("function_return", 5, 33, "\\\\result == 20"), target], Some(10), "confirmed"),
        (&[("function_return", 5, 33, "\\\\result == 21"), target], Some(0), "refuted"),
        (&[("assumption", 6, 3, "x == 20"), target], Some(10), "confirmed"),
        (&[("assumption", 6, 3, "x > 1"), target], Some(10), "confirmed"),
        (&[("assumption", 6, 3, "x > 20"), target], Some(0), "refuted"),
        (&[("branching", 7, 3, "true"), target], Some(10), "confirmed"),
        (
            &[("branching", 7, 3, "false"), ("assumption", 9, 3, "x != 1"), target],
            Some(0),
            "refuted",
        ),
        (&[("function_enter", 8, 16, ""), target], Some(10), "confirmed"),
        (&[("function_enter", 77, 16, ""), target], Some(20), "no call"),
    ];
    for (points, code, words) in cases {
        let (found, text) = check(&folder, &program, &violation(points));
        assert!(found == code && text.contains(words), "{points:?}: {found:?} {text}");
    }
}
