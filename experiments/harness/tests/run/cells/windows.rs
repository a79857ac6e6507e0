//! Test benchmarks that count requests in windows of time, with known counts.

use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use harness::{Cell, Experiment, Measurement};
use hdrhistogram::Histogram;
use measurement::Source::Harness;

use super::{hang, passed};

pub(crate) fn served() -> Experiment {
    fn plain(elapsed: Duration) -> Measurement {
        Measurement { answered: 1000, elapsed, ..Measurement::default() }
    }
    fn counts(duration: Duration) -> Measurement {
        thread::sleep(duration);
        let mut latencies = Histogram::new(3).expect("three digits");
        (1..=1000)
            .for_each(|latency| latencies.record(latency).expect("it grows"));
        Measurement {
            errors: 2,
            offered: Some(60_000.0),
            late: Some(3),
            latencies: Some(latencies),
            ..plain(duration)
        }
    }
    type Take = fn(Duration) -> Result<Measurement, String>;
    let cell =
        |name, take: Take| Cell::window(name, Duration::from_millis(20), take);
    let plainly: Take =
        |duration| Ok(Measurement { also: vec![0.5], ..plain(duration) });
    let hangs = cell("hangs serving", |_| hang());
    // Two kinds of windows, which alternate. Each window has a hundred
    // latencies.
    let in_turn = cell("serves in turn", |duration| {
        let windows = [[(10, 98), (90, 2)], [(20, 99), (30, 1)]];
        let mut latencies = Histogram::new(3).expect("three digits");
        for (latency, count) in windows[passed!() as usize % 2] {
            latencies.record_n(latency, count).expect("it grows");
        }
        Ok(Measurement { latencies: Some(latencies), ..plain(duration) })
    });
    // This benchmark isn't in the group of benchmarks that kill their
    // process.
    let at_times = cell("counts more at times", |duration| {
        Ok(if passed!() % 2 == 1 { counts } else { plain }(duration))
    });
    Experiment::new("served", "throughput", "serves")
        .cell(cell("serves", |duration| Ok(counts(duration))))
        .cell(
            cell("serves plainly", plainly)
                .also(&[("CPU time per request", Harness)]),
        )
        .cell(cell("serves nobody", |elapsed| {
            Ok(Measurement { errors: 7, elapsed, ..Measurement::default() })
        }))
        .cell(cell("refuses to serve", |_| Err("no waiter".to_owned())))
        .cell(cell("dies serving", |duration| match passed!() {
            1 => process::abort(),
            _ => Ok(counts(duration)),
        }))
        .cell(at_times.group("alone"))
        .cell(in_turn.group("in turn"))
        .cell(hangs.time_limit(Duration::from_millis(300)).group("hangs"))
}
