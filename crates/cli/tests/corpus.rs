//! Every program of tests/corpus, with every engine that `verify` takes: no verdict may be wrong,
//! and those that should decide must. See tests/corpus/README.md.

use std::path::{Path, PathBuf};
use std::process::Command;
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
        DECIDING.contains(&engine)
            && !self.skips.iter().any(|s| s == engine)
            && !self.expected.starts_with("not-")
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

/// What is wrong with the answer of an engine.
fn complaint(task: &Task, engine: &str) -> Option<String> {
    let timeout = if task.must_decide(engine) { "240s" } else { "3s" };
    let run = |more: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_bolide"))
            .args(["verify", "--timeout", timeout, "--engine", engine])
            .args(more)
            .args(&task.flags)
            .current_dir(task.file.parent().unwrap())
            .arg(&task.file)
            .output()
            .unwrap()
    };
    let output = run(&["--quiet"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.lines().last().unwrap_or("");
    let fine = match last.strip_prefix("RESULT: ") {
        Some(verdict) => task.accepts(verdict, engine),
        None => task.expected == "error" && output.status.code() == Some(2),
    };
    let name = task.file.file_name().unwrap().to_string_lossy();
    (!fine).then(|| {
        let again = run(&[]);
        let words = [again.stdout, again.stderr].concat();
        let words = String::from_utf8_lossy(&words).into_owned();
        format!("{name} with {engine}: expected {}, got {last}\nonce more:\n{words}", task.expected)
    })
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
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((task, engine)) = take() {
                    failures.lock().unwrap().extend(complaint(task, engine));
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
