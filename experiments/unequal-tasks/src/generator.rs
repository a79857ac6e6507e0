//! Experiment `generator`: how much of a request's wait the load generator
//! causes. The load generator is a third thread on two cores. Its CPU time is
//! measured, and a simulation takes this time into account.
//!
//! The setting is the centre of `unequal-tasks`: unequal requests that take
//! half of the workers' time.

use std::time::Duration;

use harness::{Cell, Experiment};
use measurement::Source;

// These modules belong to the experiment `unequal-tasks`, and are included by
// path. Renaming them there would make that experiment's data stale.
#[expect(dead_code)]
#[path = "unequal_tasks/account.rs"]
mod account;
#[expect(unreachable_pub)]
#[path = "unequal_tasks/connection.rs"]
mod connection;
#[path = "unequal_tasks/formula.rs"]
mod formula;
mod ideal;
#[expect(dead_code)]
#[path = "unequal_tasks/requests.rs"]
mod requests;
#[path = "unequal_tasks/runtimes.rs"]
mod runtimes;
mod setting;
mod visit;
#[path = "unequal_tasks/workers.rs"]
mod workers;

use ideal::{Generator, Queues};
use runtimes::Serve;
use setting::{LOAD_PERCENT, SHARE, TOKIO, WAIT};

/// The duration of the window. Only requests that are due in the window are
/// measured.
const WINDOW: Duration = Duration::from_millis(500);

pub(crate) fn experiment() -> Experiment {
    let served: [(&str, &str, Serve); 4] = [
        ("ours pinned", "one", runtimes::ours_pinned),
        ("ours stealing", "one", runtimes::ours_stealing),
        ("tokio current_thread", "one per worker", runtimes::tokio_each),
        (TOKIO, "one", runtimes::tokio),
    ];
    let served = served.into_iter().map(|(contender, runtimes, serve)| {
        let take = move |window| visit::take(serve, SHARE, window);
        let cell = Cell::window(contender, WINDOW, take).also(&visit::ALSO);
        let cell = stated(cell, "a thread")
            .parameter("runtimes", runtimes)
            .needs(workers::have_cores);
        if contender == TOKIO {
            cell.twinned()
        } else {
            cell
        }
    });
    let ideals = [Queues::OneForAll, Queues::OneEach].into_iter();
    let ideals = ideals.flat_map(|queues| {
        [Generator::Free, Generator::OnTheirCores].map(|generator| {
            let take =
                move || Ok(ideal::take(queues, generator, SHARE)?.to_vec());
            let told = ideal::QUANTITIES;
            let cell =
                Cell::readings("baseline", Source::Simulation, &told, take);
            let cell = match generator {
                Generator::Free => cell,
                Generator::OnTheirCores => {
                    cell.derived_from(vec![ideal::price_row()])
                }
            };
            stated(cell, generator.name())
                .parameter("queues", queues.name())
                .needs(workers::have_cores)
        })
    });
    Experiment::new("generator", WAIT, TOKIO)
        .cells(served)
        .cells(ideals.map(Cell::full_only))
}

fn stated(cell: Cell, generator: &str) -> Cell {
    cell.parameter("generator", generator)
        .parameter("requests", "unequal")
        .parameter("load_percent", LOAD_PERCENT)
        .group("unequal, 50 %")
}
