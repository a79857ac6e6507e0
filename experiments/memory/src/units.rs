//! A process with idle units, which says how much memory it has.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use host::memory;
use runtimes::compio::DEFAULT as COMPIO;
use runtimes::glommio::UNBOUND as GLOMMIO;
use runtimes::monoio::{EPOLL, IO_URING};
use runtimes::smol::GLOBAL as SMOL;
use runtimes::std_thread;
use runtimes::tokio::{CURRENT_THREAD, MULTI_THREAD};

use crate::report::Report;
use crate::wanted_units::Units;

mod tasks;
mod threads;

/// Makes them here, and tells the memory while all of them wait.
///
/// # Errors
///
/// If there cannot be as many here, with the reason.
fn here(of: Units) -> Result<Report, String> {
    if let Some(group) = &of.group {
        memory::join(group)?;
    }
    use runtimes::{compio, glommio, monoio, smol, tokio};
    let name = of.contender.clone();
    let is = |other: &str| name == other;
    if is(std_thread::NAME) {
        threads::idle(&of)
    } else if is(MULTI_THREAD.name()) {
        tasks::moving(MULTI_THREAD, tokio::Spawner, of)
    } else if is(CURRENT_THREAD.name()) {
        tasks::moving(CURRENT_THREAD, tokio::Spawner, of)
    } else if is(SMOL.name()) {
        tasks::moving(SMOL, smol::Spawner, of)
    } else if is(GLOMMIO.name()) {
        tasks::local(GLOMMIO, glommio::Spawner, of)
    } else if is(EPOLL.name()) {
        tasks::local(EPOLL, monoio::Spawner, of)
    } else if is(IO_URING.name()) {
        tasks::local(IO_URING, monoio::Spawner, of)
    } else if is(COMPIO.name()) {
        tasks::local(COMPIO, compio::Spawner, of)
    } else {
        Err(format!("there are no units of {name:?}"))
    }
}

/// The `main` of such a process.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    harness::end_with_input();
    let units = Units::parse_from(arguments);
    let told = here(units).and_then(|report| {
        serde_json::to_string(&report).map_err(|error| error.to_string())
    });
    match told {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}
