//! Who is measured: an engine of our own, or any command.
//!
//! A command is a template of words as in a shell (no shell runs it), in which
//! are replaced: `{file}` the program (all its files, as words of their own, when
//! the word is just that), `{prop}` the property's name, `{prp}` a property file, `{model}`
//! `ILP32` or `LP64`, `{bits}` 32 or 64, `{time}` the limit in seconds, `{memory}`
//! the limit in MiB, `{witness}` a file for the witness.

use super::tasks::Task;
use crate::flags::{BenchFlags, DataModel};
use crate::output::write;
use crate::process::{self, Files};
use bolide_api::Limits;
use bolide_api::evidence::formula_of;
use std::ffi::OsString;

/// Something that answers tasks.
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name in tables and plots.
    pub name: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    /// This binary, with an engine and more flags for `verify`.
    Ours { engine: String, more: Vec<String> },
    /// The words of a template.
    Template(Vec<String>),
}

/// The engines and tools of the command line, engines first.
pub fn tools(flags: &BenchFlags) -> Result<Vec<Tool>, String> {
    let mut tools = Vec::new();
    let split = |words: &str| {
        shlex::split(words).ok_or_else(|| format!("a quote is not closed in `{words}`"))
    };
    let more = flags.args.as_deref().map(split).transpose()?.unwrap_or_default();
    let engines = match (flags.engine.as_slice(), flags.tool.is_empty()) {
        ([], true) => vec![crate::flags::EngineFlag::AUTO],
        (given, _) => given.to_vec(),
    };
    for engine in engines {
        let name = engine.name().to_owned();
        let kind = Kind::Ours { engine: name.clone(), more: more.clone() };
        tools.push(Tool { name, kind });
    }
    for given in &flags.tool {
        let Some((name, template)) = given.split_once('=') else {
            return Err(format!(
                "`--tool {given}` has no command: write --tool NAME='command {{file}}'"
            ));
        };
        let words = split(template)?;
        if !words.iter().any(|word| word.contains("{file}")) {
            return Err(format!("the command of `{name}` does not mention {{file}}"));
        }
        tools.push(Tool { name: name.to_owned(), kind: Kind::Template(words) });
    }
    for (index, tool) in tools.iter().enumerate() {
        if tools[..index].iter().any(|other| other.name == tool.name) {
            return Err(format!("two tools are called `{}`", tool.name));
        }
    }
    Ok(tools)
}

impl Tool {
    /// Whether its output is ours to read.
    pub fn is_ours(&self) -> bool {
        matches!(self.kind, Kind::Ours { .. })
    }

    /// The command for a task.
    pub fn command(
        &self,
        task: &Task,
        limits: &Limits,
        files: &Files,
    ) -> Result<Vec<OsString>, String> {
        match &self.kind {
            Kind::Ours { engine, more } => ours(engine, more, task, limits, files),
            Kind::Template(words) => fill(words, task, limits, files),
        }
    }
}

/// Our own binary, as the kernel started it.
pub fn binary() -> Result<OsString, String> {
    std::env::current_exe()
        .map(OsString::from)
        .map_err(|error| format!("cannot find the command bolide itself: {error}"))
}

/// The flags that say what a task is, for `verify` and `check` alike.
pub fn task_flags(task: &Task) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    let property = match &task.property_file {
        Some(file) => file.clone().into(),
        None => OsString::from(&task.property),
    };
    // A task is what its definition says, wherever it lies.
    words.push("--no-config".into());
    words.extend(["--property".into(), property]);
    words.extend(["--data-model".into(), task.data_model.name().into()]);
    words.extend(task.files.iter().map(OsString::from));
    words
}

fn ours(
    engine: &str,
    more: &[String],
    task: &Task,
    limits: &Limits,
    files: &Files,
) -> Result<Vec<OsString>, String> {
    let mut words = vec![binary()?];
    if task.is_horn() {
        words.push("chc".into());
        words.extend(process::limit_flags(limits));
        words.extend(more.iter().map(OsString::from));
        words.extend(task.files.iter().map(OsString::from));
        return Ok(words);
    }
    words.extend(["verify", "--json", "--engine", engine].map(OsString::from));
    words.extend(process::limit_flags(limits));
    words.extend(["--witness".into(), files.witness().into()]);
    words.extend(["--harness".into(), files.harness().into()]);
    words.extend(more.iter().map(OsString::from));
    words.extend(task_flags(task));
    Ok(words)
}

fn fill(
    words: &[String],
    task: &Task,
    limits: &Limits,
    files: &Files,
) -> Result<Vec<OsString>, String> {
    let prp = match &task.property_file {
        Some(file) => file.display().to_string(),
        None if words.iter().any(|w| w.contains("{prp}")) => {
            let file = files.property();
            write(&file, &format!("{}\n", formula_of(&task.property)))?;
            file.display().to_string()
        }
        None => String::new(),
    };
    let program: Vec<String> = task.files.iter().map(|f| f.display().to_string()).collect();
    let mut command = Vec::new();
    for word in words {
        if word == "{file}" {
            command.extend(program.iter().map(OsString::from));
            continue;
        }
        let filled = word
            .replace("{file}", &program.join(" "))
            .replace("{prop}", &task.property)
            .replace("{prp}", &prp)
            .replace("{model}", task.data_model.name())
            .replace("{bits}", if task.data_model == DataModel::Lp64 { "64" } else { "32" })
            .replace("{time}", &process::longest(limits).as_secs().max(1).to_string())
            .replace("{memory}", &(limits.memory.unwrap_or(0) >> 20).to_string())
            .replace("{witness}", &files.witness().display().to_string());
        command.push(OsString::from(filled));
    }
    Ok(command)
}

/// What a tool said: `true`, `false`, `false(PROPERTY)`, `sat`, `unsat`,
/// `unknown`; empty when nothing in its output is a verdict. Knows the words of
/// the tools of this field; the last verdict counts.
pub fn verdict(output: &str) -> String {
    let mut found = String::new();
    for line in output.lines().map(str::trim) {
        if let Some(verdict) = verdict_of_line(line) {
            found = verdict;
        }
    }
    found
}

fn verdict_of_line(line: &str) -> Option<String> {
    let plain = |word: &str| Some(word.to_owned());
    if let Some(said) = line.strip_prefix("RESULT: ") {
        let lower = said.to_lowercase();
        return if lower.contains("proved your program to be correct") {
            plain("true")
        } else if lower.contains("proved your program to be incorrect") {
            plain("false")
        } else {
            is_verdict(&lower).then_some(lower.clone()).or_else(|| plain("unknown"))
        };
    }
    if let Some(said) = line.strip_prefix("Verification result: ") {
        let word: String = said.chars().take_while(|c| c.is_alphabetic()).collect();
        let lower = word.to_lowercase();
        return plain(if is_verdict(&lower) { &lower } else { "unknown" });
    }
    match line {
        "VERIFICATION SUCCESSFUL" | "TRUE" | "SAFE" | "(SafetyResult Safe)" => plain("true"),
        "VERIFICATION FAILED" | "FALSE" | "UNSAFE" | "(SafetyResult Unsafe)" => plain("false"),
        "VERIFICATION UNKNOWN" | "UNKNOWN" | "unknown" => plain("unknown"),
        "sat" | "unsat" => plain(line),
        _ => line.strip_prefix("FALSE(").map(|rest| format!("false({}", rest.to_lowercase())),
    }
}

fn is_verdict(word: &str) -> bool {
    matches!(word, "true" | "false" | "unknown" | "sat" | "unsat") || word.starts_with("false(")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_other_tools_are_understood() {
        let cases = [
            ("noise\nRESULT: false(valid-deref)\n", "false(valid-deref)"),
            ("Verification result: TRUE. No property violation found.\nMore details", "true"),
            ("Verification result: UNKNOWN, incomplete analysis.", "unknown"),
            ("VERIFICATION FAILED\n", "false"),
            ("RESULT: Ultimate proved your program to be correct!\n", "true"),
            ("RESULT: Ultimate could not prove your program: Timeout\n", "unknown"),
            ("sat\n", "sat"),
            ("nothing to see", ""),
            ("unsatisfied users", ""),
        ];
        for (output, expected) in cases {
            assert_eq!(verdict(output), expected, "{output}");
        }
    }

    #[test]
    fn templates_are_filled_word_by_word() {
        let task = Task {
            id: "t".into(),
            files: vec!["a b.c".into(), "c.c".into()],
            property: "no-overflow".into(),
            property_file: None,
            expected: None,
            subproperty: None,
            data_model: DataModel::Ilp32,
        };
        let limits = Limits {
            time: None,
            cpu: Some(std::time::Duration::from_secs(9)),
            memory: Some(3 << 20),
        };
        let files = Files::at(std::env::temp_dir(), 0);
        let words =
            shlex::split("tool --{bits} -t={time}s --mem {memory} '{file}' {prop}").unwrap();
        assert_eq!(
            fill(&words, &task, &limits, &files).unwrap(),
            ["tool", "--32", "-t=9s", "--mem", "3", "a b.c", "c.c", "no-overflow"]
        );
    }
}
