//! The allocators that a process may have: the system's, or one that is loaded before
//! it.
//!
//! A program has one global allocator, and the harness's hands on what it counts to
//! the system's. But what the system's is the dynamic linker decides when a process
//! starts.

use std::env;
use std::os::unix::process::CommandExt;
use std::process::Command;

use clap::ValueEnum;
use host::memory::has_mapped;

/// Names a library to the dynamic linker whose functions go before all others of
/// their names.
const PRELOAD: &str = "LD_PRELOAD";

/// What gives a process its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Allocator {
    System,
    Jemalloc,
    Mimalloc,
}

impl Allocator {
    pub(crate) const ALL: [Allocator; 3] =
        [Allocator::System, Allocator::Jemalloc, Allocator::Mimalloc];

    /// The value of the parameter `allocator`, and of an argument.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Allocator::System => "system",
            Allocator::Jemalloc => "jemalloc",
            Allocator::Mimalloc => "mimalloc",
        }
    }

    /// The library that has it, and Debian's package; none if nothing has to be
    /// loaded.
    fn library(self) -> Option<(&'static str, &'static str)> {
        match self {
            Allocator::System => None,
            Allocator::Jemalloc => Some(("libjemalloc.so.2", "libjemalloc2")),
            Allocator::Mimalloc => Some(("libmimalloc.so.2", "libmimalloc2.0")),
        }
    }

    /// Goes on with it: starts this program once more, in this process, if it has
    /// another one.
    ///
    /// # Errors
    ///
    /// If it is not installed.
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
        // It returns if it fails only.
        Err(format!("this program is not started again: {}", again.exec()))
    }
}
