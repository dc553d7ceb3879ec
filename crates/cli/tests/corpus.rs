//! Every program of tests/corpus, with every engine: the verdict must be the
//! one that the program states. See tests/corpus/README.md.

use std::path::{Path, PathBuf};
use std::process::Command;

const ENGINES: [&str; 4] = ["auto", "impact", "predicate", "trace"];

struct Task {
    file: PathBuf,
    expected: String,
    flags: Vec<String>,
    skips: Vec<String>,
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
        let text = std::fs::read_to_string(&file).unwrap();
        let first = text.lines().next().unwrap_or("");
        let rest = first
            .strip_prefix("// expect: ")
            .unwrap_or_else(|| panic!("{} states no verdict", file.display()));
        let mut words = rest.split_whitespace().map(str::to_owned);
        let expected = words.next().unwrap();
        let skips = text
            .lines()
            .filter_map(|l| l.strip_prefix("// skip "))
            .filter_map(|l| Some(l.split_once(':')?.0.to_owned()))
            .collect();
        let file = file.canonicalize().unwrap();
        tasks.push(Task { expected, flags: words.collect(), skips, file });
    }
    tasks.sort_by(|a, b| a.file.cmp(&b.file));
    assert!(tasks.len() >= 20, "the corpus has been lost");
    tasks
}

fn verdict(task: &Task, engine: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_bolide"))
        .args(["verify", "--timeout", "60s", "--engine", engine])
        .args(&task.flags)
        .current_dir(task.file.parent().unwrap())
        .arg(&task.file)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = text.lines().last().unwrap_or("").to_owned();
    match last.strip_prefix("RESULT: ") {
        Some(verdict) if verdict == task.expected => verdict.to_owned(),
        _ => format!("{last}\n{text}{}", String::from_utf8_lossy(&output.stderr)),
    }
}

#[test]
fn every_engine_gives_the_stated_verdict() {
    let mut failures = Vec::new();
    for task in tasks() {
        for engine in ENGINES {
            if task.skips.iter().any(|s| s == engine) {
                continue;
            }
            let found = verdict(&task, engine);
            if found != task.expected {
                failures.push(format!(
                    "{} with {engine}: expected {}, got {found}",
                    task.file.file_name().unwrap().to_string_lossy(),
                    task.expected
                ));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
