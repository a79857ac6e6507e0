//! Experiment `by-count`: the memory of processes with different numbers of
//! threads or tasks, to check that it grows linearly.

use std::path::Path;

use harness::{room_for_threads, Cell, Experiment};
use measurement::Source;
use runtimes::smol::GLOBAL as SMOL;
use runtimes::std_thread;
use runtimes::tokio::MULTI_THREAD;

use crate::wanted_units::{Units, STATES};

const QUANTITY: &str = "resident memory per process";

const COUNTS: [u64; 5] = [500, 1_000, 2_000, 4_000, 8_000];

pub(crate) fn experiment(program: &Path) -> Experiment {
    let contenders = [std_thread::NAME, MULTI_THREAD.name(), SMOL.name()];
    let cells = COUNTS.into_iter().flat_map(|units| {
        contenders.map(|contender| cell(program, contender, units))
    });
    Experiment::new("by-count", QUANTITY, std_thread::NAME).cells(cells)
}

fn cell(program: &Path, contender: &str, units: u64) -> Cell {
    let (program, of) =
        (program.to_owned(), Units::new(contender, units, STATES[0]));
    let take = move || {
        let report = of.in_a_process(&program)?;
        Ok(vec![report.resident_bytes as f64])
    };
    let cell = Cell::once(contender, Source::Harness, &[QUANTITY], take)
        .parameter("units", units as i64)
        .full_only();
    if contender == std_thread::NAME {
        cell.needs(move || room_for_threads(units))
    } else {
        // Measures tasks twice to show how much a benchmark differs from
        // itself. Threads would take longer.
        cell.twinned()
    }
}
