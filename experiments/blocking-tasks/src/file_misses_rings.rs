//! Experiment `file-misses-rings`: reads the files of `file-misses` through
//! two Monoio rings. All files are in the page cache, or none is, and the
//! rings are set up in three ways.

use harness::{Cell, Experiment};
use runtimes::monoio::IO_URING;
use runtimes::ring_of_monoio::{builder, Completions};

use crate::file_misses::{cell, read_on_rings_of, Requests, Took};

/// The number of submission entries of a ring, which is Monoio's default.
const ENTRIES: u32 = 1_024;

type Read = fn(Requests) -> Result<Took, String>;

/// The ways to set up the rings: the value of the parameter `set_up`, and the
/// function that reads the files.
const SET_UPS: [(&str, Read); 3] = [
    (DEFAULTS, |requests| {
        read_on_rings_of(requests, || builder(ENTRIES, Completions::Interrupt))
    }),
    ("cooperative", |requests| {
        read_on_rings_of(requests, || builder(ENTRIES, Completions::Cooperate))
    }),
    ("deferred", |requests| {
        read_on_rings_of(requests, || builder(ENTRIES, Completions::Wait))
    }),
];
const DEFAULTS: &str = "defaults";

pub(crate) fn experiment() -> Experiment {
    let cells = [0, 100].into_iter().flat_map(|percent| {
        SET_UPS.map(|(set_up, read)| {
            let cell = of(percent, set_up, read);
            if set_up == DEFAULTS && percent == 0 {
                cell.twinned()
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("file-misses-rings", "time per request", IO_URING.name())
        .cells(cells)
}

fn of(percent: usize, set_up: &str, read: Read) -> Cell {
    cell(IO_URING.name(), percent, read)
        .parameter("set_up", set_up)
        .group(&format!("{percent} of 100 miss"))
        .needs(|| IO_URING.start())
}
