//! Functions fit on a screen, or say why they do not.

use super::source::SourceFile;

/// A longer function needs a reason.
const LINES: usize = 80;

/// The line above a function that gives it: `// Long: a table of ...`.
const REASON: &str = "// Long: ";

/// Checks the functions of a file.
pub fn check(file: &SourceFile, found: &mut Vec<String>) {
    let lines: Vec<&str> = file.product().lines().collect();
    let text: Vec<&str> = file.text.lines().collect();
    for (begin, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let closing = format!("{indent}}}");
        let Some(length) = lines[begin..].iter().position(|l| **l == closing) else { continue };
        let attributes = |l: &&&str| l.trim_start().starts_with("#[");
        let above = text[..begin].iter().rev().find(|l| !attributes(l));
        let has_reason = above.is_some_and(|l| l.trim_start().starts_with(REASON));
        // A declaration without a body ends on its line.
        let has_body = !line.ends_with(';');
        if has_body && length + 1 > LINES && !has_reason {
            found.push(format!(
                "{}:{}: `{name}` has {} lines: split it by idea, or say why not (`{REASON}...`)",
                file.shown,
                begin + 1,
                length + 1
            ));
        }
    }
}

/// The name of the function that a line begins.
fn function_name(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let is_before = |w: &&str| {
        w.starts_with("pub") || matches!(*w, "const" | "unsafe" | "async" | "extern" | "\"C\"")
    };
    let word = words.find(|w| !is_before(w))?;
    if word != "fn" {
        return None;
    }
    words.next()?.split(|c: char| !(c.is_alphanumeric() || c == '_')).next()
}
