//! From files on disk to a program, as the command line gives them; problems are reported here.

use crate::compile_commands;
use crate::exit::{Exit, Stop};
use crate::flags::{Arguments, DataModel, HarnessStyle, InputFlags, Malloc, PropertyFlags};
use crate::property;
use crate::report;
use bolide_api::preprocess::Preprocessor;
use bolide_api::program::{self, is_c23};
pub use bolide_api::program::{Loaded, Refusal};
use bolide_api::specification::Specification;
use bolide_base::Budget;
use bolide_c_lower::dialect::harness_style;
use bolide_c_lower::{Harness, Options};
use bolide_cfa::Target;
use std::path::{Path, PathBuf};

/// How a command ends that has no program to work on.
impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Exit(match refusal {
            Refusal::Input => Exit::Usage,
            Refusal::Unsupported(_) => Exit::Unknown,
        })
    }
}

/// Reads everything. Problems are reported here. Likewise when the budget ended in the middle of it.
///
/// # Errors
/// Why there is no program.
pub fn load(
    input: &InputFlags,
    properties: &PropertyFlags,
    budget: &Budget,
) -> Result<Loaded, Refusal> {
    let specification = property::specification(properties).ok_or(Refusal::Input)?;
    let texts = read_texts(input).ok_or(Refusal::Input)?;
    build(texts, input, &specification, None, budget)
}

/// The preprocessed texts of the program. Problems are reported here.
pub fn read_texts(input: &InputFlags) -> Option<Vec<(PathBuf, String)>> {
    let files = match source_files(input) {
        Ok(files) => files,
        Err(message) => {
            eprintln!("bolide: {message}");
            return None;
        }
    };
    let mut texts = Vec::new();
    let count = files.len();
    for (file, preprocessor) in files {
        match read(&file, &preprocessor) {
            Ok(text) => texts.push((file, text)),
            Err(message) => eprintln!("bolide: {message}"),
        }
    }
    (texts.len() == count).then_some(texts)
}

/// Parses, lowers and specifies. A call of the function `marker` is a
/// violation whatever the property is.
///
/// # Errors
/// Why there is no program.
pub fn build(
    texts: Vec<(PathBuf, String)>,
    input: &InputFlags,
    specification: &Specification,
    marker: Option<&str>,
    budget: &Budget,
) -> Result<Loaded, Refusal> {
    let mut options = Options {
        target: target(input),
        // Without one, that of the specification.
        entry: input.entry.clone().unwrap_or_default(),
        external: input.external.map(Into::into),
        models: input.models.iter().map(|(name, what)| (name.clone(), (*what).into())).collect(),
        malloc_may_fail: match input.malloc {
            Some(policy) => Some(policy == Malloc::MayFail),
            None => input.malloc_may_fail.then_some(true),
        },
        harness: match input.harness_style {
            HarnessStyle::Detect => Harness::Detected,
            HarnessStyle::None => Harness::Is(None),
            HarnessStyle::Cbmc => Harness::Is(harness_style("cbmc")),
            HarnessStyle::Seahorn => Harness::Is(harness_style("seahorn")),
        },
        removed_bodies: input.removed_bodies.iter().cloned().collect(),
        stubs: input.stubs.len(),
        heap_contracts: input.heap_contracts,
        modular: input.modular,
        budget: budget.clone(),
        ..Options::default()
    };
    let texts = texts.into_iter().map(|(file, text)| (file.display().to_string(), text)).collect();
    let c23 = input.std.as_deref().is_some_and(is_c23);
    let (texts, assumed) = match input.arguments {
        Arguments::Any => (texts, Vec::new()),
        Arguments::Sane => program::called_sanely(texts, c23, &mut options),
    };
    let mut loaded =
        program::build(texts, c23, options, specification, marker, &mut report::diagnostics)?;
    loaded.lowered.assumptions.extend(assumed);
    loaded.leave_out(&input.except);
    Ok(loaded)
}

fn target(input: &InputFlags) -> Target {
    match input.data_model {
        DataModel::Ilp32 => Target::ILP32,
        DataModel::Lp64 => Target::LP64,
    }
}

/// The files to read, each with its preprocessor.
fn source_files(input: &InputFlags) -> Result<Vec<(PathBuf, Preprocessor)>, String> {
    let mut arguments = Vec::new();
    arguments.extend(input.std.iter().map(|s| format!("-std={s}")));
    arguments.extend(input.include_dirs.iter().map(|d| format!("-I{d}")));
    arguments.extend(input.defines.iter().map(|d| format!("-D{d}")));
    for file in &input.includes {
        arguments.extend(["-include".to_owned(), file.clone()]);
    }
    let common = Preprocessor {
        command: input.cc.clone(),
        arguments,
        directory: None,
        ilp32: input.data_model == DataModel::Ilp32,
    };
    let mut files: Vec<(PathBuf, Preprocessor)> =
        input.files.iter().map(|f| (f.clone(), common.clone())).collect();
    let database = input
        .compile_commands
        .clone()
        .or(input.project.as_ref().map(|dir| dir.join("compile_commands.json")));
    if let Some(database) = database {
        let entries = compile_commands::read(&database)?.into_iter();
        files.extend(entries.map(|entry| entry.with(&common)));
    }
    if files.is_empty() && input.stubs.is_empty() {
        return Err("there is no C file to read".to_owned());
    }
    files.retain(|(file, _)| !input.stubs.iter().any(|stub| same_file(file, stub)));
    files.extend(input.stubs.iter().map(|stub| (stub.clone(), common.clone())));
    Ok(files)
}

fn same_file(one: &Path, other: &Path) -> bool {
    std::path::absolute(one).ok() == std::path::absolute(other).ok()
}

/// The text of a file, preprocessed where that is needed.
pub fn read(file: &Path, preprocessor: &Preprocessor) -> Result<String, String> {
    let read = preprocessor.read(file)?;
    if let Some(note) = read.note {
        eprintln!("bolide: {note}");
    }
    Ok(read.text)
}
