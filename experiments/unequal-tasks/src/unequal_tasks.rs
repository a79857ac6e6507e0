//! Experiment `unequal-tasks`: requests come at random instants, each for one of a
//! hundred connections. How long do they wait if each worker serves connections of its
//! own, and how long if workers share them? Once all requests take as long, and once a
//! tenth of them take fifty times as long as the others.

use std::time::Duration;

use harness::{Cell, Experiment};
use measurement::Source;
use schedulers::Policy;

pub mod connection;
mod ideal;
mod requests;
mod runtimes;
mod visit;
mod workers;

use ideal::Queues;
use requests::Requests;
use runtimes::Serve;

/// For how long requests are due that count.
const WINDOW: Duration = Duration::from_millis(500);

/// What a window tells beside latencies: how late tasks begin with their requests, how
/// long a request takes them and which share of the workers' time all do, and how late
/// the generator itself takes requests up.
const ALSO: [(&str, Source); 4] = [
    ("lateness mean", Source::Harness),
    ("time per request", Source::Harness),
    ("share of time", Source::Harness),
    ("lateness of the generator", Source::Harness),
];

pub(crate) fn experiment() -> Experiment {
    Experiment::new("unequal-tasks", "lateness mean", "tokio multi-thread")
        .cells(cells(Requests::Unequal, 50))
        .cells(cells(Requests::Unequal, 20).map(Cell::full_only))
        .cells(cells(Requests::Equal, 50).map(Cell::full_only))
}

/// All contenders, where requests take so many per cent of the workers' time.
fn cells(requests: Requests, load: u32) -> [Cell; 6] {
    let share = f64::from(load) / 100.0;
    let stated = |cell: Cell| {
        cell.parameter("requests", requests.name())
            .parameter("load_percent", i64::from(load))
            .group(&format!("{}, {load} %", requests.name()))
    };
    let served = |name: &str, runtimes: &str, serve: Serve| {
        let take = move |window| visit::take(serve, requests, share, window);
        let cell = Cell::window(name, WINDOW, take).also(&ALSO);
        stated(cell).parameter("runtimes", runtimes).needs(workers::have_cores)
    };
    let ideal = |queues: Queues| {
        let take = move |_| Ok(ideal::take(queues, requests, share));
        let cell = Cell::window("baseline", WINDOW, take).also(&ALSO[..3]);
        stated(cell).parameter("queues", queues.name())
    };
    [
        ideal(Queues::OneEach),
        ideal(Queues::OneForAll),
        served(Policy::Pinned.contender(), "one", runtimes::ours_pinned),
        served(Policy::Stealing.contender(), "one", runtimes::ours_stealing)
            .twinned(),
        served("tokio current_thread", "one per worker", runtimes::tokio_each),
        served("tokio multi-thread", "one", runtimes::tokio),
    ]
}
