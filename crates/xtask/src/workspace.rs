//! The workspace that a task is for.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// What lies at the root of the book's workspace, and nowhere below it.
const AT_ITS_ROOT: [&str; 2] = ["Cargo.toml", "book.toml"];

/// The root of the book's workspace, at or above a directory: that in which a command is given, not that
/// in which this program was compiled, which may be another checkout.
///
/// # Errors
///
/// If there is none.
pub fn root_above(directory: &Path) -> Result<PathBuf> {
    let is_root = |directory: &&Path| AT_ITS_ROOT.iter().all(|file| directory.join(file).is_file());
    let root = directory.ancestors().find(is_root).map(Path::to_path_buf);
    root.with_context(|| {
        let files = AT_ITS_ROOT.join(" and ");
        format!(
            "no directory with {files} is {} or above it: go to a checkout",
            directory.display()
        )
    })
}
