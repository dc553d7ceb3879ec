//! `cargo xtask bench-shape [--timeout T] [--binary FILE] [--only NAME]`: the programs of Table 6.1 of
//! the thesis on symbolic shape analysis, ours beside its figures, with the heap logic and with MONA in its place.
//!
//! Ours are the functions of `tests/shape`, written in C after the names and the
//! checked properties; the thesis' programs are Java and are not used. Its times are
//! from a Core2 at 2.66 GHz with external decision procedures, so the
//! two columns of time tell an order of magnitude and no more. `calls` are
//! queries of the heap logic here, calls of the validity checker there
//! (Table 6.3); posts, refinements and predicates are those of Table 6.2. The
//! seeded bugs of each program (`// bug: OLD => NEW`) are tried too: none may be proved.
//! The time with MONA includes that of the audit, which never asks it; where MONA is not installed or does
//! not get to a proof (it knows lists, no numbers), there is a dash.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// File, name in the thesis, seconds, posts, refinement steps, predicates, calls.
type Row = (&'static str, &'static str, f64, u32, u32, u32, u32);

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
    let binary = match word("--binary") {
        Some(binary) => binary.into(),
        None => match crate::fuzz_verify::binary() {
            Ok(binary) => binary,
            Err(why) => {
                eprintln!("bench-shape: {why}");
                return 2;
            }
        },
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/shape");
    println!(
        "| program | verdict | time | MONA | thesis | posts | thesis | refinements | thesis | predicates | thesis | calls | thesis | bugs proved |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let mut all = true;
    for (file, name, seconds, posts, refinements, predicates, calls) in ROWS {
        if word("--only").is_some_and(|only| only != file) {
            continue;
        }
        let path = folder.join(format!("{file}.c"));
        let Ok(text) = std::fs::read_to_string(&path) else {
            println!(
                "| {name} | not written | | | {seconds} s | | {posts} | | {refinements} | | {predicates} | | {calls} | |"
            );
            continue;
        };
        let entry = text.lines().find_map(|l| l.strip_prefix("// entry: ")).unwrap_or("main");
        let verify = |file: &Path, solver: &str| -> Option<(String, String)> {
            let output = Command::new(&binary)
                .args(["verify", "--engine", "shape", "--property", "valid-memsafety", "--verbose"])
                .args(["--timeout", &timeout, "--entry", entry, "--heap-solver", solver])
                .arg(file)
                .output()
                .inspect_err(|why| eprintln!("bench-shape: {}: {why}", binary.display()))
                .ok()?;
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let last = said.lines().last().unwrap_or("");
            let verdict = last.trim_start_matches("RESULT: ").to_owned();
            Some((verdict, said))
        };
        let start = Instant::now();
        let Some((verdict, said)) = verify(&path, "own") else { return 2 };
        let time = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let Some((by_mona, _)) = verify(&path, "mona") else { return 2 };
        let mona = match by_mona == "true" {
            true => format!("{:.2} s", start.elapsed().as_secs_f64()),
            false => "-".to_owned(),
        };
        let Some((bugs, proved)) = seeded(&text, |file| verify(file, "own").map(|v| v.0)) else {
            return 2;
        };
        all &= verdict == "true" && proved == 0;
        let figure = |what: &str| {
            let line = said.lines().find_map(|l| l.trim().strip_prefix("search: "))?;
            let part = line.split(", ").find(|p| p.ends_with(what))?;
            part.split(' ').next().map(str::to_owned)
        };
        let figure = |what: &str| figure(what).unwrap_or_default();
        println!(
            "| {name} | {verdict} | {time:.2} s | {mona} | {seconds} s | {} | {posts} | {} | {refinements} | {} | {predicates} | {} | {calls} | {proved} of {bugs} |",
            figure(" posts"),
            figure(" refinements"),
            figure(" predicates"),
            figure(" queries"),
        );
    }
    i32::from(!all)
}

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
