//! Experiment `file-misses`: sixteen concurrent requests read small files,
//! and a share of the files is not in the page cache. How large must this
//! share be before it pays to hand reads over to other threads?
//!
//! All measurements change one parameter at a time, starting from a setting
//! in which the cache has all files.

use std::time::Duration;

use harness::{room_for_cores, Cell, Experiment, Measurement};
use measurement::Source;

mod config_files;
mod requests;

use crate::executors::WORKERS;
use crate::files::can_be_evicted;
pub(crate) use requests::{read_on_rings_of, Requests, Took};
use runtimes::monoio::IO_URING;

const WINDOW: Duration = Duration::from_millis(100);

const ALSO: [(&str, Source); 2] = [
    ("time per request", Source::Harness),
    ("CPU time per request", Source::Getrusage),
];

pub(crate) fn experiment() -> Experiment {
    let baseline = "tokio multi-thread";
    let cells = [0, 3, 10, 30, 60, 100].into_iter().flat_map(|percent| {
        let on_tokio = [
            cell(baseline, percent, requests::read_directly),
            cell("tokio spawn_blocking", percent, requests::read_on_the_pool),
        ];
        let on_rings = cell(IO_URING.name(), percent, requests::read_on_rings)
            .needs(|| IO_URING.start())
            .full_only();
        let is_quick = [10, 100].contains(&percent);
        let on_tokio =
            on_tokio.map(|cell| if is_quick { cell } else { cell.full_only() });
        on_tokio.into_iter().chain([on_rings])
    });
    Experiment::new("file-misses", ALSO[0].0, baseline).cells(cells)
}

pub(crate) fn cell(
    contender: &str,
    miss_percent: usize,
    read: fn(Requests) -> Result<Took, String>,
) -> Cell {
    let take = move |length| {
        let Took { requests, time, cpu_time } =
            read(Requests { length, miss_percent })?;
        let per_request = |of: Duration| of.as_nanos() as f64 / requests as f64;
        Ok(Measurement {
            answered: requests,
            elapsed: time,
            also: vec![per_request(time), per_request(cpu_time)],
            ..Measurement::default()
        })
    };
    Cell::window(contender, WINDOW, take)
        .also(&ALSO)
        .parameter("miss_percent", miss_percent as i64)
        .parameter("in_flight", requests::IN_FLIGHT as i64)
        .parameter("workers", WORKERS as i64)
        .needs(|| room_for_cores(WORKERS))
        .needs(can_be_evicted)
}
