//! What the engine `shape` refuted, kept in the folder of `--proofs`.
//!
//! A text file of its own beside the database: one line for each question, modulo renaming. It is read as a
//! whole and written as a whole, under another name first, so that a process that is killed leaves the old one.
//! Nothing in it is believed: the audit proves what is used.

use bolide_engines::shape::Remembered;
use std::path::Path;

/// The file in the folder.
const FILE: &str = "heap-questions.txt";
/// Larger files are begun anew.
const LIMIT: usize = 16 << 20;

/// What is there; nothing when there is no folder, no file or no sense in it.
pub fn read(folder: Option<&Path>) -> Remembered {
    let text = folder.and_then(|folder| std::fs::read_to_string(folder.join(FILE)).ok());
    Remembered::read(&text.filter(|text| text.len() < LIMIT).unwrap_or_default())
}

/// Keeps it, with what another process has written meanwhile.
pub fn write(folder: Option<&Path>, remembered: &Remembered) {
    let Some(folder) = folder else { return };
    let own = remembered.text();
    if own.is_empty() {
        return;
    }
    let there = std::fs::read_to_string(folder.join(FILE)).unwrap_or_default();
    let all = Remembered::read(&(there + &own)).text();
    let fresh = folder.join(format!("{FILE}.{}", std::process::id()));
    let written = std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&fresh, all))
        .and_then(|()| std::fs::rename(&fresh, folder.join(FILE)));
    if let Err(error) = written {
        eprintln!("bolide: `{}`: {error}", folder.display());
    }
}
