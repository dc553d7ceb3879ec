//! The rules of the house, checked: dependency arrows point down, absences
//! stay absent, files stay readable. ARCHITECTURE.md explains each rule; a
//! violation names the file and the rule.

use std::path::{Path, PathBuf};

/// Who may use whom. A crate that is not listed may not exist.
const ARROWS: [(&str, &[&str]); 17] = [
    ("base", &[]),
    ("terms", &["base"]),
    ("sat", &["base"]),
    ("proof", &["base", "terms"]),
    ("smt", &["base", "terms", "sat", "proof"]),
    ("c-syntax", &["base"]),
    ("cfa", &["base"]),
    ("c-lower", &["base", "c-syntax", "cfa"]),
    ("reachability", &["base", "terms", "proof", "smt", "cfa"]),
    ("horn", &["base", "terms", "proof", "smt"]),
    ("heap", &["base", "terms", "proof", "smt", "cfa"]),
    ("verdict", &["base", "terms", "smt", "cfa", "reachability", "heap"]),
    ("engines", &["base", "terms", "smt", "cfa", "reachability", "verdict", "horn", "heap"]),
    ("evidence", &["base", "cfa", "reachability", "verdict"]),
    (
        "cli",
        &[
            "base",
            "terms",
            "smt",
            "c-syntax",
            "cfa",
            "c-lower",
            "reachability",
            "verdict",
            "engines",
            "evidence",
            "horn",
            "heap",
        ],
    ),
    ("testing", &[]),
    (
        "xtask",
        &["base", "terms", "proof", "smt", "c-syntax", "cfa", "c-lower", "horn", "heap", "testing"],
    ),
];

/// Words that must not occur in the sources below `cli`, each with the rule.
const ABSENCES: [(&str, &str); 8] = [
    ("std::fs", "only cli and xtask touch files"),
    ("std::time", "only cli and xtask look at the clock"),
    ("std::process", "only cli and xtask start processes or exit"),
    ("println!(", "nothing below cli prints"),
    ("eprint!(", "nothing below cli prints"),
    ("std::collections::HashMap", "maps have a fixed hasher: bolide_base::HashMap"),
    ("std::collections::HashSet", "sets have a fixed hasher: bolide_base::HashSet"),
    ("dbg!(", "no debugging left behind"),
];

/// Words that must not occur anywhere.
const UNFINISHED: [&str; 3] = ["todo!(", "unimplemented!(", "#[ignore"];

/// A file longer than this holds two ideas.
const LINES: usize = 900;

/// Prints violations; the exit code says whether there are any.
pub fn run() -> i32 {
    let violations = violations(&root());
    for violation in &violations {
        eprintln!("{violation}");
    }
    i32::from(!violations.is_empty())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

fn violations(root: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut crates: Vec<PathBuf> = std::fs::read_dir(root.join("crates"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("Cargo.toml").exists())
        .collect();
    crates.sort();
    crates.push(root.join("xtask"));
    for path in crates {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or("?").to_owned();
        check_arrows(&name, &path, &mut found);
        let mut files = Vec::new();
        collect(&path.join("src"), &mut files);
        for file in files {
            check_file(root, &name, &file, &mut found);
        }
    }
    found
}

fn check_arrows(name: &str, path: &Path, found: &mut Vec<String>) {
    let Some((_, allowed)) = ARROWS.iter().find(|(known, _)| *known == name) else {
        found.push(format!("{name}: the house has no such crate (xtask/src/tidy.rs, ARROWS)"));
        return;
    };
    let manifest = std::fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
    let mut in_dependencies = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_dependencies = line == "[dependencies]";
        } else if in_dependencies
            && let Some(rest) = line.strip_prefix("bolide-")
            && let Some(used) = rest.split(['.', ' ', '=']).next()
            && !allowed.contains(&used)
        {
            found.push(format!("{name} uses {used}: that arrow is not on the wall"));
        }
    }
}

fn check_file(root: &Path, krate: &str, file: &Path, found: &mut Vec<String>) {
    let shown = file.strip_prefix(root).unwrap_or(file).display().to_string();
    let text = std::fs::read_to_string(file).unwrap_or_default();
    if !text.starts_with("//!") {
        found.push(format!("{shown}: a module opens with an essay (`//!`)"));
    }
    if text.lines().count() > LINES {
        found.push(format!("{shown}: more than {LINES} lines; it holds two ideas"));
    }
    let below_cli = krate != "cli" && krate != "xtask";
    // Tests may print and read, at the end of a file or in files of their own.
    let is_test = file.components().any(|c| {
        let name = c.as_os_str().to_string_lossy();
        name == "tests" || name == "tests.rs"
    });
    let product = if is_test { "" } else { text.split("#[cfg(test)]").next().unwrap_or("") };
    for (number, line) in product.lines().enumerate() {
        let code = line.trim_start();
        if code.starts_with("//") {
            continue;
        }
        if below_cli && let Some((_, rule)) = ABSENCES.iter().find(|(word, _)| code.contains(word))
        {
            found.push(format!("{shown}:{}: {rule}", number + 1));
        }
    }
    if file.file_name().is_none_or(|n| n != "tidy.rs") {
        for (number, line) in text.lines().enumerate() {
            if UNFINISHED.iter().any(|word| line.contains(word)) {
                found.push(format!(
                    "{shown}:{}: unfinished work or a test switched off",
                    number + 1
                ));
            }
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|e| Some(e.ok()?.path()))
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_tidy() {
        let violations = violations(&root());
        assert!(violations.is_empty(), "\n{}", violations.join("\n"));
    }

    #[test]
    fn broken_rules_are_named() {
        let dir = std::env::temp_dir().join(format!("bolide-tidy-{}", std::process::id()));
        let krate = dir.join("crates/sat");
        std::fs::create_dir_all(krate.join("src")).unwrap();
        std::fs::write(krate.join("Cargo.toml"), "[dependencies]\nbolide-terms.workspace = true\n")
            .unwrap();
        std::fs::write(krate.join("src/lib.rs"), "use std::time::Instant;\n").unwrap();
        let found = violations(&dir).join("\n");
        std::fs::remove_dir_all(&dir).unwrap();
        for words in ["sat uses terms", "look at the clock", "opens with an essay"] {
            assert!(found.contains(words), "{words} not in:\n{found}");
        }
    }
}
