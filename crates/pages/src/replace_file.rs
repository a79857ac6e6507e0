//! Replacing a file atomically.

use std::fs;
use std::io;
use std::path::Path;

use tempfile::NamedTempFile;

/// Moves a temporary file to `file`, and makes it as readable as any other file.
///
/// # Errors
///
/// If the file cannot be written.
pub fn persist(temporary: NamedTempFile, file: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o644))?;
    }
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}
