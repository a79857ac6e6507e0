//! Experiment `files`: a request reads a small file, which nearly always is in the page
//! cache. How long does that take, read by the task itself or handed over, where it is
//! there and where it is not?

use harness::{Cell, Experiment};
use measurement::Source;

mod config_file;
mod readers;

use config_file::can_be_evicted;
use readers::{Reads, Took};
use runtimes::monoio::IO_URING;

/// How often the file is read in a visit.
const READS: usize = 200;

pub(crate) fn experiment() -> Experiment {
    let baseline = "tokio multi-thread";
    Experiment::new("files", "time per request", baseline)
        .cells(read(baseline, "std::fs::read", readers::directly))
        .cells(read(
            "tokio spawn_blocking",
            "std::fs::read",
            readers::on_the_pool,
        ))
        .cells(
            read(IO_URING.name(), "monoio::fs::read", readers::on_a_ring)
                .map(|cell| cell.needs(|| IO_URING.start())),
        )
}

/// Reads the file from the page cache, and past it.
fn read(
    contender: &str,
    call: &str,
    by: fn(Reads) -> Result<Took, String>,
) -> [Cell; 2] {
    let took = move |cached| by(Reads { count: READS, cached });
    let quantities = ["time per request", "CPU time per request"];
    let cached =
        Cell::once(contender, Source::Harness, &quantities, move || {
            let took = took(true)?;
            let cpu = took.cpu_per_read();
            Ok(vec![took.median(), cpu])
        });
    // To take a file out of the cache takes CPU time itself.
    let quantities = &quantities[..1];
    let uncached =
        Cell::once(contender, Source::Harness, quantities, move || {
            Ok(vec![took(false)?.median()])
        });
    [(cached, "yes"), (uncached.needs(can_be_evicted), "no")].map(
        |(cell, in_page_cache)| {
            cell.parameter("call", call)
                .parameter("in_page_cache", in_page_cache)
                .group("all")
        },
    )
}
