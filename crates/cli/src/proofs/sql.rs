//! What the two kinds of store have in common: a little SQL that both understand.
//!
//! Parameters are written `$1`, `$2`, ... in the order of their first use: PostgreSQL counts them, SQLite takes
//! them for names that it numbers in that order. SQLite knows no type `BYTEA` and keeps what it is given.

use std::fmt;

/// A value in a row.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cell {
    Int(i64),
    Bytes(Vec<u8>),
    Text(String),
}

impl Cell {
    /// The number that the query was about.
    pub fn int(&self) -> i64 {
        match self {
            Cell::Int(number) => *number,
            _ => 0,
        }
    }
}

/// Why a statement failed.
#[derive(Debug)]
pub struct Trouble {
    pub words: String,
    /// Another process was in the way: the same transaction may succeed.
    pub passes: bool,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// Rows of a result.
pub type Rows = Vec<Vec<Cell>>;

/// An open connection.
pub trait Sql: Send {
    /// The statement that begins a transaction which writes.
    fn begin(&self) -> &'static str;
    /// Executes a statement.
    fn query(&mut self, statement: &str, cells: &[Cell]) -> Result<Rows, Trouble>;
    /// Bytes that the store takes.
    fn size(&mut self) -> Result<i64, Trouble>;
    /// Gives the space of removed entries back.
    fn reclaim(&mut self) -> Result<(), Trouble>;
}

/// The statements that make the tables. `id` is how the system numbers rows, `keyed` what it says of a table that is
/// kept in the order of its key.
pub fn schema(id: &str, keyed: &str) -> String {
    let entry = "version BIGINT NOT NULL, checksum BYTEA NOT NULL, used BIGINT NOT NULL, \
                 content TEXT NOT NULL";
    format!(
        "CREATE TABLE IF NOT EXISTS answer (key BYTEA PRIMARY KEY, {entry}){keyed};
         CREATE TABLE IF NOT EXISTS heap_question (key BYTEA PRIMARY KEY, {entry}){keyed};
         CREATE TABLE IF NOT EXISTS automata
             (id {id}, letters BIGINT NOT NULL, {entry}, UNIQUE (checksum));
         CREATE TABLE IF NOT EXISTS letter
             (hash BIGINT NOT NULL, automata BIGINT NOT NULL, PRIMARY KEY (hash, automata)){keyed};
         CREATE TABLE IF NOT EXISTS visit
             (day BIGINT PRIMARY KEY, asked BIGINT NOT NULL, found BIGINT NOT NULL){keyed};"
    )
}
