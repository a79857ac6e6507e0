//! Experiments `latency` and `equal-rates`: how long requests wait for
//! answers if they are sent whether or not the server is ready for them.

use std::path::Path;

use harness::{Cell, Experiment};

use crate::echo;
use crate::echo::setting::{Cores, Setting};
use crate::serve::{servers, Server};

mod visit;

use visit::Rate;

/// The servers, from the one without a runtime to both servers of the
/// published comparison.
const SERVERS: [&str; 5] = [
    "baseline, epoll",
    "tokio multi-thread",
    "tokio current_thread",
    "monoio epoll",
    "monoio io_uring",
];

/// The rates of the load, in per cent of each server's own capacity.
const LOADS: [u32; 2] = [50, 95];

/// The rate that a quick run measures, in per cent of capacity, and the
/// servers that it measures at this rate. In every run, each benchmark at
/// this rate is measured twice, to show how much a server differs from
/// itself.
const QUICK: (u32, [&str; 2]) = (50, ["baseline, epoll", "tokio multi-thread"]);

/// Rates in requests per second, the same for all servers. They were chosen
/// as about 20 % and 50 % of the slowest server's capacity on one machine.
const RATES: [u32; 2] = [50_000, 120_000];

/// Creates the experiment with open loops whose rates are shares of each
/// server's own capacity. The loads of one server form a group, to show how
/// its tail latency grows with the load.
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

/// Creates the experiment with open loops whose rates are the same for all
/// servers. The servers form a group at each rate.
pub(crate) fn equal_rates(program: &Path) -> Experiment {
    let cells = RATES.into_iter().flat_map(|rate| {
        contenders().map(move |server| {
            let cell = open_loop(program, server, Rate::Fixed(f64::from(rate)))
                .parameter("rate_per_second", i64::from(rate))
                .group(&format!("{rate} a second"))
                .full_only();
            // This server is measured twice, since the book's claims are
            // about it.
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

/// Creates a benchmark that measures `server` in an open loop, with server
/// and load on separate cores.
fn open_loop(program: &Path, server: &'static Server, rate: Rate) -> Cell {
    let setting = Setting::centre(Cores::Apart);
    let path = program.to_owned();
    let take =
        move |window| visit::open_loop(&path, server, setting, rate, window);
    let cell =
        Cell::window(server.contender, visit::WINDOW, take).also(rate.also());
    // Each process measures this benchmark once. That makes five measurements
    // in a full run and six in a quick one.
    echo::stated(cell, program, server, setting).in_sweep()
}
