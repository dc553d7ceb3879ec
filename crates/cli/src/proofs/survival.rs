//! Two processes write one database while one of them is killed again and again:
//! nothing that was reported stored is lost, and nothing is read that was not written.
//!
//! The processes are this test program itself, started with an environment
//! variable that makes [`a_writer`] work instead of returning at once. A writer
//! says on its output what is stored, after the database has said so; the killer kills it at a
//! random moment, often in the middle of a transaction. `SECONDS` in the
//! environment makes it last longer; `cargo xtask kill-writers` asks for a minute.

use super::{Database, FILE, ProofStore, digest};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where a writer writes, and the first of its keys.
const WRITER: &str = "BOLIDE_TEST_WRITER";
/// How long the test lasts.
const SECONDS: &str = "BOLIDE_TEST_SECONDS";

/// What is kept under a key: some of it long, so that a transaction takes a while.
fn content(key: u128) -> String {
    let seal = digest(&key.to_string());
    let size = 10 + (seal[0] as usize) * 40;
    format!("{key}\n{}", "proof ".repeat(size))
}

fn letters(key: u128) -> Vec<u64> {
    (0..20).map(|k| key as u64 * 100 + k).collect()
}

/// Writes until it is killed.
#[test]
fn a_writer() {
    let Ok(task) = std::env::var(WRITER) else { return };
    let (first, folder) = task.split_once(' ').expect("a key and a folder");
    let mut key: u128 = first.parse().expect("a number");
    let mut database = Database::open(Path::new(folder)).expect("the database opens");
    let mut out = std::io::stdout();
    loop {
        let answers: Vec<(u128, String)> = (key..key + 5).map(|k| (k, content(k))).collect();
        database.write_answers(&answers).expect("answers are stored");
        database.write_automata(&letters(key), &content(key)).expect("automata are stored");
        writeln!(out, "stored {key}").expect("somebody listens");
        out.flush().expect("somebody listens");
        key += 5;
    }
}

/// What the writers complained of.
fn complaints(folder: &Path) -> PathBuf {
    folder.join("complaints.txt")
}

fn start(folder: &Path, first: u128) -> Child {
    let complaints = std::fs::File::options()
        .create(true)
        .append(true)
        .open(complaints(folder))
        .expect("complaints can be kept");
    Command::new(std::env::current_exe().expect("this test has a program"))
        .args(["--exact", "proofs::survival::a_writer", "--nocapture"])
        .env(WRITER, format!("{first} {}", folder.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(complaints)
        .spawn()
        .expect("a writer starts")
}

/// Kills a writer after a while; what it reported until then.
fn kill(mut writer: Child, after: Duration) -> Vec<u128> {
    std::thread::sleep(after);
    writer.kill().expect("a writer can be killed");
    let output = writer.stdout.take().expect("its output is read");
    let lines = BufReader::new(output).lines().map_while(Result::ok);
    // The test harness may have begun the same line.
    let reported = lines
        .filter_map(|line| line.split_once("stored ").and_then(|(_, key)| key.parse().ok()))
        .collect();
    writer.wait().expect("a killed writer ends");
    reported
}

/// All of it is there and as it was written.
fn check(folder: &Path, reported: &BTreeSet<u128>) {
    let mut database = Database::open(folder).expect("the database opens after a kill");
    for &first in reported {
        for key in first..first + 5 {
            let found = database.answer(key);
            assert_eq!(found.as_deref(), Some(content(key).as_str()), "answer {key}");
        }
        let best = database.automata(&letters(first));
        assert_eq!(best.first(), Some(&content(first)), "automata {first}");
    }
    assert!(!database.complained, "something was damaged or foreign");
    let verdict: String = Connection::open(folder.join(FILE))
        .and_then(|c| c.query_row("PRAGMA integrity_check", [], |row| row.get(0)))
        .expect("the file can be examined");
    assert_eq!(verdict, "ok");
}

#[test]
fn nothing_stored_is_lost_when_a_writer_is_killed() {
    let seconds = std::env::var(SECONDS).ok().and_then(|s| s.parse().ok()).unwrap_or(3);
    let folder: PathBuf =
        std::env::temp_dir().join(format!("bolide-proofs-killed-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    let (begin, duration) = (Instant::now(), Duration::from_secs(seconds));
    let steady = start(&folder, 1 << 40);
    let mut reported: BTreeSet<u128> = BTreeSet::new();
    let (mut random, mut kills) = (0x9e37_79b9_7f4a_7c15_u64 ^ u64::from(std::process::id()), 0);
    while begin.elapsed() < duration {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Long enough to start on a busy machine, most of the time.
        let after = Duration::from_millis(20 + random % 400);
        let stored = kill(start(&folder, 1_000_000 * (kills + 1)), after);
        kills += 1;
        check(&folder, &stored.iter().copied().collect());
        reported.extend(stored);
    }
    let stored = kill(steady, Duration::ZERO);
    let complained = std::fs::read_to_string(complaints(&folder)).expect("complaints can be read");
    assert_eq!(complained, "", "no writer fails because of another");
    reported.extend(stored);
    check(&folder, &reported);
    println!("{kills} kills, {} transactions reported, none lost", reported.len());
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}
