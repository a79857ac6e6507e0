//! The server as a process.

#[cfg(tokio_unstable)]
pub use metered::serve;

/// Nothing is counted here.
///
/// # Errors
///
/// That, and what to do.
#[cfg(not(tokio_unstable))]
pub fn serve(_workers: usize) -> Result<(), String> {
    let flag = crate::FLAG;
    Err(format!(
        "Tokio counts nothing in this build: RUSTFLAGS='{flag}' cargo build --release \
         --package metered-tokio --target-dir target/tokio_unstable"
    ))
}

#[cfg(tokio_unstable)]
mod metered {
    use std::io::{self, BufRead, Write};
    use std::net::Ipv4Addr;

    use serde::Serialize;
    use tokio::net::TcpListener;
    use tokio::runtime::{Builder, RuntimeMetrics};

    use crate::echo::{self, TaskCounts};
    use crate::ServerCounts;

    /// Serves with so many workers until the standard input ends. Prints the address,
    /// and for each line of input what has been counted.
    ///
    /// # Errors
    ///
    /// If it cannot listen, or nobody hears it.
    pub fn serve(workers: usize) -> Result<(), String> {
        run(workers).map_err(|error| error.to_string())
    }

    fn run(workers: usize) -> io::Result<()> {
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(workers).enable_all().build()?;
        let listen = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
        let listener = runtime.block_on(listen)?;
        say(&listener.local_addr()?)?;
        // They live as long as the process.
        let counts: &'static TaskCounts = Box::leak(Box::default());
        // On a worker, like the tasks.
        runtime.spawn(echo::serve(listener, counts));
        let metrics = runtime.metrics();
        for line in io::stdin().lock().lines() {
            line?;
            say(&sum(&metrics, counts))?;
        }
        runtime.shutdown_background();
        Ok(())
    }

    fn sum(metrics: &RuntimeMetrics, counts: &TaskCounts) -> ServerCounts {
        let of_workers = |count: fn(&RuntimeMetrics, usize) -> u64| {
            let workers = 0..metrics.num_workers();
            workers.map(|worker| count(metrics, worker)).sum()
        };
        ServerCounts {
            bytes: counts.bytes(),
            moves: counts.moves(),
            polls: of_workers(RuntimeMetrics::worker_poll_count),
            steals: of_workers(RuntimeMetrics::worker_steal_count),
            steal_operations: of_workers(RuntimeMetrics::worker_steal_operations),
        }
    }

    /// Prints a line at once.
    fn say(told: &impl Serialize) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        serde_json::to_writer(&mut stdout, told)?;
        writeln!(stdout)?;
        stdout.flush()
    }
}
