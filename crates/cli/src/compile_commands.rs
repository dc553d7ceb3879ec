//! Compilation databases: `compile_commands.json`.

use crate::output;
use bolide_api::preprocess::Preprocessor;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One file of the project with the flags that matter to the preprocessor.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where the compiler was run.
    pub directory: PathBuf,
    /// The source file.
    pub file: PathBuf,
    /// `-I`, `-D`, `-U`, `-include`, `-isystem`, `-iquote` and `-std` flags, in order.
    pub arguments: Vec<String>,
}

impl Entry {
    /// The file, and a preprocessor that reads it as the build does.
    pub fn with(self, common: &Preprocessor) -> (PathBuf, Preprocessor) {
        let mut preprocessor = common.clone();
        preprocessor.arguments.extend(self.arguments);
        preprocessor.directory = Some(self.directory);
        (std::path::absolute(&self.file).unwrap_or(self.file), preprocessor)
    }
}

/// Reads a compilation database.
pub fn read(path: &Path) -> Result<Vec<Entry>, String> {
    let text = output::read(path)?;
    let base = path.parent().unwrap_or(Path::new("."));
    parse(&text, base).map_err(|e| format!("`{}`: {e}", path.display()))
}

fn parse(text: &str, base: &Path) -> Result<Vec<Entry>, String> {
    let json: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let list = json.as_array().ok_or("expected a list of commands")?;
    let mut entries: Vec<Entry> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let field = |name: &str| item.get(name).and_then(Value::as_str);
        let file = field("file").ok_or_else(|| format!("entry {index} has no `file`"))?;
        let directory = base.join(field("directory").unwrap_or("."));
        let words: Vec<String> = match (item.get("arguments"), field("command")) {
            (Some(Value::Array(words)), _) => {
                words.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            (_, Some(command)) => shlex::split(command).ok_or("a quote is not closed")?,
            _ => return Err(format!("entry {index} has neither `arguments` nor `command`")),
        };
        let file = directory.join(file);
        let is_c = file.extension().is_some_and(|e| e == "c" || e == "i");
        if is_c && !entries.iter().any(|e| e.file == file) {
            entries.push(Entry { directory, file, arguments: preprocessor_flags(&words) });
        }
    }
    Ok(entries)
}

/// Keeps what the preprocessor needs of a compiler's command line.
fn preprocessor_flags(words: &[String]) -> Vec<String> {
    const WITH_OPERAND: [&str; 7] =
        ["-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter"];
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if WITH_OPERAND.contains(&word.as_str()) {
            kept.push(word.clone());
            kept.extend(words.next().cloned());
        } else if ["-I", "-D", "-U", "-std=", "-isystem"].iter().any(|p| word.starts_with(p)) {
            kept.push(word.clone());
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_what_the_preprocessor_needs() {
        let text = r#"[
            {"directory": "build", "file": "../a.c",
             "command": "gcc -O2 -I ../inc -DNAME='\"x y\"' -std=gnu11 -c ../a.c -o a.o"},
            {"directory": "build", "file": "../b.cpp", "arguments": ["g++", "../b.cpp"]},
            {"directory": "build", "file": "../c.c", "arguments": ["cc", "-include", "k.h", "-c"]}
        ]"#;
        let entries = parse(text, Path::new("p")).unwrap();
        assert_eq!(
            entries.iter().map(|e| e.file.to_str().unwrap()).collect::<Vec<_>>(),
            ["p/build/../a.c", "p/build/../c.c"]
        );
        assert_eq!(entries[0].arguments, ["-I", "../inc", "-DNAME=\"x y\"", "-std=gnu11"]);
        assert_eq!(entries[1].arguments, ["-include", "k.h"]);
    }

    #[test]
    fn damaged_databases_are_explained() {
        assert!(parse("{}", Path::new(".")).unwrap_err().contains("list"));
        assert!(parse("[{\"file\": \"a.c\"}]", Path::new(".")).unwrap_err().contains("command"));
        assert!(parse("[", Path::new(".")).is_err());
    }
}
