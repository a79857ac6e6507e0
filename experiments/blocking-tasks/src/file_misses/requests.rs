//! Runs concurrent requests, each of which reads one file after another.
//! There are several ways to read.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use monoio::{IoUringDriver, RuntimeBuilder};
use tokio::task::spawn_blocking;

use super::config_files::ConfigFiles;
use crate::executors::{tokio_multi_thread, WORKERS};
use crate::files::{cpu_time, read_from_disks};

pub(super) const IN_FLIGHT: usize = 16;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Requests {
    pub(super) length: Duration,
    /// The percentage of files to evict from the page cache before each
    /// round.
    pub(super) miss_percent: usize,
}

/// The number of files read, and the time that this took, excluding eviction.
#[derive(Debug, Default)]
pub(crate) struct Took {
    pub(super) requests: u64,
    pub(super) time: Duration,
    /// The CPU time that the whole process used during the requests.
    pub(super) cpu_time: Duration,
}

pub(super) fn read_directly(requests: Requests) -> Result<Took, String> {
    on_tokio(requests, |path| async { std::fs::read(path) })
}

/// Reads each file on a thread of Tokio's blocking pool, while the task
/// awaits the result.
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
    read_again_and_again(requests, |round| {
        let request = |_| runtime.spawn(read_in_turn(Arc::clone(&round), by));
        let requests: Vec<_> = (0..IN_FLIGHT).map(request).collect();
        runtime.block_on(async {
            for request in requests {
                request.await.expect("no request panics")?;
            }
            Ok(())
        })
    })
}

/// Reads the files through Monoio's io_uring, on one thread per worker.
pub(super) fn read_on_rings(requests: Requests) -> Result<Took, String> {
    read_on_rings_of(requests, RuntimeBuilder::new)
}

pub(crate) fn read_on_rings_of(
    requests: Requests,
    builder: fn() -> RuntimeBuilder<IoUringDriver>,
) -> Result<Took, String> {
    let (ended, ends) = channel();
    thread::scope(|scope| {
        let threads = [(); WORKERS].map(|()| {
            let (begin, rounds) = channel::<Arc<Round>>();
            let ended = ended.clone();
            scope.spawn(move || {
                let mut ring = match builder().build() {
                    Ok(ring) => ring,
                    Err(why) => {
                        return drop(ended.send(Err(runtimes::no_ring(why))));
                    }
                };
                for round in rounds {
                    let read = ring.block_on(read_on_a_ring(round));
                    // An error is ignored: if the receiver is gone, the
                    // measurement has already failed.
                    let _ = ended.send(read);
                }
            });
            begin
        });
        drop(ended);
        read_again_and_again(requests, |round| {
            let is_gone = |_| {
                let why = ends.try_iter().find_map(Result::err);
                why.unwrap_or_else(|| "a thread has ended".to_owned())
            };
            for begin in &threads {
                begin.send(Arc::clone(&round)).map_err(is_gone)?;
            }
            for _ in &threads {
                ends.recv().map_err(|_| "all threads have ended")??;
            }
            Ok(())
        })
    })
}

/// Reads files on one of the Monoio threads until none is left.
async fn read_on_a_ring(round: Arc<Round>) -> Result<(), String> {
    let request =
        |_| monoio::spawn(read_in_turn(Arc::clone(&round), monoio::fs::read));
    let requests: Vec<_> = (0..IN_FLIGHT / WORKERS).map(request).collect();
    for request in requests {
        request.await?;
    }
    Ok(())
}

#[derive(Debug)]
struct Round {
    files: Arc<ConfigFiles>,
    next: AtomicUsize,
}

/// Reads all files several times over, and adds up the times of all passes
/// except the first.
fn read_again_and_again(
    requests: Requests,
    mut read_all: impl FnMut(Arc<Round>) -> Result<(), String>,
) -> Result<Took, String> {
    let files = ConfigFiles::of_this_thread()?;
    let round =
        || Arc::new(Round { files: Arc::clone(&files), next: 0.into() });
    read_all(round())?;
    let begun = Instant::now();
    let mut took = Took::default();
    while took.requests == 0 || begun.elapsed() < requests.length {
        let out = files.evict(requests.miss_percent)?;
        let from_disks = read_from_disks()?;
        let (start, before) = (Instant::now(), cpu_time()?);
        read_all(round())?;
        took.time += start.elapsed();
        took.cpu_time += cpu_time()? - before;
        let from_disks = read_from_disks()? - from_disks;
        if from_disks < out {
            return Err(format!("only {from_disks} of {out} were misses"));
        }
        took.requests += files.len() as u64;
    }
    Ok(took)
}

async fn read_in_turn<Done>(
    round: Arc<Round>,
    by: fn(PathBuf) -> Done,
) -> Result<(), String>
where
    Done: Future<Output = io::Result<Vec<u8>>>,
{
    let Round { files, next } = &*round;
    while let Some(file) = files.get(next.fetch_add(1, Relaxed)) {
        let content = by(file.path()).await;
        let content = content.map_err(|error| error.to_string())?;
        if !file.is(&content) {
            return Err("what was read is not what was written".to_owned());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Covers a machine on which the limit on locked memory allows a ring for
    /// only one thread.
    #[test]
    fn a_thread_without_a_ring_says_so_and_nobody_waits_for_it() {
        static BUILT: AtomicUsize = AtomicUsize::new(0);
        let one_of_them_fails = || {
            // The kernel refuses to create a ring with so many entries.
            let many = u32::MAX / 2;
            let entries = [256, many][BUILT.fetch_add(1, Relaxed).min(1)];
            RuntimeBuilder::<IoUringDriver>::new().with_entries(entries)
        };
        let (ended, ends) = channel();
        thread::spawn(move || {
            let length = Duration::from_millis(1);
            let requests = Requests { length, miss_percent: 0 };
            let read = read_on_rings_of(requests, one_of_them_fails);
            ended.send(read.map(|took| took.requests))
        });
        let patience = Duration::from_secs(60);
        let why = ends.recv_timeout(patience).unwrap().unwrap_err();
        assert!(why.contains(runtimes::NOT_BUILT), "{why}");
    }
}
