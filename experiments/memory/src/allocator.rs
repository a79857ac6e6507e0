//! The memory allocator of a process: the system's, or one that is preloaded.
//!
//! A program has one global allocator, and the harness's allocator passes its
//! calls on to the system's. The dynamic linker decides at the start of a
//! process which allocator is the system's.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

use clap::ValueEnum;
use host::memory::has_mapped;

/// The environment variable that makes the dynamic linker load a library. The
/// library's functions override others with the same names.
const PRELOAD: &str = "LD_PRELOAD";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allocator {
    System,
    Jemalloc,
    Mimalloc,
}

impl Allocator {
    pub(crate) const ALL: [Allocator; 3] =
        [Allocator::System, Allocator::Jemalloc, Allocator::Mimalloc];

    /// Returns the allocator's name, as used in the parameter `allocator` and
    /// in the program's arguments.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Allocator::System => "system",
            Allocator::Jemalloc => "jemalloc",
            Allocator::Mimalloc => "mimalloc",
        }
    }

    /// Returns the name of the allocator's library, and of Debian's package
    /// that contains it; `None` for the system's allocator.
    fn library(self) -> Option<(&'static str, &'static str)> {
        match self {
            Allocator::System => None,
            Allocator::Jemalloc => Some(("libjemalloc.so.2", "libjemalloc2")),
            Allocator::Mimalloc => Some(("libmimalloc.so.2", "libmimalloc2.0")),
        }
    }

    /// Makes this process use the allocator. If necessary, restarts the
    /// program in the same process (`exec`).
    ///
    /// # Errors
    ///
    /// If the allocator is not installed.
    pub(crate) fn enter(self) -> Result<(), String> {
        let Some((library, package)) = self.library() else { return Ok(()) };
        if has_mapped(library) {
            return Ok(());
        }
        if env::var_os(PRELOAD).is_some_and(|preload| preload == library) {
            return Err(format!(
                "{library} is not installed: apt-get install {package} on Debian"
            ));
        }
        let program = env::current_exe().map_err(|error| error.to_string())?;
        let mut again = Command::new(program);
        again.args(env::args_os().skip(1)).env(PRELOAD, library);
        // `exec` only returns if it fails.
        Err(format!("this program is not started again: {}", again.exec()))
    }
}
