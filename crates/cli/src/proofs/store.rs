//! The store of one verification, in the hands of all who use it.

use super::database::Database;
use super::place::Place;
use bolide_engines::shape::Remembered;
use bolide_engines::trace_abstraction::{ProofStore, SharedStore};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// An open store, or none.
#[derive(Clone, Default)]
pub struct Store(Option<Arc<Mutex<Database>>>);

impl Store {
    /// Opens a store; a complaint and none where it cannot be used.
    pub fn open(place: Option<&Place>) -> Store {
        let opened = place.map(Database::open).transpose();
        let database = opened.unwrap_or_else(|message| {
            eprintln!("bolide: {message}; verification goes on without proofs of others");
            None
        });
        Store(database.map(|database| Arc::new(Mutex::new(database))))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Database) -> T) -> Option<T> {
        let database = self.0.as_ref()?;
        Some(work(&mut database.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// For the engine `trace`.
    pub fn shared(&self) -> Option<SharedStore> {
        self.0.is_some().then(|| SharedStore::new(self.clone()))
    }

    /// What the engine `shape` refuted before. Nothing of it is believed: the audit proves what is used.
    pub fn remembered(&self) -> Remembered {
        Remembered::read(&self.with(Database::heap_questions).unwrap_or_default())
    }

    /// Keeps what is new in it.
    pub fn remember(&self, remembered: &Remembered) {
        let all = remembered.text();
        self.with(|database| {
            let there = database.heap_questions();
            let there: BTreeSet<&str> = there.lines().collect();
            let new = all
                .split_inclusive('\n')
                .filter(|line| !there.contains(line.trim_end_matches('\n')));
            let new: String = new.collect();
            if !new.is_empty() {
                database.keep_heap_questions(&new);
            }
        });
    }
}

impl ProofStore for Store {
    fn answer(&mut self, key: u128) -> Option<String> {
        self.with(|database| database.answer(key)).flatten()
    }

    fn keep_answers(&mut self, answers: &[(u128, String)]) {
        self.with(|database| database.keep_answers(answers));
    }

    fn automata(&mut self, letters: &[u64]) -> Vec<String> {
        self.with(|database| database.automata(letters)).unwrap_or_default()
    }

    fn keep_automata(&mut self, letters: &[u64], text: &str) {
        self.with(|database| database.keep_automata(letters, text));
    }
}
