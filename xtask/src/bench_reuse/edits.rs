//! Programs with small edits, as they are kept in `tests/reuse`.
//!
//! A file is a C program followed by its edits, as comments:
//!
//! ```c
//! //@ constant
//! //- if (n > 400) return 0;
//! //+ if (n > 900) return 0;
//! //@ rename n=size i=left
//! ```
//!
//! Lines that begin with `//-` are replaced by the lines with `//+` that follow them;
//! they must occur exactly once in the program, one after the other,
//! indentation aside. An edit may have several such pairs. `rename` replaces
//! whole words.

/// One edited version of a program.
pub struct Edit {
    /// What was done.
    pub kind: String,
    /// The whole program afterwards.
    pub text: String,
}

/// The program without its edits, and what each of them makes of it.
pub fn versions(file: &str) -> Result<(String, Vec<Edit>), String> {
    let (mut base, mut described) = (String::new(), Vec::new());
    for line in file.lines() {
        if let Some(heading) = line.strip_prefix("//@ ") {
            described.push((heading, Vec::new()));
        } else if let Some((_, changes)) = described.last_mut() {
            changes.push(line);
        } else {
            base += line;
            base.push('\n');
        }
    }
    let mut edits = Vec::new();
    for (heading, changes) in described {
        let (kind, arguments) = heading.split_once(' ').unwrap_or((heading, ""));
        let text = match kind {
            "rename" => renamed(&base, arguments)?,
            _ => replaced(&base, &changes).map_err(|e| format!("{kind}: {e}"))?,
        };
        if text == base {
            return Err(format!("{kind}: nothing changes"));
        }
        edits.push(Edit { kind: kind.to_owned(), text });
    }
    Ok((base, edits))
}

fn renamed(base: &str, pairs: &str) -> Result<String, String> {
    let pairs: Option<Vec<(&str, &str)>> =
        pairs.split_whitespace().map(|pair| pair.split_once('=')).collect();
    let pairs = pairs.ok_or("rename: expected old=new")?;
    let mut text = String::new();
    let mut word = String::new();
    for c in base.chars().chain(['\n']) {
        if c.is_ascii_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        let new = pairs.iter().find(|(old, _)| *old == word).map(|(_, new)| *new);
        text += new.unwrap_or(&word);
        word.clear();
        text.push(c);
    }
    text.pop();
    Ok(text)
}

fn replaced(base: &str, changes: &[&str]) -> Result<String, String> {
    let mut lines: Vec<String> = base.lines().map(str::to_owned).collect();
    let mut rest = changes.iter().peekable();
    while rest.peek().is_some() {
        let mut side = |mark: &str| {
            let mut taken = Vec::new();
            while let Some(line) = rest.peek().and_then(|line| line.strip_prefix(mark)) {
                taken.push(line.trim());
                rest.next();
            }
            taken
        };
        let (old, new) = (side("//-"), side("//+"));
        if old.is_empty() {
            return Err("lines to replace are missing".into());
        }
        let matches = |window: &[String]| window.iter().zip(&old).all(|(l, o)| l.trim() == *o);
        let places: Vec<usize> = (0..=lines.len().saturating_sub(old.len()))
            .filter(|&at| matches(&lines[at..lines.len().min(at + old.len())]))
            .collect();
        let &[at] = places.as_slice() else {
            return Err(format!("`{}` occurs {} times", old[0], places.len()));
        };
        lines.splice(at..at + old.len(), new.into_iter().map(str::to_owned));
    }
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_applied_to_the_base() {
        let file =
            "int n = 4;\n  n++;\n//@ constant\n//- int n = 4;\n//+ int n = 5;\n//@ rename n=m\n";
        let (base, edits) = versions(file).unwrap();
        assert_eq!(base, "int n = 4;\n  n++;\n");
        let texts: Vec<&str> = edits.iter().map(|e| e.text.as_str()).collect();
        assert_eq!(texts, ["int n = 5;\n  n++;\n", "int m = 4;\n  m++;\n"]);
    }

    #[test]
    fn an_edit_that_fits_nowhere_or_twice_is_refused() {
        for base in ["a;\n", "b;\nb;\n"] {
            assert!(versions(&format!("{base}//@ statement\n//- b;\n//+ c;\n")).is_err());
        }
    }
}
