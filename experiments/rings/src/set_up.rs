//! Experiments `set-up` and `rates`: the cost of io_uring with different
//! set-ups of its ring, in bare loops and in runtimes, and the time that a
//! request waits.
//!
//! The central setting is that of the chapter Thread per core: 100
//! connections, messages of 64 bytes, one in flight per connection, and a
//! core for the server alone. All servers here are processes of the same
//! kind, including those of `thread-per-core/echo`. What is new is the ring:
//!
//! | contender | as it comes | cooperative | deferred |
//! |---|---|---|---|
//! | bare loop | no flags | single issuer, `COOP_TASKRUN` | single issuer, `DEFER_TASKRUN`, which Thread per core has |
//! | Monoio | its default | the same by `uring_builder` | the same by `uring_builder` |
//! | compio | its default | the same and `TASKRUN_FLAG`, as its documentation says | the same by `ProactorBuilder` |
//! | Glommio | no flags, and no way to choose them | - | - |
//!
//! With 10,000 connections, a closed loop also reports how busy server and
//! load are: if both rest at times, the throughput is the capacity of
//! neither.
//!
//! A fourth bare loop, `multishot`, has a deferred ring, receives that
//! continue, and buffers that the ring provides. For comparison, there are a
//! bare loop and Monoio on epoll. Every ring has 1,024 entries, the default
//! of Monoio and of compio, which suffices for 100 connections with one
//! operation each. Glommio 0.9 has three rings per executor
//! (`src/sys/uring.rs`): two without flags, in which connections and timers
//! wait, and one for polled files; each has 128 entries. It reads and writes
//! by separate calls, and uses its ring only to wait until there is something
//! to read. The flags are used as the io-uring crate's documentation advises;
//! Monoio's documentation says only that the builder can be replaced, and
//! compio's repeats the advice.
//!
//! Deferred completions arrive when the thread waits for them. Monoio waits
//! like that when it parks, and only submits while tasks are ready. But a
//! task of an echo server is never ready after it has asked for its next
//! message, so that doesn't occur here.

use std::path::Path;

use harness::{raise_file_limit, room_for_files, Cell, Experiment};

use crate::arm::{arms, Arm};
use crate::visit::{
    self, AT_A_RATE, CONNECTIONS, DUE, IN_FLIGHT, MESSAGE_BYTES, QUANTITIES,
    WINDOW,
};

/// Two rates of experiment `thread-per-core/equal-rates`, in requests per
/// second. At the lower one, the server mostly waits; at the higher one, it
/// is busy.
pub(crate) const RATES: [u32; 2] = [50_000, 120_000];

/// A number of connections that exceeds the number of entries of a ring. It
/// is measured in a closed loop and at the lower rate.
const MANY: usize = 10_000;
const OF_MANY: [&str; 4] = [
    "baseline, none",
    "monoio epoll, none",
    "monoio io_uring, as it comes",
    "monoio io_uring, cooperative",
];

/// The servers that a quick run measures: in a closed loop, and at a fixed
/// rate.
const QUICK: [&str; 2] =
    ["monoio io_uring, as it comes", "monoio io_uring, deferred"];
const QUICK_AT_A_RATE: [&str; 4] = [
    "monoio epoll, none",
    "monoio io_uring, as it comes",
    "monoio io_uring, cooperative",
    "monoio io_uring, deferred",
];

/// Creates the experiment `set-up`, which measures throughput with closed
/// loops.
pub(crate) fn closed_loops(program: &Path) -> Experiment {
    let cell = |arm: &'static Arm, connections| {
        let path = program.to_owned();
        let take =
            move |window| visit::closed_loop(&path, arm, connections, window);
        let cell = Cell::window(arm.contender, WINDOW, take)
            .also(&QUANTITIES)
            .group(&format!("{connections} connections"));
        stated(cell, program, arm, connections)
    };
    let cells = arms().iter().map(|arm| {
        let cell = quick_or_full(cell(arm, CONNECTIONS), arm, &QUICK);
        // This server is measured twice, since claims compare the other
        // servers with it.
        if arm.name() == "monoio io_uring, as it comes" {
            cell.twinned()
        } else {
            cell
        }
    });
    Experiment::new("set-up", "throughput", "baseline")
        .cells(cells)
        .cells(of_many().map(|arm| cell(arm, MANY).full_only()))
}

/// Creates the experiment `rates`, which measures latency with open loops
/// whose rates are the same for all servers.
pub(crate) fn rates(program: &Path) -> Experiment {
    let cell = |arm: &'static Arm, connections, rate| {
        let path = program.to_owned();
        let take = move |window| {
            visit::open_loop(&path, arm, connections, rate, window)
        };
        let cell = Cell::window(arm.contender, DUE, take)
            .also(&AT_A_RATE)
            .parameter("rate_per_second", i64::from(rate))
            .group(&format!("{rate} a second, {connections} connections"));
        stated(cell, program, arm, connections)
    };
    let cells = RATES.into_iter().flat_map(|rate| {
        arms().iter().map(move |arm| {
            let cell = cell(arm, CONNECTIONS, rate);
            quick_or_full(cell, arm, &QUICK_AT_A_RATE)
        })
    });
    Experiment::new("rates", "latency p50", "baseline")
        .cells(cells)
        .cells(of_many().map(|arm| cell(arm, MANY, RATES[0]).full_only()))
}

/// Leaves `cell` out of quick runs, unless `quick` contains the name of its
/// server.
fn quick_or_full(cell: Cell, arm: &Arm, quick: &[&str]) -> Cell {
    if quick.contains(&&*arm.name()) {
        cell
    } else {
        cell.full_only()
    }
}

fn of_many() -> impl Iterator<Item = &'static Arm> {
    arms().iter().filter(|arm| OF_MANY.contains(&&*arm.name()))
}

/// Adds to `cell` the parameters that describe its server and its load, and
/// the requirements for running them.
pub(crate) fn stated(
    cell: Cell,
    program: &Path,
    arm: &'static Arm,
    connections: usize,
) -> Cell {
    let program = program.to_owned();
    cell.parameter("interface", arm.interface.name())
        .parameter("ring", arm.ring)
        .parameter("placement", "apart")
        .parameter("connections", connections as i64)
        .parameter("message_bytes", MESSAGE_BYTES as i64)
        .parameter("in_flight", IN_FLIGHT as i64)
        .needs(move || {
            // The server and the load each need one descriptor per
            // connection.
            raise_file_limit();
            room_for_files(connections as u64)
        })
        .needs(move || visit::start(&program, arm).map(drop))
        .in_sweep()
}
