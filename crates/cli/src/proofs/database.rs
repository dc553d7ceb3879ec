//! What is kept, in the words of [`super::sql`]: the same for both kinds of store.
//!
//! A transaction is one program's worth of answers or automata. Rows are written in the order of their keys, so
//! that writers who meet wait for each other in one direction. That an entry was used is
//! noted once a day and written when the store is closed, all at once: reading costs no writing.

use super::place::Place;
use super::sql::{Cell, Rows, Sql, Trouble};
use super::{postgresql, sqlite};
use bolide_engines::trace_abstraction::ProofStore;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Entries of other versions are not read.
pub const VERSION: i64 = 1;
/// So many programs are candidates for reuse at once.
const CANDIDATES: usize = 4;
/// So many rows are one statement.
const BATCH: usize = 500;
/// How often a transaction is tried when others are in the way.
const ATTEMPTS: u32 = 8;
/// More questions of the engine `shape` are not read.
const HEAP_QUESTIONS: i64 = 200_000;

/// What makes an entry usable, and the entry.
const ENTRY: &str = "version, checksum, used, content";

/// An open store.
pub struct Database {
    pub sql: Box<dyn Sql>,
    place: String,
    /// What was wrong with it is said once.
    pub complained: bool,
    /// Days since 1970.
    pub today: i64,
    /// Keys of entries that were used for the first time today.
    used: [Vec<Cell>; 2],
    asked: i64,
    found: i64,
}

/// The tables whose entries are used one by one, with their keys.
const USED: [(&str, &str); 2] = [("answer", "key"), ("automata", "id")];

impl Database {
    /// Opens a store; one that is not there yet is made.
    pub fn open(place: &Place) -> Result<Database, String> {
        let sql: Box<dyn Sql> = match place {
            Place::Folder(folder) => Box::new(sqlite::open(folder)?),
            Place::Server(url) => Box::new(postgresql::open(url, place)?),
        };
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(Database {
            sql,
            place: place.to_string(),
            complained: false,
            today: (since.as_secs() / 86_400) as i64,
            used: [Vec::new(), Vec::new()],
            asked: 0,
            found: 0,
        })
    }

    fn complain(&mut self, what: &str) {
        if !self.complained {
            self.complained = true;
            eprintln!("bolide: `{}`: {what}; skipped", self.place);
        }
    }

    /// Unpacks a result; what went wrong is said and nothing is used.
    fn or_complain<T>(&mut self, result: Result<T, Trouble>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(trouble) => {
                self.complain(&trouble.words);
                None
            }
        }
    }

    /// The content of a row of [`ENTRY`] whose version and checksum are right.
    fn sound(&mut self, row: &[Cell]) -> Option<String> {
        match usable(row) {
            Ok(content) => Some(content.to_owned()),
            Err(why) => {
                self.complain(&why);
                None
            }
        }
    }

    /// The entry of a table of [`USED`] under a key.
    fn entry(&mut self, which: usize, key: Cell) -> Option<String> {
        let (table, column) = USED[which];
        let find = format!("SELECT {ENTRY} FROM {table} WHERE {column} = $1");
        let rows = self.sql.query(&find, std::slice::from_ref(&key));
        let row = self.or_complain(rows)?.into_iter().next()?;
        let content = self.sound(&row)?;
        if row[2].int() < self.today {
            self.used[which].push(key);
        }
        Some(content)
    }

    /// Entries of `automata` that share most letters, best first; the newer of two first.
    fn best(&mut self, letters: &[u64]) -> Result<Vec<i64>, Trouble> {
        let mut shared: BTreeMap<i64, i64> = BTreeMap::new();
        for part in letters.chunks(BATCH) {
            let list: Vec<String> = part.iter().map(|&l| (l as i64).to_string()).collect();
            let find = format!(
                "SELECT automata, count(*) FROM letter WHERE hash IN ({}) GROUP BY automata",
                list.join(",")
            );
            for row in self.sql.query(&find, &[])? {
                *shared.entry(row[0].int()).or_default() += row[1].int();
            }
        }
        let mut ranked: Vec<(i64, i64)> = shared.into_iter().map(|(id, n)| (-n, -id)).collect();
        ranked.sort_unstable();
        Ok(ranked.into_iter().take(CANDIDATES).map(|(_, id)| -id).collect())
    }

    pub fn write_answers(&mut self, answers: &[(u128, String)]) -> Result<(), Trouble> {
        let rows = answers.iter().map(|(key, text)| (key.to_be_bytes().to_vec(), text.as_str()));
        self.write_keyed("answer", rows.collect())
    }

    /// Writes entries under keys, in place of what was there.
    fn write_keyed(
        &mut self,
        table: &str,
        entries: BTreeMap<Vec<u8>, &str>,
    ) -> Result<(), Trouble> {
        let today = self.today;
        let row = |(key, content): (Vec<u8>, &str)| {
            let mut row = vec![Cell::Bytes(key)];
            row.extend(sealed(today, content));
            row
        };
        let rows: Rows = entries.into_iter().map(row).collect();
        self.transaction(|sql| {
            insert(
                sql,
                &format!("{table} (key, {ENTRY})"),
                &rows,
                "ON CONFLICT (key) DO UPDATE SET version = excluded.version, \
                 checksum = excluded.checksum, used = excluded.used, content = excluded.content",
            )
        })
    }

    pub fn write_automata(&mut self, letters: &[u64], text: &str) -> Result<(), Trouble> {
        let mut row = vec![Cell::Int(letters.len() as i64)];
        row.extend(sealed(self.today, text));
        let mut letters: Vec<i64> = letters.iter().map(|&letter| letter as i64).collect();
        letters.sort_unstable();
        letters.dedup();
        self.transaction(|sql| {
            let add = format!(
                "INSERT INTO automata (letters, {ENTRY}) VALUES ($1, $2, $3, $4, $5)
                 ON CONFLICT (checksum) DO NOTHING RETURNING id"
            );
            let Some(new) = sql.query(&add, &row)?.into_iter().next() else { return Ok(()) };
            let rows: Rows = letters.iter().map(|&l| vec![Cell::Int(l), new[0].clone()]).collect();
            insert(sql, "letter (hash, automata)", &rows, "ON CONFLICT DO NOTHING")
        })
    }

    /// Does something entirely or not at all, again where another process was in the way.
    pub fn transaction<T>(
        &mut self,
        work: impl Fn(&mut dyn Sql) -> Result<T, Trouble>,
    ) -> Result<T, Trouble> {
        let mut attempt = 0;
        loop {
            let begin = self.sql.begin();
            let mut once = || {
                self.sql.query(begin, &[])?;
                let value = work(self.sql.as_mut())?;
                self.sql.query("COMMIT", &[])?;
                Ok(value)
            };
            let done: Result<T, Trouble> = once();
            match &done {
                Ok(_) => return done,
                Err(trouble) => {
                    let passes = trouble.passes && attempt < ATTEMPTS;
                    let _ = self.sql.query("ROLLBACK", &[]);
                    if !passes {
                        return done;
                    }
                }
            }
            attempt += 1;
            std::thread::sleep(Duration::from_millis(10 << attempt));
        }
    }

    /// What the engine `shape` refuted, one question on a line.
    pub fn heap_questions(&mut self) -> String {
        let find = format!("SELECT {ENTRY} FROM heap_question ORDER BY key LIMIT $1");
        let rows = self.sql.query(&find, &[Cell::Int(HEAP_QUESTIONS)]);
        let rows = self.or_complain(rows).unwrap_or_default();
        rows.iter().filter_map(|row| self.sound(row)).collect()
    }

    /// Keeps such lines; each begins with its key.
    pub fn keep_heap_questions(&mut self, lines: &str) {
        let lines = lines.split_inclusive('\n');
        let entries: BTreeMap<Vec<u8>, &str> = lines
            .map(|line| (line.split(' ').next().unwrap_or(line).as_bytes().to_vec(), line))
            .collect();
        let written = self.write_keyed("heap_question", entries);
        self.or_complain(written);
    }

    /// Notes what was used.
    fn close(&mut self) -> Result<(), Trouble> {
        let (today, asked, found) = (self.today, self.asked, self.found);
        let mut used = std::mem::take(&mut self.used);
        used.iter_mut().for_each(|keys| keys.sort());
        if asked == 0 {
            return Ok(());
        }
        self.transaction(|sql| {
            for (keys, (table, column)) in used.iter().zip(USED) {
                for part in keys.chunks(BATCH) {
                    let list: Vec<String> =
                        (0..part.len()).map(|k| format!("${}", k + 2)).collect();
                    let mut cells = vec![Cell::Int(today)];
                    cells.extend_from_slice(part);
                    let list = list.join(",");
                    let note = format!("UPDATE {table} SET used = $1 WHERE {column} IN ({list})");
                    sql.query(&note, &cells)?;
                }
            }
            let count = "INSERT INTO visit (day, asked, found) VALUES ($1, $2, $3)
                 ON CONFLICT (day) DO UPDATE SET asked = visit.asked + excluded.asked, \
                 found = visit.found + excluded.found";
            sql.query(count, &[Cell::Int(today), Cell::Int(asked), Cell::Int(found)])?;
            Ok(())
        })
    }
}

impl Drop for Database {
    /// Not to know that an entry was used does no harm, and who may only read has nothing to say.
    fn drop(&mut self) {
        let _ = self.close();
    }
}

/// The cells of [`ENTRY`] for a new entry.
fn sealed(today: i64, content: &str) -> [Cell; 4] {
    let checksum = Cell::Bytes(digest(content));
    [Cell::Int(VERSION), checksum, Cell::Int(today), Cell::Text(content.to_owned())]
}

/// The content of a row of [`ENTRY`], or why it cannot be used.
pub fn usable(row: &[Cell]) -> Result<&str, String> {
    match row {
        [Cell::Int(version), ..] if *version != VERSION => {
            Err(format!("an entry of version {version}, not {VERSION}"))
        }
        [_, Cell::Bytes(checksum), _, Cell::Text(content)] if *checksum == digest(content) => {
            Ok(content)
        }
        _ => Err("a damaged entry".to_owned()),
    }
}

pub fn digest(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}

/// Inserts rows, many with one statement.
fn insert(sql: &mut dyn Sql, into: &str, rows: &Rows, conflict: &str) -> Result<(), Trouble> {
    for part in rows.chunks(BATCH) {
        let mut number = 0;
        let mut tuple = |row: &Vec<Cell>| {
            let places: Vec<String> = (1..=row.len()).map(|k| format!("${}", number + k)).collect();
            number += row.len();
            format!("({})", places.join(","))
        };
        let tuples: Vec<String> = part.iter().map(&mut tuple).collect();
        let statement = format!("INSERT INTO {into} VALUES {} {conflict}", tuples.join(","));
        sql.query(&statement, &part.concat())?;
    }
    Ok(())
}

impl ProofStore for Database {
    fn answer(&mut self, key: u128) -> Option<String> {
        let found = self.entry(0, Cell::Bytes(key.to_be_bytes().to_vec()));
        self.asked += 1;
        self.found += i64::from(found.is_some());
        found
    }

    fn keep_answers(&mut self, answers: &[(u128, String)]) {
        let result = self.write_answers(answers);
        self.or_complain(result);
    }

    fn automata(&mut self, letters: &[u64]) -> Vec<String> {
        let best = self.best(letters);
        let ids = self.or_complain(best).unwrap_or_default();
        ids.into_iter().filter_map(|id| self.entry(1, Cell::Int(id))).collect()
    }

    fn keep_automata(&mut self, letters: &[u64], text: &str) {
        let result = self.write_automata(letters, text);
        self.or_complain(result);
    }
}
