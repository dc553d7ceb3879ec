//! A store on a server: PostgreSQL, for the machines of a team.
//!
//! The tables are in a schema of their own, `bolide`, which whoever comes first makes; so a
//! database may serve other purposes too. A commit is on the server's disk before it is reported. Writers that meet in the same rows
//! wait for each other; where two wait for one another, the server ends one transaction, and it is tried again.

use super::place::Place;
use super::sql::{Cell, Rows, Sql, Trouble, schema};
use super::tls::{self, Way};
use postgres::error::SqlState;
use postgres::types::{ToSql, Type};
use postgres::{Client, Row, Statement};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How long to wait for the server, and for other processes.
const PATIENCE: Duration = Duration::from_secs(20);
/// Marks the lock of those who make the tables.
const MAKING: i64 = 0x626f_6c69_6465;

/// An open connection.
pub struct Server {
    client: Client,
    /// Statements that come again and again: those that are short.
    prepared: BTreeMap<String, Statement>,
}

/// Longer statements are made for one set of rows.
const SHORT: usize = 300;

/// Connects, and makes the tables where there are none.
pub fn open(url: &str, place: &Place) -> Result<Server, String> {
    let mut way = tls::read(url).map_err(|e| format!("`{place}`: {e}"))?;
    let config = &mut way.config;
    // A password in an argument can be read by all users of the machine.
    if let (None, Ok(password)) = (config.get_password(), std::env::var("PGPASSWORD")) {
        config.password(password);
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(PATIENCE);
    }
    config.application_name("bolide");
    let client = connect(&way).map_err(|e| format!("`{place}`: {e}"))?;
    let mut server = Server { client, prepared: BTreeMap::new() };
    server.prepare().map_err(|e| format!("`{place}`: {}", words(&e)))?;
    Ok(server)
}

/// A server whose places are all taken is asked again: others go.
fn connect(way: &Way) -> Result<Client, String> {
    let (begin, tls) = (Instant::now(), way.tls()?);
    loop {
        match way.config.connect(tls.clone()) {
            Err(e)
                if [Some(&SqlState::TOO_MANY_CONNECTIONS), Some(&SqlState::CANNOT_CONNECT_NOW)]
                    .contains(&e.code())
                    && begin.elapsed() < PATIENCE =>
            {
                std::thread::sleep(Duration::from_millis(100));
            }
            result => return result.map_err(|e| words(&e)),
        }
    }
}

/// What the server said, or what the client thinks.
fn words(error: &postgres::Error) -> String {
    error.as_db_error().map_or_else(|| tls::words(error), |said| said.message().to_owned())
}

impl From<postgres::Error> for Trouble {
    fn from(error: postgres::Error) -> Trouble {
        let passing = [SqlState::T_R_DEADLOCK_DETECTED, SqlState::T_R_SERIALIZATION_FAILURE];
        let passes = error.code().is_some_and(|code| passing.contains(code));
        Trouble { words: words(&error), passes }
    }
}

impl Server {
    fn prepare(&mut self) -> Result<(), postgres::Error> {
        let patience = PATIENCE.as_millis();
        self.client.batch_execute(&format!(
            "SET synchronous_commit = on; SET lock_timeout = {patience};
             SET client_min_messages = warning; SET search_path = bolide"
        ))?;
        let there = self.client.query_one("SELECT to_regclass('bolide.visit') IS NOT NULL", &[])?;
        if there.get(0) {
            return Ok(());
        }
        // `IF NOT EXISTS` alone fails when two make the same at once.
        self.client.batch_execute(&format!(
            "BEGIN; SELECT pg_advisory_xact_lock({MAKING}); CREATE SCHEMA IF NOT EXISTS bolide;
             {} COMMIT",
            schema("BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "")
        ))
    }
}

fn parameter(cell: &Cell) -> &(dyn ToSql + Sync) {
    match cell {
        Cell::Int(number) => number,
        Cell::Bytes(bytes) => bytes,
        Cell::Text(text) => text,
    }
}

fn cell(row: &Row, k: usize) -> Result<Cell, postgres::Error> {
    Ok(match *row.columns()[k].type_() {
        Type::BYTEA => Cell::Bytes(row.try_get(k)?),
        Type::TEXT => Cell::Text(row.try_get(k)?),
        _ => Cell::Int(row.try_get::<_, Option<i64>>(k)?.unwrap_or(0)),
    })
}

impl Sql for Server {
    fn begin(&self) -> &'static str {
        "BEGIN"
    }

    fn query(&mut self, statement: &str, cells: &[Cell]) -> Result<Rows, Trouble> {
        let cells: Vec<&(dyn ToSql + Sync)> = cells.iter().map(parameter).collect();
        let mut rows = Vec::new();
        let found = match self.prepared.get(statement) {
            Some(known) => self.client.query(known, &cells)?,
            None if statement.len() < SHORT => {
                let new = self.client.prepare(statement)?;
                self.prepared.insert(statement.to_owned(), new.clone());
                self.client.query(&new, &cells)?
            }
            None => self.client.query(statement, &cells)?,
        };
        for row in found {
            rows.push((0..row.len()).map(|k| cell(&row, k)).collect::<Result<_, _>>()?);
        }
        Ok(rows)
    }

    fn size(&mut self) -> Result<i64, Trouble> {
        let sizes = "SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
                     JOIN pg_namespace n ON n.oid = c.relnamespace
                     WHERE n.nspname = 'bolide' AND c.relkind = 'r'";
        Ok(self.query(sizes, &[])?.first().map_or(0, |row| row[0].int()))
    }

    /// The server does it by itself.
    fn reclaim(&mut self) -> Result<(), Trouble> {
        Ok(())
    }
}
