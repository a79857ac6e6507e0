//! Experiment `http-runtimes`: HTTP servers that share all cores with their
//! load, with one runtime per core and with one runtime. If Monoio is slower
//! there than Tokio, is it because of the runtime, or because there is one
//! per core?

use std::path::Path;

use harness::{Cell, Experiment};

use crate::http::{
    closed_loop_of, stated, Setting, OF_LOAD, OF_SERVER, SHARED, TWINNED,
    WINDOW,
};
use crate::serve::{command, http_servers, Running, Server};

/// The servers: one has a single runtime (Tokio's multi-thread runtime, with
/// one worker or several), the others have one runtime per worker.
const SERVERS: [&str; 3] =
    [TWINNED, "http tokio current_thread", ONE_WORKER_IN_QUICK];
const ONE_WORKER_IN_QUICK: &str = "http monoio epoll";

/// The number of workers of a server. Even a single worker may run on all
/// cores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Workers {
    OnePerCore,
    One,
}

impl Workers {
    fn name(self) -> &'static str {
        match self {
            Workers::OnePerCore => "one per core",
            Workers::One => "one",
        }
    }
}

/// The central setting, followed by two settings that change one thing each:
/// the number of workers or the number of load threads.
const SETTINGS: [(Setting, Workers); 3] = [
    (SHARED, Workers::OnePerCore),
    (SHARED, Workers::One),
    (Setting { load_threads: 2, ..SHARED }, Workers::OnePerCore),
];

pub(crate) fn experiment(program: &Path) -> Experiment {
    let is_one = |server: &&Server| SERVERS.contains(&&*server.name());
    let cells = http_servers().iter().filter(is_one).flat_map(|server| {
        SETTINGS.map(|(setting, workers)| {
            let cell = cell(program, server, setting, workers);
            let is_centre = (setting, workers) == SETTINGS[0];
            match &*server.name() {
                TWINNED if is_centre => cell.twinned(),
                ONE_WORKER_IN_QUICK if workers == Workers::One => cell,
                _ if is_centre => cell,
                _ => cell.full_only(),
            }
        })
    });
    Experiment::new("http-runtimes", "throughput", "tokio multi-thread")
        .cells(cells)
}

fn cell(
    program: &Path,
    server: &'static Server,
    setting: Setting,
    workers: Workers,
) -> Cell {
    let path = program.to_owned();
    let take = move |window| {
        let on = setting.cores.of_server()?;
        let count = match workers {
            Workers::OnePerCore => on.len(),
            Workers::One => 1,
        };
        let running = Running::start(command(&path, server, count, &on))?;
        closed_loop_of(running, &path, setting, window)
    };
    let cell = Cell::window(server.contender, WINDOW, take)
        .also(&OF_SERVER)
        .also(&[OF_LOAD]);
    let cell = stated(cell, program, server, setting);
    let cell = match workers {
        Workers::OnePerCore => cell,
        Workers::One => cell.parameter("runtimes", "one"),
    };
    cell.parameter("workers", workers.name()).group("all")
}
