//! C++ is told so: a file by its name at once, a text when it turned out to be no C.

use std::path::Path;

/// What is said of it.
const ONLY_C: &str = "bolide verifies C (C11 with GNU extensions)";

/// What to say of a file that is C++ by its name.
pub fn refusal(file: &Path) -> Option<String> {
    let ending = file.extension().and_then(|e| e.to_str()).unwrap_or("");
    let is_cpp = ["cpp", "cc", "cxx", "c++", "C", "hpp", "hh", "hxx", "ii"].contains(&ending);
    is_cpp.then(|| format!("`{}` is a C++ file; {ONLY_C}", file.display()))
}

/// What to say of a text that is no C and has lines of C++.
pub fn hint(text: &str) -> Option<String> {
    let is_telling = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["using", "namespace", ..] | ["template", ..] | ["namespace", ..] => true,
            ["public:" | "private:" | "protected:"] => true,
            ["class", _, "{" | ":", ..] => true,
            ["#include", "<iostream>" | "<string>" | "<vector>" | "<map>" | "<memory>", ..] => true,
            [first, ..] => first.starts_with("template<") || line.contains("std::"),
            [] => false,
        }
    };
    text.lines().any(is_telling).then(|| format!("this looks like C++; {ONLY_C}"))
}
