//! Every command of the book is executed, and its output compared with what is
//! printed there; every link leads somewhere.
//!
//! A block that begins with three backquotes and `console` holds commands (lines that begin with `$ `)
//! and their output. A line `...` stands for any lines, and `...` in a line for any
//! text. Commands run in the root of the repository, by `sh`.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn chapters() -> Vec<(String, String)> {
    let folder = root().join("docs");
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names.push(root().join("README.md"));
    names
        .into_iter()
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect()
}

struct Example {
    place: String,
    command: String,
    output: Vec<String>,
}

fn examples() -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    for (name, text) in chapters() {
        let mut inside = false;
        let mut fresh = false;
        for (number, line) in text.lines().enumerate() {
            if line.starts_with("```") {
                inside = line == "```console";
                fresh = false;
            } else if inside && let Some(command) = line.strip_prefix("$ ") {
                found.push(Example {
                    place: format!("{name}:{}", number + 1),
                    command: command.to_owned(),
                    output: Vec::new(),
                });
                fresh = true;
            } else if inside
                && fresh
                && let Some(last) = found.last_mut()
            {
                last.output.push(line.to_owned());
            }
        }
    }
    found
}

/// Whether a line is as expected, `...` standing for any text.
fn line_matches(expected: &str, line: &str) -> bool {
    let mut parts = expected.split("...");
    let Some(mut rest) = line.strip_prefix(parts.next().unwrap_or("")) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Whether lines are as expected, a line `...` standing for any lines.
fn matches(expected: &[String], lines: &[&str]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "..." => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && matches(rest, others)),
    }
}

#[test]
fn every_command_does_what_the_book_says() {
    let binary = Path::new(env!("CARGO_BIN_EXE_bolide")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.display());
    std::fs::create_dir_all(root().join("target")).unwrap();
    let examples = examples();
    assert!(examples.len() > 15, "{} commands were found", examples.len());
    let mut wrong = Vec::new();
    for example in examples {
        let output = Command::new("sh")
            .args(["-c", &format!("{{ {}; }} 2>&1", example.command)])
            .current_dir(root())
            .env("PATH", &path)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> = text.lines().collect();
        if !matches(&example.output, &lines) {
            wrong.push(format!(
                "{}: $ {}\nexpected:\n{}\ngot:\n{text}",
                example.place,
                example.command,
                example.output.join("\n")
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn links_lead_somewhere_and_every_chapter_is_listed() {
    let folder = root().join("docs");
    let summary = std::fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    for (name, text) in chapters() {
        let base = if name == "README.md" { root() } else { folder.clone() };
        if name != "README.md" && name != "SUMMARY.md" {
            assert!(summary.contains(&format!("({name})")), "{name} is not in SUMMARY.md");
        }
        for piece in text.split("](").skip(1) {
            let target = piece.split(')').next().unwrap_or("");
            let file = target.split('#').next().unwrap_or("");
            if file.is_empty() || file.contains("://") {
                continue;
            }
            assert!(base.join(file).exists(), "{name}: the link {target} leads nowhere");
        }
    }
}

#[test]
fn patterns_match_as_described() {
    assert!(line_matches("a ... c", "a b c") && !line_matches("a ... c", "a b d"));
    assert!(line_matches("a", "a") && !line_matches("a", "ab"));
    let expected = ["x".to_owned(), "...".to_owned(), "z".to_owned()];
    assert!(matches(&expected, &["x", "y", "y", "z"]) && matches(&expected, &["x", "z"]));
    assert!(!matches(&expected, &["x", "y"]));
}
