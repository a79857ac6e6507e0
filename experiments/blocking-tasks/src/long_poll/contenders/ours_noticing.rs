//! Our executor, which notices when a job keeps its thread busy and replaces
//! the thread.

use std::time::Duration;

use futures_lite::future::yield_now;
use noticing::{sleep_until, spawn, TcpStream};

use crate::connection::{echo, OfFutures};
use crate::executors::ours;
use crate::long_poll::tasks::{tick, work, Tasks};

/// Does each job in one poll. The monitor checks for stuck threads every
/// `MICROS` microseconds; 0 means no monitor.
pub(crate) fn watched<const MICROS: u64>(tasks: Tasks) -> Result<(), String> {
    let look_every = (MICROS > 0).then_some(Duration::from_micros(MICROS));
    let Tasks { units, ticker, connection } = tasks;
    ours(look_every)?.block_on(async {
        let connection = OfFutures(TcpStream::from(connection));
        let ticker = tick(ticker, sleep_until);
        let mut tasks = vec![spawn(echo(connection)), spawn(ticker)];
        let unit =
            |unit| spawn(work(unit, |job| async move { job.run() }, yield_now));
        tasks.extend(units.into_iter().map(unit));
        for task in tasks {
            task.await.expect("no task panics");
        }
    });
    Ok(())
}
