//! `cargo xtask bench-shape [--timeout T] [--binary FILE] [--only NAME]... [--tables]`: the programs of Table 6.1
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

use measure::{Bench, Row, entry, program};
use std::path::Path;

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

/// Runs; the exit code says whether all that are there were proved.
pub fn run(arguments: &[String]) -> i32 {
    let word = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let timeout = word("--timeout").unwrap_or("60s".into());
    let only: Vec<&String> =
        (arguments.windows(2).filter(|pair| pair[0] == "--only")).map(|pair| &pair[1]).collect();
    let binary = match word("--binary") {
        Some(binary) => binary.into(),
        None => match crate::attack::binary() {
            Ok(binary) => binary,
            Err(why) => {
                eprintln!("bench-shape: {why}");
                return 2;
            }
        },
    };
    let bench = Bench { binary, timeout };
    let rows: Vec<Row> = (ROWS.iter().copied())
        .filter(|row| only.is_empty() || only.iter().any(|only| *only == row.0))
        .collect();
    let done = match arguments.iter().any(|a| a == "--tables") {
        true => tables::print(&bench, &rows),
        false => print_table_6_1(&bench, &rows),
    };
    done.map_or(2, |all| i32::from(!all))
}

/// Prints the table; whether all that are there were proved, none of their bugs among them. None where something cannot be run.
fn print_table_6_1(bench: &Bench, rows: &[Row]) -> Option<bool> {
    println!("{HEAD}\n{}|", "|---".repeat(HEAD.matches('|').count() - 1));
    let mut all = true;
    for &(file, name, seconds, posts, refinements, predicates, calls) in rows {
        let (text, path) = program(file)?;
        let entry = entry(&text);
        let first = bench.median(&path, entry, &[])?;
        let time = first.time;
        let tenth = if time <= seconds / 10.0 { "yes" } else { "no" };
        let (bugs, proved) =
            seeded(&text, |file| bench.verify(file, entry, &[]).map(|run| run.verdict))?;
        let verdict = &first.verdict;
        all &= verdict == "true" && proved == 0;
        println!(
            "| {name} | {verdict} | {time:.2} s | {seconds} s | {tenth} | {} ({posts}) | {} ({refinements}) | {} ({predicates}) | {} ({calls}) | {proved} of {bugs} |",
            first.figure(" posts"),
            first.figure(" refinements"),
            first.figure(" predicates"),
            first.figure(" queries"),
        );
    }
    Some(all)
}

const HEAD: &str = "| program | verdict | time | thesis | a tenth | posts | refinements | predicates | calls | bugs proved |";

/// How many seeded bugs a program has, and how many of the programs with them are proved.
fn seeded(text: &str, verify: impl Fn(&Path) -> Option<String>) -> Option<(usize, usize)> {
    let bugs: Vec<(&str, &str)> =
        text.lines().filter_map(|line| line.strip_prefix("// bug: ")?.split_once(" => ")).collect();
    let body: Vec<&str> = text.lines().filter(|line| !line.starts_with("// ")).collect();
    let body = body.join("\n");
    let scratch = std::env::temp_dir().join(format!("bench-shape-{}.c", std::process::id()));
    let mut proved = 0;
    for (old, new) in &bugs {
        std::fs::write(&scratch, body.replacen(old, new, 1)).ok()?;
        let verdict = verify(&scratch);
        let _ = std::fs::remove_file(&scratch);
        proved += usize::from(verdict? == "true");
    }
    Some((bugs.len(), proved))
}
