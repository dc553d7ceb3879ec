//! Limits are kept by every phase: time, memory and interrupts end a run with
//! `unknown`, its exit code and what was reached, never with a kill.
//!
//! The promise is half a second beyond a limit of time. The tests allow more, since they
//! run beside others on machines of few cores.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const LATE: Duration = Duration::from_secs(4);

/// A file in the temporary folder, removed when dropped.
struct File(PathBuf);

impl File {
    fn new(name: &str, text: &str) -> File {
        let path = std::env::temp_dir().join(format!("bolide-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        File(path)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn verify(file: &File, flags: &[&str]) -> (Output, Duration) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .arg("verify")
        .args(flags)
        .arg(&file.0)
        .output()
        .unwrap();
    (output, start.elapsed())
}

fn is_unknown(output: &Output, words: &str) {
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(20), "{text}{errors}");
    assert!(text.ends_with("RESULT: unknown\n"), "{text}{errors}");
    assert!(text.contains(words), "{text}{errors}");
}

/// A loop whose invariant is not linear: engines go on for ever.
fn endless() -> String {
    "extern void reach_error(void);\nextern unsigned __VERIFIER_nondet_uint(void);\n\
     int main(void) {\n  unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();\n  \
     unsigned s = 0, i = 0;\n  while (i < a) { s += b; i++; }\n  \
     if (s != a * b) reach_error();\n  return 0;\n}\n"
        .to_owned()
}

/// So large that reading, lowering or simplifying it takes seconds.
fn large(functions: usize) -> String {
    let mut text = String::from(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint g[64];\n",
    );
    for f in 0..functions {
        text += &format!("static int f{f}(int a, int *p) {{\n  int b = a;\n");
        for s in 0..40 {
            text += &format!(
                "  if (b > {s}) {{ b = b * {} + g[{}]; *p = b; }} else b = b - a;\n",
                s + 2,
                (f + s) % 64
            );
        }
        text += &match f {
            0 => "  return b;\n}\n".to_owned(),
            _ => format!("  return b + f{}(b, &g[{}]) + f{}(a, p);\n}}\n", f - 1, f % 64, f / 2),
        };
    }
    text += &format!(
        "int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  \
         if (f{}(x, &x) == 12345) reach_error();\n  return 0;\n}}\n",
        functions - 1
    );
    text
}

#[test]
fn time_is_kept_while_searching() {
    let file = File::new("endless.c", &endless());
    for engine in ["auto", "impact", "predicate"] {
        let flags = ["--timeout", "1s", "--engine", engine];
        let (output, elapsed) = verify(&file, &flags);
        is_unknown(&output, "the time limit was reached");
        assert!(elapsed < Duration::from_secs(1) + LATE, "{engine}: {elapsed:?}");
    }
}

#[test]
fn time_is_kept_while_reading_and_transforming() {
    let file = File::new("large.c", &large(3000));
    let (output, elapsed) = verify(&file, &["--timeout", "500ms"]);
    is_unknown(&output, "the time limit was reached");
    assert!(elapsed < Duration::from_millis(500) + LATE, "{elapsed:?}");
    let (output, _) = verify(&file, &["--timeout", "500ms", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let json: serde_json::Value = serde_json::from_str(&text).expect("one object");
    assert_eq!(json["verdict"], "unknown");
    assert_eq!(json["reason"]["kind"], "time");
}

#[test]
fn memory_is_kept() {
    let file = File::new("big.c", &large(3000));
    let (output, _) = verify(&file, &["--memory", "60M", "--timeout", "60s"]);
    is_unknown(&output, "the memory limit was reached");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_what_was_reached() {
    let file = File::new("interrupted.c", &endless());
    for signal in ["-INT", "-TERM"] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bolide"))
            .args(["verify", "--engine", "impact"])
            .arg(&file.0)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(700));
        let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(status.unwrap().success());
        let start = Instant::now();
        let code = child.wait().unwrap().code();
        assert!(start.elapsed() < LATE, "{:?}", start.elapsed());
        let mut text = String::new();
        child.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(code, Some(20), "{text}");
        assert!(text.contains("the run was cancelled"), "{text}");
        assert!(text.ends_with("RESULT: unknown\n"), "{text}");
    }
}

#[test]
fn time_is_kept_while_clauses_are_read() {
    let mut text = String::from("(set-logic HORN)(declare-fun p (Int Int) Bool)\n");
    for i in 0..200_000 {
        text += &format!("(assert (forall ((x Int)) (=> (p {i} x) (p x {i}))))\n");
    }
    let file = File::new("large.smt2", &text);
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["chc", "--timeout", "500ms"])
        .arg(&file.0)
        .output()
        .unwrap();
    assert!(start.elapsed() < Duration::from_millis(500) + LATE, "{:?}", start.elapsed());
    assert_eq!(output.status.code(), Some(20));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "unknown\n");
    assert!(String::from_utf8_lossy(&output.stderr).contains("time limit"));
}

/// A reason is true: it is the program that wants too much, not a limit of the run that was reached.
#[test]
fn a_program_that_asks_for_too_much_memory_is_no_limit() {
    let text = "extern void *malloc(unsigned long);\nextern void reach_error(void);\n\
                int main(void) {\n  char *p = malloc(1ul << 40);\n  *p = 1;\n  \
                if (*p) reach_error();\n  return 0;\n}\n";
    let file = File::new("huge.c", text);
    let (output, _) = verify(&file, &["--timeout", "20s"]);
    is_unknown(&output, "asks for more memory than a run may have");
    assert!(!String::from_utf8_lossy(&output.stdout).contains("limit was reached"));
}

/// Processor time is what the work took, whatever the clock says.
#[test]
fn processor_time_is_kept() {
    let file = File::new("processor.c", &endless());
    let (output, elapsed) = verify(&file, &["--cpu-time", "500ms", "--timeout", "100s"]);
    is_unknown(&output, "the time limit was reached");
    assert!(elapsed < Duration::from_secs(60), "{elapsed:?}");
}
