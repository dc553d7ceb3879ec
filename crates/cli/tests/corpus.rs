//! Every program of tests/corpus, with every engine that `verify` takes: no verdict may be wrong,
//! and those that should decide must. What `auto` says has evidence: its witness is confirmed by `bolide check`, and its
//! harness runs into the violation. See tests/corpus/README.md.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;

/// Engines that must decide what they are not excused from.
const DECIDING: [&str; 5] = ["auto", "impact", "predicate", "trace", "bounded"];
/// Engines made for other programs than most of these: what they say must be right.
const OTHERS: [&str; 3] = ["clp", "shape", "execution"];

struct Task {
    file: PathBuf,
    expected: String,
    flags: Vec<String>,
    skips: Vec<String>,
}

impl Task {
    /// Whether the engine has to give the stated verdict; else it may also say `unknown`.
    fn must_decide(&self, engine: &str) -> bool {
        DECIDING.contains(&engine) && !self.skips(engine) && !self.expected.starts_with("not-")
    }

    fn skips(&self, what: &str) -> bool {
        self.skips.iter().any(|s| s == what)
    }

    /// Whether the verdict of `auto` comes with a witness and a harness. Those of automata speak of more than C.
    fn has_evidence(&self) -> bool {
        let is_decided = self.expected == "true" || self.expected.starts_with("false(");
        is_decided && !self.skips("auto") && !self.file.parent().unwrap().ends_with("automata")
    }

    fn accepts(&self, verdict: &str, engine: &str) -> bool {
        match self.expected.as_str() {
            "not-true" => verdict == "unknown" || verdict.starts_with("false("),
            "not-false" => verdict == "unknown" || verdict == "true",
            expected => verdict == expected || verdict == "unknown" && !self.must_decide(engine),
        }
    }
}

fn tasks() -> Vec<Task> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let mut tasks = Vec::new();
    let folders = [folder.join("automata"), folder];
    for entry in folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()) {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|e| e != "c") {
            continue;
        }
        // Source bytes need not be UTF-8.
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        let first = text.lines().next().unwrap_or("").trim_start_matches('\u{feff}');
        let rest = first
            .strip_prefix("// expect: ")
            .unwrap_or_else(|| panic!("{} states no verdict", file.display()));
        let mut words = rest.split_whitespace().map(str::to_owned);
        let expected = words.next().unwrap();
        let known = ["true", "unknown", "not-true", "not-false", "error"];
        assert!(
            known.contains(&expected.as_str()) || expected.starts_with("false("),
            "{}: `{expected}` is no verdict",
            file.display()
        );
        let skips: Vec<String> = text
            .lines()
            .filter_map(|l| l.strip_prefix("// skip "))
            .filter_map(|l| Some(l.split_once(':')?.0.to_owned()))
            .collect();
        for skip in &skips {
            let evidence = ["witness", "harness"];
            let known = DECIDING.iter().chain(&OTHERS).chain(&evidence).any(|e| e == skip);
            assert!(known, "{}: nobody skips `{skip}`", file.display());
        }
        let file = file.canonicalize().unwrap();
        tasks.push(Task { expected, flags: words.collect(), skips, file });
    }
    tasks.sort_by(|a, b| a.file.cmp(&b.file));
    assert!(tasks.len() >= 20, "the corpus has been lost");
    tasks
}

fn bolide(arguments: &[&str], task: &Task) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(arguments)
        .args(&task.flags)
        .current_dir(task.file.parent().unwrap())
        .arg(&task.file)
        .output()
        .unwrap()
}

fn words(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// Files for the evidence of one program at a time.
struct Scratch {
    witness: String,
    harness: String,
    binary: String,
}

impl Scratch {
    fn new(folder: &Path, name: &str) -> Scratch {
        let path = |end: &str| folder.join(format!("{name}{end}")).to_str().unwrap().to_owned();
        Scratch { witness: path(".yml"), harness: path(".c"), binary: path(".out") }
    }
}

/// What is wrong with the answer of an engine, or with the evidence for it.
fn complaint(task: &Task, engine: &str, scratch: &Scratch) -> Option<String> {
    // Nobody waits long for what need not be decided.
    let limits = match task.must_decide(engine) {
        true => ["--timeout=240s", "--cpu-time=240s"],
        false => ["--timeout=3s", "--cpu-time=1s"],
    };
    let mut arguments = vec!["verify", "--engine", engine];
    arguments.extend(limits);
    let has_evidence = engine == "auto" && task.has_evidence();
    if has_evidence {
        for file in [&scratch.witness, &scratch.harness] {
            let _ = std::fs::remove_file(file);
        }
        arguments.extend(["--witness", &scratch.witness, "--harness", &scratch.harness]);
    }
    let quiet = [&arguments[..], &["--quiet"]].concat();
    let output = bolide(&quiet, task);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.lines().last().unwrap_or("");
    let fine = match last.strip_prefix("RESULT: ") {
        Some(verdict) => task.accepts(verdict, engine),
        None => task.expected == "error" && output.status.code() == Some(2),
    };
    let name = task.file.file_name().unwrap().to_string_lossy();
    if !fine {
        let again = words(&bolide(&arguments, task));
        let expected = &task.expected;
        return Some(format!(
            "{name} with {engine}: expected {expected}, got {last}\nonce more:\n{again}"
        ));
    }
    let evidence = || {
        let refuted = unless(task.skips("witness"), || witness_complaint(task, scratch));
        refuted.or_else(|| unless(task.skips("harness"), || harness_complaint(task, scratch)))
    };
    unless(!has_evidence, evidence).map(|why| format!("{name}: {why}"))
}

fn unless(skipped: bool, complaint: impl FnOnce() -> Option<String>) -> Option<String> {
    if skipped { None } else { complaint() }
}

/// What `bolide check` has against the witness.
fn witness_complaint(task: &Task, scratch: &Scratch) -> Option<String> {
    let text = words(&bolide(&["check", "--timeout", "60s", &scratch.witness], task));
    let result = format!("RESULT: {}", task.expected);
    let fine = text.contains("witness: confirmed") && text.contains(&result);
    (!fine).then_some(text)
}

/// What the compiler's own checks say of the harness, if they do not report the violation.
fn harness_complaint(task: &Task, scratch: &Scratch) -> Option<String> {
    let (sanitizer, report) = match task.expected.as_str() {
        "false(unreach-call)" => (None, "violation: "),
        "false(assert)" => (None, "ssertion"),
        "false(valid-shift)" => (Some("-fsanitize=shift"), "runtime error"),
        "false(no-overflow)" => (Some("-fsanitize=signed-integer-overflow"), "runtime error"),
        "false(valid-deref)" | "false(valid-free)" => {
            (Some("-fsanitize=address"), "AddressSanitizer")
        }
        // The compiler's leak checker has another notion of a leak.
        _ => return None,
    };
    let mut cc = Command::new("cc");
    cc.args(["-w", "-g", "-O0", "-o", &scratch.binary]).args(sanitizer);
    let compiled = cc.arg(&task.file).arg(&scratch.harness).arg("-lm").output().unwrap();
    if !compiled.status.success() {
        return Some(words(&compiled));
    }
    let run = Command::new(&scratch.binary).output().unwrap();
    let text = words(&run);
    (!text.contains(report)).then(|| format!("{:?} {text}", run.status))
}

#[test]
fn no_engine_is_wrong() {
    let tasks = tasks();
    // What is no C is no matter of engines.
    let engines = |task: &Task| match task.expected.as_str() {
        "error" => vec!["auto"],
        _ => [&DECIDING[..], &OTHERS].concat(),
    };
    let pairs: Vec<(&Task, &str)> =
        tasks.iter().flat_map(|t| engines(t).into_iter().map(move |e| (t, e))).collect();
    let (next, failures) = (Mutex::new(pairs.into_iter()), Mutex::new(Vec::new()));
    let take = || next.lock().unwrap().next();
    let folder = std::env::temp_dir().join(format!("bolide-corpus-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let scratches = ["first", "second"].map(|name| Scratch::new(&folder, name));
    std::thread::scope(|scope| {
        for scratch in &scratches {
            scope.spawn(|| {
                while let Some((task, engine)) = take() {
                    // Before the lock: the other one goes on meanwhile.
                    let complaint = complaint(task, engine, scratch);
                    failures.lock().unwrap().extend(complaint);
                }
            });
        }
    });
    let _ = std::fs::remove_dir_all(&folder);
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
