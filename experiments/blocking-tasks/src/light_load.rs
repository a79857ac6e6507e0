//! Experiment `light-load`: a connection with so few requests that one thread
//! can answer them all. How much CPU time does a request take with one
//! thread, with two permanent threads, and with a second thread that joins
//! only when needed?
//!
//! The measurements change one parameter at a time, starting from 1,000
//! requests per second.

use std::time::Duration;

use harness::{room_for_cores, Cell, Experiment};
use measurement::Source;

mod serve;
mod used;
mod visit;

use crate::executors::WORKERS;
use serve::{on_current_thread, on_multi_thread, on_ours, on_smol, Serve};

const WINDOW: Duration = Duration::from_millis(250);

const RATE: i64 = 1_000;
const LOW_RATE: i64 = 100;

/// The usual interval between two checks of our executor's monitor, in
/// microseconds.
const LOOKS: i64 = 1_000;

pub(crate) fn experiment() -> Experiment {
    let looks = [
        Server::OURS.looking(on_ours::<{ LOOKS / 10 }>, LOOKS / 10),
        Server::OURS.looking(on_ours::<{ LOOKS * 10 }>, LOOKS * 10),
    ];
    let [one, two, smol, ours, unwatched, alone] = SERVERS;
    Experiment::new("light-load", visit::CPU_TIME, one.contender)
        .cells([one, two, ours, unwatched].map(|server| server.asked(RATE)))
        .cells([smol, alone].map(|server| server.asked(RATE).full_only()))
        .cells(SERVERS.map(|server| server.asked(LOW_RATE).full_only()))
        .cells(looks.map(|server| server.asked(RATE).full_only()))
        .cells([two, ours].map(Server::idle))
}

const SERVERS: [Server; 6] = [
    Server {
        workers: 1,
        ..Server::new("tokio current_thread", on_current_thread)
    },
    Server::new("tokio multi-thread", on_multi_thread),
    Server::new("smol", on_smol),
    Server::OURS.looking(on_ours::<LOOKS>, LOOKS),
    // Of the next two servers, one shows the cost of the monitor, the other
    // the effect of the second thread.
    Server { arm: Some("no monitor"), ..Server::OURS },
    Server {
        arm: Some("one thread"),
        workers: 1,
        serve: serve::on_one_of_ours,
        ..Server::OURS
    },
];

#[derive(Clone, Copy)]
struct Server {
    contender: &'static str,
    workers: usize,
    serve: Serve,
    arm: Option<&'static str>,
    /// The interval between the monitor's checks, in microseconds; `None`
    /// without a monitor.
    looks: Option<i64>,
}

impl Server {
    const OURS: Server = Server::new("ours noticing", on_ours::<0>);

    const fn new(contender: &'static str, serve: Serve) -> Server {
        let workers = WORKERS;
        Server { contender, workers, serve, arm: None, looks: None }
    }

    const fn looking(self, serve: Serve, micros: i64) -> Server {
        Server { serve, arm: Some("ours"), looks: Some(micros), ..self }
    }

    fn asked(self, rate: i64) -> Cell {
        let serve = self.serve;
        let take = move |window| visit::take(serve, rate as f64, window);
        let cell = Cell::window(self.contender, WINDOW, take);
        let cell = self.stated(cell.also(&visit::ALSO), rate);
        match self.contender {
            "tokio multi-thread" => cell.twinned(),
            _ => cell,
        }
    }

    fn idle(self) -> Cell {
        let serve = self.serve;
        let take = move || visit::take_idle(serve);
        let source = Source::Getrusage;
        let cell = Cell::once(self.contender, source, &visit::IDLE, take);
        self.stated(cell, 0)
    }

    fn stated(self, cell: Cell, rate: i64) -> Cell {
        let mut cell = cell
            .parameter("workers", self.workers as i64)
            .parameter("rate", rate)
            .group(&format!("{rate} a second"))
            .needs(|| room_for_cores(WORKERS));
        if let Some(arm) = self.arm {
            cell = cell.parameter("arm", arm);
        }
        if let Some(micros) = self.looks {
            cell = cell.parameter("threshold_ns", micros * 1_000);
        }
        cell
    }
}
