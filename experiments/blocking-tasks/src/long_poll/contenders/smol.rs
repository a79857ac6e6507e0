//! smol: an executor that several threads run.

use std::future::Future;

use smol::future::yield_now;
use smol::net::TcpStream;
use smol::{Executor, Timer};

use crate::connection::{echo, OfFutures};
use crate::executors::on_smol;
use crate::long_poll::job::Job;
use crate::long_poll::tasks::{tick, work, Tasks};

pub(crate) fn plain(tasks: Tasks) -> Result<(), String> {
    serve(tasks, |job| async move { job.run() })
}

/// Does each job on a thread of the `blocking` crate's pool.
pub(crate) fn hands_over(tasks: Tasks) -> Result<(), String> {
    serve(tasks, |job| smol::unblock(move || job.run()))
}

fn serve<Done>(tasks: Tasks, done: fn(Job) -> Done) -> Result<(), String>
where
    Done: Future<Output = u64> + Send + 'static,
{
    let Tasks { units, ticker, connection } = tasks;
    let connection = TcpStream::try_from(connection);
    let connection = connection.map_err(|error| error.to_string())?;
    let executor = Executor::new();
    let mut tasks = vec![
        executor.spawn(echo(OfFutures(connection))),
        executor.spawn(tick(ticker, Timer::at)),
    ];
    let unit = |unit| executor.spawn(work(unit, done, yield_now));
    tasks.extend(units.into_iter().map(unit));
    on_smol(&executor, async {
        for task in tasks {
            task.await;
        }
    });
    Ok(())
}
