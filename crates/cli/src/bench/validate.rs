//! Whether the evidence of a verdict stands before others: a `true` is handed to
//! `bolide check` as a witness, a `false` is compiled with its harness and must run into the
//! violation.
//!
//! What the compiler can be asked: calls of error functions and failing
//! assertions abort; signed overflow and memory errors are what its sanitizers
//! report. Leaks have the leak sanitizer, where the compiler has one.

use super::results::{Evidence, Row};
use super::tasks::Task;
use super::tool;
use crate::flags::DataModel;
use crate::process::{self, Ended, Files};
use bolide_api::Limits;
use std::ffi::OsString;

/// Asks whoever can answer.
pub fn validate(task: &Task, row: &Row, limits: &Limits, files: &Files) -> Evidence {
    match row.verdict.as_str() {
        "true" => witness(task, limits, files),
        verdict if verdict.starts_with("false") => harness(task, verdict, limits, files),
        _ => Evidence::None,
    }
}

fn witness(task: &Task, limits: &Limits, files: &Files) -> Evidence {
    let Ok(binary) = tool::binary() else { return Evidence::Undecided };
    if !files.witness().is_file() {
        return Evidence::Undecided;
    }
    let mut words: Vec<OsString> = vec![binary, "check".into()];
    words.extend(process::limit_flags(limits));
    words.push(files.witness().into());
    words.extend(tool::task_flags(task));
    let seen = process::run(&words, limits, files);
    match seen.output.lines().find_map(|line| line.strip_prefix("witness: ")) {
        Some(words) if words.starts_with("confirmed") => Evidence::Confirmed,
        Some(words) if words.starts_with("refuted") => Evidence::Refuted,
        _ => Evidence::Undecided,
    }
}

fn harness(task: &Task, verdict: &str, limits: &Limits, files: &Files) -> Evidence {
    let sanitizer = match verdict {
        "false(unreach-call)" | "false(assert)" => None,
        "false(no-overflow)" => {
            Some("-fsanitize=signed-integer-overflow,shift,integer-divide-by-zero")
        }
        "false(valid-deref)" | "false(valid-free)" => Some("-fsanitize=address"),
        "false(valid-memtrack)" => Some("-fsanitize=leak"),
        _ => return Evidence::NotApplicable,
    };
    if !files.harness().is_file() {
        return Evidence::Undecided;
    }
    // Many machines lack the 32-bit C library. The values of the harness have
    // the types of the program either way, so the other model serves as well, mostly.
    let models: &[&[&str]] = match task.data_model {
        DataModel::Ilp32 => &[&["-m32"], &[]],
        DataModel::Lp64 => &[&[]],
    };
    let compiles = |model: &&&[&str]| {
        let mut words: Vec<OsString> = ["cc", "-w", "-g", "-O0", "-o"].map(OsString::from).to_vec();
        words.push(files.binary().into());
        words.extend(model.iter().map(OsString::from));
        words.extend(sanitizer.map(OsString::from));
        words.extend(sanitizer.map(|_| "-fno-sanitize-recover=all".into()));
        for file in task.files.iter().chain([&files.harness()]) {
            // By its name a preprocessed file would not be allowed its directives.
            words.extend(["-x".into(), "c".into(), OsString::from(file)]);
        }
        words.push("-lm".into());
        process::run(&words, limits, files).code == Some(0)
    };
    let Some(model) = models.iter().find(compiles) else { return Evidence::Undecided };
    let is_other_model = task.data_model == DataModel::Ilp32 && model.is_empty();
    let seen = process::run(&[files.binary().into()], limits, files);
    let reported =
        ["violation:", "Assertion", "runtime error:", "AddressSanitizer", "LeakSanitizer"];
    if reported.iter().any(|words| seen.errors.contains(words)) {
        Evidence::Confirmed
    } else if seen.ended == Ended::Exited && !is_other_model {
        Evidence::Refuted
    } else {
        Evidence::Undecided
    }
}
