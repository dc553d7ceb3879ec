//! `cargo xtask bench-shape [--cpu-time T] [--bolide FILE] [--only NAME]... [--tables]`: the programs of Table 6.1
//! of the thesis on symbolic shape analysis, ours beside its figures; with `--tables` [Tables 6.2 to 6.5](tables) instead.
//!
//! Ours are the functions of `tests/shape`, written in C after the names and the
//! checked properties; the thesis' programs are Java and are not used. Its times are
//! from a Core2 at 2.66 GHz with external decision procedures, so the
//! two columns of time tell an order of magnitude and no more. `calls` are
//! queries of the heap logic here, calls of the validity checker there
//! (Table 6.3); posts, refinements and predicates are those of Table 6.2. The
//! seeded bugs of each program (`// bug: OLD => NEW`) are tried too: none may be proved.
//!
//! Times are seconds of processor time, so that other work on the machine
//! counts little; below two seconds the median of three runs.

mod measure;
mod tables;

use crate::experiment::{self, Said, Scratch};
use measure::{Bench, Row, entry, program};
use std::path::{Path, PathBuf};

const ROWS: [Row; 18] = [
    ("traverse", "List.traverse", 0.11, 3, 0, 4, 41),
    ("create", "List.create", 0.78, 11, 6, 11, 189),
    ("get_last", "List.getLast", 0.53, 7, 1, 7, 158),
    ("contains", "List.contains", 0.53, 5, 1, 6, 114),
    ("insert_before", "List.insertBefore", 2.48, 8, 2, 10, 246),
    ("append", "List.append", 8.95, 5, 1, 13, 311),
    ("filter", "List.filter", 5.31, 31, 5, 12, 820),
    ("partition", "List.partition", 149.16, 62, 21, 15, 7650),
    ("reverse", "List.reverse", 5.52, 9, 3, 11, 615),
    ("dll_add_last", "DLL.addLast", 2.05, 7, 3, 8, 161),
    ("sorted_add", "SortedList.add", 9.88, 21, 3, 9, 470),
    ("skip_add", "SkipList.add", 10.82, 19, 4, 12, 679),
    ("tree_add", "Tree.add", 18.51, 11, 0, 11, 390),
    ("parent_tree_add", "ParentTree.add", 20.48, 11, 0, 11, 428),
    ("threaded_tree_add", "ThreadedTree.add", 445.93, 151, 4, 17, 2882),
    ("client_move", "Client.move", 3.11, 8, 0, 16, 111),
    ("client_create_move", "Client.createMove", 41.07, 46, 6, 33, 662),
    ("client_partition", "Client.partition", 108.15, 118, 18, 32, 2138),
];

#[derive(clap::Args)]
pub struct Settings {
    /// Processor time for each run
    #[arg(long, default_value = "60s")]
    cpu_time: String,
    /// Built now unless given
    #[arg(long)]
    bolide: Option<PathBuf>,
    /// These programs, not all
    #[arg(long)]
    only: Vec<String>,
    /// Tables 6.2 to 6.5 instead
    #[arg(long)]
    tables: bool,
}

/// Whether all programs were proved, and none with a seeded bug.
pub fn run(settings: Settings) -> Result<bool, String> {
    let Settings { cpu_time, bolide, only, tables } = settings;
    let bench = Bench { binary: experiment::bolide(&bolide)?, cpu_time };
    let rows: Vec<Row> = (ROWS.iter().copied())
        .filter(|row| only.is_empty() || only.iter().any(|only| only == row.0))
        .collect();
    match tables {
        true => tables::print(&bench, &rows),
        false => print_table_6_1(&bench, &rows),
    }
}

/// Prints the table; whether all that are there were proved, none of their bugs among them.
fn print_table_6_1(bench: &Bench, rows: &[Row]) -> Result<bool, String> {
    let scratch = Scratch::new("bench-shape")?;
    println!("{HEAD}\n{}|", "|---".repeat(HEAD.matches('|').count() - 1));
    let mut all = true;
    for &(file, name, seconds, posts, refinements, predicates, calls) in rows {
        let (text, path) = program(file)?;
        let entry = entry(&text);
        let first = bench.median(&path, entry, &[])?;
        let time = first.seconds;
        let tenth = if time <= seconds / 10.0 { "yes" } else { "no" };
        let (bugs, proved) = seeded(&text, &scratch, |file| bench.verify(file, entry, &[]))?;
        let verdict = first.verdict();
        all &= verdict == "true" && proved == 0;
        println!(
            "| {name} | {verdict} | {time:.2} s | {seconds} s | {tenth} | {} ({posts}) | {} ({refinements}) | {} ({predicates}) | {} ({calls}) | {proved} of {bugs} |",
            first.figure(" posts"),
            first.figure(" refinements"),
            first.figure(" predicates"),
            first.figure(" queries"),
        );
    }
    Ok(all)
}

const HEAD: &str = "| program | verdict | time | thesis | a tenth | posts | refinements | predicates | calls | bugs proved |";

/// How many seeded bugs a program has, and how many of the programs with them are proved.
fn seeded(
    text: &str,
    scratch: &Scratch,
    prove: impl Fn(&Path) -> Result<Said, String>,
) -> Result<(usize, usize), String> {
    let bugs: Vec<(&str, &str)> =
        text.lines().filter_map(|line| line.strip_prefix("// bug: ")?.split_once(" => ")).collect();
    let body: Vec<&str> = text.lines().filter(|line| !line.starts_with("// ")).collect();
    let body = body.join("\n");
    let mut proved = 0;
    for (old, new) in &bugs {
        let said = prove(&scratch.write("bug.c", &body.replacen(old, new, 1))?)?;
        proved += usize::from(said.verdict.as_deref() == Some("true"));
    }
    Ok((bugs.len(), proved))
}
