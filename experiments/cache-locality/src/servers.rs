//! Runs this chapter's program as a server for its own experiments.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
use crate::counting_server;

/// Runs a server if this process's first argument names one, and passes it
/// the remaining arguments. Otherwise returns `None`.
pub fn main() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next()?.to_str()? {
        "serve" => Some(thread_per_core::serve::main(arguments)),
        #[cfg(target_os = "linux")]
        counting_server::COMMAND => Some(counting_server::main(arguments)),
        _ => None,
    }
}
