//! Headers of other verifiers, for programs that include them where those tools are not installed.
//!
//! What the headers declare, lowering knows by name; so here are only their macros and constants, in our own words. A
//! header is given to the preprocessor when it did not find that header anywhere else.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A header by the name that programs include, and its text.
const HEADERS: [(&str, &str); 4] = [
    // SMACK.
    (
        "smack.h",
        "#pragma once\n\
         #include <limits.h>\n\
         #define assume(condition) __VERIFIER_assume(!!(condition))\n",
    ),
    // Predator. An assertion that fails is an error there as everywhere.
    (
        "verifier-builtins.h",
        "#pragma once\n\
         #include <stdlib.h>\n\
         enum ___sl_module_id {\n  \
           ___SL_EVERYTHING, ___SL_SYMABSTRACT, ___SL_SYMJOIN, ___SL_GARBAGE_COLLECTOR\n\
         };\n\
         #define ___SL_BREAK_IF(condition) ((void)(condition))\n\
         #define __VERIFIER_assert(condition) __VERIFIER_assert(!!(condition))\n",
    ),
    // SeaHorn.
    (
        "seahorn/seahorn.h",
        "#pragma once\n\
         #define assume(condition) __VERIFIER_assume(!!(condition))\n\
         #define sassert(condition) __VERIFIER_assert(!!(condition))\n",
    ),
    // Frama-C.
    ("__fc_builtin.h", "#pragma once\n"),
];

/// What a folder with our headers is called in messages.
const SHOWN: &str = "verifiers";

/// The headers among ours that the preprocessor says it did not find.
pub fn missing(errors: &str) -> Vec<&'static str> {
    let is_missing = |name: &&str| {
        errors.lines().any(|line| {
            line.contains(&format!(" {name}: No such file"))
                || line.contains(&format!("'{name}' file not found"))
        })
    };
    HEADERS.iter().map(|(name, _)| *name).filter(is_missing).collect()
}

/// A folder with all of our headers, until this is dropped.
pub struct Folder(PathBuf);

impl Folder {
    /// Writes the headers.
    ///
    /// # Errors
    /// What the system says.
    pub fn new() -> std::io::Result<Folder> {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("bolide-headers-{}-{number}", std::process::id());
        let folder = Folder(std::env::temp_dir().join(name));
        for (name, text) in HEADERS {
            let path = folder.0.join(name);
            std::fs::create_dir_all(path.parent().unwrap_or(&folder.0))?;
            std::fs::write(path, text)?;
        }
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A preprocessed text in which the folder has a name that does not change from run to run.
    pub fn shown_in(&self, text: &str) -> String {
        text.replace(&*self.0.to_string_lossy(), SHOWN)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What stays behind in the folder for temporary files harms nobody.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_say_what_is_missing() {
        let gcc = "a.c:1:10: fatal error: seahorn/seahorn.h: No such file or directory\n";
        let clang = "a.c:1:10: fatal error: 'smack.h' file not found\n";
        let other = "a.c:1:10: fatal error: notsmack.h: No such file or directory\n";
        assert_eq!(missing(gcc), ["seahorn/seahorn.h"]);
        assert_eq!(missing(clang), ["smack.h"]);
        assert!(missing(other).is_empty());
    }
}
