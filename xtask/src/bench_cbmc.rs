//! `cargo xtask bench-cbmc LIST FOLDER`: `bolide verify` beside CBMC, in one run, one after the other.
//!
//! The list is a table with a header line, columns by tabulator, among them `id`, `file`, `property`, `expected` and
//! `data_model`; files lie below the folder. Only `assert` and `unreach-call` are compared. Both get the same processor
//! time, one thread, and that time is what is measured. CBMC unwinds a few rounds, then more, until it decides; functions that mean
//! something to verifiers are defined for it. Printed for each task: what each says and how long it took;
//! then how many each has right, and the median of times over those that both have right.

use crate::experiment::{Scratch, bolide, children_seconds, output, read};
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(clap::Args)]
pub struct Settings {
    list: PathBuf,
    folder: PathBuf,
    /// CBMC's command
    #[arg(long, default_value = "cbmc")]
    cbmc: PathBuf,
    /// The command `bolide`; by default that of this build
    #[arg(long)]
    bolide: Option<PathBuf>,
    /// Processor seconds for each task and tool
    #[arg(long, default_value_t = 30)]
    limit: u64,
    /// Tasks whose name has this in it
    #[arg(long, default_value = "")]
    only: String,
    /// Every so-many-th of them
    #[arg(long, default_value_t = 1)]
    every: usize,
}

/// Rounds that CBMC unwinds, one after the other.
const ROUNDS: [u32; 12] = [2, 6, 12, 17, 21, 40, 200, 400, 1000, 5000, 20_000, 100_000];

/// What verifiers know without a definition, and CBMC does not.
const DEFINITIONS: [(&str, &str); 5] = [
    ("__VERIFIER_error", "(void) { __CPROVER_assert(0, \"\"); __CPROVER_assume(0); }"),
    ("reach_error", "(void) { __CPROVER_assert(0, \"\"); __CPROVER_assume(0); }"),
    ("__VERIFIER_assume", "(int c) { __CPROVER_assume(c); }"),
    ("__ESBMC_assume", "(_Bool c) { __CPROVER_assume(c); }"),
    ("__ESBMC_assert", "(_Bool c, const char *m) { __CPROVER_assert(c, \"\"); }"),
];

struct Task {
    id: String,
    file: PathBuf,
    property: String,
    expected: String,
    is_64_bit: bool,
}

/// A verdict and processor seconds.
type Answer = (String, f64);

pub fn run(settings: Settings) -> Result<bool, String> {
    let bolide = bolide(&settings.bolide)?;
    let scratch = Scratch::new("bench-cbmc")?;
    let tasks = tasks(&read(&settings.list)?, &settings.folder)?;
    let (mut results, mut wrong) = (Vec::new(), false);
    let chosen = tasks.iter().filter(|t| t.id.contains(&settings.only)).step_by(settings.every);
    for task in chosen {
        let ours = ours(&bolide, task, settings.limit)?;
        let theirs = theirs(&settings.cbmc, task, settings.limit, &scratch)?;
        let is_wrong = ours.0 != task.expected && ours.0 != "none";
        println!(
            "{}\t{}\t{}\t{:.2}\t{}\t{:.2}{}",
            task.id,
            task.expected,
            ours.0,
            ours.1,
            theirs.0,
            theirs.1,
            if is_wrong { "\twrong" } else { "" }
        );
        wrong |= is_wrong;
        results.push((task.expected.clone(), ours, theirs));
    }
    print!("{}", summary(&results));
    Ok(!wrong)
}

fn tasks(text: &str, folder: &Path) -> Result<Vec<Task>, String> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let column = |name: &str| {
        header.iter().position(|h| *h == name).ok_or(format!("the list has no column {name}"))
    };
    let (id, file, property) = (column("id")?, column("file")?, column("property")?);
    let (expected, model) = (column("expected")?, column("data_model")?);
    let task = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let compared = cells.len() == header.len()
            && ["assert", "unreach-call"].contains(&cells[property])
            && ["true", "false"].contains(&cells[expected]);
        compared.then(|| Task {
            id: cells[id].to_owned(),
            file: folder.join(cells[file]),
            property: cells[property].to_owned(),
            expected: cells[expected].to_owned(),
            is_64_bit: cells[model].contains("LP64"),
        })
    };
    Ok(lines.filter_map(task).filter(|task| task.file.exists()).collect())
}

fn ours(bolide: &Path, task: &Task, limit: u64) -> Result<Answer, String> {
    let before = children_seconds();
    let model = if task.is_64_bit { "LP64" } else { "ILP32" };
    let output = output(
        Command::new(bolide)
            .args(["verify", "-q", "-p", &task.property, "--data-model", model, "--threads", "1"])
            .args(["--cpu-time", &format!("{limit}s")])
            .arg(&task.file),
    )?;
    let text = String::from_utf8_lossy(&output.stdout);
    let said = text.lines().last().and_then(|line| line.strip_prefix("RESULT: ")).unwrap_or("");
    let verdict = ["true", "false"].into_iter().find(|v| said.starts_with(v)).unwrap_or("none");
    Ok((verdict.to_owned(), children_seconds() - before))
}

fn theirs(cbmc: &Path, task: &Task, limit: u64, scratch: &Scratch) -> Result<Answer, String> {
    let source = std::fs::read(&task.file).map_err(|e| format!("{}: {e}", task.file.display()))?;
    let source = String::from_utf8_lossy(&source);
    let missing = DEFINITIONS.iter().filter(|(name, _)| is_only_declared(&source, name));
    let text: String = missing.map(|(name, rest)| format!("void {name}{rest}\n")).collect();
    let more = scratch.write("definitions.c", &text)?;
    let before = children_seconds();
    for rounds in ROUNDS {
        let Some(left) = limit.checked_sub((children_seconds() - before) as u64) else { break };
        let script = format!("ulimit -t {}; ulimit -v 6000000; exec \"$@\"", left.max(1));
        let output = output(
            Command::new("sh")
                .args(["-c", &script, "sh"])
                .arg(cbmc)
                .args(["--no-standard-checks", "--no-malloc-may-fail", "--unwinding-assertions"])
                .args(["--object-bits", "11", if task.is_64_bit { "--64" } else { "--32" }])
                .args(["--unwind", &rounds.to_string()])
                .args([&task.file, &more]),
        )?;
        let said = String::from_utf8_lossy(&output.stdout);
        let verdict = match () {
            () if said.contains("VERIFICATION SUCCESSFUL") => "true",
            () if said.lines().any(is_violation) => "false",
            () if said.contains("VERIFICATION FAILED") => continue,
            () => break,
        };
        return Ok((verdict.to_owned(), children_seconds() - before));
    }
    Ok(("none".to_owned(), children_seconds() - before))
}

/// Whether CBMC says that something fails other than having unwound far enough.
fn is_violation(line: &str) -> bool {
    line.trim_end().ends_with(": FAILURE")
        && !line.contains("unwinding assertion")
        && !line.contains("recursion")
}

/// Whether a function is mentioned, but has no body.
fn is_only_declared(source: &str, name: &str) -> bool {
    let mut mentions = source.match_indices(name).map(|(at, _)| &source[at + name.len()..]);
    let has_body = |rest: &str| {
        let end = rest.find([';', '{', '}']).unwrap_or(rest.len());
        rest.trim_start().starts_with('(') && rest[end..].starts_with('{')
    };
    source.contains(name) && !mentions.any(has_body)
}

fn summary(results: &[(String, Answer, Answer)]) -> String {
    let side = |of: fn(&(String, Answer, Answer)) -> &Answer, name: &str| {
        let count = |f: fn(&str, &str) -> bool| {
            results.iter().filter(|r| f(&of(r).0, &r.0)).count().to_string()
        };
        let (right, none) = (count(|v, e| v == e), count(|v, _| v == "none"));
        let other = count(|v, e| v != e && v != "none");
        let both = results.iter().filter(|(e, a, b)| a.0 == *e && b.0 == *e);
        let mut times: Vec<f64> = both.map(|r| of(r).1).collect();
        times.sort_by(f64::total_cmp);
        let median = times.get(times.len() / 2).copied().unwrap_or(0.0);
        let sum: f64 = times.iter().sum();
        format!("| {name} | {right} | {other} | {none} | {median:.2} | {sum:.1} |\n")
    };
    let both = results.iter().filter(|(e, a, b)| a.0 == *e && b.0 == *e).count();
    format!(
        "| | right | other | none | median s of {both} | sum s |\n|---|--:|--:|--:|--:|--:|\n{}{}",
        side(|r| &r.1, "bolide"),
        side(|r| &r.2, "cbmc"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_without_a_body_are_seen() {
        let source = "extern void reach_error(void); void f(int c) { if (c) { reach_error(); } }";
        assert!(is_only_declared(source, "reach_error"));
        assert!(!is_only_declared("void reach_error() { abort(); }", "reach_error"));
        assert!(!is_only_declared("int main(void) { }", "reach_error"));
    }

    #[test]
    fn results_are_summed_up() {
        let answer = |verdict: &str, seconds| (verdict.to_owned(), seconds);
        let results = [
            ("true".to_owned(), answer("true", 0.5), answer("true", 1.5)),
            ("false".to_owned(), answer("none", 9.0), answer("true", 1.0)),
        ];
        let text = summary(&results);
        assert!(text.contains("median s of 1"), "{text}");
        assert!(text.contains("| bolide | 1 | 0 | 1 | 0.50 | 0.5 |"), "{text}");
        assert!(text.ends_with("| cbmc | 1 | 1 | 0 | 1.50 | 1.5 |\n"), "{text}");
    }
}
