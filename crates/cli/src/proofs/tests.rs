//! What is kept is found, the same in both kinds of store; damage is seen.

use super::command::{prune, stat};
use super::database::Database;
use super::place::Place;
use super::sqlite::FILE;
use super::test_server::TestServer;
use bolide_engines::trace_abstraction::ProofStore;
use std::path::PathBuf;
use std::time::Duration;

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("bolide-proofs-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn open(place: &Place) -> Database {
    Database::open(place).unwrap()
}

fn what_is_kept_is_found(place: &Place) {
    let mut database = open(place);
    database.keep_answers(&[(7, "goals 1\nproof".into()), (8, "other".into()), (8, "new".into())]);
    database.keep_automata(&[1, 2, 3], "few letters");
    database.keep_automata(&[2, 3, 4, u64::MAX, 4], "more letters");
    database.keep_automata(&[2, 3, 4, u64::MAX], "more letters");
    database.keep_heap_questions("00ff 1 2\n0100 3\n");
    drop(database);
    let mut database = open(place);
    assert_eq!(database.answer(7).as_deref(), Some("goals 1\nproof"));
    assert_eq!(database.answer(8).as_deref(), Some("new"));
    assert_eq!(database.answer(9), None);
    assert_eq!(database.automata(&[4, u64::MAX]), ["more letters"]);
    assert_eq!(database.automata(&[1, 2, 3]), ["few letters", "more letters"]);
    assert!(database.automata(&[99]).is_empty());
    assert_eq!(database.heap_questions(), "00ff 1 2\n0100 3\n");
    drop(database);
    let mut database = open(place);
    let said = stat(&mut database).unwrap();
    let said: Vec<&str> = said.lines().collect();
    assert_eq!(said[0], "sets of automata: 2");
    assert_eq!(said[3], "heap questions: 2");
    assert_eq!(
        said[6], "used in the last 7 days: 6 entries; asked 3 times, known 2 times",
        "{said:#?}"
    );
    assert_eq!(prune(&mut database, Some(1), None).unwrap(), "removed 1 entries\n");
    assert_eq!(database.automata(&[1, 2, 3]), ["more letters"]);
    assert!(!database.complained);
}

/// Entries expire by their last use, and to be read is to be used.
fn unused_entries_expire(place: &Place) {
    let month = Some(Duration::from_secs(30 * 86_400));
    let mut database = open(place);
    database.keep_answers(&[(20, "read".into()), (21, "not read".into())]);
    database.sql.query("UPDATE answer SET used = used - 40", &[]).unwrap();
    assert_eq!(database.answer(20).as_deref(), Some("read"));
    drop(database);
    let mut database = open(place);
    prune(&mut database, None, month).unwrap();
    assert_eq!(database.answer(20).as_deref(), Some("read"));
    assert_eq!(database.answer(21), None);
}

fn damaged_and_foreign_entries_are_skipped(place: &Place) {
    let mut database = open(place);
    database.keep_answers(&[(7, "right".into()), (8, "old".into())]);
    for damage in
        ["SET content = 'wrong' WHERE content = 'right'", "SET version = 99 WHERE content = 'old'"]
    {
        database.sql.query(&format!("UPDATE answer {damage}"), &[]).unwrap();
    }
    assert_eq!(database.answer(7), None);
    assert_eq!(database.answer(8), None);
    assert!(database.complained);
    assert_eq!(prune(&mut database, None, None).unwrap(), "removed 2 entries\n");
}

fn many_make_it_at_once(place: &Place) {
    let start = std::sync::Barrier::new(8);
    std::thread::scope(|scope| {
        for key in 0..8 {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                let mut database = open(place);
                // Half of it is the same for all, in another order for each.
                let mut answers: Vec<(u128, String)> =
                    (100..120).map(|k| (k, "all".into())).collect();
                answers.rotate_left(key as usize);
                answers.push((key, "kept".into()));
                database.write_answers(&answers).unwrap();
            });
        }
    });
    let mut database = open(place);
    assert!((0..8).all(|key| database.answer(key).as_deref() == Some("kept")));
}

#[test]
fn a_folder_keeps_proofs() {
    for (name, check) in CHECKS {
        let folder = folder(name);
        check(&Place::Folder(folder.clone()));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

#[test]
fn a_server_keeps_proofs() {
    let Some(server) = TestServer::start("kept") else { return };
    let place = Place::parse(&server.url()).unwrap();
    for (_, check) in CHECKS {
        check(&place);
        open(&place).sql.query("DROP SCHEMA bolide CASCADE", &[]).unwrap();
    }
}

/// The words of PostgreSQL's own client, each against a server that refuses what is not encrypted.
#[test]
fn a_server_asks_for_tls() {
    let Some((server, port)) = TestServer::encrypted("tls") else { return };
    let inside = Place::parse(&server.url()).unwrap();
    open(&inside).sql.query("ALTER USER postgres PASSWORD 'secret'", &[]).unwrap();
    let connect = |host: &str, options: &str| {
        let url = format!("postgres://postgres:secret@{host}:{port}/postgres?{options}");
        Database::open(&Place::parse(&url).unwrap())
    };
    let right = format!("sslrootcert={}", server.file("server.pem").display());
    let wrong = format!("sslrootcert={}", server.file("stranger.pem").display());
    for (host, options) in [
        ("localhost", ""),
        ("localhost", "sslmode=require"),
        ("127.0.0.1", "sslmode=require&channel_binding=require"),
        ("127.0.0.1", &format!("sslmode=verify-ca&{right}")),
        ("localhost", &format!("{right}&sslmode=verify-full")),
    ] {
        let mut database = connect(host, options).unwrap_or_else(|e| panic!("{options}: {e}"));
        let encrypted = "SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl";
        assert_eq!(database.sql.query(encrypted, &[]).unwrap()[0][0].int(), 1, "{options}");
    }
    for (host, options, why) in [
        ("localhost", "sslmode=disable", "no encryption"),
        ("127.0.0.1", &format!("sslmode=verify-full&{right}"), "not valid for name"),
        ("localhost", &format!("sslmode=require&{wrong}"), "invalid peer certificate"),
        ("localhost", &format!("sslmode=verify-full&{wrong}"), "invalid peer certificate"),
        ("localhost", "sslmode=verify-full&sslrootcert=system", "invalid peer certificate"),
        ("localhost", "sslmode=verify-ca&sslrootcert=/no/such/file", "/no/such/file"),
    ] {
        let error = connect(host, options).err().unwrap_or_else(|| panic!("{options} is refused"));
        assert!(error.contains(why) && !error.contains("secret"), "{options}: {error}");
    }
    let place = Place::parse(&format!("postgres://postgres:secret@127.0.0.1:{port}/postgres"));
    what_is_kept_is_found(&place.unwrap());
    assert!(Place::parse("postgres://a@b/c?sslcert=mine.pem").is_err());
}

type Check = (&'static str, fn(&Place));

const CHECKS: [Check; 4] = [
    ("race", many_make_it_at_once),
    ("kept", what_is_kept_is_found),
    ("expired", unused_entries_expire),
    ("damaged", damaged_and_foreign_entries_are_skipped),
];

#[test]
fn a_text_file_is_no_database() {
    let folder = folder("text");
    std::fs::create_dir_all(&folder).unwrap();
    let text = "this is no database, but it is long enough to look like a file";
    std::fs::write(folder.join(FILE), text).unwrap();
    let error = Database::open(&Place::Folder(folder.clone())).err().expect("it is refused");
    assert!(error.contains("no database of proofs"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn files_of_earlier_versions_are_taken_over() {
    let folder = folder("earlier");
    std::fs::create_dir_all(&folder).unwrap();
    let old = rusqlite::Connection::open(folder.join(FILE)).unwrap();
    let entry = "version INTEGER NOT NULL, checksum BLOB NOT NULL";
    old.execute_batch(&format!(
        "CREATE TABLE answer (key BLOB PRIMARY KEY, {entry}, content TEXT NOT NULL) WITHOUT ROWID;
         CREATE TABLE automata (id INTEGER PRIMARY KEY, {entry} UNIQUE, letters INTEGER NOT NULL, \
         content TEXT NOT NULL);"
    ))
    .unwrap();
    drop(old);
    what_is_kept_is_found(&Place::Folder(folder.clone()));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_password_is_not_shown() {
    let place = Place::parse("postgres://me:secret@db.example/proofs").unwrap();
    assert_eq!(
        format!("{place} {place:?}"),
        "postgres://db.example/proofs postgres://db.example/proofs"
    );
    let error = Place::parse("mysql://db.example/proofs").unwrap_err();
    assert!(error.contains("no kind of store"), "{error}");
}
