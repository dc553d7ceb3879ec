//! `bolide bench`: many tasks, several tools, one table.
//!
//! The way of a run: [`tasks`] reads task sets, task definitions and tables;
//! [`tool`] turns a task into the command line of an engine of our own or of
//! any other verifier; [`crate::process`] runs it as a child under limits of time and
//! memory and measures it; [`results`] grades what it said and keeps a row;
//! [`table`], [`plot`] and [`junit`] show the rows; [`compare`] sets two
//! result files against each other; [`validate`] asks others whether the evidence of a
//! verdict stands.
//!
//! Rows are appended to the CSV file as they come, so an interrupted
//! run loses at most the tasks under way and goes on with `--resume`. At the end the file is
//! written anew in the order of the tasks: what is printed and written does not depend
//! on which child was faster.
//!
//! Required: a wrong verdict is the first thing shown, and the exit code says it.

mod cluster;
mod compare;
pub mod junit;
mod plot;
mod results;
mod table;
pub mod tasks;
mod tool;
mod validate;

use crate::exit::{Exit, Stop};
use crate::flags::{BenchFlags, Scheduler};
use crate::output::{Places, write};
use crate::process;
use crate::signals;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use results::{Grade, Row};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use tasks::Task;
use tool::Tool;

/// Runs the tasks, or compares two files of results.
pub fn bench(flags: &BenchFlags) -> Result<Exit, Stop> {
    let compares = !flags.compare.is_empty();
    Ok(if compares { compare::compare(&flags.compare)? } else { measure(flags)? })
}

fn measure(flags: &BenchFlags) -> Result<Exit, String> {
    let tasks = tasks::read(flags)?;
    let tools = tool::tools(flags)?;
    let plan: Vec<(&Task, &Tool)> =
        tasks.iter().flat_map(|task| tools.iter().map(move |tool| (task, tool))).collect();
    let known = known_rows(flags)?;
    let files = vec![&flags.csv, &flags.svg, &flags.junit];
    if !(Places { files, ..Places::default() }).are_writable() {
        return Ok(Exit::Usage);
    }
    signals::watch();
    let rows = run(flags, &plan, known)?;
    let interrupted = signals::interrupted();
    if let Some(file) = &flags.csv {
        write(file, &results::csv(&rows))?;
    }
    if let Some(file) = &flags.svg {
        write(file, &plot::quantile(&rows, process::longest(&flags.limits())))?;
    }
    if let Some(file) = &flags.junit {
        write(file, &junit::xml(&rows))?;
    }
    print!("{}", table::table(&rows, flags.quiet));
    if interrupted {
        let rest = plan.len() - rows.len();
        let hint = if flags.csv.is_some() { ": go on with --resume" } else { "" };
        println!("interrupted; {rest} runs are missing{hint}");
    }
    let wrong = rows.iter().any(|row| row.grade.is_wrong());
    let refuted = rows.iter().any(|row| row.evidence.is_refuted());
    Ok(match (wrong || refuted, interrupted) {
        (true, _) => Exit::False,
        (false, true) => Exit::Unknown,
        (false, false) => Exit::True,
    })
}

/// Rows of an earlier run that need not be repeated.
fn known_rows(flags: &BenchFlags) -> Result<Vec<Row>, String> {
    let Some(file) = &flags.csv else {
        return match flags.resume {
            true => Err("--resume goes on with a file of results: name it with --csv".into()),
            false => Ok(Vec::new()),
        };
    };
    if !file.exists() {
        return Ok(Vec::new());
    }
    if !flags.resume {
        return Err(format!(
            "`{}` exists: go on with it by --resume, or remove it",
            file.display()
        ));
    }
    results::read_csv(file)
}

/// The rows of all pairs of the plan that were run, in the plan's order.
fn run(flags: &BenchFlags, plan: &[(&Task, &Tool)], known: Vec<Row>) -> Result<Vec<Row>, String> {
    let journal = Mutex::new(Journal::open(flags.csv.as_deref(), &known)?);
    let bar = progress(flags, plan.len() - known.len().min(plan.len()));
    let tally = Mutex::new(Tally::default());
    let arrived = |row: &Row| {
        if let Ok(mut tally) = tally.lock() {
            tally.count(row);
            bar.set_message(tally.to_string());
            bar.inc(1);
        }
        if row.grade.is_wrong() {
            bar.println(format!("WRONG {} by {}: {}", row.task, row.tool, row.verdict));
        }
        if let Ok(mut journal) = journal.lock() {
            journal.append(row);
        }
    };
    let known = match flags.on {
        Some(Scheduler::Slurm) => cluster::gather(flags, plan, known, arrived)?,
        None => known,
    };
    let known_row = |(task, tool): &(&Task, &Tool)| {
        known.iter().find(|r| r.task == task.id && r.tool == tool.name).cloned()
    };
    let mut rows: Vec<Option<Row>> = plan.iter().map(known_row).collect();
    let open: Vec<usize> = (0..plan.len()).filter(|&i| rows[i].is_none()).collect();
    let folder = process::Folder::new()?;
    let jobs = flags.jobs.unwrap_or_else(default_jobs);
    let found = process::side_by_side(jobs, open.len(), |number| {
        let (task, tool) = plan[open[number]];
        let row = one(flags, &folder, open[number], task, tool)?;
        arrived(&row);
        Some(row)
    });
    bar.finish_and_clear();
    for (index, row) in open.into_iter().zip(found) {
        rows[index] = row;
    }
    Ok(rows.into_iter().flatten().collect())
}

/// One task with one tool; none when the user interrupted it.
fn one(
    flags: &BenchFlags,
    folder: &process::Folder,
    index: usize,
    task: &Task,
    tool: &Tool,
) -> Option<Row> {
    let files = folder.files(index);
    let limits = flags.limits();
    let row = match tool.command(task, &limits, &files) {
        Ok(command) => {
            let measured = process::run(&command, &limits, &files);
            if signals::interrupted() {
                return None;
            }
            let mut row = results::grade(task, tool, &measured);
            if flags.validate && tool.is_ours() {
                row.evidence = validate::validate(task, &row, &limits, &files);
            }
            row
        }
        Err(reason) => Row::not_run(task, tool, reason),
    };
    files.remove();
    Some(row)
}

fn default_jobs() -> usize {
    std::thread::available_parallelism().map_or(1, |n| (n.get() / 2).max(1))
}

fn progress(flags: &BenchFlags, length: usize) -> ProgressBar {
    // Nothing is drawn where standard error is not a terminal.
    let target =
        if flags.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(length as u64), target);
    let style = "{elapsed_precise} [{bar:30}] {pos}/{len} {msg} (eta {eta})";
    if let Ok(style) = ProgressStyle::with_template(style) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// What the progress line counts.
#[derive(Default)]
struct Tally {
    right: usize,
    wrong: usize,
    none: usize,
}

impl Tally {
    fn count(&mut self, row: &Row) {
        match row.grade {
            Grade::Right => self.right += 1,
            grade if grade.is_wrong() => self.wrong += 1,
            _ => self.none += 1,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "right {}, wrong {}, none {}", self.right, self.wrong, self.none)
    }
}

/// The CSV file while the run goes on: rows in the order of their arrival.
struct Journal {
    file: Option<std::fs::File>,
}

impl Journal {
    /// Begins with what is known: an interrupted run may have left half a line at the end.
    fn open(path: Option<&Path>, known: &[Row]) -> Result<Journal, String> {
        let Some(path) = path else { return Ok(Journal { file: None }) };
        let part = path.with_extension("part");
        write(&part, &results::csv(known))?;
        std::fs::rename(&part, path)
            .and_then(|()| std::fs::OpenOptions::new().append(true).open(path))
            .map(|file| Journal { file: Some(file) })
            .map_err(|e| format!("cannot write `{}`: {e}", path.display()))
    }

    fn append(&mut self, row: &Row) {
        if let Some(file) = &mut self.file
            && let Err(error) = file.write_all(row.csv().as_bytes())
        {
            eprintln!("bolide: cannot write the results: {error}");
        }
    }
}
