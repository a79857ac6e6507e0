//! Who reads the file: the task's own thread, a thread of a pool, or the kernel, asked by
//! a ring.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use nix::time::{clock_gettime, ClockId};
use runtimes::monoio::IO_URING;
use tokio::runtime::Builder;
use tokio::task::spawn_blocking;

use super::config_file::ConfigFile;

/// Workers of Tokio's runtime.
const WORKERS: usize = 2;

/// What reading came to.
#[derive(Debug)]
pub(super) struct Took {
    times: Vec<Duration>,
    /// CPU time of the whole process meanwhile.
    cpu: Duration,
}

impl Took {
    /// Of a read, in nanoseconds.
    pub(super) fn median(mut self) -> f64 {
        self.times.sort_unstable();
        self.times[self.times.len() / 2].as_nanos() as f64
    }

    /// In nanoseconds.
    pub(super) fn cpu_per_read(&self) -> f64 {
        self.cpu.as_nanos() as f64 / self.times.len() as f64
    }
}

/// How a file is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reads {
    pub(super) count: usize,
    /// Whether it is in the page cache each time.
    pub(super) cached: bool,
}

/// The task's worker reads.
pub(super) fn directly(reads: Reads) -> Result<Took, String> {
    on_tokio(reads, |path| async { std::fs::read(path) })
}

/// A thread of Tokio's pool reads, and the task awaits it.
pub(super) fn on_the_pool(reads: Reads) -> Result<Took, String> {
    on_tokio(reads, |path| async {
        let read = spawn_blocking(|| std::fs::read(path));
        read.await.expect("it does not panic")
    })
}

/// Monoio asks the kernel by io_uring.
pub(super) fn on_a_ring(reads: Reads) -> Result<Took, String> {
    let (tell, told) = channel();
    // If nobody wants to know, the visit has failed already.
    let task = move || async move {
        let _ = tell.send(read(reads, monoio::fs::read).await);
    };
    IO_URING.run(Box::new(move || Box::pin(task())));
    told.recv().map_err(|_| "the task ended without a word")?
}

fn on_tokio<Done>(reads: Reads, by: fn(PathBuf) -> Done) -> Result<Took, String>
where
    Done: Future<Output = io::Result<Vec<u8>>> + Send + 'static,
{
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(WORKERS).enable_all().build();
    let runtime = runtime.map_err(runtimes::not_built)?;
    let task = runtime.spawn(read(reads, by));
    runtime.block_on(task).expect("the task does not panic")
}

/// Reads the file so often, one time after the other.
async fn read<Done>(
    reads: Reads,
    by: fn(PathBuf) -> Done,
) -> Result<Took, String>
where
    Done: Future<Output = io::Result<Vec<u8>>>,
{
    let file = ConfigFile::new()?;
    let before = cpu_time()?;
    let mut times = Vec::new();
    for _ in 0..reads.count {
        if !reads.cached {
            file.evict()?;
        }
        let path = file.path();
        let start = Instant::now();
        let content = by(path).await;
        times.push(start.elapsed());
        let content = content.map_err(|error| error.to_string())?;
        if !file.is(&content) {
            return Err("what was read is not what was written".to_owned());
        }
    }
    Ok(Took { times, cpu: cpu_time()? - before })
}

fn cpu_time() -> Result<Duration, String> {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.map(Duration::from).map_err(|error| error.to_string())
}
