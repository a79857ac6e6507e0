//! What it costs to run a unit on a thread of its own.

use std::hint::black_box;

use harness::{Body, Cell, Chapter, Experiment};

/// What the page shows: a file a contender.
pub mod listings {
    pub mod baseline;
    pub mod std_thread;
}

/// The chapter's experiments.
pub fn chapter() -> Chapter {
    let (name, package) = (env!("CARGO_PKG_NAME"), env!("CARGO_MANIFEST_DIR"));
    Chapter::new(name, package, vec![units()])
}

/// Experiment `units`: run units that return their id, and add the ids up.
fn units() -> Experiment {
    Experiment::new("units", "time per unit", "baseline")
        .cell(cell("baseline", listings::baseline::sum_of_ids))
        .cell(cell("std::thread", listings::std_thread::sum_of_ids))
}

/// A contender at the only setting, and the answer that it has to give.
fn cell(contender: &str, sum_of_ids: fn(u64) -> u64) -> Cell {
    const UNITS: u64 = 10;
    let answer = UNITS * (UNITS - 1) / 2;
    let body = Body::here(move || move || sum_of_ids(black_box(UNITS)));
    Cell::new(contender, answer, body)
        .per(UNITS)
        .parameter("units", UNITS as i64)
}
