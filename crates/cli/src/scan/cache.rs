//! Answers that are kept: one file for each unit, named by its content. An
//! answer that names lines (a violation) counts only while the functions are where they
//! were.

use super::outcome::Outcome;
use super::units::Unit;
use crate::signals;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The folder of answers.
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Opens the folder, which is made if there is none.
    pub fn open(folder: &Path) -> Result<Cache, String> {
        std::fs::create_dir_all(folder)
            .map_err(|e| format!("cannot make the folder `{}`: {e}", folder.display()))?;
        // Git shall not ask about it.
        let _ = std::fs::write(folder.join(".gitignore"), "*\n");
        Ok(Cache { folder: folder.to_owned() })
    }

    fn file(&self, unit: &Unit) -> PathBuf {
        self.folder.join(format!("{}.json", unit.content))
    }

    /// A kept answer.
    pub fn get(&self, unit: &Unit) -> Option<Outcome> {
        let text = std::fs::read_to_string(self.file(unit)).ok()?;
        let kept: Value = serde_json::from_str(&text).ok()?;
        let mut outcome = Outcome::from_json(unit, &kept["outcome"])?;
        if outcome.verdict == "false" && kept["position"] != json!(unit.position) {
            return None;
        }
        outcome.kept = true;
        Some(outcome)
    }

    /// The verdict that is kept for a content, of whichever version of the project.
    pub fn verdict(&self, content: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.folder.join(format!("{content}.json"))).ok()?;
        let kept: Value = serde_json::from_str(&text).ok()?;
        Some(kept["outcome"]["verdict"].as_str()?.to_owned())
    }

    /// Keeps an answer. Failing to is no reason to stop: the work is done again next time.
    pub fn put(&self, unit: &Unit, outcome: &Outcome) {
        if outcome.verdict == "error" || signals::interrupted() {
            return;
        }
        let kept = json!({ "position": unit.position, "outcome": outcome.to_json() });
        // Renamed when complete, so that an interrupted scan leaves no half answers.
        let (file, part) = (self.file(unit), self.file(unit).with_extension("part"));
        if std::fs::write(&part, format!("{kept:#}\n")).is_ok() {
            let _ = std::fs::rename(part, file);
        }
    }
}
