//! Code shared by all of Tokio's variants.

use std::future::Future;

use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::task::{spawn, yield_now};
use tokio::time::sleep_until;

use crate::connection::echo;
use crate::long_poll::job::Job;
use crate::long_poll::tasks::{tick, work, Tasks};

/// Runs all tasks on `runtime`. Each job is performed by calling `done`.
pub(super) fn serve<Done>(
    runtime: &Runtime,
    tasks: Tasks,
    done: impl Fn(Job) -> Done + Clone + Send + 'static,
) -> Result<(), String>
where
    Done: Future<Output = u64> + Send + 'static,
{
    let Tasks { units, ticker, connection } = tasks;
    let all = async move {
        let connection = TcpStream::from_std(connection);
        let connection = connection.expect("it does not block");
        let ticker = tick(ticker, |due| sleep_until(due.into()));
        let mut tasks = vec![spawn(echo(connection)), spawn(ticker)];
        let unit = |unit| spawn(work(unit, done.clone(), yield_now));
        tasks.extend(units.into_iter().map(unit));
        for task in tasks {
            task.await.expect("no task panics");
        }
    };
    // The tasks are awaited on a worker, because the thread in `block_on`
    // isn't one.
    let all = runtime.spawn(all);
    runtime.block_on(all).map_err(|error| error.to_string())
}
