//! The database of proofs: `--proofs DIR` and `bolide proofs`.
//!
//! One SQLite file in a folder. Write-ahead logging lets several processes read while
//! one writes, and a transaction that a killed process began is as if it had never been;
//! writers wait for each other. Everything in it is text that the engine `trace` checks before
//! use; here it only gets a version and a checksum, so that a damaged entry or one of another
//! version is reported and skipped. A database that cannot be opened or used
//! at all is reported too, and verification goes on without it.
//!
//! | table | key | content |
//! |---|---|---|
//! | `answer` | normal form of a question | what holds, and the recorded proof |
//! | `automata` | number | the automata of one verified program, as text |
//! | `letter` | letter modulo renaming | the entries of `automata` in whose program it occurs |

use crate::exit::{Exit, Stop};
use crate::flags::{ProofsCommand, ProofsFlags};
use bolide_engines::trace_abstraction::{ProofStore, SharedStore};
use rusqlite::types::FromSql;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, TransactionBehavior, params};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Entries of other versions are not read.
const VERSION: i64 = 1;
/// The file in the folder.
const FILE: &str = "proofs.sqlite";
/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(20);
/// So many programs are candidates for reuse at once.
const CANDIDATES: usize = 4;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS answer (
    key BLOB PRIMARY KEY, version INTEGER NOT NULL, checksum BLOB NOT NULL, content TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS automata (
    id INTEGER PRIMARY KEY, version INTEGER NOT NULL, checksum BLOB NOT NULL UNIQUE,
    letters INTEGER NOT NULL, content TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS letter (
    hash INTEGER NOT NULL, automata INTEGER NOT NULL, PRIMARY KEY (hash, automata)
) WITHOUT ROWID;
";

/// Entries by their keys.
const ANSWER: &str = "SELECT version, checksum, content FROM answer WHERE key = ?1";
const AUTOMATA: &str = "SELECT version, checksum, content FROM automata WHERE id = ?1";

/// An open database.
pub struct Database {
    connection: Connection,
    file: PathBuf,
    /// What was wrong with it is said once.
    complained: bool,
}

impl Database {
    /// Opens the database of a folder, which is made if it is not there.
    pub fn open(folder: &Path) -> Result<Database, String> {
        std::fs::create_dir_all(folder)
            .map_err(|e| format!("cannot make the folder `{}`: {e}", folder.display()))?;
        let file = folder.join(FILE);
        let connection = Database::prepare(&file).map_err(|e| {
            format!(
                "`{}` is no database of proofs: {e}; move it away or use another folder",
                file.display()
            )
        })?;
        Ok(Database { connection, file, complained: false })
    }

    /// Two processes that make the same database at once are told so at once, whatever
    /// patience was asked for: the change to write-ahead logging takes a lock in a way
    /// for which SQLite does not wait. So it is tried again here.
    fn prepare(file: &Path) -> rusqlite::Result<Connection> {
        let begin = Instant::now();
        loop {
            match Database::try_prepare(file) {
                Err(e) if is_busy(&e) && begin.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(10));
                }
                result => return result,
            }
        }
    }

    fn try_prepare(file: &Path) -> rusqlite::Result<Connection> {
        let connection = Connection::open(file)?;
        connection.busy_timeout(PATIENCE)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        // A commit is on disk before it is reported.
        connection.pragma_update(None, "synchronous", "full")?;
        connection.execute_batch(SCHEMA)?;
        Ok(connection)
    }

    fn complain(&mut self, what: &str) {
        if !self.complained {
            self.complained = true;
            eprintln!("bolide: `{}`: {what}; skipped", self.file.display());
        }
    }

    /// Unpacks a result; what went wrong is said and nothing is used.
    fn or_complain<T>(&mut self, result: rusqlite::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.complain(&error.to_string());
                None
            }
        }
    }

    /// An entry whose version and checksum are right.
    fn sound(&mut self, version: i64, checksum: &[u8], content: String) -> Option<String> {
        if version != VERSION {
            self.complain(&format!("an entry of version {version}, not {VERSION}"));
            return None;
        }
        if checksum != digest(&content) {
            self.complain("a damaged entry");
            return None;
        }
        Some(content)
    }

    fn write_answers(&mut self, answers: &[(u128, String)]) -> rusqlite::Result<()> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut insert =
                transaction.prepare("INSERT OR REPLACE INTO answer VALUES (?1, ?2, ?3, ?4)")?;
            for (key, content) in answers {
                let key = key.to_be_bytes();
                insert.execute(params![key.as_slice(), VERSION, digest(content), content])?;
            }
        }
        transaction.commit()
    }

    fn write_automata(&mut self, letters: &[u64], text: &str) -> rusqlite::Result<()> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let new = transaction.execute(
            "INSERT OR IGNORE INTO automata (version, checksum, letters, content)
             VALUES (?1, ?2, ?3, ?4)",
            params![VERSION, digest(text), letters.len() as i64, text],
        )?;
        if new > 0 {
            let id = transaction.last_insert_rowid();
            let mut insert = transaction.prepare("INSERT OR IGNORE INTO letter VALUES (?1, ?2)")?;
            for &letter in letters {
                insert.execute(params![letter as i64, id])?;
            }
        }
        transaction.commit()
    }

    /// Entries that share most letters, best first; the newer of two first.
    fn best(&self, letters: &[u64]) -> rusqlite::Result<Vec<i64>> {
        let mut shared: std::collections::BTreeMap<i64, i64> = std::collections::BTreeMap::new();
        let mut find = self.connection.prepare("SELECT automata FROM letter WHERE hash = ?1")?;
        for &letter in letters {
            for id in find.query_map(params![letter as i64], |row| row.get::<_, i64>(0))? {
                *shared.entry(id?).or_default() += 1;
            }
        }
        let mut ranked: Vec<(i64, i64)> = shared.into_iter().map(|(id, n)| (-n, -id)).collect();
        ranked.sort_unstable();
        Ok(ranked.into_iter().take(CANDIDATES).map(|(_, id)| -id).collect())
    }

    /// The entry that a query finds, if it can be used.
    fn entry(&mut self, sql: &str, key: impl ToSql) -> Option<String> {
        let find = |connection: &Connection| {
            let mut query = connection.prepare_cached(sql)?;
            let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            query.query_row(params![key], read).optional()
        };
        let found = find(&self.connection);
        let (version, checksum, content): (_, Vec<u8>, _) = self.or_complain(found)??;
        self.sound(version, &checksum, content)
    }
}

/// Somebody else works with the database.
fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

fn digest(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

impl ProofStore for Database {
    fn answer(&mut self, key: u128) -> Option<String> {
        self.entry(ANSWER, key.to_be_bytes().as_slice())
    }

    fn keep_answers(&mut self, answers: &[(u128, String)]) {
        let result = self.write_answers(answers);
        self.or_complain(result);
    }

    fn automata(&mut self, letters: &[u64]) -> Vec<String> {
        let best = self.best(letters);
        let ids = self.or_complain(best).unwrap_or_default();
        ids.into_iter().filter_map(|id| self.entry(AUTOMATA, id)).collect()
    }

    fn keep_automata(&mut self, letters: &[u64], text: &str) {
        let result = self.write_automata(letters, text);
        self.or_complain(result);
    }
}

/// The database for a verification; a complaint and none where it cannot be used.
pub fn store(folder: Option<&Path>) -> Option<SharedStore> {
    match Database::open(folder?) {
        Ok(database) => Some(SharedStore::new(database)),
        Err(message) => {
            eprintln!("bolide: {message}");
            None
        }
    }
}

/// `bolide proofs`: what is in a database.
pub fn proofs(flags: &ProofsFlags) -> Result<Exit, Stop> {
    if !flags.folder.join(FILE).exists() {
        let folder = flags.folder.display();
        return Err(format!("there is no database of proofs in `{folder}`").into());
    }
    let mut database = Database::open(&flags.folder)?;
    let text = match &flags.command {
        ProofsCommand::List => database.list(),
        ProofsCommand::Show { id } => database.show(*id),
        ProofsCommand::Prune { keep } => database.prune(*keep),
        ProofsCommand::Stat => database.stat(),
    };
    print!("{}", text.map_err(|e| format!("`{}`: {e}", database.file.display()))?);
    Ok(Exit::True)
}

impl Database {
    /// One line for each entry of automata.
    fn list(&mut self) -> rusqlite::Result<String> {
        let mut out = String::from("id\tversion\tletters\tautomata\tpredicates\tstate\n");
        let mut query = self
            .connection
            .prepare("SELECT id, version, letters, checksum, content FROM automata ORDER BY id")?;
        let mut rows = query.query([])?;
        while let Some(row) = rows.next()? {
            let (id, version, letters): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let (checksum, content): (Vec<u8>, String) = (row.get(3)?, row.get(4)?);
            let sizes: Vec<usize> = content
                .lines()
                .find_map(|l| l.strip_prefix("automata "))
                .map(|l| l.split_whitespace().filter_map(|w| w.parse().ok()).collect())
                .unwrap_or_default();
            let state = match (version == VERSION, checksum == digest(&content)) {
                (false, _) => "other version",
                (true, false) => "damaged",
                (true, true) => "ok",
            };
            let predicates: usize = sizes.iter().sum();
            out += &format!("{id}\t{version}\t{letters}\t{}\t{predicates}\t{state}\n", sizes.len());
        }
        Ok(out)
    }

    fn show(&mut self, id: i64) -> rusqlite::Result<String> {
        let exists = "SELECT EXISTS (SELECT 1 FROM automata WHERE id = ?1)";
        Ok(match self.connection.query_row(exists, params![id], |row| row.get(0))? {
            false => format!("no entry {id}\n"),
            true => self.entry(AUTOMATA, id).unwrap_or_default(),
        })
    }

    /// Removes unusable entries, all but the newest `keep` sets of automata,
    /// and gives the space back.
    fn prune(&mut self, keep: Option<u64>) -> rusqlite::Result<String> {
        let automata: Vec<i64> = self.unusable("automata", "id")?;
        let answers: Vec<Vec<u8>> = self.unusable("answer", "key")?;
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for id in &automata {
            transaction.execute("DELETE FROM automata WHERE id = ?1", params![id])?;
        }
        for key in &answers {
            transaction.execute("DELETE FROM answer WHERE key = ?1", params![key])?;
        }
        let mut removed = automata.len() + answers.len();
        if let Some(keep) = keep {
            removed += transaction.execute(
                "DELETE FROM automata WHERE id NOT IN
                 (SELECT id FROM automata ORDER BY id DESC LIMIT ?1)",
                params![keep as i64],
            )?;
            if keep == 0 {
                removed += transaction.execute("DELETE FROM answer", [])?;
            }
        }
        transaction
            .execute("DELETE FROM letter WHERE automata NOT IN (SELECT id FROM automata)", [])?;
        transaction.commit()?;
        self.connection.execute_batch("VACUUM")?;
        Ok(format!("removed {removed} entries\n"))
    }

    /// The keys of entries that are damaged or of another version.
    fn unusable<T: FromSql>(&self, table: &str, key: &str) -> rusqlite::Result<Vec<T>> {
        let sql = format!("SELECT {key}, version, checksum, content FROM {table}");
        let mut query = self.connection.prepare(&sql)?;
        let mut rows = query.query([])?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let (version, checksum): (i64, Vec<u8>) = (row.get(1)?, row.get(2)?);
            if version != VERSION || checksum != digest(&row.get::<_, String>(3)?) {
                found.push(row.get(0)?);
            }
        }
        Ok(found)
    }

    fn stat(&mut self) -> rusqlite::Result<String> {
        let count = |sql: &str| self.connection.query_row(sql, [], |row| row.get::<_, i64>(0));
        let automata = count("SELECT count(*) FROM automata")?;
        let letters = count("SELECT count(DISTINCT hash) FROM letter")?;
        let answers = count("SELECT count(*) FROM answer")?;
        let text = count(
            "SELECT coalesce((SELECT sum(length(content)) FROM answer), 0)
             + coalesce((SELECT sum(length(content)) FROM automata), 0)",
        )?;
        let bytes = std::fs::metadata(&self.file).map_or(0, |m| m.len());
        Ok(format!(
            "sets of automata: {automata}\nletters: {letters}\nanswers with proofs: {answers}\n\
             text: {text} bytes\nfile: {bytes} bytes\n"
        ))
    }
}

#[cfg(test)]
mod survival;

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder =
            std::env::temp_dir().join(format!("bolide-proofs-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        folder
    }

    #[test]
    fn what_is_kept_is_found_after_reopening() {
        let folder = folder("kept");
        let mut database = Database::open(&folder).unwrap();
        database.keep_answers(&[(7, "goals 1\nproof".into()), (8, "other".into())]);
        database.keep_automata(&[1, 2, 3], "few letters");
        database.keep_automata(&[2, 3, 4, u64::MAX], "more letters");
        drop(database);
        let mut database = Database::open(&folder).unwrap();
        assert_eq!(database.answer(7).as_deref(), Some("goals 1\nproof"));
        assert_eq!(database.answer(9), None);
        assert_eq!(database.automata(&[4, u64::MAX]), ["more letters"]);
        assert_eq!(database.automata(&[1, 2, 3]), ["few letters", "more letters"]);
        assert!(database.automata(&[99]).is_empty());
        assert_eq!(database.stat().unwrap().lines().next(), Some("sets of automata: 2"));
        assert_eq!(database.prune(Some(1)).unwrap(), "removed 1 entries\n");
        assert_eq!(database.automata(&[1, 2, 3]), ["more letters"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_database_can_be_made_by_many_at_once() {
        for round in 0..8 {
            let folder = folder(&format!("race{round}"));
            let start = std::sync::Barrier::new(8);
            std::thread::scope(|scope| {
                for key in 0..8 {
                    let (start, folder) = (&start, &folder);
                    scope.spawn(move || {
                        start.wait();
                        let mut database = Database::open(folder).unwrap();
                        database.write_answers(&[(key, "kept".into())]).unwrap();
                    });
                }
            });
            let mut database = Database::open(&folder).unwrap();
            assert!((0..8).all(|key| database.answer(key).as_deref() == Some("kept")));
            std::fs::remove_dir_all(&folder).unwrap();
        }
    }

    #[test]
    fn damaged_and_foreign_entries_are_skipped() {
        let folder = folder("damaged");
        let mut database = Database::open(&folder).unwrap();
        database.keep_answers(&[(7, "right".into()), (8, "old".into())]);
        let file = folder.join(FILE);
        let other = Connection::open(&file).unwrap();
        other.execute("UPDATE answer SET content = 'wrong' WHERE content = 'right'", []).unwrap();
        other.execute("UPDATE answer SET version = 99 WHERE content = 'old'", []).unwrap();
        drop(other);
        assert_eq!(database.answer(7), None);
        assert_eq!(database.answer(8), None);
        assert_eq!(database.prune(None).unwrap(), "removed 2 entries\n");
        drop(database);
        std::fs::write(&file, "this is no database, but it is long enough to look like a file")
            .unwrap();
        let _ = std::fs::remove_file(folder.join(format!("{FILE}-wal")));
        let _ = std::fs::remove_file(folder.join(format!("{FILE}-shm")));
        let error = Database::open(&folder).err().expect("a text file is no database");
        assert!(error.contains("no database of proofs"), "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
