//! Reading and writing files, with errors that name the file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Lists the files in a directory, and in its subdirectories if `deep`, in order.
pub(crate) fn list(directory: &Path, deep: bool) -> Result<Vec<PathBuf>> {
    let failed = || format!("{} cannot be read", directory.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).with_context(failed)? {
        let path = entry.with_context(failed)?.path();
        if path.is_file() {
            found.push(path);
        } else if deep {
            found.extend(list(&path, deep)?);
        }
    }
    found.sort();
    Ok(found)
}

/// Returns the content of a file.
pub(crate) fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

/// Writes `text` to a file.
pub(crate) fn write(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}
