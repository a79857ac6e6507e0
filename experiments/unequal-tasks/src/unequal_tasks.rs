//! Experiment `unequal-tasks`: requests arrive at random times, each on one
//! of a hundred connections. How long do they wait if each worker serves its
//! own connections, and how long if workers share the connections? The
//! requests are equal first; then a tenth of them take fifty times as long as
//! the others. And how much of the wait is due to the kernel's placement of
//! the workers, compared with a fixed core for each?

use std::time::Duration;

use harness::{Cell, Experiment, Placement};
use measurement::Source;
use schedulers::Policy;

mod account;
mod binding;
pub mod connection;
pub(crate) mod formula;
mod ideal;
mod requests;
mod runtimes;
mod visit;
mod workers;

use ideal::Queues;
use requests::Requests;
use runtimes::Serve;
use visit::Load;

/// The duration of the window. Only requests that are due in the window are
/// measured.
const WINDOW: Duration = Duration::from_millis(500);

pub(crate) fn experiment() -> Experiment {
    let half = Setting { requests: Requests::Unequal, load_percent: 50 };
    let fifth = Setting { load_percent: 20, ..half };
    let equal = Setting { requests: Requests::Equal, ..half };
    Experiment::new("unequal-tasks", "waiting time mean", TOKIO.name)
        .cells(half.cells())
        .cells(fifth.cells().map(Cell::full_only))
        .cells(equal.cells().map(Cell::full_only))
        .cells(half.bound().map(Cell::full_only))
        .cells(equal.bound().map(Cell::full_only))
}

#[derive(Clone, Copy)]
struct Contender {
    name: &'static str,
    /// The value of the parameter `runtimes`: one runtime for all workers, or
    /// one per worker.
    runtimes: &'static str,
    serve: Serve,
}

const OURS_PINNED: Contender = Contender {
    name: Policy::Pinned.contender(),
    runtimes: "one",
    serve: runtimes::ours_pinned,
};

const OURS_STEALING: Contender = Contender {
    name: Policy::Stealing.contender(),
    runtimes: "one",
    serve: runtimes::ours_stealing,
};

const TOKIO_EACH: Contender = Contender {
    name: "tokio current_thread",
    runtimes: "one per worker",
    serve: runtimes::tokio_each,
};

const TOKIO: Contender = Contender {
    name: "tokio multi-thread",
    runtimes: "one",
    serve: runtimes::tokio,
};

/// The kind of requests, and the utilisation of the workers in percent.
#[derive(Clone, Copy)]
struct Setting {
    requests: Requests,
    load_percent: u32,
}

impl Setting {
    /// Measures all contenders. The kernel may move the workers between
    /// cores.
    fn cells(self) -> [Cell; 6] {
        let served = |contender| self.served(contender, Placement::AllCores);
        [
            self.ideal(Queues::OneEach),
            self.ideal(Queues::OneForAll),
            served(OURS_PINNED),
            served(OURS_STEALING).twinned(),
            served(TOKIO_EACH),
            served(TOKIO),
        ]
    }

    /// Measures the contenders whose workers cannot take over each other's
    /// tasks, with each worker pinned to a core.
    fn bound(self) -> [Cell; 2] {
        [OURS_PINNED, TOKIO_EACH]
            .map(|contender| self.served(contender, Placement::Neighbours))
    }

    fn served(self, contender: Contender, placement: Placement) -> Cell {
        let Contender { name, runtimes, serve } = contender;
        let load = self.load();
        let take = move |window| visit::take(serve, load, placement, window);
        let cell = Cell::window(name, WINDOW, take).also(&account::ALSO);
        self.stated(cell)
            .parameter("runtimes", runtimes)
            .placement(placement)
            .needs(workers::have_cores)
    }

    fn ideal(self, queues: Queues) -> Cell {
        let Load { requests, share } = self.load();
        let take = move || Ok(ideal::take(queues, requests, share).to_vec());
        let (source, told) = (Source::Simulation, ideal::QUANTITIES);
        self.stated(Cell::readings("baseline", source, &told, take))
            .parameter("queues", queues.name())
    }

    fn load(self) -> Load {
        let share = f64::from(self.load_percent) / 100.0;
        Load { requests: self.requests, share }
    }

    fn stated(self, cell: Cell) -> Cell {
        let (requests, load) = (self.requests.name(), self.load_percent);
        cell.parameter("requests", requests)
            .parameter("load_percent", i64::from(load))
            .group(&format!("{requests}, {load} %"))
    }
}
