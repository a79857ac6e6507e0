//! Files, and what is said of those that cannot be read.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The files below a directory, relative to it, in order.
pub(crate) fn below(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = here(directory)?;
    for entry in entries(directory)? {
        if directory.join(&entry).is_dir() {
            let below = below(&directory.join(&entry))?;
            found.extend(below.into_iter().map(|file| entry.join(file)));
        }
    }
    found.sort();
    Ok(found)
}

/// The files in a directory itself, relative to it, in order.
pub(crate) fn here(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut found = entries(directory)?;
    found.retain(|entry| directory.join(entry).is_file());
    found.sort();
    Ok(found)
}

/// What stands in a file.
pub(crate) fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let failed = || format!("{} cannot be read", directory.display());
    let entries = fs::read_dir(directory).with_context(failed)?;
    entries.map(|entry| Ok(entry.with_context(failed)?.file_name().into())).collect()
}
