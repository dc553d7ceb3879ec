//! The store of proofs: `--proofs DIR`, `--proofs postgres://...` and `bolide proofs`.
//!
//! One SQLite file in a folder serves one machine, a PostgreSQL server serves a team. Both hold the same
//! entries and are asked in the same words ([`database`]); what differs is how the words get there ([`sqlite`],
//! [`postgresql`]). Everything in a store is text that the engines check before use; here it only gets a version and a
//! checksum, so that a damaged entry or one of another version is reported and skipped. A store that cannot be
//! opened or used at all is reported too, and verification goes on without it.
//!
//! | table | key | content |
//! |---|---|---|
//! | `answer` | normal form of a question | what holds, and the recorded proof |
//! | `automata` | number | the automata of one verified program, as text |
//! | `letter` | letter modulo renaming | the entries of `automata` in whose program it occurs |
//! | `heap_question` | print of a question of the engine `shape` | the parts that refuted it |
//! | `visit` | day | how often the store was asked, and how often it knew |
//!
//! An entry knows the day of its last use, by which it expires (`bolide proofs prune --unused-for 30d`).

mod command;
mod database;
mod place;
mod postgresql;
mod sql;
mod sqlite;
mod store;
mod tls;

pub use command::proofs;
pub use place::Place;
pub use store::Store;

#[cfg(test)]
mod survival;
#[cfg(test)]
mod test_server;
#[cfg(test)]
mod tests;
