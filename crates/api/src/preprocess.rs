//! Runs the C compiler's preprocessor on files that need it.

use crate::headers;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is passed on to the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct Preprocessor {
    /// The compiler.
    pub command: String,
    /// All flags: `-I`, `-D`, `-include`, `-std`.
    pub arguments: Vec<String>,
    /// Where to run it; relative names in flags refer to this folder.
    pub directory: Option<PathBuf>,
    /// Pointers have 32 bits.
    pub ilp32: bool,
}

/// What came out of it.
#[derive(Clone, Debug)]
pub struct Preprocessed {
    pub text: String,
    /// What a person should know of it.
    pub note: Option<String>,
}

impl Preprocessor {
    /// Whether the command line itself defines macros or includes files.
    fn defines(&self) -> bool {
        self.arguments.iter().any(|a| a.starts_with("-D") || a == "-include")
    }

    /// The text of a file, preprocessed where that is needed, or words for the user.
    pub fn read(&self, file: &Path) -> Result<Preprocessed, String> {
        let bytes = std::fs::read(file).map_err(|error| match file.is_dir() {
            true => format!(
                "`{0}` is a folder; `bolide scan {0}` verifies the programs in it",
                file.display()
            ),
            false => format!("cannot read `{}`: {error}", file.display()),
        })?;
        let text = bolide_c_syntax::text_of_bytes(&bytes);
        let ending = file.extension().and_then(|e| e.to_str()).unwrap_or("");
        if ["cpp", "cc", "cxx", "c++", "C", "hpp", "hh", "hxx", "ii"].contains(&ending) {
            return Err(format!("`{}` is a C++ file; {ONLY_C}", file.display()));
        }
        // A text without directives may still use macros of the command line.
        let preprocessed = file.extension().is_some_and(|e| e == "i");
        if bolide_c_syntax::needs_preprocessing(&text) || self.defines() && !preprocessed {
            self.run(file).map_err(|errors| match looks_like_cpp(&text) {
                true => format!("{errors}\nhelp: this looks like C++; {ONLY_C}"),
                false => errors,
            })
        } else {
            Ok(Preprocessed { text, note: None })
        }
    }

    /// Headers of other verifiers need not be there.
    fn run(&self, file: &Path) -> Result<Preprocessed, String> {
        let errors = match self.run_for_target(file) {
            Ok(text) => return Ok(Preprocessed { text, note: None }),
            Err(errors) => errors,
        };
        let missing = headers::missing(&errors);
        let (Some(name), Ok(folder)) = (missing.first(), headers::Folder::new()) else {
            return Err(errors);
        };
        let mut with_headers = self.clone();
        with_headers.arguments.push("-idirafter".into());
        with_headers.arguments.push(folder.path().to_string_lossy().into_owned());
        let text = with_headers.run_for_target(file)?;
        let note = Some(format!("`{name}` was not found: what it declares is known without it"));
        Ok(Preprocessed { text: folder.shown_in(&text), note })
    }

    fn run_for_target(&self, file: &Path) -> Result<String, String> {
        match self.run_with(file, self.ilp32) {
            // Many machines lack the 32-bit system headers; the 64-bit ones
            // with the 32-bit type sizes predefined serve as well.
            Err(_) if self.ilp32 => self.run_with(file, false),
            result => result,
        }
    }

    fn run_with(&self, file: &Path, m32: bool) -> Result<String, String> {
        let mut command = Command::new(&self.command);
        // Comments are kept: annotations live in them.
        command.args(["-E", "-C"]).args(&self.arguments);
        command.args(if m32 { &["-m32"][..] } else { &[] });
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        // Without `-x c`, a file named `.i` would come out empty.
        let output = command.args(["-x", "c"]).arg(file).output().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => format!(
                "`{}` has preprocessor directives, and the C compiler `{}` was not found: install \
                 gcc or clang (Debian: `apt install gcc`), name another with --cc, or preprocess \
                 the file yourself",
                file.display(),
                self.command
            ),
            _ => format!("cannot run `{}`: {error}", self.command),
        })?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr);
            let hint = match errors.contains("No such file") || errors.contains("not found") {
                true => {
                    "\nhelp: -I DIR names a folder with headers; `bolide scan` and \
                         --compile-commands take the flags of a build"
                }
                false => "",
            };
            return Err(format!(
                "the preprocessor `{}` failed on `{}`:\n{}{hint}",
                self.command,
                file.display(),
                errors.trim_end()
            ));
        }
        Ok(bolide_c_syntax::text_of_bytes(&output.stdout))
    }
}

/// What is said of C++.
pub const ONLY_C: &str = "bolide verifies C (C11 with GNU extensions)";

/// Whether a text that is no C has lines of C++.
pub fn looks_like_cpp(text: &str) -> bool {
    let is_telling = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["using", "namespace", ..] | ["template", ..] | ["namespace", ..] => true,
            ["public:" | "private:" | "protected:"] => true,
            ["class", _, "{" | ":", ..] => true,
            ["#include", "<iostream>" | "<string>" | "<vector>" | "<map>" | "<memory>", ..] => true,
            [first, ..] => first.starts_with("template<") || line.contains("std::"),
            [] => false,
        }
    };
    text.lines().any(is_telling)
}
