//! Requests at once, each of which reads one file after the other, by whom it has them
//! read.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::task::{spawn, spawn_blocking};

use super::config_files::ConfigFiles;
use crate::executors::tokio_multi_thread;
use crate::files::cpu_time;

/// How many there are at once.
pub(super) const IN_FLIGHT: usize = 16;

/// What is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Requests {
    /// For how long.
    pub(super) length: Duration,
    /// Of a hundred files, how many are not in the page cache each time.
    pub(super) miss_percent: usize,
}

/// What reading came to, without what takes files out of the page cache.
#[derive(Debug, Default)]
pub(super) struct Took {
    pub(super) requests: u64,
    /// In which all of them were answered.
    pub(super) time: Duration,
    /// Of the whole process.
    pub(super) cpu_time: Duration,
}

/// A task reads itself.
pub(super) fn read_directly(requests: Requests) -> Result<Took, String> {
    on_tokio(requests, |path| async { std::fs::read(path) })
}

/// A thread of Tokio's pool reads, and the task awaits it.
pub(super) fn read_on_the_pool(requests: Requests) -> Result<Took, String> {
    on_tokio(requests, |path| async {
        let read = spawn_blocking(|| std::fs::read(path));
        read.await.expect("it does not panic")
    })
}

fn on_tokio<Done>(
    requests: Requests,
    by: fn(PathBuf) -> Done,
) -> Result<Took, String>
where
    Done: Future<Output = io::Result<Vec<u8>>> + Send + 'static,
{
    let runtime = tokio_multi_thread()?;
    let task = runtime.spawn(take(requests, by));
    runtime.block_on(task).expect("the task does not panic")
}

/// Reads all files again and again, and tells of all times but the first.
async fn take<Done>(
    requests: Requests,
    by: fn(PathBuf) -> Done,
) -> Result<Took, String>
where
    Done: Future<Output = io::Result<Vec<u8>>> + Send + 'static,
{
    let files = Arc::new(ConfigFiles::new()?);
    read_all(&files, by).await?;
    let begun = Instant::now();
    let mut took = Took::default();
    while took.requests == 0 || begun.elapsed() < requests.length {
        files.evict(requests.miss_percent)?;
        let (start, before) = (Instant::now(), cpu_time()?);
        read_all(&files, by).await?;
        took.time += start.elapsed();
        took.cpu_time += cpu_time()? - before;
        took.requests += files.len() as u64;
    }
    Ok(took)
}

/// Reads each file once.
async fn read_all<Done>(
    files: &Arc<ConfigFiles>,
    by: fn(PathBuf) -> Done,
) -> Result<(), String>
where
    Done: Future<Output = io::Result<Vec<u8>>> + Send + 'static,
{
    let next = Arc::new(AtomicUsize::new(0));
    let request =
        |_| spawn(read_in_turn(Arc::clone(files), Arc::clone(&next), by));
    let requests: Vec<_> = (0..IN_FLIGHT).map(request).collect();
    for request in requests {
        request.await.expect("no request panics")?;
    }
    Ok(())
}

/// Reads the next file that nobody has taken, until there is none.
async fn read_in_turn<Done>(
    files: Arc<ConfigFiles>,
    next: Arc<AtomicUsize>,
    by: fn(PathBuf) -> Done,
) -> Result<(), String>
where
    Done: Future<Output = io::Result<Vec<u8>>>,
{
    while let Some(file) = files.get(next.fetch_add(1, Relaxed)) {
        let content = by(file.path()).await;
        let content = content.map_err(|error| error.to_string())?;
        if !file.is(&content) {
            return Err("what was read is not what was written".to_owned());
        }
    }
    Ok(())
}
