//! `bolide prove --import cbmc FOLDER`: proofs that were written for CBMC, as proofs of `bolide.toml`.
//!
//! A folder of such proofs has a makefile each, in the form of CBMC's starter kit: variables name the sources, the
//! function to begin with, definitions, functions whose bodies are taken away, and the contracts to check and to use. What they mean is
//! known to `make` alone, so it is asked: a rule is added that does nothing but print them. Nothing of the makefile's own rules runs
//! (what its variables get from the shell does, as for everybody who builds the proof).
//!
//! | the makefile says | the proof says |
//! |---|---|
//! | `PROOF_SOURCES`, `PROJECT_SOURCES` | `files` (the former as stubs: they define what they please) |
//! | `HARNESS_ENTRY` | `entry` |
//! | `CHECK_FUNCTION_CONTRACTS` | `entry`: any state that its contract allows, so the harness is not needed |
//! | `USE_FUNCTION_CONTRACTS` | `--modular` |
//! | `DEFINES`, `INCLUDES` | `-D`, `-I` |
//! | `REMOVE_FUNCTION_BODY` | `--remove-body` |
//! | `--no-malloc-may-fail` | `--malloc never-fails` |
//!
//! Bounds of loops (`UNWIND`, `UNWINDSET`) are left out: there are none here.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variables that are asked for.
const VARIABLES: [&str; 10] = [
    "PROOF_SOURCES",
    "PROJECT_SOURCES",
    "HARNESS_ENTRY",
    "CHECK_FUNCTION_CONTRACTS",
    "USE_FUNCTION_CONTRACTS",
    "DEFINES",
    "INCLUDES",
    "REMOVE_FUNCTION_BODY",
    "CBMCFLAGS",
    "CBMC_FLAG_MALLOC_MAY_FAIL",
];

/// What stands before a line of ours.
const MARK: &str = "bolide-variable ";

/// The proofs in these folders and below, as text for the file of a project that stands in the current one. What cannot be read is told
/// in the second part.
pub fn cbmc(folders: &[PathBuf]) -> Result<(String, Vec<String>), String> {
    let here = std::env::current_dir().map_err(|e| e.to_string())?;
    let (mut text, mut problems) = (String::new(), Vec::new());
    let mut makefiles = Vec::new();
    for folder in folders {
        find(folder, &mut makefiles)
            .map_err(|e| format!("cannot read the folder `{}`: {e}", folder.display()))?;
    }
    for folder in makefiles {
        match variables(&folder) {
            Ok(values) if values.contains_key("HARNESS_ENTRY") => {
                text += &proof(&folder, &values, &here);
                let sources = ["PROOF_SOURCES", "PROJECT_SOURCES"].map(|name| values.get(name));
                for file in sources.into_iter().flatten().flat_map(|all| all.split_whitespace()) {
                    if !folder.join(file).exists() {
                        let why = "is not there; perhaps a rule of the makefile makes it";
                        problems.push(format!("`{}`: `{file}` {why}", folder.display()));
                    }
                }
            }
            Ok(_) => {}
            Err(why) => problems.push(format!("`{}`: {why}", folder.display())),
        }
    }
    Ok((text, problems))
}

/// The folders that have a makefile, in order.
fn find(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if folder.join("Makefile").is_file() {
        found.push(folder.to_owned());
    }
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder)?.collect();
    let mut below: Vec<PathBuf> = entries?
        .iter()
        .filter(|e| e.file_type().is_ok_and(|t| t.is_dir()))
        .map(|e| e.path())
        .collect();
    below.sort();
    below.iter().try_for_each(|folder| find(folder, found))
}

/// What `make` says the variables are; those that are empty are left out.
fn variables(folder: &Path) -> Result<BTreeMap<&'static str, String>, String> {
    let lines = VARIABLES.map(|name| format!("$(info {MARK}{name} $({name}))")).concat();
    let output = Command::new("make")
        .args(["--silent", "--directory"])
        .arg(folder)
        .args(["--eval", &format!("bolide-variables: ; {lines}@:"), "bolide-variables"])
        .output()
        .map_err(|e| format!("cannot run `make`, which knows what its makefile means: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("make says: {}", said.lines().next_back().unwrap_or("nothing")));
    }
    let said = String::from_utf8_lossy(&output.stdout);
    let mut values = BTreeMap::new();
    for line in said.lines().filter_map(|line| line.strip_prefix(MARK)) {
        let (name, value) = line.split_once(' ').unwrap_or((line, ""));
        let known = VARIABLES.into_iter().find(|known| *known == name);
        if let Some(known) = known.filter(|_| !value.trim().is_empty()) {
            values.insert(known, value.trim().to_owned());
        }
    }
    Ok(values)
}

/// One proof as the file of a project has it.
fn proof(folder: &Path, values: &BTreeMap<&'static str, String>, here: &Path) -> String {
    let value = |name: &str| values.get(name).map_or("", String::as_str);
    let words = |name: &str| {
        let text = value(name);
        shlex::split(text).unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect())
    };
    let own = words("PROOF_SOURCES");
    let project: Vec<String> =
        unique(words("PROJECT_SOURCES").into_iter().filter(|f| !own.contains(f)));
    let checked = words("CHECK_FUNCTION_CONTRACTS").into_iter().next();
    let mut flags = vec!["--harness-style".to_owned(), "cbmc".to_owned()];
    let mut operand =
        |flag: &str, operand: &str| flags.extend([flag.to_owned(), operand.to_owned()]);
    let mut files: Vec<String> = Vec::new();
    for file in unique(own.into_iter()) {
        match project.is_empty() {
            true => files.push(near(&file, folder, here)),
            false => operand("--stub", &near(&file, folder, here)),
        }
    }
    files.extend(project.iter().map(|file| near(file, folder, here)));
    for function in unique(words("REMOVE_FUNCTION_BODY").into_iter()) {
        operand("--remove-body", &function);
    }
    let told = [value("CBMCFLAGS"), value("CBMC_FLAG_MALLOC_MAY_FAIL")].concat();
    if told.contains("--no-malloc-may-fail") {
        operand("--malloc", "never-fails");
    }
    let mut definitions = words("DEFINES").into_iter().chain(words("INCLUDES"));
    while let Some(word) = definitions.next() {
        let (flag, rest) = word.split_at(word.len().min(2));
        let rest =
            if rest.is_empty() { definitions.next().unwrap_or_default() } else { rest.to_owned() };
        match flag {
            "-I" => operand("-I", &near(&rest, folder, here)),
            "-D" => operand("-D", &rest),
            _ => {}
        }
    }
    if checked.is_some() && !words("USE_FUNCTION_CONTRACTS").is_empty() {
        flags.push("--modular".to_owned());
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut text = String::new();
    let list = |all: &[String]| all.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ");
    let entry = checked.unwrap_or_else(|| value("HARNESS_ENTRY").to_owned());
    let _ = writeln!(text, "[[proof]]\nname = {}\nfiles = [{}]", quoted(&name), list(&files));
    let _ = writeln!(text, "entry = {}\nflags = [{}]\n", quoted(&entry), list(&flags));
    text
}

/// Each once, where it came first.
fn unique(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all
}

/// A file that a makefile names, as seen from here; where it is elsewhere, in full.
fn near(file: &str, folder: &Path, here: &Path) -> String {
    let path = here.join(folder).join(file);
    let path = path.canonicalize().unwrap_or(path);
    let shorter =
        here.canonicalize().ok().and_then(|here| path.strip_prefix(here).ok().map(Path::to_owned));
    let shorter = shorter.unwrap_or(path);
    match shorter.as_os_str().is_empty() {
        true => ".".into(),
        false => shorter.to_string_lossy().into_owned(),
    }
}

/// A text of TOML.
fn quoted(text: &str) -> String {
    // Strings of JSON are strings of TOML.
    serde_json::Value::from(text).to_string()
}
