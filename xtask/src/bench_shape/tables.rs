//! Tables 6.2 to 6.5 of the thesis, its figures in parentheses behind ours.
//!
//! What the columns are here. An abstract reachability tree has locations for nodes; ours has Boolean heaps at cut points, so `size` counts
//! heaps, and `depth` the paths on which the last of them was first reached. Predicates are those that are tracked: most
//! are guessed from the contract before the first post, none is dropped. A call of the validity checker is a question that
//! the search asks, and what is not answered from a cache is asked of the heap logic: `DP`. The enumeration of all objects after a
//! path is one question. Shares are of the time without the audit, which the thesis does not have.
//!
//! Tables 6.2, 6.3 and 6.5 are measured with the full post, which is the default, the table of the Cartesian post and Table 6.4 with
//! `--abstraction cartesian`, which is the thesis' own. TVLA's columns are as printed in the thesis.

use super::measure::{Bench, Row, entry, program};
use crate::experiment::Said;

/// Posts, refinement steps, size and depth of the tree, states at a location, predicates: in all, on average and at most.
const TABLE_6_2: [(&str, [&str; 8]); 18] = [
    ("List.traverse", ["3", "0", "4", "4", "1.00", "4", "2.8", "3"]),
    ("List.create", ["11", "6", "6", "6", "1.67", "11", "6.7", "9"]),
    ("List.getLast", ["7", "1", "6", "6", "2.00", "7", "6.0", "7"]),
    ("List.contains", ["5", "1", "5", "5", "2.00", "6", "5.2", "6"]),
    ("List.insertBefore", ["8", "2", "5", "5", "13.50", "10", "7.4", "8"]),
    ("List.append", ["5", "1", "4", "4", "1.50", "13", "8.2", "11"]),
    ("List.filter", ["31", "5", "14", "5", "2.50", "12", "7.1", "10"]),
    ("List.partition", ["62", "21", "40", "7", "3.50", "15", "10.8", "12"]),
    ("List.reverse", ["9", "3", "5", "5", "2.00", "11", "7.0", "9"]),
    ("DLL.addLast", ["7", "3", "5", "5", "1.50", "8", "7.2", "8"]),
    ("SortedList.add", ["21", "3", "13", "5", "1.33", "9", "6.2", "9"]),
    ("SkipList.add", ["19", "4", "16", "6", "3.67", "12", "9.6", "11"]),
    ("Tree.add", ["11", "0", "12", "5", "3.00", "11", "10.5", "11"]),
    ("ParentTree.add", ["11", "0", "12", "5", "3.00", "11", "10.5", "11"]),
    ("ThreadedTree.add", ["151", "4", "82", "6", "4.33", "17", "7.8", "17"]),
    ("Client.move", ["8", "0", "9", "9", "1.00", "16", "8.4", "11"]),
    ("Client.createMove", ["46", "6", "21", "18", "1.00", "33", "10.1", "14"]),
    ("Client.partition", ["118", "18", "24", "19", "1.00", "32", "11.9", "15"]),
];

/// Calls, those of a decision procedure, hits of the cache; shares of time: in all, abstraction, refinement; seconds of a call: on
/// average and at most.
const TABLE_6_3: [(&str, [&str; 8]); 18] = [
    ("List.traverse", ["41", "20", "51%", "93%", "93%", "0%", "0.005", "0.012"]),
    ("List.create", ["189", "68", "64%", "95%", "57%", "38%", "0.011", "0.016"]),
    ("List.getLast", ["158", "56", "65%", "98%", "55%", "43%", "0.009", "0.028"]),
    ("List.contains", ["114", "52", "54%", "95%", "55%", "40%", "0.010", "0.028"]),
    ("List.insertBefore", ["246", "143", "42%", "97%", "81%", "17%", "0.017", "0.052"]),
    ("List.append", ["311", "254", "18%", "99%", "97%", "2%", "0.035", "0.080"]),
    ("List.filter", ["820", "273", "67%", "97%", "87%", "10%", "0.019", "0.060"]),
    ("List.partition", ["7650", "3027", "60%", "99%", "96%", "4%", "0.049", "0.088"]),
    ("List.reverse", ["615", "312", "49%", "99%", "89%", "10%", "0.017", "0.048"]),
    ("DLL.addLast", ["161", "89", "45%", "98%", "63%", "35%", "0.023", "0.040"]),
    ("SortedList.add", ["470", "190", "60%", "98%", "66%", "32%", "0.051", "0.120"]),
    ("SkipList.add", ["679", "241", "65%", "98%", "44%", "54%", "0.044", "0.076"]),
    ("Tree.add", ["390", "124", "68%", "100%", "68%", "32%", "0.149", "0.624"]),
    ("ParentTree.add", ["428", "141", "67%", "99%", "63%", "36%", "0.144", "0.596"]),
    ("ThreadedTree.add", ["2882", "619", "79%", "100%", "92%", "8%", "0.720", "3.816"]),
    ("Client.move", ["111", "82", "26%", "97%", "85%", "12%", "0.037", "0.136"]),
    ("Client.createMove", ["662", "393", "41%", "96%", "33%", "63%", "0.101", "5.428"]),
    ("Client.partition", ["2138", "896", "58%", "95%", "27%", "68%", "0.115", "5.540"]),
];

/// Whose Cartesian post had to be refined (column CR of Table 6.1).
const CARTESIAN_REFINEMENT: [&str; 8] = [
    "List.create",
    "List.insertBefore",
    "List.filter",
    "List.partition",
    "List.reverse",
    "DLL.addLast",
    "SkipList.add",
    "Client.createMove",
];

/// Seconds and calls with their hits: with context and optimisations, with context alone, without context.
const TABLE_6_4: [(&str, [&str; 3]); 6] = [
    ("List.reverse", ["5.52 s, 615, 49%", "43.93 s, 1555, 20%", "11.26 s, 2396, 68%"]),
    ("List.filter", ["5.31 s, 820, 67%", "14.38 s, 1222, 37%", "timeout"]),
    ("List.insertBefore", ["2.48 s, 246, 42%", "5.64 s, 336, 23%", "timeout"]),
    ("List.append", ["8.95 s, 311, 18%", "83.61 s, 1374, 9%", "11.75 s, 954, 29%"]),
    ("SkipList.add", ["10.82 s, 679, 65%", "128.8 s, 3049, 27%", "timeout"]),
    ("Tree.add", ["18.51 s, 390, 68%", "391.3 s, 1611, 28%", "15.86 s, 465, 74%"]),
];

/// Seconds: Bohne, Bohne without its validity checker, TVLA; states: Bohne, TVLA; predicates: Bohne, TVLA.
const TABLE_6_5: [(&str, [&str; 7]); 8] = [
    ("List.traverse", ["0.11", "0.008", "0.179", "1.0", "8", "4", "12"]),
    ("List.create", ["0.78", "0.036", "0.133", "1.7", "6", "11", "12"]),
    ("List.getLast", ["0.53", "0.012", "0.214", "2.0", "10", "7", "14"]),
    ("List.insertBefore", ["2.48", "0.068", "0.503", "13.5", "15", "10", "18"]),
    ("List.append", ["8.95", "0.048", "0.462", "1.5", "23", "13", "18"]),
    ("List.filter", ["5.31", "0.140", "0.600", "2.5", "19", "12", "18"]),
    ("List.partition", ["149.16", "1.238", "1.508", "3.5", "72", "15", "18"]),
    ("List.reverse", ["5.52", "0.080", "0.331", "2.0", "12", "11", "14"]),
];

const CARTESIAN: [&str; 2] = ["--abstraction", "cartesian"];

/// Prints the tables; whether everything was proved that the thesis proves.
pub fn print(bench: &Bench, rows: &[Row]) -> Result<bool, String> {
    let mut runs = Vec::new();
    for &(file, name, ..) in rows {
        let (text, path) = program(file)?;
        let full = bench.median(&path, entry(&text), &[])?;
        let cartesian = bench.median(&path, entry(&text), &CARTESIAN)?;
        runs.push((file, name, full, cartesian));
    }
    table_6_2(&runs);
    table_6_3(&runs);
    cartesian(&runs);
    table_6_4(bench, &runs)?;
    table_6_5(&runs);
    let proved = |run: &Said| run.verdict() == "true";
    Ok(runs.iter().all(|(_, _, full, cartesian)| proved(full) && proved(cartesian)))
}

/// File, name, and the runs with the full and with the Cartesian post.
type Runs = [(&'static str, &'static str, Said, Said)];

fn head(title: &str, columns: &[&str]) {
    println!("\n**{title}**\n\n| program | {} |", columns.join(" | "));
    println!("{}|", "|---".repeat(columns.len() + 1));
}

fn line<const N: usize>(name: &str, ours: [String; N], thesis: &[&str; N]) {
    let cells = ours.iter().zip(thesis).map(|(ours, thesis)| format!("{ours} ({thesis})"));
    println!("| {name} | {} |", cells.collect::<Vec<_>>().join(" | "));
}

/// The rows of a table of which there are runs.
fn with_runs<'r, T>(
    table: &'r [(&str, T)],
    runs: &'r Runs,
) -> impl Iterator<Item = (&'static str, &'static str, &'r Said, &'r Said, &'r T)> {
    runs.iter().filter_map(|(file, name, full, cartesian)| {
        let (_, figures) = table.iter().find(|(n, _)| n == name)?;
        Some((*file, *name, full, cartesian, figures))
    })
}

fn per_location(run: &Said, what: &str) -> f64 {
    run.figure(what) as f64 / run.figure(" cut points").max(1) as f64
}

fn table_6_2(runs: &Runs) {
    let columns = [
        "posts",
        "refinements",
        "size",
        "depth",
        "states at a location",
        "predicates",
        "on average",
        "at most",
    ];
    head("Table 6.2: the analysis", &columns);
    for (_, name, run, _, thesis) in with_runs(&TABLE_6_2, runs) {
        let count = |what| run.figure(what).to_string();
        let ours = [
            count(" posts"),
            count(" refinements"),
            count(" heaps"),
            count(" deep"),
            format!("{:.2}", per_location(run, " heaps")),
            count(" predicates"),
            format!("{:.1}", per_location(run, " tracked")),
            count(" at one place"),
        ];
        line(name, ours, thesis);
    }
}

/// Calls, and the percentage of them that the cache answers.
fn calls(run: &Said) -> (u64, u64) {
    let (asked, hits) = (run.figure(" queries"), run.figure(" cache hits"));
    (asked + hits, 100 * hits / (asked + hits).max(1))
}

fn table_6_3(runs: &Runs) {
    let columns =
        ["calls", "DP", "cache", "in the logic", "abstraction", "refinement", "a call", "longest"];
    head("Table 6.3: the heap logic; calls in seconds", &columns);
    for (_, name, run, _, thesis) in with_runs(&TABLE_6_3, runs) {
        let [exploring, refining, auditing, longest, all] =
            [" exploring", " refining", " auditing", " longest", " in all"]
                .map(|what| run.milliseconds(what));
        let share = |part: f64| format!("{:.0}%", 100.0 * part / (all - auditing).max(0.001));
        let asked = run.figure(" queries");
        let (total, hits) = calls(run);
        let ours = [
            total.to_string(),
            asked.to_string(),
            format!("{hits}%"),
            share(exploring + refining),
            share(exploring),
            share(refining),
            format!("{:.4}", (exploring + refining) / 1e3 / asked.max(1) as f64),
            format!("{:.3}", longest / 1e3),
        ];
        line(name, ours, thesis);
    }
}

fn cartesian(runs: &Runs) {
    let columns = ["verdict", "time", "posts", "refinements", "posts refined (CR)"];
    head("Table 6.1 with the Cartesian post", &columns);
    for (_, name, _, run) in runs {
        let thesis = if CARTESIAN_REFINEMENT.contains(name) { "yes" } else { "no" };
        println!(
            "| {name} | {} | {:.2} s | {} | {} | {} ({thesis}) |",
            run.verdict(),
            run.seconds,
            run.figure(" posts"),
            run.figure(" refinements"),
            run.figure(" refined posts"),
        );
    }
}

fn table_6_4(bench: &Bench, runs: &Runs) -> Result<(), String> {
    let columns = ["context, optimised", "context alone", "no context"];
    head("Table 6.4: seconds, calls, hits of the cache; with the Cartesian post", &columns);
    let shown = |run: &Said| {
        let (total, hits) = calls(run);
        let verdict = if run.verdict() == "true" { "" } else { "unknown: " };
        format!("{verdict}{:.2} s, {total}, {hits}%", run.seconds)
    };
    for (file, name, _, cached, thesis) in with_runs(&TABLE_6_4, runs) {
        let (text, path) = program(file)?;
        let with = |context: &'static str| {
            let more = [CARTESIAN[0], CARTESIAN[1], "--context", context];
            Ok::<_, String>(shown(&bench.median(&path, entry(&text), &more)?))
        };
        line(name, [shown(cached), with("plain")?, with("none")?], thesis);
    }
    Ok(())
}

fn table_6_5(runs: &Runs) {
    let columns = [
        "time",
        "without the logic",
        "Bohne",
        "without VC",
        "TVLA",
        "states",
        "Bohne",
        "TVLA",
        "predicates",
        "Bohne",
        "TVLA",
    ];
    head("Table 6.5: beside TVLA; seconds", &columns);
    for (_, name, run, _, thesis) in with_runs(&TABLE_6_5, runs) {
        let parts = [" exploring", " refining", " auditing"].map(|what| run.milliseconds(what));
        let logic = parts.iter().sum::<f64>() / run.milliseconds(" in all").max(0.001);
        let [bohne, without, tvla, states, tvla_states, predicates, tvla_predicates] = thesis;
        println!(
            "| {name} | {:.2} | {:.3} | {bohne} | {without} | {tvla} | {:.2} | {states} | {tvla_states} | {} | {predicates} | {tvla_predicates} |",
            run.seconds,
            run.seconds * (1.0 - logic).max(0.0),
            per_location(run, " heaps"),
            run.figure(" predicates"),
        );
    }
}
