//! Nothing panics when nobody listens: closed pipes, full disks, files that cannot be written, and
//! signals while something is said.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder with programs, removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("bolide-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let folder = Folder(path);
        folder.write("safe.c", "int main(void) { int a[2] = {1, 2}; return a[1] / a[0]; }\n");
        folder.write("bad.c", "int main(void) { int a[2] = {1, 0}; return a[0] / a[1]; }\n");
        folder.write("broken.c", "int main(void) { return }\n");
        folder.write("s.smt2", "(declare-const x Int)\n(assert (> x 3))\n(check-sat)\n");
        folder.write("h.smt2", "(set-logic HORN)\n(assert (=> (> 1 2) false))\n(check-sat)\n");
        folder
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn bolide(&self, line: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bolide"));
        command.args(line.split(' ')).current_dir(&self.0).stdin(Stdio::null());
        command
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Every command that prints, with its exit code.
const COMMANDS: [(&str, i32); 16] = [
    ("verify safe.c", 0),
    ("verify -v safe.c", 0),
    ("verify bad.c", 10),
    ("verify --json bad.c", 10),
    ("verify broken.c", 2),
    ("run bad.c", 20),
    ("run --trace safe.c", 0),
    ("cfa safe.c", 0),
    ("cfa --format svg safe.c", 0),
    ("clp safe.c", 0),
    ("smt s.smt2", 0),
    ("chc h.smt2", 0),
    ("scan safe.c -p div-by-zero --cache cache", 0),
    ("completions bash", 0),
    ("man", 0),
    ("--help", 0),
];

fn describe(output: &Output) -> String {
    format!("{output:?}")
}

#[test]
fn a_reader_that_went_away_changes_nothing() {
    let folder = Folder::new("closed");
    for (line, code) in COMMANDS {
        // The pipe is closed before anything is written.
        let mut command = folder.bolide(line);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}: {}", describe(&output));
        assert!(!String::from_utf8_lossy(&output.stderr).contains("internal error"), "{line}");
    }
}

#[test]
fn a_full_disk_is_told() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let folder = Folder::new("full");
    for (line, code) in COMMANDS {
        let output = folder.bolide(line).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {told}");
        assert!(line.contains("broken") || told.contains("cannot write to"), "{line}: {told}");
        // Where errors get lost, the exit code is all that is left.
        let output = folder.bolide(line).stderr(full()).stdout(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}");
    }
    // The verdict stands although its report does not.
    let output = folder.bolide("verify -q bad.c --report /dev/full").output().unwrap();
    assert_eq!(output.status.code(), Some(10), "{}", describe(&output));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`/dev/full`"));
}

#[test]
fn what_cannot_be_written_is_told_before_the_work() {
    let folder = Folder::new("unwritable");
    let asked = ["witness", "harness", "report", "sarif", "drawings", "dump-automata", "proofs"];
    let verify = asked.map(|flag| format!("verify safe.c --{flag} safe.c/x"));
    let others = [
        "scan safe.c --cache cache --sarif safe.c/x",
        "scan safe.c --cache cache --report safe.c/x",
        "scan safe.c --cache safe.c/x",
        "bench safe.c --csv safe.c/x",
        "bench safe.c --svg safe.c/x",
        "bench safe.c --junit safe.c/x",
    ];
    for line in verify.iter().map(String::as_str).chain(others) {
        let output = folder.bolide(line).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{line}: {}", describe(&output));
        assert!(output.stdout.is_empty(), "{line}: {}", describe(&output));
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("safe.c/x"), "{line}: {told}");
    }
}

/// A reader that does not read blocks the command; one signal must suffice to end it.
#[cfg(unix)]
#[test]
fn a_signal_ends_a_command_that_nobody_reads() {
    let folder = Folder::new("signal");
    // Each function without a body is a line.
    let declared: String = (0..2000).map(|i| format!("extern int outside{i}(void);\n")).collect();
    let called: String = (0..2000).map(|i| format!("  x ^= outside{i}();\n")).collect();
    let text = format!("{declared}int main(void) {{\n  int x = 0;\n{called}  return x;\n}}\n");
    folder.write("long.c", &text);
    let mut command = folder.bolide("verify -p div-by-zero long.c");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(8));
    assert!(child.try_wait().unwrap().is_none(), "its output fits into the pipe");
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() && start.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let ended = child.try_wait().unwrap();
    let _ = child.kill();
    assert!(ended.is_some_and(|status| status.code() == Some(20)), "{ended:?}");
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let folder = Folder::new("colours");
    for value in ["", "1"] {
        let output = folder.bolide("verify broken.c").env("NO_COLOR", value).output().unwrap();
        assert!(!output.stderr.contains(&0x1b), "{}", describe(&output));
    }
}
