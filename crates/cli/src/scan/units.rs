//! What there is to verify in a project: properties of entry functions.
//!
//! A function with a contract is an entry by its contract; with any arguments it
//! would be called as its contract forbids. Functions of other files that an entry
//! leads to come along with their files ([`super::linking`]).

use super::files::{ProjectFile, project};
use super::functions::{Function, functions};
use super::linking::{Linked, Linking};
use crate::flags::ScanFlags;
use crate::project_file::Settings;
use crate::suggest::did_you_mean;
use bolide_cfa::Property;
use bolide_evidence::rules::RULES;
use sha2::{Digest, Sha256};
use std::path::PathBuf;

/// The properties of a scan unless others are asked for.
const PROPERTIES: [&str; 6] =
    ["assert", "div-by-zero", "no-overflow", "valid-deref", "valid-shift", FAILED_ALLOCATION];

/// A warning of its own: accesses through what an allocation returned that failed. Everywhere else
/// allocations do not fail.
pub const FAILED_ALLOCATION: &str = "failed-allocation";

/// One property of one entry function of one file.
#[derive(Clone, Debug, Default)]
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
    /// Whether it is called with guessed arguments, instead of those of the system or of a contract.
    pub is_called: bool,
    /// It has no parameters.
    pub takes_nothing: bool,
    /// The functions of its file that others may call and that lead to it, where others may not call it.
    pub callers: Vec<String>,
    /// Checks that are left out, by their places.
    pub except: Vec<String>,
    /// Hash of the code that the verdict is about, lines aside.
    pub code: String,
    /// Hash of all that the verdict depends on: that, the limits, and bolide itself.
    pub content: String,
    /// Hash of where that stands.
    pub position: String,
}

impl Unit {
    /// For people.
    pub fn name(&self) -> String {
        format!("{}: {} ({})", self.file.display(), self.entry, self.property)
    }

    /// The same without what was found already.
    pub fn without(&self, place: String) -> Unit {
        let content = hash(&[&self.content, &place]);
        let except = [self.except.clone(), vec![place]].concat();
        Unit { content, except, ..self.clone() }
    }

    /// For file names.
    pub fn slug(&self) -> String {
        let file = slug(&self.file.display().to_string());
        let file = file.trim_matches('-');
        format!("{file}-{}-{}", slug(&self.entry), self.property)
    }
}

/// A text for file names.
pub fn slug(text: &str) -> String {
    text.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect()
}

/// Files that could not be read, with the reason.
pub type Unreadable = Vec<(PathBuf, String)>;

/// All units of a project, in order of files and lines.
pub fn find(flags: &ScanFlags, settings: &Settings) -> Result<(Vec<Unit>, Unreadable), String> {
    let properties = properties(flags)?;
    let project = project(flags, settings)?;
    let count = project.files.len();
    let (mut read, mut unreadable, mut own) = (Vec::new(), Vec::new(), 0);
    for (index, file) in project.files.into_iter().chain(project.stubs).enumerate() {
        match functions(&file) {
            Ok(found) => {
                own += usize::from(index < count);
                read.push((file, found));
            }
            Err(why) => unreadable.push((file.file, why)),
        }
    }
    let linking = Linking::new(&read);
    let mut units = Vec::new();
    for (index, (file, found)) in read.iter().enumerate().take(own) {
        for function in found {
            let any_arguments = flags.each_function && !function.has_contract;
            let linked = linking.needed(index, function);
            if function.name == "main" || any_arguments {
                let allocates = function.mentions.iter().any(|name| allocates(name));
                for &property in &properties {
                    if property == FAILED_ALLOCATION && !allocates {
                        continue;
                    }
                    units.push(unit(file, function, &linked, property, flags));
                }
            }
            if function.has_contract {
                units.push(unit(file, function, &linked, CONTRACT, flags));
            }
        }
    }
    Ok((units, unreadable))
}

/// What is verified, each by itself.
fn properties(flags: &ScanFlags) -> Result<Vec<&'static str>, String> {
    let mut found: Vec<&'static str> = Vec::new();
    for name in &flags.properties {
        let known = RULES.iter().map(|rule| rule.id);
        let asked: Vec<&'static str> = match known.clone().find(|id| id == name) {
            Some(id) => vec![id],
            None => Property::asked_by(name).into_iter().map(Property::name).collect(),
        };
        if asked.is_empty() {
            let hint = did_you_mean(name, known.clone());
            let all: Vec<&str> = known.collect();
            let all = all.join(", ");
            return Err(format!("`{name}` is no property of a scan{hint}; there are {all}"));
        }
        found.extend(asked.iter().filter(|id| !found.contains(*id)).collect::<Vec<_>>());
    }
    Ok(if found.is_empty() { PROPERTIES.to_vec() } else { found })
}

/// Whether a function of this name gives out memory.
fn allocates(name: &str) -> bool {
    name.ends_with("alloc") || matches!(name, "strdup" | "strndup" | "asprintf" | "vasprintf")
}

/// What a unit verifies that proves a contract.
pub const CONTRACT: &str = "contract";

fn unit(
    file: &ProjectFile,
    function: &Function,
    linked: &Linked,
    property: &'static str,
    flags: &ScanFlags,
) -> Unit {
    let mut all_flags = file.flags.clone();
    all_flags.extend(linked.flags.iter().cloned());
    let flags_of_all = all_flags.join("\u{1}");
    let code = hash(&[&function.content, &function.name, property, &flags_of_all, &linked.content]);
    let limits = format!("{:?}", flags.limits());
    let content = hash(&[own_print(), &code, &limits, &format!("{:?}", flags.arguments)]);
    Unit {
        file: file.file.clone(),
        flags: all_flags,
        linked: linked.files.clone(),
        entry: function.name.clone(),
        line: function.line,
        property,
        is_called: function.name != "main" && property != CONTRACT,
        takes_nothing: function.takes_nothing,
        callers: function.callers.clone(),
        except: Vec::new(),
        code,
        content,
        position: function.position.clone(),
    }
}

/// A print of some texts.
pub fn hash(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    format!("{:x}", hash.finalize())
}

/// Which bolide this is: answers of another one are not taken over. By content, since an answer may
/// come from another machine, where the same binary was installed at another time.
pub fn own_print() -> &'static str {
    static PRINT: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    PRINT.get_or_init(|| {
        let own = std::env::current_exe().and_then(std::fs::read);
        own.map_or_else(
            |_| env!("CARGO_PKG_VERSION").into(),
            |b| format!("{:x}", Sha256::digest(b)),
        )
    })
}
