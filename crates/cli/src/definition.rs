//! Task definitions of the verification competitions (`.yml`) where a command wants a program: the definition stands
//! for its files, its data model and its property.
//!
//! As with the file of a project, they become words of the command line, and what the user says wins.

use crate::bench::tasks;
use crate::exit::Stop;
use clap::parser::ValueSource;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The words of the command line with definitions replaced by what they say.
pub fn expand(words: Vec<OsString>, given: &clap::ArgMatches) -> Result<Vec<OsString>, Stop> {
    let Some((_, given)) = given.subcommand() else { return Ok(words) };
    let is_definition = |file: &&PathBuf| {
        file.extension().is_some_and(|ending| ending == "yml" || ending == "yaml")
    };
    let reads_programs = given.try_contains_id("shown_as").is_ok();
    let files = given.try_get_many::<PathBuf>("files").ok().flatten();
    let definition = files.into_iter().flatten().find(is_definition);
    let Some(file) = definition.filter(|_| reads_programs) else { return Ok(words) };
    let is_given = |id: &str| given.value_source(id) == Some(ValueSource::CommandLine);
    let known = tasks::of_definition(file)?;
    let task = match known.as_slice() {
        [] => return Err(format!("`{}` has no property that is known", file.display()).into()),
        [first, second, ..] if !is_given("properties") && !is_given("ltl") => {
            return Err(format!(
                "`{}` has several properties: choose one, such as -p {} or -p {}",
                file.display(),
                first.property,
                second.property
            )
            .into());
        }
        [first, ..] => first,
    };
    let mut all: Vec<OsString> = Vec::new();
    for word in words {
        match Path::new(&word) == file {
            true => all.extend(task.files.iter().map(OsString::from)),
            false => all.push(word),
        }
    }
    // Right behind the name of the command.
    let mut more: Vec<OsString> = Vec::new();
    if !is_given("data_model") {
        more.extend(["--data-model", task.data_model.name()].map(OsString::from));
    }
    if let (false, false, Some(property)) =
        (is_given("properties"), is_given("ltl"), &task.property_file)
    {
        more.extend(["--property".into(), property.into()]);
    }
    all.splice(2..2, more);
    Ok(all)
}
