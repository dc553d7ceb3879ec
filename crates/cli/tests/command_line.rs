//! The command as a user meets it: exit codes, messages, limits.

use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

fn bolide(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bolide")).args(arguments).output().unwrap()
}

/// A file in the temporary folder, removed when dropped.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> File {
        let path = std::env::temp_dir().join(format!("bolide-test-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        File(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const ERROR: &str = "extern void reach_error(void);\n";

#[test]
fn exit_codes_tell_the_verdict() {
    let safe = File::new("safe.c", "int main(void) { return 0; }\n");
    let output = bolide(&["verify", safe.path()]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).ends_with("RESULT: true\n"), "{}", out(&output));

    let text = format!("{ERROR}int main(void) {{ reach_error(); return 0; }}\n");
    let file = File::new("unsafe.c", &text);
    let output = bolide(&["verify", file.path()]);
    assert_eq!(output.status.code(), Some(10));
    assert!(out(&output).ends_with("RESULT: false(unreach-call)\n"), "{}", out(&output));
}

/// A first user does not know the names of properties.
#[test]
fn without_assertions_the_usual_properties_are_checked() {
    let cases = [
        ("int main(void) { int a[2] = {1, 0}; return a[1 + a[0]]; }\n", "false(valid-deref)"),
        ("int main(int c, char **v) { return 1 / (c - 1); }\n", "false(div-by-zero)"),
        ("int main(int c, char **v) { return c * c; }\n", "false(no-overflow)"),
        ("int main(int c, char **v) { return 1u << c; }\n", "false(valid-shift)"),
        ("int main(int c, char **v) { return c > 9 ? 9 : c; }\n", "true"),
        // That something is not modelled is nothing that the program asserts.
        (
            "int a[2]; int main(int c, char **v) { return c > 9 ? __builtin_none(c) : a[c + 1]; }\n",
            "false(valid-deref)",
        ),
    ];
    for (text, verdict) in cases {
        let file = File::new("usual.c", text);
        let output = bolide(&["verify", file.path()]);
        assert!(out(&output).ends_with(&format!("RESULT: {verdict}\n")), "{text}{}", out(&output));
        assert!(out(&output).contains("; checked: valid-memsafety, no"), "{}", out(&output));
        let object = out(&bolide(&["verify", "--json", file.path()]));
        assert!(object.contains("\"valid-shift\""), "{object}");
    }
    // Whoever asserts something is asked nothing else.
    let text = "void reach_error(void);\nint main(int c, char **v) { if (c < 1) reach_error(); return c + 1; }\n";
    let file = File::new("asserted.c", text);
    let output = bolide(&["verify", file.path()]);
    assert!(out(&output).ends_with("RESULT: true\n"), "{}", out(&output));
    assert!(!out(&output).contains("checked:"), "{}", out(&output));
}

#[test]
fn a_verdict_about_nothing_says_so() {
    let empty = File::new("empty.c", "int main(void) { return 0; }\n");
    for flags in [&["verify"][..], &["verify", "-p", "unreach-call"], &["verify", "--json"]] {
        let output = bolide(&[flags, &[empty.path()]].concat());
        assert!(out(&output).contains("nothing was checked"), "{}", out(&output));
        assert_eq!(output.status.code(), Some(0));
    }
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                extern void __VERIFIER_assume(int);\nint main(void) {\n  int x = \
                __VERIFIER_nondet_int();\n  __VERIFIER_assume(x > 3);\n  __VERIFIER_assume(x < 3);\n  \
                if (x == 7)\n    reach_error();\n  return 0;\n}\n";
    let file = File::new("contradiction.c", text);
    let output = bolide(&["verify", file.path()]);
    assert!(out(&output).contains("assumptions contradict each other"), "{}", out(&output));
    let output = bolide(&["verify", "--quiet", file.path()]);
    assert_eq!(out(&output), "RESULT: true\n");
    // An error that is not reached is the point of a proof; a check that is not, dead code.
    let check = "void check(int c) {\n  if (!c)\n    reach_error();\n}\n";
    for (text, is_dead) in [
        ("if (x > 3 && x * 2 < 6)\n    reach_error();", false),
        ("check(x == x);", false),
        ("if (x > 3 && x < 2)\n    check(x == 7);", true),
        ("if (x > 3 && x < 2)\n    if (x == 7)\n      reach_error();", true),
    ] {
        let text = format!(
            "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n{check}int main(void) \
             {{\n  int x = __VERIFIER_nondet_int();\n  x %= 10;\n  {text}\n  return 0;\n}}\n"
        );
        let file = File::new("dead.c", &text);
        let output = bolide(&["verify", file.path()]);
        assert!(out(&output).ends_with("RESULT: true\n"), "{text}{}", out(&output));
        assert_eq!(out(&output).contains("dead code"), is_dead, "{text}{}", out(&output));
    }
}

#[test]
fn a_syntax_error_names_place_and_expectation() {
    let file = File::new("syntax.c", "int main(void) {\n  int x = ;\n  return 0 }\n");
    let output = bolide(&["verify", file.path()]);
    assert_eq!(output.status.code(), Some(2));
    let text = err(&output);
    assert!(text.contains("syntax.c:2:11"), "{text}");
    assert!(text.contains("expected"), "{text}");
    assert!(text.contains("syntax.c:3"), "both errors in one run: {text}");
}

#[test]
fn bad_usage_is_explained() {
    assert_eq!(bolide(&["verify"]).status.code(), Some(2));
    assert_eq!(bolide(&["frobnicate"]).status.code(), Some(2));
    let output = bolide(&["verify", "no-such-file.c"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("no-such-file.c"));
    let file = File::new("p.c", "int main(void) { return 0; }\n");
    let output = bolide(&["verify", "--property", "no-such-property", file.path()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("unreach-call"), "{}", err(&output));
    let output = bolide(&[
        "verify",
        "--cc",
        "no-such-compiler",
        File::new("i.c", "#include <stdio.h>\n").path(),
    ]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("install"), "{}", err(&output));
}

#[test]
fn help_and_version_work() {
    let output = bolide(&["--help"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).contains("Examples:"));
    assert!(out(&bolide(&["--version"])).starts_with("bolide "));
    assert!(out(&bolide(&["completions", "bash"])).contains("bolide"));
    assert!(out(&bolide(&["man"])).contains(".TH"));
}

#[test]
fn a_program_runs_on_given_inputs() {
    let text = format!(
        "{ERROR}extern int __VERIFIER_nondet_int(void);\nint printf(const char *, ...);\n\
         int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  printf(\"x = %d\\n\", x);\n  \
         if (x == -3) reach_error();\n  return 5;\n}}\n"
    );
    let file = File::new("run.c", &text);
    let output = bolide(&["run", file.path(), "--inputs", "-3"]);
    assert_eq!(output.status.code(), Some(10), "{}", err(&output));
    assert!(out(&output).contains("x = -3"), "{}", out(&output));
    let output = bolide(&["run", file.path(), "--inputs", "4"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(out(&output).contains("finished with status 5"), "{}", out(&output));
}

/// The trace of a use after `free` shows the `free`, and no other.
#[test]
fn a_trace_tells_who_freed_the_memory() {
    let program = File::new(
        "freed.c",
        "#include <stdlib.h>\nint main(void) {\n  int *a = malloc(4), *b = malloc(4);\n  int *c = \
         a;\n  *c = 1;\n  free(b);\n  free(a);\n  return *c;\n}\n",
    );
    let output = bolide(&["verify", "-p", "valid-deref", program.path()]);
    let text = out(&output) + &err(&output);
    assert_eq!(output.status.code(), Some(10), "{text}");
    assert!(text.contains(":7: free(a);") && !text.contains("free(b);"), "{text}");
}

/// Which of two flags is set is a combination: Cartesian abstraction does not know it.
#[test]
fn cartesian_abstraction_is_coarser() {
    let program = File::new(
        "either.c",
        "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint main(void) {\n  \
         int a = __VERIFIER_nondet_int(), b = a ? 0 : 1;\n  while (__VERIFIER_nondet_int())\n    ;\n  if \
         (!a && !b)\n    reach_error();\n  return 0;\n}\n",
    );
    let posts = |abstraction: &str| {
        // A table of values would say it all before the search.
        let flags = ["verify", "-v", "--guess", "off", "--engine", "predicate"];
        let more = ["--abstraction", abstraction, "--timeout", "20s", program.path()];
        let output = bolide(&[&flags[..], &more].concat());
        let text = out(&output) + &err(&output);
        assert!(text.contains("RESULT: true") || text.contains("RESULT: unknown"), "{text}");
        let known = text.contains(" 0 posts made cartesian");
        (output.status.code(), known)
    };
    assert_eq!(posts("boolean"), (Some(0), true));
    assert!(!posts("cartesian").1, "nothing was made Cartesian");
}

#[test]
fn automata_are_printed_in_all_formats() {
    let file = File::new("cfa.c", "int main(void) { int i = 0; while (i < 3) i++; return i; }\n");
    for (format, words) in [("text", "entry"), ("dot", "digraph"), ("json", "{"), ("svg", "<svg")] {
        let output = bolide(&["cfa", "--format", format, file.path()]);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        assert!(out(&output).contains(words), "{format}");
    }
    let text = out(&bolide(&["cfa", file.path()]));
    let parsed = bolide_cfa::text::parse(&text).expect("the printed text parses");
    assert_eq!(bolide_cfa::text::print(&parsed), text);
}

/// What `--simplified` shows is what the engines get of the program that is shown without it.
#[test]
fn the_simplified_automata_are_those_of_the_engines() {
    use bolide_engines::task::{Orders, Task};
    let file = File::new(
        "simplified.c",
        "extern void reach_error(void);\n\
         int twice(int x) { int unused = x * 7; return x + x; }\n\
         int main(void) { if (twice(4) == 9) reach_error(); return 0; }\n",
    );
    let plain = out(&bolide(&["cfa", file.path()]));
    let program = bolide_cfa::text::parse(&plain).expect("the printed text parses");
    let task = Task::new(&program, &Orders::default(), &bolide_base::budget::Progress::default());
    let seen = bolide_cfa::text::print(&task.programs.flattest().mapped.program);
    assert_eq!(out(&bolide(&["cfa", "--simplified", file.path()])), seen);
    assert!(plain.contains("unused") && plain.contains("call twice"), "{plain}");
    assert!(!seen.contains("unused") && !seen.contains("call twice"), "{seen}");
}

#[test]
fn properties_may_be_files_automata_and_formulas() {
    let program = File::new(
        "locks.c",
        "void lock(void) {}\nvoid unlock(void) {}\n\
         extern int __VERIFIER_nondet_int(void);\n\
         int main(void) { lock(); if (__VERIFIER_nondet_int()) unlock(); lock(); return 0; }\n",
    );
    let automaton = File::new(
        "lock.spc",
        "global int locked = 0;\n\
         event { pattern { lock(); } guard { locked == 0 } action { locked = 1; } }\n\
         event { pattern { unlock(); } guard { locked == 1 } action { locked = 0; } }\n",
    );
    let output = bolide(&["verify", "--property", automaton.path(), program.path()]);
    assert_eq!(output.status.code(), Some(10), "{}{}", out(&output), err(&output));
    let output =
        bolide(&["verify", "--ltl", "G (call(unlock) -> X G !call(unlock))", program.path()]);
    assert_eq!(output.status.code(), Some(0), "{}{}", out(&output), err(&output));
    let property = File::new("p.prp", "CHECK( init(main()), LTL(G ! call(unlock())) )\n");
    let output = bolide(&["verify", "--property", property.path(), program.path()]);
    assert_eq!(output.status.code(), Some(10), "{}{}", out(&output), err(&output));
}

#[test]
fn the_time_limit_is_kept() {
    // A loop whose invariant no engine here can express.
    let text = format!(
        "{ERROR}extern unsigned __VERIFIER_nondet_uint(void);\nint main(void) {{\n  \
         unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint(), s = 0, i = 0;\n  \
         while (i < a) {{ s += b; i++; }}\n  if (s != a * b) reach_error();\n  return 0;\n}}\n"
    );
    let file = File::new("slow.c", &text);
    let start = Instant::now();
    let output = bolide(&["verify", "--timeout", "2s", file.path()]);
    assert!(start.elapsed() < Duration::from_secs(6), "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(20), "{}", out(&output));
    assert!(out(&output).contains("RESULT: unknown"));
}

#[test]
fn scripts_of_the_solver_are_answered() {
    let file = File::new(
        "s.smt2",
        "(set-logic QF_LIA)\n(declare-const x Int)\n(assert (> x 3))\n(check-sat)\n\
         (assert (< x 4))\n(check-sat)\n",
    );
    let output = bolide(&["smt", "--check-proofs", file.path()]);
    assert_eq!(out(&output), "sat\nunsat\n");
    assert_eq!(output.status.code(), Some(0));
}

/// A folder in the temporary folder, removed when dropped.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_project_is_linked_from_its_compilation_database() {
    let folder =
        Folder(std::env::temp_dir().join(format!("bolide-project-{}", std::process::id())));
    let write = |name: &str, text: &str| {
        std::fs::create_dir_all(folder.0.join("src")).unwrap();
        std::fs::write(folder.0.join(name), text).unwrap();
    };
    // Both files have a static function of the same name, and one needs its flag.
    write("src/a.c", "static int f(int x) { return 2 * x; }\nint g(int x) { return f(x) + K; }\n");
    write(
        "src/b.c",
        &format!(
            "{ERROR}extern int g(int);\nstatic int f(int x) {{ return x; }}\n\
             int main(void) {{ if (g(3) + f(1) == 12) reach_error(); return 0; }}\n"
        ),
    );
    write(
        "compile_commands.json",
        r#"[{"directory": ".", "file": "src/a.c", "command": "gcc -DK=5 -c src/a.c"},
            {"directory": ".", "file": "src/b.c", "arguments": ["gcc", "-c", "src/b.c"]}]"#,
    );
    let output = bolide(&["verify", "--project", folder.0.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(10), "{}{}", out(&output), err(&output));
}

#[test]
fn two_definitions_of_one_function_are_reported_with_both_places() {
    let a = File::new("one.c", "int f(void) { return 1; }\nint main(void) { return f(); }\n");
    let b = File::new("two.c", "int f(void) { return 2; }\n");
    let output = bolide(&["verify", a.path(), b.path()]);
    assert_eq!(output.status.code(), Some(2));
    let text = err(&output);
    assert!(text.contains("one.c:1:5") && text.contains("two.c:1:5"), "{text}");
}

#[test]
fn a_harness_runs_into_the_violation_and_a_witness_is_written() {
    let program = File::new(
        "harness.c",
        &format!(
            "{ERROR}extern int __VERIFIER_nondet_int(void);\nint main(void) {{\n  \
             int x = __VERIFIER_nondet_int();\n  unsigned u = x;\n  \
             if (u % 1000 == 77 && x < 0) reach_error();\n  return 0;\n}}\n"
        ),
    );
    let harness = File::new("inputs.c", "");
    let witness = File::new("witness.yml", "");
    let output = bolide(&[
        "verify",
        "--harness",
        harness.path(),
        "--witness",
        witness.path(),
        program.path(),
    ]);
    assert_eq!(output.status.code(), Some(10), "{}{}", out(&output), err(&output));
    let text = std::fs::read_to_string(witness.path()).unwrap();
    for words in ["violation_sequence", "type: target", "input_file_hashes", "LP64"] {
        assert!(text.contains(words), "{text}");
    }
    let binary = File::new("harness.out", "");
    let compiled = Command::new("cc")
        .args(["-w", "-o", binary.path(), program.path(), harness.path()])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", err(&compiled));
    let run = Command::new(binary.path()).output().unwrap();
    assert!(err(&run).contains("violation: reach_error called"), "{}", err(&run));
}
