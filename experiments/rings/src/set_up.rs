//! Experiments `set-up` and `rates`: what io_uring costs by how its ring is
//! set up, in bare loops and in runtimes, and what a request waits for it.
//!
//! The centre is that of Thread per core: 100 connections, messages of 64 bytes, one under way on
//! each, and a core for the server alone. All servers here are processes of the same
//! kind, those of `thread-per-core/echo` among them; what is new is the ring:
//!
//! | contender | as it comes | cooperative | deferred |
//! |---|---|---|---|
//! | bare loop | no flags | single issuer, `COOP_TASKRUN` | single issuer, `DEFER_TASKRUN`, which Thread per core has |
//! | Monoio | its default | the same by `uring_builder` | the same by `uring_builder` |
//! | compio | its default | the same and `TASKRUN_FLAG`, as its documentation says | the same by `ProactorBuilder` |
//! | Glommio | no flags, and nothing to choose them by | - | - |
//!
//! With 10,000 connections, a closed loop tells as well how busy server and load are:
//! where both rest at times, its throughput is nobody's capacity.
//!
//! A fourth bare loop, `multishot`, has a deferred ring, receives that go on, and buffers
//! that the ring provides. Beside them stand a bare loop and Monoio on epoll. Every ring has 1,024 entries, which
//! is the default of Monoio and of compio and suffices for 100 connections with one operation
//! each. Glommio 0.9 has three rings per executor (`src/sys/uring.rs`): two without
//! flags, in which connections and timers wait, and one for files that are polled; each has 128 entries. It
//! reads and writes by calls of their own, and asks its ring only when there is something to read. What the flags are for is the advice of the io-uring crate's documentation;
//! Monoio's says only that the builder can be replaced, compio's repeats it.
//!
//! Deferred completions come when the thread waits for them. Monoio waits so when it
//! parks, and only submits while tasks are ready; a task of an echo server is never
//! ready after it has asked for its next message, so that is never so here.

use std::path::Path;

use harness::{raise_file_limit, room_for_files, Cell, Experiment};

use crate::arm::{arms, Arm};
use crate::visit::{
    self, AT_A_RATE, CONNECTIONS, DUE, IN_FLIGHT, MESSAGE_BYTES, QUANTITIES,
    WINDOW,
};

/// Requests a second, of those that `thread-per-core/equal-rates` has: where the server
/// mostly waits, and where it is busy.
pub(crate) const RATES: [u32; 2] = [50_000, 120_000];

/// With many connections, in a closed loop and at the lower rate.
const MANY: usize = 10_000;
const OF_MANY: [&str; 4] = [
    "baseline, none",
    "monoio epoll, none",
    "monoio io_uring, as it comes",
    "monoio io_uring, cooperative",
];

/// In a closed loop and at a rate, what a quick run measures.
const QUICK: [&str; 2] =
    ["monoio io_uring, as it comes", "monoio io_uring, deferred"];
const QUICK_AT_A_RATE: [&str; 4] = [
    "monoio epoll, none",
    "monoio io_uring, as it comes",
    "monoio io_uring, cooperative",
    "monoio io_uring, deferred",
];

/// Closed loops.
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
        // What the claims compare others with.
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

/// Open loops at rates that are the same for all.
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

/// In all runs, or in full ones only.
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

/// With its parameters, and what it needs.
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
            // One for each connection, in the server as in the load.
            raise_file_limit();
            room_for_files(connections as u64)
        })
        .needs(move || visit::start(&program, arm).map(drop))
        .in_sweep()
}
