//! Experiments `latency` and `equal-rates`: how long requests wait that are
//! sent whether or not the server is ready for them.

use std::path::Path;

use harness::{Cell, Experiment};

use crate::echo;
use crate::echo::setting::{Cores, Setting};
use crate::serve::{servers, Server};

mod visit;

use visit::Rate;

/// The contenders, from the kernel alone to the two of the published
/// comparison.
const SERVERS: [&str; 5] = [
    "baseline, epoll",
    "tokio multi-thread",
    "tokio current_thread",
    "monoio epoll",
    "monoio io_uring",
];

/// Shares of a server's own capacity, in per cent.
const LOADS: [u32; 2] = [50, 95];

/// The share that a quick run measures, for two servers, and that has a twin.
const QUICK: (u32, [&str; 2]) = (50, ["baseline, epoll", "tokio multi-thread"]);

/// Requests per second, the same for all servers: about 20 and 50 % of the
/// capacity of the slowest of them on the machine for which they were chosen.
const RATES: [u32; 2] = [50_000, 120_000];

/// Returns open loops at shares of each server's own capacity. The loads of a
/// server form a group, since the question is how its tail grows with the load.
pub(crate) fn experiment(program: &Path) -> Experiment {
    let cells = LOADS.into_iter().flat_map(|percent| {
        contenders().map(move |server| {
            let rate = Rate::OfCapacity(f64::from(percent) / 100.0);
            let cell = open_loop(program, server, rate)
                .parameter("load_percent", i64::from(percent))
                .group(&server.name());
            let (quick, names) = QUICK;
            let is_quick = percent == quick;
            let cell = if is_quick { cell.twinned() } else { cell };
            if is_quick && names.contains(&&*server.name()) {
                cell
            } else {
                cell.full_only()
            }
        })
    });
    Experiment::new("latency", "latency p99", "baseline").cells(cells)
}

/// Returns open loops at rates that are the same for all servers, which form a
/// group at each rate.
pub(crate) fn equal_rates(program: &Path) -> Experiment {
    let cells = RATES.into_iter().flat_map(|rate| {
        contenders().map(move |server| {
            let cell = open_loop(program, server, Rate::Fixed(f64::from(rate)))
                .parameter("rate_per_second", i64::from(rate))
                .group(&format!("{rate} a second"))
                .full_only();
            // The claims are about this server.
            if server.name() == "tokio multi-thread" {
                cell.twinned()
            } else {
                cell
            }
        })
    });
    Experiment::new("equal-rates", "latency p99", "baseline").cells(cells)
}

fn contenders() -> impl Iterator<Item = &'static Server> {
    servers().iter().filter(|server| SERVERS.contains(&&*server.name()))
}

/// Away from its load, with the connections and messages of the centre.
fn open_loop(program: &Path, server: &'static Server, rate: Rate) -> Cell {
    let setting = Setting::centre(Cores::Apart);
    let path = program.to_owned();
    let take =
        move |window| visit::open_loop(&path, server, setting, rate, window);
    let cell =
        Cell::window(server.contender, visit::WINDOW, take).also(rate.also());
    // One visit per process: five in a full run, six in a quick one.
    echo::stated(cell, program, server, setting).in_sweep()
}
