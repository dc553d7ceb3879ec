//! Files that a command leaves behind.

use std::path::Path;

/// Writes a file; folders on the way to it that do not exist are made.
pub fn write(file: &Path, text: &str) -> Result<(), String> {
    let fail = |error| format!("cannot write `{}`: {error}", file.display());
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(fail)?;
    }
    std::fs::write(file, text).map_err(fail)
}

#[cfg(test)]
mod tests {
    use super::write;

    #[test]
    fn folders_are_made() {
        let root = std::env::temp_dir().join(format!("bolide-output-{}", std::process::id()));
        let file = root.join("a/b.txt");
        assert_eq!(write(&file, "c"), Ok(()));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "c");
        let below = write(&file.join("d"), "").unwrap_err();
        assert!(below.starts_with("cannot write `"), "{below}");
        std::fs::remove_dir_all(root).unwrap();
    }
}
