//! Experiment `files`: a request reads a small file that is nearly always in
//! the page cache. How long does that take, on the task's own thread or on
//! another, with the file in the cache or not?

use std::time::Duration;

use harness::{Cell, Experiment, Measurement};
use measurement::Source;

mod config_file;
mod readers;

pub(crate) use config_file::{can_be_evicted, evict, read_from_disks, BYTES};
pub(crate) use readers::cpu_time;
use readers::{Reads, Took};
use runtimes::LocalRuntime;

const WINDOW: Duration = Duration::from_millis(50);

const TIME: (&str, Source) = ("time per request", Source::Harness);
const CPU_TIME: (&str, Source) = ("CPU time per request", Source::Getrusage);

pub(crate) fn experiment() -> Experiment {
    let baseline = "tokio multi-thread";
    let on_the_pool = "tokio spawn_blocking";
    Experiment::new("files", TIME.0, baseline)
        .cells(read(baseline, "std::fs::read", readers::directly))
        .cells(read(on_the_pool, "std::fs::read", readers::on_the_pool))
        .cells(read(on_the_pool, "tokio::fs::read", readers::by_tokio))
        .cells(read("ours noticing", "std::fs::read", readers::by_ours))
        .cells(on_a_ring(
            runtimes::monoio::IO_URING,
            "monoio::fs::read",
            readers::by_monoio,
        ))
        .cells(on_a_ring(
            runtimes::compio::DEFAULT,
            "compio::fs::read",
            readers::by_compio,
        ))
        .cells(on_a_ring(
            runtimes::glommio::UNBOUND,
            "BufferedFile::read_at",
            readers::by_glommio,
        ))
}

fn on_a_ring(
    runtime: LocalRuntime,
    call: &str,
    by: fn(Reads) -> Result<Took, String>,
) -> [Cell; 2] {
    read(runtime.name(), call, by)
        .map(|cell| cell.needs(move || runtime.start()))
}

/// Creates two measurements: one reads the file from the page cache, the
/// other from the disk.
fn read(
    contender: &str,
    call: &str,
    by: fn(Reads) -> Result<Took, String>,
) -> [Cell; 2] {
    let window = |cached, quantities: &[_]| {
        let tells_cpu = quantities.contains(&CPU_TIME);
        let take = move |length| {
            let took = by(Reads { length, cached })?;
            let mut also = vec![took.median()];
            if tells_cpu {
                also.push(took.cpu_per_read());
            }
            Ok(Measurement {
                answered: took.times.len() as u64,
                elapsed: took.times.iter().sum(),
                also,
                ..Measurement::default()
            })
        };
        Cell::window(contender, WINDOW, take).also(quantities)
    };
    let cached = window(true, &[TIME, CPU_TIME]);
    // For an uncached file, no CPU time is reported, because it would include
    // the eviction.
    let uncached = window(false, &[TIME]).needs(can_be_evicted);
    [(cached, "yes"), (uncached, "no")].map(|(cell, in_page_cache)| {
        cell.parameter("call", call)
            .parameter("in_page_cache", in_page_cache)
            .group(&format!("in the page cache: {in_page_cache}"))
    })
}
