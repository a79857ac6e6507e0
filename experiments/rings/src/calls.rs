//! Experiment `calls`: how often a server calls the kernel per message, in a
//! closed loop and at a fixed rate. Nothing is timed.

use std::path::Path;
use std::time::Duration;

use harness::{Cell, Counter, Experiment, Measurement};
use measurement::Source;
use thread_per_core::serve::Running;

use crate::arm::{arms, Arm};
use crate::set_up::{stated, RATES};
use crate::visit::{ask, command_of, Asked, CONNECTIONS};

/// The servers whose system calls are counted: for each contender, one on
/// epoll and one on io_uring.
const ARMS: [&str; 4] = [
    "baseline, none",
    "baseline, cooperative",
    "monoio epoll, none",
    "monoio io_uring, cooperative",
];

const COUNTED: [Counter; 3] =
    [Counter::SystemCalls, Counter::EpollWaitCalls, Counter::IoUringEnterCalls];

const WINDOW: Duration = Duration::from_millis(400);

pub(crate) fn experiment(program: &Path) -> Experiment {
    let paces = [None].into_iter().chain(RATES.map(Some));
    let cells = paces.flat_map(|rate| {
        let counted = |arm: &&Arm| ARMS.contains(&&*arm.name());
        arms().iter().filter(counted).map(move |arm| cell(program, arm, rate))
    });
    Experiment::new("calls", "system calls per message", "baseline")
        .cells(cells)
}

fn cell(program: &Path, arm: &'static Arm, rate: Option<u32>) -> Cell {
    let pace = rate
        .map_or("closed loop".to_owned(), |rate| format!("{rate} per second"));
    let quantities = COUNTED.map(|counter| counter.quantity("message"));
    let also = quantities.each_ref().map(|it| (it.as_str(), Source::Counter));
    let (path, counted) = (program.to_owned(), quantities.clone());
    let take = move |window| {
        let asked = Asked { connections: CONNECTIONS, rate };
        let lasts = (window >= WINDOW).then_some(window);
        let mut running = start(&path, arm)?;
        let seen = ask(&path, &mut running, asked, lasts)?;
        let of = |call: &String| seen.a_message(|it| it.calls[call]);
        let also = counted.iter().map(of).collect();
        // Drops the latencies, since they mean nothing while a server counts
        // its system calls.
        Ok(Measurement { also, latencies: None, ..seen.load().into() })
    };
    let cell = Cell::window(arm.contender, WINDOW, take).also(&also);
    let path = program.to_owned();
    stated(cell, program, arm, CONNECTIONS)
        .parameter("pace", pace.as_str())
        .group(&pace)
        .full_only()
        .needs(move || start(&path, arm).map(drop))
}

fn start(program: &Path, arm: &Arm) -> Result<Running, String> {
    let mut command = command_of(program, arm)?;
    command.arg("--count-calls");
    Running::start(command)
}
