//! The servers of experiments: processes of this chapter's programs.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
use crate::counting_server;

/// The `main` of a server, if this process's first argument names one. The
/// following arguments are the server's.
pub fn main() -> Option<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next()?.to_str()? {
        "serve" => Some(thread_per_core::serve::main(arguments)),
        #[cfg(target_os = "linux")]
        counting_server::COMMAND => Some(counting_server::main(arguments)),
        _ => None,
    }
}
