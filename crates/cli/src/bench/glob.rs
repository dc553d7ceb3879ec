//! File name patterns as task sets use them: `*`, `?`, `[a-z]`, `[!x]`, and `**`
//! for any number of folders.

use std::path::{Path, PathBuf};

/// Whether `text` matches the pattern of one path component (or of an
/// identifier). Linear backtracking: only the last `*` is ever revisited.
pub fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&'*') {
            star = Some((p, t));
            p += 1;
        } else if let Some(length) = one(&pattern[p..], text[t]) {
            p += length;
            t += 1;
        } else if let Some((star_p, star_t)) = star {
            p = star_p + 1;
            t = star_t + 1;
            star = Some((star_p, star_t + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// How many characters of the pattern match this one; none when it does not.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['[', rest @ ..] => {
            // A `]` that comes first stands for itself.
            let close = rest.iter().skip(1).position(|&c| c == ']').map(|i| i + 1);
            let Some(close) = close else { return (c == '[').then_some(1) };
            let (negated, class) = match &rest[..close] {
                ['!' | '^', class @ ..] => (true, class),
                class => (false, class),
            };
            (in_class(class, c) != negated).then_some(close + 2)
        }
        [p, ..] => (*p == c).then_some(1),
        [] => None,
    }
}

fn in_class(mut class: &[char], c: char) -> bool {
    loop {
        match class {
            [low, '-', high, rest @ ..] => {
                if (*low..=*high).contains(&c) {
                    return true;
                }
                class = rest;
            }
            [single, rest @ ..] => {
                if *single == c {
                    return true;
                }
                class = rest;
            }
            [] => return false,
        }
    }
}

/// The files below `folder` that match a pattern with `/`, sorted.
pub fn files(folder: &Path, pattern: &str) -> Vec<PathBuf> {
    match pattern.strip_prefix('/') {
        Some(rest) => expand(vec![PathBuf::from("/")], rest),
        None => expand(vec![folder.to_owned()], pattern),
    }
}

fn expand(mut found: Vec<PathBuf>, pattern: &str) -> Vec<PathBuf> {
    for component in pattern.split('/').filter(|c| !c.is_empty() && *c != ".") {
        let mut next = Vec::new();
        for path in found {
            if component == "**" {
                below(&path, &mut next);
            } else if component.contains(['*', '?', '[']) {
                next.extend(entries(&path).into_iter().filter(|entry| {
                    entry.file_name().is_some_and(|n| matches(component, &n.to_string_lossy()))
                }));
            } else {
                let path = path.join(component);
                if path.exists() {
                    next.push(path);
                }
            }
        }
        found = next;
    }
    found.retain(|path| path.is_file());
    found.sort();
    found.dedup();
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    // The name of the current folder is left out: `a.yml`, not `./a.yml`.
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(entries) = std::fs::read_dir(here) else { return Vec::new() };
    let mut found: Vec<PathBuf> =
        entries.filter_map(|e| Some(folder.join(e.ok()?.file_name()))).collect();
    found.sort();
    found
}

/// The folder and all folders in it, links to folders left out.
fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        pending.extend(entries(&path).into_iter().filter(|e| e.is_dir() && !e.is_symlink()));
        found.push(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_a_shell_does() {
        let cases = [
            ("*.yml", "a.yml", true),
            ("*.yml", "a.yaml", false),
            ("a*b*c", "axxbyybzzc", true),
            ("a*b*c", "axxbyy", false),
            ("?[0-9][!x]", "a7y", true),
            ("?[0-9][!x]", "a7x", false),
            ("[]]", "]", true),
            ("[", "[", true),
            ("**", "", true),
            ("", "a", false),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
