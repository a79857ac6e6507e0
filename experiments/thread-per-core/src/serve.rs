//! The chapter's echo and HTTP servers, each of which runs in a separate
//! process.
//!
//! `cargo run -r -p thread-per-core -- serve tokio` starts an echo server by
//! hand, and `serve http tokio` an HTTP server; an experiment starts them
//! with [`Running`].

mod command_line;
mod interface;
#[cfg(target_os = "linux")]
mod refuse_io_uring;
mod report;
mod run;
mod run_http;
mod running;
mod server;
mod table;
mod worker;

pub use command_line::main;
pub use interface::Interface;
pub use report::Report;
#[cfg(target_os = "linux")]
pub(crate) use report::CALLS;
pub use running::{command, Running};
pub use server::{Runtimes, Server};
pub(crate) use table::HYPER;
pub use table::{find, http_servers, servers};
