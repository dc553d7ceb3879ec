//! What a file must not say, and how it must begin.

use super::source::SourceFile;

/// Words that must not occur in the sources below `cli`, each with the rule.
const ABSENCES: [(&str, &str); 8] = [
    ("std::fs", "only api, cli and xtask touch files"),
    ("std::time", "only api, cli and xtask look at the clock"),
    ("std::process", "only api, cli and xtask start processes or exit"),
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

/// Checks one file of a crate.
pub fn check(krate: &str, file: &SourceFile, found: &mut Vec<String>) {
    let shown = &file.shown;
    if !file.text.starts_with("//!") {
        found.push(format!("{shown}: a module opens with an essay (`//!`)"));
    }
    if file.text.lines().count() > LINES {
        found.push(format!("{shown}: more than {LINES} lines; it holds two ideas"));
    }
    // Tests may print and read, at the end of a file or in files of their own.
    let below_cli = krate != "cli" && krate != "xtask";
    let product = if below_cli { file.product() } else { "" };
    for (number, line) in product.lines().enumerate() {
        let is_allowed = |word: &str| {
            krate == "api" && word.starts_with("std::") && !word.starts_with("std::collections")
        };
        let absent = ABSENCES.iter().find(|(word, _)| line.contains(word) && !is_allowed(word));
        if let Some((_, rule)) = absent {
            found.push(format!("{shown}:{}: {rule}", number + 1));
        }
    }
    // This file has the words themselves.
    if file.shown.ends_with("tidy/words.rs") {
        return;
    }
    for (number, line) in file.text.lines().enumerate() {
        if UNFINISHED.iter().any(|word| line.contains(word)) {
            found.push(format!("{shown}:{}: unfinished work or a test switched off", number + 1));
        }
    }
}
