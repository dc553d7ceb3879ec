//! `bolide prove`: the proofs that `bolide.toml` lists.
//!
//! A proof is a name for a command line of `bolide verify` (files, entry, properties, flags), with the verdict that is expected
//! and who answers for it. Each is a child process, as the units of a [scan] are. What the last run
//! found is kept by name in the folder of answers: where the texts behind the preprocessor, all flags and bolide itself are
//! what they were, it is not run again, and of the others it is told what changed.
//!
//! The proofs run in the folder of their file, so names in it mean the same wherever the command is given.

use crate::arguments;
use crate::bench::junit;
use crate::exit::{Exit, Stop};
use crate::flags::{Command, ProveFlags, SettingsFlags, Tool, VerifyFlags};
use crate::output::{Places, append, write};
use crate::process;
use crate::project_file::{self, Proof};
use crate::scan::{self, Outcome, Unit};
use crate::signals;
use crate::suggest::did_you_mean;
use crate::{frontend, import};
use bolide_cfa::render::escape;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A proof, what came of it, and what the last run said.
struct Row<'p> {
    proof: &'p Proof,
    outcome: Outcome,
    before: Option<String>,
}

impl Row<'_> {
    fn is_as_expected(&self) -> bool {
        self.outcome.verdict == self.proof.expect.name()
    }

    /// What is new since the last run.
    fn news(&self) -> String {
        match &self.before {
            None => "new".to_owned(),
            Some(before) if *before != self.outcome.verdict => format!("was {before}"),
            Some(_) if self.outcome.kept => "nothing".to_owned(),
            Some(_) => "run again".to_owned(),
        }
    }

    /// What a reader of the verdict has to know.
    fn remarks(&self) -> String {
        let outcome = &self.outcome;
        let mut all: Vec<String> = Vec::new();
        if !self.is_as_expected() {
            all.push(format!("expected {}", self.proof.expect.name()));
        }
        if !outcome.message.is_empty() {
            let place = if outcome.result.is_null() { None } else { Some(outcome.place()) };
            let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
            all.push(format!("{place}{}", outcome.message));
        }
        if !outcome.vacuous.is_empty() {
            all.push(format!("vacuous: {}", outcome.vacuous));
        }
        if !outcome.coverage.is_empty() {
            all.push(format!("covers {}", outcome.coverage));
        }
        if !outcome.assumptions.is_empty() {
            all.push(format!("rests on: {}", outcome.assumptions.join("; ")));
        }
        all.join("; ")
    }
}

/// Runs the proofs that changed; the exit code tells the worst that was not expected.
pub fn prove(flags: &ProveFlags) -> Result<Exit, Stop> {
    if let Some(Tool::Cbmc) = flags.import {
        return import(&flags.names);
    }
    let settings = project_file::settings(&flags.settings);
    let Some(file) = &flags.settings.config else {
        return Err(format!("there is no `{}` here or above", project_file::NAME).into());
    };
    let proofs = chosen(settings.proofs(), &flags.names)?;
    if proofs.is_empty() {
        return Err(format!("`{}` lists no proof: write [[proof]]", file.display()).into());
    }
    // Before the folder changes.
    let places = [&flags.sarif, &flags.junit, &flags.summary, &flags.report]
        .map(|place| place.as_deref().and_then(|place| std::path::absolute(place).ok()));
    let [sarif, junit, summary, report] = &places;
    let writable = Places { files: vec![sarif, junit, summary], folders: vec![report] };
    if !writable.are_writable() {
        return Ok(Exit::Usage);
    }
    let file = std::path::absolute(file).map_err(|e| e.to_string())?;
    let folder = file.parent().unwrap_or(Path::new("/"));
    std::env::set_current_dir(folder)
        .map_err(|e| format!("cannot work in `{}`: {e}", folder.display()))?;
    let kept = Path::new(".bolide-cache").join("proofs");
    std::fs::create_dir_all(&kept)
        .map_err(|e| format!("cannot make the folder `{}`: {e}", kept.display()))?;
    let scratch = process::Folder::new()?;
    signals::watch();
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let jobs = flags.jobs.unwrap_or(processors).clamp(1, proofs.len());
    let rows = process::side_by_side(jobs, proofs.len(), |index| {
        let place = Place {
            settings: &file,
            kept: &kept,
            report: report.as_deref(),
            coverage: flags.coverage,
        };
        let row = answer(proofs[index], &place, &scratch.files(index));
        if !flags.quiet {
            eprintln!("{}: {}", row.proof.name, row.outcome.verdict);
        }
        Some(row)
    });
    let rows: Vec<Row<'_>> = rows.into_iter().flatten().collect();
    print!("{}", table(&rows));
    leave(&rows, &places)?;
    if signals::interrupted() {
        eprintln!("bolide: interrupted; the same command goes on from here");
        return Ok(Exit::Unknown);
    }
    Ok(exit(&rows))
}

/// Writes proofs that were made for CBMC.
fn import(folders: &[String]) -> Result<Exit, Stop> {
    let folders: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    let (text, problems) = import::cbmc(&folders)?;
    for problem in &problems {
        eprintln!("bolide: {problem}");
    }
    if text.is_empty() && problems.is_empty() {
        return Err("there is no makefile with HARNESS_ENTRY in these folders".to_owned().into());
    }
    print!("{text}");
    Ok(if problems.is_empty() { Exit::True } else { Exit::Usage })
}

/// The proofs of these names, or all.
fn chosen<'p>(proofs: Vec<&'p Proof>, names: &[String]) -> Result<Vec<&'p Proof>, String> {
    if let Some(name) = names.iter().find(|name| proofs.iter().all(|p| p.name != **name)) {
        let hint = did_you_mean(name, proofs.iter().map(|p| p.name.as_str()));
        return Err(format!("there is no proof `{name}`{hint}"));
    }
    let is_meant = |proof: &&Proof| names.is_empty() || names.contains(&proof.name);
    Ok(proofs.into_iter().filter(is_meant).collect())
}

/// What proofs have in common: their file, the folder of kept answers, and that of reports.
struct Place<'a> {
    settings: &'a Path,
    kept: &'a Path,
    report: Option<&'a Path>,
    /// Whether it is asked for, which is one of the flags of each.
    coverage: bool,
}

/// One proof: its answer of the last run where nothing changed.
fn answer<'p>(proof: &'p Proof, place: &Place<'_>, files: &process::Files) -> Row<'p> {
    let report = place.report;
    let file = place.kept.join(format!("{}.json", scan::slug(&proof.name)));
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    let known: Value = serde_json::from_str(&known).unwrap_or_default();
    let before = known["outcome"]["verdict"].as_str().map(str::to_owned);
    let mut words = proof.words();
    // The file need not be the nearest one.
    words.extend(["--config".into(), place.settings.into()]);
    words.extend(place.coverage.then(|| "--coverage".into()));
    let unit = |content: String| Unit {
        file: proof.files.first().map(PathBuf::from).unwrap_or_default(),
        entry: proof.entry.clone().unwrap_or_else(|| "main".into()),
        property: "proof",
        content,
        ..Unit::default()
    };
    let Some((flags, content)) = inputs(&words) else {
        let why = "its flags or files are refused (above)".to_owned();
        return Row { proof, outcome: Outcome::failed(&unit(String::new()), why), before };
    };
    let unit = unit(content);
    let page = report.map(|_| format!("{}.html", scan::slug(&proof.name)));
    let has_page = |page: &Option<String>| {
        report.zip(page.as_ref()).is_none_or(|(folder, page)| folder.join(page).exists())
    };
    if known["content"] == json!(unit.content)
        && has_page(&page)
        && let Some(outcome) = Outcome::from_json(&unit, &known["outcome"])
    {
        return Row { proof, outcome: Outcome { kept: true, page, ..outcome }, before };
    }
    let mut outcome = run(&unit, words, &flags, report.zip(page.as_deref()), files);
    outcome.page = page.filter(|page| has_page(&Some(page.clone())));
    if outcome.verdict == "false" && proof.expect.name() == "false" {
        outcome.result["properties"]["bolide/accepted"] = json!("the proof expects it");
    }
    if outcome.verdict != "error" && !signals::interrupted() {
        let text = json!({ "content": unit.content, "outcome": outcome.to_json() });
        let _ = write(&file, &format!("{text:#}\n"));
    }
    Row { proof, outcome, before }
}

/// The flags of a proof with those of the project's file, and a print of all that its verdict depends on. Problems are
/// reported here.
fn inputs(words: &[OsString]) -> Option<(Box<VerifyFlags>, String)> {
    let words = [vec!["bolide".into()], words.to_vec()].concat();
    let mut flags = match arguments::read(words) {
        Ok(all) => match all.command {
            Command::Verify(flags) => flags,
            _ => return None,
        },
        Err(Stop::Complaint(message)) => {
            eprintln!("bolide: {message}");
            return None;
        }
        Err(_) => return None,
    };
    let texts = frontend::read_texts(&flags.input)?;
    // What stands in the file is in the flags; where it is does not matter.
    flags.input.settings = SettingsFlags::default();
    let asked = format!("{flags:?}");
    let mut parts = vec![scan::own_print(), &asked];
    parts.extend(texts.iter().map(|(_, text)| text.as_str()));
    let content = scan::hash(&parts);
    Some((flags, content))
}

fn run(
    unit: &Unit,
    words: Vec<OsString>,
    flags: &VerifyFlags,
    page: Option<(&Path, &str)>,
    files: &process::Files,
) -> Outcome {
    let mut words = words;
    words.extend(["--quiet", "--vacuity", "--sarif"].map(OsString::from));
    words.push(files.log().into());
    if let Some((folder, page)) = page {
        words.extend(["--report".into(), folder.join(page).into()]);
    }
    scan::child(unit, words, &process::lenient(&flags.limits.limits()), files).0
}

fn table(rows: &[Row<'_>]) -> String {
    let width = rows.iter().map(|row| row.proof.name.chars().count()).max().unwrap_or(0).max(5);
    let mut out =
        format!("{:width$}  {:8} {:>8}  {:12} remarks\n", "proof", "verdict", "time", "news");
    for row in rows {
        let outcome = &row.outcome;
        let time = format!("{:.1} s", outcome.milliseconds as f64 / 1000.0);
        let line = format!(
            "{:width$}  {:8} {time:>8}  {:12} {}",
            row.proof.name,
            outcome.verdict,
            row.news(),
            row.remarks()
        );
        let _ = writeln!(out, "{}", line.trim_end());
    }
    let right = rows.iter().filter(|row| row.is_as_expected()).count();
    let _ = writeln!(out, "{right} of {} as expected", rows.len());
    out
}

/// The same for a pull request.
fn markdown(rows: &[Row<'_>]) -> String {
    let mut out = String::from(
        "| proof | verdict | time | news | remarks | owner |\n|---|---|---:|---|---|---|\n",
    );
    let cell = |text: &str| text.replace('|', "\\|").replace(['\n', '\r'], " ");
    for row in rows {
        let verdict = match row.is_as_expected() {
            true => row.outcome.verdict.clone(),
            false => format!("**{}**", row.outcome.verdict),
        };
        let owner = row.proof.owner.as_deref().unwrap_or("");
        let seconds = row.outcome.milliseconds as f64 / 1000.0;
        let _ = writeln!(
            out,
            "| `{}` | {verdict} | {seconds:.1} s | {} | {} | {} |",
            cell(&row.proof.name),
            row.news(),
            cell(&row.remarks()),
            cell(owner)
        );
    }
    out
}

/// The same as a page, with links to the reports.
fn dashboard(rows: &[Row<'_>]) -> String {
    let right = rows.iter().filter(|row| row.is_as_expected()).count();
    let mut out = scan::page_head("Proofs");
    let _ = writeln!(out, "<p>{right} of {} as expected</p>\n<table>", rows.len());
    out += "<tr><th>proof<th>verdict<th>time<th>news<th>vacuous<th>covers<th>rests on<th>remarks<th>owner</tr>\n";
    for row in rows {
        let (proof, outcome) = (row.proof, &row.outcome);
        let verdict = match &outcome.page {
            Some(page) => format!("<a href=\"{}\">{}</a>", escape(page), outcome.verdict),
            None => outcome.verdict.clone(),
        };
        let mut remarks: Vec<String> = Vec::new();
        if !row.is_as_expected() {
            remarks.push(format!("expected {}", proof.expect.name()));
        }
        remarks.extend((!outcome.message.is_empty()).then(|| outcome.message.clone()));
        let _ = write!(
            out,
            "<tr><td><code>{}</code><td class=\"{}\">{verdict}<td>{:.1} s",
            escape(&proof.name),
            outcome.verdict,
            outcome.milliseconds as f64 / 1000.0
        );
        let rests_on = outcome.assumptions.join("; ");
        let owner = proof.owner.clone().unwrap_or_default();
        let cells = [
            row.news(),
            outcome.vacuous.clone(),
            outcome.coverage.clone(),
            rests_on,
            remarks.join("; "),
            owner,
        ];
        cells.iter().for_each(|cell| out += &format!("<td>{}", escape(cell)));
        out += "</tr>\n";
    }
    out + "</table>\n</body></html>\n"
}

/// Writes what was asked for.
fn leave(rows: &[Row<'_>], places: &[Option<PathBuf>; 4]) -> Result<(), String> {
    let [sarif, junit, summary, report] = places;
    let outcomes: Vec<Outcome> = rows.iter().map(|row| row.outcome.clone()).collect();
    if let Some(file) = sarif {
        write(file, &format!("{:#}\n", scan::log(&outcomes, &Vec::new())))?;
    }
    if let Some(file) = junit {
        let cases = rows.iter().map(|row| junit::Case {
            name: &row.proof.name,
            seconds: row.outcome.milliseconds as f64 / 1000.0,
            fault: match (row.is_as_expected(), row.outcome.verdict.as_str()) {
                (true, _) => None,
                (false, "unknown") => Some(("skipped", row.remarks())),
                (false, "error") => Some(("error", row.remarks())),
                (false, _) => Some(("failure", row.remarks())),
            },
        });
        write(file, &junit::suites(&[("bolide prove", cases.collect())]))?;
    }
    if let Some(file) = summary {
        append(file, &markdown(rows))?;
    }
    if let Some(folder) = report {
        write(&folder.join("index.html"), &dashboard(rows))?;
    }
    Ok(())
}

fn exit(rows: &[Row<'_>]) -> Exit {
    let mut wrong = rows.iter().filter(|row| !row.is_as_expected()).peekable();
    if wrong.peek().is_none() {
        return Exit::True;
    }
    match wrong.any(|row| matches!(row.outcome.verdict.as_str(), "true" | "false")) {
        true => Exit::False,
        false => Exit::Unknown,
    }
}
