//! What there is to verify in a project: its files, their functions, and a
//! print of each function's content.
//!
//! A function with a contract is an entry by its contract; with any arguments it
//! would be called as its contract forbids. Functions of other files that an entry
//! leads to come along with their files ([`super::linking`]).
//!
//! The print of a function is the hash of everything in its file that is no
//! function, and of the functions whose names occur in it, or in those, and so
//! on. So a change elsewhere in the file leaves it as it is. Lines are no part of it: a
//! second print tells whether the functions are still where they were.

use super::ProjectFile;
use super::linking::{Linked, Linking};
use crate::compile_commands;
use crate::flags::{DataModel, ScanFlags};
use crate::frontend;
use crate::preprocess::Preprocessor;
use bolide_base::{HashMap, HashSet, Severity, SourceMap, Span};
use bolide_c_syntax::annotation::{self, Clause};
use bolide_c_syntax::ast::{ItemKind, StorageClass, TranslationUnit};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The properties of a scan unless others are asked for.
const PROPERTIES: [&str; 6] =
    ["assert", "div-by-zero", "no-overflow", "valid-deref", "valid-shift", FAILED_ALLOCATION];

/// A warning of its own: accesses through what an allocation returned that failed. Everywhere else
/// allocations do not fail.
pub const FAILED_ALLOCATION: &str = "failed-allocation";

/// One property of one entry function of one file.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The file.
    pub file: PathBuf,
    /// Flags for `bolide verify` that reading the file needs.
    pub flags: Vec<String>,
    /// The function that is called.
    pub entry: String,
    /// Its line.
    pub line: u32,
    /// Other files whose functions it leads to.
    pub linked: Vec<PathBuf>,
    /// What is verified.
    pub property: &'static str,
    /// Whether the arguments are any, instead of those of the system.
    pub any_arguments: bool,
    /// Hash of what the verdict depends on, lines aside.
    pub content: String,
    /// Hash of where that stands.
    pub position: String,
}

impl Unit {
    /// For people.
    pub fn name(&self) -> String {
        format!("{}: {} ({})", self.file.display(), self.entry, self.property)
    }

    /// For file names.
    pub fn slug(&self) -> String {
        let clean = |text: &str| -> String {
            text.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect()
        };
        let file = clean(&self.file.display().to_string());
        let file = file.trim_matches('-');
        format!("{file}-{}-{}", clean(&self.entry), self.property)
    }
}

/// Files that could not be read, with the reason.
pub type Unreadable = Vec<(PathBuf, String)>;

/// All units of a project, in order of files and lines.
pub fn find(flags: &ScanFlags) -> Result<(Vec<Unit>, Unreadable), String> {
    let properties: Vec<&'static str> = if flags.properties.is_empty() {
        PROPERTIES.to_vec()
    } else {
        let known = bolide_evidence::rules::RULES.iter().map(|rule| rule.id);
        flags
            .properties
            .iter()
            .map(|name| {
                known.clone().find(|id| id == name).ok_or_else(|| {
                    let all: Vec<&str> = known.clone().collect();
                    format!("`{name}` is no property of a scan; there are {}", all.join(", "))
                })
            })
            .collect::<Result<_, _>>()?
    };
    let (mut read, mut unreadable) = (Vec::new(), Vec::new());
    for file in project_files(flags)? {
        match functions(&file) {
            Ok(found) => read.push((file, found)),
            Err(why) => unreadable.push((file.file, why)),
        }
    }
    let linking = Linking::new(&read);
    let mut units = Vec::new();
    for (index, (file, found)) in read.iter().enumerate() {
        for function in found {
            let any_arguments = flags.each_function && !function.has_contract;
            let linked = linking.needed(index, function);
            if function.name == "main" || any_arguments {
                let allocates = function.mentions.iter().any(|name| allocates(name));
                for &property in &properties {
                    if property == FAILED_ALLOCATION && !allocates {
                        continue;
                    }
                    units.push(function.unit(file, &linked, property, flags));
                }
            }
            if function.has_contract {
                units.push(function.unit(file, &linked, CONTRACT, flags));
            }
        }
    }
    Ok((units, unreadable))
}

/// Whether a function of this name gives out memory.
fn allocates(name: &str) -> bool {
    name.ends_with("alloc") || matches!(name, "strdup" | "strndup" | "asprintf" | "vasprintf")
}

/// What a unit verifies that proves a contract.
pub const CONTRACT: &str = "contract";

/// Where the headers of a project lie that does not say how it is built: beside its
/// files, or in a folder of their own. What the user names is searched before.
fn usual_include_dirs(project: &Path) -> Vec<String> {
    [project.to_owned(), project.join("include")]
        .iter()
        .filter(|folder| folder.is_dir())
        .map(|folder| folder.display().to_string())
        .collect()
}

fn project_files(flags: &ScanFlags) -> Result<Vec<ProjectFile>, String> {
    let mut common: Vec<String> = Vec::new();
    let mut arguments: Vec<String> = Vec::new();
    let database = flags.folder.join("compile_commands.json");
    let mut include_dirs = flags.include_dirs.clone();
    if !database.exists() {
        include_dirs.extend(usual_include_dirs(&flags.folder));
    }
    for folder in &include_dirs {
        common.extend(["-I".to_owned(), folder.clone()]);
        arguments.push(format!("-I{folder}"));
    }
    for define in &flags.defines {
        common.extend(["-D".to_owned(), define.clone()]);
        arguments.push(format!("-D{define}"));
    }
    common.extend(["--cc".to_owned(), flags.cc.clone()]);
    if flags.data_model == DataModel::Ilp32 {
        common.extend(["--data-model".to_owned(), "ILP32".to_owned()]);
    }
    let preprocessor = Preprocessor {
        command: flags.cc.clone(),
        arguments,
        directory: None,
        ilp32: flags.data_model == DataModel::Ilp32,
    };
    if database.exists() {
        let entries = compile_commands::read(&database)?;
        return Ok(entries.into_iter().map(|e| from_entry(e, &common, &preprocessor)).collect());
    }
    let mut files = Vec::new();
    if flags.folder.is_file() {
        files.push(flags.folder.clone());
    } else {
        collect(&flags.folder, &mut files)
            .map_err(|e| format!("cannot read `{}`: {e}", flags.folder.display()))?;
    }
    files.sort();
    // Below `.` names are shorter, and then they are those that compilers print.
    let short = |file: PathBuf| file.strip_prefix(".").map_or(file.clone(), Path::to_owned);
    Ok(files
        .into_iter()
        .map(short)
        .map(|file| ProjectFile { file, flags: common.clone(), preprocessor: preprocessor.clone() })
        .collect())
}

/// Turns the flags of a compiler into ours, independent of its folder.
fn from_entry(
    entry: compile_commands::Entry,
    common: &[String],
    preprocessor: &Preprocessor,
) -> ProjectFile {
    let mut flags = common.to_vec();
    let mut words = entry.arguments.iter();
    let there = |name: &str| entry.directory.join(name).display().to_string();
    while let Some(word) = words.next() {
        let split = ["-isystem", "-idirafter", "-iquote", "-include", "-I", "-D"]
            .into_iter()
            .find_map(|flag| Some((flag, word.strip_prefix(flag)?)));
        let Some((flag, rest)) = split else {
            if let Some(standard) = word.strip_prefix("-std=") {
                flags.extend(["--std".to_owned(), standard.to_owned()]);
            }
            continue;
        };
        let operand = if rest.is_empty() { words.next().map(String::as_str) } else { Some(rest) };
        let Some(operand) = operand else { continue };
        match flag {
            "-D" => flags.extend(["-D".to_owned(), operand.to_owned()]),
            "-include" => flags.extend(["--include".to_owned(), there(operand)]),
            _ => flags.extend(["-I".to_owned(), there(operand)]),
        }
    }
    let mut preprocessor = preprocessor.clone();
    preprocessor.arguments.extend(entry.arguments);
    preprocessor.directory = Some(entry.directory);
    let file = std::path::absolute(&entry.file).unwrap_or(entry.file);
    ProjectFile { file, flags, preprocessor }
}

/// C files of a folder and those in it; hidden folders are left out.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder)? {
            let path = entry?.path();
            let hidden =
                path.file_name().and_then(|n| n.to_str()).is_none_or(|n| n.starts_with('.'));
            if hidden || path.is_symlink() {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "c" || e == "i") {
                files.push(path);
            }
        }
    }
    Ok(())
}

/// A function that a file defines.
pub struct Function {
    /// Its name.
    pub name: String,
    /// Other files can call it.
    pub is_external: bool,
    /// Names in it, and in the functions of the file that it leads to, that the file does not
    /// define.
    pub mentions: BTreeSet<String>,
    has_contract: bool,
    line: u32,
    /// Hash of what it is made of.
    pub content: String,
    position: String,
}

impl Function {
    fn unit(
        &self,
        file: &ProjectFile,
        linked: &Linked,
        property: &'static str,
        flags: &ScanFlags,
    ) -> Unit {
        let mut all_flags = file.flags.clone();
        all_flags.extend(linked.flags.iter().cloned());
        let mut hash = Sha256::new();
        for part in [
            own_print(),
            &self.content,
            &self.name,
            property,
            &all_flags.join("\u{1}"),
            &linked.content,
            &format!("{:?} {}", flags.timeout, flags.memory),
        ] {
            hash.update(part.as_bytes());
            hash.update([0]);
        }
        Unit {
            file: file.file.clone(),
            flags: all_flags,
            linked: linked.files.clone(),
            entry: self.name.clone(),
            line: self.line,
            property,
            any_arguments: self.name != "main" && property != CONTRACT,
            content: hex(&hash.finalize()),
            position: self.position.clone(),
        }
    }
}

/// Which bolide this is: answers of another one are not taken over.
fn own_print() -> &'static str {
    static PRINT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    PRINT.get_or_init(|| {
        let own = std::env::current_exe().and_then(std::fs::metadata);
        let changed = own.as_ref().ok().and_then(|m| m.modified().ok());
        let size = own.as_ref().map_or(0, std::fs::Metadata::len);
        format!("{} {size} {changed:?}", env!("CARGO_PKG_VERSION"))
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Names and lines of the functions of a file.
pub fn names(file: &ProjectFile) -> Result<Vec<(String, u32)>, String> {
    Ok(functions(file)?.into_iter().map(|f| (f.name, f.line)).collect())
}

/// The functions that stand in a file itself, not in its headers.
fn functions(file: &ProjectFile) -> Result<Vec<Function>, String> {
    let text = frontend::read(&file.file, &file.preprocessor)?;
    let mut sources = SourceMap::new();
    let name = file.file.display().to_string();
    let start = sources.add(name.clone(), text).ok_or("the file is too large")?;
    let parsed =
        bolide_c_syntax::parse(&mut sources, start, &bolide_c_syntax::ParseOptions::default());
    if let Some(error) = parsed.diagnostics.iter().find(|d| d.severity == Severity::Error) {
        return Err(error.render_plain(&sources).trim_end().to_owned());
    }
    Ok(prints(&parsed.unit, &sources, &name))
}

fn prints(unit: &TranslationUnit, sources: &SourceMap, file: &str) -> Vec<Function> {
    let mut rest = Sha256::new();
    let mut bodies: Vec<(String, Span)> = Vec::new();
    let mut is_external: Vec<bool> = Vec::new();
    let annotated = annotated(unit);
    let mut index: HashMap<String, usize> = HashMap::default();
    for item in &unit.items {
        let function = match &item.kind {
            ItemKind::Function(id) => Some(&unit.functions[*id]),
            _ => None,
        };
        match function.and_then(|f| Some((f, unit.name(f.declarator.name?)))) {
            Some((definition, name)) => {
                index.insert(name.to_owned(), bodies.len());
                bodies.push((name.to_owned(), definition.span));
                let storage = definition.specifiers.storage.map(|(class, _)| class);
                is_external.push(storage != Some(StorageClass::Static));
            }
            None => rest.update(sources.snippet(item.span).as_bytes()),
        }
    }
    let rest = hex(&rest.finalize());
    let words: Vec<BTreeSet<&str>> = bodies
        .iter()
        .map(|(_, span)| {
            let word = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$');
            sources.snippet(*span).split(word).filter(|w| !w.is_empty()).collect()
        })
        .collect();
    let mentions: Vec<BTreeSet<usize>> = words
        .iter()
        .map(|words| words.iter().filter_map(|w| index.get(*w).copied()).collect())
        .collect();
    let mut found = Vec::new();
    for (own, (name, span)) in bodies.iter().enumerate() {
        let Some(place) = sources.position(span.start) else { continue };
        if place.file != file {
            continue;
        }
        let mut reached = BTreeSet::from([own]);
        let mut stack = vec![own];
        while let Some(f) = stack.pop() {
            stack.extend(mentions[f].iter().copied().filter(|&g| reached.insert(g)));
        }
        let (mut content, mut position) = (Sha256::new(), Sha256::new());
        content.update(rest.as_bytes());
        for &f in &reached {
            content.update(sources.snippet(bodies[f].1).as_bytes());
            if let Some(place) = sources.position(bodies[f].1.start) {
                position.update(place.to_string().as_bytes());
            }
        }
        let elsewhere = reached.iter().flat_map(|&f| &words[f]);
        let elsewhere = elsewhere.filter(|w| !index.contains_key(**w));
        found.push(Function {
            name: name.clone(),
            is_external: is_external[own],
            mentions: elsewhere.map(|w| (*w).to_owned()).collect(),
            has_contract: annotated.contains(span),
            line: place.line,
            content: hex(&content.finalize()),
            position: hex(&position.finalize()),
        });
    }
    found
}

/// The functions that an annotation with a promise stands before.
fn annotated(unit: &TranslationUnit) -> HashSet<Span> {
    let mut found = HashSet::default();
    for comment in &unit.annotations {
        let Ok(clauses) = annotation::parse(&comment.text, comment.span) else { continue };
        let promises = clauses
            .iter()
            .any(|c| matches!(c, Clause::Requires(..) | Clause::Ensures(..) | Clause::Assigns(..)));
        let next = unit.items.iter().find(|item| item.span.start >= comment.span.end);
        if let (true, Some(ItemKind::Function(id))) = (promises, next.map(|item| &item.kind)) {
            found.insert(unit.functions[*id].span);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn prints_of(text: &str) -> Vec<(String, String, String)> {
        let mut sources = SourceMap::new();
        let start = sources.add("a.c", text.into()).unwrap();
        let options = bolide_c_syntax::ParseOptions::default();
        let parsed = bolide_c_syntax::parse(&mut sources, start, &options);
        let found = prints(&parsed.unit, &sources, "a.c");
        found.into_iter().map(|f| (f.name, f.content, f.position)).collect()
    }

    #[test]
    fn a_print_changes_with_what_the_function_uses_only() {
        let before = prints_of(
            "int g;\nint f(void) { return g; }\nint h(void) { return f(); }\nint k(void) { return 1; }\n",
        );
        let after = prints_of(
            "int g;\nint f(void) { return g + 1; }\nint h(void) { return f(); }\nint k(void) { return 1; }\n",
        );
        let same: Vec<bool> = before.iter().zip(&after).map(|(a, b)| a.1 == b.1).collect();
        assert_eq!(same, [false, false, true]);
        // A line more moves everything behind it and changes nothing.
        let moved = prints_of(
            "int g;\n\nint f(void) { return g; }\nint h(void) { return f(); }\nint k(void) { return 1; }\n",
        );
        assert!(before.iter().zip(&moved).all(|(a, b)| a.1 == b.1 && a.2 != b.2));
        // What is no function concerns all.
        let global = prints_of(
            "int g = 1;\nint f(void) { return g; }\nint h(void) { return f(); }\nint k(void) { return 1; }\n",
        );
        assert!(before.iter().zip(&global).all(|(a, b)| a.1 != b.1));
    }
}
