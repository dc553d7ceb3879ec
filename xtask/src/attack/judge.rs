//! What executions say of a program: gcc's binary with the sanitizers for addresses and undefined
//! behaviour, on all short sequences of inputs (`judge.c`).

use crate::experiment::{Scratch, output, succeed};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// What runs did: the word for it, with the inputs of the first run that did it.
pub struct Judged {
    events: BTreeMap<String, String>,
    /// All sequences of inputs were tried.
    complete: bool,
}

/// Each property with the word of its violation.
pub const PROPERTIES: [(&str, &str); 8] = [
    ("unreach-call", "error"),
    ("no-overflow", "overflow"),
    ("div-by-zero", "division"),
    ("valid-shift", "shift"),
    ("valid-deref", "deref"),
    ("valid-free", "free"),
    ("valid-memtrack", "lost"),
    ("valid-memcleanup", "used"),
];

/// What a run does that is undefined; afterwards there is nothing to say.
const UNDEFINED: [&str; 6] = ["overflow", "division", "shift", "deref", "free", "other"];

impl Judged {
    /// What runs did, and whether all were tried.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        let all = if self.complete { "complete" } else { "incomplete" };
        self.events.keys().map(String::as_str).chain([all])
    }

    /// The inputs of a run that violates the property.
    pub fn violating(&self, property: &str) -> Option<&String> {
        let word = PROPERTIES.iter().find(|(name, _)| *name == property)?.1;
        self.events.get(word)
    }

    /// Whether no run violates the property, and none does anything after which it might.
    pub fn excludes(&self, property: &str) -> bool {
        let word = PROPERTIES.iter().find(|(name, _)| *name == property).map(|p| p.1);
        let quiet = UNDEFINED.iter().all(|word| !self.events.contains_key(*word));
        let kept = property != "valid-memtrack" || !self.events.contains_key("perhaps-lost");
        self.complete && quiet && kept && word.is_some_and(|w| !self.events.contains_key(w))
    }
}

/// Runs it; the error says why it has no executions.
pub fn judge(folder: &Scratch, program: &str) -> Result<Judged, String> {
    let (object, binary) = (folder.join("judged.o"), folder.join("judged"));
    let file = folder.write("judged.c", &instrumented(program))?;
    gcc(&[&SANITIZE[..], &["-c"]].concat(), &[&file], &object)?;
    let driver = folder.join("judge.o");
    if !driver.exists() {
        let judge = folder.write("judge.c", include_str!("judge.c"))?;
        gcc(&["-O1", "-c"], &[&judge], &driver)?;
    }
    gcc(&["-fsanitize=address"], &[&object, &driver], &binary)?;
    let text = String::from_utf8_lossy(&output(&mut Command::new(&binary))?.stdout).into_owned();
    let mut events = BTreeMap::new();
    for line in text.lines() {
        let (word, inputs) = line.split_once(' ').unwrap_or((line, ""));
        events.insert(word.to_owned(), inputs.to_owned());
    }
    let complete = events.remove("complete").is_some();
    if !complete && events.remove("incomplete").is_none() {
        return Err("the judge did not end as it should".into());
    }
    Ok(Judged { events, complete })
}

/// Undefined behaviour calls a handler of the judge's. What C forbids and no property is about is left out.
const SANITIZE: [&str; 7] = [
    "-O0",
    "-fno-toplevel-reorder",
    "-g0",
    "-fno-builtin",
    "-fsanitize=address,undefined",
    "-fno-sanitize=alignment,bounds,object-size,pointer-overflow,vptr",
    "-fno-sanitize-recover=all",
];

pub fn gcc(arguments: &[&str], files: &[&Path], output: &Path) -> Result<(), String> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-std=gnu11"]).args(arguments).args(files).arg("-o").arg(output);
    succeed(&mut gcc).map(|_| ())
}

/// The program as the judge runs it: inputs are asked with their range, so that all of them can be
/// tried, and the judge sees memory come and go.
fn instrumented(program: &str) -> String {
    // The sanitizer guards the memory behind a global; in front of the first there is one of ours.
    const DECLARATIONS: &str = "\
int judge_input(int, int);
int judge_enter(void);
void judge_leave(int *), judge_drop(void *);
void *judge_alloca(unsigned long), *judge_array(unsigned long);
int judge_first[16] = {1}, judge_zeros[16];
#define main program_main
";
    const FRAME: &str = "{ int frame __attribute__((cleanup(judge_leave))) = judge_enter();";
    let mut text = program.replace("static int input(", "static int own_input(");
    for (from, to) in [
        ("input", "judge_input"),
        ("malloc", "judge_malloc"),
        ("calloc", "judge_calloc"),
        ("realloc", "judge_realloc"),
        ("free", "judge_free"),
        ("__builtin_alloca", "judge_alloca"),
    ] {
        text = rename(&text, from, to);
    }
    let lines = text.lines().map(|line| match line.strip_suffix("// vla") {
        Some(declaration) => array_on_heap(declaration),
        None => line.replace("{ // frame", FRAME),
    });
    let lines: Vec<String> = lines.collect();
    format!("{DECLARATIONS}{}\n", lines.join("\n"))
}

/// `int v[k];` as a block that is freed when its scope is left.
fn array_on_heap(declaration: &str) -> String {
    let parts = declaration.trim().trim_end_matches("];").split_once('[');
    let Some((name, size)) =
        parts.and_then(|(head, size)| Some((head.strip_prefix("int ")?, size)))
    else {
        return declaration.to_owned();
    };
    format!(
        "int *{name} __attribute__((cleanup(judge_drop))) = judge_array(sizeof(int) * ({size}));"
    )
}

/// Calls and declarations of a function by another name.
fn rename(text: &str, from: &str, to: &str) -> String {
    let call = format!("{from}(");
    let mut renamed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(&call) {
        let before = rest[..at].chars().next_back();
        let whole = before.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        renamed += &rest[..at];
        renamed += if whole { to } else { from };
        rest = &rest[at + from.len()..];
    }
    renamed + rest
}

#[cfg(test)]
mod tests {
    use super::instrumented;

    #[test]
    fn the_judge_sees_memory_come_and_go() {
        let text = instrumented(
            "static int input(int low, int high) {\n}\nint f(void) { // frame\n  int o[k + 1]; // vla\n  \
             return own_input(1) + input(0, 1);\n}\n",
        );
        for words in [
            "static int own_input(int low",
            "own_input(1) + judge_input(0, 1)",
            "int f(void) { int frame __attribute__((cleanup(judge_leave))) = judge_enter();",
            "int *o __attribute__((cleanup(judge_drop))) = judge_array(sizeof(int) * (k + 1));",
        ] {
            assert!(text.contains(words), "{words} not in:\n{text}");
        }
    }
}
