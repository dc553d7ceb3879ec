//! Which files of a project belong to an entry function.
//!
//! By names: a file is needed when it alone defines an external function that is mentioned
//! in what the entry leads to. A name that several files define decides nothing (a
//! project often holds several programs), and a file with a `main` of its own is
//! never taken along. Whether the files fit together is seen when they are linked; where
//! they do not, the entry is verified without them.

use super::files::ProjectFile;
use super::functions::Function;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What comes along with an entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// The files.
    pub files: Vec<PathBuf>,
    /// Flags that reading them needs.
    pub flags: Vec<String>,
    /// Hash of the functions that are needed of them.
    pub content: String,
}

/// The external functions of a project.
pub struct Linking<'p> {
    files: &'p [(ProjectFile, Vec<Function>)],
    /// By name, where one file only defines it: the file and the function.
    defined: BTreeMap<&'p str, (usize, &'p Function)>,
}

impl<'p> Linking<'p> {
    /// Looks at all files.
    pub fn new(files: &'p [(ProjectFile, Vec<Function>)]) -> Linking<'p> {
        let mut defined: BTreeMap<&str, Vec<(usize, &Function)>> = BTreeMap::new();
        for (index, (_, functions)) in files.iter().enumerate() {
            if functions.iter().any(|f| f.name == "main") {
                continue;
            }
            for function in functions.iter().filter(|f| f.is_external) {
                defined.entry(&function.name).or_default().push((index, function));
            }
        }
        let once = defined.into_iter().filter(|(_, places)| places.len() == 1);
        Linking { files, defined: once.map(|(name, places)| (name, places[0])).collect() }
    }

    /// What a function of the file at `home` leads to in other files.
    pub fn needed(&self, home: usize, function: &Function) -> Linked {
        let mut hash = Sha256::new();
        let mut files: BTreeSet<usize> = BTreeSet::new();
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut pending: Vec<&Function> = vec![function];
        while let Some(at) = pending.pop() {
            for name in &at.mentions {
                if let Some(&(file, found)) = self.defined.get(name.as_str())
                    && file != home
                    && seen.insert(&found.name)
                {
                    files.insert(file);
                    hash.update(found.content.as_bytes());
                    pending.push(found);
                }
            }
        }
        if files.is_empty() {
            return Linked::default();
        }
        let own = &self.files[home].0.flags;
        let mut flags: Vec<String> = Vec::new();
        for &file in &files {
            let theirs = pairs(&self.files[file].0.flags);
            for pair in theirs {
                if !pairs(own).contains(&pair) && !pairs(&flags).contains(&pair) {
                    flags.extend(pair);
                }
            }
        }
        Linked {
            files: files.iter().map(|&f| self.files[f].0.file.clone()).collect(),
            flags,
            content: format!("{:x}", hash.finalize()),
        }
    }
}

/// Flags with their operands: all flags of a scan's children have one.
fn pairs(flags: &[String]) -> Vec<Vec<String>> {
    flags.chunks(2).map(<[String]>::to_vec).collect()
}
