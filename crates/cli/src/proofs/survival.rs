//! Many processes write one store while one of them is killed again and again:
//! nothing that was reported stored is lost, and nothing is read that was not written.
//!
//! The processes are this test program itself, started with an environment
//! variable that makes [`a_writer`] work instead of returning at once. A writer
//! says in a file what is stored, after the store has said so; the killer kills it at a
//! random moment, often in the middle of a transaction. `SECONDS` and `WRITERS` in the
//! environment make it larger; `cargo xtask kill-writers` asks for a minute and for sixteen.

use super::database::{Database, digest};
use super::place::Place;
use super::sqlite::FILE;
use super::test_server::TestServer;
use bolide_engines::trace_abstraction::ProofStore;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where a writer writes, the first of its keys, and where it reports.
const WRITER: &str = "BOLIDE_TEST_WRITER";
/// How long the test lasts.
const SECONDS: &str = "BOLIDE_TEST_SECONDS";
/// How many write at once.
const WRITERS: &str = "BOLIDE_TEST_WRITERS";

/// What is kept under a key: some of it long, so that a transaction takes a while.
fn content(key: u128) -> String {
    let seal = digest(&key.to_string());
    let size = 10 + (seal[0] as usize) * 40;
    format!("{key}\n{}", "proof ".repeat(size))
}

fn letters(key: u128) -> Vec<u64> {
    (0..20).map(|k| key as u64 * 100 + k).collect()
}

/// A writer that nobody kills ends by itself.
const LONGEST: Duration = Duration::from_secs(600);

/// Writes until it is killed.
#[test]
fn a_writer() {
    let Ok(task) = std::env::var(WRITER) else { return };
    let [first, report, place] = task.splitn(3, ' ').collect::<Vec<_>>()[..] else { return };
    let mut key: u128 = first.parse().expect("a number");
    let place = Place::parse(place).expect("a place");
    let mut database = Database::open(&place).expect("the store opens");
    let mut report = File::options().append(true).open(report).expect("a report can be written");
    let begin = Instant::now();
    while begin.elapsed() < LONGEST {
        let answers: Vec<(u128, String)> = (key..key + 5).map(|k| (k, content(k))).collect();
        database.write_answers(&answers).expect("answers are stored");
        database.write_automata(&letters(key), &content(key)).expect("automata are stored");
        writeln!(report, "{key}").expect("somebody reads");
        key += 5;
    }
}

/// A process that writes, and where it reports.
struct Writer {
    child: Child,
    report: PathBuf,
}

/// Starts a writer; what it complains of is collected in one file of the folder.
fn start(folder: &Path, place: &Place, first: u128) -> Writer {
    let report = folder.join(format!("{first}.txt"));
    File::create(&report).expect("a report can be made");
    let complaints = File::options().create(true).append(true).open(folder.join("complaints"));
    let place = place.argument().into_string().expect("the place is text");
    let child = Command::new(std::env::current_exe().expect("this test has a program"))
        .args(["--exact", "proofs::survival::a_writer", "--nocapture"])
        .env(WRITER, format!("{first} {} {place}", report.display()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(complaints.expect("complaints can be kept"))
        .spawn()
        .expect("a writer starts");
    Writer { child, report }
}

/// Kills a writer after a while; what it reported until then.
fn kill(mut writer: Writer, after: Duration) -> BTreeSet<u128> {
    std::thread::sleep(after);
    writer.child.kill().expect("a writer can be killed");
    writer.child.wait().expect("a killed writer ends");
    let report = std::fs::read_to_string(&writer.report).expect("the report can be read");
    // What it had not finished to say, it has not said.
    let lines = report.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
    lines.map(|key| key.parse().expect("a number")).collect()
}

/// All of it is there and as it was written.
fn check(place: &Place, reported: &BTreeSet<u128>) {
    let mut database = Database::open(place).expect("the store opens after a kill");
    for &first in reported {
        for key in first..first + 5 {
            let found = database.answer(key);
            assert_eq!(found.as_deref(), Some(content(key).as_str()), "answer {key}");
        }
        let best = database.automata(&letters(first));
        assert_eq!(best.first(), Some(&content(first)), "automata {first}");
    }
    assert!(!database.complained, "something was damaged or foreign");
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(otherwise)
}

fn nothing_stored_is_lost(folder: &Path, place: &Place) {
    let (begin, duration) = (Instant::now(), Duration::from_secs(number(SECONDS, 3)));
    let steady: Vec<Writer> =
        (1..number(WRITERS, 3)).map(|k| start(folder, place, u128::from(k) << 40)).collect();
    let mut reported: BTreeSet<u128> = BTreeSet::new();
    let (mut random, mut kills) = (0x9e37_79b9_7f4a_7c15_u64 ^ u64::from(std::process::id()), 0);
    while begin.elapsed() < duration {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        // Long enough to start on a busy machine, most of the time.
        let after = Duration::from_millis(20 + random % 400);
        let stored = kill(start(folder, place, 1_000_000 * (kills + 1)), after);
        kills += 1;
        check(place, &stored);
        reported.extend(stored);
    }
    for writer in steady {
        reported.extend(kill(writer, Duration::ZERO));
    }
    let complained = std::fs::read_to_string(folder.join("complaints")).expect("it can be read");
    assert_eq!(complained, "", "no writer fails because of another");
    check(place, &reported);
    println!("{kills} kills, {} transactions reported, none lost", reported.len());
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bolide-killed-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

#[test]
fn nothing_in_a_folder_is_lost_when_a_writer_is_killed() {
    let folder = folder("sqlite");
    nothing_stored_is_lost(&folder, &Place::Folder(folder.clone()));
    let verdict: String = rusqlite::Connection::open(folder.join(FILE))
        .and_then(|c| c.query_row("PRAGMA integrity_check", [], |row| row.get(0)))
        .expect("the file can be examined");
    assert_eq!(verdict, "ok");
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

#[test]
fn nothing_on_a_server_is_lost_when_a_writer_is_killed() {
    let Some(server) = TestServer::start("killed") else { return };
    let folder = folder("server");
    nothing_stored_is_lost(&folder, &Place::Server(server.url()));
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}
