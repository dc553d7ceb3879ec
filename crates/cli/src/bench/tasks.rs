//! What to run: task sets (`.set`: patterns of task definitions), task
//! definitions of the verification competitions (`.yml`), tables (`.tsv` with a header line:
//! `id`, `file`, `property`, `expected`, `data_model`, `subproperty`, of which only
//! `file` is required), and bare programs.
//!
//! A definition may name several properties: each that we know becomes a task
//! of its own. Files with Horn clauses (`.smt2`) have the verdicts `sat` and `unsat`.

use crate::flags::{BenchFlags, DataModel};
use crate::output;
use bolide_cfa::Property;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One program with one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Unique in a run.
    pub id: String,
    /// The program.
    pub files: Vec<PathBuf>,
    /// The property's name, such as `unreach-call`; empty for Horn clauses.
    pub property: String,
    /// The property file, where there is one.
    pub property_file: Option<PathBuf>,
    /// `true`, `false`, `sat`, `unsat`; none when nobody knows.
    pub expected: Option<String>,
    /// Which part of the property is violated.
    pub subproperty: Option<String>,
    /// Sizes of types.
    pub data_model: DataModel,
}

impl Task {
    /// Whether these are Horn clauses.
    pub fn is_horn(&self) -> bool {
        self.files.iter().any(|f| f.extension().is_some_and(|e| e == "smt2"))
    }

    /// What a table shows as expected.
    pub fn expectation(&self) -> String {
        match (&self.expected, &self.subproperty) {
            (Some(expected), Some(part)) if expected == "false" => format!("false({part})"),
            (Some(expected), _) => expected.clone(),
            (None, _) => String::new(),
        }
    }
}

/// All tasks that the flags name, in order, without repetitions.
pub fn read(flags: &BenchFlags) -> Result<Vec<Task>, String> {
    let mut tasks = Vec::new();
    for file in &flags.tasks {
        read_file(flags, file, &mut tasks)?;
    }
    let asked = |task: &Task| {
        let property =
            flags.property.is_empty() || flags.property.contains(&task.property) || task.is_horn();
        let named = flags.only.is_empty()
            || flags
                .only
                .iter()
                .any(|only| task.id.contains(only.as_str()) || matches(only, &task.id));
        property && named
    };
    tasks.retain(asked);
    let mut seen = std::collections::BTreeSet::new();
    tasks.retain(|task| seen.insert(task.id.clone()));
    if let Some((index, of)) = flags.shard {
        let mut position = 0;
        tasks.retain(|_| {
            position += 1;
            (position - 1) % of == index - 1
        });
    }
    if let Some(limit) = flags.first {
        tasks.truncate(limit);
    }
    if tasks.is_empty() {
        return Err("there are no tasks to run: no file matches, or --only, --property and \
                    --shard leave none"
            .into());
    }
    Ok(tasks)
}

fn read_file(flags: &BenchFlags, file: &Path, tasks: &mut Vec<Task>) -> Result<(), String> {
    let extension = file.extension().and_then(|e| e.to_str()).unwrap_or("");
    let text = || output::read(file);
    let with_name = |error: String| format!("`{}`: {error}", file.display());
    match extension {
        "set" => {
            let folder = file.parent().unwrap_or(Path::new("."));
            for line in text()?.lines().map(str::trim) {
                if line.is_empty() || line.starts_with('#') {
                    continue;
                }
                for found in matching(folder, line)? {
                    read_file(flags, &found, tasks)?;
                }
            }
        }
        "yml" | "yaml" => tasks.extend(of_definition(file)?),
        "tsv" => {
            let folder = flags
                .programs
                .clone()
                .unwrap_or_else(|| file.parent().unwrap_or(Path::new(".")).to_owned());
            tasks.extend(table(&text()?, &folder).map_err(with_name)?);
        }
        "c" | "i" | "smt2" => {
            if !file.is_file() {
                return Err(format!("cannot read `{}`: there is no such file", file.display()));
            }
            tasks.extend(bare(flags, file));
        }
        _ => {
            return Err(format!(
                "`{}` is no list of tasks: give .set, .yml or .tsv files, or programs (.c, .i, \
                 .smt2)",
                file.display()
            ));
        }
    }
    Ok(())
}

/// Whether a name matches a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    glob::Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(name))
}

/// The files that a pattern means in a folder, sorted.
fn matching(folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, String> {
    let whole = Path::new(&glob::Pattern::escape(&folder.display().to_string())).join(pattern);
    let found =
        glob::glob(&whole.display().to_string()).map_err(|e| format!("`{pattern}`: {e}"))?;
    Ok(found.flatten().filter(|path| path.is_file()).collect())
}

/// A program without a definition: all properties of the command line.
fn bare(flags: &BenchFlags, file: &Path) -> Vec<Task> {
    let properties = match flags.property.as_slice() {
        [] => vec!["unreach-call".to_owned()],
        given => given.to_vec(),
    };
    let horn = file.extension().is_some_and(|e| e == "smt2");
    let properties = if horn { vec![String::new()] } else { properties };
    properties
        .into_iter()
        .map(|property| Task {
            id: id(file, &property),
            files: vec![file.to_owned()],
            property,
            property_file: None,
            expected: None,
            subproperty: None,
            data_model: flags.data_model,
        })
        .collect()
}

fn id(file: &Path, property: &str) -> String {
    match property {
        "" => file.display().to_string(),
        property => format!("{}#{property}", file.display()),
    }
}

/// The tasks of a definition, one for each property that is known.
pub fn of_definition(file: &Path) -> Result<Vec<Task>, String> {
    definition(&output::read(file)?, file).map_err(|error| format!("`{}`: {error}", file.display()))
}

/// A task definition, format 1.0 or 2.0.
fn definition(text: &str, file: &Path) -> Result<Vec<Task>, String> {
    let yaml: Value = serde_saphyr::from_str(text).map_err(|e| e.to_string())?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let inputs = match yaml.get("input_files") {
        Some(Value::String(one)) => vec![folder.join(one)],
        Some(Value::Array(list)) => {
            list.iter().filter_map(Value::as_str).map(|f| folder.join(f)).collect()
        }
        _ => return Err("the definition has no `input_files`".into()),
    };
    let data_model = match yaml.pointer("/options/data_model").and_then(Value::as_str) {
        Some("LP64") => DataModel::Lp64,
        _ => DataModel::Ilp32,
    };
    let Some(properties) = yaml.get("properties").and_then(Value::as_array) else {
        return Err("the definition has no `properties`".into());
    };
    let mut tasks = Vec::new();
    for given in properties {
        let Some(name) = given.get("property_file").and_then(Value::as_str) else {
            return Err("a property has no `property_file`".into());
        };
        let property_file = folder.join(name);
        let stem = property_file.file_stem().and_then(|s| s.to_str()).unwrap_or("").to_owned();
        // Others are left out, not failed.
        if Property::asked_by(&stem).is_empty() {
            continue;
        }
        let expected = match given.get("expected_verdict") {
            Some(Value::Bool(verdict)) => Some(verdict.to_string()),
            Some(Value::String(text)) if text == "true" || text == "false" => Some(text.clone()),
            _ => None,
        };
        tasks.push(Task {
            id: id(file, &stem),
            files: inputs.clone(),
            property: stem,
            property_file: property_file.is_file().then_some(property_file),
            expected,
            subproperty: given.get("subproperty").and_then(Value::as_str).map(str::to_owned),
            data_model,
        });
    }
    Ok(tasks)
}

/// A table with a header line.
fn table(text: &str, folder: &Path) -> Result<Vec<Task>, String> {
    let mut lines = text.lines().enumerate();
    let Some((_, header)) = lines.next() else { return Ok(Vec::new()) };
    let columns: Vec<&str> = header.split('\t').collect();
    let column = |name: &str| columns.iter().position(|c| *c == name);
    let Some(file_column) = column("file") else {
        return Err("the header line has no column `file`".into());
    };
    let mut tasks = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |name: &str| {
            column(name).and_then(|c| cells.get(c)).map(|c| c.trim()).filter(|c| !c.is_empty())
        };
        let Some(file) = cells.get(file_column).filter(|f| !f.is_empty()) else {
            return Err(format!("line {}: no file", number + 1));
        };
        let path = folder.join(file);
        let horn = path.extension().is_some_and(|e| e == "smt2");
        let property = cell("property").unwrap_or(if horn { "" } else { "unreach-call" });
        let data_model = match cell("data_model") {
            Some(model) if model.contains("LP64") => DataModel::Lp64,
            _ => DataModel::Ilp32,
        };
        let expected = cell("expected").map(str::to_lowercase);
        tasks.push(Task {
            id: cell("id").map_or_else(|| id(Path::new(file), property), str::to_owned),
            files: vec![path],
            property: property.to_owned(),
            property_file: None,
            expected: expected.filter(|e| ["true", "false", "sat", "unsat"].contains(&e.as_str())),
            subproperty: cell("subproperty").map(str::to_owned),
            data_model,
        });
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_become_one_task_for_each_property() {
        let text = "format_version: '2.0'\ninput_files: 'a.i'\nproperties:\n  \
                    - property_file: ../p/unreach-call.prp\n    expected_verdict: true\n  \
                    - property_file: ../p/valid-memsafety.prp\n    expected_verdict: false\n    \
                    subproperty: valid-deref\n  - property_file: ../p/termination.prp\n    \
                    expected_verdict: true\noptions:\n  language: C\n  data_model: LP64\n";
        let tasks = definition(text, Path::new("s/a.yml")).unwrap();
        let seen: Vec<(&str, String)> =
            tasks.iter().map(|t| (t.id.as_str(), t.expectation())).collect();
        assert_eq!(
            seen,
            [
                ("s/a.yml#unreach-call", "true".to_owned()),
                ("s/a.yml#valid-memsafety", "false(valid-deref)".to_owned())
            ]
        );
        assert_eq!(tasks[0].files, [PathBuf::from("s/a.i")]);
        assert_eq!(tasks[0].data_model, DataModel::Lp64);
        for damaged in ["", "a: [", "input_files: x", "properties: []", "- 1"] {
            assert!(definition(damaged, Path::new("a.yml")).is_err(), "{damaged}");
        }
    }

    #[test]
    fn tables_are_read_by_the_names_of_their_columns() {
        let text = "expected\tfile\tdata_model\tproperty\nfalse\tc/a.c\tLP64\tno-overflow\n\
                    sat\tchc/b.smt2\t\t\nunknown\tc/d.c\t\t\n";
        let tasks = table(text, Path::new("root")).unwrap();
        assert_eq!(tasks[0].id, "c/a.c#no-overflow");
        assert_eq!(tasks[0].files, [PathBuf::from("root/c/a.c")]);
        assert_eq!(tasks[1].expected.as_deref(), Some("sat"));
        assert!(tasks[1].is_horn());
        assert_eq!(tasks[2].expected, None);
        assert_eq!(tasks[2].property, "unreach-call");
        assert!(table("a\tb\n1\t2\n", Path::new(".")).is_err());
    }
}
