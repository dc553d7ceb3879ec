//! What a command reads and leaves behind: lines on the terminal, and files.
//!
//! The macros of the standard library that print end in a panic when nobody reads any more
//! (`| head`) or the disk is full. Those of this module, which have their names and stand before them in the whole
//! crate, remember instead that it failed ([`conclude`]): a reader that went away is no error, the
//! exit code stays what the command found; output that was lost for another reason
//! is told and ends in the exit code of bad usage.
//!
//! Files are tried before the work ([`Places`]): an hour of search must not end with the words that the
//! folder of the witness does not exist.

use crate::exit::Exit;
use std::fmt::Arguments;
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Why standard output got lost.
static LOST: Mutex<Option<std::io::Error>> = Mutex::new(None);

/// As the macro of the standard library, without its panics.
macro_rules! print {
    ($($words:tt)*) => { $crate::output::to_stdout(format_args!($($words)*)) };
}

/// As the macro of the standard library, without its panics.
macro_rules! println {
    () => { print!("\n") };
    ($($words:tt)*) => { print!("{}\n", format_args!($($words)*)) };
}

/// As the macro of the standard library, without its panics.
macro_rules! eprint {
    ($($words:tt)*) => { $crate::output::to_stderr(format_args!($($words)*)) };
}

/// As the macro of the standard library, without its panics.
macro_rules! eprintln {
    ($($words:tt)*) => { eprint!("{}\n", format_args!($($words)*)) };
}

pub fn to_stdout(words: Arguments<'_>) {
    bytes(words.to_string().as_bytes());
}

/// Prints what need not be text.
pub fn bytes(bytes: &[u8]) {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    if lost.is_none() {
        *lost = std::io::stdout().write_all(bytes).err();
    }
}

/// Where standard error is lost there is nobody to tell.
pub fn to_stderr(words: Arguments<'_>) {
    let _ = std::io::stderr().write_all(words.to_string().as_bytes());
}

/// How the command ends, when it would have ended like this if everybody had listened.
pub fn conclude(exit: Exit) -> Exit {
    let mut lost = LOST.lock().unwrap_or_else(PoisonError::into_inner);
    let error = lost.take().or_else(|| std::io::stdout().flush().err());
    match error {
        Some(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("bolide: cannot write to standard output: {error}");
            Exit::Usage
        }
        _ => exit,
    }
}

/// The text of a file; what is no UTF-8 in it is replaced. `-` is standard input.
pub fn read(file: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = match file == Path::new("-") {
        true => std::io::stdin().read_to_end(&mut bytes).map(|_| bytes),
        false => std::fs::read(file),
    };
    let bytes = read.map_err(|error| format!("cannot read `{}`: {error}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes a file; folders on the way to it that do not exist are made.
pub fn write(file: &Path, text: &str) -> Result<(), String> {
    let fail = |error| format!("cannot write `{}`: {error}", file.display());
    make_folder_of(file).map_err(fail)?;
    std::fs::write(file, text).map_err(fail)
}

/// Adds to a file, which is made where there is none.
pub fn append(file: &Path, text: &str) -> Result<(), String> {
    let fail = |error| format!("cannot write `{}`: {error}", file.display());
    make_folder_of(file).map_err(fail)?;
    let opened = std::fs::OpenOptions::new().append(true).create(true).open(file);
    opened.and_then(|mut file| file.write_all(text.as_bytes())).map_err(fail)
}

fn make_folder_of(file: &Path) -> std::io::Result<()> {
    match file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => std::fs::create_dir_all(folder),
        None => Ok(()),
    }
}

/// Where a command will write.
#[derive(Default)]
pub struct Places<'a> {
    /// Files, where they were asked for.
    pub files: Vec<&'a Option<PathBuf>>,
    /// Folders, where they were asked for.
    pub folders: Vec<&'a Option<PathBuf>>,
}

impl Places<'_> {
    /// Whether all can be written; says which cannot. Folders are made, files are left as they were.
    pub fn are_writable(&self) -> bool {
        let files =
            self.files.iter().filter_map(|f| f.as_deref()).map(|file| (file, try_file(file)));
        let folders = self.folders.iter().filter_map(|f| f.as_deref()).map(|folder| {
            let probe = folder.join(format!(".bolide-{}", std::process::id()));
            (folder, try_file(&probe))
        });
        let mut fine = true;
        for (place, result) in files.chain(folders) {
            if let Err(error) = result {
                eprintln!("bolide: cannot write `{}`: {error}", place.display());
                fine = false;
            }
        }
        fine
    }
}

fn try_file(file: &Path) -> std::io::Result<()> {
    make_folder_of(file)?;
    let existed = file.exists();
    std::fs::OpenOptions::new().append(true).create(true).open(file)?;
    if existed { Ok(()) } else { std::fs::remove_file(file) }
}

#[cfg(test)]
mod tests {
    use super::{Places, write};

    #[test]
    fn folders_are_made() {
        let root = std::env::temp_dir().join(format!("bolide-output-{}", std::process::id()));
        let file = root.join("a/b.txt");
        assert_eq!(write(&file, "c"), Ok(()));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "c");
        let below = write(&file.join("d"), "").unwrap_err();
        assert!(below.starts_with("cannot write `"), "{below}");
        let (kept, below, fresh) = (Some(file.clone()), Some(file.join("d")), Some(root.join("e")));
        let writable = |file| Places { files: vec![file], folders: vec![] }.are_writable();
        assert!(writable(&kept) && writable(&fresh) && writable(&None) && !writable(&below));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "c", "it is left as it was");
        assert!(!root.join("e").exists(), "it is not left behind");
        assert!(!Places { files: vec![], folders: vec![&below] }.are_writable());
        std::fs::remove_dir_all(root).unwrap();
    }
}
