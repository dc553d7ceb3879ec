//! A store in a file: SQLite with write-ahead logging, so that several processes read while one
//! writes. A transaction that a killed process began is as if it had never been; writers wait for
//! each other.

use super::sql::{Cell, Rows, Sql, Trouble, schema};
use rusqlite::types::{ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The file in the folder.
pub const FILE: &str = "proofs.sqlite";
/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(20);

/// An open file.
pub struct Sqlite {
    connection: Connection,
    file: PathBuf,
}

/// Opens the file of a folder, which is made if it is not there.
pub fn open(folder: &Path) -> Result<Sqlite, String> {
    std::fs::create_dir_all(folder)
        .map_err(|e| format!("cannot make the folder `{}`: {e}", folder.display()))?;
    let file = folder.join(FILE);
    let connection = prepare(&file).map_err(|e| {
        format!(
            "`{}` is no database of proofs: {e}; move it away or use another folder",
            file.display()
        )
    })?;
    Ok(Sqlite { connection, file })
}

/// Two processes that make the same database at once are told so at once, whatever
/// patience was asked for: the change to write-ahead logging takes a lock in a way
/// for which SQLite does not wait. So it is tried again here.
fn prepare(file: &Path) -> rusqlite::Result<Connection> {
    let begin = Instant::now();
    loop {
        match try_prepare(file) {
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
    if has(&connection, "visit", "day")? {
        return Ok(connection);
    }
    connection.execute_batch("BEGIN IMMEDIATE")?;
    connection.execute_batch(&schema("INTEGER PRIMARY KEY", " WITHOUT ROWID"))?;
    // Files of the time before entries expired.
    for table in ["answer", "automata"] {
        if !has(&connection, table, "used")? {
            connection.execute_batch(&format!(
                "ALTER TABLE {table} ADD COLUMN used BIGINT NOT NULL DEFAULT 0"
            ))?;
        }
    }
    connection.execute_batch("COMMIT")?;
    Ok(connection)
}

/// Whether there is such a column.
fn has(connection: &Connection, table: &str, column: &str) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pragma_table_info(?1) WHERE name = ?2)";
    connection.query_row(sql, [table, column], |row| row.get(0))
}

/// Somebody else works with the database.
fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
    )
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Cell::Int(number) => ToSqlOutput::Owned(Value::Integer(*number)),
            Cell::Bytes(bytes) => ToSqlOutput::Borrowed(ValueRef::Blob(bytes)),
            Cell::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Trouble {
        Trouble { words: error.to_string(), passes: is_busy(&error) }
    }
}

impl Sql for Sqlite {
    fn begin(&self) -> &'static str {
        "BEGIN IMMEDIATE"
    }

    fn query(&mut self, statement: &str, cells: &[Cell]) -> Result<Rows, Trouble> {
        let mut prepared = self.connection.prepare_cached(statement)?;
        let width = prepared.column_count();
        let mut found = prepared.query(params_from_iter(cells))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let cell = |k| {
                Ok(match row.get_ref(k)? {
                    ValueRef::Integer(number) => Cell::Int(number),
                    ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
                    ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
                    ValueRef::Null | ValueRef::Real(_) => Cell::Int(0),
                })
            };
            rows.push((0..width).map(cell).collect::<rusqlite::Result<_>>()?);
        }
        Ok(rows)
    }

    fn size(&mut self) -> Result<i64, Trouble> {
        Ok(std::fs::metadata(&self.file).map_or(0, |m| m.len() as i64))
    }

    fn reclaim(&mut self) -> Result<(), Trouble> {
        Ok(self.connection.execute_batch("VACUUM")?)
    }
}
