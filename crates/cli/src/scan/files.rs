//! The files of a project, with the flags that reading each needs: those of its
//! `compile_commands.json`, or all C files of the folder.

use crate::compile_commands;
use crate::flags::{DataModel, ScanFlags};
use crate::project_file::Settings;
use bolide_api::preprocess::Preprocessor;
use std::path::{Path, PathBuf};

/// A file of the project.
#[derive(Clone, Debug)]
pub struct ProjectFile {
    /// Where it is.
    pub file: PathBuf,
    /// Flags for `bolide verify`, each with an operand.
    pub flags: Vec<String>,
    /// What reads it.
    pub preprocessor: Preprocessor,
}

/// All files, in order; those with bodies for functions that the project does not define are the last.
pub struct Project {
    /// The files to verify.
    pub files: Vec<ProjectFile>,
    /// The others.
    pub stubs: Vec<ProjectFile>,
}

/// Looks for the files that belong to a project.
pub fn project(flags: &ScanFlags, settings: &Settings) -> Result<Project, String> {
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
    for (name, what) in &flags.models {
        common.extend(["--model".to_owned(), format!("{name}={}", what.name())]);
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
    let with_usual_flags = |file: PathBuf| ProjectFile {
        file,
        flags: common.clone(),
        preprocessor: preprocessor.clone(),
    };
    let mut files: Vec<ProjectFile> = if database.exists() {
        let entries = compile_commands::read(&database)?;
        entries.into_iter().map(|e| from_entry(e, &common, &preprocessor)).collect()
    } else {
        c_files(&flags.folder)?.into_iter().map(with_usual_flags).collect()
    };
    files.retain(|file| settings.has_file(&file.file) && !flags.stubs.contains(&file.file));
    Ok(Project { files, stubs: flags.stubs.iter().cloned().map(with_usual_flags).collect() })
}

/// All C files of a folder, or the one that is named.
fn c_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    if folder.is_file() {
        files.push(folder.to_owned());
    } else {
        collect(folder, &mut files)
            .map_err(|e| format!("cannot read `{}`: {e}", folder.display()))?;
    }
    files.sort();
    // Below `.` names are shorter, and then they are those that compilers print.
    let short = |file: PathBuf| file.strip_prefix(".").map_or(file.clone(), Path::to_owned);
    Ok(files.into_iter().map(short).collect())
}

/// Where the headers of a project lie that does not say how it is built: beside its
/// files, or in a folder of their own. What the user names is searched before.
fn usual_include_dirs(project: &Path) -> Vec<String> {
    [project.to_owned(), project.join("include")]
        .iter()
        .filter(|folder| folder.is_dir())
        .map(|folder| folder.display().to_string())
        .collect()
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
    let (file, preprocessor) = entry.with(preprocessor);
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
