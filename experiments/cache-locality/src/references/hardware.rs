//! Counts memory reads and cache misses by the processor's own counters.

use std::fs;
use std::io;
use std::path::Path;
use std::time::Duration;

use host::cores::usable;
use perf_event::events::{Cache, CacheId, CacheOp, CacheResult};
use perf_event::{Builder, Counter};
use thread_per_core::load::{End, Pace};
use thread_per_core::serve::{command, Running, Server};

use crate::load_shape::{generated, LoadSpan};

/// The number of messages sent to the server while the processor's counters
/// run.
const MESSAGES: u64 = 20_000;

/// Reads from the first-level data cache in user mode.
const READS: Cache = Cache {
    which: CacheId::L1D,
    operation: CacheOp::READ,
    result: CacheResult::ACCESS,
};
/// Reads in user mode that missed the first-level data cache.
const MISSES: Cache = Cache { result: CacheResult::MISS, ..READS };

/// Checks that this process may read the processor's counters.
///
/// # Errors
///
/// If it may not. The error says what to change.
pub(super) fn can_count() -> Result<(), String> {
    let counters = [READS, MISSES].map(|event| Builder::new(event).build());
    counters.into_iter().try_for_each(|counter| counter.map(drop)).map_err(
        |error| {
            format!(
                "misses are counted by the processor alone, whose counters cannot be read \
                 here ({error}): most virtual machines have none; elsewhere, sudo sysctl \
                 kernel.perf_event_paranoid=2"
            )
        },
    )
}

/// Returns how often the server reads memory per message, and how often the
/// first-level cache misses.
///
/// # Errors
///
/// If the server or the load fails, or counting isn't possible.
pub(super) fn count(
    program: &Path,
    server: &Server,
    connections: usize,
) -> Result<Vec<f64>, String> {
    let command = command(program, server, usable()?.len(), &[]);
    let running = Running::start(command)?;
    let failed =
        |error| format!("the processor does not count for the server: {error}");
    let mut counters = counters_of(running.id()).map_err(failed)?;
    let end = End::Requests(MESSAGES);
    let span = LoadSpan { lead_in: Duration::ZERO, end };
    let mut enabled = Ok(());
    let answers =
        generated(running.address(), connections, Pace::Closed, span, || {
            let mut all = counters.iter_mut().flatten();
            enabled = all.try_for_each(Counter::enable);
        })?;
    enabled.map_err(failed)?;
    // When the load ends, each connection still has a message in flight.
    // These messages are counted too.
    let messages = (answers.answered + connections as u64) as f64;
    let mut counts = [0; 2];
    for of_thread in &mut counters {
        for (count, counter) in counts.iter_mut().zip(of_thread) {
            *count += counter.read().map_err(failed)?;
        }
    }
    Ok(counts.map(|count| count as f64 / messages).to_vec())
}

/// Opens counters of [`READS`] and [`MISSES`] for each thread of a process,
/// and for all threads that the process starts later.
fn counters_of(process: u32) -> io::Result<Vec<[Counter; 2]>> {
    let mut counters = Vec::new();
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let name = thread?.file_name();
        let Some(thread) = name.to_str().and_then(|id| id.parse().ok()) else {
            continue;
        };
        let of_thread = |event: Cache| {
            Builder::new(event).observe_pid(thread).inherit(true).build()
        };
        counters.push([of_thread(READS)?, of_thread(MISSES)?]);
    }
    Ok(counters)
}
