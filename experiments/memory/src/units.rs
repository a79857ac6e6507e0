//! A process with idle threads or tasks that reports its memory.

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

use crate::report::{self, Report};
use crate::wanted_units::Units;

mod tasks;
mod threads;

/// Creates the threads or tasks in this process, and reports the memory.
///
/// # Errors
///
/// If this many units can't exist here, with the reason.
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
        tasks::idle(MULTI_THREAD, tokio::Spawner, of)
    } else if is(CURRENT_THREAD.name()) {
        tasks::idle(CURRENT_THREAD, tokio::Spawner, of)
    } else if is(SMOL.name()) {
        tasks::idle(SMOL, smol::Spawner, of)
    } else if is(GLOMMIO.name()) {
        tasks::idle(GLOMMIO, glommio::Spawner, of)
    } else if is(EPOLL.name()) {
        tasks::idle(EPOLL, monoio::Spawner, of)
    } else if is(IO_URING.name()) {
        tasks::idle(IO_URING, monoio::Spawner, of)
    } else if is(COMPIO.name()) {
        tasks::idle(COMPIO, compio::Spawner, of)
    } else {
        Err(format!("there are no units of {name:?}"))
    }
}

pub(crate) fn main(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let of = Units::parse_from(arguments);
    let entered = of.allocator.enter();
    harness::end_with_input();
    report::tell(entered.and_then(|()| here(of)))
}
