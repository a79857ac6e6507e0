//! Experiment `http-rings`: the HTTP servers on io_uring, each with its
//! default ring, a cooperative one and a deferred one. As in one setting of
//! experiment `http`, the server has a core to itself.

use std::path::Path;

use compio::driver::ProactorBuilder;
use harness::{raise_file_limit, room_for_files, Cell, Experiment};
use measurement::Source;
use runtimes::no_ring;
use runtimes::ring_of_monoio::{self, Completions};

use crate::echo::setting::Cores;
use crate::http::{closed_loop_of, Setting, OF_SERVER, SHARED, WINDOW};
use crate::listings::http;
use crate::listings::http::answer::answer;
use crate::serve::Running;
use crate::server_process::{command, Place, Serves};

/// The first command-line argument that makes this chapter's program run one
/// of this experiment's servers.
pub(crate) const CALLED: &str = "http-rings";

/// The number of entries of a ring: the default of Monoio and compio.
const ENTRIES: u32 = 1_024;

const APART: Setting = Setting { cores: Cores::Apart, ..SHARED };

const MONOIO: &str = "monoio io_uring";

/// An HTTP server on a runtime whose ring is set up in one of several ways.
pub(crate) struct Server {
    contender: &'static str,
    ring: Completions,
    run: fn(Completions, Place) -> Result<(), String>,
}

pub(crate) static SERVERS: &[Server] = &[
    on_monoio(Completions::Interrupt),
    on_monoio(Completions::Cooperate),
    on_monoio(Completions::Wait),
    on_compio(Completions::Interrupt),
    on_compio(Completions::Cooperate),
    on_compio(Completions::Wait),
];

const fn on_monoio(ring: Completions) -> Server {
    Server { contender: MONOIO, ring, run: monoio }
}

const fn on_compio(ring: Completions) -> Server {
    Server { contender: "compio", ring, run: compio }
}

impl Server {
    fn set_up(&self) -> &'static str {
        match self.ring {
            Completions::Interrupt => "defaults",
            Completions::Cooperate => "cooperative",
            Completions::Wait => "deferred",
        }
    }
}

impl Serves for Server {
    fn name(&self) -> String {
        format!("{}, {}", self.contender, self.set_up())
    }

    fn has_workers(&self) -> bool {
        false
    }

    fn is_pinned(&self) -> bool {
        // The server has only one core, so there is nothing to pin.
        false
    }

    fn serve(&self, place: Place) -> Result<(), String> {
        (self.run)(self.ring, place)
    }
}

pub(crate) fn experiment(program: &Path) -> Experiment {
    let cells = SERVERS.iter().map(|server| {
        let cell = cell(program, server);
        match (server.contender, server.ring) {
            (MONOIO, Completions::Interrupt) => cell.twinned(),
            (MONOIO, Completions::Cooperate) => cell,
            _ => cell.full_only(),
        }
    });
    Experiment::new("http-rings", "throughput", MONOIO).cells(cells)
}

fn cell(program: &Path, server: &'static Server) -> Cell {
    let Setting { cores, connections, load_threads } = APART;
    let start = move |program: &Path| {
        let on = cores.of_server()?;
        Running::start(command(program, CALLED, server, &on))
    };
    let path = program.to_owned();
    let take =
        move |window| closed_loop_of(start(&path)?, &path, APART, window);
    let path = program.to_owned();
    Cell::window(server.contender, WINDOW, take)
        .also(&OF_SERVER)
        .also(&[("CPU share of empty polls", Source::Harness)])
        .parameter("set_up", server.set_up())
        .parameter("placement", cores.name())
        .parameter("connections", connections as i64)
        .parameter("load_threads", load_threads as i64)
        .group("all")
        .needs(move || {
            // The server and the load each need one descriptor per
            // connection.
            raise_file_limit();
            room_for_files(connections as u64)
        })
        .needs(move || start(&path).map(drop))
}

fn monoio(ring: Completions, place: Place) -> Result<(), String> {
    let builder = ring_of_monoio::builder(ENTRIES, ring).enable_timer();
    let mut runtime = builder.build().map_err(no_ring)?;
    let listener = place.listener()?;
    runtime.block_on(async {
        let listener = monoio::net::TcpListener::from_std(listener);
        let listener = listener.map_err(|error| error.to_string())?;
        place.ready();
        http::monoio::serve(listener, place.accepted, answer).await;
        Ok(())
    })
}

fn compio(ring: Completions, place: Place) -> Result<(), String> {
    let mut driver = ProactorBuilder::new();
    driver.capacity(ENTRIES);
    match ring {
        Completions::Interrupt => {}
        Completions::Cooperate => {
            driver.single_issuer(true).coop_taskrun(true).taskrun_flag(true);
        }
        Completions::Wait => {
            driver.single_issuer(true).defer_taskrun(true);
        }
    }
    let mut builder = compio::runtime::RuntimeBuilder::new();
    let runtime = builder.with_proactor(driver).build().map_err(no_ring)?;
    runtime.block_on(async {
        let listener = compio::net::TcpListener::from_std(place.listener()?);
        let listener = listener.map_err(|error| error.to_string())?;
        place.ready();
        http::compio::serve(listener, place.accepted, answer).await;
        Ok(())
    })
}
