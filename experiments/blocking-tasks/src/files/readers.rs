//! Ways to read a file: on the task's own thread, on a thread of a pool, or
//! by the kernel through a ring.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use glommio::io::BufferedFile;
use nix::time::{clock_gettime, ClockId};
use runtimes::LocalRuntime;
use tokio::task::spawn_blocking;

use super::config_file::{evict, read_from_disks, ConfigFile, BYTES};
use crate::executors::{ours, tokio_multi_thread};

/// How long files are read before the measurement, until the runtime has
/// settled and the CPU's caches hold the code.
const LEAD_IN: Duration = Duration::from_millis(10);

/// How often our executor's monitor checks for stuck threads.
const LOOKS: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(super) struct Took {
    pub(super) times: Vec<Duration>,
    /// The CPU time that the whole process used.
    cpu: Duration,
}

impl Took {
    pub(super) fn median(&self) -> f64 {
        let mut times = self.times.clone();
        let middle = times.len() / 2;
        times.select_nth_unstable(middle).1.as_nanos() as f64
    }

    pub(super) fn cpu_per_read(&self) -> f64 {
        self.cpu.as_nanos() as f64 / self.times.len() as f64
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Reads {
    pub(super) length: Duration,
    pub(super) cached: bool,
}

pub(super) fn directly(reads: Reads) -> Result<Took, String> {
    on_tokio(reads, |path| async { std::fs::read(path) })
}

/// Reads the file on a thread of Tokio's blocking pool, while the task awaits
/// the result.
pub(super) fn on_the_pool(reads: Reads) -> Result<Took, String> {
    on_tokio(reads, |path| async {
        let read = spawn_blocking(|| std::fs::read(path));
        read.await.expect("it does not panic")
    })
}

pub(super) fn by_tokio(reads: Reads) -> Result<Took, String> {
    on_tokio(reads, tokio::fs::read)
}

/// Reads the file on a thread of our executor, which would start another
/// thread if the read took long.
pub(super) fn by_ours(reads: Reads) -> Result<Took, String> {
    ours(Some(LOOKS))?
        .block_on(read(reads, |path| async { std::fs::read(path) }))
}

pub(super) fn by_monoio(reads: Reads) -> Result<Took, String> {
    on_a_ring(&runtimes::monoio::IO_URING, reads, monoio::fs::read)
}

pub(super) fn by_compio(reads: Reads) -> Result<Took, String> {
    on_a_ring(&runtimes::compio::DEFAULT, reads, compio::fs::read)
}

/// Reads the file through Glommio's ring and the kernel's page cache.
/// Glommio's own `DmaFile` bypasses the page cache.
pub(super) fn by_glommio(reads: Reads) -> Result<Took, String> {
    on_a_ring(&runtimes::glommio::UNBOUND, reads, |path| async {
        let file = BufferedFile::open(path).await?;
        let content = file.read_at(0, BYTES).await?.to_vec();
        file.close().await?;
        Ok(content)
    })
}

fn on_a_ring<Done>(
    runtime: &LocalRuntime,
    reads: Reads,
    by: fn(PathBuf) -> Done,
) -> Result<Took, String>
where
    Done: Future<Output = io::Result<Vec<u8>>> + 'static,
{
    let (tell, told) = channel();
    // An error is ignored: if the receiver is gone, the measurement has
    // already failed.
    let task = move || async move {
        let _ = tell.send(read(reads, by).await);
    };
    runtime.run(Box::new(move || Box::pin(task())));
    told.recv().map_err(|_| "the task ended without a word")?
}

fn on_tokio<Done>(reads: Reads, by: fn(PathBuf) -> Done) -> Result<Took, String>
where
    Done: Future<Output = io::Result<Vec<u8>>> + Send + 'static,
{
    let runtime = tokio_multi_thread()?;
    let task = runtime.spawn(read(reads, by));
    runtime.block_on(task).expect("the task does not panic")
}

/// Reads the file repeatedly. Returns only the reads after the first
/// [`LEAD_IN`].
async fn read<Done>(
    reads: Reads,
    by: fn(PathBuf) -> Done,
) -> Result<Took, String>
where
    Done: Future<Output = io::Result<Vec<u8>>>,
{
    let file = ConfigFile::new()?;
    read_for(LEAD_IN, &file, reads.cached, by).await?;
    read_for(reads.length, &file, reads.cached, by).await
}

async fn read_for<Done>(
    length: Duration,
    file: &ConfigFile,
    cached: bool,
    by: fn(PathBuf) -> Done,
) -> Result<Took, String>
where
    Done: Future<Output = io::Result<Vec<u8>>>,
{
    let (begun, before) = (Instant::now(), cpu_time()?);
    let from_disks = read_from_disks()?;
    let mut times = Vec::new();
    while times.is_empty() || begun.elapsed() < length {
        if !cached {
            evict(&file.path())?;
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
    let from_disks = read_from_disks()? - from_disks;
    if !cached && from_disks < times.len() as u64 {
        let reads = times.len();
        return Err(format!("only {from_disks} of {reads} reads were misses"));
    }
    Ok(Took { times, cpu: cpu_time()? - before })
}

pub(crate) fn cpu_time() -> Result<Duration, String> {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    time.map(Duration::from).map_err(|error| error.to_string())
}
