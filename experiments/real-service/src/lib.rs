//! A shop's order as a realistic service: JSON in, a check, a query and an
//! insert in a transaction, JSON out. How much of a request's CPU time does
//! the runtime take, and what would another runtime change?
//!
//! Server, load generator and PostgreSQL are separate processes, on all cores
//! of the machine. A run with `--full` measures these combinations:
//!
//! - `order`, a closed loop with the database, without TLS, with `fsync` off
//!   and 16 connections. Six kinds of servers: axum on one Tokio runtime with
//!   `tokio-postgres`; axum on a Tokio runtime per core; a thread per
//!   connection with our blocking client, and with the crate `postgres`; axum
//!   on one Tokio runtime with our blocking client inside a task, and in
//!   `spawn_blocking`. The rows of Monoio, Glommio and compio say why there is
//!   no client to measure. The first three also with 1 and with 128
//!   connections; the first also with `fsync` on.
//! - `by-part`, on the first of these, step by step: bytes, HTTP, JSON, an
//!   order stored in a map, in the database, and in the database over TLS.
//! - `without-database`, with the map: the first two, threads, and with
//!   httparse instead of hyper Tokio, Monoio on both drivers, Glommio and
//!   compio, each with a runtime per core.
//! - `latency`, an open loop at 50 and 80 % of the capacity of the first three.
//! - `slow-query`, the first three, the client in a task and in
//!   `spawn_blocking`, with and without two connections whose query takes 20
//!   ms.
//! - `memory`, a line through 64 to 256 connections: the first three with the
//!   map, the first two over TLS as well.
//! - `pieces`, timed by criterion: httparse, and parsing and writing an order's
//!   JSON.
//! - `over-tls`, the first and threads, with the map and with the database,
//!   with and without TLS.
//! - `round-trips`, the first and threads, with four, two and one round trips
//!   to the database.
//!
//! Each measurement ends with a check that as many orders were stored, in the
//! database or in the map, as were answered with HTTP status 201.

use std::path::Path;
use std::process::ExitCode;

use harness::Chapter;

#[cfg(target_os = "linux")]
mod by_part;
#[cfg(target_os = "linux")]
mod certificate;
#[cfg(target_os = "linux")]
pub mod database;
#[cfg(target_os = "linux")]
mod exchange;
#[cfg(target_os = "linux")]
mod latency;
#[cfg(target_os = "linux")]
mod listener;
pub mod listings;
#[cfg(target_os = "linux")]
pub mod load;
#[cfg(target_os = "linux")]
mod memory;
#[cfg(target_os = "linux")]
mod order;
#[cfg(target_os = "linux")]
mod over_tls;
#[cfg(target_os = "linux")]
pub mod path;
#[cfg(target_os = "linux")]
mod pieces;
#[cfg(target_os = "linux")]
mod pool;
#[cfg(target_os = "linux")]
mod round_trips;
#[cfg(target_os = "linux")]
pub mod server_process;
#[cfg(target_os = "linux")]
pub mod servers;
#[cfg(target_os = "linux")]
mod slow_query;
#[cfg(target_os = "linux")]
pub mod store;
#[cfg(target_os = "linux")]
mod usage;
#[cfg(target_os = "linux")]
mod visit;
#[cfg(target_os = "linux")]
mod without_database;

/// Returns the chapter's experiments. They start `program`, which has to call
/// [`main`], as server and as load generator.
pub fn chapter(program: &Path) -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    #[cfg(target_os = "linux")]
    let experiments = vec![
        order::experiment(program),
        by_part::experiment(program),
        without_database::experiment(program),
        latency::experiment(program),
        slow_query::experiment(program),
        memory::experiment(program),
        pieces::experiment(),
        over_tls::experiment(program),
        round_trips::experiment(program),
    ];
    #[cfg(not(target_os = "linux"))]
    let experiments = Vec::new();
    Chapter::new(name, package, experiments)
}

/// The `main` of the chapter's programs. Runs a server or a load generator if
/// the first argument asks for one. Otherwise, calls `measure` with the
/// chapter.
pub fn main(measure: impl FnOnce(Chapter) -> ExitCode) -> ExitCode {
    #[cfg(target_os = "linux")]
    match std::env::args().nth(1).as_deref() {
        Some(server_process::CALLED) => return server_process::main(),
        Some(load::CALLED) => return load::main(),
        _ => {}
    }
    match std::env::current_exe() {
        Ok(program) => measure(chapter(&program)),
        Err(error) => {
            host::tell!("error: this program does not find itself: {error}");
            ExitCode::FAILURE
        }
    }
}
