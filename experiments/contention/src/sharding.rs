//! Experiment `sharding`: a shared map, or one shard per core that only its
//! owner touches. A worker on each of two cores serves connections that ask
//! for one key after the other. What share of the keys must belong to the
//! asking core for shards to be worth it?

use std::time::Duration;

use harness::work::rounds_in;
use harness::{Cell, Experiment, Placement};

mod connection;
#[cfg(target_os = "linux")]
mod on_glommio;
mod on_tokio;
mod requests;
mod visit;

use connection::Load;
use on_tokio::Driver;
use requests::Mix;
use visit::Worker;

const WINDOW: Duration = Duration::from_millis(150);

/// The percentages of operations that ask for a key owned by the asking core.
const LOCAL: [u32; 7] = [0, 50, 80, 90, 95, 99, 100];

/// The values of [`LOCAL`] that a quick run measures.
const QUICK: [u32; 4] = [0, 80, 95, 100];

/// The percentages of local keys for which the other parameters (reads, work
/// and connections) are varied.
const VARIED_AT: [u32; 2] = [80, 95];

/// The default number of connections per core.
const IN_FLIGHT: usize = 16;

pub(crate) fn experiment() -> Experiment {
    let shares = LOCAL.into_iter().flat_map(|local| {
        let cells = Setting::at(local).cells();
        let is_quick = QUICK.contains(&local);
        cells.map(|cell| if is_quick { cell } else { cell.full_only() })
    });
    let varied = VARIED_AT.into_iter().flat_map(|local| {
        let setting = Setting::at(local);
        let read = Setting { reads: 95, ..setting };
        let working = Setting { work: Duration::from_micros(1), ..setting };
        let waking = setting.shards_on_tokio(NO_IO_DRIVER);
        read.cells().into_iter().chain(working.cells()).chain([waking])
    });
    let in_flight = [1, 64].into_iter().flat_map(|in_flight| {
        let setting = Setting { in_flight, ..Setting::at(80) };
        [setting.shards_on_tokio(OURS), setting.shards_on_glommio()]
    });
    Experiment::new("sharding", "time per operation", "std Mutex")
        .cells(shares)
        .cells(varied.chain(in_flight).map(Cell::full_only))
}

/// The runtime with everything that a server needs, and a runtime without an
/// I/O driver for comparison.
const OURS: (&str, Driver) = ("ours", Driver::Io);
const NO_IO_DRIVER: (&str, Driver) = ("without io", Driver::None);

#[derive(Clone, Copy)]
struct Setting {
    local: u32,
    reads: u32,
    work: Duration,
    in_flight: usize,
}

impl Setting {
    fn at(local: u32) -> Setting {
        let (reads, work, in_flight) = (50, Duration::ZERO, IN_FLIGHT);
        Setting { local, reads, work, in_flight }
    }

    fn cells(self) -> [Cell; 4] {
        [
            self.cell("std Mutex", OURS.0, on_tokio::mutex),
            self.cell("DashMap", OURS.0, on_tokio::dash_map),
            self.shards_on_tokio(OURS).twinned(),
            self.shards_on_glommio(),
        ]
    }

    fn shards_on_tokio(self, (arm, driver): (&str, Driver)) -> Cell {
        let workers = move |load: &Load| on_tokio::shards(load, driver);
        self.cell("tokio current_thread", arm, workers)
    }

    #[cfg(target_os = "linux")]
    fn shards_on_glommio(self) -> Cell {
        let glommio = runtimes::glommio::UNBOUND;
        self.cell(glommio.name(), OURS.0, on_glommio::shards)
            .needs(move || glommio.start())
    }

    #[cfg(not(target_os = "linux"))]
    fn shards_on_glommio(self) -> Cell {
        let glommio = runtimes::glommio::UNBOUND;
        self.cell(glommio.name(), OURS.0, |_| Vec::new())
            .needs(move || glommio.start())
    }

    fn cell(
        self,
        contender: &str,
        arm: &str,
        workers: impl Fn(&Load) -> Vec<Worker> + 'static,
    ) -> Cell {
        let Setting { local, reads, work, in_flight } = self;
        let take = move |window| {
            let load = Load {
                mix: Mix { local, reads },
                in_flight,
                rounds: rounds_in(work),
                phase: Default::default(),
            };
            visit::take(workers(&load), &load.phase, window)
        };
        Cell::window(contender, WINDOW, take)
            .also(&visit::ALSO)
            .parameter("arm", arm)
            .parameter("local_share", i64::from(local))
            .parameter("reads", i64::from(reads))
            .parameter("work_ns", work.as_nanos() as i64)
            .parameter("in_flight", in_flight as i64)
            .placement(Placement::Neighbours)
            .time_limit(Duration::from_secs(10))
    }
}
