//! The build of the metered server, in which Tokio counts.

use std::path::PathBuf;

/// The server's program, built if it is not there or its sources are newer.
///
/// # Errors
///
/// If it cannot be built, with the compiler's last words.
pub(super) fn program() -> Result<PathBuf, String> {
    harness::unstable_build::program("metered-tokio")
}
